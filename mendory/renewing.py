"""Vectors for rows whose text changed, from the configured embedder, once it is proven to be that of the table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Final

from mendory.config import Config
from mendory.embedding import Embedder, build
from mendory.embedding.batching import refusal
from mendory.errors import DependencyMissing, EmbeddingInvalid, TextRefused, Unavailable
from mendory.lance import Reader
from mendory.plan.draft import NoVector, Renewal
from mendory.record import Memory

MOST: Final = 1000
"""Rows that one plan embeds anew: a plan holds every vector, old and new. More are for later plans, or a migration."""
_LATER: Final = "more than {most} rows wait: the next plan takes them, or mendory migrate start embeds the table anew"


class Renewing:
    """The vectors of changed texts; the model is loaded, and all of them embedded, when the first is asked for.

    `stale` are the rows whose vector is of an earlier text. A service is not asked: a plan is made without asking
    anybody, and costs nothing.
    """

    def __init__(self, config: Config, reader: Reader, stale: Collection[str]) -> None:
        self._config, self._reader = config, reader
        self._stale = sorted(stale)

    @property
    def renewal(self) -> Renewal:
        """What a plan asks for vectors, and whether more rows wait than it may embed without a person."""
        limits = self._config.limits
        return Renewal(self._vector_of, limits is None or len(self._stale) > limits.reembed_rows)

    def _vector_of(self, memory: Memory) -> Sequence[float] | NoVector:
        section = self._config.embedder
        if section is None:
            return NoVector("no embedder is configured to embed changed texts")
        if section.kind == "openai":
            return NoVector("the embedder is a service, and a plan asks none to embed changed texts")
        if memory.id not in self._stale[:MOST]:
            return NoVector(_LATER.format(most=f"{MOST:,}"))
        try:
            made = self._made
        except (DependencyMissing, EmbeddingInvalid, TextRefused, Unavailable) as error:
            return NoVector(f"the embedder makes no vector of the changed text: {error.name}")
        if isinstance(made, NoVector):
            return made
        return made.get(memory.content or "") or NoVector("the changed text can't be embedded")

    @cached_property
    def _made(self) -> Mapping[str, Sequence[float]] | NoVector:
        """Text → vector, for all that wait; once the embedder makes of other rows' texts the vectors they hold."""
        from mendory.spaces import QUICK, Sample, draw, enough, witness

        section = self._config.embedder
        assert section is not None
        embedder: Embedder = build(section, self._config.root)
        drawn = draw(self._reader, self._reader.version, QUICK + min(len(self._stale), MOST), section.max_chars)
        stale = set(self._stale)
        proof = tuple(row for row in drawn.rows if row.id not in stale)[:QUICK]
        if not enough(witness(embedder, Sample(proof, {}, drawn.of))):
            return NoVector("the configured embedder does not make the vectors that the table holds")
        held = self._reader.fetch(self._stale[:MOST]).values()
        texts = [m.content for m in held if m.content and refusal(m.content, section.max_chars) is None]
        return dict(zip(texts, embedder.embed(texts).tolist(), strict=True)) if texts else {}
