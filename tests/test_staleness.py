"""What memories weigh by age, and what becomes of it on a real table: weighed down, up again, and taken back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mendory
from mendory.catalogue import StepKind
from mendory.clinic import Clinic
from mendory.config import StalenessSection
from mendory.finding import Code
from mendory.record import Kind, Memory
from mendory.staleness import Curve, curves_in, lasting, weigh
from mendory.treatment import apply, take_back
from tests.cli.conftest import Run, configure, run  # noqa: F401  (a fixture)
from tests.conftest import GENEROUS, NOON, FakeClock, arrow, make_config, make_table, memory
from tests.test_incremental import compare, healthy, left, opened
from tests.test_recall import East

CURVES = curves_in(StalenessSection())
DAY = timedelta(days=1)
AGES = st.timedeltas(timedelta(0), timedelta(days=20_000))
KINDS = st.sampled_from([*(kind.value for kind in Kind), None, "nobody's"])


def aged(days: float, kind: str | None = "fact", **fields: object) -> Memory:
    """A memory stored so many days before noon."""
    return replace(Memory("m", "A memory", kind=kind, created_at=NOON - days * DAY), **fields)  # type: ignore[arg-type]


def weight(one: Memory, factor: float = 1.0) -> float:
    """What it weighs at noon."""
    return weigh(one, lasting(one), factor, NOON, CURVES).weight


@settings(deadline=None)
@given(KINDS, AGES, AGES, st.floats(0, 1))
def test_a_weight_falls_with_age_and_stays_between_its_floor_and_one(
    kind: str | None, one: timedelta, two: timedelta, factor: float
) -> None:
    """Whatever the kind: older never weighs more, nothing weighs more than its factor or less than its floor's part."""
    young, old = (weight(aged(age / DAY, kind), factor) for age in sorted((one, two)))

    assert factor >= young >= old >= factor * CURVES.of(kind).floor - 1e-12


@settings(deadline=None)
@given(st.floats(0.01, 1000), st.floats(0, 1))
def test_half_of_what_can_be_lost_is_lost_in_a_half_life(days: float, floor: float) -> None:
    """The formula of the docs at one and at two half-lives."""
    curve = Curve(days * DAY, floor)

    assert floor + (1 - floor) / 2 == pytest.approx(curve.weight(curve.half_life))
    assert floor + (1 - floor) / 4 == pytest.approx(curve.weight(2 * curve.half_life))


@settings(deadline=None)
@given(KINDS, AGES)
def test_what_lasts_hardly_loses_weight(kind: str | None, age: timedelta) -> None:
    """An allergy of any kind and age weighs at least `lasting`."""
    assert 0.95 <= weight(aged(age / DAY, kind, content="对青霉素过敏"))


def test_an_ephemeral_memory_drops_after_three_days_unread() -> None:
    """Not before, and not while somebody reads it; a fact does not care."""
    unread = [weight(aged(days, "ephemeral")) for days in (0, 3, 4, 30)]
    read = weight(aged(30, "ephemeral", last_accessed_at=NOON - DAY))

    assert [1.0, 1.0, pytest.approx(0.55), pytest.approx(0.1, abs=1e-6)] == unread
    assert 1.0 == read
    assert weight(aged(300)) == weight(aged(300, last_accessed_at=NOON - DAY))


def test_a_confirmation_and_a_change_make_fresh_a_future_time_does_not() -> None:
    """Age counts from the latest of them that is not ahead of now; without one it takes nothing, and that is said."""
    assert 1.0 == weight(aged(300, last_verified_at=NOON)) == weight(aged(300, updated_at=NOON))
    assert weight(aged(300)) == weight(aged(300, updated_at=NOON + 30 * DAY))
    unknown = weigh(aged(-30), False, 1.0, NOON, CURVES)
    assert (1.0, None, ("kind:fact", "age_unknown")) == (unknown.weight, unknown.age, unknown.why)


