"""What an embedder gave, taken as numbers or refused: nothing is guessed from texts, yes and no, or objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np
import numpy.typing as npt

_PLAIN: Final = frozenset({int, float})
_SEVERAL: Final = "vectors of several lengths, or something else than numbers"


class NoVectors(ValueError):
    """What is no list of vectors, in words that stand after "replied with"."""


def vectors(reply: Any, count: int) -> npt.NDArray[np.float32]:
    """As `matrix`, in float32; numbers too large for it are infinite then."""
    with np.errstate(over="ignore"):
        return matrix(reply, count).astype(np.float32, copy=False)


def matrix(reply: Any, count: int) -> npt.NDArray[Any]:
    """`count` vectors of one length, in the precision they are given in.

    Arrays, tensors, and lists, tuples or generators of vectors are taken. Raises NoVectors for anything else.
    """
    if isinstance(reply, Iterator):
        reply = list(islice(reply, count + 1))
    if not hasattr(reply, "__array__") and not isinstance(reply, list | tuple):
        raise NoVectors(f"a {type(reply).__name__} instead of vectors")
    whole = _array(reply) if hasattr(reply, "__array__") else _rows(reply)
    if whole.ndim != 2 or len(whole) != count or whole.shape[1] == 0:
        raise NoVectors(f"an array of shape {whole.shape} for {count} texts")
    return whole


def components(vector: Any) -> npt.NDArray[Any]:
    """One vector as an array of its numbers; raises NoVectors where one of them is none."""
    if hasattr(vector, "__array__"):
        return _array(vector)
    if not isinstance(vector, list | tuple):
        raise NoVectors(f"a {type(vector).__name__} instead of numbers")
    if not set(map(type, vector)) <= _PLAIN and not all(_is_number(one) for one in vector):
        raise NoVectors(_SEVERAL)
    try:
        return np.asarray(vector, dtype=np.float64)
    except OverflowError:
        raise NoVectors("a number too large for any vector") from None


def _rows(reply: Sequence[Any]) -> npt.NDArray[Any]:
    rows = [components(vector) for vector in reply]
    if not rows:
        return np.empty((0, 0))
    if len({row.shape for row in rows}) > 1:
        raise NoVectors(_SEVERAL)
    return np.stack(rows)


def _array(given: Any) -> npt.NDArray[Any]:
    try:
        held = np.asarray(given)
    except (TypeError, ValueError, RuntimeError):  # a tensor on another device, say
        raise NoVectors(f"a {type(given).__name__} that gives no numbers") from None
    if held.dtype.kind not in "fiu":
        raise NoVectors(_SEVERAL)
    return held


def _is_number(one: Any) -> bool:
    return isinstance(one, int | float | np.integer | np.floating) and not isinstance(one, bool)
