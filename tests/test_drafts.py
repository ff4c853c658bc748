"""Drafters alone, on rows given by hand: what a whole plan shows only where many things come together."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mendory.choices import Answer, Choice
from mendory.detect.context import BatchFacts, Referrers
from mendory.finding import Code, Finding, finding
from mendory.plan.answered import answered, primary_of
from mendory.plan.draft import Draft, Situation, Unplanned, nobody_embeds
from mendory.record import Memory
from tests.conftest import NOON

SAID = {
    "en": ("Takes the night train to Vienna. Likes window seats.", "Takes the night train to Vienna. Packs light."),
    "zh": ("坐夜车去成都。喜欢靠窗的座位。", "坐夜车去成都。行李很少。"),
}


def row(name: str, content: str, **fields: Any) -> Memory:
    """A recallable memory of scope u1."""
    own = {"scope": "u1", "status": "active", "created_at": NOON, "source": "user_stated"} | fields
    return Memory(name, content, **own)


def situation(*rows: Memory, **fields: Any) -> Situation:
    """What a drafter sees of these rows, and of nothing else."""
    held = {str(m.id): m for m in rows}
    own: dict[str, Any] = {
        "look": lambda ids: {i: held[i] for i in sorted(ids) if i in held},
        "batches": BatchFacts(()),
        "referrers": Referrers(),
        "unaddressable": frozenset(),
        "absent": frozenset(),
        "aside": frozenset(),
        "can_hide": True,
        "owner_keys": ("user_id",),
        "incidental": frozenset(),
        "defaults": {},
        "min_siblings": 3,
        "successors": lambda ids: {},
        "undecided": (),
        "vector_of": nobody_embeds,
    }
    return Situation(**own | fields)


def found(code: Code, *rows: Memory, **evidence: Any) -> Finding:
    """A finding on these rows."""
    return finding(code, rows, ("content",), "", evidence, "test/1")


def test_the_original_of_an_echo_stays_whatever_says_more() -> None:
    """Of an echo the original is kept, of anything else the row that says most."""
    short, long = row("a", "Likes tea"), row("b", "Likes green tea from Hangzhou with friends")

    echo = primary_of(found(Code.RECALL_ECHO, short, long, original="a"), [short, long])
    other = primary_of(found(Code.DUPLICATE_NEAR, short, long, original="a"), [short, long])

    assert ("a", "b") == (echo.id, other.id)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_person_makes_one_of_two_and_only_what_is_new_becomes_a_note(language: str) -> None:
    """What the kept row says already is no note; a mark of the rows' dispute does not stand against it."""
    one, two = (row(n, t, status=s) for n, t, s in zip("ab", SAID[language], ("active", "pending_review"), strict=True))

    [made] = answered(found(Code.CONFLICT, one, two), Answer(Choice.MERGE), situation(one, two))

    assert isinstance(made, Draft)
    assert [{"en": ("Packs light.",), "zh": ("行李很少",)}[language]] == [
        tuple(json.loads(n)["text"] if n.startswith("{") else n for n in c["related_notes"])
        for c in made.changes.values()
        if "related_notes" in c
    ]
    assert ["archived"] == [c["status"] for c in made.changes.values() if "status" in c]


def test_no_answer_makes_one_of_two_owners() -> None:
    """A person says that texts are one; whose they are speaks against it all the same."""
    one = row("a", "Likes tea", metadata={"user_id": "ann"})
    two = row("b", "Likes tea a lot", metadata={"user_id": "bob"})

    [refused] = answered(found(Code.CONFLICT, one, two), Answer(Choice.MERGE), situation(one, two))

    assert isinstance(refused, Unplanned)
    assert "they differ in metadata.user_id: never merged" == refused.reason
