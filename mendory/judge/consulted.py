"""The configured judge of a table, and where what it says is kept."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Final

from mendory.config.judge import JudgeSection
from mendory.judge.asking import Asking, Judging, Remembered
from mendory.judge.build import build
from mendory.judge.model import Estimate, Judge
from mendory.judge.opinions import Opinions

PLACE: Final = ".mendory/opinions.db"
"""Beside the side state, counted from the configuration file."""


class Consulted:
    """The judge that `section` describes, or none. Nothing is loaded or asked until a check has a conflict for it.

    `told` hears what a judge is about to be asked.
    """

    def __init__(self, section: JudgeSection | None, root: Path, now: Callable[[], datetime]) -> None:
        self._section, self._root, self._now = section, root, now
        self.told: Callable[[Estimate], None] = unheard

    @cached_property
    def judge(self) -> Judge | None:
        """The judge; None where none is configured."""
        return None if self._section is None else build(self._section, self._root)

    def remembered(self) -> Judging | None:
        """What the judge has said before; it is not asked."""
        return None if self.judge is None else Remembered(self.judge.name, self._opinions)

    def asking(self) -> Judging | None:
        """The judge, asked about what it has not been asked yet."""
        if self.judge is None or self._section is None:
            return None
        return Asking(self.judge, self._opinions, self._section.max_pairs, self._now, lambda cost: self.told(cost))

    @property
    def _opinions(self) -> Opinions:
        return Opinions(self._root / PLACE)


def unheard(_: Estimate) -> None:
    """Nobody listens."""
