"""The malformed inputs under tests/cases/imports: each gets exactly the outcome its file states.

A file is one sort of bad input, its `cases` are inputs of that sort. `lines` are written after a healthy line (the
sentinel): an object is laid over a healthy memory, `-` names keys it lacks, a text stands as it is. `becomes` says of
each whether it is `ok`, the `same` as one before, or the reason it is quarantined for. `error` means: the whole input
is refused by that name, and nothing is written. `flagged` is complete; `cells` are to the byte; `findings` are
among those of the next check.

`bounds` are set lower, `held` are rows the table has before, `options` those of the command line.

Of every case that is imported: read = ok + quarantined + rejected, the quarantine file holds exactly the refused
records with their texts, and a second import changes nothing.
"""

from __future__ import annotations

import gzip
import json
import os
import struct
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import lance
import lancedb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from mendory import cli
from mendory.finding import Code
from mendory.importer import files
from mendory.lance import Reader
from mendory.mapping import Mapping as FieldMapping
from tests.conftest import make_table, memory

CASES = Path(__file__).parent / "cases" / "imports"
ROWS = 60
HEALTHY = {
    "id": "m1",
    "content": "喜欢喝绿茶 likes green tea",
    "scope": "u1",
    "source": "user_stated",
    "status": "active",
    "created_at": "2025-03-01T10:00:00Z",
    "updated_at": "2025-03-01T10:00:00Z",
    "metadata": {"topic": "饮食", "entities": ["user"], "scene": "daily"},
    "embedding": [1, 0.5, -0.25, 0],
}
SENTINEL = {**HEALTHY, "id": "sentinel", "content": "住在杭州 lives in Hangzhou", "embedding": [0, 1, 0, 0.5]}
KEYS = {"input", "options", "held", "becomes", "error", "flagged", "cells", "findings", "says"}


def cases() -> list[Any]:
    """One parameter for each case of each file."""
    found = []
    for file in sorted(CASES.glob("*.json")):
        held = json.loads(file.read_text(encoding="utf-8"))
        assert {"row", "why", "cases"} == set(held), file
        found += [pytest.param(case, id=f"{file.stem}-{at}") for at, case in enumerate(held["cases"], 1)]
    return found


def test_every_sort_of_bad_input_has_its_file() -> None:
    """Sixty of them, and no case has a key that nobody reads."""
    rows = [json.loads(f.read_text(encoding="utf-8"))["row"] for f in CASES.glob("*.json")]

    assert list(range(1, ROWS + 1)) == sorted(rows)
    for param in cases():
        assert set(param.values[0]) <= KEYS, param.id


