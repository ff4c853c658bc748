"""Templates of plain placeholders, such as `{tenant}/{user}`: several values joined so that they can be told apart."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from string import Formatter
from urllib.parse import unquote

from mendory.text import is_blank


class NoTemplate(ValueError):
    """The text is no plain template; the message says why."""


@dataclass(frozen=True)
class Template:
    """Text with placeholders, as (literal text, the key whose value follows it or None) in order.

    `escaped` are the characters that separate two placeholders: in a value they are percent-encoded,
    so that ("u/a", "b") and ("u", "a/b") stay apart.
    """

    parts: tuple[tuple[str, str | None], ...]
    escaped: frozenset[str]

    @classmethod
    def of(cls, text: str, *, dotted: bool = False) -> Template:
        """The template that `text` is; `dotted` keys name places inside columns. Raises NoTemplate for any other text.

        >>> sorted(Template.of("user:{user}/{agent}").escaped)
        ['%', '/']
        """
        try:
            parsed = list(Formatter().parse(text))
        except ValueError as error:
            raise NoTemplate(str(error)) from None
        for _, key, form, conversion in parsed:
            if key is not None and (form or conversion or not _plain_key(key, dotted)):
                raise NoTemplate("only plain {name} placeholders may stand in it")
        parts = tuple((literal, key) for literal, key, _, _ in parsed)
        places = [at for at, (_, key) in enumerate(parts) if key is not None]
        if not places:
            raise NoTemplate("it holds no placeholder")
        between = [parts[at][0] for at in places[1:]]
        if any(not _separators(literal) for literal in between):
            raise NoTemplate("a separator such as / must stand between two placeholders")
        return cls(parts, frozenset("%" if between else "").union(*map(_separators, between)))

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the placeholders, in order."""
        return tuple(key for _, key in self.parts if key is not None)

    def fill(self, value: Callable[[str], str | None]) -> str:
        """The text with each key's value in its place; raises KeyError for a key whose value is None or blank."""
        return "".join(literal + ("" if key is None else self._encoded(key, value(key))) for literal, key in self.parts)

    def _encoded(self, key: str, text: str | None) -> str:
        if text is None or is_blank(text):
            raise KeyError(key)
        return "".join("".join(f"%{b:02X}" for b in c.encode()) if c in self.escaped else c for c in text)

    def split(self, text: str) -> dict[str, str] | None:
        """The values that `fill` made `text` of; None when it made it of none.

        >>> Template.of("{a}/{b}").split("u%2Fa/b")
        {'a': 'u/a', 'b': 'b'}
        """
        found = self._pattern.fullmatch(text)
        if found is None:
            return None
        return {
            key: unquote(part) if self.escaped else part for key, part in zip(self.keys, found.groups(), strict=True)
        }

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        barred = re.escape("".join(sorted(self.escaped - {"%"})))
        value = f"([^{barred}]+)" if barred else "(.+)"
        return re.compile(
            "".join(re.escape(lit) + ("" if key is None else value) for lit, key in self.parts), re.DOTALL
        )


def _plain_key(key: str, dotted: bool) -> bool:
    return (
        bool(key) and key == key.strip() and not key.isdecimal() and not set(key) & set("[]{}" if dotted else ".[]{}")
    )


def _separators(literal: str) -> frozenset[str]:
    return frozenset(c for c in literal if not c.isalnum() and c != "%")
