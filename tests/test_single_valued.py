"""Attributes that an owner declares to hold one value at a time, on a real table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lancedb
import pytest

from mendory.clinic import Clinic
from mendory.errors import ConfigInvalid
from mendory.treatment import apply
from tests.conftest import GENEROUS, FakeClock, arrow, make_config, make_table, memory

pytestmark = pytest.mark.lance
SAID = {
    "en": (["Locker", "parking-spot"], ("locker", "parking spot"), "Keys are for {}."),
    "zh": (["工位", "停车位"], ("工位", "停车位"), "领的是 {} 的钥匙。"),
}


def rows(language: str) -> list[dict[str, Any]]:
    """Two lockers a month apart, two parking spots of one moment, and a locker of somebody else's scope."""
    _, (one, two), said = SAID[language]
    given = [
        ("old", one, "A12", "2025-01-01", "user:ann"),
        ("new", one, "B07", "2025-02-01", "user:ann"),
        ("this", two, "P1", "2025-01-01", "user:ann"),
        ("that", two, "P2", "2025-01-01", "user:ann"),
        ("other", one, "C31", "2025-02-02", "user:ben"),
    ]
    return [
        memory(
            name,
            content=said.format(value),
            scope=scope,
            created_at=day,
            source="user_stated",
            claim={"entity": "user", "attribute": attribute, "value": value},
        )
        for name, attribute, value, day, scope in given
    ]


def a_clinic(folder: Path, clock: FakeClock, declared: list[str]) -> Clinic:
    """A clinic whose owner declares these attributes, and lets the newer of two rows stay."""
    rules = {"confirmed": ["conflict.newer"]}
    return Clinic(make_config(folder, limits=GENEROUS, rules=rules, conflict={"single_valued": declared}), clock)


def found(clinic: Clinic) -> dict[tuple[str, ...], tuple[str, str | None]]:
    """The conflicts: ids → attribute and rule."""
    seen = clinic.check().findings
    return {f.ids: (f.evidence["attribute"], f.evidence["rule"]) for f in seen if f.code.value == "conflict"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_declared_is_found_decided_or_disputed(tmp_path: Path, clock: FakeClock, language: str) -> None:
    """Nothing without the declaration; with it the older row is superseded, and a tie is marked as disputed."""
    make_table(tmp_path, rows(language))
    declared, names, _ = SAID[language]
    before = found(a_clinic(tmp_path, clock, []))
    clinic = a_clinic(tmp_path, clock, declared)
    after = found(clinic)
    plan = clinic.plan().plan
    assert plan is not None

    done = apply(clinic, plan.id)

    clinic.reader.refresh()
    seen = {str(m.id): m for m in clinic.view(clinic.reader).scan()}
    one, two = (name.replace(" ", "_") for name in names)
    assert {} == before
    assert {("new", "old"): (one, "newer"), ("that", "this"): (two, None)} == after
    assert done.verdict.ok, done.verdict.as_json()
    assert ("archived", "new") == (seen["old"].status, seen["old"].superseded_by)
    assert {"new": "active", "this": "pending_review", "that": "pending_review", "other": "active"} == {
        i: m.status for i, m in seen.items() if i != "old"
    }
    assert (("that",), ("this",)) == (seen["this"].kept.disputed_with, seen["that"].kept.disputed_with)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_check_of_changes_knows_what_is_declared(tmp_path: Path, clock: FakeClock, language: str) -> None:
    """A further value meets the others in a check of what changed, of built-in attributes too."""
    declared, names, said = SAID[language]
    filler = [memory(f"f{n}", content=f"Note {n} about nothing else.", scope="other") for n in range(30)]
    uses = {"entity": "user", "attribute": "uses", "value": "Vim"}
    editor = memory("editor", content=said.format("Vim"), scope="user:ann", created_at="2025-01-01", claim=uses)
    make_table(tmp_path, [*rows(language), editor, *filler])
    clinic = a_clinic(tmp_path, clock, [*declared, "uses"])
    assert clinic.checkpoint(clinic.check(keep=True))
    given = {"keys": {"entity": "user", "attribute": names[0], "value": "D99"}, "tools": uses | {"value": "Helix"}}
    late = [
        memory(name, content=said.format(claim["value"]), scope="user:ann", created_at="2025-02-20", claim=claim)
        for name, claim in given.items()
    ]
    lancedb.connect(str(tmp_path)).open_table("memories").add(arrow(late))

    whole, part = clinic.check(), clinic.check(since="last")
    other = a_clinic(tmp_path, clock, declared).check(since="last")

    assert part.basis.since is not None
    assert [f.id for f in whole.findings] == [f.id for f in part.findings]
    pairs = {f.ids for f in part.findings if f.code.value == "conflict"}
    assert {("keys", "new"), ("keys", "old"), ("editor", "tools"), ("that", "this")} == pairs
    assert other.basis.since is None
    assert pairs - {("editor", "tools")} == {f.ids for f in other.findings if f.code.value == "conflict"}


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 65])
def test_what_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    """An attribute that nobody has is no error, a name that can be none is."""
    make_config(tmp_path, conflict={"single_valued": ["nobody has this", "没有人有"]})

    with pytest.raises(ConfigInvalid) as caught:
        make_config(tmp_path, conflict={"single_valued": [name]})

    assert "conflict.single_valued" in str(caught.value)
