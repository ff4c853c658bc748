"""One vector for one content: the caller's or the embedder's, proven before it is written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa

from mendory.config import Config
from mendory.door.judging import MOST_CHARACTERS, Fault, refusal, refuse
from mendory.door.ledger import LedgerView
from mendory.errors import SpaceMoved, TextRefused
from mendory.mapping import Mapping

if TYPE_CHECKING:
    from mendory.spaces import Space


class Embeds(Protocol):
    """Whatever turns texts into vectors of the table's space."""

    def embed(self, texts: list[str], /) -> Any:
        """One vector a text, in order."""


class Embedding:
    """The vectors of a table: how long they are, and who makes them.

    Before its first vector the embedder is compared with the table's active space, where the ledger knows one.
    """

    def __init__(
        self, config: Config, given: Embeds | None, mapping: Mapping, schema: pa.Schema, ledger: LedgerView
    ) -> None:
        self._config, self._given, self._ledger = config, given, ledger
        self._column = mapping.column("embedding")
        self._kind = None if self._column is None else schema.field(self._column).type
        self._lock = Lock()
        self._admitted: Embeds | None = None

    @property
    def most(self) -> int:
        """The most characters a content may have."""
        section = self._config.embedder
        return min(MOST_CHARACTERS, section.max_chars) if section and self._given is None else MOST_CHARACTERS

    def faults(self, vector: Sequence[float] | None) -> list[Fault]:
        """What is wrong with a caller's vector, or with having none."""
        if self._kind is None:
            return [] if vector is None else [Fault("no_place", "the owner's table has no place for the embedding")]
        if vector is not None:
            return self._wrong(vector)
        if self._given is not None or self._config.embedder is not None:
            return []
        why = "nobody makes the vector; configure [embedder], give mendory.open an embedder, or give the embedding"
        return [Fault("embedding_missing", why)]

    def of(self, content: str, vector: Sequence[float] | None) -> list[float] | None:
        """The vector to write; None where the table has no place for one.

        Raises MemoryRefused for an unusable vector, SpaceUnknown for an embedder of another space.
        """
        if self._kind is None:
            return None
        if vector is None:
            vector = self._embedded(content)
            refuse(self._wrong(vector))
        return [float(v) for v in np.asarray(vector, dtype=np.float64)]

    def _embedded(self, content: str) -> Any:
        with self._lock:
            if self._admitted is None:
                self._admitted = self._admit()
            try:
                made = self._admitted.embed([content])
            except TextRefused:
                why = "the embedder takes no such text: blank, too long or no valid text"
                raise refusal([Fault("content_refused", why)]) from None
            except SpaceMoved:
                self._admitted = None  # the next call compares it with the space as a whole
                raise
        if len(made) != 1:
            refuse([Fault("embedding_missing", f"the embedder gave {len(made)} vectors for one text")])
        return made[0]

    def _admit(self) -> Embeds:
        """The embedder, when it is of the active space or none is known; watched from then on."""
        made = self._given
        if made is None:
            from mendory.embedding import build

            assert self._config.embedder is not None, "faults() refuses this"
            made = build(self._config.embedder, self._config.root)
        held = self._ledger.active_space()
        if held is None:
            return made
        from mendory.spaces import CanaryWatch, Fingerprint, recognise

        space = _space(held)
        named: Any = made if hasattr(made, "identity") else _Unnamed(made, space)
        recognise((space,), Fingerprint.of(named))
        return CanaryWatch(named, space.fingerprint)

    def _wrong(self, vector: Any) -> list[Fault]:
        try:
            held = np.asarray(vector, dtype=np.float64)
        except (TypeError, ValueError):
            return [Fault("wrong_type", "the embedding is a list of numbers")]
        assert self._kind is not None
        if held.ndim != 1 or not held.size:
            return [Fault("wrong_type", "the embedding is one list of numbers")]
        if pa.types.is_fixed_size_list(self._kind) and len(held) != self._kind.list_size:
            why = f"the embedding has {len(held)} components, the table's have {self._kind.list_size}"
            return [Fault("embedding_dim_mismatch", why)]
        with np.errstate(over="ignore"):
            stored = held.astype(self._kind.value_type.to_pandas_dtype())
        if not np.isfinite(stored).all():
            return [Fault("embedding_non_finite", "the embedding holds NaN or an infinity, or a number too large")]
        if not stored.any():
            return [Fault("embedding_zero", "the embedding is all zeros, which no search finds")]
        return []


class _Unnamed:
    """An embedder that says nothing of itself: it is known by its vectors alone."""

    def __init__(self, embedder: Embeds, space: Space) -> None:
        from mendory.embedding import Identity

        self._embedder = embedder
        # what stands before queries shows in no memory's vector and is not this embedder's to say
        prefix = space.fingerprint.identity.query_prefix
        self.identity = Identity("given", type(embedder).__name__, query_prefix=prefix)

    def embed(self, texts: Sequence[str]) -> Any:
        """One vector a text, in order."""
        return np.asarray(self._embedder.embed(list(texts)), dtype=np.float32)


def _space(row: Sequence[Any]) -> Space:
    from mendory.embedding import Identity
    from mendory.spaces import Fingerprint, Space, SpaceState

    ident, state, identity, dimension, canaries, by, since = row
    vectors = np.frombuffer(canaries, dtype="<f4").reshape(-1, dimension)
    return Space(ident, SpaceState(state), Fingerprint(Identity(**json.loads(identity)), vectors), by, since)
