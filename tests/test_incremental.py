"""A check of what changed finds what a check of everything finds, says when it can't, and writes nothing."""

from __future__ import annotations

import json
import math
import random
import re
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mendory.clinic import Clinic
from mendory.finding import Code, Finding
from mendory.ledger import Ledger
from mendory.ledger.checkpoints import KEPT
from tests.cli.conftest import Run, configure, run  # noqa: F401  (a fixture)
from tests.conftest import NOON, FakeClock, arrow, make_config, make_table, memory
from tests.crowd import compared, crowd
from tests.crowd import make as make_crowd

pytestmark = pytest.mark.lance
TEXTS = (
    "喜欢喝茶",
    "不吃香菜",
    "Prefers tea",
    "PREFERS  tea",
    "Lives in Oslo",
    "住在杭州",
    "",
    "港口是 8080",
    "x\u200by",
    "ภาษา\u200bไทย",
    "Donau\u00addampf\u00adschiff",
)
MISREAD = tuple(datetime.fromtimestamp((NOON + timedelta(days=d)).timestamp() / 1000, UTC) for d in (0, 2, 400))
"""Milliseconds read as seconds, of moments past and to come."""
OWNED = tuple({"topic": "t", "entities": ["a"], "scene": "s", "user": owner} for owner in ("v", "u1", "u2"))
SAID = (
    *(
        "I live in Rome.",
        "I moved to Oslo.",
        "I like tea.",
        "I don't like tea.",
        "I no longer like tea.",
        "I have no pets.",
    ),
    *(
        "The port is 8080.",
        "The port is 9090 now.",
        "Manual: visit 8080.",
        "I have a dog.",
        "I switched from Vim to Helix.",
    ),
    *("我住在杭州。", "我搬到了北京。", "我喜欢喝茶。", "我不喜欢喝茶。", "我再也不喝茶了。", "我单身。", "我结婚了。"),
    *(
        "端口是 8080。",
        "端口改为 9090。",
        "部署手册:启动后访问 8080。",
        "手册。先启动。端口是 8080。",
        "已从 Vim 切换到 Helix。",
    ),
)
"""What contradicts something, or copies what is over."""
CLAIMS = (
    *(
        {"attribute": "port", "value": 8080},
        {"属性": "端口", "值": "9090"},
        {"entity": "r1", "attribute": "age", "value": 3},
    ),
    *({"object": "tea", "stance": "like"}, {"对象": "茶", "立场": "不喜欢"}, {"object": "tea", "stance": "refuse"}),
    *({"attribute": "employer", "value": "甲"}, {"attribute": "employer", "value": "B"}, {"object": ["tea"]}),
)
STATUSES = ("active", "active", "active", "archived", "pending_review", "Active ", "gone", None)


def unit(seed: int) -> list[float]:
    """A vector of length 1 that only this seed has."""
    return [math.cos(seed), math.sin(seed), 0.0, 0.0]


def row(rng: random.Random, name: str) -> dict[str, Any]:
    """A row as an owner may write it: mostly healthy, with any fault now and then."""
    number = rng.randrange(10**6)
    fields: dict[str, Any] = {"embedding": unit(number), "content": f"第 {number} 条 memory", "scope": "u1"}
    fields["created_at"] = fields["updated_at"] = NOON + timedelta(minutes=rng.randrange(100))
    for name_of, values, share in (
        ("content", TEXTS, 0.35),
        ("scope", ("u2", "u'3", None, " ", "U1", "default"), 0.2),
        ("content", SAID, 0.3),
        ("claim", CLAIMS, 0.15),
        ("created_at", [NOON + timedelta(minutes=n) for n in (0, 3, 50)], 0.2),
        ("batch_id", ("i1",), 0.1),
        ("source", (None, "system_log"), 0.1),
        ("status", STATUSES, 0.3),
        ("embedding", (None, [0.0] * 4, [3.0, 0.0, 0.0, 0.0], unit(1)), 0.15),
        (
            "metadata",
            (None, "{", {"topic": "food"}, {"topic": "t", "entities": ["a"], "scene": "s", "user": "v"}, *OWNED),
            0.2,
        ),
        ("duplicate_of", ("r1", "r2", "nobody", name), 0.1),
        ("related_ids", (["r3"], ["r4", "lost"], [name]), 0.15),
        ("superseded_by", ("r5", "R6"), 0.05),
        ("created_at", (None, NOON + timedelta(days=400)), 0.05),
        ("updated_at", (NOON - timedelta(days=1), None), 0.05),
        ("last_accessed_at", (NOON + timedelta(days=2), *MISREAD, datetime(2150, 1, 1, tzinfo=UTC)), 0.1),
        ("kind", ("event", None, "preference"), 0.1),
    ):
        if rng.random() < share:
            fields[name_of] = rng.choice(values)
    return memory(name, **fields)


