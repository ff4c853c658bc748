"""The gate before a move to a new space: five parts, none of which can be left out. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from mendory import digest
from mendory.embedding import Embedder, Estimate, Vectors
from mendory.migration.agreement import Alike, Trip, alike
from mendory.migration.canary import slowest
from mendory.migration.purity import Purity
from mendory.migration.quality import DEPTH, MARGIN, Change, Ranked, Slice, changed, scored, slices, worst
from mendory.migration.queries import Kind, Query

QUERIES: Final = 1_500
"""Known-item queries a gate needs (design §10); so many tell a loss of .05 from none, whatever the spread."""
FEWEST: Final = 200
"""Or so many, when a table's memories give no more: 200 tell a loss of .05 (docs/migration.md, "How many")."""
TIMED: Final = 200
"""Searches a P95 is read from: ten of them are slower than it."""
WORST: Final = 20
"""So many queries are shown side by side to who approves."""

Search = Callable[[Vectors, Sequence[str]], Sequence[Sequence[str]]]
"""Query vectors and the scope of each → the ids found for each, best first."""


class Part(StrEnum):
    """What the gate examines."""

    PURITY = "purity"
    QUALITY = "quality"
    SELF_RETRIEVAL = "self_retrieval"
    AGREEMENT = "agreement"
    COST = "cost"


class Outcome(StrEnum):
    """`look` passes, and a person is told to look at it."""

    PASSED = "passed"
    LOOK = "look"
    REFUSED = "refused"


class Reason(StrEnum):
    """Why a part but purity, whose reasons are `Impurity`, does not simply pass; stable names."""

    TOO_FEW_QUERIES = "too_few_queries"
    WORSE = "worse"
    UNSURE = "unsure"
    SLICE_WORSE = "slice_worse"
    SELF_RETRIEVAL_WORSE = "self_retrieval_worse"
    NOTHING_FOUND = "nothing_found"
    SAME = "same"
    APART = "apart"
    TOO_FEW_TIMED = "too_few_timed"
    SLOWER = "slower"
    COST_UNKNOWN = "cost_unknown"


@dataclass(frozen=True, slots=True)
class Speed:
    """How long recalls took in both spaces, in milliseconds, and from how many each it is known."""

    old_p95: float
    new_p95: float
    measured: int


@dataclass(frozen=True, slots=True)
class Spending:
    """What the new model takes: for all rows, and for a thousand queries. `remote`: somebody bills it."""

    filling: Estimate
    thousand_queries: Estimate
    remote: bool


@dataclass(frozen=True, eq=False, slots=True)
class Evidence:
    """All that a gate decides on. `left_out` and `all_asked` are of the queries made from memories (`Drawn`).

    `old_space` and `new_space` are ids of spaces, `version` is the table's that was examined, `seed` that of the
    queries.
    """

    old_space: str
    new_space: str
    version: int
    seed: int
    purity: Purity
    queries: Sequence[Query]
    left_out: Mapping[str, int]
    all_asked: bool
    old: Ranked
    new: Ranked
    speed: Speed | None
    spending: Spending | None


@dataclass(frozen=True, slots=True)
class Examined:
    """One part: what came out, why, and its numbers as plain values; no text of a memory or of a query."""

    part: Part
    outcome: Outcome
    reasons: tuple[str, ...]
    numbers: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """The part as plain values."""
        return {
            "part": self.part.value,
            "outcome": self.outcome.value,
            "reasons": list(self.reasons),
            "numbers": dict(self.numbers),
        }


@dataclass(frozen=True, slots=True)
class Lost:
    """A query that found less: its id, what answers it, and what both spaces found, as ids."""

    query: str
    kind: str
    scope: str
    language: str
    relevant: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]
    old_ndcg: float
    new_ndcg: float

    def as_json(self) -> dict[str, Any]:
        """The query as plain values."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {
            name: round(value, 6) if isinstance(value, float) else list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
        }


@dataclass(frozen=True, slots=True)
class Gate:
    """What the gate says of one new space at one version of a table. An approval is bound to its digest."""

    old_space: str
    new_space: str
    version: int
    seed: int
    parts: tuple[Examined, ...]
    slices: tuple[Slice, ...]
    worst: tuple[Lost, ...]

    @property
    def passed(self) -> bool:
        """True when no part refuses."""
        return all(part.outcome is not Outcome.REFUSED for part in self.parts)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it refuses, or what to look at; in the order of the parts."""
        return tuple(reason for part in self.parts for reason in part.reasons)

    @property
    def digest(self) -> str:
        """SHA-256 of all that it says."""
        return digest.of(self._said())

    def as_json(self) -> dict[str, Any]:
        """The gate as plain values, for the ledger and for `--json`: ids and numbers, no text."""
        return {**self._said(), "passed": self.passed, "digest": self.digest}

    def _said(self) -> dict[str, Any]:
        return {
            "old_space": self.old_space,
            "new_space": self.new_space,
            "version": self.version,
            "seed": self.seed,
            "parts": [part.as_json() for part in self.parts],
            "slices": [one.as_json() for one in self.slices],
            "worst": [one.as_json() for one in self.worst],
        }


