"""Thresholds: which holds for a space and language, what labelled pairs say, and what a table's own pairs say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendory.ledger import Ledger
from mendory.ledger.moving import move
from mendory.thresholds import Origin, Rate, Spread, Threshold, Thresholds, at, key, lowest, measure, shipped
from tests.conftest import FakeClock

USE = "universal-sentence-encoder-multilingual"
OWN = Threshold("bge-m3", "zh", 0.7, Origin.CALIBRATED, 0.8, 0.4, 1.0, 0.75, precision=0.96, recall=0.6, n=300)
SPREAD = Spread(0.75, 0.9, 1.0, 2000, 0)


def test_shipped_thresholds_are_found_by_any_form_of_the_models_name() -> None:
    """An organisation or folder before the name, and capitals, are no part of a space's key."""
    found = {
        Thresholds().of(name, "en").origin
        for name in ("all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2", "C:\\models\\all-minilm-l6-v2\\")
    }

    assert {Origin.SHIPPED} == found


def test_a_model_that_reads_no_chinese_has_no_shipped_threshold_for_it() -> None:
    """MiniLM on Chinese is provisional, USE on Chinese is not."""
    assert Origin.PROVISIONAL == Thresholds().of("all-MiniLM-L6-v2", "zh").origin
    assert Origin.SHIPPED == Thresholds().of(USE, "zh").origin


def test_a_calibrated_threshold_comes_before_a_shipped_one() -> None:
    """The owner's pairs know the owner's texts; other languages of the space keep the shipped one."""
    mine = replace(OWN, space=USE)

    assert mine == Thresholds([mine]).of(USE, "zh")
    assert Origin.SHIPPED == Thresholds([mine]).of(USE, "en").origin


def test_texts_without_vectors_have_a_threshold_of_their_own() -> None:
    """No space, or an empty name, means that words alone decide."""
    assert "" == Thresholds().of(None, "zh").space
    assert Thresholds().of("", "en") == Thresholds().of(None, "en")


def test_only_a_provisional_threshold_sends_merges_to_people() -> None:
    """Shipped and calibrated ones were measured, a provisional one is a guess."""
    known = Thresholds([OWN], SPREAD)

    assert [False, False, True] == [known.of(s, "zh").for_people for s in ("bge-m3", USE, "some-other-model")]


def test_a_provisional_threshold_is_on_the_scale_of_the_tables_own_pairs() -> None:
    """Unrelated texts of the table count 0, one text embedded twice counts 1; the floor lies above chance."""
    guessed = Thresholds(spread=SPREAD).of("multilingual-e5-small", "zh")
    strictest = max(t.value for t in shipped() if t.language == "zh")

    assert (0.0, 0.5, 1.0) == tuple(round(guessed.calibrated(c), 6) for c in (0.7, 0.875, 1.1))
    assert (strictest, 0.9) == (guessed.value, guessed.floor)


def test_a_language_nobody_measured_is_provisional_and_strict() -> None:
    """Japanese in a known space still is a guess."""
    guessed = Thresholds().of(USE, "ja")

    assert (Origin.PROVISIONAL, 0.95, 0.95) == (guessed.origin, guessed.value, guessed.text_value)


def test_the_shipped_thresholds_are_whole() -> None:
    """Each is measured, lies in 0..1, and is filed under a key that a lookup uses."""
    for one in shipped():
        assert key(one.space) == one.space
        assert 0 < one.value <= 1
        assert 0 < one.text_value <= 1
        assert 0 <= one.unrelated <= one.floor <= 1


# --- from labelled pairs ---


def test_the_lowest_threshold_that_keeps_the_precision_is_found() -> None:
    """Of .9 .8 .7 .6 with the third wrong, .90 is kept down to .8 alone; the threshold lies midway to the next."""
    found = lowest([0.9, 0.8, 0.7, 0.6], [True, True, False, True], 0.9)

    assert found is not None
    assert (0.75, Rate(2, 2), Rate(2, 3), Rate(0, 1)) == (
        found.value,
        found.precision,
        found.recall,
        found.false_alarms,
    )


def test_a_dip_is_no_end() -> None:
    """Below one wrong pair the precision may come back: the lowest threshold counts, not the first dip."""
    found = lowest([0.99, *[0.9] * 20, 0.2], [False, *[True] * 20, False], 0.9)

    assert found is not None
    assert 20 == found.recall.hits


def test_pairs_that_are_easy_to_tell_do_not_lower_a_threshold() -> None:
    """All twenty are found at .9: that one wrong pair would be forgiven is no reason to accept it."""
    found = lowest([*[0.9] * 20, 0.1], [*[True] * 20, False], 0.95)

    assert found is not None
    assert (0.5, 0) == (found.value, found.false_alarms.hits)


def test_pairs_of_one_score_stand_or_fall_together() -> None:
    """No threshold lies between equal scores."""
    assert lowest([0.9, 0.9], [True, False], 0.9) is None


def test_a_vetoed_pair_is_accepted_by_no_threshold() -> None:
    """Its score is 0, whatever its label; where only such pairs are the same there is no threshold."""
    assert lowest([0.0, 0.0], [True, True], 0.5) is None


