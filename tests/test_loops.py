"""Loops on real tables: programs that undo a repair or write anew what it archived are met after three attempts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mendory.clinic import Clinic
from mendory.config import Config
from mendory.ledger.findings import is_text, problem_key, text_key
from mendory.loops import archived_texts
from mendory.treatment import apply
from tests.cli.conftest import LIMITS, Run, configure, run  # noqa: F401 - a fixture
from tests.conftest import GENEROUS, FakeClock, arrow, make_table, memory
from tests.test_executor import ALL, MakeClinic, healed, owner, planned, reasons, values

SAID = {
    "en": ("Takes the night train to Vienna", " Takes the night  train to Vienna"),
    "zh": ("坐夜车去成都", "坐夜车去成都 "),
}
RULED = {"limits": GENEROUS, "rules": {"confirmed": ["conflict.newer"]}}


def recreate(at: Clinic, row: str, **fields: Any) -> None:
    """The owner writes a memory under an id that was never there."""
    owner(at).add(arrow([memory(row, **fields)]))


def worn_out(at: Clinic, clock: FakeClock, text: str, times: int = 3) -> None:
    """As many times the owner writes the text anew under a new id, and a heal archives it a day later."""
    for n in range(times):
        recreate(at, f"z{n}", content=text)
        healed(at)
        clock.move(days=1)


@pytest.mark.lance
@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_owner_that_writes_anew_what_was_archived_is_met(
    clinic: MakeClinic, clock: FakeClock, language: str
) -> None:
    """Archived three times, each time under a new id, the text is a person's; after the window it is repaired again."""
    text, spelt = SAID[language]
    at = clinic([memory("m1", content=text), *(memory(f"h{n}") for n in range(5))], **ALL)
    worn_out(at, clock, text)
    recreate(at, "z9", content=spelt)

    made = at.plan()

    why = "its text was archived 3 times within 30 days and written anew: a person's"
    assert (None, why) == (made.plan, reasons(made)["m1", "z9"])
    assert [why] == [q["reason"] for q in at.ledger.findings.queued()]
    assert ["m1", "z9"] == [i for i, s in values(at, "status").items() if s == "active" and i[0] in "mz"]
    clock.move(days=30)
    assert {"z9"} == planned(at).changed_ids


@pytest.mark.lance
def test_only_that_text_in_that_scope_is_met(clinic: MakeClinic, clock: FakeClock) -> None:
    """Another text, and the same text in another scope, are repaired as ever beside the one that is worn out."""
    at = clinic([memory("m1", content="不要香菜"), *(memory(f"h{n}") for n in range(5))], **ALL)
    worn_out(at, clock, "不要香菜")
    recreate(at, "z9", content="不要香菜")
    for row, scope in (("o1", "u2"), ("o2", "u2")):
        recreate(at, row, content="不要香菜", scope=scope)
    for row in ("p1", "p2"):
        recreate(at, row, content="Drinks no coffee after noon")

    made = at.plan()

    assert made.plan is not None
    assert [("o2",), ("p2",)] == sorted(s.changed_ids for s in made.plan.steps())
    assert "archived 3 times" in reasons(made)["m1", "z9"]


@pytest.mark.lance
def test_what_lost_a_conflict_and_is_written_anew_is_met(clinic: MakeClinic, clock: FakeClock) -> None:
    """A program that keeps saying what was superseded is met as one that keeps writing what was merged."""
    claim = {"entity": "user", "attribute": "lives_in"}
    now = {"content": "Lives in Oslo", "claim": claim | {"value": "Oslo"}, "created_at": "2025-02-01"}
    old = {"content": "Lives in Turin", "claim": claim | {"value": "Turin"}, "created_at": "2025-01-01"}
    at = clinic([memory("now", **now), *(memory(f"h{n}") for n in range(5))], **RULED)
    for n in range(3):
        recreate(at, f"old{n}", **old)
        assert {"applied": 1} == apply(at, planned(at).id).outcomes()
        clock.move(days=1)
    recreate(at, "old9", **old)

    made = at.plan()

    assert made.plan is None
    assert "its text was archived 3 times" in reasons(made)["now", "old9"]


@pytest.mark.lance
def test_many_copies_archived_at_once_are_one_attempt(clinic: MakeClinic, clock: FakeClock) -> None:
    """Seven copies merged in one repair are no loop: the text left recall once."""
    at = clinic([memory(f"m{n}", content="same") for n in range(8)] + [memory("h1")], **ALL)
    healed(at)
    clock.move(days=1)
    recreate(at, "z", content="same")

    assert {"z"} == planned(at).changed_ids


@pytest.mark.lance
@pytest.mark.parametrize(("lang", "advice"), [("en", "find the program"), ("zh", "找到")])
def test_the_queue_says_why_and_what_to_do(run: Run, tmp_path: Path, lang: str, advice: str) -> None:  # noqa: F811
    """`review` names the loop and advises to stop the program, in both languages."""
    make_table(tmp_path / "db", [memory("m1", content="same"), memory("h1")])
    configure(tmp_path, LIMITS + '\n[rules]\nconfirmed = ["merge.exact"]\n')
    at = Clinic(Config.load(tmp_path / "mendory.toml"))
    for n in range(3):
        recreate(at, f"z{n}", content="same")
        assert 0 == run("apply", json.loads(run("plan", "--json").stdout)["plan"]["id"][:8]).exit_code
    recreate(at, "z9", content="same")
    run("plan")

    said = run("review", "--lang", lang).stdout

    assert ("archived 3 times" if lang == "en" else "归档 3 次") in said
    assert advice in said


def test_a_text_is_known_whatever_its_id_and_spaces() -> None:
    """The key of a text is its scope's, and that of the exact key; where nothing is said there is none."""
    assert text_key("u1", "喝 茶") == text_key("u1", " 喝  茶 ") != text_key("u2", "喝 茶")
    assert text_key("u1", "Likes tea") == text_key("u1", "likes TEA")
    assert "" == text_key("u1", " ") == text_key("u1", None)
    assert is_text(text_key(None, "x"))
    assert not is_text(problem_key("duplicate_exact", ["a", "b"]))
    assert () == archived_texts([])
