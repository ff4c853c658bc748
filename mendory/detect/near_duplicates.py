"""Memories that say the same in other words, and pairs that only look so."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import isnan
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mendory import digest
from mendory.candidates import Pairs
from mendory.detect.cohesion import groups
from mendory.detect.exact_duplicates import INCIDENTAL, MERGEABLE, age, plain_kind, span
from mendory.detect.neighbours import Neighbours, Observed
from mendory.detect.verdicts import Handed
from mendory.finding import Code, Finding, finding
from mendory.language import language_of, languages
from mendory.record import Kind, Memory
from mendory.sameness import Judgement, judge
from mendory.text import exact_key, is_blank
from mendory.thresholds import Origin, Threshold
from mendory.veto import Veto

_READS: Final = ("content", "scope", "status", "kind", "metadata", "claim", "created_at")
ALIKE: Final = 0.85
"""From this share of the way between unrelated texts and the same text on, two texts are about one thing: pairs whose
number alone was changed lie at .90 to .98 by cosine (median .98 in MiniLM, .93 in USE), unrelated ones below .3."""
APART: Final = frozenset({Veto.OWNER, Veto.SCENE})
"""Of two people or two scenes neither takes back what was said of the other."""
OPPOSED: Final = frozenset({Veto.POLARITY, Veto.NUMBER, Veto.UNIT, Veto.VERSION, Veto.DATE})
"""What two sides of one thing differ in; another name, owner or scene makes it another thing."""
EPHEMERAL: Final = Kind.EPHEMERAL.value
MOULD: Final = 3
"""A row that a veto keeps apart from more rows than this is one of a series (orders, log lines), not of a dispute."""
_FETCHED: Final = 20_000


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two rows, the earlier one first, their cosine (NaN where one has no vector), and how they were judged."""

    rows: tuple[Memory, Memory]
    cosine: float
    judged: Judgement
    threshold: Threshold

    @property
    def beside(self) -> bool:
        """Whether one may have been said instead of the other: much alike, of one person and scene, not the same."""
        if not self.judged.vetoes or APART & set(self.judged.vetoes):
            return False
        near = not isnan(self.cosine) and self.threshold.calibrated(self.cosine) >= ALIKE
        return near or self.judged.score >= self.threshold.value

    @property
    def opposed(self) -> bool:
        """Whether both can't be true: of two things they may be, and on two days what passes."""
        against = set(self.judged.vetoes)
        return against <= OPPOSED and not (Veto.DATE in against and any(plain_kind(m) == EPHEMERAL for m in self.rows))

    @property
    def ids(self) -> tuple[str, str]:
        """Their ids."""
        return str(self.rows[0].id), str(self.rows[1].id)


