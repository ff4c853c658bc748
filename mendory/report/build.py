"""Gathers a case record from the ledger, as JSON."""

from __future__ import annotations

from collections import Counter
from typing import Any

from mendory.errors import NotReversible
from mendory.ledger import Ledger
from mendory.plan.model import Plan


def build(ledger: Ledger, plan_id: str) -> dict[str, Any]:
    """The case record of the plan; complete for done, refused, expired and rolled back ones too."""
    context = ledger.plans.context(plan_id)
    outcomes = ledger.plans.outcomes(plan_id)
    try:
        plan: Plan | None = ledger.plans.load(plan_id)
    except NotReversible:
        plan = None
    runs = ledger.runs(plan_id)
    applied = [r for r in runs if r["kind"] == "apply"]
    authority = Counter(o["authority"] for o in outcomes.values() if o["outcome"] == "applied" and o["authority"])
    return {
        "plan": plan_id,
        "code": plan_id[:8],
        "state": ledger.plans.state(plan_id).value,
        "table": context["table"],
        "base_version": context["version"],
        "read": context["read"],
        "found": context["found"],
        "left": applied[-1]["left"] if applied else None,
        "dismissed": context["dismissed"],
        "stands_down": context["stands_down"],
        "groups": _groups(plan, outcomes) if plan else [],
        "outcomes": dict(sorted(Counter(o["outcome"] or "waits" for o in outcomes.values()).items())),
        "authority": {k: authority.get(k, 0) for k in ("automatic", "rule", "person")},
        "causes": context["causes"],
        "unplanned": _unplanned(context["unplanned"]),
        "decisions": [
            {k: d[k] for k in ("verdict", "groups", "by", "note", "at", "expires_at")}
            for d in ledger.decisions.of_plan(plan_id)
        ],
        "verdicts": [{"at": r["at"], **r["verdict"]} for r in applied],
        "runs": [{k: r[k] for k in ("id", "kind", "at")} for r in runs],
        "rolled_back": [
            {k: r[k] for k in ("at", "by", "restored", "skipped")} for r in runs if r["kind"] == "rollback"
        ],
        "undo": f"mendory rollback {plan_id[:8]}",
    }


def _groups(plan: Plan, outcomes: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "name": g.name,
            "kind": g.kind.value,
            "level": int(g.level),
            "rule": g.rule,
            "steps": len(g.steps),
            "rows": g.rows,
            "hides": g.hides,
            "outcomes": dict(sorted(Counter(outcomes[s.id]["outcome"] or "waits" for s in g.steps).items())),
            "refused": [
                {"step": s.id[:8], "rows": list(s.row_ids), "why": outcomes[s.id]["reason"]}
                for s in g.steps
                if outcomes[s.id]["outcome"] not in (None, "applied", "rolled_back")
            ],
        }
        for g in plan.groups
    ]


def _unplanned(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    counts = Counter((f["code"], f["why"]) for f in findings)
    return [{"code": code, "why": why, "findings": n} for (code, why), n in sorted(counts.items())]
