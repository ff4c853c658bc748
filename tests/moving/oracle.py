"""The oracle: what the programs wrote down, against the table as LanceDB reads it and vectors made anew. Pure.

It knows nothing of Mendory's ledger, side files or telemetry. A vector is of a text when the model, asked again, makes
that vector of it; a list of answers is of one space when every similarity in it is the cosine of the question and a
text that the row has had, both by one model.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from mendory.embedding import Vectors

NEAR: Final = 1e-3
"""How far a similarity told may be from the one recomputed: float32, and one text embedded alone or among others."""
RIGHT: Final = 0.999
"""The cosine from which two vectors are one model's of one text: the gate's own bound."""
OLD: Final = "old"
NEW: Final = "new"


@dataclass(frozen=True, slots=True)
class Answer:
    """What one search got: when it was asked, question, milliseconds, ids and similarities; or what was raised."""

    at: float
    question: int
    ms: float = 0.0
    ids: Sequence[str] = ()
    near: Sequence[float] = ()
    raised: str | None = None


@dataclass(slots=True)
class Write:
    """One write: rows as (id, text), text None where it was archived; `done` is None while nobody answered."""

    op: str
    rows: Sequence[tuple[str, str | None]]
    begun: float
    done: float | None = None
    raised: str | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Row:
    """A row as it lies in the table; a vector is None where there is none."""

    text: str
    status: str
    old: Vectors | None
    new: Vectors | None


@dataclass(frozen=True, eq=False)
class Space:
    """One model's unit vectors: of every text there ever was, and of every question."""

    texts: Mapping[str, Vectors]
    questions: Vectors


@dataclass
class History:
    """Every text that each row had, in order, and when it was written: (text, begun, done)."""

    base: Mapping[str, str]
    writes: Sequence[Write]
    of: dict[str, list[tuple[str, float, float | None]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """The histories are told from the writes."""
        self.of = {ident: [(text, 0.0, 0.0)] for ident, text in self.base.items()}
        for write in self.writes:
            for ident, text in write.rows:
                if text is not None:
                    self.of.setdefault(ident, []).append((text, write.begun, write.done))

    @property
    def touched(self) -> frozenset[str]:
        """Every row that somebody wrote or tried to."""
        return frozenset(ident for write in self.writes for ident, _ in write.rows)


def answers_of(lines: Iterable[Mapping[str, Any]]) -> list[Answer]:
    """The answers of one reader's journal."""
    return [
        Answer(one["at"], one["q"], one.get("ms", 0.0), one.get("ids", ()), one.get("near", ()), one.get("raised"))
        for one in lines
    ]


def writes_of(lines: Iterable[Mapping[str, Any]]) -> list[Write]:
    """The writes of one writer's journal."""
    held: dict[int, Write] = {}
    for one in lines:
        if one["state"] == "begun":
            held[one["n"]] = Write(one["op"], [(ident, text) for ident, text in one["rows"]], one["t"])
        elif one["state"] == "done":
            held[one["n"]].done = one["t"]
        else:
            held[one["n"]].raised = one["why"]
    return list(held.values())


def unanswered(answers: Iterable[Answer]) -> list[Answer]:
    """Searches that raised, or that found nothing: every scope that is asked has memories."""
    return [one for one in answers if one.raised is not None or not one.ids]


def spaces_of(answer: Answer, history: History, spaces: Mapping[str, Space]) -> frozenset[str]:
    """The spaces that alone explain all similarities of the answer; none where it is mixed or made up."""
    return frozenset(
        name
        for name, space in spaces.items()
        if all(
            _explains(space, answer.question, history.of.get(ident, ()), near)
            for ident, near in zip(answer.ids, answer.near, strict=True)
        )
    )


def _explains(space: Space, question: int, texts: Iterable[tuple[str, float, float | None]], near: float) -> bool:
    return any(abs(float(space.texts[text] @ space.questions[question]) - near) <= NEAR for text, _, _ in texts)


def lag(answers: Iterable[tuple[Answer, frozenset[str]]], at: float, before: str, until: float = math.inf) -> float:
    """Seconds after `at` until the last search was begun that was still answered from the space of before.

    Searches from `until` on, when that space is searched again, do not count.
    """
    still = [one.at - at for one, spaces in answers if at <= one.at < until and spaces == {before}]
    return max(still, default=0.0)


def refused(writes: Iterable[Write]) -> list[Write]:
    """Writes of rows that raised. A compaction that another commit was quicker than is none: it may be asked again."""
    return [one for one in writes if one.raised is not None and one.op != "compact"]


def lost(history: History, ids: Sequence[str], rows: Mapping[str, Row]) -> dict[str, str]:
    """Id → why the row is not there once, with the text that was written last, archived if that was asked for."""
    found: dict[str, str] = {}
    there: dict[str, int] = defaultdict(int)
    for ident in ids:
        there[ident] += 1
    certain = set(history.base) | {i for w in history.writes if w.done is not None for i, _ in w.rows}
    for ident in certain:
        if there[ident] != 1:
            found[ident] = f"{there[ident]} rows"
        elif rows[ident].text not in _last(history.of[ident]):
            found[ident] = "another text than was written last"
    for write in history.writes:
        for ident, _ in write.rows:
            if write.op == "archive" and write.done is not None and rows[ident].status != "archived":
                found[ident] = "archived, and is not"
    return found | {ident: "a row nobody wrote" for ident in there if ident not in history.of}


def _last(texts: Sequence[tuple[str, float, float | None]]) -> set[str]:
    """What the row may say: the last text that was answered for, or one tried since whose answer nobody got."""
    allowed: set[str] = set()
    for text, _, done in reversed(texts):
        allowed.add(text)
        if done is not None:
            break
    return allowed


def unfresh(rows: Mapping[str, Row], which: str, space: Space) -> set[str]:
    """The rows whose vector of that space is none, or not what the model makes of the text."""
    return {ident for ident, row in rows.items() if not _right(getattr(row, which), space.texts.get(row.text))}


def _right(held: Vectors | None, made: Vectors | None) -> bool:
    if held is None or made is None or len(held) != len(made):
        return False
    length = float(np.linalg.norm(held))
    return abs(length - 1) <= 0.01 and float(held @ made) / length >= RIGHT


def unexplained(bare: Iterable[str], foreign: Iterable[Write], since: float) -> set[str]:
    """Of the rows without a right vector those that no foreign write since then explains: nobody had filled them."""
    written = {ident for write in foreign if write.begun >= since for ident, _ in write.rows}
    return set(bare) - written


def changed_bits(history: History, rows: Mapping[str, Row], before: Mapping[str, Vectors]) -> set[str]:
    """The rows that nobody wrote whose old vector is another than before, bit for bit."""
    return {
        ident
        for ident, vector in before.items()
        if ident not in history.touched
        and (ident not in rows or rows[ident].old is None or rows[ident].old.tobytes() != vector.tobytes())  # type: ignore[union-attr]
    }


def p95(answers: Iterable[Answer], spans: Sequence[tuple[float, float]]) -> float | None:
    """The 95th percentile, in milliseconds, of what was asked in those spans; None below twenty answers."""
    took = [a.ms for a in answers if a.raised is None and any(since <= a.at < until for since, until in spans)]
    return float(np.percentile(took, 95)) if len(took) >= 20 else None
