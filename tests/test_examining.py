"""A gate is examined and put on record, on a real table with a real ledger; what it says is a value here.

Two real models are examined in `tests/test_migrating.py` and through the verbs in `tests/cli/test_migrate.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import lance
import lancedb
import pyarrow as pa
import pytest

from mendory import gated, migrating
from mendory.clinic import Clinic
from mendory.embedding import Embedder
from mendory.errors import InputInvalid, MigrationRefused, Unavailable
from mendory.lance import indexing
from mendory.migration.gate import Gate
from mendory.migration.stages import Stage
from mendory.spaces import Space
from tests.conftest import FakeClock, make_config
from tests.moving_kit import COLUMN, NEW, a_gate, new_model, old_model, on_its_way, rows_of

pytestmark = pytest.mark.lance
TEXTS = {"m0": "Likes tea in the evening", "z0": "晚上喜欢喝茶", "m1": "Sits by the window", "z1": "总坐在窗边"}
Saying = Callable[..., None]


@pytest.fixture
def clinic(tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Clinic:
    """A table whose move fills: none of its rows has a vector of the new model yet."""

    def made(clinic: Clinic, space: Space) -> Embedder:
        return new_model() if space.fingerprint.dimension == NEW else old_model()

    on_its_way(tmp_path, rows_of(TEXTS))
    monkeypatch.setattr(gated, "embedder_of", made)
    monkeypatch.setattr(migrating, "embedder_of", made)
    return Clinic(make_config(tmp_path), clock)


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> Saying:
    """Lets the gate say that it passed, or that it refuses; `before` is done while it examines."""

    def set_to(refuses: bool = False, before: Callable[[Clinic], Any] = lambda clinic: None) -> None:
        def gate(clinic: Clinic, old: Any, new: Any, seed: int, *more: Any) -> tuple[Gate, tuple[()]]:
            before(clinic)
            [move] = clinic.ledger.moves.all()
            assert (move.old, move.new) == (old[0].id, new[0].id)
            return a_gate(move, clinic.writer.latest(), seed, refuses), ()

        monkeypatch.setattr(gated, "gate", gate)

    return set_to


def table_of(clinic: Clinic) -> Any:
    """The table as another program opens it."""
    return lancedb.connect(clinic.config.table_uri).open_table("memories")


def unfilled(clinic: Clinic) -> int:
    """Rows without a vector in the new column."""
    table = table_of(clinic)
    rows: int = table.count_rows(f"{COLUMN} IS NULL")
    return rows


def test_what_waits_is_filled_before_the_gate_looks(clinic: Clinic, says: Saying) -> None:
    """Rows that nobody filled, and one that another program just wrote, have their vectors when it examines."""
    table = table_of(clinic)
    [row] = rows_of({"later": "后来加的 added later"})
    table.add(pa.Table.from_pylist([row], schema=table.schema).drop_columns([COLUMN]))
    seen: list[int] = []
    before = unfilled(clinic)
    says(before=lambda clinic: seen.append(unfilled(clinic)))
    gated.examine_move(clinic, 1)

    assert (5, [0]) == (before, seen)


def test_both_spaces_are_searched_by_their_index(tmp_path: Path, clinic: Clinic, says: Saying) -> None:
    """Where the old column has one the new one has the like of it, knowing every row, before a recall is timed."""
    table = table_of(clinic)
    more = rows_of({f"m{n}": f"Likes tea number {n}" if n % 2 else f"喜欢第{n}种茶" for n in range(10, 310)})
    table.add(pa.Table.from_pylist(more, schema=table.schema).drop_columns([COLUMN]))
    at = (clinic.config.table_uri, clinic.config.table.name)
    lance.dataset(f"{tmp_path}/memories.lance").create_index("embedding", "IVF_FLAT", metric="cosine", num_partitions=1)
    seen: list[Any] = []
    before = indexing.index_of(*at, COLUMN)
    says(before=lambda clinic: seen.append(indexing.index_of(*at, COLUMN)))
    gated.examine_move(clinic, 1)
    [found] = seen

    assert (None, "IVF_FLAT", "cosine", 1) == (before, found.kind, found.metric, found.partitions)
    assert (304, 0) == (found.indexed, found.unindexed)


def test_a_gate_that_passed_is_on_record_and_waits_for_a_word(clinic: Clinic, says: Saying) -> None:
    """The move is at the gate, by whom it was examined; what is kept is what was said, to the digest, and no text."""
    says()
    move, gate = gated.examine_move(clinic, 3, by="cron")
    held = gated.held_gate(move)

    assert (Stage.GATING, "cron", 3) == (move.stage, move.passed[-1].by, gate.seed)
    assert gate.as_json() == held
    assert move == clinic.ledger.moves.current()
    assert [] == [text for text in TEXTS.values() if text in repr(held)]
    assert Stage.APPROVED is gated.approve(clinic, gate.digest[:8], "ann").stage
    clinic.ledger.verify()


def test_a_gate_that_refused_sends_the_move_back(clinic: Clinic, says: Saying) -> None:
    """It is on record too, with its reasons; none stands, and nobody can approve it."""
    says(refuses=True)
    move, gate = gated.examine_move(clinic, 1)

    assert [Stage.GATING, Stage.FILLING] == [passed.stage for passed in move.passed[-2:]]
    assert {"refused": ["worse"], "by_gate": gate.digest} == move.passed[-1].told
    assert (None, gate.as_json()) == (gated.held_gate(move), gated.newest_gate(move))
    with pytest.raises(MigrationRefused):
        gated.approve(clinic, gate.digest[:8], "ann")


def test_examined_again_the_newer_gate_alone_stands(clinic: Clinic, says: Saying) -> None:
    """A word on the former is none on it; one that refuses takes the move back from the gate."""
    says()
    first, second = gated.examine_move(clinic, 1)[1], gated.examine_move(clinic, 2)[1]
    with pytest.raises(MigrationRefused, match="names another"):
        gated.approve(clinic, first.digest[:8], "ann")
    gated.approve(clinic, second.digest[:8], "ann")
    third = gated.examine_move(clinic, 3)[0]
    assert Stage.GATING is third.stage, "an approved move may be examined anew; its word counts no more"

    says(refuses=True)
    assert Stage.FILLING is gated.examine_move(clinic, 4)[0].stage


@pytest.mark.parametrize(
    ("stages", "why"),
    [
        ((Stage.GATING, Stage.APPROVED, Stage.CANARY), "The canary of move"),
        ((Stage.GATING, Stage.APPROVED, Stage.CANARY, Stage.SWITCHED), "at the gate|gating"),
        ((Stage.ROLLED_BACK,), "No move to another model is under way"),
    ],
)
def test_what_is_past_its_gate_is_not_examined(
    clinic: Clinic, says: Saying, stages: tuple[Stage, ...], why: str
) -> None:
    """In canary, switched, taken back: refused with what comes next, and nothing is recorded."""
    says()
    [move] = clinic.ledger.moves.all()
    for stage in stages:
        clinic.ledger.moves.to(move.id, stage, "ann")
    clinic.follow()
    before = clinic.ledger.moves.all()
    with pytest.raises(MigrationRefused, match=why):
        gated.examine_move(clinic, 1)

    assert before == clinic.ledger.moves.all()


def test_a_canary_that_began_meanwhile_is_not_disturbed(clinic: Clinic, says: Saying) -> None:
    """While one process examines, another approves and begins the canary: what the first found is not recorded."""

    def others(clinic: Clinic) -> None:
        for stage in (Stage.APPROVED, Stage.CANARY):
            clinic.ledger.moves.to(move.id, stage, "bob")

    says()
    move, gate = gated.examine_move(clinic, 1)
    says(before=others)
    with pytest.raises(MigrationRefused, match="The canary of move"):
        gated.examine_move(clinic, 2)
    [now] = clinic.ledger.moves.all()

    assert (Stage.CANARY, gate.as_json()) == (now.stage, gated.newest_gate(now))


def test_a_gate_that_could_not_ask_says_nothing(clinic: Clinic, says: Saying) -> None:
    """A model that fails while the gate asks it, and a name that is none, leave the record as it was."""

    def fails(clinic: Clinic) -> None:
        raise Unavailable("The model does not answer. Nothing was asked. Try again.")

    says(before=fails)
    before = clinic.ledger.moves.all()
    with pytest.raises(Unavailable):
        gated.examine_move(clinic, 1)
    with pytest.raises(InputInvalid):
        gated.examine_move(clinic, 1, by=" ")

    assert before == clinic.ledger.moves.all()
