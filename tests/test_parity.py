"""Suites and pure rules flag the same rows on every structural case, and a change of any one rule shows."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

import mendory.detect.characters as characters
import mendory.detect.references as references
import mendory.detect.required as required
import mendory.detect.status as status
import mendory.detect.times as times
import mendory.detect.vectors as vectors
import mendory.facts.links as links
import mendory.facts.moments as moments
import mendory.facts.texts as texts
import mendory.facts.whole as whole
from expectations import suites as suite_rules
from mendory.detect import Settings
from mendory.finding import KNOWN, Ring
from mendory.mapping import Mapping
from mendory.record import FIELD_NAMES
from tests.conftest import NOON, arrow, memory
from tests.parity import both, zoo
from tests.test_cases import CASES, Case

FOLDERS = ("required", "identity", "status", "references", "structure")
STRUCTURE = {code.value for code, (ring, _) in KNOWN.items() if ring is Ring.STRUCTURE}
BY_TABLE = {"embedding_dim_mismatch"}
"""What a table with vectors of one length in its schema can't have; cases with lists of any length do."""


def structural() -> list[Any]:
    """Every case of the structural folders."""
    files = [f for folder in FOLDERS for f in sorted((CASES / folder).glob("*.json"))]
    return [pytest.param(json.loads(f.read_text(encoding="utf-8")), id=f"{f.parent.name}/{f.stem}") for f in files]


@pytest.mark.parametrize("data", structural())
def test_suites_and_pure_rules_flag_the_same_rows_of_a_case(data: dict[str, Any]) -> None:
    """On the rows of a case and its sentinels, exactly the same ids per code."""
    case = Case(data)
    by_rules, by_suites = both(case.mapping, case.rows, case.settings)

    assert by_rules == by_suites
    assert "~blank" in by_suites["content_empty"]  # type: ignore[operator]


def test_every_structural_code_is_in_a_suite_and_found_on_the_table_of_all_faults() -> None:
    """Each code of the structural ring that a row can have is flagged by both, on the same rows."""
    by_rules, by_suites = both(*zoo())

    assert by_rules == by_suites
    assert STRUCTURE - BY_TABLE == set(by_suites)


INSIDE = {
    "created_at": ("昨天", {"at": 1}, True, [1], float(2**60)),
    "last_accessed_at": ("yesterday", {"at": 1}, [1]),
    "source": ([1], {"who": "user_stated"}, 0.5),
    "scope": (["用户一"], {"id": "u1"}, 0.5),
    "status": (["active"], {"x": 1}),
    "kind": (["fact"],),
    "duplicate_of": (["m1"], {"id": "m1"}, ["走了"]),
    "superseded_by": ({"id": "gone"},),
    "related_ids": ('["m9"]', [1], {"id": "m1"}, "m1", ["m1", None], 7),
    "claim": ("is", [1]),
}
"""Fields → values under their keys of the metadata that no such field can have."""


@pytest.mark.parametrize("composite", [False, True])
@pytest.mark.parametrize("name", INSIDE)
def test_what_can_not_be_read_inside_metadata_is_of_a_wrong_type(name: str, composite: bool) -> None:
    """Never missing and never silent: both ways of checking name exactly those rows, and nothing else about them.

    Where something else than an object lies on the way to the key it is the same; in metadata that is no JSON it isn't.
    """
    whole = {"topic": "茶", "entities": ["tea"], "scene": "s", "at": dict.fromkeys(INSIDE)}
    whole["at"] |= {"created_at": "2025-02-01", "source": "user_stated", "scope": "用户一", "status": "active"}
    values = [*INSIDE[name], "no object on the way", None]
    metas = [whole | {"at": whole["at"] | {name: value}} for value in values]
    metas[-2] = whole | {"at": "不是对象"}
    texts_of = [json.dumps(m, ensure_ascii=False) for m in metas] + ["{no json", json.dumps(whole)]
    table = arrow([memory(f"m{n}", metadata=text, embedding=[n, 1, 0, 0]) for n, text in enumerate(texts_of)])
    table = table.drop_columns([n for n in INSIDE if n in table.column_names])
    places = {n: f"metadata.at.{n}" for n in INSIDE} | ({"scope": "u/{metadata.at.scope}"} if composite else {})
    lacking = [n for n in FIELD_NAMES if n not in {*table.column_names, *INSIDE}]
    mapping = Mapping.of(places, lacking)
    settings = Settings(
        absent=frozenset(mapping.absent()), required_metadata=(), inside_metadata=mapping.inside_metadata, now=NOON
    )
    by_rules, by_suites = both(mapping, table, settings)

    bad = {f"m{n}" for n in range(len(values) - 1)}
    required = {"created_at": "missing_created_at", "source": "missing_source", "scope": "missing_scope"}
    null = required.get(name) or {"status": "illegal_status"}.get(name)
    expected = {"wrong_type": bad, "metadata_invalid": {f"m{len(values)}"}} | (
        {null: {f"m{len(values) - 1}"}} if null else {}
    )
    assert by_rules == by_suites
    assert expected == by_suites


