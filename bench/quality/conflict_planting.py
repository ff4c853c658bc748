"""Memories of the stores with conflicts, exceptions, and what only looks like one, planted among them."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from bench.quality import conflict_templates as templates
from bench.quality.planting import STORES, Row, read
from bench.quality.rewrites import OTHER

CHANGES: Final = "preference_changes"
ALL: Final = {**STORES, CHANGES: "en"}
LATER: Final = timedelta(days=40)
REWRITES: Final = ("negation", "opposite")
"""Rules of rewriting by which one statement denies another, whatever it is about."""


class Planted(StrEnum):
    """What a planted pair is, and what is to come of it."""

    DECIDED = "decided"
    """They can't both hold, and the second is weeks newer: a rule decides."""
    UNDECIDED = "undecided"
    """They can't both hold and are of one time: no rule decides, and both are still recalled."""
    EXCEPTION = "exception"
    COMPATIBLE = "compatible"
    ELSEWHERE = "elsewhere"
    """The second is in another scope."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two rows, of which the second and perhaps the first was planted."""

    first: Row
    second: Row
    what: Planted
    kind: str


def plant(folder: Path, store: str) -> tuple[list[Row], list[Pair]]:
    """All rows of the store with what was planted, and what was planted."""
    if store == CHANGES:
        rows, pairs = _changes(folder)
    else:
        rows = read(folder, store)
        pairs = [*_rewritten(rows, ALL[store])]
    pairs += _statements(rows, ALL[store])
    held = {row.id: row for row in rows}
    held |= {row.id: row for pair in pairs for row in (pair.first, pair.second)}
    return list(held.values()), pairs


def _rewritten(rows: list[Row], language: str) -> Iterator[Pair]:
    """Of 24 memories one is denied weeks later, one at the same time, one in another scope."""
    scopes = sorted({row.scope for row in rows})
    said = {(row.scope, row.text) for row in rows}
    for row in rows:
        number = _number(row.id)
        what = {0: Planted.DECIDED, 1: Planted.UNDECIDED, 2: Planted.ELSEWHERE}.get(number % 24)
        made = [(kind, text) for kind in REWRITES if (text := OTHER[language][kind](row.text)) not in (None, row.text)]
        if what is None or not made:
            continue
        kind, text = made[number // 24 % len(made)]
        scope = scopes[(scopes.index(row.scope) + 1) % len(scopes)] if what is Planted.ELSEWHERE else row.scope
        if text is not None and (scope, text) not in said:
            after = timedelta() if what is Planted.UNDECIDED else LATER
            yield Pair(row, Row(f"{row.id}-{what}", scope, text, row.created_at + after), what, kind)


def _statements(rows: list[Row], language: str) -> Iterator[Pair]:
    """In each scope one pair of statements about somebody whom the store does not know."""
    who, other = templates.WHO[language]
    scopes = sorted({row.scope for row in rows})
    newest = max(row.created_at for row in rows)
    for at, scope in enumerate(scopes):
        what, pairs = (
            (Planted.DECIDED, templates.CONFLICTS),
            (Planted.COMPATIBLE, templates.COMPATIBLE),
            (Planted.UNDECIDED, templates.CONFLICTS),
            (Planted.EXCEPTION, templates.EXCEPTIONS),
            (Planted.ELSEWHERE, templates.CONFLICTS),
        )[at % 5]
        kind, first, second = pairs[language][at // 5 % len(pairs[language])]
        one = Row(f"{language}-{at:05}-first", scope, first.format(who=who, other=other), newest)
        after = timedelta() if what is Planted.UNDECIDED else LATER
        text = second.format(who=who, other=other)
        two = Row(f"{language}-{at:05}-second", scope, text, newest + after)
        if what is Planted.ELSEWHERE:
            two = replace(two, scope=scopes[at - 1])
        yield Pair(one, two, what, kind)


def _changes(folder: Path) -> tuple[list[Row], list[Pair]]:
    """Preferences before and after they changed: one that turned round or was dropped, and one that became another."""
    with gzip.open(folder / "stores" / f"{CHANGES}.jsonl.gz", "rt", encoding="utf-8") as lines:
        held = [json.loads(line) for line in lines]
    rows: list[Row] = []
    pairs: list[Pair] = []
    began = datetime.fromisoformat("2024-03-01T09:00:00+00:00")
    said: set[tuple[str, str]] = set()
    for at, change in enumerate(held):
        if len(change["before"]) != 1 or len(change["after"]) != 1:
            continue
        [was], [now] = change["before"], change["after"]
        scope = str(change["user"])
        one = Row(f"change-{at:04}-before", scope, _stated(was, over=False), began + timedelta(hours=at))
        two = Row(f"change-{at:04}-after", scope, _stated(now, over=bool(now.get("deleted"))), one.created_at + LATER)
        if one.text == two.text or {(scope, one.text), (scope, two.text)} & said:
            continue
        said |= {(scope, one.text), (scope, two.text)}
        same = was["specific_item"].casefold() == now["specific_item"].casefold()
        turned = was["type"] != now["type"] or bool(now.get("deleted"))
        rows += [one, two]
        if same and turned:
            kind = "dropped" if now.get("deleted") else "turned round"
            pairs.append(Pair(one, two, Planted.DECIDED, kind))
        elif was["type"] == now["type"]:
            pairs.append(Pair(one, two, Planted.COMPATIBLE, "another thing liked or disliked"))
    return rows, pairs


def _stated(preference: dict[str, Any], over: bool) -> str:
    """A preference as a memory says it."""
    item = str(preference["specific_item"]).rstrip(".")
    item = item if item[1:2].isupper() else item[:1].lower() + item[1:]
    verb = "like" if preference["type"] == "like" else "dislike"
    return f"I no longer {verb} {item}." if over else f"I {verb} {item}."


def _number(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16)
