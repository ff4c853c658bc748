"""What waits for a person: worst first, then longest, with its age and who put it off."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from mendory.finding import Finding, Severity
from mendory.ledger import Ledger
from mendory.ledger.choices import Chosen

_SEVERITIES: Final = tuple(Severity)


@dataclass(frozen=True, slots=True)
class Queued:
    """A finding that waits for a person: why, since when, for how long, and who put it off if somebody has."""

    finding: Finding
    why: str
    since: datetime
    age: timedelta
    later: Chosen | None = None

    def as_json(self) -> dict[str, Any]:
        """The shape `mendory review --json` prints."""
        return {
            **self.finding.as_json(),
            "why": self.why,
            "since": self.since.isoformat(),
            "age_seconds": int(self.age.total_seconds()),
            "later": None if self.later is None else self.later.as_json(),
        }


def queued(ledger: Ledger, now: datetime) -> list[Queued]:
    """Everything that waits, of high severity first, then what has waited longest; what is put off too."""
    entries = ledger.findings.queued()
    known = ledger.findings.known([entry["finding_id"] for entry in entries])
    answers = ledger.choices.standing()
    found = []
    for entry in entries:
        if (finding := known.get(entry["finding_id"])) is None:
            continue
        since, held = datetime.fromisoformat(entry["at"]), answers.get(finding.id)
        later = held if held and held.answer.until and held.answer.until > now else None
        found.append(Queued(finding, entry["reason"], since, max(now - since, timedelta(0)), later))
    return sorted(found, key=lambda w: (-_SEVERITIES.index(w.finding.severity), w.since, w.finding.code, w.finding.id))


def overdue(waiting: Iterable[Queued], alarm_after: timedelta) -> list[Queued]:
    """Those that have waited longer than that; putting one off does not make it younger."""
    return [one for one in waiting if one.age > alarm_after]
