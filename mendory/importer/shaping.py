"""How the keys of a line become fields, templates included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from functools import cached_property
from string import Formatter
from typing import Any

from mendory.errors import InputInvalid
from mendory.jsontext import members
from mendory.record import FIELD_NAMES
from mendory.text import is_blank


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
        templates = {name: Template.of(key) for name, key in self.keys.items() if "{" in key or "}" in key}
        object.__setattr__(self, "templates", templates)


@dataclass(frozen=True, slots=True)
class Template:
    """Text with placeholders, as (literal text, the key whose value follows it or None) in order.

    `escaped` are the characters that separate two placeholders: in a value they are percent-encoded,
    so that ("u/a", "b") and ("u", "a/b") stay apart.
    """

    parts: tuple[tuple[str, str | None], ...]
    escaped: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Template:
        """The template that `text` is; raises InputInvalid for any that is not plain.

        >>> sorted(Template.of("user:{user}/{agent}").escaped)
        ['%', '/']
        """
        try:
            parsed = list(Formatter().parse(text))
        except ValueError as error:
            raise _no_template(text, str(error)) from None
        for _, key, form, conversion in parsed:
            if key is not None and (form or conversion or not _plain_key(key)):
                raise _no_template(text, "only {name} and {line} may stand in it")
        parts = tuple((literal, key) for literal, key, _, _ in parsed)
        places = [at for at, (_, key) in enumerate(parts) if key is not None]
        if not places:
            raise _no_template(text, "it holds no placeholder")
        between = [parts[at][0] for at in places[1:]]
        if any(not _separators(literal) for literal in between):
            raise _no_template(text, "a separator such as / must stand between two placeholders")
        return cls(parts, frozenset("%" if between else "").union(*map(_separators, between)))

    def fill(self, line: Line) -> str:
        """The text with the line's values in their places; raises KeyError for a part that has no value."""
        return "".join(literal + ("" if key is None else self._value(key, line)) for literal, key in self.parts)

    def _value(self, key: str, line: Line) -> str:
        value = line.number if key == "line" else line.source.get(key)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise KeyError(key)
        text = value if isinstance(value, str) else str(value) if key == "line" else line.spans[key][1]
        if is_blank(text):
            raise KeyError(key)
        return "".join("".join(f"%{b:02X}" for b in c.encode()) if c in self.escaped else c for c in text)


def _plain_key(key: str) -> bool:
    return bool(key) and key == key.strip() and not key.isdecimal() and not set(key) & set(".[]{}")


def _separators(literal: str) -> frozenset[str]:
    return frozenset(c for c in literal if not c.isalnum() and c != "%")


def _no_template(text: str, why: str) -> InputInvalid:
    return InputInvalid(f"--map: '{text}' is no template: {why}. Nothing was imported. Write e.g. {{user}}/{{agent}}.")


def known_fields(pairs: Mapping[str, str], option: str) -> None:
    """Return when every key is a field; else raise InputInvalid naming the others."""
    unknown = sorted(set(pairs) - set(FIELD_NAMES))
    if unknown:
        raise InputInvalid(
            f"{option}: no such field: {', '.join(unknown)}. Nothing was imported. Fields are {', '.join(FIELD_NAMES)}."
        )
