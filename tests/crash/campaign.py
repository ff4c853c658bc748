"""Rounds of kills: a fresh table and ledger, foreign writers, one executor after another killed and judged."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from mendory.errors import LedgerCorrupt
from mendory.ledger import Ledger
from tests.crash import foreign, history, ledgerfile, table, worker
from tests.crash.applying import Cut, cut_one
from tests.crash.mutants import ALL as MUTANTS
from tests.crash.oracle import Broken, Judged, judge, totals
from tests.crash.places import ledger_url, on_server
from tests.crash.processes import Started

KILLS_PER_ROUND = 25
LANES = 2
MUTANT_KILLS_PER_ROUND = 10
MUTANT_ROUNDS = 6
KILLS_PER_CUT = 15
"""One whole run of `apply` is killed for so many killed executors."""
SHARE_IN_WINDOW = 0.30
SHARE_AFTER_COMMIT = 0.10
SHARES_FROM = 200
"""Below this many kills the two shares say nothing and only have to be above zero."""


@dataclass(frozen=True, slots=True)
class Round:
    """What a round is: all of it follows from the seed."""

    seed: int
    kills: int
    mutant: str | None = None
    server: str = ""

    def hot(self, rng: random.Random) -> int:
        """How many rows everybody writes to; few for mutants, so that writers meet."""
        return 80 if self.mutant else rng.choice((120, 400, table.ROWS))

    def rest(self, rng: random.Random) -> float:
        """How long a foreigner pauses after a write, in times what the write took."""
        return 2.0 if self.mutant else rng.choice((4.0, 10.0, 25.0))

    def absence(self, rng: random.Random) -> float:
        """Seconds between a death and the next executor, in which the table is the foreigners' alone."""
        return rng.uniform(0.5, 1.5) if self.mutant else rng.choice((0.0, rng.uniform(0, 1.5)))


@dataclass(frozen=True, slots=True)
class Fate:
    """One kill, judged after death: an intent of the dead was open; its commit was in the table already."""

    in_window: bool
    after_commit: bool


@dataclass(frozen=True, slots=True)
class Report:
    """What a round came to."""

    round: Round
    fates: tuple[Fate, ...]
    broken: tuple[Broken, ...]
    judged: Judged


# --- one round ------------------------------------------------------------------------------------


def run_round(spec: Round) -> Report:
    """The round's kills, the final recovery, and the oracle's word."""
    with TemporaryDirectory(prefix="mendory-crash-") as name, on_server(Path(name), spec.server):
        folder = Path(name)
        rng = random.Random(spec.seed)
        table.build(folder, spec.seed)
        hot, rest = spec.hot(rng), spec.rest(rng)
        broken: list[Broken] = []
        fates: list[Fate] = []
        killer = Killer(rng)
        with foreigners(folder, spec.seed, hot, rest):
            for _ in range(spec.kills):
                fate = kill_one(folder, killer, hot, spec.mutant, broken)
                if fate is not None:
                    fates.append(fate)
                time.sleep(spec.absence(rng))
            broken += recover_cleanly(folder, spec.mutant)
        broken += verify_chain(folder)
        judged = judge(folder)
        return Report(spec, tuple(fates), (*broken, *judged.broken), judged)


@contextmanager
def foreigners(folder: Path, seed: int, hot: int, rest: float) -> Iterator[None]:
    """Two foreign writers are at work inside the block and have ended, of themselves, after it."""
    errors = folder / "foreign.err"
    started = [
        Started(foreign.write, errors, folder, name, seed * 10 + at, hot, rest) for at, name in enumerate(("a", "b"))
    ]
    try:
        for process in started:
            process.await_word("ready")
        yield
    finally:
        codes = [process.end(signal.SIGTERM) for process in started]
    if any(codes):
        raise RuntimeError(f"A foreign writer failed, so its log is incomplete: {started[0].last_words()}")


@dataclass
class Killer:
    """Kills executors at seeded random times, counted in the time a job takes on this machine."""

    rng: random.Random
    pace: float = 0.25

    def strike(self, process: Started) -> int:
        """The exit code of the process, killed so long after something it said."""
        word, times, jobs = self.moment()
        said: list[float] = []
        while len(said) < times and process.await_word(word):
            said.append(time.monotonic())
        for one, other in pairwise(said):
            self.pace += 0.2 * (other - one - self.pace)
        if len(said) == times:
            time.sleep(jobs * self.pace)
        return process.end(signal.SIGKILL)

    def moment(self) -> tuple[str, int, float]:
        """(word, how often it is said, jobs later): in opening, in recovery, anywhere, or in the midst of work."""
        part = self.rng.random()
        if part < 0.05:
            return "imported", 1, self.rng.uniform(0, 0.6)
        if part < 0.19:
            return "ready", 1, self.rng.uniform(0, 0.8)
        if part < 0.25:
            return "ready", 1, self.rng.uniform(0, 3)
        return "job", self.rng.choice((1, 2, 3)), self.rng.uniform(0.15, 1.2)


def kill_one(folder: Path, killer: Killer, hot: int, mutant: str | None, broken: list[Broken]) -> Fate | None:
    """One executor starts, is killed, and its death is judged; None when it died by itself."""
    seed = killer.rng.randrange(2**31)
    process = Started(worker.work, folder / "worker.err", folder, seed, hot, mutant, False)
    if killer.strike(process) != -signal.SIGKILL:
        broken.append(Broken("executor_failed", process.last_words()))
        return None
    return fate_of(folder, process.pid)


