"""Asking a person: the form of one round, its answer, and what may run by it. The ledger's word is what counts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import count
from typing import Annotated, Any, Literal

from prefect import task
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRunInput
from prefect.flow_runs import suspend_flow_run
from prefect.input import RunInput
from prefect.runtime import flow_run
from pydantic import Field as Described
from pydantic import StringConstraints, WithJsonSchema, create_model

from mendory import deciding, due
from mendory.asking.answer import Answer, is_of, round_of
from mendory.asking.ask import asked
from mendory.asking.fields import Field, fields
from mendory.asking.page import page, summary
from mendory.policy import Verdict
from mendory.work import Outcome
from tasks.people import forget, known_by, plan_tag
from tasks.shared import OPTIONS, clinic, named
from tasks.show import show_question

MOST = 200
"""What is read of a run's rounds at once; those that were answered are deleted."""
_PUT_OFF = {*(o.value for o in (Outcome.DEFERRED, Outcome.BUSY)), *(v.value for v in (Verdict.WAIT, Verdict.SUSPENDED))}


def open_plans(config: str) -> list[str]:
    """The plans that are open, oldest first."""
    return list(due.open_plans(clinic(config)))


def waits(config: str, plan_id: str) -> bool:
    """True while the plan is open: something of it may run, or waits for a person."""
    return plan_id in due.open_plans(clinic(config))


def may_run(config: str, plan_id: str) -> bool:
    """True when a word stands by which steps of the plan run now, or some ran and nobody judged them."""
    return due.may_run(clinic(config), plan_id)


def needs_word(config: str, plan_id: str) -> bool:
    """True while something of the plan runs only by a person's word."""
    return plan_id in due.waiting(clinic(config))


def progressed(run: dict[str, Any]) -> bool:
    """True when a run settled something: what was deferred or held back would be again at once."""
    return bool(run["recovered"]) or any(n for outcome, n in run["outcomes"].items() if outcome not in _PUT_OFF)


def ask(config: str, plan_id: str) -> Answer:
    """The answer to the first round of this run that the ledger knows none of; the run is suspended until it is given.

    A round that ended without an answer (a run tried again, a state forced) is followed by the next. An answer to the
    plan as it was made before comes first, so that it is refused by that name.
    """
    open_clinic = clinic(config)
    plan = open_clinic.ledger.plans.load(plan_id)
    for given in rounds(
        f"approval-{plan.code}-",
        lambda name: is_of(name, plan),
        open_clinic.ledger.answers.get,
        lambda number: round_of(plan, number, str(flow_run.id)),
    ):
        if isinstance(given, Answer):
            return given
        question, lang = asked(open_clinic, plan_id), open_clinic.config.report.lang
        known_by(plan_tag(plan_id), summary(question, lang))
        show_question(question, lang)
        form = form_of(fields(question, lang)).with_initial_data(description=page(question, lang))
        suspend_flow_run(wait_for_input=form, timeout=None, key=given)
    raise AssertionError("rounds do not end")


def rounds(
    begins: str, is_ours: Callable[[str], bool], judged: Callable[[str], Any], name_of: Callable[[int], str]
) -> Iterator[Answer | str]:
    """What this run was answered and nobody judged; else the names of rounds to ask in, one after the other.

    `begins` is how the names of all rounds about one thing begin, `is_ours` true for those about it as it is now.
    """
    for one in answers(begins, ""):
        name = one.key.removeprefix("suspended-").removesuffix("-response")
        if not is_ours(name) and not judged(name):
            yield as_answer(name, decoded(one.value), one.created)
    for number in count(1):
        name = name_of(number)
        if judged(name):
            continue
        # before Prefect is asked: of a run that it took for crashed meanwhile it would throw the answer away
        if given := answers(name):
            yield as_answer(name, decoded(given[0].value), given[0].created)
        yield name


@task(task_run_name=named("decide"), **OPTIONS)
def decide_by(config: str, plan_id: str, given: Answer) -> dict[str, Any]:
    """The answer stands in the ledger, or why it does not; its page is gone from the server's database."""
    open_clinic = clinic(config)
    became = deciding.answer(open_clinic, plan_id, given)
    with get_client(sync_client=True) as client:
        forget(client, flow_run.id, f"suspended-{given.round}-")
    why = became.why.value if became.why else None
    return {"stands": became.stands, "verdict": became.verdict, "why": why, "steps": len(became.steps)}


class Unread(RunInput):
    """A form whose answer Prefect does not read, nor misses: whatever was put there is judged by us, and by name."""

    @classmethod
    def load(cls, *_: Any) -> Unread:
        """A form that holds nothing."""
        return cls.model_construct()


def form_of(asked_for: tuple[Field, ...]) -> type[RunInput]:
    """The form as a model: the server checks an answer against its schema before the run goes on."""
    return create_model("Approval", __base__=Unread, **{one.name: _typed(one) for one in asked_for})


def _typed(one: Field) -> tuple[Any, Any]:
    kind: Any = Annotated[str, StringConstraints(pattern=one.pattern)]
    if one.options:
        # said as a list also where there is but one: the pages draw no choice for a constant
        kind = Annotated[Literal[one.options], WithJsonSchema({"type": "string", "enum": list(one.options)})]
    if one.many:
        kind = list[kind]
    default: Any = ... if one.required else [] if one.many else ""
    return kind, Described(default, title=one.title, description=one.description)


def decoded(value: str) -> Any:
    """What the server keeps of an answer; None where that is no JSON."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def as_answer(round_id: str, given: Any, at: datetime) -> Answer:
    """What the server took for an answer, in its words; what is missing or of another kind is empty."""
    given = given if isinstance(given, dict) else {}
    groups = given.get("groups")
    text = {name: str(given.get(name) or "") for name in ("decision", "approver", "plan_code", "note", "one_time_code")}
    return Answer(
        round=round_id,
        verdict=text["decision"],
        groups=tuple(map(str, groups)) if isinstance(groups, list) else (),
        by=text["approver"],
        plan_code=text["plan_code"],
        note=text["note"],
        one_time_code=text["one_time_code"],
        given_at=at,
    )


def answers(name: str, rest: str = "-response") -> list[FlowRunInput]:
    """What the server took as answers to the round, or to all that begin so, with its own time of each."""
    with get_client(sync_client=True) as client:
        found = client.filter_flow_run_input(flow_run.id, f"suspended-{name}{rest}", MOST, set())
    return [one for one in found if one.key.endswith("-response")]
