"""The end of a move: its index and thresholds before the switch, retiring the old space, and the purge of a column."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import lance
import lancedb
import pytest
from lance.file import LanceFileReader

from mendory.clinic import Clinic
from mendory.config import Config
from mendory.digest import row_digests
from mendory.errors import MigrationRefused, TableCorrupt
from mendory.lance import dropping, indexing, merging
from mendory.ledger import Ledger
from mendory.ledger.moves import Move
from mendory.migration.stages import Stage
from mendory.preparing import prepare, thresholds_missing
from mendory.retiring import purge, retire
from mendory.thresholds import Origin, Threshold
from tests.conftest import FakeClock
from tests.moving_kit import COLUMN, filling, looked, on_its_way, rows_of

TEXTS = {f"m{n}": f"Likes tea number {n}" for n in range(300)} | {f"z{n}": f"喜欢第{n}种茶" for n in range(300)}
DAYS = timedelta(days=7)


def clinic_of(config: Config, days: float = 0) -> Clinic:
    """The clinic as another process opens it, so many days later."""
    clock = FakeClock()
    clock.move(days=days)
    return Clinic(config, clock)


def table_of(config: Config) -> Any:
    """The table as another program opens it."""
    return lancedb.connect(config.table_uri).open_table("memories")


def dataset_of(config: Config) -> Any:
    """The same as Lance sees it."""
    return lance.dataset(f"{config.table_uri}/memories.lance")


def values(config: Config, *dropped: str) -> dict[str, str]:
    """Id → digest of all else that the row holds, bit for bit."""
    rows = table_of(config).to_arrow()
    rows = rows.drop_columns([c for c in dropped if c in rows.column_names])
    return dict(zip(rows.column("id").to_pylist(), row_digests(rows), strict=True))


def columns_in_files(config: Config) -> set[str]:
    """Every column that a data file of the table's folder holds, live or not, as each file's own head says."""
    files = (Path(config.table_uri) / "memories.lance" / "data").glob("*.lance")
    return {name for path in files for name in LanceFileReader(str(path)).metadata().schema.names}


def moved(folder: Path, stage: Stage, texts: Mapping[str, str] = TEXTS) -> tuple[Config, Move]:
    """A table all of whose rows have both vectors, whose move is in the stage."""
    config, move = on_its_way(folder, rows_of(texts), Stage.FILLING)
    filling(config).run()
    ledger = Ledger.open(config.ledger_url, FakeClock())
    order = (Stage.GATING, Stage.APPROVED, Stage.CANARY, Stage.SWITCHED, Stage.SOAKING)
    for passed in order[: order.index(stage) + 1 if stage in order else 0]:
        move = ledger.moves.to(move.id, passed, "ann")
    ledger.close()
    return config, move


def retired(folder: Path) -> tuple[Config, Move]:
    """A move whose old space is retired."""
    config, _ = moved(folder, Stage.SOAKING)
    return config, retire(looked(clinic_of(config, 8)), "ann")


# --- before the switch ------------------------------------------------------------------------


def test_an_index_like_the_old_one_is_built_and_brought_up(tmp_path: Path) -> None:
    """Type, metric and partitions are the old one's; rows written since are known to both; asked again nothing."""
    config, move = moved(tmp_path, Stage.FILLING)
    dataset_of(config).create_index("embedding", "IVF_FLAT", "embedding_idx", metric="dot", num_partitions=3)
    first = prepare(clinic_of(config))
    row = dataset_of(config).to_table(limit=1)
    dataset_of(config).merge_insert("id").when_matched_update_all().execute(row)
    version = dataset_of(config).version
    again = prepare(clinic_of(config))
    idle = prepare(clinic_of(config))

    assert first.index is not None
    assert ("IVF_FLAT", "dot", 3, 8) == (
        first.index.kind,
        first.index.metric,
        first.index.partitions,
        first.index.dimension,
    )
    assert (600, 0) == (first.index.indexed, first.index.unindexed)
    assert (2, 0) == (again.learnt, idle.learnt)
    assert version + 2 == dataset_of(config).version
    assert move.column == first.index.column


def test_a_table_without_an_index_needs_none(tmp_path: Path) -> None:
    """The old column is searched row by row, and so is the new one."""
    config, _ = moved(tmp_path, Stage.FILLING)
    version = dataset_of(config).version
    found = prepare(clinic_of(config))

    assert (None, None, 0) == (found.index, found.old, found.learnt)
    assert version == dataset_of(config).version


