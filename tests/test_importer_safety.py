"""An import beside other writers, other files and other imports: nothing is written twice, over another, or left."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mendory import importer
from mendory.errors import InputTooLarge
from mendory.importer import files
from mendory.importer.unpacking import pieces, sizes
from mendory.lance import Writer
from mendory.lance import writer as writing
from tests.conftest import arrow, make_table, memory
from tests.test_importer_sources import LINE, Run, jsonl, rows, run  # noqa: F401  (a fixture)

pytestmark = pytest.mark.lance

# --- beside another writer ------------------------------------------------------------------------


def agents_row(folder: Path, name: str) -> None:
    """The agent writes a memory of that id."""
    lancedb.connect(str(folder / "db")).open_table("memories").add(arrow([memory(name, content="the agent's 智能体")]))


def held_ids(folder: Path) -> list[str]:
    """All ids of the table, those of several rows as often."""
    table = lancedb.connect(str(folder / "db")).open_table("memories")
    return sorted(table.to_arrow().column("id").to_pylist())


@pytest.mark.parametrize("moment", ["_publish", "write_fragments"])
@pytest.mark.parametrize("there", [True, False], ids=["table", "no table"])
def test_an_id_that_comes_before_the_commit_is_not_written_again(
    run: Run,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
    there: bool,
) -> None:
    """After the look or while the files are written: it is another memory, so the record is refused."""
    from lance import fragment

    if there:
        make_table(tmp_path / "db", [memory("seed")])
    calls = []

    def once(*args: Any, **kwargs: Any) -> Any:
        if not calls:
            agents_row(tmp_path, "m1")
        calls.append(1)
        return original(*args, **kwargs)

    if moment == "_publish":
        original: Any = Writer.append_unless
        monkeypatch.setattr(Writer, "append_unless", once)
    else:
        original = fragment.write_fragments
        monkeypatch.setattr(fragment, "write_fragments", once)
    file = jsonl(tmp_path / "in.jsonl", LINE, LINE | {"id": "m2", "content": "likes tea"})
    result = run("import", file, "--json")
    counts = json.loads(result.stdout)
    [entry] = map(json.loads, (tmp_path / "in.jsonl.quarantine.jsonl").read_text("utf-8").splitlines())

    assert (4, {"id_exists": 1}, 1) == (result.exit_code, counts["reasons"], counts["imported"])
    assert (1, "id_exists") == (entry["line"], entry["reason"])
    assert ["m1", "m2", *(["seed"] if there else [])] == held_ids(tmp_path)


def test_other_rows_that_come_meanwhile_change_nothing(
    run: Run,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A row of another id, and a compaction: one look suffices and all is imported."""
    make_table(tmp_path / "db", [memory("seed")])
    original, settled = Writer.append_unless, []

    def later(self: Writer, *args: Any) -> Any:
        settled.append(1)
        agents_row(tmp_path, "别的")
        lancedb.connect(str(tmp_path / "db")).open_table("memories").optimize()
        return original(self, *args)

    monkeypatch.setattr(Writer, "append_unless", later)
    counts = json.loads(run("import", jsonl(tmp_path / "in.jsonl", LINE), "--json").stdout)

    assert (1, 1) == (counts["imported"], len(settled))
    assert ["m1", "seed", "别的"] == held_ids(tmp_path)


