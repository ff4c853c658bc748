"""What a scope has moved on from: a project, an employer, a tool; and what belongs to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from mendory.claims import claims_in
from mendory.claims.attributes import attribute
from mendory.language import fold
from mendory.language.claim import USER, Claim, ClaimKind, Tense
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
_LEAD: Final = re.compile(r"^(?:(?:the )?project\s+|项目\s*)|(?:\s+project|\s*项目)$")

Name = tuple[str, str]
"""What something is (project, employer, tool, or `ANY`) and its folded name."""


@dataclass(frozen=True, slots=True)
class Switch:
    """One thing was left for another: `left` for `taken`, as names; `left` is empty where it is not said."""

    what: str
    left: frozenset[str]
    taken: frozenset[str]
    single: bool


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

    name: Name
    by: str
    at: datetime
    back: bool


def names_of(text: str, metadata: Mapping[str, Any] | None) -> frozenset[Name]:
    """To what a memory belongs: as its metadata say, and its claims by their values and their subjects."""
    found = {(KEYS[key], _name(value)) for key, value in (metadata or {}).items() if key in KEYS and _is_name(value)}
    for claim in claims_in(text):
        if claim.subject != USER and claim.kind is ClaimKind.FACT:
            found.add((ANY, _name(claim.subject)))
        if (what := _context(claim)) is not None and not claim.denied:
            found |= {(what, _name(value.text)) for value in claim.values}
    return frozenset(name for name in found if name[1])


def switches_of(text: str) -> tuple[Switch, ...]:
    """What the user has left for something else, as a text says."""
    return tuple(_switches(claims_in(text)))


def _switches(claims: Iterable[Claim]) -> Iterator[Switch]:
    for claim in claims:
        what = _context(claim)
        if what is None or claim.subject != USER or claim.tense is not Tense.NOW or not claim.values:
            continue
        single = what in SINGLE
        if claim.before or (claim.ends and single):
            left, taken = (frozenset(_name(v.text) for v in held) for held in (claim.before, claim.values))
            yield Switch(what, left - taken, taken, single)


def left_of(rows: Iterable[Row]) -> list[Left]:
    """What the rows of one scope have left and come back to, by the newest row that says so, in the order of names.

    Rows without a time tell nothing: nobody knows what came first.
    """
    state: dict[Name, Left] = {}
    held: dict[str, set[str]] = {}
    for row in sorted((r for r in rows if r.at is not None), key=lambda r: (r.at, r.id)):
        assert row.at is not None
        for switch in row.switches:
            left = switch.left or ((held.get(switch.what, set()) - switch.taken) if switch.single else frozenset())
            for name in left:
                state[switch.what, name] = Left((switch.what, name), row.id, row.at, back=False)
            for name in switch.taken & {known for what, known in state if what == switch.what}:
                state[switch.what, name] = Left((switch.what, name), row.id, row.at, back=True)
        for what, name in row.names:
            held.setdefault(what, set()).add(name)
    return [state[name] for name in sorted(state)]


def belongs(row: Row, left: Left) -> bool:
    """Whether the row is of what was left: it was written before, and says so."""
    what, name = left.name
    return row.at is not None and row.at < left.at and bool(row.names & {(what, name), (ANY, name)})


def _context(claim: Claim) -> str | None:
    return CONTEXTS.get(claim.about) if claim.kind is ClaimKind.FACT else None


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and not is_blank(value)


def _name(text: str) -> str:
    """A name as it is compared: folded, without the word that says it is a project."""
    folded = fold(text)
    return _LEAD.sub("", folded).strip() or folded
