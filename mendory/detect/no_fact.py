"""Memories that state nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mendory.content import says_nothing
from mendory.detect.alone import Alone
from mendory.finding import Code
from mendory.record import Memory


class NoFact(Alone):
    """Fragments of a chat and complaints about an answer that were stored as memories.

    Flags: texts of at most 64 characters that are wholly made of greetings, thanks, assents, refusals, fillers and
    complaints, in English or Chinese ("no, not that", "as always", 好的, 你怎么又忘了).
    Does not flag: whatever holds one further word, a number or a name ("No coriander"); rows with a claim, which says
    what is meant; other languages. Cost: one expression over short texts, 2 µs; nothing is kept of a row.
    """

    code = Code.NO_FACT

    def judge(self, memory: Memory, text: str) -> tuple[str, Mapping[str, Any]] | None:
        """That nothing is stated."""
        if memory.claim or not says_nothing(text):
            return None
        reason = "the content states nothing: words of a conversation alone"
        return reason, {"characters": len(text)}
