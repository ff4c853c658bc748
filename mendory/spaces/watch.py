"""Watching an embedder while it embeds: two canaries ride along with every thousand texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Final

import numpy as np

from mendory.embedding import Embedder, Estimate, Identity, Vectors
from mendory.errors import SpaceMoved
from mendory.spaces.canaries import CANARIES
from mendory.spaces.fingerprint import NORM_DRIFT, SAME, Fingerprint, cosines, norm_ratios, proven

EVERY: Final = 1000
AT_ONCE: Final = 2


class CanaryWatch:
    """An `Embedder` that raises SpaceMoved once its vectors are no longer those of `fingerprint`.

    With the text that completes each thousand since the last look, two canaries are embedded in the same call, the next
    two of the sixteen each time. `unproven` is how many texts were embedded since the last look that was good.
    """

    def __init__(self, embedder: Embedder, fingerprint: Fingerprint) -> None:
        self._embedder, self._fingerprint = embedder, fingerprint
        self._lock = Lock()
        self._since = self._next = 0

    @property
    def identity(self) -> Identity:
        """What fixes the vectors."""
        return self._fingerprint.identity

    @property
    def dimension(self) -> int:
        """The length of every vector."""
        return self._fingerprint.dimension

    @property
    def unproven(self) -> int:
        """Texts embedded since canaries last came out as they should."""
        return self._since

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector a memory's text, in order; raises SpaceMoved, and returns none of them, when a canary moved."""
        allow = getattr(self._embedder, "allow", None)  # an embedder that counts its requests
        if allow is not None:
            allow(self.estimate(map(len, texts)).calls)
        found: list[Vectors] = []
        start = 0
        while start < len(texts):
            with self._lock:
                room = EVERY - self._since % EVERY
            part = texts[start : start + room]
            found.append(self._looked(part) if len(part) == room else self._made(part))
            with self._lock:
                self._since = 0 if len(part) == room else self._since + len(part)
            start += len(part)
        return np.concatenate(found) if found else self._embedder.embed(texts)

    def _made(self, texts: Sequence[str]) -> Vectors:
        return proven(self.identity.model, self._embedder.embed(texts), len(texts))

    def embed_query(self, texts: Sequence[str]) -> Vectors:
        """One vector a query, in order. Queries are not stored and not watched."""
        return self._embedder.embed_query(texts)

    def estimate(self, lengths: Iterable[int]) -> Estimate:
        """What `embed` of texts of these lengths takes, canaries included; nothing is embedded."""
        sizes, parts, turn = list(lengths), [], self._next
        room = EVERY - self._since % EVERY
        while sizes:
            part, sizes = sizes[:room], sizes[room:]
            if len(part) == room:
                part += [len(CANARIES[at]) for at in _places(turn)]
                turn += AT_ONCE
            parts.append(self._embedder.estimate(part))
            room = EVERY
        costs = [p.cost for p in parts if p.cost is not None]
        return Estimate(
            sum(p.calls for p in parts),
            sum(p.texts for p in parts),
            sum(p.characters for p in parts),
            sum(costs) if costs else None,
        )

    def _looked(self, texts: Sequence[str]) -> Vectors:
        """The vectors of the texts, when the canaries embedded with them are as they were."""
        with self._lock:
            places = _places(self._next)
        vectors = self._made([*texts, *(CANARIES[at] for at in places)])
        now, before = vectors[len(texts) :], self._fingerprint.vectors[places]
        if now.shape != before.shape:
            raise self._moved(len(texts), f"{now.shape[1]} dimensions instead of {before.shape[1]}")
        lowest = float(cosines(now, before).min())
        drift = float(norm_ratios(now, before).max())
        if not (lowest >= SAME and drift <= NORM_DRIFT):
            raise self._moved(len(texts), f"cosine {lowest:.4f} to what they were, lengths off by {drift:.1%}")
        with self._lock:
            self._next = (self._next + AT_ONCE) % len(CANARIES)
        return vectors[: len(texts)]

    def _moved(self, texts: int, how: str) -> SpaceMoved:
        return SpaceMoved(
            f"The embedder '{self.identity.model}' no longer makes the vectors it made: {how}, on {AT_ONCE} canary "
            f"texts. The last {texts} texts were not returned; {self._since} before them, embedded since the last "
            "look, may be of the new model. Set the model back, then embed those again."
        )


def _places(turn: int) -> list[int]:
    """Which canaries ride along next."""
    return [(turn + at) % len(CANARIES) for at in range(AT_ONCE)]
