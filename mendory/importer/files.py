"""The files of an import: the lines read, within bounds, and the refused ones written."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from mendory.errors import InputInvalid
from mendory.importer.judging import Quarantined

_MOST_LINE = 64 * 2**20
_MOST_UNPACKED, _MOST_RATIO = 2**30, 200


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """(number, bytes) of every line that is not blank; only a line feed ends a line. `.gz` is unpacked.

    Raises InputInvalid for a file that can't be read whole, is in another encoding than UTF-8, or is too large.
    """
    if not path.is_file():
        raise InputInvalid(f"{path} is no file. Nothing was imported. Name a JSON Lines file.")
    packed = path.stat().st_size if path.suffix.lower() == ".gz" else None
    total = 0
    try:
        with path.open("rb") if packed is None else gzip.open(path, "rb") as source:
            for number in count(1):
                line = source.readline(_MOST_LINE + 1)
                if not line:
                    return
                total += len(line)
                if len(line) > _MOST_LINE:
                    raise _too_large(path, f"line {number} is longer than {_MOST_LINE} bytes")
                if packed is not None and total > max(_MOST_UNPACKED, _MOST_RATIO * packed):
                    raise _too_large(path, f"{packed} bytes unpack to more than {total - 1}")
                if number == 1:
                    _expect_utf8(path, line)
                    line = line.removeprefix(b"\xef\xbb\xbf")
                text = line.removesuffix(b"\n").removesuffix(b"\r")
                if text.strip():
                    yield number, text
    except (EOFError, zlib.error, OSError) as error:
        raise InputInvalid(f"{path} can't be read whole: {error}. Nothing was imported. Get it again.") from None


def _too_large(path: Path, why: str) -> InputInvalid:
    return InputInvalid(f"{path}: input too large: {why}. Nothing was imported. Split the file.")


def _expect_utf8(path: Path, first: bytes) -> None:
    start = first[:4]
    name = None
    if start in (b"\xff\xfe\0\0", b"\0\0\xfe\xff") or start[1:] == b"\0\0\0" or start[:3] == b"\0\0\0":
        name = "UTF-32"
    elif start[:2] in (b"\xff\xfe", b"\xfe\xff") or (b"\0" in start[:2] and len(start.strip(b"\0")) > 0):
        name = "UTF-16"
    elif b"\0" in first:
        name = "UTF-16 or binary: its first line holds NUL bytes"
    if name is not None:
        raise InputInvalid(f"{path} is {name}, not UTF-8. Nothing was imported. Save the file as UTF-8.")


def quarantine_target(file: Path, given: Path | None) -> Path:
    """Where refused lines go; raises InputInvalid when they can't go there, the input file above all."""
    target = given or file.with_name(file.name + ".quarantine.jsonl")
    if target.resolve() == file.resolve() or (target.exists() and file.exists() and target.samefile(file)):
        raise InputInvalid(f"--quarantine {target} is the input file. Nothing was imported. Name another file.")
    if target.is_dir() or not target.parent.is_dir():
        raise InputInvalid(f"--quarantine {target} is no file in a folder that is there. Nothing was imported.")
    return target


def write_quarantine(path: Path, refused: Sequence[Quarantined]) -> None:
    """Every refused line is in the file with its number, reason, hint and text; readable by its owner alone.

    The file is put in place whole; a link that stands there is replaced, what it points to stays as it was.
    """
    held = None
    try:
        handle, held = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # new, no link, mode 0600
        with os.fdopen(handle, "w", encoding="utf-8") as target:
            for one in refused:
                entry = {"line": one.line, "reason": one.reason, "hint": one.hint, "text": one.text}
                target.write(json.dumps(entry) + "\n")
            target.flush()
            os.fsync(target.fileno())
        Path(held).replace(path)
    except OSError as error:
        if held is not None:
            Path(held).unlink(missing_ok=True)
        raise InputInvalid(f"{path} can't be written: {error.strerror}. Nothing was imported. Name another.") from None
