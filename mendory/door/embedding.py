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
from mendory.embedding import Identity, build, replies
from mendory.errors import InputInvalid, SpaceMoved, TextRefused
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

    def __init__(self, config: Config, given: Embeds | None, mapping: Mapping, ledger: LedgerView) -> None:
        if given is not None and not callable(getattr(given, "embed", None)):
            raise InputInvalid(
                f"A {type(given).__name__} was given as embedder, and it has no 'embed'. The door was not opened. "
                "Give an object with embed(list of texts)."
            )
        self._config, self._given, self._ledger = config, given, ledger
        self._column = mapping.column("embedding")
        self._lock = Lock()
        self._admitted: Embeds | None = None

    @property
    def most(self) -> int:
        """The most characters a content may have."""
        section = self._config.embedder
        return min(MOST_CHARACTERS, section.max_chars) if section and self._given is None else MOST_CHARACTERS

    def faults(self, vector: Sequence[float] | None, schema: pa.Schema) -> list[Fault]:
        """What is wrong with a caller's vector for a table of that schema, or with having none."""
        if self._column is None:
            return [] if vector is None else [Fault("no_place", "the owner's table has no place for the embedding")]
        if vector is not None:
            return _wrong(vector, schema.field(self._column).type)
        if self._given is not None or self._config.embedder is not None:
            return []
        why = "nobody makes the vector; configure [embedder], give mendory.open an embedder, or give the embedding"
        return [Fault("embedding_missing", why)]

    def of(self, content: str, vector: Sequence[float] | None, schema: pa.Schema) -> list[float] | None:
        """The vector to write; None where the table has no place for one.

        Raises MemoryRefused for an unusable vector, SpaceUnknown for an embedder of another space.
        """
        if self._column is None:
            return None
        if vector is None:
            vector = self._embedded(content)
            refuse(_wrong(vector, schema.field(self._column).type))
        return [float(v) for v in replies.components(vector)]

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
        try:
            return replies.matrix(made, 1)[0]
        except replies.NoVectors as error:
            raise refusal([Fault("embedding_missing", f"the embedder replied with {error}")]) from None

    def _admit(self) -> Embeds:
        """The embedder, when it is of the active space or none is known; watched from then on."""
        made, built = self._given, None
        if made is None:
            assert self._config.embedder is not None, "faults() refuses this"
            made = built = build(self._config.embedder, self._config.root)
        held = self._ledger.active_space()
        if held is None:
            return made
        from mendory.spaces import CANARIES, CanaryWatch, Fingerprint, recognise

        space = _space(held)
        if built is not None:  # the request for the text itself is asked for as well
            built.allow(built.estimate(map(len, CANARIES)).calls + 1)
        named: Any = made if hasattr(made, "identity") else _Unnamed(made, space)
        recognise((space,), Fingerprint.of(named))
        return CanaryWatch(named, space.fingerprint)


def _wrong(vector: Any, kind: pa.DataType) -> list[Fault]:
    """What keeps the vector out of a column of that type."""
    try:
        held = replies.components(vector)
    except replies.NoVectors:
        return [Fault("wrong_type", "the embedding is a list of numbers that a vector can hold")]
    if held.ndim != 1 or not held.size:
        return [Fault("wrong_type", "the embedding is one list of numbers")]
    if pa.types.is_fixed_size_list(kind) and len(held) != kind.list_size:
        why = f"the embedding has {len(held)} components, the table's have {kind.list_size}"
        return [Fault("embedding_dim_mismatch", why)]
    with np.errstate(over="ignore"):
        stored = held.astype(kind.value_type.to_pandas_dtype())
    if not np.isfinite(stored).all():
        return [Fault("embedding_non_finite", "the embedding holds NaN or an infinity, or a number too large")]
    if not stored.any():
        return [Fault("embedding_zero", "the embedding is all zeros, which no search finds")]
    return []


class _Unnamed:
    """An embedder that says nothing of itself: it is known by its vectors alone."""

    def __init__(self, embedder: Embeds, space: Space) -> None:
        self._embedder = embedder
        # what stands before queries shows in no memory's vector and is not this embedder's to say
        prefix = space.fingerprint.identity.query_prefix
        self.identity = Identity("given", type(embedder).__name__, query_prefix=prefix)

    def embed(self, texts: Sequence[str]) -> Any:
        """One vector a text, in order."""
        return self._embedder.embed(list(texts))


def _space(row: Sequence[Any]) -> Space:
    from mendory.spaces import Fingerprint, Space, SpaceState

    ident, state, identity, dimension, canaries, by, since = row
    vectors = np.frombuffer(canaries, dtype="<f4").reshape(-1, dimension)
    return Space(ident, SpaceState(state), Fingerprint(Identity(**json.loads(identity)), vectors), by, since)
