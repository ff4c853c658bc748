"""Crashes, zombies, foreign programs and power cuts, by seed; and proof that the simulation can fail."""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from mendory.executor import execute as executing
from mendory.executor import recover as recovering
from mendory.executor.store import Absent, Found, Unreadable
from mendory.ledger.intents import Intents
from mendory.ledger.records import IntentState
from mendory.testing import FakeStore
from tests.simulation.checker import check
from tests.simulation.world import WHOLE, World

STEPS = 1000
RUNS = 5
CHUNKS = int(os.environ.get("MENDORY_SIMULATION_CHUNKS", "20"))
"""A chunk is 5 runs of 1,000 steps and a little more; 20 chunks are over 100,000 steps."""

PLAIN: Sequence[dict[str, Any]] = ({}, {}, {"cleanups": False}, {"doubled_ids": True}, {})
WIDE: Sequence[dict[str, Any]] = ({}, {}, {"cleanups": False}, {"doubled_ids": True}, {"columns": WHOLE})


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    """The cyclic collector costs a tenth of a run; it has its turn after each test."""
    gc.collect()
    gc.freeze()
    gc.disable()
    yield
    gc.enable()
    gc.unfreeze()


def play(seed: int, **variant: Any) -> tuple[int, Counter[str]]:
    """(steps taken, what happened) of one run that was checked; an error names the seed."""
    world = World(seed, STEPS, **variant)
    try:
        steps = world.run()
        return steps, Counter(check(world)) + Counter(world.counts)
    except Exception as error:
        where = " ".join(f"{a.owner}@{a.at}" for a in world.actors)
        raise AssertionError(
            f"simulation seed {seed}, step {world.steps}, variant {variant}: {type(error).__name__}: {error} "
            f"[{where}] — replay with tests.simulation.test_simulation.play({seed}, **{variant})"
        ) from error
    finally:
        world.close()
        del world
        gc.collect()


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_crash_loses_doubles_or_misreports_a_repair(chunk: int) -> None:
    """Whoever dies, sleeps or writes where, every invariant of the checker holds after recovery."""
    taken, seen = 0, Counter[str]()
    for run in range(RUNS):
        steps, counts = play(1_000 * chunk + run, **(PLAIN, WIDE)[chunk % 2][run])
        taken += steps
        seen += counts
    assert taken >= RUNS * STEPS
    assert seen["apply applied"] > 20
    assert seen["taken over"] > 5


def test_a_seed_is_one_history() -> None:
    """The same seed gives the same history, so a failure can be replayed."""
    histories = []
    for _ in range(2):
        world = World(7, 600)
        world.run()
        histories.append([(v.number, v.operation, v.rid) for v in world.store.history.values()] + [world.steps])
        world.close()
    assert histories[0] == histories[1]


def test_a_run_visits_every_sort_of_trouble() -> None:
    """Deaths before, within and after effects, zombies, lost answers, cleanups and power cuts all occur."""
    seen = Counter[str]()
    for seed in range(12):
        seen += play(seed)[1]
    wanted = (
        "killed at commit:after",
        "killed at commit:before",
        "killed at ledger.open:after",
        "killed at ledger.close:before",
    )
    wanted += (
        "killed at sync:before",
        "failed read_rows:before",
        "failed commit:after",
        "asleep at commit:before",
        "power cut",
    )
    wanted += (
        "foreign cleanup",
        "foreign optimize",
        "foreign back",
        "rollback applied",
        "apply unknown",
        "tried again",
    )
    missing = [what for what in wanted if not seen[what]]
    assert missing == []
    assert any(what.startswith("killed within") for what in seen)


# --- the simulation can fail: each mutant breaks one rule of the protocol and must be caught ------------


Mutation = Callable[[pytest.MonkeyPatch], None]


def never_found(patch: pytest.MonkeyPatch) -> None:
    """Recovery believes that nothing was committed."""
    patch.setattr(recovering, "outcome_in_history", lambda intent, through, store: Absent(through))


def gaps_count_as_absent(patch: pytest.MonkeyPatch) -> None:
    """A version that can't be read is taken for one without the commit."""
    real = FakeStore._find

    def find(self: FakeStore, rid: str, after: int, through: int) -> Found | Absent | Unreadable:
        answer = real(self, rid, after, through)
        return Absent(through) if isinstance(answer, Unreadable) else answer

    patch.setattr(FakeStore, "_find", find)


def no_conflicts(patch: pytest.MonkeyPatch) -> None:
    """The store commits whatever others touched since."""
    patch.setattr(FakeStore, "conflicts", lambda self, fragments, base: False)


def receipt_before_sync(patch: pytest.MonkeyPatch) -> None:
    """The receipt is written before the commit is on disk."""

    def seal(rid: str, epoch: int, items: Any, version: int, store: Any, ledger: Any) -> list[Any]:
        ledger.intents.close(rid, epoch, IntentState.APPLIED, version)
        store.sync(version)
        return []

    patch.setattr(executing, "seal", seal)


