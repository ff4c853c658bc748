"""Filling the vectors of a second space: what waits, what others write meanwhile, and what is never touched."""

from __future__ import annotations

import multiprocessing
import os
import signal
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mendory
from mendory.digest import row_digests
from mendory.filling import waiting
from mendory.ledger import Ledger
from mendory.migration.stages import Stage
from tests.conftest import FakeClock, memory
from tests.moving_kit import COLUMN, NEW, Model, filling, new_model, old_model, on_its_way, rows_of

TEXTS = {f"m{n}": f"Likes tea number {n}" for n in range(6)} | {f"z{n}": f"喜欢第{n}种茶" for n in range(6)}


def table_of(config: Any) -> Any:
    """The table as another program opens it."""
    return lancedb.connect(config.table_uri).open_table("memories")


def held(config: Any) -> dict[str, dict[str, Any]]:
    """Id → row."""
    return {row["id"]: row for row in table_of(config).to_arrow().to_pylist()}


def wrong(config: Any) -> dict[str, str]:
    """Id → why its vector of the new space is not that of its text."""
    found = {}
    for ident, row in held(config).items():
        if row[COLUMN] is None:
            found[ident] = "none"
        elif not np.allclose(row[COLUMN], new_model().embed([row["content"]])[0], atol=1e-6):
            found[ident] = "of another text"
    return found


def test_every_row_gets_its_vector_and_nothing_else_changes(tmp_path: Path) -> None:
    """Both languages: all rows filled, and all other columns what they were, vectors bit for bit."""
    config, _ = on_its_way(tmp_path, rows_of(TEXTS))
    before = table_of(config).to_arrow().drop_columns([COLUMN])
    done = filling(config).run()
    after = table_of(config).to_arrow().drop_columns([COLUMN])

    assert (len(TEXTS), 0) == (done.filled, done.again)
    assert wrong(config) == {}
    assert dict(zip(before["id"].to_pylist(), row_digests(before, ()), strict=True)) == dict(
        zip(after["id"].to_pylist(), row_digests(after, ()), strict=True)
    )


def test_a_second_pass_has_nothing_to_do(tmp_path: Path) -> None:
    """What is filled does not wait, and no text is embedded again."""
    config, _ = on_its_way(tmp_path, rows_of(TEXTS))
    filling(config).run()
    model = new_model()
    done = filling(config, model).run()

    assert (0, 0, 0) == (done.filled, done.again, model.texts)


@pytest.mark.parametrize("size", [1, 2, 256])
def test_asked_again_every_vector_is_made_anew(tmp_path: Path, size: int) -> None:
    """Another program put vectors in each other's place: filling takes them for right until all are made again."""
    config, _ = on_its_way(tmp_path, rows_of(TEXTS))
    filling(config).run()
    held = table_of(config).to_arrow().select(["id", COLUMN])
    cells = held.column(COLUMN).to_pylist()
    turned = pa.array([*cells[1:], cells[0]], held.schema.field(COLUMN).type)
    table_of(config).merge_insert("id").when_matched_update_all().execute(held.set_column(1, COLUMN, turned))
    believed = filling(config).run()
    one = filling(config)
    one.size = size
    done = one.run(waiting(one.table, one.side, one.max_chars, again=True))

    assert (0, len(TEXTS), 0) == (believed.filled, done.filled, done.again)
    assert {} == wrong(config)


def test_active_rows_come_first(tmp_path: Path) -> None:
    """What recall returns is filled before what is archived."""
    rows = rows_of({"a1": "Archived long ago", "a2": "早就归档了"}, status="archived") + rows_of({"m1": "Likes tea"})
    config, _ = on_its_way(tmp_path, rows)

    assert filling(config).waiting().ids == ("m1", "a1", "a2")


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "blank"), (" \u3000", "blank"), ("好" * 8001, "too long"), (None, "blank")],
    ids=["empty", "blank", "long", "null"],
)
def test_what_no_model_takes_is_left_out_and_told(tmp_path: Path, text: str | None, why: str) -> None:
    """A row that can't be embedded is named by its reason, and keeps no other from its vector."""
    config, _ = on_its_way(tmp_path, [*rows_of({"m1": "Likes tea"}), memory("odd", content=text)])
    fill = filling(config)
    fill.run()

    assert {why: 1} == dict(fill.waiting().left_out)
    assert wrong(config) == {"odd": "none"}


