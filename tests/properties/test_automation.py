"""Automation by evidence, whatever the evidence: bounds follow it, four kinds never widen, what stopped stays so."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from mendory.automation import (
    AGREED,
    LATEST,
    REGRETTED,
    RISE,
    SETTLED,
    Advice,
    Change,
    Repair,
    Runs,
    Standing,
    Vote,
    confirmed,
    halted,
    standings,
    subject_of,
)
from mendory.catalogue import (
    AUTOMATIC_KINDS,
    NEVER_CONFIRMED,
    REMEDIES,
    RULES,
    UNDECIDED,
    Level,
    StepKind,
)
from mendory.config import LimitsSection
from mendory.plan.model import ColumnChange, Edit, Group, Plan, Step
from mendory.policy import Authority, Health, Verdict, decide
from mendory.thresholds.found import Rate
from tests.conftest import GENEROUS, NOON

OLD = NOON - timedelta(days=30)
SUBJECTS = sorted({*RULES, *(k.value for k in StepKind), "delete", "reembed_many"})
REPAIRS = st.lists(
    st.builds(
        Repair,
        st.sampled_from(SUBJECTS),
        st.integers(1, 50),
        st.sampled_from([OLD, NOON]),
        st.booleans(),
        st.booleans(),
        st.booleans(),
    ),
    max_size=60,
)
VOTES = st.lists(
    st.builds(Vote, st.sampled_from(SUBJECTS), st.integers(1, 50), st.booleans(), st.booleans()), max_size=60
)
CHANGES = st.dictionaries(
    st.sampled_from(SUBJECTS),
    st.builds(Change, st.booleans(), st.just("ann"), st.just(NOON), st.just(""), st.integers(0, 40)),
    max_size=6,
)
CONFIGURED = st.sets(st.sampled_from(sorted(RULES)))


def good(number: int, *, subject: str = "merge.near", by_itself: bool = False, start: int = 1) -> list[Repair]:
    """So many repairs of a month ago that hold."""
    return [Repair(subject, start + n, OLD, by_itself, False, False) for n in range(number)]


def bad(number: int, *, subject: str = "merge.near", by_itself: bool = True, start: int = 1000) -> list[Repair]:
    """So many repairs that were taken back."""
    return [Repair(subject, start + n, NOON, by_itself, True, False) for n in range(number)]


def votes(approved: int, rejected: int = 0, subject: str = "merge.near") -> list[Vote]:
    """Plans in which people approved, and in which they rejected."""
    return [Vote(subject, 1, n < approved, n >= approved) for n in range(approved + rejected)]


def stand(repairs: list[Repair], said: list[Vote], configured: bool = False, change: Change | None = None) -> Standing:
    """The standing of the merge of near duplicates."""
    changes = {"merge.near": change} if change else {}
    return standings({"merge.near"} if configured else (), changes, repairs, said, NOON)["merge.near"]


@given(st.integers(0, 300), st.integers(0, 300))
def test_bounds_are_monotone_in_evidence(hits: int, misses: int) -> None:
    """One more hit raises both bounds and one more miss lowers both; the share lies between them."""
    low, high = Rate(hits, hits + misses).interval
    more, less = Rate(hits + 1, hits + misses + 1).interval, Rate(hits, hits + misses + 1).interval

    assert low <= more[0] + 1e-12
    assert high <= more[1] + 1e-12
    assert less[0] <= low + 1e-12
    assert less[1] <= high + 1e-12
    assert 0 <= low <= high <= 1
    if hits + misses:
        assert low - 1e-12 <= Rate(hits, hits + misses).share <= high + 1e-12


@given(CONFIGURED, CHANGES, REPAIRS, VOTES)
def test_the_four_kinds_never_widen(
    configured: set[str], changes: dict[str, Change], repairs: list[Repair], said: list[Vote]
) -> None:
    """No evidence and no word, forged ones too, proposes or lets run what no rule confirms."""
    stands = standings(configured, changes, repairs, said, NOON)

    widened = {s.subject for s in stands.values() if s.advice is Advice.WIDEN}
    assert widened <= RULES
    assert confirmed(stands) <= RULES
    assert {s.subject for s in stands.values() if s.runs is Runs.ITSELF} <= RULES | AUTOMATIC_KINDS
    assert not widened & {"delete", "reembed_many", *(k.value for k in StepKind)}


def test_no_rule_is_of_a_kind_that_never_widens() -> None:
    """A change of scope is a person's and has no rule; neither has a conflict that nothing decides."""
    for remedy in (*REMEDIES.values(), UNDECIDED):
        if remedy.step in NEVER_CONFIRMED:
            assert remedy.rule is None
    assert {Level.PERSON} == {r.level for r in REMEDIES.values() if r.step is StepKind.SET_SCOPE}


