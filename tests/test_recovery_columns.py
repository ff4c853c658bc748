"""An owner's columns come, go and are renamed beside a plan: what it knew is compared, what came is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

import lancedb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendory.clinic import Clinic
from mendory.effect import replay
from mendory.executor.execute import Job, execute
from mendory.executor.recover import recover
from mendory.executor.rollback import rollback
from mendory.ledger import Ledger
from mendory.ledger.plans import PlanState
from mendory.ledger.records import IntentKind
from mendory.plan.model import Plan
from mendory.report.build import build
from mendory.report.reasons import chinese
from mendory.testing import FakeStore, Row
from mendory.treatment import apply, approve, shape, take_back
from mendory.work import Outcome, Unit, reshaped
from tests.conftest import GENEROUS, make_table, memory
from tests.properties.stores import a_plan, as_table, context, memories, quick, row_bits

pytestmark = pytest.mark.lance

MakeClinic = Callable[..., Clinic]
ALL = {"limits": GENEROUS, "rules": {"confirmed": ["merge.exact", "repoint.known_successor"]}}
ROWS = [
    memory("s1", status="ACTIVE"),
    memory("d1", content="不要香菜"),
    memory("d2", content="不要香菜", status="Active"),
    *(memory(f"h{n}") for n in range(4)),
]


def owner(at: Clinic) -> Any:
    """The table as its owner's program opens it."""
    return lancedb.connect(at.config.table_uri).open_table("memories")


def bits(at: Clinic, columns: Iterable[str] | None = None) -> dict[str, int]:
    """Every row by its bits, in these columns."""
    rows = owner(at).to_arrow()
    return row_bits(rows.select(list(columns)) if columns else rows)


CHANGES: dict[str, tuple[Callable[[Any], None], str]] = {
    "added_with_values": (
        lambda t: t.add_columns({"extra": "cast('新' as string)"}),
        "the table gained column extra",
    ),
    "added_empty": (
        lambda t: t.add_columns({"extra": "cast(NULL as string)"}),
        "the table gained column extra",
    ),
    "dropped": (lambda t: t.drop_columns(["note"]), "the table lost column note"),
    "renamed": (
        lambda t: t.alter_columns({"path": "note", "rename": "remark"}),
        "the table lost column note and gained column remark",
    ),
}


@pytest.mark.parametrize("change", sorted(CHANGES))
@pytest.mark.parametrize("when", ["before_apply", "after_apply", "between_groups"])
def test_a_column_that_came_or_went_is_no_change_of_a_row(
    clinic: MakeClinic, tmp_path: Any, change: str, when: str
) -> None:
    """An open plan is applied, verified and rolled back byte for byte in the columns that were and are there."""
    make_table(tmp_path, ROWS)
    at = clinic(None, limits=GENEROUS)
    owner(at).add_columns({"note": "cast('备注 n' as string)"})
    at = clinic(None, limits=GENEROUS)
    plan = at.plan().plan
    assert plan is not None
    alter, told = CHANGES[change]
    before = owner(at).to_arrow()
    if when == "between_groups":
        apply(at, plan.id)
    approve(at, plan.id, None, "李薇")
    if when != "after_apply":
        alter(owner(at))
    at = clinic(None, limits=GENEROUS)
    done = apply(at, plan.id)
    assert {"applied"} == set(done.outcomes())
    assert done.verdict.ok
    assert PlanState.DONE == done.state
    if when == "after_apply":
        alter(owner(at))
    at = clinic(None, limits=GENEROUS)
    came = [n for n in owner(at).to_arrow().column_names if n not in before.column_names]
    extra = row_bits(owner(at).to_arrow().select(["id", *came]))
    kept = [n for n in before.column_names if n in owner(at).to_arrow().column_names]

    undone = take_back(at, plan.id, "李薇")

    assert () == undone.skipped
    assert plan.changed_ids == set(undone.restored)
    assert row_bits(before.select(kept)) == bits(at, kept)
    assert extra == bits(at, ["id", *came])
    assert told == shape(at, plan)
    assert build(at.ledger, plan.id)["undo"] is None


def test_a_row_that_changed_beside_it_is_refused_and_says_so(clinic: MakeClinic) -> None:
    """A new column hides no change of a row: it is refused alone; the reason names the column, in both languages."""
    at = clinic(ROWS, **ALL)
    plan = at.plan().plan
    assert plan is not None
    owner(at).add_columns({"extra": "cast('x' as string)"})
    owner(at).update(where="id = 's1'", values={"content": "the owner's word"})
    at = clinic(None, **ALL)

    done = apply(at, plan.id)

    [refused] = [r for r in done.results if r.outcome is not Outcome.APPLIED]
    assert "changed since the plan: s1; the table gained column extra" == refused.reason
    assert "计划之后被改动：s1；表新增了列 extra" == chinese(refused.reason)


