"""`mendory init`: reads only, says what it found, proves it, writes one file; and the survey it reads with."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

from mendory.cli import main
from mendory.config import Config
from mendory.errors import TableNotFound
from mendory.lance import Survey
from mendory.lance.survey import tables_in
from tests.conftest import arrow, make_table, memory
from tests.shapes import OWNERS, Homemade, Owner
from tests.shapes.common import opened

pytestmark = pytest.mark.lance
Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("init", …)` in the test's own folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(main, list(words))


def every_file(folder: Path) -> dict[str, str]:
    """Path → digest of every file below a folder."""
    return {
        str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.rglob("*") if p.is_file()
    }


@pytest.mark.parametrize("owner", OWNERS, ids=lambda o: o.name)
def test_init_reads_only_and_writes_one_file_that_is_a_configuration(owner: Owner, tmp_path: Path, run: Run) -> None:
    """No byte of the table changes, no ledger is made, no rule or limit is switched on; check runs with the file."""
    _, table = owner.build(tmp_path / "store")
    owner.plant(str(tmp_path / "store"), table)
    before = every_file(tmp_path)

    done = run("init", f"./store#{table}")

    assert 0 == done.exit_code, done.output
    after = every_file(tmp_path)
    assert {"mendory.toml"} == after.keys() - before.keys()
    assert before == {name: digest for name, digest in after.items() if name in before}
    config = Config.load(tmp_path / "mendory.toml")
    assert (None, ()) == (config.limits, config.rules.confirmed)
    assert 8 == config.table.dimension
    assert "next: mendory check" in done.output
    assert 2 == run("check").exit_code


@pytest.mark.parametrize(
    ("owner", "name", "hide"),
    [
        ("crewai", "CrewAI", "none"),
        ("openclaw", "OpenClaw memory-lancedb", "none"),
        ("openclaw-without-agents", "OpenClaw memory-lancedb", "none"),
        ("openclaw-before-agents", "OpenClaw memory-lancedb", "none"),
        (
            "memory-lancedb-pro",
            "memory-lancedb-pro",
            {"metadata.state": "archived", "metadata.invalidated_at": "now:ms"},
        ),
        ("cognee", "cognee", "none"),
        ("homemade", "a table of your own", {"is_deleted": 1}),
    ],
)
def test_each_owner_is_recognised_with_what_its_reader_filters(
    owner: str, name: str, hide: Any, tmp_path: Path, run: Run
) -> None:
    """The first line names the owner; `hide` is what that owner's searches really skip."""
    [shape] = [o for o in OWNERS if o.name == owner]
    _, table = shape.build(tmp_path / "store")

    lines = run("init", f"./store#{table}").output.splitlines()

    assert f"· {name} · read-only" in lines[0]
    written = tomllib.loads((tmp_path / "mendory.toml").read_text("utf-8"))
    assert hide == written["mapping"]["hide"]


def test_a_table_of_ones_own_is_said_in_one_screen(tmp_path: Path, run: Run) -> None:
    """Places with units and zones, what a read changes, hides, is absent and was readable, and what to confirm."""
    Homemade().build(tmp_path / "store")

    said = " ".join(run("init", "./store#chat_memory").output.split())

    assert "id←mem_id content←text embedding←vec[8] metadata←扩展信息 created_at←ts(ms, Asia/Shanghai)" in said
    assert "scope←tenant+uid status←is_deleted" in said
    assert "volatile hit_count, last_hit · hide is_deleted=1 (confirm) · absent kind, claim" in said
    assert "readable of 72 rows: id 72/72 · content 72/72 · embedding 72/72" in said
    assert "confirm: hide is_deleted=1: make sure that the reader skips such rows" in said


def test_init_speaks_chinese(tmp_path: Path, run: Run) -> None:
    """With --lang zh every sentence is Chinese; names of fields, columns and commands stay."""
    Homemade().build(tmp_path / "store")

    done = run("init", "./store#chat_memory", "--lang", "zh")

    assert 0 == done.exit_code, done.output
    assert all(word in done.output for word in ("自有的表", "只读", "请确认", "已写入", "72 行", "隐藏 is_deleted=1"))
    assert not [w for w in ("confirm", "read-only", "volatile", "absent", "readable", "Wrote") if w in done.output]


