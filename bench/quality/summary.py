"""What the lines come to: the last line's JSON and the goals it is held to."""

from __future__ import annotations

from typing import Any, Final

from bench.quality.evaluate import ALL, ALONE, ALONE_CALIBRATED, OURS, OURS_CALIBRATED, PRECISION, RELATED, Called, Line
from bench.quality.measure import mean, rounded, share, wilson

BOUNDS: Final = {"precision": PRECISION, "recall_en": 0.50, "recall_zh": 0.40, "contradictions_called_duplicate": 0.005}
"""At least that macro-mean precision and recall of duplicates; at most that share of contradictions."""


def summary(lines: list[Line], called: list[Called]) -> dict[str, Any]:
    """Figures of every set and over all, the bounds, and whether those hold."""
    sets = {line.name: _of_set(line.name, lines, called) for line in lines}
    macro = macros(lines)
    ours = [held for held in called if held.method == OURS]
    wrong, n = sum(held.called for held in ours), sum(held.n for held in ours)
    rate = share(wrong, n)
    ok = rate is not None and rate <= BOUNDS["contradictions_called_duplicate"]
    for language in ("en", "zh"):
        got = macro.get(language, {}).get(OURS, {})
        ok = ok and (got.get("recall") or 0) >= BOUNDS[f"recall_{language}"]
        ok = ok and (got.get("precision") or 0) >= BOUNDS["precision"]
    return rounded(
        {
            "sets": sets,
            "macro": macro,
            "contradictions_called_duplicate": rate,
            "contradictions_called_duplicate_interval": wilson(wrong, n),
            "contradictions": n,
            "bounds": BOUNDS,
            "ok": ok,
        }
    )


def _of_set(name: str, lines: list[Line], called: list[Called]) -> dict[str, Any]:
    mine = {line.method: line for line in lines if line.name == name and line.kind == ALL}
    ours = mine[OURS]
    figures = _figures(ours) | {"n": ours.n, "intervals": ours.counts.intervals()}
    if OURS_CALIBRATED in mine:
        figures["calibrated"] = _figures(mine[OURS_CALIBRATED])
    if RELATED in mine:
        figures["veto_between_related"] = _figures(mine[RELATED])
    figures["baseline"] = {
        method: _figures(line) for method, line in mine.items() if method not in (OURS, OURS_CALIBRATED, RELATED)
    }
    for held in called:
        if held.name == name:
            figures.setdefault("called_duplicate", {})[held.method] = share(held.called, held.n)
    return figures


def _figures(line: Line) -> dict[str, Any]:
    counts = line.counts
    return {
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.f1,
        "at": line.at,
        "even_precision": counts.even_precision,
    }


def macros(lines: list[Line]) -> dict[str, dict[str, Any]]:
    """By language and method: the mean over the sets of duplicates, each counting alike."""
    found: dict[str, dict[str, Any]] = {}
    mine = [line for line in lines if line.name.startswith("duplicates/") and line.kind == ALL]
    for line in mine:
        for method in (OURS, OURS_CALIBRATED, ALONE, ALONE_CALIBRATED):
            counts = [one.counts for one in mine if (one.language, one.method) == (line.language, method)]
            if counts:
                found.setdefault(line.language, {})[method] = {
                    "precision": mean([one.precision for one in counts]),
                    "recall": mean([one.recall for one in counts]),
                    "even_precision": mean([one.even_precision for one in counts]),
                }
    return found
