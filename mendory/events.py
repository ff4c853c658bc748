"""Change events: what changed about a table, its writers or its rules, and what of it came before a moment. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from mendory.errors import InputInvalid

MOST: Final = 200
"""Characters of a person's words on an event: one line of a report."""
OWN: Final = "mendory"
"""Who an event is of where the verb takes no name."""


class Happened(StrEnum):
    """What changed; `other` is what a person says of a change elsewhere."""

    IMPORT = "import"
    SPACE_ADOPTED = "space_adopted"
    THRESHOLDS_CALIBRATED = "thresholds_calibrated"
    POLICY_CHANGED = "policy_changed"
    PLAN_APPLIED = "plan_applied"
    ROLLED_BACK = "rolled_back"
    EMBEDDING_MODEL_CHANGED = "embedding-model.changed"
    DRIFT_CHECKED = "drift_checked"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Event:
    """One change: when it began, who made it, and ids, counts and names of it; never a memory's text."""

    id: str
    kind: Happened
    at: datetime
    by: str
    about: Mapping[str, Any]
    noted_at: datetime

    @property
    def words(self) -> str:
        """What a person said of it; empty for a change of Mendory's own."""
        return str(self.about.get("words", ""))

    def as_json(self) -> dict[str, Any]:
        """The event as `mendory event --json` prints it."""
        return {
            "id": self.id,
            "kind": self.kind.value,
            "at": self.at.isoformat(),
            "by": self.by,
            "about": dict(self.about),
            "noted_at": self.noted_at.isoformat(),
        }

    def as_named(self) -> dict[str, str]:
        """The event as a cause names it."""
        return {"kind": self.kind.value, "at": self.at.isoformat(), "by": self.by, "words": self.words}


def before(moment: datetime, events: Iterable[Event], window: timedelta) -> list[Event]:
    """The events at `moment` or at most `window` before it, nearest first; in whatever order they come."""
    near = [e for e in events if timedelta(0) <= moment - e.at <= window]
    return sorted(near, key=lambda e: (moment - e.at, e.id))


def checked_words(words: str) -> str:
    """The words without blanks around them; raises InputInvalid when there are none, too many, or some nobody sees."""
    said = words.strip()
    if not said or len(said) > MOST or not said.isprintable():
        raise InputInvalid(
            f"An event needs one line of 1 to {MOST} printable characters, and has {len(said):,}. Nothing was "
            'recorded. For instance: mendory event "deployed v2 of the importer" --as NAME.'
        )
    return said


def checked_time(text: str, now: datetime) -> datetime:
    """The moment that an ISO 8601 time with its zone names, in the zone of `now`.

    Raises InputInvalid when it is none, has no zone, or is later than `now`.
    """
    hint = "Nothing was recorded. Write e.g. 2026-03-01T14:30+08:00."
    try:
        named = datetime.fromisoformat(text)
        moment = None if named.tzinfo is None else named.astimezone(now.tzinfo)
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        raise InputInvalid(f"--at is no time with a zone: {text!r}. {hint}")
    if moment > now:
        raise InputInvalid(f"--at is in the future: {moment:%Y-%m-%d %H:%M} UTC. {hint}")
    return moment