def test_our_own_table_needs_no_mapping(tmp_path: Path, run: Run) -> None:
    """The file for our own table has no section [mapping]; what is said is what it was."""
    make_table(tmp_path / "db", [memory("m1"), memory("m2")])

    done = run("init", "./db#memories")

    assert "memories v2 · 2 rows · the columns are those of our own table" == done.output.splitlines()[0]
    assert {"table"} == set(tomllib.loads((tmp_path / "mendory.toml").read_text("utf-8")))


def test_our_own_table_with_further_vectors_names_them(tmp_path: Path, run: Run) -> None:
    """A column of vectors beside the embedding is named in the file and on the screen, in both languages."""
    made = arrow([memory("m1"), memory("m2")])
    title = pa.array([[1.0, 0.0], None], pa.list_(pa.float32(), 2))
    lancedb.connect(str(tmp_path / "db")).create_table("memories", made.append_column("标题向量", title))

    said = run("init", "./db#memories").output.splitlines()[1].strip()
    written = tomllib.loads((tmp_path / "mendory.toml").read_text("utf-8"))
    spoken = run("init", "./db#memories", "-c", "zh.toml", "--lang", "zh").output

    assert "vectors 标题向量" == said
    assert {"vectors": ["标题向量"]} == written["mapping"]
    assert "其他向量列 标题向量" in spoken
    assert ("标题向量",) == Config.load(tmp_path / "mendory.toml").record_mapping().vectors


def test_a_table_that_is_not_there_yet_gets_a_file_for_an_import(tmp_path: Path, run: Run) -> None:
    """The dimension is the one asked for, and the next command is named."""
    done = run("init", "./db#memories", "--dimension", "8")

    assert "There is no table memories yet; 'mendory import' will create it with vectors of 8." in done.output
    assert 8 == Config.load(tmp_path / "mendory.toml").table.dimension
    assert not (tmp_path / "db").exists()


def test_the_zone_named_is_that_of_naive_times(tmp_path: Path, run: Run) -> None:
    """--zone is written for texts without an offset; a zone there is not is refused and nothing written."""
    rows = {
        "id": ["a", "b"],
        "text": ["likes tea", "喜欢茶"],
        "创建时间": ["2025-03-01 20:00:00", "2025-03-02 08:00:00"],
    }
    lancedb.connect(str(tmp_path / "db")).create_table("t", pa.table(rows))

    refused = run("init", "./db#t", "--zone", "Mars/Olympus")
    assert 1 == refused.exit_code
    assert not (tmp_path / "mendory.toml").exists()
    done = run("init", "./db#t", "--zone", "Asia/Shanghai")

    assert 0 == done.exit_code, done.output
    assert "(2025-03-01 … 2025-03-02)" in done.output
    mapping = Config.load(tmp_path / "mendory.toml").record_mapping()
    read = mapping.memories(opened(str(tmp_path / "db"), "t").to_arrow())
    assert datetime(2025, 3, 1, 12, tzinfo=UTC) == read[0].created_at


def test_a_mistyped_table_is_answered_with_the_tables_there_are(tmp_path: Path, run: Run) -> None:
    """The likest name comes first, the file is written for an import, and that is the next command."""
    db = lancedb.connect(str(tmp_path / "db"))
    for table in ("archive", "memories", "chat-2"):
        db.create_table(table, pa.table({"id": ["a"]}))

    done = run("init", "./db#memorys")

    said = " ".join(done.output.split())
    assert 0 == done.exit_code
    assert "There is no table memorys yet" in said
    assert "in ./db there is: memories, archive, chat-2; if you mean one of them, mend table.name" in said
    assert done.output.rstrip().endswith("next: mendory import FILE")
    assert "memorys" == Config.load(tmp_path / "mendory.toml").table.name


