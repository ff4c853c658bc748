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

    def bind_processor(self, dialect: sa.Dialect) -> Any:
        """None where a text is stored as it is."""
        return None if dialect.name == "sqlite" else super().bind_processor(dialect)

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Any:
        """None where a text was stored as it is."""
        return None if dialect.name == "sqlite" else super().result_processor(dialect, coltype)

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> Any:  # noqa: ARG002
        """As it is stored."""
        return None if value is None else stored(value)

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """As it was."""
        return None if value is None else told(value)
