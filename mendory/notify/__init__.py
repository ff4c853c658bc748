"""Telling people that a plan waits for them: each plan once, by a webhook, outside the quiet hours."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from mendory.asking.ask import asked
from mendory.asking.asked import Asked
from mendory.clinic import Clinic
from mendory.due import open_plans
from mendory.errors import PlanClosed
from mendory.notify.due import due
from mendory.notify.send import webhook
from mendory.notify.shapes import message

__all__ = ["Notified", "notify"]


@dataclass(frozen=True, slots=True)
class Notified:
    """What became of telling people: plan ids that were told, that are told later, and that nobody took; why not.

    `failed` ones are told at the next run. The reasons hold neither the webhook's address nor its secret.
    """

    told: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    why: tuple[tuple[str, int], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Counts and reasons, as a run's result holds them."""
        return {"told": len(self.told), "later": len(self.later), "failed": len(self.failed), "why": dict(self.why)}


def notify(
    clinic: Clinic,
    links: Mapping[str, str],
    environ: Mapping[str, str] = os.environ,
    sleep: Callable[[float], None] = time.sleep,
) -> Notified:
    """Every open plan that waits for a person was told, unless it was before, or the quiet hours put it off.

    `links` says where each plan can be answered; one without is answered on the command line. A plan counts as told
    once the service took its message, and not before. What the service does not take fails nothing: it is counted,
    and tried again when this runs again. Without `[notify]` nobody is told.
    """
    section, lang = clinic.config.notify, clinic.config.report.lang
    if section is None:
        return Notified()
    before = clinic.ledger.notices.told()
    now, later = due(_waiting(clinic, before), section, clinic.clock(), before)
    put_off = tuple(one.plan_id for one in later)
    if not now:
        return Notified(later=put_off)
    place = webhook(section, environ, sleep, clinic.clock)
    told: list[str] = []
    failed: list[str] = []
    whys: Counter[str] = Counter()
    why = place if isinstance(place, str) else ""
    for one in now:
        if not isinstance(place, str) and not why.startswith("no answer"):  # who is not there is not asked again
            link = links.get(one.plan_id, "")
            why = place.deliver(partial(message, section.shape, one, link, lang))
        if why:
            failed.append(one.plan_id)
            whys[why] += 1
        else:
            clinic.ledger.notices.record(one.plan_id, one.made_at)
            told.append(one.plan_id)
    return Notified(tuple(told), put_off, tuple(failed), tuple(whys.items()))


def _waiting(clinic: Clinic, told: Collection[tuple[str, datetime]]) -> list[Asked]:
    """What is asked of every open plan that was not told; one that ends meanwhile is left out."""
    found = []
    for plan_id, made_at in open_plans(clinic).items():
        if (plan_id, made_at) not in told:
            with suppress(PlanClosed):
                found.append(asked(clinic, plan_id, excerpts=False))
    return found
