"""Which rows are looked at again with those that changed: whatever is compared with them, and what was said of those.

Pure. Links (`mendory.links`) tie rows to one another; claims lead from what changed to one row and no
further, for of a pair neither of which changed what was found stands. Vectors lead from any row that is looked at to
all that are alike to it, and so on: to how many others a row is alike decides what is told of each of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Protocol

from mendory.finding import Code, Finding
from mendory.links import claimed, leading_to, meeting, named, named_by

_ALIKE: Final = frozenset(
    {
        *(Code.DUPLICATE_NEAR, Code.CONFLICT_CANDIDATE),
        *(Code.CONFLICT, Code.CONFLICT_BURIED, Code.CONFLICT_EXCEPTION),
    }
)
"""Codes of what is found by vectors or by claims: of their rows none is looked at without the others."""


class Index(Protocol):
    """The links of all rows, as of a version not older than the earlier check."""

    def links(self, ids: Iterable[str]) -> set[str]:
        """The links of these rows."""

    def linked(self, held: Iterable[str]) -> Iterable[tuple[str, str]]:
        """(link, row) for each row that has one of these links."""


class Vectors(Protocol):
    """The table's vectors at its newest version."""

    def floor(self) -> float | None:
        """The least cosine that any bound asks for; None where no bound is known."""

    def alike(self, ids: Collection[str], floor: float) -> set[str]:
        """The rows whose vectors are alike by `floor` to another one of the same scope, which is one of these rows.

        One of these rows is among them when it is alike to any other.
        """

    def were_alike(self, ids: Collection[str], version: int, floor: float) -> set[str]:
        """The rows whose vectors are alike by `floor` to what one of these rows was at an earlier version."""


Said = Mapping[str, Sequence[frozenset[str]]]
"""Row → the rows of each finding that names it, and that of whose value a copy is told."""


@dataclass(frozen=True, slots=True)
class Ties:
    """All rows tied to some by a chain of links, those among them; and which of them are tied to another row."""

    found: set[str]
    tied: set[str]


def _tied(start: set[str], known: Mapping[str, set[str]], index: Index, most: int) -> Ties | None:
    """The ties of these rows; None when they lead to more than `most`."""
    having: dict[str, set[str]] = defaultdict(set)
    for name, held in known.items():
        for link in held - claimed(held):
            having[link].add(name)
    found, todo = set(start), set(start)
    while todo:
        held = index.links(todo).union(*(known.get(i, ()) for i in todo))
        held -= claimed(held)
        wanted = held | leading_to(todo)
        for link, row in index.linked(wanted):
            having[link].add(row)
        fresh = named_by(held).union(*(having[link] for link in wanted if link in having))
        todo = fresh - found
        found |= todo
        if len(found) > most:
            return None
    tied: set[str] = set()
    for link, rows in having.items():
        target = named(link)
        if len(rows) > 1 or target is not None:
            tied |= rows
            if target is not None:
                tied.add(target)
    return Ties(found, tied)


def closed(
    start: set[str],
    beside: set[str],
    known: Mapping[str, set[str]],
    said: Said,
    index: Index,
    most: int,
    vectors: Vectors | None = None,
) -> Ties | None:
    """The ties of what changed and of what it meets, with whatever an earlier finding says of any of them besides.

    With vectors whatever is alike to any of them too, from one to the next.
    """
    found = start | said_with(said, beside)
    asked, alike = set[str](), set[str]()
    while len(found) <= most:
        ties = _tied(found, known, index, most)
        if ties is None:
            return None
        fresh = ties.found - asked
        asked |= fresh
        alike |= _alike(fresh, vectors)
        found = said_with(said, ties.found | alike)
        if found == ties.found:
            return Ties(found, ties.tied | alike)
    return None


def _alike(rows: set[str], vectors: Vectors | None) -> set[str]:
    floor = vectors.floor() if vectors is not None else None
    return set() if vectors is None or floor is None else vectors.alike(rows, floor)


def said_of(findings: Iterable[Finding]) -> Said:
    """What earlier findings say of rows that are compared by vectors or claims."""
    said: dict[str, list[frozenset[str]]] = defaultdict(list)
    for one in findings:
        if one.code in _ALIKE:
            rows = frozenset({*one.ids, *([one.evidence["old"]] if "old" in one.evidence else ())})
            for name in rows:
                said[name].append(rows)
    return said


def met(said: Said, touched: Collection[str], vectors: Vectors | None, before: int) -> set[str]:
    """Rows whose meaning is compared anew since they were compared with what changed, as it was at version `before`.

    Those said to be alike to it, and those that were.
    """
    beside = said_with(said, {name for name in touched if name in said})
    floor = vectors.floor() if vectors is not None else None
    return beside if vectors is None or floor is None else beside | vectors.were_alike(touched, before, floor)


def claimed_by(touched: Collection[str], known: Mapping[str, set[str]], index: Index) -> set[str]:
    """The rows whose claims are compared with those of what changed, before or after; then those that copy a value.

    No further: what is found between rows that did not change, and that share no key of what did, stands.
    """
    beside = _having(claimed(chain.from_iterable(known.get(name, ()) for name in touched)), known, index, 2)
    held = index.links(beside).union(*(known.get(name, ()) for name in beside))
    values = {link for link in held if link.startswith("o:")}
    return beside | _having(values, known, index, 1)


def _having(held: set[str], known: Mapping[str, set[str]], index: Index, least: int) -> set[str]:
    """The rows that the links of what has these are compared with lead to, and of those known whoever has these.

    Of what is about one thing all, where they are at least so many. Guests of a block do not lead to one another.
    """
    rows: dict[str, set[str]] = defaultdict(set)
    wanted = meeting(held)
    for link, row in index.linked(wanted):
        rows[_key(link)].add(row)
    for name, links_of in known.items():
        for link in links_of & (held | wanted):
            rows[_key(link)].add(name)
    return set().union(*(several for several in rows.values() if len(several) >= least))


def _key(link: str) -> str:
    """What a link of claims is about, whichever side it is of."""
    return link[2:]


def said_with(said: Said, names: Collection[str]) -> set[str]:
    """These rows, and all that findings tie them to, from one to the next."""
    found, todo = set(names), list(names)
    while todo:
        for rows in said.get(todo.pop(), ()):
            fresh = rows - found
            found |= fresh
            todo += fresh
    return found