class NearDuplicates:
    """Recallable memories of one scope whose texts say the same in other words.

    Flags: `duplicate_near`, groups in which each row says the same as each other one by the calibrated bound of their
    language and the table's space, and nothing in the raw texts speaks against it (`mendory.veto`); written within the
    window, or outside it by half the distance to certainty more and with no memory between them that speaks against
    one. `conflict_candidate`: two rows so much alike that only a negation, number, unit, version or date keeps them
    apart, for each row its nearest, unless it is kept apart from more than three: a series. Pairs that can't both hold
    are handed on to the detector of conflicts, where there is one, and are no candidates.
    Does not flag: equal texts, which are `duplicate_exact` or `duplicate_restated`; rows of two scopes, owners, kinds,
    claims, scenes or statuses, or that differ in the owner's further columns; events; archived rows; texts that no
    language reads, or in two languages; rows without a time. Cost: one key a row; the pairs come from
    `mendory.candidates`; texts of rows in a pair are fetched, scope by scope, and read once.
    """

    codes = (Code.DUPLICATE_NEAR, Code.CONFLICT_CANDIDATE)

    def __init__(
        self,
        window: timedelta,
        owner_keys: Sequence[str],
        absent: Collection[str],
        incidental: Sequence[str] = (),
        neighbours: Neighbours | None = None,
        handed: Handed | None = None,
    ) -> None:
        self._window = window
        self._owners = tuple(owner_keys)
        self._absent = frozenset(absent)
        self._incidental = INCIDENTAL.union(incidental)
        self._neighbours = neighbours
        self._handed = handed
        self._seen = Observed()
        self._shared: set[str] = set()

    def observe(self, memory: Memory) -> None:
        """Note a recallable memory."""
        shown = memory.recallable or "status" in self._absent
        told = shown and memory.id and not is_blank(memory.scope) and not is_blank(memory.content)
        if told and self._neighbours is not None:
            self._seen.add(memory)

    def findings(self, fetch: Callable[[Sequence[str]], Mapping[str, Memory]]) -> Iterator[Finding]:
        """One finding per group, and per pair that a veto keeps apart."""
        if self._neighbours is None or not self._seen.ids:
            return
        floor = self._neighbours.floor()
        if floor is None:
            return
        limits = {code: self._neighbours.threshold(code) for code in languages()}
        self._shared = {name for name, rows in Counter(self._seen.ids).items() if rows > 1}
        pairs = self._neighbours.near(self._seen, floor)
        for part in parts(pairs, self._seen.scopes, _FETCHED):
            yield from self._judge(part, limits, fetch)

    def _judge(
        self,
        pairs: Pairs,
        limits: Mapping[str, Threshold | None],
        fetch: Callable[[Sequence[str]], Mapping[str, Memory]],
    ) -> Iterator[Finding]:
        names = {self._seen.ids[at] for at in np.unique([pairs.left, pairs.right]).tolist()}
        held = fetch(sorted(names - self._shared))
        same: dict[tuple[str, str], _Pair] = {}
        against: dict[tuple[str, str], _Pair] = {}
        for left, right, cosine in zip(pairs.left.tolist(), pairs.right.tolist(), pairs.cosine.tolist(), strict=True):
            both = [held.get(self._seen.ids[at]) for at in (left, right)]
            if both[0] is None or both[1] is None or not self._comparable(both[0], both[1]):
                continue
            a, b = sorted((both[0], both[1]), key=age)
            judged = _judged(a, b, None if isnan(cosine) else cosine, limits)
            if judged is None:
                continue
            pair = _Pair((a, b), cosine, *judged)
            if pair.judged.same:
                same[pair.ids] = pair
            elif pair.beside:
                against[pair.ids] = pair
        yield from self._duplicates(same, against)
        yield from _candidates(self._undecided(against) if self._handed else against)

    def _undecided(self, against: Mapping[tuple[str, str], _Pair]) -> dict[tuple[str, str], _Pair]:
        """The pairs that are no conflict and no exception; the others are handed on where words alone tell it.

        Of a series words tell nothing, nor of what lies near by a provisional threshold. What claims tell the detector
        of conflicts finds by itself.
        """
        assert self._handed is not None
        rest, told = dict(against), {}
        for ids, pair in against.items():
            known = not isnan(pair.cosine) and not pair.threshold.for_people
            clash = self._handed.verdicts.of(*pair.rows, pair.threshold.calibrated(pair.cosine) if known else None)
            if clash is None or not (clash.conflict or clash.exception):
                continue
            if clash.claimed:
                del rest[ids]
            elif not pair.threshold.for_people:
                told[ids] = pair
        partners = Counter(name for ids in told for name in ids)
        for ids, pair in told.items():
            if all(partners[name] <= MOULD for name in ids):
                self._handed.add(pair.rows, None if isnan(pair.cosine) else pair.threshold.calibrated(pair.cosine))
                del rest[ids]
        return rest

    def _comparable(self, a: Memory, b: Memory) -> bool:
        """Whether two rows may be one memory at all, whatever their texts say."""
        texts = exact_key(a.content or ""), exact_key(b.content or "")
        return a.id != b.id and a.scope == b.scope and texts[0] != texts[1] and self._traits(a) == self._traits(b)

    def _traits(self, memory: Memory) -> Any:
        held = memory.metadata or {}
        return (
            memory.status,
            # an event may have happened twice; of an unknown kind nobody knows what it is
            kind if (kind := plain_kind(memory)) in (None, *MERGEABLE) else memory.id,
            [digest.of(held.get(key)) for key in (*self._owners, "scene")],
            digest.of(memory.claim),
            {name: digest.of(value) for name, value in memory.others.items() if name not in self._incidental},
            memory.id if memory.metadata_error or memory.wrong else None,
        )

    def _duplicates(
        self, same: Mapping[tuple[str, str], _Pair], against: Mapping[tuple[str, str], _Pair]
    ) -> Iterator[Finding]:
        rows = {str(m.id): m for pair in same.values() for m in pair.rows}
        between = _between(against)
        place = {name: at for at, name in enumerate(sorted(rows))}
        names = list(place)
        holds = {
            tuple(sorted((place[a], place[b]))): pair.judged.score
            for (a, b), pair in same.items()
            if self._one_memory(pair, between)
        }
        for group in groups(holds):  # type: ignore[arg-type]
            members = [rows[names[at]] for at in group]
            inside = [(i, j, holds[group[i], group[j]]) for i in range(len(group)) for j in range(i + 1, len(group))]
            origins = {p.threshold.origin for p in same.values() if {*p.ids} <= {str(m.id) for m in members}}
            evidence = {
                "rows": len(members),
                "pairs": [[i, j, round(score, 3)] for i, j, score in inside],
                "lowest": round(min(score for _, _, score in inside), 3),
                "span_seconds": span(members),
                "origin": max(origins, key=list(Origin).index).value,
            }
            reason = f"{len(members)} memories of one scope say the same in other words"
            yield finding(Code.DUPLICATE_NEAR, members, _READS, reason, evidence, "near/1")

    def _one_memory(self, pair: _Pair, between: Mapping[str, Sequence[datetime]]) -> bool:
        """Within the window what the bound says; outside it a stricter one, and nothing said against it meanwhile."""
        a, b = (m.created_at for m in pair.rows)
        if a is None or b is None:
            return False
        if b - a <= self._window:
            return True
        stricter = pair.threshold.value + (1 - pair.threshold.value) / 2
        history = any(a < at < b for name in pair.ids for at in between.get(name, ()))
        return pair.judged.score >= stricter and not history

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Near duplicates, where nobody knows a bound for the vectors. Where none were read, nothing was asked for."""
        if self._neighbours is not None and self._neighbours.floor() is None:
            yield "near duplicates", "no bound is known for the space of the vectors: mendory calibrate"


def _judged(
    a: Memory,
    b: Memory,
    cosine: float | None,
    limits: Mapping[str, Threshold | None],
) -> tuple[Judgement, Threshold] | None:
    """How two texts were judged and by which bound; None where no one language reads both, or knows no bound."""
    language = language_of(a.content or "")
    if language is None or language_of(b.content or "") is not language:
        return None
    limit = limits.get(language.code)
    return None if limit is None else (judge(a.content or "", b.content or "", cosine, limit), limit)


def _between(against: Mapping[tuple[str, str], _Pair]) -> dict[str, list[datetime]]:
    """Row → when something was said that a veto keeps apart from it."""
    said: dict[str, list[datetime]] = defaultdict(list)
    for (a, b), pair in against.items():
        for name, other in ((a, pair.rows[1]), (b, pair.rows[0])):
            if other.created_at:
                said[name].append(other.created_at)
    return said


def _candidates(against: Mapping[tuple[str, str], _Pair]) -> Iterator[Finding]:
    """For each row the pair with the one it is most like; none of a series, none by a provisional threshold."""
    opposed = [pair for pair in against.values() if pair.opposed]
    partners = Counter(name for pair in opposed for name in pair.ids)
    best: dict[str, _Pair] = {}
    for pair in sorted(opposed, key=lambda p: (-p.judged.score, p.ids)):
        for name in pair.ids:
            best.setdefault(name, pair)
    for pair in {p.ids: p for p in best.values()}.values():
        if pair.threshold.for_people or any(partners[name] > MOULD for name in pair.ids):
            continue
        what = sorted(veto.value for veto in pair.judged.vetoes)
        reason = f"two memories are nearly the same but for {', '.join(what)}"
        evidence = {"vetoes": what, "score": round(pair.judged.score, 3), "span_seconds": span(pair.rows)}
        yield finding(Code.CONFLICT_CANDIDATE, pair.rows, _READS, reason, evidence, "near/1")


def parts(pairs: Pairs, scopes: npt.NDArray[np.int64], most: int) -> Iterator[Pairs]:
    """The pairs scope by scope, several small scopes together, of about `most` pairs each."""
    of = scopes[pairs.left]
    order = np.argsort(of, kind="stable")
    ends = np.flatnonzero(np.diff(of[order])) + 1
    start = 0
    for end in (*ends.tolist(), len(order)):
        if end - start >= most or end == len(order):
            chosen = order[start:end]
            if len(chosen):
                yield pairs.at(chosen)
            start = end
