"""Edits inside a JSON object's text that change one key's bytes and no others.

Parsing and dumping would turn 1.50 into 1.5 and 1e3 into 1000.0 in an owner's metadata.
"""

from __future__ import annotations

import json
import math
import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_MAX_DEPTH = 200


class NotAnObject(ValueError):
    """The text is no JSON object we can edit; the message says why."""


def parse_object(text: str) -> dict[str, Any]:
    """The object in `text`; raises NotAnObject with a reason for anything else.

    Refused: invalid JSON, a list or scalar, doubled keys, NaN and infinities, nesting past 200.
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
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True)
    if any("\ud800" <= ch <= "\udfff" for ch in text):
        return json.dumps(value, allow_nan=False, sort_keys=True)
    return text


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
    return number


# made once: json.loads with arguments makes a decoder for every call
_STRICT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)


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


def with_key(text: str | None, key: str, value: Any) -> str:
    """`text` with top-level `key` set to `value`; every other byte stays as it was.

    A null cell (None or blank) becomes a new object. Raises NotAnObject for anything that
    `parse_object` refuses.

    >>> with_key('{"price": 1.50, "n": 1e3}', "scene", "饮食")
    '{"price": 1.50, "n": 1e3, "scene": "饮食"}'
    >>> with_key('{"scene" : null , "n":1.50}', "scene", "work")
    '{"scene" : "work" , "n":1.50}'
    """
    encoded = dumps(value)
    if text is None or not text.strip():
        return f"{{{json.dumps(key, ensure_ascii=False)}: {encoded}}}"
    parse_object(text)
    start = text.index("{")
    at, members = start + 1, 0
    while True:
        at = _skip(text, at)
        if text[at] == "}":
            break
        if text[at] == ",":
            at = _skip(text, at + 1)
        name, at = scanstring(text, at + 1)
        at = _skip(text, _skip(text, at) + 1)  # past the colon
        _, end = _DECODER.raw_decode(text, at)
        if name == key:
            return text[:at] + encoded + text[end:]
        at, members = end, members + 1
    tail = at
    while text[tail - 1] in " \t\n\r":
        tail -= 1
    comma = ", " if members else ""
    return f"{text[:tail]}{comma}{json.dumps(key, ensure_ascii=False)}: {encoded}{text[tail:]}"


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()
