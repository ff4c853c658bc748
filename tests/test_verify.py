"""Verification: the promised effect against the measured one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pytest

from mendory.catalogue import Level, StepKind
from mendory.detect import Settings, examine
from mendory.effect import _between
from mendory.finding import Code, Finding, finding
from mendory.mapping import Mapping
from mendory.plan.model import Edit, Step
from mendory.record import Memory
from mendory.verify import Verdict, verify
from tests.conftest import arrow, memory


def step(kind: StepKind, *rows: str, after: str = "new", level: int = 1, **detail: Any) -> Step:
    """A step that leads these rows to `after`."""
    edits = tuple(Edit(r, "old", after, ()) for r in rows)
    return Step(kind, Level(level), None, "x", f"f-{kind}-{rows}", "u1", "", edits, detail)


def findings(*rows: dict[str, Any], settings: Settings | None = None) -> Sequence[Finding]:
    """What is found on these rows."""
    held = Mapping.identity().memories(arrow(rows))
    by_id = {m.id: m for m in held if m.id}
    return examine(held, lambda ids: {i: by_id[i] for i in ids if i in by_id}, settings or Settings()).findings


def failed(verdict: Verdict) -> dict[str, tuple[str, ...]]:
    """Name of each check that failed → what failed."""
    return {c.name: c.failed for c in verdict.checks if not c.ok}


NORMALISE = step(StepKind.NORMALISE_STATUS, "m1", status="active")


def test_everything_as_planned() -> None:
    """Rows as planned, the problem gone, nothing else changed: the verdict is good and counts what it checked."""
    verdict = verify([NORMALISE], {"m1": "new"}, (), (), ())

    assert verdict.ok
    assert [1, 1, 1] == [c.checked for c in verdict.checks]
    assert ((), ()) == (verdict.failed_steps, verdict.changed_since)
    assert verdict.as_json()["ok"] is True


@pytest.mark.parametrize("now", [{"m1": "old"}, {"m1": "other"}, {}], ids=["not written", "otherwise", "gone"])
def test_row_that_is_not_as_planned(now: dict[str, str]) -> None:
    """A row that is unchanged, otherwise, or gone fails its step."""
    verdict = verify([NORMALISE], now, (), (), ())

    assert {"rows_as_planned": ("m1",)} == failed(verdict)
    assert (NORMALISE.id,) == verdict.failed_steps
    assert verdict.as_json()["ok"] is False


def test_last_step_on_a_row_counts() -> None:
    """A row that two steps changed must be as the later one leaves it."""
    first = step(StepKind.NORMALISE_STATUS, "m1", after="between", status="active")
    last = step(StepKind.MERGE_EXACT, "m1", after="end", merged_ids=["m1"])

    assert verify([first, last], {"m1": "end"}, (), (), ()).ok
    assert (last.id,) == verify([first, last], {"m1": "between"}, (), (), ()).failed_steps


def test_row_that_others_changed_since_is_listed() -> None:
    """A row its owner wrote meanwhile is listed; it fails nothing, whatever it is now."""
    seen = findings(memory("m1", status="ACTIVE"))

    verdict = verify([NORMALISE], {"m1": "foreign"}, {"m1"}, seen, ())

    assert verdict.ok
    assert ("m1",) == verdict.changed_since


def test_rows_outside_the_plan() -> None:
    """A row that our commits changed and no plan names fails the verdict; so does a history that can't tell."""
    assert {"rows_outside_the_plan_unchanged": ("x", "y")} == failed(
        verify([NORMALISE], {"m1": "new"}, (), (), {"y", "x"})
    )
    assert {"rows_outside_the_plan_unchanged": ("history can't tell",)} == failed(
        verify([NORMALISE], {"m1": "new"}, (), (), None)
    )


def remains(one: Step, *rows: dict[str, Any], settings: Settings | None = None) -> bool:
    """True when the step's problem is still found on these rows."""
    found = findings(*rows, settings=settings)
    assert found
    verdict = verify([one], dict.fromkeys(one.row_ids, "new"), (), found, ())
    assert set(failed(verdict)) <= {"problems_gone"}
    assert (verdict.failed_steps == (one.id,)) == (not verdict.ok)
    return not verdict.ok


def test_status_that_is_still_wrong() -> None:
    """A wrong status of the step's row remains; another row's is none of its business."""
    assert remains(NORMALISE, memory("m1", status="ACTIVE"))
    assert not remains(NORMALISE, memory("m2", status="ACTIVE"))