@pytest.mark.parametrize("how", ["update", "merge"])
@pytest.mark.parametrize("text", ["Likes coffee now", "现在喜欢咖啡"], ids=["en", "zh"])
def test_a_row_that_somebody_changed_waits_again(tmp_path: Path, how: str, text: str) -> None:
    """A foreign write leaves the old text's vector where it was: that row waits, and no other."""
    config, _ = on_its_way(tmp_path, rows_of(TEXTS))
    filling(config).run()
    if how == "update":
        table_of(config).update(where="id = 'm1'", values={"content": text})
    else:
        row = pa.Table.from_pylist([{"id": "m1", "content": text}])
        table_of(config).merge_insert("id").when_matched_update_all().execute(row)
    assert wrong(config) == {"m1": "of another text"}
    fill = filling(config)

    assert fill.waiting().ids == ("m1",)
    fill.run()
    assert wrong(config) == {}


def test_a_row_that_somebody_added_waits(tmp_path: Path) -> None:
    """A writer that knows nothing of the second column leaves it empty."""
    config, _ = on_its_way(tmp_path, rows_of(TEXTS))
    filling(config).run()
    [row] = rows_of({"new": "新的一条"})
    table_of(config).add(pa.Table.from_pylist([row], schema=table_of(config).schema).drop_columns([COLUMN]))

    assert filling(config).waiting().ids == ("new",)


def test_what_changes_while_it_is_embedded_is_not_overwritten(tmp_path: Path) -> None:
    """A text that changes between reading and committing: the old text's vector is not written, the row waits."""
    config, _ = on_its_way(tmp_path, rows_of(TEXTS))

    class Slow(Model):
        def embed(self, texts: Any) -> Any:
            made = super().embed(texts)
            table_of(config).update(where="id = 'm1'", values={"content": "变了"})
            return made

    done = filling(config, Slow("new", NEW)).run()

    assert (len(TEXTS) - 1, 1) == (done.filled, done.again)
    assert wrong(config) == {"m1": "none"}
    filling(config).run()
    assert wrong(config) == {}


def test_ids_that_are_not_unique_are_left_alone(tmp_path: Path) -> None:
    """Two rows of one id can't be told apart: neither is written, both stay whole, and it says so."""
    config, _ = on_its_way(tmp_path, rows_of(TEXTS) + rows_of({"m1": "Says something else"}))
    fill = filling(config)
    fill.run()

    assert {"the id is not unique": 2} == dict(fill.waiting().left_out)
    assert {i: w for i, w in wrong(config).items() if i != "m1"} == {}
    assert table_of(config).count_rows(f"id = 'm1' AND {COLUMN} IS NULL") == 2


def _filled_until_killed(config: Any) -> None:
    fill = filling(config)
    fill.size = 2

    def told(done: int, total: int) -> None:
        if done >= 4:
            os.kill(os.getpid(), signal.SIGKILL)

    fill.told = told
    fill.run()


def test_after_a_kill_it_goes_on_where_it_was(tmp_path: Path) -> None:
    """A process killed between batches: the next one embeds what is left, and every vector is its text's."""
    config, _ = on_its_way(tmp_path, rows_of(TEXTS))
    process = multiprocessing.get_context("spawn").Process(target=_filled_until_killed, args=(config,))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    table_of(config).update(where="id = 'm0'", values={"content": "Changed right after the kill"})
    model = new_model()
    filling(config, model).run()

    assert wrong(config) == {}
    assert model.texts < len(TEXTS)


@given(
    st.lists(st.tuples(st.sampled_from(sorted(TEXTS)), st.sampled_from(["tea", "茶", "no tea", "不喝茶"])), max_size=6)
)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_written_between_passes_every_vector_ends_as_its_texts(
    tmp_path_factory: pytest.TempPathFactory, writes: list[tuple[str, str]]
) -> None:
    """Texts changed there and back again: after the last pass each row has the vector of its present text."""
    config, _ = on_its_way(tmp_path_factory.mktemp("fill"), rows_of(TEXTS))
    for ident, text in writes:
        filling(config).run()
        table_of(config).update(where=f"id = '{ident}'", values={"content": text})
    filling(config).run()

    assert wrong(config) == {}


# --- the door meanwhile -----------------------------------------------------------------------


