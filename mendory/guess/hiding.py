"""What a row's status is, and what may hide it. No rule is guessed beyond what says deleted or archived by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import pyarrow as pa

from mendory.guess.draft import Draft
from mendory.guess.ended import by_time, confirm
from mendory.guess.evidence import Evidence, Kind, Place
from mendory.guess.names import ENDED, HIDDEN, NAMES, SHOWN, WORDS, rank
from mendory.guess.rules import best
from mendory.text import shown, text_of

_FLAGS: Final[tuple[Mapping[str, Any], ...]] = (
    MappingProxyType({"0": 0, "1": 1}),
    MappingProxyType({"false": False, "true": True}),
    MappingProxyType({"False": "False", "True": "True"}),
    MappingProxyType({"FALSE": "FALSE", "TRUE": "TRUE"}),
    MappingProxyType({"N": "N", "Y": "Y"}),
    MappingProxyType({"n": "n", "y": "y"}),
    MappingProxyType({"no": "no", "yes": "yes"}),
    MappingProxyType({"否": "否", "是": "是"}),
)
"""Pairs of (no, yes) as owners write them."""
_FLAG_KINDS: Final[tuple[Kind, ...]] = ("bool", "number", "text")
_WORDS_AT_MOST: Final = 12
_SOME: Final = 0.05


def hiding(draft: Draft, evidence: Evidence) -> None:
    """The draft says where the status lies, in which words, and which marks hide a row, if any can be told.

    Whatever else is named like a status or a mark is asked about: rows marked there alone would count as live.
    """
    words = best(draft, [p for p in evidence.of(("text",)) if _few(p)], NAMES["status"])
    flag = best(draft, evidence.of(_FLAG_KINDS), HIDDEN)
    if words is not None:
        _by_words(draft, words)
    hidden_by = None if flag is None else _by_flag(draft, flag)
    if flag is not None and hidden_by:
        confirm(draft, {flag.path: hidden_by[1]}, f"a flag by its name {flag.path}")
    shown_by = best(draft, evidence.of(_FLAG_KINDS), SHOWN)
    if shown_by is not None and (shown_by.within != "key" or "status" not in draft.places):
        if "status" not in draft.places:
            _by_flag(draft, shown_by, gone=0)
        draft.ask("if the reader skips rows by {place}, name it under [mapping.hide]", place=shown_by.path)
    ended = best(draft, evidence.of(("number", "text", "time")), ENDED)
    if ended is not None:
        by_time(draft, evidence, ended)
    _others(draft, evidence, [p.path for p in (words, flag, shown_by, ended) if p is not None])
    _empty(draft, evidence)
    if not draft.hide:
        draft.hide_why = "no column says by itself that a row is deleted or archived"


def _others(draft: Draft, evidence: Evidence, seen: Sequence[str]) -> None:
    """Asks about what is named like a status or a mark and is neither."""
    free = [p for p in draft.free(evidence.places.values()) if p.path not in seen]
    for place in free:
        named = rank(place.name, NAMES["status"]) is not None
        mark = rank(place.name, (*HIDDEN, *ENDED)) is not None
        if place.kind in ("number", "bool") and named and place.held:
            draft.ask(_CODES, place=place.path, words=_some([w for v in place.held if (w := text_of(v)) is not None]))
        elif mark and place.kind in ("number", "bool", "text", "time"):
            draft.ask(_TOO, place=place.path)
        elif (mark or named or rank(place.name, SHOWN) is not None) and _decimal(place, evidence):
            draft.ask(_OF_TYPE, place=place.path, type=str(evidence.schema.field(place.path).type))


def _decimal(place: Place, evidence: Evidence) -> bool:
    return place.within == "column" and bool(pa.types.is_decimal(evidence.schema.field(place.path).type))


_CODES: Final = (
    "{place} is named like a status and holds {words}: if that is one, name it under [mapping.columns], say what they "
    "mean under [mapping.status] and what hides a row under [mapping.hide]"
)
_TOO: Final = (
    "{place} is named like a mark of deletion too: rows marked there alone count as live, unless [mapping.hide] names "
    "it"
)
_OF_TYPE: Final = "{place} is named like a mark, and nothing of type {type} can be mapped: it hides nothing"


def _empty(draft: Draft, evidence: Evidence) -> None:
    """Asks what it means where part of the rows hold no status."""
    place = evidence.places.get(draft.places.get("status", ""))
    if place is None or not place.held or 1 - place.share < _SOME:
        return
    if draft.missing:
        draft.ask(_TAKEN, place=place.path, **place.counted)
    else:
        draft.empty = True
        draft.ask(_WITHOUT, place=place.path, **place.counted)


_TAKEN: Final = "{place} is empty in {some} of {all} rows, which is taken for active"
_WITHOUT: Final = (
    "{place} is empty in {some} of {all} rows: findings, unless missing under [mapping.status] says what that means"
)


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
        confirm(draft, {place.path: gone}, f"a status by its name {place.path}")
    elif seen:
        draft.ask(_NO_WORD, place=place.path)


_NO_WORD: Final = (
    "{place} holds no word that means archived: if the reader skips rows by one, say it under [mapping.status] and "
    "[mapping.hide]"
)


def _also(draft: Draft, place: Place, words: Sequence[str]) -> None:
    draft.ask(
        "{place} also holds {words}: findings, unless [mapping.status] says their meaning",
        place=place.path,
        words=_some(words),
    )


def _some(words: Iterable[str]) -> str:
    return ", ".join(shown(word, 20) for word in sorted(set(words))[:5])


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
        # where only deleted rows are flagged, or hardly any row is, an empty flag says that nobody deleted the row
        alone = gone and not seen & {next(iter(pair))}
        draft.missing = "active" if alone or (gone and place.share < 0.5) else None
    return list(pair.values())


def _fits(pair: Mapping[str, Any], place: Place) -> bool:
    """Nine of ten values are of the pair; where there are none, only numbers and truth values tell by their type."""
    if not place.held:
        return place.kind == ("bool" if "true" in pair else "number" if "0" in pair else "")
    return sum(text_of(v) in pair for v in place.held) >= len(place.held) * 0.9