@given(st.integers(0, 120), st.integers(0, 40), st.integers(0, 4), st.integers(0, 4))
def test_a_proposal_to_widen_follows_the_evidence(held: int, plans: int, undone: int, against: int) -> None:
    """More that speaks for it never withdraws it, more that speaks against it never brings it."""
    repairs, said = [*good(held), *bad(undone, by_itself=False)], votes(plans, against)
    proposed = stand(repairs, said).advice is Advice.WIDEN

    if proposed:
        assert AGREED <= Rate(plans, plans + against).interval[0]
        assert REGRETTED >= Rate(undone, held + undone).interval[1]
        assert stand([*repairs, *good(1, start=500)], said).advice is Advice.WIDEN
        assert stand(repairs, [*said, *votes(1)]).advice is Advice.WIDEN
    else:
        assert stand([*repairs, *bad(1, by_itself=False, start=2000)], said).advice is None
        assert stand(repairs, [*said, *votes(0, 1)]).advice is None


def test_the_least_evidence_that_widens() -> None:
    """Sixteen plans and 73 repairs with nothing against them are just enough; new repairs are not old enough."""
    assert Advice.WIDEN is stand(good(73), votes(16)).advice
    assert stand(good(72), votes(16)).advice is None
    assert stand(good(73), votes(15)).advice is None
    assert stand([replace(r, at=NOON) for r in good(73)], votes(16)).advice is None
    assert stand([replace(r, came_back=n == 0) for n, r in enumerate(good(73))], votes(16)).advice is None


@given(st.integers(0, 200), st.integers(0, 40), st.integers(0, 100))
def test_what_stopped_stays_so_until_a_person_speaks(held: int, undone: int, later: int) -> None:
    """Repairs that people approve meanwhile change nothing; one more taken back never lets it run again."""
    repairs = [*good(held, by_itself=True), *bad(undone)]
    stands = stand(repairs, [], configured=True)
    in_view = min(undone, LATEST)
    rises = undone >= RISE and Rate(in_view, min(held + undone, LATEST)).interval[0] > REGRETTED

    assert (Runs.STOPPED if rises else Runs.ITSELF) is stands.runs
    if rises:
        by_people = [*repairs, *good(later, start=3000), *bad(1, start=4000)]
        assert Runs.STOPPED is stand(by_people, votes(later), configured=True).runs
        assert {"merge.near"} == set(halted({"merge.near": stands}))
        word = Change(True, "ann", NOON, "", 5000)
        assert Runs.ITSELF is stand(by_people, [], configured=True, change=word).runs


def test_a_long_good_past_hides_no_rise() -> None:
    """Eight of the latest seventy-three taken back stop a rule that had ten thousand good ones; seven do not."""
    past = good(10_000, by_itself=True)

    assert Runs.STOPPED is stand([*past, *bad(8, start=20_000)], [], configured=True).runs
    assert Runs.ITSELF is stand([*past, *bad(7, start=20_000)], [], configured=True).runs
    assert Runs.ITSELF is stand(bad(2), [], configured=True).runs
    assert Runs.STOPPED is stand(bad(3), [], configured=True).runs


def test_what_comes_back_or_is_refused_is_proposed_to_be_narrowed() -> None:
    """A confirmed rule whose problems recur, or which people refuse, is not stopped; the proposal is a person's."""
    back = [replace(r, came_back=True) for r in good(5, by_itself=True)]

    assert (Runs.ITSELF, Advice.NARROW) == _said(stand([*good(20), *back], [], configured=True))
    assert (Runs.ITSELF, None) == _said(stand([*good(200), *back], [], configured=True))
    assert (Runs.ITSELF, Advice.NARROW) == _said(stand([], votes(2, 5), configured=True))
    assert (Runs.ITSELF, None) == _said(stand([], votes(5, 2), configured=True))
    assert (Runs.ITSELF, Advice.NARROW) == _said(stand(back[:3], [], configured=True))
    assert (Runs.ITSELF, None) == _said(stand(back[:2], [], configured=True))
    assert (Runs.ITSELF, Advice.NARROW) == _said(stand([], votes(0, 3), configured=True))
    assert (Runs.ITSELF, None) == _said(stand([], votes(0, 2), configured=True))
    assert (Runs.ITSELF, None) == _said(stand([], votes(100, 3), configured=True))
    assert (Runs.STOPPED, None) == _said(stand(bad(3), votes(0, 3), configured=True))


