"""What the executor works on: units of edits, the rows they meet, and what becomes of them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import pyarrow as pa

from mendory import digest
from mendory.plan.model import Aside, ColumnChange, Edit, Step
from mendory.rows import by_id, with_changes


class Outcome(StrEnum):
    """What became of a unit."""

    APPLIED = "applied"
    STALE = "stale"
    BLOCKED = "blocked"
    DONE = "done"
    BUSY = "busy"
    DEFERRED = "deferred"
    SUSPENDED = "suspended"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Unit:
    """Edits that are applied together or not at all.

    `key` is what makes the unit idempotent: no two live units of a ledger share it. `requires` are
    step ids that must be applied first. Its attempts are counted under its `problem`, and under the texts that
    leave recall by it (`archives`). `decision` is the approval it uses up, `authority` by whose word it runs.
    `known` are the columns its digests cover, None for all there are: a column that came since has changed no row.
    """

    key: str
    step_id: str
    edits: tuple[Edit, ...]
    requires: tuple[str, ...] = ()
    problem: str | None = None
    decision: str | None = None
    authority: str | None = None
    known: frozenset[str] | None = field(default=None, compare=False)
    archives: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(
        cls,
        step: Step,
        problem: str,
        decision: str | None,
        authority: str | None = None,
        known: frozenset[str] | None = None,
        archives: tuple[str, ...] = (),
    ) -> Unit:
        """The unit of a planned step."""
        return cls(step.id, step.id, step.edits, step.requires, problem, decision, authority, known, archives)


@dataclass(frozen=True, slots=True)
class Item:
    """One row's part of an applied unit: digests, changed columns, images as one-row tables, what is kept aside.

    The digests are those of the images, columns included that came after the plan.
    """

    unit: Unit
    row_id: str
    before_digest: str
    after_digest: str
    columns: tuple[ColumnChange, ...]
    before: pa.Table
    after: pa.Table
    aside: Aside | None = None

    @property
    def idle(self) -> bool:
        """True when nothing of the row changes."""
        return not self.columns and self.aside is None


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a table, all columns, as they were at `version`."""

    version: int
    table: pa.Table


@dataclass(frozen=True, slots=True)
class Settled:
    """What a batch would do to rows just read: items in order, final rows, refusals by unit key.

    `shared` are the keys refused since several rows hold an id: nothing else need have touched their
    rows, so a paused owner's commit of them would not conflict.
    """

    items: tuple[Item, ...] = ()
    after: pa.Table | None = None
    refused: Mapping[str, tuple[Outcome, str]] = field(default_factory=dict)
    shared: frozenset[str] = frozenset()

    @property
    def units(self) -> tuple[Unit, ...]:
        """The units that are ready, in order."""
        return units_of(self.items)


def units_of(items: Sequence[Item]) -> tuple[Unit, ...]:
    """The units the items belong to, each once, in order."""
    return tuple({i.unit.key: i.unit for i in items}.values())


def settle(units: Sequence[Unit], rows: Rows, id_column: str, volatile: Collection[str]) -> Settled:
    """Each unit against the rows as they are now: ready, or refused with what changed.

    A unit is refused alone when one of its rows is gone, shared by several rows, or has another
    digest than planned; so is every later unit that requires it.
    """
    state, shared = by_id(rows.table, id_column)
    digests = _Digests(rows.table, id_column, volatile, units)
    items: list[Item] = []
    refused: dict[str, tuple[Outcome, str]] = {}
    lost_steps: set[str] = set()
    for unit in units:
        why = _obstacle(unit, digests, shared) or _blocked(unit, lost_steps)
        if why is not None:
            refused[unit.key] = why
            lost_steps.add(unit.step_id)
            continue
        for edit in unit.edits:
            before = state[edit.id]
            after = with_changes(before, jsonable(edit.columns), volatile)
            items.append(Item(unit, edit.id, edit.expects, edit.becomes, edit.columns, before, after, edit.aside))
            state[edit.id] = after
            digests.moved(unit, edit, after)
    broken = _not_as_planned(items, digests)
    if broken:
        rest = settle([u for u in units if u.key not in broken], rows, id_column, volatile)
        return Settled(rest.items, rest.after, {**rest.refused, **broken}, rest.shared)
    touched = list(dict.fromkeys(i.row_id for i in items))
    after = pa.concat_tables([state[i] for i in touched]).combine_chunks() if touched else None
    doubled = frozenset(u.key for u in units if any(e.id in shared for e in u.edits))
    return Settled(tuple(_of_images(items, digests)), after, refused, doubled)


