"""Whether a row that lacks a scope or source can be given one: there is a place, and no part of it says another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from mendory.errors import SchemaMismatch
from mendory.jsontext import NotAnObject
from mendory.mapping.mapping import Mapping
from mendory.mapping.places import Composite, held_at
from mendory.rows import Present, by_id, with_values
from mendory.text import is_blank, text_of


@dataclass(frozen=True)
class Giving:
    """What giving comes to for each of some whole rows."""

    mapping: Mapping
    rows: pa.Table

    @cached_property
    def _rows(self) -> dict[str, pa.Table]:
        return by_id(self.rows, str(self.mapping.column("id")))[0]

    def parts(self, scope: str) -> dict[str, str]:
        """What a scope that is made of several places is made of, by place; nothing for one in a single place."""
        place = self.mapping.place("scope")
        return (place.template.split(scope) or {}) if isinstance(place, Composite) else {}

    def held(self, row: str) -> dict[str, str | None]:
        """What the row holds of a scope that is made of several places, by place; None where it lacks a part."""
        place, row_of = self.mapping.place("scope"), self._rows.get(row)
        if not isinstance(place, Composite) or row_of is None:
            return {}
        texts = {str(p): text_of(held_at(Present(row_of), p)) for p in place.places}
        return {key: None if is_blank(text) else text for key, text in texts.items()}

    def refused(self, row: str, name: str, value: str) -> str:
        """Why the row can't be given this value of a field, empty when it can.

        It can't where there is no place, where a part that the row holds already says another, and where the row would
        not be read back as having the value.
        """
        whole, place = self._rows.get(row), self.mapping.place(name)
        if whole is None or place is None:
            return f"the table has no place for the {name}"
        if name == "scope":
            parts = self.parts(value)
            for key, text in self.held(row).items():
                if text is not None and key in parts and text != parts[key]:
                    return f"the row's {key} is that of another {name}"
        try:
            after = with_values(whole, self.mapping.write(Present(whole), {name: value}))
        except (SchemaMismatch, NotAnObject, pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
            return f"the {name} can't be written to {place}"
        [memory] = self.mapping.memories(after)
        return "" if getattr(memory, name) == value else f"the {name} can't be written to {place}"
