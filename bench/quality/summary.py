"""What the lines come to: the last line's JSON and the goals it is held to."""

from __future__ import annotations

from typing import Any

from bench.quality.evaluate import (
    ALL,
    ALONE,
    ALONE_CALIBRATED,
    HANDED,
    OURS,
    OURS_CALIBRATED,
    RELATED,
    Called,
    Line,
)
from bench.quality.goals import BOUNDS, GOALS
from bench.quality.measure import mean, rounded, share, wilson


def summary(lines: list[Line], called: list[Called]) -> dict[str, Any]:
    """Figures of every set and over all, the bounds and goals, and whether those hold."""
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
    goals = {name: _goal(name, sets[name]) for name in GOALS if name in sets}
    ok = ok and all(held["met"] or held["met_calibrated"] for held in goals.values())
    return rounded(
        {
            "sets": sets,
            "macro": macro,
            "contradictions_called_duplicate": rate,
            "contradictions_called_duplicate_interval": wilson(wrong, n),
            "contradictions": n,
            "bounds": BOUNDS,
            "goals": goals,
            "ok": ok,
        }
    )


def _goal(name: str, figures: dict[str, Any]) -> dict[str, Any]:
    """What is asked of a set of contradictions, and whether it is met by the shipped threshold or by the set's own."""
    goal = GOALS[name]

    def met(got: dict[str, Any]) -> bool:
        return (got.get("recall") or 0) >= goal.recall and (got.get("precision") or 0) >= goal.precision

    own = figures.get("calibrated", {})
    return {"recall": goal.recall, "precision": goal.precision, "met": met(figures), "met_calibrated": met(own)}


def _of_set(name: str, lines: list[Line], called: list[Called]) -> dict[str, Any]:
    mine = {line.method: line for line in lines if line.name == name and line.kind == ALL}
    ours = mine[OURS]
    figures = _figures(ours) | {"n": ours.n, "intervals": ours.counts.intervals()}
    if OURS_CALIBRATED in mine:
        figures["calibrated"] = _figures(mine[OURS_CALIBRATED])
    for method, key in ((HANDED, "handed_on"), (RELATED, "veto_between_related")):
        if method in mine:
            figures[key] = _figures(mine[method])
    figures["baseline"] = {
        method: _figures(line)
        for method, line in mine.items()
        if method not in (OURS, OURS_CALIBRATED, HANDED, RELATED)
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
