"""A dress rehearsal on a shallow clone: apply, verify, roll back, compare. Nobody is shown a plan that fails it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mendory import digest
from mendory.catalogue import StepKind
from mendory.detect import Settings, examine
from mendory.detect.neighbours import Neighbours
from mendory.errors import RehearsalFailed
from mendory.executor.execute import Context, Job, execute
from mendory.executor.rollback import rollback
from mendory.lance import Writer
from mendory.ledger import Ledger
from mendory.ledger.records import IntentKind
from mendory.plan.model import Plan
from mendory.side import Notes, View
from mendory.verify import verify
from mendory.work import Outcome, Unit


def rehearse(
    plan: Plan,
    table: Writer,
    settings: Settings,
    folder: Path,
    context: Context,
    notes: Notes,
    neighbours: Neighbours | None = None,
) -> None:
    """Return when the whole plan applies, verifies and rolls back byte for byte on a clone in `folder`.

    `notes` is what is kept aside of the table. The table itself is not written. Raises RehearsalFailed saying what
    went wrong.
    """
    clone = table.clone(folder, plan.base_version)
    ids = sorted(plan.row_ids)
    before, count = _digests(clone, ids), clone.count()
    ledger = Ledger.in_memory()
    ledger.asides.take(notes)
    versions = []
    for group in plan.groups:
        units = tuple(Unit.of(step, "", None) for step in group.steps)
        results = execute(Job(IntentKind.APPLY, plan.id, group.name, units), clone, ledger, context)
        refused = [r for r in results if r.outcome is not Outcome.APPLIED]
        if refused:
            raise _failed(plan, f"{len(refused)} steps did not apply, the first since: {refused[0].reason}")
        versions += [r.version for r in results if r.version is not None]
    clone.refresh()
    changed = [clone.changes_at(v) for v in sorted(set(versions))]
    outside = None if any(c.full for c in changed) else {i for c in changed for i in c.ids | c.gone} - set(ids)
    held = ledger.asides.held()
    view = View(clone, held)
    # which vectors are of earlier texts is seen of the table, and no more true of what the plan embeds anew
    renewed = {i for step in plan.steps() if step.kind is StepKind.REEMBED for i in step.changed_ids}
    seen = examine(
        view.scan(), view.fetch, replace(settings, stale_vectors=settings.stale_vectors - renewed), neighbours
    )
    verdict = verify(list(plan.steps()), _digests(clone, ids), (), seen.findings, outside, held)
    if not verdict.ok:
        wrong = "; ".join(f"{c.name}: {', '.join(c.failed[:5])}" for c in verdict.checks if not c.ok)
        raise _failed(plan, f"it did not verify ({wrong})")
    undone = rollback(plan.id, None, None, clone, ledger, context)
    clone.refresh()
    if undone.skipped or _digests(clone, ids) != before or clone.count() != count or ledger.asides.held() != notes:
        raise _failed(plan, "rolling it back did not give every row back")


def _digests(table: Writer, ids: list[str]) -> dict[str, str]:
    rows = table.rows(ids)
    names = rows.column(table.id_column).to_pylist()
    return dict(zip(names, digest.row_digests(rows, table.volatile), strict=True))


def _failed(plan: Plan, why: str) -> RehearsalFailed:
    return RehearsalFailed(
        f"Plan {plan.code} failed its rehearsal on a clone: {why}. The table was not touched and the plan "
        "is not stored. Plan again; if it fails again, report it."
    )
