"""From a labelled set and its vectors to lines of figures: Mendory and the baselines on the same rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bench.quality.baselines import COSINE, JACCARD, cues, jaccard
from bench.quality.folds import fold_of
from bench.quality.goals import PRECISION, own_threshold
from bench.quality.measure import Counts, Flags, Scores
from bench.quality.ours import NEVER, Judged, judged, of_unseen
from bench.quality.sets import Labelled
from bench.quality.vectors import Embed
from mendory.thresholds import lowest

ALL: Final = "all"
"""The kind of a line that is about a whole set."""

OURS: Final = "mendory"
OURS_CALIBRATED: Final = "mendory, calibrated on the set's other half"
ALONE: Final = f"cosine ≥ {COSINE} alone"
ALONE_CALIBRATED: Final = "cosine alone, calibrated on the set's other half"
OVERLAP: Final = "Jaccard"
CUES: Final = "cue rules alone"
NEAREST: Final = "nearest fact by Jaccard, always"
HANDED: Final = "mendory, handed on as a candidate"
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
    found: list[tuple[str, float | None, Flags]] = [(OURS, ours.decides, ours.conflicts >= ours.decides)]
    if not all_rows:
        folds = [fold_of(pair.b, pair.kind) for pair in held.pairs]
        unseen = of_unseen(texts, cosines, held.language, folds)
        at = own_threshold(held.name, unseen[tuning], there[tuning])
        found.append((OURS_CALIBRATED, at, np.zeros_like(there) if at is None else ours.conflicts >= at))
    found += [(HANDED, None, ours.candidate), (RELATED, None, ours.related), (CUES, None, cued)]
    lines = [
        Line(held.name, held.language, ALL, method, Counts.of(flags[report], there[report]), int(report.sum()), at)
        for method, at, flags in found
    ]
    lines += _kinds(held, there, report, [(method, flags) for method, _, flags in found])
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
    texts = [(fact, case.new) for case in held.choices for fact in case.facts]
    wanted = np.array([at in case.wanted for case in held.choices for at in range(len(case.facts))], dtype=bool)
    cosines = _cosines(texts, held.language, embed)
    ours = judged(texts, cosines, held.language)
    overlap = _overlaps(texts, held.language)
    report = np.array([all_rows or not case.tuning for case in held.choices], dtype=bool)
    found: list[tuple[str, float | None, Scores]] = [(OURS, ours.decides, ours.conflicts)]
    if not all_rows:
        folds = [fold_of(case.new, str(number)) for number, case in enumerate(held.choices) for _ in case.facts]
        score, right = _best(of_unseen(texts, cosines, held.language, folds), wanted, held)
        found.append((OURS_CALIBRATED, own_threshold(held.name, score[~report], right[~report]), ours.conflicts))
    cued = np.array([cues(a, b, held.language) for a, b in texts], dtype=bool)
    found += [
        (HANDED, None, np.where(ours.candidate, cosines + 2, 0.0)),
        (RELATED, None, np.where(ours.related, cosines + 2, 0.0)),
        (CUES, None, np.where(cued, overlap + 1, 0.0)),
        (NEAREST, None, overlap + 1),
    ]
    lines = []
    for method, at, scores in found:
        floor = NEVER if method == OURS_CALIBRATED and at is None else at or 1.0
        counts = _localised(scores, floor, wanted, held, report)
        lines.append(Line(held.name, held.language, ALL, method, counts, int(report.sum()), at))
    mine = np.repeat(report, [len(case.facts) for case in held.choices])
    return lines, _called(held, texts, wanted & mine, ours, cosines)


def _best(scores: Scores, wanted: Flags, held: Labelled) -> tuple[Scores, Flags]:
    """Of each case the highest score of its facts, and whether that fact is one of those contradicted."""
    ends = np.cumsum([len(case.facts) for case in held.choices])[:-1]
    rows = [(part, right) for part, right in zip(np.split(scores, ends), np.split(wanted, ends), strict=True)]
    best = [int(part.argmax()) for part, _ in rows]
    return (
        np.array([part[at] for (part, _), at in zip(rows, best, strict=True)]),
        np.array([right[at] for (_, right), at in zip(rows, best, strict=True)], dtype=bool),
    )


def _localised(scores: Scores, floor: float, wanted: Flags, held: Labelled, report: Flags) -> Counts:
    """For each reported case the best of its facts, found from the floor on; right when it is contradicted.

    A case with a contradiction in which another fact is named is both a false find and a missed one.
    """
    best, right = _best(scores, wanted, held)
    there = np.array([bool(case.wanted) for case in held.choices], dtype=bool)
    fired = best >= floor
    hits = int((fired & right & report).sum())
    false = int((fired & ~right & report).sum())
    missed = int((there & ~(fired & right) & report).sum())
    return Counts(hits, false, missed, int((~fired & ~there & report).sum()))


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
