"""The proof of a move: its oracle notices what is wrong, and a small run of it, with kills, is as it must be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mendory.ledger import Ledger
from mendory.ledger.moves import Move, Passed
from mendory.migration.stages import Stage
from tests.conftest import NOON
from tests.moving import oracle
from tests.moving.__main__ import ratios
from tests.moving.driver import out_of_order
from tests.moving.models import PAIRS, unit
from tests.moving.oracle import NEW, OLD, Answer, History, Row, Space, Write
from tests.moving.setting import build
from tests.moving.story import Plan, Story, figures
from tests.moving_kit import new_model, old_model

TEXTS = {"m1": "Li Wei drinks oolong tea", "m2": "李薇早餐习惯喝乌龙茶", "m3": "The staging port is 8081"}
WRITTEN = ["Li Wei drinks green tea", "测试环境的端口是8081"]
QUESTIONS = ["what does Li Wei drink", "端口是多少"]


def spaces(written: Sequence[str] = WRITTEN) -> dict[str, Space]:
    """Both spaces of all texts and questions."""
    texts = [*TEXTS.values(), *written]
    found = {}
    for name, model in ((OLD, old_model()), (NEW, new_model())):
        held = dict(zip(texts, unit(model.embed(texts)), strict=True))
        found[name] = Space(held, unit(model.embed_query(QUESTIONS)))
    return found


def rows(**changes: Row) -> dict[str, Row]:
    """The table as it was, each row with both its vectors, but for these."""
    held = spaces()
    made = {i: Row(text, "active", held[OLD].texts[text], held[NEW].texts[text]) for i, text in TEXTS.items()}
    return made | changes


def answer(question: int, ids: Sequence[str], which: Sequence[str]) -> Answer:
    """An answer whose similarities are of the spaces named, one an id."""
    held = spaces()
    near = [float(held[w].texts[TEXTS[i]] @ held[w].questions[question]) for i, w in zip(ids, which, strict=True)]
    return Answer(10.0, question, 1.0, ids, near)


@pytest.mark.parametrize("question", [0, 1], ids=["en", "zh"])
@pytest.mark.parametrize(
    ("which", "told"),
    [((OLD, OLD, OLD), {OLD}), ((NEW, NEW, NEW), {NEW}), ((OLD, NEW, OLD), set()), ((NEW, NEW, OLD), set())],
    ids=["old", "new", "one of the new", "one of the old"],
)
def test_a_mixed_list_is_noticed(question: int, which: Sequence[str], told: set[str]) -> None:
    """A list of one space is told by its similarities; one similarity of the other space makes it mixed."""
    found = oracle.spaces_of(answer(question, list(TEXTS), which), History(TEXTS, ()), spaces())

    assert told == found


def test_a_similarity_to_a_text_that_the_row_had_since_is_explained() -> None:
    """The row may have been changed before or after it was searched; a text that it never had explains nothing."""
    held, text = spaces(), WRITTEN[0]
    near = float(held[NEW].texts[text] @ held[NEW].questions[0])
    one = Answer(10.0, 0, 1.0, ["m1"], [near])

    assert {NEW} == oracle.spaces_of(one, History(TEXTS, [Write("update", [("m1", text)], 1.0, 2.0)]), held)
    assert set() == oracle.spaces_of(one, History(TEXTS, ()), held)


def test_an_unanswered_recall_is_noticed() -> None:
    """One that raised, and one that found nothing; another is answered."""
    good, empty, raised = answer(0, ["m1"], [OLD]), Answer(1.0, 0), Answer(2.0, 0, raised="Unavailable")

    assert [empty, raised] == oracle.unanswered([good, empty, raised])


@pytest.mark.parametrize(
    ("ids", "changes", "writes", "told"),
    [
        (["m1", "m2", "m3"], {}, [], {}),
        (["m1", "m3"], {}, [], {"m2": "0 rows"}),
        (["m1", "m2", "m2", "m3"], {}, [], {"m2": "2 rows"}),
        (["m1", "m2", "m3"], {}, [Write("update", [("m1", WRITTEN[0])], 1, 2)], {"m1": "another text"}),
        (["m1", "m2", "m3"], {"m1": WRITTEN[0]}, [Write("update", [("m1", WRITTEN[0])], 1, 2)], {}),
        (["m1", "m2", "m3"], {"m1": WRITTEN[0]}, [Write("update", [("m1", WRITTEN[0])], 1)], {}),
        (["m1", "m2", "m3"], {"m1": WRITTEN[0]}, [], {"m1": "another text"}),
        (["m1", "m2", "m3"], {}, [Write("add", [("m9", WRITTEN[1])], 1, 2)], {"m9": "0 rows"}),
        (["m1", "m2", "m3"], {}, [Write("archive", [("m1", None)], 1, 2)], {"m1": "archived"}),
        (["m1", "m2", "m3", "m8"], {}, [], {"m8": "a row nobody wrote"}),
    ],
    ids=[
        "sound",
        "gone",
        "doubled",
        "not written",
        "written",
        "unanswered",
        "rewritten",
        "not added",
        "alive",
        "stray",
    ],
)
def test_a_lost_row_is_noticed(
    ids: Sequence[str], changes: dict[str, str], writes: Sequence[Write], told: dict[str, str]
) -> None:
    """Every way in which a row is not there once, as it was written last."""
    table = rows()
    table |= {i: replace(table[i], text=text) for i, text in changes.items()} | {"m8": table["m1"]}
    found = oracle.lost(History(TEXTS, writes), ids, table)

    assert set(told) == set(found)
    assert all(found[ident].startswith(why) for ident, why in told.items())


@pytest.mark.parametrize("which", [OLD, NEW])
def test_a_stale_vector_is_noticed(which: str) -> None:
    """None at all, another text's, one of another length: all but the sound row."""
    held = spaces()
    other = held[which].texts[WRITTEN[0]]
    table = rows()
    damaged = {
        "m1": replace(table["m1"], **{which: None}),
        "m2": replace(table["m2"], **{which: other}),
        "m3": replace(table["m3"], **{which: 2 * held[which].texts[TEXTS["m3"]]}),
    }

    assert set() == oracle.unfresh(table, which, held[which])
    assert {"m1", "m2", "m3"} == oracle.unfresh(damaged, which, held[which])