def table_of(folder: Path, rng: random.Random, size: int = 70) -> None:
    """A table of such rows in the folder."""
    make_table(folder, [row(rng, f"r{n}") for n in range(size)])


def opened(folder: Path) -> Any:
    """The table as its owner opens it."""
    return lancedb.connect(str(folder)).open_table("memories")


def add(table: Any, rng: random.Random) -> None:
    """New rows, some of an id that is there or reads like one."""
    ids = [rng.choice((f"n{rng.randrange(99)}", f"R{rng.randrange(70)}", f"r{rng.randrange(70)}")) for _ in range(3)]
    table.add(arrow([row(rng, i) for i in ids]), on_bad_vectors="null")


def update(table: Any, rng: random.Random) -> None:
    """A changed value in some rows."""
    column, value = rng.choice(
        [
            ("content", "不吃香菜"),
            ("content", rng.choice(SAID)),
            ("status", "archived"),
            ("status", "Active "),
            ("scope", "u2"),
            ("source", ""),
            ("kind", "event"),
        ]
    )
    table.update(where=f"id IN ('r{rng.randrange(70)}', 'r{rng.randrange(70)}')", values={column: value})


def delete(table: Any, rng: random.Random) -> None:
    """Rows are gone; what refers to them dangles."""
    table.delete(f"id IN ('r{rng.randrange(9)}', 'r{rng.randrange(70)}', 'n{rng.randrange(99)}')")


def merge(table: Any, rng: random.Random) -> None:
    """An upsert of whole rows."""
    ids = sorted({f"r{rng.randrange(90)}" for _ in range(4)})
    merged = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    merged.execute(arrow([row(rng, i) for i in ids]), on_bad_vectors="null")


def merge_columns(table: Any, rng: random.Random) -> None:
    """An upsert of one column."""
    part = pa.table({"id": [f"r{rng.randrange(70)}"], "content": [rng.choice(TEXTS)]})
    table.merge_insert("id").when_matched_update_all().execute(part)


def optimize(table: Any, rng: random.Random) -> None:
    """Compaction."""
    table.optimize()


def index(table: Any, rng: random.Random) -> None:
    """An index on the id, made anew."""
    table.create_scalar_index("id", replace=True)


def column(table: Any, rng: random.Random) -> None:
    """A column comes, or goes again."""
    if "extra" in table.schema.names:
        table.drop_columns(["extra"])
    else:
        table.add_columns({"extra": f"'{rng.choice(TEXTS)}'"})
        table.alter_columns({"path": "extra", "nullable": True})


def restore(table: Any, rng: random.Random) -> None:
    """An earlier version is the newest again."""
    held = sorted(int(v["version"]) for v in table.list_versions())
    table.restore(held[-min(len(held), rng.randrange(2, 4))])
    table.checkout_latest()
    if "extra" in table.schema.names:
        table.alter_columns({"path": "extra", "nullable": True})


def cleanup(table: Any, rng: random.Random) -> None:
    """The history goes."""
    table.optimize(cleanup_older_than=timedelta(0))


