"""What an embedder is: texts in, one float32 vector each out, and what fixes those vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
"""One row a text, in the order of the texts."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Everything that fixes the vectors and can be named; what can't is told by the canaries.

    A prefix stands before the text of a query or of a memory. `normalisation` and `pooling` are words
    for people: an endpoint does not say what it does.
    """

    kind: str
    model: str
    revision: str = ""
    query_prefix: str = ""
    document_prefix: str = ""
    normalisation: str = "as the model gives them"
    pooling: str = "the model's own"

    def as_json(self) -> dict[str, str]:
        """The identity as plain values, for the ledger and for `--json`."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What embedding some texts takes: requests, texts, characters sent, and money where a price is configured."""

    calls: int
    texts: int
    characters: int
    cost: float | None = None


class Embedder(Protocol):
    """Turns texts into vectors of one space."""

    @property
    def identity(self) -> Identity:
        """What fixes the vectors."""

    @property
    def dimension(self) -> int:
        """The length of every vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector a memory's text, in order.

        Raises TextRefused for a text that is blank, too long or no text, before anything is embedded; EmbeddingInvalid
        for vectors that can't be used; Unavailable when a service does not answer.
        """

    def embed_query(self, texts: Sequence[str]) -> Vectors:
        """One vector a query, in order; as `embed`, with the prefix of queries."""

    def estimate(self, lengths: Iterable[int]) -> Estimate:
        """What `embed` of texts of these lengths, in this order, takes; nothing is embedded."""