class _Digests:
    """Digests of rows as they will be, over the columns that a unit knows of those there are."""

    def __init__(self, rows: pa.Table, id_column: str, volatile: Collection[str], units: Sequence[Unit]) -> None:
        self.columns = frozenset(rows.column_names)
        self._volatile = volatile
        ids = rows.column(id_column).to_pylist()
        self._held = {
            basis: dict(zip(ids, self.over(rows, basis), strict=True)) for basis in {self.basis(u) for u in units}
        }

    def basis(self, unit: Unit) -> frozenset[str]:
        """The columns of the unit's digests that are there."""
        return self.columns if unit.known is None else unit.known & self.columns

    def over(self, rows: pa.Table, basis: frozenset[str]) -> list[str]:
        """The rows' digests over those columns."""
        return digest.row_digests(rows, {*self._volatile, *(self.columns - basis)})

    def of(self, unit: Unit) -> dict[str, str]:
        """Row id → its digest over the columns the unit knows."""
        return self._held[self.basis(unit)]

    def moved(self, unit: Unit, edit: Edit, after: pa.Table) -> None:
        """The row is as that edit of the unit leaves it."""
        own = self.basis(unit)
        for basis, held in self._held.items():
            held[edit.id] = edit.becomes if basis == own else self.over(after, basis)[0]


def _not_as_planned(items: Sequence[Item], digests: _Digests) -> dict[str, tuple[Outcome, str]]:
    """Units of which a row would not become what was planned; none, unless planner and executor disagree."""
    broken: dict[str, tuple[Outcome, str]] = {}
    for basis in {digests.basis(i.unit) for i in items}:
        mine = [i for i in items if digests.basis(i.unit) == basis]
        got = digests.over(pa.concat_tables([i.after for i in mine]).combine_chunks(), basis)
        broken |= {
            i.unit.key: (Outcome.STALE, f"row {i.row_id} would not become what was planned")
            for i, one in zip(mine, got, strict=True)
            if one != i.after_digest
        }
    return broken


def _of_images(items: Sequence[Item], digests: _Digests) -> list[Item]:
    """The items with the digests of their images, where the unit does not know all columns."""
    partly = [i for i in items if digests.basis(i.unit) != digests.columns]
    if not partly:
        return list(items)
    before, after = (
        digests.over(pa.concat_tables(images).combine_chunks(), digests.columns)
        for images in ([i.before for i in partly], [i.after for i in partly])
    )
    whole = iter(zip(before, after, strict=True))
    made = []
    for item in items:
        if digests.basis(item.unit) != digests.columns:
            one, other = next(whole)
            item = replace(item, before_digest=one, after_digest=other)
        made.append(item)
    return made


def _obstacle(unit: Unit, digests: _Digests, shared: Collection[str]) -> tuple[Outcome, str] | None:
    now = digests.of(unit)
    gone = [e.id for e in unit.edits if e.id not in now]
    doubled = [e.id for e in unit.edits if e.id in shared]
    changed = [e.id for e in unit.edits if e.id in now and now[e.id] != e.expects]
    homeless = {c.column.partition(".")[0] for e in unit.edits for c in e.columns} - digests.columns
    if doubled:
        return Outcome.STALE, f"several rows hold the id {', '.join(doubled)}"
    if gone:
        return Outcome.STALE, f"gone since the plan: {', '.join(gone)}"
    if homeless:
        return Outcome.STALE, reshaped((unit.known or digests.columns) | homeless, digests.columns)
    if changed and all(now[e.id] == e.becomes for e in unit.edits):
        return Outcome.DONE, "its rows already are as planned"
    if changed:
        why = f"changed since the plan: {', '.join(changed)}"
        shape = reshaped(unit.known, digests.columns) if unit.known else ""
        return Outcome.STALE, "; ".join(filter(None, (why, shape)))
    return None


def reshaped(known: Collection[str], there: Collection[str]) -> str:
    """What became of the table's columns since only `known` were there; empty when nothing did.

    >>> reshaped({"id", "note"}, {"id", "remark", "extra"}), reshaped({"id"}, {"id"})
    ('the table lost column note and gained columns extra, remark', '')
    """
    told = []
    for verb, names in (("lost", set(known) - set(there)), ("gained", set(there) - set(known))):
        if names:
            told.append(f"{verb} column{'s' if len(names) > 1 else ''} {', '.join(sorted(names))}")
    return f"the table {' and '.join(told)}" if told else ""


def _blocked(unit: Unit, lost_steps: Collection[str]) -> tuple[Outcome, str] | None:
    missing = [s[:8] for s in unit.requires if s in lost_steps]
    return (Outcome.BLOCKED, f"requires step {', '.join(missing)}, which was not applied") if missing else None


def jsonable(columns: Sequence[ColumnChange]) -> list[tuple[str, Any, Any]]:
    """Column changes as JSON."""
    return [(c.column, c.old, c.new) for c in columns]