def test_a_column_that_a_repair_wrote_and_that_went_is_skipped_by_name(clinic: MakeClinic, tmp_path: Any) -> None:
    """What was repaired in a column that is gone can't be taken back there; the other rows are."""
    make_table(tmp_path, [{**r, "metadata": None} if r["id"] == "h0" else r for r in ROWS])
    at = clinic(None, **ALL, metadata={"defaults": {"topic": "general", "entities": ["user"], "scene": "daily"}})
    plan = at.plan().plan
    assert plan is not None
    assert PlanState.DONE == apply(at, plan.id).state
    before = bits(at, ["id", "status"])
    owner(at).drop_columns(["metadata"])

    undone = take_back(at, plan.id, "ann")

    assert [("h0", "the table lost column metadata")] == list(undone.skipped)
    assert plan.changed_ids - {"h0"} == set(undone.restored)
    assert before != bits(at, ["id", "status"])
    assert "表失去了列 metadata" == chinese("the table lost column metadata")


def test_where_the_planned_version_is_gone_a_dropped_column_refuses(clinic: MakeClinic, tmp_path: Any) -> None:
    """Without the rows as they were planned on nobody knows them in fewer columns: refused, and the reason says why."""
    make_table(tmp_path, ROWS)
    at = clinic(None, **ALL)
    owner(at).add_columns({"note": "cast('n' as string)"})
    at = clinic(None, **ALL)
    plan = at.plan().plan
    assert plan is not None
    owner(at).drop_columns(["note"])
    owner(at).optimize(cleanup_older_than=timedelta(0), delete_unverified=True)
    at = clinic(None, **ALL)

    done = apply(at, plan.id)

    assert Outcome.APPLIED not in {r.outcome for r in done.results}
    assert {"changed since the plan: s1; the table lost column note"} <= {r.reason for r in done.results}


def test_a_plan_of_before_columns_were_kept_is_compared_whole(clinic: MakeClinic) -> None:
    """A plan stored without its columns is read, and means every column there is."""
    at = clinic(ROWS, **ALL)
    plan = at.plan().plan
    assert plan is not None
    old = {k: v for k, v in plan.as_json().items() if k != "columns"}

    assert () == Plan.from_json(old).columns
    assert plan.id == Plan.from_json(old).id
    assert plan == Plan.from_json(plan.as_json())
    assert "" == reshaped(plan.columns, owner(at).schema.names)


# --- any table, any owner -----------------------------------------------------------------------


class Reshaped(FakeStore):
    """A store whose owner adds and drops columns."""

    def reshape(self, change: Callable[[pa.Table], pa.Table]) -> None:
        """Every row of the newest version is changed so, and the schema with it."""
        version = self.history[self.latest()]
        self.schema = change(self.schema.empty_table()).schema
        pieces = {n: tuple(Row(r.id, change(r.table)) for r in held) for n, held in version.fragments.items()}
        self._add("project", pieces, frozenset(version.fragments))


def _added(name: str, value: str | None) -> Callable[[pa.Table], pa.Table]:
    return lambda rows: rows.append_column(name, pa.array([value] * rows.num_rows, pa.string()))


@given(memories(), st.data())
@quick(80)
def test_columns_come_and_go_and_every_known_byte_returns(rows: list[dict[str, Any]], data: st.DataObject) -> None:
    """Whatever columns come and go, between any two groups: all is applied, and known columns get their bits back."""
    store, ledger = Reshaped(as_table(rows)), Ledger.in_memory()
    plan = a_plan(store)
    if plan is None:
        return
    base, touched = store.table(), {c.column for s in plan.steps() for e in s.edits for c in e.columns}
    spare = [n for n in base.column_names if n not in touched | {"id"}]
    known, images = frozenset(plan.columns), replay(plan, store.volatile, lambda ids: base, "id")
    added: dict[str, str | None] = {}

    def meddle() -> None:
        what = data.draw(st.sampled_from(("nothing", "add", "drop")))
        if what == "add":
            name, value = f"列{len(added)}", data.draw(st.sampled_from(("x", "", "值", None)))
            store.reshape(_added(name, value))
            added[name] = value
        elif what == "drop" and spare:
            gone = data.draw(st.sampled_from(spare))
            spare.remove(gone)
            store.reshape(lambda held: held.drop_columns([gone]))

    lost: set[str] = set()
    for group in plan.groups:
        meddle()
        units = tuple(Unit.of(step, "", None, None, known) for step in group.steps)
        job = Job(IntentKind.APPLY, plan.id, group.name, units, images=images)
        results = execute(job, store, ledger, context(), lost)
        assert {("applied", "")} == {(r.outcome.value, r.reason) for r in results}
    meddle()
    undone = rollback(plan.id, None, None, store, ledger, context())
    recover(store, ledger, context())

    kept = [n for n in base.column_names if n in store.schema.names]
    assert () == undone.skipped
    assert row_bits(base.select(kept)) == row_bits(store.table().select(kept))
    for name, value in added.items():
        assert {value} == set(store.table().column(name).to_pylist())
    ledger.verify()
