"""Diagnosis: what the sick rows share, which cause of the catalogue that names, and when none is."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendory.causes import CATALOGUE, CAUSES, MIN_SUPPORT, UNCAUSED, UNKNOWN
from mendory.detect import Settings, examine
from mendory.diagnose import MIN_RATIO, Cause, diagnose
from mendory.finding import KNOWN, Code, Finding, Ring, Severity
from mendory.mapping import Mapping
from mendory.record import Memory
from mendory.scopes.doubts import CODES as OF_SCOPES
from mendory.traits import ATTRIBUTES, Names, Traits, attributes
from tests.conftest import NOON, arrow, memory


def causes(rows: Sequence[dict[str, Any]]) -> dict[str, Cause]:
    """Code → the first cause, for what is found on these rows."""
    held = Mapping.identity().memories(arrow(rows))
    by_id = {m.id: m for m in held if m.id}
    seen = examine(held, lambda ids: {i: by_id[i] for i in ids if i in by_id}, Settings(now=NOON + timedelta(days=99)))
    return {c.code: c for c in reversed(diagnosed(seen.findings, held))}


def diagnosed(findings: Collection[Finding], held: Sequence[Memory]) -> list[Cause]:
    """The causes of the findings on these rows."""
    traits = {m.id: Traits.of(m, Names()) for m in held if m.id}
    return diagnose(findings, traits, Counter(pair for m in held for pair in attributes(m, Names())), len(held))


def healthy(n: int, **fields: Any) -> list[dict[str, Any]]:
    """So many healthy rows, a day apart from each other."""
    return [memory(f"h{i}", **{"created_at": NOON - timedelta(days=i + 1), "kind": None} | fields) for i in range(n)]


def among(n: int, of: int, **fields: Any) -> list[dict[str, Any]]:
    """So many sick rows, spread over the days of as many healthy ones."""
    step = of // n
    return [
        memory(f"s{i}", **{"created_at": NOON - timedelta(days=i * step + 1), "kind": None} | fields) for i in range(n)
    ]


def found(code: Code, *ids: str, **evidence: Any) -> Finding:
    """A finding of the code on these rows."""
    name = f"{code}-{'-'.join(ids)}"
    return Finding(name, code, ids, "u1", Ring.MEANING, Severity.MEDIUM, "found", evidence)


def row(name: str, days: float = 0, **fields: Any) -> Memory:
    """A memory so many days before noon."""
    return Memory(name, "text", created_at=NOON - timedelta(days=days), **fields)


def plain(n: int) -> list[Memory]:
    """So many memories with nothing in common but their scope, a day apart."""
    return [row(f"h{i}", i, scope="u1", source="user_stated") for i in range(n)]


# --- what is compared ---------------------------------------------------------------------------


def test_attributes_are_what_rows_are_compared_by() -> None:
    """Batch, source, scope, day and kind, writer and space, where the row has them."""
    said = '{"topic": "t", "entities": [], "scene": "s", "agent_id": "bot-2", "embedding_model": "bge-m3"}'
    [one, bare] = Mapping.identity().memories(
        arrow(
            [
                memory("a", batch_id="b7", metadata=said),
                memory("b", source=None, scope=None, created_at=None, kind=None),
            ]
        )
    )

    told = {"batch": "b7", "source": "user_stated", "scope": "u1", "day": "2025-03-01", "kind": "fact"}
    assert told | {"writer": "bot-2", "space": "bge-m3"} == dict(attributes(one, Names()))
    assert [] == attributes(bare, Names())


def test_a_further_column_names_the_writer_where_the_metadata_do_not() -> None:
    """The first key that holds a text or a number counts, the metadata before the owner's columns."""
    names = Names(("app",), ("model",))

    assert [("writer", "7")] == attributes(Memory("a", "t", others={"app": 7, "model": True}), names)
    assert [("writer", "x"), ("space", "m")] == attributes(
        Memory("a", "t", {"app": "x"}, others={"app": "y", "model": "m"}), names
    )


def test_traits_survive_a_checkpoint() -> None:
    """What is kept of a sick row is what was compared."""
    one = Traits.of(row("a", batch_id="b7", metadata={"app": "bot"}), Names())

    assert one == Traits.from_json(one.as_json())
    assert Traits({}) == Traits.from_json(Traits({}).as_json())


# --- what is shared -----------------------------------------------------------------------------


