"""Labelled pairs as people write them down: one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from mendory.errors import InputInvalid
from mendory.text import is_blank

_SAME: Final = ("same", "1", "true")
_DIFFERENT: Final = ("different", "0", "false")


@dataclass(frozen=True, slots=True)
class Labelled:
    """Two texts, or the ids of two rows, and whether they say the same."""

    a: str
    b: str
    same: bool
    by_id: bool = False


def read_labels(lines: Iterable[str], name: str) -> tuple[Labelled, ...]:
    """The pairs of a file of that name, in order; blank lines are left out.

    A line is `{"a", "b", "label"}` with texts or `{"a_id", "b_id", "label"}` with ids; the label is "same" or
    "different", 1 or 0, true or false. Raises InputInvalid for the first line that is neither, by its number.
    """
    return tuple(_labelled(line, f"{name}, line {number}") for number, line in enumerate(lines, 1) if line.strip())


def _labelled(line: str, where: str) -> Labelled:
    try:
        row: Any = json.loads(line)
    except ValueError:
        raise _refused(where, "no JSON") from None
    if not isinstance(row, dict):
        raise _refused(where, "no JSON object")
    label = str(row.get("label")).casefold()
    if label not in (*_SAME, *_DIFFERENT):
        raise _refused(where, 'no label; it is "same" or "different"')
    for first, second in (("a", "b"), ("a_id", "b_id")):
        a, b = row.get(first), row.get(second)
        if isinstance(a, str) and isinstance(b, str) and not is_blank(a) and not is_blank(b):
            return Labelled(a, b, label in _SAME, first.endswith("_id"))
    raise _refused(where, 'neither texts "a" and "b" nor ids "a_id" and "b_id"')


def _refused(where: str, what: str) -> InputInvalid:
    return InputInvalid(f"{where}: {what}. Nothing was calibrated. Mend the line, or leave it out.")
