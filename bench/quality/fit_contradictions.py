"""`python -m bench.quality.fit_contradictions`: fits what tells a contradiction in words, and writes its weights.

Fitted on the tuning half of the labelled sets alone (see `sets.in_tuning_half`), one language at a time, once with a
cosine and once without. Sets of contradictions keep their own balance of labels, since that is what precision is asked
at; pairs of duplicates that say the same are no contradictions. The probability from which a pair may be decided is
chosen on scores of pairs that the weights were not fitted on (five folds): the lowest at which every set of the
language that has finds has the wanted precision. The same data give the same file.
`folds.json` beside this module gets the weights of each fold (see `folds`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from bench.quality.folds import FILE, FOLDS, fold_of
from bench.quality.sets import Labelled, Pair, labelled
from bench.quality.vectors import cached, model_of
from mendory.contradiction.differences import differences
from mendory.contradiction.features import features
from mendory.contradiction.scoring import terms
from mendory.contradiction.texts import read
from mendory.thresholds import Thresholds

ROOT: Final = Path(__file__).resolve().parents[2]
PRECISION: Final = 0.90
"""What is wanted. Each score it is chosen on is of weights not fitted on that pair, so luck needs no margin."""
LEAST: Final = 20
"""Finds of a set below which its precision is chance."""
PENALTY: Final = {"en": 5.0, "zh": 30.0}
"""By language, chosen in five folds of the tuning halves. In Chinese words tell so little that whatever they seem to
tell is held back more."""
STEPS: Final = 40
COUNTS: Final = {
    "contradictions/sick": 3.0,
    "contradictions/cannot": 0.3,
    "contradictions/cdconv": 0.3,
    "contradictions/kvpi": 0.3,
}
"""What a set counts beside the others. Denials that people wrote beside what they are not about (sick) count most: what
tells there is words. Short sentences made by one rule, and what is told by claims or by the world, count less.
"""
SAME: Final = 0.3

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rows:
    """The tuning half of a set: terms of each pair, label, weight, fold, and whether its clash may be decided."""

    name: str
    found: list[dict[str, float]]
    there: Flags
    weight: Array
    fold: npt.NDArray[np.int64]
    decisive: Flags


@dataclass(frozen=True, slots=True)
class Fit:
    """Coefficients by term, and the probability that decides.

    `held_out`: what that finds of each set (precision, recall) in pairs not fitted on; `folds`: for each fold the
    coefficients that were fitted on the others.
    """

    coefficients: dict[str, float]
    decides: float
    held_out: dict[str, list[float]]
    folds: list[dict[str, float]]


def as_rows(held: Labelled, cosines: Sequence[float], with_cosine: bool) -> Rows:
    """What is weighed of the pairs of the tuning half that a language reads and that are about one person."""
    found, there, fold, decisive = [], [], [], []
    for pair, cosine in zip(held.pairs, cosines, strict=True):
        a, b = read(pair.a), read(pair.b)
        if not pair.tuning or a is None or b is None or a.language.code != b.language.code:
            continue
        clash = differences(a, b)
        if clash.strangers or (held.task == "duplicates" and not pair.positive):
            continue
        found.append(terms(features(a, b, clash), clash, cosine if with_cosine else None))
        there.append(pair.positive and held.task == "contradictions")
        fold.append(fold_of(pair.b, pair.kind))
        decisive.append(clash.decisive)
    counts = COUNTS.get(held.name, 1.0) if held.task == "contradictions" else SAME
    weight = np.full(len(found), counts / max(len(found), 1))
    return Rows(held.name, found, np.array(there, dtype=bool), weight, np.array(fold), np.array(decisive, dtype=bool))


def fitted(x: Array, y: Array, weight: Array, penalty: float) -> Array:
    """Coefficients of a ridge logistic regression by Newton's method; the first column is not penalised."""
    scale = np.sqrt((weight[:, None] * x**2).sum(axis=0) / weight.sum()) + 1e-3
    x, weight = x / scale, weight / weight.sum()
    ridge = np.full(x.shape[1], penalty / len(y))
    ridge[0] = 0.0
    held = np.zeros(x.shape[1])
    for _ in range(STEPS):
        sure = probabilities(x, held)
        gradient = x.T @ (weight * (sure - y)) + ridge * held
        curve = (x * (weight * sure * (1 - sure))[:, None]).T @ x + np.diag(ridge + 1e-9)
        step = np.linalg.solve(curve, gradient)
        held = held - step * min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-12))
        if np.abs(step).max() < 1e-7:
            break
    return held / scale