def test_bad_import_is_named() -> None:
    """All rows without a source came with one batch: an import bug, with what it explains and its ratio."""
    cause = causes([*among(5, 45, source=None, batch_id="导入7"), *healthy(45)])["missing_source"]

    assert ("import_bug", "batch", "导入7") == (cause.name, cause.attribute, cause.value)
    assert (5, 5) == (cause.explains, cause.total)
    assert cause.ratio is not None
    assert cause.ratio >= MIN_RATIO


@pytest.mark.parametrize(
    ("fields", "code", "name"),
    [
        ({"scope": None}, "missing_scope", "wrong_scope_field"),
        ({"related_ids": ["gone"]}, "reference_dangling", "foreign_delete"),
        ({"status": "ACTIVE"}, "illegal_status", "import_bug"),
        ({"content": "一样", "created_at": NOON}, "duplicate_exact", "redundant_import"),
    ],
)
def test_each_kind_of_finding_suggests_its_cause(fields: dict[str, Any], code: str, name: str) -> None:
    """What a shared batch suggests depends on what is wrong."""
    cause = causes([*among(4, 40, batch_id="b7", **fields), *healthy(40)])[code]

    assert (name, "batch", 4) == (cause.name, cause.attribute, cause.explains)


@pytest.mark.parametrize("key", ["writer", "agent_id", "app"])
def test_a_writer_that_writes_twice_is_named(key: str) -> None:
    """Double writes of one writer: its writes are not idempotent, and it is named."""
    said = f'{{"topic": "t", "entities": [], "scene": "s", "{key}": "retrying-bot"}}'
    twice = [
        memory(f"s{i}{copy}", content=f"fact {i}", created_at=NOON - timedelta(days=9 * i + 1), metadata=said)
        for i in range(4)
        for copy in "ab"
    ]

    cause = causes([*twice, *healthy(80)])["duplicate_exact"]

    assert ("non_idempotent_write", "writer", "retrying-bot") == (cause.name, cause.attribute, cause.value)
    assert 8 == cause.explains


def test_fact_said_again_in_other_conversations() -> None:
    """Restatements that one source writes suggest that a fact was extracted again."""
    cause = causes([*among(4, 40, content="likes tea", source="model_inferred"), *healthy(40)])["duplicate_restated"]

    assert ("fact_extracted_again", "source", "model_inferred") == (cause.name, cause.attribute, cause.value)


def test_rows_that_an_upgrade_left_behind_are_named_by_their_last_day() -> None:
    """All rows up to a day lack a source, none after it: an unfinished upgrade."""
    sick = [memory(f"s{i}", source=None, kind=None, created_at=NOON - timedelta(days=60 + i)) for i in range(5)]

    cause = causes([*sick, *healthy(45)])["missing_source"]

    assert ("unfinished_upgrade", "until", "2024-12-31") == (cause.name, cause.attribute, cause.value)


def test_what_goes_wrong_from_a_day_on_is_named_by_it() -> None:
    """Every row since a day has a status in capitals: what changed then is to be looked for."""
    sick = [memory(f"s{i}", status="ACTIVE", kind=None, created_at=NOON + timedelta(days=i)) for i in range(5)]

    cause = causes([*sick, *healthy(45)])["illegal_status"]

    assert ("import_bug", "since", "2025-03-01", 5) == (cause.name, cause.attribute, cause.value, cause.explains)


def test_two_sick_rows_are_too_few() -> None:
    """Two rows may share anything by chance: nothing is named, and that is said."""
    sick = [memory(f"s{i}", source=None, batch_id="b7") for i in range(2)]

    cause = causes([*sick, *healthy(40)])["missing_source"]

    assert (UNKNOWN, None, None, 0, 2) == (cause.name, cause.attribute, cause.value, cause.explains, cause.total)


def test_what_everybody_shares_explains_nothing() -> None:
    """A value that healthy rows have as well is no cause, nor is one that every row has."""
    assert UNKNOWN == causes([*among(5, 45, status="Active"), *healthy(45)])["illegal_status"].name
    assert UNKNOWN == causes([memory(f"s{i}", status="Active") for i in range(5)])["illegal_status"].name


def test_what_stays_unexplained_is_counted() -> None:
    """Of six sick rows four share a batch; two stay unexplained."""
    sick = [r | {"batch_id": "b7" if i < 4 else None} for i, r in enumerate(among(6, 60, source=None))]

    cause = causes([*sick, *healthy(60)])["missing_source"]

    assert {"explains": 4, "unexplained": 2} == {k: cause.as_json()[k] for k in ("explains", "unexplained")}


