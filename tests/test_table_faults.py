"""Faults of a whole table: real tables whose files are damaged. Each is named, says what to do, touches nothing."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import struct
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pytest

from mendory import treatment
from mendory.clinic import Clinic
from mendory.doctor import Machine, State, examine
from mendory.door.door import Door
from mendory.errors import (
    FileUnreadable,
    ManifestMissing,
    ManifestTorn,
    MendoryError,
    TableCorrupt,
    TableHalfDeleted,
    TableNotFound,
)
from mendory.lance import Reader, Survey, create_table, table_exists, whole
from mendory.lance import manifest as manifests
from mendory.lance.deletions import plausible
from mendory.lance.faults import newest_is_there
from mendory.lance.manifest import Torn, contents
from mendory.mapping import Mapping
from tests.cli.conftest import Run, configure, run  # noqa: F401  (a fixture)
from tests.conftest import FakeClock, make_config, make_table, memory
from tests.door_kit import Hashing

pytestmark = pytest.mark.lance
ROWS = 50
DELETED = ("m3", "m7", "m9")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a table at version 4, with a deletion file and two data files; Chinese and English rows."""
    make_table(tmp_path, [memory(f"m{n}", content=f"记忆 {n}, a memory") for n in range(ROWS)])
    table = lancedb.connect(str(tmp_path)).open_table("memories")
    table.delete(f"id IN {DELETED}")
    table.update(where="id = 'm4'", values={"content": "新的"})
    return tmp_path / "memories.lance"


def state(folder: Path) -> dict[str, tuple[str, int]]:
    """Every file of the folder: digest and time of writing."""
    return {
        str(p.relative_to(folder)): (hashlib.sha256(p.read_bytes()).hexdigest(), p.stat().st_mtime_ns)
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


def newest(folder: Path) -> Path:
    """The newest manifest."""
    found = manifests.newest(folder)
    assert found is not None
    return found


def data(folder: Path) -> Path:
    """The data file with most rows."""
    return max((folder / "data").iterdir(), key=lambda p: p.stat().st_size)


def deletion(folder: Path) -> Path:
    """The deletion file of the newest version."""
    return folder / contents(newest(folder).read_bytes()).deletions[0].path


def halved(folder: Path) -> None:
    """All manifests are gone."""
    shutil.rmtree(folder / "_versions")


def emptied(folder: Path) -> None:
    """The folder of manifests is there, and empty."""
    for path in (folder / "_versions").iterdir():
        path.unlink()


def nothing_left(folder: Path) -> None:
    """Nothing but the folder."""
    shutil.rmtree(folder)
    folder.mkdir()


def cut_manifest(folder: Path) -> None:
    """The newest manifest ends in its middle."""
    newest(folder).write_bytes(newest(folder).read_bytes()[:300])


def empty_manifest(folder: Path) -> None:
    """The newest manifest holds nothing, as after a power cut."""
    newest(folder).write_bytes(b"")


def flipped_manifest(folder: Path) -> None:
    """A bit of the newest manifest's length is another."""
    held = bytearray(newest(folder).read_bytes())
    (at,) = struct.unpack("<Q", held[-16:-8])
    held[at + 2] ^= 1
    newest(folder).write_bytes(bytes(held))


def lost_manifest(folder: Path) -> None:
    """The newest manifest is gone; the one before it is there."""
    newest(folder).unlink()


def lost_data(folder: Path) -> None:
    """A data file is gone."""
    data(folder).unlink()


def cut_data(folder: Path) -> None:
    """A data file lacks its end."""
    data(folder).write_bytes(data(folder).read_bytes()[:-10])


def blank_data(folder: Path) -> None:
    """A data file holds zeros: a file system that lost its blocks."""
    data(folder).write_bytes(bytes(data(folder).stat().st_size))


def lost_deletion(folder: Path) -> None:
    """A deletion file is gone."""
    deletion(folder).unlink()


def cut_deletion(folder: Path) -> None:
    """A deletion file ends early."""
    deletion(folder).write_bytes(deletion(folder).read_bytes()[:40])


def varint(value: int) -> bytes:
    """The number as protobuf writes it."""
    parts = []
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])


