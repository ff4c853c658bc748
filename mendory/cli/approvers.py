"""The verb of approvers: who may let level 3 run through the server, and the secrets of their one-time codes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click

from mendory.asking.answer import MOST_NAME, plain, valid_name
from mendory.asking.codes import enrolment_uri, in_fours, new_secret
from mendory.cli.shared import (
    OK,
    command,
    json_option,
    lang_option,
    main,
    print_json,
    print_next,
    print_table,
    with_clinic,
)
from mendory.cli.words import say
from mendory.clinic import Clinic
from mendory.deciding import lock_of
from mendory.errors import DependencyMissing, InputInvalid
from mendory.ledger.approvers import Approver
from mendory.text import shown


@main.command()
@click.option("--enroll", metavar="NAME", help="Give NAME a new secret for one-time codes, shown once.")
@click.option("--revoke", metavar="NAME", help="Codes of NAME count for nothing from now on.")
@click.option("--as", "by", metavar="WHO", help="Who says so; needed with --enroll and --revoke.")
@lang_option
@with_clinic
@json_option
def approvers(clinic: Clinic, enroll: str | None, revoke: str | None, by: str | None, as_json: bool) -> int:
    """List who may answer on the server's page; enrol an approver for level 3, or revoke one."""
    if enroll is not None and revoke is not None:
        raise InputInvalid("--enroll and --revoke go one at a time. Nothing was recorded. Give one of them.")
    if enroll is not None:
        _enrol(clinic, _name(enroll, "--enroll"), _name(by or "", "--as"), as_json)
    elif revoke is not None:
        _revoke(clinic, _name(revoke, "--revoke"), _name(by or "", "--as"), as_json)
    else:
        _list(clinic, as_json)
    return OK


def _name(text: str, option: str) -> str:
    name = plain(text)
    if not valid_name(name):
        raise InputInvalid(
            f"{option} needs a name of 1 to {MOST_NAME} printable characters, without blanks around it. "
            "Nothing was recorded. Say who: --as WHO, and write names as they will be typed on the page."
        )
    return name


def _enrol(clinic: Clinic, name: str, by: str, as_json: bool) -> None:
    picture_of = None if as_json else _segno()
    secret = new_secret()
    uri = enrolment_uri(secret, name)
    ledger = clinic.ledger
    ledger.verify()
    ledger.approvers.enrol(name, secret, by)
    if as_json:
        print_json({"enrolled": name, "by": by, "uri": uri, "secret": secret})
        return
    click.echo(say("Enrolled {name} as an approver of level 3. What follows is shown once.", name=shown(name)))
    click.echo(say("Scan the picture with an authenticator, or type the secret into it:"))
    click.echo(f"  {in_fours(secret)}")
    click.echo(f"  {uri}")
    drawn = io.StringIO()
    assert picture_of is not None
    picture_of.make(uri, error="m").terminal(out=drawn, compact=True)
    click.echo(drawn.getvalue())
    print_next(command("approvers"))


def _segno() -> Any:
    try:
        import segno
    except ModuleNotFoundError:
        raise DependencyMissing(
            "The picture of a secret needs segno, which is not installed. Nothing was done. "
            "Run: pip install 'mendory[codes]', or leave the picture out with --json."
        ) from None
    return segno


def _revoke(clinic: Clinic, name: str, by: str, as_json: bool) -> None:
    ledger = clinic.known_ledger()
    if ledger is None:
        raise InputInvalid(f"Nobody is enrolled as '{name}'. Nothing was recorded. See who is: mendory approvers.")
    ledger.verify()
    ledger.approvers.revoke(name, by)
    if as_json:
        print_json({"revoked": name, "by": by})
        return
    click.echo(say("Revoked {name}: codes of that secret count for nothing from now on.", name=shown(name)))
    click.echo(
        say("What {name} approved before still stands; reject the plan's groups to take that back.", name=shown(name))
    )
    print_next(command("review"), command("approvers"))


def _list(clinic: Clinic, as_json: bool) -> None:
    ledger, named = clinic.known_ledger(), clinic.config.approval.approvers
    known = ledger.approvers.all() if ledger else ()
    locks = {a.id: lock_of(ledger, a, clinic.clock()) for a in known} if ledger else {}
    if as_json:
        print_json({"enrolled": [_json(a, locks[a.id]) for a in known], "configured": list(named)})
        return
    if not known and not named:
        click.echo(say("Nobody may answer on the server's page yet."))
    print_table([_row(a, locks[a.id]) for a in known])
    if named:
        names = ", ".join(map(shown, named))
        click.echo(say("for level 2, by approval.approvers: {names}", names=names))
    print_next(command("approvers", "--enroll", "NAME", "--as", "WHO"))


def _json(one: Approver, lock: datetime | None) -> dict[str, Any]:
    return {
        "name": one.name,
        "by": one.by,
        "since": one.at.isoformat(),
        "revoked_at": one.revoked_at and one.revoked_at.isoformat(),
        "revoked_by": one.revoked_by,
        "locked_until": lock.isoformat() if lock and one.revoked_at is None else None,
    }


def _row(one: Approver, lock: datetime | None) -> Sequence[str]:
    if one.revoked_at is not None:
        state = say("revoked {day} by {by}", day=f"{one.revoked_at:%Y-%m-%d}", by=shown(one.revoked_by))
    elif lock:
        state = say("locked until {time} UTC", time=f"{lock:%Y-%m-%d %H:%M}")
    else:
        state = say("enrolled")
    return shown(one.name), state, say("since {day} by {by}", day=f"{one.at:%Y-%m-%d}", by=shown(one.by))
