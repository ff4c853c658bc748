"""Rows that can't be told apart by id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from mendory.finding import Code, Finding, finding
from mendory.record import Memory


class Identity:
    """Ids that are null, empty or shared.

    Flags: a null or empty id (one finding with the count, since such rows have no name); an id held
    by several rows. Does not flag: ids that differ only by case or space. Cost: one hash per row.
    """

    codes = (Code.MISSING_ID, Code.DUPLICATE_ID)

    def __init__(self) -> None:
        self._rows: Counter[str] = Counter()
        self._nameless = 0

    def observe(self, memory: Memory) -> None:
        """Count the id."""
        if memory.id:
            self._rows[memory.id] += 1
        else:
            self._nameless += 1

    def findings(self, fetch: Callable[..., object]) -> Iterator[Finding]:
        """One finding for all nameless rows, one per shared id."""
        if self._nameless:
            reason = f"{self._nameless} rows have no id and can't be addressed"
            yield finding(Code.MISSING_ID, (), (), reason, {"rows": self._nameless}, "identity/1")
        for name, rows in self._rows.items():
            if rows > 1:
                named = Memory(id=name, content=None)
                reason = f"{rows} rows share one id"
                yield finding(Code.DUPLICATE_ID, [named], ("id",), reason, {"rows": rows}, "identity/1")

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Nothing: every table has ids."""
        yield from ()
