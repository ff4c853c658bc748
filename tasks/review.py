"""Asking about findings that wait, one after another: the form of a round and its answer. The ledger's word counts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from prefect import task
from prefect.artifacts import create_markdown_artifact
from prefect.client.orchestration import get_client
from prefect.flow_runs import suspend_flow_run
from prefect.runtime import flow_run

from mendory import resolving
from mendory.asking.answer import Answer as Given
from mendory.asking.answer import Refusal, note_of, plain
from mendory.asking.finding_page import fields, judge, options, page
from mendory.choices import Answer, Choice
from mendory.clinic import Clinic
from mendory.errors import InputInvalid
from mendory.finding import Finding
from mendory.queued import Queued, queued
from mendory.record import Memory
from tasks.approve import answers, as_answer, decoded, form_of
from tasks.people import OURS, PAGES, REVIEWS, forget
from tasks.shared import OPTIONS, clinic, key

LATER = timedelta(days=1)
"""For how long a finding that was put off is not asked about."""


def waits_longest(config: str) -> str:
    """The id of the finding to ask about, the gravest, then the oldest that nobody put off; empty when none waits.

    One that this run was answered about comes first.
    """
    waiting = _waiting(clinic(config))
    given = {one.key.split("-")[2] for one in answers("review-", "")}
    over = given - {w.finding.id[:8] for w in waiting}
    with get_client(sync_client=True) as client:
        for code in over:  # somebody answered elsewhere meanwhile
            forget(client, flow_run.id, f"suspended-review-{code}-")
    answered = [w for w in waiting if w.finding.id[:8] in given]
    return next((w.finding.id for w in (*answered, *waiting)), "")


def ask_about(config: str, finding_id: str, refused: str) -> Given:
    """The answer about the finding; the run is suspended until it is given.

    A round that ended without an answer is followed by the next: its name counts how often the run went on.
    """
    code = finding_id[:8]
    if given := answers(f"review-{code}-", ""):
        return _given(given[0])
    open_clinic = clinic(config)
    waiting = _waiting(open_clinic)
    [one] = [w for w in waiting if w.finding.id == finding_id]
    held, lang = _held(open_clinic, one.finding), open_clinic.config.report.lang
    kept = {row: word.by for row, word in open_clinic.ledger.words.kept().items()}
    short = open_clinic.config.privacy.prefect_excerpts == "short"

    def told(excerpts: bool) -> str:
        return page(one.finding, one.why, one.since, len(waiting), held, kept, excerpts, refused, lang)

    with get_client(sync_client=True) as client:
        tags = list(dict.fromkeys([*client.read_flow_run(flow_run.id).tags, OURS, PAGES, REVIEWS]))
        client.update_flow_run(flow_run.id, name=f"review {code}", tags=tags)
    create_markdown_artifact(told(excerpts=False), key=key("review", code))
    form = form_of(fields(one.finding, options(one.finding, held, lang), _people(open_clinic), lang))
    name = f"review-{code}-{flow_run.run_count}-{str(flow_run.id).replace('-', '')[-12:]}"
    suspend_flow_run(wait_for_input=form.with_initial_data(description=told(short)), timeout=None, key=name)
    raise AssertionError("a suspended run goes on from its beginning")


@task(**OPTIONS)
def answer_by(config: str, finding_id: str, given: Given) -> dict[str, Any]:
    """The answer stands in the ledger and is planned, or why it does not stand; its page is gone from the server.

    The plan waits for a word with a one-time code where it hides rows: a form's answer is no approval of level 3.
    """
    open_clinic = clinic(config)
    [finding] = open_clinic.ledger.findings.known([finding_id]).values()
    offered = options(finding, _held(open_clinic, finding), "en")
    why: str = judge(given, finding, offered, _people(open_clinic)) or ""
    plan = None
    if not why:
        chosen = offered[given.verdict][0]
        until = open_clinic.clock() + LATER if chosen.choice is Choice.LATER else None
        said = Answer(chosen.choice, chosen.keep, until)
        try:
            resolving.answer(open_clinic, finding_id, said, given.by, note_of(given))
            plan = resolving.settle(open_clinic, [finding], given.by, note_of(given), approved=False).plan
        except InputInvalid:  # somebody was faster, or a plan asks meanwhile
            why = Refusal.NOTHING_WAITS
    with get_client(sync_client=True) as client:
        forget(client, flow_run.id, f"suspended-{given.round}-")
    return {"finding": finding_id, "choice": "" if why else given.verdict, "why": str(why), "plan": plan and plan.id}


def _given(one: Any) -> Given:
    name = one.key.removeprefix("suspended-").removesuffix("-response")
    return as_answer(name, decoded(one.value), one.created)


def _waiting(clinic: Clinic) -> list[Queued]:
    return [w for w in queued(clinic.ledger, clinic.clock()) if w.later is None]


def _people(clinic: Clinic) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*map(plain, clinic.config.approval.approvers), *clinic.ledger.approvers.live())))


def _held(clinic: Clinic, finding: Finding) -> dict[str, Memory]:
    clinic.reader.refresh()
    return dict(clinic.view(clinic.reader).fetch(list(finding.ids)))