def test_key_that_is_still_missing() -> None:
    """A key that was filled and is still missing remains; one that nobody promised does not."""
    one = step(StepKind.FILL, "m1", origins={"scene": "its claim"})

    assert remains(one, memory("m1", metadata={"topic": "饮食", "entities": ["香菜"]}))
    assert not remains(one, memory("m1", metadata={"entities": ["香菜"], "scene": "聚餐"}))


def test_duplicates_that_are_still_there() -> None:
    """Two of a merge's rows that are still duplicates of each other remain; one beside a new copy does not."""
    one = step(StepKind.MERGE_EXACT, "m2", "m3", merged_ids=["m2", "m3"])

    assert remains(one, memory("m2", content="一样"), memory("m3", content="一样"))
    assert not remains(one, memory("m2", content="same"), memory("m9", content="same"))


def test_merged_row_that_is_still_a_duplicate_of_the_kept_one() -> None:
    """A merge that changed only the merged row has failed when that row and the kept one are duplicates still."""
    one = step(StepKind.MERGE_EXACT, "m2", primary_id="m1", merged_ids=["m2"])

    assert remains(one, memory("m1", content="same"), memory("m2", content="same"))


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (StepKind.MERGE_NEAR, Code.DUPLICATE_NEAR),
        (StepKind.MERGE_NEAR, Code.RECALL_ECHO),
        (StepKind.SUMMARISE, Code.FRAGMENTS),
    ],
)
def test_what_was_put_together_and_is_found_again(kind: StepKind, code: Code) -> None:
    """Two of the step's rows under the code it was made for remain; one beside a new row, or another code, does not."""
    one = step(kind, "m2", "m3", primary_id="m1", merged_ids=["m2", "m3"])

    def remains_of(about: Code, *ids: str) -> bool:
        held = [Memory(i, "喝茶", scope="u1") for i in ids]
        found = [finding(about, held, ("content",), "", {}, "x/1")]
        return not verify([one], {"m2": "new", "m3": "new"}, (), found, ()).ok

    assert remains_of(code, "m1", "m3")
    assert not remains_of(code, "m3", "m9")
    assert not remains_of(Code.DUPLICATE_RESTATED, "m1", "m3")


def test_reference_that_still_leads_nowhere() -> None:
    """A reference that was re-pointed and still dangles remains; another that was never known does not."""
    one = step(StepKind.REPOINT, "m1", repointed={"old": "m2"})

    assert remains(one, memory("m1", related_ids=["old"]), memory("m2"))
    assert not remains(one, memory("m1", related_ids=["m2", "未知"]), memory("m2"))


def test_nothing_applied_nothing_checked() -> None:
    """Where nothing was applied the verdict checks nothing and is good."""
    verdict = verify([], {}, (), findings(memory("m1", status="ACTIVE")), ())

    assert verdict.ok
    assert [0, 0, 0] == [c.checked for c in verdict.checks]


def test_many_steps_and_findings_are_not_compared_each_with_each() -> None:
    """6,000 steps against 6,000 findings and as many rows of others take no longer than looking each of them up."""
    sick = findings(*(memory(f"m{n}", status="Active ") for n in range(3000)), memory("other"))
    steps = [step(StepKind.NORMALISE_STATUS, f"m{n}", status="active") for n in range(6000)]
    begun = time.monotonic()
    verdict = verify(steps, {f"m{n}": "new" for n in range(6000)}, [f"m{n}" for n in range(0, 6000, 2)], sick, ())

    assert len(sick) == 3000
    assert 1500 == len(failed(verdict)["problems_gone"])
    assert 3000 == len(verdict.changed_since)
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    ("ours", "newest", "runs"),
    [
        ([3], 3, []),
        ([3], 7, [(3, 7)]),
        ([3, 4, 8], 8, [(4, 7)]),
        ([3, 5, 8], 10, [(3, 4), (5, 7), (8, 10)]),
    ],
)
def test_versions_of_others_are_taken_in_runs(ours: list[int], newest: int, runs: list[tuple[int, int]]) -> None:
    """Every version after our first that is not ours is in exactly one run; a run begins after the version it names."""
    found = list(_between(ours, newest))

    assert runs == found
    covered = [v for first, last in found for v in range(first + 1, last + 1)]
    assert [v for v in range(ours[0], newest + 1) if v not in ours] == covered
