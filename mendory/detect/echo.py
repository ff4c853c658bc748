"""Memories that were recalled and then captured again."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

import numpy as np

from mendory.content.recalled import is_echo, originals
from mendory.detect.alone import READS, recalled
from mendory.finding import Code, Finding, finding
from mendory.record import Memory
from mendory.text import exact_key, is_blank

SECONDS: Final = 10.0
"""An agent's capture step runs within seconds after the recall whose text it stores."""
SEVERAL: Final = 2
"""One write just after a recall may be chance: the user may say again what was just recalled."""
_NEVER: Final = float("nan")


class RecallEcho:
    """Recalled texts that a capture step stored again.

    Flags: a memory and those of its scope, not older, that say the same behind words of recalling ("From memory: …",
    "As you mentioned, …", 根据记忆：…, 你之前说过…), also where they say "you" for "I" or "the user"; and texts equal
    to it by `text.exact_key` of which at least two were created within 10 seconds after another of them was recalled
    (`last_accessed_at`). The evidence names the original, the oldest, and how many of each sort there are.
    Does not flag: words of recalling where nothing of the scope says what follows them; equal texts whose recalls are
    not known or do not precede them; archived rows. Cost: one hash and 32 bytes per row.
    """

    codes = (Code.RECALL_ECHO,)

    def __init__(self, absent: Collection[str]) -> None:
        self._absent = frozenset(absent)
        self._ids: list[str] = []
        self._texts, self._created, self._accessed = array("q"), array("d"), array("d")
        self._echoes: list[tuple[int, tuple[int, ...]]] = []

    def observe(self, memory: Memory) -> None:
        """Note the text of a recallable memory, and which texts it may be an echo of."""
        content, scope = memory.content, memory.scope
        if not memory.id or not content or not recalled(memory, self._absent) or is_blank(scope) or is_blank(content):
            return
        said = originals(content)
        if said:
            self._echoes.append((len(self._ids), tuple(hash((scope, exact_key(one))) for one in said)))
        self._ids.append(memory.id)
        self._texts.append(hash((scope, exact_key(content))))
        self._created.append(_seconds(memory.created_at))
        self._accessed.append(_seconds(memory.last_accessed_at))

    def findings(self, fetch: Callable[[Sequence[str]], Mapping[str, Memory]]) -> Iterator[Finding]:
        """One finding per original."""
        texts = np.asarray(self._texts, np.int64)
        groups = self._prefixed(texts)
        for rows in self._timed(texts):
            groups.setdefault(rows[0], set()).update(rows[1:])
        wanted = {self._ids[at] for first, echoes in groups.items() for at in (first, *echoes)}
        held = fetch(sorted(wanted)) if wanted else {}
        for first, echoes in sorted(groups.items(), key=lambda group: self._ids[group[0]]):
            yield from self._judge(self._ids[first], {self._ids[at] for at in echoes}, held)

    def _prefixed(self, texts: np.ndarray) -> dict[int, set[int]]:
        """Original → rows that say what it says behind words of recalling."""
        wanted = np.array(sorted({key for _, keys in self._echoes for key in keys}), np.int64)
        at_key: dict[int, list[int]] = defaultdict(list)
        for at in np.flatnonzero(np.isin(texts, wanted)).tolist() if len(wanted) else ():
            at_key[int(texts[at])].append(at)
        groups: dict[int, set[int]] = defaultdict(set)
        for echo, keys in self._echoes:
            hits = next((at_key[key] for key in keys if key in at_key), [])
            others = [at for at in hits if at != echo and not self._created[echo] < self._created[at]]
            if others:
                groups[min(others, key=self._age)].add(echo)
        return groups

    def _timed(self, texts: np.ndarray) -> Iterator[list[int]]:
        """Groups of equal texts, the oldest first, then those created just after another of them was recalled."""
        if not len(texts) or np.isnan(np.asarray(self._accessed)).all():
            return
        order = np.argsort(texts, kind="stable")
        starts = np.flatnonzero(np.diff(texts[order], prepend=texts[order[0]] + 1))
        sizes = np.diff(starts, append=len(order))
        for start, size in zip(starts[sizes > SEVERAL].tolist(), sizes[sizes > SEVERAL].tolist(), strict=True):
            rows = sorted(order[start : start + size].tolist(), key=self._age)
            made, read = (np.asarray(of)[rows] for of in (self._created, self._accessed))
            # many a writer sets the time of recall when it stores a row: that was none
            recalls = np.sort(read[read > made])
            before = np.searchsorted(recalls, made[1:], "right") - 1
            just = (
                (before >= 0) & (made[1:] - recalls[before] <= SECONDS)
                if len(recalls)
                else np.zeros(len(rows) - 1, bool)
            )
            echoes = [at for at, soon in zip(rows[1:], just.tolist(), strict=True) if soon]
            if len(echoes) >= SEVERAL:
                yield [rows[0], *echoes]

    def _age(self, at: int) -> tuple[bool, float, str]:
        created = self._created[at]
        unknown = created != created  # NaN alone differs from itself
        return unknown, 0.0 if unknown else created, self._ids[at]

    def _judge(self, first: str, names: set[str], held: Mapping[str, Memory]) -> Iterator[Finding]:
        """The finding, where the rows still say what their hashes said."""
        original = held.get(first)
        if original is None or original.content is None:
            return
        key = exact_key(original.content)
        members, prefixed = [original], 0
        for name in sorted(names - {first}):
            memory = held.get(name)
            if memory is None or memory.scope != original.scope or memory.content is None:
                continue
            behind = is_echo(memory.content, original.content)
            if behind or exact_key(memory.content) == key:
                members.append(memory)
                prefixed += behind
        if len(members) > 1:
            reason = f"{len(members) - 1} memories repeat what was recalled from another"
            timed = len(members) - 1 - prefixed
            evidence = {"rows": len(members), "original": first, "prefixed": prefixed, "timed": timed}
            reads = (*READS, "created_at")
            yield finding(Code.RECALL_ECHO, members, reads, reason, evidence, "recall_echo/1")

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Nothing of its own: a table without scopes is told elsewhere."""
        yield from ()


def _seconds(moment: datetime | None) -> float:
    return _NEVER if moment is None else moment.timestamp()