def test_two_bad_batches_are_both_named() -> None:
    """What the likeliest cause leaves unexplained is looked at again, without the rows that it explains."""
    held = [row(f"s{i}", 3 * i, scope="u1", batch_id="b1" if i % 2 else "b2") for i in range(12)]
    held += plain(100)
    wrong = [found(Code.MISSING_SOURCE, f"s{i}") for i in range(12)]

    named = diagnosed(wrong, held)

    assert [("batch", "b1", 6, 12), ("batch", "b2", 6, 12)] == [
        (c.attribute, c.value, c.explains, c.total) for c in named
    ]


def test_codes_are_diagnosed_by_themselves() -> None:
    """Each code has its own cause."""
    sick = [r | {"status": "ACTIVE"} for r in among(4, 40, source=None, batch_id="b7")]

    assert ["illegal_status", "missing_source"] == sorted(causes([*sick, *healthy(40)]))


# --- what the findings prove themselves ---------------------------------------------------------


def pairs(n: int, apart: float, **fields: Any) -> tuple[list[Memory], list[tuple[str, str]]]:
    """So many pairs of memories, spread over the table, the two of each so many days apart; their ids."""
    held = [row(f"p{i}{side}", 7 * i + apart * (side == "b"), **fields) for i in range(n) for side in "ab"]
    return held, [(f"p{i}a", f"p{i}b") for i in range(n)]


def test_a_conflict_that_no_rule_decides_has_no_rule() -> None:
    """One pair is enough: the finding itself says that every rule that was asked abstained."""
    held, [pair] = pairs(1, 2)

    [cause] = diagnosed([found(Code.CONFLICT, *pair, rule=None)], [*held, *plain(40)])

    assert ("no_conflict_rule", None, 2, 2) == (cause.name, cause.attribute, cause.explains, cause.total)


@pytest.mark.parametrize(
    ("apart", "fields", "name"),
    [
        (3, {}, "old_row_not_retired"),
        (3, {"batch_id": "b7"}, "no_conflict_check"),
        (0.001, {}, "no_conflict_check"),
    ],
)
def test_decided_conflicts_tell_how_they_came_about(apart: float, fields: dict[str, Any], name: str) -> None:
    """A later word should have retired the old one; of one batch, or at once, nobody compared the two."""
    held, ids = pairs(4, apart, **fields)

    cause = diagnosed([found(Code.CONFLICT, *pair, rule="newer") for pair in ids], [*held, *plain(80)])[0]

    assert (name, 8, 8) == (cause.name, cause.explains, cause.total)


def test_the_incident_s_conflicts_have_two_causes() -> None:
    """Four pairs of one batch that a rule decided, one that none did."""
    held, ids = pairs(5, 1, batch_id="b7")
    wrong = [found(Code.CONFLICT, *pair, rule="latest_user_statement" if i else None) for i, pair in enumerate(ids)]

    named = diagnosed(wrong, [*held, *plain(80)])

    assert [("no_conflict_rule", 2), ("no_conflict_check", 8)] == [(c.name, c.explains) for c in named]


def test_one_pair_that_was_decided_is_too_few() -> None:
    """One change of mind is no defect of a program."""
    held, [pair] = pairs(1, 2)

    [cause] = diagnosed([found(Code.CONFLICT, *pair, rule="newer")], [*held, *plain(40)])

    assert UNKNOWN == cause.name


@pytest.mark.parametrize("text", ["Currently fixing the login bug", "正在修复登录 bug"])
def test_finished_tasks_that_still_weigh_in_full_lack_decay(text: str) -> None:
    """Tasks long over are no defect of who wrote them, whatever they share: nothing lowers their weight."""
    over = {"kind": "ephemeral", "batch_id": "b1"}
    rows = [memory(f"t{n}", content=f"{text} {n}", **over, created_at=NOON - timedelta(days=90 + n)) for n in range(5)]

    cause = causes([*rows, *healthy(45)])["task_residue"]

    assert ("no_decay", None, 5) == (cause.name, cause.attribute, cause.explains)


def test_age_alone_has_no_cause() -> None:
    """That memories are old nobody has caused, nor that a scene has its exception."""
    held = [row(f"s{i}", 200 + i, batch_id="b7") for i in range(6)] + plain(60)
    wrong = [found(code, *(f"s{i}" for i in range(6))) for code in (Code.STALE, Code.CONFLICT_EXCEPTION)]

    assert [] == diagnosed(wrong, held)


