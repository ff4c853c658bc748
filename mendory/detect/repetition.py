"""Memories that say one thing several times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mendory.content import repeated
from mendory.detect.alone import Alone
from mendory.finding import Code
from mendory.record import Memory


class Repetition(Alone):
    """The same thing several times inside one record, as left by a writer that appends instead of replacing.

    Flags: a text of which at least 30 % are sentences, lines or parts between semicolons that stand in it before,
    equal but for letter case and blanks; a text that is nothing but one statement several times in a row, whatever
    stands between. A statement has two words, or four Chinese characters, at least.
    Does not flag: single words said twice ("no, no", 哈哈); parts in which anything differs ("Room 3; Room 4"); verses,
    tables, code; refrains below that share. Cost: one split per row, 3 µs; nothing is kept of a row.
    """

    code = Code.REPETITION

    def judge(self, memory: Memory, text: str) -> tuple[str, Mapping[str, Any]] | None:
        """How often the text repeats itself."""
        told = repeated(text)
        if told is None:
            return None
        reason = f"{told.again} of its {told.parts} parts were said before in the same text"
        return reason, {"parts": told.parts, "again": told.again, "share": told.share}
