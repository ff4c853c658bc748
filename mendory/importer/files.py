"""The files an import reads: which paths may be named, packed files, and lines, all within bounds."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from mendory.errors import BadArchive, BadEncoding, InputInvalid, InputTooLarge, PathNotAllowed, TruncatedArchive
from mendory.importer.shaping import Raw

MOST_LINE = 64 * 2**20
MOST_UNPACKED, MOST_RATIO = 2**30, 200
_STEP: Final = 2**20
_BLANK: Final = re.compile(rb"[ \t\n\r\x0b\x0c]*")

Told = Callable[[int, int], None]
"""Hears how many bytes, or rows, of how many are read."""


def allowed(path: Path, *, folder: bool = False) -> Path:
    """The path itself when it may be read: a relative one inside the working folder, no link out of its own folder.

    Raises PathNotAllowed for another one, and for what is no plain file (`folder`: no folder); InputInvalid when
    nothing is there.
    """
    root = path.parent if path.is_absolute() else Path()
    if not path.is_absolute() and ".." in path.parts and not path.resolve().is_relative_to(root.resolve()):
        raise _refused(path, "leads out of the working folder", "Name it by its absolute path")
    if not path.exists():
        what = "folder" if folder else "file"
        raise InputInvalid(f"{path} is no {what}. Nothing was imported. Name a {what} that is there.")
    if not path.resolve().is_relative_to(root.resolve()):
        raise _refused(path, "is a link that leads out of its folder", "Name what it leads to by its absolute path")
    if folder != path.is_dir():
        hint = "Name a table as FOLDER#TABLE" if path.is_dir() else "Name a folder"
        raise _refused(path, "is a folder" if path.is_dir() else "is no folder", hint)
    if not folder and not path.is_file():
        raise _refused(path, "is a pipe or a device", "Name a file")
    return path


def _refused(path: Path, why: str, todo: str) -> PathNotAllowed:
    return PathNotAllowed(f"{path} {why}. Nothing was imported. {todo}.")


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The plain file, open; what took its place since it was allowed is refused and never waited for."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise InputInvalid(f"{path} can't be read: {error.strerror}. Nothing was imported. Look at it.") from None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise _refused(path, "is no plain file", "Name a file")
        yield file


def is_packed(path: Path) -> bool:
    """True for a file that is read as gzip."""
    return path.suffix.lower() == ".gz"


class Bounded(io.RawIOBase):
    """The unpacked bytes of a file, counted; reading past the bounds raises InputTooLarge."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path, self._packed = path, os.fstat(file.fileno()).st_size if is_packed(path) else None
        self._file: IO[bytes] = file if self._packed is None else gzip.GzipFile(fileobj=file)  # type: ignore[assignment]
        self._raw, self.size = file, os.fstat(file.fileno()).st_size
        self.total = 0

    @property
    def at(self) -> int:
        """How many bytes of the file are read, as it lies there."""
        return self.total if self._packed is None else self._raw.tell()

    def part(self) -> bytes:
        """The next bytes, at most a mebibyte; empty at the end."""
        return self._counted(self._file.read(_STEP))

    def _counted(self, data: bytes) -> bytes:
        self.total += len(data)
        if self._packed is not None and self.total > max(MOST_UNPACKED, MOST_RATIO * self._packed):
            raise too_large(self._path, f"{self._packed} bytes unpack to more than {self.total - 1}")
        return data


@contextmanager
def unpacked(path: Path) -> Iterator[Bounded]:
    """The file's bytes, unpacked where it is `.gz`.

    Raises TruncatedArchive, BadArchive, InputTooLarge, and InputInvalid when reading fails.
    """
    try:
        with opened(path) as file:
            yield Bounded(path, file)
    except EOFError as error:
        raise TruncatedArchive(f"{path} can't be read whole: {error}. Nothing was imported. Get it again.") from None
    except (zlib.error, gzip.BadGzipFile) as error:
        raise BadArchive(f"{path} can't be read whole: {error}. Nothing was imported. Get it again.") from None
    except OSError as error:
        raise InputInvalid(f"{path} can't be read whole: {error}. Nothing was imported. Look at the disk.") from None


def lines(path: Path, told: Told | None = None) -> Iterator[Raw]:
    """Every line that is not blank; only a line feed ends a line. `.gz` is unpacked.

    Raises BadEncoding for another encoding than UTF-8, InputTooLarge for a line past the bounds; see `unpacked`.
    """
    with unpacked(path) as source:
        number, heard, held = 1, 0, source.part()
        expect_utf8(path, held)
        held = held.removeprefix(b"\xef\xbb\xbf")
        at = 0
        while held:
            end = held.find(b"\n", at)
            if end < 0:
                held, at = _longer(path, source, held[at:], number), 0
                end = held.find(b"\n")
                if end < 0:
                    if len(held) > MOST_LINE:
                        raise _too_long(path, number)
                    if held.strip():
                        yield Raw(number, held.removesuffix(b"\r"), whole=False)
                    return
            if end - at >= MOST_LINE:
                raise _too_long(path, number)
            text = held[at:end].removesuffix(b"\r")
            if text.strip():
                yield Raw(number, text)
                number, at = number + 1, end + 1
            else:  # of blank lines alone, a small packed file holds so many that each must cost nothing
                blank = _BLANK.match(held, at)
                last = held.rfind(b"\n", at, blank.end() if blank else None)
                number, at = number + held.count(b"\n", at, last + 1), last + 1
            if told and source.at - heard > _STEP:
                heard = source.at
                told(source.at, source.size)


def _longer(path: Path, source: Bounded, rest: bytes, number: int) -> bytes:
    """The rest and what follows it, up to the part that ends its line or to the end of the file."""
    parts, size = [rest], len(rest)
    while part := source.part():
        parts.append(part)
        if b"\n" in part:
            break
        size += len(part)
        if size > MOST_LINE:
            raise _too_long(path, number)
    return b"".join(parts)


def _too_long(path: Path, number: int) -> InputTooLarge:
    return too_large(path, f"line {number} is longer than {MOST_LINE} bytes")


def too_large(path: Path | str, why: str) -> InputTooLarge:
    """The error for an input past the bounds."""
    return InputTooLarge(f"{path}: input too large: {why}. Nothing was imported. Split the file.")


def expect_utf8(path: Path, begins: bytes) -> None:
    """Return when the beginning of a file may be UTF-8; raises BadEncoding when it is UTF-16 or UTF-32.

    Without a mark of its own that is told by two characters: JSON begins with two of ASCII. A stray NUL is neither.
    """
    zeros = "".join("0" if byte == 0 else "x" for byte in begins[:8])
    name = None
    if begins[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff") or zeros in ("x000x000", "000x000x"):
        name = "UTF-32"
    elif begins[:2] in (b"\xff\xfe", b"\xfe\xff") or zeros[:4] in ("x0x0", "0x0x"):
        name = "UTF-16"
    if name is not None:
        at = 0 if begins[:1] in (b"\xff", b"\xfe") else begins.index(b"\0")
        raise BadEncoding(f"{path} is {name}, not UTF-8, from byte {at} on. Nothing was imported. Save it as UTF-8.")
