"""Whether a memory may be written: every fault at once, before anything is. Pure."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from mendory.errors import MemoryRefused
from mendory.jsontext import dumps, parse_object
from mendory.record import BY_NAME, Kind, Shape, Status
from mendory.text import is_blank

MOST_CHARACTERS: Final = 100_000
"""A longer content is refused: a model would need a gigabyte for it, and nobody could read it."""
MOST_ID_BYTES: Final = 512
_AHEAD: Final = timedelta(minutes=5)
_NOT_BY_UPDATE: Final = frozenset({"created_at", "updated_at"})
_NOT_TAKEN_AWAY: Final = frozenset({"metadata", "status", "kind"})
_WORDS: Final[Mapping[str, tuple[str, frozenset[str]]]] = {
    "kind": ("unknown_kind", frozenset(k.value for k in Kind)),
    "status": ("illegal_status", frozenset(s.value for s in Status)),
}
_MUST: Final[Mapping[str, tuple[str, str]]] = {
    "content": ("content_empty", "the content holds nothing to see"),
    "scope": ("missing_scope", "no scope says whose memory it is"),
    "source": ("missing_source", "no source says who said it"),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A stable code and one clause for a person; never a text of the memory."""

    code: str
    why: str


def refusal(faults: Sequence[Fault], undone: str = "Nothing was written.") -> MemoryRefused:
    """The error that names all faults."""
    said = "; ".join(f"{f.code}: {f.why}" for f in faults)
    return MemoryRefused(
        f"The memory was refused for {len(faults)} reason(s). {said}. {undone} Mend them and call again.",
        tuple(dict.fromkeys(f.code for f in faults)),
    )


def refuse(faults: Sequence[Fault], undone: str = "Nothing was written.") -> None:
    """Return when there is no fault; else raise MemoryRefused with all of them."""
    if faults:
        raise refusal(faults, undone)


def judge(
    fields: Mapping[str, Any], has: Callable[[str], bool], now: datetime, *, new: bool, most: int = MOST_CHARACTERS
) -> list[Fault]:
    """Every fault of these fields of a memory; `has` tells which fields the owner's table has a place for.

    A field that is None is not given; `new` memories must have what is required.
    """
    found = [fault for name, value in fields.items() for fault in _field(name, value, has, now, most)]
    for name, (code, why) in _MUST.items():
        value = fields.get(name)
        asked = has(name) if new else name in fields
        if asked and (value is None or (isinstance(value, str) and is_blank(value))):
            found.append(Fault(code, why))
    return found


def _field(name: str, value: Any, has: Callable[[str], bool], now: datetime, most: int) -> Iterator[Fault]:
    if name not in BY_NAME:
        yield Fault("unknown_field", f"a memory has no field {name!r}")
        return
    if value is None:
        return
    if not has(name) and not (name in ("status", "related_ids", "related_notes") and value in (Status.ACTIVE, (), [])):
        yield Fault("no_place", f"the owner's table has no place for the {name}")
    match BY_NAME[name].shape:
        case Shape.TEXT:
            yield from _text(name, value, most)
        case Shape.JSON:
            yield from json_faults(name, value)
        case Shape.TIME:
            yield from _time(name, value, now)
        case Shape.TEXTS:
            yield from _texts(name, value)


def _text(name: str, value: Any, most: int) -> Iterator[Fault]:
    if not isinstance(value, str):
        yield _wrong_type(name, value, "a text")
    elif not _sound(value):
        yield Fault("lone_surrogate", f"the {name} holds half a character")
    elif name == "content" and len(value) > most:
        yield Fault("content_too_long", f"the content has {len(value)} characters, {most} are the most")
    elif name in _WORDS and value not in _WORDS[name][1]:
        code, words = _WORDS[name]
        yield Fault(code, f"the {name} is none of {', '.join(sorted(words))}")
    elif name == "id":
        yield from id_faults(value)
    elif name not in _MUST and is_blank(value):
        yield Fault("wrong_type", f"the {name} is blank; leave it out instead")


def id_faults(value: Any) -> Iterator[Fault]:
    """What is wrong with an id."""
    if not isinstance(value, str):
        yield _wrong_type("id", value, "a text")
    elif is_blank(value):
        yield Fault("missing_id", "the id holds nothing to see")
    elif not _sound(value):
        yield Fault("lone_surrogate", "the id holds half a character")
    elif len(value.encode()) > MOST_ID_BYTES or any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") for c in value):
        yield Fault("bad_id", f"an id has at most {MOST_ID_BYTES} bytes and no control or format characters")


def json_faults(name: str, value: Any) -> Iterator[Fault]:
    """What is wrong with an object that is to be written as JSON."""
    if not isinstance(value, Mapping):
        yield _wrong_type(name, value, "a mapping")
        return
    code = "metadata_invalid" if name == "metadata" else "wrong_type"
    try:
        parse_object(dumps(dict(value)))
        json.dumps(dict(value), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        yield Fault("lone_surrogate", f"the {name} holds half a character")
    except (TypeError, ValueError, RecursionError):  # NotAnObject is a ValueError; so is a circular object's
        yield Fault(code, f"the {name} can't be written as JSON: text keys, no NaN or infinity, no other objects")


def column_faults(columns: Any) -> list[Fault]:
    """What is wrong with the names of an owner's own columns."""
    if columns is None or (isinstance(columns, Mapping) and all(isinstance(name, str) for name in columns)):
        return []
    return [Fault("wrong_type", f"columns is a mapping by column, not a {type(columns).__name__}")]


def change_faults(changes: Mapping[str, Any]) -> Iterator[Fault]:
    """What an update may not change, and what it may not take away."""
    for name in sorted(_NOT_BY_UPDATE & set(changes)):
        yield Fault("no_place", f"the {name} is not a field that an update changes")
    for name in sorted(n for n in _NOT_TAKEN_AWAY & set(changes) if changes[n] is None):
        yield Fault("wrong_type", f"the {name} can't be taken away")


def _time(name: str, value: Any, now: datetime) -> Iterator[Fault]:
    if not isinstance(value, datetime):
        yield _wrong_type(name, value, "a datetime")
    elif value.tzinfo is None:
        yield Fault("naive_timestamp", f"the {name} has no time zone")
    elif value > now + _AHEAD:
        yield Fault("timestamp_future", f"the {name} lies in the future")


def _texts(name: str, value: Any) -> Iterator[Fault]:
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        yield _wrong_type(name, value, "a list of texts")
    elif not all(map(_sound, value)):
        yield Fault("lone_surrogate", f"the {name} hold half a character")


def _wrong_type(name: str, value: Any, wanted: str) -> Fault:
    return Fault("wrong_type", f"the {name} is {wanted}, not a {type(value).__name__}")


def _sound(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
