"""Each line becomes a record of our own table, or is quarantined with a reason and a hint. Pure."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from mendory import digest
from mendory.importer.shaping import Line, Shaping, filled
from mendory.jsontext import NotAnObject, parse_object, with_key
from mendory.record import BY_NAME, FIELD_NAMES, Shape
from mendory.text import is_blank

_WEEKDAYS = dict(zip("一二三四五六日天", ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Sun"), strict=True))
_MUST = ("id", "content", "scope", "created_at")
_JSON_NAMES = {str: "string", bool: "boolean", int: "number", float: "number", list: "list", dict: "object"}


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A line that was not imported, and why."""

    line: int
    reason: str
    hint: str
    text: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A record, and (number, text) of every line that holds it."""

    record: dict[str, Any]
    lines: list[tuple[int, str]]


@dataclass
class Judged:
    """What became of every line read: it is one of a kept record's, or quarantined."""

    read: int = 0
    kept: list[Kept] = field(default_factory=list)
    quarantined: list[Quarantined] = field(default_factory=list)


class _Refused(Exception):
    """A line can't be imported: (reason, hint)."""


def judge(
    source: Iterator[tuple[int, bytes]], shaping: Shaping, dimension: int, fields: Collection[str] = FIELD_NAMES
) -> Judged:
    """Every line as a record of these fields, or quarantined.

    Two lines with one id: kept once when equal, all of them quarantined when they differ.
    """
    judged = Judged()
    by_id: dict[str, list[tuple[int, dict[str, Any], str]]] = defaultdict(list)
    for number, raw in source:
        judged.read += 1
        try:
            record = _record(_line(number, raw), shaping, dimension, fields)
        except _Refused as error:
            reason, hint = error.args
            judged.quarantined.append(Quarantined(number, reason, hint, raw.decode("utf-8", "backslashreplace")))
            continue
        by_id[record["id"]].append((number, record, raw.decode()))
    for same in by_id.values():
        if len(same) > 1 and len({digest.of(_plain(r)) for _, r, _ in same}) > 1:
            hint = "decide which line is right, or give them ids of their own"
            judged.quarantined += [Quarantined(n, "conflicting_duplicate_id", hint, text) for n, _, text in same]
            continue
        judged.kept.append(Kept(same[0][1], [(n, text) for n, _, text in same]))
    judged.quarantined.sort(key=lambda q: q.line)
    return judged


def reasons(quarantined: Sequence[Quarantined]) -> dict[str, int]:
    """How many lines were quarantined for each reason."""
    return dict(sorted(Counter(q.reason for q in quarantined).items()))


def _line(number: int, raw: bytes) -> Line:
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise _Refused("bad_encoding", f"byte {error.start} is no UTF-8; save the file as UTF-8") from None
    try:
        source = parse_object(text)
    except NotAnObject as error:
        raise _Refused(*_json_reason(str(error))) from None
    if "\\ud" in text or "\\uD" in text:
        _sound(json.dumps(source, ensure_ascii=False))
    return Line(number, text, source)


def _record(line: Line, shaping: Shaping, dimension: int, fields: Collection[str]) -> dict[str, Any]:
    taken: set[str] = set()
    record: dict[str, Any] = dict.fromkeys(FIELD_NAMES)
    for name in fields:
        record[name] = _shaped(name, _value(name, line, shaping, taken), shaping, dimension)
    extra = [key for key in line.source if key not in taken]
    if extra and "metadata" not in fields:
        raise _Refused("no_place_for_keys", f"the table has no metadata to keep them in: {', '.join(extra)}")
    if extra:
        record["metadata"] = _with_extra(record["metadata"], line, extra)
    for name in _MUST:
        if name in fields and (record[name] is None or (isinstance(record[name], str) and is_blank(record[name]))):
            raise _missing(name, f"give the line a {name}, or name its key with --map {name}=<key>")
    if len(record["id"].encode()) > 512 or _hidden(record["id"]):
        raise _Refused("bad_id", "an id has at most 512 bytes and no control or format characters")
    scope = record["scope"] or ""
    if scope != scope.strip() or _hidden(scope) or set(scope) & set("*;'\"`\\"):
        hint = "a scope has no control or format characters, no quotes, no * ; \\ and no blanks at its ends"
        raise _Refused("scope_not_allowed", hint)
    record["updated_at"] = record["updated_at"] or record["created_at"]
    return record


