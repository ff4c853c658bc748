"""What a row's status is, and what may hide it. No rule is guessed beyond what says deleted or archived by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from mendory.guess.draft import Draft
from mendory.guess.evidence import Evidence, Place
from mendory.guess.names import ENDED, HIDDEN, NAMES, SHOWN, WORDS
from mendory.guess.rules import best
from mendory.guess.times import unit
from mendory.mapping.status import text_of
from mendory.text import shown

_FLAGS: Final[tuple[Mapping[str, Any], ...]] = (
    MappingProxyType({"0": 0, "1": 1}),
    MappingProxyType({"false": False, "true": True}),
    MappingProxyType({"N": "N", "Y": "Y"}),
    MappingProxyType({"n": "n", "y": "y"}),
    MappingProxyType({"no": "no", "yes": "yes"}),
    MappingProxyType({"否": "否", "是": "是"}),
)
"""Pairs of (no, yes) as owners write them."""
_WORDS_AT_MOST: Final = 12


def hiding(draft: Draft, evidence: Evidence) -> None:
    """The draft says where the status lies, in which words, and which mark hides a row, if any can be told."""
    words = best(draft, [p for p in evidence.of(("text",)) if _few(p)], NAMES["status"])
    flag = best(draft, evidence.of(("bool", "number", "text")), HIDDEN)
    if words is not None:
        _by_words(draft, words)
    hidden_by = None if flag is None else _by_flag(draft, flag)
    if flag is not None and hidden_by:
        _confirm(draft, {flag.path: hidden_by[1]}, f"a flag by its name {flag.path}")
    shown_by = best(draft, evidence.of(("bool", "number", "text")), SHOWN)
    if shown_by is not None and "status" not in draft.places:
        _by_flag(draft, shown_by, gone=0)
        draft.ask("if the reader skips rows by {place}, name it under [mapping.hide]", place=shown_by.path)
    ended = best(draft, evidence.of(("number", "text", "time")), ENDED)
    if ended is not None and not draft.hide:
        _by_time(draft, ended)
    if not draft.hide:
        draft.hide_why = "no column says by itself that a row is deleted or archived"


def _few(place: Place) -> bool:
    return len(set(place.held)) <= _WORDS_AT_MOST


def _by_words(draft: Draft, place: Place) -> None:
    seen = dict.fromkeys(place.held)
    known = {word: ours for word in seen if (ours := _meant(str(word))) is not None}
    if seen and not known:
        draft.ask("{place} holds words that are not known: say under [mapping.status] what they mean", place=place.path)
        return
    draft.put("status", place.path, "its name")
    draft.words = dict(known)
    unknown = [str(word) for word in seen if word not in known]
    if unknown:
        _also(draft, place, unknown)
    gone = next((word for word, ours in known.items() if ours == "archived"), None)
    if gone is not None:
        _confirm(draft, {place.path: gone}, f"a status by its name {place.path}")


def _also(draft: Draft, place: Place, words: Sequence[str]) -> None:
    said = ", ".join(shown(word, 20) for word in sorted(words)[:5])
    draft.ask(
        "{place} also holds {words}: findings, unless [mapping.status] says their meaning", place=place.path, words=said
    )


def _meant(word: str) -> str | None:
    return next((ours for ours, words in WORDS.items() if word.strip().lower() in words), None)


def _by_flag(draft: Draft, place: Place, gone: int = 1) -> list[Any] | None:
    """[no, yes] as the flag is written; None when it is none. A table without a status reads it from there."""
    seen = {text for v in place.held if (text := text_of(v)) is not None}
    pair = next((p for p in _FLAGS if _fits(p, place)), None)
    if pair is None:
        draft.ask(
            "{place} is named like a flag and holds other values: name it under [mapping.status]", place=place.path
        )
        return None
    if not seen <= set(pair):
        _also(draft, place, sorted(seen - set(pair)))
    if place.kind == "bool":
        pair = _FLAGS[1]
    elif place.kind == "text" and set(pair) == {"0", "1"}:
        pair = MappingProxyType({"0": "0", "1": "1"})
    if "status" not in draft.places:
        draft.put("status", place.path, "a flag by its name")
        draft.words = {word: "archived" if at == gone else "active" for at, word in enumerate(pair)}
        draft.missing = "active" if gone and place.share < 0.5 else None
    return list(pair.values())


def _fits(pair: Mapping[str, Any], place: Place) -> bool:
    """Nine of ten values are of the pair; where there are none, only numbers and truth values tell by their type."""
    if not place.held:
        return place.kind == ("bool" if "true" in pair else "number" if "0" in pair else "")
    return sum(text_of(v) in pair for v in place.held) >= len(place.held) * 0.9


def _by_time(draft: Draft, place: Place) -> None:
    if place.kind == "time":
        draft.ask("{place} is a time by its name, and no mark can be written there: it hides nothing", place=place.path)
        return
    units = [u for v in place.held if (u := unit(v))]
    form = units[0] if units else "ms" if place.kind == "number" else "iso"
    _confirm(draft, {place.path: f"now:{form}"}, f"a time by its name {place.path}")


def _confirm(draft: Draft, marks: Mapping[str, Any], why: str) -> None:
    draft.hide |= marks
    draft.hide_why = why
    said = " ".join(f"{place}={_bare(value)}" for place, value in marks.items())
    draft.ask("hide {marks}: make sure that the reader skips such rows", marks=said)


def _bare(value: Any) -> str:
    return str(text_of(value))
