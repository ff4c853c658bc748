"""Times as far as a rule can tell them apart: plausible, ahead of the clock, before the creation, or not."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np
import pyarrow as pa

from mendory.detect.times import AFTER, EARLIEST, LATEST, SLACK, UNITS, factor_of

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NONE: Final = np.int64(np.iinfo(np.int64).min)


def micros(moment: datetime) -> int:
    """The time in microseconds since 1970."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def of(times: Mapping[str, pa.Array], now: datetime | None) -> dict[str, pa.Array]:
    """Facts of the rows' times, by column.

    `<field>` is a time that compares with 1990, with 2100, with the clock and with the row's creation as the row's own
    does, null where that is; `<field>:plausible` is the same, null also where it is implausible; `<field>:unit` says of
    an implausible time whether a larger unit would make it plausible, null for others; `<field>:year` is the time,
    null where its unit tells why it is implausible. `<field>:ordered` is the plausible time of what follows a creation,
    or that creation where the time is no more than it, cut to its second or millisecond.
    """
    empty = {name: array for name, array in times.items() if array.null_count == len(array)}
    held = {name: _ticks(array) for name, array in times.items() if name not in empty}
    edges = sorted({micros(EARLIEST), micros(LATEST), *([micros(now + SLACK)] if now else [])})
    stood = {name: _stand_in(ticks, edges) for name, ticks in held.items()}
    created = held.get("created_at")
    ordered: dict[str, Any] = {name: stood[name] for name in AFTER if name in held}
    if created is not None:
        for name in ordered:
            stood[name] = _beside(stood[name], held[name], stood["created_at"], created)
            ordered[name] = np.where(_is_cut(held[name], created), stood["created_at"], stood[name])
    found: dict[str, pa.Array] = {}
    for name, ticks in held.items():
        there = ticks != _NONE
        odd = there & ((ticks < micros(EARLIEST)) | (ticks > micros(LATEST)))
        found[name] = _times(stood[name], ~there)
        found[f"{name}:plausible"] = _times(stood[name], ~there | odd)
        if name in ordered:
            found[f"{name}:ordered"] = _times(ordered[name], ~there | odd)
        unit = _units(ticks, odd, now)
        found[f"{name}:year"] = _times(stood[name], ~there | unit)
        found[f"{name}:unit"] = pa.array(unit, mask=~odd)
    for name, array in empty.items():
        nothing = pa.nulls(len(array), pa.bool_())
        found |= {name: array, f"{name}:plausible": array, f"{name}:year": array, f"{name}:unit": nothing}
        found |= {f"{name}:ordered": array} if name in AFTER else {}
    return found


def _ticks(array: pa.Array) -> Any:
    return np.asarray(array.cast(pa.int64()).fill_null(int(_NONE)))


def _stand_in(ticks: Any, edges: list[int]) -> Any:
    """A time within the same edges: an edge itself, or a second behind the edge below."""
    marks = np.array([edges[0] - 4_000_000, *edges], np.int64)
    below = np.searchsorted(marks[1:], ticks, side="right")
    stood = marks[below] + 2_000_000
    for edge in edges:
        stood[ticks == edge] = edge
    stood[ticks == _NONE] = _NONE
    return stood


def _beside(stood: Any, ticks: Any, created_stood: Any, created: Any) -> Any:
    """The stand-in moved to that side of the creation's on which the time lies."""
    alike = (stood == created_stood) & (ticks != _NONE)
    beside = stood + np.sign(ticks - created)
    return np.where(alike, beside, stood)


def _is_cut(ticks: Any, created: Any) -> Any:
    """Which times lie before the creation by less than the unit they are whole in."""
    unit = np.zeros(len(ticks), np.int64)
    for size in sorted(UNITS):
        unit[ticks % size == 0] = size
    there = (ticks != _NONE) & (created != _NONE) & (ticks < created)
    before = np.subtract(created, ticks, out=np.zeros(len(ticks), np.int64), where=there)
    return there & (before < unit)


def _times(ticks: Any, missing: Any) -> pa.Array:
    return pa.array(np.where(missing, 0, ticks), pa.timestamp("us", "UTC"), mask=missing)


def _units(ticks: Any, odd: Any, now: datetime | None) -> Any:
    unit = np.zeros(len(ticks), bool)
    for at in np.flatnonzero(odd):
        unit[at] = factor_of(_EPOCH + timedelta(microseconds=int(ticks[at])), now) is not None
    return unit
