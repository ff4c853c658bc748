"""Taking repairs back: a forward repair of its own, row by row, never a restore of the table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from mendory.errors import EmptyTargetSet
from mendory.executor.execute import Context, Job, Result, execute
from mendory.executor.fitting import Images
from mendory.executor.store import Store
from mendory.ledger import Ledger
from mendory.ledger.records import Held, IntentKind
from mendory.plan.model import Edit
from mendory.work import Outcome, Unit

_BACK = (Outcome.APPLIED, Outcome.DONE)


@dataclass(frozen=True, slots=True)
class RolledBack:
    """Rows taken back, rows skipped each with the reason, and the steps of which a row was taken back."""

    restored: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]
    step_ids: tuple[str, ...]
    results: tuple[Result, ...]


def rollback(
    plan_id: str,
    steps: Sequence[str] | None,
    row: str | None,
    store: Store,
    ledger: Ledger,
    context: Context,
    by: str | None = None,
    only: Collection[tuple[str, str]] | None = None,
) -> RolledBack:
    """Every row the chosen repairs changed has its earlier bytes again, unless somebody changed it since.

    `steps` None means the whole plan; `row` narrows to one row, `only` to these (step, row). Later repairs are taken
    back first. Rows changed since by others are skipped and listed; nothing else of them is touched. A column that
    came or went since is no change of a row, and what came keeps its values. With `by`, what is taken back is a
    person's word: the receipt dismisses the findings in the same transaction.
    Raises EmptyTargetSet when no applied repair is meant, NotReversible past retention.
    """
    held = [i for i in ledger.intents.items(plan_id) if steps is None or i.step_id in steps]
    held = [i for i in held if (i.columns or i.aside) and (row is None or i.row_id == row)]
    held = [i for i in held if only is None or (i.step_id, i.row_id) in only]
    waiting = [i for i in held if i.undone_by is None]
    if not held:
        raise EmptyTargetSet(
            f"No applied repair of plan {plan_id[:8]} is meant by that. Nothing was rolled back. "
            f"Run 'mendory show {plan_id[:8]}' to see what was applied."
        )
    units = tuple(_inverse(i) for i in reversed(waiting))
    results = execute(
        Job(IntentKind.ROLLBACK, plan_id, None, units, by=by, images=_images(ledger)), store, ledger, context
    )
    restored = [r.unit.edits[0].id for r in results if r.outcome in _BACK]
    skipped = [(i.row_id, "rolled back before") for i in held if i.undone_by is not None]
    skipped += [(r.unit.edits[0].id, r.reason) for r in results if r.outcome not in _BACK]
    return RolledBack(
        tuple(dict.fromkeys(restored)),
        tuple(dict.fromkeys(skipped)),
        tuple(dict.fromkeys(r.unit.step_id for r in results if r.outcome in _BACK)),
        tuple(results),
    )


def _inverse(item: Held) -> Unit:
    edit = Edit(item.row_id, item.before_digest, item.after_digest, item.columns, item.aside).inverse()
    return Unit(f"rollback:{item.rid}:{item.seq}", item.step_id, (edit,), known=item.known)


def _images(ledger: Ledger) -> Images:
    """The rows as the repairs left them and as they were before, from the ledger."""

    def of(unit: Unit) -> Mapping[str, tuple[pa.Table, pa.Table]]:
        _, rid, seq = unit.key.split(":")
        before, after = ledger.intents.images(rid, int(seq))
        return {unit.edits[0].id: (after, before)}

    return of
