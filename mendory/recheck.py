"""A check of what changed, which finds what a check of everything would find. Pure.

Rows that changed, before and after, and all rows tied to them by a link (`mendory.links`), are examined together; what
was found earlier on other rows still stands. What a detector takes from the table as a whole (fields that no row has,
the owner's own spelling of a status, the usual vector) is known from counts that are kept and brought up; where it is
no longer what it was, it can't be told by rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final, Protocol

import numpy as np

from mendory.counts import BALLAST, Counts
from mendory.detect import Examination, Fetch, Settings, examine
from mendory.detect.neighbours import Neighbours
from mendory.detect.required import LACKING_FROM
from mendory.detect.scopes import Firsts
from mendory.detect.scopes import again as of_scopes
from mendory.facts import Changed
from mendory.finding import Code, Finding
from mendory.links import links
from mendory.record import Memory
from mendory.scopes.doubts import CODES, Doubtful
from mendory.side import Notes
from mendory.ties import Index, Vectors, claimed_by, closed, met, said_of
from mendory.tying import Change

_TIMED: Final = frozenset({Code.TIMESTAMP_FUTURE, Code.TIMESTAMP_UNIT, Code.TIMESTAMP_SUSPICIOUS})
"""Codes that depend on the clock: what was found of them is looked at again though no row changed."""
_OF_A_SCOPE: Final = frozenset({Code.STALE})
"""Codes of what is told of a scope's rows as a whole: it stands as the last check of everything told it."""
SHARE: Final = 3
"""Where a third of the rows or more would be looked at, everything is."""
FEW: Final = 2000


@dataclass(frozen=True, slots=True)
class Earlier:
    """What the last check of everything left: what it found, what it counted, what stood down, at which version.

    `firsts` are the rows that stand for what it told of scopes.
    """

    version: int
    findings: Mapping[str, Finding]
    counts: Counts
    stands_down: tuple[tuple[str, str], ...]
    firsts: Firsts = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Told:
    """Some rows as columns, and a function from a mask of them to those rows as memories."""

    rows: Changed
    memories: Callable[[Any], Sequence[Memory]]


class Rows(Protocol):
    """A table at one version."""

    def of(self, ids: Collection[str]) -> Iterable[Memory]:
        """All rows with these ids, several of one id too."""

    def told(self, ids: Collection[str]) -> Iterable[Told]:
        """The same rows in parts, as columns."""

    def count(self) -> int:
        """How many memories there are."""


class Explained(Change, Protocol):
    """Which rows changed since the earlier check."""

    @property
    def why(self) -> str:
        """Why it can't be told by rows."""


class Alike(Neighbours, Vectors, Protocol):
    """The table's vectors at its newest version."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """It can't be told by rows, and why: everything must be examined."""

    why: str


@dataclass(frozen=True, slots=True)
class Rechecked:
    """All findings now, of which `standing` are earlier ones on other rows than `touched`; the counts of now."""

    examination: Examination
    counts: Counts
    touched: frozenset[str]
    changed: int
    looked_at: int
    standing: int


