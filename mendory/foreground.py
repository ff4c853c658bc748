"""Work in the background stays behind the agents' recalls: it takes what they leave of the processor, and waits."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from mendory.clinic import Clinic
from mendory.ledger.moves import Move
from mendory.migration.canary import FEWEST, p95, slowest
from mendory.migration.stages import Stage
from mendory.recalls import seen

NOW: Final = timedelta(seconds=10)
"""The recalls of so long a time before a batch say how the foreground is."""
BEFORE: Final = timedelta(days=1)
"""The recalls of so long a time before the work began say how it is without."""
FIRST: Final = 0.25
LONGEST: Final = 2.0
"""Seconds of the first wait and of the longest: a batch takes two, so work goes on at half its speed even where
recalls stay slow whatever it does."""


def step_back(niceness: int) -> None:
    """This process, which does nothing else, is so much nicer to others that want the processor; for good.

    To be called before threads are made: those that run already keep their place. Where a system has no such notion,
    nothing changes.
    """
    if hasattr(os, "nice"):
        os.nice(niceness)


def wait(before: float, now: Sequence[float], usual: float | None) -> float:
    """Seconds to wait before the next batch, when it was `before` the last; nothing while the recalls are as usual.

    `now` are milliseconds of the last recalls, `usual` their P95 without the work. Slow is a P95 above 1.5 times that,
    and by 5 milliseconds; what is slow still is waited for twice as long.

    >>> [wait(0.0, [40.0] * 20, 10.0), wait(0.25, [40.0] * 20, 10.0), wait(2.0, [40.0] * 20, 10.0)]
    [0.25, 0.5, 2.0]
    >>> [wait(2.0, [14.0] * 20, 10.0), wait(2.0, [40.0] * 19, 10.0), wait(2.0, [], 10.0), wait(2.0, [40.0] * 20, None)]
    [0.0, 0.0, 0.0, 0.0]
    """
    if usual is None or len(now) < FEWEST:
        return 0.0
    if p95(now) <= slowest(usual):
        return 0.0
    return min(max(FIRST, 2 * before), LONGEST)


class Foreground:
    """Waits for the recalls of one space of one table.

    What is usual are the recalls of the day before `began`, when the work began first; where there were too few, the
    first ones seen, which is less than it should be: the work goes on by then.
    """

    def __init__(
        self,
        path: Path,
        place: str,
        space: str | None,
        began: datetime,
        clock: Callable[[], datetime],
        sleep: Callable[[float], None],
    ) -> None:
        self._path, self._place, self._space, self._clock, self._sleep = path, place, space, clock, sleep
        self._since = clock()
        self._usual = self._p95(began - BEFORE, began)
        self._last = 0.0
        self.waited = 0.0
        """Seconds waited in all."""

    def pause(self) -> None:
        """It has waited for as long as the recalls need, two seconds at most."""
        now = self._clock()
        if self._usual is None:
            self._usual = self._p95(self._since, now)
            return
        self._last = wait(self._last, self._times(now - NOW, now), self._usual)
        if self._last:
            self._sleep(self._last)
            self.waited += self._last

    def _p95(self, since: datetime, until: datetime) -> float | None:
        times = self._times(since, until)
        return p95(times) if len(times) >= FEWEST else None

    def _times(self, since: datetime, until: datetime) -> Sequence[float]:
        return seen(self._path, self._place, since, until).get(self._space, ())


def foreground(clinic: Clinic, move: Move, sleep: Callable[[float], None] = time.sleep) -> Foreground:
    """What waits for recalls of the searched space while a move fills; its `pause` is called before each batch."""
    config, searched = clinic.config, clinic.pointer.searched
    began = next((p.at for p in move.passed if p.stage is Stage.FILLING), move.passed[-1].at)
    space = searched.id if searched else None
    return Foreground(config.telemetry_path, config.door_place, space, began, clinic.clock, sleep)
