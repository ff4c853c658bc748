"""Which claims may clash at all, as keys: two are compared only where they share one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from mendory.claims.attributes import Singles, attribute, single
from mendory.language.claim import Claim, ClaimKind, Tense

_OVER: Final = frozenset({Tense.PLANNED, Tense.SUPPOSED})
_NUMBER: Final = re.compile(r"(?<![\w.])\d{4,}(?![\w.]*\w)|(?<![\w.])v?\d+\.\d+(?:\.\d+)+(?![\w.]*\w)", re.ASCII)
"""Numbers that are hardly there by chance: of four digits and more, and versions of three parts."""
BURIABLE: Final = frozenset({"port", "version"})
"""Attributes of one value whose old value may be copied into other memories, which name it and not the attribute."""


def blocks(claim: Claim, singles: Singles = frozenset()) -> Iterator[tuple[str, bool]]:
    """(key, whether it is at home there): what is at home is compared with all others, guests with those alone.

    Preferences meet by their object, facts of one value by subject and attribute, facts of several by the value too.
    A claim that ends another (`ends`, `before`) is at home among all preferences, or all facts of the attribute, of its
    subject: they may be what it ends. What is planned, supposed, or over without saying more meets nothing.
    """
    if claim.tense in _OVER or (claim.tense is Tense.PAST and not (claim.ends or claim.before)):
        return
    ending = claim.ends or bool(claim.before)
    if claim.kind is ClaimKind.PREFERENCE:
        yield f"p\0{claim.subject}\0{claim.about}", True
        yield f"p\0{claim.subject}", ending
        return
    whole = f"f\0{claim.subject}\0{claim.about}"
    if attribute(claim.about) is None or single(claim.about, singles):  # of an undeclared one only its owner knows
        yield whole, True
        return
    for value in (*claim.values, *claim.before):
        yield f"{whole}\0{value.text}", True
    yield whole, ending or not claim.values


def met(claims: Iterable[Claim], singles: Singles = frozenset()) -> dict[str, tuple[bool, list[Claim]]]:
    """The keys of several claims of one memory: whether one of them is at home there, and those that have the key."""
    found: dict[str, tuple[bool, list[Claim]]] = {}
    for claim in claims:
        for key, home in blocks(claim, singles):
            before, held = found.get(key, (False, []))
            found[key] = before or home, [*held, claim]
    return found


def numbers(text: str) -> frozenset[str]:
    """The numbers of a text by which an old value is known again (`BURIABLE`).

    >>> sorted(numbers("访问 8080,版本 v1.2.3,第 3 步")), sorted(numbers("id 12345abc"))
    (['1.2.3', '8080'], [])
    """
    return frozenset(found.removeprefix("v") for found in _NUMBER.findall(text)) if text else frozenset()


def old_values(claim: Claim | None) -> frozenset[str]:
    """The values of a claim by which copies of them are known again; none of an attribute whose values are common."""
    if claim is None or claim.kind is not ClaimKind.FACT or claim.about.partition(":")[0] not in BURIABLE:
        return frozenset()
    return frozenset().union(*(numbers(value.text) for value in claim.values))
