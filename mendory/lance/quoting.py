"""The one quoting function: every filter of the project goes through it."""

from __future__ import annotations

from collections.abc import Sequence

from mendory.errors import InputInvalid
from mendory.mapping import is_addressable
from mendory.text import shown


def quote(text: str) -> str:
    """`text` as a SQL string literal for Lance filters: quotes doubled, nothing else.

    Lance knows no backslash escapes and no bound parameters, and LanceDB's own `Expr.to_sql()` is
    injectable; every filter of the project goes through here. Raises InputInvalid for a lone
    surrogate, which no UTF-8 table can hold.

    >>> quote("a' OR '1'='1")
    "'a'' OR ''1''=''1'"
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputInvalid(
            "A text with a lone surrogate can't be looked up. Nothing was read. Mend the text."
        ) from None
    return "'" + text.replace("'", "''") + "'"


def name(column: str) -> str:
    """A column name for Lance filters; raises InputInvalid for one that holds a backtick, which Lance can't address."""
    if not is_addressable(column):
        raise InputInvalid(
            f"The column name {shown(column)} can't be quoted: Lance reads no column with a backtick in its name. "
            "Nothing was read. Rename the column."
        )
    return f"`{column}`"


def any_of(column: str, values: Sequence[str]) -> str:
    """The filter that `column` is one of `values`; an empty list matches nothing."""
    return f"{name(column)} IN ({', '.join(map(quote, values))})" if values else "1 = 0"
