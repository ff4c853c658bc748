"""The vectors of a table at one version, for whoever looks for rows that are alike."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mendory.candidates import Pairs, near, near_to
from mendory.detect.neighbours import Observed, numbered, scope_number
from mendory.lance import Past, Reader
from mendory.language import languages
from mendory.text import exact_key
from mendory.thresholds import Origin, Spread, Threshold, Thresholds, measure
from mendory.vectors import grid

UNKNOWN: Final = "unknown"
"""The space of vectors of which nobody has said what made them."""
_FIELDS: Final = ("id", "scope")


@dataclass(frozen=True, slots=True)
class _Held:
    """Rows with a vector: ids, place of each id, a number for each scope, and vectors of length 1 or not a number."""

    ids: list[str]
    place: dict[str, int]
    scopes: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.float32]


class TableNeighbours:
    """The vectors are read when they are first asked for, once; they take four bytes a component until this is gone.

    `space` is the model that made them, None where nobody knows; `calibrated` are the owner's own thresholds. `stale`
    rows, whose vector came from an earlier text, count as rows without one. `kept` gives what was measured of the space
    before, which holds as long as the vectors agree with it: else a few new rows would move every guessed bound a bit.
    """

    def __init__(
        self,
        reader: Reader,
        space: str | None,
        calibrated: Sequence[Threshold],
        stale: Collection[str],
        kept: Callable[[], Spread | None] = lambda: None,
    ) -> None:
        self._reader, self._stale, self._kept = reader, frozenset(stale), kept
        self._space, self._calibrated = space or UNKNOWN, tuple(calibrated)
        self._asked: tuple[Observed, float, Pairs] | None = None

    def basis(self) -> list[Any]:
        """The space and what is calibrated for it, as plain values."""
        return [self._space, [one.as_json() for one in self._calibrated]]

    def threshold(self, language: str) -> Threshold | None:
        """The threshold for two texts of a language in the space of the vectors.

        None where none is calibrated or shipped and the table has too few rows to guess one from.
        """
        known = Thresholds(self._calibrated).of(self._space, language)
        if known.origin is not Origin.PROVISIONAL:
            return known
        return None if self._spread is None else Thresholds(self._calibrated, self._spread).of(self._space, language)

    def measured(self) -> dict[str, Any] | None:
        """What bounds of the space were guessed from, as plain values; None where none was guessed."""
        known = Thresholds(self._calibrated)
        guessed = any(known.of(self._space, code).origin is Origin.PROVISIONAL for code in languages())
        return self._spread.as_json() if guessed and self._spread is not None else None

    @cached_property
    def _spread(self) -> Spread | None:
        """What the table's own pairs say of its space, now or as it was kept; its texts are read for it."""
        before, now = self._kept(), self._of_pairs()
        return before if before is not None and now is not None and before.agrees(now) else now

    def _of_pairs(self) -> Spread | None:
        held, mapping = self._held, self._reader.mapping
        keys = np.zeros(len(held.ids), np.uint64)
        columns = sorted(mapping.columns_of(["content"]))
        start = 0
        for batch in self._reader.batches(columns) if len(held.ids) else ():
            texts = mapping.frame(batch, ["content"]).column("content").to_pylist()
            keys[start : start + len(texts)] = [numbered(exact_key(text or "")) for text in texts]
            start += len(texts)
        return measure(held.vectors, held.scopes, keys, _rng())

    def near(self, seen: Observed, floor: float) -> Pairs:
        """The pairs of rows of one scope whose vectors are alike by `floor` or whose folded texts are the same.

        Asked again about some of the same rows it looks among the pairs it knows.
        """
        known = self._among(seen, floor)
        if known is None:
            at = _places(self._held.place, seen.ids)
            vectors = np.full((len(at), self._held.vectors.shape[1]), np.nan, np.float32)
            vectors[at >= 0] = self._held.vectors[at[at >= 0]]
            known = near(vectors, seen.scopes, seen.blocks, seen.keys, floor, _rng())
            self._asked = seen, floor, known
        return known

    def _among(self, seen: Observed, floor: float) -> Pairs | None:
        """The known pairs of these rows; None where not all of them are known as they are."""
        if self._asked is None or floor < self._asked[1]:
            return None
        before, _, pairs = self._asked
        at = _places({name: row for row, name in enumerate(before.ids)}, seen.ids)
        if (at < 0).any() or (before.keys[at] != seen.keys).any() or (before.scopes[at] != seen.scopes).any():
            return None
        now = np.full(len(before.ids), -1, np.int64)
        now[at] = np.arange(len(at))
        left, right = now[pairs.left], now[pairs.right]
        kept = (left >= 0) & (right >= 0) & ~(pairs.cosine < floor)
        return Pairs(np.minimum(left, right)[kept], np.maximum(left, right)[kept], pairs.cosine[kept])

    def floor(self) -> float | None:
        """The least cosine that any bound asks for; None where no bound is known."""
        return min((limit.floor for code in languages() if (limit := self.threshold(code))), default=None)

    def alike(self, ids: Collection[str], floor: float) -> set[str]:
        """The rows whose vectors are alike by `floor` to another one of the same scope, which is one of these rows.

        One of these rows is among them when it is alike to any other. Cost: these rows times those of their scopes.
        """
        held = self._held
        at = np.array(sorted(held.place[name] for name in ids if name in held.place), np.int64)
        if not len(at):
            return set()
        none = np.full(len(held.ids), -1)
        pairs = near_to(held.vectors, held.scopes, none, np.zeros(len(none), np.uint64), at, floor, _rng())
        return {held.ids[row] for row in {*pairs.left.tolist(), *pairs.right.tolist()}}

    def were_alike(self, ids: Collection[str], version: int, floor: float) -> set[str]:
        """The rows of now whose vectors are alike by `floor` to what one of these rows was at an earlier version.

        Both in the scope that it was of then. Cost: these rows are read, and taken times those of their scopes.
        """
        held = self._held
        columns = self._columns() if len(held.ids) and version != self._reader.version else None
        if columns is None:
            return set()
        before = self._read(Past(self._reader, version).found(ids, columns))
        if before.vectors.shape[1] != held.vectors.shape[1]:
            return set()
        found: set[str] = set()
        usable = np.isin(np.arange(len(held.ids)), list(held.place.values()))
        for scope in np.unique(before.scopes).tolist():
            now, then = np.flatnonzero((held.scopes == scope) & usable), np.flatnonzero(before.scopes == scope)
            vectors = np.concatenate([held.vectors[now], before.vectors[then]])
            none = np.zeros(len(vectors), np.int64)
            few = np.arange(len(now), len(vectors))
            pairs = near_to(vectors, none, none - 1, none.astype(np.uint64), few, floor, _rng())
            found.update(held.ids[row] for row in now[np.unique(pairs.left[pairs.left < len(now)])].tolist())
        return found

    @cached_property
    def _held(self) -> _Held:
        columns = self._columns()
        return self._read(() if columns is None else self._reader.batches(columns))

    def _columns(self) -> list[str] | None:
        """The columns in which ids, scopes and vectors lie; None where one of these is lacking."""
        mapping = self._reader.mapping
        vector = mapping.column("embedding")
        if vector is None or not all(map(mapping.has, _FIELDS)):
            return None
        return [*sorted(mapping.columns_of(_FIELDS)), vector]

    def _read(self, batches: Iterable[pa.RecordBatch]) -> _Held:
        ids: list[str] = []
        scopes: list[int] = []
        found: list[pa.Array] = []
        for batch in batches:
            *columns, vector = batch.schema.names
            frame = self._reader.mapping.frame(batch.select(columns), _FIELDS)
            ids += [str(name) for name in frame.column("id").to_pylist()]
            scopes += [scope_number(str(scope)) for scope in frame.column("scope").to_pylist()]
            found.append(batch.column(vector))
        # of an id that several rows hold nobody knows which is meant; the detector leaves those out
        place = {name: row for row, name in enumerate(ids) if name not in self._stale}
        return _Held(ids, place, np.array(scopes, np.int64), grid(pa.chunked_array(found or [pa.nulls(0)])))


def _rng() -> np.random.Generator:
    """The same each time: the same table has the same pairs."""
    return np.random.default_rng(0)


def _places(known: dict[str, int], ids: Collection[str]) -> npt.NDArray[np.int64]:
    """Where each id is; -1 where it is not."""
    return np.array([known.get(name, -1) for name in ids], np.int64)
