"""The vectors of a real table: read once, of one length, and near ones found in a whole table and around a few rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
import pytest

from mendory.clinic import Clinic
from mendory.detect.neighbours import Observed
from mendory.lance import Reader
from mendory.mapping import Mapping
from mendory.neighbours import TableNeighbours
from mendory.record import FIELD_NAMES
from mendory.thresholds import Origin
from mendory.vectors import grid
from tests.conftest import DIMENSION, make_table, memory

USE = "universal-sentence-encoder-multilingual"
A, B, C, D = ([1.0, 0, 0, 0], [0.99, 0.1, 0, 0], [0, 1.0, 0, 0], [0, 0.98, 0.1, 0])


def rows_of(vectors: dict[str, list[float] | None], **fields: Any) -> list[dict[str, Any]]:
    """A healthy row for each vector."""
    return [memory(name, embedding=vector, **fields) for name, vector in vectors.items()]


def opened(folder: Path, rows: Iterable[dict[str, Any]], space: str | None = USE, **more: Any) -> TableNeighbours:
    """The vectors of a real table with these rows."""
    make_table(folder, rows)
    reader = Reader(str(folder), "memories", Mapping.identity())
    return TableNeighbours(reader, space, more.get("calibrated", ()), more.get("stale", ()))


def observed(folder: Path) -> Observed:
    """All rows of the table as a detector notes them."""
    seen = Observed()
    for one in Reader(str(folder), "memories", Mapping.identity()).scan():
        seen.add(one)
    return seen


def names(seen: Observed, neighbours: TableNeighbours, floor: float = 0.9) -> set[tuple[str, str]]:
    """The near pairs by id."""
    pairs = neighbours.near(seen, floor)
    return {(seen.ids[i], seen.ids[j]) for i, j in zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)}


@pytest.mark.lance
@pytest.mark.parametrize("texts", [("Likes TEA", "likes tea"), ("喜欢喝茶！", "喜歡喝茶！")])
def test_a_table_without_a_place_for_vectors(tmp_path: Path, texts: tuple[str, str]) -> None:
    """Though a model is configured: folded texts alone join rows, and nothing is near by a vector."""
    rows = pa.table({"id": ["0", "1"], "content": list(texts), "scope": ["u1", "u1"]})
    lancedb.connect(str(tmp_path)).create_table("memories", rows)
    reader = Reader(
        str(tmp_path), "memories", Mapping.of({}, [n for n in FIELD_NAMES if n not in ("id", "content", "scope")])
    )
    neighbours = TableNeighbours(reader, USE, (), ())
    seen = Observed()
    for one in reader.scan():
        seen.add(one)

    assert {("0", "1")} == names(seen, neighbours)
    assert set() == neighbours.alike({"0", "1"}, 0.5)


@pytest.mark.lance
def test_near_rows_of_one_scope_are_pairs(tmp_path: Path) -> None:
    """Rows of another scope are no partners, however near; a row without a vector has none."""
    rows = [*rows_of({"a": A, "b": B, "c": C, "none": None}), *rows_of({"other": A}, scope="u2")]
    neighbours = opened(tmp_path, rows)

    assert {("a", "b")} == names(observed(tmp_path), neighbours)


@pytest.mark.lance
def test_a_stale_vector_counts_as_none(tmp_path: Path) -> None:
    """The vector of an earlier text says nothing of the text of today."""
    neighbours = opened(tmp_path, rows_of({"a": A, "b": B}), stale={"b"})

    assert set() == names(observed(tmp_path), neighbours)


@pytest.mark.lance
@pytest.mark.parametrize("texts", [("Likes TEA", "likes tea"), ("喜欢喝茶！", "喜歡喝茶！")])
def test_one_folded_text_is_a_pair_without_vectors(tmp_path: Path, texts: tuple[str, str]) -> None:
    """Letter case, width and traditional characters are folded, for proposing."""
    rows = [memory(str(at), content=text, embedding=None) for at, text in enumerate(texts)]

    assert {("0", "1")} == names(observed_of(tmp_path, rows), opened(tmp_path / "t", rows))


def observed_of(folder: Path, rows: list[dict[str, Any]]) -> Observed:
    """These rows as a detector notes them, by way of a table."""
    make_table(folder, rows)
    return observed(folder)


@pytest.mark.lance
def test_asked_again_about_fewer_rows_it_gives_their_pairs(tmp_path: Path) -> None:
    """What is imagined away leaves the other pairs as they were; a row it has not seen is looked up anew."""
    neighbours = opened(tmp_path, rows_of({"a": A, "b": B, "c": C, "d": D}))
    every = observed(tmp_path)
    assert {("a", "b"), ("c", "d")} == names(every, neighbours)

    fewer = Observed()
    for one in Reader(str(tmp_path), "memories", Mapping.identity()).scan():
        if one.id != "a":
            fewer.add(one)

    assert {("c", "d")} == names(fewer, neighbours)
    assert {("a", "b"), ("c", "d")} == names(every, neighbours)


@pytest.mark.lance
def test_around_a_few_rows(tmp_path: Path) -> None:
    """A row that is like another is told with it; one that is like no other is not told at all."""
    neighbours = opened(tmp_path, rows_of({"a": A, "b": B, "c": C, "e": [0, 0, 0, 1.0]}))

    assert {"a", "b"} == neighbours.alike({"a"}, 0.9)
    assert set() == neighbours.alike({"e", "not there"}, 0.9)


@pytest.mark.lance
def test_what_a_row_was_alike_to_before(tmp_path: Path) -> None:
    """A row that is gone, or that lies elsewhere now, leaves those that it was alike to; one in another scope none."""
    make_table(tmp_path, rows_of({"a": A, "b": B, "c": C, "d": D, "e": [0, 0, 0, 1.0]}))
    reader = Reader(str(tmp_path), "memories", Mapping.identity())
    before = reader.version
    table = lancedb.connect(str(tmp_path)).open_table("memories")
    table.delete("id = 'a'")
    table.update(where="id = 'c'", values={"scope": "elsewhere"})
    reader.refresh()
    neighbours = TableNeighbours(reader, USE, (), ())

    assert {"b"} == neighbours.were_alike({"a"}, before, 0.9)
    assert {"d"} == neighbours.were_alike({"c"}, before, 0.9)
    assert set() == neighbours.were_alike({"e"}, before, 0.9) - {"e"}
    assert set() == neighbours.were_alike({"a"}, reader.version, 0.9)


@pytest.mark.lance
def test_of_an_unknown_space_a_small_table_tells_nothing(tmp_path: Path) -> None:
    """Without a space, and with too few rows to guess from, there is no bound: nothing is found, and that is said."""
    neighbours = opened(tmp_path, rows_of({"a": A, "b": B}), space=None)

    assert [None, None, None] == [neighbours.threshold("en"), neighbours.threshold("zh"), neighbours.floor()]


@pytest.mark.lance
def test_of_an_unknown_space_a_larger_table_gives_a_provisional_bound(tmp_path: Path) -> None:
    """Its own random pairs tell what chance is."""
    rng = np.random.default_rng(0)
    vectors = {f"m{n}": rng.standard_normal(DIMENSION).tolist() for n in range(60)}
    neighbours = opened(tmp_path, rows_of(vectors), space=None)

    assert [Origin.PROVISIONAL] * 2 == [neighbours.threshold(code).origin for code in ("en", "zh")]  # type: ignore[union-attr]


@pytest.mark.lance
def test_a_check_says_when_it_knows_no_bound(clinic: Callable[..., Clinic]) -> None:
    """One line that stands down, no finding."""
    checked = clinic(rows_of({"a": A, "b": B})).check()

    [why] = [why for what, why in checked.examination.stands_down if what == "near duplicates"]
    assert why == "no bound is known for the space of the vectors: mendory calibrate"


def test_vectors_become_rows_of_length_one() -> None:
    """Nulls, zeros, what is not finite and another dimension are not numbers; all others have length 1."""
    held: list[Any] = [[3.0, 4.0], None, [0.0, 0.0], [float("nan"), 1.0], [1.0, None], [1.0, 2.0, 3.0], [0.0, 2.0]]
    told = grid(pa.chunked_array([pa.array(part, pa.list_(pa.float32())) for part in (held[:4], held[4:])]))

    assert (7, 2) == told.shape
    assert [True, False, False, False, False, False, True] == np.isfinite(told).all(axis=1).tolist()
    assert [[0.6, 0.8], [0.0, 1.0]] == told[[0, 6]].astype(float).round(6).tolist()


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()])
def test_vectors_of_fixed_length(kind: pa.DataType) -> None:
    """Whatever floats the owner's column holds; a null in the middle keeps its place."""
    held = pa.array([[3.0, 4.0], None, [0.0, 5.0]], pa.list_(pa.float32(), 2)).cast(pa.list_(kind, 2))
    told = grid(pa.chunked_array([held]))

    assert [[0.6, 0.8], [0.0, 1.0]] == told[[0, 2]].astype(float).round(3).tolist()
    assert np.isnan(told[1]).all()


def test_no_vectors_are_no_rows() -> None:
    """An empty table has none."""
    assert (0, 0) == grid(pa.chunked_array([], pa.list_(pa.float32(), 4))).shape
