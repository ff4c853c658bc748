"""The gate of a move on record and a person's word on it, on a real table with a real ledger.

Gates are values here, so that the tests say what passed; two real models pass one in `tests/test_migrating.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pytest

import mendory
from mendory import gating
from mendory.clinic import Clinic
from mendory.embedding import Vectors
from mendory.errors import InputInvalid, MigrationRefused
from mendory.gated import MovedOn, approve, held_gate, moved_on, newest_gate, reject, still_stands
from mendory.ledger.moves import Move
from mendory.migrating import space_of
from mendory.migration.gate import Gate
from mendory.migration.stages import Stage
from mendory.migration.void import Void
from tests.conftest import FakeClock, make_config
from tests.gate_kit import items
from tests.moving_kit import COLUMN, a_gate, filling, new_model, old_model, on_its_way, rows_of

pytestmark = pytest.mark.lance

TEXTS = {f"m{n}": f"Likes tea number {n}" for n in range(20)} | {f"z{n}": f"喜欢第{n}种茶" for n in range(20)}
"""Forty: two of them changed are .05, the share that an approval bears where nothing else is configured."""


def gated(folder: Path, clock: FakeClock, **sections: Any) -> tuple[Clinic, Gate]:
    """A filled table whose gate has passed and waits for a word."""
    config, move = on_its_way(folder, rows_of(TEXTS))
    filling(config).run()
    clinic = Clinic(make_config(folder, **sections), clock)
    gate = a_gate(move, clinic.writer.latest())
    clinic.ledger.moves.to(move.id, Stage.GATING, "mendory", {"gate": gate.as_json()})
    return clinic, gate


def current(clinic: Clinic) -> Move:
    """The move under way."""
    move = clinic.ledger.moves.current()
    assert move is not None
    return move


def table_of(clinic: Clinic) -> Any:
    """The table as another program opens it."""
    return lancedb.connect(clinic.config.table_uri).open_table("memories")


def changed(clinic: Clinic, rows: int, text: str) -> None:
    """Another program gives so many rows another text."""
    for n in range(rows):
        table_of(clinic).update(where=f"id = 'm{n}'", values={"content": f"{text} {n}"})


# --- how it is asked ----------------------------------------------------------------------------


def test_each_query_is_asked_in_both_spaces_one_after_the_other(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each space first in turn, with its own vector of the same query: what the machine does besides falls on both."""
    held = items()
    config, _ = on_its_way(tmp_path, rows_of({item.id: item.text for item in [*held[:12], *held[-12:]]}))
    filling(config).run()
    clinic = Clinic(config, clock)
    asked: list[tuple[str, list[float], str]] = []

    class Heard(gating.Timed):
        """A search that tells what it was asked."""

        def __call__(self, vectors: Vectors, scopes: Sequence[str]) -> Sequence[Sequence[str]]:
            asked.extend((self._column, v.tolist(), scope) for v, scope in zip(vectors, scopes, strict=True))
            return super().__call__(vectors, scopes)

    monkeypatch.setattr(gating, "Timed", Heard)
    models = old_model(), new_model()
    old, new = (space_of(clinic.ledger, ident) for ident in (current(clinic).old, current(clinic).new))
    found, queries = gating.gate(clinic, (old, models[0]), (new, models[1]), 1)
    made = {
        column: model.embed([query.text for query in queries]).tolist()
        for column, model in zip(("embedding", COLUMN), models, strict=True)
    }
    pairs = [
        (column, made[column][at], query.scope)
        for at, query in enumerate(queries)
        for column in (("embedding", COLUMN) if at % 2 else (COLUMN, "embedding"))
    ]

    assert len(queries) > 32, "more than are embedded at once"
    assert pairs == asked
    assert found.as_json()["parts"][2]["numbers"]["first"]["queries"] == len(queries)


# --- the gate on record -------------------------------------------------------------------------


def test_the_newest_gate_stands_and_only_while_nothing_came_in_between(tmp_path: Path, clock: FakeClock) -> None:
    """It stands when it passed; a newer one takes its place, one that refuses leaves none, and so does filling anew."""
    clinic, first = gated(tmp_path, clock)
    moves, ident = clinic.ledger.moves, current(clinic).id
    assert held_gate(current(clinic)) == first.as_json()

    second = a_gate(current(clinic), first.version, seed=2)
    assert held_gate(moves.note(ident, "ann", {"gate": second.as_json()})) == second.as_json()

    refused = a_gate(current(clinic), first.version, seed=3, refuses=True)
    now = moves.note(ident, "ann", {"gate": refused.as_json()})
    assert (None, refused.as_json()) == (held_gate(now), newest_gate(now))

    moves.note(ident, "ann", {"gate": second.as_json()})
    assert held_gate(moves.to(ident, Stage.FILLING, "ann")) is None


# --- what changed since -------------------------------------------------------------------------


