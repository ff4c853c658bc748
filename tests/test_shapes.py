"""Healing in place: tables of five owners, read by re-implementations of their programs, which work meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner

from mendory import treatment
from mendory.cli import main
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.jsontext import NotAnObject, members, parse_object
from mendory.record import FIELD_NAMES, FIELDS, Status
from mendory.work import Outcome
from tests.shapes import OWNERS, Owner, Planted
from tests.shapes.common import Working, opened, vector

pytestmark = pytest.mark.lance
every_owner = pytest.mark.parametrize("owner", OWNERS, ids=lambda o: o.name)
hiding_owner = pytest.mark.parametrize("owner", [o for o in OWNERS if o.hides], ids=lambda o: o.name)
K = 10


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Clinic, str, str]]:
    """`started(owner)` builds the owner's table and makes a clinic from what `mendory init` writes."""

    def start(owner: Owner, plant: bool = False) -> Any:
        monkeypatch.chdir(tmp_path)
        uri, table = owner.build(tmp_path / "store")
        planted = owner.plant(uri, table) if plant else None
        done = CliRunner().invoke(main, ["init", f"./store#{table}"])
        assert 0 == done.exit_code, done.output
        clinic = Clinic(Config.load(tmp_path / "mendory.toml"))
        return (clinic, uri, table, planted) if plant else (clinic, uri, table)

    return start


def held(owner: Owner, uri: str, table: str) -> dict[str, dict[str, Any]]:
    """Every row by id, all columns, vectors by their bits."""
    rows = opened(uri, table).search().limit(100_000).to_arrow()
    return {row[owner.id_column]: row for row in _bits(rows).to_pylist()}


def _bits(rows: pa.Table) -> pa.Table:
    for at, field in enumerate(rows.schema):
        if pa.types.is_fixed_size_list(field.type):
            cells = rows.column(at).combine_chunks()
            flat = [
                None if c is None else cells[i].values.to_numpy(False).tobytes()
                for i, c in enumerate(cells.to_pylist())
            ]
            rows = rows.set_column(at, field.name, pa.array(flat, pa.binary()))
    return rows


def places(row: Mapping[str, Any], name: str = "") -> dict[str, Any]:
    """Every place of a row: columns, leaves of structs, keys of JSON with their bytes as written."""
    found: dict[str, Any] = {}
    for key, value in row.items():
        path = f"{name}{key}"
        if isinstance(value, dict):
            found |= places(value, f"{path}.")
        elif (parts := list(_written(value))) and not name:
            found |= {f"{path}.{part}": text for part, text in parts}
        else:
            found[path] = value
    return found


