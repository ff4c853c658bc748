"""The embedder around any engine: refuses texts, makes batches, proves every reply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any, Final, Protocol

import numpy as np

from mendory.embedding import replies
from mendory.embedding.batching import Bounds, batches, check_texts
from mendory.embedding.port import Estimate, Identity, Vectors
from mendory.errors import EmbeddingInvalid

PROBE: Final = "How long are the vectors? 向量有多长？"
"""Embedded once to learn the dimension, when no text has been yet."""


class Engine(Protocol):
    """A model or service that turns one batch of texts into vectors."""

    @property
    def identity(self) -> Identity:
        """What fixes the vectors."""

    @property
    def dimension(self) -> int | None:
        """The length of its vectors; None when only a reply can tell."""

    def allow(self, calls: int) -> None:
        """Return when so many more batches may be encoded; else raise BudgetExceeded."""

    def encode(self, texts: list[str], prefix: str) -> Any:
        """One vector a text, in order, of the text with the prefix before it; anything numpy makes a matrix of."""


class ModelEmbedder:
    """An `Embedder` of an engine's vectors.

    `normalise` scales every vector to length 1. `sort` encodes texts of like length together, which spares a model
    on this machine padding. `price` is of a million characters.
    """

    def __init__(
        self,
        engine: Engine,
        bounds: Bounds,
        max_chars: int,
        normalise: bool = False,
        sort: bool = False,
        price: float | None = None,
    ) -> None:
        self._engine, self._bounds, self._max_chars = engine, bounds, max_chars
        self._normalise, self._sort, self._price = normalise, sort, price
        self._dimension: int | None = None
        self._lock = Lock()

    @property
    def identity(self) -> Identity:
        """What fixes the vectors."""
        return self._engine.identity

    @property
    def dimension(self) -> int:
        """The length of every vector; one short text is embedded when nothing else tells it."""
        if self._dimension is None:
            self._dimension = self._engine.dimension or self.embed([PROBE]).shape[1]
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector a memory's text, in order."""
        return self._embedded(texts, self.identity.document_prefix)

    def embed_query(self, texts: Sequence[str]) -> Vectors:
        """One vector a query, in order."""
        return self._embedded(texts, self.identity.query_prefix)

    def estimate(self, lengths: Iterable[int]) -> Estimate:
        """What `embed` of texts of these lengths, in this order, takes; nothing is embedded."""
        sizes = self._sizes(list(lengths), self.identity.document_prefix)
        calls = sum(1 for _ in batches(sizes, self._bounds))
        characters = sum(sizes)
        cost = None if self._price is None else characters * self._price / 1_000_000
        return Estimate(calls, len(sizes), characters, cost)

    def allow(self, calls: int) -> None:
        """Return when so many more requests may be made; else raise BudgetExceeded. Nothing is spent by asking."""
        self._engine.allow(calls)

    def _sizes(self, lengths: list[int], prefix: str) -> list[int]:
        return [length + len(prefix) for length in (sorted(lengths) if self._sort else lengths)]

    def _embedded(self, texts: Sequence[str], prefix: str) -> Vectors:
        check_texts(texts, self._max_chars)
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        order = list(range(len(texts)))
        if self._sort:
            order.sort(key=lambda at: (len(texts[at]), at))
        parts = [order[r.start : r.stop] for r in batches((len(texts[at]) + len(prefix) for at in order), self._bounds)]
        self._engine.allow(len(parts))
        found: Vectors | None = None
        for part in parts:
            vectors = self._proven(self._engine.encode([texts[at] for at in part], prefix), len(part))
            if found is None:
                found = np.empty((len(texts), vectors.shape[1]), dtype=np.float32)
            found[part] = vectors
        assert found is not None
        return found

    def _proven(self, reply: Any, count: int) -> Vectors:
        """The reply as float32, when it is `count` usable vectors of the space's dimension; else EmbeddingInvalid."""
        name = self.identity.model
        try:
            vectors: Vectors = replies.vectors(reply, count)
        except replies.NoVectors as error:
            raise _invalid(name, str(error)) from None
        with self._lock:
            known = self._engine.dimension or self._dimension or vectors.shape[1]
            if vectors.shape[1] != known:
                raise _invalid(name, f"vectors of {vectors.shape[1]} dimensions where the space has {known}")
            self._dimension = known
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
        if not np.isfinite(lengths).all():
            raise _invalid(name, f"{int((~np.isfinite(lengths)).sum())} vectors with NaN or infinity")
        if not lengths.all():
            raise _invalid(name, f"{int((lengths == 0).sum())} vectors of nothing but zeros")
        return (vectors / lengths[:, None]).astype(np.float32) if self._normalise else vectors


def _invalid(name: str, what: str) -> EmbeddingInvalid:
    return EmbeddingInvalid(
        f"Embedder '{name}' replied with {what}. Nothing of that reply was kept. Check [embedder] and the service."
    )