def _nothing(clinic: Clinic) -> None:
    pass


def _filled_anew(clinic: Clinic) -> None:
    table_of(clinic).update(where="id = 'm0'", values={COLUMN: None})
    filling(clinic.config).run()


def _another_column(clinic: Clinic) -> None:
    table_of(clinic).update(where="id IN ('m0', 'm1', 'm2', 'm3')", values={"status": "archived"})


def _there_and_back(clinic: Clinic) -> None:
    table_of(clinic).update(where="id = 'm0'", values={"content": "x"})
    table_of(clinic).update(where="id = 'm0'", values={"content": TEXTS["m0"]})


def _compacted(clinic: Clinic) -> None:
    table_of(clinic).optimize()


def _three_texts(clinic: Clinic) -> None:
    table_of(clinic).update(where="id IN ('m0', 'm1', 'z1')", values={"content": "别的内容"})


def _added_and_removed(clinic: Clinic) -> None:
    [row] = rows_of({"new": "新的一条"})
    table_of(clinic).add(pa.Table.from_pylist([row], schema=table_of(clinic).schema).drop_columns([COLUMN]))
    table_of(clinic).delete("id IN ('z0', 'z1')")


def _through_the_door(clinic: Clinic) -> None:
    with mendory.open(clinic.config, embedder=[old_model(), new_model()], clock=FakeClock()) as door:
        door.add("Drinks oat milk", scope="u1", source="user_stated")
        door.update("z3", content="只喝燕麦奶")
        door.update("z4", status="archived")


@pytest.mark.parametrize(
    ("what", "rows"),
    [
        (_nothing, 0),
        (_filled_anew, 0),
        (_another_column, 0),
        (_there_and_back, 0),
        (_compacted, 0),
        (_three_texts, 3),
        (_added_and_removed, 3),
        (_through_the_door, 2),
    ],
)
def test_what_counts_is_the_text_of_the_rows_whoever_wrote(
    tmp_path: Path, clock: FakeClock, what: Callable[[Clinic], None], rows: int
) -> None:
    """Foreign writes and our door's alike; vectors, other columns, compaction and a text given back are no change."""
    clinic, _ = gated(tmp_path, clock)
    what(clinic)
    found = moved_on(clinic, current(clinic))

    assert MovedOn(rows, len(TEXTS)) == found
    assert rows / len(TEXTS) == found.share


def test_a_history_that_cannot_tell_counts_as_all_rows(tmp_path: Path, clock: FakeClock) -> None:
    """A column that came since, and versions that were cleaned up: nobody knows, so no word counts."""
    clinic, gate = gated(tmp_path, clock)
    table_of(clinic).add_columns({"extra": "1"})
    assert MovedOn(len(TEXTS), len(TEXTS), known=False) == moved_on(clinic, current(clinic))

    table_of(clinic).optimize(cleanup_older_than=timedelta(0), delete_unverified=True)
    assert not moved_on(clinic, current(clinic)).known
    assert Void.UNKNOWN == still_stands(clinic, current(clinic))
    with pytest.raises(MigrationRefused, match="does not tell which rows"):
        approve(clinic, gate.digest[:8], "ann")


# --- a word on it -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "rows", "holds"),
    [(0.05, 2, True), (0.05, 3, False), (0.5, 20, True), (0.01, 1, False)],
    ids=["at the share", "one above", "half allowed", "one row of a hundredth"],
)
@pytest.mark.parametrize("text", ["Likes coffee", "喜欢咖啡"], ids=["en", "zh"])
def test_rows_changed_beyond_the_share_void_it_before_and_after_the_word(
    tmp_path: Path, clock: FakeClock, share: float, rows: int, holds: bool, text: str
) -> None:
    """Up to the configured share the word counts, above it neither is one taken nor does the one given hold."""
    clinic, gate = gated(tmp_path, clock, migration={"void_share": share})
    approved = approve(clinic, gate.digest[:8], "ann", "looks well")
    changed(clinic, rows, text)

    assert (None if holds else Void.ROWS_CHANGED) == still_stands(clinic, approved)
    again = clinic.ledger.moves.to(approved.id, Stage.GATING, "mendory", {"void": "test"})
    assert held_gate(again) == gate.as_json()
    if holds:
        assert Stage.APPROVED is approve(clinic, gate.digest[:8], "ann").stage
    else:
        with pytest.raises(MigrationRefused, match=f"{rows} of 40 rows"):
            approve(clinic, gate.digest[:8], "ann")
        assert Stage.GATING is current(clinic).stage


def test_an_approval_says_of_which_gate_it_is(tmp_path: Path, clock: FakeClock) -> None:
    """Digest and version are on record with the name and the note, as a link of the chain."""
    clinic, gate = gated(tmp_path, clock)
    approved = approve(clinic, f" {gate.digest[:8].upper()} ", "李伟", "看过最差的\n查询")
    told = approved.passed[-1]

    assert (Stage.APPROVED, "李伟") == (told.stage, told.by)
    assert {"gate": gate.digest, "version": gate.version, "note": "看过最差的 查询"} == dict(told.told)
    assert still_stands(clinic, approved) is None


