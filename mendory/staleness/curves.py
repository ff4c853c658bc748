"""What a memory weighs at recall: a curve of its age for each kind, times a factor that is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

from mendory.config import StalenessSection
from mendory.record import Kind, Memory

DAY: Final = timedelta(days=1)
_SLACK: Final = timedelta(minutes=5)
"""Clocks of two machines differ; a time further ahead of now tells nothing."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The weight falls from 1 towards `floor`, half of the way in each `half_life`, once `unread` has passed.

    `unread` None: reading does not matter, and the curve begins at once. The figures that come with Mendory are
    choices, not measurements: they are configured per kind.
    """

    half_life: timedelta
    floor: float
    unread: timedelta | None = None

    def fresh(self, age: timedelta) -> float:
        """What is left of its freshness at that age, 1 new to 0: `2 ** (-age / half_life)`."""
        aged = max(age - (self.unread or timedelta(0)), timedelta(0))
        left: float = 0.5 ** (aged / self.half_life)
        return left

    def weight(self, age: timedelta) -> float:
        """What it weighs at that age, 1 new to the floor."""
        return self.floor + (1 - self.floor) * self.fresh(age)


@dataclass(frozen=True, slots=True)
class Curves:
    """A curve for each kind, and the one of what lasts whatever its kind. `stale_below` is a freshness."""

    kinds: Mapping[str, Curve]
    lasting: Curve
    stale_below: float

    def of(self, kind: str | None) -> Curve:
        """The curve of a kind; of a kind nobody knows that of "other"."""
        return self.kinds.get(kind or "", self.kinds[Kind.OTHER.value])


@dataclass(frozen=True, slots=True)
class Weighed:
    """What a memory weighs: `weight`, the curve times the `factor`, and what it came from.

    `fresh` is what is left of its freshness and `age` how old it is, both None where no time is known: then its age
    takes nothing from it. `why` names what decided, in words of our own.
    """

    weight: float
    fresh: float | None
    age: timedelta | None
    lasting: bool
    factor: float
    why: tuple[str, ...]


def weigh(memory: Memory, lasting: bool, factor: float, now: datetime, curves: Curves) -> Weighed:
    """What the memory weighs at `now`.

    Its age counts from when it was last stored, changed or confirmed. A read makes nothing fresh; of an ephemeral
    memory it only tells that somebody still wants it. `factor` is stored, 0 to 1.
    """
    kind = memory.kind if memory.kind in curves.kinds else Kind.OTHER.value
    curve = curves.lasting if lasting else curves.of(kind)
    age = age_of(memory, now, read=curve.unread is not None)
    said = [f"kind:{kind}"]
    if lasting:
        said.append("lasting")
    if age is None:
        said.append("age_unknown")
    if factor != 1.0:
        said.append("factor")
    fresh = None if age is None else curve.fresh(age)
    part = 1.0 if age is None else curve.weight(age)
    return Weighed(part * factor, fresh, age, lasting, factor, tuple(said))


def age_of(memory: Memory, now: datetime, *, read: bool = False) -> timedelta | None:
    """How long ago it was last stored, changed or confirmed, or with `read` returned; None where no time tells."""
    times = [memory.created_at, memory.updated_at, memory.last_verified_at]
    told = [time for time in times if time is not None and time <= now + _SLACK]
    if not told:
        return None
    if read and memory.last_accessed_at is not None and memory.last_accessed_at <= now + _SLACK:
        told.append(memory.last_accessed_at)
    return max(now - max(told), timedelta(0))


def curves_in(section: StalenessSection) -> Curves:
    """The curves that a configuration asks for."""
    half_life, floor = section.half_life, section.floor
    kinds = {
        kind.value: Curve(half_life[kind], floor[kind], section.unread if kind is Kind.EPHEMERAL else None)
        for kind in Kind
    }
    return Curves(MappingProxyType(kinds), Curve(half_life[Kind.FACT], section.lasting), section.stale_below)
