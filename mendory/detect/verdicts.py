"""How two memories of one scope stand to each other: what their claims and texts say, and what they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from mendory.claims import ClaimsOf, claims_of, of_writer
from mendory.claims.attributes import Singles
from mendory.claims.things import of_a_thing
from mendory.contradiction import DECIDES, Compared, Relation, compare
from mendory.detect.exact_duplicates import plain_kind
from mendory.language import fold, language_of
from mendory.language.claim import Claim, ValueKind
from mendory.record import Kind, Memory
from mendory.text import exact_key, script

_SIGNS: Final = frozenset({ValueKind.NUMBER, ValueKind.DATE, ValueKind.YES_NO})
PASSING: Final = frozenset({Kind.EVENT.value, Kind.EPHEMERAL.value})
"""Kinds of memories that nothing contradicts: what happened has happened, what passes is over by itself."""


@dataclass(frozen=True, slots=True)
class Clash:
    """Two rows, the earlier given one first, and what was found between them.

    `singles` are the attributes that the owner declared for it.
    """

    rows: tuple[Memory, Memory]
    compared: Compared
    claims: tuple[tuple[Claim, ...], tuple[Claim, ...]]
    singles: Singles = frozenset()

    @property
    def ids(self) -> tuple[str, str]:
        """Their ids, in alphabetical order."""
        one, two = sorted(str(m.id) for m in self.rows)
        return one, two

    @property
    def claimed(self) -> bool:
        """Whether their claims tell it, and not their words alone."""
        return None not in self.compared.claims

    @property
    def exception(self) -> bool:
        """Whether one holds in a narrower scene, or in a scope inside the other's."""
        crossing = self.rows[0].scope != self.rows[1].scope
        return self.compared.relation is Relation.EXCEPTION or (crossing and self.conflict)

    @property
    def conflict(self) -> bool:
        """Whether both can't hold, as surely as a rule may decide about it (`DECIDES`)."""
        if self.compared.relation is not Relation.CONFLICT:
            return False
        if all(map(of_writer, self.rows)):
            return self.compared.score >= min(DECIDES.values())
        read = [language_of(m.content or "") for m in self.rows]
        bounds = [DECIDES.get(one.code) if one else None for one in read]
        return all(bound is not None and self.compared.score >= bound for bound in bounds)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Compares memories by what `claims` says that each claims; `singles` are attributes of one value beside ours."""

    claims: ClaimsOf = claims_of
    singles: Singles = frozenset()

    def of(self, a: Memory, b: Memory, cosine: float | None = None) -> Clash | None:
        """What is between two memories; None where nothing can be: equal texts, what passes, rows read in part.

        `cosine` is calibrated. Facts about things that name other things as what they are about are apart, and nobody
        knows whether a word of one language is one of another.
        """
        if a.id == b.id or any(map(_passing, (a, b))) or exact_key(a.content or "") == exact_key(b.content or ""):
            return None
        claims = self.claims(a), self.claims(b)
        found = compare(a.content or "", b.content or "", cosine, claims, self.singles)
        if _of_other_things(a, b, found.claims) or _in_two_tongues(found.claims):
            return None
        return Clash((a, b), found, claims, self.singles)


@dataclass(slots=True)
class Handed:
    """Pairs that lie near and are conflicts or exceptions, each with its calibrated cosine.

    The detector of near duplicates comes upon them, and leaves them to that of conflicts.
    """

    verdicts: Verdicts
    pairs: dict[tuple[str, str], float | None] = field(default_factory=dict)

    def add(self, rows: tuple[Memory, Memory], cosine: float | None) -> None:
        """Hand on a pair."""
        one, two = sorted(str(m.id) for m in rows)
        self.pairs[one, two] = cosine


def _passing(memory: Memory) -> bool:
    return plain_kind(memory) in PASSING or memory.metadata_error is not None or bool(memory.wrong)


def _of_other_things(a: Memory, b: Memory, claims: tuple[Claim | None, Claim | None]) -> bool:
    """Whether two facts of things, as `port`, name different things as their entities."""
    if any(one is not None and not of_a_thing(one) for one in claims):
        return False
    named = [_entities(m) for m in (a, b)]
    return bool(named[0] and named[1]) and named[0].isdisjoint(named[1])


def _in_two_tongues(claims: tuple[Claim | None, Claim | None]) -> bool:
    """Whether two facts give words of two scripts, which may name one thing; numbers and days are the same in all."""
    words = (v for one in claims if one is not None for v in one.values if v.kind not in _SIGNS and v.number is None)
    return len({script(value.text) for value in words}) > 1


def _entities(memory: Memory) -> frozenset[str]:
    held: Any = (memory.metadata or {}).get("entities")
    listed: Sequence[Any] = held if isinstance(held, list | tuple) else [held]
    return frozenset(fold(one) for one in listed if isinstance(one, str)) - {""}
