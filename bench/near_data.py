"""The planted data of `make bench-near`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

DIMENSION = 384
FLOOR = 0.92


def plant(folder: Path, rows: int) -> None:
    """Vectors, subjects, text keys and the pairs at or over the floor are in the folder."""
    rng = np.random.default_rng(rows)
    subjects = rows // 25
    weight = np.arange(1, subjects + 1) ** -0.5
    subject = rng.choice(subjects, size=rows, p=weight / weight.sum())
    spectrum = (np.arange(1, DIMENSION + 1) ** -0.5).astype(np.float32)

    def some(count: int) -> Any:
        drawn = rng.standard_normal((count, DIMENSION), dtype=np.float32) * spectrum
        return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)

    # a direction common to all, as real models have, one of the subject, one of its own
    vectors = some(rows) * np.float32(0.4**0.5) + some(1) * np.float32(0.25**0.5)
    vectors += some(subjects)[subject] * np.float32(0.35**0.5)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    copies, hard = rows // 10, rows // 50
    order = rng.permutation(rows)
    changed, origin = order[: copies + hard], rng.choice(order[copies + hard :], copies + hard)
    identical = rng.random(copies) < 0.25
    cosine = np.concatenate([rng.uniform(0.925, 0.995, copies), rng.uniform(0.84, 0.905, hard)])[:, None]
    away = some(copies + hard)
    away -= np.einsum("ij,ij->i", away, vectors[origin])[:, None] * vectors[origin]
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    placed = (cosine * vectors[origin] + np.sqrt(1 - cosine**2) * away).astype(np.float32)
    placed[:copies][identical] = vectors[origin[:copies][identical]]
    vectors[changed] = placed
    subject[changed] = subject[origin]
    wrong = changed[:copies][rng.random(copies) < 0.03]
    subject[wrong] = rng.integers(0, subjects, len(wrong))
    keys = np.arange(1, rows + 1, dtype=np.uint64)
    keys[changed[:copies][identical]] = keys[origin[:copies][identical]]
    np.save(folder / "vectors.npy", vectors)
    np.save(folder / "subject.npy", subject.astype(np.int64))
    np.save(folder / "keys.npy", keys)
    np.save(folder / "truth.npy", _families(vectors, changed, origin))


def _families(vectors: Any, changed: Any, origin: Any) -> Any:
    """Codes of the pairs at or over the floor: a row and what was placed beside it, and those among each other."""
    left, right = [changed], [origin]
    order = np.argsort(origin, kind="stable")
    changed, origin = changed[order], origin[order]
    for apart in range(1, int(np.bincount(origin).max())):
        same = origin[apart:] == origin[:-apart]
        left.append(changed[apart:][same])
        right.append(changed[:-apart][same])
    a, b = np.concatenate(left), np.concatenate(right)
    near_enough = np.einsum("ij,ij->i", vectors[a], vectors[b]) >= FLOOR
    return codes(a[near_enough], b[near_enough], len(vectors))


def codes(a: Any, b: Any, rows: int) -> Any:
    """One number for each pair, ascending, each once."""
    return np.unique(np.minimum(a, b).astype(np.int64) * rows + np.maximum(a, b))
