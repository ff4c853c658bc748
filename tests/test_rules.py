"""The rules that decide a conflict: cases, and what holds for every pair and every order of rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendory.catalogue import CAREFUL, CONFLICT_RULES, PRESETS, RULES, StepKind, remedy_of, rule_name
from mendory.config import Config
from mendory.conflicts import Abstention, ConflictRules, Ruling, losers, rule
from mendory.contradiction import Compared, Relation
from mendory.errors import ConfigInvalid
from mendory.finding import Code, finding
from mendory.record import SOURCE_CONFIDENCE, Memory
from mendory.scopes import ancestors_by
from tests.conftest import NOON, at, make_config
from tests.test_cases import cases, only

_TIMES = ("created_at", "updated_at", "last_verified_at")


def a_memory(data: Mapping[str, Any]) -> Memory:
    """The memory of a case, of scope u1 and active unless it says otherwise."""
    given_times = {name: at(data[name]) for name in _TIMES if data.get(name)}
    rest = {name: value for name, value in data.items() if name not in _TIMES}
    return Memory(**{"scope": "u1", "status": "active"} | rest | given_times)


@pytest.mark.parametrize("case", cases("rules"))
def test_rule_cases(case: dict[str, Any]) -> None:
    """Each pair is decided, or left undecided, by exactly that rule and for exactly those reasons, in either order."""
    only({"why", "a", "b", "relation", "narrower", "wishes", "ruling"}, case, "a case of rules")
    said = case.get("wishes", {})
    only({"preset", "rules", "parents"}, said, "wishes")
    order = PRESETS[said["preset"]] if "preset" in said else tuple(said.get("rules", CAREFUL))
    wishes = ConflictRules(order, ancestors=ancestors_by(said.get("parents", {})), now=at("2025-06-01"))
    a, b = a_memory(case["a"]), a_memory(case["b"])
    compared = Compared(Relation(case["relation"]), 1.0, narrower=case.get("narrower"))

    expected = Ruling(**case["ruling"])
    assert expected == rule(a, b, compared, wishes)
    assert expected == rule(b, a, mirrored(compared), wishes)


def mirrored(compared: Compared) -> Compared:
    """The comparison of the same two the other way round."""
    side = None if compared.narrower is None else 1 - compared.narrower
    return dataclasses.replace(compared, claims=compared.claims[::-1], narrower=side)


_SOURCES = st.sampled_from([*SOURCE_CONFIDENCE, "config", "manual", "webhook", "", None])
_MOMENTS = st.none() | st.integers(0, 2000).map(lambda m: NOON + timedelta(minutes=m))
_MEMORIES = st.builds(
    Memory,
    id=st.just("a"),
    content=st.just("x"),
    created_at=_MOMENTS,
    updated_at=_MOMENTS,
    last_verified_at=_MOMENTS,
    source=_SOURCES,
    scope=st.sampled_from(["acme", "alice", "bob"]),
    batch_id=st.sampled_from([None, "", "b1", "b2"]),
    status=st.sampled_from(["active", "pending_review"]),
)
_PAIRS = st.tuples(_MEMORIES, _MEMORIES).map(lambda p: (p[0], dataclasses.replace(p[1], id="b")))
_ORDERS = st.permutations(CONFLICT_RULES).flatmap(lambda names: st.integers(0, 5).map(lambda n: tuple(names[:n])))
_COMPARED = st.sampled_from(
    [
        Compared(Relation.CONFLICT, 1.0),
        Compared(Relation.EXCEPTION, 1.0, narrower=0),
        Compared(Relation.EXCEPTION, 1.0, narrower=1),
    ]
)
_ANCESTORS = ancestors_by({"alice": "acme", "bob": "acme"})


def wishes_of(order: tuple[str, ...]) -> ConflictRules:
    """Wishes with that order, in a table where alice and bob lie in acme."""
    return ConflictRules(order, ancestors=_ANCESTORS, now=NOON + timedelta(days=3))


@given(_PAIRS, _COMPARED, _ORDERS)
def test_the_answer_does_not_depend_on_the_order_of_the_two(
    pair: tuple[Memory, Memory], compared: Compared, order: tuple[str, ...]
) -> None:
    """The same row stays, the same goes, for the same reason, whichever is named first."""
    a, b = pair

    assert rule(a, b, compared, wishes_of(order)) == rule(b, a, mirrored(compared), wishes_of(order))


@given(_PAIRS, _COMPARED, _ORDERS)
def test_nothing_is_decided_without_a_clear_difference(
    pair: tuple[Memory, Memory], compared: Compared, order: tuple[str, ...]
) -> None:
    """What decides says what it went by; one row goes at most, never of another scope; each abstention has a reason."""
    a, b = pair
    ruling = rule(a, b, compared, wishes_of(order))

    decided = ruling.rule is not None
    assert decided == bool(ruling.difference)
    assert (ruling.keep is None, ruling.lose is None) == (not decided or ruling.both,) * 2
    assert ruling.keep is None or {ruling.keep, ruling.lose} == {"a", "b"}
    assert {Abstention(why) for why in ruling.abstained.values()} <= set(Abstention)
    if a.scope != b.scope:
        assert ruling.lose is None
    if {a.source, b.source} in ({"user_stated", "config"}, {"user_stated", "manual"}):
        assert ruling.lose is None


@given(_PAIRS, _COMPARED, _ORDERS)
def test_rules_are_asked_in_their_order(
    pair: tuple[Memory, Memory], compared: Compared, order: tuple[str, ...]
) -> None:
    """Exactly the rules before the one that decides abstained; each says alone what it says in its place."""
    a, b = pair
    ruling = rule(a, b, compared, wishes_of(order))
    alone = {name: rule(a, b, compared, wishes_of((name,))) for name in order}

    asked = order if ruling.rule is None else order[: order.index(ruling.rule)]
    assert asked == tuple(ruling.abstained)
    assert {n: alone[n].abstained.get(n) for n in asked} == dict(ruling.abstained)
    if ruling.rule is not None:
        assert dataclasses.replace(ruling, abstained={}) == dataclasses.replace(alone[ruling.rule], abstained={})


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda p: p[0] != p[1])))
def test_who_loses_goes_in_favour_of_one_that_stays(pairs: list[tuple[int, int]]) -> None:
    """Each row that loses does so, ruling by ruling, to one that loses to nobody; in a circle to nobody at all."""
    rulings = [(str(stays), str(goes)) for stays, goes in pairs]
    found = losers(rulings)

    assert set(found) == {goes for _, goes in rulings}
    assert {path[-1] for path in found.values() if path}.isdisjoint(found)
    steps = [(b, a) for row, path in found.items() if path for a, b in zip((row, *path), path, strict=False)]
    assert set(steps) <= set(rulings)


def test_each_rule_is_confirmed_by_its_own_name() -> None:
    """Who confirms one rule confirms no other; an undecided conflict is marked, and no rule is asked."""
    pair = [Memory("a", "x"), Memory("b", "y")]
    decided = {
        name: remedy_of(finding(Code.CONFLICT, pair, ("content",), "", {"rule": name}, "")) for name in CONFLICT_RULES
    }
    undecided = remedy_of(finding(Code.CONFLICT, pair, ("content",), "", {"rule": None}, ""))

    assert {name: rule_name(name) for name in CONFLICT_RULES} == {n: r.rule for n, r in decided.items()}
    assert {rule_name(name) for name in CONFLICT_RULES if name != "narrower"} == {
        r for r in RULES if r.startswith("conflict.") and r != "conflict.exception"
    }
    assert (StepKind.MARK_DISPUTED, 1, None) == (undecided.step, undecided.level, undecided.rule)


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ({}, CAREFUL),
        ({"rules": ["newer"]}, ("newer",)),
        ({"rules": []}, ()),
        ({"preset": "latest_user_statement"}, CONFLICT_RULES),
    ],
)
def test_the_order_is_configuration(section: dict[str, Any], expected: tuple[str, ...], tmp_path: Any) -> None:
    """Rules are asked as configured, or as the preset has them."""
    config: Config = make_config(tmp_path, conflict=section)

    assert expected == config.conflict.order


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"rules": ["oldest"]}, "no such rule: oldest"),
        ({"rules": ["newer", "newer"]}, "a rule is named twice"),
        ({"preset": "latest_user_statement", "rules": ["newer"]}, "both a preset and rules"),
        ({"preset": "newest"}, "conflict.preset"),
        ({"tie_window": -1}, "conflict.tie_window"),
    ],
)
def test_a_wrong_order_is_refused(section: dict[str, Any], said: str, tmp_path: Any) -> None:
    """A rule that is not there, one named twice, and two orders at once are told by name."""
    with pytest.raises(ConfigInvalid) as caught:
        make_config(tmp_path, conflict=section)

    assert said in str(caught.value)
