"""Whether a row that lacks a scope or source can be given one: there is a place, and no part of it says another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from mendory.errors import SchemaMismatch
from mendory.jsontext import NotAnObject
from mendory.mapping.mapping import Mapping
from mendory.mapping.places import Composite, Place, held_at
from mendory.mapping.status import text_of
from mendory.rows import Present, by_id, with_values
from mendory.text import is_blank


@dataclass(frozen=True, slots=True)
class Given:
    """What giving comes to: the texts that the row lacks and would hold, or why it can't be given."""

    written: tuple[str, ...] = ()
    refused: str = ""


@dataclass(frozen=True)
class Giving:
    """What giving comes to for each of some whole rows."""

    mapping: Mapping
    rows: pa.Table

    @cached_property
    def _rows(self) -> dict[str, pa.Table]:
        return by_id(self.rows, str(self.mapping.column("id")))[0]

    def parts(self, scope: str) -> tuple[str, ...]:
        """What a scope that is made of several places is made of; nothing for one that lies in a single place."""
        place = self.mapping.place("scope")
        found = place.template.split(scope) if isinstance(place, Composite) else None
        return tuple((found or {}).values())

    def give(self, row: str, name: str, value: str) -> Given:
        """What giving the row this value of a field comes to.

        Refused where there is no place, where a part that the row holds already says another, and where the row would
        not be read back as having the value.
        """
        held, place = self._rows.get(row), self.mapping.place(name)
        if held is None or place is None:
            return Given(refused=f"the table has no place for the {name}")
        written: list[str] = []
        if isinstance(place, Composite):
            for key, part in (place.template.split(value) or {}).items():
                present = text_of(held_at(Present(held), Place.of(key)))
                if is_blank(present):
                    written.append(part)
                elif present != part:
                    return Given(refused=f"the row's {key} is that of another {name}")
        try:
            after = with_values(held, self.mapping.write(Present(held), {name: value}))
        except (SchemaMismatch, NotAnObject, pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
            return Given(refused=f"the {name} can't be written to {place}")
        [memory] = self.mapping.memories(after)
        if getattr(memory, name) != value:
            return Given(refused=f"the {name} can't be written to {place}")
        return Given(tuple(written) if isinstance(place, Composite) else (value,))
