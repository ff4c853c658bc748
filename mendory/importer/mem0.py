"""What mem0's get_all returns: the memories of a JSON file one by one, and which of their keys are which fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mendory.errors import InputInvalid
from mendory.importer import files
from mendory.importer.files import Told, expect_utf8, too_large, unpacked
from mendory.importer.shaping import Raw, Reads, Record
from mendory.text import is_blank

_STRUCTURE = re.compile(rb'["\\{}\[\]]')
_OWNERS: Final = (
    ("user", ("user_id", "userId")),
    ("agent", ("agent_id", "agentId")),
    ("run", ("run_id", "runId", "session_id", "sessionId")),
    ("app", ("app_id", "appId")),
)
_HEAD = re.compile(rb'\s*(?:\[|\{(?s:.)*?"results"\s*:\s*\[)')


def elements(path: Path, told: Told | None = None) -> Iterator[Raw]:
    """The objects of the file's list, or of the list under `results`, as they are written; memory stays flat.

    Raises InputInvalid for a file that has no such list or ends inside it; see `files.unpacked` besides.
    """
    with unpacked(path) as source:
        text = source.part()
        expect_utf8(path, text)
        text = text.removeprefix(b"\xef\xbb\xbf")
        head = _HEAD.match(text)
        if head is None:
            raise _no_list(path, "is no list of memories, nor an object with `results`")
        held, number, heard = _Splitter(text[head.end() :]), 0, 0
        while not held.ended:
            for element in held.take():
                number += 1
                yield Raw(number, element)
            if held.ended:
                return
            if len(held.rest) > files.MOST_LINE:
                raise too_large(path, f"record {number + 1} is longer than {files.MOST_LINE} bytes")
            part = source.part()
            if not part:
                raise _no_list(path, f"ends inside its list, after {number} whole memories")
            held.rest += part
            if told and source.size and source.total - heard > 2**20:
                told(source.total, source.size)
                heard = source.total


def _no_list(path: Path, why: str) -> InputInvalid:
    return InputInvalid(
        f"{path} {why}. Nothing was imported. Save what get_all returns, whole; for JSON Lines say --from jsonl."
    )


class _Splitter:
    """The elements of a JSON list whose bytes come in parts: only quotes, backslashes and brackets are looked at."""

    def __init__(self, rest: bytes) -> None:
        self.rest, self.ended = bytearray(rest), False
        self._at, self._depth, self._quoted = 0, 0, False

    def take(self) -> Iterator[bytes]:
        """The elements that are whole by now, each without the blanks and the comma around it."""
        start = 0
        while found := _STRUCTURE.search(self.rest, self._at):
            sign, self._at = found.group(), found.end()
            if sign == b"\\":
                if self._at == len(self.rest):  # what it escapes comes with the next part
                    self._at -= 1
                    break
                self._at += 1
            elif sign == b'"':
                self._quoted = not self._quoted
            elif not self._quoted:
                self._depth += 1 if sign in b"{[" else -1
                if self._depth < 0:
                    last = self._cut(start, found.start())
                    self.ended = True
                    if last:
                        yield last
                    return
                if self._depth == 0 and sign == b"}":
                    yield self._cut(start, self._at)
                    start = self._at
        else:
            self._at = len(self.rest)
        del self.rest[:start]
        self._at -= start

    def _cut(self, start: int, end: int) -> bytes:
        return bytes(self.rest[start:end]).strip().removeprefix(b",").strip()


# --- keys → fields --------------------------------------------------------------------------------


def _first(line: Record, *keys: str) -> tuple[Any, tuple[str, ...]]:
    """The value under the first of the keys that has one, and that key."""
    for key in keys:
        if line.source.get(key) is not None:
            return line.source[key], (key,)
    return None, keys


def _scope(line: Record) -> tuple[Any, tuple[str, ...]]:
    """All that says whose it is, as `user:li/agent:cook`; what separates is percent-encoded inside a name.

    The keys stay in the metadata besides.
    """
    parts = []
    for name, keys in _OWNERS:
        owner, _ = _first(line, *keys)
        if isinstance(owner, bool) or not isinstance(owner, str | int | None):
            return owner, ()
        if owner is not None and not is_blank(str(owner)):
            parts.append(f"{name}:{str(owner).replace('%', '%25').replace('/', '%2F')}")
    return "/".join(parts) or None, ()


def _status(line: Record) -> tuple[Any, tuple[str, ...]]:
    """Archived where another memory replaced it, else active; a status of its own stays as it is."""
    if line.source.get("status") is not None:
        return line.source["status"], ("status",)
    return "active" if _first(line, "replaced_by", "replacedBy")[0] is None else "archived", ()


READS: Final[dict[str, Reads]] = {
    "content": lambda line: _first(line, "memory"),
    "scope": _scope,
    "created_at": lambda line: _first(line, "created_at", "createdAt"),
    "updated_at": lambda line: _first(line, "updated_at", "updatedAt"),
    "superseded_by": lambda line: _first(line, "replaced_by", "replacedBy"),
    "status": _status,
}
"""How mem0's keys tell fields. What becomes none (hash, expiration_date, categories, role, …) stays in the metadata."""
