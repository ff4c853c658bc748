"""What is noted of recalls: space and time, seen by other processes at once; no text, and no recall broken by it."""

from __future__ import annotations

import logging
import multiprocessing
import sqlite3
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import mendory
from mendory import digest
from mendory.embedding import Vectors
from mendory.errors import InputInvalid
from mendory.ledger import Ledger
from mendory.migration.stages import Stage
from mendory.recalls import FAILED, RecallNote, Recalls, seen
from mendory.telemetry import DoorWrite, DoorWrites, Telemetry, since_mark
from tests.conftest import FakeClock
from tests.moving_kit import Model, filling, new_model, old_model, on_its_way, rows_of

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)
KEEP = timedelta(days=90)
DAY = timedelta(days=1)
TEXTS = {"m1": "Likes green tea canary-text", "z1": "喜欢绿茶 canary-text"}


def noted(path: Path, times: Sequence[tuple[datetime, str | None, float]], **more: Any) -> Recalls:
    """The notes of a process that recalled at these times, from these spaces, for so long."""
    recalls = Recalls(path, "t", KEEP)
    for at, space, ms in times:
        recalls.note(RecallNote(at, space, ms, 3, None, **more))
    return recalls


def test_what_is_noted_is_told_by_space_and_time(tmp_path: Path) -> None:
    """From the first moment up to before the last; recalls of no known space, and of another table, by themselves."""
    path = tmp_path / "deep" / "telemetry.db"
    second = timedelta(seconds=1)
    noted(path, [(NOON, "a", 1.0), (NOON + second, "b", 2.0), (NOON + 2 * second, None, 3.0), (NOON + DAY, "a", 4.0)])
    Recalls(path, "other", KEEP).note(RecallNote(NOON, "a", 9.0, 3, None))

    assert {"a": [1.0], "b": [2.0], None: [3.0]} == seen(path, "t", NOON, NOON + DAY)
    assert {"a": [4.0, 1.0], "b": [2.0], None: [3.0]} == seen(path, "t", NOON, NOON + 2 * DAY)
    assert {"a": [4.0]} == seen(path, "t", NOON + DAY, NOON + 2 * DAY)


def test_of_an_agent_that_only_recalls_no_write_is_told(tmp_path: Path) -> None:
    """Its file holds notes of recalls alone: a check says that nothing was written, not that the file is broken."""
    path = tmp_path / "telemetry.db"
    noted(path, [(NOON, "a", 1.0)])

    assert DoorWrites() == since_mark(path, "t")

    Telemetry(path, "t", KEEP).note(DoorWrite(NOON, "add", "m1", "s" * 64, None, "a" * 64, 7, ("content",)))

    assert ("", 1) == (since_mark(path, "t").trouble or "", since_mark(path, "t").total)


def test_what_cannot_be_compared_is_left_out_unless_asked_for(tmp_path: Path) -> None:
    """A query whose vector came with it, or for which a model was loaded, says nothing about the space's speed."""
    path = tmp_path / "telemetry.db"
    noted(path, [(NOON, "a", 5000.0)], usual=False)
    noted(path, [(NOON, "a", 5.0)])

    assert {"a": [5.0]} == seen(path, "t", NOON, NOON + DAY)
    assert {"a": [5.0, 5000.0]} == {k: sorted(v) for k, v in seen(path, "t", NOON, NOON + DAY, usual=False).items()}


def test_the_newest_of_very_many_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many recalls there were, the memory that reading takes is bounded."""
    monkeypatch.setattr("mendory.recalls.NEWEST", 50)
    path = tmp_path / "telemetry.db"
    noted(path, [(NOON + timedelta(seconds=n), "a", float(n)) for n in range(120)])

    assert {"a": [float(n) for n in range(119, 69, -1)]} == seen(path, "t", NOON, NOON + DAY)


def test_old_notes_go_and_the_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too old goes when the file is opened, and what is more than it holds while it is written."""
    path = tmp_path / "telemetry.db"
    noted(path, [(NOON, "a", 1.0)]).close()
    noted(path, [(NOON + KEEP + DAY, "a", 2.0)]).close()
    assert {"a": [2.0]} == seen(path, "t", NOON, NOON + 2 * KEEP)
    monkeypatch.setattr("mendory.recalls.MOST", 10)
    monkeypatch.setattr("mendory.recalls._OFTEN", 20)
    noted(path, [(NOON + KEEP + DAY, "a", 3.0)] * 40)

    assert {"a": [3.0] * 10} == seen(path, "t", NOON, NOON + 2 * KEEP)


def test_no_file_and_an_older_one_tell_nothing(tmp_path: Path) -> None:
    """Where nothing was noted there is nothing to compare, and asking makes no file."""
    path = tmp_path / "telemetry.db"
    assert {} == seen(path, "t", NOON, NOON + DAY)
    assert not path.exists()
    sqlite3.connect(path).execute("CREATE TABLE door_write (n INTEGER)")

    assert {} == seen(path, "t", NOON, NOON + DAY)


