"""What the tests of answers share: plans of any levels, an approver's telephone, and answers as the page gives them."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pyotp

from mendory.asking.answer import Answer, round_of
from mendory.asking.move_answer import move_round
from mendory.catalogue import Level, StepKind
from mendory.clinic import Clinic
from mendory.plan.model import ColumnChange, Edit, Group, Plan, Step
from tests.conftest import NOON, memory

SECRET = base64.b32encode(b"a test's approver's ").decode()
"""Of an approver in a test, and of nobody else."""
SICK = [
    memory("s1", status="ACTIVE"),
    memory("d1", content="不要香菜", batch_id="b1"),
    memory("d2", content="不要香菜", batch_id="b1"),
    memory("e1", content="Prefers window seats", batch_id="b2"),
    memory("e2", content="Prefers window seats", batch_id="b2"),
    *(memory(f"h{n}") for n in range(5)),
]
"""A misspelt status (level 1), a double write in Chinese and one in English (level 2)."""


def a_plan(groups: Mapping[str, Mapping[str, int]]) -> tuple[Plan, list[str]]:
    """A plan of these groups, made at noon, and the ids of its steps that wait."""
    made, waiting = [], []
    for name, of in groups.items():
        steps = []
        for n in range(of.get("waits", 0) + of.get("done", 0)):
            edit = Edit(f"{name}-{n}", "a", "b", (ColumnChange("status", "x", "y"),))
            one = Step(StepKind.FILL, Level(of["level"]), None, "x", f"{name}-{n}", "u1", "", (edit,), {})
            steps.append(one)
            if n < of.get("waits", 0):
                waiting.append(one.id)
        made.append(Group(name, StepKind.FILL, Level(of["level"]), None, tuple(steps)))
    return Plan(tuple(made), 1, NOON, NOON + timedelta(hours=24)), waiting


def code_at(at: datetime, secret: str = SECRET) -> str:
    """What the telephone shows then."""
    return pyotp.TOTP(secret).at(at)


def given(plan: Plan, verdict: str = "approve", number: int = 1, **fields: Any) -> Answer:
    """An answer about this plan in round `number`, by ann, a minute after noon, where nothing else is said."""
    known = {
        "round": round_of(plan, number),
        "verdict": verdict,
        "groups": (),
        "by": "ann",
        "plan_code": plan.code,
        "note": "",
        "one_time_code": "",
        "given_at": NOON + timedelta(minutes=1),
    }
    assert set(fields) <= set(known)
    return Answer(**{**known, **fields})


def about_move(move_id: str, gate: str, verdict: str = "approve", number: int = 1, **fields: Any) -> Answer:
    """An answer about the move on the gate of that digest in round `number`; else as `given` has it."""
    known = {
        "round": move_round(move_id, gate, number),
        "verdict": verdict,
        "groups": (),
        "by": "ann",
        "plan_code": gate[:8],
        "note": "",
        "one_time_code": "",
        "given_at": NOON + timedelta(minutes=1),
    }
    assert set(fields) <= set(known)
    return Answer(**{**known, **fields})


def raised(clinic: Clinic, plan: Plan, kinds: Iterable[StepKind] = (StepKind.MERGE_EXACT,)) -> Plan:
    """The plan with its steps of these kinds at level 3, stored as open in place of it."""
    chosen = set(kinds)
    groups = tuple(
        replace(g, level=Level.PERSON, steps=tuple(replace(s, level=Level.PERSON) for s in g.steps))
        if g.kind in chosen
        else g
        for g in plan.groups
    )
    higher = replace(plan, groups=groups)
    context = clinic.ledger.plans.context(plan.id)
    with clinic.ledger.transaction() as conn:
        conn.exec_driver_sql("UPDATE plan SET state = 'rolled_back' WHERE id = ?", (plan.id,))
    clinic.ledger.plans.save(higher, json.loads(json.dumps(context)))
    return higher
