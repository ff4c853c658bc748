"""Each record becomes a record of our own table, or is quarantined with a reason and a hint. Pure."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import numpy as np

from mendory.importer.flags import BIT, flags
from mendory.importer.quarantine import Quarantined
from mendory.importer.shaping import Line, Raw, Record, Shaping, Unreadable, filled
from mendory.importer.times import NotThisTime, moment_of
from mendory.jsontext import NotAnObject, Number, parse_object, with_key
from mendory.record import BY_NAME, FIELD_NAMES, Shape
from mendory.text import SCOPE_BARRED, is_blank

_MUST = ("id", "content", "scope", "created_at")
_JSON_NAMES = {str: "string", bool: "boolean", int: "number", float: "number", Number: "number", dict: "object"}
_LARGEST_EXACT: Final = 2**53
_MOST_BYTES: Final = 512
_MANY_DIGITS = re.compile(r"\d{19}")
_DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True, slots=True)
class Kept:
    """A record to import, its number, and the bits of what is odd about it."""

    number: int
    record: dict[str, Any]
    flags: int


class _Refused(Exception):
    """A line can't be imported: (reason, hint)."""


class Judge:
    """Judges records for a table: `dimension` of its vectors, its `fields`, ids `reserved` for other rows.

    `marked` is True where only marks tell a status: a record that says nothing is active there.
    """

    def __init__(
        self,
        shaping: Shaping,
        dimension: int,
        now: datetime,
        fields: Collection[str] = FIELD_NAMES,
        reserved: Collection[str] = (),
        marked: bool = False,
    ) -> None:
        self._shaping, self._dimension, self._now = shaping, dimension, now
        self._marked = marked
        self._fields, self._reserved = tuple(fields), frozenset(reserved)
        absent = {"embedding": ("embedding_missing",), "status": ("illegal_status",)}
        self._ignored = sum(BIT[flag] for name, all_ in absent.items() if name not in fields for flag in all_)

    def judge(self, one: Raw | Record) -> Kept | Quarantined:
        """The record as one of these fields, or quarantined."""
        try:
            line = _line(one) if isinstance(one, Raw) else one
            record, besides = self._record(line)
        except _Refused as error:
            reason, hint = error.args
            return Quarantined(one.number, reason, hint, one.text)
        ignored = self._ignored
        if self._marked and record["status"] is None:
            ignored |= BIT["illegal_status"]
        return Kept(one.number, record, flags(record, self._now, besides) & ~ignored)

    def _record(self, line: Record) -> tuple[dict[str, Any], list[str]]:
        taken: set[str] = set()
        besides: list[str] = []
        record: dict[str, Any] = dict.fromkeys(FIELD_NAMES)
        for name in self._fields:
            value = _value(name, line, self._shaping, taken)
            if value is not None:
                record[name] = self._shaped(name, value, line, besides)
        extra = [key for key in line.source if key not in taken]
        if extra:
            self._keep(record, line, extra, besides)
        for name in _MUST:
            if name in self._fields:
                _expect(name, record[name])
        _sound_id(record["id"], self._reserved)
        _sound_scope(record["scope"] or "")
        if record["updated_at"] is None and "updated_at" in self._fields:
            record["updated_at"] = record["created_at"]
            besides.append("missing_updated_at")
        return record, besides

    def _keep(self, record: dict[str, Any], line: Record, extra: Sequence[str], besides: list[str]) -> None:
        if "metadata" not in self._fields:
            raise _Refused("no_place_for_keys", f"the table has no metadata to keep them in: {', '.join(extra)}")
        unread = next((v for key in extra if isinstance(v := line.source[key], Unreadable)), None)
        if unread is not None:
            raise _Refused(unread.reason, unread.hint)
        if line.typed:  # of a text file this was asked for all of the line
            _expect_small({key: line.source[key] for key in extra})
        record["metadata"] = _with_extra(record["metadata"], line, extra)
        besides.append("unknown_key")

    def _shaped(self, name: str, value: Any, line: Record, besides: list[str]) -> Any:
        if isinstance(value, Unreadable):
            raise _Refused(value.reason, f"{name}: {value.hint}")
        match BY_NAME[name].shape:
            case Shape.TEXT if isinstance(value, str):
                return _sound(value)
            case Shape.TIME if isinstance(value, str | datetime | int | float) and not isinstance(value, bool):
                try:
                    moment, odd = moment_of(value, name, self._shaping)
                except NotThisTime as error:
                    raise _Refused(*error.args) from None
                besides += odd
                return moment
            case Shape.TEXTS if isinstance(value, list) and all(isinstance(v, str) for v in value):
                return [_sound(v) for v in value]
            case Shape.JSON if isinstance(value, str):
                try:
                    inner = parse_object(value)
                except NotAnObject as error:
                    raise _Refused("metadata_invalid", f"{name}: {error}") from None
                if _MANY_DIGITS.search(value):
                    _expect_small(inner)
                return _sound(value)
            case Shape.VECTOR if isinstance(value, list):
                return _vector(value, self._dimension, line.typed, besides)
        if BY_NAME[name].shape is Shape.JSON:
            raise _Refused("metadata_invalid", f"{name} is no object, nor a text that holds one")
        raise _Refused("wrong_type", f"{name} is a {_JSON_NAMES.get(type(value), type(value).__name__)}")


