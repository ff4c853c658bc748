"""Fields that must hold a value and don't."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from mendory.detect.shapes import MetadataShape, shape_for
from mendory.finding import Code, Finding, finding
from mendory.record import Memory
from mendory.text import is_blank, shown, valueless

_SIMPLE = {
    "source": (Code.MISSING_SOURCE, "the source is missing"),
    "scope": (Code.MISSING_SCOPE, "the scope is missing: nobody knows whose memory this is"),
    "created_at": (Code.MISSING_CREATED_AT, "the time of creation is missing"),
    "updated_at": (Code.MISSING_UPDATED_AT, "the time of the last change is missing"),
}


_EMBEDDING = (Code.EMBEDDING_MISSING, "the embedding is missing")

LACKING_FROM = 20
"""From so many rows on, a field that not one of them holds is one the owner lacks."""


class RequiredFields:
    """Required fields and required metadata keys, all faults of a row at once.

    Flags: blank content (white space and invisible characters included), missing source, scope,
    times, embedding; metadata that is no JSON object or breaks the user's schema for its kind; each row
    whose metadata lacks a required key or holds null, an empty text or an empty list there, or lacks a key
    that the schema requires; cells of a wrong type. Does not flag: what the
    owner lacks altogether, that is fields the table has no place for, and fields or metadata keys for
    which not one of 20 or more rows has a value; these stand down; fields the owner leaves empty on
    purpose; keys of metadata that is no JSON object, which is a finding of its own. Cost: constant per row.
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

    def __init__(
        self,
        absent: Collection[str],
        metadata_keys: Sequence[str],
        inside_metadata: Collection[str] = (),
        optional: Collection[str] = (),
        schemas: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    ) -> None:
        self._absent, self._inside, self._optional = frozenset(absent), frozenset(inside_metadata), frozenset(optional)
        # where the user's schemas judge all metadata, they alone say which keys there must be
        self._keys, self._schemas = () if "*" in schemas else tuple(metadata_keys), schemas
        self._rows = 0
        self._held: set[str] = set()
        self._found: list[Finding] = []
        # what may turn out to be lacking altogether is judged when all rows are seen
        self._missing: dict[str, list[Memory]] = {name: [] for name in (*_SIMPLE, "embedding")}
        self._keyless: list[tuple[Memory, tuple[str, ...], bool]] = []

    def observe(self, memory: Memory) -> None:
        """Check one memory."""
        self._rows += 1
        for name in self._missing:
            if name in self._absent or name in memory.wrong:
                continue
            if memory.metadata_error and name in self._inside:
                continue
            value = not memory.vectorless if name == "embedding" else getattr(memory, name)
            if value and not (isinstance(value, str) and is_blank(value)):
                self._held.add(name)
            elif name not in self._optional:
                self._missing[name].append(_bare(memory))
        if memory.id and memory.wrong:
            self._add(Code.WRONG_TYPE, memory, memory.wrong, "a field can't be read", {"fields": list(memory.wrong)})
        if memory.id and is_blank(memory.content) and "content" not in memory.wrong:
            self._add(Code.CONTENT_EMPTY, memory, ("content",), "the content is empty", {})
        if "metadata" not in self._absent and "metadata" not in memory.wrong:
            self._metadata(memory)

    def _metadata(self, memory: Memory) -> None:
        if memory.metadata_error:
            if memory.id:
                reason = f"the metadata is no JSON object: {memory.metadata_error}"
                self._add(Code.METADATA_INVALID, memory, ("metadata_error",), reason, {"error": memory.metadata_error})
            return
        shape = shape_for(memory.kind, self._schemas)
        if shape is not None:
            self._shaped(memory, shape)
            return
        missing = missing_keys(memory, self._keys)
        self._held.update(f"metadata.{key}" for key in self._keys if key not in missing)
        if missing:
            self._keyless.append((_bare(memory), missing, False))

    def _shaped(self, memory: Memory, shape: MetadataShape) -> None:
        held = memory.metadata or {}
        if memory.id and (at := shape.fault(held)) is not None:
            reason = f"the metadata breaks its schema at {shown(at)}"
            self._add(Code.METADATA_INVALID, memory, ("metadata",), reason, {"path": at})
        if missing := shape.missing(held):
            self._keyless.append((_bare(memory), missing, True))

    def _add(self, code: Code, memory: Memory, reads: Sequence[str], reason: str, evidence: dict[str, Any]) -> None:
        self._found.append(finding(code, [memory], reads, reason, evidence, "required/1"))

    def _lacking(self) -> list[str]:
        """Fields and metadata keys that no row holds, in a table large enough to say so."""
        if self._rows < LACKING_FROM:
            return []
        names = [n for n in self._missing if n not in self._absent]
        names += [f"metadata.{k}" for k in self._keys if "metadata" not in self._absent]
        return [n for n in names if n not in self._held]

    def findings(self, fetch: Callable[..., object]) -> Iterator[Finding]:
        """One finding per row and kind of fault."""
        yield from self._found
        lacking = self._lacking()
        for name, memories in self._missing.items():
            code, reason = _EMBEDDING if name == "embedding" else _SIMPLE[name]
            reads = ("vectorless",) if name == "embedding" else (name,)
            for memory in memories if name not in lacking else ():
                if memory.id:
                    yield finding(code, [memory], reads, reason, {}, "required/1")
        for memory, missing, asked_for in self._keyless:
            keys = [k for k in missing if asked_for or f"metadata.{k}" not in lacking]
            if memory.id and keys:
                reason = f"the metadata lacks {', '.join(keys)}"
                evidence = {"keys": keys}
                yield finding(Code.METADATA_MISSING_FIELD, [memory], ("metadata",), reason, evidence, "required/1")

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """What the owner lacks: fields without a place, fields and keys without one value."""
        for name in sorted(self._absent & {"metadata", *_SIMPLE, "embedding"}):
            yield name, "the table has no such field"
        for name in self._lacking():
            yield name, "no row of the table has a value"


def _bare(memory: Memory) -> Memory:
    """What a later finding reads, without the text."""
    return dataclasses.replace(memory, content=None)


def missing_keys(memory: Memory, keys: Sequence[str]) -> tuple[str, ...]:
    """The required metadata keys the memory has no value for."""
    held = memory.metadata or {}
    return tuple(key for key in keys if valueless(held.get(key)))
