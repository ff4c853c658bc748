"""Scopes and sources that are proposed to a person: in tables with scopes of several parts, and through to the end."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from mendory.clinic import Clinic
from mendory.config import Config
from mendory.deciding import approve, rule
from mendory.detect import Settings
from mendory.errors import ConfigInvalid
from mendory.ledger.plans import PlanState
from mendory.mapping import Giving, Mapping
from mendory.plan.binding import bind
from mendory.plan.build import Drafted, Wishes, draft
from mendory.policy import Authority, Verdict
from mendory.record import FIELD_NAMES
from mendory.treatment import apply, take_back
from mendory.work import Rows, Unit, settle
from tests.conftest import NOON, make_config, memory

MakeClinic = Callable[..., Clinic]
FIELDS = ("id", "content", "metadata", "scope", "status", "batch_id")
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("id", "content", "meta", "tenant", "uid", "status", "batch_id")),
        ("number", pa.int64()),
        ("who", pa.struct([("org", pa.string())])),
    ]
)


def mapped(scope: str = "{tenant}/{uid}") -> Mapping:
    """An owner's table whose scope is made so."""
    mapping = Mapping.of({"metadata": "meta", "scope": scope}, [n for n in FIELD_NAMES if n not in FIELDS])
    mapping.check(SCHEMA)
    return mapping


def row(name: str, tenant: str | None = None, uid: str | None = None, **fields: Any) -> dict[str, Any]:
    """A row of that table."""
    meta = json.dumps(fields.pop("meta", {}), ensure_ascii=False)
    held = {"id": name, "content": f"第 {name} 条, of its own", "tenant": tenant, "uid": uid, "status": "active"}
    return {**held, "meta": meta, **fields}


def drafted(rows: list[dict[str, Any]], mapping: Mapping) -> tuple[Drafted, pa.Table]:
    """What follows for these rows."""
    table = pa.Table.from_pylist(rows, SCHEMA)
    held = {m.id: m for m in mapping.memories(table)}
    settings = Settings(frozenset(mapping.absent()), (), inside_metadata=mapping.inside_metadata)
    giving = Giving(mapping, table)
    found = draft(
        lambda: iter(held.values()),
        lambda ids: {i: held[i] for i in ids if i in held},
        settings,
        Wishes({}),
        lambda _: None,
        lambda _: {},
        lambda _: giving,
    )
    return found, table


def proposed(rows: list[dict[str, Any]], mapping: Mapping | None = None) -> dict[str, str]:
    """Row → the scope that it is proposed, or why it is proposed none."""
    found, _ = drafted(rows, mapping or mapped())
    assert {3} >= {int(d.level) for d in found.drafts}
    return {d.rows[0]: d.detail["scope"] for d in found.drafts} | {u.finding.ids[0]: u.reason for u in found.unplanned}


ACME = [row(f"a{n}", "acme", "li/伟") for n in range(2)]
GLOBEX = [row(f"g{n}", "globex", "li/伟") for n in range(2)]
OTHER = [row("o1", "acme", "anna")]


def test_an_owner_names_the_part_that_the_row_lacks() -> None:
    """An owner key whose text is a part of a scope in use names that scope; a separator in the text is no harm."""
    sick = row("m", "acme", None, meta={"user_id": "li/伟"})

    found, table = drafted([*ACME, *OTHER, sick], mapped())
    [step] = bind(found.drafts, table, mapped(), 1, NOON, timedelta(1)).steps()
    settled = settle([Unit.of(step, "", None)], Rows(1, table), "id", ())

    assert ("acme/li%2F伟", "acme/li%2F伟") == (found.drafts[0].detail["scope"], step.scope)
    assert [("uid", None, "li/伟")] == [(c.column, c.old, c.new) for e in step.edits for c in e.columns]
    assert settled.after is not None
    assert ["acme/li%2F伟"] == [m.scope for m in mapped().memories(settled.after)]


def test_the_parts_a_row_holds_tell_two_tenants_apart() -> None:
    """One user's name in two tenants is one scope where the row has its tenant, and nobody's where it has none."""
    rows = [
        *ACME,
        *GLOBEX,
        row("m1", "globex", None, meta={"user": "li/伟"}),
        row("m2", None, " ", meta={"user": "li/伟"}),
    ]

    assert {"m1": "globex/li%2F伟", "m2": "what tells its scope points to several"} == proposed(rows)


def test_what_names_the_tenant_names_no_user() -> None:
    """An owner key that says the part the row has already says nothing of the one it lacks."""
    [why] = proposed([*ACME, row("m", "acme", None, meta={"owner": "acme"})]).values()

    assert "no scope is certain" in why


def test_no_part_is_overwritten() -> None:
    """Siblings of another tenant than the row's own propose nothing: the row's tenant would be lost."""
    siblings = [row(f"s{n}", "globex", "chen", batch_id="b1") for n in range(4)]

    said = proposed([*siblings, row("m1", "acme", None, batch_id="b1"), row("m2", None, None, batch_id="b1")])

    assert {"m1": "the row's tenant is that of another scope", "m2": "globex/chen"} == said


