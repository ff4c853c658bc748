"""Real LanceDB tables in a temporary folder: reading, optimistic commits, history, exceptions, fsync."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import lance
import lancedb
import numpy as np
import pyarrow as pa
import pytest

from mendory import digest
from mendory.detect import Settings, examine
from mendory.errors import (
    CommitConflict,
    InputInvalid,
    LedgerMismatch,
    MendoryError,
    SchemaMismatch,
    TableCorrupt,
    TableExists,
    TableNotFound,
    VersionUnreadable,
)
from mendory.executor.store import Absent, Found, Unreadable
from mendory.lance import LEDGER, RID, Reader, Writer, create_table, quote, table_exists, to_table
from mendory.lance.border import dataset, ours
from mendory.mapping import VECTORLESS, Mapping
from mendory.record import arrow_schema
from mendory.rows import with_values
from tests.conftest import NOON, arrow, memory

pytestmark = pytest.mark.lance

Table = Callable[..., Writer]
IDS = ["m1", "m2", "m3", "m4"]


def foreign(writer: Writer) -> Any:
    """The table as its owner's program opens it."""
    return lancedb.connect(writer.uri).open_table(writer.table_name)


def folder(writer: Writer) -> Path:
    """The table's folder."""
    return Path(writer.uri) / f"{writer.table_name}.lance"


def full(writer: Writer, ids: list[str], **values: Any) -> pa.Table:
    """The rows as they are now, with these columns set."""
    rows = writer.read_rows(ids).table
    return pa.concat_tables([with_values(rows.slice(n, 1), values) for n in range(rows.num_rows)]).combine_chunks()


def four_parts(error: MendoryError) -> bool:
    """True when the message says what, which, what was not done, and what to do: at least three sentences."""
    text = str(error)
    return len(re.findall(r"[.!](?:\s|$)", text)) >= 3 and "Nothing" in text


# --- the reader -------------------------------------------------------------------------------


def test_reader_has_no_method_that_writes() -> None:
    """A Reader offers reading and nothing else; whatever is added to it must be named here."""
    public = {name for name in dir(Reader) if not name.startswith("_")}

    assert {
        "at",
        "batches",
        "changed_since",
        "count",
        "fetch",
        "found",
        "id_column",
        "refresh",
        "rows",
        "scan",
        "schema",
        "version",
        "with_vectors",
        "volatile",
    } == public


def test_reading_leaves_the_folder_as_it_was(table: Table) -> None:
    """Scanning, fetching and asking for changes write no byte."""
    writer = table([memory(i) for i in IDS])
    before = {p: p.stat().st_mtime_ns for p in folder(writer).rglob("*")}
    reader = Reader(writer.uri, writer.table_name, writer.mapping)

    list(reader.scan())
    reader.fetch(["m1"])
    reader.rows(["m1"])
    reader.changed_since(1)
    reader.refresh()

    assert before == {p: p.stat().st_mtime_ns for p in folder(writer).rglob("*")}


def test_scan_never_reads_vectors(table: Table) -> None:
    """A scan's batches hold whether the vector is null, never the vector."""
    writer = table([memory("m1"), memory("m2", embedding=None)])

    [batch] = list(writer.batches())

    assert "embedding" not in batch.schema.names
    assert [False, True] == batch.column(VECTORLESS).to_pylist()
    assert [False, True] == [m.vectorless for m in writer.scan()]


def test_scan_reads_every_row_in_flat_batches(table: Table) -> None:
    """Rows beyond one batch are read too, none twice."""
    writer = table([memory(f"m{n}") for n in range(9000)])

    sizes = [b.num_rows for b in writer.batches(["id"])]

    assert 9000 == sum(sizes)
    assert max(sizes) <= 8192
    assert {f"m{n}" for n in range(9000)} == {m.id for m in writer.scan()}


def test_scan_of_an_empty_table(table: Table) -> None:
    """An empty table has no rows, and is no error."""
    writer = table()

    assert [] == list(writer.scan())
    assert {} == writer.fetch(["m1"])
    assert 0 == writer.rows(["m1"]).num_rows


