"""Memories that have lost their freshness, and what a scope has moved on from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from heapq import heappush, heappushpop
from typing import Any, Final

from mendory.claims import ClaimsOf, claims_of
from mendory.claims.contexts import Left, Row, belongs, heard, history, left_of, names_of, switches_of
from mendory.config import StalenessSection
from mendory.detect.alone import recalled
from mendory.finding import Code, Finding, finding
from mendory.record import Kind, Memory
from mendory.staleness import DAY, age_of, curves_in, lasting
from mendory.staleness import under_way as says_under_way
from mendory.text import is_blank

Fetch = Callable[[Sequence[str]], Mapping[str, Memory]]
READS: Final = ("content", "scope", "kind", "metadata", "created_at", "updated_at", "last_verified_at")
_CONFIRMED: Final = "last_verified_at"
EXAMPLES: Final = 3
"""A scope's oldest memories, by which its staleness is told: a finding for each would drown all others."""


class _Aged:
    """What the detectors of this module share: the time, and which rows can age."""

    def __init__(self, absent: Collection[str], now: datetime | None, section: StalenessSection) -> None:
        self._absent, self._now, self._section = frozenset(absent), now, section

    def _looked_at(self, memory: Memory) -> bool:
        named = memory.id and not is_blank(memory.content) and not is_blank(memory.scope)
        return bool(named) and recalled(memory, self._absent)

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Nothing: a table without times is told of by what needs them first."""
        yield from ()


class Stale(_Aged):
    """Memories of a scope that are old and that nobody has confirmed, as one finding a scope.

    Flags: recallable rows whose freshness (`Curve.fresh`) is under `staleness.stale_below` since they were last stored,
    changed or confirmed; the oldest three are named and all are counted.
    Does not flag: what lasts (an allergy, a birthday, an attribute of the writer's that never changes), in English and
    Chinese; events, which are history; rows without a time; archived rows; anything where the table has no place for
    a confirmation, so that nobody could give one. Cost: constant a row; the words of old rows
    alone are read.
    """

    codes = (Code.STALE,)

    def __init__(self, absent: Collection[str], now: datetime | None, section: StalenessSection) -> None:
        super().__init__(absent, now, section)
        self._curves = curves_in(section)
        self._rows: dict[str, int] = defaultdict(int)
        self._oldest: dict[str, list[tuple[float, str]]] = defaultdict(list)

    def observe(self, memory: Memory) -> None:
        """Count the row when it is stale."""
        if self._now is None or _CONFIRMED in self._absent or memory.kind == Kind.EVENT or not self._looked_at(memory):
            return
        curve = self._curves.of(memory.kind)
        age = age_of(memory, self._now, read=curve.unread is not None)
        if age is None or curve.fresh(age) >= self._section.stale_below or lasting(memory):
            return
        scope, held = str(memory.scope), self._oldest[str(memory.scope)]
        self._rows[scope] += 1
        # of equally old ones the first by id: what is told does not depend on the order of rows
        ranked = age / DAY, _Last(str(memory.id))
        if len(held) < EXAMPLES:
            heappush(held, ranked)
        else:
            heappushpop(held, ranked)

    def findings(self, fetch: Fetch) -> Iterator[Finding]:
        """One finding a scope."""
        for scope in sorted(self._rows):
            ids = sorted(str(name) for _, name in self._oldest[scope])
            memories = [memory for memory in fetch(ids).values() if memory.scope == scope]
            if not memories:
                continue
            rows, days = self._rows[scope], int(max(age for age, _ in self._oldest[scope]))
            reason = f"{rows} memories are old and nobody has confirmed them, the oldest for {days} days"
            yield finding(Code.STALE, memories, READS, reason, {"rows": rows, "oldest_days": days}, "stale/1")

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Where memories can't be confirmed nobody is told that they were not."""
        if _CONFIRMED in self._absent:
            yield _CONFIRMED, "the table has no such field"


class _Last(str):
    """An id that sorts the other way round."""

    __slots__ = ()

    def __lt__(self, other: str) -> bool:
        return str.__gt__(self, other)


class TaskResidue(_Aged):
    """Tasks that were under way when they were noted and are long over.

    Flags: recallable rows that say a task is being done ("fixing the login bug today", 正在修复登录 bug), older than
    `staleness.finished_after` since they were last stored, changed or confirmed.
    Does not flag: habits, rules, plans and trades ("fixes bugs for a living", 每天测试); states that last for years
    (正在服用…, "currently works as"); rows that are weighed down already; rows without a time; other languages.
    Cost: one expression over the texts of old rows, 10 µs; nothing is kept of a row.
    """

    codes = (Code.TASK_RESIDUE,)

    def __init__(self, absent: Collection[str], now: datetime | None, section: StalenessSection) -> None:
        super().__init__(absent, now, section)
        self._found: list[Finding] = []

    def observe(self, memory: Memory) -> None:
        """Judge the text of an old row."""
        if self._now is None or not self._looked_at(memory) or memory.kept.factor <= self._section.finished:
            return
        age = age_of(memory, self._now)
        if age is None or age < self._section.finished_after or not says_under_way(str(memory.content)):
            return
        evidence = {"days": int(age / DAY), "factor": self._section.finished}
        reason = f"it says that a task is under way, and is {int(age / DAY)} days old"
        self._found.append(finding(Code.TASK_RESIDUE, [memory], READS, reason, evidence, "task_residue/1"))

    def findings(self, fetch: Fetch) -> Iterator[Finding]:
        """One finding per row."""
        yield from self._found


class StaleContext(_Aged):
    """What belongs to a project, an employer or a tool that its scope has left, and what it has come back to.

    Flags: older recallable rows of a scope that belong to what a newer row says was left ("switched from Vim to
    Helix", 已从甲公司跳槽到乙公司), by metadata (`project`, `employer`, `tool`), by the value of a claim or by its
    subject, and still weigh as before; and rows weighed down for what the scope has come back to. One finding for each
    thing left or come back to. A switch that a later switch superseded still happened.
    Does not flag: what lasts; what also belongs to something the scope has not left; rows written after the switch;
    other scopes; switches and rows without a time; a switch that somebody plans, supposes or tells of another person,
    or that a correction superseded.
    Cost: the claims of each text, which others have read already; numbers of rows that belong to something are kept.
    """

    codes = (Code.STALE_CONTEXT,)

    def __init__(
        self, absent: Collection[str], now: datetime | None, section: StalenessSection, claims: ClaimsOf = claims_of
    ) -> None:
        super().__init__(absent, now, section)
        self._claims = claims
        self._rows: dict[str, list[Row]] = defaultdict(list)
        self._factors: dict[str, float] = {}
        self._superseded: dict[str, dict[str, tuple[Row, str]]] = defaultdict(dict)

    def observe(self, memory: Memory) -> None:
        """Keep to what the row belongs, if to anything, and what a superseded one switched."""
        if not self._looked_at(memory):
            self._followed(memory)
            return
        text, claims = heard(memory, self._claims)
        names, switches = names_of(text, memory.metadata, claims), switches_of(text, claims)
        if names or switches:
            row = Row(str(memory.id), memory.created_at or memory.updated_at, names, switches)
            self._rows[str(memory.scope)].append(row)
            if memory.kept.factor != 1.0:
                self._factors[row.id] = memory.kept.factor

    def _followed(self, memory: Memory) -> None:
        """Keep what a row switched that another has taken the place of: it happened all the same."""
        if not memory.id or not memory.superseded_by or is_blank(memory.content) or is_blank(memory.scope):
            return
        if switches := switches_of(*heard(memory, self._claims)):
            row = Row(str(memory.id), memory.created_at or memory.updated_at, frozenset(), switches)
            self._superseded[str(memory.scope)][row.id] = row, memory.superseded_by

    def findings(self, fetch: Fetch) -> Iterator[Finding]:
        """One finding for each thing left whose rows weigh as before, or come back to whose rows weigh less."""
        for scope in sorted(self._rows):
            rows = self._rows[scope]
            if not any(row.switches for row in rows):
                continue
            told = left_of(history(rows, self._superseded[scope]))
            away = [left for left in told if not left.back]
            for left in told:
                chosen = sorted(row.id for row in rows if belongs(row, left) and self._moves(row, left, away))
                yield from self._told(left, chosen, fetch)

    def _moves(self, row: Row, left: Left, away: Sequence[Left]) -> bool:
        """Whether the row weighs other than it should."""
        factor = self._factors.get(row.id, 1.0)
        if left.back:
            return factor == self._section.left and not any(belongs(row, other) for other in away)
        gone = {other.name for other in away}
        stays = any(what == left.what and name not in gone for what, name in row.names)
        return factor > self._section.left and not row.switches and not stays

    def _excused(self, memory: Memory, left: Left) -> bool:
        """Whether the row keeps its weight: what lasts is not weighed down, a finished task not up again."""
        return says_under_way(str(memory.content)) if left.back else lasting(memory)

    def _told(self, left: Left, ids: Sequence[str], fetch: Fetch) -> Iterator[Finding]:
        held = fetch([*ids, left.by])
        moved = [held[i] for i in ids if i in held and not self._excused(held[i], left)]
        if not moved or left.by not in held:
            return
        factor = 1.0 if left.back else self._section.left
        evidence: dict[str, Any] = {"context": left.what, "switch": left.by, "rows": len(moved), "factor": factor}
        reason = f"the scope has left what {len(moved)} older row(s) belong to"
        if left.back:
            reason = f"the scope has come back to what {len(moved)} older row(s) belong to"
        members = [*moved, *([held[left.by]] if left.by not in ids else [])]
        yield finding(Code.STALE_CONTEXT, members, READS, reason, evidence, "stale_context/1")
