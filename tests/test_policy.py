"""Policy beyond the cases: what holds for every plan, and the table of remedies it rests on."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from mendory.catalogue import REMEDIES, RULES, Level, Otherwise, Remedy, StepKind, remedy_of
from mendory.config import LimitsSection
from mendory.detect import Settings, examine
from mendory.finding import KNOWN, Code, finding
from mendory.mapping import Mapping
from mendory.plan.model import ColumnChange, Edit, Group, Plan, Step
from mendory.policy import Authority, Health, Verdict, decide
from mendory.record import Memory
from tests.conftest import GENEROUS, NOON, arrow, memory


def test_every_code_has_its_remedy_ring_and_severity() -> None:
    """Each code of a finding stands in the one table of remedies, and has a ring and a severity."""
    assert set(Code) == set(REMEDIES) == set(KNOWN)


def test_a_remedy_with_a_step_has_a_level() -> None:
    """A step has a level; level 2 has a rule that can confirm it, unless a person must read the outcome."""
    for code, remedy in REMEDIES.items():
        assert (remedy.step is None) == (remedy.level is None), code
        ruled = remedy.level is Level.RULE_OR_PERSON and remedy.step is not StepKind.SUMMARISE
        assert (remedy.rule is not None) == ruled, code
        assert remedy.otherwise in Otherwise
    deciding = {f"conflict.{rule}" for rule in ("latest_user_statement", "newer", "confidence", "authority")}
    others = {"merge.exact", "merge.near", "merge.echo", "repoint.known_successor", "conflict.exception"}
    others.add("reembed.changed_text")
    assert {*others, *deciding, "weigh.context", "weigh.finished"} == RULES


def test_what_a_provisional_threshold_found_is_a_persons() -> None:
    """The same code leads to the same step, at level 3 and without a rule, where the threshold was provisional."""
    held = [Memory("a", "Likes tea", scope="u1"), Memory("b", "Is fond of tea", scope="u1")]
    remedies = {
        origin: remedy_of(finding(Code.DUPLICATE_NEAR, held, ("content",), "", {"origin": origin}, "near/1"))
        for origin in ("shipped", "calibrated", "provisional")
    }

    assert remedies["shipped"] == remedies["calibrated"] == REMEDIES[Code.DUPLICATE_NEAR]
    person = Remedy(StepKind.MERGE_NEAR, Level.PERSON, None, Otherwise.PERSON)
    assert person == remedies["provisional"]
    report = finding(Code.DUPLICATE_RESTATED, held, ("content",), "", {"origin": "provisional"}, "exact/1")
    assert REMEDIES[Code.DUPLICATE_RESTATED] == remedy_of(report)


def test_level_two_without_a_rule_waits_for_a_person() -> None:
    """No confirmed rule, whichever, lets a step run that has none of its own; a person's word does."""
    edit = Edit("a", "x", "y", (ColumnChange("content", "x", "y"),))
    step = Step(StepKind.SUMMARISE, Level.RULE_OR_PERSON, None, "fragments", "f", "u1", "", (edit,), {})
    plan = Plan((Group("G1", step.kind, step.level, None, (step,)),), 1, NOON, NOON + timedelta(days=1))
    generous = LimitsSection(**GENEROUS)
    health = Health(60, 0, {"u1": 30}, {})

    waits, runs = (decide(plan, generous, RULES, approved, health)[step.id] for approved in ({}, {step.id: "d1"}))

    assert (Verdict.WAIT, "no rule confirms such a step; a person may approve it") == (waits.verdict, waits.reason)
    assert (Verdict.RUN, Authority.PERSON) == (runs.verdict, runs.by)


def test_no_step_deletes() -> None:
    """No kind of step deletes a memory."""
    kinds = {
        *("fill", "normalise_status", "merge_exact", "merge_near", "summarise"),
        *("supersede", "mark_disputed", "lift_mark", "link_exception", "weigh"),
        *("repoint", "set_scope", "set_source", "reembed"),
    }

    assert kinds == {k.value for k in StepKind}


