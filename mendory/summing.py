"""Vectors for summaries, from the configured embedder, once it is proven to be that of the rows they sum up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from mendory.config import Config
from mendory.embedding import Embedder, build
from mendory.errors import DependencyMissing, EmbeddingInvalid, TextRefused, Unavailable
from mendory.lance import Reader
from mendory.plan.draft import NoVector, VectorOf, nobody_embeds


class SummaryVectors:
    """The vectors of summaries of a table's rows; the model is loaded when the first is asked for.

    A service is not asked: a plan is made without asking anybody, and costs nothing.
    """

    def __init__(self, config: Config, reader: Reader) -> None:
        self._config, self._reader = config, reader

    @property
    def vector_of(self) -> VectorOf:
        """What a plan asks for a vector."""
        section = self._config.embedder
        if section is None:
            return nobody_embeds
        return _not_a_service if section.kind == "openai" else self._proven

    @cached_property
    def _embedder(self) -> Embedder:
        assert self._config.embedder is not None
        return build(self._config.embedder, self._config.root)

    def _proven(self, ids: Sequence[str], text: str) -> Sequence[float] | NoVector:
        """The text's vector, where the embedder makes of these rows' texts the vectors they hold (cosine ≥ .999)."""
        from mendory.spaces import named, witness

        assert self._config.embedder is not None
        try:
            sample = named(self._reader, ids, self._config.embedder.max_chars)
            if not witness(self._embedder, sample).whole:
                return NoVector("the configured embedder does not make the vectors that these rows hold")
            return [float(v) for v in self._embedder.embed([text])[0]]
        except (DependencyMissing, EmbeddingInvalid, TextRefused, Unavailable) as error:
            return NoVector(f"the embedder makes no vector of the summary: {error.name}")


def _not_a_service(ids: Sequence[str], text: str) -> NoVector:  # noqa: ARG001 - a VectorOf
    return NoVector("the embedder is a service, and a plan asks none to embed a summary")
