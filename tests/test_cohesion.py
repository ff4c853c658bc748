"""Groups in which every row goes with every other: no chain of likenesses ends in one memory."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from mendory.detect.cohesion import groups

EDGES = st.dictionaries(
    st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda pair: pair[0] < pair[1]),
    st.floats(0.5, 1.0, allow_nan=False),
    max_size=40,
)


def test_a_chain_is_not_one_group() -> None:
    """A goes with B and B with C, A not with C: B stays with the one it is surer of."""
    assert [[1, 2]] == groups({(0, 1): 0.90, (1, 2): 0.95})
    assert [[0, 1]] == groups({(0, 1): 0.95, (1, 2): 0.90})


def test_all_that_go_with_each_other_are_one_group() -> None:
    """Four rows with all six pairs, and two apart from them."""
    whole = dict.fromkeys(combinations(range(4), 2), 0.9)

    assert [[0, 1, 2, 3], [7, 9]] == groups({**whole, (7, 9): 0.8})


def test_no_pairs_no_groups() -> None:
    """Nothing goes with nothing."""
    assert [] == groups({})


@given(EDGES)
def test_each_group_holds_together_and_no_row_is_in_two(edges: dict[tuple[int, int], float]) -> None:
    """Every pair of a group was given, no row is twice, and no two groups could be one."""
    found = groups(edges)

    rows = [row for group in found for row in group]
    assert len(rows) == len(set(rows))
    assert set() == {pair for group in found for pair in combinations(group, 2)} - edges.keys()
    for one, other in combinations(found, 2):
        assert not all((min(a, b), max(a, b)) in edges for a in one for b in other)


@given(EDGES)
def test_the_order_of_the_pairs_does_not_matter(edges: dict[tuple[int, int], float]) -> None:
    """The same pairs, last first, give the same groups."""
    assert groups(edges) == groups(dict(reversed(edges.items())))
