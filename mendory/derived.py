"""What is derived from a row and worth keeping: digests, the claim it makes, what its vector came from, its weight."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from mendory import digest
from mendory.digest import float_bits
from mendory.record import Memory
from mendory.side import text_digest


@dataclass(frozen=True, slots=True)
class Derived:
    """What is known of one row beside what it holds.

    `content` is the digest of its text and what everything else here was derived from. `meaning` is the digest of
    everything a detector reads of the row. `vector` is the digest of its vector's bits, None without one;
    `vector_text` the content digest the vector came from, `vector_space` the space, None while nobody knows.
    `claim` is the claim its writer gave. `factor` is what its weight is multiplied by at recall.
    """

    content: str
    meaning: str
    claim: Mapping[str, Any] | None = None
    vector: str | None = None
    vector_text: str | None = None
    vector_space: str | None = None
    factor: float = 1.0

    @property
    def stale_vector(self) -> bool:
        """True when the vector came from another text than the row's."""
        return self.vector is not None and self.vector_text != self.content


_READ = ("content", "metadata", "source", "scope", "status", "kind", "claim", "others")


def derive(memory: Memory, vector: str | None, space: str | None, before: Derived | None) -> Derived:
    """What is derived of the row now, given what was when somebody last looked.

    A vector that is the same as before still comes from the text it came from; one that is new comes from the text it
    was found with. `space` is the one a new vector is known to be of.
    """
    content = text_digest(memory)
    now = Derived(content, digest.of([_plain(getattr(memory, name)) for name in _READ]), memory.claim, vector)
    if vector is None:
        return replace(now, factor=before.factor if before else 1.0)
    if before is None or before.vector != vector:
        return replace(now, vector_text=content, vector_space=space, factor=before.factor if before else 1.0)
    return replace(now, vector_text=before.vector_text, vector_space=space or before.vector_space, factor=before.factor)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def vector_digests(vectors: pa.Array | None, size: int) -> list[str | None]:
    """One digest a vector over its bits and inner nulls; None for a null."""
    if vectors is None:
        return [None] * size
    valid = vectors.is_valid().to_pylist()
    if not pa.types.is_fixed_size_list(vectors.type):
        return [_hash(repr(v).encode()) if ok else None for v, ok in zip(vectors.to_pylist(), valid, strict=True)]
    width = vectors.type.list_size
    bits, present = float_bits(vectors.values.slice(vectors.offset * width, len(vectors) * width))
    rows, masks = bits.reshape(-1, width), present.reshape(-1, width)
    whole = np.asarray(masks.all(axis=1))
    return [
        _hash(rows[at].tobytes() + (b"" if whole[at] else masks[at].tobytes())) if ok else None
        for at, ok in enumerate(valid)
    ]


def _hash(data: Any) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
