"""What repairs came to: the verdict on the rows as they are now, and repairs that nobody has judged yet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise

import pyarrow as pa

from mendory import digest
from mendory.clinic import Clinic
from mendory.detect import examine
from mendory.errors import NotReversible, TableCorrupt, VersionUnreadable
from mendory.executor.execute import Context, Result
from mendory.executor.fitting import Images
from mendory.finding import Finding
from mendory.lance import Past, Writer
from mendory.ledger import Ledger
from mendory.ledger.records import IntentKind, IntentState
from mendory.plan.model import Plan, Step
from mendory.rows import by_id, with_changes
from mendory.verify import Verdict, verify
from mendory.work import Outcome, jsonable


def check_effect(
    clinic: Clinic, applied: Sequence[Step], results: Sequence[Result]
) -> tuple[Verdict, tuple[Finding, ...]]:
    """The verdict on what was applied (rows, problems, rows outside the plan), and all findings now."""
    writer = clinic.writer
    newest = writer.refresh()
    findings = findings_now(clinic)
    ids = sorted({i for s in applied for i in s.row_ids})
    if not ids:
        return Verdict(()), findings
    versions = sorted({r.version for r in results if r.version is not None})
    ours = [writer.changes_at(v) for v in versions]
    outside = None if any(c.full for c in ours) else {i for c in ours for i in c.ids | c.gone} - set(ids)
    foreign = _foreign(writer, versions, newest, ids)
    now = _as_promised(applied, results, writer.rows(ids), writer.id_column, writer.volatile)
    # a version that touched a row and left it as promised, by a column that came, changed nothing of it
    promised = {e.id: e.becomes for s in applied for e in s.edits}
    changed = {i for i in foreign & set(ids) if now.get(i) != promised[i]}
    notes = clinic.ledger.asides.held()
    return verify(applied, now, changed, findings, outside, notes, foreign), findings


def foreign_rows(writer: Writer, versions: Sequence[int], ids: Sequence[str]) -> set[str]:
    """Those of the rows that versions after the first of ours touched which are not ours; all where nobody can tell."""
    return _foreign(writer, versions, writer.version, ids) & set(ids)


def _foreign(writer: Writer, versions: Sequence[int], newest: int, ids: Sequence[str]) -> set[str]:
    # by runs of versions between ours: one by one they take as long as there are versions times fragments
    theirs = [writer.changes_between(first, last) for first, last in _between(versions, newest)]
    return set(ids) if any(c.full for c in theirs) else {i for c in theirs for i in c.ids | c.gone}


def _between(versions: Sequence[int], newest: int) -> Iterator[tuple[int, int]]:
    """The versions that are not of these, from the first of them on, as runs (version before the first, last)."""
    for ours, following in pairwise((*versions, newest + 1)):
        if following > ours + 1:
            yield ours, following - 1


def findings_now(clinic: Clinic) -> tuple[Finding, ...]:
    """Everything found at the newest version, dismissed or not."""
    clinic.writer.refresh()
    view = clinic.view(clinic.writer)
    return examine(
        view.scan(), view.fetch, clinic.settings_at(clinic.writer), clinic.neighbours(clinic.writer)
    ).findings


def _as_promised(
    applied: Sequence[Step], results: Sequence[Result], rows: pa.Table, id_column: str, volatile: Collection[str]
) -> dict[str, str]:
    """Row id → the digest its last step promised, where the row is so in the columns that step knew; else its own."""
    units = {r.unit.step_id: r.unit for r in results if r.outcome is Outcome.APPLIED}
    names, columns = rows.column(id_column).to_pylist(), frozenset(rows.column_names)

    @cache
    def over(basis: frozenset[str]) -> dict[str, str]:
        return dict(zip(names, digest.row_digests(rows, {*volatile, *(columns - basis)}), strict=True))

    now = dict(over(columns))
    promised: dict[str, str] = {}
    for step in applied:
        unit = units[step.id]
        basis = columns if unit.known is None else unit.known & columns
        for planned, edit in zip(step.edits, unit.edits, strict=True):
            if over(basis).get(edit.id) == edit.becomes:
                promised[planned.id] = planned.becomes
            else:
                promised.pop(planned.id, None)
    return now | promised


def cut_off(ledger: Ledger, plan_id: str, context: Context) -> list[Result]:
    """The plan's applied steps that no run has judged: whoever applied them ended before it could say so.

    What another process applied that is still at work is its own to judge.
    """
    runs = [r for r in ledger.runs(plan_id) if r["kind"] == "apply"]
    if any("repairs" not in r for r in runs):
        return []  # of a run that did not say which repairs it judged
    judged = {rid for r in runs for rid in r["repairs"]}
    outcomes = ledger.plans.outcomes(plan_id)
    found: list[Result] = []
    for intent in ledger.intents.in_state(IntentState.APPLIED, plan_id=plan_id):
        busy = intent.owner != context.owner and context.alive(intent.owner, intent.touched_at)
        if intent.kind is not IntentKind.APPLY or intent.rid in judged or busy:
            continue
        try:
            units = ledger.intents.units(intent.rid)
        except NotReversible:
            continue  # past its retention: there is nothing to compare with
        for unit in units:
            said = outcomes.get(unit.step_id)
            if said and said["outcome"] == Outcome.APPLIED.value and said["rid"] == intent.rid:
                found.append(Result(unit, Outcome.APPLIED, "", intent.rid, intent.version))
    return found


def images_of(plan: Plan, clinic: Clinic) -> Images:
    """The rows as each step of the plan expects and leaves them, from the version it was planned on."""
    return replay(plan, clinic.writer.volatile, lambda ids: _past_rows(clinic, plan, ids), clinic.writer.id_column)


def _past_rows(clinic: Clinic, plan: Plan, ids: Sequence[str]) -> pa.Table | None:
    try:
        return Past(clinic.writer, plan.base_version).rows(ids)
    except (VersionUnreadable, TableCorrupt):
        return None  # cleaned up: nobody knows them any more


def replay(
    plan: Plan, volatile: Collection[str], read: Callable[[Sequence[str]], pa.Table | None], id_column: str
) -> Images:
    """The rows as each step of the plan expects and leaves them, by doing the plan to the rows that `read` gives.

    They are read when they are first asked for; None tells that nobody knows them any more.
    """

    @cache
    def replayed() -> Mapping[str, Mapping[str, tuple[pa.Table, pa.Table]]]:
        rows = read(sorted(plan.row_ids))
        state = {} if rows is None else by_id(rows, id_column)[0]
        told: dict[str, dict[str, tuple[pa.Table, pa.Table]]] = {}
        for step in plan.steps():
            for edit in step.edits:
                before = state.get(edit.id)
                if before is not None:
                    state[edit.id] = with_changes(before, jsonable(edit.columns), volatile)
                    told.setdefault(step.id, {})[edit.id] = before, state[edit.id]
        return told

    return lambda unit: replayed().get(unit.step_id, {})
