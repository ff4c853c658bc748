"""Memories of the stores with duplicates, contradictions and other people's copies planted among them."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from bench.quality.rewrites import OTHER, SAME, Rewrite

STORES: Final = {"locomo": "en", "personas": "en", "memdaily": "zh"}
PERSONAS: Final = 600
"""So many of the 3,000 persons: enough scopes, and a run of minutes."""
_BEGIN: Final = datetime(2024, 3, 1, 9, tzinfo=UTC)
DUPLICATE, CONTRADICTION, ELSEWHERE = "duplicate", "contradiction", "elsewhere"


@dataclass(frozen=True, slots=True)
class Row:
    """A memory; a planted one says what it is to which original and by which rule it was made."""

    id: str
    scope: str
    text: str
    created_at: datetime
    original: str | None = None
    planted: str | None = None
    kind: str = ""


def read(folder: Path, store: str) -> list[Row]:
    """The store's memories in their scopes, an hour apart, each text once a scope."""
    with gzip.open(folder / "stores" / f"{store}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rows = rows[:PERSONAS] if store == "personas" else rows
    once = dict.fromkeys(said for row in rows for said in _said(store, row))
    return [Row(f"{store}-{at:05}", scope, text, _BEGIN + timedelta(hours=at)) for at, (scope, text) in enumerate(once)]


def _said(store: str, row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if store == "personas":
        yield from ((row["scope"], text) for text in row["memories"])
    elif store == "memdaily":
        yield f"{row['file']}/{row['tid']}", row["text"]
    else:
        yield row["sample"], row["text"]  # both speakers' memories in one scope: names must keep them apart


def plant(rows: list[Row], language: str) -> list[Row]:
    """What is added: of 16 memories two are said again, two contradicted, one copied and one copied elsewhere.

    Which, by which rule and where is told by the digest of the id. Half of what is said again is a double write some
    minutes later, half a restatement after weeks.
    """
    scopes = sorted({row.scope for row in rows})
    taken = {(row.scope, row.text) for row in rows}
    added = []
    for row in rows:
        number = int(hashlib.sha256(row.id.encode()).hexdigest(), 16)
        turn, number = number % 16, number // 16
        later = timedelta(minutes=7) if number % 2 else timedelta(days=40)
        if turn in (0, 1, 2, 3):
            planted = DUPLICATE if turn < 2 else CONTRADICTION
            kind, text = _rewritten(row.text, (SAME if turn < 2 else OTHER)[language], number // 2)
            made = Row(f"{row.id}-{kind}", row.scope, text, row.created_at + later, row.id, planted, kind)
        elif turn == 4:
            scope = scopes[(scopes.index(row.scope) + 1) % len(scopes)]
            made = Row(f"{row.id}-copy", scope, row.text, row.created_at + later, row.id, ELSEWHERE, "copy")
        elif turn == 5:
            added.append(Row(f"{row.id}-copy", row.scope, row.text, row.created_at + later, row.id, DUPLICATE, "copy"))
            continue
        else:
            continue
        if made.kind and (made.scope, made.text) not in taken:
            taken.add((made.scope, made.text))
            added.append(made)
    return added


def _rewritten(text: str, rules: Mapping[str, Rewrite], number: int) -> tuple[str, str]:
    """The kind and the text of one of the rules that apply, as the number has it; ("", text) where none does."""
    changed = {name: rule(text) for name, rule in rules.items()}
    fit = [(name, new) for name, new in changed.items() if new is not None and new != text]
    return fit[number % len(fit)] if fit else ("", text)
