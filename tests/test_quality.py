"""`make quality` on a small made-up folder: sets are found by their files, halves are kept apart, figures are right."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.quality.__main__ import main
from bench.quality.baselines import cues, jaccard
from bench.quality.folds import FOLDS, unseen
from bench.quality.goals import own_threshold
from bench.quality.judging import judge
from bench.quality.measure import Counts, wilson
from bench.quality.planting import CONTRADICTION, DUPLICATE, ELSEWHERE, Row, plant
from bench.quality.rewrites import OTHER, SAME
from bench.quality.sets import Choice, in_tuning_half, labelled
from mendory.contradiction.scoring import shipped


def write(file: Path, rows: list[dict[str, Any]]) -> None:
    """The rows as a set's file, packed where its name says so."""
    file.parent.mkdir(parents=True, exist_ok=True)
    opened = gzip.open if file.suffix == ".gz" else open
    with opened(file, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def letters(texts: Sequence[str], language: str) -> np.ndarray:
    """A vector of length 1 a text: how often each character occurs. Cheap, and near for texts that are alike."""
    counted = np.zeros((len(texts), 257), dtype=np.float32)
    for at, text in enumerate(texts):
        for ch in text:
            counted[at, ord(ch) % 257] += 1
    return counted / np.linalg.norm(counted, axis=1, keepdims=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two sets of duplicates and two of contradictions, packed and plain, of all three forms of rows."""
    same = [
        {"a": f"The cat of number {n} sleeps.", "b": f"The cat of number {n} sleeps", "label": "same"} for n in "abcdef"
    ]
    other = [{"a": f"Tea at {n}", "b": "My bicycle was stolen in Rome", "label": "different"} for n in "abcdef"]
    write(tmp_path / "duplicates" / "made_up.jsonl.gz", same + other + [{"a": "  ", "b": "x", "label": "same"}])
    write(
        tmp_path / "duplicates" / "zh.jsonl", [{"a": "我喜欢喝茶", "b": "我喜欢喝茶。", "label": "same", "lang": "zh"}]
    )
    profile = {"gender": "female", "loc": "北京", "constellation": "狮子座"}
    write(
        tmp_path / "contradictions" / "profiles.jsonl",
        [{"profile": profile, "response": "我不在北京", "label": "contradicted", "domain": "location", "lang": "zh"}],
    )
    facts = ["Ann lives in Oslo.", "Ben likes tea."]
    write(
        tmp_path / "contradictions" / "updates.jsonl.gz",
        [
            {"facts": facts, "new_fact": "Ben does not like tea.", "contradicted_idx": [1], "label": "contradiction"},
            {"facts": facts, "new_fact": "Ann likes Oslo in winter.", "contradicted_idx": [], "label": "none"},
        ],
    )
    return tmp_path


def test_sets_are_found_by_their_files_and_rows_by_their_keys(folder: Path) -> None:
    """Every set is there once, in its language; a row with a blank text is counted as unread."""
    held = {one.name: one for one in labelled(folder)}
    expected = {
        "duplicates/made_up": ("en", 12, 0, 1),
        "duplicates/zh": ("zh", 1, 0, 0),
        "contradictions/profiles": ("zh", 1, 0, 0),
        "contradictions/updates": ("en", 0, 2, 0),
    }
    assert expected == {
        name: (one.language, len(one.pairs), len(one.choices), one.unread) for name, one in held.items()
    }
    profile = held["contradictions/profiles"].pairs[0]
    assert ("我在北京", "我不在北京", True) == (profile.a, profile.b, profile.positive)


def test_one_list_of_old_facts_is_in_one_half(folder: Path) -> None:
    """Whatever new facts come with it: else a method could learn a reported row's old facts."""
    choices: list[Choice] = [choice for one in labelled(folder) for choice in one.choices]
    assert {in_tuning_half("Ann lives in Oslo.", "Ben likes tea.")} == {choice.tuning for choice in choices}


def test_with_data_all_rows_count_and_nothing_is_chosen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The last line is JSON with every set, its rows and baselines, and no calibration."""
    main(["--data", str(folder)], letters)
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert {"duplicates/made_up", "duplicates/zh", "contradictions/profiles", "contradictions/updates"} == set(
        result["sets"]
    )
    made_up = result["sets"]["duplicates/made_up"]
    assert (12, False) == (made_up["n"], "calibrated" in made_up)
    perfect = {"precision": 1.0, "recall": 1.0, "f1": 1.0, "at": 0.92, "even_precision": 1.0}
    assert perfect == made_up["baseline"]["cosine ≥ 0.92 alone"]
    assert 0.5 == result["sets"]["contradictions/updates"]["baseline"]["nearest fact by Jaccard, always"]["precision"]
    assert 2 == result["contradictions"]


def test_without_data_the_reported_half_is_not_the_one_chosen_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only pairs outside the tuning half are counted."""
    monkeypatch.setattr("bench.quality.__main__.DEFAULT", folder)
    main([], letters)
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    held = next(one for one in labelled(folder) if one.name == "duplicates/made_up")
    assert sum(not pair.tuning for pair in held.pairs) == result["sets"]["duplicates/made_up"]["n"]


def test_a_folder_without_sets_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The run is not ok, the reason names the folder, and nothing is embedded."""
    assert 1 == main(["--data", str(tmp_path)], letters)
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (False, True) == (result["ok"], str(tmp_path) in result["reason"])


def test_a_sets_own_threshold_is_where_its_precision_is_sure() -> None:
    """Of 40 right ones .90 is sure (from .91 on); of 80 with 5 wrong ones the share is .94, and only .85 is sure."""
    scores = np.array([0.9] * 40 + [0.7] * 40 + [0.2])
    there = np.array([True] * 40 + [True] * 35 + [False] * 6)
    assert pytest.approx(0.8) == own_threshold("contradictions/made_up", scores, there)
    assert pytest.approx(0.45) == own_threshold("contradictions/sick", scores, there)  # .85 is asked of it


def test_each_pair_has_weights_that_were_not_fitted_on_it() -> None:
    """Each fold of a language has its own; a language of which nothing was fitted has none, and words tell nothing."""
    for language in ("en", "zh"):
        held = [weights[language].with_cosine for weights in unseen(language)]
        assert FOLDS == len(held)
        assert FOLDS == len({tuple(sorted(weights.items())) for weights in held})
        assert all(weights.keys() == shipped()[language].with_cosine.keys() for weights in held)
    assert [{}] * FOLDS == list(unseen("xx"))


def test_a_set_of_few_finds_has_no_threshold_of_its_own() -> None:
    """Thirty without a mistake may still have a precision below .90; a score of 0 is no find however many have it."""
    assert own_threshold("contradictions/made_up", np.full(30, 0.9), np.ones(30, dtype=bool)) is None
    assert own_threshold("contradictions/made_up", np.zeros(90), np.ones(90, dtype=bool)) is None


def test_figures_of_known_counts() -> None:
    """Precision, recall and F1 of 8 hits, 2 false and 8 missed; their intervals hold them."""
    counts = Counts(8, 2, 8, 82)
    assert (0.8, 0.5, 16 / 26) == (counts.precision, counts.recall, counts.f1)
    assert 0.5 / (0.5 + 2 / 84) == counts.even_precision
    for what, (low, high) in counts.intervals().items():
        assert low < getattr(counts, what) < high


def test_figures_of_nothing_are_unknown() -> None:
    """Where nothing was found there is no precision, where nothing was there no recall."""
    assert (None, None, None) == (Counts(0, 0, 0, 5).precision, Counts(0, 0, 0, 5).recall, Counts(0, 0, 0, 5).f1)
    assert wilson(0, 0) is None


@pytest.mark.parametrize(
    ("a", "b", "language", "expected"),
    [
        ("I like green tea.", "I don't like green tea.", "en", True),
        ("我喜欢吃香菜", "我不喜欢吃香菜", "zh", True),
        ("Three of 5 boxes came", "Three of 7 boxes came", "en", True),
        ("I like green tea.", "I like green tea a lot.", "en", False),
        ("She never sings", "The boxes came", "en", False),
    ],
)
def test_cue_rules_fire_on_cues_between_related_texts(a: str, b: str, language: str, expected: bool) -> None:
    """A negation on one side, other numbers; not on a negation between strangers."""
    assert expected == cues(a, b, language)


def test_overlap_is_of_words_or_of_pairs_of_characters() -> None:
    """English by words without marks, Chinese by two characters at a time."""
    assert (0.5, 1 / 3) == (jaccard("red tea, please", "red tea now", "en"), jaccard("喝红茶", "喝红酒", "zh"))


def row(name: str, scope: str = "u1", original: str | None = None, planted: str | None = None) -> Row:
    """A memory whose text is its id."""
    return Row(name, scope, name, datetime(2024, 1, 1, tzinfo=UTC), original, planted, "k" if planted else "")


ROWS = {
    one.id: one
    for one in (
        row("a"),
        row("a-again", original="a", planted=DUPLICATE),
        row("a-against", original="a", planted=CONTRADICTION),
        row("a-copy", "u2", "a", ELSEWHERE),
        row("b"),
    )
}


@pytest.mark.parametrize(
    ("code", "ids", "field", "expected"),
    [
        ("duplicate_near", ("a", "a-again"), "found", {"duplicate: k": 1}),
        ("duplicate_exact", ("a", "a-again"), "found", {"duplicate: k": 1}),
        ("conflict_candidate", ("a", "a-against"), "handed_on", {"contradiction: k": 1}),
        ("conflict_candidate", ("a", "a-again"), "not_planted", [("conflict_candidate", "a", "a-again")]),
        ("duplicate_near", ("a", "a-against"), "contradictions_called_duplicate", [("a", "a-against")]),
        ("duplicate_near", ("a", "a-copy"), "scopes_joined", [("a", "a-copy")]),
        ("duplicate_near", ("a", "b"), "not_planted", [("duplicate_near", "a", "b")]),
        ("missing_source", ("a", "b"), "not_planted", []),
    ],
)
def test_a_finding_is_judged_by_what_was_planted(code: str, ids: tuple[str, ...], field: str, expected: Any) -> None:
    """Found, handed on, called duplicate, joined over scopes, or for a person to look at."""
    assert expected == getattr(judge(ROWS, [(code, ids)], []), field)


@pytest.mark.parametrize(
    ("merged", "field", "expected"),
    [
        (("a-again", "a"), "merged", {"duplicate: k": 1}),
        (("a-against", "a"), "contradictions_merged", [("a-against", "a")]),
        (("a-against", "a-again"), "contradictions_merged", [("a-against", "a-again")]),
        (("a-copy", "a"), "scopes_joined", [("a-copy", "a")]),
        (("b", "a"), "not_planted", [("merged", "b", "a")]),
    ],
)
def test_a_merge_is_judged_by_what_was_planted(merged: tuple[str, str], field: str, expected: Any) -> None:
    """A contradiction merged counts also where it was merged with a copy of what it contradicts."""
    assert expected == getattr(judge(ROWS, [], [merged]), field)


def test_what_is_planted_is_of_all_three_kinds_and_the_same_every_time() -> None:
    """In its original's scope but for copies elsewhere; but for copies, never a text that its scope holds already."""
    rows = [row(f"I like tea with {n} spoons of sugar, mom.", f"u{n % 3}") for n in range(100)]
    added = plant(rows, "en")
    assert added == plant(rows, "en")
    assert {DUPLICATE, CONTRADICTION, ELSEWHERE} == {one.planted for one in added}
    held = {(one.scope, one.text) for one in rows}
    scopes = {one.id: one.scope for one in rows}
    for one in added:
        assert ((one.kind, one.planted) == ("copy", DUPLICATE)) == ((one.scope, one.text) in held)
        assert (one.planted != ELSEWHERE) == (one.scope == scopes[str(one.original)])


@pytest.mark.parametrize(
    ("language", "kind", "text", "expected"),
    [
        ("en", "spelled number", "Has 3 cats.", "Has three cats."),
        ("en", "spelled number", "Has 31 cats.", None),
        ("zh", "number in Chinese", "妈妈今年25岁", "妈妈今年二十五岁"),
        ("zh", "number in Chinese", "他养了10个月", "他养了十个月"),
        ("zh", "full width", "今年25岁", "今年２５岁"),
    ],
)
def test_a_rewrite_says_the_same(language: str, kind: str, text: str, expected: str | None) -> None:
    """In another form of the same number or letters; None where the rule does not apply."""
    assert expected == SAME[language][kind](text)


@pytest.mark.parametrize(
    ("language", "kind", "text", "expected"),
    [
        ("en", "negation", "I am a cook.", "I am not a cook."),
        ("en", "negation", "I am not a cook.", None),
        ("en", "number", "Room 12 is mine", "Room 15 is mine"),
        ("en", "number", "An A100 card", None),
        ("zh", "negation", "我喜欢喝茶", "我不喜欢喝茶"),
        ("zh", "negation", "我不喜欢喝茶", None),
    ],
)
def test_a_rewrite_contradicts(language: str, kind: str, text: str, expected: str | None) -> None:
    """What is denied already is left alone: denied twice it may say what it said."""
    assert expected == OTHER[language][kind](text)