def newer_format(folder: Path) -> None:
    """The manifest asks for a feature that this version of Lance does not know."""
    held = newest(folder).read_bytes()
    (at,) = struct.unpack("<Q", held[-16:-8])
    (length,) = struct.unpack("<I", held[at : at + 4])
    flags = varint(9 << 3) + varint(1 << 40)
    body = held[at + 4 : at + 4 + length] + flags
    newest(folder).write_bytes(held[:at] + struct.pack("<I", len(body)) + body + held[-16:])


def newer_data(folder: Path) -> None:
    """A data file is of a newer format."""
    held = data(folder).read_bytes()
    data(folder).write_bytes(held[:-8] + struct.pack("<HH", 9, 9) + held[-4:])


FAULTS = [
    (halved, "table_half_deleted", "Restore memories.lance/_versions from a backup, or move the folder aside"),
    (emptied, "table_half_deleted", "do not create a table of that name before"),
    (nothing_left, "table_half_deleted", "0 of its files are left"),
    (cut_manifest, "manifest_torn", "move it and _versions/latest_version_hint.json aside"),
    (empty_manifest, "manifest_torn", "it is too short"),
    (flipped_manifest, "manifest_torn", "its length is wrong"),
    (lost_manifest, "manifest_missing", "version 4 as the newest"),
    (lost_data, "file_unreadable", "is missing"),
    (cut_data, "file_unreadable", "bytes instead of"),
    (blank_data, "file_unreadable", "its end is not that of a data file"),
    (lost_deletion, "file_unreadable", "nobody knows which of its rows were deleted"),
    (cut_deletion, "file_unreadable", "is damaged"),
    (newer_format, "format_newer", "Upgrade lancedb"),
    (newer_data, "format_newer", "Upgrade lancedb"),
]
each_fault = pytest.mark.parametrize(
    ("fault", "name", "says"), FAULTS, ids=[getattr(f, "__name__", "") for f, _, _ in FAULTS]
)


@each_fault
def test_check_and_plan_name_it_and_touch_nothing(
    folder: Path,
    tmp_path: Path,
    run: Run,  # noqa: F811
    fault: Callable[[Path], None],
    name: str,
    says: str,
) -> None:
    """Both end with exit 1 and the error's name, say what to do, and no file of the table is other than before."""
    (tmp_path / "db").mkdir()
    shutil.move(folder, tmp_path / "db" / "memories.lance")
    folder = tmp_path / "db" / "memories.lance"
    configure(tmp_path)
    fault(folder)
    before = state(folder)

    for verb in ("check", "plan"):
        said = run(verb)
        assert (1, name) == (said.exit_code, said.output.partition(":")[0]), said.output
        assert says in said.output
        assert "Nothing was read" in said.output

    assert before == state(folder)
    assert run("check", "--lang", "zh").output.startswith(name)


@pytest.mark.parametrize(
    ("fault", "name", "says"), FAULTS[:-1], ids=[getattr(f, "__name__", "") for f, _, _ in FAULTS[:-1]]
)
def test_apply_names_it_and_touches_nothing(
    folder: Path, clock: FakeClock, fault: Callable[[Path], None], name: str, says: str
) -> None:
    """A plan made before is not applied on a table that broke since."""
    lancedb.connect(str(folder.parent)).open_table("memories").update(where="id = 'm5'", values={"status": "Active "})
    limits = {"rows_per_run": 9, "repairs_per_day": 9, "scope_share": 1.0, "sick_share_scope": 1, "sick_share_table": 1}
    planned = Clinic(make_config(folder.parent, limits=limits), clock).plan()
    assert planned.plan is not None
    fault(folder)
    before = state(folder)

    with pytest.raises(TableCorrupt) as caught:
        treatment.apply(Clinic(make_config(folder.parent, limits=limits), clock), planned.plan.id)

    assert name == caught.value.name
    assert before == state(folder)
    assert says.replace("version 4", "version 5") in str(caught.value)