def test_reader_stays_at_its_version_until_refreshed(table: Table) -> None:
    """A scan, the fetches after it and the version printed belong together, whatever others write."""
    writer = table([memory("m1", content="old")])
    reader = Reader(writer.uri, writer.table_name, writer.mapping)
    foreign(writer).update(where="id = 'm1'", values={"content": "new"})

    assert (2, "old") == (reader.version, reader.fetch(["m1"])["m1"].content)
    assert 3 == reader.refresh()
    assert "new" == reader.fetch(["m1"])["m1"].content


@pytest.mark.parametrize(
    "name",
    ["a' OR '1'='1", "it''s", 'say "x"', "back\\slash", "100%_", "`tick`", "张三的记忆", "m 1", "😀", "-- x", "?"],
)
def test_any_text_is_found_by_id(table: Table, name: str) -> None:
    """Quotes, Chinese, injections and wildcards in an id find that row and no other."""
    writer = table([memory(name), memory("other"), memory("m1")])

    assert [name] == list(writer.fetch([name]))
    assert [name] == writer.rows([name, name]).column("id").to_pylist()
    assert [name] == writer.read_rows([name]).table.column("id").to_pylist()


def test_several_ids_absent_ones_and_doubled_ones(table: Table) -> None:
    """Absent ids are left out; of doubled ids `fetch` has one and `rows` has all."""
    writer = table([memory("m1"), memory("m1"), memory("m2")])

    assert ["m1", "m2"] == list(writer.fetch(["m2", "m1", "none", "m1"]))
    assert ["m1", "m1", "m2"] == sorted(writer.rows(["m1", "m2", "none"]).column("id").to_pylist())
    assert {} == writer.fetch([])
    assert 0 == writer.rows([]).num_rows


def test_many_ids_at_once(table: Table) -> None:
    """More ids than fit one filter are all found."""
    writer = table([memory(f"m{n}") for n in range(5000)])
    wanted = [f"m{n}" for n in range(0, 5000)]

    assert set(wanted) == set(writer.fetch(wanted))
    assert 5000 == writer.rows(wanted).num_rows


def test_lone_surrogate_is_refused_by_name() -> None:
    """An id that no UTF-8 table can hold is refused, not sent to the storage library."""
    with pytest.raises(InputInvalid, match="lone surrogate"):
        quote("\ud800")


# --- what changed -----------------------------------------------------------------------------


def test_nothing_changed_since_now(table: Table) -> None:
    """Since the newest version nothing changed."""
    writer = table([memory("m1")])

    changes = writer.changed_since(writer.version)

    assert (frozenset(), frozenset(), False) == (changes.ids, changes.gone, changes.full)


def test_append_changes_the_new_rows(table: Table) -> None:
    """An append changed the rows it added."""
    writer = table([memory(i) for i in IDS])
    foreign(writer).add(arrow([memory("m8"), memory("m9")]))
    writer.refresh()

    changes = writer.changed_since(2)

    assert (frozenset({"m8", "m9"}), frozenset(), False) == (changes.ids, changes.gone, changes.full)


def test_update_changes_its_rows(table: Table) -> None:
    """An update changed the rows it met and no others, though the owner's updated_at says nothing."""
    writer = table([memory(i) for i in IDS])
    foreign(writer).update(where="id = 'm2'", values={"content": "new"})
    writer.refresh()

    assert {"m2"} == writer.changed_since(2).ids


def test_full_merge_changes_its_rows(table: Table) -> None:
    """A merge of whole rows changed them and what it inserted."""
    writer = table([memory(i) for i in IDS])
    merge = foreign(writer).merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    merge.execute(arrow([memory("m3", content="new"), memory("m9")]))
    writer.refresh()

    changes = writer.changed_since(2)

    assert ({"m3", "m9"}, frozenset(), False) == (changes.ids, changes.gone, changes.full)


def test_single_column_merge_with_an_index_on_the_key(table: Table) -> None:
    """A merge of one column, which rewrites that column for whole fragments, changed the row for sure."""
    writer = table([memory(i) for i in IDS])
    owner = foreign(writer)
    owner.create_scalar_index("id", index_type="BTREE")
    writer.refresh()
    since = writer.version
    part = pa.table({"id": ["m2"], "content": ["new"]})
    foreign(writer).merge_insert("id").when_matched_update_all().execute(part)
    writer.refresh()

    changes = writer.changed_since(since)

    assert "new" == writer.fetch(["m2"])["m2"].content
    assert not changes.full
    assert changes.ids >= {"m2"}
    assert frozenset() == changes.gone


