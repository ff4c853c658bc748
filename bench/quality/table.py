"""The figures as tables in Markdown, for a terminal and for the docs."""

from __future__ import annotations

from bench.quality.evaluate import Called, Line
from bench.quality.measure import Interval, share, wilson


def tables(lines: list[Line], called: list[Called], rows: str) -> str:
    """Three tables: sets as a whole, contradictions by kind of pair, contradictions called duplicates."""
    whole = [line for line in lines if line.kind == "all"]
    kinds = [line for line in lines if line.kind != "all"]
    parts = [
        f"Rows: {rows}. In brackets: 95 % intervals.\n",
        _table(
            ("set", "language", "pairs", "method", "at", "precision", "recall", "F1"),
            [_whole(line) for line in whole],
        ),
        "Share of the pairs of a kind that are named a possible conflict:\n",
        _table(("set", "kind of pair", "pairs", "method", "named"), [_kind(line) for line in kinds]),
        "Contradictions called duplicates:\n",
        _table(("set", "contradictions", "method", "called duplicates"), [_wrong(held) for held in called]),
    ]
    return "\n".join(parts)


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


def _table(head: tuple[str, ...], body: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *body]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
