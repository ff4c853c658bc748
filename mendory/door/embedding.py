"""One vector for one content: the caller's or the embedder's, proven before it is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mendory.config import Config
from mendory.door.judging import MOST_CHARACTERS, Fault, refusal, refuse
from mendory.door.ledger import LedgerView
from mendory.embedding import Identity, build, replies
from mendory.errors import InputInvalid, QueryRefused, SpaceMoved, TextRefused
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

    def of_query(self, query: str, vector: Sequence[float] | None, schema: pa.Schema) -> npt.NDArray[np.float32]:
        """The vector to search with: the caller's, or the query's as its embedder embeds queries.

        Raises QueryRefused where the table has no vectors, nobody embeds, the embedder takes no such text, or the
        vector is unusable; SpaceUnknown for an embedder of another space.
        """
        if self._column is None:
            raise _refused([Fault("no_place", "the table has no place for vectors, so nothing can be searched")])
        if vector is None:
            if faults := self.faults(None, schema):
                raise _refused(faults)
            try:
                vector = replies.matrix(self._made(query, _embeds_queries), 1)[0]
            except TextRefused:
                why = "the embedder takes no such text: blank, too long or no valid text"
                raise _refused([Fault("content_refused", why)]) from None
            except replies.NoVectors as error:
                raise _refused([Fault("embedding_missing", f"the embedder replied with {error}")]) from None
        if faults := _wrong(vector, schema.field(self._column).type):
            raise _refused(faults)
        found: npt.NDArray[np.float32] = np.asarray(replies.components(vector), np.float32)
        return found

    def _embedded(self, content: str) -> Any:
        try:
            return replies.matrix(self._made(content, lambda embedder, text: embedder.embed([text])), 1)[0]
        except TextRefused:
            why = "the embedder takes no such text: blank, too long or no valid text"
            raise refusal([Fault("content_refused", why)]) from None
        except replies.NoVectors as error:
            raise refusal([Fault("embedding_missing", f"the embedder replied with {error}")]) from None

    def _made(self, text: str, make: Callable[[Embeds, str], Any]) -> Any:
        """What the embedder makes of a text, once it is known to be of the table's space."""
        with self._lock:
            if self._admitted is None:
                self._admitted = self._admit()
            try:
                return make(self._admitted, text)
            except SpaceMoved:
                self._admitted = None  # the next call compares it with the space as a whole
                raise

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


def _embeds_queries(embedder: Embeds, text: str) -> Any:
    """The vector of a query; an embedder that tells queries from memories says so by a method of its own."""
    return getattr(embedder, "embed_query", embedder.embed)([text])


def _refused(faults: Sequence[Fault]) -> QueryRefused:
    said = "; ".join(f"{f.code}: {f.why}" for f in faults)
    return QueryRefused(f"The query can't be searched with: {said}. Nothing was searched. Mend that and ask again.")


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

    def embed_query(self, texts: Sequence[str]) -> Any:
        """One vector a query, in order."""
        return getattr(self._embedder, "embed_query", self._embedder.embed)(list(texts))


def _space(row: Sequence[Any]) -> Space:
    from mendory.spaces import Fingerprint, Space, SpaceState

    ident, state, identity, dimension, canaries, by, since = row
    vectors = np.frombuffer(canaries, dtype="<f4").reshape(-1, dimension)
    return Space(ident, SpaceState(state), Fingerprint(Identity(**json.loads(identity)), vectors), by, since)