def probabilities(x: Array, coefficients: Array) -> Array:
    """How sure each pair is."""
    return 1 / (1 + np.exp(-np.clip(x @ coefficients, -30, 30)))


def fit(sets: Sequence[Rows], penalty: float) -> Fit:
    """Coefficients by term, the probability that decides, and what that finds of each set (precision, recall)."""
    names = list(sets[0].found[0])
    x = np.array([[row[name] for name in names] for held in sets for row in held.found])
    y = np.concatenate([held.there for held in sets]).astype(float)
    weight, fold = np.concatenate([h.weight for h in sets]), np.concatenate([h.fold for h in sets])
    scores = np.zeros(len(y))
    folds = []
    for one in range(FOLDS):
        found = fitted(x[fold != one], y[fold != one], weight[fold != one], penalty)
        scores[fold == one] = probabilities(x[fold == one], found)
        folds.append(_named(names, found))
    ends = np.cumsum([len(held.there) for held in sets])[:-1]
    by_set = list(zip(sets, np.split(scores, ends), strict=True))
    decides = next((at for at in np.arange(0.3, 1.0, 0.01) if _precise(by_set, float(at))), 1.0)
    held_out = {held.name: _shares(held, own, float(decides)) for held, own in by_set if held.there.any()}
    return Fit(_named(names, fitted(x, y, weight, penalty)), round(float(decides), 2), held_out, folds)


def _named(names: Sequence[str], coefficients: Array) -> dict[str, float]:
    return {name: round(float(c), 3) for name, c in zip(names, coefficients, strict=True)}


def _precise(by_set: Sequence[tuple[Rows, Array]], at: float) -> bool:
    finds = [held.there[held.decisive & (own >= at)] for held, own in by_set if held.there.any()]
    told = [float(found.mean()) for found in finds if len(found) >= LEAST]
    return bool(told) and min(told) >= PRECISION


def _shares(held: Rows, scores: Array, at: float) -> list[float]:
    found = held.decisive & (scores >= at)
    precision = float(held.there[found].mean()) if found.any() else 0.0
    return [round(precision, 3), round(float(found[held.there].mean()), 3)]


def as_pairs(held: Labelled) -> tuple[Pair, ...]:
    """The pairs of a set; of a set of choices each new fact with each old one."""
    chosen = (
        Pair(fact, case.new, at in case.wanted, str(number), case.tuning)
        for number, case in enumerate(held.choices)
        for at, fact in enumerate(case.facts)
    )
    return (*held.pairs, *chosen)


def main(argv: list[str]) -> int:
    """Fit, write the file, print what each set has at the chosen probability."""
    parser = argparse.ArgumentParser(prog="python -m bench.quality.fit_contradictions", description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    options = parser.parse_args(argv)
    embed = cached(ROOT / ".quality")
    languages: dict[str, dict[str, Any]] = {}
    unseen: dict[str, dict[str, Any]] = {}
    pairs: dict[str, int] = {}
    sets: dict[str, list[tuple[Labelled, list[float]]]] = {}
    for held in labelled(options.data):
        whole = Labelled(held.task, held.name, held.language, as_pairs(held))
        threshold = Thresholds().of(model_of(held.language).space, held.language)
        texts = [t for pair in whole.pairs for t in (pair.a, pair.b)]
        made = embed(texts, held.language).astype(np.float64)
        cosines = np.einsum("ij,ij->i", made[0::2], made[1::2])
        sets.setdefault(held.language, []).append((whole, [threshold.calibrated(float(c)) for c in cosines]))
    for language, mine in sets.items():
        found: dict[str, Mapping[str, float] | float] = {}
        for key, with_cosine in (("with_cosine", True), ("alone", False)):
            rows = [as_rows(held, cosines, with_cosine) for held, cosines in mine]
            come = fit([held for held in rows if held.found], PENALTY[language])
            found |= {key: come.coefficients, "decides" if with_cosine else "decides_alone": come.decides}
            if with_cosine:
                unseen[language] = {"decides": come.decides, "folds": come.folds}
            pairs |= {held.name: len(held.found) for held in rows}
            print(language, key, come.decides, json.dumps(come.held_out), flush=True)
        languages[language] = found
    if not options.dry_run:
        data = {"made by": "python -m bench.quality.fit_contradictions", "pairs": pairs, "languages": languages}
        file = ROOT / "mendory" / "contradiction" / "weights.json"
        file.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        FILE.write_text(json.dumps(unseen, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