def test_delete_names_the_rows_that_are_gone(table: Table) -> None:
    """A delete names the rows it took."""
    writer = table([memory(i) for i in IDS])
    foreign(writer).delete("id IN ('m1', 'm4')")
    writer.refresh()

    changes = writer.changed_since(2)

    assert (frozenset(), {"m1", "m4"}, False) == (changes.ids, changes.gone, changes.full)


def test_delete_of_a_whole_fragment(table: Table) -> None:
    """Rows of a fragment that vanished altogether are gone."""
    writer = table([memory("m1")])
    foreign(writer).add(arrow([memory("m2")]))
    foreign(writer).delete("id = 'm2'")
    writer.refresh()

    assert {"m2"} == writer.changed_since(3).gone


def test_delete_then_optimize(table: Table) -> None:
    """A compaction after a delete adds nothing to what the delete changed."""
    writer = table([memory(i) for i in IDS])
    foreign(writer).add(arrow([memory("m8")]))
    foreign(writer).delete("id = 'm2'")
    foreign(writer).optimize()
    writer.refresh()

    changes = writer.changed_since(3)

    assert (frozenset(), {"m2"}, False) == (changes.ids, changes.gone, changes.full)


def test_deleted_and_written_again(table: Table) -> None:
    """A row that was deleted and added again is changed, not gone."""
    writer = table([memory(i) for i in IDS])
    foreign(writer).delete("id = 'm2'")
    foreign(writer).add(arrow([memory("m2", content="again")]))
    writer.refresh()

    changes = writer.changed_since(2)

    assert ({"m2"}, frozenset()) == (changes.ids, changes.gone)


def test_optimize_alone_changes_nothing(table: Table) -> None:
    """A compaction changes no row."""
    writer = table([memory("m1")])
    for name in ("m2", "m3", "m4"):
        foreign(writer).add(arrow([memory(name)]))
    writer.refresh()
    since = writer.version
    foreign(writer).optimize()
    writer.refresh()

    changes = writer.changed_since(since)

    assert writer.version > since
    assert (frozenset(), frozenset(), False) == (changes.ids, changes.gone, changes.full)


def test_create_index_and_config_change_nothing(table: Table) -> None:
    """A new index and a new entry of the table's configuration change no row."""
    writer = table([memory(i) for i in IDS])
    foreign(writer).create_scalar_index("scope", index_type="BITMAP")
    lance.dataset(str(folder(writer))).update_config({"owner": "x"})
    writer.refresh()

    changes = writer.changed_since(2)

    assert writer.version >= 4
    assert (frozenset(), frozenset(), False) == (changes.ids, changes.gone, changes.full)


def test_history_is_read_after_an_optimize_of_an_indexed_table(table: Table) -> None:
    """A compaction that rewrote an index can be read in the history, and changes nothing."""
    writer = table([memory("m1")])
    foreign(writer).create_scalar_index("id", index_type="BTREE")
    for n in range(2, 6):
        foreign(writer).add(arrow([memory(f"m{n}")]))
    foreign(writer).optimize()
    writer.refresh()
    since = writer.version
    for n in range(6, 9):
        foreign(writer).add(arrow([memory(f"m{n}")]))
    foreign(writer).optimize()
    writer.refresh()

    changes = writer.changed_since(since)

    assert ({"m6", "m7", "m8"}, frozenset(), False) == (changes.ids, changes.gone, changes.full)
    assert Absent(writer.version) == writer.find_commit("no-such-rid", 0 + 1)


@pytest.mark.parametrize("change", ["add", "drop"])
def test_columns_added_or_dropped_need_a_full_check(table: Table, change: str) -> None:
    """Where a column came or went nobody can tell by rows what changed."""
    writer = table([memory(i) for i in IDS])
    owner = foreign(writer)
    if change == "add":
        owner.add_columns({"extra": "'x'"})
    else:
        owner.drop_columns(["last_verified_at"])

    changes = Writer(writer.uri, writer.table_name, Mapping.of({}, ["last_verified_at"])).changed_since(2)

    assert changes.full
    assert changes.why


