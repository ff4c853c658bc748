"""After a crash: every open intent of a dead owner is finished, or its outcome is `unknown`. Never guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mendory.errors import LostOwnership
from mendory.executor.execute import DOUBLED, Context, Result, attempt, give_up, gone, read_and_settle, refusals
from mendory.executor.store import Absent, Found, Store, Unreadable
from mendory.ledger import Ledger
from mendory.ledger.records import Intent, IntentState
from mendory.work import Outcome, Settled, Unit


@dataclass(frozen=True, slots=True)
class Recovered:
    """An abandoned intent and what became of its units."""

    intent: Intent
    results: tuple[Result, ...]


def recover(store: Store, ledger: Ledger, context: Context) -> list[Recovered]:
    """Every abandoned intent is applied (before the crash, or now), refused, or unknown.

    Rolls forward: a commit found in the table's history is sealed, a missing one is redone. A process
    that was merely paused can do no harm afterwards: its commit conflicts with ours.
    """
    recovered = []
    for intent in ledger.intents.in_state(IntentState.OPEN):
        if context.alive(intent.owner, intent.touched_at):
            continue
        ours = ledger.intents.take_over(intent, context.owner)
        if ours is None:
            continue
        try:
            results = finish(ours, store, ledger, context)
        except LostOwnership:
            continue  # another process has it and will say what became of it
        recovered.append(Recovered(ours, tuple(results)))
    return recovered


def finish(intent: Intent, store: Store, ledger: Ledger, context: Context) -> list[Result]:
    """The intent, which is ours, is closed."""
    units = ledger.intents.units(intent.rid)
    # rows first, then history up to the version they were read at: what is not found there, and is
    # committed later by a paused process, conflicts with the commit we base on these rows
    images = ledger.intents.images_of(intent.rid)
    version, settled = read_and_settle(units, store, images)
    match outcome_in_history(intent, version, store):
        case Found(at):
            store.sync(at)
            ledger.intents.close(intent.rid, intent.epoch, IntentState.APPLIED, at)
            return [Result(u, Outcome.APPLIED, "found in the table's history", intent.rid, at) for u in units]
        case Unreadable(at):
            return give_up(intent.rid, intent.epoch, units, gone(at), ledger)
        case Absent() if settled.shared:
            return give_up(intent.rid, intent.epoch, units, DOUBLED, ledger)
        case Absent():
            return redo(intent, version, settled, units, store, ledger, context)


def outcome_in_history(intent: Intent, through: int, store: Store) -> Found | Absent | Unreadable:
    """Whether the table's transaction history holds the intent's commit; the rows' content is never asked."""
    if through < intent.base_version:
        return Unreadable(intent.base_version)
    return store.find_commit(intent.rid, intent.base_version, through)


def redo(
    intent: Intent,
    version: int,
    settled: Settled,
    units: Sequence[Unit],
    store: Store,
    ledger: Ledger,
    context: Context,
) -> list[Result]:
    """The intent is applied now, to the rows that still are as planned."""
    refused = refusals(units, settled.refused, intent.rid)
    if not settled.items:
        ledger.intents.close(intent.rid, intent.epoch, IntentState.REFUSED)
        return refused
    # the first base version stays: until we commit, the paused owner still may
    ledger.intents.record_try(intent.rid, intent.epoch, None, settled.items)
    since = intent.base_version
    images = ledger.intents.images_of(intent.rid)
    return refused + attempt(intent.rid, intent.epoch, version, settled, store, ledger, context, since, images)