@pytest.mark.parametrize("text", ["Drinks oat milk", "只喝燕麦奶"], ids=["en", "zh"])
@pytest.mark.parametrize("stage", [Stage.FILLING, Stage.CANARY, Stage.SOAKING])
def test_our_writes_carry_both_vectors_at_every_stage(tmp_path: Path, text: str, stage: Stage) -> None:
    """A row added through the door, and one changed there, has the vector of its text in either column."""
    config, _ = on_its_way(tmp_path, rows_of({"m1": "Likes tea"}), stage)
    with mendory.open(config, embedder=[old_model(), new_model()], clock=FakeClock()) as door:
        ident = door.add(text, scope="u1", source="user_stated")
        door.update("m1", content=text + "!")
    rows = held(config)

    for row, said in ((rows[ident], text), (rows["m1"], text + "!")):
        assert np.allclose(row["embedding"], old_model().embed([said])[0], atol=1e-6)
        assert np.allclose(row[COLUMN], new_model().embed([said])[0], atol=1e-6)


def test_a_door_without_the_second_model_leaves_the_row_to_the_filling(tmp_path: Path) -> None:
    """It writes what it can, never an old text's vector, and the row waits."""
    config, _ = on_its_way(tmp_path, rows_of(TEXTS))
    filling(config).run()
    with mendory.open(config, embedder=old_model(), clock=FakeClock()) as door:
        ident = door.add("新的一条", scope="u1", source="user_stated")
        door.update("m1", content="Another text")

    assert {ident: "none", "m1": "none"} == wrong(config)
    filling(config).run()
    assert wrong(config) == {}


def test_recall_follows_a_switch_and_a_way_back_without_restart(tmp_path: Path) -> None:
    """One open door: it searches the old vectors, after the switch the new ones, and after the way back the old."""
    config, move = on_its_way(tmp_path, rows_of(TEXTS), Stage.CANARY)
    filling(config).run()
    old, new = old_model(), new_model()
    ledger = Ledger.open(config.ledger_url, FakeClock())
    with mendory.open(config, embedder=[old, new], clock=FakeClock()) as door:

        def asked() -> tuple[str, str, int, int]:
            before = old.texts, new.texts
            found = [door.recall(text, "u1", 1).found[0].id for text in (TEXTS["m3"], TEXTS["z3"])]
            return (*found, int(old.texts > before[0]), int(new.texts > before[1]))

        asked()  # each model is compared with its space once
        first = asked()
        ledger.moves.to(move.id, Stage.SWITCHED, "bob")
        asked()
        second = asked()
        door.add("写于切换之后", scope="u1", source="user_stated", id="later")
        ledger.moves.to(move.id, Stage.ROLLED_BACK, "ann")
        third = asked()
        later = door.recall("写于切换之后", "u1", 1).found[0].id

    assert [("m3", "z3", 1, 0), ("m3", "z3", 0, 1), ("m3", "z3", 1, 0)] == [first, second, third]
    assert later == "later"


@pytest.mark.parametrize(("share", "asks_new"), [(0.0, False), (1.0, True)])
def test_the_canary_answers_its_share_from_the_new_space(tmp_path: Path, share: float, asks_new: bool) -> None:
    """With a share of one every recall is of the new space, with none no recall; both find the text."""
    config, move = on_its_way(tmp_path, rows_of(TEXTS), Stage.APPROVED)
    filling(config).run()
    Ledger.open(config.ledger_url, FakeClock()).moves.to(move.id, Stage.CANARY, "ann", {"share": share})
    old, new = old_model(), new_model()
    with mendory.open(config, embedder=[old, new], clock=FakeClock()) as door:
        door.recall("warm up", "u1", 1)
        before = new.texts
        found = [door.recall(TEXTS[i], "u1", 1).found[0].id for i in ("m2", "z2")]

    assert (["m2", "z2"], asks_new) == (found, new.texts > before)


def test_a_callers_vector_is_answered_from_the_space_it_fits(tmp_path: Path) -> None:
    """An agent that embeds queries itself goes on with the old model after the switch, and with the new one before."""
    config, move = on_its_way(tmp_path, rows_of(TEXTS), Stage.CANARY)
    filling(config).run()
    Ledger.open(config.ledger_url, FakeClock()).moves.to(move.id, Stage.SWITCHED, "ann")
    with mendory.open(config, clock=FakeClock()) as door:
        found = [
            door.recall("?", "u1", 1, embedding=model.embed([TEXTS["z4"]])[0].tolist()).found[0].id
            for model in (old_model(), new_model())
        ]

    assert found == ["z4", "z4"]
