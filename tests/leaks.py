"""Looking for texts where none may be: in files, packed or not, and in databases, in every form a text may take."""

from __future__ import annotations

import base64
import gzip
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path


def forms(text: str) -> Iterator[bytes]:
    """How a text may lie in a file: plain, escaped, UTF-16, and base64 at each of its three alignments."""
    yield text.encode()
    for escaped in (json.dumps(text)[1:-1], ascii(text)[1:-1]):
        yield escaped.encode()
        yield json.dumps(escaped)[1:-1].encode()
    yield text.encode("utf-16-le")
    for at in range(3):
        packed = base64.b64encode(b"\0" * at + text.encode())
        yield packed[4 if at else 0 : -4]


def contents(path: Path) -> Iterator[bytes]:
    """The bytes of a file; unpacked where it is packed; of a database every cell too, which may lie across pages."""
    data = path.read_bytes()
    yield data
    if data[:2] == b"\x1f\x8b":
        yield gzip.decompress(data)
    if data[:15] == b"SQLite format 3":
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as conn:
            tables = [name for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            for table in tables:
                for row in conn.execute(f'SELECT * FROM "{table}"'):  # noqa: S608
                    yield b"\n".join(v if isinstance(v, bytes) else str(v).encode() for v in row)


def leaks(texts: Iterable[str], places: Sequence[Path]) -> list[str]:
    """The files in these places that hold one of the texts in any form."""
    wanted = list(dict.fromkeys(form for text in texts for form in forms(text)))
    files = [p for place in places for p in ([place] if place.is_file() else place.rglob("*")) if p.is_file()]
    assert files
    return sorted({str(p) for p in files if any(form in data for data in contents(p) for form in wanted)})