OPERATIONS = (add, update, delete, merge, merge_columns, optimize, index, column, restore, cleanup)
COMMON = (add, update, delete, merge, add, update, delete, optimize)


def told(findings: tuple[Finding, ...]) -> list[str]:
    """Findings as they are compared: all that is told of them."""
    return sorted(json.dumps(f.as_json(), sort_keys=True) for f in findings)


def left(clinic: Clinic) -> int:
    """A full check and its checkpoint; the version."""
    checked = clinic.check(keep=True)
    assert clinic.checkpoint(checked)
    return checked.version


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Callable[[], Path]]:
    """`folder()` is an empty folder, another one each time."""
    made: list[Path] = []

    def make() -> Path:
        made.append(tmp_path / f"t{len(made)}")
        made[-1].mkdir()
        return made[-1]

    yield make
    for path in made:
        shutil.rmtree(path, ignore_errors=True)


def compare(clinic: Clinic) -> str:
    """Both ways of checking agree in everything that is told; the basis of the incremental one."""
    full, part = clinic.check(), clinic.check(since="last")
    assert told(full.findings) == told(part.findings)
    assert full.examination.stands_down == part.examination.stands_down
    assert (full.rows, dict(full.scripts)) == (part.rows, dict(part.scripts))
    assert dict(full.examination.scope_rows) == dict(part.examination.scope_rows)
    assert full.causes == part.causes
    return "full" if part.basis.since is None else "incremental"


@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(seed=st.integers(0, 10**6), any_operation=st.booleans())
def test_what_changed_and_what_stands_is_everything(folder: Callable[[], Path], seed: int, any_operation: bool) -> None:
    """After any run of an owner's operations both checks find the same; again from an incremental checkpoint."""
    rng, home = random.Random(seed), folder()
    table_of(home, rng)
    clock = FakeClock(NOON + timedelta(days=1))
    clinic = Clinic(make_config(home), clock)
    left(clinic)
    for _ in range(2):
        table = opened(home)
        clock.move(hours=rng.choice((0, 1, 48)))
        for _ in range(rng.randrange(1, 4)):
            rng.choice(OPERATIONS if any_operation else COMMON)(table, rng)
        compare(clinic)
        clinic.checkpoint(clinic.check(since="last"))


def healthy(size: int = 60) -> list[dict[str, Any]]:
    """Rows with nothing wrong."""
    return [memory(f"m{n}", content=f"记忆 {n} of its own", embedding=unit(n)) for n in range(size)]


@pytest.fixture
def checked(tmp_path: Path, clock: FakeClock) -> Clinic:
    """A clinic on 60 healthy rows but one, with a checkpoint."""
    rows = healthy()
    rows[7]["source"] = None
    make_table(tmp_path, rows)
    clinic = Clinic(make_config(tmp_path), clock)
    left(clinic)
    return clinic


