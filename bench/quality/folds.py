"""Weights that were fitted without a pair, for each pair of a tuning half.

A threshold that is chosen on scores of the very pairs that weights were fitted on comes out too low: those are better
there than anywhere. `fit_contradictions` keeps in `folds.json` the weights of each of its folds, fitted on the others.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from mendory.contradiction.scoring import Weights

FILE: Final = Path(__file__).with_name("folds.json")
FOLDS: Final = 5


def fold_of(b: str, kind: str) -> int:
    """The fold of a pair of the tuning half, by its second text and the set's word for it."""
    return int(hashlib.sha256((b + kind).encode()).hexdigest(), 16) % FOLDS


@cache
def unseen(language: str) -> Sequence[Mapping[str, Weights]]:
    """For each fold the weights by language for pairs of it, fitted on the other folds; none for unknown languages."""
    held = json.loads(FILE.read_text("utf-8")).get(language, {"decides": 1.0, "folds": [{}] * FOLDS})
    return [{language: Weights(fold, {}, held["decides"], 1.0)} if fold else {} for fold in held["folds"]]
