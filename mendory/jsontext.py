"""Edits inside a JSON object's text that change one key's bytes and no others.

Parsing and dumping would turn 1.50 into 1.5 and 1e3 into 1000.0 in an owner's metadata.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_MAX_DEPTH = 200


class NotAnObject(ValueError):
    """The text is no JSON object we can edit; the message says why."""


class Number(float):
    """A number whose digits as written are not what Python would write: 1.50, 1e3, a long fraction.

    It counts and is digested as the float it is; only `dumps` writes the digits.
    """

    __slots__ = ("text",)

    def __new__(cls, text: str) -> Number:
        """The number that `text` writes."""
        made = super().__new__(cls, text)
        made.text = text
        return made

    text: str


def parse_object(text: str) -> dict[str, Any]:
    """The object in `text`; raises NotAnObject with a reason for anything else.

    `dumps` writes its numbers with the digits they have in `text`. Refused: invalid JSON, a list or
    scalar, doubled keys, NaN and infinities, nesting past 200.
    """
    try:
        value = _STRICT.decode(text)
    except NotAnObject:
        raise
    except RecursionError:
        raise NotAnObject("nested too deep") from None
    except ValueError as error:
        raise NotAnObject("invalid JSON" if isinstance(error, json.JSONDecodeError) else str(error)) from None
    if not isinstance(value, dict):
        raise NotAnObject(f"a JSON {type(value).__name__}, not an object")
    if _depth(value) > _MAX_DEPTH:
        raise NotAnObject("nested too deep")
    return value


def dumps(value: Any) -> str:
    """`value` as JSON with its characters as they are; half a character can only be written as its escape."""
    text = _written(value, ascii_only=False)
    if any("\ud800" <= ch <= "\udfff" for ch in text):
        return _written(value, ascii_only=True)
    return text


def _written(value: Any, *, ascii_only: bool) -> str:
    if isinstance(value, Number):
        return value.text
    if isinstance(value, dict):
        pairs = ((json.dumps(k, ensure_ascii=ascii_only), value[k]) for k in sorted(value))
        return "{" + ", ".join(f"{key}: {_written(inner, ascii_only=ascii_only)}" for key, inner in pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_written(inner, ascii_only=ascii_only) for inner in value) + "]"
    return json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotAnObject("doubled key")
    return found


def _no_constant(name: str) -> Any:
    raise NotAnObject(f"non-finite number {name}")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise NotAnObject("non-finite number")
    return number if repr(number) == digits else Number(digits)


def _whole(digits: str) -> float:
    return Number(digits) if digits == "-0" else int(digits)


# made once: json.loads with arguments makes a decoder for every call
_STRICT = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite, parse_int=_whole
)


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level and depth <= _MAX_DEPTH:
        depth += 1
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node if isinstance(node, list) else ())
            if isinstance(child, dict | list)
        ]
    return depth


def with_path(text: str | None, path: Sequence[str], value: Any) -> str:
    """`text` with the key at `path` set to `value`, objects made on the way; every other byte stays as it was.

    Raises NotAnObject where something on the way is no object.

    >>> with_path('{"a": {"b": 1.50}, "c": 1e3}', ("a", "d"), "x")
    '{"a": {"b": 1.50, "d": "x"}, "c": 1e3}'
    """
    key, *rest = path
    if not rest:
        return with_key(text, key, value)
    inner = None if text is None or not text.strip() else raw_members(text).get(key)
    return with_raw(text, key, with_path(None if inner == "null" else inner, rest, value))


def rebase(current: str | None, old: str | None, new: str | None) -> str | None:
    """What `current` becomes when the change from `old` to `new` is made in it, key by key; the rest keeps its bytes.

    For an object of which a mere read changes some keys: what the read changed since `old` stays.

    >>> rebase('{"n": 7, "a": 1}', '{"n": 6, "a": 1}', '{"n": 6, "a": 1, "b": 2}')
    '{"n": 7, "a": 1, "b": 2}'
    """
    if current == old or new is None:
        return new
    before, after = ({} if text is None or not text.strip() else raw_members(text) for text in (old, new))
    for key, raw in after.items():
        if before.get(key) != raw:
            current = with_raw(current, key, raw)
    for key in before.keys() - after.keys():
        current = without_key(current, key)
    return current


def raw_members(text: str) -> dict[str, str]:
    """Key → value as it is written, for the object in `text`; raises NotAnObject for anything else."""
    parse_object(text)
    return {m.key: text[slice(*m.value)] for m in members(text)}


def without_key(text: str | None, key: str) -> str | None:
    """`text` without top-level `key`; a key that `with_key` added leaves no trace."""
    if text is None or not text.strip():
        return text
    parse_object(text)
    held = list(members(text))
    at = next((n for n, m in enumerate(held) if m.key == key), None)
    if at is None:
        return text
    start = held[at - 1].value[1] if at else held[at].name[0]
    end = held[at].value[1]
    if not at and len(held) > 1:
        end = held[1].name[0]
    return text[:start] + text[end:]


def with_key(text: str | None, key: str, value: Any) -> str:
    """`text` with top-level `key` set to `value`; every other byte stays as it was.

    A null cell (None or blank) becomes a new object. Raises NotAnObject for anything that
    `parse_object` refuses.

    >>> with_key('{"price": 1.50, "n": 1e3}', "scene", "饮食")
    '{"price": 1.50, "n": 1e3, "scene": "饮食"}'
    >>> with_key('{"scene" : null , "n":1.50}', "scene", "work")
    '{"scene" : "work" , "n":1.50}'
    """
    return with_raw(text, key, dumps(value))


def with_raw(text: str | None, key: str, encoded: str) -> str:
    """`text` with top-level `key` set to a value that is JSON already; see `with_key`."""
    if text is None or not text.strip():
        return f"{{{dumps(key)}: {encoded}}}"
    parse_object(text)
    end = text.index("{") + 1
    empty = True
    for member in members(text):
        if member.key == key:
            return text[: member.value[0]] + encoded + text[member.value[1] :]
        end, empty = member.value[1], False
    comma = "" if empty else ", "
    return f"{text[:end]}{comma}{dumps(key)}: {encoded}{text[end:]}"


@dataclass(frozen=True, slots=True)
class Member:
    """A top-level member of an object's text: its key, and where name and value begin and end."""

    key: str
    name: tuple[int, int]
    value: tuple[int, int]


def members(text: str) -> Iterator[Member]:
    """The members of the object in `text`, which `parse_object` accepts, in order."""
    at = _skip(text, text.index("{") + 1)
    while text[at] != "}":
        if text[at] == ",":
            at = _skip(text, at + 1)
        key, named = scanstring(text, at + 1)
        value = _skip(text, _skip(text, named) + 1)  # past the colon
        _, end = _DECODER.raw_decode(text, value)
        yield Member(key, (at, named), (value, end))
        at = _skip(text, end)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()