def test_kinds_left_out_of_the_configuration_keep_their_curve() -> None:
    """One half-life and one floor are set; the others are as they were."""
    set_ = curves_in(StalenessSection.model_validate({"half_life": {"event": "P10D"}, "floor": {"fact": 0.2}}))

    assert (10 * DAY, 0.5) == (set_.of("event").half_life, set_.of("event").floor)
    assert (180 * DAY, 0.2) == (set_.of("fact").half_life, set_.of("fact").floor)


# --- on a real table ------------------------------------------------------------------------------

METADATA = {"topic": "work", "entities": ["user"], "scene": "work"}
RULES = {"limits": GENEROUS, "rules": {"confirmed": ["weigh.context", "weigh.finished"]}}
VIM = memory("vim", content="The theme is dark", metadata=METADATA | {"tool": "Vim"}, created_at=NOON - 60 * DAY)
HELIX = memory("helix", content="主题是浅色", metadata=METADATA | {"tool": "Helix"}, created_at=NOON - 60 * DAY)
TASK = memory("task", content="正在修复登录 bug(今天)", created_at=NOON - 30 * DAY)
AWAY = memory("away", content="已从 Vim 切换到 Helix", created_at=NOON - 20 * DAY)
BACK = memory("back", content="已从 Helix 换回 Vim", created_at=NOON - 10 * DAY)


@pytest.fixture
def treated(tmp_path: Path, clock: FakeClock) -> Callable[[], list[tuple[str, str]]]:
    """`treated()` plans and applies by confirmed rules; (code, outcome of each step)."""

    def treat() -> list[tuple[str, str]]:
        clinic = Clinic(make_config(tmp_path, **RULES), clock)
        planned = clinic.plan()
        if planned.plan is None:
            return []
        done = apply(clinic, planned.plan.id)
        codes = {step.id: step.code for step in planned.plan.steps()}
        return sorted((codes[r.unit.step_id], r.outcome.value) for r in done.results)

    return treat


def weights(folder: Path, clock: FakeClock) -> dict[str, float]:
    """The factors by which recall weighs the rows."""
    with mendory.open(make_config(folder), clock=clock) as door:
        return {one.id: one.numbers["factor"] for one in door.recall("x", "u1", 9, embedding=[1, 0.5, -0.25, 9])}


@pytest.mark.lance
def test_what_was_left_is_weighed_down_and_up_again(
    tmp_path: Path, clock: FakeClock, treated: Callable[[], list[tuple[str, str]]]
) -> None:
    """By confirmed rules; no row of the table changes, and once all weigh as they should nothing follows."""
    writer = make_table(tmp_path, [VIM, HELIX, TASK, AWAY])
    version = writer.refresh()

    assert [("stale_context", "applied"), ("task_residue", "applied")] == treated()
    assert {"vim": 0.5, "helix": 1.0, "task": 0.3, "away": 1.0} == weights(tmp_path, clock)
    assert [] == treated()
    rows = writer.rows(["vim"]).drop_columns(["embedding"]).to_pylist()
    writer.refresh()
    assert rows == writer.rows(["vim"]).drop_columns(["embedding"]).to_pylist()
    assert version <= writer.version

    writer.append(arrow([BACK]))
    treated()
    assert {"vim": 1.0, "helix": 0.5, "task": 0.3, "away": 1.0, "back": 1.0} == weights(tmp_path, clock)
    assert [] == treated()


def switches(language: str) -> list[dict[str, Any]]:
    """What belongs to two projects, and the switches from the first to the second and back, as their writer claims."""
    one, two, word = ("Falcon", "Eagle", "project") if language == "en" else ("猎鹰", "雄鹰", "项目")
    given = [("away", two, one, 20, "New team."), ("back", one, two, 10, "新团队。")]
    return [
        *(
            memory(name, content=f"Board {at}", metadata=METADATA | {"project": name}, created_at=NOON - 60 * DAY)
            for at, name in enumerate((one, two))
        ),
        *(
            memory(
                name,
                content=said,
                created_at=NOON - days * DAY,
                source="user_stated",
                claim={"entity": "user", "attribute": word, "value": to, "before": of},
            )
            for name, to, of, days, said in given
        ),
    ]


