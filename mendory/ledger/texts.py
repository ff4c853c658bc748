"""Texts as the ledger's databases can hold them."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

_MARK = "\ufdd0"  # a code point that no text carries on purpose


def stored(text: str) -> str:
    """The text without the NUL that PostgreSQL refuses; `told` gives the text back."""
    if "\0" not in text and _MARK not in text:
        return text
    return text.replace(_MARK, f"{_MARK}1").replace("\0", f"{_MARK}0")


def told(text: str) -> str:
    """The text that was stored."""
    return text.replace(f"{_MARK}0", "\0").replace(f"{_MARK}1", _MARK) if _MARK in text else text


class Text(sa.types.TypeDecorator[str]):
    """Any text, the id of an owner's row too, whatever is in it."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> Any:
        """As it is stored."""
        return value if value is None or dialect.name == "sqlite" else stored(value)

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> str | None:
        """As it was."""
        return value if value is None or dialect.name == "sqlite" else told(value)