def _written(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            parse_object(value)
        except NotAnObject:
            return
        yield from ((m.key, value[m.value[0] : m.value[1]]) for m in members(value))


def differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> set[str]:
    """The places in which two states of a row differ."""
    a, b = places(before), places(after)
    return {p for p in a.keys() | b.keys() if a.get(p) != b.get(p)}


def returned(owner: Owner, uri: str, table: str, text: str, scope: str) -> dict[str, list[str]]:
    """What each of the owner's searches returns for a text."""
    return {name: search(uri, table, vector(text), scope, K) for name, search in owner.searches.items()}


@every_owner
def test_healthy_rows_give_no_finding_and_what_the_owner_lacks_one_line(
    owner: Owner, started: Callable[..., Any]
) -> None:
    """A check of a healthy table has no finding; each field without a place that is examined stands down once."""
    clinic, _, _ = started(owner)

    checked = clinic.check()

    assert [] == [(f.code, f.reason) for f in checked.findings]
    said = [what for what, _ in checked.examination.stands_down if what in FIELD_NAMES]
    examined = {f.name for f in FIELDS if f.required or f.reference} | {"last_verified_at"}
    assert sorted(said) == sorted(set(said))
    assert examined & set(clinic.mapping.absent()) == set(said) & set(clinic.mapping.absent())


@every_owner
def test_planted_faults_are_found_and_nothing_else(owner: Owner, started: Callable[..., Any]) -> None:
    """Each planted fault is found on its own rows; no finding names a healthy row."""
    clinic, _, _, planted = started(owner, plant=True)

    findings = clinic.check().findings

    found = {(f.code.value, tuple(sorted(f.ids))) for f in findings}
    expected = {(code, tuple(sorted(ids))) for code, groups in planted.findings.items() for ids in groups}
    assert set() == expected - found
    assert set() == {i for f in findings for i in f.ids} - planted.ids


@pytest.mark.parametrize("owner", [o for o in OWNERS if not o.hides], ids=lambda o: o.name)
def test_where_no_reader_can_be_told_to_skip_a_row_a_double_write_is_a_finding_and_no_step(
    owner: Owner, started: Callable[..., Any]
) -> None:
    """The finding says that the owner's reader cannot hide; nothing is planned, and the table stays as it is."""
    clinic, uri, table, planted = started(owner, plant=True)
    before, version = held(owner, uri, table), opened(uri, table).version

    planned = clinic.plan()

    assert planned.plan is None
    why = {u.finding.code.value: u.reason for u in planned.drafted.unplanned}
    if "duplicate_exact" in planted.findings:
        assert why["duplicate_exact"].startswith("the owner's reader cannot hide")
    assert version == opened(uri, table).version
    assert before == held(owner, uri, table)


@hiding_owner
def test_a_table_is_healed_and_rolled_back_in_place_while_its_owner_works(
    owner: Owner, started: Callable[..., Any]
) -> None:
    """Double writes leave the owner's searches, disputed rows do not; a rollback gives every byte back.

    The owner reads the planned rows and stores new ones between plan and apply, and works in a thread meanwhile.
    """
    clinic, uri, table, planted = started(owner, plant=True)
    program = owner.writer(uri, table)
    waiting = owner.pending(uri, table)
    for name, ids in returned(owner, uri, table, planted.text, planted.scope).items():
        assert set(planted.repeats) <= set(ids), name
    planned = clinic.plan()
    assert planned.plan is not None
    changed = set(planned.plan.changed_ids)
    treatment.approve(clinic, planned.plan.id, None, "li.wei", "")
    program.touch(sorted(changed))
    program.add(2)
    before = held(owner, uri, table)
    unreadable = {i for ids in planted.findings.get("metadata_invalid", []) for i in ids}
    others = sorted(set(before) - planted.ids)[:9] + sorted(planted.ids - changed - unreadable)

    with Working(program, others) as meanwhile:
        done = treatment.apply(clinic, planned.plan.id)
    after = held(owner, uri, table)

    assert [] == meanwhile.errors
    assert 0 < meanwhile.rounds
    assert {Outcome.APPLIED} == {r.outcome for r in done.results}, [r.reason for r in done.results]
    assert done.verdict.ok
    hidden = [i for i in planted.repeats if differing(before[i], after[i]) & owner.marks]
    kept = [i for i in planted.repeats if i not in hidden]
    assert (1, 1) == (len(hidden), len(kept))
    for name, ids in returned(owner, uri, table, planted.text, planted.scope).items():
        assert hidden[0] not in ids, name
        assert kept[0] in ids, name
    _still_there(owner, uri, table, waiting)
    assert set(before) | set(meanwhile.added) == set(after)
    for name, row in before.items():
        allowed = owner.marks if name in changed else owner.volatile if name in others else set()
        assert set() == differing(row, after[name]) - allowed, name

    with Working(program, others) as meanwhile:
        undone = treatment.take_back(clinic, planned.plan.id, "li.wei")
    restored = held(owner, uri, table)

    assert [] == meanwhile.errors
    assert [] == list(undone.skipped)
    assert changed <= set(undone.restored)
    assert {i: before[i] for i in before if i not in others} == {i: restored[i] for i in before if i not in others}
    for name, ids in returned(owner, uri, table, planted.text, planted.scope).items():
        assert set(planted.repeats) <= set(ids), name


def _still_there(owner: Owner, uri: str, table: str, waiting: list[tuple[str, str, str]]) -> None:
    """Rows that wait for confirmation are returned by every search that ever returns such rows."""
    for row, text, scope in waiting:
        for name, ids in returned(owner, uri, table, text, scope).items():
            assert (name not in owner.confirmed_only) == (row in ids), (name, row)


@hiding_owner
def test_a_read_between_apply_and_rollback_neither_blocks_nor_is_lost(
    owner: Owner, started: Callable[..., Any]
) -> None:
    """What the owner's reads changed in repaired rows stays through a rollback, and everything else comes back."""
    clinic, uri, table, planted = started(owner, plant=True)
    before = held(owner, uri, table)
    planned = clinic.plan()
    assert planned.plan is not None
    changed = sorted(planned.plan.changed_ids)
    treatment.approve(clinic, planned.plan.id, None, "li.wei", "")
    treatment.apply(clinic, planned.plan.id)
    owner.writer(uri, table).touch(changed)
    touched = held(owner, uri, table)

    undone = treatment.take_back(clinic, planned.plan.id, "li.wei")
    restored = held(owner, uri, table)

    assert [] == list(undone.skipped)
    for name in changed:
        read = {p: v for p, v in places(touched[name]).items() if p in owner.volatile}
        assert read == {p: v for p, v in places(restored[name]).items() if p in owner.volatile}, name
        assert set() == differing(before[name], restored[name]) - owner.volatile, name
    assert planted.ids <= set(restored)


@hiding_owner
def test_what_the_owner_edits_between_plan_and_apply_is_refused_alone(
    owner: Owner, started: Callable[..., Any]
) -> None:
    """A planned row whose text its owner changed is left as the owner wrote it."""
    clinic, uri, table, planted = started(owner, plant=True)
    planned = clinic.plan()
    assert planned.plan is not None
    treatment.approve(clinic, planned.plan.id, None, "li.wei", "")
    row = planted.repeats[1]
    opened(uri, table).update(where=f"{owner.id_column} = '{row}'", values={"text": "李薇改喝咖啡了"})
    before = held(owner, uri, table)

    done = treatment.apply(clinic, planned.plan.id)

    merge = [r for r in done.results if row in {e.id for e in r.unit.edits}]
    assert [] == [r for r in merge if r.outcome is Outcome.APPLIED]
    assert before[row] == held(owner, uri, table)[row]


@every_owner
def test_a_disputed_row_is_marked_where_no_reader_looks(owner: Owner, started: Callable[..., Any]) -> None:
    """The mark of a dispute is kept aside: nothing in the owner's table changes that a search could filter."""
    clinic, uri, table = started(owner)
    rows = opened(uri, table).search().limit(1).to_arrow()
    row = rows.to_pylist()[0]

    disputed = {"status": Status.PENDING_REVIEW.value}

    assert {} == clinic.mapping.write(row, disputed, datetime.now(UTC))
    assert disputed == clinic.mapping.aside(disputed)
    assert owner.hides == clinic.mapping.can_hide


def test_an_edit_in_an_owners_json_keeps_the_digits_of_other_tools(started: Callable[..., Any]) -> None:
    """A merge marks a row whose metadata a tool wrote with 1.50 and blanks; those bytes stay."""
    owner = next(o for o in OWNERS if o.name == "memory-lancedb-pro")
    clinic, uri, table, planted = started(owner, plant=True)
    text = '{"state" : "confirmed",  "source":"manual", "weight": 1.50, "n": 1e3}'
    opened(uri, table).update(where=_any(planted), values={"metadata": text})

    planned = clinic.plan()
    assert planned.plan is not None
    treatment.approve(clinic, planned.plan.id, None, "li.wei", "")
    treatment.apply(clinic, planned.plan.id)

    rows = held(owner, uri, table)
    [hidden] = [rows[i]["metadata"] for i in planted.repeats if rows[i]["metadata"] != text]
    assert hidden.startswith('{"state" : "archived",  "source":"manual", "weight": 1.50, "n": 1e3, "')


def _any(planted: Planted) -> str:
    return " OR ".join(f"id = '{i}'" for i in planted.repeats)
