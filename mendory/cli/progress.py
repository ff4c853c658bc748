"""A progress bar on long work: on standard error, on a terminal only, never beside JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TextIO

import click

from mendory.cli.words import say

LEAST: Final = 20_000
"""Below so many rows a pass is over before a bar can be read."""


@contextmanager
def progress(
    silent: bool, label: str | None = None, stream: TextIO | None = None
) -> Iterator[Callable[[int, int], None]]:
    """Gives `told(done, total)`: every pass over the rows has a bar of its own; `silent` shows none."""
    bar: Any = None
    screen = stream or sys.stderr
    passes = done_before = 0

    def told(done: int, total: int) -> None:
        nonlocal bar, passes, done_before
        if silent or total < LEAST or not screen.isatty():
            return
        if bar is None or done <= done_before:
            finish()
            passes, done_before = passes + 1, 0
            said = label or say("pass {number} over the rows", number=passes)
            bar = click.progressbar(length=total, label=said, file=screen, update_min_steps=total // 200)
            bar.__enter__()
        bar.update(done - done_before)
        done_before = done
        if done >= total:
            finish()

    def finish() -> None:
        nonlocal bar
        if bar is not None:
            bar.__exit__(None, None, None)
            bar = None

    try:
        yield told
    finally:
        finish()
