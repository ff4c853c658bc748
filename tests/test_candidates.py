"""Which pairs are proposed: all near ones inside a scope, none across scopes, at a cost bounded on any data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendory.candidates import EXACT, PARTNERS, Index, Pairs, near, near_to
from mendory.candidates.met import Met
from mendory.candidates.net import _PART, _parted
from mendory.candidates.pairs import codes
from tests.properties.stores import quick

FLOOR = 0.92
NONE = np.uint64(0)


def rng(seed: int = 0) -> np.random.Generator:
    """Randomness of its own for each test."""
    return np.random.default_rng(seed)


def directions(rows: int, width: int, seed: int = 0) -> np.ndarray:
    """Rows that are near nothing."""
    return rng(seed).standard_normal((rows, width)).astype(np.float32)


def beside(vector: np.ndarray, cosine: float, seed: int = 1) -> np.ndarray:
    """A vector of another length at that cosine."""
    unit = vector / np.linalg.norm(vector, axis=-1, keepdims=True)
    away = directions(*np.atleast_2d(vector).shape, seed).reshape(vector.shape)
    away -= (away * unit).sum(-1, keepdims=True) * unit
    away /= np.linalg.norm(away, axis=-1, keepdims=True)
    return (3 * (cosine * unit + np.sqrt(1 - cosine**2) * away)).astype(np.float32)


def ints(*values: int) -> np.ndarray:
    """Scopes, blocks or rows."""
    return np.array(values, np.int64)


def proposed(pairs: Pairs) -> set[tuple[int, int]]:
    """The pairs as a set."""
    return set(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))


def brute(vectors: np.ndarray, scopes: np.ndarray, keys: np.ndarray, floor: float) -> set[tuple[int, int]]:
    """The same by looking at every pair in double precision."""
    wide = vectors.astype(np.float64)
    length = np.sqrt((wide**2).sum(axis=1))
    known = np.isfinite(length) & (length > 0)
    unit = np.where(known[:, None], wide, 0) / np.where(known, length, 1)[:, None]
    alike = (unit @ unit.T >= floor) & known[:, None] & known
    alike |= (keys[:, None] == keys) & (keys != NONE)
    alike &= scopes[:, None] == scopes
    return set(zip(*(side.tolist() for side in np.nonzero(np.triu(alike, 1))), strict=True))


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Small tables: few directions, so that many rows are near; some without a vector, a block or a key."""
    size, width = draw(st.integers(0, 40)), draw(st.sampled_from((1, 3, 70)))
    random = rng(draw(st.integers(0, 2**32)))
    vectors = random.standard_normal((4, width))[random.integers(0, 4, size)]
    vectors = (vectors + random.normal(0, 0.3, (size, width)) * (random.random((size, 1)) < 0.7)).astype(np.float32)
    vectors *= random.choice([1e-3, 1.0, 50.0], (size, 1)).astype(np.float32)
    vectors[random.random(size) < 0.1] = random.choice([np.nan, np.inf, 0.0])
    scopes, blocks = random.integers(0, 3, size), random.integers(-1, 4, size)
    return vectors, scopes, blocks, random.integers(0, 12, size).astype(np.uint64)


@quick(80)
@given(tables(), st.sampled_from((0.5, 0.8, 0.92)), st.integers(0, 9))
def test_small_scopes_are_exact(table: Any, floor: float, seed: int) -> None:
    """Up to EXACT rows of a scope exactly the near pairs and those of equal keys are proposed, whatever the blocks."""
    vectors, scopes, blocks, keys = table
    found = proposed(near(vectors, scopes, blocks, keys, floor, rng(seed)))
    assert brute(vectors, scopes, keys, floor + 1e-5) <= found <= brute(vectors, scopes, keys, floor - 1e-5)


@quick(80)
@given(tables(), st.data())
def test_what_changed_has_the_pairs_it_has_in_the_whole(table: Any, data: Any) -> None:
    """`near_to` proposes what `near` proposes of the changed rows."""
    vectors, scopes, blocks, keys = table
    changed = data.draw(st.lists(st.integers(0, len(vectors) - 1), max_size=5) if len(vectors) else st.just([]))
    found = proposed(near_to(vectors, scopes, blocks, keys, ints(*changed), 0.9, rng()))
    most, least = (
        {pair for pair in brute(vectors, scopes, keys, floor) if {*pair} & {*changed}}
        for floor in (0.9 - 1e-5, 0.9 + 1e-5)
    )
    assert least <= found <= most


