"""Which modules hold rules, and the tests that are to notice when one is turned round: the quick ones first."""

from __future__ import annotations

_CASES = "tests/test_cases.py"
_REPAIRS = "tests/test_conflict_repairs.py"
_NEAR = ("tests/test_merge_near.py", "tests/properties/test_near_plans.py")
_PLANS = "tests/properties/test_plans.py"
_ALL = (_CASES, _PLANS, _NEAR[0], _REPAIRS, "tests/test_fragments_plan.py", "tests/test_belonging.py")

DECIDING = ("mendory.policy", "mendory.automation", "mendory.conflicts.rules", "mendory.plan.answered")
"""Where it is decided what may run and which side of a conflict stays: what is turned round unless others are named."""
TARGETS: dict[str, tuple[str, ...]] = {
    "mendory.policy": (
        f"{_CASES}::test_policy",
        "tests/test_policy.py",
        "tests/properties/test_limits.py",
        "tests/properties/test_automation.py",
    ),
    "mendory.automation": ("tests/properties/test_automation.py",),
    "mendory.conflicts.rules": ("tests/test_rules.py", "tests/test_conflicts.py", _REPAIRS),
    "mendory.plan.answered": ("tests/test_drafts.py", "tests/test_resolving.py"),
    "mendory.plan.belonging": (f"{_CASES}::test_belonging", "tests/test_belonging.py", _PLANS),
    "mendory.plan.binding": (f"{_CASES}::test_merge", f"{_CASES}::test_fill", _PLANS, "tests/test_side.py", _REPAIRS),
    "mendory.plan.build": _ALL,
    "mendory.plan.differing": (f"{_CASES}::test_merge", *_NEAR, "tests/test_fragments_plan.py"),
    "mendory.plan.dispute": (_REPAIRS,),
    "mendory.plan.draft": _ALL,
    "mendory.plan.evidence": (f"{_CASES}::test_belonging", "tests/test_belonging.py", _PLANS),
    "mendory.plan.exception": (_REPAIRS,),
    "mendory.plan.fill": (f"{_CASES}::test_fill", f"{_CASES}::test_status", _PLANS),
    "mendory.plan.gather": (f"{_CASES}::test_merge", *_NEAR, _PLANS, "tests/test_fragments_plan.py"),
    "mendory.plan.information": ("tests/properties/test_information.py", f"{_CASES}::test_merge", *_NEAR),
    "mendory.plan.merge": (f"{_CASES}::test_merge", f"{_CASES}::test_echo", *_NEAR, _PLANS, "tests/test_places.py"),
    "mendory.plan.model": (f"{_CASES}::test_merge", _PLANS, "tests/test_side.py"),
    "mendory.plan.renew": ("tests/test_reembed.py",),
    "mendory.plan.repoint": (f"{_CASES}::test_merge", f"{_CASES}::test_references", _PLANS, "tests/test_executor.py"),
    "mendory.plan.summarise": ("tests/test_fragments_plan.py",),
    "mendory.plan.supersede": (_REPAIRS,),
    "mendory.plan.waiting": (_REPAIRS, "tests/test_executor.py"),
    "mendory.plan.weigh": ("tests/test_staleness.py", f"{_CASES}::test_staleness", "tests/test_side.py"),
}
"""Module → test files and tests."""
