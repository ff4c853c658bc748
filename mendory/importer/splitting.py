"""A JSON text whose bytes come in parts, taken apart: only quotes, backslashes, commas and brackets are looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mendory.importer import files
from mendory.importer.files import Bounded, Told, expect_utf8, too_large

_IN_TEXT: Final = re.compile(rb'["\\]')
_BETWEEN: Final = re.compile(rb'[",{}\[\]]')
_INSIDE: Final = re.compile(rb'["{}\[\]]')
_SOME: Final = re.compile(rb"[^ \t\n\r]")
_CLOSING: Final = {b"[": b"]", b"{": b"}"}
_TOLD_EVERY: Final = 2**20


class NoList(Exception):
    """The text is not of the shape asked for; the message says how."""


class Splitter:
    """Reads a file's JSON from its beginning; holds no more than one element and one part of it."""

    def __init__(self, path: Path, source: Bounded, told: Told | None = None) -> None:
        self._path, self._source, self._told, self._heard = path, source, told, 0
        self._held, self._at, self._number = bytearray(), 0, 0
        self._more()
        expect_utf8(path, bytes(self._held[:8]))
        if self._held.startswith(b"\xef\xbb\xbf"):
            self._at = 3

    def _more(self) -> bool:
        """The next part is held; False at the end of the file."""
        part = self._source.part()
        self._held += part
        if self._told and self._source.at - self._heard > _TOLD_EVERY:
            self._heard = self._source.at
            self._told(self._source.at, self._source.size)
        return bool(part)

    def peek(self) -> bytes:
        """The next byte that is not blank; empty at the end."""
        while True:
            if found := _SOME.search(self._held, self._at):
                self._at = found.start()
                return found.group()
            self._held.clear()
            self._at = 0
            if not self._more():
                return b""

    def _expect(self, sign: bytes) -> None:
        if self.peek() != sign:
            raise self._torn()
        self._at += 1

    def _torn(self) -> NoList:
        if not self.peek():
            return NoList(f"ends in the middle, after {self._number} whole memories")
        return NoList(f"is no JSON after {self._number} whole memories")

    def members(self) -> Iterator[bytes]:
        """The keys of the object that comes next, as they are written; the caller takes each one's value."""
        self._expect(b"{")
        if self.peek() == b"}":
            self._at += 1
            return
        while True:
            if self.peek() != b'"':
                raise self._torn()
            key = self._value()
            self._expect(b":")
            yield key[1:-1]
            if self.peek() == b"}":
                self._at += 1
                return
            self._expect(b",")

    def elements(self) -> Iterator[bytes]:
        """The elements of the list that comes next, without the blanks and the commas around; they may be no JSON.

        Between two commas there may be none: then there is no element.
        """
        self._expect(b"[")
        while True:
            element = self._until(_BETWEEN)
            sign = self.peek()
            if element:
                self._number += 1
                yield element
            self._at += 1
            if sign == b"]":
                return
            if sign == b"}":
                raise NoList(f"has a list that is closed as an object, after {self._number} whole memories")

    def scalar(self) -> bytes:
        """The bytes of the number, text or word that comes next."""
        return self._value() if self.peek() == b'"' else self._until(_BETWEEN)

    def skip(self) -> None:
        """The value that comes next is passed over, whatever its size."""
        if self.peek() in _CLOSING:
            self._until(_BETWEEN, keep=False)
        else:
            self.scalar()

    def _value(self) -> bytes:
        """The text that comes next, with its quotes."""
        at = self._at + 1
        while True:
            found = _IN_TEXT.search(self._held, at)
            if found is None:
                at = self._refill(len(self._held))
            elif found.group() == b'"':
                text = bytes(self._held[self._at : found.end()])
                self._at = found.end()
                return text
            else:
                at = found.end() + 1 if found.end() < len(self._held) else self._refill(found.start())

    def _until(self, ends: re.Pattern[bytes], keep: bool = True) -> bytes:
        """What stands before the next comma or closing bracket of this level, which comes next then."""
        at, depth, quoted = self._at, 0, False
        while True:
            found = (_IN_TEXT if quoted else _INSIDE if depth else ends).search(self._held, at)
            sign = found.group() if found else b""
            if found is None or (sign == b"\\" and found.end() == len(self._held)):
                at = found.start() if found else len(self._held)  # what a backslash escapes comes with the next part
                self._at = self._at if keep else at
                at = self._refill(at)
                continue
            at = found.end() + (sign == b"\\")
            if sign == b'"':
                quoted = not quoted
            elif quoted:
                continue
            elif sign in b"{[":
                depth += 1
            elif depth:
                depth -= 1
            else:
                element = bytes(self._held[self._at : found.start()]).strip()
                self._at = found.start()
                return element

    def _refill(self, at: int) -> int:
        """More is held, and nothing before the value being read; where `at` is now.

        Raises NoList at the end of the file, InputTooLarge for a value past the bounds.
        """
        at -= self._at
        del self._held[: self._at]
        self._at = 0
        if len(self._held) > files.MOST_LINE:
            raise too_large(self._path, f"record {self._number + 1} is longer than {files.MOST_LINE} bytes")
        if not self._more():
            raise NoList(f"ends in the middle, after {self._number} whole memories")
        return at
