"""The canary driven: its shares grow, wait and end by what recalls and probes say; the switch, and kills anywhere."""

from __future__ import annotations

import itertools
import multiprocessing
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mendory
from mendory import canarying
from mendory.canarying import Act, Went, share_of
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.door.ledger import LedgerView
from mendory.errors import MigrationRefused
from mendory.ledger import Ledger
from mendory.migration.canary import SHARES, hits, quick, takes_part
from mendory.migration.quality import changed
from mendory.migration.stages import Stage
from mendory.migration.void import Void
from mendory.migration.words import VOIDS
from mendory.recalls import FAILED, seen
from mendory.report.reasons import chinese
from mendory.spaces import Fingerprint, SpaceState
from mendory.spaces.pointer import Pointed
from mendory.thresholds import Origin, Threshold, key
from tests.canary_kit import NEW, OLD, TEXTS, WANTED, canary_ready, models, move_of, new_words, old_words, recalled
from tests.conftest import FakeClock
from tests.moving_kit import COLUMN, FORWARD, Words


@pytest.fixture(autouse=True)
def _approval_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kit's moves were approved on no gate; what voids a word is for tests/test_gated.py."""
    monkeypatch.setattr(canarying, "still_stands", lambda clinic, move: None)


@pytest.fixture
def clock() -> FakeClock:
    """The clock of ledger, clinic and recalls."""
    return FakeClock()


def went(config: Config, clock: FakeClock) -> Went:
    """One call, by a process of its own."""
    return canarying.go_on(Clinic(config, clock), "bob", models)


def answered(config: Config, clock: FakeClock, new_ms: float = 10.0, count: int = WANTED) -> None:
    """Recalls of both spaces, a moment after the share began."""
    move = move_of(config)
    clock.move(seconds=1)
    recalled(config, clock, move.old)
    recalled(config, clock, move.new, new_ms, count)


@pytest.mark.parametrize(
    "bare",
    [
        {},
        {"long": "Guest likes cake near the window, never at noon. " * 200},
        {"long": "客人在湖边喝茶，从不加糖。" * 700},
    ],
    ids=["none", "en", "zh"],
)
def test_a_good_space_is_switched_to_after_every_share(tmp_path: Path, clock: FakeClock, bare: dict[str, str]) -> None:
    """1, 10 and 50 %, each after enough recalls; then the new space is searched and soaks, each stage on record.

    A memory that no model takes for its length stands in no way.
    """
    config = canary_ready(tmp_path, clock, bare=bare)
    acts = [went(config, clock)]
    for _ in SHARES:
        acts.append(went(config, clock))
        answered(config, clock)
        acts.append(went(config, clock))
    acts.append(went(config, clock))
    move = move_of(config)

    assert [(a.act, a.share) for a in acts] == [
        (Act.BEGAN, 0.01),
        (Act.WAITS, 0.01),
        (Act.GREW, 0.1),
        (Act.WAITS, 0.1),
        (Act.GREW, 0.5),
        (Act.WAITS, 0.5),
        (Act.SWITCHED, 1.0),
        (Act.SOAKS, 0.0),
    ]
    assert [(p.stage, p.told.get("share")) for p in move.passed[-5:]] == [
        (Stage.CANARY, 0.01),
        (Stage.CANARY, 0.1),
        (Stage.CANARY, 0.5),
        (Stage.SWITCHED, None),
        (Stage.SOAKING, None),
    ]
    assert acts[6].seconds is not None
    assert acts[6].seconds < 1.0
    assert Clinic(config, clock).pointer.searched.id == move.new  # type: ignore[union-attr]


def test_while_it_waits_it_says_for_what(tmp_path: Path, clock: FakeClock) -> None:
    """How many recalls came so far, of how many; recalls of the share before count no more."""
    config = canary_ready(tmp_path, clock)
    went(config, clock)
    answered(config, clock, count=22)
    first = went(config, clock)
    answered(config, clock)
    went(config, clock)
    second = went(config, clock)

    assert (Act.WAITS, 22, WANTED, f"22 of {WANTED} recalls of the new space") == (
        first.act,
        first.recalls,
        first.wanted,
        first.reason,
    )
    assert (0.1, 0, "0 of 20 recalls of the old space") == (second.share, second.recalls, second.reason)
    assert len(move_of(config).passed) == 6, "waiting leaves no record"