@each_fault
def test_the_doctor_has_a_line_of_it_and_touches_nothing(
    folder: Path, clock: FakeClock, fault: Callable[[Path], None], name: str, says: str
) -> None:
    """A line that fails, with the error's name and what to do; the other lines are told as far as they can be."""
    fault(folder)
    before = state(folder)
    machine = Machine(lambda seconds: None, lambda path: 10**12, folder.parent)

    found = list(examine(Clinic(make_config(folder.parent), clock), machine, embed=False))

    failing = [line.as_json() for line in found if line.state is State.FAIL and line.check in ("table", "files")]
    assert [name] == [line["values"]["error"] for line in failing]
    assert says in f"{failing[0]['said']} {failing[0]['todo']}"
    assert failing[0]["todo"]
    assert {"ledger", "limits", "software"} <= {line.check for line in found}
    assert before == state(folder)


@pytest.mark.parametrize("fault", [cut_manifest, empty_manifest, flipped_manifest])
def test_the_advice_for_a_torn_manifest_works(folder: Path, fault: Callable[[Path], None]) -> None:
    """Moved aside as the message says, the version before opens, whole, and can be written again."""
    fault(folder)
    with pytest.raises(ManifestTorn) as caught:
        Reader(str(folder.parent), "memories", Mapping.identity())
    advised = [word.strip(",") for word in str(caught.value).split() if word.startswith("_versions/")]
    aside = folder.parent / "aside"
    aside.mkdir()
    for path in dict.fromkeys(advised):
        shutil.move(folder / path, aside / Path(path).name)

    reader = Reader(str(folder.parent), "memories", Mapping.identity())

    assert (3, ROWS - len(DELETED)) == (reader.version, len(list(reader.scan())))
    assert 2 == whole(folder)
    assert "记忆 4, a memory" == reader.fetch(["m4"])["m4"].content
    lancedb.connect(str(folder.parent)).open_table("memories").update(where="id = 'm4'", values={"content": "又新"})
    assert (4, "又新") == (reader.refresh(), reader.fetch(["m4"])["m4"].content)


def test_the_advice_for_a_missing_manifest_works(folder: Path, clock: FakeClock) -> None:
    """A table accepted as it is, by moving the hint aside, is checked again."""
    lost_manifest(folder)
    clinic = Clinic(make_config(folder.parent), clock)
    with pytest.raises(ManifestMissing):
        clinic.check()

    (folder / "_versions" / "latest_version_hint.json").rename(folder.parent / "hint")

    assert (3, ROWS - len(DELETED)) == ((seen := clinic.check()).version, seen.rows)


@pytest.mark.parametrize("fault", [halved, emptied, nothing_left])
def test_nothing_is_created_over_a_wreck(folder: Path, fault: Callable[[Path], None]) -> None:
    """LanceDB would create a table there and what is left could never be restored; we refuse."""
    fault(folder)
    before = state(folder)

    with pytest.raises(TableHalfDeleted):
        create_table(str(folder.parent), "memories", 4)

    assert before == state(folder)


def test_lancedb_itself_creates_over_a_wreck(folder: Path) -> None:
    """Why we refuse; when this fails, LanceDB has mended it."""
    halved(folder)
    db = lancedb.connect(str(folder.parent))

    assert 0 == db.create_table("memories", schema=pa.schema([("id", pa.string())])).count_rows()


