"""How the keys of a line become fields, templates included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from functools import cached_property
from typing import Any

from mendory.errors import InputInvalid
from mendory.jsontext import members
from mendory.record import FIELD_NAMES
from mendory.template import NoTemplate, Template


@dataclass(frozen=True)
class Line:
    """A line that is a JSON object: its number, its text, the object."""

    number: int
    text: str
    source: Mapping[str, Any]

    @cached_property
    def spans(self) -> dict[str, tuple[str, str]]:
        """Key → (the key, the value), both as they are written in the line."""
        text = self.text
        return {m.key: (text[slice(*m.name)], text[slice(*m.value)]) for m in members(text)}


@dataclass(frozen=True, slots=True)
class Shaping:
    """How source keys become fields.

    `keys` maps a field to a source key or a template such as `{user}/{agent}` (`{line}` is the line
    number); `constants` sets fields; `time_format` is a strptime format for times that are not
    ISO 8601, in which %a and %A also match Chinese weekdays; naive times are in `zone`. Raises
    InputInvalid for a template with anything but plain placeholders.
    """

    keys: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    time_format: str | None = None
    zone: tzinfo = UTC
    templates: Mapping[str, Template] = field(init=False)

    def __post_init__(self) -> None:
        templates = {name: _template(key) for name, key in self.keys.items() if "{" in key or "}" in key}
        object.__setattr__(self, "templates", templates)


def _template(text: str) -> Template:
    try:
        return Template.of(text)
    except NoTemplate as error:
        raise InputInvalid(
            f"--map: '{text}' is no template: {error}. Nothing was imported. Write e.g. {{user}}/{{agent}}."
        ) from None


def filled(template: Template, line: Line) -> str:
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
