"""Gathers a case record from the ledger, as JSON."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from mendory.catalogue import REMEDIES, Level, Otherwise, Remedy, StepKind
from mendory.errors import NotReversible
from mendory.finding import KNOWN, Code
from mendory.ledger import Ledger
from mendory.ledger.plans import FAILED, PlanState
from mendory.ledger.words import Said
from mendory.plan.model import Group, Plan, Step
from mendory.plan.waiting import NOT_ASKED
from mendory.policy import Authority
from mendory.report.conflicts import told
from mendory.standing import ticks

Outcomes = Mapping[str, Mapping[str, Any]]


def build(ledger: Ledger, plan_id: str, waits_for: Mapping[str, str] = MappingProxyType({})) -> dict[str, Any]:
    """The case record of the plan; complete for open, done, refused, expired and rolled back ones too.

    `waits_for` says, by step, why what waits does not run now; where it says nothing, the last run does.
    """
    state = ledger.plans.state(plan_id)
    context = ledger.plans.context(plan_id)
    outcomes = ledger.plans.outcomes(plan_id)
    try:
        plan: Plan | None = ledger.plans.load(plan_id)
    except NotReversible:
        plan = None
    # what has no outcome waits, until silence has ended the plan
    unsaid = "expired" if state is PlanState.EXPIRED else "waits"
    said = {step: {**o, "outcome": o["outcome"] or unsaid} for step, o in outcomes.items()}
    runs = ledger.runs(plan_id)
    applied = [r for r in runs if r["kind"] == "apply"]
    standing = Counter(o["authority"] for o in said.values() if o["outcome"] == "applied" and o["authority"])
    # a run that did not say what it left behind leaves nothing to say of now
    left = next((r.get("left") for r in reversed(runs) if r["kind"] in ("apply", "rollback")), None)
    stand = any(o["outcome"] in ("applied", FAILED) for o in said.values())
    [times] = [p for p in ledger.plans.all() if p["id"] == plan_id]
    stands = [s for s in plan.steps() if said[s.id]["outcome"] == "applied"] if plan else []
    return {
        "plan": plan_id,
        "code": plan_id[:8],
        "state": state.value,
        "made_at": times["made_at"],
        "expires_at": times["expires_at"],
        "table": context["table"],
        "base_version": context["version"],
        "read": context["read"],
        "found": context["found"],
        "left": left,
        "problems": _problems(context["found"], left, plan),
        "dismissed": context["dismissed"],
        "kept": context.get("kept", []),
        "stands_down": context["stands_down"],
        "groups": [_group(g, said) for g in plan.groups] if plan else [],
        "merges": [_merged(g, s, said[s.id]) for g in plan.groups for s in g.steps if _merges(s)] if plan else [],
        "conflicts": told(plan, said, ledger.findings.known({s.finding_id for s in plan.steps()})) if plan else [],
        "outcomes": dict(sorted(Counter(o["outcome"] for o in said.values()).items())),
        "authority": {a.value: standing.get(a.value, 0) for a in Authority},
        "ran_by": _ran_by(standing, applied),
        "rows_changed": len({i for s in stands for i in s.changed_ids}) if plan else None,
        "rows_hidden": sum(len(s.hidden_ids) for s in stands) if plan else None,
        "waiting": _waiting(plan, said, applied, waits_for),
        "causes": context["causes"],
        "unplanned": _unplanned(context["unplanned"]),
        "decisions": [
            {k: d[k] for k in ("verdict", "groups", "by", "note", "at", "expires_at")}
            for d in ledger.decisions.of_plan(plan_id)
        ],
        "verdicts": [{"at": r["at"], **r["verdict"]} for r in applied],
        "sample": _sample(ledger, plan_id, applied),
        "runs": [{k: r[k] for k in ("id", "kind", "at")} for r in runs],
        "rolled_back": [
            {k: r[k] for k in ("at", "by", "restored", "skipped")} for r in runs if r["kind"] == "rollback"
        ],
        "undo": f"mendory rollback {plan_id[:8]}" if stand else None,
    }


def _sample(ledger: Ledger, plan_id: str, applied: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The repaired memories that the newest run proved, with the newest word of a person on each; ids and digests."""
    held: list[dict[str, Any]] = next((r["sample"] for r in reversed(applied) if r.get("sample")), [])
    parts = ledger.intents.standing(plan_id)
    words, stand = ticks(ledger, plan_id, parts), {(p.row_id, p.rid) for p in parts}
    made = []
    for one in held:
        word = words.get(one["id"])
        said = {"good": word.said is Said.GOOD, **word.as_json()} if word else None
        kept = {k: said[k] for k in ("good", "by", "at", "because")} if said else None
        made.append({**one, "stands": (one["id"], one["rid"]) in stand, "word": kept})
    return made