def history_before_rows(patch: pytest.MonkeyPatch) -> None:
    """Recovery asks the history first and reads the rows afterwards."""

    def finish(intent: Any, store: Any, ledger: Any, context: Any) -> list[Any]:
        units = ledger.intents.units(intent.rid)
        outcome = recovering.outcome_in_history(intent, store.latest(), store)
        version, settled = executing.read_and_settle(units, store)
        match outcome:
            case Found(at):
                store.sync(at)
                ledger.intents.close(intent.rid, intent.epoch, IntentState.APPLIED, at)
                return []
            case Unreadable(at):
                return executing.give_up(intent.rid, intent.epoch, units, at, ledger)
            case _:
                return recovering.redo(intent, version, settled, units, store, ledger, context)

    patch.setattr(recovering, "finish", finish)


def no_fencing(patch: pytest.MonkeyPatch) -> None:
    """Who lost an intent to another process goes on writing to it."""
    real = Intents._own

    def own(self: Intents, conn: Any, rid: str, epoch: int, values: Any) -> None:
        held = conn.exec_driver_sql("select epoch from intent where rid = ?", (rid,)).scalar()
        real(self, conn, rid, held, values)

    patch.setattr(Intents, "_own", own)


def images_of_the_first_try(patch: pytest.MonkeyPatch) -> None:
    """A further try does not write its images and base version to the intent."""
    patch.setattr(Intents, "record_try", lambda self, rid, epoch, base_version, items: None)


def history_not_asked_after_conflict(patch: pytest.MonkeyPatch) -> None:
    """A redo that meets a conflict does not ask whether the paused owner was the other writer."""
    real = executing.attempt
    patch.setattr(recovering, "attempt", lambda *args: real(*args[:7]))


def commit_on_the_newest(patch: pytest.MonkeyPatch) -> None:
    """The commit is based on the newest version, not on the one that was read."""
    real = FakeStore.commit
    patch.setattr(FakeStore, "commit", lambda self, rows, base, rid: real(self, rows, self.version, rid))


def rollback_leaves_no_mark(patch: pytest.MonkeyPatch) -> None:
    """A rollback does not mark what it took back."""
    patch.setattr(Intents, "_undo", lambda self, conn, key, rid: None)


def commit_carries_no_rid(patch: pytest.MonkeyPatch) -> None:
    """The commit does not say which repair it is."""
    real = FakeStore.commit
    patch.setattr(FakeStore, "commit", lambda self, rows, base, rid: real(self, rows, base, f"{rid}?"))


def done_units_open_again(patch: pytest.MonkeyPatch) -> None:
    """Nobody looks whether a unit is done or being done."""
    patch.setattr(Intents, "_taken", lambda self, conn, units: {})


MUTANTS: Sequence[tuple[Mutation, int]] = (
    (never_found, 10),
    (gaps_count_as_absent, 40),
    (no_conflicts, 10),
    (receipt_before_sync, 10),
    (history_before_rows, 40),
    (no_fencing, 20),
    (images_of_the_first_try, 20),
    (history_not_asked_after_conflict, 40),
    (commit_on_the_newest, 10),
    (rollback_leaves_no_mark, 10),
    (commit_carries_no_rid, 10),
    (done_units_open_again, 10),
)


@pytest.mark.parametrize(("mutation", "seeds"), MUTANTS, ids=lambda value: getattr(value, "__name__", None))
def test_a_broken_protocol_is_caught(mutation: Mutation, seeds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A protocol with one rule broken violates an invariant within a bounded number of seeds."""
    mutation(monkeypatch)
    caught = None
    for seed in range(5_000, 5_000 + seeds):
        try:
            play(seed)
        except AssertionError as error:
            caught = str(error)
            break
    assert caught is not None, f"{seeds} seeds from 5000 did not notice: {mutation.__doc__}"
    print(caught)


# --- one history the seeds rarely reach -----------------------------------------------------------------


def test_a_doubled_id_does_not_hide_the_commit_of_a_paused_owner() -> None:
    """An owner sleeps before its commit, an append doubles its row's id, somebody recovers, the owner wakes.

    Appends touch no fragment, so nothing makes the owner's commit conflict: the recoverer may not say "refused".
    """
    world = World(1, 0, doubled_ids=True)
    world.a_plan()
    world.an_executor()
    [owner] = world.actors
    while owner.at != "commit:before":
        owner.light.switch()
    owner.taken_for_dead = True
    for step in world.plans[0].groups[0].steps:
        world.store.append(world.store.rows([step.row_ids[0]]))
    world.finish([world.a_recoverer()])
    world.finish([owner])
    world.rest()
    check(world)
    world.close()
