"""Labelled sets as their files have them: pairs of texts, and a new fact against old ones.

A set is `<folder>/duplicates/<name>.jsonl[.gz]` or `<folder>/contradictions/<name>.jsonl[.gz]`, one JSON object a line.
Which form a row has is told by its keys, so that a further set needs no code:
`a, b, label`; `profile, response, label, domain`; `facts, new_fact, contradicted_idx`.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mendory.text import is_blank, script

TASKS: Final = ("duplicates", "contradictions")
_POSITIVE: Final = {
    "duplicates": frozenset({"same", "duplicate", "paraphrase", "1", "true"}),
    "contradictions": frozenset({"contradiction", "contradicted", "1", "true"}),
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts, whether they are what the set looks for, the set's own word for what they are, and the half."""

    a: str
    b: str
    positive: bool
    kind: str
    tuning: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """Old facts, a new one, the indexes of those it contradicts (often none), and the half."""

    facts: tuple[str, ...]
    new: str
    wanted: frozenset[int]
    tuning: bool


@dataclass(frozen=True, slots=True)
class Labelled:
    """One set: `name` is `<task>/<file>`. It has pairs or choices; `unread` counts rows of no known form."""

    task: str
    name: str
    language: str
    pairs: tuple[Pair, ...] = ()
    choices: tuple[Choice, ...] = ()
    unread: int = 0


def in_tuning_half(a: str, b: str) -> bool:
    """Whether a pair is of the half on which whatever is chosen from data may be chosen."""
    return int(hashlib.sha256((a + b).encode()).hexdigest(), 16) % 2 == 0


def labelled(folder: Path) -> Iterator[Labelled]:
    """Every labelled set under the folder, duplicates first, by name."""
    for task in TASKS:
        files = sorted((folder / task).glob("*.jsonl*"), key=lambda file: file.name)
        for file in files:
            if file.name.endswith((".jsonl", ".jsonl.gz")):
                yield _read(task, file)


def _read(task: str, file: Path) -> Labelled:
    opened = gzip.open if file.suffix == ".gz" else open
    with opened(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    pairs, choices = [], []
    for row in rows:
        found = _choice(row) if "facts" in row else _pair(task, row)
        if isinstance(found, Pair):
            pairs.append(found)
        elif found is not None:
            choices.append(found)
    texts = [pair.a for pair in pairs] + [choice.new for choice in choices]
    unread = len(rows) - len(pairs) - len(choices)
    name = f"{task}/{file.name.removesuffix('.gz').removesuffix('.jsonl')}"
    return Labelled(task, name, _language(rows, texts), tuple(pairs), tuple(choices), unread)


def _pair(task: str, row: dict[str, Any]) -> Pair | None:
    profile = isinstance(row.get("profile"), dict)
    a, b = (_profile(row), row.get("response")) if profile else (row.get("a"), row.get("b"))
    label = row.get("label")
    if label is None or not isinstance(a, str) or not isinstance(b, str) or is_blank(a) or is_blank(b):
        return None
    word = str(label).lower()
    kind = f"{word}, {row['domain']}" if profile else word
    return Pair(a, b, word in _POSITIVE[task], kind, in_tuning_half(a, b))


def _profile(row: dict[str, Any]) -> str | None:
    """The entry of a profile that the utterance is about, as its owner would say it of himself."""
    domain = row.get("domain")
    held = row["profile"].get({"location": "loc"}.get(str(domain), domain))
    if domain == "gender":
        return {"male": "我是男生", "female": "我是女生"}.get(held)
    if domain == "location":
        return f"我在{held}" if held else None
    return f"我是{held}" if held else None


def _choice(row: dict[str, Any]) -> Choice | None:
    facts, new, wanted = row["facts"], row.get("new_fact"), row.get("contradicted_idx")
    texts = [*facts, new] if isinstance(facts, list) else []
    if not isinstance(wanted, list) or not all(isinstance(text, str) and not is_blank(text) for text in texts):
        return None
    # the same ten facts come with several new ones: all of them are in one half
    return Choice(tuple(facts), str(new), frozenset(wanted), in_tuning_half("".join(facts), ""))


def _language(rows: Sequence[dict[str, Any]], texts: Sequence[str]) -> str:
    """The language most rows say they are in; where they say nothing, by the script of the texts."""
    said = Counter(str(row["lang"]) for row in rows if row.get("lang"))
    if not said:
        said = Counter({"latin": "en"}.get(script(text), script(text)) for text in texts)
    return said.most_common(1)[0][0] if said else "en"
