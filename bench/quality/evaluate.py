"""From a labelled set and its vectors to lines of figures: Mendory and the baselines on the same rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bench.quality.baselines import COSINE, JACCARD, cues, jaccard
from bench.quality.measure import Counts, Flags, Scores
from bench.quality.ours import Judged, judged
from bench.quality.sets import Labelled
from bench.quality.vectors import Embed
from mendory.thresholds import lowest

PRECISION: Final = 0.90
"""The precision at which the recall of duplicates is asked for."""

ALL: Final = "all"
"""The kind of a line that is about a whole set."""

OURS: Final = "mendory"
OURS_CALIBRATED: Final = "mendory, calibrated on the set's other half"
ALONE: Final = f"cosine ≥ {COSINE} alone"
ALONE_CALIBRATED: Final = "cosine alone, calibrated on the set's other half"
OVERLAP: Final = "Jaccard"
CUES: Final = "cue rules alone"
NEAREST: Final = "nearest fact by Jaccard, always"
VETOED: Final = "mendory, a veto"
RELATED: Final = "mendory, a veto between related texts"


@dataclass(frozen=True, slots=True)
class Line:
    """What one method found in `n` rows: a set, or the pairs of one kind of it. `at`: its threshold, if any."""

    name: str
    language: str
    kind: str
    method: str
    counts: Counts
    n: int
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Called:
    """How many contradictions of a set a method calls duplicates."""

    name: str
    language: str
    method: str
    called: int
    n: int


def duplicates(held: Labelled, embed: Embed, all_rows: bool) -> list[Line]:
    """The lines of a set of duplicates, reported on its other half, or with `all_rows` on all with nothing chosen."""
    texts, there, tuning, cosines = _arrays(held, embed)
    ours = judged(texts, cosines, held.language)
    overlap = _overlaps(texts, held.language)
    floor = JACCARD.get(held.language, JACCARD["en"])
    report = np.ones(len(texts), dtype=bool) if all_rows else ~tuning
    found: list[tuple[str, float | None, Flags]] = [(OURS, ours.at, ours.same)]
    if not all_rows:
        for method, scores in ((OURS_CALIBRATED, ours.scores), (ALONE_CALIBRATED, np.maximum(cosines, 0.0))):
            best = lowest(scores[tuning].tolist(), there[tuning].tolist(), PRECISION)
            at = None if best is None else best.value
            found.append((method, at, np.zeros_like(there) if at is None else scores >= at))
    found += [(ALONE, COSINE, cosines >= COSINE), (f"{OVERLAP} ≥ {floor}", floor, overlap >= floor)]
    lines = [
        Line(held.name, held.language, ALL, method, Counts.of(flags[report], there[report]), int(report.sum()), at)
        for method, at, flags in found
    ]
    by_kind = ((OURS, ours.same), (VETOED, ours.vetoed), (ALONE, cosines >= COSINE))
    return lines + _kinds(held, there, report, by_kind)


def contradictions(held: Labelled, embed: Embed, all_rows: bool) -> tuple[list[Line], list[Called]]:
    """The lines of a set of contradicting pairs, in all and by kind, and how many of them are called duplicates."""
    texts, there, tuning, cosines = _arrays(held, embed)
    ours = judged(texts, cosines, held.language)
    cued = np.array([cues(a, b, held.language) for a, b in texts], dtype=bool)
    report = np.ones(len(texts), dtype=bool) if all_rows else ~tuning
    methods = ((OURS, ours.candidate), (RELATED, ours.related), (CUES, cued))
    lines = [
        Line(held.name, held.language, ALL, method, Counts.of(flags[report], there[report]), int(report.sum()))
        for method, flags in methods
    ]
    lines += _kinds(held, there, report, methods)
    return lines, _called(held, texts, there & report, ours, cosines)


def _kinds(held: Labelled, there: Flags, report: Flags, methods: Iterable[tuple[str, Flags]]) -> list[Line]:
    """What each method finds in the reported pairs of each kind."""
    of = np.array([pair.kind for pair in held.pairs])
    lines = []
    for kind in sorted(set(of.tolist())):
        rows = report & (of == kind)
        for method, flags in methods:
            counts = Counts.of(flags[rows], there[rows])
            lines.append(Line(held.name, held.language, kind, method, counts, int(rows.sum())))
    return lines


def choices(held: Labelled, embed: Embed, all_rows: bool) -> tuple[list[Line], list[Called]]:
    """As `contradictions`, for new facts against old ones: what is found is the very fact that is contradicted."""
    cases = [case for case in held.choices if all_rows or not case.tuning]
    texts = [(fact, case.new) for case in cases for fact in case.facts]
    owner = np.array([at for at, case in enumerate(cases) for _ in case.facts])
    wanted = np.array([at in case.wanted for case in cases for at in range(len(case.facts))], dtype=bool)
    cosines = _cosines(texts, held.language, embed)
    ours = judged(texts, cosines, held.language)
    overlap = _overlaps(texts, held.language)
    lines = []
    for method, scores in (
        (OURS, np.where(ours.candidate, cosines, -1.0)),
        (RELATED, np.where(ours.related, cosines, -1.0)),
        (CUES, np.where([cues(a, b, held.language) for a, b in texts], overlap, -1.0)),
        (NEAREST, overlap),
    ):
        counts = _localised(scores, owner, wanted, len(cases))
        lines.append(Line(held.name, held.language, ALL, method, counts, len(cases)))
    return lines, _called(held, texts, wanted, ours, cosines)


def _localised(scores: Scores, owner: np.ndarray, wanted: Flags, cases: int) -> Counts:
    """For each case the best of its facts that fires at all; right when it is the one that is contradicted.

    A case with a contradiction in which another fact is named is both a false find and a missed one.
    """
    hits = false = missed = passed = 0
    for case in range(cases):
        rows = np.flatnonzero(owner == case)
        best = rows[int(np.argmax(scores[rows]))] if len(rows) else None
        fired = best is not None and bool(scores[best] >= 0)
        right = fired and bool(wanted[best])
        there = bool(wanted[rows].any())
        hits += right
        false += fired and not right
        missed += there and not right
        passed += not fired and not there
    return Counts(hits, false, missed, passed)


def _called(
    held: Labelled, texts: Sequence[tuple[str, str]], rows: Flags, ours: Judged, cosines: Scores
) -> list[Called]:
    floor = JACCARD.get(held.language, JACCARD["en"])
    overlap = _overlaps(texts, held.language)
    found = ((OURS, ours.same), (ALONE, cosines >= COSINE), (OVERLAP, overlap >= floor))
    n = int(rows.sum())
    return [Called(held.name, held.language, method, int((flags & rows).sum()), n) for method, flags in found]


def _arrays(held: Labelled, embed: Embed) -> tuple[list[tuple[str, str]], Flags, Flags, Scores]:
    texts = [(pair.a, pair.b) for pair in held.pairs]
    there = np.array([pair.positive for pair in held.pairs], dtype=bool)
    tuning = np.array([pair.tuning for pair in held.pairs], dtype=bool)
    return texts, there, tuning, _cosines(texts, held.language, embed)


def _cosines(texts: Sequence[tuple[str, str]], language: str, embed: Embed) -> Scores:
    """The cosine of each pair; the vectors have length 1."""
    if not texts:
        return np.zeros(0)
    vectors = embed([text for pair in texts for text in pair], language).astype(np.float64)
    return np.einsum("ij,ij->i", vectors[0::2], vectors[1::2])


def _overlaps(texts: Sequence[tuple[str, str]], language: str) -> Scores:
    return np.array([jaccard(a, b, language) for a, b in texts], dtype=float)