def test_thresholds_of_the_old_space_are_asked_for_in_the_new_one(tmp_path: Path) -> None:
    """A language counts once it is calibrated in the new space; one that never was in the old is not asked for."""
    config, move = moved(tmp_path, Stage.FILLING)
    clinic = clinic_of(config)
    before = thresholds_missing(clinic, move)
    for space, language in (("old", "en"), ("old", "zh"), ("new", "en"), ("new", "de")):
        clinic.ledger.thresholds.keep(Threshold(space, language, 0.9, Origin.CALIBRATED, 0.9), "ann")

    assert () == before
    assert ("zh",) == thresholds_missing(clinic, move)


# --- retiring ---------------------------------------------------------------------------------


def test_a_space_is_retired_after_its_days_and_its_column_stays(tmp_path: Path) -> None:
    """On the sixth day it is refused with what is left, on the eighth it is done, and no vector is gone."""
    config, _ = moved(tmp_path, Stage.SOAKING)
    before = values(config)
    with pytest.raises(MigrationRefused, match=r"has 1\.0 of its 7 days to go"):
        retire(clinic_of(config, 6), "ann")
    move = retire(looked(clinic_of(config, 7.1)), "ann")

    assert (Stage.RETIRED, "ann") == (move.stage, move.passed[-1].by)
    assert before == values(config)


@pytest.mark.parametrize(
    ("alarm", "said"),
    [("found_less", "searches find less than at the gate"), ("vectors_differ", "vectors that are not of their text")],
)
def test_an_alarm_keeps_the_old_space(tmp_path: Path, alarm: str, said: str) -> None:
    """Each by its own words, until a later look finds nothing any more."""
    config, _ = moved(tmp_path, Stage.SOAKING)
    clinic = looked(clinic_of(config, 9), alarm)
    with pytest.raises(MigrationRefused, match=f"raised an alarm: .*{said}"):
        retire(clinic, "ann")

    assert Stage.RETIRED is retire(looked(clinic), "ann").stage


def test_a_space_that_nobody_looked_at_is_not_retired(tmp_path: Path) -> None:
    """Never, or not for two days: both are said apart, with the command that looks, and nothing is changed."""
    config, _ = moved(tmp_path, Stage.SOAKING)
    with pytest.raises(MigrationRefused, match=r"Nobody has looked .* mendory migrate switch --as NAME"):
        retire(clinic_of(config, 8), "ann")
    looked(clinic_of(config, 8))
    with pytest.raises(MigrationRefused, match=r"is 2\.1 days old.* mendory migrate switch --as NAME"):
        retire(clinic_of(config, 10.1), "ann")
    assert Stage.SOAKING is clinic_of(config).ledger.moves.all()[-1].stage

    assert Stage.RETIRED is retire(clinic_of(config, 9.9), "ann").stage


@pytest.mark.parametrize("stage", [Stage.FILLING, Stage.CANARY, Stage.SWITCHED])
def test_only_a_soaking_space_is_retired(tmp_path: Path, stage: Stage) -> None:
    """Before that the refusal says what comes next."""
    config, _ = on_its_way(tmp_path, rows_of({"m1": "Likes tea"}), stage)
    with pytest.raises(MigrationRefused, match="Next:"):
        retire(clinic_of(config, 30), "ann")


# --- purging ----------------------------------------------------------------------------------


def test_a_purge_frees_the_bytes_and_changes_no_other_value(tmp_path: Path) -> None:
    """The column is gone from the schema and from every data file, the rest bit for bit what it was, and on record."""
    config, move = retired(tmp_path)
    table_of(config).delete("id = 'm7'")
    before = values(config, "embedding")
    done = purge(clinic_of(config, 9), move.id[:8], "bea")
    ledger = Ledger.open(config.ledger_url)
    [held] = ledger.moves.all()

    assert before == values(config)
    assert "embedding" not in dataset_of(config).schema.names
    assert "embedding" not in columns_in_files(config)
    assert (599, "embedding") == (done.rows, done.column)
    assert done.bytes_before is not None
    assert done.bytes_after is not None
    assert done.bytes_after < done.bytes_before - 599 * 4 * 4
    assert (Stage.RETIRED, "bea", "embedding") == (held.stage, held.passed[-1].by, held.passed[-1].told["purged"])
    assert ledger.verify() > 0


def test_a_purge_after_the_way_back_takes_the_new_column(tmp_path: Path) -> None:
    """A move that was taken back leaves its column, which the same act purges; the old vectors stay."""
    config, move = moved(tmp_path, Stage.SOAKING)
    Ledger.open(config.ledger_url).moves.to(move.id, Stage.ROLLED_BACK, "ann")
    before = values(config, COLUMN)
    purge(clinic_of(config), move.id[:8], "bea")

    assert before == values(config)
    assert COLUMN not in columns_in_files(config)