def test_a_folder_that_is_not_there_is_said_in_both_languages(tmp_path: Path, run: Run) -> None:
    """A mistyped folder is told from a folder without the table; nothing is made."""
    english, chinese = (
        run("init", "./没有#memories", "--config", f"{lang}.toml", "--lang", lang).output for lang in ("en", "zh")
    )

    assert "there is no folder ./没有 either; if it should be there, mend table.uri" in english
    assert "文件夹 ./没有 也不存在；如果它应当存在，请改正 table.uri" in chinese
    assert "mendory import FILE --config zh.toml" in chinese
    assert ["en.toml", "zh.toml"] == sorted(p.name for p in tmp_path.iterdir())


@pytest.mark.parametrize(("gone", "warned"), [(0, False), (3, False), (16, True)])
def test_how_many_rows_count_as_hidden_is_said(gone: int, warned: bool, tmp_path: Path, run: Run) -> None:
    """The proof counts them; where they are most of the rows, one line asks whether the mark is right."""
    texts = [f"{'李薇喜欢喝茶' if at % 2 else 'Anna likes tea'} {at}" for at in range(20)]
    rows = {"id": [f"m{at}" for at in range(20)], "text": texts, "is_deleted": [1] * gone + [0] * (20 - gone)}
    lancedb.connect(str(tmp_path / "db")).create_table("t", pa.table(rows))

    said = " ".join(run("init", "./db#t").output.split())

    assert (gone > 0) == (f"status 20/20 · hidden {gone}/20" in said)
    assert warned == (f"{gone} of 20 rows count as hidden, and no finding names them" in said)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_expiry_is_asked_about_and_hides_nothing(lang: str, tmp_path: Path, run: Run) -> None:
    """A column named like a time of deletion that lies ahead of the present archives no row."""
    ahead = int((datetime.now(UTC) + timedelta(days=30)).timestamp() * 1000)
    rows = {"id": ["a", "b"], "text": ["likes tea", "喜欢茶"], "失效时间": [ahead, ahead]}
    lancedb.connect(str(tmp_path / "db")).create_table("t", pa.table(rows))

    said = run("init", "./db#t", "--lang", lang).output

    assert {"en": "holds times to come in 2 of 2 rows", "zh": "2 行中有 2 行是将来的时间"}[lang] in said
    assert "none" == tomllib.loads((tmp_path / "mendory.toml").read_text("utf-8"))["mapping"]["hide"]


def test_a_zone_named_for_numbers_is_heeded_where_the_history_allows(tmp_path: Path, run: Run) -> None:
    """Milliseconds of a wall clock in Shanghai, stored 17 minutes late: asked at first, right with --zone."""
    at = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=17)
    clock = [int((at + timedelta(hours=8 - 7 * n)).timestamp() * 1000) for n in (2, 1, 0)]
    rows = {"id": ["a", "b", "c"], "text": ["likes tea", "喜欢茶", "喜欢咖啡"], "ctime": clock}
    lancedb.connect(str(tmp_path / "db")).create_table("t", pa.table(rows))

    unsure = " ".join(run("init", "./db#t", "--config", "unsure.toml").output.split())
    named = run("init", "./db#t", "--zone", "Asia/Shanghai").output

    assert "where its newest is 7.7" in unsure
    assert "name --zone, Asia/Shanghai would fit" in unsure
    assert "created_at←ctime(ms, Asia/Shanghai)" in named
    mapping = Config.load(tmp_path / "mendory.toml").record_mapping()
    assert at == mapping.memories(opened(str(tmp_path / "db"), "t").to_arrow())[-1].created_at


@pytest.mark.parametrize(
    "columns", [{"n": [1, 2]}, {"id": ["a", "b"], "n": [1, 2]}, {"id": [1, 2], "text": ["x", "y"]}]
)
def test_a_table_that_holds_no_memories_is_refused_with_its_columns(
    columns: dict[str, Any], tmp_path: Path, run: Run
) -> None:
    """Exit 1, the columns named, nothing written."""
    lancedb.connect(str(tmp_path / "db")).create_table("t", pa.table(columns))

    done = run("init", "./db#t")

    assert 1 == done.exit_code
    assert "schema_mismatch" in done.stderr
    assert all(name in done.stderr for name in columns)
    assert not (tmp_path / "mendory.toml").exists()