def test_import_over_a_wreck_is_refused(
    folder: Path,
    tmp_path: Path,
    run: Run,  # noqa: F811
) -> None:
    """The import's own creation of a table stops there too, and no file is other than before."""
    (tmp_path / "db").mkdir()
    shutil.move(folder, tmp_path / "db" / "memories.lance")
    folder = tmp_path / "db" / "memories.lance"
    halved(folder)
    configure(tmp_path)
    before = state(folder)
    line = {"id": "x", "content": "喝茶", "scope": "u", "created_at": "2025-01-01T00:00:00Z", "source": "user_stated"}
    (tmp_path / "in.jsonl").write_text(json.dumps({**line, "embedding": [1, 0, 0, 0]}) + "\n", encoding="utf-8")

    said = run("import", "in.jsonl")

    assert (1, "table_half_deleted") == (said.exit_code, said.output.partition(":")[0])
    assert before == state(folder)


@pytest.mark.parametrize("fault", [lost_manifest, lost_data], ids=["lost_manifest", "lost_data"])
@pytest.mark.parametrize("way", ["into", "from"])
def test_import_refuses_what_a_check_refuses(
    folder: Path,
    tmp_path: Path,
    run: Run,  # noqa: F811
    fault: Callable[[Path], None],
    way: str,
) -> None:
    """Neither into such a table nor out of it: written on, the lost version's own name would be taken by another."""
    name = "db" if way == "into" else "other"
    (tmp_path / name).mkdir()
    shutil.move(folder, tmp_path / name / "memories.lance")
    folder = tmp_path / name / "memories.lance"
    fault(folder)
    configure(tmp_path)
    before = state(folder)
    line = {"id": "x", "content": "喝茶", "scope": "u", "created_at": "2025-01-01T00:00:00Z", "source": "user_stated"}
    (tmp_path / "in.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")

    said = run("import", "in.jsonl" if way == "into" else "other#memories")

    expected = "manifest_missing" if fault is lost_manifest else "file_unreadable"
    assert (1, expected) == (said.exit_code, said.output.partition(":")[0])
    assert before == state(folder)
    assert way == "into" or not (tmp_path / "db").exists()


@pytest.mark.parametrize("when", ["before it opens", "while it is open"])
def test_the_door_writes_nothing_where_the_newest_version_is_lost(folder: Path, when: str) -> None:
    """Opening and every write say so, and no file is other than before; a read of it writes nothing anyway."""
    config = make_config(folder.parent)
    if when == "before it opens":
        lost_manifest(folder)
        before = state(folder)
        with pytest.raises(ManifestMissing, match="Restore _versions"):
            Door(config, Hashing())
    else:
        with Door(config, Hashing()) as door:
            door.add("早上喝茶 tea in the morning", id="n1", scope="u1", source="user_stated")
            lost_manifest(folder)
            before = state(folder)
            for write in (
                lambda: door.add("晚上喝水", id="n2", scope="u1", source="user_stated"),
                lambda: door.update("m1", kind="fact"),
                lambda: door.archive("m1"),
            ):
                with pytest.raises(ManifestMissing, match="Restore _versions"):
                    write()

    assert before == state(folder)


def test_a_hint_that_lags_behind_is_no_loss(folder: Path) -> None:
    """A writer that ended before it noted its version, or noted one that was cleaned up since: nothing is lost."""
    hint = folder / "_versions" / "latest_version_hint.json"
    for version in (2, 3):
        hint.write_text(json.dumps({"version": version}), encoding="utf-8")
        newest_is_there(folder)
    for path in (folder / "_versions").glob("*.manifest"):
        if path != newest(folder):
            path.unlink()
    newest_is_there(folder)


def test_a_table_that_is_not_there_is_no_wreck(tmp_path: Path) -> None:
    """Without a folder there is no table, and one may be made."""
    with pytest.raises(TableNotFound):
        Reader(str(tmp_path), "memories", Mapping.identity())
    assert not table_exists(str(tmp_path), "memories")

    create_table(str(tmp_path), "memories", 4)

    assert 0 == whole(tmp_path / "memories.lance")


# --- deletion files: what may end the process ----------------------------------------------------