def scattered(rows: int, width: int = 96) -> tuple[np.ndarray, set[tuple[int, int]]]:
    """One large scope in which each tenth row is near the one before it, and those pairs."""
    vectors = directions(rows, width)
    copies = np.arange(9, rows, 10)
    vectors[copies] = beside(vectors[copies - 1], 0.93)
    return vectors, {(int(at) - 1, int(at)) for at in copies}


@pytest.mark.parametrize("blocks", ["none", "one", "wrong"])
def test_a_large_scope_misses_next_to_nothing(blocks: str) -> None:
    """Beyond EXACT rows nearly every pair is found: without blocks, in one block of all, in blocks that part them."""
    vectors, planted = scattered(12_000)
    rows = len(vectors)
    label = {"none": np.full(rows, -1), "one": np.zeros(rows, np.int64), "wrong": np.arange(rows) % 400}[blocks]
    pairs = near(vectors, np.zeros(rows, np.int64), label, np.zeros(rows, np.uint64), FLOOR, rng())
    assert set() == proposed(pairs) - planted
    assert len(planted - proposed(pairs)) <= 0.005 * len(planted)
    assert np.allclose(0.93, pairs.cosine, atol=1e-4)


def test_blocks_of_a_large_scope_are_exact() -> None:
    """Inside a block of up to EXACT rows no pair is missed, even at the floor itself, however large the scope."""
    vectors = directions(20_000, 96)
    copies = np.arange(1, 20_000, 20)
    vectors[copies] = beside(vectors[copies - 1], FLOOR + 1e-5)
    blocks, nothing = np.arange(20_000) // 500, np.zeros(20_000, np.uint64)
    pairs = near(vectors, np.zeros(20_000, np.int64), blocks, nothing, FLOOR, rng())
    assert {(int(at) - 1, int(at)) for at in copies} == proposed(pairs)


