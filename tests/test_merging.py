"""Small fragments become one while a space is filled, and nothing else of the table is touched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mendory import filling, migrating
from mendory.clinic import Clinic
from mendory.lance import Writer, merging
from mendory.lance.border import dataset
from mendory.mapping import Mapping
from tests.conftest import FakeClock, arrow, make_table, memory
from tests.moving_kit import new_model, on_its_way
from tests.moving_kit import rows_of as written

LARGE = 200
BELOW = 100


def fragments(folder: Path) -> list[tuple[int, int]]:
    """Rows that each fragment holds, and how many of them are deleted."""
    held = dataset(str(folder), "memories").get_fragments()
    return [(f.metadata.physical_rows, f.num_deletions) for f in held]


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """Every row, whatever the order."""
    return sorted(dataset(str(folder), "memories").to_table().to_pylist(), key=lambda row: row["id"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A large fragment with a third of its rows deleted, and forty of one row, in both languages."""
    make_table(tmp_path, [memory(f"big{n}") for n in range(LARGE)])
    writer = Writer(str(tmp_path), "memories", Mapping.identity())
    dataset(str(tmp_path), "memories").delete(
        " OR ".join(f"id = 'big{n}'" for n in range(0, LARGE, 3)),
    )
    for n in range(40):
        text = f"Guest {n} drinks tea" if n % 2 else f"客人{n}喝茶"
        writer.append(arrow([memory(f"small{n}", content=text)]))
    return tmp_path


def test_small_fragments_are_one_and_a_large_one_is_left(folder: Path) -> None:
    """Forty fragments of a row each become one; the large one keeps its file, deleted rows and all."""
    before, rows = fragments(folder), rows_of(folder)
    went = merging.merge_small(str(folder), "memories", BELOW, many=32)

    assert (41, 40) == (len(before), went)
    assert [before[0], (40, 0)] == fragments(folder)
    assert rows == rows_of(folder)


def test_few_small_fragments_are_not_worth_a_commit(folder: Path) -> None:
    """Below `many` the table is at the version it was at."""
    version = dataset(str(folder), "memories").version

    assert 0 == merging.merge_small(str(folder), "memories", BELOW, many=41)
    assert version == dataset(str(folder), "memories").version


def test_without_a_bound_everything_is_merged(folder: Path) -> None:
    """As after a purge: one fragment, without deleted rows."""
    rows = rows_of(folder)
    merging.merge_small(str(folder), "memories")

    assert [(len(rows), 0)] == fragments(folder)
    assert rows == rows_of(folder)


def test_who_writes_them_meanwhile_has_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that changes after the fragments were read keeps its text; what is not merged is so the next time."""
    stands = dataset(str(folder), "memories")
    stands.update({"content": "'换成了咖啡'"}, where="id = 'small7'")
    rows = rows_of(folder)
    late = dataset(str(folder), "memories", stands.version - 1)
    with monkeypatch.context() as patched:
        patched.setattr(merging, "dataset", lambda *_: late)
        assert 0 == merging.merge_small(str(folder), "memories", BELOW, many=32)

    assert rows == rows_of(folder)
    assert merging.merge_small(str(folder), "memories", BELOW, many=32) > 0
    assert rows == rows_of(folder)
    assert "换成了咖啡" in {row["content"] for row in rows}


def test_a_filling_leaves_few_fragments_however_many_commits_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eighty rows in both languages, a commit each: fewer fragments are left than the number that is merged."""
    texts = {f"m{n}": f"Likes tea number {n}" for n in range(40)} | {f"z{n}": f"喜欢第{n}种茶" for n in range(40)}
    config, _ = on_its_way(tmp_path, written(texts))
    monkeypatch.setattr(filling, "FEWEST", 1)
    monkeypatch.setattr(filling, "MOST", 1)
    done = migrating.fill(Clinic(config, clock=FakeClock()), models=lambda *_: new_model(), size=1)
    left = len(dataset(config.table_uri, "memories").get_fragments())

    assert (80, 0) == (done.rows, done.waiting)
    assert left < merging.MANY