@pytest.mark.parametrize("change", ["overwrite", "restore"])
def test_overwrite_and_restore_need_a_full_check(table: Table, change: str) -> None:
    """An overwritten or restored table must be checked whole."""
    writer = table([memory(i) for i in IDS])
    if change == "overwrite":
        lance.write_dataset(arrow([memory("m1")]), str(folder(writer)), mode="overwrite")
    else:
        owner = foreign(writer)
        owner.delete("id = 'm1'")
        owner.restore(2)
    writer.refresh()

    changes = writer.changed_since(2)

    assert changes.full
    assert change in changes.why.lower()


def test_history_that_was_cleaned_up_needs_a_full_check(table: Table) -> None:
    """Where versions were removed nobody can tell what changed in them."""
    writer = table([memory(i) for i in IDS])
    for n in range(3):
        foreign(writer).update(where="id = 'm1'", values={"content": f"c{n}"})
    foreign(writer).optimize(cleanup_older_than=timedelta(0), delete_unverified=True)
    writer.refresh()

    changes = writer.changed_since(2)

    assert changes.full
    assert changes.why


def test_a_table_that_went_back_needs_a_full_check(table: Table) -> None:
    """A version newer than the table's newest means that the table was put back."""
    writer = table([memory("m1")])

    changes = writer.changed_since(writer.version + 5)

    assert changes.full
    assert "went back" in changes.why


# --- commits ----------------------------------------------------------------------------------


def test_commit_replaces_rows_and_carries_the_repair_id(table: Table) -> None:
    """A commit changes exactly its rows, and the new version's transaction names the repair."""
    writer = table([memory(i) for i in IDS])
    rows = full(writer, ["m2", "m3"], status="archived")

    version = writer.commit(rows, writer.latest(), "rid-1")

    assert 3 == version
    assert "rid-1" == lance.dataset(str(folder(writer))).read_transaction(version).transaction_properties[RID]
    writer.refresh()
    assert ["active", "archived", "archived", "active"] == [writer.fetch(IDS)[i].status for i in IDS]
    assert {"m2", "m3"} == writer.changes_at(version).ids


def _update(owner: Any) -> None:
    owner.update(where="id = 'm2'", values={"content": "foreign"})


def _full_merge(owner: Any) -> None:
    owner.merge_insert("id").when_matched_update_all().execute(arrow([memory("m2", content="foreign")]))


def _partial_merge(owner: Any) -> None:
    owner.merge_insert("id").when_matched_update_all().execute(pa.table({"id": ["m2"], "content": ["foreign"]}))


def _delete(owner: Any) -> None:
    owner.delete("id = 'm2'")


def _optimize(owner: Any) -> None:
    owner.optimize()


@pytest.mark.parametrize("indexed", [False, True], ids=["plain", "indexed"])
@pytest.mark.parametrize("act", [_update, _full_merge, _partial_merge, _delete, _optimize])
def test_commit_conflicts_with_what_touched_its_rows(table: Table, act: Callable[[Any], None], indexed: bool) -> None:
    """Whoever touched our rows since we read them wins; nothing of ours is written."""
    writer = table([memory("m1"), memory("m2")])
    foreign(writer).add(arrow([memory("m3")]))
    if indexed:
        foreign(writer).create_scalar_index("id", index_type="BTREE")
    base = writer.latest()
    rows = full(writer, ["m2"], status="archived")
    act(foreign(writer))
    theirs = writer.latest()
    assert theirs > base

    with pytest.raises(CommitConflict):
        writer.commit(rows, base, "rid-1")

    assert theirs == writer.latest()
    assert Absent(theirs) == writer.find_commit("rid-1", base)
    writer.refresh()
    assert "archived" not in {m.status for m in writer.scan()}


