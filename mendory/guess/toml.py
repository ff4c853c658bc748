"""The guess as text: a commented `mendory.toml`, and the lines a terminal shows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mendory.guess.model import Guess
from mendory.guess.zones import spoken
from mendory.text import shown

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def listed(names: Sequence[str]) -> str:
    """Names as a TOML list; what nobody sees in one is written as an escape."""
    return _value(names)


def toml(guess: Guess) -> str:
    """The sections `[mapping]` and `[metadata]` as TOML, with the reason for each field beside it."""
    return "\n".join(_lines(guess)) + "\n"


def _lines(guess: Guess) -> Iterator[str]:
    section = guess.mapping
    if guess.owner:
        yield f"# Recognised by its columns: {guess.owner}."
    yield from (f"# Confirm: {_remark(str(question))}" for question in guess.questions)
    yield "[mapping]"
    for key, remark in _TOP.items():
        if key in section:
            yield f"{key} = {_value(section[key])}  # {remark}"
    if section["hide"] == "none":
        yield f'hide = "none"  # {_remark(guess.hide_why)}'
    yield from _table("mapping.columns", section["columns"], guess.reasons)
    for name, forms in section.get("times", {}).items():
        zone = forms.get("zone", "")
        remarks = {"zone": spoken(zone)} if spoken(zone) != zone else {}
        yield from _table(f"mapping.times.{name}", forms, remarks)
    if "status" in section:
        yield from _table("mapping.status", section["status"], {"missing": "what no value means"})
        if guess.unsaid:
            yield '# missing = "active"  # what no value means'
    if section["hide"] != "none":
        yield from _table("mapping.hide", section["hide"], {}, guess.hide_why)
    if "show" in section:
        yield from _table("mapping.show", section["show"], {}, "what live rows hold there; a new row gets it")
    if "metadata" in section["columns"]:
        yield from _table(
            "metadata", {"required": guess.required}, {"required": "of our keys, those nine of ten rows hold"}
        )
    if guess.incidental:
        yield from _table(
            "duplicate", {"incidental": guess.incidental}, {"incidental": "differs in every double write"}
        )


_TOP: Mapping[str, str] = {
    "absent": "the table has no place for these; each is one line in a check",
    "optional": "left empty on purpose",
    "volatile": "changed by a mere read",
    "skip_ids": "rows that are no memories",
    "vectors": "further vectors, each judged by what is usual in its column; a null is no finding",
    "zone": "of times without one",
}


def _table(name: str, values: Mapping[str, Any], remarks: Mapping[str, str], about: str = "") -> Iterator[str]:
    yield ""
    yield f"[{name}]" + (f"  # {_remark(about)}" if about else "")
    for key, value in values.items():
        remark = f"  # {_remark(remarks[key])}" if remarks.get(key) else ""
        yield f"{_key(key)} = {_value(value)}{remark}"


def _remark(text: str) -> str:
    return shown(text, 200)


def _key(text: str) -> str:
    return text if _BARE.fullmatch(text) else _text(text)


def _text(text: str) -> str:
    return "".join(ch if ch.isprintable() else f"\\U{ord(ch):08x}" for ch in json.dumps(text, ensure_ascii=False))


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }" if value else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value)