def test_nothing_is_proposed_across_scopes() -> None:
    """One text with one vector in two scopes is two memories, in small scopes and in large ones."""
    for rows in (10, 4 * EXACT):
        vectors = np.repeat(directions(rows // 2, 8), 2, axis=0)
        scopes, keys = np.arange(rows) % 2, (np.arange(rows) // 2 + 1).astype(np.uint64)
        found = near(vectors, scopes, np.zeros(rows, np.int64), keys, 0.9999, rng())
        assert set() == proposed(found)
        assert set() == proposed(near_to(vectors, scopes, scopes, keys, ints(0, 1), 0.9999, rng()))


def test_a_row_without_a_vector_is_joined_by_its_key() -> None:
    """NaN, infinite and zero vectors have no cosine; equal keys join them across blocks, key 0 joins nothing."""
    vectors = directions(7, 4)
    vectors[1], vectors[3], vectors[4], vectors[6] = np.nan, np.inf, 0, 0
    keys = np.array([5, 5, 6, 6, 6, 0, 0], np.uint64)
    pairs = near(vectors, np.zeros(7, np.int64), np.arange(7), keys, FLOOR, rng())
    assert {(0, 1), (2, 3), (2, 4), (3, 4)} == proposed(pairs)
    assert [True] * 4 == np.isnan(pairs.cosine).tolist()


def test_equal_keys_are_proposed_however_far_their_vectors_are() -> None:
    """A vector that is not of its text does not hide a copy: the cosine told is the true one."""
    vectors = np.array([[1, 0], [0, 1]], np.float32)
    pairs = near(vectors, ints(0, 0), ints(0, 1), np.array([7, 7], np.uint64), FLOOR, rng())
    assert ([0], [1], [0.0]) == (pairs.left.tolist(), pairs.right.tolist(), pairs.cosine.tolist())


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("rows", [900, 2500])
def test_thousands_of_copies_are_not_millions_of_pairs(rows: int, keyed: bool) -> None:
    """Each row keeps its PARTNERS; none is left alone; copies of one text all hang on the first ones."""
    vectors = np.repeat(directions(1, 8), rows, axis=0)
    keys = np.full(rows, 3 if keyed else 0, np.uint64)
    pairs = near(vectors, np.zeros(rows, np.int64), np.zeros(rows, np.int64), keys, FLOOR, rng())
    assert len(pairs) <= rows * PARTNERS
    assert rows == len(np.unique(np.concatenate([pairs.left, pairs.right])))
    if keyed:
        assert set(range(1, rows)) == {b for a, b in proposed(pairs) if a == 0}


def test_in_a_crowd_the_nearest_are_found() -> None:
    """Where thousands of rows are near each other, as sentences made from one pattern are, copies still find theirs."""
    pattern = directions(1, 96)
    vectors = pattern + directions(3000, 96, seed=2) * np.float32(0.25)
    vectors[1::10] = beside(vectors[::10], 0.995)
    columns = np.zeros(3000, np.int64), np.full(3000, -1), np.zeros(3000, np.uint64)
    pairs = near(vectors, *columns, FLOOR, rng())
    assert {(at, at + 1) for at in range(0, 3000, 10)} == proposed(pairs.at(pairs.cosine > 0.99))
    assert len(pairs) <= 3000 * PARTNERS


def test_every_part_is_small_on_any_data() -> None:
    """The cost of a throw is bounded before it is made: parts are halves of halves, and hold every row once."""
    for vectors in (np.ones((5000, 8), np.float32), directions(5000, 8), np.geomspace(1, 1e30, 5000)[:, None]):
        parts = _parted(vectors.astype(np.float32), directions(5, vectors.shape[1]))
        assert (32, -(-5000 // 32)) == parts.shape
        assert parts.shape[1] <= _PART
        assert list(range(5000)) == sorted(parts[parts < 5000].tolist())


def test_pairs_met_once_and_twice_tell_how_many_were_not_met() -> None:
    """Two met once and one met twice: 2·1 / (2·2) of a pair is missing; rows that look for no more do not count."""
    met = Met(100, np.empty(0, np.int64))
    pairs = codes(ints(0, 2, 4), ints(1, 3, 5))
    met.add(pairs, np.ones(3, np.float32))
    assert 3.0 == met.missing()
    assert [False, True] == met.again(codes(ints(4, 7), ints(5, 8))).tolist()
    assert 0.5 == met.missing()
    hubs = codes(np.repeat(ints(0, 1), 80), np.tile(np.arange(10, 90), 2))
    assert 0.0 == Met(100, np.concatenate([hubs, pairs[:1]])).missing()


def test_the_same_seed_gives_the_same_pairs() -> None:
    """Nothing but the generator's state decides what a net meets, at a floor under which most rows look near too."""
    vectors, _ = scattered(3000)
    columns = np.zeros(3000, np.int64), np.full(3000, -1), np.zeros(3000, np.uint64)
    first, second = (near(vectors, *columns, 0.3, rng(4)) for _ in range(2))
    assert first.left.tolist() == second.left.tolist()
    assert first.right.tolist() == second.right.tolist()
    assert first.cosine.tobytes() == second.cosine.tobytes()


def test_vectors_of_any_float_type_and_length_are_compared_by_direction() -> None:
    """Half, single and double precision give the same pairs; lengths far apart do not matter."""
    vectors = directions(50, 16)
    vectors[1::2] = beside(vectors[::2], 0.95)
    columns = np.zeros(50, np.int64), np.zeros(50, np.int64), np.zeros(50, np.uint64)
    found = [proposed(near(vectors.astype(kind), *columns, FLOOR, rng())) for kind in ("f2", "f4", "f8")]
    assert [{(at, at + 1) for at in range(0, 50, 2)}] * 3 == found


class Watched:
    """Vectors that remember which rows were read."""

    def __init__(self, vectors: np.ndarray) -> None:
        self._vectors, self.shape, self.read = vectors, vectors.shape, set[int]()

    def __len__(self) -> int:
        return len(self._vectors)

    def __getitem__(self, rows: np.ndarray) -> np.ndarray:
        self.read |= set(np.arange(len(self))[rows].tolist())
        return self._vectors[rows]


def test_only_scopes_with_a_changed_row_are_read() -> None:
    """Work follows what changed: the vectors of other scopes are not looked at."""
    vectors: Any = Watched(directions(60, 8))
    scopes, nothing = np.arange(60) % 6, np.zeros(60, np.uint64)
    near_to(vectors, scopes, np.zeros(60, np.int64), nothing, ints(3, 10), FLOOR, rng())
    assert {at for at in range(60) if at % 6 in (3, 4)} == vectors.read


def test_few_changed_rows_of_a_large_scope_miss_nothing() -> None:
    """Up to EXACT changed rows are compared with their whole scope, blocks or not; more are found by the net."""
    vectors, planted = scattered(12_000)
    columns = np.zeros(12_000, np.int64), np.arange(12_000) % 7, np.zeros(12_000, np.uint64)
    changed = np.arange(9, 6000, 10)
    pairs = near_to(vectors, *columns, changed, FLOOR, rng())
    assert {(int(at) - 1, int(at)) for at in changed} == proposed(pairs)
    many = near_to(vectors, *columns, np.arange(8000), FLOOR, rng())
    expected = {pair for pair in planted if pair[0] < 8000}
    assert set() == proposed(many) - expected
    assert len(expected - proposed(many)) <= 0.005 * len(expected)


def test_an_index_finds_the_rows_near_a_new_one() -> None:
    """Nearest first, of one scope; equal keys too, whatever their vectors; nothing in a scope that is not there."""
    vectors = directions(200, 96)
    vectors[5], vectors[6], vectors[7] = (beside(vectors[4], c, seed=9) for c in (0.99, 0.94, 0.9))
    vectors[8], vectors[9] = np.nan, vectors[4]
    index = Index(96, rng())
    scopes = ["b" if row == 9 else "a" for row in range(200)]
    index.add(range(200), vectors, scopes, [11 if row in (8, 9, 20) else 0 for row in range(200)])
    assert 200 == len(index)
    found = index.nearest(vectors[4], "a", 0, FLOOR)
    assert [4, 5, 6] == found.rows.tolist()
    assert np.allclose([1, 0.99, 0.94], found.cosine, atol=1e-3)
    keyed = index.nearest(vectors[4], "a", 11, FLOOR)
    assert [8, 4, 5, 6, 20] == keyed.rows.tolist()
    assert [True, False, False, False, False] == np.isnan(keyed.cosine).tolist()
    assert [9] == index.nearest(vectors[4], "b", 0, FLOOR).rows.tolist()
    assert [] == index.nearest(vectors[4], "c", 11, FLOOR).rows.tolist()
    assert [8, 20] == index.nearest(np.full(96, np.nan, np.float32), "a", 11, FLOOR).rows.tolist()


@quick(80)
@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from("ab"), st.integers(0, 3), st.booleans()), max_size=60))
def test_an_index_holds_what_was_added_last(steps: list[tuple[int, str, int, bool]]) -> None:
    """Adding replaces, discarding forgets, in any order: what is found is what a plain dictionary would give."""
    vectors, index = directions(31, 70), Index(70, rng())
    held: dict[int, tuple[str, int]] = {}
    for row, scope, key, kept in steps:
        if kept:
            held[row] = (scope, key)
            index.add([row], vectors[[row]], [scope], [key])
        else:
            held.pop(row, None)
            index.discard(row)
    assert len(held) == len(index)
    for scope in "ab":
        for row in range(31):
            expected = {r for r, (s, k) in held.items() if s == scope and (k == 2 or r == row)}
            assert expected == set(index.nearest(vectors[row], scope, 2, FLOOR).rows.tolist())


@quick(50)
@given(st.integers(0, 10**6), st.integers(8, 400), st.integers(0, 900), st.floats(0.8, 0.99))
def test_a_cosine_is_the_same_in_any_company(seed: int, width: int, others: int, cosine: float) -> None:
    """Two vectors have one cosine, and reach the floor or not, whichever other rows they are multiplied with."""
    one = directions(1, width, seed)
    vectors = np.concatenate([one, beside(one, cosine, seed + 1), directions(others, width, seed + 2)])
    floor = round(float(np.dot(*(v / np.linalg.norm(v) for v in vectors[:2].astype(np.float64)))), 5)
    scopes, keys = np.zeros(len(vectors), np.int64), np.zeros(len(vectors), np.uint64)

    def told(pairs: Pairs) -> list[float]:
        return pairs.cosine[(pairs.left == 0) & (pairs.right == 1)].tolist()

    alone = told(near(vectors[:2], scopes[:2], scopes[:2] - 1, keys[:2], floor, rng()))
    whole = told(near(vectors, scopes, scopes - 1, keys, floor, rng()))
    few = told(near_to(vectors, scopes, scopes - 1, keys, ints(0), floor, rng()))

    assert [np.float32(floor)] == alone == whole == few
