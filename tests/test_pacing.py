"""How fast a space is filled: the rate and what is left of it, and a file that may be gone or spoiled."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mendory import pacing
from mendory.pacing import Pace

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def batches(*seconds_and_rows: tuple[float, int]) -> Pace:
    """Batches that ended so many seconds after noon."""
    return Pace(tuple((AT + timedelta(seconds=s), rows) for s, rows in seconds_and_rows))


@pytest.mark.parametrize(
    ("pace", "seconds", "expected"),
    [
        (Pace(), 0, None),
        (batches((0, 100)), 1, None),
        (batches((0, 100), (1, 300), (3, 300)), 4, 200.0),
        (batches((0, 9000), (100, 50), (110, 500)), 111, 50.0),
        (batches((0, 100), (1, 300)), 62, None),
        (batches((0, 100), (0, 300)), 1, None),
    ],
    ids=["nothing", "one batch", "steady", "the newest minute alone", "a minute ago", "at one moment"],
)
def test_the_rate_is_of_the_newest_minute(pace: Pace, seconds: float, expected: float | None) -> None:
    """Rows after the first batch over the time since it; unknown where nobody filled within a minute."""
    assert expected == pace.rate(AT + timedelta(seconds=seconds))


def test_what_is_left_follows_from_the_rate() -> None:
    """At 200 a second 1,000 rows take five seconds; without a rate nobody knows."""
    pace = batches((0, 100), (1, 200))

    assert timedelta(seconds=5) == pace.left(1000, AT + timedelta(seconds=1))
    assert pace.left(1000, AT + timedelta(hours=1)) is None


def test_the_file_holds_the_newest_batches_and_may_be_lost(tmp_path: Path) -> None:
    """120 of 130 stay, readable by their owner alone; a file that is gone or spoiled says nothing."""
    place = tmp_path / ".mendory" / "filling.json"
    for second in range(130):
        pacing.note(place, AT + timedelta(seconds=second), second)
    held = pacing.read(place).batches

    assert (120, 10, 129) == (len(held), held[0][1], held[-1][1])
    assert 0o600 == place.stat().st_mode & 0o777
    for spoiled in ("", "{", "[[1, 2]]", "[1]", '{"a": 1}'):
        place.write_text(spoiled, encoding="utf-8")
        assert Pace() == pacing.read(place)
    place.unlink()
    assert Pace() == pacing.read(place)
