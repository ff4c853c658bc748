"""Work in the background waits while recalls are slower than usual, and never for ever."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from mendory.clinic import Clinic
from mendory.foreground import LONGEST, Foreground, foreground, wait
from mendory.recalls import RecallNote, Recalls
from tests.conftest import NOON, FakeClock, make_config, make_table
from tests.moving_kit import on_its_way, rows_of

KEEP = timedelta(days=90)


class Agent:
    """Recalls that take so long, as the telemetry has them, and the work that waits for them."""

    def __init__(self, path: Path) -> None:
        self.path, self.clock, self.slept = path, FakeClock(), list[float]()
        self._recalls = Recalls(path, "t", KEEP)

    def recalls(self, ms: float, count: int = 30, space: str = "a") -> None:
        """So many recalls, just now."""
        for _ in range(count):
            self._recalls.note(RecallNote(self.clock(), space, ms, 3, None))

    def work(self) -> Foreground:
        """Work that begins now."""
        return Foreground(self.path, "t", "a", self.clock(), self.clock, self.slept.append)


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """An agent without a recall."""
    return Agent(tmp_path / "telemetry.db")


def test_it_waits_longer_while_recalls_stay_slow_and_never_for_ever(agent: Agent) -> None:
    """Each pause is one wait of two seconds at most, so every batch comes; once recalls are quick there is none."""
    agent.recalls(10.0)
    agent.clock.move(minutes=5)
    work = agent.work()
    for _ in range(6):
        agent.recalls(40.0)
        work.pause()
    assert [0.25, 0.5, 1.0, 2.0, 2.0, 2.0] == agent.slept
    agent.clock.move(seconds=11)
    agent.recalls(11.0)
    work.pause()

    assert (6, sum(agent.slept)) == (len(agent.slept), work.waited)
    assert max(agent.slept) <= LONGEST


@pytest.mark.parametrize(
    ("before", "now", "count", "waits"),
    [
        (10.0, 15.0, 30, False),
        (10.0, 15.1, 30, True),
        (2.0, 6.9, 30, False),
        (2.0, 7.1, 30, True),
        (10.0, 99.0, 19, False),
    ],
    ids=["the bound", "above", "a few ms", "more than a few", "too few"],
)
def test_slow_is_half_as_much_again_and_some_milliseconds(
    agent: Agent, before: float, now: float, count: int, waits: bool
) -> None:
    """P95 against the day before: above 1.5 times, by 5 ms, of 20 recalls."""
    agent.recalls(before)
    agent.clock.move(minutes=5)
    work = agent.work()
    agent.recalls(now, count)
    work.pause()

    assert waits == bool(agent.slept)


def test_without_recalls_it_never_waits(agent: Agent) -> None:
    """No agent, no wait; and there is no file either."""
    work = agent.work()
    for _ in range(3):
        work.pause()

    assert [] == agent.slept
    assert not agent.path.exists()


def test_without_recalls_before_the_first_ones_are_usual(agent: Agent) -> None:
    """What is seen first is the measure; only the recalls of the searched space count."""
    agent.recalls(1.0, space="b")
    work = agent.work()
    agent.recalls(20.0)
    work.pause()
    agent.clock.move(seconds=30)
    agent.recalls(24.0)
    work.pause()
    assert [] == agent.slept
    agent.recalls(90.0)
    work.pause()

    assert [0.25] == agent.slept


def test_what_recalls_were_before_the_move_filled_first_is_usual(tmp_path: Path) -> None:
    """Filling that goes on after a while is held to recalls before it began at all, not to those it made slow."""
    config, move = on_its_way(tmp_path, rows_of({"m1": "Likes tea"}))
    recalls, slept = Recalls(config.telemetry_path, config.door_place, KEEP), list[float]()
    for at, ms in ((NOON - timedelta(hours=1), 10.0), (NOON + timedelta(hours=1), 40.0)):
        for _ in range(30):
            recalls.note(RecallNote(at, move.old, ms, 3, None))
    clock = FakeClock(NOON + timedelta(hours=1, seconds=5))
    foreground(Clinic(config, clock), move, slept.append).pause()

    assert [0.25] == slept


def test_the_bounds_of_a_wait() -> None:
    """The shortest wait comes first, the longest is reached and kept."""
    waits, last = [], 0.0
    for _ in range(5):
        last = wait(last, [50.0] * 20, 10.0)
        waits.append(last)

    assert [0.25, 0.5, 1.0, 2.0, 2.0] == waits


def test_work_in_the_background_takes_what_others_leave_of_the_processor(tmp_path: Path) -> None:
    """The verbs that fill, examine and switch step back as configured, in a process of theirs; the way back never."""
    make_table(tmp_path, [])
    said = '[table]\nuri = "."\nname = "memories"\n[migration]\nniceness = 7\n'
    (tmp_path / "mendory.toml").write_text(said, encoding="utf-8")
    seen = {}
    for verb in ("start", "gate", "switch", "rollback"):
        args = [] if verb == "gate" else ["--as", "ann"]
        code = (
            "import os, sys\nfrom mendory.cli import main\n"
            "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
            "print(os.getpriority(os.PRIO_PROCESS, 0))"
        )
        told = subprocess.run(
            [sys.executable, "-c", code, "migrate", verb, *args],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        seen[verb] = int(told.stdout.splitlines()[-1]) - os.getpriority(os.PRIO_PROCESS, 0)

    assert {"start": 7, "gate": 7, "switch": 7, "rollback": 0} == seen
    assert 10 == make_config(tmp_path).migration.niceness
