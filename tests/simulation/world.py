"""A seeded world: executors, recoverers, people and foreign programs over one fake table and one real ledger.

Every actor runs the real code in a greenlet of its own. Each call of the store and of `ledger.intents`
is a boundary: before and after its effect control returns to the scheduler, which decides by its seed
who goes on, who dies there, who is taken for dead and goes on later, and what other programs do meanwhile.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import greenlet
import pyarrow as pa
import sqlalchemy as sa

from mendory import digest
from mendory.catalogue import Level, StepKind
from mendory.errors import MendoryError, Unavailable
from mendory.executor import recover as recovering
from mendory.executor.execute import Context, Job, Result, execute
from mendory.executor.rollback import rollback
from mendory.ledger import Clock, Ledger, schema
from mendory.ledger.intents import Intents
from mendory.ledger.records import Cap, IntentKind, IntentState
from mendory.plan.model import ColumnChange, Edit, Group, Plan, Step
from mendory.record import arrow_schema
from mendory.rows import with_values
from mendory.testing import FakeStore
from mendory.work import Unit

NARROW = ("id", "content", "embedding", "metadata", "status", "last_accessed_at")
WHOLE = tuple(arrow_schema(4).names)
VECTORS: Sequence[list[float | None] | None] = (
    [0.5, -0.25, 1.0, 0.0],
    [math.nan, 1.0, 2.0, 3.0],
    [math.inf, -math.inf, 0.0, -0.0],
    [None, 1.0, None, 2.0],
    [0.0, 0.0, 0.0, 0.0],
    None,
)


BETWEEN = ("ledger.open:after", "commit:before", "commit:after", "sync:before", "sync:after", "ledger.close:before")


class Crashed(BaseException):
    """The process is gone at this very boundary; nothing may catch it."""


class CrashedWithin(Exception):
    """The process is gone within a transaction, which is rolled back as SQLite does at the next start."""


class Stuck(AssertionError):
    """An actor raised what it never may, or the world does not come to rest."""


class Crossings:
    """`ledger.intents` with a boundary before and after every method; `watch` sees each call that had an effect."""

    def __init__(self, inner: Any, cross: Callable[[str], None], watch: Callable[..., None]) -> None:
        self._inner, self._cross, self._watch = inner, cross, watch

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)

        def crossing(*args: Any, **kwargs: Any) -> Any:
            self._cross(f"ledger.{name}:before")
            try:
                answer = method(*args, **kwargs)
            except CrashedWithin:
                raise Crashed from None
            self._watch(name, *args)
            self._cross(f"ledger.{name}:after")
            return answer

        return crossing


@dataclass
class Actor:
    """A process: where it stands, whether others take it for dead, until when it is paused."""

    owner: str
    light: greenlet.greenlet
    at: str = "start"
    taken_for_dead: bool = False
    paused_until: int = 0
    dies_in: int | None = None
    """After how many statements it dies within a transaction of the ledger."""
    results: list[Result] = field(default_factory=list)

    @property
    def ended(self) -> bool:
        """True when it ran to its end or was killed."""
        return bool(self.light.dead)


_CLOCK: list[Clock] = []
_LEDGER: list[tuple[Ledger, Intents]] = []


def empty_ledger(clock: Clock) -> tuple[Ledger, Intents]:
    """(an empty ledger in memory, its intents); always the same one: making tables takes as long as 50 steps."""
    if not _LEDGER:
        ledger = Ledger.in_memory(lambda: _CLOCK[0]())
        _LEDGER.append((ledger, ledger.intents))
    _CLOCK[:] = [clock]
    ledger, intents = _LEDGER[0]
    with ledger.transaction() as conn:
        for table in reversed(schema.metadata.sorted_tables):
            conn.execute(table.delete())
    return ledger, intents


class World:
    """One run of one seed; `run()` plays `steps` steps, brings the world to rest, and returns the steps taken."""

    def __init__(
        self, seed: int, steps: int, columns: Sequence[str] = NARROW, doubled_ids: bool = False, cleanups: bool = True
    ) -> None:
        self.seed, self.limit, self.steps = seed, steps, 0
        self.doubled_ids, self.cleanups = doubled_ids, cleanups
        self.rng = random.Random(seed)
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.schema = pa.schema([arrow_schema(4).field(name) for name in columns])
        self.names = 0
        self.rids = 0
        self.store = FakeStore(
            self.fresh_rows(12), rows_per_fragment=self.rng.choice((1, 3, 6, 12)), boundary=self.cross
        )
        self.store.mapping = dataclasses.replace(self.store.mapping, volatile=frozenset({"last_accessed_at"}))
        self.ledger, self.intents = empty_ledger(lambda: self.now)
        self.ledger.intents = Crossings(self.intents, self.cross, self.watch)  # type: ignore[assignment]
        sa.event.listen(self.ledger._engine, "before_cursor_execute", self.statement)
        self.main = greenlet.getcurrent()
        self.actors: list[Actor] = []
        self.by_light: dict[greenlet.greenlet, Actor] = {}
        self.by_owner: dict[str, Actor] = {}
        self.plans: list[Plan] = []
        self.decided: set[str] = set()
        self.images: dict[str, list[pa.Table]] = {}
        self.lost_before = 0
        """Every version below was unreadable at some time."""
        self.power_cuts = 0
        self.early: list[str] = []
        """Repairs whose receipt was written before their version was on disk."""
        self.resting = False
        self.counts: dict[str, int] = {}
        self.trace: list[str] = []

    # --- what the actors see ------------------------------------------------------------------------

    def cross(self, point: str) -> None:
        """A boundary: the scheduler goes on; it may throw when it comes back here."""
        light = greenlet.getcurrent()
        actor = self.by_light.get(light)
        if actor is None:
            return  # the scheduler itself, the checker, a person
        actor.at = point
        self.steps += 1
        self.main.switch()

    def watch(self, method: str, *args: Any) -> None:
        """A method of the ledger had its effect; a receipt promises that its version is on disk."""
        if method == "close" and args[2] is IntentState.APPLIED and args[3] not in self.store.synced:
            self.early.append(args[0])

    def statement(self, *_: Any) -> None:
        """A statement of the ledger's database: who is to die within a transaction does so here."""
        actor = self.by_light.get(greenlet.getcurrent())
        if actor is not None and actor.dies_in is not None:
            actor.dies_in -= 1
            if actor.dies_in < 0:
                self.count(f"killed within {actor.at.partition(':')[0]}")
                raise CrashedWithin

    def alive(self, owner: str, touched_at: datetime) -> bool:
        """What other processes believe."""
        actor = self.by_owner.get(owner)
        return actor is not None and not actor.ended and not actor.taken_for_dead

    def new_rid(self) -> str:
        """A repair id."""
        self.rids += 1
        return f"{self.rids:08x}{self.seed:08x}"

    def nap(self, seconds: float) -> None:
        """Time passes; a boundary like any other."""
        self.now += timedelta(seconds=seconds)
        self.cross("sleep")

    def context(self, owner: str) -> Context:
        """The world as an executor's argument."""
        return Context(owner, self.new_rid, self.nap, self.rng.random, self.alive)

    # --- actors -------------------------------------------------------------------------------------

    def spawn(self, kind: str, body: Callable[[Actor], None]) -> Actor:
        """A process of that kind begins."""
        owner = f"{kind}{len(self.by_owner)}"

        def run() -> None:
            try:
                body(actor)
            except Crashed:
                pass
            except MendoryError as error:
                self.note(f"{owner} ends: {error.name}")

        actor = Actor(owner, greenlet.greenlet(run, self.main))
        self.actors.append(actor)
        self.by_light[actor.light] = actor
        self.by_owner[owner] = actor
        return actor

    def an_executor(self) -> None:
        """Somebody applies a plan, group after group."""
        plan = self.rng.choice(self.plans[-3:])
        approved = self.ledger.decisions.approved(plan.id) if plan.id in self.decided else {}
        cap = Cap(self.rng.randint(3, 60), UTC) if self.rng.random() < 0.2 else None

        def body(actor: Actor) -> None:
            lost: set[str] = set()
            for group in plan.groups:
                units = tuple(Unit.of(s, f"problem{s.id[:4]}", approved.get(s.id)) for s in group.steps)
                job = Job(IntentKind.APPLY, plan.id, group.name, units, cap)
                actor.results += execute(job, self.store, self.ledger, self.context(actor.owner), lost)

        self.spawn("executor", body)

    def a_recoverer(self) -> Actor:
        """Somebody recovers what the dead left open."""

        def body(actor: Actor) -> None:
            for one in recovering.recover(self.store, self.ledger, self.context(actor.owner)):
                actor.results += one.results

        return self.spawn("recoverer", body)

    def a_rollbacker(self) -> None:
        """Somebody takes a plan, a step or a row of it back."""
        plan = self.rng.choice(self.plans[-4:])
        step = self.rng.choice([None, None, self.rng.choice(list(plan.steps()))])
        row = self.rng.choice([None, None, self.rng.choice(sorted(plan.row_ids))])

        def body(actor: Actor) -> None:
            steps = None if step is None else [step.id]
            actor.results += rollback(plan.id, steps, row, self.store, self.ledger, self.context(actor.owner)).results

        self.spawn("rollbacker", body)

    # --- plans ----------------------------------------------------------------------------------------

    def a_plan(self) -> None:
        """A plan on the rows as they are now: steps of one to three edits, some chained."""
        held: dict[str, list[pa.Table]] = {}
        for row in self.store.history[self.store.version].rows():
            held.setdefault(str(row.id), []).append(row.table)
        state = {name: tables[0] for name, tables in sorted(held.items()) if len(tables) == 1}
        digests: dict[str, str] = {}
        touched: dict[str, list[str]] = {}
        steps = []
        for at in range(self.rng.randint(1, 3)):
            edits = []
            chosen = self.rng.sample(sorted(state), min(len(state), self.rng.choice((1, 1, 2, 3))))
            for name in sorted(chosen):
                if name not in digests:
                    digests[name] = digest.row_digests(state[name], self.store.volatile)[0]
                change = self.a_change(state[name])
                after = with_values(state[name], {change.column: change.new})
                becomes = digest.row_digests(after, self.store.volatile)[0]
                edits.append(Edit(name, digests[name], becomes, (change,)))
                state[name], digests[name] = after, becomes
            needs = sorted({s for name in chosen for s in touched.get(name, ())})
            detail = {"plan": len(self.plans), "at": at}
            step = Step(
                StepKind.MERGE_EXACT,
                Level.RULE_OR_PERSON,
                "merge.exact",
                "duplicate_exact",
                f"finding{len(self.plans)}-{at}",
                "scope",
                "simulated",
                tuple(edits),
                detail,
                tuple(needs),
            )
            steps.append(step)
            for name in chosen:
                touched.setdefault(name, []).append(step.id)
        cut = self.rng.randint(0, len(steps) - 1)
        parts = [part for part in (steps[:cut], steps[cut:]) if part]
        groups = tuple(
            Group(f"G{at}", StepKind.MERGE_EXACT, Level.RULE_OR_PERSON, "merge.exact", tuple(part))
            for at, part in enumerate(parts, 1)
        )
        plan = Plan(groups, self.store.version, self.now, self.now + timedelta(days=30))
        self.ledger.plans.save(plan, {})
        if self.rng.random() < 0.3:
            ids = [s.id for s in steps]
            self.decided.add(plan.id)
            self.ledger.decisions.record(
                plan.id, "approve", [g.name for g in groups], ids, "ana", "", timedelta(days=30)
            )
        self.plans.append(plan)

    def a_change(self, row: pa.Table) -> ColumnChange:
        """A new value for a column that repairs write."""
        column = self.rng.choice(
            [c for c in ("status", "metadata", "superseded_by", "related_ids") if c in self.schema.names]
        )
        self.names += 1
        new: Any = {
            "status": f"archived{self.names}",
            "metadata": json.dumps({"topic": f"茶 {self.names}"}, ensure_ascii=False),
            "superseded_by": f"row-{self.names}",
            "related_ids": [f"row-{self.names}", "m'1"],
        }[column]
        return ColumnChange(column, row.column(column)[0].as_py(), new)

    def fresh_rows(self, count: int) -> pa.Table:
        """New rows, their vectors of every nasty sort."""
        rows = []
        for _ in range(count):
            self.names += 1
            rows.append(
                {
                    "id": f"m'{self.names}",
                    "content": self.rng.choice(("likes tea", "不吃香菜", "")) + str(self.names),
                    "embedding": self.rng.choice(VECTORS),
                    "metadata": self.rng.choice((None, '{"price": 1.50}', '{"n": 1e3, "topic": "茶"}')),
                    "status": self.rng.choice(("active", "archived", None)),
                    "related_ids": self.rng.choice((None, [], ["m'1", None])),
                }
            )
        return pa.Table.from_pylist([{c: r.get(c) for c in self.schema.names} for r in rows], schema=self.schema)

    # --- what else happens ------------------------------------------------------------------------------

    def a_foreign_act(self) -> None:
        """Another program does something to the table."""
        store, rng = self.store, self.rng
        rows = list(store.history[store.version].rows())
        for row in rows:
            if rng.random() < 0.2:
                self.images.setdefault(str(row.id), []).append(row.table)
        kinds = {"update": 6, "touch": 2, "back": 2, "append": 3, "delete": 1, "optimize": 3, "cleanup": 0, "double": 0}
        if self.cleanups:
            kinds["cleanup"] = 0.3  # type: ignore[assignment]
        if self.doubled_ids:
            kinds["double"] = 2
        kind = rng.choices(list(kinds), list(kinds.values()))[0]
        if len(rows) < 8:
            kind = "append"
        one = rng.choice(rows)
        match kind:
            case "update":
                self.names += 1
                store.update([one.id or ""], {"content": f"foreign {self.names}"})
            case "touch":
                store.update([r.id or "" for r in rng.sample(rows, 2)], {"last_accessed_at": self.now})
            case "back":
                # to a state the row had before: the A-B-A that a guard by content can't see
                earlier = self.images.get(str(one.id))
                if earlier:
                    store.replace([dataclasses.replace(one, table=rng.choice(earlier))])
            case "append":
                store.append(self.fresh_rows(1 if len(rows) > 14 else 3))
            case "double":
                store.append(one.table)
            case "delete":
                store.delete([one.id or ""])
            case "optimize":
                held = sorted(store.history[store.version].fragments)
                store.optimize(rng.sample(held, rng.randint(1, len(held))))
            case "cleanup":
                store.cleanup(rng.choice((None, store.version - rng.randint(0, 6))))
                self.lost_before = max(self.lost_before, store.oldest)
        self.count(f"foreign {kind}")

    def a_power_cut(self) -> None:
        """Every process dies, and versions that nobody synced may be gone."""
        for actor in self.actors:
            self.kill(actor)
        self.store.power_cut(self.store.version - self.rng.randint(0, 4))
        self.power_cuts += 1
        self.count("power cut")

    def kill(self, actor: Actor) -> None:
        """The process is gone at the boundary where it stands."""
        if actor.ended:
            return
        if actor.at != "start":
            self.count(f"killed at {actor.at}")
        actor.light.throw(Crashed() if actor.at != "start" else greenlet.GreenletExit())

    def a_person_resolves(self) -> None:
        """Who looks at the table says truly what became of a repair nobody can change any more."""
        for intent in self.intents.in_state(IntentState.UNKNOWN):
            with self.ledger.transaction() as conn:
                word = conn.exec_driver_sql("select resolution from intent where rid = ?", (intent.rid,)).scalar()
            if word is None and all(a.ended for a in self.actors):
                applied = any(v.rid == intent.rid for v in self.store.history.values())
                self.intents.resolve(intent.rid, applied, "ana")
                self.count("resolved")

    # --- the scheduler ------------------------------------------------------------------------------------

    def run(self) -> int:
        """All steps, then rest; returns the steps taken."""
        self.a_plan()
        spawners = [self.an_executor, self.an_executor, self.a_recoverer, self.a_rollbacker]
        while self.steps < self.limit:
            self.actors = [a for a in self.actors if not a.ended]
            while len(self.actors) < 4:
                self.rng.choice(spawners)()
            self.turn()
        self.rest()
        return self.steps

    def turn(self) -> None:
        """One decision of the scheduler."""
        rng = self.rng
        ready = [a for a in self.actors if a.paused_until <= self.steps]
        chance = rng.random()
        if not ready or chance < 0.11:
            self.steps += 1
            self.a_foreign_act()
        elif chance < 0.125:
            self.steps += 1
            actor = rng.choice(ready)
            if rng.random() < 0.3:
                actor.dies_in = rng.randint(0, 12)
            else:
                # where a table and its ledger disagree for a moment, rather than anywhere
                between = [a for a in ready if a.at in BETWEEN]
                self.kill(rng.choice(between or ready))
        elif chance < 0.14:
            self.falls_asleep(rng.choice(ready))
        elif chance < 0.15:
            self.storage_fails(ready)
        elif chance < 0.17:
            self.steps += 1
            self.a_plan()
        elif chance < 0.18:
            self.steps += 1
            self.now += timedelta(seconds=rng.choice((-3, 60, 40000)))
        elif chance < 0.181:
            self.steps += 1
            self.a_power_cut()
            self.a_person_resolves()
        else:
            self.go_on(rng.choice(ready))

    def go_on(self, actor: Actor) -> None:
        """The actor runs to its next boundary."""
        if actor.taken_for_dead and self.rng.random() < 0.1:
            actor.taken_for_dead = False
        self.now += timedelta(milliseconds=self.rng.randint(0, 40))
        try:
            actor.light.switch()
        except Exception as error:
            raise Stuck(f"{actor.owner} raised {type(error).__name__}: {error}") from error
        if actor.at == "commit:before" and not actor.ended and not self.resting and self.rng.random() < 0.25:
            self.falls_asleep(actor)

    def falls_asleep(self, actor: Actor) -> None:
        """A zombie: taken for dead while it sleeps, and perhaps still when it goes on; somebody recovers."""
        self.steps += 1
        actor.taken_for_dead, actor.paused_until = True, self.steps + self.rng.choice((4, 9, 14, 50))
        self.count(f"asleep at {actor.at}")
        if self.rng.random() < 0.7:
            self.a_recoverer()

    def storage_fails(self, ready: Sequence[Actor]) -> None:
        """Storage does not answer: before the effect, or after it, when only the answer is lost."""
        reading = [a for a in ready if a.at.startswith(("read_rows", "find_commit"))]
        writing = [a for a in ready if a.at.startswith(("commit", "sync"))]
        if not reading and not writing:
            self.go_on(self.rng.choice(ready))
            return
        actor = self.rng.choice(writing or reading)
        self.count(f"failed {actor.at}")
        actor.light.throw(Unavailable("simulated"))

    def rest(self) -> None:
        """Some actors die, some are recovered while still asleep and wake up then; at last nothing is open."""
        self.resting = True
        asleep = [a for a in self.actors if not a.ended and self.rng.random() < 0.4]
        for actor in self.actors:
            if actor not in asleep:
                self.kill(actor)
            actor.taken_for_dead = True
        self.finish([self.a_recoverer()])
        self.finish(asleep)
        for _ in range(50):
            if not self.intents.in_state(IntentState.OPEN):
                break
            self.finish([self.a_recoverer()])
        else:
            raise Stuck("intents stay open however often one recovers")
        self.actors = [a for a in self.actors if not a.ended]
        self.a_person_resolves()

    def finish(self, actors: Sequence[Actor]) -> None:
        """These actors run to their ends, in any order."""
        for _ in range(20_000):
            left = [a for a in actors if not a.ended]
            if not left:
                return
            self.go_on(self.rng.choice(left))
        raise Stuck("an actor never ends")

    def close(self) -> None:
        """Nothing is left running."""
        for actor in self.by_light.values():
            if not actor.ended:
                with contextlib.suppress(BaseException):
                    self.kill(actor)
        sa.event.remove(self.ledger._engine, "before_cursor_execute", self.statement)

    def count(self, what: str) -> None:
        """One more of that, for the statistics."""
        self.counts[what] = self.counts.get(what, 0) + 1

    def note(self, line: str) -> None:
        """A line of the trace."""
        self.trace.append(f"{self.steps}: {line}")
