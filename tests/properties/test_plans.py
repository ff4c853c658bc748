"""What holds for every plan on every table: reversible, complete, lossless, bounded, and done once."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendory.catalogue import RULES, Level, StepKind
from mendory.config import LimitsSection
from mendory.errors import EmptyTargetSet
from mendory.executor.rollback import rollback
from mendory.lance import Writer, create_table
from mendory.ledger import Ledger
from mendory.mapping import Mapping
from mendory.plan.model import Plan
from mendory.policy import Authority, Health, Verdict, decide
from mendory.testing import FakeStore
from tests.properties.stores import a_plan, apply, as_table, context, memories, quick, row_bits

Rows = list[dict[str, Any]]


def applied(rows: Rows, ledger: Ledger, store: Any = None) -> tuple[Any, Plan] | None:
    """A store of these rows with its plan applied whole; None when nothing was to do."""
    store = store or FakeStore(as_table(rows))
    plan = a_plan(store)
    if plan is None:
        return None
    results = apply(plan, store, ledger)
    assert [(r.outcome, r.reason) for r in results] == [("applied", "")] * len(list(plan.steps()))
    return store, plan


@given(memories(), st.data())
@quick(60)
def test_rollback_gives_back_every_byte(rows: Rows, data: st.DataObject) -> None:
    """Whatever part is taken back first, in whatever order, in the end every row has its very bits again."""
    ledger = Ledger.in_memory()
    if (done := applied(rows, ledger)) is None:
        return
    store, plan = done
    steps = [s.id for s in plan.steps()]
    parts: list[tuple[list[str] | None, str | None]] = [([s], None) for s in steps]
    parts += [([s.id for s in g.steps], None) for g in plan.groups]
    parts += [(None, row) for row in sorted(plan.row_ids)]
    for chosen, row in data.draw(st.lists(st.sampled_from(parts), max_size=5)):
        rollback(plan.id, chosen, row, store, ledger, context())
    left = rollback(plan.id, None, None, store, ledger, context())
    assert {why for _, why in left.skipped} <= {"rolled back before"}
    assert row_bits(store.table()) == row_bits(as_table(rows))
    assert store.history[store.version].rid is not None
    ledger.verify()


@given(memories())
@quick(100)
def test_a_healed_table_needs_no_plan(rows: Rows) -> None:
    """Planning what plans healed gives nothing more to do; only a scope that a person let be set makes more to find."""
    store: Any = FakeStore(as_table(rows))
    for _ in rows:
        if (done := applied(rows, Ledger.in_memory(), store)) is None:
            return
        healed(*done)
    assert a_plan(store) is None


@given(memories())
@quick(80)
def test_nothing_rests_on_what_only_a_person_may_let_run(rows: Rows) -> None:
    """Steps of level 1 and 2 need none of level 3, and once they ran, all that is planned is level 3 as it was."""
    store: Any = FakeStore(as_table(rows))
    if (plan := a_plan(store)) is None:
        return
    alone = {s.id for s in plan.steps() if s.level is Level.PERSON}
    for step in plan.steps():
        assert step.id in alone or not alone & set(step.requires)
    kinds = [s.level is Level.PERSON for s in plan.steps()]
    assert kinds == sorted(kinds)
    apply(without(plan, Level.PERSON), store, Ledger.in_memory())
    again = a_plan(store)
    said = [(s.kind, s.level, s.reason, s.changed_ids) for s in plan.steps() if s.id in alone]
    assert said == [(s.kind, s.level, s.reason, s.changed_ids) for s in (again.steps() if again else ())]


def healed(store: Any, plan: Plan) -> None:
    """Return when nothing is planned on what the plan left, but what only came to light by a scope that it set."""
    if (again := a_plan(store)) is not None:
        assert StepKind.SET_SCOPE in {s.kind for s in plan.steps()}
        assert {s.finding_id for s in again.steps()} & {s.finding_id for s in plan.steps()} == set()


def without(plan: Plan, level: Level) -> Plan:
    """The plan without the steps of one level."""
    return replace(plan, groups=tuple(g for g in plan.groups if g.level is not level))


@given(memories())
@quick(80)
def test_a_scope_or_source_is_set_only_where_there_was_none(rows: Rows) -> None:
    """A whole plan gives a scope and source to no row that had one, and only values that other rows had before."""
    if (done := applied(rows, Ledger.in_memory())) is None:
        return
    before, after = ({r["id"]: r for r in t.to_pylist()} for t in (as_table(rows), done[0].table()))
    for name in ("scope", "source"):
        held = {r[name] for r in before.values() if r[name]}
        for row, old in before.items():
            assert after[row][name] == old[name] or (old[name] is None and after[row][name] in held)


@given(memories(), st.randoms(use_true_random=False))
@quick(100)
def test_a_plan_does_not_depend_on_row_order(rows: Rows, random: Any) -> None:
    """The same rows in another order give the plan of the same id."""
    shuffled = random.sample(rows, len(rows))
    plans = [a_plan(FakeStore(as_table(held))) for held in (rows, shuffled)]
    assert len({p and p.id for p in plans}) == 1


@given(memories())
@quick(120)
def test_a_merge_loses_nothing(rows: Rows) -> None:
    """What a merged memory knew stays on its row or stands on its primary; who named it still finds it."""
    if (done := applied(rows, Ledger.in_memory())) is not None:
        lossless(
            {r["id"]: r for r in as_table(rows).to_pylist()}, {r["id"]: r for r in done[0].table().to_pylist()}, done[1]
        )


def lossless(before: dict[str, Any], after: dict[str, Any], plan: Plan) -> None:
    """Return when no text, metadata or reference of a merged memory is lost and no reference dangles anew."""
    assert set(after) == set(before)
    dangling, dangled = ({t for row in rows.values() for t in _targets(row)} - set(rows) for rows in (after, before))
    assert dangling <= dangled
    heirs = {
        m: s.detail["primary_id"]
        for s in plan.steps()
        if s.kind in (StepKind.MERGE_EXACT, StepKind.MERGE_NEAR)
        for m in s.detail["merged_ids"]
    }

    def heir(name: str) -> str:
        while name in heirs:
            name = heirs[name]
        return name

    for name, old in before.items():
        new, primary = after[name], after[heir(name)]
        assert new["content"] == old["content"]
        assert new["claim"] == old["claim"]
        assert (new["created_at"], new["updated_at"]) == (old["created_at"], old["updated_at"])
        known, held, shown = (_metadata(row) for row in (old, new, primary))
        for key, value in known.items():
            if value in (None, "", []):
                continue  # what counts as missing may be filled in
            assert held.get(key) == value
            noted = any(
                _metadata({"metadata": note}).get("metadata", {}).get(key) == value
                for note in primary["related_notes"] or ()
            )
            assert shown.get(key) == value or noted
        for note in old["related_notes"] or ():
            assert note in (new["related_notes"] or ())
            assert note in (primary["related_notes"] or ())
        reachable = {heir(t) for row in (new, primary) for t in _targets(row)}
        for target in _targets(old):
            assert heir(target) in reachable | {heir(name)}
        # where the primary was merged further, the row follows it
        assert name not in heirs or new["duplicate_of"] in (heirs[name], heir(name))


def _metadata(row: dict[str, Any]) -> dict[str, Any]:
    try:
        value = json.loads(row["metadata"] or "{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _targets(row: dict[str, Any]) -> set[str]:
    return {t for t in (row["duplicate_of"], row["superseded_by"], *(row["related_ids"] or ())) if t}


@given(memories())
@quick(100)
def test_one_primary_per_merge_stays_recallable_and_bystanders_stay(rows: Rows) -> None:
    """Of each merged cluster one row stays recallable, nothing is deleted, rows outside the plan keep every bit."""
    if (done := applied(rows, Ledger.in_memory())) is not None:
        one_primary(as_table(rows), done[0].table(), done[1])


def one_primary(before: Any, after: Any, plan: Plan) -> None:
    """Return when that holds."""
    status = dict(zip(after.column("id").to_pylist(), after.column("status").to_pylist(), strict=True))
    clusters: dict[str, set[str]] = defaultdict(set)
    merged = {
        m: s.detail["primary_id"]
        for s in plan.steps()
        if s.kind in (StepKind.MERGE_EXACT, StepKind.MERGE_NEAR)
        for m in s.detail["merged_ids"]
    }
    for name in merged.keys() | set(merged.values()):
        root = name
        while root in merged:
            root = merged[root]
        clusters[root].add(name)
    for root, names in clusters.items():
        assert {n for n in names if status[n] in ("active", "pending_review")} == {root}
    assert after.num_rows == before.num_rows
    was, is_ = (
        t.filter(pa.array([i not in plan.row_ids for i in t.column("id").to_pylist()])) for t in (before, after)
    )
    assert row_bits(is_) == row_bits(was)


@given(memories(), st.integers(1, 6), st.floats(0.05, 1.0), st.integers(0, 3), st.data())
@quick(120)
def test_automatic_repairs_keep_their_limits(
    rows: Rows, most: int, share: float, least: int, data: st.DataObject
) -> None:
    """Rows changed without a person stay within the run's and the scope's limit, whatever was approved beside them."""
    store = FakeStore(as_table(rows))
    if (plan := a_plan(store)) is None:
        return
    limits = LimitsSection(rows_per_run=most, repairs_per_day=99, scope_share=share, min_rows=least)
    steps = [s.id for s in plan.steps()]
    approved = dict.fromkeys(data.draw(st.sets(st.sampled_from(steps))), "d")
    scopes = Counter(r["scope"] or "" for r in rows)
    health = Health(len(rows), 0, scopes, {})
    rulings = decide(plan, limits, RULES, approved, health)
    assert set(rulings) == set(steps)
    alone = [
        s for s in plan.steps() if rulings[s.id].verdict is Verdict.RUN and rulings[s.id].by is not Authority.PERSON
    ]
    assert len({i for s in alone for i in s.row_ids}) <= most
    for scope in scopes:
        changed = {i for s in alone if (s.scope or "") == scope for i in s.row_ids}
        assert len(changed) <= max(least, share * scopes[scope])
    for step in plan.steps():
        if rulings[step.id].verdict is Verdict.RUN:
            assert [n for n in step.requires if rulings[n].verdict is not Verdict.RUN] == []
    without = decide(plan, None, RULES, approved, health)
    assert {s for s, r in without.items() if r.verdict is Verdict.RUN} <= set(approved)


@given(memories())
@quick(100)
def test_a_plan_survives_json(rows: Rows) -> None:
    """A plan read back from its JSON has the same ids and the same steps."""
    if (plan := a_plan(FakeStore(as_table(rows)))) is not None:
        back = Plan.from_json(json.loads(json.dumps(plan.as_json())))
        assert back.id == plan.id
        assert [s.id for s in back.steps()] == [s.id for s in plan.steps()]
        assert back.as_json() == plan.as_json()


@given(memories(), st.integers(0, 30))
@quick(60)
def test_two_executors_do_nothing_twice(rows: Rows, moment: int) -> None:
    """A second executor that comes in at any boundary, and a third that comes later, repeat no step."""
    store, ledger = FakeStore(as_table(rows)), Ledger.in_memory()
    if (plan := a_plan(store)) is None:
        return
    outcomes: list[Any] = []
    crossed = 0

    def second(point: str) -> None:
        nonlocal crossed
        crossed += 1
        if crossed == moment:
            outcomes.extend(apply(plan, store, ledger, "second"))

    store.boundary = second
    outcomes += apply(plan, store, ledger, "first")
    outcomes += apply(plan, store, ledger, "third")
    did = Counter(r.unit.key for r in outcomes if r.outcome == "applied")
    assert did == {s.id: 1 for s in plan.steps()}
    rids = Counter(v.rid for v in store.history.values() if v.rid)
    assert rids == {r.rid: 1 for r in outcomes if r.outcome == "applied"}
    healed(store, plan)
    ledger.verify()


@given(memories())
@quick(60)
def test_an_applied_step_is_reported_done(rows: Rows) -> None:
    """Who executes a plan that was applied hears "done" of every step, chained ones too, and not "stale"."""
    ledger = Ledger.in_memory()
    if (done := applied(rows, ledger)) is not None:
        store, plan = done
        assert [r.outcome.value for r in apply(plan, store, ledger, "second")] == ["done"] * len(list(plan.steps()))


# --- the same on a real table -----------------------------------------------------------------------------


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Callable[[Any], Writer]]:
    """Makes a new LanceDB table of given rows."""
    made = 0

    def make(rows: Any) -> Writer:
        nonlocal made
        made += 1
        create_table(str(tmp_path), f"t{made}", 4)
        writer = Writer(str(tmp_path), f"t{made}", Mapping.identity())
        writer.append(rows)
        writer.refresh()
        return writer

    return make


@pytest.mark.lance
@given(rows=memories())
@quick(12)
def test_all_of_it_on_a_real_table(fresh: Callable[[Any], Writer], rows: Rows) -> None:
    """Healing a LanceDB table is lossless, complete, done once, and taken back bit for bit."""
    ledger, writer = Ledger.in_memory(), fresh(as_table(rows))
    before = writer.rows([r["id"] for r in rows])
    assert row_bits(before) == row_bits(as_table(rows))
    if (done := applied(rows, ledger, writer)) is None:
        return
    _, plan = done
    writer.refresh()
    after = writer.rows([r["id"] for r in rows])
    lossless({r["id"]: r for r in before.to_pylist()}, {r["id"]: r for r in after.to_pylist()}, plan)
    one_primary(before, after, plan)
    healed(writer, plan)
    assert [r for r in apply(plan, writer, ledger, "second") if r.outcome == "applied"] == []
    rollback(plan.id, None, None, writer, ledger, context())
    writer.refresh()
    assert row_bits(writer.rows([r["id"] for r in rows])) == row_bits(before)


def test_an_empty_target_is_an_error() -> None:
    """Rolling back what was never applied raises and touches nothing."""
    store = FakeStore(as_table([]))
    with pytest.raises(EmptyTargetSet):
        rollback("nothing", None, None, store, Ledger.in_memory(), context())
    assert store.version == 1