@pytest.mark.parametrize(
    ("code", "by", "error", "says"),
    [
        (lambda g: "0" * 8, "ann", MigrationRefused, "names another"),
        (lambda g: g.digest[:7], "ann", MigrationRefused, "names another"),
        (lambda g: "", "ann", MigrationRefused, "names another"),
        (lambda g: g.digest[:8], " ", InputInvalid, "needs a name"),
    ],
    ids=["another's", "too short", "none", "nobody"],
)
@pytest.mark.parametrize("word", [approve, reject])
def test_a_word_on_something_else_is_not_recorded(
    tmp_path: Path,
    clock: FakeClock,
    word: Callable[..., Move],
    code: Callable[[Gate], str],
    by: str,
    error: type[Exception],
    says: str,
) -> None:
    """The code of this gate, eight characters of it, and a name; else the stages are what they were."""
    clinic, gate = gated(tmp_path, clock)
    before = current(clinic).passed
    with pytest.raises(error, match=says):
        word(clinic, code(gate), by, "because")

    assert before == current(clinic).passed


def test_a_word_on_the_gate_before_is_none_on_the_next(tmp_path: Path, clock: FakeClock) -> None:
    """An approval holds for the digest it names: once another gate is on record it holds no more."""
    clinic, gate = gated(tmp_path, clock)
    moves, ident = clinic.ledger.moves, current(clinic).id
    approve(clinic, gate.digest[:8], "ann")
    again = a_gate(current(clinic), gate.version, seed=2)
    moves.to(ident, Stage.GATING, "mendory", {"gate": again.as_json()})
    with pytest.raises(MigrationRefused, match="names another"):
        approve(clinic, gate.digest[:8], "ann")
    forged = moves.to(ident, Stage.APPROVED, "eve", {"gate": gate.digest})

    assert Void.OTHER_GATE == still_stands(clinic, forged)


def test_a_rejected_gate_stands_no_more(tmp_path: Path, clock: FakeClock) -> None:
    """The move waits in its stage; nobody can approve that gate, a new one can be."""
    clinic, gate = gated(tmp_path, clock)
    left = reject(clinic, gate.digest[:8], "ann", "中文变差")
    assert (Stage.GATING, Void.NO_GATE) == (left.stage, still_stands(clinic, left))
    with pytest.raises(MigrationRefused, match="No gate stands"):
        approve(clinic, gate.digest[:8], "ann")
    again = a_gate(left, gate.version, seed=2)
    clinic.ledger.moves.note(left.id, "mendory", {"gate": again.as_json()})

    assert Stage.APPROVED is approve(clinic, again.digest[:8], "ann").stage


@pytest.mark.parametrize(("hours", "void"), [(23, None), (25, Void.EXPIRED)])
def test_a_word_must_be_used_within_its_window(
    tmp_path: Path, clock: FakeClock, hours: float, void: Void | None
) -> None:
    """`approval.window` after it was given it holds no more; a canary that began in time goes on."""
    clinic, gate = gated(tmp_path, clock)
    approved = approve(clinic, gate.digest[:8], "ann")
    begun = clinic.ledger.moves.to(approved.id, Stage.CANARY, "ann", {"share": 0.01})
    clock.move(hours=hours)

    assert void == still_stands(clinic, approved)
    assert still_stands(clinic, begun) is None


@pytest.mark.parametrize("word", [approve, reject])
def test_nothing_waits_for_a_word_before_the_gate(tmp_path: Path, clock: FakeClock, word: Callable[..., Move]) -> None:
    """While the column is filled, and after the move is over, there is nothing to say yes or no to."""
    config, move = on_its_way(tmp_path, rows_of(TEXTS))
    clinic = Clinic(config, clock)
    with pytest.raises(MigrationRefused, match="does not follow"):
        word(clinic, "0" * 8, "ann", "because")
    clinic.ledger.moves.to(move.id, Stage.ROLLED_BACK, "ann")
    with pytest.raises(MigrationRefused, match="No move"):
        word(clinic, "0" * 8, "ann", "because")


def test_no_memory_text_is_in_the_ledger(tmp_path: Path, clock: FakeClock) -> None:
    """After gate and approval the ledger's file holds ids and numbers: none of the texts, in either language."""
    clinic, gate = gated(tmp_path, clock)
    approve(clinic, gate.digest[:8], "ann")
    clinic.ledger.close()
    raw = b"".join(p.read_bytes() for p in (tmp_path / ".mendory").glob("ledger.db*"))

    assert b"m0/partial" in raw
    assert [] == [i for i, text in TEXTS.items() if text.encode() in raw or json.dumps(text).encode() in raw]