def asked(queries: Sequence[Query], embedder: Embedder, search: Search, at_once: int = 256) -> dict[str, Sequence[str]]:
    """What the search finds for each query, by the query's id, best first; embedded as queries, so many at once.

    Raises what the embedder and the search raise: a gate that could not ask says nothing.
    """
    found: dict[str, Sequence[str]] = {}
    for start in range(0, len(queries), at_once):
        part = queries[start : start + at_once]
        ids = search(embedder.embed_query([query.text for query in part]), [query.scope for query in part])
        found.update((query.id, tuple(one)) for query, one in zip(part, ids, strict=True))
    return found


def examine(evidence: Evidence) -> Gate:
    """The gate on this evidence. A part that lacks what it needs refuses, each for a reason of its own."""
    queries = evidence.queries
    old, new = scored(queries, evidence.old), scored(queries, evidence.new)
    of = [query.of for query in queries]
    quality = changed(old.ndcg, new.ndcg, of)
    parts = slices(queries, old.ndcg, new.ndcg)
    known = [at for at, query in enumerate(queries) if query.kind is not Kind.JUDGED]
    found, first = (
        changed(a[known], b[known], [of[at] for at in known])
        for a, b in ((old.recall, new.recall), (old.first, new.first))
    )
    few = len(known) < QUERIES and not (evidence.all_asked and len(known) >= FEWEST)
    return Gate(
        evidence.old_space,
        evidence.new_space,
        evidence.version,
        evidence.seed,
        (
            _purity(evidence.purity),
            _quality(evidence, quality, changed(old.recall, new.recall, of), parts, few),
            _self_retrieval(found, first, few),
            _agreement(alike(queries, evidence.old, evidence.new)),
            _cost(evidence.speed, evidence.spending),
        ),
        parts,
        tuple(
            _lost(queries[at], evidence, float(old.ndcg[at]), float(new.ndcg[at]))
            for at in worst(old.ndcg, new.ndcg, WORST)
        ),
    )


def _lost(query: Query, evidence: Evidence, old: float, new: float) -> Lost:
    before, after = (tuple(found.get(query.id, ()))[:DEPTH] for found in (evidence.old, evidence.new))
    return Lost(query.id, query.kind.value, query.scope, query.language, query.relevant, before, after, old, new)


def _examined(part: Part, reasons: Sequence[str], numbers: Mapping[str, Any]) -> Examined:
    looked = {Reason.APART.value}
    outcome = Outcome.PASSED if not reasons else Outcome.LOOK if set(reasons) <= looked else Outcome.REFUSED
    return Examined(part, outcome, tuple(reasons), MappingProxyType(dict(numbers)))


def _purity(found: Purity) -> Examined:
    return _examined(Part.PURITY, [what.value for what in found.wrong], found.as_json())


def _quality(evidence: Evidence, ndcg: Change, recall: Change, parts: Sequence[Slice], few: bool) -> Examined:
    reasons = []
    if few:
        reasons.append(Reason.TOO_FEW_QUERIES.value)
    elif ndcg.lower < -MARGIN:
        told = ndcg.upper < 0 or ndcg.delta < -MARGIN
        reasons.append((Reason.WORSE if told else Reason.UNSURE).value)
    if any(one.vetoes for one in parts):
        reasons.append(Reason.SLICE_WORSE.value)
    kinds: dict[str, int] = {}
    for query in evidence.queries:
        kinds[query.kind.value] = kinds.get(query.kind.value, 0) + 1
    numbers = {
        "ndcg": ndcg.as_json(),
        "recall": recall.as_json(),
        "kinds": dict(sorted(kinds.items())),
        "left_out": dict(sorted(evidence.left_out.items())),
        "vetoes": [f"{one.axis} {one.value}" for one in parts if one.vetoes],
    }
    return _examined(Part.QUALITY, reasons, numbers)


def _self_retrieval(found: Change, first: Change, few: bool) -> Examined:
    worse = found.lower < -MARGIN
    reasons = [Reason.TOO_FEW_QUERIES.value] if few else [Reason.SELF_RETRIEVAL_WORSE.value] if worse else []
    return _examined(Part.SELF_RETRIEVAL, reasons, {"among_ten": found.as_json(), "first": first.as_json()})


def _agreement(found: Alike) -> Examined:
    reasons = {Trip.SAME: [Reason.SAME.value], Trip.LOOK: [Reason.APART.value], Trip.NONE: []}[found.trip]
    return _examined(Part.AGREEMENT, reasons if found.queries else [Reason.NOTHING_FOUND.value], found.as_json())


def _cost(speed: Speed | None, spending: Spending | None) -> Examined:
    reasons: list[str] = []
    numbers: dict[str, Any] = {}
    if speed is None or speed.measured < TIMED:
        reasons.append(Reason.TOO_FEW_TIMED.value)
    elif speed.new_p95 > slowest(speed.old_p95):
        reasons.append(Reason.SLOWER.value)
    if speed is not None:
        numbers |= {"old_p95": round(speed.old_p95, 3), "new_p95": round(speed.new_p95, 3), "timed": speed.measured}
    if spending is None or (spending.remote and spending.filling.cost is None):
        reasons.append(Reason.COST_UNKNOWN.value)
    if spending is not None:
        for name, one in (("filling", spending.filling), ("thousand_queries", spending.thousand_queries)):
            numbers[name] = {"calls": one.calls, "texts": one.texts, "characters": one.characters, "cost": one.cost}
    return _examined(Part.COST, reasons, numbers)