def test_only_a_foreign_write_since_explains_a_missing_vector() -> None:
    """Of two rows without a vector one was written by a foreigner after the last look, one before it."""
    writes = [Write("update", [("m1", WRITTEN[0])], 20.0, 21.0), Write("update", [("m2", WRITTEN[1])], 5.0, 6.0)]

    assert {"m2"} == oracle.unexplained({"m1", "m2"}, writes, since=10.0)


def test_one_bit_of_an_old_vector_is_noticed() -> None:
    """Of a row that nobody wrote; one that somebody wrote may have another vector."""
    table = rows()
    before = {ident: row.old for ident, row in table.items() if row.old is not None}
    flipped = before["m1"].copy()
    flipped.view("<u4")[0] ^= 1
    table["m1"] = replace(table["m1"], old=flipped)
    written = History(TEXTS, [Write("update", [("m1", WRITTEN[0])], 1, 2)])

    assert {"m1"} == oracle.changed_bits(History(TEXTS, ()), table, before)
    assert set() == oracle.changed_bits(written, table, before)


def test_how_long_recalls_went_on_from_the_space_of_before() -> None:
    """From the switch to the last search that was begun since and still answered from the old space."""
    told = [(Answer(at, 0), frozenset({which})) for at, which in ((1, OLD), (5.25, OLD), (5.5, NEW), (7, NEW))]

    back = [*told, (Answer(9.0, 0), frozenset({OLD}))]

    assert 0.25 == oracle.lag(told, 5.0, OLD)
    assert 0.0 == oracle.lag(told, 6.0, OLD)
    assert 4.0 == oracle.lag(back, 5.0, OLD)
    assert 0.25 == oracle.lag(back, 5.0, OLD, until=8.0), "taken back, the old space is searched again"


def test_the_crowd_is_held_to_itself() -> None:
    """Each span to the one in which writers worked alike; where too few answers came nothing is said."""
    spans = {"before": 50.0, "during": 100.0, "before_hurried": 80.0, "hurried": None}
    answers = [Answer(float(at), 0, ms=float(at)) for at in range(60)]

    assert {"calm": 2.0, "hurried": None} == ratios(spans)
    assert 58.0 < (oracle.p95(answers, [(0.0, 10.0), (50.0, 60.0)]) or 0.0) < 59.0
    assert oracle.p95(answers, [(0.0, 10.0)]) is None


def test_only_a_refused_write_of_rows_is_one() -> None:
    """A compaction that was preempted wrote nothing and lost nothing; an update and an add that raised are told."""
    raised = [Write(op, [], 1.0, raised="RuntimeError") for op in ("add", "update", "compact")]

    assert ["add", "update"] == [one.op for one in oracle.refused([*raised, Write("add", [], 1.0, 2.0)])]


@pytest.mark.parametrize(
    ("stages", "wrong"),
    [
        ((Stage.REGISTERED, Stage.FILLING, Stage.GATING, Stage.FILLING, Stage.GATING), []),
        ((Stage.REGISTERED, Stage.FILLING, Stage.APPROVED), ["filling → approved"]),
        ((Stage.REGISTERED, Stage.FILLING, Stage.REGISTERED), ["filling → registered", "registered 2 times"]),
    ],
    ids=["back to filling", "left out", "twice"],
)
def test_a_stage_out_of_order_is_noticed(stages: Sequence[Stage], wrong: list[str]) -> None:
    """What no act may do to a move, and two moves where one was begun."""
    move = Move("m", "a", "b", "c", tuple(Passed(stage, "ann", NOON, {}) for stage in stages))

    assert wrong == out_of_order((move,))
    assert ["2 moves were begun", *wrong, *wrong] == out_of_order((move, move))


@pytest.mark.model
@pytest.mark.crash
@pytest.mark.timeout(2_400)  # three minutes on a quiet machine; programs and acts share what a busy one leaves
def test_a_small_table_is_moved_and_taken_back_under_a_crowd(tmp_path: Path) -> None:
    """Four programs at work, acts killed, a move there and back: nothing unanswered, mixed, lost or stale."""
    # texts enough for a slow machine; no niceness, for a tenth of a processor is little beside other tests
    setting = build(tmp_path, PAIRS["quick"], 120, 4_000, 5, niceness=0)
    told = Story(setting, Plan(3, 5, 1.0, 0.5, 10, (0.05, 4.0, 1.0, 4.0), guess=0.25), print).tell()
    ledger = Ledger.open(setting.config.ledger_url)
    [move] = ledger.moves.all()
    ledger.close()
    at = {passed.stage: passed.at.timestamp() for passed in move.passed}
    found = figures(setting, told, at[Stage.SWITCHED], at[Stage.ROLLED_BACK])
    none = ("unanswered", "mixed", "new_vectors_not_fresh")

    assert np.all([value == 0 for name in none for value in found[name].values()]), found
    assert (0, 0, 0, 0) == tuple(
        found[name] for name in ("rows_lost", "writes_refused", "old_vectors_not_fresh", "old_vectors_changed")
    )
    assert [] == found["ledger_wrong"]
    assert found["kills"] >= 1
    assert found["recalls"]["from_new"] > 0
    assert found["later_writes"] >= 10
