"""Probes: queries made from a sample of memories, asked in one space or two as the table is now."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from mendory.clinic import Clinic
from mendory.embedding import Embedder
from mendory.gating import Timed
from mendory.lance import Reader
from mendory.migration.quality import Change, Values, changed
from mendory.migration.queries import Item, known_items
from mendory.spaces import draw


class Probing:
    """Asks each space by its own model, in its own column. `readers` read the spaces, each with its embedder.

    No text of more than `most` characters is asked: not every embedder takes it.
    """

    def __init__(
        self,
        clinic: Clinic,
        readers: Sequence[Reader],
        embedders: Sequence[Embedder],
        most: int,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._readers, self._embedders, self._most = readers, embedders, most
        for reader in readers:
            reader.refresh()
        self._searches = [Timed(clinic, reader, monotonic) for reader in readers]

    def first(self, seed: int, wanted: int) -> Change:
        """Of so many memories, chosen by the seed, how many are the first answer: in the first space, and the last."""
        items = self._asked(seed, wanted)
        values = [self._hits(items, at) for at in range(len(self._readers))]
        return changed(values[0], values[-1], [item.id for item in items])

    def answers(self, seed: int, wanted: int) -> bool:
        """True when the first space finds anything for queries made from so many memories, or there are none."""
        items = self._asked(seed, wanted)
        return not items or any(self._found(items, 0))

    def _asked(self, seed: int, wanted: int) -> list[Item]:
        """Memories that recall returns, each with a query made from it; with its own text where none can be made."""
        reader = self._readers[0]
        drawn = draw(reader, seed, wanted + wanted // 2, self._most)
        held = reader.fetch([row.id for row in drawn.rows])
        items = [
            Item(ident, memory.content, memory.scope or "")
            for ident, memory in held.items()
            if memory.content and (memory.recallable or memory.status is None)
        ]
        rng = random.Random(seed)  # noqa: S311  # a sample, not a secret
        rng.shuffle(items)
        made = {query.of: query.text for query in reversed(known_items(items, rng, len(items), self._most).queries)}
        return [replace(item, text=made.get(item.id, item.text)) for item in items[:wanted]]

    def _hits(self, items: Sequence[Item], at: int) -> Values:
        pairs = zip(items, self._found(items, at), strict=True)
        return np.asarray([float(ids[:1] == [item.id]) for item, ids in pairs])

    def _found(self, items: Sequence[Item], at: int) -> list[list[str]]:
        if not items:
            return []
        vectors = self._embedders[at].embed_query([item.text for item in items])
        return [list(ids) for ids in self._searches[at](vectors, [item.scope for item in items])]