@pytest.mark.parametrize(
    ("scope", "value", "held", "refused"),
    [
        ("tenant", "用户:李", {}, ""),
        ("tenant", "u", {"tenant": " "}, ""),
        ("meta.who.user", "李", {}, ""),
        ("meta.who.user", "u", {"meta": "{broken"}, "the scope can't be written to meta.who.user"),
        ("number", "7", {}, ""),
        ("number", "seven", {}, "the scope can't be written to number"),
        ("who.org", "acme", {}, ""),
        ("{tenant}/{number}", "acme/7", {"tenant": "acme"}, ""),
        ("{tenant}/{number}", "acme/seven", {}, "the scope can't be written to {tenant}/{number}"),
        ("{tenant}/{meta.user}", "acme/李", {"meta": '{"a": 1.50}'}, ""),
        ("{tenant}/{uid}", "acme", {}, "the scope can't be written to {tenant}/{uid}"),
        ("{tenant}/{uid}", "acme/a", {"uid": "b"}, "the row's uid is that of another scope"),
    ],
)
def test_what_can_be_given(scope: str, value: str, held: Any, refused: str) -> None:
    """A scope is written to columns, struct leaves, JSON keys and parts that can hold it, and read back as it is."""
    table = pa.Table.from_pylist([row("m") | held], SCHEMA)

    assert refused == Giving(mapped(scope), table).refused("m", "scope", value)


def test_a_field_without_a_place_is_given_nothing() -> None:
    """What the owner's table has no place for can't be written; nor can a row that nobody knows."""
    giving = Giving(mapped(), pa.Table.from_pylist([row("m")], SCHEMA))

    assert "the table has no place for the source" == giving.refused("m", "source", "import")
    assert "" != giving.refused("m2", "scope", "acme/a")
    assert ({"tenant": "acme", "uid": "a/b"}, {}) == (giving.parts("acme/a%2Fb"), giving.parts("acme"))


# through to the end

GENEROUS = {"rows_per_run": 1000, "repairs_per_day": 1000, "scope_share": 0.2, "min_rows": 0, "sick_share_table": 1}
RULES = {"confirmed": ["merge.exact", "repoint.known_successor"]}


def lost(healthy: int, sick: int, scope: str = "用户:李伟") -> list[dict[str, Any]]:
    """Rows of one batch and scope, and more of the batch that lack it."""
    rows = [memory(f"h{n}", scope=scope, batch_id="b1") for n in range(healthy)]
    return rows + [memory(f"m{n}", scope=None, batch_id="b1") for n in range(sick)]


@pytest.mark.lance
def test_level_3_runs_by_a_person_alone_and_is_taken_back(clinic: MakeClinic) -> None:
    """With every rule confirmed a scope still waits; a person's approval lets it be set, and it is taken back whole."""
    at = clinic(lost(30, 3), limits=GENEROUS, rules=RULES)
    before = {r["id"]: r for r in at.reader.rows([f"m{n}" for n in range(3)]).to_pylist()}
    plan = at.plan().plan
    assert plan is not None
    waiting = {r.reason for r in rule(at, plan).values()}

    nothing = apply(at, plan.id)
    approve(at, plan.id, None, "小安")
    ran = apply(at, plan.id)

    assert {"level 3: only a person may let it run"} == waiting
    assert ({"waits": 3}, PlanState.OPEN) == (nothing.outcomes(), nothing.state)
    assert ({"applied": 3}, PlanState.DONE) == (ran.outcomes(), ran.state)
    assert ran.verdict.ok
    after = {m.id: m.scope for m in at.reader.scan()} if at.reader.refresh() else {}
    assert {"用户:李伟"} == set(after.values())
    take_back(at, plan.id, "小安")
    at.reader.refresh()
    assert before == {r["id"]: r for r in at.reader.rows(sorted(before)).to_pylist()}


@pytest.mark.lance
def test_rows_that_join_a_scope_count_in_its_share(clinic: MakeClinic) -> None:
    """Many rows without a scope are no scope of their own: the limit is that of the scope they join."""
    at = clinic(lost(30, 5), limits=GENEROUS | {"scope_share": 0.1})
    plan = at.plan().plan
    assert plan is not None
    approve(at, plan.id, None, "ann")
    tight = rule(at, plan)
    wide = rule(Clinic(make_config(at.config.root, limits=GENEROUS), at.clock), plan)

    assert {Verdict.SUSPENDED} == {r.verdict for r in tight.values()}
    assert {"5 of the scope's 30 rows would change, above limits.scope_share 10%"} == {r.reason for r in tight.values()}
    assert {(Verdict.RUN, Authority.PERSON)} == {(r.verdict, r.by) for r in wide.values()}


@pytest.mark.parametrize("name", ["set_scope", "set_source", "scope.siblings"])
def test_no_rule_confirms_level_3(name: str, tmp_path: Path) -> None:
    """The name of a level-3 step is no rule that rules.confirmed could hold."""
    with pytest.raises(ConfigInvalid, match="no such rule"):
        Config.build({"table": {"uri": ".", "name": "memories"}, "rules": {"confirmed": [name]}}, tmp_path)