@pytest.mark.parametrize("share", range(len(SHARES)))
@pytest.mark.parametrize("ms", [40.0, FAILED], ids=["slow", "never"])
def test_a_slow_space_ends_the_canary(tmp_path: Path, clock: FakeClock, share: int, ms: float) -> None:
    """At every share, before its minimum too: recalls go to the old space, the numbers are kept, a person looks."""
    config = canary_ready(tmp_path, clock)
    went(config, clock)
    for _ in range(share):
        answered(config, clock)
        went(config, clock)
    answered(config, clock, ms, 20)
    ended = went(config, clock)
    move = move_of(config)

    assert (Act.ABORTED, Stage.GATING) == (ended.act, move.stage)
    assert (SHARES[share], 20, WANTED) == tuple(move.passed[-1].told[k] for k in ("share", "recalls", "recalls_old"))
    assert move.passed[-1].told["aborted"] == ended.reason
    assert "against 10.0 ms" in ended.reason
    with mendory.open(config, embedder=[old_words(), new_words()], clock=clock) as door:
        door.recall("anything", "u1", 1)
    assert list(seen(config.telemetry_path, config.door_place, clock(), clock() + timedelta(days=1), usual=False)) == []
    with pytest.raises(MigrationRefused, match=r"at the gate|gating"):
        went(config, clock)


def damaged(config: Config) -> None:
    """Every vector of the new column is a random one."""
    rng = np.random.default_rng(3)
    made = rng.standard_normal((len(TEXTS), NEW)).astype(np.float32)
    table = lancedb.connect(config.table_uri).open_table("memories")
    ids = table.to_arrow().column("id")
    column = pa.FixedSizeListArray.from_arrays(pa.array(made.ravel()), NEW)
    table.merge_insert("id").when_matched_update_all().execute(pa.table({"id": ids, COLUMN: column}))


@pytest.mark.parametrize("when", range(len(SHARES) + 1))
def test_a_damaged_space_ends_the_canary_by_its_probes(tmp_path: Path, clock: FakeClock, when: int) -> None:
    """Memories that no longer find themselves: before the first share, between shares, and before the switch."""
    config = canary_ready(tmp_path, clock)
    for _ in range(when):
        went(config, clock)
        answered(config, clock)
    damaged(config)
    ended = went(config, clock)
    move = move_of(config)

    assert (Act.ABORTED, Stage.GATING) == (ended.act, move.stage)
    assert "probes find themselves first" in str(move.passed[-1].told["aborted"])
    assert Stage.SWITCHED not in [p.stage for p in move.passed]


@pytest.mark.parametrize("when", [0, 3], ids=["before the canary", "before the switch"])
def test_an_approval_that_holds_no_more_sends_back_to_the_gate(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, when: int
) -> None:
    """Neither a share nor the switch comes of it, and the reason is on record."""
    config = canary_ready(tmp_path, clock)
    for _ in range(when):
        went(config, clock)
        answered(config, clock)
    monkeypatch.setattr(canarying, "still_stands", lambda clinic, move: Void.ROWS_CHANGED)
    back = went(config, clock)
    move = move_of(config)

    assert (Act.VOID, Stage.GATING, "rows_changed") == (back.act, move.stage, move.passed[-1].told["void"])


def test_without_the_new_spaces_thresholds_there_is_no_switch(tmp_path: Path, clock: FakeClock) -> None:
    """A language calibrated in the old space alone is named; once it is calibrated the switch comes."""
    config = canary_ready(tmp_path, clock)
    ledger = Ledger.open(config.ledger_url, clock)
    ledger.thresholds.keep(Threshold(key("old"), "zh", 0.9, Origin.CALIBRATED, 0.9), "ann")
    for _ in SHARES:
        went(config, clock)
        answered(config, clock)
    with pytest.raises(MigrationRefused, match="thresholds of zh"):
        went(config, clock)
    assert move_of(config).stage is Stage.CANARY
    ledger.thresholds.keep(Threshold(key("new"), "zh", 0.9, Origin.CALIBRATED, 0.9), "ann")

    assert went(config, clock).act is Act.SWITCHED


