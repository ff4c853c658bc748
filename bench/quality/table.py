"""The figures as tables in Markdown, for a terminal and for the docs."""

from __future__ import annotations

from bench.quality.evaluate import ALL, Called, Line
from bench.quality.measure import Interval, share, wilson
from bench.quality.summary import macros


def tables(lines: list[Line], called: list[Called], rows: str) -> str:
    """The figures over all, of each set, by kind of pair, and of contradictions called duplicates."""
    whole = [line for line in lines if line.kind == ALL]
    kinds = [line for line in lines if line.kind != ALL]
    macro = [
        (language, method, _share(held["precision"]), _share(held["recall"]), _share(held["even_precision"]))
        for language, methods in macros(lines).items()
        for method, held in methods.items()
    ]
    same = [_kind(line) for line in kinds if line.name.startswith("duplicates/")]
    conflicts = [_kind(line) for line in kinds if line.name.startswith("contradictions/")]
    parts = [
        f"Rows: {rows}. In brackets: 95 % intervals.\n",
        "Sets of duplicates of a language, the mean of the sets:\n",
        table(("language", "method", "precision", "recall", "precision at even labels"), macro),
        "Every set:\n",
        table(
            ("set", "language", "rows", "method", "at", "precision", "recall", "F1"), [_whole(line) for line in whole]
        ),
        "Duplicates by kind of pair: the share that is called the same, or vetoed:\n",
        table(("set", "kind of pair", "pairs", "method", "share"), same),
        "Contradictions by kind of pair: the share that is named a possible conflict:\n",
        table(("set", "kind of pair", "pairs", "method", "share"), conflicts),
        "Contradictions called duplicates:\n",
        table(
            ("set", "contradictions", "method", "called duplicates"),
            [_wrong(held) for held in [*called, *over(called)]],
        ),
    ]
    return "\n".join(parts)


def over(called: list[Called]) -> list[Called]:
    """All sets as one, by method."""
    methods = dict.fromkeys(held.method for held in called)
    of = {method: [held for held in called if held.method == method] for method in methods}
    return [
        Called("all", "", method, sum(held.called for held in mine), sum(held.n for held in mine))
        for method, mine in of.items()
    ]


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _whole(line: Line) -> tuple[str, ...]:
    counts, ends = line.counts, line.counts.intervals()
    cells = [
        _cell(value, ends[what])
        for what, value in (("precision", counts.precision), ("recall", counts.recall), ("f1", counts.f1))
    ]
    at = "" if line.at is None else f"{line.at:.3f}"
    return line.name, line.language, f"{line.n:,}", line.method, at, *cells


def _kind(line: Line) -> tuple[str, ...]:
    counts = line.counts
    fired = counts.hits + counts.false
    return line.name, line.kind, f"{line.n:,}", line.method, _cell(share(fired, line.n), wilson(fired, line.n))


def _wrong(held: Called) -> tuple[str, ...]:
    cell = _cell(share(held.called, held.n), wilson(held.called, held.n), digits=3)
    return held.name, f"{held.n:,}", held.method, cell


def _cell(value: float | None, ends: Interval | None, digits: int = 2) -> str:
    if value is None or ends is None:
        return "–"
    low, high = ends
    return f"{value:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def table(head: tuple[str, ...], body: list[tuple[str, ...]]) -> str:
    """The rows under their head, as Markdown."""
    lines = [head, tuple("---" for _ in head), *body]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