class Blind:
    """A pattern that matches nothing."""

    search = staticmethod(lambda text: None)
    finditer = staticmethod(lambda text: iter(()))


NEVER = "[^\x00-\U0010ffff]"
MUTANTS: dict[str, tuple[Any, str, Any]] = {
    "rule: nothing is blank": (required, "is_blank", lambda text: text is None),
    "rule: no hidden characters": (characters, "HIDDEN", Blind),
    "rule: no mark belongs": (characters, "unmarked", lambda text: text),
    "rule: any scope": (characters, "SCOPE_BARRED", Blind),
    "rule: one character less": (characters, "MOST_CHARACTERS", 99_999),
    "rule: ids as they are": (characters, "id_key", lambda text: text),
    "rule: the seventies are plausible": (times, "EARLIEST", times._EPOCH),
    "rule: clocks agree": (times, "SLACK", timedelta(0)),
    "rule: only updates have an order": (times, "AFTER", ("updated_at",)),
    "rule: no time is cut": (times, "UNITS", ()),
    "rule: deleted is a status": (status, "_KNOWN", frozenset({*status._KNOWN, "deleted"})),
    "rule: blank scopes are scopes": (references, "is_blank", lambda text: text != "u1"),
    "rule: a wider ring of norms": (vectors, "OFF_UNIT", 0.03),
    "rule: fewer texts": (vectors, "SAME", 21),
    "suite: nothing is blank": (suite_rules, "BLANK_PATTERN", NEVER),
    "suite: no hidden characters": (suite_rules, "HIDDEN_PATTERN", NEVER),
    "suite: any scope": (suite_rules, "BARRED_PATTERN", NEVER),
    "suite: a longer scope": (suite_rules, "MOST_SCOPE_BYTES", 513),
    "suite: a longer content": (suite_rules, "MOST_CHARACTERS", 100_001),
    "suite: no source": (suite_rules, "MISSING", {k: v for k, v in suite_rules.MISSING.items() if k != "source"}),
    "suite: zero is a length": (suite_rules, "ZERO", 0.0),
    "suite: a wider ring of norms": (suite_rules, "OFF_UNIT", 0.03),
    "suite: the nineties begin a day later": (suite_rules, "EARLIEST", times.EARLIEST + timedelta(seconds=1)),
    "facts: nothing is suspicious": (texts, "_SUSPECT", NEVER),
    "facts: no mark belongs": (texts, "unmarked", lambda text: text),
    "facts: clocks agree": (moments, "SLACK", timedelta(0)),
    "facts: no time is cut": (moments, "UNITS", ()),
    "facts: times are cut to milliseconds": (moments, "UNITS", (1_000,)),
    "facts: blank scopes are scopes": (links, "is_blank", lambda text: text != "u1"),
    "facts: all ids are plain": (texts, "_PLAIN_ID", ""),
    "facts: no circles": (links, "_circles", lambda after: []),
    "facts: no chains": (links, "_chains", lambda after: {}),
    "facts: fewer texts": (whole, "SAME", 21),
    "facts: no vector is of length 1": (whole, "UNIT", -1.0),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_change_of_one_rule_on_either_side_breaks_parity(mutant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of all faults tells every mutant of a single rule, or the check itself does."""
    module, name, value = MUTANTS[mutant]
    monkeypatch.setattr(module, name, value)

    assert differs(), mutant


def differs() -> bool:
    """True when the two ways of checking disagree on the table of all faults."""
    by_rules, by_suites = both(*zoo())
    return by_rules != by_suites