def test_an_unchanged_table_is_not_read(checked: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing changed: no row is looked at, and what was found before is told."""

    def forbidden(*_: Any, **__: Any) -> Any:
        raise AssertionError("rows are read")

    monkeypatch.setattr(type(checked.reader), "batches", forbidden)
    part = checked.check(since="last")

    assert (checked.reader.version, 0, 0, 1) == (
        part.basis.since,
        part.basis.changed,
        part.basis.looked_at,
        part.basis.standing,
    )
    assert ["missing_source"] == [f.code.value for f in part.findings]


@pytest.mark.parametrize("operate", [optimize, index], ids=["optimize", "index"])
def test_compaction_and_indices_change_no_row(checked: Clinic, operate: Any) -> None:
    """A new version without a changed row is told from the history alone."""
    opened(checked.config.root).add(arrow([memory("late", content="迟到的", embedding=unit(999))]))
    left(checked)
    operate(opened(checked.config.root), random.Random(1))

    part = checked.check(since="last")

    assert part.version > (part.basis.since or 0) > 0
    assert (0, 0) == (part.basis.changed, part.basis.looked_at)


def test_a_deleted_row_leaves_what_refers_to_it_dangling(tmp_path: Path, clock: FakeClock) -> None:
    """Of a deletion the rows that refer to what is gone are looked at, and no others."""
    rows = healthy()
    rows[3]["related_ids"] = ["m40"]
    make_table(tmp_path, rows)
    clinic = Clinic(make_config(tmp_path), clock)
    left(clinic)
    opened(tmp_path).delete("id = 'm40'")

    part = clinic.check(since="last")

    assert [("reference_dangling", ("m3",))] == [(f.code.value, f.ids) for f in part.findings]
    assert (1, 1) == (part.basis.changed, part.basis.looked_at)


def test_a_reference_resolves_when_its_row_comes(tmp_path: Path, clock: FakeClock) -> None:
    """A finding on a row that did not change is gone when what it missed comes."""
    rows = healthy()
    rows[3]["superseded_by"] = "late"
    make_table(tmp_path, rows)
    clinic = Clinic(make_config(tmp_path), clock)
    left(clinic)
    opened(tmp_path).add(arrow([memory("late", content="迟到的", embedding=unit(999))]))

    part = clinic.check(since="last")

    assert [] == list(part.findings)
    assert 2 == part.basis.looked_at


def test_a_second_row_with_the_same_text_is_found(checked: Clinic) -> None:
    """A new row is compared with the rows of its text that did not change, Chinese or English."""
    rows = [
        memory("new", content="记忆 9 of its own", embedding=unit(901)),
        memory("m61", content="别的", embedding=unit(902)),
    ]
    opened(checked.config.root).add(arrow(rows))

    part = checked.check(since="last")

    assert [("duplicate_exact", ("m9", "new")), ("missing_source", ("m7",))] == [
        (f.code.value, f.ids) for f in part.findings
    ]
    assert (2, 3, 1) == (part.basis.changed, part.basis.looked_at, part.basis.standing)


def test_a_changed_text_ends_the_duplicate_it_was(tmp_path: Path, clock: FakeClock) -> None:
    """The rows that shared the old text are judged anew, though they did not change."""
    rows = healthy()
    rows[5]["content"] = rows[6]["content"] = "喜欢喝茶"
    make_table(tmp_path, rows)
    clinic = Clinic(make_config(tmp_path), clock)
    left(clinic)
    opened(tmp_path).update(where="id = 'm5'", values={"content": "喜欢咖啡"})

    found = clinic.check(since="last").findings

    assert [("embedding_stale_text", ("m5",))] == [(f.code.value, f.ids) for f in found]


def test_one_of_two_rows_with_one_id_is_deleted(tmp_path: Path, clock: FakeClock) -> None:
    """The other is still there, and no longer shares its id."""
    make_table(tmp_path, [*healthy(), memory("m5", content="另一条", embedding=unit(555))])
    clinic = Clinic(make_config(tmp_path), clock)
    left(clinic)
    opened(tmp_path).delete("id = 'm5' AND content = '另一条'")

    part = clinic.check(since="last")

    assert [] == list(part.findings)
    assert part.basis.since is not None


def test_the_first_row_that_has_what_none_had_is_a_full_check(tmp_path: Path, clock: FakeClock) -> None:
    """From then on every row that lacks it is a finding, so every row is looked at."""
    make_table(tmp_path, [{**one, "source": None} for one in healthy()])
    clinic = Clinic(make_config(tmp_path), clock)
    left(clinic)
    opened(tmp_path).update(where="id = 'm3'", values={"source": "user_stated"})

    part = clinic.check(since="last")

    assert 59 == len(part.findings)
    assert "what is usual in the table is no longer what it was" == part.basis.why


def test_a_lacking_field_stays_lacking(tmp_path: Path, clock: FakeClock) -> None:
    """Few changed rows that lack what the whole table lacks are no findings."""
    make_table(tmp_path, [{**one, "source": None} for one in healthy()])
    clinic = Clinic(make_config(tmp_path), clock)
    left(clinic)
    opened(tmp_path).update(where="id = 'm3'", values={"content": "改过的"})

    part = clinic.check(since="last")

    assert ["embedding_stale_text"] == [f.code.value for f in part.findings]
    assert 1 == part.basis.looked_at
    assert ("source", "no row of the table has a value") in part.examination.stands_down


@pytest.mark.parametrize(
    ("operate", "why"),
    [
        (column, r"version \d+ is a \w+ operation"),
        (restore, r"version \d+ is a \w+ operation"),
        (cleanup, r"version \d+ is a missing operation|version \d+ or \d+ is gone"),
    ],
    ids=["column", "restore", "cleanup"],
)
def test_what_the_history_can_not_tell_is_a_full_check(checked: Clinic, operate: Any, why: str) -> None:
    """Every row is looked at, and the reason is said."""
    table = opened(checked.config.root)
    table.update(where="id = 'm1'", values={"content": "新"})
    operate(table, random.Random(1))

    part = checked.check(since="last")

    assert (None, 60) == (part.basis.since, part.basis.looked_at)
    assert re.fullmatch(why, part.basis.why)


def test_a_torn_manifest_of_the_history_is_a_full_check(checked: Clinic) -> None:
    """A damaged record of an earlier version is no error of the table's newest."""
    table = opened(checked.config.root)
    table.update(where="id = 'm1'", values={"content": "新"})
    table.update(where="id = 'm2'", values={"content": "新的"})
    versions = checked.config.root / "memories.lance" / "_versions"
    torn = versions / f"{2**64 - 1 - (int(table.version) - 1)}.manifest"
    torn.write_bytes(torn.read_bytes()[:50])

    part = checked.check(since="last")

    assert (None, 60) == (part.basis.since, part.basis.looked_at)
    assert "can't be read" in part.basis.why


def test_without_a_checkpoint_or_the_side_state(checked: Clinic) -> None:
    """A version without a checkpoint, another configuration, a lost side state: everything is looked at."""
    assert "there is no checkpoint at version 1" in checked.check(since=1).basis.why
    other = Clinic(make_config(checked.config.root, metadata={"required": ["topic"]}), checked.clock)
    assert "there is no checkpoint of this table as it is configured now" in other.check(since="last").basis.why
    (checked.config.root / ".mendory" / "side.db").unlink()
    assert "the side state is gone" in checked.check(since="last").basis.why


def test_a_named_version_begins_at_its_checkpoint(checked: Clinic) -> None:
    """Of two checkpoints the one of the version asked for is taken."""
    first = checked.reader.version
    opened(checked.config.root).update(where="id = 'm1'", values={"content": "新"})
    second = left(checked)
    opened(checked.config.root).update(where="id = 'm2'", values={"content": "新的"})

    assert (first, 2) == ((part := checked.check(since=first)).basis.since, part.basis.changed)
    assert (second, 1) == ((part := checked.check(since="last")).basis.since, part.basis.changed)


def test_what_is_in_the_future_today_is_not_tomorrow(tmp_path: Path, clock: FakeClock) -> None:
    """Time alone may end a finding: it is looked at again though no row changed."""
    rows = healthy()
    rows[4]["updated_at"] = NOON + timedelta(hours=5)
    make_table(tmp_path, rows)
    clinic = Clinic(make_config(tmp_path), clock)
    left(clinic)
    assert ["timestamp_future"] == [f.code.value for f in clinic.check(since="last").findings]

    clock.move(hours=6)

    assert [] == list(clinic.check(since="last").findings)


def test_a_unit_that_explains_a_time_only_later(tmp_path: Path, clock: FakeClock) -> None:
    """A time that no unit made plausible is named for its unit once the moment it means has come."""
    rows = healthy()
    rows[4]["last_accessed_at"] = MISREAD[1]
    make_table(tmp_path, rows)
    clinic = Clinic(make_config(tmp_path), clock)
    left(clinic)
    assert ["timestamp_suspicious"] == [f.code.value for f in clinic.check(since="last").findings]

    clock.move(days=3)

    assert ["timestamp_unit"] == [f.code.value for f in clinic.check(since="last").findings]
    assert "incremental" == compare(clinic)


@pytest.mark.parametrize("name", ["gone", "走了"])
def test_what_is_told_of_a_standing_finding_is_the_newest(tmp_path: Path, name: str, run: Run) -> None:  # noqa: F811
    """One of two lost references comes back: a check of what changed says so, and so does the review queue."""
    rows = healthy()
    rows[3] |= {"duplicate_of": f"{name}1", "superseded_by": f"{name}2", "status": "archived"}
    make_table(tmp_path / "db", rows)
    configure(tmp_path)
    run("plan")
    opened(tmp_path / "db").add(arrow([memory(f"{name}2", content="回来了 again", embedding=unit(999))]))
    run("plan")

    full, part = (json.loads(run("check", *way, "--json").output) for way in (("--full",), ("--since", "last")))

    assert "incremental" == part["basis"]["kind"]
    assert [{"field": "duplicate_of", "id": f"{name}1"}] == part["findings"][0]["evidence"]["missing"]
    assert full["findings"] == part["findings"]
    assert "1 of its references lead nowhere" in run("review").output


NEAR = (
    ("The meeting is in the large room on the second floor", "The meeting is in the big room on the second floor"),
    ("会议在二楼的大会议室里开", "会议在二楼的大会议厅里开"),
)


def spread_out(rng: random.Random, size: int) -> list[dict[str, Any]]:
    """Rows of one scope with vectors of any direction."""
    made = [[rng.gauss(0, 1) for _ in range(4)] for _ in range(size)]
    whole = [[x / math.dist(v, [0.0] * 4) for x in v] for v in made]
    return [memory(f"m{n}", content=f"记忆 {n} of its own", embedding=vector) for n, vector in enumerate(whole)]


@pytest.mark.parametrize("texts", NEAR, ids=["en", "zh"])
def test_a_guessed_bound_holds_while_the_vectors_agree_with_it(
    tmp_path: Path, clock: FakeClock, texts: tuple[str, str]
) -> None:
    """A few new rows are other random pairs: what was judged by the bound of before still stands, and in a full check.

    Where all vectors are others, the bound is too, and everything is looked at.
    """
    rng = random.Random(5)
    rows = spread_out(rng, 300)
    for number, text in enumerate(texts):
        rows[number] |= {"content": text, "embedding": [0.6, 0.8, 0.0, 0.0]}
    make_table(tmp_path, rows)
    clinic = Clinic(make_config(tmp_path), clock)
    left(clinic)
    before = [f for f in clinic.check().findings if f.code is Code.DUPLICATE_NEAR]
    assert ["provisional"] == [f.evidence["origin"] for f in before]

    table = opened(tmp_path)
    table.add(arrow([one | {"id": f"n{n}", "content": f"{n}"} for n, one in enumerate(spread_out(rng, 9))]))

    assert "incremental" == compare(clinic)
    assert before == [f for f in clinic.check().findings if f.code is Code.DUPLICATE_NEAR]

    near = [one | {"embedding": [1.0, *(0.2 * x for x in one["embedding"][1:])]} for one in rows[200:]]
    table.merge_insert("id").when_matched_update_all().execute(arrow(near))

    assert "full" == compare(clinic)
    assert "the vectors say other things of their space than at the checkpoint" == clinic.check(since="last").basis.why


def test_a_check_writes_no_checkpoint_and_a_plan_does(
    tmp_path: Path,
    run: Run,  # noqa: F811
) -> None:
    """`check` never makes or changes a ledger; after `plan` a check of what changed begins at its version."""
    make_table(tmp_path / "db", [{**one, "source": None} if n < 2 else one for n, one in enumerate(healthy())])
    configure(tmp_path)

    first = json.loads(run("check", "--since", "last", "--json").output)
    assert not (tmp_path / ".mendory").exists()
    assert ("full", 60) == (first["basis"]["kind"], first["read"])

    run("plan")
    before = (tmp_path / ".mendory" / "ledger.db").read_bytes()
    opened(tmp_path / "db").update(where="id = 'm30'", values={"content": "改了"})
    said = run("check", "--since", "last")
    assert 2 == said.exit_code
    assert "  since v2: changed 1 row, looked at 1 row; of before still stand 2 findings" in said.output
    assert before == (tmp_path / ".mendory" / "ledger.db").read_bytes()
    assert "自 v2 以来：变化 1 行" in run("check", "--since", "2", "--lang", "zh").output


@pytest.mark.parametrize("options", [("--since", "x"), ("--since", "-1"), ("--since", "last", "--full")])
def test_wrong_options(tmp_path: Path, run: Run, options: tuple[str, ...]) -> None:  # noqa: F811
    """What is no version, or contradicts itself, is refused by name."""
    make_table(tmp_path / "db", healthy())
    configure(tmp_path)

    said = run("check", *options)

    assert 1 == said.exit_code
    assert said.output.startswith("input_invalid: ")


def test_only_so_many_checkpoints_are_kept(clock: FakeClock) -> None:
    """The oldest go; one of the same version replaces the one before."""
    ledger = Ledger.in_memory(clock)
    for version in range(1, KEPT + 3):
        ledger.checkpoints.add("a", version, "full", {}, ["f"])
    ledger.checkpoints.add("a", KEPT + 2, "incremental", {"counts": []}, [])

    assert None is ledger.checkpoints.newest("a", 1)
    newest = ledger.checkpoints.newest("a")
    assert newest is not None
    assert (KEPT + 2, "incremental", ()) == (newest.version, newest.kind, newest.findings)
    assert None is ledger.checkpoints.newest("b")


def test_a_foreign_writer_is_never_overwritten(tmp_path: Path) -> None:
    """A process that knows nothing of us writes into the very rows that are repaired; see tests/crowd.py."""
    outcome = crowd(2000, 2, 5, tmp_path)

    assert (0, 0) == (outcome["overwritten"], outcome["astray"])
    assert outcome["applied"] > 0
    assert outcome["foreign_writes"] > 3


def test_the_crowd_s_comparison_sees_an_overwritten_row(tmp_path: Path) -> None:
    """One foreign value put back to what it was before, and one row changed by nobody's plan, are both told."""
    (tmp_path / "end").touch()
    make_crowd(tmp_path, 200)
    log = tmp_path / "foreign.jsonl"
    log.write_text(json.dumps({"ids": ["m0000020"], "token": "foreign 1", "version": 3}) + "\n", encoding="utf-8")
    opened(tmp_path).update(where="id = 'm0000033'", values={"content": "别的"})

    told = compared(tmp_path, 200, log)

    assert (1, 1) == (told["overwritten"], told["astray"])


@pytest.mark.parametrize("more", [{}, {"id": " "}], ids=["few rows", "a row without an id"])
def test_a_table_nobody_wrote_to_ends_a_check_at_once(tmp_path: Path, more: dict[str, Any]) -> None:
    """However few its rows, and though nobody could tell which of them changed: none did."""
    rows = [memory("r1", content="不吃香菜"), memory("r2", content="Lives in Oslo", scope=None)]
    make_table(tmp_path, [*rows, memory("r3") | more])
    clinic = Clinic(make_config(tmp_path))
    before = clinic.check(keep=True)
    assert clinic.checkpoint(before)

    again = Clinic(make_config(tmp_path)).check(since="last")

    assert (before.version, "", 0) == (again.basis.since, again.basis.why, again.basis.looked_at)
    assert before.findings == again.findings
