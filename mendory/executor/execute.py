"""Intent → rows read anew and compared → optimistic commit → fsync → receipt.

Every try writes its base version and images to the intent before it commits, so that whatever kills
the process, the ledger says what may have happened and the table's history says what did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from mendory.errors import CommitConflict, LostOwnership
from mendory.executor.fitting import Images, fitted
from mendory.executor.store import Absent, Found, Store, Unreadable
from mendory.ledger import Ledger
from mendory.ledger.records import Cap, IntentKind, IntentState
from mendory.work import Item, Outcome, Settled, Unit, settle, units_of

MOST_TRIES = 5
BATCH_ROWS = 500


@dataclass(frozen=True, slots=True)
class Context:
    """Who executes, and the world as arguments: names, waiting, and which owners are still alive."""

    owner: str
    new_rid: Callable[[], str]
    sleep: Callable[[float], None]
    jitter: Callable[[], float]
    alive: Callable[[str, datetime], bool]


@dataclass(frozen=True, slots=True)
class Job:
    """Units that share an intent's kind, plan and group, the budget they draw on; for a rollback, whose word it is.

    `images` tells what the units' rows looked like; asked only when the table lost a column since.
    """

    kind: IntentKind
    plan_id: str | None
    group: str | None
    units: tuple[Unit, ...]
    cap: Cap | None = None
    by: str | None = None
    images: Images | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one unit."""

    unit: Unit
    outcome: Outcome
    reason: str = ""
    rid: str | None = None
    version: int | None = None


def execute(job: Job, store: Store, ledger: Ledger, context: Context, lost: set[str] | None = None) -> list[Result]:
    """One result per unit of the job; what is applied has its receipt on disk.

    A unit is refused alone; units that require it are blocked. `lost` holds steps that were not
    applied before, and gains those of this job. When storage does not answer, the error goes up and
    the open intent is settled by `recover`.
    """
    results: list[Result] = []
    lost = set() if lost is None else lost
    for batch in batches(job.units):
        ready = []
        for unit in batch:
            missing = [s[:8] for s in unit.requires if s in lost]
            if missing:
                reason = f"requires step {', '.join(missing)}, which was not applied"
                results.append(Result(unit, Outcome.BLOCKED, reason))
                lost.add(unit.step_id)
            else:
                ready.append(unit)
        done = run_batch(job, ready, store, ledger, context)
        lost |= {r.unit.step_id for r in done if r.outcome not in (Outcome.APPLIED, Outcome.DONE)}
        results += done
    return results


def batches(units: Sequence[Unit], rows: int = BATCH_ROWS) -> Iterator[list[Unit]]:
    """The units in order, cut so that no batch touches more than `rows` rows unless one unit alone does."""
    batch: list[Unit] = []
    touched = 0
    for unit in units:
        if batch and touched + len(unit.edits) > rows:
            yield batch
            batch, touched = [], 0
        batch.append(unit)
        touched += len(unit.edits)
    if batch:
        yield batch


def run_batch(job: Job, units: Sequence[Unit], store: Store, ledger: Ledger, context: Context) -> list[Result]:
    """The units as one intent and one commit; see `execute`."""
    # asked first: a row may carry a later step of the same plan, and would only look changed
    taken = ledger.intents.taken(units)
    results = refusals(units, _undone_since(taken, units, store, job.images))
    units = [u for u in units if u.key not in taken]
    while units:
        version, settled = read_and_settle(units, store, job.images)
        results += refusals(units, settled.refused)
        units = settled.units
        if not units:
            break
        rid = context.new_rid()
        refused = open_intent(ledger, rid, job, context.owner, version, settled)
        if not refused:
            try:
                return results + attempt(rid, 1, version, settled, store, ledger, context, None, job.images)
            except LostOwnership as error:
                return results + [Result(u, Outcome.BUSY, str(error), rid) for u in units]
        results += refusals(units, _undone_since(refused, units, store, job.images))
        units = [u for u in units if u.key not in refused]
    return results


def _undone_since(
    refused: dict[str, tuple[Outcome, str]], units: Sequence[Unit], store: Store, images: Images | None
) -> dict[str, tuple[Outcome, str]]:
    """The refusals, where what the ledger calls applied is again as before: somebody undid it, a loop."""
    done = [u for u in units if u.key in refused and refused[u.key][0] is Outcome.DONE]
    back = read_and_settle(done, store, images)[1].units if done else ()
    return {
        **refused,
        **{
            u.key: (Outcome.STALE, f"{refused[u.key][1]}, and its rows are as before: something undid it") for u in back
        },
    }


