"""How fast a space is being filled, as another process sees it: the newest batches, in a small file. Safe to delete."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from mendory.private import private_file

SPAN: Final = timedelta(minutes=1)
"""A rate is of the newest minute: longer ago the machine may have had other work."""
_KEPT: Final = 120


@dataclass(frozen=True, slots=True)
class Pace:
    """The newest batches, oldest first: when each was in the table, and how many rows it had."""

    batches: tuple[tuple[datetime, int], ...] = ()

    def rate(self, now: datetime) -> float | None:
        """Rows a second over the newest minute of filling; None when nothing came within a minute before `now`.

        >>> at = datetime.fromisoformat("2026-03-01T12:00:00+00:00")
        >>> Pace(((at, 99), (at + timedelta(seconds=2), 100))).rate(at + timedelta(seconds=3))
        50.0
        """
        recent = [batch for batch in self.batches if self.batches[-1][0] - batch[0] <= SPAN]
        if len(recent) < 2 or now - recent[-1][0] > SPAN:
            return None
        # the first one ended when the span began: what it took lies before
        seconds = (recent[-1][0] - recent[0][0]).total_seconds()
        return sum(rows for _, rows in recent[1:]) / seconds if seconds > 0 else None

    def left(self, waiting: int, now: datetime) -> timedelta | None:
        """How long it takes until nothing waits, at this rate; None when nobody knows."""
        rate = self.rate(now)
        return timedelta(seconds=waiting / rate) if rate else None


def note(path: Path, at: datetime, rows: int) -> None:
    """A batch of that many rows is in the file; what was before the newest 120 is gone from it."""
    batches = [*read(path).batches, (at, rows)][-_KEPT:]
    written = path.with_name(f"{path.name}.new")
    private_file(written)
    written.write_text(json.dumps([[when.isoformat(), count] for when, count in batches]), encoding="utf-8")
    os.replace(written, path)


def read(path: Path) -> Pace:
    """The batches in the file; none where there is no file, or one that says nothing."""
    try:
        held: Sequence[tuple[str, int]] = json.loads(path.read_text(encoding="utf-8"))
        return Pace(tuple((datetime.fromisoformat(when), int(rows)) for when, rows in held))
    except (FileNotFoundError, ValueError, TypeError):
        return Pace()