def test_a_table_in_one_fragment_is_purged_too(tmp_path: Path) -> None:
    """Lance's own compaction leaves such a table as it is; the index of the other column knows every row after."""
    config, move = retired(tmp_path)
    dataset_of(config).optimize.compact_files()
    ds = dataset_of(config)
    ds.create_index(COLUMN, "IVF_FLAT", "new_idx", metric="cosine", num_partitions=2)
    query = table_of(config).search().where("id = 'z9'").to_list()[0][COLUMN]
    purge(clinic_of(config, 9), move.id[:8], "bea")
    index = indexing.index_of(config.table_uri, "memories", COLUMN)
    found = table_of(config).search(query, vector_column_name=COLUMN).distance_type("cosine").limit(1).to_list()

    assert 1 == len(ds.get_fragments())
    assert "embedding" not in columns_in_files(config)
    assert index is not None
    assert (600, 0) == (index.indexed, index.unindexed)
    assert ["z9"] == [row["id"] for row in found]


def test_a_purge_is_refused_while_the_column_may_be_needed(tmp_path: Path) -> None:
    """In use, of an unknown code, or while somebody keeps versions by a tag: named, and nothing is changed."""
    config, move = moved(tmp_path, Stage.SOAKING)
    with pytest.raises(MigrationRefused, match="both its columns are in use"):
        purge(clinic_of(config), move.id[:8], "bea")
    retire(looked(clinic_of(config, 8)), "ann")
    for code in ("", move.id[:4], "ffffffff"):
        with pytest.raises(MigrationRefused, match="is the code of"):
            purge(clinic_of(config), code, "bea")
    dataset_of(config).tags.create("audit-2025", 2)
    with pytest.raises(MigrationRefused, match="audit-2025"):
        purge(clinic_of(config), move.id[:8], "bea")
    assert "embedding" in dataset_of(config).schema.names
    assert {"audit-2025"} == set(dataset_of(config).tags.list())
    dataset_of(config).tags.delete("audit-2025")
    purge(clinic_of(config, 9), move.id[:8], "bea")

    assert "embedding" not in dataset_of(config).schema.names


def test_the_column_of_a_move_begun_anew_is_not_purged(tmp_path: Path) -> None:
    """A move taken back and begun again uses the same column."""
    config, move = moved(tmp_path, Stage.SOAKING)
    ledger = Ledger.open(config.ledger_url)
    back = ledger.moves.to(move.id, Stage.ROLLED_BACK, "ann")
    new = next(space for space in ledger.spaces.all() if space.id == move.new)
    ledger.spaces.move(new.id, type(new.state).FILLING)
    ledger.moves.begin(move.old, move.new, COLUMN, "ann")
    with pytest.raises(MigrationRefused, match="of a space in use"):
        purge(clinic_of(config), back.id[:8], "bea")

    assert COLUMN in dataset_of(config).schema.names


@pytest.mark.parametrize("at", ["drop", "rewrite", "merge_small", "clean"])
@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_a_purge_that_was_killed_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str, before: bool
) -> None:
    """Wherever it fell: called again it ends with the column gone, all rows as they were and the first sizes kept."""
    config, move = retired(tmp_path)
    rows = values(config, "embedding")
    module = merging if at == "merge_small" else dropping
    real = getattr(module, at)

    def killed(*args: Any) -> Any:
        if not before:
            real(*args)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(module, at, killed)
        with pytest.raises(KeyboardInterrupt):
            purge(clinic_of(config, 9), move.id[:8], "bea")
    begun = Ledger.open(config.ledger_url).moves.all()[0].passed[-1].told
    done = purge(clinic_of(config, 9), move.id[:8], "bea")
    again = purge(clinic_of(config, 9), move.id[:8], "carl")

    assert rows == values(config)
    assert "embedding" not in columns_in_files(config)
    assert (begun["bytes"], 600) == (done.bytes_before, done.rows)
    assert done.as_json() == again.as_json()


def test_a_row_that_changed_with_the_files_is_told_and_the_versions_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proof compares every row around each commit; where one differs nothing is cleaned away."""
    config, move = retired(tmp_path)
    real, calls = dropping.row_digests, []

    def other(table: Any, *more: Any) -> list[str]:
        calls.append(table)
        return [f"{int(d, 16) ^ len(calls):064x}" for d in real(table, *more)]

    monkeypatch.setattr(dropping, "row_digests", other)
    with pytest.raises(TableCorrupt, match="No earlier version was removed"):
        purge(clinic_of(config, 9), move.id[:8], "bea")

    assert len(dataset_of(config).versions()) > 2
