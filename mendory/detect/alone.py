"""What detectors share that look at each recallable text by itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, ClassVar

from mendory.finding import Code, Finding, finding
from mendory.record import Memory

READS = ("content", "scope", "status")


def recalled(memory: Memory, absent: Collection[str]) -> bool:
    """Whether recall returns the memory; where the table has no status it returns every row."""
    return memory.recallable or "status" in absent


class Alone:
    """Observes rows and keeps no more of them than what is found."""

    code: ClassVar[Code]

    def __init__(self, absent: Collection[str]) -> None:
        self._absent = frozenset(absent)
        self._found: list[Finding] = []

    @property
    def codes(self) -> tuple[Code, ...]:
        """The one code."""
        return (self.code,)

    def observe(self, memory: Memory) -> None:
        """Judge the text of a recallable memory."""
        if memory.id and memory.content and recalled(memory, self._absent):
            judged = self.judge(memory, memory.content)
            if judged:
                reason, evidence = judged
                self._found.append(finding(self.code, [memory], READS, reason, evidence, f"{self.code.value}/1"))

    def judge(self, memory: Memory, text: str) -> tuple[str, Mapping[str, Any]] | None:
        """Reason and evidence of what is wrong with the text, None where nothing is."""
        raise NotImplementedError

    def findings(self, fetch: Callable[..., object]) -> Iterator[Finding]:
        """One finding per row."""
        yield from self._found

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Nothing: contents can't be absent."""
        yield from ()
