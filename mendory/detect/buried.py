"""Old values inside memories that say more than what is over: those can't go for it, and a person mends them."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from mendory.claims.attributes import Singles, single
from mendory.claims.blocks import numbers
from mendory.detect.exact_duplicates import plain_kind
from mendory.detect.neighbours import numbered
from mendory.language import language_of
from mendory.language.claim import Claim, ClaimKind, Tense
from mendory.record import Kind, Memory


def says_more(memory: Memory, about: Claim | None, claims: Iterable[Claim], singles: Singles = frozenset()) -> bool:
    """Whether a memory says more than the claim that it is in conflict about, so that it can't go for it.

    It is a procedure, has several sentences, or also gives another attribute of one value. What one statement is read
    as several claims of is one: who uses an editor has it for a tool, and likes what is a favourite.
    """
    if plain_kind(memory) == Kind.PROCEDURE.value:
        return True
    language = language_of(memory.content or "")
    if language is not None and len(language.sentences(memory.content or "")) > 1:
        return True
    return about is not None and any(_fact(one, singles) and not _one_statement(about, one) for one in claims)


def _fact(claim: Claim, singles: Singles) -> bool:
    """Whether it gives an attribute that stands for itself; how many there are of something goes with having it."""
    if claim.about.startswith("count:"):
        return False
    return claim.kind is ClaimKind.FACT and claim.tense is Tense.NOW and single(claim.about, singles)


def _one_statement(about: Claim, one: Claim) -> bool:
    """Whether a claim is the other in other words: of its attribute, or of its value."""
    if about.about == one.about or (about.kind is ClaimKind.PREFERENCE and one.about == "diet"):
        return True  # what one eats goes with the diet that says so
    said = {value.text for value in about.values} | ({about.about} if about.kind is ClaimKind.PREFERENCE else set())
    return bool(one.values) and all(any(value.text in text for text in said) for value in one.values)


@dataclass(slots=True)
class Copies:
    """Which rows of a scope name which numbers; 16 bytes for each."""

    _number: array[int] = field(default_factory=lambda: array("q"))
    _row: array[int] = field(default_factory=lambda: array("q"))

    def add(self, scope: str, text: str, row: int) -> None:
        """Note the numbers of a row's text."""
        for one in numbers(text):
            self._number.append(numbered(f"{scope}\0{one}"))
            self._row.append(row)

    def of(self, wanted: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], list[int]]:
        """(scope, number) → the rows that name it."""
        keys = {numbered(f"{scope}\0{one}"): (scope, one) for scope, one in wanted}
        found: dict[tuple[str, str], list[int]] = {}
        number = np.array(self._number, np.int64)
        for at in np.flatnonzero(np.isin(number, np.array(sorted(keys), np.int64))).tolist() if keys else ():
            found.setdefault(keys[int(number[at])], []).append(self._row[at])
        return found


@dataclass(frozen=True, slots=True)
class Over:
    """A claim that is over: the row that made it, the row that holds now, and what is known again of its values."""

    scope: str
    old: str
    now: str
    values: frozenset[str]
    current: frozenset[str]


def outlived(copies: Copies, overs: Iterable[Over], names: list[str]) -> Iterator[tuple[str, Over]]:
    """(row that still names an old value and not the present one by number, what is over), neither of the two rows."""
    listed = [one for one in overs if one.values]
    rows = copies.of({(one.scope, value) for one in listed for value in (*one.values, *one.current)})
    for one in listed:
        naming = {row for value in one.values for row in rows.get((one.scope, value), ())}
        current = {row for value in one.current for row in rows.get((one.scope, value), ())}
        for row in sorted(naming - current):
            if names[row] not in (one.old, one.now):
                yield names[row], one
