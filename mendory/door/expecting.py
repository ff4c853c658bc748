"""What a caller takes a memory for before changing it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mendory import digest
from mendory.door.held import Held
from mendory.errors import InputInvalid
from mendory.jsontext import dumps, parse_object
from mendory.record import BY_NAME, FIELD_NAMES, Memory, Shape

Expect = Held | Mapping[str, Any] | None
"""A memory from `get`, some of its fields' values, or nothing."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The fields a caller relies on, with their values or, for a whole memory, its row's digest."""

    fields: tuple[str, ...]
    values: Mapping[str, Any]
    whole: str | None

    @classmethod
    def of(cls, expect: Expect) -> Expectation:
        """From what a caller gives; raises InputInvalid for a name that is no field."""
        if isinstance(expect, Held):
            fields = tuple(n for n in FIELD_NAMES if n != "embedding" and not BY_NAME[n].volatile)
            return cls(fields, {}, expect.digest)
        if expect is not None and not isinstance(expect, Mapping):
            raise InputInvalid(
                f"'expect' is a {type(expect).__name__}. Nothing was written. "
                "Give what `get` returned, or a mapping of values by field."
            )
        unknown = sorted(set(expect or ()) - set(FIELD_NAMES) | {"embedding"} & set(expect or ()))
        if unknown:
            raise InputInvalid(
                f"'expect' names what can't be compared: {', '.join(unknown)}. Nothing was written. "
                "Name fields of a memory."
            )
        return cls(tuple(expect or ()), expect or {}, None)

    def holds(self, memory: Memory, row: str) -> bool:
        """True when the memory, of a row with that digest, is as expected."""
        if self.whole is not None:
            return self.whole == row
        return all(_same(name, getattr(memory, name), value) for name, value in self.values.items())


def _same(name: str, held: Any, expected: Any) -> bool:
    match BY_NAME[name].shape:
        case Shape.TEXTS:
            return tuple(held) == tuple(expected or ())
        case Shape.JSON if held is not None and isinstance(expected, Mapping):
            try:
                return digest.of(parse_object(dumps(dict(held)))) == digest.of(parse_object(dumps(dict(expected))))
            except (TypeError, ValueError):  # nothing that a table could hold
                return False
    return bool(held == expected)