def test_unaddressable_rows_and_missing_times_are_reported_only() -> None:
    """Rows without a name of their own, and times that nobody may invent, lead to no step."""
    for code in (Code.MISSING_ID, Code.DUPLICATE_ID, Code.MISSING_CREATED_AT, Code.MISSING_UPDATED_AT):
        assert (None, Otherwise.REPORT_ONLY) == (REMEDIES[code].step, REMEDIES[code].otherwise)


def test_health_counts_a_row_once() -> None:
    """A row with several findings is one sick row; a finding without rows makes none sick."""
    rows = [memory("a", source=None, content=""), memory("b", scope=None), memory("c"), memory(None), memory("d")]
    held = Mapping.identity().memories(arrow(rows))
    seen = examine(held, lambda ids: {}, Settings())

    health = Health.of(seen.findings, seen.read, seen.scope_rows)

    assert (5, 2) == (health.rows, health.sick)
    assert 1 == health.scope_sick["u1"]
    assert Health.of([], 3, {"u1": 3}) == Health(3, 0, {"u1": 3}, {})


_STEPS = st.lists(
    st.tuples(
        st.sampled_from([1, 2, 3]),
        st.sampled_from(["merge.exact", "repoint.known_successor"]),
        st.sampled_from(["u1", "用户"]),
        st.lists(st.integers(0, 30), min_size=1, max_size=6, unique=True),
        st.booleans(),
    ),
    max_size=8,
)


def _plan(drawn: list[tuple[int, str, str, list[int], bool]]) -> tuple[Plan, dict[str, str]]:
    groups: list[Group] = []
    approved = {}
    for at, (level, rule, scope, rows, word) in enumerate(drawn):
        edits = tuple(Edit(f"{scope}{n}", "a", "b", (ColumnChange("status", "x", "y"),)) for n in rows)
        needs = tuple(s.id for g in groups[-1:] for s in g.steps if at % 3 == 0)
        name = rule if level == 2 else None
        step = Step(StepKind.FILL, Level(level), name, "x", f"f{at}", scope, f"{at}", edits, {}, needs)
        if word:
            approved[step.id] = f"d{at}"
        groups.append(Group(f"G{at}", StepKind.FILL, Level(level), name, (step,)))
    return Plan(tuple(groups), 1, NOON, NOON + timedelta(days=1)), approved


@given(_STEPS, st.integers(1, 20), st.floats(0.05, 1), st.booleans(), st.sets(st.sampled_from(sorted(RULES))))
def test_caps_and_authority_hold_for_every_plan(
    drawn: list[tuple[int, str, str, list[int], bool]], cap: int, share: float, unlimited: bool, confirmed: set[str]
) -> None:
    """Whatever is planned: what runs has its word, stays under the caps, and never precedes what it requires."""
    plan, approved = _plan(drawn)
    limits = None if unlimited else LimitsSection(rows_per_run=cap, repairs_per_day=99, scope_share=share, min_rows=0)
    health = Health(60, 0, {"u1": 30, "用户": 30}, {})

    rulings = decide(plan, limits, confirmed, approved, health)

    assert {s.id for s in plan.steps()} == set(rulings)
    running = [s for s in plan.steps() if rulings[s.id].verdict is Verdict.RUN]
    for step in running:
        by = rulings[step.id].by
        assert (by is Authority.PERSON) == (step.id in approved)
        assert step.id in approved or (limits is not None and step.level < Level.PERSON)
        assert step.id in approved or step.rule is None or step.rule in confirmed
        assert all(rulings[needed].verdict is Verdict.RUN for needed in step.requires)
    for step in plan.steps():
        assert (rulings[step.id].verdict is Verdict.RUN) == (rulings[step.id].reason == "")
    if limits is not None:
        assert len({i for s in running for i in s.row_ids}) <= cap
        for scope in ("u1", "用户"):
            assert len({i for s in running if s.scope == scope for i in s.row_ids}) <= share * 30
