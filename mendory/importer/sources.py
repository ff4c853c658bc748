"""What can be imported: JSON Lines, Parquet, a LanceDB table, mem0's get_all. Each gives numbered records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from mendory.errors import BadParquet, InputInvalid, PathNotAllowed, SchemaMismatch
from mendory.importer import files, mem0
from mendory.importer.files import Told, allowed, opened, too_large
from mendory.importer.rows import rows
from mendory.importer.shaping import Raw, Reads, Record, Shaping
from mendory.importer.unpacking import pieces
from mendory.lance.border import local_folder
from mendory.lance.importing import MANY_FRAGMENTS, ForeignTable

FORMS: Final = ("jsonl", "parquet", "lancedb", "mem0")
_ROWS: Final = 32
"""So many rows of a Parquet file are unpacked at once, before anybody can know how large they are."""
_MAGIC: Final = b"PAR1"


@dataclass(frozen=True)
class Source:
    """Numbered records that can be read again.

    `stamp` is equal as long as it is the same records; `schema` is that of a typed source; `reads` is how the form
    tells fields; `noted` is what is odd about the whole, once it is read; `keyed` is True for a table, whose ids
    must be unique.
    """

    name: str
    form: str
    records: Callable[[Told | None], Iterator[Raw | Record]]
    stamp: Callable[[], Any]
    schema: pa.Schema | None = None
    reads: Mapping[str, Reads] = field(default_factory=dict)
    noted: Sequence[str] = ()
    keyed: bool = False


def source(name: str, form: str | None = None) -> Source:
    """The source of that name, of the form it is told to have or shows itself to have.

    Raises PathNotAllowed for a path that may not be read, InputInvalid for what is not there or of another form.
    """
    folder, mark, table = name.rpartition("#")
    if form == "lancedb" or (form is None and mark and not Path(name).exists()):
        if not (folder and table):
            raise InputInvalid(f"{name} names no table. Nothing was imported. Write FOLDER#TABLE.")
        if "/" in table or "\\" in table:
            raise PathNotAllowed(
                f"{name} names a table that is not in the folder itself. Nothing was imported. Name its own folder."
            )
        return _lancedb(name, folder, table)
    path = allowed(Path(name))
    form = form or _shown(path)
    if form == "parquet":
        return _parquet(path)
    if form == "mem0":
        noted: list[str] = []
        return Source(name, form, partial(mem0.elements, path, noted), partial(_stamp, path), None, mem0.READS, noted)
    return Source(name, form, partial(files.lines, path), partial(_stamp, path))


def _shown(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    if name.endswith((".parquet", ".pq")) or _begins(path) == _MAGIC:
        return "parquet"
    return "mem0" if name.endswith(".json") else "jsonl"


def _begins(path: Path) -> bytes:
    with opened(path) as file:
        return file.read(len(_MAGIC))


def _stamp(path: Path) -> Any:
    held = path.stat()
    return held.st_ino, held.st_size, held.st_mtime_ns


# --- LanceDB tables -------------------------------------------------------------------------------


def _lancedb(name: str, uri: str, table: str) -> Source:
    folder = local_folder(uri)
    if folder is not None:
        allowed(folder, folder=True)
        if (folder / f"{table}.lance").exists():
            allowed((folder / f"{table}.lance").absolute(), folder=True)
    held = ForeignTable(uri, table)
    noted = ["untrusted_metadata"] if held.has_metadata else []
    noted += ["too_many_fragments"] if held.fragments >= MANY_FRAGMENTS else []

    def read(told: Told | None) -> Iterator[Record]:
        yield from _numbered(held.batches(), held.count(), told)

    return Source(name, "lancedb", read, lambda: held.version, held.schema, noted=tuple(noted), keyed=True)


def _numbered(batches: Iterator[pa.RecordBatch], total: int, told: Told | None) -> Iterator[Record]:
    done = 0
    for batch in batches:
        for piece, _ in pieces(batch, files.MOST_LINE):
            yield from rows(piece, done + 1)
            done += piece.num_rows
        if told:
            told(done, total)


# --- Parquet --------------------------------------------------------------------------------------


def _parquet(path: Path) -> Source:
    with _whole(path), opened(path) as file:
        held = pq.ParquetFile(file)
        schema, count = held.schema_arrow, held.metadata.num_rows

    def read(told: Told | None) -> Iterator[Record]:
        yield from _numbered(_batches(path), count, told)

    noted = ("untrusted_metadata",) if b"embedding_functions" in (schema.metadata or {}) else ()
    return Source(str(path), "parquet", read, partial(_stamp, path), schema.remove_metadata(), noted=noted)


def _batches(path: Path) -> Iterator[pa.RecordBatch]:
    most = max(files.MOST_UNPACKED, files.MOST_RATIO * path.stat().st_size)
    total = read = 0
    with _whole(path), opened(path) as file:
        held = pq.ParquetFile(file, buffer_size=2**20, pre_buffer=False)
        for batch in held.iter_batches(batch_size=_ROWS, use_threads=False):
            for piece, size in pieces(batch, files.MOST_LINE):
                total, read = total + size, read + piece.num_rows
                if size > files.MOST_LINE:
                    raise too_large(path, f"row {read} is longer than {files.MOST_LINE} bytes")
                if total > most:
                    raise too_large(path, f"it unpacks to more than {most} bytes")
            yield batch


class _whole:  # noqa: N801 - used like a function
    """Errors of Arrow while a Parquet file is read leave as BadParquet."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, pa.ArrowException | OSError):
            why = str(error).split("\n")[0][:200]
            raise BadParquet(
                f"{self._path} can't be read as Parquet: {why}. Nothing was imported. Get it again."
            ) from None


# --- typed sources --------------------------------------------------------------------------------


def expect_columns(held: Source, shaping: Shaping, fields: tuple[str, ...]) -> None:
    """Return when a typed source has the columns an import can't do without; else raise SchemaMismatch naming all."""
    if held.schema is None:
        return
    wrong = []
    names = set(held.schema.names)
    for name in ("id", "content", "scope", "created_at"):
        key = shaping.key(name) if name in fields else None
        if key is not None and key not in names:
            wrong.append(f"{name}: there is no column '{key}'")
        elif (
            key is not None
            and held.schema.names.count(key) == 1
            and name != "created_at"
            and not _is_text(held.schema.field(key).type)
        ):
            wrong.append(f"{name}: column '{key}' is {held.schema.field(key).type}, not text")
    for name, template in shaping.templates.items():
        wrong += [f"{name}: there is no column '{key}'" for key in template.keys if key not in names | {"line"}]
    if len(names) != len(held.schema.names):
        wrong.append("two columns have one name")
    if wrong:
        raise SchemaMismatch(
            f"{held.name} lacks {len(wrong)} of what an import needs: {'; '.join(wrong)}. Nothing was imported. "
            "Say where fields stand with --map FIELD=COLUMN, or give them with --set FIELD=TEXT."
        )


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