@pytest.mark.lance
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_superseded_switch_still_happened(tmp_path: Path, clock: FakeClock, language: str) -> None:
    """What a writer says was left weighs less, and in full again once he is back, though that supersedes the switch."""
    one, two, away, back = switches(language)
    rules = {"confirmed": ["weigh.context", "conflict.newer"]}
    writer = make_table(tmp_path, [*healthy(100), one, two, away])
    clinic = Clinic(make_config(tmp_path, limits=GENEROUS, rules=rules), clock)
    planned = clinic.plan().plan
    assert planned is not None
    apply(clinic, planned.id)
    before = weights(tmp_path, clock)
    left(clinic)
    writer.append(arrow([back]))

    assert "incremental" == compare(clinic)
    while (planned := clinic.plan().plan) is not None:
        assert apply(clinic, planned.id).verdict.ok

    clinic.reader.refresh()
    rows = {m.id: (m.status, m.superseded_by) for m in clinic.view(clinic.reader).scan()}
    after = weights(tmp_path, clock)
    assert (0.5, 1.0) == (before[one["id"]], before[two["id"]])
    assert (1.0, 0.5) == (after[one["id"]], after[two["id"]])
    assert (("archived", "back"), ("active", None)) == (rows["away"], rows["back"])


@pytest.mark.lance
def test_a_weight_is_taken_back_by_a_rollback(tmp_path: Path, clock: FakeClock) -> None:
    """Of the plan as a whole: every row weighs as before, and the finding is dismissed."""
    make_table(tmp_path, [VIM, AWAY])
    clinic = Clinic(make_config(tmp_path, **RULES), clock)
    plan = clinic.plan().plan
    assert plan is not None
    assert [StepKind.WEIGH] == [step.kind for step in plan.steps()]
    apply(clinic, plan.id)
    assert 0.5 == weights(tmp_path, clock)["vim"]

    take_back(clinic, plan.id, "ann")

    assert 1.0 == weights(tmp_path, clock)["vim"]
    assert Code.STALE_CONTEXT not in {f.code for f in clinic.check().findings}


@pytest.mark.lance
def test_a_check_of_what_changed_sees_what_a_switch_reaches(tmp_path: Path, clock: FakeClock) -> None:
    """The switch is new, what it reaches is old and untouched; what is told of a scope as a whole stands."""
    old = memory("old", content="锅炉很吵", created_at=NOON - 300 * DAY)
    make_table(tmp_path, [*healthy(), VIM, HELIX, TASK, old])
    clinic = Clinic(make_config(tmp_path), clock)
    left(clinic)
    opened(tmp_path).add(arrow([AWAY]))

    assert "incremental" == compare(clinic)
    found = {f.code: set(f.ids) for f in clinic.check(since="last").findings}
    assert ({"vim", "away"}, {"old"}) == (found[Code.STALE_CONTEXT], found[Code.STALE])


@pytest.mark.lance
@pytest.mark.parametrize(("lang", "said"), [("en", "hardly ages"), ("zh", "几乎不随时间减弱")])
def test_recall_on_the_command_line(
    tmp_path: Path,
    run: Run,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    lang: str,
    said: str,
) -> None:
    """It shows each memory with its score and why, says why there are fewer, and prints JSON on demand."""
    monkeypatch.setattr("mendory.door.embedders.build", lambda *_: East())
    make_table(tmp_path / "db", [memory("m1", content="对青霉素过敏", embedding=[1.0, 0.0, 0.0, 0.0])])
    configure(tmp_path, '[embedder]\nkind = "usem3"\n')

    text = run("recall", "tea", "--scope", "u1", "-k", "3", "--lang", lang)
    [shown] = json.loads(run("recall", "tea", "--scope", "u1", "--json").stdout)["memories"]

    assert (0, True, True) == (text.exit_code, "1. m1  0." in text.stdout, said in text.stdout)
    assert ("m1", "对青霉素过敏", ["kind:fact", "lasting"]) == (shown["id"], shown["content"], shown["why"])
    assert 1 == run("recall", "tea", "--lang", lang).exit_code
