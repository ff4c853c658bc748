"""Answers as data: the cases under tests/cases/answers, one-time codes, names of rounds.

A case has a plan made at noon of 2025-03-01 with its `groups` (how many steps of a level wait or are done), who may
answer, one answer, the ledger's time `now` (13:00 where nothing is said), and either the groups it `covers` with their
numbers of steps, or why it is `refused`.
"""

from __future__ import annotations

import base64
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyotp
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from mendory.asking.answer import (
    Answer,
    CodeState,
    Refusal,
    Word,
    code_of,
    concealed,
    covered,
    judge,
    named,
    plain,
    round_of,
    valid_name,
)
from mendory.asking.codes import enrolment_uri, in_fours, locked_until, matching_step, new_secret
from mendory.plan.model import Plan
from tests.answer_kit import SECRET, a_plan, code_at
from tests.conftest import NOON, at
from tests.properties.stores import quick

CASES = sorted((Path(__file__).parent / "cases" / "answers").glob("*.json"))


def the_answer(told: dict[str, Any], plan: Plan, now: datetime) -> tuple[Answer, CodeState]:
    """The answer of a case and what became of its code."""
    known = {"verdict", "groups", "by", "plan_code", "note", "code", "given", "round"}
    assert set(told) <= known, f"unknown keys: {sorted(set(told) - known)}"
    before = Plan(plan.groups, plan.base_version, plan.made_at - timedelta(days=2), plan.expires_at)
    rounds = {"this": round_of(plan, 1), "before": round_of(before, 1), "forged": "approval-1"}
    plan_code = told.get("plan_code", plan.code)
    note = told["note"]
    answer = Answer(
        rounds[told.get("round", "this")],
        told["verdict"],
        tuple(told.get("groups", ())),
        told["by"],
        f" {plan.code.upper()} " if plan_code == "capitals" else plan_code,
        note if isinstance(note, str) else note["repeat"] * note["times"],
        "123456" if "code" in told else "",
        at(told.get("given")) or now,
    )
    return answer, CodeState(told.get("code", "none"))


@pytest.mark.parametrize("file", CASES, ids=lambda f: f.stem)
def test_answers(file: Path) -> None:
    """An answer stands for exactly the steps its case says, or is refused for the reason its case says."""
    case = json.loads(file.read_text(encoding="utf-8"))
    known = {"why", "groups", "approvers", "enrolled", "answer", "now", "locked"}
    [expected] = set(case) - known
    assert expected in ("covers", "refused")
    plan, waiting = a_plan(case["groups"])
    now = at(case.get("now", "2025-03-01T13:00"))
    assert now is not None
    answer, code = the_answer(case["answer"], plan, now)
    approvers = {*case["approvers"], *case["enrolled"]}

    refusal = judge(answer, plan, waiting, approvers, case["enrolled"], now, code, case.get("locked", False))

    if expected == "refused":
        assert case["refused"] == refusal
    else:
        assert refusal is None
        steps = {s.id for s in covered(answer, plan, waiting)}
        counted = {g.name: sum(s.id in steps for s in g.steps) for g in plan.groups}
        assert case[expected] == {name: n for name, n in counted.items() if n}
        assert steps <= set(waiting)


def test_every_refusal_but_the_end_of_a_plan_has_a_case() -> None:
    """Each reason is shown in both languages; that a plan ended is for the ledger to say, rows changed under a move."""
    held = [json.loads(f.read_text(encoding="utf-8")) for f in CASES]
    chinese = {c.get("refused") for c in held if c["approvers"] == ["李伟"] or c["answer"]["by"] == "李伟"}
    english = {c.get("refused") for c in held} - {None}

    assert {r.value for r in Refusal} - {"plan_ended", "rows_changed"} == english
    assert english <= chinese


# --- codes --------------------------------------------------------------------------------------


