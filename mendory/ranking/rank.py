"""The order in which recall returns memories: similarity × weight, exceptions first where their scene is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from mendory.ranking.model import Candidate, Recalled
from mendory.ranking.scenes import Asked
from mendory.record import Memory, Status
from mendory.staleness import DAY, Curves, lasting, weigh


@dataclass(frozen=True, slots=True)
class Ranked:
    """The memories in order, and which candidates recall does not return, by why: `superseded`, `status_unknown`."""

    found: tuple[Recalled, ...]
    left_out: tuple[tuple[str, str], ...]


def rank(
    query: str, scope: str | None, candidates: Iterable[Candidate], known: frozenset[str], now: datetime, curves: Curves
) -> Ranked:
    """All candidates that recall returns, best first; of equal scores the first by id.

    `known` are the ids that candidates name as successors and that lead somewhere: a memory with such a successor is
    not returned. A disputed memory is, with its mark. An exception stands before its general memory where the query
    speaks of its scene or it is of a scope inside the other's, else behind it.
    """
    found: list[Recalled] = []
    left_out: list[tuple[str, str]] = []
    for one in candidates:
        memory = one.memory
        if memory.status is not None and not memory.recallable:
            if memory.status != Status.ARCHIVED:
                left_out.append((str(memory.id), "status_unknown"))
            continue
        successor = memory.superseded_by or memory.duplicate_of
        if successor in known:
            left_out.append((str(memory.id), "superseded"))
            continue
        found.append(_weighed(one, successor, scope, now, curves))
    found.sort(key=lambda recalled: (-recalled.score, recalled.id))
    return Ranked(tuple(_exceptions(query, found)), tuple(left_out))


def _weighed(one: Candidate, successor: str | None, scope: str | None, now: datetime, curves: Curves) -> Recalled:
    memory = one.memory
    weighed = weigh(memory, lasting(memory), memory.kept.factor, now, curves)
    # what is far from the query does not come nearer by weighing less
    score = one.similarity * weighed.weight if one.similarity > 0 else one.similarity
    numbers = {"factor": weighed.factor}
    if weighed.age is not None and weighed.fresh is not None:
        numbers |= {"age_days": round(weighed.age / DAY, 2), "fresh": round(weighed.fresh, 4)}
    why = (*weighed.why, *_labels(memory, scope))
    return Recalled(memory, one.similarity, weighed.weight, score, why, numbers, successor)


def _labels(memory: Memory, scope: str | None) -> Iterable[str]:
    if memory.status == Status.PENDING_REVIEW or memory.kept.disputed_with:
        yield "disputed"
    if memory.scope != scope:
        yield "inherited"


def _exceptions(query: str, found: Sequence[Recalled]) -> list[Recalled]:
    """The same, each exception before or behind the general memories it is linked to; the rest keep their order."""
    order = list(found)
    for one in found:
        general = [other for other in order if other.id in one.exception_of] if one.exception_of else []
        if not general:
            continue
        at = next(place for place, other in enumerate(order) if other.id == one.id)
        places = [order.index(other) for other in general]
        stands = Asked.of(query).stands(one.memory, (other.memory for other in general))
        if stands == "general":
            if at < max(places):
                order.insert(max(places), _said(order.pop(at), stands))
        elif at > min(places):
            order.insert(min(places), _said(order.pop(at), stands))
    return order


def _said(one: Recalled, word: str) -> Recalled:
    return replace(one, why=(*one.why, word))
