"""Memories that say literally the same."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from mendory import digest
from mendory.finding import Code, Finding, finding
from mendory.record import Kind, Memory
from mendory.text import exact_key, is_blank, letters, lines, numbers_as_written, shown

_READS = ("content", "scope", "status", "kind", "metadata", "claim", "created_at")
_ALWAYS: Final = ("topic", "entities", "scene")
INCIDENTAL: Final = frozenset(
    {
        # how much a program makes of it
        *("importance", "confidence", "score", "relevance", "access_count"),
        # which run of a program wrote it
        *("session", "session_id", "source_session", "message_id", "request_id", "trace_id", "batch_id", "import_id"),
        # what a program computed from the text, which is the same
        *("hash", "checksum", "token_count", "embedding_model", "lang", "language"),
        # when and by which program it was taken in
        *("extracted_at", "ingested_at", "imported_at", "indexed_at", "extractor", "extractor_version"),
    }
)
"""Metadata keys that never change what a memory means: two rows may differ in them and still be one double write."""
MERGEABLE: Final = frozenset(k.value for k in Kind) - {Kind.EVENT.value}
"""Kinds of memories that may be one: events are history."""


class ExactDuplicates:
    """Recallable memories of one scope with one text key (`text.exact_key`).

    Flags: `duplicate_exact`, a double write: equal also in letters as written (`text.letters`), lines and
    their indentation (`text.lines`), numbers with units, status, kind, owner, claim, topic, entities, scene and
    required metadata, and in every other metadata key that several of them hold, those inside `extra` one by one,
    but `INCIDENTAL` and configured ones, and in what the owner's further columns hold; created within the window of
    the first, no event and of no unknown kind. It may be merged.
    `duplicate_restated`: the same text otherwise; what differs is named, nothing is merged.
    Does not flag: archived rows; rows that share an id; the same text in two scopes, or in none; texts
    that differ in punctuation, width, accents or digits. Cost: one hash per row; only members of a
    group are fetched.
    """

    codes = (Code.DUPLICATE_EXACT, Code.DUPLICATE_RESTATED)

    def __init__(
        self,
        window: timedelta,
        metadata_keys: Sequence[str],
        owner_keys: Sequence[str],
        absent: Collection[str],
        incidental: Sequence[str] = (),
    ) -> None:
        self._window = window
        self._keys = tuple(dict.fromkeys((*metadata_keys, *_ALWAYS)))
        self._owners = tuple(owner_keys)
        self._absent = frozenset(absent)
        self._incidental = INCIDENTAL.union(incidental)
        self._by_key: dict[bytes, list[str]] = defaultdict(list)
        self._seen: set[str] = set()
        self._shared: set[str] = set()

    def observe(self, memory: Memory) -> None:
        """Note the text key of a recallable memory."""
        if not memory.id:
            return
        (self._shared if memory.id in self._seen else self._seen).add(memory.id)
        shown = memory.recallable or "status" in self._absent
        if not shown or is_blank(memory.scope) or is_blank(memory.content):
            return
        text = f"{memory.scope}\0{exact_key(memory.content or '')}".encode("utf-8", "surrogatepass")
        self._by_key[hashlib.blake2b(text, digest_size=16).digest()].append(memory.id)

    def findings(self, fetch: Callable[[Sequence[str]], Mapping[str, Memory]]) -> Iterator[Finding]:
        """One finding per double write, one per text that is restated."""
        groups = [own for ids in self._by_key.values() if len(own := set(ids) - self._shared) > 1]
        held = fetch(sorted({i for ids in groups for i in ids})) if groups else {}
        for ids in groups:
            members = sorted((held[i] for i in ids if i in held), key=age)
            if len(members) > 1:
                yield from self._judge(members)

    def _judge(self, members: list[Memory]) -> Iterator[Finding]:
        alike: dict[str, list[Memory]] = defaultdict(list)
        for memory in members:
            alike[digest.of(self._traits(memory))].append(memory)
        clusters = [
            c for same in alike.values() for agreeing in self._agreeing(same) for c in self._within_window(agreeing)
        ]
        for cluster in clusters:
            if len(cluster) > 1:
                reason = f"{len(cluster)} memories of one scope say exactly the same"
                evidence = {"rows": len(cluster), "span_seconds": span(cluster)}
                yield finding(Code.DUPLICATE_EXACT, cluster, _reads(cluster), reason, evidence, "exact/1")
        if len(clusters) > 1:
            differs = self._differs(members)
            reason = f"{len(members)} memories have one text but differ in {', '.join(differs)}"
            about = {"rows": len(members), "span_seconds": span(members), "differs": differs}
            yield finding(Code.DUPLICATE_RESTATED, members, _reads(members), reason, about, "exact/1")

    def _traits(self, memory: Memory) -> dict[str, Any]:
        """Everything that must be equal before two equal texts may be merged."""
        held = memory.metadata or {}
        return {
            "kind": plain_kind(memory),
            "status": memory.status,
            "letters": letters(memory.content or ""),
            "lines": lines(memory.content or ""),
            "numbers": numbers_as_written(memory.content or ""),
            "owner": [held.get(key) for key in self._owners],
            "claim": memory.claim,
            # nobody knows what the owner's further columns mean
            **{f"column {name}": value for name, value in memory.others.items() if name not in self._incidental},
            **{f"metadata.{key}": held.get(key) for key in self._keys},
            # what can't be read may say anything, so it is like nothing else
            "unreadable": memory.id if memory.metadata_error or memory.wrong else None,
        }

    def _agreeing(self, same: list[Memory]) -> Iterator[list[Memory]]:
        """Parts that say the same under every further key; where others disagree, a row without the key is apart."""
        said = [self._said(m) for m in same]
        contested = _contested(said)
        parts: dict[tuple[str | None, ...], list[Memory]] = defaultdict(list)
        for memory, held in zip(same, said, strict=True):
            parts[tuple(held.get(key) for key in contested)].append(memory)
        yield from parts.values()

    def _said(self, memory: Memory) -> dict[str, str]:
        """Key → digest of its value, for the metadata keys that may mean something; those of `extra` one by one."""
        held = dict(memory.metadata or {})
        extra = held.get("extra")
        if isinstance(extra, Mapping):
            held |= {
                "extra": {},
                **{f"extra.{key}": value for key, value in extra.items() if key not in self._incidental},
            }
        known = self._incidental.union(self._keys, self._owners)
        return {key: digest.of(value) for key, value in held.items() if key not in known}

    def _within_window(self, same: list[Memory]) -> Iterator[list[Memory]]:
        """Clusters whose members were all created within the window of the oldest; events stay single."""
        cluster: list[Memory] = []
        for memory in same:
            start = cluster[0].created_at if cluster else None
            near = start and memory.created_at and memory.created_at - start <= self._window
            if cluster and near and plain_kind(memory) in (None, *MERGEABLE):
                cluster.append(memory)
            else:
                if cluster:
                    yield cluster
                cluster = [memory]
        if cluster:
            yield cluster

    def _differs(self, members: list[Memory]) -> list[str]:
        traits = [self._traits(m) for m in members]
        names_of = {k for t in traits for k in t}
        found = {shown(k) for k in names_of if len({digest.of(t.get(k)) for t in traits}) > 1}
        found |= {f"metadata.{shown(key)}" for key in _contested([self._said(m) for m in members])}
        names, kinds = sorted(found), {plain_kind(m) for m in members}
        if Kind.EVENT in kinds:
            names.append("occasion (events)")
        if kinds - MERGEABLE - {Kind.EVENT, None}:
            names.append("kind (unknown)")
        times = [m.created_at for m in members]
        if None in times:
            names.append("time (missing)")
        elif span(members) > self._window.total_seconds():
            names.append("time")
        return names

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Merging, where nobody knows whose memories they are or when they were written."""
        for name in sorted({"scope", "created_at"} & self._absent):
            yield "duplicates", f"the table has no {name}"


def _reads(members: Sequence[Memory]) -> tuple[str, ...]:
    return (*_READS, "others") if any(m.others for m in members) else _READS


def plain_kind(memory: Memory) -> str | None:
    """The kind without letter case, spaces, hyphens and underscores, so that no spelling hides an event."""
    return None if is_blank(memory.kind) else re.sub(r"[\s_\-]+", "", memory.kind or "").casefold()


def _contested(said: Sequence[Mapping[str, str]]) -> list[str]:
    """The keys under which not all who hold them say the same."""
    values: dict[str, set[str]] = defaultdict(set)
    for held in said:
        for key, value in held.items():
            values[key].add(value)
    return sorted(key for key, different in values.items() if len(different) > 1)


def age(memory: Memory) -> tuple[bool, float, str]:
    """Sort key: the oldest first, those without a time last."""
    created = memory.created_at
    return created is None, created.timestamp() if created else 0.0, memory.id or ""


def span(members: Sequence[Memory]) -> float:
    """Seconds from the first to the last of those that have a time."""
    times = [m.created_at.timestamp() for m in members if m.created_at]
    return max(times) - min(times) if times else 0.0
