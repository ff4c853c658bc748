"""Fields that must hold a value and don't."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from mendory.finding import Code, Finding, finding
from mendory.record import Memory
from mendory.text import is_blank

_SIMPLE = {
    "source": (Code.MISSING_SOURCE, "the source is missing"),
    "scope": (Code.MISSING_SCOPE, "the scope is missing: nobody knows whose memory this is"),
    "created_at": (Code.MISSING_CREATED_AT, "the time of creation is missing"),
    "updated_at": (Code.MISSING_UPDATED_AT, "the time of the last change is missing"),
}


class RequiredFields:
    """Required fields and required metadata keys, all faults of a row at once.

    Flags: blank content (white space and invisible characters included), missing source, scope,
    times, embedding; metadata that is no JSON object; each row whose metadata lacks a required key
    or holds null, an empty text or an empty list there; cells of a wrong type. Does not flag: fields
    the owner's table has no place for, an embedding where no row of the table has one (both stand
    down). Cost: constant per row.
    """

    codes = (
        Code.CONTENT_EMPTY,
        Code.EMBEDDING_MISSING,
        Code.MISSING_CREATED_AT,
        Code.MISSING_UPDATED_AT,
        Code.MISSING_SOURCE,
        Code.MISSING_SCOPE,
        Code.METADATA_INVALID,
        Code.METADATA_MISSING_FIELD,
        Code.WRONG_TYPE,
    )

    def __init__(self, absent: Collection[str], metadata_keys: Sequence[str]) -> None:
        self._absent = frozenset(absent)
        self._keys = tuple(metadata_keys)
        self._found: list[Finding] = []
        self._vectorless: list[Memory] = []
        self._rows = 0

    def observe(self, memory: Memory) -> None:
        """Check one memory."""
        self._rows += 1
        if memory.vectorless:
            self._vectorless.append(Memory(id=memory.id, content=None, scope=memory.scope, vectorless=True))
        if not memory.id:
            return
        if memory.wrong:
            self._add(Code.WRONG_TYPE, memory, memory.wrong, "a field can't be read", {"fields": list(memory.wrong)})
        if is_blank(memory.content) and "content" not in memory.wrong:
            self._add(Code.CONTENT_EMPTY, memory, ("content",), "the content is empty", {})
        for name, (code, reason) in _SIMPLE.items():
            value = getattr(memory, name)
            blank = is_blank(value) if isinstance(value, str) else value is None
            if blank and name not in self._absent and name not in memory.wrong:
                self._add(code, memory, (name,), reason, {})
        if "metadata" not in self._absent:
            self._metadata(memory)

    def _metadata(self, memory: Memory) -> None:
        if memory.metadata_error:
            reason = f"the metadata is no JSON object: {memory.metadata_error}"
            self._add(Code.METADATA_INVALID, memory, ("metadata_error",), reason, {"error": memory.metadata_error})
        elif missing := missing_keys(memory, self._keys):
            reason = f"the metadata lacks {', '.join(missing)}"
            self._add(Code.METADATA_MISSING_FIELD, memory, ("metadata",), reason, {"keys": list(missing)})

    def _add(self, code: Code, memory: Memory, reads: Sequence[str], reason: str, evidence: dict[str, Any]) -> None:
        self._found.append(finding(code, [memory], reads, reason, evidence, "required/1"))

    def findings(self, fetch: Callable[..., object]) -> Iterator[Finding]:
        """One finding per row and kind of fault."""
        yield from self._found
        if len(self._vectorless) < self._rows:
            for memory in self._vectorless:
                if memory.id:
                    reads = ("vectorless",)
                    yield finding(Code.EMBEDDING_MISSING, [memory], reads, "the embedding is missing", {}, "required/1")

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Fields the owner's table has no place for, and embeddings where there are none at all."""
        for name in sorted(self._absent & {"metadata", "source", "scope", "created_at", "updated_at", "embedding"}):
            yield name, "the table has no such field"
        if self._rows and len(self._vectorless) == self._rows and "embedding" not in self._absent:
            yield "embedding", "no row of the table has a vector"


def missing_keys(memory: Memory, keys: Sequence[str]) -> tuple[str, ...]:
    """The required metadata keys the memory has no value for."""
    held = memory.metadata or {}
    return tuple(key for key in keys if _valueless(held.get(key)))


def _valueless(value: Any) -> bool:
    return value is None or value == [] or (isinstance(value, str) and is_blank(value))
