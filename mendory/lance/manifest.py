"""What a manifest file says, read without Lance: which files its version consists of, and whether it is whole.

Lance reads a manifest in the process that asks, and a damaged file may end that process. Here bytes are only looked at.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MAGIC: Final = b"LANC"
_FOOTER: Final = struct.Struct("<QHH4s")
_LENGTH: Final = struct.Struct("<I")
_LATE: Final = 2**64 - 1
"""Newer tables name a manifest by the distance of its version from here, so that the newest is listed first."""
_FRAGMENTS, _FILES, _DELETIONS, _ROWS = 2, 2, 3, 4
_PATH, _SIZE, _FILE_BASE = 1, 6, 7
_KIND, _READ_VERSION, _ID, _DELETED, _DELETION_BASE = 1, 2, 3, 4, 7
_KINDS: Final = ("arrow", "bin")


class Torn(ValueError):
    """The bytes are no whole manifest."""


@dataclass(frozen=True, slots=True)
class Deletions:
    """A deletion file: where it lies in the table's folder, how many rows it deletes, of how many."""

    path: str
    deleted: int
    rows: int


@dataclass(frozen=True, slots=True)
class Contents:
    """The files of a version that lie in the table's own folder; data files with their sizes, 0 where not told."""

    data: tuple[tuple[str, int], ...]
    deletions: tuple[Deletions, ...]
    fragments: int
    rows: int


@dataclass(frozen=True, slots=True)
class Fragment:
    """What a manifest says of a fragment: its number, its files, all of it as bytes, and its rows (-1: not told).

    Files are never written twice: with the same files a fragment holds the same rows, but for deleted ones.
    """

    key: int
    files: tuple[tuple[int, int | bytes], ...]
    told: bytes
    rows: int


def version_of(path: Path) -> int | None:
    """The version whose manifest this is, by its name; None for another file."""
    if not re.fullmatch(r"\d{1,20}\.manifest", path.name):
        return None
    number = int(path.stem)
    return _LATE - number if len(path.stem) == 20 else number


def newest(folder: Path) -> Path | None:
    """The manifest of the newest version; None when there is none."""
    try:
        held = [(v, p) for p in (folder / "_versions").iterdir() if (v := version_of(p)) is not None]
    except (FileNotFoundError, NotADirectoryError):
        return None
    return max(held)[1] if held else None


def has(folder: Path, version: int) -> bool:
    """True when the version's manifest is there."""
    return path_of(folder, version) is not None


def path_of(folder: Path, version: int) -> Path | None:
    """The manifest of that version; None when it is not there."""
    names = (f"{_LATE - version}.manifest", f"{version}.manifest")
    return next((path for name in names if (path := folder / "_versions" / name).exists()), None)


def hinted(folder: Path) -> int | None:
    """The version that the last writer noted as the newest; None when nobody did."""
    try:
        held = json.loads((folder / "_versions" / "latest_version_hint.json").read_bytes())
    except (OSError, ValueError):
        return None
    version = held.get("version") if isinstance(held, dict) else None
    return version if isinstance(version, int) else None


def contents(data: bytes) -> Contents:
    """The files a manifest names. Raises Torn for bytes that are no whole manifest."""
    files: list[tuple[str, int]] = []
    deletions: list[Deletions] = []
    fragments = rows = 0
    for number, value in _fields(_body(data)):
        if number == _FRAGMENTS and isinstance(value, bytes):
            held, gone, size = _fragment(value)
            files += held
            deletions += gone
            fragments += 1
            rows += size - sum(d.deleted for d in gone)
    return Contents(tuple(files), tuple(deletions), fragments, rows)


def fragments(data: bytes, known: Mapping[bytes, Fragment]) -> dict[bytes, Fragment]:
    """The fragments a manifest names, each by what stands there, in the order of their rows; those `known` as they are.

    Raises Torn as `contents`.
    """
    parts = (value for number, value in _fields(_body(data)) if number == _FRAGMENTS and isinstance(value, bytes))
    return {part: known.get(part) or _told(part) for part in parts}


def _told(part: bytes) -> Fragment:
    key = rows = deleted = 0
    files = []
    for field, value in _fields(part):
        if field == _DELETIONS and isinstance(value, bytes):
            deleted = _number(dict(_fields(value)).get(_DELETED)) or -1
            continue
        files.append((field, value))
        key = value if field == 1 and isinstance(value, int) else key
        rows = value if field == _ROWS and isinstance(value, int) else rows
    return Fragment(key, tuple(files), part, rows - deleted if rows and deleted >= 0 else -1)


def _body(data: bytes) -> bytes:
    if len(data) < _FOOTER.size:
        raise Torn("it is too short")
    at, _, _, magic = _FOOTER.unpack(data[-_FOOTER.size :])
    if magic != MAGIC:
        raise Torn("its end is missing")
    body = at + _LENGTH.size
    if body > len(data) - _FOOTER.size:
        raise Torn("its end points outside")
    (length,) = _LENGTH.unpack(data[at:body])
    if body + length > len(data) - _FOOTER.size:
        raise Torn("its length is wrong")
    return data[body : body + length]


def _fragment(data: bytes) -> tuple[list[tuple[str, int]], list[Deletions], int]:
    files: list[tuple[str, int]] = []
    deletions: list[dict[int, int | bytes]] = []
    key = rows = 0
    for number, value in _fields(data):
        if isinstance(value, int):
            key = value if number == 1 else key
            rows = value if number == _ROWS else rows
        elif number == _FILES:
            held = dict(_fields(value))
            if _FILE_BASE not in held:  # else it lies in another table's folder
                files.append((f"data/{_text(held.get(_PATH))}", _number(held.get(_SIZE))))
        elif number == _DELETIONS:
            deletions.append(dict(_fields(value)))
    return files, [_deletions(d, key, rows) for d in deletions if _DELETION_BASE not in d], rows


def _deletions(held: dict[int, int | bytes], key: int, rows: int) -> Deletions:
    kind = _number(held.get(_KIND))
    if kind >= len(_KINDS):
        raise Torn("it names a deletion file of an unknown kind")
    name = f"_deletions/{key}-{_number(held.get(_READ_VERSION))}-{_number(held.get(_ID))}.{_KINDS[kind]}"
    return Deletions(name, _number(held.get(_DELETED)), rows)


def _text(value: int | bytes | None) -> str:
    try:
        return value.decode() if isinstance(value, bytes) else ""
    except UnicodeDecodeError:
        raise Torn("it names a file by no text") from None


def _number(value: int | bytes | None) -> int:
    return value if isinstance(value, int) else 0


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """(number, value) of each field of a protobuf message."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        match tag & 7:
            case 0:
                value, at = _varint(data, at)
                yield tag >> 3, value
            case 1 | 2 | 5 as wire:
                size, at = _varint(data, at) if wire == 2 else (8 if wire == 1 else 4, at)
                if at + size > len(data):
                    raise Torn("a part of it ends too early")
                yield tag >> 3, data[at : at + size]
                at += size
            case _:
                raise Torn("a part of it is of no known kind")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Torn("a number in it does not end")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
