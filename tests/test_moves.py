"""Moves to another space: what may follow what, what is recorded, which space is searched, and the canary."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from mendory.door.ledger import LedgerView
from mendory.errors import LedgerCorrupt, MendoryError, MigrationRefused
from mendory.ledger import Ledger, schema
from mendory.ledger.moves import Move
from mendory.migration.canary import FEWEST, SHARES, hits, quick, takes_part
from mendory.migration.quality import changed
from mendory.migration.stages import FOLLOWS, OPEN, SEARCHED, Stage, require
from mendory.recalls import FAILED
from mendory.spaces import SpaceState
from mendory.spaces.pointer import Pointed, Pointer
from tests.conftest import FakeClock
from tests.test_spaces import fingerprint

FORWARD = [
    Stage.FILLING,
    Stage.GATING,
    Stage.APPROVED,
    Stage.CANARY,
    Stage.SWITCHED,
    Stage.SOAKING,
    Stage.RETIRED,
]


@pytest.fixture
def ledger(ledger_url: str, clock: FakeClock) -> Iterator[Ledger]:
    """An open ledger in a file or on a server."""
    opened = Ledger.open(ledger_url, clock)
    yield opened
    opened.close()


def begun(ledger: Ledger) -> Move:
    """A move from one known space to another."""
    old = ledger.spaces.register(fingerprint(), SpaceState.ACTIVE, "ann")
    new = ledger.spaces.register(fingerprint(turn=1.0), SpaceState.FILLING, "ann")
    return ledger.moves.begin(old.id, new.id, "embedding__new", "ann")


def states(ledger: Ledger) -> dict[str, str]:
    """Space id → its state."""
    return {space.id: space.state.value for space in ledger.spaces.all()}


# --- stages -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("now", "wanted"), list(product(Stage, Stage)), ids=lambda stage: stage.value)
def test_every_stage_follows_only_what_it_may(now: Stage, wanted: Stage) -> None:
    """All 81 pairs: what does not follow is refused by name, with what comes next instead."""
    if wanted in FOLLOWS[now]:
        require(now, wanted)
        return
    with pytest.raises(MigrationRefused) as refused:
        require(now, wanted)

    assert "Nothing was changed. Next:" in str(refused.value)


def test_a_way_back_leads_from_every_stage_under_way() -> None:
    """Whatever happens, the old space can be had again; only what is over has no way back."""
    back = {stage for stage in Stage if Stage.ROLLED_BACK in FOLLOWS[stage]}

    assert back == OPEN


def test_nothing_is_searched_before_a_person_and_the_gate() -> None:
    """Every way from the first stage to one that is searched leads through gate, approval and canary."""
    unseen = {Stage.GATING, Stage.APPROVED, Stage.CANARY}
    for left_out in unseen:
        reached, edge = {Stage.REGISTERED}, [Stage.REGISTERED]
        while edge:
            for stage in FOLLOWS[edge.pop()]:
                if stage not in reached and stage is not left_out:
                    reached.add(stage)
                    edge.append(stage)

        assert not reached & SEARCHED, f"reached without {left_out.value}"


# --- the ledger -------------------------------------------------------------------------------


def test_a_move_passes_all_its_stages_and_each_is_on_record(ledger: Ledger) -> None:
    """Who, when and what was known stands at every stage; the last one leaves one space, the new one."""
    move = begun(ledger)
    for stage in FORWARD:
        move = ledger.moves.to(move.id, stage, "bob", {"rows": 3})

    assert [p.stage for p in move.passed] == [Stage.REGISTERED, *FORWARD]
    assert {p.by for p in move.passed[1:]} == {"bob"}
    assert move.passed[-1].told == {"rows": 3}
    assert states(ledger) == {move.old: "retired", move.new: "active"}
    assert ledger.moves.current() is None
    assert ledger.verify() == len(move.passed)


@pytest.mark.parametrize("reached", range(len(FORWARD)))
def test_the_way_back_leaves_the_old_space_searched(ledger: Ledger, reached: int) -> None:
    """From each stage under way: the old space is the active one, and the new one history."""
    move = begun(ledger)
    for stage in FORWARD[:reached]:
        ledger.moves.to(move.id, stage, "bob")
    ledger.moves.to(move.id, Stage.ROLLED_BACK, "ann")

    assert states(ledger) == {move.old: "active", move.new: "retired"}
    assert ledger.moves.current() is None


@pytest.mark.parametrize("reached", range(len(FORWARD)))
def test_while_under_way_both_spaces_are_live_and_one_is_searched(ledger: Ledger, reached: int) -> None:
    """The space that is not searched is filled on, before the switch and after it."""
    move = begun(ledger)
    for stage in FORWARD[:reached]:
        move = ledger.moves.to(move.id, stage, "bob")
    searched, other = (move.new, move.old) if move.stage in SEARCHED else (move.old, move.new)

    assert states(ledger) == {searched: "active", other: "filling"}


@pytest.mark.parametrize("reached", range(len(FORWARD)))
def test_an_agent_reads_where_the_move_stands(ledger: Ledger, ledger_url: str, reached: int) -> None:
    """Each space has its own column, before the switch and after it; a share is of the canary alone, and of its newest.

    After the way back and after the last stage one space is left.
    """
    old = ledger.spaces.register(fingerprint(), SpaceState.ACTIVE, "ann")
    new = ledger.spaces.register(fingerprint(turn=1.0), SpaceState.FILLING, "ann", "embedding__new")
    move = ledger.moves.begin(old.id, new.id, "embedding__new", "ann")
    for stage in FORWARD[: reached + 1]:
        move = ledger.moves.to(move.id, stage, "bob", {"share": 0.01})
    if move.stage is Stage.CANARY:
        ledger.moves.note(move.id, "bob", {"share": 0.25})
    view, ours, theirs = LedgerView(ledger_url), Pointed(old.id, None), Pointed(new.id, "embedding__new")
    pair = (theirs, ours) if move.stage in SEARCHED else (ours, theirs)

    if move.stage is Stage.RETIRED:
        assert Pointer(theirs) == view.pointer()
        return
    assert Pointer(*pair, 0.25 if move.stage is Stage.CANARY else 0.0) == view.pointer()
    ledger.moves.to(move.id, Stage.ROLLED_BACK, "ann")
    assert Pointer(ours) == view.pointer()


def test_an_agent_reads_one_moment_while_the_move_goes_on(ledger_url: str, clock: FakeClock, ledger: Ledger) -> None:
    """Moves switch and come back under an agent that reads: it never sees an id with the other's column, or no space.

    A share above 0 comes only with two spaces.
    """
    columns: dict[str, str | None] = {}
    over, seen = threading.Event(), list[Pointer]()

    def read() -> None:
        view = LedgerView(ledger_url)
        while not over.is_set():
            seen.append(view.pointer())

    old = ledger.spaces.register(fingerprint(), SpaceState.ACTIVE, "ann")
    columns[old.id] = None
    reader = threading.Thread(target=read)
    reader.start()
    try:
        for turn in range(1, 5):
            column = f"embedding__{turn}"
            new = ledger.spaces.register(fingerprint(turn=turn / 4), SpaceState.FILLING, "ann", column)
            columns[new.id] = column
            move = ledger.moves.begin(old.id, new.id, column, "ann")
            for stage in FORWARD[:-1]:
                ledger.moves.to(move.id, stage, "bob", {"share": 0.5})
            read, until = len(seen), time.monotonic() + 30
            while len(seen) < read + 2 and time.monotonic() < until:  # one of them began after the switch
                time.sleep(0.001)
            ledger.moves.to(move.id, Stage.ROLLED_BACK, "ann")
    finally:
        over.set()
        reader.join()

    assert set(columns.values()) - {None} <= {one.searched and one.searched.column for one in seen}, (
        "it read every switch"
    )
    for one in seen:
        assert one.searched is not None, "some space is always searched"
        assert [columns[space.id] for space in one.spaces if space] == [s.column for s in one.spaces if s]
        assert not one.share or one.beside


def test_a_second_move_waits_for_the_first(ledger: Ledger) -> None:
    """A table makes one at a time; after the way back another may begin."""
    move = begun(ledger)
    with pytest.raises(MigrationRefused, match="one at a time"):
        ledger.moves.begin(move.old, move.new, "other", "bob")
    ledger.moves.to(move.id, Stage.ROLLED_BACK, "ann")
    again = ledger.moves.begin(move.old, move.new, "other", "bob")

    assert [m.id for m in ledger.moves.all()] == [move.id, again.id]


def test_the_database_itself_holds_one_open_move(ledger: Ledger) -> None:
    """A second one under way can't be written, whoever looked away."""
    begun(ledger)
    values = {"id": "x", "seq": 9, "old_space": "a", "new_space": "b", "column": "c", "open": True}
    with pytest.raises(sa.exc.IntegrityError), ledger.transaction() as conn:
        conn.execute(schema.move.insert().values(**values))

    assert len(ledger.moves.all()) == 1


