"""Memories that say at once what others say one by one."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import numpy as np

from mendory.content.parts import core, parts
from mendory.detect.alone import READS, recalled
from mendory.finding import Code, Finding, finding
from mendory.record import Memory
from mendory.text import is_blank

LACKING = 1
"""How many parts of a compound nobody may say alone, where it has more than two."""


class CompoundParts:
    """A compound memory and its parts as memories of their own.

    Flags: a text of two to eight short parts ("Prefers short replies, tea and dark mode", 喜欢喝茶、听歌和爬山) and the
    memories of its scope that say these parts in the same words; all parts, or all but one of three or more.
    Does not flag: parts said in other words, or with a negation, number or name more; archived rows. It is told,
    never merged: which form is wanted only the owner knows. Cost: a few hashes per short row, 16 bytes;
    17 bytes for each way to say a part of a list.
    """

    codes = (Code.COMPOUND_PARTS,)

    def __init__(self, absent: Collection[str]) -> None:
        self._absent = frozenset(absent)
        self._ids: list[str] = []
        self._cores = array("q")
        self._lists: list[str] = []
        # of each way to say a part: its hash, the list it is of, which part of it
        self._ways, self._of, self._part = array("q"), array("q"), array("b")

    def observe(self, memory: Memory) -> None:
        """Note what a recallable memory says, as one thing or in parts."""
        content, scope = memory.content, memory.scope
        if not memory.id or not content or not recalled(memory, self._absent) or is_blank(scope):
            return
        key = core(content)
        if key is not None:
            self._ids.append(memory.id)
            self._cores.append(hash((scope, key)))
        elif listed := parts(content):
            for number, ways in enumerate(listed):
                self._ways.extend(hash((scope, way)) for way in ways)
                self._of.extend([len(self._lists)] * len(ways))
                self._part.extend([number] * len(ways))
            self._lists.append(memory.id)

    def findings(self, fetch: Callable[[Sequence[str]], Mapping[str, Memory]]) -> Iterator[Finding]:
        """One finding per compound."""
        cores, ways = np.asarray(self._cores, np.int64), np.asarray(self._ways, np.int64)
        met = np.flatnonzero(np.isin(ways, cores)).tolist()
        alone: dict[int, set[int]] = defaultdict(set)
        for at in met:
            alone[self._of[at]].add(self._part[at])
        likely = {of for of, numbers in alone.items() if len(numbers) > 1}
        wanted = {self._ways[at] for at in met if self._of[at] in likely}
        at_key: dict[int, list[str]] = defaultdict(list)
        for at in np.flatnonzero(np.isin(cores, np.array(sorted(wanted), np.int64))).tolist():
            at_key[int(cores[at])].append(self._ids[at])
        rows: dict[int, set[str]] = defaultdict(set)
        for at in met:
            rows[self._of[at]].update(at_key.get(self._ways[at], ()))
        for of in sorted(likely, key=lambda of: self._lists[of]):
            yield from self._judge(fetch(sorted({self._lists[of], *rows[of]})), self._lists[of])

    def _judge(self, held: Mapping[str, Memory], name: str) -> Iterator[Finding]:
        """The finding, where the rows still say what their hashes said."""
        compound = held.get(name)
        if compound is None or compound.content is None:
            return
        cores = {i: core(m.content or "") for i, m in held.items() if i != name and m.scope == compound.scope}
        said = [{i for i, key in cores.items() if key in ways} for ways in parts(compound.content)]
        if _enough(said):
            members = [compound, *(held[i] for i in sorted(set().union(*said)))]
            alone = sum(map(bool, said))
            reason = f"{alone} of its {len(said)} parts are memories of their own"
            evidence = {"compound": name, "parts": len(said), "alone": alone}
            yield finding(Code.COMPOUND_PARTS, members, READS, reason, evidence, "compound_parts/1")

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Nothing of its own: a table without scopes is told elsewhere."""
        yield from ()


def _enough(said: Sequence[Collection[str]]) -> bool:
    """Whether enough parts are said alone, by rows of their own."""
    alone = [rows for rows in said if rows]
    return len(alone) >= max(2, len(said) - LACKING) and len(set().union(*alone)) > 1
