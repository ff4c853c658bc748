"""The story: a crowd at work, a table moved and taken back under it, acts killed on the way, and what came of it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mendory.migration.stages import Stage
from tests.moving import oracle
from tests.moving.driver import Driver
from tests.moving.journal import told
from tests.moving.looking import WRITERS, Looking, Taken, taken
from tests.moving.oracle import NEW, OLD, Answer
from tests.moving.programs import Crowd, until
from tests.moving.setting import Setting, turn_to

ACTS = {
    "start": (0.08, 3.0),
    "fill": (0.32, 20.0),
    "gate": (0.12, 60.0),
    "approve": (0.08, 2.0),
    "go-on": (0.16, 5.0),
    "look": (0.08, 10.0),
    "fill again": (0.08, 6.0),
    "rollback": (0.08, 1.0),
}
"""Which share of the kills falls on which act, and about how many seconds it takes with 20,000 rows."""
PATIENCE = 900.0
RECALLS = 50
"""Recalls between two looks at the canary: the 20 of each space that a share asks for, and some more."""
CALM = 3.0
"""Seconds in which every program has met the pointer again."""


@dataclass(frozen=True)
class Plan:
    """How large a run is. `pauses` are those between the things each of the four programs does.

    `before` and `hurried` are the seconds in which the crowd is seen before the move: as it works throughout, and with
    writers in a hurry, as they are while rows are written that the way back has to keep. `guess` is how long an act
    takes until one has ended, as a share of what `ACTS` says.
    """

    kills: int
    seed: int
    before: float
    hurried: float
    later_writes: int
    pauses: tuple[float, float, float, float]
    guess: float = 1.0


@dataclass
class Told:
    """Moments of the run, in `time.time()`, and the table at three of them."""

    moments: dict[str, float] = field(default_factory=dict)
    filled: Taken | None = None
    soaked: Taken | None = None
    ended: Taken | None = None
    column: str = ""
    kills: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    aborted: list[str] = field(default_factory=list)


class Story:
    """One run in the setting's folder."""

    def __init__(self, setting: Setting, plan: Plan, say: Callable[[str], None]) -> None:
        self._setting, self._plan, self._say = setting, plan, say
        folder, config = setting.folder, setting.config
        self._driver = Driver(folder, config.ledger_url, random.Random(plan.seed))
        self._told = Told()
        self._began = time.monotonic()

    def tell(self) -> Told:
        """The whole run; nothing of it goes on afterwards."""
        plan, setting, told = self._plan, self._setting, self._told
        named = "embedding" if setting.pair.same_width else "-"
        crowd = Crowd(setting.folder, plan.seed, plan.pauses, named)
        try:
            self._mark("begun", f"the crowd is at work; {plan.before:.0f} s before anything is moved")
            time.sleep(plan.before)
            self._mark("before_hurry", f"{plan.hurried:.0f} s with writers in a hurry")
            crowd.hurry_writers()
            time.sleep(plan.hurried)
            crowd.hurry_writers()
            turn_to(setting)
            self._mark("start", "the new model is configured")
            parts = (self._start, self._fill, self._gate, self._canary, lambda: self._soak(crowd), self._back)
            for part in parts:
                part()
                crowd.require()
            time.sleep(CALM)
            self._mark("end", "the way back is behind us")
        finally:
            told.wrong += crowd.stop()
        told.ended = taken(setting.folder, told.column)
        told.kills, told.wrong = self._driver.kills, told.wrong + self._driver.wrong
        return told

    def _start(self) -> None:
        self._killed("start")
        self._told.column = self._driver.act("start")["column"]
        self._mark("started", "begun")

    def _fill(self) -> None:
        self._killed("fill")
        since, done = self._filled()
        self._told.filled = taken(self._setting.folder, self._told.column)
        self._told.moments["filled_since"] = since
        self._mark("filled", f"{done['rows']} rows in the last call, {done['waiting']} wait")

    def _filled(self) -> tuple[float, dict[str, Any]]:
        """When the last call of the filling was begun, and what it said; others may write on meanwhile."""
        while True:
            since = time.time()
            done = self._driver.act("fill")
            if done["rows"] < 500:
                return since, done

    def _gate(self) -> None:
        self._killed("gate")
        found = self._driver.act("gate")
        self._mark("gated", f"the gate: {'passed' if found['passed'] else found['reasons']}")
        if not found["passed"]:
            raise RuntimeError(f"The gate refused: {found}")
        self._killed("approve", Stage.APPROVED)
        if self._driver.move().stage is Stage.GATING:
            self._driver.act("approve")
        self._mark("approved", "approved")

    def _canary(self) -> None:
        self._killed("go-on", Stage.SOAKING)
        end = time.monotonic() + PATIENCE
        while self._driver.move().stage is not Stage.SOAKING:
            heard = self._recalls()
            found = self._driver.act("go-on")
            self._say(f"          {found['stage']}: {found['why']}")
            if time.monotonic() > end:
                raise RuntimeError(f"The canary came to nothing: {found}")
            if found["stage"] == Stage.GATING.value:  # it ended by itself: a person looks, and approves anew
                self._told.aborted.append(found["why"])
                self._driver.act("gate")
                self._driver.act("approve")
            # to ask sooner costs a process that loads two models, and hears that recalls are missing
            until(lambda seen=heard: self._recalls() >= seen + RECALLS, PATIENCE, "recalls")
        self._mark("switched", "switched")

    def _soak(self, crowd: Crowd) -> None:
        self._killed("look")
        self._driver.act("look")
        self._mark("hurry", "looked at; writers are in a hurry")
        crowd.hurry_writers()
        self._killed("fill again")
        since = self._told.moments["switched"]
        until(lambda: self._written(since) >= self._plan.later_writes, PATIENCE, "later writes")
        crowd.hurry_writers()
        self._mark("calm", "writers pause as before")
        self._told.moments["soaked_since"] = self._filled()[0]
        self._told.soaked = taken(self._setting.folder, self._told.column)
        self._mark("soaked", f"{self._written(since)} rows written since the switch")

    def _back(self) -> None:
        self._killed("rollback", Stage.ROLLED_BACK)
        if self._driver.move().stage is not Stage.ROLLED_BACK:
            self._driver.act("rollback")
        self._mark("back", "taken back")

    def _killed(self, act: str, over: Stage | None = None) -> None:
        """The share of the kills that falls on this act, and those that earlier acts were too quick for."""
        names = list(ACTS)
        due = round(self._plan.kills * sum(ACTS[name][0] for name in names[: names.index(act) + 1]))
        guess = self._plan.guess * ACTS[act][1]
        self._driver.killed(act.split()[0], max(0, due - sum(self._driver.kills.values())), guess, over)

    def _recalls(self) -> int:
        """Recalls of the agent so far."""
        return sum(1 for _ in told(self._setting.folder, "agent-read"))

    def _written(self, since: float = 0.0) -> int:
        """Rows that both writers wrote since then."""
        folder = self._setting.folder
        held = [oracle.writes_of(told(folder, name)) for name in WRITERS]
        return sum(len(w.rows) for writes in held for w in writes if w.done is not None and w.begun >= since)

    def _mark(self, moment: str, words: str) -> None:
        self._told.moments[moment] = time.time()
        kills = sum(self._driver.kills.values())
        self._say(f"{time.monotonic() - self._began:6.0f} s  {moment}: {words}; {kills} kills")