@pytest.mark.parametrize(
    "spoil",
    [
        schema.move_stage.update().where(schema.move_stage.c.stage == "approved").values(by="eve"),
        schema.move_stage.update().where(schema.move_stage.c.stage == "gating").values(told='{"passed": true}'),
        schema.move_stage.delete().where(schema.move_stage.c.stage == "gating"),
        schema.move.update().values(column="embedding"),
        schema.move.update().values(new_space="another"),
    ],
    ids=["another approver", "another gate", "no gate", "another column", "another space"],
)
def test_a_stage_that_was_changed_is_seen(ledger: Ledger, spoil: sa.Executable) -> None:
    """Nobody approves in another's name, or makes a gate pass, by writing into the database."""
    move = begun(ledger)
    for stage in FORWARD[:3]:
        ledger.moves.to(move.id, stage, "bob")
    with ledger.transaction() as conn:
        conn.execute(spoil)
    with pytest.raises(LedgerCorrupt):
        ledger.verify()


@given(st.lists(st.sampled_from(list(Stage)), max_size=30))
@settings(max_examples=60, deadline=None)
def test_whatever_is_asked_the_record_follows_the_stages(wanted: list[Stage]) -> None:
    """Any stages in any order: what is refused changes nothing, one space is active, and the chain holds."""
    ledger = Ledger.in_memory()
    move = begun(ledger)
    passed = [Stage.REGISTERED]
    for stage in wanted:
        try:
            ledger.moves.to(move.id, stage, "ann")
            passed.append(stage)
        except MendoryError:
            assert stage not in FOLLOWS[passed[-1]]
        held = states(ledger)

        assert [i for i, state in held.items() if state == "active"] == [
            move.new if passed[-1] in SEARCHED else move.old
        ]
    assert [p.stage for p in ledger.moves.all()[0].passed] == passed
    assert ledger.verify() == len(passed)
    ledger.close()


