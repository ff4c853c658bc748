"""What a person is shown of a plan's repairs: a sample of memories, each original against result and proven whole."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from mendory import digest
from mendory.clinic import Clinic
from mendory.effect import foreign_rows
from mendory.ledger.records import Held, Part
from mendory.plan.model import ColumnChange, Plan
from mendory.proof import Proof, sample, strayed, told
from mendory.record import FIELDS, Memory
from mendory.rows import by_id, value_at

_REFERENCES: Final = tuple(f.name for f in FIELDS if f.reference)
_ASIDE: Final = (*_REFERENCES, "disputed_with", "exception_of")
"""What names other memories, in a row's columns and aside."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """One memory that a plan repaired: by which steps and repairs, what became of it, and whether it is whole.

    `changed_since` says that others wrote the row after the repair: then nothing is proven of it, nor lacking.
    `original` and `result` are its text then and now; `before` and `after` the digests of the row.
    """

    row: str
    steps: tuple[str, ...]
    kind: str
    rid: str
    before: str
    after: str
    proof: Proof
    changed_since: bool
    changes: tuple[ColumnChange, ...]
    original: str | None
    result: str | None

    @property
    def whole(self) -> bool:
        """True when it is proven."""
        return self.proof.whole and not self.changed_since

    def as_json(self) -> dict[str, Any]:
        """What records may hold: ids, names of columns and digests, no text and no value."""
        return {
            "id": self.row,
            "steps": [s[:8] for s in self.steps],
            "kind": self.kind,
            "rid": self.rid,
            "before": self.before,
            "after": self.after,
            "whole": self.whole,
            "changed_since": self.changed_since,
            "strayed": list(self.proof.strayed),
            "dangling": list(self.proof.dangling),
            "gone": self.proof.gone,
            "doubtful": self.proof.doubtful,
        }


def repaired(
    clinic: Clinic, plan: Plan, parts: Sequence[Part], rows: Collection[str] | None = None
) -> tuple[Repaired, ...]:
    """The plan's sample of the memories whose repairs stand (`parts`), or these rows, each against the table as it is.

    Of repairs past their retention nothing can be shown: they are left out.
    """
    by_row: dict[str, list[Part]] = {}
    for part in (p for p in parts if p.kept):
        by_row.setdefault(part.row_id, []).append(part)
    chosen = sample(plan.id, by_row) if rows is None else [r for r in by_row if r in rows]
    if not chosen:
        return ()
    clinic.writer.refresh()
    now, _ = by_id(clinic.writer.rows(chosen), clinic.writer.id_column)
    read = [_Reading(clinic, [clinic.ledger.intents.part(p.rid, p.seq) for p in by_row[r]], now.get(r)) for r in chosen]
    there = _there(clinic, {target for one in read for target in one.named})
    astray = [one.row for one in read if not one.proof(there).whole]
    foreign = foreign_rows(clinic.writer, _versions(clinic, by_row, chosen), astray) if astray else set()
    kinds = {s.id: s.kind.value for s in plan.steps()}
    return tuple(one.told(kinds, there, one.row in foreign) for one in read)


def _versions(clinic: Clinic, by_row: Mapping[str, Sequence[Part]], rows: Iterable[str]) -> list[int]:
    rids = {p.rid for row in rows for p in by_row[row]}
    return sorted(v for rid in rids if (v := clinic.ledger.intents.get(rid).version) is not None)


def _there(clinic: Clinic, ids: Collection[str]) -> frozenset[str]:
    return frozenset(clinic.writer.fetch(sorted(ids))) if ids else frozenset()


class _Reading:
    """One row as the ledger has it before and after what stands of a plan, and as it is now."""

    def __init__(self, clinic: Clinic, items: Sequence[Held], now: pa.Table | None) -> None:
        images = clinic.ledger.intents.images
        self.row, self._items, self._now = items[0].row_id, items, now
        self._before, _ = images(items[0].rid, items[0].seq)
        _, self._after = images(items[-1].rid, items[-1].seq)
        self._volatile, self._clinic = clinic.writer.volatile, clinic
        self._was, self._is = self._memory(self._before), self._memory(now)
        self.named = self._named()

    def _memory(self, row: pa.Table | None) -> Memory | None:
        if row is None:
            return None
        return next(iter(self._clinic.mapping.memories(row)), None)

    def _named(self) -> set[str]:
        """The memories that the row names now and did not before, in its columns or aside."""
        named = _named_by(self._is) - _named_by(self._was)
        for item in self._items:
            for change in item.aside.changes if item.aside else ():
                if change.column in _ASIDE:
                    named |= _targets(change.new) - _targets(change.old)
        return named

    def _places(self) -> frozenset[str]:
        return frozenset(c.column for i in self._items for c in i.columns)

    def proof(self, there: Collection[str]) -> Proof:
        """What the row lacks, given which of the memories it names are there."""
        if self._now is None:
            return Proof(gone=True)
        [before], [after] = (digest.row_digests(r, self._volatile) for r in (self._before, self._after))
        return Proof(
            strayed(self._before, self._after, self._now, self._places(), self._volatile),
            tuple(sorted(self.named - set(there))),
            doubtful=(before, after) != (self._items[0].before_digest, self._items[-1].after_digest),
        )

    def told(self, kinds: Mapping[str, str], there: Collection[str], foreign: bool) -> Repaired:
        """The row as a person is shown it; what others wrote since is no fault of the repair."""
        proof, last = self.proof(there), self._items[-1]
        since = foreign and bool(proof.strayed or proof.gone)
        return Repaired(
            self.row,
            tuple(dict.fromkeys(i.step_id for i in self._items)),
            kinds[last.step_id],
            last.rid,
            self._items[0].before_digest,
            last.after_digest,
            Proof(dangling=proof.dangling, doubtful=proof.doubtful) if since else proof,
            since,
            tuple(self._changes()),
            self._was.content if self._was else None,
            self._is.content if self._is else None,
        )

    def _changes(self) -> Iterable[ColumnChange]:
        shown_of = self._now if self._now is not None else self._after
        for place in sorted(self._places()):
            if place.partition(".")[0] in shown_of.column_names:
                yield from told(place, value_at(self._before, place), value_at(shown_of, place))
        for item in self._items:
            yield from item.aside.changes if item.aside else ()


def _named_by(memory: Memory | None) -> set[str]:
    return set().union(*(_targets(getattr(memory, name)) for name in _REFERENCES)) if memory else set()


def _targets(value: Any) -> set[str]:
    if isinstance(value, str):
        return {value}
    return {v for v in value if isinstance(v, str)} if isinstance(value, list | tuple) else set()
