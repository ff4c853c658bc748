"""Diagnosis: what the sick rows share, which cause of the catalogue that names, what happened before. Pure."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import Any, Final

from mendory.causes import MIN_SUPPORT, UNCAUSED, UNKNOWN, proven, suggested
from mendory.finding import Code, Finding
from mendory.scopes.doubts import CODES as OF_SCOPES
from mendory.traits import ATTRIBUTES, Traits

MIN_RATIO: Final = 3.0
MAX_CHANCE: Final = 0.001
MOST: Final = 3
"""Causes that are named of one code."""
_NEGLIGIBLE: Final = 40.0

BEGINS: Final = frozenset({"batch", "day", "since"})
"""What rows share that began at some moment: what changed before it may have caused them."""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Cause:
    """A likely root cause of one kind of finding.

    `attribute` and `value` are what the sick rows share (None when nothing stands out), `ratio` their
    risk against all other rows, `explains` of `total` sick rows have it. `name` is a catalogue name;
    `unknown` where nothing stands out. `begun` is when the first of the rows that share a batch or a day was created.
    """

    code: str
    name: str
    attribute: str | None
    value: str | None
    ratio: float | None
    explains: int
    total: int
    begun: datetime | None = None

    def as_json(self) -> dict[str, Any]:
        """The cause as the report holds it."""
        return {
            "code": self.code,
            "cause": self.name,
            "attribute": self.attribute,
            "value": self.value,
            "risk_ratio": self.ratio,
            "explains": self.explains,
            "unexplained": self.total - self.explains,
        }


@dataclass(frozen=True, slots=True)
class _Shared:
    """A value that sick rows share far more often than others do."""

    pair: Pair
    ratio: float
    rows: frozenset[str]
    begun: datetime | None


class _Whole:
    """How many rows of the table have what, but for rows that are explained already."""

    def __init__(self, rows: Mapping[Pair, int], read: int, without: Iterable[Traits] = ()) -> None:
        self._rows, gone = rows, list(without)
        self.read = read - len(gone)
        self._gone = Counter(pair for one in gone for pair in one.held.items())
        days = sorted((value, self.having((name, value))) for name, value in rows if name == "day")
        self._days = [day for day, _ in days]
        self._until = [0, *accumulate(number for _, number in days)]

    def having(self, pair: Pair) -> int:
        """How many rows have the value; of a time, how many were created from that day on, or up to it."""
        if pair[0] == "since":
            return self._until[-1] - self._until[bisect_left(self._days, pair[1])]
        if pair[0] == "until":
            return self._until[bisect_right(self._days, pair[1])]
        return self._rows.get(pair, 0) - self._gone[pair]


def diagnose(
    findings: Collection[Finding], sick: Mapping[str, Traits], rows: Mapping[Pair, int], read: int
) -> list[Cause]:
    """The causes of what was found, by code: those the findings prove, then those that a shared value suggests.

    The risk ratio of a value is the share of sick rows among rows that have it over the share among
    rows that do not (0.5 added to each count, Haldane-Anscombe, so that it stays finite). A value counts
    from a support of 3 sick rows, a ratio of 3, and a chance below 0.001 that so many sick rows share it
    by accident (Fisher's exact test, one-sided, Bonferroni-corrected for the values compared); of
    several, the least likely is named, so a batch is not hidden by the scope it lies in. What that leaves
    unexplained is compared again, without the rows that are explained. Where nothing at all is named of a
    code, its cause is `unknown`.

    `rows` is how many of the `read` rows have which value. The order of findings and rows changes nothing.
    """
    by_code: dict[Code, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_code[finding.code].append(finding)
    whole = _Whole(rows, read)
    causes: list[Cause] = []
    for code, found in sorted(by_code.items()):
        if code in OF_SCOPES:
            causes += _of_scopes(code, found)
            continue
        ids = {i for f in found for i in f.ids if i in sick}
        named = list(_named(code, found, {i: sick[i] for i in sorted(ids)}, whole, rows))
        if not named and ids and code not in UNCAUSED:
            named = [_cause(code, UNKNOWN, None, 0, len(ids))]
        causes += named
    return causes


def _of_scopes(code: Code, found: Sequence[Finding]) -> Iterable[Cause]:
    """Their rows are examples, chosen by their scope and id; how many there are stands in the evidence."""
    total = sum(int(f.evidence.get("rows", len(f.ids))) for f in found)
    known = next(iter(proven(code)), None)
    if known and total >= known.least:
        yield _cause(code, known.name, None, total, total)


def _cause(code: Code, name: str, shared: _Shared | None, explains: int, total: int) -> Cause:
    attribute, value = shared.pair if shared else (None, None)
    ratio, begun = (shared.ratio, shared.begun) if shared else (None, None)
    return Cause(code.value, name, attribute, value, ratio, explains, total, begun)


def _named(
    code: Code, found: Sequence[Finding], sick: Mapping[str, Traits], whole: _Whole, rows: Mapping[Pair, int]
) -> Iterable[Cause]:
    left = list(found)
    for known in proven(code):
        mine = [f for f in left if known.holds(f, [sick[i] for i in f.ids if i in sick])]
        ids = {i for f in mine for i in f.ids if i in sick}
        if len(ids) < known.least:
            continue
        taken = {f.id for f in mine}
        left = [f for f in left if f.id not in taken]
        shared = None if code in UNCAUSED else _best({i: sick[i] for i in sorted(ids)}, whole)
        yield _cause(code, known.name, shared, len(ids), len(sick))
    if code in UNCAUSED:
        return
    rest = {i: sick[i] for i in sorted({i for f in left for i in f.ids if i in sick})}
    explained: list[Traits] = []
    for _ in range(MOST):
        shared = _best(rest, _Whole(rows, whole.read, explained) if explained else whole)
        name = suggested(code, shared.pair[0]) if shared else UNKNOWN
        if shared is None or name == UNKNOWN:
            return
        yield _cause(code, name, shared, len(shared.rows), len(sick))
        explained += [rest[i] for i in sorted(shared.rows)]
        rest = {i: one for i, one in rest.items() if i not in shared.rows}


def _best(sick: Mapping[str, Traits], whole: _Whole) -> _Shared | None:
    """The value that so many of the sick rows share least likely by accident; None where nothing stands out."""
    shared = Counter(pair for one in sick.values() for pair in one.held.items())
    days = sorted(one.held["day"] for one in sick.values() if "day" in one.held)
    for at, day in enumerate(days):
        shared["until", day] = at + 1
        shared.setdefault(("since", day), len(days) - at)
    best: tuple[float, float, Pair] | None = None
    bound = math.log(MAX_CHANCE / len(shared)) if shared else 0.0
    for pair, hits in sorted(shared.items(), key=lambda item: (ATTRIBUTES.index(item[0][0]), item[0][1])):
        have = whole.having(pair)
        if hits < MIN_SUPPORT or have >= whole.read:
            continue
        inside, outside = (hits + 0.5) / (have + 1), (len(sick) - hits + 0.5) / (whole.read - have + 1)
        ratio = round(inside / outside, 2)
        if ratio < MIN_RATIO:
            continue
        chance = _log_chance(hits, len(sick), have, whole.read)
        if chance <= bound and (best is None or (chance, -ratio) < best[:2]):
            best = chance, -ratio, pair
    if best is None:
        return None
    _, ratio, pair = best
    having = {i: one for i, one in sick.items() if _has(one, pair)}
    times = [one.created_at for one in having.values() if one.created_at] if pair[0] in BEGINS else []
    return _Shared(pair, -ratio, frozenset(having), min(times, default=None))


def _has(row: Traits, pair: Pair) -> bool:
    name, value = pair
    if name in ("since", "until"):
        day = row.held.get("day")
        return day is not None and (day >= value if name == "since" else day <= value)
    return row.held.get(name) == value


def _log_chance(hits: int, sick: int, have: int, read: int) -> float:
    """Log of the chance that of `sick` rows drawn from `read` at least `hits` are among the `have` (hypergeometric)."""

    def choose(n: int, k: int) -> float:
        return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)

    terms: list[float] = []
    for k in range(hits, min(have, sick) + 1):
        if sick - k <= read - have:
            terms.append(choose(have, k) + choose(read - have, sick - k) - choose(read, sick))
            if terms[-1] < max(terms) - _NEGLIGIBLE:
                break  # behind the likeliest number each further one is less likely
    top = max(terms, default=0.0)
    return top + math.log(sum(math.exp(t - top) for t in terms)) if terms else 0.0
