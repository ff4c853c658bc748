"""What a space is known by: the identity of its embedder and the vectors of sixteen canary texts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
import numpy.typing as npt

from mendory import digest
from mendory.embedding import Embedder, Identity, Vectors, replies
from mendory.errors import EmbeddingInvalid
from mendory.spaces.canaries import CANARIES

SAME: Final = 0.999
"""From this cosine on two vectors of one text are of one space (docs/embedders.md, "The bounds").

One model on other hardware, in half precision or in 8 bits stays above .9991; a changed prefix fell to .957 and
below, changed pooling to .64, another model of the same dimension to .29.
"""
OTHER: Final = 0.99
"""Below this for a single canary the model is another; between the two nobody can tell."""
NORM_DRIFT: Final = 0.01
"""Lengths that differ by more than this share are of another normalisation, which no cosine sees."""


class Verdict(StrEnum):
    """Whether two fingerprints are of one space."""

    SAME = "same"
    OTHER = "other"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A verdict with its reason; `lowest` is the smallest cosine over the canaries, None across dimensions."""

    verdict: Verdict
    reason: str
    lowest: float | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Fingerprint:
    """An embedder's identity and its vectors of the canaries, as float32."""

    identity: Identity
    vectors: Vectors

    @classmethod
    def of(cls, embedder: Embedder) -> Fingerprint:
        """The fingerprint of what the embedder makes now: sixteen texts in one call.

        Raises what the embedder raises; an embedder that does not answer has no fingerprint and is not another one.
        """
        vectors = proven(embedder.identity.model, embedder.embed(CANARIES), len(CANARIES))
        if not (np.isfinite(vectors).all() and np.linalg.norm(vectors, axis=1).all()):
            raise EmbeddingInvalid(
                f"Embedder '{embedder.identity.model}' gave vectors that are zero or not finite for the canary texts. "
                "Nothing was concluded from it. Check the embedder."
            )
        return cls(embedder.identity, vectors)

    @property
    def dimension(self) -> int:
        """The length of every vector."""
        return int(self.vectors.shape[1])

    @property
    def id(self) -> str:
        """A name of its own, from every bit of it. Spaces are recognised by `compare`, not by this."""
        bits = hashlib.sha256(np.ascontiguousarray(self.vectors, dtype="<f4").tobytes()).hexdigest()
        return digest.of([self.identity.as_json(), self.dimension, bits])


def proven(name: str, reply: object, count: int) -> Vectors:
    """What the embedder of that name gave for `count` texts, as float32; raises EmbeddingInvalid for no vectors."""
    try:
        return replies.vectors(reply, count)
    except replies.NoVectors as error:
        raise EmbeddingInvalid(
            f"Embedder '{name}' replied with {error}. Nothing was concluded from it. Check the embedder."
        ) from None


def cosines(a: Vectors, b: Vectors) -> npt.NDArray[np.float64]:
    """The cosine of each pair of rows; NaN where one has no direction."""
    left, right = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
        found: npt.NDArray[np.float64] = np.einsum("ij,ij->i", left, right) / lengths
    return found


def norm_ratios(a: Vectors, b: Vectors) -> npt.NDArray[np.float64]:
    """By what share the length of each row of `a` differs from that of `b`."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        left, right = (np.linalg.norm(v.astype(np.float64), axis=1) for v in (a, b))
        found: npt.NDArray[np.float64] = np.abs(left / right - 1.0)
    return found


def compare(a: Fingerprint, b: Fingerprint) -> Comparison:
    """Whether `a` and `b` are of one space: dimension first, lengths, prefixes of queries, then every canary's cosine.

    Names do not count: the same model under another name, or at another address, is the same space. The prefix of
    queries does, since no memory's vector shows it.
    """
    if a.dimension != b.dimension:
        return Comparison(Verdict.OTHER, f"{a.dimension} dimensions against {b.dimension}")
    pairs = cosines(a.vectors, b.vectors)
    lowest = float(pairs.min())
    below = int((pairs < SAME).sum())
    if lowest < OTHER:
        return Comparison(
            Verdict.OTHER, f"{below} of {len(pairs)} canaries have other vectors (cosine {lowest:.3f})", lowest
        )
    drift = float(norm_ratios(a.vectors, b.vectors).max())
    if drift > NORM_DRIFT:
        return Comparison(Verdict.OTHER, f"vectors of other lengths (by {drift:.0%}): changed normalisation", lowest)
    if a.identity.query_prefix != b.identity.query_prefix:
        return Comparison(Verdict.OTHER, "another prefix before queries", lowest)
    if below:
        return Comparison(
            Verdict.UNSURE,
            f"{below} of {len(pairs)} canaries are close to, but not at, what they were (cosine {lowest:.4f}): "
            "another build or precision of the model, or another model",
            lowest,
        )
    return Comparison(Verdict.SAME, f"all {len(pairs)} canaries at cosine {lowest:.4f} or above", lowest)
