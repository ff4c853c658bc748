"""What holds for every merge of near duplicates, whatever groups a detector names: nothing lost, nothing done twice."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendory.catalogue import Level, StepKind
from mendory.executor.rollback import rollback
from mendory.finding import Code
from mendory.ledger import Ledger
from mendory.plan.model import Plan
from mendory.testing import FakeStore
from tests.planted import Group, echo, near, plant
from tests.properties.stores import a_plan, as_table, context, memories, quick, row_bits
from tests.properties.test_plans import applied, lossless, one_primary

Rows = list[dict[str, Any]]
TEXTS = (
    *(
        "Drinks tea in the evening",
        "In the evening drinks tea.",
        "Drinks tea with honey in the evening",
        "Tea. Evening.",
    ),
    *("晚上喝茶", "喝茶是在晚上。", "晚上喝茶，加蜂蜜", "Does not drink tea", "3 cups", "", None),
)
PLAIN = '{"topic": "t", "entities": ["x"], "scene": "s"}'


@st.composite
def grouped(draw: st.DrawFn) -> tuple[Rows, list[Group]]:
    """Rows of many sorts, most of them alike in what a merge asks, and groups of them, overlapping at will."""
    rows = draw(memories())
    for row in rows:
        row["content"] = draw(st.sampled_from(TEXTS))
        if draw(st.integers(0, 3)):
            row |= {"scope": "u1", "status": "active", "kind": "fact", "claim": None, "metadata": PLAIN}
    names = [row["id"] for row in rows]
    parts = st.lists(st.sampled_from(names), min_size=2, max_size=4, unique=True) if len(names) > 1 else st.nothing()
    chosen = draw(st.lists(parts, max_size=4, unique_by=lambda ids: tuple(sorted(ids)))) if len(names) > 1 else []
    groups = [
        echo(*ids)
        if draw(st.integers(0, 3)) == 0
        else near(*ids, origin=draw(st.sampled_from(("shipped", "provisional"))))
        for ids in chosen
    ]
    return rows, groups


def done(rows: Rows, groups: list[Group], ledger: Ledger) -> tuple[Any, Plan] | None:
    """The rows with what is planned for these groups applied whole; None when nothing was to do."""
    with pytest.MonkeyPatch.context() as patched:
        plant(patched, *groups)
        return applied(rows, ledger)


@given(grouped())
@quick(150)
def test_a_merge_of_near_duplicates_loses_nothing(given_: tuple[Rows, list[Group]]) -> None:
    """What a merged row knew stands on its primary, one row of each cluster stays, rows outside keep every bit."""
    rows, groups = given_
    if (made := done(rows, groups, Ledger.in_memory())) is not None:
        before, after = ({r["id"]: r for r in t.to_pylist()} for t in (as_table(rows), made[0].table()))
        lossless(before, after, made[1])
        one_primary(as_table(rows), made[0].table(), made[1])
        hidden = [i for s in made[1].steps() for i in s.detail.get("merged_ids", ())]
        assert sorted(set(hidden)) == sorted(hidden)


@given(grouped())
@quick(80)
def test_rolled_back_every_byte_is_there_again(given_: tuple[Rows, list[Group]]) -> None:
    """Whatever was merged, a rollback gives every row its very bits."""
    rows, groups = given_
    ledger = Ledger.in_memory()
    if (made := done(rows, groups, ledger)) is not None:
        store, plan = made
        assert () == rollback(plan.id, None, None, store, ledger, context()).skipped
        assert row_bits(store.table()) == row_bits(as_table(rows))


@given(grouped(), st.randoms(use_true_random=False))
@quick(80)
def test_the_plan_forgets_the_order_and_asks_people_where_it_must(
    given_: tuple[Rows, list[Group]], random: Any
) -> None:
    """The same rows in another order give the same plan; of a provisional group every step is a person's."""
    rows, groups = given_
    with pytest.MonkeyPatch.context() as patched:
        plant(patched, *groups)
        plans = [a_plan(FakeStore(as_table(held))) for held in (rows, random.sample(rows, len(rows)))]
    assert len({plan and plan.id for plan in plans}) == 1
    provisional = {tuple(sorted(ids)) for _, ids, evidence in groups if evidence.get("origin") == "provisional"}
    for step in plans[0].steps() if plans[0] else ():
        if step.kind is StepKind.MERGE_NEAR and step.code == Code.DUPLICATE_NEAR:
            named = tuple(sorted({step.detail["primary_id"], *step.detail["merged_ids"]}))
            assert (step.level is Level.PERSON) == (named in provisional)