def flips(path: Path, number: int, seed: int) -> Iterator[tuple[int, bytes]]:
    """The file's bytes with one bit flipped, at so many places."""
    held, rng = path.read_bytes(), random.Random(seed)
    for bit in rng.sample(range(len(held) * 8), number):
        changed = bytearray(held)
        changed[bit // 8] ^= 1 << bit % 8
        yield bit, bytes(changed)


def test_a_flip_that_ends_the_process_ends_in_an_error(folder: Path) -> None:
    """No flip of a deletion file ends this process; whatever is let through has as many rows as it must."""
    path = deletion(folder)
    whole_file = path.read_bytes()
    outcomes = set()
    for number, (_, changed) in enumerate(flips(path, 24, 11)):
        path.write_bytes(changed)
        os.utime(path, ns=(number, number))
        try:
            outcomes.add(len(list(Reader(str(folder.parent), "memories", Mapping.identity()).scan())))
        except TableCorrupt as error:
            outcomes.add(error.name)
    path.write_bytes(whole_file)

    assert {ROWS - len(DELETED), "file_unreadable"} == outcomes - {"table_corrupt"}


def test_a_flip_that_asks_for_2_to_the_63_bytes_is_seen_before_it_is_read(folder: Path) -> None:
    """Before each buffer stands how long it is unpacked; a bit of that is enough to end a process."""
    held = deletion(folder).read_bytes()
    body = held.index(b"\xff" * 9)
    places = [body + 7, held.index(b"\xff" * 8, body + 16) + 7]

    assert plausible(held, 4, ROWS)
    for place in places:
        changed = bytearray(held)
        changed[place] ^= 0x80
        assert not plausible(bytes(changed), 4, ROWS)
    assert not plausible(held, 3, ROWS)
    assert not plausible(held, 4, 5)
    assert not plausible(b"", 4, ROWS)


def test_a_deletion_file_with_other_rows_than_the_manifest_says(folder: Path) -> None:
    """A well-formed file that deletes fewer rows would bring rows back; it is refused."""
    path = deletion(folder)
    kept = pa.ipc.open_file(pa.BufferReader(path.read_bytes()))
    batch = kept.get_batch(0).slice(0, 1)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, kept.schema) as writer:
        writer.write_batch(batch)

    with pytest.raises(FileUnreadable, match="is damaged"):
        Reader(str(folder.parent), "memories", Mapping.identity())


def test_a_damaged_bitmap_of_deletions_is_named(tmp_path: Path) -> None:
    """Many deletions are a bitmap: Lance refuses a damaged one, and the file is named."""
    make_table(tmp_path, [memory(f"m{n}") for n in range(6000)])
    lancedb.connect(str(tmp_path)).open_table("memories").delete("length(id) = 5")
    folder = tmp_path / "memories.lance"
    path = deletion(folder)
    assert ".bin" == path.suffix
    held = bytearray(path.read_bytes())
    held[100] ^= 4
    path.write_bytes(bytes(held))

    with pytest.raises(TableCorrupt):
        list(Reader(str(tmp_path), "memories", Mapping.identity()).scan())


def test_no_flip_of_a_manifest_is_more_than_an_error(folder: Path) -> None:
    """A flip is an error of ours, or leaves the rows readable; a panic of the library is an error too."""
    path = newest(folder)
    held = path.read_bytes()
    outcomes = set()
    for number, (_, changed) in enumerate(flips(path, 150, 5)):
        path.write_bytes(changed)
        os.utime(path, ns=(number, number))
        try:
            outcomes.add(len(list(Reader(str(folder.parent), "memories", Mapping.identity()).scan())) > 0)
        except MendoryError as error:
            outcomes.add(error.name)
    path.write_bytes(held)

    assert {True, "manifest_torn"} <= outcomes


# --- the reader of manifests ----------------------------------------------------------------------


