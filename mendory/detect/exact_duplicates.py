"""Memories that say literally the same."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from mendory import digest
from mendory.finding import Code, Finding, finding
from mendory.record import Kind, Memory
from mendory.text import exact_key, is_blank, letters, numbers_as_written

_READS = ("content", "scope", "status", "kind", "metadata", "claim", "created_at")


class ExactDuplicates:
    """Recallable memories of one scope with one text key (`text.exact_key`).

    Flags: `duplicate_exact`, a double write: equal also in status, kind, letters, numbers and units as
    written, owner, claim and required metadata, created within the window of the first, and no event. It may be
    merged. `duplicate_restated`: the same text otherwise; what differs is named, nothing is merged.
    Does not flag: archived rows; rows that share an id; the same text in two scopes, or in none; texts
    that differ in punctuation, width, accents or digits. Cost: one hash per row; only members of a
    group are fetched.
    """

    codes = (Code.DUPLICATE_EXACT, Code.DUPLICATE_RESTATED)

    def __init__(
        self, window: timedelta, metadata_keys: Sequence[str], owner_keys: Sequence[str], absent: Collection[str]
    ) -> None:
        self._window = window
        self._keys = tuple(metadata_keys)
        self._owners = tuple(owner_keys)
        self._absent = frozenset(absent)
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
            members = sorted((held[i] for i in ids if i in held), key=_age)
            if len(members) > 1:
                yield from self._judge(members)

    def _judge(self, members: list[Memory]) -> Iterator[Finding]:
        alike: dict[str, list[Memory]] = defaultdict(list)
        for memory in members:
            alike[digest.of(self._traits(memory))].append(memory)
        clusters = [c for same in alike.values() for c in self._within_window(same)]
        for cluster in clusters:
            if len(cluster) > 1:
                reason = f"{len(cluster)} memories of one scope say exactly the same"
                evidence = {"rows": len(cluster), "span_seconds": _span(cluster)}
                yield finding(Code.DUPLICATE_EXACT, cluster, _READS, reason, evidence, "exact/1")
        if len(clusters) > 1:
            differs = self._differs(members)
            reason = f"{len(members)} memories have one text but differ in {', '.join(differs)}"
            about = {"rows": len(members), "span_seconds": _span(members), "differs": differs}
            yield finding(Code.DUPLICATE_RESTATED, members, _READS, reason, about, "exact/1")

    def _traits(self, memory: Memory) -> dict[str, Any]:
        """Everything that must be equal before two equal texts may be merged."""
        held = memory.metadata or {}
        return {
            "kind": memory.kind,
            "status": memory.status,
            "letters": letters(memory.content or ""),
            "numbers": _numbers(memory.content or ""),
            "owner": [held.get(key) for key in self._owners],
            "claim": memory.claim,
            **{f"metadata.{key}": held.get(key) for key in self._keys},
            # what can't be read may say anything, so it is like nothing else
            "unreadable": memory.id if memory.metadata_error or memory.wrong else None,
        }

    def _within_window(self, same: list[Memory]) -> Iterator[list[Memory]]:
        """Clusters whose members were all created within the window of the oldest; events stay single."""
        cluster: list[Memory] = []
        for memory in same:
            start = cluster[0].created_at if cluster else None
            near = start and memory.created_at and memory.created_at - start <= self._window
            if cluster and near and memory.kind != Kind.EVENT:
                cluster.append(memory)
            else:
                if cluster:
                    yield cluster
                cluster = [memory]
        if cluster:
            yield cluster

    def _differs(self, members: list[Memory]) -> list[str]:
        traits = [self._traits(m) for m in members]
        names = sorted(k for k in traits[0] if len({digest.of(t[k]) for t in traits}) > 1)
        if any(m.kind == Kind.EVENT for m in members):
            names.append("occasion (events)")
        times = [m.created_at for m in members]
        if None in times:
            names.append("time (missing)")
        elif _span(members) > self._window.total_seconds():
            names.append("time")
        return names

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Merging, where nobody knows whose memories they are or when they were written."""
        for name in sorted({"scope", "created_at"} & self._absent):
            yield "duplicates", f"the table has no {name}"


def _numbers(text: str) -> list[str]:
    """Numbers and units as written; where there is a number, letter case anywhere may be a unit's."""
    found = numbers_as_written(text)
    cased = " ".join(text.split())
    return [*found, cased[:1].lower() + cased[1:]] if found else []


def _age(memory: Memory) -> tuple[bool, float, str]:
    created = memory.created_at
    return created is None, created.timestamp() if created else 0.0, memory.id or ""


def _span(members: Sequence[Memory]) -> float:
    times = [m.created_at.timestamp() for m in members if m.created_at]
    return max(times) - min(times) if times else 0.0
