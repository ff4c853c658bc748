"""How the keys of a record become fields, templates included."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from functools import cached_property
from typing import Any, NamedTuple

from mendory.errors import InputInvalid
from mendory.jsontext import members
from mendory.record import FIELD_NAMES
from mendory.template import NoTemplate, Template


class Raw(NamedTuple):
    """A record as a text file has it: its number, its bytes, and False when the file ended inside it."""

    number: int
    data: bytes
    whole: bool = True

    @property
    def text(self) -> str:
        """The bytes as text; what is no UTF-8 stands as escapes."""
        return self.data.decode("utf-8", "backslashreplace")


@dataclass(frozen=True)
class Line:
    """A record that is a JSON object: its number, its text, the object."""

    number: int
    text: str
    source: Mapping[str, Any]
    typed = False

    @cached_property
    def spans(self) -> Mapping[str, tuple[str, str]]:
        """Key → (the key, the value), both as they are written in the line."""
        text = self.text
        return {m.key: (text[slice(*m.name)], text[slice(*m.value)]) for m in members(text)}


@dataclass(frozen=True)
class Unreadable:
    """Stands for a cell whose value can't be had: why, and what to do."""

    reason: str
    hint: str


class Row:
    """A record that is a row of a typed table: its number and its cells; those that are null are left out."""

    typed = True

    def __init__(self, number: int, source: Mapping[str, Any]) -> None:
        self.number, self.source = number, source

    @cached_property
    def text(self) -> str:
        """The row as JSON."""
        return "{" + ", ".join(f"{key}: {value}" for key, value in self.spans.values()) + "}"

    @cached_property
    def spans(self) -> Mapping[str, tuple[str, str]]:
        """Key → (the key, the value) as JSON; times as ISO 8601, bytes as hexadecimal digits."""
        return {key: (_json(key), _json(value)) for key, value in self.source.items()}


Record = Line | Row


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Unreadable):
        return f"({value.reason})"
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


Reads = Callable[[Record], tuple[Any, tuple[str, ...]]]
"""How a format tells a field: the value, and the keys that it is all of."""


@dataclass(frozen=True, slots=True)
class Shaping:
    """How source keys become fields.

    `keys` maps a field to a source key or a template such as `{user}/{agent}` (`{line}` is the record's
    number); `constants` sets fields; `time_format` is a strptime format for times that are not
    ISO 8601, in which %a and %A also match Chinese weekdays, or `s`, `ms`, `us`, `ns` for numbers since 1970;
    naive times are in `zone`. `reads` is how the format tells fields that are neither in `keys` nor `constants`.
    Raises InputInvalid for a template with anything but plain placeholders.
    """

    keys: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    time_format: str | None = None
    zone: tzinfo = UTC
    reads: Mapping[str, Reads] = field(default_factory=dict)
    templates: Mapping[str, Template] = field(init=False)

    def __post_init__(self) -> None:
        templates = {name: _template(key) for name, key in self.keys.items() if "{" in key or "}" in key}
        object.__setattr__(self, "templates", templates)

    def key(self, name: str) -> str | None:
        """The one key under which field `name` stands; None when it is made of something else."""
        other = name in self.constants or name in self.templates or (name in self.reads and name not in self.keys)
        return None if other else self.keys.get(name, name)


def _template(text: str) -> Template:
    try:
        return Template.of(text)
    except NoTemplate as error:
        raise InputInvalid(
            f"--map: '{text}' is no template: {error}. Nothing was imported. Write e.g. {{user}}/{{agent}}."
        ) from None


def filled(template: Template, line: Record) -> str:
    """The template with the line's values in their places; raises KeyError for a part that has no value."""

    def value(key: str) -> str | None:
        if key == "line":
            return str(line.number)
        held = line.source.get(key)
        if isinstance(held, bool) or not isinstance(held, str | int | float):
            return None
        return held if isinstance(held, str) else line.spans[key][1]

    return template.fill(value)


def known_fields(pairs: Mapping[str, str], option: str) -> None:
    """Return when every key is a field; else raise InputInvalid naming the others."""
    unknown = sorted(set(pairs) - set(FIELD_NAMES))
    if unknown:
        raise InputInvalid(
            f"{option}: no such field: {', '.join(unknown)}. Nothing was imported. Fields are {', '.join(FIELD_NAMES)}."
        )