def _problems(found: Mapping[str, int], left: Mapping[str, int] | None, plan: Plan | None) -> list[dict[str, Any]]:
    """What was found and what is left by code, with how it is treated, worst first."""
    planned = Counter(s.code for s in plan.steps()) if plan else Counter()
    # a provisional threshold's finds are a person's, a conflict may be marked, whatever the table says of their code
    ways: dict[str, set[tuple[StepKind, Level, str | None]]] = defaultdict(set)
    for step in plan.steps() if plan else ():
        ways[step.code].add((step.kind, step.level, step.rule))
    severities = {"high": 0, "medium": 1, "low": 2}
    problems = []
    for name in sorted({*found, *(left or ())}):
        code = Code(name)
        (ring, severity), remedy = KNOWN[code], REMEDIES[code]
        kind, level, rule = _way(remedy, ways[name])
        problems.append(
            {
                "code": name,
                "ring": ring.value,
                "severity": severity.value,
                "before": found.get(name, 0),
                "after": None if left is None else left.get(name, 0),
                "step": kind.value if kind else None,
                "level": int(level) if level else None,
                "rule": rule,
                "otherwise": remedy.otherwise.value,
                "steps": planned[name],
            }
        )
    return sorted(problems, key=lambda p: (severities[p["severity"]], p["code"]))


def _way(
    remedy: Remedy, ways: Collection[tuple[StepKind, Level, str | None]]
) -> tuple[StepKind | None, Level | None, str | None]:
    """How a code is treated: as the plan does where it does so in one way, else as the catalogue says."""
    if len(ways) == 1:
        return next(iter(ways))
    if any(level is Level.PERSON for _, level, _ in ways):
        return remedy.step, Level.PERSON, None
    return remedy.step, remedy.level, remedy.rule


def _ran_by(standing: Mapping[str, int], applied: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How many repairs ran by whose word, those taken back since included."""
    ran: Counter[str] = Counter()
    for run in applied:
        ran.update(run["authority"])
    return {a.value: max(standing.get(a.value, 0), ran[a.value]) for a in Authority}


def _group(group: Group, said: Outcomes) -> dict[str, Any]:
    return {
        "name": group.name,
        "kind": group.kind.value,
        "level": int(group.level),
        "rule": group.rule,
        "steps": len(group.steps),
        "rows": group.rows,
        "hides": group.hides,
        "outcomes": dict(sorted(Counter(said[s.id]["outcome"] for s in group.steps).items())),
        "refused": [_refused(s, said[s.id]) for s in group.steps if said[s.id]["outcome"] not in _NOT_REFUSED],
    }


def _merges(step: Step) -> bool:
    return "merged_ids" in step.detail


def _merged(group: Group, step: Step, said: Mapping[str, Any]) -> dict[str, Any]:
    """What was put together: ids and the number of notes, never a text."""
    return {
        "group": group.name,
        "step": step.id[:8],
        "kind": step.kind.value,
        "kept": step.detail["primary_id"],
        "archived": list(step.detail["merged_ids"]),
        "notes": step.detail.get("notes"),
        "outcome": said["outcome"],
    }


_NOT_REFUSED = ("waits", "expired", "applied", "rolled_back")


def _refused(step: Step, said: Mapping[str, Any]) -> dict[str, Any]:
    return {"step": step.id[:8], "outcome": said["outcome"], "rows": list(step.row_ids), "why": said["reason"]}


def _waiting(
    plan: Plan | None, said: Outcomes, applied: Sequence[Mapping[str, Any]], now: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Why steps that wait do not run now, or did not when the plan was last applied, by group and reason."""
    why: dict[str, str] = {**applied[-1]["waiting"], **applied[-1]["reasons"], **now} if applied else dict(now)
    counts: Counter[tuple[str, str]] = Counter()
    for group in plan.groups if plan else ():
        counts.update((group.name, why.get(s.id, "")) for s in group.steps if said[s.id]["outcome"] == "waits")
    return [{"group": group, "why": text, "steps": n} for (group, text), n in counts.items()]


def _unplanned(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    counts = Counter((f["code"], f["why"]) for f in findings)
    return [
        {"code": code, "why": why, "findings": n, "waits": _a_persons(why)} for (code, why), n in sorted(counts.items())
    ]


def _a_persons(why: str) -> bool:
    """False for what is only reported, not asked for, dismissed, or answered by another plan."""
    return why not in (Otherwise.REPORT_ONLY.value, NOT_ASKED) and not why.startswith(
        ("dismissed: ", "under open plan ")
    )
