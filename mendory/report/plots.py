"""The page's plots as shapes: lengths in percent of the width, the rest in pixels, so that text never shrinks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mendory.report.answer import proportion
from mendory.report.words import label, word

_WIDEST: Final = 82.0
"""Percent of the width that the longest bar takes; the figure stands behind it."""
_FRAME: Final = 110
"""Height of what stands around a plot: title, legend, margins."""
MOST_BARS: Final = 16

LOOKS: Final[Mapping[str, str]] = {
    "before": "hatch",
    "after": "",
    "automatic": "",
    "rule": "hatch",
    "person": "dots",
    "applied": "",
    "waits": "dots",
    "rolled_back": "lines",
    "refused": "hatch",
    "ended": "",
}
"""Look of a bar → the pattern over its colour: what tells bars apart in grey and to the colour-blind."""

_LOOK_OF: Final[Mapping[str, str]] = {
    "applied": "applied",
    "waits": "waits",
    "rolled_back": "rolled_back",
    "taken_back": "rolled_back",
    "rejected": "ended",
    "expired": "ended",
}
_OUTCOMES: Final = ("applied", "rolled_back", "refused", "ended", "waits")


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: place and size, and its look."""

    x: float
    y: int
    width: float
    height: int
    look: str

    @property
    def pattern(self) -> str:
        """The pattern over its colour; empty for none."""
        return LOOKS[self.look]


@dataclass(frozen=True, slots=True)
class Text:
    """A text at a place, `gap` pixels to the right of it; `kind` is label or figure."""

    x: float
    y: int
    text: str
    kind: str
    gap: int = 0


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot with its title, the same in words, its legend and its shapes."""

    name: str
    title: str
    words: str
    legend: tuple[tuple[str, str], ...]
    height: int
    bars: tuple[Bar, ...]
    texts: tuple[Text, ...]
    more: int = 0

    def pattern(self, look: str) -> str:
        """The pattern of a look, for the legend."""
        return LOOKS[look]


def plots(r: Mapping[str, Any], lang: str) -> tuple[Plot, ...]:
    """The plots that have something to show."""
    made = []
    problems = sorted(r["problems"], key=lambda p: (-p["before"], p["code"]))
    if problems:
        rows = [(label(p["code"], lang), p["before"], p["after"]) for p in problems]
        made.append(_pairs("by_problem", rows, lang))
        made.append(_pairs("by_severity", _by_severity(problems, lang), lang))
    by = proportion(r)
    if any(by):
        parts = [
            (name, word(f"look_{name}", lang), n) for name, n in zip(("automatic", "rule", "person"), by, strict=True)
        ]
        made.append(_stacks("by_authority", [("", parts)], lang))
    if r["groups"]:
        stacks = []
        for g in r["groups"]:
            looks: dict[str, int] = {}
            for outcome, n in g["outcomes"].items():
                look = _LOOK_OF.get(outcome, "refused")
                looks[look] = looks.get(look, 0) + n
            parts = [(look, word(f"look_{look}", lang), looks[look]) for look in _OUTCOMES if look in looks]
            stacks.append((f"{g['name']} · {label(g['kind'], lang)}", parts))
        made.append(_stacks("by_group", stacks, lang))
    return tuple(made)


def columns(made: Sequence[Plot]) -> tuple[tuple[Plot, ...], ...]:
    """The plots in two columns of about one height, each plot in the one that is shorter when its turn comes."""
    held: tuple[list[Plot], list[Plot]] = [], []
    for one in made:
        min(held, key=lambda column: sum(p.height + _FRAME for p in column)).append(one)
    return tuple(tuple(column) for column in held if column)


def _by_severity(problems: Sequence[Mapping[str, Any]], lang: str) -> list[tuple[str, int, int | None]]:
    rows = []
    for severity in ("high", "medium", "low"):
        own = [p for p in problems if p["severity"] == severity]
        after = [p["after"] for p in own if p["after"] is not None]
        known = len(after) == len(own) and any(p["after"] is not None for p in problems)
        rows.append((label(severity, lang), sum(p["before"] for p in own), sum(after) if known else None))
    return rows


def _pairs(name: str, rows: Sequence[tuple[str, int, int | None]], lang: str) -> Plot:
    """For each row a bar before and, where known, one after."""
    shown, more = rows[:MOST_BARS], max(0, len(rows) - MOST_BARS)
    top = max([1, *(n for _, before, after in shown for n in (before, after or 0))])
    bars, texts, said, y = [], [], [], 0
    before_word, after_word = word("before", lang), word("after", lang)
    for text, before, after in shown:
        texts.append(Text(0, y + 13, text, "label"))
        y += 19
        for look, number in (("before", before), ("after", after)):
            if number is None:
                continue
            width = round(_WIDEST * number / top, 2)
            if number:
                bars.append(Bar(0, y, max(width, 0.6), 12, look))
            texts.append(Text(width, y + 11, f"{number:,}", "figure", 6 if number else 0))
            y += 15
        y += 10
        said.append(f"{text}: {before_word} {before:,}" + ("" if after is None else f", {after_word} {after:,}"))
    both = any(after is not None for _, _, after in shown)
    legend = (("before", before_word), ("after", after_word)) if both else ()
    title = word("before_and_after" if both else "count_of", lang, what=word(name, lang))
    return Plot(name, title, "; ".join(said), legend, y, tuple(bars), tuple(texts), more)


def _stacks(name: str, rows: Sequence[tuple[str, Sequence[tuple[str, str, int]]]], lang: str) -> Plot:
    """For each row one whole bar, cut by the shares of its parts, their figures below it."""
    shown, more = rows[:MOST_BARS], max(0, len(rows) - MOST_BARS)
    bars, texts, said, y = [], [], [], 0
    legend: dict[str, str] = {}
    for text, parts in shown:
        if text:
            texts.append(Text(0, y + 13, text, "label"))
            y += 19
        total, x = sum(n for _, _, n in parts), 0.0
        for look, what, number in parts:
            legend.setdefault(look, what)
            if number:
                width = 100 * number / total
                bars.append(Bar(round(x, 2), y, round(width, 2), 16, look))
                x += width
        figures = " · ".join(f"{what} {n:,}" for _, what, n in parts)
        texts.append(Text(0, y + 32, figures, "figure"))
        y += 48
        said.append(f"{text}: {figures}" if text else figures)
    return Plot(name, word(name, lang), "; ".join(said), tuple(legend.items()), y, tuple(bars), tuple(texts), more)