@pytest.mark.parametrize("stage", [Stage.FILLING, Stage.GATING])
def test_out_of_order_is_refused_with_what_comes_next(tmp_path: Path, clock: FakeClock, stage: Stage) -> None:
    """No share of recalls before a person's word."""
    config = canary_ready(tmp_path, clock, stage)
    with pytest.raises(MigrationRefused, match=r"Nothing was changed\. Next:"):
        went(config, clock)

    assert move_of(config).stage is stage


def test_what_others_wrote_meanwhile_is_filled_before_a_share_grows(tmp_path: Path, clock: FakeClock) -> None:
    """A row of a writer that knows one column only has its new vector before the new space is searched."""
    config = canary_ready(tmp_path, clock)
    table = lancedb.connect(config.table_uri).open_table("memories")
    row = table.to_arrow().slice(0, 1).drop_columns([COLUMN])
    extra = row.set_column(row.schema.get_field_index("id"), "id", pa.array(["extra"]))
    table.add(extra)
    for _ in SHARES:
        went(config, clock)
        answered(config, clock)
    went(config, clock)
    held = lancedb.connect(config.table_uri).open_table("memories").search().where("id = 'extra'").to_list()

    assert held[0][COLUMN] is not None


class Killed(BaseException):
    """The process dies."""


