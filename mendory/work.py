"""What the executor works on: units of edits, the rows they meet, and what becomes of them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
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
    step ids that must be applied first. `problem` is what its attempts are counted under, `decision` the
    approval it uses up, `authority` by whose word it runs.
    """

    key: str
    step_id: str
    edits: tuple[Edit, ...]
    requires: tuple[str, ...] = ()
    problem: str | None = None
    decision: str | None = None
    authority: str | None = None

    @classmethod
    def of(cls, step: Step, problem: str, decision: str | None, authority: str | None = None) -> Unit:
        """The unit of a planned step."""
        return cls(step.id, step.id, step.edits, step.requires, problem, decision, authority)


@dataclass(frozen=True, slots=True)
class Item:
    """One row's part of an applied unit: digests, changed columns, images as one-row tables, what is kept aside."""

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
    ids = rows.table.column(id_column).to_pylist()
    digests = dict(zip(ids, digest.row_digests(rows.table, volatile), strict=True))
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
            state[edit.id], digests[edit.id] = after, edit.becomes
    broken = _not_as_planned(items, volatile)
    if broken:
        rest = settle([u for u in units if u.key not in broken], rows, id_column, volatile)
        return Settled(rest.items, rest.after, {**rest.refused, **broken}, rest.shared)
    touched = list(dict.fromkeys(i.row_id for i in items))
    after = pa.concat_tables([state[i] for i in touched]).combine_chunks() if touched else None
    doubled = frozenset(u.key for u in units if any(e.id in shared for e in u.edits))
    return Settled(tuple(items), after, refused, doubled)


def _not_as_planned(items: Sequence[Item], volatile: Collection[str]) -> dict[str, tuple[Outcome, str]]:
    """Units of which a row would not become what was planned; none, unless planner and executor disagree."""
    if not items:
        return {}
    got = digest.row_digests(pa.concat_tables([i.after for i in items]).combine_chunks(), volatile)
    return {
        i.unit.key: (Outcome.STALE, f"row {i.row_id} would not become what was planned")
        for i, one in zip(items, got, strict=True)
        if one != i.after_digest
    }


def _obstacle(unit: Unit, digests: Mapping[str, str], shared: Collection[str]) -> tuple[Outcome, str] | None:
    gone = [e.id for e in unit.edits if e.id not in digests]
    doubled = [e.id for e in unit.edits if e.id in shared]
    changed = [e.id for e in unit.edits if e.id in digests and digests[e.id] != e.expects]
    if doubled:
        return Outcome.STALE, f"several rows hold the id {', '.join(doubled)}"
    if gone:
        return Outcome.STALE, f"gone since the plan: {', '.join(gone)}"
    if changed and all(digests[e.id] == e.becomes for e in unit.edits):
        return Outcome.DONE, "its rows already are as planned"
    if changed:
        return Outcome.STALE, f"changed since the plan: {', '.join(changed)}"
    return None


def _blocked(unit: Unit, lost_steps: Collection[str]) -> tuple[Outcome, str] | None:
    missing = [s[:8] for s in unit.requires if s in lost_steps]
    return (Outcome.BLOCKED, f"requires step {', '.join(missing)}, which was not applied") if missing else None


def jsonable(columns: Sequence[ColumnChange]) -> list[tuple[str, Any, Any]]:
    """Column changes as JSON."""
    return [(c.column, c.old, c.new) for c in columns]
