"""`python -m bench.quality.fit`: fits the weights and the thresholds that ship with Mendory, and writes both files.

Fitted on the tuning half of the labelled sets alone (see `sets.in_tuning_half`), on pairs against which no veto
speaks. Every set counts alike, and in it both labels; contradictions are pairs that say something different. The
thresholds are chosen on scores of pairs that the weights were not fitted on (five folds), so that they are not too
low. The same data give the same files.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from bench.quality.sets import Labelled, Pair, labelled
from bench.quality.vectors import MINILM, USE, Embed, Model, cached
from mendory.language import language_of
from mendory.sameness.features import NAMES, Side, features
from mendory.sameness.model import COSINE_TERMS, TEXT_TERMS, mirrored, mixture, terms
from mendory.thresholds.provisional import measure
from mendory.veto import vetoes_of

ROOT: Final = Path(__file__).resolve().parents[2]
PRECISION: Final = 0.90
MARGIN: Final = 0.02
"""Thresholds are chosen for so much more precision than is wanted: the half they are chosen on is lucky. Over
balanced sets both halves agree to .01, and nothing is added."""
LEAST_RECALL: Final = 0.1
"""Where a threshold with the wanted precision finds less, precision is asked for on balanced sets instead."""
CONTRADICTIONS: Final = 0.004
"""At most this share of the contradictions of a language may be called the same."""
FOLDS: Final = 5
PENALTY: Final = 4.0
APART: Final = 0.5
"""What coefficients cost, and, beside that, that those of short texts differ from those of long ones."""
CONTRADICTING: Final = 0.15
"""What a set of contradictions counts beside a set of duplicates."""
STEPS: Final = 60

Array = npt.NDArray[np.float64]
SPACES: Final = ((MINILM, "en"), (USE, "zh"), (USE, "en"))


@dataclass(frozen=True, slots=True)
class Pairs:
    """The tuning half of a set in one space: features, calibrated cosine, label and weight of each pair, and its fold.

    `free` are pairs that a language reads, against which nothing speaks, and that are not one another's mirror.
    """

    name: str
    contradictions: bool
    features: Array
    cosines: Array
    same: npt.NDArray[np.bool_]
    free: npt.NDArray[np.bool_]
    fold: npt.NDArray[np.int64]

    @property
    def weights(self) -> Array:
        """Each label of the set counts half a set, over pairs that are free."""
        weight = np.zeros(len(self.same))
        for label in (True, False):
            these = self.free & (self.same == label)
            if these.any():
                weight[these] = (CONTRADICTING if self.contradictions else 1.0) * 500 / these.sum()
        return weight


def as_pairs(held: Labelled) -> Labelled:
    """A set of choices as pairs: each new fact with the old ones it contradicts."""
    chosen = (
        Pair(c.facts[at], c.new, True, "contradiction", c.tuning) for c in held.choices for at in sorted(c.wanted)
    )
    return replace(held, pairs=(*held.pairs, *chosen), choices=())


def read(held: Labelled, embed: Embed, unrelated: float) -> Pairs:
    """The tuning half of a set, read and embedded."""
    rows = [p for p in held.pairs if p.tuning]
    # all of the set: so its vectors are those that `make quality` keeps
    made = embed([t for p in held.pairs for t in (p.a, p.b)], held.language).astype(np.float64)
    tuning = np.array([p.tuning for p in held.pairs])
    a, b = made[0::2][tuning], made[1::2][tuning]
    cosines = np.clip((np.einsum("ij,ij->i", a, b) - unrelated) / (1 - unrelated), 0, 1)
    sides: dict[str, Any] = {}
    for text in {t for p in rows for t in (p.a, p.b)}:
        language = language_of(text)
        if language is not None:
            reading = language.read(text)
            sides[text] = (language, reading, Side.of(reading))
    found, free = np.zeros((len(rows), len(NAMES))), np.zeros(len(rows), dtype=bool)
    for at, pair in enumerate(rows):
        one, other = sides.get(pair.a), sides.get(pair.b)
        if one is None or other is None or one[0].code != other[0].code:
            continue
        found[at] = features(one[2], other[2])
        free[at] = not vetoes_of(one[1], other[1], one[0]) and not mirrored(found[at])
    contradictions = held.task == "contradictions"
    # what follows from a text, or has nothing to do with it, is no label about duplicates
    told = np.array([not contradictions or p.positive for p in rows])
    same = np.array([p.positive and not contradictions for p in rows])
    fold = np.array([int(hashlib.sha256((p.b + p.a).encode()).hexdigest(), 16) % FOLDS for p in rows])
    return Pairs(held.name, contradictions, found[told], cosines[told], same[told], free[told], fold[told])


def design(held: Pairs, with_cosine: bool) -> Array:
    """The terms of each pair, once for short and once for long texts."""
    rows = []
    for row, cosine in zip(held.features, held.cosines, strict=True):
        found, part = np.array(terms(tuple(row), float(cosine) if with_cosine else None)), mixture(tuple(row))
        rows.append(np.concatenate([(1 - part) * found, part * found]))
    return np.array(rows)


def fitted(x: Array, y: Array, weight: Array, with_cosine: bool) -> Array:
    """Coefficients of a ridge logistic regression, none negative of a term with a cosine (projected Newton steps)."""
    use = weight > 0
    x, y, weight = x[use], y[use], weight[use] / weight[use].sum()
    half = x.shape[1] // 2
    scale = np.tile(np.sqrt((weight[:, None] * (x[:, :half] + x[:, half:]) ** 2).sum(axis=0)) + 1e-9, 2)
    x = x / scale
    apart = np.kron([[1, -1], [-1, 1]], np.eye(half))
    ridge = PENALTY / len(y) * (np.eye(2 * half) + APART * apart)
    bounded = np.zeros(x.shape[1], dtype=bool)
    if with_cosine:
        bounded[TEXT_TERMS:half] = bounded[half + TEXT_TERMS :] = True

    def loss(held: Array) -> float:
        z = x @ held
        return float((weight * (np.logaddexp(0, z) - y * z)).sum() + held @ ridge @ held / 2)

    held = np.zeros(x.shape[1])
    for _ in range(STEPS):
        sure = probabilities(x, held)
        gradient = x.T @ (weight * (sure - y)) + ridge @ held
        curve = (x * (weight * sure * (1 - sure))[:, None]).T @ x + ridge
        loose = ~(bounded & (held <= 0) & (gradient > 0))
        step = np.zeros(len(held))
        step[loose] = np.linalg.solve(curve[np.ix_(loose, loose)], gradient[loose])
        size, before = 1.0, loss(held)
        while size > 1e-6:
            new = held - size * step
            new[bounded] = np.maximum(new[bounded], 0)
            if loss(new) <= before:
                break
            size /= 2
        if np.abs(new - held).max() < 1e-7:
            break
        held = new
    return held / scale


def probabilities(x: Array, coefficients: Array) -> Array:
    """How sure each pair is."""
    return 1 / (1 + np.exp(-x @ coefficients))


def crossed(sets: Sequence[Pairs], with_cosine: bool) -> tuple[Array, list[Array]]:
    """Coefficients fitted on all pairs, and of each set the scores by coefficients that had not seen the pair."""
    x = [design(held, with_cosine) for held in sets]
    every, labels = np.concatenate(x), np.concatenate([h.same for h in sets]).astype(float)
    weight, fold = np.concatenate([h.weights for h in sets]), np.concatenate([h.fold for h in sets])
    scores = np.zeros(len(labels))
    for one in range(FOLDS):
        seen = np.where(fold == one, 0, weight)
        scores[fold == one] = probabilities(every[fold == one], fitted(every, labels, seen, with_cosine))
    scores[~np.concatenate([h.free for h in sets])] = 0
    ends = np.cumsum([len(h.same) for h in sets])[:-1]
    return fitted(every, labels, weight, with_cosine), np.split(scores, ends)


def chosen(sets: Sequence[Pairs], scores: Sequence[Array]) -> dict[str, Any]:
    """The threshold with most recall that has the wanted precision and calls few contradictions the same.

    Precision is the mean over the sets; where that leaves less than `LEAST_RECALL`, that of sets in which both labels
    are as frequent ("balanced").
    """
    tried = [_tried(float(value), sets, scores) for value in np.arange(0.995, 0.3, -0.005)]
    calm = [t for t in tried if t["called"] <= CONTRADICTIONS]
    for measure_of, wanted in (("precision", PRECISION + MARGIN), ("balanced", PRECISION)):
        fit = [t for t in calm if t[measure_of] >= wanted]
        best = max(fit, key=lambda t: t["recall"], default=tried[0])
        if best["recall"] >= LEAST_RECALL:
            return {**best, "by": measure_of}
    return {**best, "by": "neither"}


def _tried(value: float, sets: Sequence[Pairs], scores: Sequence[Array]) -> dict[str, Any]:
    """What a threshold does: over the sets of duplicates, and to contradictions."""
    twins = [(h, s >= value) for h, s in zip(sets, scores, strict=True) if not h.contradictions]
    against = [s >= value for h, s in zip(sets, scores, strict=True) if h.contradictions]
    recalls = np.array([called[h.same].mean() for h, called in twins])
    alarms = np.array([called[~h.same].mean() for h, called in twins])
    precisions = np.array([h.same[called].mean() if called.any() else 1.0 for h, called in twins])
    each = zip(twins, precisions, recalls, strict=True)
    return {
        "value": round(value, 3),
        "precision": round(float(precisions.mean()), 3),
        "balanced": round(float(recalls.sum() / max(recalls.sum() + alarms.sum(), 1e-9)), 3),
        "recall": round(float(recalls.mean()), 3),
        "n": sum(len(h.same) for h, _ in twins),
        "called": round(float(np.concatenate(against).mean()), 4) if against else 0.0,
        "each": {h.name: [round(float(p), 3), round(float(r), 3)] for (h, _), p, r in each},
    }


def floor_of(sets: Sequence[Pairs], scores: Sequence[Array], value: float) -> float:
    """The calibrated cosine above which all but 1 % of the pairs lie that are called the same."""
    called = np.concatenate([h.cosines[(s >= value) & h.same] for h, s in zip(sets, scores, strict=True)])
    return float(np.quantile(called, 0.01)) if len(called) else 1.0


def _of(model: Model, folder: Path) -> Embed:
    embed = cached(folder)
    return lambda texts, _language: embed(texts, "en" if model is MINILM else "zh")


def unrelated_in(sets: Sequence[Labelled], embed: Embed) -> float:
    """The mean over the sets of the median cosine of random pairs."""
    medians = []
    for held in sets:
        made = embed([t for p in held.pairs for t in (p.a, p.b)], held.language)
        made = made[np.repeat([p.tuning for p in held.pairs], 2)]
        keys = np.arange(len(made), dtype=np.uint64)
        found = measure(made, np.zeros(len(made), np.int64), keys, np.random.default_rng(6))
        assert found is not None
        medians.append(found.unrelated)
    return round(float(np.mean(medians)), 2)


def main(argv: list[str]) -> int:
    """Fit, write both files, print what was chosen."""
    parser = argparse.ArgumentParser(prog="python -m bench.quality.fit", description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    options = parser.parse_args(argv)
    sets = [as_pairs(held) for held in labelled(options.data)]
    weights: dict[str, Any] = {}
    thresholds: list[dict[str, Any]] = []
    every: list[Pairs] = []
    texts: dict[str, dict[str, Any]] = {}
    for model, language in SPACES:
        embed = _of(model, ROOT / ".quality")
        mine = [held for held in sets if held.language == language]
        unrelated = unrelated_in([h for h in mine if h.task == "duplicates"], embed)
        pairs = [read(held, embed, unrelated) for held in mine]
        fresh = language not in weights
        if fresh:
            every += pairs
            with_cosine, scores = crossed(pairs, True)
            alone, text_scores = crossed(pairs, False)
            weights[language] = _cut(with_cosine, alone)
            texts[language] = chosen(pairs, text_scores)
        else:  # another model, the same weights: they know no model
            both = np.array([*weights[language]["short"], *weights[language]["long"]])
            scores = [np.where(h.free, probabilities(design(h, True), both), 0) for h in pairs]
        found = chosen(pairs, scores)
        floor = unrelated + (1 - unrelated) * floor_of(pairs, scores, found["value"])
        thresholds.append(_threshold(model.space, language, found, texts[language], unrelated, floor))
        print(model.space, language, json.dumps(found), "text alone", json.dumps(texts[language]), flush=True)
    thresholds += [_threshold("", language, held, held, 0.0, 0.0) for language, held in texts.items()]
    weights[""] = _cut(crossed(every, True)[0], crossed(every, False)[0])
    if not options.dry_run:
        names = {h.name: len(h.same) for h in every}
        _write(
            "sameness/weights.json", {"made by": "python -m bench.quality.fit", "pairs": names, "languages": weights}
        )
        _write("thresholds/shipped.json", {"made by": "python -m bench.quality.fit", "thresholds": thresholds})
    return 0


def _cut(with_cosine: Array, alone: Array) -> dict[str, list[float]]:
    short, long = np.split(with_cosine, 2)
    assert len(short) == TEXT_TERMS + COSINE_TERMS
    short_text, long_text = np.split(alone, 2)
    parts = {"short": short, "long": long, "short_text": short_text, "long_text": long_text}
    return {name: [round(float(c), 3) + 0.0 for c in held] for name, held in parts.items()}


def _threshold(
    space: str, language: str, found: dict[str, Any], text: dict[str, Any], unrelated: float, floor: float
) -> dict[str, Any]:
    return {
        "space": space.casefold(),
        "language": language,
        "value": found["value"],
        "text_value": text["value"],
        "unrelated": unrelated,
        "floor": round(floor, 2),
        "precision": found["precision"],
        "recall": found["recall"],
        "n": found["n"],
    }


def _write(name: str, data: dict[str, Any]) -> None:
    text = json.dumps(data, indent=1, ensure_ascii=False)
    (ROOT / "mendory" / name).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
