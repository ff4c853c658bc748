"""The verb that lists what waits for a person: review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import click

from mendory.cli.plans import show_spared
from mendory.cli.selection import SEVERITIES
from mendory.cli.shared import OK, WAITS, command, json_option, lang_option, main, print_json, print_next, with_clinic
from mendory.cli.words import age, language, many, reason, say, term
from mendory.clinic import Clinic
from mendory.finding import Finding
from mendory.ledger import Ledger
from mendory.ledger.plans import PlanState
from mendory.ledger.records import Intent
from mendory.report.conflicts import CODES, lines
from mendory.text import shown

_MOST_TEXT: Final = 60


@dataclass(frozen=True, slots=True)
class Waiting:
    """A finding that waits for a person: why, since when, for how long."""

    finding: Finding
    why: str
    since: datetime
    age: timedelta

    def as_json(self) -> dict[str, Any]:
        """The shape `mendory review --json` prints."""
        return {
            **self.finding.as_json(),
            "why": self.why,
            "since": self.since.isoformat(),
            "age_seconds": int(self.age.total_seconds()),
        }


@main.command()
@click.option("--texts", is_flag=True, help="Show the beginning of each memory, read from the table.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="How many of each sort are listed; JSON lists all.",
)
@lang_option
@with_clinic
@json_option
def review(clinic: Clinic, texts: bool, limit: int, as_json: bool) -> int:
    """List what waits for a person; nothing is written."""
    ledger = clinic.known_ledger()
    waiting = _waiting(ledger, clinic.clock()) if ledger else []
    plans = [p for p in ledger.plans.all() if p["state"] == PlanState.OPEN.value] if ledger else []
    unknown = ledger.intents.unresolved() if ledger else []
    contents = _contents(clinic, [i for w in waiting for i in w.finding.ids]) if texts else {}
    if as_json:
        said = [w.as_json() | ({"texts": _of(w.finding, contents)} if texts else {}) for w in waiting]
        print_json(
            {
                "waiting": said,
                "plans": [{k: p[k] for k in ("id", "made_at", "expires_at")} for p in plans],
                "unknown": [{"repair": i.rid, "plan": i.plan_id} for i in unknown],
                "kept": [w.as_json() for w in ledger.words.kept().values()] if ledger else [],
                "dismissed": [w.as_json() for w in ledger.words.dismissed().values()] if ledger else [],
            }
        )
    else:
        if ledger:
            show_spared(ledger)
        _show(waiting, plans, unknown, contents, limit)
    return WAITS if waiting or plans or unknown else OK


def _waiting(ledger: Ledger, now: datetime) -> list[Waiting]:
    queued = ledger.findings.queued()
    known = ledger.findings.known([q["finding_id"] for q in queued])
    found = []
    for entry in queued:
        since = datetime.fromisoformat(entry["at"])
        if entry["finding_id"] in known:
            found.append(Waiting(known[entry["finding_id"]], entry["reason"], since, max(now - since, timedelta(0))))
    return sorted(found, key=lambda w: (-SEVERITIES.index(w.finding.severity), w.finding.code, w.why, w.since))


def _contents(clinic: Clinic, ids: Sequence[str]) -> dict[str, str]:
    return {i: m.content or "" for i, m in clinic.reader.fetch(ids).items()}


def _of(finding: Finding, contents: Mapping[str, str]) -> dict[str, str]:
    return {i: shown(contents[i], _MOST_TEXT) for i in finding.ids if i in contents}


def _show(
    waiting: Sequence[Waiting],
    plans: Sequence[Mapping[str, Any]],
    unknown: Sequence[Intent],
    contents: Mapping[str, str],
    limit: int,
) -> None:
    for intent in unknown:
        click.echo(say("repair {rid}: nobody knows whether it was applied", rid=intent.rid[:8]))
    if unknown:
        click.echo(f"  {say('next: {commands}', commands=command('recover'))}")
    for plan in plans:
        code, expires = plan["id"][:8], plan["expires_at"][:16].replace("T", " ")
        click.echo(say("plan {code} is open and expires {time} UTC", code=code, time=expires))
        ways = (("show", code), ("approve", code, "--as", "NAME"), ("reject", code, "--as", "NAME"))
        click.echo(f"  {say('next: {commands}', commands=' · '.join(command(*way) for way in ways))}")
    sorts: dict[tuple[str, str, str], list[Waiting]] = {}
    for one in waiting:
        sorts.setdefault((one.finding.severity.value, one.finding.code.value, one.why), []).append(one)
    for (severity, code, why), held in sorts.items():
        click.echo(
            say(
                "{severity} {code} × {number}: {why}",
                severity=say(severity.upper()),
                code=term(code),
                number=len(held),
                why=shown(reason(why), 120),
            )
        )
        for one in held[:limit]:
            _show_one(one, contents)
        if len(held) > limit:
            click.echo(
                say(
                    "    and {findings} more; --limit or --json lists them", findings=many(len(held) - limit, "finding")
                )
            )
        click.echo(f"  {next_step(code, why)}")
    if not (waiting or plans or unknown):
        click.echo(say("Nothing waits for a person."))
        print_next(command("check"))


def _show_one(one: Waiting, contents: Mapping[str, str]) -> None:
    code = say("finding {id}", id=one.finding.id[:8])
    ids = ", ".join(shown(i) for i in one.finding.ids[:6]) + (" …" if len(one.finding.ids) > 6 else "")
    scope = say("scope {scope}", scope=shown(one.finding.scope, 40)) if one.finding.scope else ""
    since = say("since {time} UTC, {age}", time=f"{one.since:%Y-%m-%d %H:%M}", age=age(one.age))
    click.echo("    " + " · ".join(part for part in (ids, scope, since, code) if part))
    if one.finding.reason != one.why:
        click.echo(f"      {shown(reason(one.finding.reason), 120)}")
    if one.finding.code in CODES:
        for line in lines(one.finding, language()):
            click.echo(f"      {shown(line, 200)}")
    for name, text in _of(one.finding, contents).items():
        click.echo(f"      {shown(name)}: {text}")


def next_step(code: str, why: str) -> str:
    """What to do about one sort of what waits, and the command after it."""
    if why.startswith("it did not verify: "):
        return say("next: {commands}", commands=why.removeprefix("it did not verify: "))
    advice = NEXT[code]
    if why.startswith("repaired ") or "something undoes the repair" in why:
        advice = "find the program that writes these rows back and stop it"
    elif why.startswith("its id is held by several rows"):
        advice = NEXT["duplicate_id"]
    elif why.startswith("the owner's reader cannot hide"):
        advice = "name in [mapping.hide] what makes your reader stop returning a row"
    return say("next: {advice}, then {command}", advice=say(advice), command=command("plan"))


NEXT: Final[Mapping[str, str]] = {
    "missing_id": "give these rows an id",
    "duplicate_id": "give all but one of these rows an id of its own",
    "wrong_type": "write what can be read into these cells, or mend [mapping]",
    "content_empty": "write the content of these rows, or archive them",
    "embedding_missing": "embed these rows again",
    "missing_created_at": "write into these rows when they were stored",
    "missing_updated_at": "write into these rows when they were last changed",
    "missing_source": "write into these rows who said it",
    "missing_scope": "write into these rows whose memory they are",
    "metadata_invalid": "write the metadata of these rows as a JSON object",
    "metadata_missing_field": "write the missing keys, or set [metadata.defaults]",
    "illegal_status": "write a known status into these rows, or say in [mapping.status] what theirs means",
    "reference_dangling": "clear these references, or restore what they name",
    "duplicate_exact": "archive all but one of these rows where they are written",
    "duplicate_restated": "decide which of these rows says it right",
    "duplicate_near": "look whether these rows say one thing, and archive what the others cover",
    "conflict_candidate": "decide which of these two says it right, or whether both do",
    "stale_memories": "confirm what still holds of these rows, and archive the rest",
    "stale_context": "look whether these memories still matter, and confirm those that do",
    "task_residue": "archive what is long done, or write what came of it",
    "conflict": "decide which of these two holds, archive the other, or mend what one of them says",
    "conflict_buried": "write the new value into this row, or archive it",
    "conflict_exception": "link the exception to the general memory, or archive what no longer holds",
    "dispute_over": "let the next plan take the mark away",
    "plugged_in": "see what the detector says of these rows",
    "recall_echo": "archive what was recalled and stored again, and stop its writer",
    "fragments": "write what these rows say together into one of them, and archive the others",
    "repetition": "write in these rows once what they say several times",
    "envelope_content": "keep in these rows what the message says, without its envelope",
    "compound_parts": "decide whether the compound row or those of its parts are wanted",
    "no_fact": "archive these rows, and let their writer skip such messages",
    "embedding_dim_mismatch": "embed these rows again with the model of the others",
    "embedding_non_finite": "embed these rows again",
    "embedding_zero": "embed these rows again",
    "embedding_norm": "embed these rows again, or normalise their vectors",
    "embedding_suspicious": "embed these rows again, one text at a time",
    "embedding_stale_text": "embed the texts of these rows as they are now",
    "scope_not_allowed": "write the scope of these rows as your reader asks for it",
    "scope_owner": "decide whose these rows are, and write their scope or their owner anew",
    "scope_subject": "look whether these rows are another scope's, and move or archive them",
    "scope_collapsed": "give each person's rows a scope of their own, and let their writer name it",
    "scope_split": "decide which of these scopes is the owner's, and let their writer use it alone",
    "scope_spelling": "write these scopes in one way, or declare in [scopes.parents] what lies in what",
    "scope_collision": "let the writer join the parts of a scope so that they can be told apart",
    "reference_self": "clear these references to the row itself",
    "reference_cycle": "decide which of these rows is valid, and clear its reference",
    "reference_chain": "let these rows name what replaces them now",
    "reference_cross_scope": "clear these references, or mend the scope of one of the rows",
    "id_near_collision": "look whether these ids mean one memory, and write it in one way",
    "timestamp_order": "mend the times of these rows, or the clock of their writer",
    "timestamp_future": "mend the times of these rows, or the clock of their writer",
    "timestamp_unit": "write these times in the unit of the column, or name the unit in [mapping.times]",
    "timestamp_suspicious": "write into these rows the times that are meant",
    "hidden_characters": "take the hidden characters out, or archive the rows if somebody hid them there",
    "content_too_long": "split these contents into memories of their own",
}
"""Code → what a person does about it where no step is certain."""
