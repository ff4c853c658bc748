"""Import of JSON Lines: every line is imported, already there, or quarantined with a reason; none is lost.

Pure reading and judging; the caller writes. Whatever of a line became no field is kept in the metadata
under `extra`, byte for byte; under `extra_2`, `extra_3`, … when the owner's metadata has an `extra`.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import tempfile
import unicodedata
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from itertools import count
from json.decoder import scanstring  # type: ignore[attr-defined]
from pathlib import Path
from string import Formatter
from typing import Any

import numpy as np
import pyarrow as pa

from mendory import digest
from mendory.errors import InputInvalid
from mendory.jsontext import NotAnObject, parse_object, with_key
from mendory.mapping import Mapping as FieldMapping
from mendory.record import BY_NAME, FIELD_NAMES, Memory, Shape
from mendory.text import is_blank

_WEEKDAYS = dict(zip("一二三四五六日天", ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Sun"), strict=True))
_MUST = ("id", "content", "scope", "created_at")
_MOST_LINE = 64 * 2**20
_MOST_UNPACKED, _MOST_RATIO = 2**30, 200
_BLANKS = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_JSON_NAMES = {str: "string", bool: "boolean", int: "number", float: "number", list: "list", dict: "object"}


@dataclass(frozen=True, slots=True)
class Shaping:
    """How source keys become fields.

    `keys` maps a field to a source key or a template such as `{user}/{agent}` (`{line}` is the line
    number); `constants` sets fields; `time_format` is a strptime format for times that are not
    ISO 8601, in which %a and %A also match Chinese weekdays; naive times are in `zone`. Raises
    InputInvalid for a template with anything but plain placeholders.
    """

    keys: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    time_format: str | None = None
    zone: tzinfo = UTC
    templates: Mapping[str, Template] = field(init=False)

    def __post_init__(self) -> None:
        templates = {name: Template.of(key) for name, key in self.keys.items() if "{" in key or "}" in key}
        object.__setattr__(self, "templates", templates)


@dataclass(frozen=True, slots=True)
class Template:
    """Text with placeholders, as (literal text, the key whose value follows it or None) in order.

    `escaped` are the characters that separate two placeholders: in a value they are percent-encoded,
    so that ("u/a", "b") and ("u", "a/b") stay apart.
    """

    parts: tuple[tuple[str, str | None], ...]
    escaped: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Template:
        """The template that `text` is; raises InputInvalid for any that is not plain.

        >>> sorted(Template.of("user:{user}/{agent}").escaped)
        ['%', '/']
        """
        try:
            parsed = list(Formatter().parse(text))
        except ValueError as error:
            raise _no_template(text, str(error)) from None
        for _, key, form, conversion in parsed:
            if key is not None and (form or conversion or not _plain_key(key)):
                raise _no_template(text, "only {name} and {line} may stand in it")
        parts = tuple((literal, key) for literal, key, _, _ in parsed)
        places = [at for at, (_, key) in enumerate(parts) if key is not None]
        if not places:
            raise _no_template(text, "it holds no placeholder")
        between = [parts[at][0] for at in places[1:]]
        if any(not _separators(literal) for literal in between):
            raise _no_template(text, "a separator such as / must stand between two placeholders")
        return cls(parts, frozenset("%" if between else "").union(*map(_separators, between)))

    def fill(self, line: _Line) -> str:
        """The text with the line's values in their places; raises KeyError for a part that has no value."""
        return "".join(literal + ("" if key is None else self._value(key, line)) for literal, key in self.parts)

    def _value(self, key: str, line: _Line) -> str:
        value = line.number if key == "line" else line.source.get(key)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise KeyError(key)
        text = value if isinstance(value, str) else str(value) if key == "line" else line.spans[key][1]
        if is_blank(text):
            raise KeyError(key)
        return "".join("".join(f"%{b:02X}" for b in c.encode()) if c in self.escaped else c for c in text)


def _plain_key(key: str) -> bool:
    return bool(key) and key == key.strip() and not key.isdecimal() and not set(key) & set(".[]{}")


def _separators(literal: str) -> frozenset[str]:
    return frozenset(c for c in literal if not c.isalnum() and c != "%")


