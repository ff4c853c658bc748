"""Sequences of answers: whatever comes in whatever order, nothing runs twice and nothing without an authority."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from hypothesis import given as drawn
from hypothesis import strategies as st

from mendory import deciding
from mendory.asking.answer import round_of
from mendory.catalogue import Level
from mendory.config import ApprovalSection
from mendory.detect import Settings
from mendory.executor.execute import Job, execute
from mendory.ledger import Ledger
from mendory.ledger.plans import PlanState
from mendory.ledger.records import IntentKind
from mendory.mapping import Mapping
from mendory.plan.binding import bind
from mendory.plan.build import draft
from mendory.plan.model import Group, Plan
from mendory.policy import Health, Verdict, decide
from mendory.testing import FakeStore
from mendory.work import Outcome, Unit
from tests.answer_kit import SECRET, SICK, code_at, given
from tests.conftest import NOON, FakeClock, arrow
from tests.properties import stores
from tests.properties.stores import quick

HEALTH = Health(10, 5, {"u1": 10}, {"u1": 5})
ANSWERS = st.fixed_dictionaries(
    {
        "number": st.integers(1, 9),
        "verdict": st.sampled_from(["approve", "approve", "approve", "part", "part", "reject", "later"]),
        "groups": st.sampled_from([(), (), ("G1 · 规范状态", "G2 · 合并"), ("G1",), ("G2",)]),
        "by": st.sampled_from(["eve", "eve", "eve", "eve", "ann", "李伟", "mallory"]),
        "code": st.sampled_from(["fresh", "fresh", "fresh", "last", "", "bad"]),
        "age": st.sampled_from([0, 0, 5, 15]),
        "plan_code": st.sampled_from([True] * 9 + [False]),
        "page": st.sampled_from(["new"] * 6 + ["old"]),
    }
)
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("answer"), ANSWERS),
        st.tuples(st.just("answer"), ANSWERS),
        st.tuples(st.just("apply"), st.none()),
        st.tuples(st.just("wait"), st.sampled_from([0.5, 1.0, 20.0, 24 * 60.0])),
        st.tuples(st.just("make again"), st.none()),
    ),
    min_size=1,
    max_size=14,
)


class World:
    """One plan, its ledger and table, and what the test itself knows of who let what run."""

    def __init__(self, levels: tuple[int, int]) -> None:
        self.clock, self.store = FakeClock(), FakeStore(arrow(SICK))
        self.ledger = Ledger.in_memory(self.clock)
        drafted = draft(
            self.store.scan,
            self.store.fetch,
            Settings(),
            stores.WISHES,
            lambda finding: None,
            lambda ids: {},
            stores.giving(self.store),
        )
        rows = self.store.rows(sorted({i for d in drafted.drafts for i in d.rows}))
        made = bind(drafted.drafts, rows, Mapping.identity(), self.store.version, NOON, timedelta(hours=24))
        assert len(levels) == len(made.groups)
        groups = tuple(_at(g, level) for g, level in zip(made.groups, levels, strict=True))
        now = self.clock()
        self.plan = Plan(groups, made.base_version, now, now + timedelta(hours=24), made.columns)
        self.context = {"health": {"rows": 10, "sick": 5, "scope_rows": {"u1": 10}, "scope_sick": {"u1": 5}}}
        assert self.ledger.plans.save(self.plan, self.context)
        self.ledger.approvers.enrol("eve", SECRET, "boss")
        section = ApprovalSection(approvers=("ann", "李伟"))
        self.clinic: Any = SimpleNamespace(config=SimpleNamespace(approval=section), ledger=self.ledger)
        self.pages = {"new": self.plan, "old": self.plan}
        self.authority: dict[str, int] = {}
        self.runs: dict[str, int] = {}
        self.seen: set[str] = set()
        self.last = ""
        self.rounds: set[str] = set()

    def answer(self, told: dict[str, Any]) -> None:
        """An answer comes in; by rules of its own the test notes which steps it could let run."""
        at = self.clock.now - timedelta(minutes=told["age"])
        code = {"": "", "fresh": code_at(at), "last": self.last, "bad": "x"}[told["code"]]
        name = round_of(self.pages[told["page"]], told["number"])
        plan_code = self.plan.code if told["plan_code"] else "0badc0de"
        answer = given(
            self.plan,
            told["verdict"],
            round=name,
            groups=told["groups"],
            by=told["by"],
            one_time_code=code,
            given_at=at,
            plan_code=plan_code,
        )
        could = self._could(told, code, name)
        done = deciding.answer(self.clinic, self.plan.id, answer)
        if not done.replayed and done.stands and told["verdict"] in ("approve", "part"):
            assert set(done.steps) <= {s for s, level in could.items()}
            self.authority |= {s: could[s] for s in done.steps}
        self.rounds.add(name)
        if told["by"] == "eve" and code:
            self.seen.add(code)
            self.last = code

    def _could(self, told: dict[str, Any], code: str, name: str) -> dict[str, int]:
        """Step id → level, of what this answer may let run at most."""
        if name in self.rounds or told["by"] not in ("ann", "eve", "李伟") or not told["plan_code"]:
            return {}
        if self.pages[told["page"]].made_at != self.plan.made_at or self.clock.now >= self.plan.expires_at:
            return {}
        right = told["by"] == "eve" and told["code"] in ("fresh", "last") and told["age"] <= 10
        most = 3 if right and code not in self.seen else 2
        words = {label.split()[0] for label in told["groups"]}
        groups = [g for g in self.plan.groups if told["verdict"] == "approve" or g.name in words]
        return {s.id: int(s.level) for g in groups for s in g.steps if s.level <= most}

    def apply(self) -> None:
        """What the ledger lets run runs; each step at most once, and never without its authority."""
        if self.ledger.plans.state(self.plan.id) is not PlanState.OPEN:
            return
        outcomes = self.ledger.plans.outcomes(self.plan.id)
        done = {s for s, o in outcomes.items() if o["outcome"] is not None}
        approved = self.ledger.decisions.approved(self.plan.id)
        rulings = decide(self.plan, None, (), approved, HEALTH, done)
        for group in self.plan.groups:
            units = tuple(
                Unit.of(s, "", rulings[s.id].approval, "person")
                for s in group.steps
                if s.id in rulings and rulings[s.id].verdict is Verdict.RUN
            )
            job = Job(IntentKind.APPLY, self.plan.id, group.name, units)
            for result in execute(job, self.store, self.ledger, stores.context(), set()):
                assert Outcome.APPLIED == result.outcome
                self.runs[result.unit.step_id] = self.runs.get(result.unit.step_id, 0) + 1
                assert result.unit.step_id in self.authority
        self.ledger.plans.close_if_settled(self.plan.id)

    def make_again(self) -> None:
        """A plan that expired with nothing run is made again: what was approved before counts for nothing."""
        if self.ledger.plans.state(self.plan.id) is not PlanState.EXPIRED or self.runs:
            return
        now = self.clock()
        self.pages["old"] = self.plan
        self.plan = replace(self.plan, made_at=now, expires_at=now + timedelta(hours=24))
        assert self.ledger.plans.save(self.plan, self.context)
        self.pages["new"] = self.plan
        self.authority = {}


def _at(group: Group, level: int) -> Group:
    steps = tuple(replace(s, level=Level(level), rule=None) for s in group.steps)
    return replace(group, level=Level(level), rule=None, steps=steps)


@drawn(st.tuples(st.integers(1, 3), st.integers(1, 3)), ACTIONS)
@quick(250)
def test_nothing_runs_twice_or_without_an_authority(levels: tuple[int, int], actions: list[tuple[str, Any]]) -> None:
    """Whatever is answered, replayed, delayed, guessed and made again: the chain holds, each step runs once at most."""
    world = World(levels)
    world.clock.move(minutes=20)
    for what, told in actions:
        if what == "answer":
            world.answer(told)
        elif what == "apply":
            world.apply()
        elif what == "wait":
            world.clock.move(minutes=told)
        else:
            world.make_again()
    world.apply()

    assert {1} >= set(world.runs.values())
    world.ledger.verify()


def test_the_property_lets_something_run() -> None:
    """A plain sequence runs everything, so that the property above is about something."""
    world = World((1, 3))
    told = {"number": 1, "verdict": "approve", "groups": (), "by": "eve", "code": "fresh", "age": 0, "page": "new"}
    world.clock.move(minutes=1)
    world.answer({**told, "plan_code": True})
    world.apply()

    assert {s.id: 1 for s in world.plan.steps()} == world.runs
