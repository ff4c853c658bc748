"""Drafts bound to columns and digests: a frozen plan, its steps grouped and chained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from mendory import digest
from mendory.catalogue import Level, StepKind
from mendory.mapping import Mapping as FieldMapping
from mendory.plan.draft import Draft
from mendory.plan.model import Aside, ColumnChange, Edit, Group, Plan, Step
from mendory.rows import Present, by_id, value_at, with_values
from mendory.side import Note, Notes, text_digest


def bind(
    drafts: Sequence[Draft],
    rows: pa.Table,
    mapping: FieldMapping,
    base_version: int,
    now: datetime,
    window: timedelta,
    notes: Notes = MappingProxyType({}),
) -> Plan:
    """The plan: drafts as steps on `rows` (all columns of every row they change), grouped and chained by digests.

    `notes` is what Mendory keeps aside of these rows. Where the owner's mark of a hidden row holds a time it is `now`.
    """
    edits = _edits(drafts, rows, mapping, now, notes)
    touched: dict[str, list[str]] = {}
    groups = _Grouping()
    lead: tuple[Draft, str] | None = None
    for one, own in zip(drafts, edits, strict=True):
        follows = lead is not None and one.finding.id == lead[0].finding.id
        needs = {s for row in one.rows for s in touched.get(row, ())} | ({lead[1]} if lead and follows else set())
        step = Step(
            one.kind,
            one.level,
            one.rule,
            one.finding.code.value,
            one.finding.id,
            one.scope,
            one.reason,
            own,
            one.detail,
            tuple(sorted(needs)),
        )
        if lead is None or not follows:
            lead = (one, step.id)
        for row in step.changed_ids:
            touched.setdefault(row, []).append(step.id)
        # steps that only follow from another (re-pointing after a merge) stand in its group
        groups.add(lead[0].kind, step)
    return Plan(groups.made(), base_version, now, now + window, tuple(rows.schema.names))


class _Grouping:
    """Steps of one kind, level and rule in one group, and every group after those its steps require."""

    def __init__(self) -> None:
        self._groups: list[tuple[StepKind, list[Step]]] = []
        self._newest: dict[tuple[StepKind, Level, str | None], int] = {}
        self._place: dict[str, int] = {}

    def add(self, kind: StepKind, step: Step) -> None:
        """Put the step in the newest group of its sort, or in a new one when what it requires comes later."""
        after = max((self._place[s] for s in step.requires), default=-1)
        sort = kind, step.level, step.rule
        at = self._newest.get(sort, -1)
        if at < 0 or at < after:
            at = self._newest[sort] = len(self._groups)
            self._groups.append((kind, []))
        self._groups[at][1].append(step)
        self._place[step.id] = at

    def made(self) -> tuple[Group, ...]:
        """The groups, named G1, G2 and so on."""
        return tuple(
            Group(f"G{at}", kind, steps[0].level, steps[0].rule, tuple(steps))
            for at, (kind, steps) in enumerate(self._groups, 1)
        )


def _edits(
    drafts: Sequence[Draft], rows: pa.Table, mapping: FieldMapping, now: datetime, notes: Notes
) -> list[tuple[Edit, ...]]:
    """The edits of each draft, each made on what the drafts before it leave of the row."""
    id_column = str(mapping.column("id"))
    state, _ = by_id(rows, id_column)
    ids = rows.column(id_column).to_pylist()
    digests = dict(zip(ids, digest.row_digests(rows, mapping.volatile), strict=True))
    made: list[tuple[int, str, tuple[ColumnChange, ...], Aside | None]] = []
    after: list[pa.Table] = []
    kept = dict(notes)
    for at, one in enumerate(drafts):
        for row in one.rows:
            changes = one.changes.get(row, {})
            new = {c: _text(v) for c, v in mapping.write(Present(state[row]), changes, now).items()}
            present = {c: value_at(state[row], c) for c in new}
            columns = tuple(ColumnChange(c, present[c], v) for c, v in sorted(new.items()) if not _same(v, present[c]))
            aside, kept[row] = _aside(mapping, state[row], changes, kept.get(row))
            state[row] = with_values(state[row], {c.column: c.new for c in columns})
            made.append((at, row, columns, aside))
            after.append(state[row])
    becomes = digest.row_digests(pa.concat_tables(after).combine_chunks(), mapping.volatile) if after else []
    edits: list[list[Edit]] = [[] for _ in drafts]
    for (at, row, columns, aside), new_digest in zip(made, becomes, strict=True):
        edits[at].append(Edit(row, digests[row], new_digest, columns, aside))
        digests[row] = new_digest
    return [tuple(e) for e in edits]


def _text(value: Any) -> Any:
    """A time as text, as a plan holds it."""
    return value.isoformat(" ") if isinstance(value, datetime) else value


def _same(new: Any, old: Any) -> bool:
    """To Python 1 and true are equal, to a reader of JSON they are not."""
    return bool(new == old) and isinstance(new, bool) == isinstance(old, bool)


def _aside(
    mapping: FieldMapping, row: pa.Table, changes: Mapping[str, Any], note: Note | None
) -> tuple[Aside | None, Note]:
    """What changes of what is kept of the row beside it, and what is kept then.

    What was kept of another text goes: it is about nothing that is there, and would be taken for this text's.
    """
    [memory] = mapping.memories(row)
    about = text_digest(memory)
    held = dict(note.fields) if note else {}
    outdated = note is not None and note.about != about
    new = {name: list(v) or None if isinstance(v, tuple) else v for name, v in mapping.aside(changes).items()}
    after = {name: v for name, v in {**({} if outdated else held), **new}.items() if v is not None}
    names = sorted(new if not outdated or not new else {*held, *new})
    differing = tuple(ColumnChange(n, held.get(n), after.get(n)) for n in names if held.get(n) != after.get(n))
    if not differing:
        return None, note or Note(about, {})
    return Aside(about, differing, note.about if note is not None and outdated else None), Note(about, after)
