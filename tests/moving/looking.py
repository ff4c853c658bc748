"""What the oracle looks at: the table as LanceDB reads it, the journals, and every vector made anew by the models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import lancedb
import numpy as np

from mendory.embedding import Vectors
from tests.moving import oracle
from tests.moving.journal import told
from tests.moving.models import embedded, unit
from tests.moving.oracle import NEW, OLD, Answer, History, Row, Space, Write
from tests.moving.setting import NAME, Setting, pool_of, queries_of

READERS = ("agent-read", "foreign-read")
WRITERS = ("agent-write", "foreign-write")


@dataclass(frozen=True, eq=False)
class Taken:
    """The table at one moment: the ids of all its rows in order, and the rows by id."""

    ids: tuple[str, ...]
    rows: Mapping[str, Row]


def taken(folder: Path, column: str) -> Taken:
    """The table's newest version; `column` holds the new vectors."""
    table = lancedb.connect(str(folder)).open_table(NAME)
    wanted = ["id", "content", "status", "embedding"]
    there = [column] if column in table.schema.names else []
    held = table.search().select([*wanted, *there]).limit(10**9).to_arrow()
    ids = [str(one) for one in held["id"].to_pylist()]
    old = _vectors(held["embedding"])
    new = _vectors(held[column]) if there else iter([None] * len(ids))
    cells = zip(held["content"].to_pylist(), held["status"].to_pylist(), old, new, strict=True)
    return Taken(tuple(ids), {i: Row(text, status, a, b) for i, (text, status, a, b) in zip(ids, cells, strict=True)})


def _vectors(column: Any) -> Iterator[Vectors | None]:
    for one in column.to_pylist():
        yield None if one is None or None in one else np.asarray(one, np.float32)


@dataclass
class Looking:
    """The journals of a run, and both models' vectors of all that was written and asked."""

    setting: Setting

    @cached_property
    def answers(self) -> dict[str, list[Answer]]:
        """Reader → what it got."""
        return {name: oracle.answers_of(told(self.setting.folder, name)) for name in READERS}

    @cached_property
    def writes(self) -> dict[str, list[Write]]:
        """Writer → what it wrote."""
        return {name: oracle.writes_of(told(self.setting.folder, name)) for name in WRITERS}

    @cached_property
    def history(self) -> History:
        """Every text that each row had."""
        return History(self.setting.texts, [write for held in self.writes.values() for write in held])

    @cached_property
    def spaces(self) -> dict[str, Space]:
        """Both spaces. The old vectors were made before the run, the new ones are made now."""
        folder = self.setting.folder
        pool, vectors = pool_of(folder)
        asked, questions = queries_of(folder)
        texts = {text for held in self.history.of.values() for text, _, _ in held}
        before = {text: self.setting.vectors[ident] for ident, text in self.setting.texts.items()}
        before |= {one["text"]: vector for one, vector in zip(pool, vectors, strict=True)}
        model, order = self.setting.pair.models()[1], sorted(texts)
        made = dict(zip(order, unit(embedded(model, order)), strict=True))
        old = {text: unit(before[text]) for text in order}
        again = [one["text"] for one in asked]
        news = [model.embed_query(again[at : at + 256]) for at in range(0, len(again), 256)]
        return {OLD: Space(old, unit(questions)), NEW: Space(made, unit(np.concatenate(news)))}

    def old_again(self, count: int) -> float:
        """The least cosine between old vectors of before the run and the same texts embedded once more."""
        some = sorted(self.spaces[OLD].texts)[:: max(1, len(self.spaces[OLD].texts) // count)][:count]
        made = unit(embedded(self.setting.pair.models()[0], some))
        held = np.stack([self.spaces[OLD].texts[text] for text in some])
        return float(np.einsum("ij,ij->i", made, held).min())
