"""Conflicts between memories: what can't both hold, what holds for a scene only, and all that only looks so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mendory.claims.naming import singles_of
from mendory.conflicts import ConflictRules
from mendory.detect import Settings, examine
from mendory.record import Memory
from mendory.scopes import ancestors_by
from tests.test_cases import cases, only
from tests.test_near_duplicates import Given, memories

CASES = Path(__file__).parent / "cases" / "conflict"
CODES = frozenset({"conflict", "conflict_buried", "conflict_exception", "conflict_candidate"})
FIELDS = {"why", "memories", "findings", "parents", "cosine", "cosines", "single_valued"}


def settings_of(case: dict[str, Any]) -> Settings:
    """What the owner of a case says of his scopes and attributes."""
    rules = ConflictRules(singles=singles_of(case.get("single_valued", ())))
    return Settings(ancestors=ancestors_by(case.get("parents", {})), conflict=rules)


def found(case: dict[str, Any], held: list[Memory]) -> list[dict[str, Any]]:
    """The findings of conflicts, each with as much of its evidence as the case asks for."""
    by_id = {m.id: m for m in held}
    settings = settings_of(case)
    given = Given(case["cosine"], case.get("cosines")) if "cosine" in case else None
    seen = examine(held, lambda ids: {i: by_id[i] for i in ids if i in by_id}, settings, given)
    asked = {(f["code"], *f["ids"]): f.get("evidence", {}) for f in case["findings"]}
    told = []
    for one in seen.findings:
        if one.code.value in CODES:
            wanted = asked.get((one.code.value, *one.ids), {})
            evidence = {k: v for k, v in one.as_json()["evidence"].items() if k in wanted}
            told.append({"code": one.code.value, "ids": list(one.ids)} | ({"evidence": evidence} if wanted else {}))
    return told


@pytest.mark.parametrize("case", cases("conflict"))
def test_conflicts(case: dict[str, Any]) -> None:
    """A case has exactly the findings it says, whatever the order of its rows."""
    only(FIELDS, case, "the case")
    held = memories(case["memories"])

    assert case["findings"] == found(case, held)
    assert case["findings"] == found(case, held[::-1])


def test_every_behaviour_is_shown_in_both_languages() -> None:
    """Each case has its pair in the other language."""
    names = {path.stem for path in CASES.glob("*.json")}

    assert names == {f"{name.rpartition('-')[0]}-{code}" for name in names for code in ("en", "zh")}


def test_evidence_holds_no_word_of_a_memory() -> None:
    """No value, object or scene of a claim leaves the rows it was read in."""
    for path in CASES.glob("*.json"):
        case = json.loads(path.read_text("utf-8"))
        held = memories(case["memories"])
        by_id = {m.id: m for m in held}
        settings = settings_of(case)
        for one in examine(held, lambda ids: {i: by_id[i] for i in ids if i in by_id}, settings).findings:  # noqa: B023
            if one.code.value in CODES:
                told = json.dumps(one.as_json()["evidence"], ensure_ascii=False)
                said = {str(v) for m in held for v in (m.claim or {}).values() if isinstance(v, str) and len(v) > 3}
                named = {"employer", "lives_in", "port", *singles_of(case.get("single_valued", ()))}
                assert [] == [word for word in said if word in told and word not in named]