def test_init_reads_a_mapping_that_hostile_names_cannot_break(tmp_path: Path, run: Run) -> None:
    """A column whose name holds quotes and control characters stays the owner's own; the terminal gets no raw byte."""
    rows = {"id": ["a", "b"], "text": ["likes tea", "喜欢茶"], 'x"\n[limits]\x1b[31m': ["1", "2"]}
    lancedb.connect(str(tmp_path / "db")).create_table("t", pa.table(rows))

    done = run("init", "./db#t")

    assert 0 == done.exit_code, done.output
    assert "\x1b" not in done.output
    assert Config.load(tmp_path / "mendory.toml").limits is None


# --- the survey -------------------------------------------------------------------------------------------


def test_a_sample_is_spread_over_the_whole_table(tmp_path: Path) -> None:
    """First and last rows are in it, every fragment has its share, no row twice; a small table is taken whole."""
    db = lancedb.connect(str(tmp_path))
    table = db.create_table("t", pa.table({"id": [f"a{n}" for n in range(500)]}))
    table.add(pa.table({"id": [f"b{n}" for n in range(500)]}))
    table.delete("id IN ('a1', 'b2')")
    db.create_table("small", pa.table({"id": ["x", "y"]}))

    ids = Survey(str(tmp_path), "t").sample(100).column("id").to_pylist()

    assert (100, 100) == (len(ids), len(set(ids)))
    assert {"a0", "b499"} <= set(ids)
    assert 40 < sum(i.startswith("a") for i in ids) < 60
    assert ["x", "y"] == sorted(Survey(str(tmp_path), "small").sample(100).column("id").to_pylist())


def test_the_newest_addition_is_the_commit_that_added_rows(tmp_path: Path) -> None:
    """Updates, deletions and compactions after it are none."""
    table = lancedb.connect(str(tmp_path)).create_table("t", pa.table({"id": ["a", "b"], "n": [1, 2]}))
    table.add(pa.table({"id": ["c"], "n": [3]}))
    added = table.list_versions()[-1]["timestamp"].astimezone(UTC)
    table.update(where="id = 'a'", values={"n": 5})
    table.delete("id = 'b'")
    table.optimize()

    found = Survey(str(tmp_path), "t").newest_addition()

    assert added == found
    assert timedelta(0) <= datetime.now(UTC) - added < timedelta(minutes=5)


def test_the_largest_value_is_that_of_the_whole_table(tmp_path: Path) -> None:
    """Of columns with names of any kind, of struct leaves; null and NaN are none, a year past 9999 is none."""
    far = pa.array([2**61], pa.int64()).cast(pa.timestamp("us"))
    rows = {
        "创建时间": [5, 9, None],
        "createdAt": [1.5, float("nan"), 0.5],
        "payload": [{"at": 3}, {"at": 7}, None],
        "empty": pa.array([None] * 3, pa.int64()),
        "far": pa.chunked_array([far, far, far]),
    }
    lancedb.connect(str(tmp_path)).create_table("t", pa.table(rows))
    survey = Survey(str(tmp_path), "t")

    found = [survey.largest(place) for place in ("创建时间", "createdAt", "payload.at", "empty", "far")]

    assert [9, 1.5, 7, None, None] == found


def test_a_folder_or_table_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    """Asking creates nothing."""
    (tmp_path / "db").mkdir()
    for place, name in ((tmp_path / "nowhere", "t"), (tmp_path / "db", "t")):
        with pytest.raises(TableNotFound):
            Survey(str(place), name)

    assert (None, ()) == (tables_in(str(tmp_path / "nowhere")), tables_in(str(tmp_path / "db")))
    assert ["db"] == [p.name for p in tmp_path.iterdir()]