def figures(setting: Setting, told: Told, switched: float, back: float) -> dict[str, Any]:
    """What the oracle says of the run; `switched` and `back` are when the ledger's pointer was written."""
    looking, at = Looking(setting), told.moments
    history, spaces = looking.history, looking.spaces
    own, foreign = looking.answers["agent-read"], looking.answers["foreign-read"]
    seen = [(one, oracle.spaces_of(one, history, spaces)) for one in own if one.raised is None]
    plain = [(one, oracle.spaces_of(one, history, spaces)) for one in foreign if one.raised is None]
    assert told.filled is not None
    assert told.soaked is not None
    assert told.ended is not None
    writes = looking.writes["foreign-write"]
    bare = {
        "filled": oracle.unexplained(oracle.unfresh(told.filled.rows, NEW, spaces[NEW]), writes, at["filled_since"]),
        "soaked": oracle.unexplained(oracle.unfresh(told.soaked.rows, NEW, spaces[NEW]), writes, at["soaked_since"]),
    }
    return {
        "rows": len(told.ended.ids),
        "rows_before": len(setting.texts),
        "kills": sum(told.kills.values()),
        "kills_by_act": told.kills,
        "ledger_wrong": told.wrong,
        "canary_aborted": told.aborted,
        "recalls": {"own": len(own), "foreign": len(foreign), "from_new": sum(s == {NEW} for _, s in seen)},
        "unanswered": {"own": len(oracle.unanswered(own)), "foreign": len(oracle.unanswered(foreign))},
        "mixed": {"own": sum(not s for _, s in seen), "foreign": sum(OLD not in s for _, s in plain)},
        "writes": sum(len(w.rows) for w in history.writes if w.done is not None),
        "writes_refused": len(oracle.refused(history.writes)),
        "refused_why": [w.raised for w in history.writes if w.raised is not None][:3],
        "compactions": {
            "done": sum(w.op == "compact" and w.done is not None for w in history.writes),
            "preempted": sum(w.op == "compact" and w.raised is not None for w in history.writes),
        },
        "later_writes": sum(len(w.rows) for w in history.writes if w.done is not None and switched <= w.begun < back),
        "rows_lost": len(oracle.lost(history, told.ended.ids, told.ended.rows)),
        "new_vectors_not_fresh": {name: len(ids) for name, ids in bare.items()},
        "old_vectors_not_fresh": len(oracle.unfresh(told.ended.rows, OLD, spaces[OLD])),
        "old_vectors_changed": len(oracle.changed_bits(history, told.ended.rows, setting.vectors)),
        "models_again": round(looking.old_again(300), 6),
        "switch_s": round(oracle.lag(seen, switched, OLD, back), 3),
        "back_s": round(oracle.lag(seen, back, NEW), 3),
        "p95_ms": {"own": _p95s(own, at), "foreign": _p95s(foreign, at)},
    }


SPANS: Mapping[str, Sequence[tuple[str, str]]] = {
    "before": [("begun", "before_hurry")],
    "during": [("start", "hurry"), ("calm", "end")],
    "before_hurried": [("before_hurry", "start")],
    "hurried": [("hurry", "calm")],
    "filling": [("start", "filled")],
    "gate": [("filled", "approved")],
    "canary": [("approved", "switched")],
    "soak": [("switched", "hurry")],
    "back": [("calm", "end")],
}
"""Between which moments the P95 is told; writers in a hurry load the table, so those spans are held to one another."""


def _p95s(answers: list[Answer], at: dict[str, float]) -> dict[str, float | None]:
    """P95 before, during, and in each span of the run."""
    found = {name: oracle.p95(answers, [(at[a], at[b]) for a, b in pairs]) for name, pairs in SPANS.items()}
    return {name: None if one is None else round(one, 2) for name, one in found.items()}