def test_commit_conflicts_with_an_overwrite(table: Table) -> None:
    """An overwritten table is not written into."""
    writer = table([memory(i) for i in IDS])
    base, rows = writer.latest(), full(writer, ["m2"], status="archived")
    lance.write_dataset(arrow([memory("m2", content="foreign")]), str(folder(writer)), mode="overwrite")

    with pytest.raises(MendoryError):
        writer.commit(rows, base, "rid-1")

    writer.refresh()
    assert ["foreign"] == [m.content for m in writer.scan()]


def test_commit_is_rebased_over_an_append(table: Table) -> None:
    """A foreign append is no obstacle: both writes are there."""
    writer = table([memory(i) for i in IDS])
    base, rows = writer.latest(), full(writer, ["m2"], status="archived")
    foreign(writer).add(arrow([memory("m9")]))

    version = writer.commit(rows, base, "rid-1")

    assert base + 2 == version
    writer.refresh()
    assert {*IDS, "m9"} == {m.id for m in writer.scan()}
    assert "archived" == writer.fetch(["m2"])["m2"].status
    assert Found(version) == writer.find_commit("rid-1", base)


def test_commit_of_a_row_that_is_gone_conflicts(table: Table) -> None:
    """A row that the base does not hold is not inserted."""
    writer = table([memory("m1")])
    rows = arrow([memory("m1"), memory("ghost")])

    with pytest.raises(CommitConflict, match="1 of 2 rows matched"):
        writer.commit(rows, writer.latest(), "rid-1")

    assert 1 == writer.count()
    assert 2 == writer.latest()


def test_commit_on_a_version_that_was_cleaned_up_conflicts(table: Table) -> None:
    """A base that is gone is a conflict to be tried again, not a crash."""
    writer = table([memory(i) for i in IDS])
    base, rows = writer.latest(), full(writer, ["m2"], status="archived")
    foreign(writer).update(where="id = 'm1'", values={"content": "x"})
    foreign(writer).optimize(cleanup_older_than=timedelta(0), delete_unverified=True)

    with pytest.raises(CommitConflict, match="cleaned up"):
        writer.commit(rows, base, "rid-1")


# --- finding a commit again -------------------------------------------------------------------


def test_find_commit_looks_in_the_range_it_is_given(table: Table) -> None:
    """A commit is found only after the base and up to the version asked for."""
    writer = table([memory(i) for i in IDS])
    version = writer.commit(full(writer, ["m1"], status="archived"), 2, "rid-1")
    foreign(writer).add(arrow([memory("m9")]))

    assert Found(version) == writer.find_commit("rid-1", 2)
    assert Absent(version + 1) == writer.find_commit("rid-1", version)
    assert Absent(2) == writer.find_commit("rid-1", 1, 2)
    assert Absent(version + 1) == writer.find_commit("rid", 2)


def test_find_commit_in_cleaned_history_is_unreadable(table: Table) -> None:
    """Where a version of the range is gone nobody knows."""
    writer = table([memory(i) for i in IDS])
    writer.commit(full(writer, ["m1"], status="archived"), 2, "rid-1")
    foreign(writer).update(where="id = 'm2'", values={"content": "x"})
    foreign(writer).optimize(cleanup_older_than=timedelta(0), delete_unverified=True)

    assert isinstance(writer.find_commit("rid-1", 2), Unreadable)


# --- exceptions -------------------------------------------------------------------------------


def test_missing_folder(tmp_path: Path) -> None:
    """A folder that is not there is named, and not made."""
    with pytest.raises(TableNotFound) as caught:
        Reader(str(tmp_path / "none"), "memories", Mapping.identity())

    assert four_parts(caught.value)
    assert not (tmp_path / "none").exists()
    assert not table_exists(str(tmp_path / "none"), "memories")
    assert not (tmp_path / "none").exists()


def test_missing_table(table: Table) -> None:
    """A table that is not there is named; a torn or wrong one is another error."""
    writer = table([memory("m1")])

    with pytest.raises(TableNotFound) as caught:
        Reader(writer.uri, "other", Mapping.identity())

    assert four_parts(caught.value)
    assert "other" in str(caught.value)


def test_torn_manifest(table: Table) -> None:
    """A newest manifest that was cut short is damage to the table's files, not a missing table."""
    writer = table([memory("m1")])
    newest = min((folder(writer) / "_versions").glob("*.manifest"))
    newest.write_bytes(newest.read_bytes()[:40])

    with pytest.raises(TableCorrupt) as caught:
        Reader(writer.uri, writer.table_name, Mapping.identity())

    assert four_parts(caught.value)