def test_an_id_that_comes_in_the_moment_of_the_commit_is_told(
    run: Run,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Lance has no append that fails then; the two rows are counted, and the next check finds them."""
    make_table(tmp_path / "db", [memory("seed")])
    lance = writing.pylance()
    original = lance.LanceDataset.commit

    def late(*args: Any, **kwargs: Any) -> Any:
        agents_row(tmp_path, "m1")
        return original(*args, **kwargs)

    monkeypatch.setattr(lance.LanceDataset, "commit", staticmethod(late))
    counts = json.loads(run("import", jsonl(tmp_path / "in.jsonl", LINE), "--json").stdout)
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    found = json.loads(run("check", "--json").stdout)["findings"]

    assert 1 == counts["flagged"]["duplicate_id"]
    assert ["m1"] == [i for f in found if f["code"] == "duplicate_id" for i in f["ids"]]


def test_an_import_that_others_outrun_every_time_ends_with_an_error(
    run: Run,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is bounded, says so, and nothing of it is in the table."""
    make_table(tmp_path / "db", [memory("seed")])
    original, number = Writer.append_unless, iter(range(1, 99))

    def outrun(self: Writer, *args: Any) -> Any:
        agents_row(tmp_path, f"m{next(number)}")
        return original(self, *args)

    monkeypatch.setattr(Writer, "append_unless", outrun)
    file = jsonl(tmp_path / "in.jsonl", *[LINE | {"id": f"m{n}"} for n in range(1, 99)])
    result = run("import", file, "--json")

    assert (1, "commit_conflict") == (result.exit_code, result.stderr.partition(":")[0])
    assert json.loads(result.stdout)["rejected"] == 98
    assert ["m1", "m2", "m3", "m4", "m5", "seed"] == held_ids(tmp_path)


# --- the quarantine beside other files ------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["do not lose 不要丢", "", '{"line": 1}\n', "[table]\n", json.dumps(LINE) + "\n", "[" * 100_000],
    ids=["text", "empty", "json", "toml", "memory", "deep"],
)
@pytest.mark.parametrize("named", [True, False], ids=["named", "default"])
def test_no_file_but_an_earlier_quarantine_is_replaced(
    run: Run,  # noqa: F811
    tmp_path: Path,
    text: str,
    named: bool,
) -> None:
    """Whatever stands there, nothing is imported and not a byte of it changes."""
    target = tmp_path / ("珍贵.txt" if named else "in.jsonl.quarantine.jsonl")
    target.write_text(text, encoding="utf-8")
    file = jsonl(tmp_path / "in.jsonl", LINE | {"scope": None}, LINE)
    result = run("import", file, *(["--quarantine", target] if named else []))

    assert (1, "input_invalid") == (result.exit_code, result.stderr.partition(":")[0])
    assert "no quarantine of an import" in result.stderr
    assert (text, False) == (target.read_text(encoding="utf-8"), (tmp_path / "db").exists())


def test_the_ledger_and_the_configuration_are_no_quarantine(run: Run, tmp_path: Path) -> None:  # noqa: F811
    """Named by a slip, both are as they were, and the next plan is made."""
    make_table(tmp_path / "db", [memory("a", status="Active "), memory("b")])
    run("plan")
    before = {name: (tmp_path / name).read_bytes() for name in ("mendory.toml", ".mendory/ledger.db")}
    file = jsonl(tmp_path / "in.jsonl", LINE | {"id": None})

    assert [1, 1] == [run("import", file, "--quarantine", name).exit_code for name in before]
    assert before == {name: (tmp_path / name).read_bytes() for name in before}


