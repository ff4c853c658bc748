"""A person's word on automation: what the evidence proposes is applied, what stopped by itself is let run again."""

from __future__ import annotations

from typing import Final

from mendory.automation import AGREED, REGRETTED, Advice, Record, Runs, Standing, may_run
from mendory.clinic import Clinic
from mendory.deciding import check_name
from mendory.errors import InputInvalid
from mendory.events import Happened
from mendory.ledger import Ledger
from mendory.text import shown

_NOTHING: Final = "Nothing was recorded. "


def apply_proposal(clinic: Clinic, subject: str, because: str, by: str) -> Runs:
    """What is proposed for the subject holds from now on, or it runs again although it had stopped; returns which.

    The word is a link of the chain and holds the figures it was given on. Raises InputInvalid, with nothing recorded,
    for what never runs without a person, and where nothing is proposed.
    """
    check_name(by)
    if not may_run(subject):
        raise InputInvalid(
            f"'{shown(subject)}' is nothing that could run by itself. {_NOTHING}Deletion, bulk re-embedding, changes "
            "of scope and undecided conflicts never do. Those that can: mendory policy."
        )

    def work(ledger: Ledger) -> Runs:
        ledger.verify()
        stands = ledger.evidence.standings(clinic.config.rules.confirmed)[subject]
        widens = stands.runs is Runs.STOPPED or stands.advice is Advice.WIDEN
        if not widens and stands.advice is None:
            raise InputInvalid(_unproposed(stands))
        said = figures(stands.record)
        ledger.words.let_run(subject, widens, f"{because}; {said}" if because else said, by)
        runs = Runs.ITSELF if widens else Runs.ENDED
        ledger.events.note(Happened.POLICY_CHANGED, by, {"subject": subject, "runs": runs.value})
        return runs

    return clinic.ledger.once(work)


def take_back(clinic: Clinic, subject: str, because: str, by: str) -> None:
    """The configuration alone says whether the subject runs by itself; raises InputInvalid when nobody's word stands.

    What it had stopped for before that word counts again.
    """
    check_name(by)

    def work(ledger: Ledger) -> None:
        ledger.words.as_configured(subject, because, by)
        ledger.events.note(Happened.POLICY_CHANGED, by, {"subject": subject, "runs": "as_configured"})

    clinic.ledger.once(work)


def figures(record: Record) -> str:
    """The record in one line, as the ledger keeps it with a word."""
    agreed, regretted = record.agreed, record.regretted
    return (
        f"approved in {agreed.hits} of {agreed.of} plans (at least {agreed.interval[0]:.0%}); "
        f"{regretted.hits} of {regretted.of} settled repairs taken back or come back (at most "
        f"{regretted.interval[1]:.1%}); {record.risen} of the last {record.latest} by itself taken back"
    )


def _unproposed(stands: Standing) -> str:
    said, undo = figures(stands.record), f"mendory policy --undo {stands.subject} --as NAME"
    if stands.runs is Runs.ITSELF:
        ways = f"To end it: {undo}" if stands.change else "To end it: take it out of rules.confirmed in mendory.toml"
        return f"{stands.subject} runs by itself, and its record does not speak against that: {said}. {_NOTHING}{ways}."
    if stands.runs is Runs.ENDED:
        ways = f"To take that word back: {undo}"
    else:
        ways = "Who wants it all the same writes it into rules.confirmed in mendory.toml"
    wanted = f"Wanted are at least {AGREED:.0%} and at most {REGRETTED:.0%}"
    return f"The record of {stands.subject} does not suffice: {said}. {wanted}. {_NOTHING}{ways}."