def test_what_a_step_is_filed_under() -> None:
    """Its rule; its kind where no rule confirms it. What nobody confirmed asks, and nothing stopped it."""
    assert ("merge.near", "fill") == (subject_of("merge_near", "merge.near"), subject_of("fill", None))
    known = standings({"merge.near"}, {}, (), (), NOON)
    assert {"merge.near"} == confirmed(known)
    assert {} == halted(known)
    assert {*RULES, *AUTOMATIC_KINDS} == set(known)
    assert {"merge.near", *AUTOMATIC_KINDS} == {name for name, s in known.items() if s.runs is Runs.ITSELF}


def test_a_word_begins_the_count_anew_and_a_week_settles() -> None:
    """What is at the word's own link or before it does not count; a repair that is seven days old does."""
    word = Change(True, "ann", NOON, "", 5)
    counted = stand(good(6), [replace(v, seq=n + 4) for n, v in enumerate(votes(3))], change=word).record
    assert (1, 1) == (counted.repairs, counted.approved)
    week = [replace(r, at=NOON - SETTLED) for r in good(1)]
    younger = [replace(r, at=NOON - SETTLED + timedelta(seconds=1)) for r in good(1)]
    assert (1, 0) == (stand(week, []).record.settled, stand(younger, []).record.settled)
    one = Repair("merge.near", 1, OLD, False, True, False)
    assert (1, 1, 1, 0, 0) == (lambda r: (r.settled, r.bad, r.taken_back, r.came_back, r.latest))(
        stand([one], []).record
    )


def test_the_newest_word_goes_before_the_configuration() -> None:
    """A person ends what is configured and lets run what is not; evidence from before the word does not count."""
    ended = Change(False, "ann", NOON, "", 900)
    asked = stand(good(73), votes(16), configured=True, change=ended)

    assert (Runs.ENDED, None) == _said(asked)
    assert "a person ended that" in halted({"merge.near": asked})["merge.near"]
    assert (Runs.ITSELF, None) == _said(stand([], [], change=replace(ended, widens=True)))
    again = [replace(v, seq=901) for v in votes(16)]
    assert (Runs.ENDED, Advice.WIDEN) == _said(stand(good(73, start=901), again, change=ended))


def _said(stands: Standing) -> tuple[Runs, Advice | None]:
    return stands.runs, stands.advice


@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(StepKind)), st.sampled_from([*sorted(RULES), None]), st.integers(1, 3)),
        min_size=1,
        max_size=8,
    ),
    CONFIGURED,
    CHANGES,
    REPAIRS,
    st.booleans(),
)
def test_no_step_runs_by_what_stopped(
    drawn: list[tuple[StepKind, str | None, int]],
    configured: set[str],
    changes: dict[str, Change],
    repairs: list[Repair],
    word: bool,
) -> None:
    """Whatever is planned and known: a rule or kind that stopped or was ended lets no step run; a person does."""
    steps = [
        Step(kind, Level(level), rule, "x", f"f{n}", "u1", f"{n}", (_edit(n),), {})
        for n, (kind, rule, level) in enumerate(drawn)
    ]
    groups = tuple(Group(f"G{n}", s.kind, s.level, s.rule, (s,)) for n, s in enumerate(steps))
    plan = Plan(groups, 1, NOON, NOON + timedelta(days=1))
    stands = standings(configured, changes, repairs, (), NOON)
    approved = {s.id: "d1" for s in steps[:1] if word}
    health = Health(1000, 0, {"u1": 1000}, {})

    rulings = decide(plan, LimitsSection(**GENEROUS), confirmed(stands), approved, health, stopped=halted(stands))

    for step in steps:
        ruling = rulings[step.id]
        if step.id in approved:
            assert (Verdict.RUN, Authority.PERSON) == (ruling.verdict, ruling.by)
        elif ruling.verdict is Verdict.RUN:
            assert step.level < Level.PERSON
            assert (step.rule or step.kind.value) not in halted(stands)
            assert step.level is Level.AUTOMATIC or step.rule in confirmed(stands)


def _edit(n: int) -> Edit:
    return Edit(f"m{n}", "a", "b", (ColumnChange("status", "x", "y"),))
