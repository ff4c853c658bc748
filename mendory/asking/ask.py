"""Gathers from ledger and table what a person is asked about a plan."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from mendory.asking.answer import is_of, plain
from mendory.asking.asked import MOST_PAIRS, Asked, Evidence, Refused, Waiting
from mendory.catalogue import StepKind
from mendory.causes import UNKNOWN
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.deciding import open_plan, rule, spent
from mendory.finding import KNOWN, Code, Finding, Severity
from mendory.plan.model import Group, Plan, Step
from mendory.policy import Health, Ruling, Spent, Verdict, decide
from mendory.report.conflicts import CODES

_EXCERPT: Final = 40
_EXCERPTS: Final = 12
_WORST_FIRST: Final = (Severity.HIGH, Severity.MEDIUM, Severity.LOW)
_FOLLOWS: Final = "a step it requires does not run"


def asked(clinic: Clinic, plan_id: str, excerpts: bool = True) -> Asked:
    """What a person is asked about the open plan, as ledger and configuration are now; raises PlanClosed otherwise.

    The table is read only for `excerpts`, where `privacy.prefect_excerpts` lets the beginnings of memories be shown.
    """
    plan = open_plan(clinic, plan_id)
    ledger, config = clinic.ledger, clinic.config
    outcomes = ledger.plans.outcomes(plan.id)
    waiting = [s for s in plan.steps() if outcomes[s.id]["outcome"] is None]
    ids = {s.id for s in waiting}
    rulings = rule(clinic, plan)
    context = ledger.plans.context(plan.id)
    groups = tuple(_group(g, [s for s in g.steps if s.id in ids], rulings) for g in plan.groups if _any(g, ids))
    scopes = _by_scope(waiting)
    evidence = _evidence(waiting, ledger.findings.known({s.finding_id for s in waiting}))
    codes = {e.code for e in evidence}
    limits = config.limits
    made = Asked(
        plan_id=plan.id,
        code=plan.code,
        table=config.table.name,
        table_rows=int(context["read"]),
        made_at=plan.made_at,
        expires_at=plan.expires_at,
        zone=zone_of(config),
        groups=groups,
        rows=len({i for s in waiting for i in s.changed_ids}),
        hides=len({i for s in waiting for i in s.hidden_ids}),
        rescoped=len({i for s in waiting if s.kind is StepKind.SET_SCOPE for i in s.changed_ids}),
        scopes=scopes,
        held=_held(config, plan, ids, set(outcomes) - ids, context, spent(clinic)),
        limits=(limits.rows_per_run, limits.repairs_per_day) if limits else None,
        undo_days=config.retention.images.days,
        severity=_severity(codes),
        evidence=evidence,
        causes=tuple(c for c in context["causes"] if c["cause"] != UNKNOWN and c["code"] in codes),
        named=tuple(dict.fromkeys(map(plain, config.approval.approvers))),
        enrolled=tuple(sorted(ledger.approvers.live())),
        refused=_refused(clinic, plan),
        report_url=_report(config, plan.code),
    )
    if not excerpts or config.privacy.prefect_excerpts == "none":
        return made
    return _with_excerpts(clinic, plan, made, ids)


def _any(group: Group, ids: Collection[str]) -> bool:
    return any(s.id in ids for s in group.steps)


def _group(group: Group, steps: Sequence[Step], rulings: Mapping[str, Ruling]) -> Waiting:
    whys = Counter(r.reason for s in steps if (r := rulings[s.id]).verdict is not Verdict.RUN)
    return Waiting(
        group.name,
        group.kind.value,
        int(group.level),
        len(steps),
        len({i for s in steps for i in s.changed_ids}),
        len({i for s in steps for i in s.hidden_ids}),
        tuple(whys.most_common()),
        len(steps) - whys.total(),
    )


def _by_scope(steps: Sequence[Step]) -> tuple[tuple[str | None, int], ...]:
    """Scope → how many rows of it change, most first; None stands for rows without one."""
    rows: dict[str | None, set[str]] = defaultdict(set)
    for step in steps:
        rows[step.scope or None].update(step.changed_ids)
    counted = [(scope, len(ids)) for scope, ids in rows.items() if ids]
    return tuple(sorted(counted, key=lambda c: (-c[1], c[0] or "")))


def _held(
    config: Config,
    plan: Plan,
    waiting: Collection[str],
    done: Collection[str],
    context: Mapping[str, Any],
    today: Spent | None,
) -> tuple[tuple[str, int], ...]:
    """Why steps would not run although a person approved all that waits, and how many: limits bind people too."""
    everything = dict.fromkeys(waiting, "")
    health = Health(**context["health"])
    rulings = decide(plan, config.limits, config.rules.confirmed, everything, health, done, spent=today)
    whys = Counter(r.reason for r in rulings.values() if r.verdict is not Verdict.RUN)
    followers = whys.pop(_FOLLOWS, 0)
    if followers and whys:  # they wait for what is named already
        whys[whys.most_common(1)[0][0]] += followers
    return tuple(whys.most_common())


def _evidence(steps: Sequence[Step], known: Mapping[str, Finding]) -> tuple[Evidence, ...]:
    """What was found, by code, worst first; of a finding that only follows from another no reason is known."""
    by_code: dict[str, list[Step]] = defaultdict(list)
    for step in steps:
        by_code[step.code].append(step)
    made = []
    for code, mine in by_code.items():
        found = list(dict.fromkeys(s.finding_id for s in mine))
        reasons = [known[f].reason for f in found if f in known]
        rows = {i for s in mine for i in s.row_ids}
        said = reasons[0] if reasons else ""
        pairs = tuple(known[f] for f in found if f in known and known[f].code in CODES)[:MOST_PAIRS]
        made.append(Evidence(code, KNOWN[Code(code)][1].value, len(found), len(rows), said, pairs))
    return tuple(sorted(made, key=lambda e: (_WORST_FIRST.index(Severity(e.severity)), -e.findings, e.code)))


def _severity(codes: Collection[str]) -> str:
    """The worst severity among the codes; low when there are none."""
    held = {KNOWN[Code(code)][1] for code in codes}
    return next((s for s in _WORST_FIRST if s in held), Severity.LOW).value


def zone_of(config: Config) -> str:
    """The zone people live in, as far as the configuration tells."""
    told = (config.notify.zone if config.notify else "UTC", config.limits.zone if config.limits else "UTC")
    return next((zone for zone in told if zone != "UTC"), "UTC")


def _refused(clinic: Clinic, plan: Plan) -> Refused | None:
    """The newest answer about the plan as it is now, where it did not count; newest by the server's clock, not ours."""
    answers = clinic.ledger.answers.of_plan(plan.id)
    given = [g for g in answers if is_of(g.round, plan) or g.at >= plan.made_at]
    newest = max(given, key=lambda g: g.given_at, default=None)
    if newest is None or newest.stands:
        return None
    return Refused(newest.outcome, newest.by, newest.given_at)


def _report(config: Config, code: str) -> str:
    base = config.report.base_url
    return f"{base}/{code}.{config.report.lang}.html" if base else ""


def _with_excerpts(clinic: Clinic, plan: Plan, made: Asked, waiting: Collection[str]) -> Asked:
    """The same with the beginnings of the first memories of each group that is shown, a step's rows all or none."""
    shown = {g.name for g in made.shown}
    steps = [[s for s in g.steps if s.id in waiting] for g in plan.groups if g.name in shown]
    # a group's first step before another's second, so that each is seen
    firsts = [mine[at] for at in range(_EXCERPTS) for mine in steps if at < len(mine)]
    ids: list[str] = []
    for step in firsts:
        more = [i for i in dict.fromkeys(step.row_ids) if i not in ids]
        if not ids or len(ids) + len(more) <= _EXCERPTS:  # one side of two that disagree would mislead
            ids += more[:_EXCERPTS]
    clinic.reader.refresh()
    held = clinic.view(clinic.reader).fetch(ids)
    texts = tuple((i, (held[i].content or "")[:_EXCERPT]) for i in ids if i in held)
    return replace(made, excerpts=texts)
