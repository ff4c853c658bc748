"""Telling people what waits for them, by a webhook, outside the quiet hours: each plan, old finding, alarm once."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from mendory.asking.ask import asked
from mendory.asking.asked import Asked
from mendory.clinic import Clinic
from mendory.config import NotifySection
from mendory.due import open_plans
from mendory.errors import PlanClosed
from mendory.finding import Severity
from mendory.looks import alarm_of
from mendory.migration.alarm import Alarm
from mendory.migration.stages import Stage
from mendory.notify.due import due, quiet
from mendory.notify.said import Notice, of_alarm, of_plan, of_queue
from mendory.notify.send import webhook
from mendory.notify.shapes import message
from mendory.queued import Queued, overdue, queued

__all__ = ["Notified", "notify"]


@dataclass(frozen=True, slots=True)
class Notified:
    """What became of telling people: plan ids that were told, that are told later, and that nobody took; why not.

    `late` is of how many findings it was told that they have waited for long, `alarms` of how many alarms of a soaking
    space. `failed` ones are told at the next run, late ones and alarms that nobody took too. The reasons hold neither
    the webhook's address nor its secret.
    """

    told: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    why: tuple[tuple[str, int], ...] = ()
    late: int = 0
    alarms: int = 0

    def as_json(self) -> dict[str, Any]:
        """Counts and reasons, as a run's result holds them."""
        counts = {"told": len(self.told), "later": len(self.later), "failed": len(self.failed), "late": self.late}
        return {**counts, "alarms": self.alarms, "why": dict(self.why)}


def notify(
    clinic: Clinic,
    links: Mapping[str, str],
    environ: Mapping[str, str] = os.environ,
    sleep: Callable[[float], None] = time.sleep,
) -> Notified:
    """Every open plan that waits for a person was told, and every finding older than `queue.alarm_after`; each once.

    So was the alarm of a space that soaks: once while every look raises the same one. The quiet hours put off what is
    not of high severity; an alarm is, since recalls suffer and the way back is one command. `links` says where each
    plan can be answered; one without is answered on the command line. What was told counts as told once the service
    took its message, and not before. What the service does not take fails nothing: it is counted, and tried again when
    this runs again. Without `[notify]` nobody is told.
    """
    section, lang = clinic.config.notify, clinic.config.report.lang
    if section is None:
        return Notified()
    before = clinic.ledger.notices.told()
    now, later = due(_waiting(clinic, before), section, clinic.clock(), before)
    waiting, late = _late(clinic, section)
    put_off, alarm = tuple(one.plan_id for one in later), _alarm(clinic)
    if not now and not late and alarm is None:
        return Notified(later=put_off)
    place = webhook(section, environ, sleep, clinic.clock)
    told: list[str] = []
    failed: list[str] = []
    whys: Counter[str] = Counter()
    why = place if isinstance(place, str) else ""

    def taken(notice: Notice) -> bool:
        nonlocal why
        if not isinstance(place, str) and not why.startswith("no answer"):  # who is not there is not asked again
            why = place.deliver(partial(message, section.shape, notice))
        whys.update([why] if why else [])
        return not why

    table, alarms = clinic.config.table.name, 0
    if alarm is not None and taken(of_alarm(alarm, table, lang)):
        clinic.ledger.notices.record_late([(alarm.move, alarm.since)])
        alarms = 1
    for one in now:
        if taken(of_plan(one, links.get(one.plan_id, ""), lang)):
            clinic.ledger.notices.record(one.plan_id, one.made_at)
            told.append(one.plan_id)
        else:
            failed.append(one.plan_id)
    after = clinic.config.queue.alarm_after
    ages = [one.age for one in late]
    if late and taken(of_queue(ages, _worst(late), waiting, table, after, lang)):
        clinic.ledger.notices.record_late([(one.finding.id, one.since) for one in late])
    else:
        late = []
    return Notified(tuple(told), put_off, tuple(failed), tuple(whys.items()), len(late), alarms)


def _alarm(clinic: Clinic) -> Alarm | None:
    """The alarm of a space that soaks, of which nobody was told."""
    move = clinic.ledger.moves.current()
    alarm = alarm_of(move) if move is not None and move.stage is Stage.SOAKING else None
    if alarm is None or (alarm.move, alarm.since) in clinic.ledger.notices.late():
        return None
    return alarm


def _late(clinic: Clinic, section: NotifySection) -> tuple[int, list[Queued]]:
    """(how many findings wait, those that have for long and were not told); none while the quiet hours put it off."""
    now, before = clinic.clock(), clinic.ledger.notices.late()
    waiting = queued(clinic.ledger, now)
    late = [
        one for one in overdue(waiting, clinic.config.queue.alarm_after) if (one.finding.id, one.since) not in before
    ]
    at_once = late and (_worst(late) == Severity.HIGH or not quiet(section, now))
    return len(waiting), late if at_once else []


def _worst(late: Sequence[Queued]) -> Severity:
    """The highest severity among them; the queue has its worst first."""
    return late[0].finding.severity


def _waiting(clinic: Clinic, told: Collection[tuple[str, datetime]]) -> list[Asked]:
    """What is asked of every open plan that was not told; one that ends meanwhile is left out."""
    found = []
    for plan_id, made_at in open_plans(clinic).items():
        if (plan_id, made_at) not in told:
            with suppress(PlanClosed):
                found.append(asked(clinic, plan_id, excerpts=False))
    return found