def _no_template(text: str, why: str) -> InputInvalid:
    return InputInvalid(f"--map: '{text}' is no template: {why}. Nothing was imported. Write e.g. {{user}}/{{agent}}.")


@dataclass(frozen=True)
class _Line:
    """A line that is a JSON object: its number, its text, the object."""

    number: int
    text: str
    source: Mapping[str, Any]

    @cached_property
    def spans(self) -> dict[str, tuple[str, str]]:
        """Key → (the key, the value), both as they are written in the line."""
        text, found = self.text, {}
        at = _after_blanks(text, text.index("{") + 1)
        while text[at] != "}":
            if text[at] == ",":
                at = _after_blanks(text, at + 1)
            name, end = scanstring(text, at + 1)
            value = _after_blanks(text, _after_blanks(text, end) + 1)  # past the colon
            _, after = _DECODER.raw_decode(text, value)
            found[name] = (text[at:end], text[value:after])
            at = _after_blanks(text, after)
        return found


def _after_blanks(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    assert match is not None
    return match.end()


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


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """(number, bytes) of every line that is not blank; only a line feed ends a line. `.gz` is unpacked.

    Raises InputInvalid for a file that can't be read whole, is in another encoding than UTF-8, or is too large.
    """
    if not path.is_file():
        raise InputInvalid(f"{path} is no file. Nothing was imported. Name a JSON Lines file.")
    packed = path.stat().st_size if path.suffix.lower() == ".gz" else None
    total = 0
    try:
        with path.open("rb") if packed is None else gzip.open(path, "rb") as source:
            for number in count(1):
                line = source.readline(_MOST_LINE + 1)
                if not line:
                    return
                total += len(line)
                if len(line) > _MOST_LINE:
                    raise _too_large(path, f"line {number} is longer than {_MOST_LINE} bytes")
                if packed is not None and total > max(_MOST_UNPACKED, _MOST_RATIO * packed):
                    raise _too_large(path, f"{packed} bytes unpack to more than {total - 1}")
                if number == 1:
                    _expect_utf8(path, line)
                    line = line.removeprefix(b"\xef\xbb\xbf")
                text = line.removesuffix(b"\n").removesuffix(b"\r")
                if text.strip():
                    yield number, text
    except (EOFError, zlib.error, OSError) as error:
        raise InputInvalid(f"{path} can't be read whole: {error}. Nothing was imported. Get it again.") from None


def _too_large(path: Path, why: str) -> InputInvalid:
    return InputInvalid(f"{path}: input too large: {why}. Nothing was imported. Split the file.")


def _expect_utf8(path: Path, first: bytes) -> None:
    start = first[:4]
    name = None
    if start in (b"\xff\xfe\0\0", b"\0\0\xfe\xff") or start[1:] == b"\0\0\0" or start[:3] == b"\0\0\0":
        name = "UTF-32"
    elif start[:2] in (b"\xff\xfe", b"\xfe\xff") or (b"\0" in start[:2] and len(start.strip(b"\0")) > 0):
        name = "UTF-16"
    elif b"\0" in first:
        name = "UTF-16 or binary: its first line holds NUL bytes"
    if name is not None:
        raise InputInvalid(f"{path} is {name}, not UTF-8. Nothing was imported. Save the file as UTF-8.")


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


def _line(number: int, raw: bytes) -> _Line:
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
    return _Line(number, text, source)


def _record(line: _Line, shaping: Shaping, dimension: int, fields: Collection[str]) -> dict[str, Any]:
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


def _with_extra(metadata: str | None, line: _Line, keys: Sequence[str]) -> str:
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


def _value(name: str, line: _Line, shaping: Shaping, taken: set[str]) -> Any:
    if name in shaping.constants:
        return shaping.constants[name]
    if name in shaping.templates:
        try:
            return shaping.templates[name].fill(line)
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
    return {name: _comparable(name, value) for name, value in record.items()}


def _comparable(name: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return parse_object(value) if value is not None and BY_NAME[name].shape is Shape.JSON else value


@dataclass(frozen=True, slots=True)
class SortedOut:
    """Records to write, how many are in the table already, how many lines repeat one, and all refused lines."""

    fresh: list[dict[str, Any]]
    present: int
    doubled: int
    quarantined: list[Quarantined]


def against(judged: Judged, held: pa.Table | None, mapping: FieldMapping) -> SortedOut:
    """The records against the table's rows of the same ids: new, there already, or `id_exists` and not the same.

    The same means: in every mapped column but the volatile ones, JSON as parsed; the vector only when the line has one.
    """
    rows = [{c: v for k, v in kept.record.items() if (c := mapping.column(k)) is not None} for kept in judged.kept]
    there: dict[str | None, list[_Row]] = defaultdict(list)
    offered: list[_Row] = []
    if held is not None and held.num_rows:
        offered = _rows(pa.Table.from_pylist(rows, schema=held.schema), mapping)
        for row in _rows(held, mapping):
            there[row.memory.id].append(row)
    fresh, present, doubled, refused = [], 0, 0, list(judged.quarantined)
    for at, kept in enumerate(judged.kept):
        same_id = there.get(kept.record["id"], [])
        if same_id and not any(_same(offered[at], row, mapping) for row in same_id):
            hint = "the table has another record under this id; import it under a new id"
            refused += [Quarantined(number, "id_exists", hint, text) for number, text in kept.lines]
            continue
        doubled += len(kept.lines) - 1
        if same_id:
            present += 1
        else:
            fresh.append(rows[at])
    return SortedOut(fresh, present, doubled, sorted(refused, key=lambda q: q.line))


@dataclass(frozen=True, slots=True)
class _Row:
    memory: Memory
    vector: Any


def _rows(table: pa.Table, mapping: FieldMapping) -> list[_Row]:
    column = mapping.column("embedding")
    vectors = table.column(column).to_pylist() if column else [None] * table.num_rows
    return [_Row(m, v) for m, v in zip(mapping.memories(table), vectors, strict=True)]


def _same(offered: _Row, held: _Row, mapping: FieldMapping) -> bool:
    if held.memory.wrong or held.memory.metadata_error:
        return False
    names = [
        n for n in FIELD_NAMES if n != "embedding" and mapping.has(n) and mapping.column(n) not in mapping.volatile
    ]
    for name in names:
        ours, theirs = getattr(offered.memory, name), getattr(held.memory, name)
        if BY_NAME[name].shape is Shape.JSON:
            ours, theirs = digest.of(ours), digest.of(theirs)  # 1 and true are equal in Python
        if ours != theirs:
            return False
    if offered.vector is None:
        return True
    return held.vector is not None and np.array_equal(np.asarray(offered.vector), np.asarray(held.vector))


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


def quarantine_target(file: Path, given: Path | None) -> Path:
    """Where refused lines go; raises InputInvalid when they can't go there, the input file above all."""
    target = given or file.with_name(file.name + ".quarantine.jsonl")
    if target.resolve() == file.resolve() or (target.exists() and file.exists() and target.samefile(file)):
        raise InputInvalid(f"--quarantine {target} is the input file. Nothing was imported. Name another file.")
    if target.is_dir() or not target.parent.is_dir():
        raise InputInvalid(f"--quarantine {target} is no file in a folder that is there. Nothing was imported.")
    return target


def write_quarantine(path: Path, refused: Sequence[Quarantined]) -> None:
    """Every refused line is in the file with its number, reason, hint and text; readable by its owner alone.

    The file is put in place whole; a link that stands there is replaced, what it points to stays as it was.
    """
    held = None
    try:
        handle, held = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # new, no link, mode 0600
        with os.fdopen(handle, "w", encoding="utf-8") as target:
            for one in refused:
                entry = {"line": one.line, "reason": one.reason, "hint": one.hint, "text": one.text}
                target.write(json.dumps(entry) + "\n")
            target.flush()
            os.fsync(target.fileno())
        Path(held).replace(path)
    except OSError as error:
        if held is not None:
            Path(held).unlink(missing_ok=True)
        raise InputInvalid(f"{path} can't be written: {error.strerror}. Nothing was imported. Name another.") from None