def test_a_locked_file_breaks_no_recall_and_the_note_comes_later(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Another process that keeps the file locked holds a recall up for a moment; its note is written with the next."""
    path = tmp_path / "telemetry.db"
    recalls = noted(path, [(NOON, "a", 1.0)])
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    with caplog.at_level(logging.WARNING, "mendory.recalls"):
        for _ in range(2):
            recalls.note(RecallNote(NOON, "a", 2.0, 3, None))

    assert time.monotonic() - began < 1.0
    assert ["A recall was answered, but is not in telemetry.db: OperationalError."] == caplog.messages
    other.execute("ROLLBACK")
    recalls.note(RecallNote(NOON, "a", 3.0, 3, None))
    assert [1.0, 2.0, 2.0, 3.0] == sorted(seen(path, "t", NOON, NOON + DAY)["a"])


def _recalling(folder: str, told: Any, done: Any) -> None:
    Recalls(Path(folder) / "telemetry.db", "t", KEEP).note(RecallNote(NOON, "a", 1.0, 3, None))
    told.set()
    done.wait(60)


def test_another_process_sees_a_recall_at_once_while_the_agent_idles(tmp_path: Path) -> None:
    """The note does not wait for the agent's next recall, nor for its end."""
    context = multiprocessing.get_context("spawn")
    told, done = context.Event(), context.Event()
    agent = context.Process(target=_recalling, args=(str(tmp_path), told, done))
    agent.start()
    assert told.wait(60)
    found = seen(tmp_path / "telemetry.db", "t", NOON, NOON + DAY)
    alive = agent.is_alive()
    done.set()
    agent.join(60)

    assert ({"a": [1.0]}, True) == (found, alive)


def test_a_recall_is_noted_without_text_or_scope(tmp_path: Path) -> None:
    """Both languages: space, time and how many came are in the file; query, memory, id and scope are nowhere in it."""
    config, move = on_its_way(tmp_path, rows_of(TEXTS, scope="canary-scope"))
    with mendory.open(config, embedder=old_model(), clock=FakeClock()) as door:
        for query in ("canary-query tea?", "canary-query 茶？"):
            door.recall(query, "canary-scope", 1)
        rows = sqlite3.connect(config.telemetry_path).execute("SELECT space, returned, scope, usual FROM recall_note")

        assert [(move.old, 1, digest.of("canary-scope"), usual) for usual in (0, 1)] == rows.fetchall()
    assert b"canary" not in b"".join(one.read_bytes() for one in config.telemetry_path.parent.glob("telemetry*"))


def test_a_recall_with_its_vector_is_not_compared(tmp_path: Path) -> None:
    """Nothing was embedded for it, so it would make the space look quick."""
    config, move = on_its_way(tmp_path, rows_of(TEXTS))
    with mendory.open(config, embedder=old_model(), clock=FakeClock()) as door:
        door.recall("?", "u1", 1)
        door.recall("?", "u1", 1, embedding=[1.0, 0.0, 0.0, 0.0])
        door.recall("?", "u1", 1)

    assert {move.old: 1} == {k: len(v) for k, v in seen(config.telemetry_path, ".#memories", NOON, NOON + DAY).items()}


class Broken(Model):
    """A model that answers for canary texts and for no query."""

    def embed_query(self, texts: Sequence[str]) -> Vectors:
        """Nothing."""
        raise RuntimeError("out of memory")


def test_a_recall_that_the_new_space_cannot_answer_is_answered_by_the_old(tmp_path: Path) -> None:
    """The canary's share is answered all the same, and noted as an answer of the new space that never came."""
    config, move = on_its_way(tmp_path, rows_of(TEXTS), Stage.APPROVED)
    filling(config).run()
    Ledger.open(config.ledger_url, FakeClock()).moves.to(move.id, Stage.CANARY, "ann", {"share": 1.0})
    with mendory.open(config, embedder=[old_model(), Broken("new", 8)], clock=FakeClock()) as door:
        found = [door.recall(text, "u1", 1).found[0].id for text in TEXTS.values()]
        noted = seen(config.telemetry_path, ".#memories", NOON, NOON + DAY)

    assert list(TEXTS) == found
    assert ([FAILED, FAILED], 1) == (noted[move.new], len(noted[move.old]))


def test_a_recall_that_cannot_be_asked_is_refused_in_the_canary_too(tmp_path: Path) -> None:
    """What is wrong with the question itself is told as ever, and nothing is noted."""
    config, move = on_its_way(tmp_path, rows_of(TEXTS), Stage.APPROVED)
    Ledger.open(config.ledger_url, FakeClock()).moves.to(move.id, Stage.CANARY, "ann", {"share": 1.0})
    with mendory.open(config, embedder=[old_model(), new_model()], clock=FakeClock()) as door:
        with pytest.raises(InputInvalid):
            door.recall(" ", "u1")

        assert {} == seen(config.telemetry_path, ".#memories", NOON, NOON + DAY)