# --- the canary -------------------------------------------------------------------------------


@given(st.text(max_size=20), st.text(max_size=40), st.sampled_from(SHARES))
def test_who_takes_part_takes_part_at_every_larger_share(scope: str, query: str, share: float) -> None:
    """A query does not jump between the spaces as the share grows."""
    took = takes_part(scope, query, share)

    assert not took or all(takes_part(scope, query, larger) for larger in SHARES if larger >= share)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("text", ["what does user {} like", "用户{}喜欢什么"], ids=["en", "zh"])
def test_the_share_is_the_share(share: float, text: str) -> None:
    """Of 20,000 queries so many take part, in either language."""
    took = sum(takes_part("u", text.format(n), share) for n in range(20_000))

    assert took / 20_000 == pytest.approx(share, rel=0.2)


@pytest.mark.parametrize(
    ("new", "old", "what"),
    [
        ([10.0] * 100, [10.0] * 200, "go_on"),
        ([10.0] * 99, [10.0] * 200, "wait"),
        ([10.0] * 200, [10.0] * (FEWEST - 1), "wait"),
        ([10.0] * 180 + [40.0] * 20, [10.0] * 200, "abort"),
        ([16.0] * FEWEST, [10.0] * 200, "abort"),
        ([10.0] * 19 + [5000.0], [10.0] * 200, "wait"),
        ([10.0] * 99 + [5000.0], [10.0] * 200, "go_on"),
        ([10.0] * 94 + [40.0] * 6, [10.0] * 200, "wait"),
        ([15.0] * 200, [10.0] * 200, "go_on"),
        ([6.9] * 200, [2.0] * 200, "go_on"),
        ([7.1] * 200, [2.0] * 200, "abort"),
        ([FAILED] * 6 + [10.0] * 14, [10.0] * 200, "abort"),
        ([], [], "wait"),
    ],
    ids=[
        "sound",
        "few",
        "few old",
        "slow tail",
        "slow early",
        "one slow by chance",
        "one slow of many",
        "not certain",
        "bound",
        "a few ms",
        "more than a few",
        "answers that never came",
        "nothing",
    ],
)
def test_the_canary_goes_on_waits_or_ends(new: list[float], old: list[float], what: str) -> None:
    """It ends as soon as it is certainly slower, before the minimum too, and goes on only where enough was seen."""
    assert quick(new, old, minimum=100).what == what


@pytest.mark.parametrize(
    ("lost", "what"), [(0, "go_on"), (5, "go_on"), (20, "abort"), (100, "abort")], ids=["none", "five", "twenty", "all"]
)
def test_the_canary_ends_when_memories_no_longer_find_themselves(lost: int, what: str) -> None:
    """A share of the probes that lost the first place for certain ends it; a few do not."""
    old, new = np.ones(100), np.ones(100)
    new[:lost] = 0.0

    assert hits(changed(old, new, [str(n) for n in range(100)])).what == what


@pytest.mark.parametrize("seed", range(3))
def test_spaces_alike_end_the_canary_in_few_of_many_looks(seed: int) -> None:
    """Recalls of one heavy-tailed kind in both spaces, and probes that differ by chance: no look of many ends it."""
    rng = np.random.default_rng(seed)
    ended = 0
    for _ in range(100):
        new, old = (rng.lognormal(2.5, 0.5, size).tolist() for size in (rng.integers(20, 300), 1000))
        a, b = (rng.random(100) < 0.9 for _ in range(2))
        ended += quick(new, old, 200).what == "abort"
        ended += hits(changed(a.astype(float), b.astype(float), [str(n) for n in range(100)])).what == "abort"

    assert ended == 0