@pytest.mark.parametrize("case", cases())
def test_a_bad_input_gets_the_outcome_its_file_states(
    case: Mapping[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same on the command line as the file says; see the module."""
    root = tmp_path / "work"
    root.mkdir()
    monkeypatch.chdir(root)
    make_table(root / "db", [memory(**row) for row in case.get("held", ())])
    assert run("init", "./db#memories", "--dimension", "4").exit_code == 0
    before = table_of(root)
    for bound, most in case["input"].get("bounds", {}).items():
        monkeypatch.setattr(files, bound, most)
    source, number = Input(root, case["input"]).make()
    command = ["import", source, *case.get("options", ()), "--json"]
    result = run(*command)

    if "error" in case:
        assert (1, case["error"]) == (result.exit_code, result.stderr.partition(":")[0]), result.output
        assert "Nothing was imported" in result.stderr
        assert before.equals(table_of(root))
        assert [] == list(root.rglob("*.quarantine.jsonl"))
        if result.stdout:
            counts = json.loads(result.stdout)
            assert counts["read"] == counts["rejected"] > 0
        assert all(said in result.stderr for said in case.get("says", ()))
        return
    becomes = case["becomes"]
    reasons = Counter(b for b in becomes if b not in ("ok", "same"))
    counts = json.loads(result.stdout)
    assert dict(sorted(reasons.items())) == counts["reasons"]
    assert number == counts["read"] == counts["ok"] + counts["quarantined"] + counts["rejected"]
    assert (sum(reasons.values()), becomes.count("same")) == (counts["quarantined"], counts["duplicate_exact"])
    assert (4 if reasons else 0) == result.exit_code
    assert case.get("flagged", {}) == counts["flagged"]
    assert number - len(becomes) + becomes.count("ok") == counts["imported"]
    quarantined(source, becomes, number - len(becomes), case.get("says", ()))
    after = table_of(root)
    rows = {row["id"]: row for row in after.to_pylist()}
    assert before.num_rows + counts["imported"] == after.num_rows
    for ident, cells in case.get("cells", {}).items():
        assert cells == {name: plain(rows[ident][name]) for name in cells}
    again = json.loads(run(*command).stdout)
    assert (0, counts["reasons"]) == (again["imported"], again["reasons"])
    assert after.equals(table_of(root))
    if "findings" in case:
        found = json.loads(run("check", "--json").stdout)["findings"]
        for code, ids in case["findings"].items():
            assert set(ids) <= {i for f in found if f["code"] == Code(code) for i in f["ids"]}, code


def quarantined(source: str, becomes: list[str], first: int, says: tuple[str, ...]) -> None:
    """The quarantine file holds the refused records by number, reason, hint and text, and no other."""
    file = Path(source + ".quarantine.jsonl")
    entries = [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []
    expected = [(first + at, b) for at, b in enumerate(becomes, 1) if b not in ("ok", "same")]

    assert expected == [(e["line"], e["reason"]) for e in entries]
    assert all(e["hint"] and e["text"] for e in entries)
    assert all(any(said in e["hint"] for e in entries) for said in says)


def run(*args: str) -> Result:
    """The command line."""
    return CliRunner().invoke(cli.main, list(args))


def table_of(root: Path) -> pa.Table:
    """All rows of the table imported into."""
    reader = Reader(str(root / "db"), "memories", FieldMapping.identity())
    return pa.Table.from_batches(list(reader.batches(reader.schema.names)), reader.schema).sort_by("id")


def plain(value: Any) -> Any:
    """A cell as JSON has it."""
    return value.isoformat() if hasattr(value, "isoformat") else value


class Input:
    """The input of a case, made in a folder."""

    def __init__(self, root: Path, told: Mapping[str, Any]) -> None:
        self.root, self.told = root, told

    def make(self) -> tuple[str, int]:
        """(what to name on the command line, how many records are read)."""
        kind = next(k for k in ("lines", "bytes", "parquet", "table", "path") if k in self.told)
        made: tuple[str, int] = getattr(self, f"_{kind}")()
        return made

    def _lines(self) -> tuple[str, int]:
        sentinel = () if self.told.get("alone") else (SENTINEL,)
        lines = [self._line(line) for line in (*sentinel, *self.told["lines"])]
        for mark, (text, times) in self.told.get("expand", {}).items():
            lines = [line.replace(mark, text * times) for line in lines]
        end = self.told.get("end", "\n")
        text = end.join(lines) + ("" if self.told.get("cut") else end)
        encoding = self.told.get("encoding", "utf-8")
        return self._file("in.jsonl", text.encode(encoding, "surrogateescape")), len(lines) * self.told.get(
            "pack", {}
        ).get("times", 1)

    def _line(self, line: Any) -> str:
        if isinstance(line, str):
            return line
        row = {k: v for k, v in (HEALTHY | line).items() if k != "-" and k not in line.get("-", ())}
        return json.dumps(row, ensure_ascii=False)

    def _bytes(self) -> tuple[str, int]:
        return self._file("in.jsonl", self.told["bytes"].encode("latin-1")), 0

    def _file(self, name: str, data: bytes) -> str:
        if "pack" in self.told:
            data, name = gzip.compress(data), name + ".gz"
            pack = self.told["pack"]
            data = data[: len(data) - pack.get("cut", 0)] * pack.get("times", 1) + pack.get("after", "").encode()
        path = self.root / self.told.get("name", name)
        path.write_bytes(data)
        return path.name

    def _arrow(self, told: Mapping[str, Any]) -> pa.Table:
        """The healthy columns with some replaced: name → [type, cells]; null drops a column."""
        size = told.get("rows", 1)
        rows = [{**HEALTHY, "id": f"m{n + 1}", "metadata": json.dumps(HEALTHY["metadata"])} for n in range(size)]
        schema = pa.schema([(n, pa.list_(pa.float32(), 4) if n == "embedding" else pa.string()) for n in HEALTHY])
        table = pa.Table.from_pylist(rows, schema=schema)
        for name, column in told.get("columns", {}).items():
            if name in table.column_names:
                table = table.drop_columns([name])
            if column is not None:
                kind = TYPES[column[0]]
                table = table.append_column(name, pa.array([number(v) for v in column[1]], kind))
        return table.replace_schema_metadata(told.get("metadata"))

    def _parquet(self) -> tuple[str, int]:
        table = self._arrow(self.told["parquet"])
        path = self.root / "in.parquet"
        pq.write_table(table, path)
        if "cut" in self.told:
            path.write_bytes(path.read_bytes()[: -self.told["cut"]])
        return path.name, table.num_rows

    def _table(self) -> tuple[str, int]:
        told = self.told["table"]
        table = self._arrow(told)
        folder = self.root / "other" / "old.lance"
        lance.write_dataset(table, folder, max_rows_per_file=told.get("per_file", 2**20))
        if "broken" in told:
            getattr(self, f"_{told['broken']}")(folder)
        return "other#old", table.num_rows

    def _manifest(self, folder: Path) -> Path:
        [newest] = (folder / "_versions").glob("*.manifest")
        return newest

    def _half_deleted(self, folder: Path) -> None:
        self._manifest(folder).unlink()
        for file in (folder / "_versions").iterdir():
            file.unlink()
        (folder / "_versions").rmdir()

    def _no_versions(self, folder: Path) -> None:
        self._manifest(folder).unlink()

    def _torn(self, folder: Path) -> None:
        newest = self._manifest(folder)
        newest.write_bytes(newest.read_bytes()[:-20])

    def _newer(self, folder: Path) -> None:
        """The newest manifest asks its readers for something that nobody knows yet."""
        newest = self._manifest(folder)
        data = newest.read_bytes()
        [start] = struct.unpack("<Q", data[-16:-8])
        [size] = struct.unpack("<I", data[start : start + 4])
        end = start + 4 + size
        message = data[start + 4 : end] + bytes([9 << 3, 0x80, 0x80, 0x40])  # reader_feature_flags = 2**20
        newest.write_bytes(data[:start] + struct.pack("<I", len(message)) + message + data[end:])

    def _no_data(self, folder: Path) -> None:
        for file in (folder / "data").iterdir():
            file.unlink()

    def _path(self) -> tuple[str, int]:
        outside = self.root.parent / "outside.jsonl"
        outside.write_text(json.dumps(SENTINEL) + "\n", encoding="utf-8")
        match self.told["path"]:
            case "above":
                return "../outside.jsonl", 0
            case "link out":
                (self.root / "in.jsonl").symlink_to(outside)
            case "folder":
                (self.root / "in.jsonl").mkdir()
            case "pipe":
                os.mkfifo(self.root / "in.jsonl")
            case "table above":
                lance.write_dataset(self._arrow({}), self.root.parent / "old.lance")
                return "..#old", 0
            case "table by a link":
                lance.write_dataset(self._arrow({}), self.root.parent / "old.lance")
                (self.root / "other").mkdir()
                (self.root / "other" / "old.lance").symlink_to(self.root.parent / "old.lance")
                return "other#old", 0
            case "inside by detour":
                (self.root / "x").mkdir()
                (self.root / "in.jsonl").write_bytes(outside.read_bytes())
                return "x/../in.jsonl", 1
        return "in.jsonl", 0


TYPES = {
    "text": pa.string(),
    "int": pa.int64(),
    "naive": pa.timestamp("us"),
    "shanghai": pa.timestamp("ms", "Asia/Shanghai"),
    "half": pa.list_(pa.float16(), 4),
    "float": pa.list_(pa.float32(), 4),
    "double": pa.list_(pa.float64(), 4),
    "doubles": pa.list_(pa.float64()),
    "bytes": pa.list_(pa.int8(), 4),
    "texts": pa.list_(pa.string()),
    "struct": pa.struct(
        [("topic", pa.string()), ("entities", pa.list_(pa.string())), ("scene", pa.string()), ("心情", pa.string())]
    ),
}


def number(value: Any) -> Any:
    """NaN and infinities, which JSON has no words for, inside a list."""
    words = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
    return [words.get(v, v) if isinstance(v, str) else v for v in value] if isinstance(value, list) else value


def test_the_case_of_evil_metadata_opens_no_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table whose own metadata names an embedding service is imported without one socket being opened."""
    import socket

    def barred(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("a socket was opened")

    evil = json.dumps(
        [
            {
                "name": "openai",
                "model": {"base_url": "http://127.0.0.1:9/evil"},
                "source_column": "content",
                "vector_column": "embedding",
            }
        ]
    )
    table = Input(tmp_path, {})._arrow({"metadata": {"embedding_functions": evil}})
    lance.write_dataset(table, tmp_path / "other" / "old.lance")
    monkeypatch.chdir(tmp_path)
    run("init", "./db#memories", "--dimension", "4")
    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, barred)
    monkeypatch.setattr(socket, "getaddrinfo", barred)
    counts = json.loads(run("import", "other#old", "--json").stdout)
    made = lancedb.connect(str(tmp_path / "db")).open_table("memories")

    assert (1, {"untrusted_metadata": 1}) == (counts["imported"], counts["flagged"])
    assert made.schema.metadata in (None, {})
