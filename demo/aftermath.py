"""What became of the incident, judged from outside: planting, plain LanceDB, recall through the door, what was told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from demo.judge import Rows, answered

Fault = Mapping[str, Any]
Recalls = Callable[[str], Sequence[Mapping[str, Any]]]
"""A query → the memories that the door gives an agent of the incident's scope, as `recall --json` has them."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the heal told: all that it found, the steps it applied, whom it asked what, the causes it named.

    `found` and `queued` are findings and `applied` steps as `--json` prints them, `causes` as the heal returns them.
    """

    found: Sequence[Mapping[str, Any]]
    applied: Sequence[Mapping[str, Any]]
    queued: Sequence[Mapping[str, Any]]
    causes: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Aftermath:
    """The incident counted: what was found of it, what became of each part, and everything that is not as it must be.

    Only what has its planted outcome counts. `wrong` is empty when everything has.
    """

    rows: int
    flagged: int
    merged: Mapping[str, int]
    conflicts: Mapping[str, int]
    scenes: Mapping[str, int]
    causes: Sequence[Mapping[str, Any]]
    wrong: Sequence[str]


def aftermath(planting: Mapping[str, Any], after: Rows, recalls: Recalls, told: Told) -> Aftermath:
    """The incident of this planting, counted; `after` are its table's rows once healed."""
    before = planting["before"]
    faults = [f for f in planting["faults"] if f["detail"].get("incident")]
    rows = {i for f in faults for i in f["ids"]}
    why = {at: _why(fault, before, after, recalls, told) for at, fault in enumerate(faults)}
    good = [fault for at, fault in enumerate(faults) if not why[at]]

    def of(outcome: str) -> list[Fault]:
        return [f for f in good if f["outcome"] == outcome]

    flagged = rows & {i for finding in told.found for i in finding["ids"]}
    causes = planting["incident"]["causes"]
    named = [one for one in told.causes if any(c.items() <= one.items() for c in causes)]
    unnamed = [c for c in causes if not any(c.items() <= one.items() for one in named)]
    wrong = [f"{fault['code']} {', '.join(fault['ids'])}: {why[at]}" for at, fault in enumerate(faults) if why[at]]
    wrong += [f"{i} is in no finding" for i in sorted(rows - flagged)]
    wrong += [f"no cause {c['cause']} of {c['code']} was told" for c in unnamed]
    merged = of("merged")
    return Aftermath(
        len(rows),
        len(flagged),
        {"rows": _count(merged), "primaries": sum(not after[i]["duplicate_of"] for f in merged for i in f["ids"])},
        {"rows_decided": _count(of("superseded")), "rows_pending": _count(of("disputed"))},
        {"filled": _count(of("filled")), "asked": _count(of("person"))},
        named,
        wrong,
    )


def _count(faults: Iterable[Fault]) -> int:
    """How many rows they are about."""
    return len({i for f in faults for i in f["ids"]})


def _why(fault: Fault, before: Rows, after: Rows, recalls: Recalls, told: Told) -> str:
    """Why this fault's outcome did not happen, empty when it did."""
    if gone := [i for i in fault["ids"] if i not in after]:
        return f"vanished: {', '.join(gone)}"
    return answered(fault, before, after) or _untold(fault, told) or _unlike(fault, before, recalls)


def _untold(fault: Fault, told: Told) -> str:
    """Why nobody would learn by whose word it happened, or be asked; empty when somebody would."""
    detail, ids = fault["detail"], set(fault["ids"])
    if fault["outcome"] in ("person", "disputed"):
        asked = any(f["code"] == fault["code"] and ids <= set(f["ids"]) for f in told.queued)
        return "" if asked else "nobody is asked"
    steps = [s["detail"] for s in told.applied if s["code"] == fault["code"] and ids & {e[0] for e in s["edits"]}]
    for named in ("rule", "origins"):
        if named in detail and detail[named] not in [s.get(named) for s in steps]:
            return f"no step tells its {named}"
    return "" if steps else "no step was applied"


def _unlike(fault: Fault, before: Rows, recalls: Recalls) -> str:
    """Why an agent that recalls these memories by their own words gets others than it must, empty when it does not."""
    found = {one["id"]: one for i in fault["ids"] for one in recalls(before[i]["content"])}
    ids, outcome = set(fault["ids"]), fault["outcome"]
    if outcome == "disputed":
        marked = {i for i in ids & found.keys() if ids - {i} <= set(found[i]["disputed_with"])}
        return "" if marked == ids else f"not recalled as disputed: {', '.join(sorted(ids - marked))}"
    wanted = {fault["detail"]["keep"]} if outcome == "superseded" else ids & found.keys()
    if outcome in ("superseded", "merged") and (ids & found.keys() != wanted or len(wanted) != 1):
        return f"recalled: {', '.join(sorted(ids & found.keys()))}"
    return ""
