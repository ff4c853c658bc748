"""One vector for one content: the caller's or the embedder's, proven before it is written."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mendory.door.embedders import Embedders, Embeds
from mendory.door.judging import MOST_CHARACTERS, Fault, refusal, refuse
from mendory.embedding import replies
from mendory.errors import (
    BudgetExceeded,
    DependencyMissing,
    EmbeddingInvalid,
    QueryRefused,
    SpaceMoved,
    SpaceUnknown,
    TextRefused,
    Unavailable,
)
from mendory.mapping import Mapping
from mendory.spaces.pointer import Pointer

_LOG: Final = logging.getLogger(__name__)
_UNMADE: Final = (
    TextRefused,
    EmbeddingInvalid,
    Unavailable,
    BudgetExceeded,
    DependencyMissing,
    SpaceUnknown,
    SpaceMoved,
    replies.NoVectors,
)
"""What leaves a memory without its vector of the space beside the searched one; it is filled in later."""


class Embedding:
    """The vectors of one space of a table: how long they are, and who makes them."""

    def __init__(self, embedders: Embedders, pointer: Pointer, ident: str | None, mapping: Mapping) -> None:
        """`ident` is the space, one of the pointer's, and the mapping says where its vectors are; None for no known."""
        self._embedders, self._pointer = embedders, pointer
        self._lock = Lock()
        self.column = mapping.column("embedding")
        self.space = ident
        """The space; None where none is known."""

    @property
    def ready(self) -> bool:
        """True when its embedder was asked before: the next vector waits for no model to be loaded."""
        return self._embedders.ready(self.space)

    @property
    def most(self) -> int:
        """The most characters a content may have."""
        most = self._embedders.most
        return MOST_CHARACTERS if most is None else min(MOST_CHARACTERS, most)

    def faults(self, vector: Sequence[float] | None, schema: pa.Schema) -> list[Fault]:
        """What is wrong with a caller's vector for a table of that schema, or with having none."""
        if self.column is None:
            return [] if vector is None else [Fault("no_place", "the owner's table has no place for the embedding")]
        if vector is not None:
            return _wrong(vector, schema.field(self.column).type)
        if self._embedders.anyone(self.space):
            return []
        why = "nobody makes the vector; configure [embedder], give mendory.open an embedder, or give the embedding"
        return [Fault("embedding_missing", why)]

    def of(self, content: str, vector: Sequence[float] | None, schema: pa.Schema) -> list[float] | None:
        """The vector to write; None where the table has no place for one.

        Raises MemoryRefused for an unusable vector, SpaceUnknown for an embedder of another space.
        """
        if self.column is None:
            return None
        if vector is None:
            vector = self._embedded(content)
            refuse(_wrong(vector, schema.field(self.column).type))
        return [float(v) for v in replies.components(vector)]

    def of_query(self, query: str, vector: Sequence[float] | None, schema: pa.Schema) -> npt.NDArray[np.float32]:
        """The vector to search with: the caller's, or the query's as its embedder embeds queries.

        Raises QueryRefused where the table has no vectors, nobody embeds, the embedder takes no such text, or the
        vector is unusable; SpaceUnknown for an embedder of another space.
        """
        if self.column is None:
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
        if faults := _wrong(vector, schema.field(self.column).type):
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

    def beside(self, content: str, schema: pa.Schema) -> list[float] | None:
        """The vector of this space for a memory that is written in another; None where none can be made now."""
        assert self.column is not None
        try:
            vector = replies.matrix(self._made(content, lambda embedder, text: embedder.embed([text])), 1)[0]
        except _UNMADE as error:
            _LOG.warning("A memory was written without its vector of the space beside: %s.", type(error).__name__)
            return None
        if not self.fits(vector, schema):
            return None
        return [float(v) for v in replies.components(vector)]

    def fits(self, vector: Any, schema: pa.Schema) -> bool:
        """True when the vector can be one of this space, as far as its length and values tell."""
        return self.column is not None and not _wrong(vector, schema.field(self.column).type)

    def _made(self, text: str, make: Callable[[Embeds, str], Any]) -> Any:
        """What the embedder makes of a text, once it is known to be of the space."""
        with self._lock:
            try:
                return make(self._embedders.of(self.space, self._pointer), text)
            except SpaceMoved:
                self._embedders.forget(self.space)  # the next call compares it with the space as a whole
                raise


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
