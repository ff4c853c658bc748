"""Import of JSON Lines: every line is imported, already there, or quarantined with a reason; none is lost.

Pure reading and judging; the caller writes. Unknown keys are kept in the metadata under `extra`.
"""

from __future__ import annotations

import gzip
import json
import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

import pyarrow as pa

from mendory import digest
from mendory.errors import InputInvalid
from mendory.jsontext import NotAnObject, parse_object
from mendory.mapping import Mapping as FieldMapping
from mendory.record import BY_NAME, FIELD_NAMES, Shape
from mendory.text import is_blank

_WEEKDAYS = dict(zip("一二三四五六日天", ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Sun"), strict=True))
_MUST = ("id", "content", "scope", "created_at")


@dataclass(frozen=True, slots=True)
class Shaping:
    """How source keys become fields.

    `keys` maps a field to a source key or a template such as `{user}/{agent}` (`{line}` is the line
    number); `constants` sets fields; `time_format` is a strptime format for times that are not
    ISO 8601, in which %a and %A also match Chinese weekdays; naive times are in `zone`.
    """

    keys: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    time_format: str | None = None
    zone: tzinfo = UTC


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A line that was not imported, and why."""

    line: int
    reason: str
    hint: str
    text: str


@dataclass
class Judged:
    """What became of every line read: read = records + doubled + quarantined."""

    read: int = 0
    records: list[dict[str, Any]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    doubled: int = 0
    quarantined: list[Quarantined] = field(default_factory=list)


class _Refused(Exception):
    """A line can't be imported: (reason, hint)."""


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """(number, bytes) of every line that is not blank; only a line feed ends a line. `.gz` is unpacked."""
    if not path.is_file():
        raise InputInvalid(f"{path} is no file. Nothing was imported. Name a JSON Lines file.")
    opened = gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # noqa: SIM115
    try:
        with opened as source:
            for number, line in enumerate(source, 1):
                text = line.removesuffix(b"\n").removesuffix(b"\r")
                if number == 1:
                    text = text.removeprefix(b"\xef\xbb\xbf")
                if text.strip():
                    yield number, text
    except (EOFError, gzip.BadGzipFile, OSError) as error:
        raise InputInvalid(f"{path} can't be read whole: {error}. Nothing was imported. Get it again.") from None


def judge(source: Iterator[tuple[int, bytes]], shaping: Shaping, dimension: int) -> Judged:
    """Every line as a record of our own table, or quarantined.

    Two lines with one id: kept once when equal, all of them quarantined when they differ.
    """
    judged = Judged()
    by_id: dict[str, list[tuple[int, dict[str, Any], str]]] = defaultdict(list)
    for number, raw in source:
        judged.read += 1
        try:
            record = _record(number, raw, shaping, dimension)
        except _Refused as error:
            reason, hint = error.args
            judged.quarantined.append(Quarantined(number, reason, hint, raw.decode("utf-8", "backslashreplace")))
            continue
        by_id[record["id"]].append((number, record, raw.decode()))
    for same in by_id.values():
        if len({digest.of(_plain(r)) for _, r, _ in same}) > 1:
            hint = "decide which line is right, or give them ids of their own"
            judged.quarantined += [Quarantined(n, "conflicting_duplicate_id", hint, text) for n, _, text in same]
            continue
        judged.doubled += len(same) - 1
        judged.records.append(same[0][1])
        judged.lines.append(same[0][0])
    judged.quarantined.sort(key=lambda q: q.line)
    return judged


def reasons(quarantined: Sequence[Quarantined]) -> dict[str, int]:
    """How many lines were quarantined for each reason."""
    return dict(sorted(Counter(q.reason for q in quarantined).items()))


def _record(number: int, raw: bytes, shaping: Shaping, dimension: int) -> dict[str, Any]:
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise _Refused("bad_encoding", f"byte {error.start} is no UTF-8; save the file as UTF-8") from None
    try:
        source = parse_object(text)
    except NotAnObject as error:
        raise _Refused(*_json_reason(str(error))) from None
    taken: set[str] = set()
    record: dict[str, Any] = {}
    for name in FIELD_NAMES:
        record[name] = _shaped(name, _value(name, source, shaping, number, taken), shaping, dimension)
    extra = {k: v for k, v in source.items() if k not in taken and k not in FIELD_NAMES}
    if extra:
        held = parse_object(record["metadata"]) if record["metadata"] else {}
        record["metadata"] = json.dumps({**held, "extra": extra}, ensure_ascii=False)
    for name in _MUST:
        if record[name] is None or (isinstance(record[name], str) and is_blank(record[name])):
            reason = {"content": "content_empty"}.get(name, f"missing_{name}")
            raise _Refused(reason, f"give the line a {name}, or name its key with --map {name}=<key>")
    if len(record["id"].encode()) > 512 or any(ord(c) < 32 for c in record["id"]):
        raise _Refused("bad_id", "an id has at most 512 bytes and no control characters")
    record["updated_at"] = record["updated_at"] or record["created_at"]
    return record


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


def _value(name: str, source: Mapping[str, Any], shaping: Shaping, number: int, taken: set[str]) -> Any:
    if name in shaping.constants:
        return shaping.constants[name]
    key = shaping.keys.get(name, name)
    if "{" not in key:
        taken.add(key)
        return source.get(key)
    try:
        return key.format_map({**source, "line": number})
    except (KeyError, IndexError, AttributeError, ValueError):
        return None


def _shaped(name: str, value: Any, shaping: Shaping, dimension: int) -> Any:
    if value is None:
        return None
    match BY_NAME[name].shape:
        case Shape.TEXT if isinstance(value, str):
            return _sound(value)
        case Shape.TIME if isinstance(value, str):
            return _time(value, shaping)
        case Shape.TEXTS if isinstance(value, list) and all(isinstance(v, str) for v in value):
            return [_sound(v) for v in value]
        case Shape.JSON if isinstance(value, dict):
            return _sound(json.dumps(value, ensure_ascii=False))
        case Shape.JSON if isinstance(value, str):
            try:
                parse_object(value)
            except NotAnObject as error:
                raise _Refused("metadata_invalid", f"{name}: {error}") from None
            return _sound(value)
        case Shape.VECTOR if isinstance(value, list):
            return _vector(value, dimension)
    raise _Refused("wrong_type", f"{name} is a JSON {type(value).__name__}")


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
    if not all(math.isfinite(v) and abs(v) < 3.4e38 for v in values):
        raise _Refused("embedding_non_finite", "embed the text again")
    return [float(v) for v in values]


def _plain(record: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v.isoformat() if isinstance(v, datetime) else v for k, v in record.items()}


@dataclass(frozen=True, slots=True)
class SortedOut:
    """Records to write, how many are in the table already, and all lines that were refused."""

    fresh: list[dict[str, Any]]
    present: int
    quarantined: list[Quarantined]


def against(judged: Judged, held: pa.Table | None, mapping: FieldMapping) -> SortedOut:
    """The records against the table's rows of the same ids: new, there already, or `id_exists` with other content."""
    by_id = {}
    if held is not None:
        by_id = {row[str(mapping.column("id"))]: row for row in held.to_pylist()}
    fresh, present, refused = [], 0, list(judged.quarantined)
    for line, record in zip(judged.lines, judged.records, strict=True):
        row = by_id.get(record["id"])
        if row is None:
            fresh.append({c: v for k, v in record.items() if (c := mapping.column(k)) is not None})
        elif row[str(mapping.column("content"))] == record["content"]:
            present += 1
        else:
            hint = "the table has other content under this id; import it under a new id"
            refused.append(Quarantined(line, "id_exists", hint, json.dumps(_plain(record), ensure_ascii=False)))
    return SortedOut(fresh, present, sorted(refused, key=lambda q: q.line))


def dimension(schema: pa.Schema, mapping: FieldMapping) -> int:
    """The vector length of the table's embedding column; 0 when it has none or no fixed one."""
    column = mapping.column("embedding")
    kind = schema.field(column).type if column else None
    return int(kind.list_size) if kind is not None and pa.types.is_fixed_size_list(kind) else 0


def known_fields(pairs: Mapping[str, str], option: str) -> None:
    """Return when every key is a field; else raise InputInvalid naming the others."""
    unknown = sorted(set(pairs) - set(FIELD_NAMES))
    if unknown:
        raise InputInvalid(
            f"{option}: no such field: {', '.join(unknown)}. Nothing was imported. Fields are {', '.join(FIELD_NAMES)}."
        )


def write_quarantine(path: Path, refused: Sequence[Quarantined]) -> None:
    """Every refused line is in the file with its number, reason, hint and text; readable by its owner alone."""
    with os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w", encoding="utf-8") as target:
        for one in refused:
            entry = {"line": one.line, "reason": one.reason, "hint": one.hint, "text": one.text}
            target.write(json.dumps(entry) + "\n")