def refusals(units: Sequence[Unit], refused: Mapping[str, tuple[Outcome, str]], rid: str | None = None) -> list[Result]:
    """A result for each unit that was refused."""
    return [Result(u, *refused[u.key], rid) for u in units if u.key in refused]


def read_and_settle(units: Sequence[Unit], store: Store, images: Images | None = None) -> tuple[int, Settled]:
    """(version read, the units against the rows of that version).

    Where the table lost a column since the units were made, they are compared in what is left, if `images` tell.
    """
    rows = store.read_rows(sorted({e.id for u in units for e in u.edits}))
    units = fitted(units, rows.table.schema, store.volatile, images)
    return rows.version, settle(units, rows, store.id_column, store.volatile)


def open_intent(
    ledger: Ledger, rid: str, job: Job, owner: str, version: int, settled: Settled
) -> dict[str, tuple[Outcome, str]]:
    """The intent is in the ledger before anything is written; or the refusals by unit key."""
    return ledger.intents.open(rid, job.kind, job.plan_id, job.group, owner, version, settled.items, job.cap, job.by)


def attempt(
    rid: str,
    epoch: int,
    version: int,
    settled: Settled,
    store: Store,
    ledger: Ledger,
    context: Context,
    since: int | None = None,
    images: Images | None = None,
) -> list[Result]:
    """The open intent `rid`, which holds `settled` as read at `version`, is committed and closed.

    `since` is given for an intent taken over from another process: the version after which that
    process may still commit it. History is then asked after every conflict.
    """
    results: list[Result] = []
    for tried in range(1, MOST_TRIES + 1):
        try:
            return results + commit_and_seal(rid, epoch, version, settled, store, ledger)
        except CommitConflict:
            if tried == MOST_TRIES:
                break
        context.sleep(0.02 * 2**tried * (0.5 + context.jitter()))
        units = settled.units
        version, fresh = read_and_settle(units, store, images)
        if since is not None:
            match store.find_commit(rid, since, version):
                case Found(at):
                    return results + seal(rid, epoch, settled.items, at, store, ledger)
                case Unreadable(at):
                    return results + give_up(rid, epoch, units, gone(at), ledger)
                case Absent():
                    if fresh.shared:
                        return results + give_up(rid, epoch, units, DOUBLED, ledger)
        settled = fresh
        results += refusals(units, settled.refused, rid)
        if not settled.items:
            ledger.intents.close(rid, epoch, IntentState.REFUSED)
            return results
        ledger.intents.record_try(rid, epoch, version if since is None else None, settled.items)
    ledger.intents.close(rid, epoch, IntentState.DEFERRED)
    why = f"other writers were faster {MOST_TRIES} times"
    return results + [Result(u, Outcome.DEFERRED, why, rid) for u in settled.units]


def commit_and_seal(rid: str, epoch: int, version: int, settled: Settled, store: Store, ledger: Ledger) -> list[Result]:
    """Committed on the version that was read, then sealed. Raises CommitConflict with nothing written."""
    assert settled.after is not None
    at = store.commit(settled.after, version, rid)
    return seal(rid, epoch, settled.items, at, store, ledger)


def seal(rid: str, epoch: int, items: Sequence[Item], version: int, store: Store, ledger: Ledger) -> list[Result]:
    """The commit is on disk, then the receipt; never the other way round."""
    store.sync(version)
    ledger.intents.close(rid, epoch, IntentState.APPLIED, version)
    return [Result(u, Outcome.APPLIED, "", rid, version) for u in units_of(items)]


DOUBLED = "another row with the same id came meanwhile, so a paused process may still apply it unseen"


def gone(version: int) -> str:
    """Why an outcome is unknown when a version can't be read."""
    return f"version {version} of the table's history is gone, so nobody knows whether it was applied"


def give_up(rid: str, epoch: int, units: Sequence[Unit], why: str, ledger: Ledger) -> list[Result]:
    """The outcome can't be known; it is a person's."""
    ledger.intents.close(rid, epoch, IntentState.UNKNOWN, None, why)
    return [Result(u, Outcome.UNKNOWN, why, rid) for u in units]