def _line(raw: Raw) -> Line:
    try:
        text = raw.data.decode()
    except UnicodeDecodeError as error:
        raise _Refused("bad_encoding", f"byte {error.start} is no UTF-8; save the file as UTF-8") from None
    try:
        source = parse_object(text)
    except NotAnObject as error:
        reason, hint = _json_reason(str(error))
        if reason == "bad_json" and not raw.whole:
            reason, hint = "truncated_record", "the file ends inside the line; get it again"
        raise _Refused(reason, hint) from None
    if "\\ud" in text or "\\uD" in text:
        _sound(json.dumps(source, ensure_ascii=False))
    if _MANY_DIGITS.search(text):
        _expect_small(source)
    return Line(raw.number, text, source)


def _expect_small(source: Any) -> None:
    """Return when every whole number is one that other programs can hold."""
    held = [source]
    while held:
        value = held.pop()
        if isinstance(value, dict):
            held += value.values()
        elif isinstance(value, list):
            held += value
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise _Refused("number_out_of_range", "a whole number needs more than 64 bits; write it as text")


def _expect(name: str, value: Any) -> None:
    if value is None or (isinstance(value, str) and is_blank(value)):
        hint = f"give the record a {name}, or name its key with --map {name}=<key>"
        if name == "id" and value is not None:
            raise _Refused("empty_id", hint)
        raise _Refused("content_empty" if name == "content" else f"missing_{name}", hint)


def _sound_id(ident: str, reserved: Collection[str]) -> None:
    if len(ident.encode()) > _MOST_BYTES or (not ident.isprintable() and any(_bars(ch) for ch in ident)):
        hint = "an id has at most 512 bytes, no control characters, no line ends and none that turn its direction"
        raise _Refused("bad_id", hint)
    if ident in reserved:
        raise _Refused("bad_id", "the table's mapping skips rows of this id: they are no memories")


def _bars(ch: str) -> bool:
    return unicodedata.category(ch) in ("Cc", "Zl", "Zp") or ch in _DIRECTIONS


def _sound_scope(scope: str) -> None:
    if SCOPE_BARRED.search(scope) or len(scope.encode()) > _MOST_BYTES:
        hint = "a scope has no hidden characters, quotes, * ; \\ or blanks at its ends, and at most 512 bytes"
        raise _Refused("scope_not_allowed", hint)


def _with_extra(metadata: str | None, line: Record, keys: Sequence[str]) -> str:
    """The metadata with these keys of the line added as they are written, under a key of their own."""
    held = parse_object(metadata) if metadata else {}
    name = next(n for n in ("extra", *(f"extra_{i}" for i in range(2, len(held) + 3))) if n not in held)
    head, _, tail = with_key(metadata, name, None).rpartition("null")
    whole = head + "{" + ", ".join(": ".join(line.spans[key]) for key in keys) + "}" + tail
    try:
        parse_object(whole)
    except NotAnObject as error:
        raise _Refused(*_json_reason(str(error))) from None
    return whole


def _json_reason(why: str) -> tuple[str, str]:
    if "not an object" in why:
        return "not_an_object", "each line is one JSON object"
    if "doubled" in why:
        return "duplicate_key", "a key stands twice; remove one"
    if "non-finite" in why:
        return "non_finite_number", "NaN and infinities are no JSON"
    if "deep" in why:
        return "too_deep", "the object is nested too deep"
    return "bad_json", "the line is no JSON; was it cut?"


def _value(name: str, line: Record, shaping: Shaping, taken: set[str]) -> Any:
    if name in shaping.constants:
        return shaping.constants[name]
    if name in shaping.templates:
        try:
            return filled(shaping.templates[name], line)
        except KeyError as error:
            hint = f"its part {error} must be a text or a number, and not blank"
            raise _Refused("content_empty" if name == "content" else f"missing_{name}", hint) from None
    if name in shaping.reads and name not in shaping.keys:
        told, keys = shaping.reads[name](line)
        taken.update(keys)
        return told
    key = shaping.keys.get(name, name)
    taken.add(key)
    value = line.source.get(key)
    if isinstance(value, dict) and BY_NAME[name].shape is Shape.JSON:
        return line.spans[key][1]  # as its owner wrote it: 1.50 stays 1.50
    return value


def _sound(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _Refused("lone_surrogate", "half a character; write it out") from None
    return text


def _vector(values: Sequence[Any], dimension: int, typed: bool, besides: list[str]) -> list[float]:
    """The components; `typed` ones are floats already, and an integer there is no component."""
    if len(values) != dimension or not dimension:
        raise _Refused("embedding_dim_mismatch", f"{len(values)} components, the table has {dimension}")
    if None in values:
        raise _Refused("embedding_inner_null", "a component is null; embed the text again")
    if any(isinstance(v, bool) or not isinstance(v, float if typed else int | float) for v in values):
        raise _Refused("wrong_type", "an embedding is a list of " + ("floats" if typed else "numbers"))
    if not all(abs(v) < 3.4e38 for v in values):  # integers too large for a float included
        raise _Refused("embedding_non_finite", "embed the text again")
    if any(isinstance(v, int) and abs(v) > _LARGEST_EXACT for v in values):
        raise _Refused("number_out_of_range", "a whole number has more than 53 bits; a float can't hold it")
    if typed and (np.asarray(values, np.float32).astype(np.float64) != np.asarray(values)).any():
        besides.append("embedding_precision")
    return [float(v) for v in values]