def fate_of(folder: Path, process: int) -> Fate:
    """What the ledger and the table say of the process that has just died."""
    left = ledgerfile.open_intents(folder, process)
    return Fate(bool(left), any(history.carries(folder, r.rid, r.base_version) for r in left))


def recover_cleanly(folder: Path, mutant: str | None) -> list[Broken]:
    """A last executor recovers undisturbed by us, though not by the foreigners."""
    process = Started(worker.work, folder / "worker.err", folder, 0, table.ROWS, mutant, True)
    return [Broken("recovery_failed", process.last_words())] if process.end() else []


def verify_chain(folder: Path) -> list[Broken]:
    """The ledger's hash chain holds."""
    ledger = Ledger.open(ledger_url(folder))
    try:
        ledger.verify()
    except LedgerCorrupt as error:
        return [Broken("chain_broken", str(error))]
    finally:
        ledger.close()
    return []


# --- many rounds ----------------------------------------------------------------------------------


def rounds_of(kills: int, seed: int, server: str = "") -> list[Round]:
    """That many kills in rounds, each with a seed of its own."""
    sizes = [KILLS_PER_ROUND] * (kills // KILLS_PER_ROUND) + [kills % KILLS_PER_ROUND]
    return [Round(seed * 100_000 + at, size, server=server) for at, size in enumerate(s for s in sizes if s)]


@dataclass
class Campaign:
    """What all rounds came to so far."""

    asked: int
    fates: list[Fate] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    survivors: list[str] = field(default_factory=list)

    def add(self, report: Report) -> None:
        """The round is counted."""
        self.fates += report.fates
        self.broken += report.broken

    def verdict(self) -> dict[str, int | bool]:
        """The last line: kills, where they fell, the four counts, and whether all is as it must be."""
        kills = len(self.fates)
        inside, after = sum(f.in_window for f in self.fates), sum(f.after_commit for f in self.fates)
        enough = (SHARE_IN_WINDOW, SHARE_AFTER_COMMIT) if self.asked >= SHARES_FROM else (0.0, 0.0)
        shares = min(inside, after) > 0 and inside >= enough[0] * kills and after >= enough[1] * kills
        counts = totals(self.broken)
        ok = kills >= self.asked and shares and not any(counts.values()) and not self.survivors
        return {"kills": kills, "in_window": inside, "after_commit": after, **counts, "ok": ok}


def run(
    kills: int, seed: int, with_mutants: bool, side_by_side: int = LANES, server: str = ""
) -> dict[str, int | bool]:
    """The campaign with a line per round; returns the verdict. The ledgers are files, or on the server at that URL."""
    campaign = Campaign(kills)
    began = time.monotonic()
    with ProcessPoolExecutor(side_by_side, mp_context=get_context("spawn")) as lanes:
        waiting = [lanes.submit(run_round, spec) for spec in rounds_of(kills, seed, server)]
        cutting = [lanes.submit(cut_one, seed * 1000 + at, server) for at in range(max(1, kills // KILLS_PER_CUT))]
        for done in as_completed(waiting):
            report = done.result()
            campaign.add(report)
            _say(report, campaign, time.monotonic() - began)
        for cut in as_completed(cutting):
            campaign.broken += cut.result().broken
            _say_cut(cut.result())
        refuting = [lanes.submit(refute, name, seed) for name in MUTANTS] if with_mutants else []
        for refuted in as_completed(refuting):
            name, killed, broken = refuted.result()
            if not broken:
                campaign.survivors.append(name)
            _say_mutant(name, killed, broken)
    return campaign.verdict()


def refute(mutant: str, seed: int) -> tuple[str, int, list[Broken]]:
    """(mutant, kills it took, rules it broke): rounds against the mutant until the oracle fails it."""
    killed = 0
    for at in range(MUTANT_ROUNDS):
        number = seed * 100_000 + 90_000 + 100 * sorted(MUTANTS).index(mutant) + at
        report = run_round(Round(number, MUTANT_KILLS_PER_ROUND, mutant))
        killed += len(report.fates)
        if report.broken:
            return mutant, killed, list(report.broken)
    return mutant, killed, []


def _say(report: Report, campaign: Campaign, seconds: float) -> None:
    verdict, seen = campaign.verdict(), report.judged
    print(
        f"{seconds:6.0f} s  round {report.round.seed}: {len(report.fates)} kills, {seen.versions} versions, "
        f"{seen.repairs} repairs, {seen.rollbacks} rollbacks, {seen.foreign} foreign writes; so far {verdict['kills']} "
        f"kills, {verdict['in_window']} in an open intent, {verdict['after_commit']} after its commit, "
        f"{len(campaign.broken)} rules broken",
        flush=True,
    )
    for broken in report.broken[:10]:
        print(f"          {broken.rule} ({broken.count}): {broken.detail}", flush=True)


def _say_cut(cut: Cut) -> None:
    rules = "; ".join(b.detail for b in cut.broken) or "the next run verified all of it"
    print(f"apply killed with {cut.in_place} of {cut.of} repairs in place: {rules}", flush=True)


def _say_mutant(name: str, killed: int, broken: Sequence[Broken]) -> None:
    if not broken:
        print(f"mutant {name}: NOT refuted in {killed} kills", flush=True)
        return
    rules = ", ".join(f"{rule} ×{n}" for rule, n in Counter(b.rule for b in broken).most_common())
    print(f"mutant {name}: refuted within {killed} kills by {rules}; first {broken[0].detail}", flush=True)
