"""The telemetry file: cheap, private, droppable; its failures break nobody's write and are told."""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mendory.telemetry import DoorWrite, DoorWrites, Telemetry, mark_shown, since_mark

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)
KEEP = timedelta(days=90)


def write(ident: str = "m1", verb: str = "add", at: datetime = NOON) -> DoorWrite:
    """A write of that verb on that row."""
    return DoorWrite(at, verb, ident, "s" * 64, None if verb == "add" else "b" * 64, "a" * 64, 7, ("content", "scope"))


def test_what_is_noted_is_listed_once(tmp_path: Path) -> None:
    """Writes are listed in order with all they hold, until a check has shown them; then only newer ones are."""
    path = tmp_path / "deep" / "telemetry.db"
    telemetry = Telemetry(path, ".#t", KEEP)
    noted = [write("甲"), write("it's", "update", NOON + timedelta(seconds=1)), write("m3", "archive"), write("m4")]
    for one in noted:
        telemetry.note(one)

    first = since_mark(path, ".#t")

    assert (tuple(noted), {"add": 2, "archive": 1, "update": 1}, 4) == (first.writes, dict(first.by_verb), first.total)
    assert "door writes since the last check: 4 (2 add, 1 archive, 1 update)" == first.line()
    assert first == since_mark(path, ".#t"), "looking moves no mark"
    telemetry.note(write("later"))
    assert mark_shown(path, ".#t", first)
    assert ["later"] == [w.id for w in since_mark(path, ".#t").writes]


def test_each_table_has_its_own_mark(tmp_path: Path) -> None:
    """Two tables of one configuration folder share the file and not the lists."""
    path = tmp_path / "telemetry.db"
    Telemetry(path, ".#a", KEEP).note(write("a1"))
    Telemetry(path, ".#b", KEEP).note(write("b1"))

    mark_shown(path, ".#a", since_mark(path, ".#a"))

    assert None is since_mark(path, ".#a").line()
    assert ["b1"] == [w.id for w in since_mark(path, ".#b").writes]


def test_a_mark_never_goes_back(tmp_path: Path) -> None:
    """Of two checks at once the one that saw less does not bring back what the other has shown."""
    path = tmp_path / "telemetry.db"
    telemetry = Telemetry(path, "t", KEEP)
    telemetry.note(write("m1"))
    early = since_mark(path, "t")
    telemetry.note(write("m2"))

    mark_shown(path, "t", since_mark(path, "t"))
    mark_shown(path, "t", early)

    assert 0 == since_mark(path, "t").total


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    """The file and what SQLite puts beside it are readable by nobody else, whatever the umask says."""
    old = os.umask(0)
    try:
        Telemetry(tmp_path / "telemetry.db", "t", KEEP).note(write())
    finally:
        os.umask(old)

    assert {0o600} == {stat.S_IMODE(p.stat().st_mode) for p in tmp_path.iterdir()}


def test_the_counts_are_whole_and_the_list_is_cut(tmp_path: Path) -> None:
    """Of very many writes the newest thousand are listed and all are counted."""
    telemetry = Telemetry(tmp_path / "telemetry.db", "t", KEEP)
    for n in range(1203):
        telemetry.note(write(f"m{n}"))

    found = since_mark(tmp_path / "telemetry.db", "t")

    assert (1203, 1000, "m203", "m1202") == (found.total, len(found.writes), found.writes[0].id, found.writes[-1].id)


def test_old_lines_go(tmp_path: Path) -> None:
    """When the file is opened, lines older than the configured time are dropped; the mark stays right."""
    path = tmp_path / "telemetry.db"
    first = Telemetry(path, "t", KEEP)
    first.note(write("old"))
    first.close()

    Telemetry(path, "t", KEEP).note(write("new", at=NOON + KEEP + timedelta(seconds=1)))

    assert ["new"] == [w.id for w in since_mark(path, "t").writes]


def test_a_file_deleted_under_the_door_is_made_again(tmp_path: Path) -> None:
    """Nothing is written into a file that nobody can open any more."""
    path = tmp_path / "telemetry.db"
    telemetry = Telemetry(path, "t", KEEP)
    telemetry.note(write("m1"))
    for beside in tmp_path.iterdir():
        beside.unlink()

    telemetry.note(write("m2"))

    assert (["m2"], 0) == ([w.id for w in since_mark(path, "t").writes], telemetry.unwritten)


