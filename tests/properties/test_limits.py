"""What holds of policy for every plan, limit and decision: nothing runs beyond its word, and no limit is passed."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from mendory.catalogue import RULES, Level
from mendory.config import LimitsSection
from mendory.executor.execute import Job, execute
from mendory.ledger import Ledger
from mendory.ledger.records import Cap, IntentKind
from mendory.plan.model import Plan
from mendory.policy import Authority, Health, Ruling, Spent, Verdict, decide
from mendory.testing import FakeStore
from mendory.work import Outcome, Unit
from tests.conftest import FakeClock
from tests.properties.stores import NOW, a_plan, as_table, context, memories, quick, row_bits

Rows = list[dict[str, Any]]
LIMITS = st.builds(
    LimitsSection,
    rows_per_run=st.integers(1, 8),
    repairs_per_day=st.integers(1, 8),
    scope_share=st.floats(0.05, 1.0),
    sick_share_scope=st.floats(0.05, 1.0),
    sick_share_table=st.floats(0.05, 1.0),
    min_rows=st.integers(0, 3),
)


def health_of(rows: Rows, sick: list[int]) -> Health:
    """These rows, those at `sick` of them sick."""
    scopes = Counter(r["scope"] or "" for r in rows)
    ill = Counter(rows[n % len(rows)]["scope"] or "" for n in set(sick) if rows)
    return Health(len(rows), sum(ill.values()), scopes, ill)


def running(plan: Plan, rulings: dict[str, Ruling]) -> list[Any]:
    """The steps that policy lets run."""
    return [s for s in plan.steps() if s.id in rulings and rulings[s.id].verdict is Verdict.RUN]


@given(memories(), LIMITS, st.lists(st.integers(0, 9), max_size=6, unique=True), st.integers(0, 8), st.data())
@quick(150)
def test_no_limit_is_passed(rows: Rows, limits: LimitsSection, sick: list[int], used: int, data: st.DataObject) -> None:
    """Rows of a run, of a day, of a scope; sick scopes and tables; kept rows: whatever was approved or confirmed."""
    if (plan := a_plan(FakeStore(as_table(rows)))) is None:
        return
    steps = [s.id for s in plan.steps()]
    approved = dict.fromkeys(data.draw(st.sets(st.sampled_from(steps))), "d")
    confirmed = data.draw(st.sets(st.sampled_from(sorted(RULES))))
    kept = data.draw(st.sets(st.sampled_from(sorted(plan.changed_ids))))
    health = health_of(rows, sick)

    rulings = decide(plan, limits, confirmed, approved, health, (), kept, spent=Spent("2025-03-01", used))

    runs = running(plan, rulings)
    assert len({i for s in runs for i in s.changed_ids}) <= limits.rows_per_run
    assert not runs or used + len({i for s in runs for i in s.changed_ids}) <= limits.repairs_per_day
    assert {i for s in runs for i in s.changed_ids} & kept == set()
    for scope, held in health.scope_rows.items():
        changed = {i for s in runs if (s.scope or "") == scope for i in s.changed_ids}
        assert len(changed) <= max(limits.min_rows, limits.scope_share * held)
        ill = health.scope_sick.get(scope, 0)
        if ill > max(limits.min_rows, limits.sick_share_scope * held):
            assert {rulings[s.id].by for s in runs if (s.scope or "") == scope} <= {Authority.PERSON}
    if health.sick > max(limits.min_rows, limits.sick_share_table * health.rows):
        assert {rulings[s.id].by for s in runs} <= {Authority.PERSON}
    for step in runs:
        assert {rulings[n].verdict for n in step.requires} <= {Verdict.RUN}
    # nothing is held back without saying why, and what runs has somebody's word
    assert {bool(r.reason) for r in rulings.values() if r.verdict is not Verdict.RUN} <= {True}
    assert None not in {rulings[s.id].by for s in runs}


@given(memories(), LIMITS, st.data())
@quick(80)
def test_no_plan_exceeds_what_its_decisions_allow(rows: Rows, limits: LimitsSection, data: st.DataObject) -> None:
    """Decision after decision, day after day: only rows of steps with a word change, and no day's budget is passed."""
    clock = FakeClock(NOW)
    store, ledger = FakeStore(as_table(rows)), Ledger.in_memory(clock)
    if (plan := a_plan(store)) is None:
        return
    steps = {s.id: s for s in plan.steps()}
    confirmed = data.draw(st.sets(st.sampled_from(sorted(RULES))))
    done: set[str] = set()
    assert ledger.plans.save(plan, {})
    for _ in range(data.draw(st.integers(1, 4))):
        if chosen := data.draw(st.sets(st.sampled_from(sorted(steps)))):
            ledger.decisions.record(plan.id, "approve", (), sorted(chosen), "ann", "", timedelta(days=9))
        approved = ledger.decisions.approved(plan.id)
        before = {r["id"]: row_bits(store.rows([r["id"]])) for r in rows}
        spent = ledger.intents.spent(UTC)
        rulings = decide(plan, limits, confirmed, approved, health_of(rows, []), done, spent=spent)
        may = {s for s in steps if s in approved or _by_itself(steps[s], confirmed)} - done
        lost: set[str] = set()
        for group in plan.groups:
            units = tuple(Unit.of(s, "", rulings[s.id].approval) for s in group.steps if s in running(plan, rulings))
            job = Job(IntentKind.APPLY, plan.id, group.name, units, Cap(limits.repairs_per_day, UTC))
            for result in execute(job, store, ledger, context(), lost):
                assert (Outcome.APPLIED, "") == (result.outcome, result.reason)
                done.add(result.unit.step_id)
        touched = {i for i, was in before.items() if row_bits(store.rows([i])) != was}
        assert touched <= {i for s in may for i in steps[s].changed_ids}
        assert len(touched) <= limits.rows_per_run
        assert ledger.intents.spent(UTC).rows <= limits.repairs_per_day
        clock.move(days=data.draw(st.integers(0, 1)))
    ledger.verify()


def _by_itself(step: Any, confirmed: set[str]) -> bool:
    return step.level is Level.AUTOMATIC or (step.level is Level.RULE_OR_PERSON and step.rule in confirmed)


@given(memories(), st.data())
@quick(60)
def test_silence_and_no_configuration_run_nothing(rows: Rows, data: st.DataObject) -> None:
    """Without limits only approved steps run; with limits, without a word and a rule, only level 1 does."""
    if (plan := a_plan(FakeStore(as_table(rows)))) is None:
        return
    health = health_of(rows, [])
    approved = dict.fromkeys(data.draw(st.sets(st.sampled_from([s.id for s in plan.steps()]))), "d")
    wide = LimitsSection(rows_per_run=999, repairs_per_day=999, scope_share=1.0)

    unconfigured = decide(plan, None, RULES, approved, health)
    silent = decide(plan, wide, (), {}, health)

    assert {s.id for s in running(plan, unconfigured)} <= set(approved)
    assert {s.level for s in running(plan, silent)} <= {Level.AUTOMATIC}


def test_a_day_is_that_of_the_configured_zone() -> None:
    """What is spent is told by the day of the zone; a clock set back changes no day that is spent."""
    clock = FakeClock()
    ledger = Ledger.in_memory(clock)
    clock.move(hours=5)

    assert [Spent("2025-03-01", 0), Spent("2025-03-02", 0)] == [
        ledger.intents.spent(zone) for zone in (UTC, ZoneInfo("Asia/Shanghai"))
    ]
