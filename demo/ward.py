"""The ward: the rows being made sick, who is sick already, and what was planted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from demo.rows import Row, is_chinese, metadata_of


def anyone(row: Row) -> bool:
    """True for every row that has an id."""
    return bool(row["id"])


@dataclass(frozen=True, slots=True)
class Fault:
    """One planted fault: its code, its rows, what healing must make of it, and what that is checked by."""

    code: str
    outcome: str
    ids: tuple[str, ...]
    detail: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """The fault as the planting file holds it."""
        return {"code": self.code, "outcome": self.outcome, "ids": list(self.ids), "detail": self.detail}


@dataclass(slots=True)
class Ward:
    """Rows by id, and which may still be chosen: recallable, named by no other row, one of its text."""

    rows: dict[str, Row]
    rng: Random
    faults: list[Fault] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    struck: str = ""
    """The scope whose missing metadata all come from one import, so that a diagnosis can name it."""
    _scopes: Counter[str] = field(default_factory=Counter)
    _languages: Counter[bool] = field(default_factory=Counter)
    _referenced: frozenset[str] = frozenset()
    _texts: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, rows: Iterable[Row], rng: Random) -> Ward:
        """A ward of copies of these rows, all healthy."""
        held = {r["id"]: dict(r) for r in rows}
        named = (t for r in held.values() for t in (r["duplicate_of"], r["superseded_by"], *(r["related_ids"] or ())))
        texts = Counter(r["content"] for r in held.values())
        return cls(held, rng, _referenced=frozenset(filter(None, named)), _texts=texts)

    def free(self, row: Row) -> bool:
        """True when the row is healthy, in recall, and no other row depends on it."""
        shown = row["status"] == "active" and row["id"] not in self.taken
        return shown and row["id"] not in self._referenced and self._texts[row["content"]] == 1

    def choose(
        self, count: int, fits: Callable[[Row], bool], lone_batches: bool = False, outside: str | None = None
    ) -> list[Row]:
        """That many free rows that fit, spread over scopes and languages, and taken from now on.

        With `lone_batches` no two of them come from one batch; none comes from the scope `outside`.
        """
        pool = [r for r in self.rows.values() if r["scope"] != outside and self.free(r) and fits(r)]
        self.rng.shuffle(pool)
        chosen: list[Row] = []
        batches: set[str] = set()
        while len(chosen) < count:
            open_rows = [r for r in pool if r["id"] not in self.taken and r["batch_id"] not in batches]
            assert open_rows, "no free row fits"
            row = min(open_rows, key=lambda r: (self._scopes[r["scope"]], self._languages[is_chinese(r["content"])]))
            self.take(row)
            chosen.append(row)
            if lone_batches and row["batch_id"]:
                batches.add(row["batch_id"])
        return chosen

    def take(self, row: Row) -> None:
        """The row is sick from now on."""
        if row["id"] not in self.taken:
            self.taken.add(row["id"])
            self._scopes[row["scope"]] += 1
            self._languages[is_chinese(row["content"])] += 1

    def admit(self, row: Row) -> Row:
        """A new row, sick from the start."""
        self.rows[row["id"]] = row
        self.take(row)
        return row

    def rename(self, row: Row, name: str) -> None:
        """A row that is sick already has another id; nothing names it by the old one."""
        del self.rows[row["id"]]
        self.taken.discard(row["id"])
        row["id"] = name
        self.rows[name] = row
        self.taken.add(name)

    def plant(self, code: str, outcome: str, rows: Iterable[Row], **detail: Any) -> None:
        """The fault is noted."""
        self.faults.append(Fault(code, outcome, tuple(r["id"] for r in rows), detail))

    def batch(self, batch_id: str | None) -> list[Row]:
        """The rows of one batch."""
        return [r for r in self.rows.values() if batch_id and r["batch_id"] == batch_id]

    def free_imports(self) -> list[list[Row]]:
        """The larger import batches whose rows are all free."""
        batches: dict[str, list[Row]] = {}
        for row in self.rows.values():
            if (row["batch_id"] or "").startswith("import"):
                batches.setdefault(row["batch_id"], []).append(row)
        return [b for b in batches.values() if 8 <= len(b) and all(map(self.free, b))]

    def agreed(self, row: Row, key: str) -> Any:
        """What at least three siblings of the row's batch say unanimously about a metadata key, else None."""
        said = [metadata_of(r).get(key) for r in self.batch(row["batch_id"]) if r["id"] != row["id"]]
        held = [v for v in said if v not in (None, "", [])]
        return held[0] if len(held) >= 3 and all(v == held[0] for v in held) else None