def test_wilsons_interval_is_the_published_one() -> None:
    """10 of 20: .299 to .701; 0 of 10: 0 to .278; of nothing anything."""
    found = [tuple(round(x, 3) for x in Rate(h, n).interval) for h, n in ((10, 20), (0, 10), (0, 0))]

    assert [(0.299, 0.701), (0.0, 0.278), (0.0, 1.0)] == found


@given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=1, max_size=40), st.sampled_from([0.5, 0.9, 1.0]))
def test_no_threshold_with_the_precision_has_more_recall(pairs: list[tuple[int, bool]], wanted: float) -> None:
    """Against every possible threshold: what is found keeps the precision, and none that keeps it finds more."""
    scores, same = [s / 10 for s, _ in pairs], [label for _, label in pairs]
    every = [at(value / 10, scores, same) for value in range(1, 10)]
    best = max((f.recall.hits for f in every if f.precision.of and f.precision.share >= wanted - 1e-12), default=0)
    found = lowest(scores, same, wanted)

    assert best == (found.recall.hits if found else 0)
    if found:
        assert found.precision.share >= wanted - 1e-9


# --- from a table's own pairs ---


def _rows(seed: int, n: int, lift: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, 32)) + lift).astype(np.float32)


def test_unrelated_is_the_median_of_random_pairs_of_one_scope() -> None:
    """Two scopes far apart: pairs across them would pull the median down, and take no part."""
    here, there = _rows(1, 300, 1.0), _rows(2, 300, -1.0)
    scopes = np.repeat([1, 2], 300)
    found = measure(np.concatenate([here, there]), scopes, np.arange(600, dtype=np.uint64), np.random.default_rng(0))
    unit = here / np.linalg.norm(here, axis=1, keepdims=True)
    cosines = (unit @ unit.T)[np.triu_indices(300, 1)]

    assert found is not None
    assert float(np.median(cosines)) == pytest.approx(found.unrelated, abs=0.02)
    assert (1.0, 0) == (found.identical, found.same_text_pairs)


def test_one_text_with_differing_vectors_lowers_what_counts_as_identical() -> None:
    """Vectors of one text that differ, as after a prefix was added to half of them, show how far the scale goes."""
    base = _rows(3, 100, 0.0)
    vectors = np.concatenate([base, base + 0.3 * _rows(4, 100, 0.0)])
    keys = np.tile(np.arange(100, dtype=np.uint64), 2)
    found = measure(vectors, np.zeros(200, np.int64), keys, np.random.default_rng(0))

    assert found is not None
    assert 100 == found.same_text_pairs
    assert 0.85 < found.identical < 0.98


def test_a_table_of_few_rows_says_nothing() -> None:
    """Five rows have ten pairs; rows without a vector or with a zero one take no part."""
    few = _rows(5, 5, 0.0)
    gaps = np.full((100, 32), np.nan, dtype=np.float32)
    vectors = np.concatenate([few, gaps, np.zeros((100, 32), np.float32)])
    keys = np.arange(205, dtype=np.uint64)

    assert measure(vectors, np.zeros(205, np.int64), keys, np.random.default_rng(0)) is None


def test_vectors_of_one_text_no_nearer_than_others_lower_nothing() -> None:
    """Where one text has any vector, as random ones are, no cosine counts as that of one text but 1."""
    keys = np.tile(np.arange(100, dtype=np.uint64), 2)
    found = measure(_rows(6, 200, 0.0), np.zeros(200, np.int64), keys, np.random.default_rng(0))

    assert found is not None
    assert (100, 1.0) == (found.same_text_pairs, found.identical)


@pytest.mark.parametrize(
    ("now", "agrees"),
    [
        (Spread(0.78, 0.8, 0.97, 1900, 40), True),
        (Spread(0.82, 0.9, 1.0, 2000, 0), False),
        (Spread(0.75, 0.9, 0.9, 2000, 50), False),
        (Spread(0.75, 0.7, 1.0, 2000, 0), False),
    ],
    ids=["other pairs", "unrelated", "identical", "high"],
)
def test_two_spreads_agree_but_for_the_choice_of_pairs(now: Spread, agrees: bool) -> None:
    """What a few rows more move is no other space."""
    assert agrees is SPREAD.agrees(now)
    assert now == Spread.from_json(now.as_json())


# --- kept in the ledger ---


def test_the_newest_calibration_of_a_space_and_language_holds(ledger_url: str) -> None:
    """In a file and on a server: kept across openings, moved with the ledger, one for each space and language."""
    ledger = Ledger.open(ledger_url, FakeClock())
    ledger.thresholds.keep(OWN, "Anna")
    ledger.thresholds.keep(replace(OWN, language="en"), "Anna")
    ledger.thresholds.keep(replace(OWN, value=0.9), "王芳")
    ledger.close()
    moved = Ledger.in_memory(FakeClock())
    move(Ledger.open(ledger_url, FakeClock()), moved)

    held = [(k.threshold.language, k.threshold.value, k.by) for k in moved.thresholds.all()]
    assert [("en", 0.7, "Anna"), ("zh", 0.9, "王芳")] == held
    assert replace(OWN, value=0.9) == moved.thresholds.all()[1].threshold