def test_a_manifest_names_the_files_that_are_there(folder: Path) -> None:
    """Data files with their sizes, the deletion file with its rows; as many fragments and rows as LanceDB says."""
    held = contents(newest(folder).read_bytes())
    stats = lancedb.connect(str(folder.parent)).open_table("memories").stats()

    assert {(f"data/{p.name}", p.stat().st_size) for p in (folder / "data").iterdir()} == set(held.data)
    assert [4] == [d.deleted for d in held.deletions]  # three deleted, one rewritten by the update
    assert (stats["num_rows"], stats["fragment_stats"]["num_fragments"]) == (held.rows, held.fragments)


@pytest.mark.parametrize("size", [0, 1, 15, 16, 200])
def test_half_a_manifest_is_torn(folder: Path, size: int) -> None:
    """Cut anywhere, it is told by its end."""
    with pytest.raises(Torn):
        contents(newest(folder).read_bytes()[:size])


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("18446744073709551614.manifest", 1),
        ("7.manifest", 7),
        ("d123.manifest", None),
        ("latest_version_hint.json", None),
    ],
)
def test_versions_by_the_names_of_manifests(name: str, version: int | None) -> None:
    """Both ways of naming, and what is none."""
    assert version == manifests.version_of(Path(name))


def test_a_clone_whose_files_lie_elsewhere_is_whole(folder: Path, tmp_path: Path) -> None:
    """The rehearsal's clone names files of the table it was made from."""
    writer = make_table(tmp_path / "other", [memory("m1")])
    clone = writer.clone(tmp_path / "clone", writer.version)

    assert ["m1"] == [m.id for m in clone.scan()]
    assert 0 == whole(tmp_path / "clone" / "memories.lance")


def test_files_that_an_owner_cleans_up_meanwhile_are_no_fault(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between reading the manifest and looking for its files the owner compacts and cleans: the newest is looked at."""
    table = lancedb.connect(str(folder.parent)).open_table("memories")
    real, done = manifests.contents, []

    def meanwhile(held: bytes) -> Any:
        found = real(held)
        if not done:
            done.append(True)
            table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)
        return found

    monkeypatch.setattr(manifests, "contents", meanwhile)

    assert 1 == whole(folder)
    assert [True] == done


# --- warnings -------------------------------------------------------------------------------------


def test_many_small_fragments_are_a_warning_with_advice(
    tmp_path: Path,
    run: Run,  # noqa: F811
) -> None:
    """From 100 on: the number and what to do, in both languages; the check itself goes on."""
    writer = make_table(tmp_path / "db", [memory("m0", embedding=None)])
    table = lancedb.connect(writer.uri).open_table("memories")
    row = table.to_arrow()
    for n in range(1, 101):
        table.add(row.set_column(0, "id", pa.array([f"m{n}"])))
    configure(tmp_path)

    said = run("check")

    assert "  101 small fragments: compact when no repair runs: table.optimize() of LanceDB" in said.output
    assert "小片段 101 个" in run("check", "--lang", "zh").output
    assert 101 == json.loads(run("check", "--json").output)["small_fragments"]
    table.optimize()
    assert "small fragments" not in run("check").output


def test_ids_that_are_not_unique_are_a_line_of_the_doctor(tmp_path: Path, clock: FakeClock) -> None:
    """Named where a repair would need a unique key; a table of unique ids is in order."""
    make_table(tmp_path, [memory("m1"), memory("m1", content="另一条"), memory("m2")])
    machine = Machine(lambda seconds: None, lambda path: 10**12, tmp_path)

    [line] = [x for x in examine(Clinic(make_config(tmp_path), clock), machine, embed=False) if x.check == "key"]

    assert (State.WARN, 3, 2) == (line.state, line.values["rows"], line.values["distinct"])
    assert line.said.startswith("key_not_unique")


def test_a_wreck_is_named_to_a_first_look_too(folder: Path) -> None:
    """`init` looks at a table without a mapping; a missing one is not said of a wreck."""
    cut_manifest(folder)

    with pytest.raises(TableCorrupt):
        Survey(str(folder.parent), "memories")