def _with_extra(metadata: str | None, line: Line, keys: Sequence[str]) -> str:
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


def _missing(name: str, hint: str) -> _Refused:
    return _Refused("content_empty" if name == "content" else f"missing_{name}", hint)


def _hidden(text: str) -> bool:
    return any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") for c in text)


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


def _value(name: str, line: Line, shaping: Shaping, taken: set[str]) -> Any:
    if name in shaping.constants:
        return shaping.constants[name]
    if name in shaping.templates:
        try:
            return filled(shaping.templates[name], line)
        except KeyError as error:
            raise _missing(name, f"its part {error} must be a text or a number, and not blank") from None
    key = shaping.keys.get(name, name)
    taken.add(key)
    value = line.source.get(key)
    if isinstance(value, dict) and BY_NAME[name].shape is Shape.JSON:
        return line.spans[key][1]  # as its owner wrote it: 1.50 stays 1.50
    return value


def _shaped(name: str, value: Any, shaping: Shaping, dimension: int) -> Any:
    if value is None:
        return None
    match BY_NAME[name].shape:
        case Shape.TEXT if isinstance(value, str):
            return _sound(value)
        case Shape.TIME if isinstance(value, str):
            return _time(value, shaping)
        case Shape.TIME if isinstance(value, int | float) and not isinstance(value, bool):
            hint = f"{name} is a JSON number; write times as text: ISO 8601, or as --time-format says"
            raise _Refused("wrong_type", hint)
        case Shape.TEXTS if isinstance(value, list) and all(isinstance(v, str) for v in value):
            return [_sound(v) for v in value]
        case Shape.JSON if isinstance(value, str):
            try:
                parse_object(value)
            except NotAnObject as error:
                raise _Refused("metadata_invalid", f"{name}: {error}") from None
            return _sound(value)
        case Shape.VECTOR if isinstance(value, list):
            return _vector(value, dimension)
    raise _Refused("wrong_type", f"{name} is a JSON {_JSON_NAMES[type(value)]}")


def _sound(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _Refused("lone_surrogate", "half a character; write it out") from None
    return text


def _time(text: str, shaping: Shaping) -> datetime:
    try:
        if shaping.time_format is None:
            moment = datetime.fromisoformat(text)
        else:
            moment = datetime.strptime(_western_weekday(text, shaping.time_format), shaping.time_format)  # noqa: DTZ007
        aware = moment if moment.tzinfo else moment.replace(tzinfo=shaping.zone)
        return aware.astimezone(UTC)
    except (ValueError, OverflowError):
        raise _Refused("bad_timestamp", "a time is ISO 8601, or say how it reads with --time-format") from None


def _western_weekday(text: str, time_format: str) -> str:
    if "%a" in time_format or "%A" in time_format:
        for chinese, english in _WEEKDAYS.items():
            for prefix in ("星期", "礼拜", "周"):
                text = text.replace(prefix + chinese, english)
    return text


def _vector(values: Sequence[Any], dimension: int) -> list[float]:
    if len(values) != dimension:
        raise _Refused("embedding_dim_mismatch", f"{len(values)} components, the table has {dimension}")
    if any(isinstance(v, bool) or not isinstance(v, int | float) for v in values):
        raise _Refused("wrong_type", "an embedding is a list of numbers")
    if not all(abs(v) < 3.4e38 for v in values):  # integers too large for a float included
        raise _Refused("embedding_non_finite", "embed the text again")
    return [float(v) for v in values]


def _plain(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: comparable(name, value) for name, value in record.items()}


def comparable(name: str, value: Any) -> Any:
    """A field's value as records are compared by: times as text, JSON as parsed."""
    if isinstance(value, datetime):
        return value.isoformat()
    return parse_object(value) if value is not None and BY_NAME[name].shape is Shape.JSON else value
