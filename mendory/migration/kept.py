"""A gate as the ledger keeps it, made a value again: what is shown and compared is what was recorded. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mendory.migration.gate import Examined, Gate, Lost, Outcome, Part
from mendory.migration.quality import Change, Slice


def gate_of(kept: Mapping[str, Any]) -> Gate:
    """The gate that `Gate.as_json` told; its digest is computed anew from what is there."""
    return Gate(
        kept["old_space"],
        kept["new_space"],
        kept["version"],
        kept["seed"],
        tuple(_examined(part) for part in kept["parts"]),
        tuple(_slice(one) for one in kept["slices"]),
        tuple(_lost(one) for one in kept["worst"]),
    )


def _examined(part: Mapping[str, Any]) -> Examined:
    numbers = MappingProxyType(dict(part["numbers"]))
    return Examined(Part(part["part"]), Outcome(part["outcome"]), tuple(part["reasons"]), numbers)


def _slice(one: Mapping[str, Any]) -> Slice:
    held = {name: value for name, value in one.items() if name not in ("axis", "value", "vetoes")}
    return Slice(one["axis"], one["value"], Change(**held), one["vetoes"])


def _lost(one: Mapping[str, Any]) -> Lost:
    held: dict[str, Any] = {n: tuple(value) if isinstance(value, list) else value for n, value in one.items()}
    return Lost(**held)
