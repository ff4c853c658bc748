"""A run of `review` asks about what waits, a person answers in the form, and the ledger holds it: on a real server."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.review import review
from mendory import resolving, treatment
from mendory.choices import Answer, Choice
from mendory.finding import Finding
from mendory.queued import queued
from tests.conftest import make_table, memory
from tests.served.kit import Served
from tests.served.ward import TOML, Ward, client_of

pytestmark = [pytest.mark.served, pytest.mark.xdist_group("prefect")]
NUMBERS = itertools.count(1)
SIDES = {
    "en-old": ("Is 31 years old.", "31", "en"),
    "en-new": ("Turned 45.", "45", "en"),
    "zh-old": ("今年 31 岁。", "31", "zh"),
    "zh-new": ("已经 45 岁了。", "45", "zh"),
}
"""A pair in each language that no rule decides."""


@pytest.fixture
def ward(server: Served, tmp_path: Path) -> Iterator[Ward]:
    """Both pairs, marked as disputed, in a table that is deployed under a prefix of its own."""
    folder = tmp_path / "table"
    folder.mkdir()
    rows = [
        memory(name, content=text, scope=scope, claim={"entity": "user", "attribute": "age", "value": value})
        for name, (text, value, scope) in SIDES.items()
    ]
    make_table(folder / "db", rows)
    more = '[privacy]\nprefect_excerpts = "short"\n[staleness]\nstale_below = 0\n'
    (folder / "mendory.toml").write_text(TOML + more, encoding="utf-8")
    one = Ward(server, folder, f"r{next(NUMBERS)}-")
    with client_of(server):
        one.deploy()
        plan = one.clinic.plan().plan
        assert plan is not None
        treatment.apply(one.clinic, plan.id)
        yield one


def started(ward: Ward) -> str:
    """A run of the deployment that somebody started by hand, suspended with its first question."""
    deployment = ward.served.get(f"/deployments/name/review/{ward.prefix}review")["id"]
    run = str(ward.served.post(f"/deployments/{deployment}/create_flow_run", {})["id"])
    assert "Suspended" == ward.carry_on(run, review)
    return run


def waiting(ward: Ward) -> list[Finding]:
    """What waits, in the order in which it is asked about."""
    return [w.finding for w in queued(ward.clinic.ledger, ward.clinic.clock()) if w.later is None]


def pages(ward: Ward, run: str) -> list[str]:
    """What the run's pages are about, as the server names them."""
    return sorted({"-".join(one["key"].split("-")[:3]) for one in ward.inputs(run)})


def form(finding: Finding, decision: str, **more: Any) -> dict[str, Any]:
    """What a person puts into the form."""
    return {"decision": decision, "approver": "李雷", "plan_code": finding.id[:8], "note": "看过了"} | more


def test_one_question_after_another(ward: Ward) -> None:
    """Both sides with their beginnings and every answer; answers stand in the ledger, and each page goes with its own.

    What hides a row is planned at level 3 and approved by nobody yet; what keeps both needs no more than that word.
    """
    first, second = waiting(ward)
    run = started(ward)
    said = ward.said(run)
    for part in (first.id[:8] in str(ward.inputs(run)), "`keep 1`", "`both`", "`merge`", "`later`", *first.ids):
        assert part is True or part in said
    assert any(SIDES[i][0] in said for i in first.ids)

    assert "ACCEPT" == ward.answer(run, **form(first, "keep 2"))["status"]
    assert "Suspended" == ward.carry_on(run, review)
    assert [f"suspended-review-{second.id[:8]}"] == sorted(
        {"-".join(i["key"].split("-")[:3]) for i in ward.inputs(run)}
    )
    assert "ACCEPT" == ward.answer(run, **form(second, "both"))["status"]
    assert "Completed" == ward.carry_on(run, review)

    held = ward.clinic.ledger.choices.standing()
    assert {first.id: ("keep", first.ids[1], "李雷"), second.id: ("both", None, "李雷")} == {
        f: (c.answer.choice.value, c.answer.keep, c.by) for f, c in held.items()
    }
    assert ([], []) == (waiting(ward), ward.inputs(run))
    plans = [p["id"] for p in ward.clinic.ledger.plans.all() if p["state"] == "open"]
    levels = {int(s.level) for p in plans for s in ward.clinic.ledger.plans.load(p).steps()}
    assert {1, 3} == levels
    assert {"pending_review"} == set(ward.statuses().values())
    assert ward.clinic.ledger.verify() > 0


def test_what_does_not_count_is_asked_again(ward: Ward) -> None:
    """A name that may not answer, past the form: nothing is recorded, the next page says why; put off, it ends."""
    first, second = waiting(ward)
    run = started(ward)
    assert "REJECT" == ward.answer(run, **form(first, "keep 2", plan_code="00000000"))["status"]
    name = next(i["key"] for i in ward.inputs(run)).removeprefix("suspended-").rpartition("-")[0]
    typed = {"decision": "keep 2", "approver": "mallory", "plan_code": first.id[:8]}
    ward.forge(run, name, json.dumps(typed))

    assert "Suspended" == ward.carry_on(run, review)
    assert "that name may not answer here" in ward.said(run)
    assert {} == dict(ward.clinic.ledger.choices.standing())

    for finding in (first, second):
        assert "ACCEPT" == ward.answer(run, **form(finding, "later"))["status"]
        state = ward.carry_on(run, review)
    assert "Completed" == state
    assert {Choice.LATER} == {c.answer.choice for c in ward.clinic.ledger.choices.standing().values()}


def test_what_somebody_answered_meanwhile_is_asked_no_more(ward: Ward) -> None:
    """Answered on the command line while the page is open: the next heal ends the run and takes its page away."""
    first, _ = waiting(ward)
    run = started(ward)
    resolving.answer(ward.clinic, first.id, Answer(Choice.BOTH), "ann", "")

    ward.heal()

    assert ("Cancelled", []) == (ward.served.run_of(run)["state"]["name"], ward.inputs(run))
