"""Progress bars: on a terminal only, a bar for each pass, never beside JSON, and told by every long verb."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from mendory import treatment
from mendory.cli import progress as bars
from mendory.cli.progress import progress
from mendory.clinic import Clinic
from mendory.lance.reader import SCAN_ROWS
from tests.cli.conftest import SICK
from tests.conftest import memory


class Terminal(io.StringIO):
    """A standard error that says it is a terminal."""

    def isatty(self) -> bool:
        """It is."""
        return True


def test_each_pass_has_a_bar_that_ends_full() -> None:
    """Two passes over the rows are two bars, numbered, both at 100 %."""
    terminal = Terminal()
    with progress(False, stream=terminal) as told:
        for _ in range(2):
            for done in range(10_000, 50_001, 10_000):
                told(done, 50_000)

    assert "pass 1 over the rows" in terminal.getvalue()
    assert "pass 2 over the rows" in terminal.getvalue()
    assert 2 <= terminal.getvalue().count("100%")


def test_a_pass_that_ends_early_leaves_a_whole_line() -> None:
    """An error in the middle of a pass ends the bar's line, so that the message stands on its own."""
    terminal = Terminal()

    def broken_off() -> None:
        with progress(False, stream=terminal) as told:
            told(10_000, 50_000)
            raise KeyError

    with pytest.raises(KeyError):
        broken_off()

    assert "20%" in terminal.getvalue()
    assert terminal.getvalue().removesuffix("\x1b[?25h").endswith("\n")


@pytest.mark.parametrize(("silent", "rows"), [(True, 50_000), (False, bars.LEAST - 1)])
def test_there_is_no_bar_beside_json_nor_on_a_small_table(silent: bool, rows: int) -> None:
    """Nothing is written to the terminal."""
    terminal = Terminal()
    with progress(silent, stream=terminal) as told:
        told(rows // 2, rows)
        told(rows, rows)

    assert "" == terminal.getvalue()


def test_there_is_no_bar_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Into a file or pipe nothing is written."""
    with progress(False) as told:
        told(50_000, 50_000)

    assert ("", "") == capsys.readouterr()


def test_a_bar_of_its_own_label() -> None:
    """What is no pass over rows is called what it is."""
    terminal = Terminal()
    with progress(False, "reading the file", terminal) as told:
        told(10**6, 2 * 10**6)

    assert "reading the file" in terminal.getvalue()


@pytest.mark.lance
def test_every_long_verb_tells_how_far_it_is(clinic: Callable[..., Clinic]) -> None:
    """Check, plan, apply and rollback tell rows read of all rows, up to the last one in each pass."""
    rows = SICK + [memory(f"h{n}") for n in range(SCAN_ROWS)]
    at = clinic(rows)
    heard: list[tuple[int, int]] = []
    at.told = lambda done, total: heard.append((done, total))
    passes: dict[str, int] = {}

    def ran(name: str, verb: Callable[[], Any]) -> Any:
        heard.clear()
        result = verb()
        assert {len(rows)} == {total for _, total in heard}, name
        passes[name] = sum(done == len(rows) for done, _ in heard)
        assert heard[0][0] < len(rows)
        return result

    checked = ran("check", at.check)
    plan = ran("plan", lambda: at.plan(checked)).plan
    treatment.approve(at, plan.id, None, "li.wei")
    ran("apply", lambda: treatment.apply(at, plan.id))
    ran("rollback", lambda: treatment.take_back(at, plan.id, "li.wei"))

    assert passes["check"] == 1
    assert all(passes.values())