def test_killed_before_or_after_any_write_it_goes_on(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each transaction dies once before it and once after it; every stage and share is reached once, in order."""
    config = canary_ready(tmp_path, clock)
    whole, kills = Ledger.once, {"before": 0, "after": 0}
    dying: Iterator[str] = itertools.cycle(["before", "after", ""])

    def once(self: Ledger, work: Callable[[Ledger], Any]) -> Any:
        how = next(dying)
        if how == "before":
            kills[how] += 1
            raise Killed
        done = whole(self, work)
        if how == "after":
            kills[how] += 1
            raise Killed
        return done

    monkeypatch.setattr(Ledger, "once", once)
    for _ in range(30):
        answered(config, clock)
        try:
            went(config, clock)
        except Killed:
            continue
        if move_of(config).stage is Stage.SOAKING:
            break
    move = move_of(config)

    assert [(Stage.CANARY, s) for s in SHARES] + [(Stage.SWITCHED, None), (Stage.SOAKING, None)] == [
        (p.stage, p.told.get("share")) for p in move.passed[4:]
    ]
    assert min(kills.values()) >= 2
    assert Ledger.open(config.ledger_url, clock).verify() == len(move.passed)


def test_two_that_go_on_at_once_do_it_once(tmp_path: Path, clock: FakeClock) -> None:
    """The one that comes second changes nothing of what the first did."""
    config = canary_ready(tmp_path, clock)
    went(config, clock)
    answered(config, clock)
    held = move_of(config)
    late = Clinic(config, clock)
    went(config, clock)
    now = canarying._acted(late, held, lambda ledger: ledger.moves.to(held.id, Stage.GATING, "late"))

    assert (Stage.CANARY, SHARES[1]) == (now.stage, share_of(now)[0])


# --- an agent in a process of its own ------------------------------------------------------------


def _agent(folder: str, told: Any, done: Any, slow: Any) -> None:
    """Recalls half from each space as soon as a share allows, until it is stopped; it never opens the table anew."""
    from tests.conftest import make_config

    old, new = Words("old", OLD, 0.01), Words("new", NEW, 0.01)
    config = make_config(Path(folder), migration={"canary_recalls": WANTED})
    numbers = itertools.count()
    pools: dict[bool, list[str]] = {True: [], False: []}
    with mendory.open(config, embedder=[old, new]) as door:
        while not done.is_set():
            new.slow = slow.value
            for takes in (True, False):
                while not pools[takes]:
                    query = f"drink{next(numbers) % 60} with cake and {next(numbers)}"
                    pools[takes_part("u1", query, SHARES[0])].append(query)
                try:
                    door.recall(pools[takes].pop(), "u1", 3)
                except Exception as error:  # noqa: BLE001 - the test tells it
                    told.put(repr(error))
                    return
        told.put("")


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[tuple[Path, Any]]:
    """The table's folder while an agent in another process recalls from it, and how slow its new model is."""
    canary_ready(tmp_path, mendory_clock)
    context = multiprocessing.get_context("spawn")
    told, done, slow = context.Queue(), context.Event(), context.Value("d", 0.01)
    process = context.Process(target=_agent, args=(str(tmp_path), told, done, slow))
    process.start()
    yield tmp_path, slow
    done.set()
    assert told.get(timeout=60) == "", "every recall was answered"
    process.join(60)


def mendory_clock() -> Any:
    """The time, as the agent's process has it."""
    from mendory.ledger import utc_now

    return utc_now()


def until(config: Config, act: Act, seconds: float = 90.0) -> Went:
    """Calls until that is done; fails when the canary ends otherwise."""
    end = time.monotonic() + seconds
    while True:
        found = canarying.go_on(Clinic(config), "bob", models)
        if found.act is act:
            return found
        assert found.act in (Act.WAITS, Act.BEGAN, Act.GREW), (found.act, found.reason)
        assert time.monotonic() < end, found.reason
        time.sleep(0.2)


def spaces_now(config: Config, wanted: set[str | None], seconds: float = 30.0) -> set[str | None]:
    """From which spaces recalls were answered within one second: the wanted ones, or the last seen when that is over.

    The agent's process begins, and a recall under way ends, when it can.
    """
    end, found = time.monotonic() + seconds, set[str | None]()
    while found != wanted and time.monotonic() < end:
        time.sleep(0.5)
        now = mendory_clock()
        path = config.telemetry_path
        found = set(seen(path, config.door_place, now - timedelta(seconds=1), now, usual=False))
    return found


def test_an_agent_in_another_process_follows_each_share_and_the_switch(agent: tuple[Path, Any]) -> None:
    """Without a restart: the old space alone, then both, then the new one alone, and after the way back the old."""
    from tests.conftest import make_config

    config = make_config(agent[0], migration={"canary_recalls": WANTED})
    move = move_of(config)
    wanted: list[set[str | None]] = [{move.old}, {move.old, move.new}, {move.new}, {move.old}]
    before = spaces_now(config, wanted[0])
    until(config, Act.BEGAN)
    during = spaces_now(config, wanted[1])
    until(config, Act.SWITCHED)
    after = spaces_now(config, wanted[2])
    Ledger.open(config.ledger_url).moves.to(move.id, Stage.ROLLED_BACK, "ann")
    back = spaces_now(config, wanted[3])

    assert wanted == [before, during, after, back]


def test_an_agent_in_another_process_follows_the_end_of_a_slow_canary(agent: tuple[Path, Any]) -> None:
    """A model that becomes slow while a share lasts ends it, and the agent's next recalls are of the old space."""
    from tests.conftest import make_config

    config = make_config(agent[0], migration={"canary_recalls": WANTED})
    move = move_of(config)
    until(config, Act.GREW)
    agent[1].value = 0.4
    ended = until(config, Act.ABORTED)

    assert {move.old} == spaces_now(config, {move.old})
    assert (Stage.GATING, "p95") == (move_of(config).stage, ended.reason[:3])


# --- never two spaces in one answer ----------------------------------------------------------------


def moved_again(config: Config, ledger: Ledger, to: Stage) -> None:
    """Another move to the same space, up to that stage, or the one under way taken back."""
    move = ledger.moves.current()
    if to is Stage.ROLLED_BACK:
        if move is not None:
            ledger.moves.to(move.id, Stage.ROLLED_BACK, "ann")
        return
    if move is None:
        old = ledger.spaces.active()
        assert old is not None
        new = ledger.spaces.register(Fingerprint.of(new_words()), SpaceState.FILLING, "ann", COLUMN)
        move = ledger.moves.begin(old.id, new.id, COLUMN, "ann")
    while move.stage is not to and to in FORWARD[FORWARD.index(move.stage) + 1 if move.stage in FORWARD else 0 :]:
        stage = FORWARD[FORWARD.index(move.stage) + 1] if move.stage in FORWARD else FORWARD[0]
        move = ledger.moves.to(move.id, stage, "ann", {"share": 0.5} if stage is Stage.CANARY else {})


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """A filled table that is moved to and fro."""
    return canary_ready(tmp_path_factory.mktemp("mixed"))


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    turns=st.lists(st.sampled_from([Stage.CANARY, Stage.SOAKING, Stage.ROLLED_BACK]), min_size=3, max_size=8),
    seed=st.integers(0, 999),
)
def test_no_answer_ever_mixes_spaces(mixed: Config, turns: list[Stage], seed: int) -> None:
    """Threads recall while the pointer moves: every similarity of an answer is the cosine in one space, the query's."""
    old, new = old_words(), new_words()
    texts = dict(TEXTS)
    answers: list[tuple[str, list[tuple[str, float]]]] = []
    raised: list[Exception] = []
    stop = threading.Event()

    def recalls(which: int) -> None:
        rng = random.Random(seed + which)
        while not stop.is_set():
            query = texts[rng.choice(sorted(texts))] + f" {rng.randrange(50)}"
            try:
                found = door.recall(query, "u1", 3)
            except Exception as error:  # noqa: BLE001 - none may be unanswered
                raised.append(error)
                return
            answers.append((query, [(one.id, one.similarity) for one in found]))

    ledger = Ledger.open(mixed.ledger_url, FakeClock())
    with mendory.open(mixed, embedder=[old, new], clock=FakeClock()) as door:
        threads = [threading.Thread(target=recalls, args=(n,)) for n in range(3)]
        for one in threads:
            one.start()
        for turn in turns:
            moved_again(mixed, ledger, turn)
            time.sleep(0.05)
        stop.set()
        for one in threads:
            one.join()
    ledger.close()

    def cosines(model: Words, query: str, found: list[tuple[str, float]]) -> bool:
        vectors = model.embed([query, *(texts[i] for i, _ in found)])
        return np.allclose(vectors[1:] @ vectors[0], [s for _, s in found], atol=1e-4)

    assert [] == raised
    assert len(answers) >= len(threads)
    assert [q for q, found in answers if not (cosines(old, q, found) or cosines(new, q, found))] == []
    assert all(len(found) == 3 for _, found in answers)


