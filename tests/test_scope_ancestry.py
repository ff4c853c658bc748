"""Which scopes contain which: declared by name or by pattern, never in a circle."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendory.config import Config
from mendory.detect import Settings
from mendory.errors import ConfigInvalid
from mendory.scopes import Parents, ancestors_by
from mendory.scopes.ancestry import DEEPEST, BadParents

DECLARED = {"falcon": "alice", "alice": "acme", "{user}/{project}": "{user}", "小王/{项目}": "小王", "小王": "市场部"}


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ("falcon", ("alice", "acme")),
        ("alice", ("acme",)),
        ("acme", ()),
        ("alice/heron", ("alice", "acme")),
        ("bob/heron", ("bob",)),
        ("小王/搬家", ("小王", "市场部")),
        ("a%2Fb/heron", ("a/b", "a")),
        ("bob/heron/deep", ()),
        ("stranger", ()),
        ("", ()),
        (" ", ()),
        (None, ()),
    ],
)
def test_ancestors_are_the_nearest_first(scope: str | None, expected: tuple[str, ...]) -> None:
    """A scope's ancestors are found by name, then by pattern, and end where nobody declared more."""
    assert expected == Parents.of(DECLARED).ancestors(scope)


def test_a_name_goes_before_a_pattern_and_a_pattern_before_later_ones() -> None:
    """What is declared of one scope overrules what is declared of its like."""
    declared = {"{user}/{project}": "{user}", "a/b": "c", "{any}": "everybody"}

    assert [("c", "everybody"), ("x", "everybody"), ()] == [
        Parents.of(declared).ancestors(scope) for scope in ("a/b", "x/y", "everybody")
    ]


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"a": "a"}, "a in a"),
        ({"a": "b", "b": "c", "c": "a"}, "a in b in c in a"),
        ({"{a}/{b}": "{a}", "x": "x/y"}, "x in x/y in x"),
        ({"{a}/{b}": "{b}/{a}"}, "~a~/~b~ in ~b~/~a~ in ~a~/~b~"),
        ({"a{x}": "aa{x}"}, f"more than {DEEPEST}"),
        ({str(n): str(n + 1) for n in range(DEEPEST + 1)}, f"more than {DEEPEST}"),
        ({"": "a"}, "without a name"),
        ({"a": " "}, "without a name"),
        ({"{a}": "{b}"}, "has no b"),
        ({"a": "{b}"}, "does not fill"),
        ({"{a}{b}": "c"}, "is no pattern"),
        ({"a}": "c"}, "is no pattern"),
    ],
)
def test_a_scope_never_lies_in_itself(tmp_path: Path, declared: dict[str, str], said: str) -> None:
    """Circles, endless chains and what is no pattern are refused when the file is read, and named."""
    with pytest.raises(BadParents) as caught:
        Parents.of(declared)
    assert said in str(caught.value)

    with pytest.raises(ConfigInvalid) as refused:
        Config.build({"table": {"uri": "db", "name": "m"}, "scopes": {"parents": declared}}, tmp_path)
    assert said in str(refused.value)
    assert "scopes.parents" in str(refused.value)


def test_the_longest_chain_is_told_whole() -> None:
    """A scope may lie in sixteen others."""
    declared = {str(n): str(n + 1) for n in range(DEEPEST)}

    assert tuple(str(n + 1) for n in range(DEEPEST)) == Parents.of(declared).ancestors("0")


def test_detectors_are_told_the_parents_of_the_configuration(tmp_path: Path) -> None:
    """The settings of a check know the ancestors that the file declares; without any there are none."""
    table = {"uri": "db", "name": "m"}
    config = Config.build({"table": table, "scopes": {"parents": DECLARED}}, tmp_path)
    plain = Config.build({"table": table}, tmp_path)

    assert ("alice", "acme") == Settings.of(config, config.record_mapping()).ancestors("falcon")
    assert () == Settings.of(plain, plain.record_mapping()).ancestors("falcon")


@given(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("abcdef")), st.sampled_from("abcdef"))
def test_no_scope_is_its_own_ancestor(declared: dict[str, str], scope: str) -> None:
    """No ancestor is named twice, none is the scope itself, and a parent's ancestors are its child's but the first."""
    try:
        ancestors = ancestors_by(declared)
    except BadParents:
        return
    found = ancestors(scope)

    assert len(set(found)) == len(found)
    assert scope not in found
    assert found[1:] == (ancestors(found[0]) if found else ())
