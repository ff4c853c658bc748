"""What a scope has moved on from: a project, an employer, a tool; and what belongs to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from mendory.claims.attributes import attribute
from mendory.claims.of import ClaimsOf, of_writer
from mendory.language import fold, language_of
from mendory.language.claim import USER, Claim, ClaimKind, Tense
from mendory.language.moving import MovedOn, Moving
from mendory.record import Memory
from mendory.text import is_blank

CONTEXTS: Final[Mapping[str, str]] = MappingProxyType({"employer": "employer", "works_on": "project", "uses": "tool"})
"""Attributes of which one value is left for another, and what such a value is."""
KEYS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{"project": "project", "project_name": "project", "项目": "project"},
        **{"employer": "employer", "company": "employer", "公司": "employer", "雇主": "employer"},
        **{"tool": "tool", "工具": "tool"},
    }
)
"""Keys of metadata that say to what a memory belongs."""
SINGLE: Final = frozenset(
    CONTEXTS[about] for about in CONTEXTS if (known := attribute(about)) is not None and known.single
)
"""Of these a scope has one at a time."""
ANY: Final = "*"
"""What a claim's subject is: its name alone does not say whether it is a project, an employer or a tool."""
_AROUND: Final = re.compile(r"^(?:the )?(?:project\s+|项目\s*)|(?:\s+project|\s*项目|公司|集团|\s+inc|\s+corp)$")

Name = tuple[str, str]
"""What something is (project, employer, tool, or `ANY`) and its folded name."""


@dataclass(frozen=True, slots=True)
class Switch:
    """One thing was left for another: `left` for `taken`, as names; either is empty where it is not said.

    Where the scope has one such thing at a time, whatever it had is left for what is taken.
    """

    what: str
    left: frozenset[str]
    taken: frozenset[str]


@dataclass(frozen=True, slots=True)
class Row:
    """What a memory says of contexts: when, to what it belongs, and which it switches."""

    id: str
    at: datetime | None
    names: frozenset[Name]
    switches: tuple[Switch, ...]


@dataclass(frozen=True, slots=True)
class Left:
    """Something that a scope has left, or come back to, by the memory that says so."""

    what: str
    name: str
    by: str
    at: datetime
    back: bool


def heard(memory: Memory, claims: ClaimsOf) -> tuple[str, tuple[Claim, ...]]:
    """The text and the claims that tell of a memory's contexts: all that it says, unless its writer knows better.

    A writer's claim may say less than its text does, as what was left; where it is another's, or does not hold now, the
    text is not heard.
    """
    text, told = str(memory.content), claims(memory)
    if not of_writer(memory):
        return text, told
    if any(claim.subject != USER or claim.tense is not Tense.NOW for claim in told):
        return "", told
    return text, (*told, *claims(replace(memory, claim=None)))


def names_of(text: str, metadata: Mapping[str, Any] | None, claims: Iterable[Claim]) -> frozenset[Name]:
    """To what a memory belongs: as its metadata say, its language reads, and its claims by value and subject."""
    found = {(KEYS[key], _name(value)) for key, value in (metadata or {}).items() if key in KEYS and _is_name(value)}
    found |= {(what, _name(name)) for what, name in _told(text)[1]}
    for claim in claims:
        if claim.kind is not ClaimKind.FACT or claim.tense is not Tense.NOW or claim.denied:
            continue
        if claim.subject != USER:
            found.add((ANY, _name(claim.subject)))
        if (what := _context(claim)) is not None:
            found |= {(what, _name(value.text)) for value in claim.values}
    return frozenset(name for name in found if name[1])


def switches_of(text: str, claims: Iterable[Claim]) -> tuple[Switch, ...]:
    """What the user has left for something else, as a text and what is claimed say."""
    found = [*_switches(claims), *(_switch(m.what, m.left, m.taken) for m in _told(text)[0])]
    return tuple(dict.fromkeys(one for one in found if one.left or one.taken))


def history(rows: Sequence[Row], superseded: Mapping[str, tuple[Row, str]]) -> list[Row]:
    """The rows of one scope, and those superseded ones that a later switch has taken the place of.

    `superseded` are rows that switch, by id, each with the id of what stands in its place. What was superseded by a row
    that switches nothing was mended, not followed: it is forgotten.
    """
    told = [*rows]
    switching = {row.id for row in rows if row.switches}
    left = dict(superseded)
    while followed := [name for name, (_, by) in left.items() if by in switching]:
        for name in followed:
            told.append(left.pop(name)[0])
            switching.add(name)
    return told


@lru_cache(maxsize=1 << 14)
def _told(text: str) -> tuple[tuple[MovedOn, ...], tuple[Name, ...]]:
    language = language_of(text)
    if not isinstance(language, Moving):
        return (), ()
    return language.moved_on(text), language.belongs_to(text)


def _switches(claims: Iterable[Claim]) -> Iterator[Switch]:
    for claim in claims:
        what = _context(claim)
        if what is None or claim.subject != USER or claim.tense is not Tense.NOW or not (claim.before or claim.ends):
            continue
        values, before = ([value.text for value in held] for held in (claim.values, claim.before))
        yield _switch(what, [*values, *before], []) if claim.denied else _switch(what, before, values)


def _context(claim: Claim) -> str | None:
    """What the values of a claim are, of facts about contexts: a tool also where it is said which job it does."""
    if claim.kind is not ClaimKind.FACT:
        return None
    return CONTEXTS["uses"] if claim.about.startswith("tool:") else CONTEXTS.get(claim.about)


def _switch(what: str, left: Iterable[str], taken: Iterable[str]) -> Switch:
    now = frozenset(map(_name, taken))
    return Switch(what, frozenset(map(_name, left)) - now - {""}, now - {""})


def left_of(rows: Iterable[Row]) -> list[Left]:
    """What the rows of one scope have left and come back to, by the newest row that says so, in the order of names.

    Rows without a time tell nothing: nobody knows what came first.
    """
    state: dict[str, Left] = {}
    held: dict[str, set[str]] = {}
    for row in sorted((r for r in rows if r.at is not None), key=lambda r: (r.at, r.id)):
        assert row.at is not None
        for one in row.switches:
            whatever = not one.left and one.what in SINGLE
            for name in (held.get(one.what, set()) - one.taken) if whatever else one.left:
                state[name] = Left(one.what, name, row.id, row.at, back=False)
            for name in one.taken & state.keys():
                state[name] = Left(one.what, name, row.id, row.at, back=True)
        for what, name in row.names:
            held.setdefault(what, set()).add(name)
    return [state[name] for name in sorted(state)]


def belongs(row: Row, left: Left) -> bool:
    """Whether the row is of what was left: it was written before, and says so.

    By the name alone: whether "Falcon" is a project or a tool, two texts may tell differently.
    """
    return row.at is not None and row.at < left.at and any(name == left.name for _, name in row.names)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and not is_blank(value)


@lru_cache(maxsize=1 << 14)
def _name(text: str) -> str:
    """A name as it is compared: folded, without the words that say what it is; English words by their stems."""
    folded = fold(text)
    bare = _AROUND.sub("", folded).strip() or folded
    if not bare.isascii():
        return bare
    from mendory.language.en.forms import folded as stem

    return " ".join(stem(word)[0] for word in bare.split())