def test_a_failure_is_told_and_the_line_is_written_later(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """While the file can't be written, calls return; the log says so without an id, and later calls make up for it."""
    path = tmp_path / "telemetry.db"
    path.mkdir()  # no file can be made here, whoever asks
    telemetry = Telemetry(path, "t", KEEP)

    with caplog.at_level(logging.WARNING, "mendory.telemetry"):
        telemetry.note(write("secret-1"))
        telemetry.note(write("secret-2"))

    assert (2, 2) == (telemetry.unwritten, len(caplog.records))
    assert "2 line(s) wait" in caplog.text
    assert "secret" not in caplog.text
    path.rmdir()
    telemetry.note(write("m3"))
    assert (["secret-1", "secret-2", "m3"], 0) == ([w.id for w in since_mark(path, "t").writes], telemetry.unwritten)


def test_what_waits_is_bounded_and_what_is_given_up_is_counted(tmp_path: Path) -> None:
    """A file that can never be written costs a bounded memory; the count stays whole."""
    path = tmp_path / "telemetry.db"
    path.mkdir()
    telemetry = Telemetry(path, "t", KEEP)
    logging.getLogger("mendory.telemetry").disabled = True
    try:
        for n in range(1010):
            telemetry.note(write(f"m{n}"))
    finally:
        logging.getLogger("mendory.telemetry").disabled = False

    assert 1010 == telemetry.unwritten
    path.rmdir()
    telemetry.note(write("last"))
    assert (1000, 11) == (since_mark(path, "t").total, telemetry.unwritten)


def test_a_locked_file_holds_a_write_up_for_a_moment_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process that keeps the file locked delays a write, and does not lose or break it."""
    monkeypatch.setattr("mendory.telemetry._PATIENCE", 0.05)
    path = tmp_path / "telemetry.db"
    telemetry = Telemetry(path, "t", KEEP)
    telemetry.note(write("m1"))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    telemetry.close()

    telemetry.note(write("m2"))

    assert 1 == telemetry.unwritten
    other.execute("ROLLBACK")
    telemetry.note(write("m3"))
    assert ["m1", "m2", "m3"] == [w.id for w in since_mark(path, "t").writes]


def test_a_file_of_another_sort_is_told_and_not_touched(tmp_path: Path) -> None:
    """A file that is no database: the check says it can't tell, a door's write goes on, the file stays as it is."""
    path = tmp_path / "telemetry.db"
    path.write_bytes(b"these are my notes, hands off\n" * 200)
    before = path.read_bytes()
    telemetry = Telemetry(path, "t", KEEP)

    telemetry.note(write())
    found = since_mark(path, "t")

    assert (1, before) == (telemetry.unwritten, path.read_bytes())
    assert str(found.line()).startswith("door writes since the last check: unknown (telemetry.db can't be read")
    assert not found.total


def test_no_file_is_no_writes_and_looking_makes_none(tmp_path: Path) -> None:
    """Where no door was ever used there is nothing to tell."""
    found = since_mark(tmp_path / "telemetry.db", "t")

    assert (DoorWrites(), None, True) == (found, found.line(), mark_shown(tmp_path / "telemetry.db", "t", found))
    assert [] == list(tmp_path.iterdir())


def test_threads_note_everything_once(tmp_path: Path) -> None:
    """Threads that share it, and a second one on the same file, lose no line."""
    path = tmp_path / "telemetry.db"
    both = [Telemetry(path, "t", KEEP), Telemetry(path, "t", KEEP)]

    def note(worker: int) -> None:
        for n in range(25):
            both[worker % 2].note(write(f"{worker}-{n}"))

    workers = [threading.Thread(target=note, args=(n,)) for n in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    found = since_mark(path, "t")
    assert {f"{w}-{n}" for w in range(6) for n in range(25)} == {w.id for w in found.writes}
    assert (150, [0, 0]) == (found.total, [t.unwritten for t in both])


def test_as_json_is_plain(tmp_path: Path) -> None:
    """What `check --json` prints holds times as text and nothing of a memory."""
    Telemetry(tmp_path / "t.db", "t", KEEP).note(write("m1"))

    found = since_mark(tmp_path / "t.db", "t").as_json()

    assert ({"add": 1}, None) == (found["by_verb"], found["trouble"])
    assert ("2025-03-01T12:00:00.000000+00:00", "m1", ["content", "scope"]) == tuple(
        found["writes"][0][key] for key in ("at", "id", "fields")
    )