@pytest.mark.parametrize("damage", ["truncated", "removed"])
def test_damaged_data_file(table: Table, damage: str) -> None:
    """A data file that is cut short or gone is damage to the table's files."""
    writer = table([memory(i) for i in IDS])
    [data] = (folder(writer) / "data").glob("*.lance")
    if damage == "truncated":
        data.write_bytes(data.read_bytes()[:64])
    else:
        data.unlink()
    reader = Reader(writer.uri, writer.table_name, Mapping.identity())

    with pytest.raises(TableCorrupt) as caught:
        list(reader.scan())

    assert four_parts(caught.value)


def test_damaged_data_file_stops_the_writer_too(table: Table) -> None:
    """The executor's read of a damaged file is the same named error."""
    writer = table([memory(i) for i in IDS])
    [data] = (folder(writer) / "data").glob("*.lance")
    data.write_bytes(data.read_bytes()[:64])

    with pytest.raises(TableCorrupt):
        writer.read_rows(["m1"])


def test_wrong_column_in_the_mapping(table: Table) -> None:
    """A mapping that names a column the table lacks is refused with every such field."""
    writer = table([memory("m1")])

    with pytest.raises(SchemaMismatch) as caught:
        Reader(writer.uri, writer.table_name, Mapping.of({"content": "text", "scope": "who"}, ()))

    assert four_parts(caught.value)
    assert "no column 'text'" in str(caught.value)
    assert "no column 'who'" in str(caught.value)


def test_wrong_column_in_a_filter(table: Table) -> None:
    """A filter on a column that is not there is a named error."""
    writer = table([memory("m1")])

    with pytest.raises(SchemaMismatch) as caught:
        list(writer.batches(["id"], where="`nothing` = 'x'"))

    assert four_parts(caught.value)


def test_version_that_is_gone(table: Table) -> None:
    """A version that was cleaned up is a named error."""
    writer = table([memory("m1")])

    with pytest.raises(VersionUnreadable) as caught:
        writer.clone(Path(writer.uri) / "clone", 77)

    assert "77" in str(caught.value)


def test_create_table_twice(table: Table) -> None:
    """A table that is there is never replaced."""
    writer = table([memory("m1")])

    with pytest.raises(TableExists) as caught:
        create_table(writer.uri, writer.table_name, 4)

    assert four_parts(caught.value)
    assert 1 == writer.count()


# --- the ledger's name, clones, vectors, fsync ------------------------------------------------


def test_ledger_binding(table: Table) -> None:
    """A table is bound to no ledger until it is bound, and stays so through its owner's writes."""
    writer = table([memory("m1")])
    assert writer.ledger_id() is None

    writer.bind_ledger("ledger-1", None)
    foreign(writer).add(arrow([memory("m2")]))
    foreign(writer).optimize()

    assert "ledger-1" == writer.ledger_id()
    assert {"m1", "m2"} == {m.id for m in Reader(writer.uri, writer.table_name, writer.mapping).scan()}
    assert "ledger-1" == lance.dataset(str(folder(writer))).config()[LEDGER]


@pytest.mark.parametrize(("other", "outcome"), [("ledger-1", "bound"), ("ledger-2", "refused")])
def test_two_that_bind_at_once(table: Table, monkeypatch: pytest.MonkeyPatch, other: str, outcome: str) -> None:
    """Whoever binds second finds its own ledger named, or is refused; no commit in between is taken for damage."""
    writer = table([memory("m1")])
    stale = lance.dataset(str(folder(writer)))
    lance.dataset(str(folder(writer))).update_config({LEDGER: other})
    opened = iter([stale])
    real = dataset
    monkeypatch.setattr("mendory.lance.writer.dataset", lambda *a: next(opened, None) or real(*a))

    if outcome == "bound":
        writer.bind_ledger("ledger-1", None)
    else:
        with pytest.raises(LedgerMismatch) as caught:
            writer.bind_ledger("ledger-1", None)
        assert four_parts(caught.value)

    assert other == lance.dataset(str(folder(writer))).config()[LEDGER]