def test_codes_are_those_of_the_standard() -> None:
    """The test vectors of RFC 6238 (SHA-1, their last six digits) are of the half minutes it names."""
    secret = base64.b32encode(b"12345678901234567890").decode()
    for seconds, code in ((59, "287082"), (1111111109, "081804"), (1234567890, "005924"), (20000000000, "353130")):
        assert seconds // 30 == matching_step(secret, code, datetime.fromtimestamp(seconds, NOON.tzinfo))


@drawn(st.integers(-95, 95), st.integers(0, 10**9))
@quick(200)
def test_a_code_fits_its_own_half_minute_and_the_neighbours(apart: int, start: int) -> None:
    """Whatever the time, a code is known one half minute before and after its own, and no further."""
    shown_at = NOON + timedelta(seconds=start)
    resumed = shown_at + timedelta(seconds=apart)
    near = abs(int(resumed.timestamp()) // 30 - int(shown_at.timestamp()) // 30) <= 1
    step = matching_step(SECRET, code_at(shown_at), resumed)

    around = {code_at(resumed + timedelta(seconds=30 * n)) for n in (-1, 0, 1)}
    assert (near or code_at(shown_at) in around) == (step is not None)
    if near and len(around) == 3:
        assert int(shown_at.timestamp()) // 30 == step


@pytest.mark.parametrize("code", ["", "12345", "1234567", "abcdef", "１２３４５６", "\ud800", "0" * 10_000])
def test_what_is_no_code_fits_nothing(code: str) -> None:
    """Anything but six plain digits is of no half minute, and breaks nothing."""
    assert matching_step(SECRET, code, NOON) is None


def test_a_secret_has_160_bits_and_no_two_are_alike() -> None:
    """Secrets are random, in base 32, and read in groups of four."""
    made = {new_secret() for _ in range(50)}

    assert 50 == len(made)
    assert {32} == {len(s) for s in made}
    assert all("".join(in_fours(s).split()) == s for s in made)


@pytest.mark.parametrize("name", ["ann", "李伟", "Ann O'Neil & Co?"])
def test_the_address_is_what_an_authenticator_reads(name: str) -> None:
    """Secret and name come out of the address again, whatever the name is written in."""
    read = pyotp.parse_uri(enrolment_uri(SECRET, name))

    assert (SECRET, name, "Mendory") == (read.secret, read.name, read.issuer)


def test_five_wrong_codes_within_an_hour_lock_until_the_first_is_an_hour_old() -> None:
    """Four do not; one of more than an hour ago does not count; one from ahead, after a clock went back, does."""
    minutes = [timedelta(minutes=m) for m in (0, 10, 20, 30, 40)]
    wrong = [NOON + m for m in minutes]
    now = NOON + timedelta(minutes=45)

    assert locked_until(wrong[:4], now) is None
    assert NOON + timedelta(hours=1) == locked_until(wrong, now)
    assert locked_until(wrong, NOON + timedelta(hours=1)) is None
    assert NOON + timedelta(hours=1) == locked_until(wrong, NOON - timedelta(hours=5))
    assert wrong[1] + timedelta(hours=1) == locked_until([*wrong, now], now)


def test_a_code_does_not_show_in_the_representation_of_an_answer() -> None:
    """Whoever logs an answer logs no code."""
    answer = Answer("r", "approve", (), "ann", "p", "", "123456", NOON)

    assert "123456" not in repr(answer)
    assert "123456" == code_of(answer)


# --- names --------------------------------------------------------------------------------------


def test_a_round_is_of_a_plan_as_it_was_made() -> None:
    """Its name has letters, digits and dashes, and differs by plan, by when it was made, and by number."""
    plan, _ = a_plan({"G1": {"level": 2, "waits": 1}})
    other, _ = a_plan({"G1": {"level": 2, "waits": 2}})
    again = Plan(plan.groups, 1, plan.made_at + timedelta(microseconds=1), plan.expires_at)
    names = {round_of(plan, 1), round_of(plan, 2), round_of(other, 1), round_of(again, 1)}

    assert 4 == len(names)
    assert all(part.isalnum() for name in names for part in name.split("-"))


@pytest.mark.parametrize(
    "name", ["", " ", "ann ", "a\tb", "a\u202eb", "a\u200bb", "e\u0301", "x" * 65, "a\nb", "\ud800"]
)
def test_what_is_no_name(name: str) -> None:
    """Blanks around it, hidden characters, letters not composed, or too many of them make no name."""
    assert not valid_name(name)


@pytest.mark.parametrize("name", ["ann", "李伟", "Ann O'Neil", "é", "x" * 64])
def test_what_is_a_name(name: str) -> None:
    """Printable, composed, up to 64 characters, blanks inside."""
    assert valid_name(name)
    assert name == plain(name)


@drawn(st.text(max_size=40), st.from_regex(r"[0-9]([ -]?[0-9]){5}", fullmatch=True), st.text(max_size=40))
@quick(200)
def test_no_code_in_a_wrong_field_is_kept(before: str, code: str, behind: str) -> None:
    """Six digits, however they are grouped, do not survive."""
    digits = "".join(c for c in code if c.isdigit())
    kept = concealed(before + code + behind)

    assert code not in kept
    assert digits not in kept


@drawn(st.lists(st.text(max_size=12), max_size=5))
@quick(200)
def test_named_groups_are_words_and_each_stands_once(labels: list[str]) -> None:
    """Whatever labels come, each group named is one word, once."""
    names = named(Answer("r", "part", tuple(labels), "ann", "p", "", "", NOON))

    assert len(set(names)) == len(names)
    assert all(name and not any(c.isspace() for c in name) for name in names)


# --- whatever comes -----------------------------------------------------------------------------

_GROUPS = st.dictionaries(
    st.sampled_from(["G1", "G2", "G3", "G4"]),
    st.fixed_dictionaries({"level": st.integers(1, 3), "waits": st.integers(0, 2), "done": st.integers(0, 2)}),
)


@drawn(
    _GROUPS,
    st.sampled_from([*Word, "", "approve ", "同意"]),
    st.lists(st.sampled_from(["G1", "G2 · 合并", "G3 x", "G4", "G9", ""]), max_size=4),
    st.sampled_from(["ann", "eve", "李伟", "", " ", "mallory", "ann\u200b"]),
    st.text(max_size=20),
    st.sampled_from(list(CodeState)),
    st.booleans(),
    st.integers(-200, 2000),
    st.integers(-20, 20),
)
@quick(600)
def test_what_stands_has_its_authority(
    groups: dict[str, Any],
    verdict: str,
    labels: list[str],
    by: str,
    note: str,
    code: CodeState,
    locked: bool,
    now_after: int,
    given_before: int,
) -> None:
    """What stands is by a known name, in time, on waiting steps, and on level 3 only with a right code."""
    plan, waiting = a_plan(groups)
    now = NOON + timedelta(minutes=now_after)
    sent = now - timedelta(minutes=given_before)
    typed = "" if code is CodeState.NONE else "123456"
    answer = Answer(round_of(plan, 1), verdict, tuple(labels), by, plan.code, note, typed, sent)

    refusal = judge(answer, plan, waiting, {"ann", "李伟", "eve"}, {"eve"}, now, code, locked)

    if refusal is None:
        steps = covered(answer, plan, waiting)
        assert by in ("ann", "eve", "李伟")
        assert verdict in list(Word)
        assert now >= plan.made_at
        assert sent - now <= timedelta(minutes=2)
        assert code in (CodeState.NONE, CodeState.RIGHT)
        assert {s.id for s in steps} <= set(waiting)
        assert (verdict == "later") == (not steps)
        if code is CodeState.RIGHT:
            assert by == "eve"
            assert not locked
            assert now - sent <= timedelta(minutes=10)
        if verdict in ("approve", "part") and any(s.level == 3 for s in steps):
            assert code is CodeState.RIGHT