def test_an_agent_reads_the_pointer_whole(mixed: Config) -> None:
    """While a move goes to and fro, no answer of the ledger names one space with the other's column."""
    ledger, stop, seen = Ledger.open(mixed.ledger_url, FakeClock()), threading.Event(), set()
    columns = {s.id: s.column for s in ledger.spaces.all()}

    def reads() -> None:
        view = LedgerView(mixed.ledger_url)
        while not stop.is_set():
            seen.update(view.pointer().spaces)

    reading = threading.Thread(target=reads)
    reading.start()
    for turn in [Stage.SOAKING, Stage.ROLLED_BACK] * 8:
        moved_again(mixed, ledger, turn)
    stop.set()
    reading.join()
    known = {s.id: s.column for s in ledger.spaces.all()} | columns
    ledger.close()

    assert {None, *(Pointed(ident, column) for ident, column in known.items())} >= seen
    assert len(seen) == 3


_NUMBER = re.compile(r"\d+(?:\.\d+)?")


# --- in both languages ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        *(
            quick(new, old, 30).reason
            for new, old in (
                ([], []),
                ([9.0] * 25, [9.0] * 30),
                ([9.0] * 30, [9.0] * 30),
                ([9.0] * 28 + [90.0] * 2, [9.0] * 30),
            )
        ),
        hits(changed(np.ones(9), np.zeros(9), list("abcdefghi"))).reason,
        "somebody else went on with it",
        *(english for english, _ in VOIDS.values()),
    ],
)
def test_every_reason_has_its_chinese(said: str) -> None:
    """What the canary waits for, and why it ended, with all its numbers."""
    told = chinese(said)

    assert told is not None
    assert Counter(_NUMBER.findall(said)) == Counter(_NUMBER.findall(told))