def test_a_binding_that_others_always_overtake_is_given_up(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """After five tries it is said that nothing was bound; what another wrote meanwhile stands."""
    writer = table([memory("m1")])
    real, opened = dataset, []

    def overtaken(*at: Any) -> Any:
        stale = real(*at)
        lance.dataset(str(folder(writer))).update_config({LEDGER: f"theirs-{len(opened)}"})
        lance.dataset(str(folder(writer))).delete_config_keys([LEDGER])
        opened.append(stale)
        return stale

    monkeypatch.setattr("mendory.lance.writer.dataset", overtaken)
    with pytest.raises(CommitConflict) as caught:
        writer.bind_ledger("ledger-1", None)

    assert four_parts(caught.value)
    assert 5 == len(opened)
    assert None is lance.dataset(str(folder(writer))).config().get(LEDGER)


@pytest.mark.parametrize("act", ["config", "rows"])
def test_what_cannot_stand_beside_anothers_commit_is_a_conflict(table: Table, act: str) -> None:
    """A write that another one overtook is tried again, whatever words the library has for it."""
    writer = table([memory("m1"), memory("m2")])
    stale = lance.dataset(str(folder(writer)))
    if act == "config":
        lance.dataset(str(folder(writer))).update_config({"key": "theirs"})
    else:
        lance.write_dataset(arrow([memory("m3")]), str(folder(writer)), mode="overwrite")

    write = {"config": lambda: stale.update_config({"key": "ours"}), "rows": lambda: stale.delete("id = 'm1'")}[act]

    with pytest.raises(CommitConflict), ours("Writing"):
        write()


def test_clone_leaves_the_original_alone(table: Table, tmp_path: Path) -> None:
    """What is written to a clone is in the clone; no byte of the table changes."""
    writer = table([memory(i) for i in IDS])
    before = {p: p.read_bytes() for p in folder(writer).rglob("*") if p.is_file()}

    clone = writer.clone(tmp_path / "clone", writer.version)
    version = clone.commit(full(clone, ["m1"], status="archived"), clone.latest(), "rid-1")
    clone.sync(version)
    clone.refresh()

    assert "archived" == clone.fetch(["m1"])["m1"].status
    assert 4 == clone.count()
    assert {"m1"} == clone.changes_at(version).ids
    assert before == {p: p.read_bytes() for p in folder(writer).rglob("*") if p.is_file()}


def test_clone_is_of_the_version_asked_for(table: Table, tmp_path: Path) -> None:
    """A clone of an earlier version holds that version's rows."""
    writer = table([memory("m1", content="old")])
    foreign(writer).update(where="id = 'm1'", values={"content": "new"})

    clone = writer.clone(tmp_path / "clone", 2)

    assert "old" == clone.fetch(["m1"])["m1"].content


def test_strange_vectors_survive_a_repair_bit_for_bit(table: Table) -> None:
    """NaN (its payload too), infinities, -0.0, a denormal, inner nulls, null and zero vectors are as they were."""
    payload = np.frombuffer(np.uint32(0x7FC01234).tobytes(), "<f4")[0]
    vectors = [
        [math.nan, 1.0, 2.0, 3.0],
        [math.inf, -math.inf, 0.0, -0.0],
        [1e-45, 1.0, 0.1, 3.4e38],
        [None, 1.0, None, 2.0],
        None,
        [0.0, 0.0, 0.0, 0.0],
    ]
    rows = arrow([memory(f"v{n}", embedding=v) for n, v in enumerate(vectors)])
    flat = np.array([payload, 1, 2, 3], "<f4")
    odd = arrow([memory("v9")]).set_column(2, rows.schema.field(2), pa.FixedSizeListArray.from_arrays(flat, 4))
    writer = table()
    writer.append(pa.concat_tables([rows, odd]))
    ids = [*(f"v{n}" for n in range(len(vectors))), "v9"]

    def cells() -> dict[str, str]:
        held = writer.read_rows(ids).table
        return dict(zip(held["id"].to_pylist(), digest.row_digests(held.select(["embedding"])), strict=True))

    before = cells()
    assert len(set(before.values())) == len(ids)
    writer.commit(full(writer, ids, status="archived"), writer.latest(), "rid-1")

    assert before == cells()
    writer.refresh()
    assert {"archived"} == {m.status for m in writer.scan()}
    by_reader = writer.rows(ids)
    names, found = by_reader["id"].to_pylist(), digest.row_digests(by_reader.select(["embedding"]))
    assert before == dict(zip(names, found, strict=True))


def _fsynced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths given to os.fsync from now on."""
    paths: list[str] = []
    real = os.fsync

    def noted(handle: int) -> None:
        paths.append(os.readlink(f"/proc/self/fd/{handle}"))
        real(handle)

    monkeypatch.setattr(os, "fsync", noted)
    return paths


def test_sync_flushes_every_new_file_and_its_folder(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """All files that a commit added, and the folders that name them, are flushed; older files are not."""
    writer = table([memory(i) for i in IDS])
    root = folder(writer)
    old = {p for p in root.rglob("*") if p.is_file()}
    version = writer.commit(full(writer, ["m1"], status="archived"), writer.latest(), "rid-1")
    new = {p for p in root.rglob("*") if p.is_file()} - old
    paths = _fsynced(monkeypatch)

    writer.sync(version)

    flushed = set(map(Path, paths))
    assert {"data", "_deletions", "_transactions", "_versions"} == {p.parent.name for p in new}
    assert set() == new - flushed
    assert {p.parent for p in new} | {root} == {p for p in flushed if p.is_dir()}
    assert set() == flushed & old


def test_append_is_on_disk_when_it_returns(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """An import's rows are flushed before it says they are there."""
    writer = table()
    root = folder(writer)
    old = {p for p in root.rglob("*") if p.is_file()}
    paths = _fsynced(monkeypatch)

    writer.append(arrow([memory("m1")]))

    assert set() == {p for p in root.rglob("*") if p.is_file()} - old - set(map(Path, paths))


def test_binding_is_on_disk_when_it_returns(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger's name in the table is flushed before anything is applied."""
    writer = table([memory("m1")])
    old = {p for p in folder(writer).rglob("*") if p.is_file()}
    paths = _fsynced(monkeypatch)

    writer.bind_ledger("ledger-1", None)

    assert set() == {p for p in folder(writer).rglob("*") if p.is_file()} - old - set(map(Path, paths))


def test_sync_of_files_that_were_cleaned_up_meanwhile(table: Table) -> None:
    """Files that their owner removed meanwhile need no flushing, and stop nothing."""
    writer = table([memory(i) for i in IDS])
    version = writer.commit(full(writer, ["m1"], status="archived"), writer.latest(), "rid-1")
    foreign(writer).optimize(cleanup_older_than=timedelta(0), delete_unverified=True)

    writer.sync(version)

    assert "archived" == Reader(writer.uri, writer.table_name, writer.mapping).fetch(["m1"])["m1"].status


def test_times_survive_a_round_trip(table: Table) -> None:
    """Times are read as they were written, in UTC."""
    writer = table([memory("m1", created_at="2025-03-01T20:00:00.123456+08:00")])

    assert NOON.replace(microsecond=123456) == writer.fetch(["m1"])["m1"].created_at


def test_sparse_vectors_are_not_taken_for_one(tmp_path: Path) -> None:
    """Texts under vectors that differ in a component nobody sampled are no finding; under one vector they are."""
    create_table(str(tmp_path), "memories", 384)

    def one_hot(at: int) -> list[float]:
        return [float(n == at) for n in range(384)]

    rows = [memory(f"s{n}", content=f"记忆 {n}", embedding=one_hot(n + 60)) for n in range(40)]
    rows += [memory(f"o{n}", content=f"Memory {n}", embedding=one_hot(7)) for n in range(25)]
    owner = lancedb.connect(str(tmp_path)).open_table("memories")
    owner.add(to_table(rows, arrow_schema(384)))
    reader = Reader(str(tmp_path), "memories", Mapping.identity())

    found = examine(reader.scan(), reader.fetch, Settings()).findings

    assert [("embedding_suspicious", 25)] == [(f.code.value, len(f.ids)) for f in found]
