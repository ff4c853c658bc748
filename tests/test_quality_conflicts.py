"""Planted conflicts: what is planted, and how what a check and a heal did to it is judged."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bench.quality import conflict_templates as templates
from bench.quality.conflict_judging import judge
from bench.quality.conflict_planting import Pair, Planted, plant
from bench.quality.conflicts import BOUNDS, LEAST
from bench.quality.over_stores import within
from bench.quality.planting import Row
from mendory.contradiction import DECIDES, Relation, compare

NOON = datetime(2024, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store of changed preferences and one of ten persons' statements."""
    (tmp_path / "stores").mkdir()

    def preference(kind: str, item: str, deleted: bool = False) -> list[dict[str, Any]]:
        return [{"type": kind, "specific_item": item} | ({"deleted": True} if deleted else {})]

    changes = [
        {"user": "u1", "before": preference("like", "Tea"), "after": preference("dislike", "Tea")},
        {"user": "u1", "before": preference("like", "Golf"), "after": preference("like", "Golf", deleted=True)},
        {"user": "u2", "before": preference("like", "Cats"), "after": preference("like", "Dogs")},
        {"user": "u2", "before": preference("like", "Rain"), "after": preference("like", "Rain")},
    ]
    persons = [{"scope": f"p{n}", "memories": [f"i have {n} red boats", "i like tea"]} for n in range(10)]
    for name, rows in (("preference_changes", changes), ("personas", persons)):
        with gzip.open(tmp_path / "stores" / f"{name}.jsonl.gz", "wt", encoding="utf-8") as out:
            out.writelines(json.dumps(row) + "\n" for row in rows)
    return tmp_path


def test_a_preference_that_turned_round_or_was_dropped_is_a_conflict(folder: Path) -> None:
    """Another thing that is liked is none, and one that is said again is not planted at all."""
    _, pairs = plant(folder, "preference_changes")
    told = [(pair.first.text, pair.second.text, pair.what) for pair in pairs if pair.first.id.startswith("change")]
    expected = [
        ("I like tea.", "I dislike tea.", Planted.DECIDED),
        ("I like golf.", "I no longer like golf.", Planted.DECIDED),
        ("I like cats.", "I like dogs.", Planted.COMPATIBLE),
    ]
    assert expected == told


def test_what_is_planted_lies_where_and_when_it_says(folder: Path) -> None:
    """Undecided pairs are of one time, decided ones of two, and only those meant for elsewhere cross scopes."""
    rows, pairs = plant(folder, "personas")
    assert len({row.id for row in rows}) == len(rows)
    assert {Planted.DECIDED, Planted.UNDECIDED, Planted.EXCEPTION, Planted.COMPATIBLE, Planted.ELSEWHERE} == {
        pair.what for pair in pairs
    }
    for pair in pairs:
        assert (pair.what is Planted.ELSEWHERE) == (pair.first.scope != pair.second.scope)
        apart = pair.second.created_at - pair.first.created_at
        assert (timedelta() if pair.what is Planted.UNDECIDED else timedelta(days=40)) == apart


def two(what: Planted) -> Pair:
    """A planted pair of rows a and b."""
    return Pair(Row("a", "u", "a", NOON), Row("b", "u", "b", NOON), what, "k")


def after(**hidden: str) -> dict[str, dict[str, Any]]:
    """The rows a and b after a heal; `a="b"` is a hidden behind b."""
    held: dict[str, dict[str, Any]] = {
        name: {"id": name, "status": "active", "superseded_by": None, "duplicate_of": None} for name in "ab"
    }
    for name, other in hidden.items():
        held[name] |= {"status": "archived", "superseded_by": other}
    return held


@pytest.mark.parametrize(
    ("what", "codes", "hidden", "found", "healed", "wrong", "alarms"),
    [
        (Planted.DECIDED, ["conflict"], {"a": "b"}, 1, 1, 0, 0),
        (Planted.DECIDED, ["conflict"], {"b": "a"}, 1, 0, 0, 0),
        (Planted.DECIDED, ["conflict_candidate"], {}, 0, 0, 0, 0),
        (Planted.UNDECIDED, ["conflict"], {}, 1, 1, 0, 0),
        (Planted.UNDECIDED, ["conflict"], {"a": "b"}, 1, 0, 1, 0),
        (Planted.EXCEPTION, ["conflict_exception"], {}, 1, 1, 0, 0),
        (Planted.EXCEPTION, ["conflict"], {}, 0, 1, 0, 1),
        (Planted.COMPATIBLE, [], {}, 0, 1, 0, 0),
        (Planted.COMPATIBLE, ["conflict"], {"a": "b"}, 1, 0, 0, 1),
    ],
)
def test_a_planted_pair_is_judged_by_what_it_is(
    what: Planted, codes: list[str], hidden: dict[str, str], found: int, healed: int, wrong: int, alarms: int
) -> None:
    """Whether it was found, whether it came out as it should, and whether an undecided side is hidden."""
    come = judge([two(what)], [(code, ("a", "b")) for code in codes], after(**hidden))
    assert (found, healed) == (come.found[what, "k"], come.healed[what, "k"])
    assert (wrong, alarms) == (come.undecided_hidden, len(come.alarms))


def test_a_conflict_that_nobody_planted_is_to_be_looked_at() -> None:
    """By its code and its two rows."""
    come = judge([], [("conflict", ("b", "a"))], after())
    assert [("conflict", "a", "b")] == come.unplanted


def test_planted_statements_are_what_they_are_planted_as() -> None:
    """Of what can hold together, no pair reaches the score from which a rule may decide."""
    for language, (who, other) in templates.WHO.items():
        for kind, first, second in (*templates.COMPATIBLE[language], *templates.EXCEPTIONS[language]):
            found = compare(first.format(who=who, other=other), second.format(who=who, other=other))
            wrong = found.relation is Relation.CONFLICT and found.score >= DECIDES[language]
            assert not wrong, (language, kind)


GOOD = {**dict.fromkeys(BOUNDS, 0.0), **dict.fromkeys(LEAST, 1.0)}


@pytest.mark.parametrize(("figure", "value"), [*((name, 1.0) for name in BOUNDS), *((name, 0.0) for name in LEAST)])
def test_every_bound_of_the_planted_stores_can_fail(figure: str, value: float) -> None:
    """One figure of one store beyond its bound is enough, however good the others are."""
    assert within({"one": GOOD, "two": GOOD}, BOUNDS, LEAST)
    assert not within({"one": GOOD, "two": {**GOOD, figure: value}}, BOUNDS, LEAST)
