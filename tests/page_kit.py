"""What a person is asked, as the tests build it: a usual plan, and cases that say what differs from it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from mendory.asking.asked import Asked, Evidence, Refused, Waiting

USUAL: Mapping[str, Any] = {
    "code": "1a2b3c4d",
    "table": "memories",
    "table_rows": 5393,
    "made_at": "2026-03-01T19:00:00+00:00",
    "expires_at": "2026-03-02T19:00:00+00:00",
    "zone": "UTC",
    "groups": [
        ["G1", "merge_exact", 2, 41, 96, 48, [["rule merge.exact is not confirmed; a person may approve it", 41]]]
    ],
    "rows": 96,
    "hides": 48,
    "rescoped": 0,
    "scopes": [["user:ann", 60], ["user:李伟", 36]],
    "held": [],
    "limits": [500, 2000],
    "undo_days": 30,
    "severity": "medium",
    "evidence": [["duplicate_exact", "medium", 41, 96, "2 memories of one scope say exactly the same"]],
    "causes": [],
    "named": ["li"],
    "enrolled": [],
    "refused": None,
    "excerpts": [],
    "report_url": "",
}
"""One group of exact duplicates in two scopes, which `li` may approve."""


def asked_of(differs: Mapping[str, Any] | None = None) -> Asked:
    """The usual plan, but for what differs; an unknown key is an error."""
    differs = differs or {}
    unknown = sorted(set(differs) - set(USUAL))
    if unknown:
        raise KeyError(f"no such key of a page: {', '.join(unknown)}")
    held = {**USUAL, **differs}
    refused = held["refused"]
    values = {
        **held,
        "plan_id": held["code"] * 8,
        "made_at": datetime.fromisoformat(held["made_at"]),
        "expires_at": datetime.fromisoformat(held["expires_at"]),
        "groups": tuple(_group(*g) for g in held["groups"]),
        "scopes": tuple((name, rows) for name, rows in held["scopes"]),
        "held": tuple((why, steps) for why, steps in held["held"]),
        "limits": tuple(held["limits"]) if held["limits"] else None,
        "evidence": tuple(Evidence(*e) for e in held["evidence"]),
        "causes": tuple(held["causes"]),
        "named": tuple(held["named"]),
        "enrolled": tuple(held["enrolled"]),
        "excerpts": tuple((name, text) for name, text in held["excerpts"]),
        "refused": refused and Refused(refused[0], refused[1], datetime.fromisoformat(refused[2])),
    }
    return Asked(**values)


def _group(
    name: str, kind: str, level: int, steps: int, rows: int, hides: int, whys: list[Any], runs: int = 0
) -> Waiting:
    return Waiting(name, kind, level, steps, rows, hides, tuple((why, n) for why, n in whys), runs)