def test_a_file_that_appears_while_the_records_are_read_stays(
    run: Run,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is looked for again just before the quarantine is put in place."""
    target, settle = tmp_path / "in.jsonl.quarantine.jsonl", importer.Import.settle

    def appears(self: importer.Import, reader: Any) -> None:
        target.write_text("mine 我的", encoding="utf-8")
        settle(self, reader)

    monkeypatch.setattr(importer.Import, "settle", appears)
    result = run("import", jsonl(tmp_path / "in.jsonl", LINE, LINE | {"scope": None, "id": "b"}))

    assert (1, "mine 我的") == (result.exit_code, target.read_text(encoding="utf-8"))
    assert ["in.jsonl", "in.jsonl.quarantine.jsonl", "mendory.toml"] == sorted(p.name for p in tmp_path.iterdir())


def test_once_nothing_is_refused_the_old_quarantine_goes(run: Run, tmp_path: Path) -> None:  # noqa: F811
    """A mended file leaves none behind; a dry run, and a file named by --quarantine, are left alone."""
    file, other = tmp_path / "in.jsonl", tmp_path / "all.jsonl"
    target = tmp_path / "in.jsonl.quarantine.jsonl"
    for where in ([], ["--quarantine", other]):
        assert run("import", jsonl(file, LINE | {"scope": None}), *where).exit_code == 4
    jsonl(file, LINE)
    run("import", file, "--dry-run")
    assert target.exists()
    said = run("import", file, "--quarantine", other)
    assert (0, True) == (said.exit_code, other.exists())
    said = run("import", file)

    assert (0, False) == (said.exit_code, target.exists())
    assert f"removed: {target}" in said.stdout


@pytest.mark.parametrize("name", ["../db/memories", "..", "x/y"])
def test_a_table_is_named_in_its_own_folder(run: Run, tmp_path: Path, name: str) -> None:  # noqa: F811
    """A path for a name is refused for what it is, not for a quarantine that nobody named."""
    make_table(tmp_path / "db", [memory("甲")])
    result = run("import", f"db#{name}")

    assert 1 == result.exit_code
    assert "quarantine" not in result.stderr
    assert "Nothing was imported." in result.stderr


# --- what an import leaves ------------------------------------------------------------------------


def test_the_next_import_removes_what_a_dead_one_left(
    run: Run,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a process that is gone; a living one's folder, and any other, stay."""
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    names = [f"mendory-import-{gone.pid}-a", f"mendory-import-{os.getppid()}-b", "mendory-import-c", f"x-{gone.pid}-d"]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "records").write_text(LINE["content"], encoding="utf-8")
    (tmp_path / f"mendory-import-{gone.pid}-link").symlink_to(tmp_path / names[3])

    assert run("import", jsonl(tmp_path / "in.jsonl", LINE)).exit_code == 0
    left = {p.name for p in tmp_path.iterdir() if p.name.startswith(("mendory-import-", "x-"))}
    assert {*names[1:], f"mendory-import-{gone.pid}-link"} == left
    assert (tmp_path / names[3] / "records").exists()


def test_a_terminated_import_leaves_nothing_in_the_temporary_folder(run: Run, tmp_path: Path) -> None:  # noqa: F811
    """SIGTERM while records are set aside: the process ends by it, its folder is gone, nothing is imported."""
    rest = tmp_path / "tmp"
    rest.mkdir()
    os.mkfifo(tmp_path / "gate")
    code = (
        "import sys\nfrom mendory import importer\nfrom mendory.cli import main\n"
        "settle = importer.Import.settle\n"
        "def waits(self, reader):\n    open('gate').read()\n    settle(self, reader)\n"
        "importer.Import.settle = waits\nmain()\n"
    )
    jsonl(tmp_path / "in.jsonl", LINE)
    env = os.environ | {"TMPDIR": str(rest), "PYTHONPATH": str(Path(__file__).parents[1])}
    with subprocess.Popen([sys.executable, "-c", code, "import", "in.jsonl"], cwd=tmp_path, env=env) as process:
        deadline = time.monotonic() + 60
        while not list(rest.glob("mendory-import-*/records")) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(list(rest.glob(f"mendory-import-{process.pid}-*"))) == 1
        time.sleep(0.3)  # it waits at the gate by now; if not, the signal comes earlier, and all the same holds
        process.send_signal(signal.SIGTERM)
        process.wait(60)

    assert 128 + signal.SIGTERM == process.returncode
    assert [] == list(rest.glob("mendory-import-*"))
    assert not (tmp_path / "db").exists()


# --- bounds ---------------------------------------------------------------------------------------