def test_doubts_about_scopes_count_the_rows_of_their_evidence() -> None:
    """Their ids are examples: how many rows are meant stands in the evidence."""
    named = diagnosed([found(Code.SCOPE_COLLAPSED, "h1", "h2", rows=40)], plain(50))

    assert [("wrong_scope_field", 40, 40)] == [(c.name, c.explains, c.total) for c in named]


# --- the catalogue ------------------------------------------------------------------------------


def test_the_catalogue_holds_every_cause_there_must_be() -> None:
    """The causes that a clinic of memories has to know."""
    needed = {
        *("non_idempotent_write", "fact_extracted_again", "old_row_not_retired", "no_conflict_check"),
        *("no_conflict_rule", "no_decay", "import_bug", "unfinished_upgrade", "model_change"),
        *("normalisation_changed", "wrong_scope_field", "tenant_filter_defect", "redundant_import"),
    }

    assert set() == needed - CAUSES


def test_the_page_lists_every_cause_and_no_other() -> None:
    """docs/diagnosis.md has one row a cause."""
    page = (Path(__file__).parents[1] / "docs" / "diagnosis.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z_]+)` \|", page.partition("## The catalogue")[2], re.MULTILINE)

    assert sorted(listed) == sorted(CAUSES)


@pytest.mark.parametrize("code", [c for c in Code if c not in UNCAUSED and c not in OF_SCOPES])
def test_every_problem_has_a_cause_to_be_named(code: Code) -> None:
    """Whatever its rows share, some cause of the catalogue says what that suggests."""
    for attribute in ATTRIBUTES:
        assert any(known.shared and attribute in known.shared and code in known.codes for known in CATALOGUE)
    assert code in KNOWN


def test_nothing_found_no_cause() -> None:
    """A healthy table has no causes; rows without a name have none either."""
    assert {} == causes(healthy(10))
    assert {} == causes([memory(None), *healthy(10)])


# --- for any rows -------------------------------------------------------------------------------

_ROWS = st.lists(
    st.tuples(
        st.sampled_from(["", "b1", "b2"]),
        st.sampled_from(["user_stated", "model_inferred"]),
        st.integers(0, 40),
        st.booleans(),
    ),
    max_size=80,
)
_CODES = st.sampled_from(sorted(Code))


def _table(drawn: list[tuple[str, str, int, bool]], code: Code, rule: str | None) -> tuple[list[Memory], list[Finding]]:
    held = [row(f"r{i}", days, batch_id=b or None, source=s) for i, (b, s, days, _) in enumerate(drawn)]
    sick = [m.id for m, (*_, ill) in zip(held, drawn, strict=True) if ill]
    two = [tuple(filter(None, sick[at : at + 2])) for at in range(0, len(sick), 2)]
    return held, [found(code, *ids, rule=rule) for ids in two]


@given(_ROWS, _CODES, st.sampled_from([None, "newer"]), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_findings_changes_nothing(drawn: Any, code: Code, rule: str | None, rng: Any) -> None:
    """The same rows and findings in any order have the same causes."""
    held, wrong = _table(drawn, code, rule)
    expected = diagnosed(wrong, held)
    rng.shuffle(held)
    rng.shuffle(wrong)

    assert expected == diagnosed(wrong, held)


@given(_ROWS, _CODES, st.sampled_from([None, "newer"]))
def test_what_is_named_holds_its_bounds(drawn: Any, code: Code, rule: str | None) -> None:
    """Every ratio is finite and at least 3; no cause is named below its support; none explains more than there is."""
    held, wrong = _table(drawn, code, rule)

    for cause in diagnosed(wrong, held):
        assert cause.explains <= cause.total
        if cause.ratio is not None:
            assert math.isfinite(cause.ratio)
            assert cause.ratio >= MIN_RATIO
        if cause.name not in (UNKNOWN, "no_conflict_rule"):
            assert cause.explains >= MIN_SUPPORT
        assert cause.name in CAUSES | {UNKNOWN}


@given(_ROWS, _CODES)
def test_causes_by_what_is_shared_explain_each_row_once(drawn: Any, code: Code) -> None:
    """What several causes explain together is never more rows than are sick."""
    held, wrong = _table(drawn, code, "newer")
    shared = [c for c in diagnosed(wrong, held) if c.attribute]

    assert sum(c.explains for c in shared) <= max((c.total for c in shared), default=0)