def recheck(
    earlier: Earlier,
    change: Explained,
    now: Rows,
    past: Callable[[], Rows],
    fetch: Fetch,
    index: Index,
    settings: Settings,
    notes: Notes,
    neighbours: Alike | None = None,
) -> Rechecked | Unclear:
    """Everything that is wrong now, by looking at what changed and what is tied to it.

    Cost: proportional to the rows that changed and those tied to them, and to the findings; with neighbours one pass
    over the vectors, and the rows looked at times those of their scopes.
    """
    if change.full:
        return Unclear(change.why)
    again = _again(earlier, settings, notes)
    if not (change.ids or change.gone or again):
        return _united(earlier, examine((), fetch, settings), earlier.counts, set(), 0, 0, None)
    if earlier.counts.nameless:
        return Unclear(f"{earlier.counts.nameless} rows have no id, and nobody can tell whether those changed")
    if earlier.counts.rows < LACKING_FROM:
        return Unclear(f"the table has fewer than {LACKING_FROM} rows")
    most = max(FEW, earlier.counts.rows // SHARE)
    touched = {*change.ids, *change.gone}
    if len(touched) > most:
        return Unclear(f"{len(touched)} of {earlier.counts.rows} rows changed")
    old = list(past().told(touched)) if touched else []
    new = list(now.told(touched)) if touched else []
    counts = earlier.counts.copy()
    for part in old:
        counts.take_all(part.rows.counted())
    for part in new:
        counts.add_all(part.rows.counted())
    if counts.rows != now.count():
        return Unclear("rows without an id came, or the history does not add up")
    if touched and counts.regime() != earlier.counts.regime():
        return Unclear("what is usual in the table is no longer what it was")
    fresh = chain.from_iterable(part.rows.scoped() for part in new)
    scopes = of_scopes(earlier.counts.held, counts.held, earlier.firsts, touched, fresh, settings.scope_wishes)
    if scopes is None:
        return Unclear("which rows stand for what is found of scopes is no longer known")
    known = _links(old, new, notes)
    said = said_of(earlier.findings.values())
    beside = met(said, touched | again, neighbours, earlier.version) | claimed_by(touched, known, index)
    ties = closed(touched | again, beside, known, said, index, most, neighbours)
    if ties is None:
        return Unclear("what changed is tied to too many rows")
    found = ties.found
    looked_at = sum(len(part.rows) for part in new)
    rows = _doubtful(new, ties.tied | again | beside, counts)
    if found - touched:
        others = list(now.of(found - touched))
        rows, looked_at = rows + others, looked_at + len(others)
    examined = examine([*rows, *(counts.ballast(rows) if rows else ())], fetch, settings, neighbours)
    if rows and examined.stands_down != earlier.stands_down:
        return Unclear("what is usual among the changed rows is not what is usual in the table")
    return _united(earlier, examined, counts, found, len(touched), looked_at, scopes)


def _united(
    earlier: Earlier,
    examined: Examination,
    counts: Counts,
    found: set[str],
    changed: int,
    looked_at: int,
    scopes: tuple[tuple[Finding, ...], Firsts] | None,
) -> Rechecked:
    """What stands and what was found anew; `scopes`: what the table tells of them, None where nothing changed."""
    told, firsts = scopes or (tuple(f for f in earlier.findings.values() if f.code in CODES), earlier.firsts)
    before = [f for f in earlier.findings.values() if f.code not in CODES]
    standing = {f.id: f for f in before if f.code in _OF_A_SCOPE or found.isdisjoint(f.ids)}
    # what some of the rows tell of scopes, or of all rows of one, is nothing
    seen = (f for f in examined.findings if f.code not in _OF_A_SCOPE and f.code not in CODES)
    fresh = {f.id: f for f in (*seen, *told) if not any(i.startswith(BALLAST) for i in f.ids)}
    findings = sorted((standing | fresh).values(), key=lambda f: (f.code.value, f.scope or "", f.ids, f.id))
    examination = replace(
        examined,
        findings=tuple(findings),
        stands_down=earlier.stands_down,
        read=looked_at,
        scope_rows=counts.of("scope"),
        firsts=firsts,
        doubtful=Doubtful(),
    )
    return Rechecked(examination, counts, frozenset(found), changed, looked_at, len(standing))


def _again(earlier: Earlier, settings: Settings, notes: Notes) -> set[str]:
    """Rows judged anew though they did not change.

    By the clock, by which texts their vectors came from, and since a person has settled what they are marked for.
    """
    marked = {name for name, note in notes.items() if "disputed_with" in note.fields}
    settled = [f for f in earlier.findings.values() if f.code is Code.CONFLICT and f.id in settings.settled]
    over = {i for f in settled if marked & set(f.ids) for i in f.ids}
    timed = {i for f in earlier.findings.values() if f.code in _TIMED for i in f.ids}
    stale = {i for f in earlier.findings.values() if f.code is Code.EMBEDDING_STALE_TEXT for i in f.ids}
    return timed | over | (stale ^ settings.stale_vectors)


def _doubtful(new: Sequence[Told], tied: Collection[str], counts: Counts) -> list[Memory]:
    """The rows that a detector may find something on: those not clean, those tied to others, those that share an id."""
    usual, held = counts.usual(), Counter(chain.from_iterable(part.rows.ids for part in new))
    rows: list[Memory] = []
    for part in new:
        apart = [bool(name) and name not in tied and held[name] == 1 for name in part.rows.ids]
        rows += part.memories(~(part.rows.clean(usual) & np.array(apart, bool)))
    return rows


def _links(old: Sequence[Told], new: Sequence[Told], notes: Notes) -> dict[str, set[str]]:
    """The links of the changed rows before and after, and those of what is kept aside of rows."""
    known: dict[str, set[str]] = defaultdict(set)
    for name, held in chain.from_iterable(part.rows.links() for part in (*old, *new)):
        known[name] |= held
    for name, note in notes.items():
        kept = {k: v for k, v in note.fields.items() if k in ("duplicate_of", "superseded_by")}
        related = [i for k in ("related_ids", "disputed_with", "exception_of") for i in note.fields.get(k, ())]
        known[name] |= links(replace(Memory(id=name, content=None), **kept, related_ids=tuple(related)))
    return known