def test_what_rows_share_in_a_dictionary_counts_for_each_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Parquet file of a few kilobytes that is many megabytes as rows is refused, plain or in a dictionary."""
    monkeypatch.setattr(files, "MOST_UNPACKED", 2**20)
    text = "茶tea " * 2_000
    for at, content in enumerate((pa.array([text] * 400), pa.array([text] * 400).dictionary_encode())):
        path = tmp_path / f"{at}.parquet"
        plain = {name: [value] * 400 for name, value in LINE.items() if name != "content"}
        pq.write_table(pa.table({**plain, "content": content}), path, compression="zstd")
        assert path.stat().st_size * files.MOST_RATIO < 400 * len(text)
        with pytest.raises(InputTooLarge, match="unpacks to more than"):
            list(importer.source(str(path)).records(None))
    monkeypatch.setattr(files, "MOST_LINE", 10_000)
    with pytest.raises(InputTooLarge, match="row 1 is longer"):
        list(importer.source(str(path)).records(None))


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        (pa.string(), ["茶", None, "tea"], [3, 0, 3]),
        (pa.string_view(), ["茶" * 9, None, "t"], [27, 0, 1]),
        (pa.dictionary(pa.int8(), pa.string()), ["茶茶", "茶茶", None], [6, 6, 0]),
        (pa.list_(pa.string()), [["茶", "a"], None, []], [4, 0, 0]),
        (pa.list_(pa.dictionary(pa.int8(), pa.large_string())), [["aa", "aa"], [], ["茶"]], [4, 0, 3]),
        (pa.list_(pa.float32(), 2), [[1, 2], None, [3, 4]], [8, 8, 8]),
        (
            pa.struct([("a", pa.binary()), ("b", pa.int64())]),
            [{"a": b"12", "b": 1}, {"a": b"", "b": 1}, {"b": 2}],
            [10, 8, 8],
        ),
        (pa.map_(pa.string(), pa.string()), [[("a", "茶")], [], [("b", "cc"), ("d", "e")]], [4, 0, 5]),
    ],
    ids=str,
)
def test_the_bytes_of_each_row_are_counted(kind: pa.DataType, values: list[Any], expected: list[int]) -> None:
    """Whatever the type; a slice counts as its rows do."""
    column = pa.array(values, kind)

    assert expected == sizes(column).tolist()
    assert expected[1:] == sizes(column[1:]).tolist()


def test_a_batch_is_read_in_pieces_that_are_not_large() -> None:
    """No piece has more bytes than asked for, but one row that is larger itself; no row is lost."""
    batch = pa.RecordBatch.from_pydict({"a": ["茶" * n for n in (1, 1, 5, 1, 0, 1)]})

    assert [(2, 6), (1, 15), (3, 6)] == [(piece.num_rows, size) for piece, size in pieces(batch, 9)]
    assert [] == list(pieces(batch.slice(0, 0), 9))


def test_blank_lines_cost_next_to_nothing_and_are_counted(tmp_path: Path) -> None:
    """A packed file of 30 million of them is read in seconds; the number of the line after them is right."""
    path, blank = tmp_path / "in.jsonl.gz", (b"\n" * 999 + b" \t\r\n") * 10_000
    line = json.dumps(LINE, ensure_ascii=False).encode()
    path.write_bytes(gzip.compress(line + b"\n", 1) + gzip.compress(blank, 1) * 3 + gzip.compress(line, 1))
    begun = time.process_time()
    found = list(importer.lines(path))

    assert [(1, True), (30_000_002, False)] == [(one.number, one.whole) for one in found]
    assert [line, line] == [one.data for one in found]
    assert time.process_time() - begun < 5


def test_progress_is_told_of_a_packed_file_too(tmp_path: Path) -> None:
    """By the bytes of the file as it lies there."""
    path, heard = tmp_path / "in.jsonl.gz", []
    path.write_bytes(gzip.compress((json.dumps(LINE, ensure_ascii=False) + "\n").encode() * 60_000, 0))
    count = sum(1 for _ in importer.lines(path, lambda done, total: heard.append((done, total))))

    assert 60_000 == count
    assert {path.stat().st_size} == {total for _, total in heard}
    assert sorted(heard) == heard
    assert len(heard) >= 3
