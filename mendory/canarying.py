"""The canary and the switch of a move, one act a call: whoever calls again goes on wherever a kill fell."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from mendory.clinic import Clinic
from mendory.embedding import Embedder
from mendory.errors import MigrationRefused
from mendory.gated import still_stands
from mendory.ledger import Ledger
from mendory.ledger.moves import Move
from mendory.migrating import Models, embedder_of, fill, space_of, under_way
from mendory.migration.canary import PROBES, SHARES, Advice, hits, quick
from mendory.migration.stages import Stage, require
from mendory.migration.words import VOIDS
from mendory.preparing import prepare, thresholds_missing
from mendory.probing import Probing
from mendory.recalls import seen
from mendory.spaces import Space
from mendory.text import shown

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
_ASKED: Final = 5
"""Queries asked of the new space after the switch: whether it answers at all."""


class Act(StrEnum):
    """What a call did; stable names."""

    BEGAN = "began"
    WAITS = "waits"
    GREW = "grew"
    SWITCHED = "switched"
    SOAKS = "soaks"
    ABORTED = "aborted"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Went:
    """What a call of `go_on` did, and why; the move as it is now.

    `reason` says what is missing while it waits. `share` is the share of recalls that the new space answers; of it
    `recalls` came since it began, of the `wanted` that it needs at least. `seconds` is how long the switch took to
    write.
    """

    move: Move
    act: Act
    reason: str = ""
    share: float = 0.0
    recalls: int = 0
    wanted: int = 0
    seconds: float | None = None
    numbers: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "move": self.move.id,
            "stage": self.move.stage.value,
            "act": self.act.value,
            "reason": self.reason,
            "share": self.share,
            "recalls": self.recalls,
            "wanted": self.wanted,
            "seconds": self.seconds,
            **self.numbers,
        }


def go_on(
    clinic: Clinic,
    by: str,
    models: Models = embedder_of,
    monotonic: Callable[[], float] = time.monotonic,
) -> Went:
    """The move is one act further on its way from its approval to its soak, or it is said what that waits for.

    Approved, it answers the first share of recalls from the new space. A share grows once enough recalls of it were as
    quick as those of the old space, and probes find themselves first as often; after the last one the new space is
    searched. What does worse ends it: recalls go to the old space at once, and the move is at the gate again. So is one
    whose approval holds no more, before its first share and before the switch.

    Raises MigrationRefused, with nothing changed, in any other stage, and before the switch where a threshold of the
    old space has none in the new one; and what the models raise, with the move where it was.
    """
    move, models = under_way(clinic.ledger), _made_once(models)
    if move.stage is Stage.SOAKING:
        return Went(move, Act.SOAKS)
    if move.stage is Stage.SWITCHED:
        return _settled(clinic, move, by, models)
    if move.stage is Stage.CANARY:
        return _watched(clinic, move, by, models, monotonic)
    require(move.stage, Stage.CANARY)
    if (void := _void(clinic, move, by)) is not None:
        return void
    prepare(clinic)
    return _grown(clinic, move, by, models, SHARES[0], _NOTHING)


def share_of(move: Move) -> tuple[float, datetime]:
    """The share of recalls that the new space answers in the canary, and since when."""
    share, since = 0.0, move.passed[-1].at
    for passed in reversed(move.passed):
        told = passed.told.get("share")
        if passed.stage is not Stage.CANARY or (share and told not in (share, None)):
            break
        share, since = told or share, passed.at
    return share, since


def _watched(clinic: Clinic, move: Move, by: str, models: Models, monotonic: Callable[[], float]) -> Went:
    config, (share, since) = clinic.config, share_of(move)
    times = seen(config.telemetry_path, config.door_place, since, clinic.clock())
    new, old = times.get(move.new, ()), times.get(move.old, ())
    wanted = config.migration.canary_recalls
    advice = quick(new, old, wanted)
    seen_so_far = {"recalls": len(new), "recalls_old": len(old)}
    if advice.what == "abort":
        return _ended(clinic, move, by, advice, {"share": share, **seen_so_far})
    if advice.what == "wait":
        return Went(move, Act.WAITS, advice.reason, share, len(new), wanted)
    told = {**seen_so_far, "quick": advice.reason}
    further = next((one for one in SHARES if one > share), None)
    if further is not None:
        return _grown(clinic, move, by, models, further, told)
    return _switched(clinic, move, by, models, told, monotonic)


def _grown(clinic: Clinic, move: Move, by: str, models: Models, share: float, told: Mapping[str, Any]) -> Went:
    """The share is answered from the new space, where probes find themselves in it as in the old one."""
    found, numbers = _probed(clinic, move, models)
    if found.what == "abort":
        return _ended(clinic, move, by, found, {**told, **numbers})
    told = {**told, **numbers, "share": share}

    def grows(ledger: Ledger) -> Move:
        if move.stage is Stage.CANARY:
            return ledger.moves.note(move.id, by, told)
        return ledger.moves.to(move.id, Stage.CANARY, by, told)

    act, wanted = Act.GREW if move.stage is Stage.CANARY else Act.BEGAN, clinic.config.migration.canary_recalls
    return Went(_acted(clinic, move, grows), act, found.reason, share, 0, wanted, numbers=told)


def _switched(
    clinic: Clinic, move: Move, by: str, models: Models, told: Mapping[str, Any], monotonic: Callable[[], float]
) -> Went:
    """The new space is searched, and soaks once it answered."""
    if (void := _void(clinic, move, by)) is not None:
        return void
    if missing := thresholds_missing(clinic, move):
        space = shown(space_of(clinic.ledger, move.new).name)
        raise MigrationRefused(
            f"The old space has calibrated thresholds of {', '.join(missing)} and the new one has none: duplicates "
            "would be told by the wrong bound. The new space was not switched to. Calibrate them first: "
            f"mendory calibrate --space {space} --language {missing[0]} --save --as NAME."
        )
    prepare(clinic)
    found, numbers = _probed(clinic, move, models)
    if found.what == "abort":
        return _ended(clinic, move, by, found, {**told, **numbers})
    began = monotonic()
    now = _acted(clinic, move, lambda ledger: ledger.moves.to(move.id, Stage.SWITCHED, by, {**told, **numbers}))
    seconds = monotonic() - began
    if now.stage is not Stage.SWITCHED:  # somebody else was first
        return Went(now, Act.WAITS, "somebody else went on with it")
    settled = _settled(clinic, now, by, models, seconds)
    return Went(settled.move, Act.SWITCHED, found.reason, 1.0, numbers=numbers, seconds=seconds)


def _settled(clinic: Clinic, move: Move, by: str, models: Models, seconds: float | None = None) -> Went:
    """The move soaks: the new space, which is searched, answers."""
    clinic.follow()
    new = space_of(clinic.ledger, move.new)
    probing = Probing(clinic, (clinic.reader,), (models(clinic, new),), clinic.most_chars(new))
    if not probing.answers(_seed(move, clinic.clock()), _ASKED):
        raise MigrationRefused(
            "The new space is searched and finds nothing. It was left switched. Go back at once: mendory migrate "
            "rollback --as NAME."
        )
    told = {} if seconds is None else {"switch_seconds": round(seconds, 4)}
    return Went(_acted(clinic, move, lambda ledger: ledger.moves.to(move.id, Stage.SOAKING, by, told)), Act.SOAKS)


def _probed(clinic: Clinic, move: Move, models: Models) -> tuple[Advice, Mapping[str, Any]]:
    """Whether memories find themselves in the new space as in the old one, once what waited has its vector."""
    fill(clinic, models=models)
    spaces = [space_of(clinic.ledger, one) for one in (move.old, move.new)]
    embedders = [models(clinic, space) for space in spaces]
    probing = Probing(clinic, (clinic.reader, clinic.beside), embedders, clinic.most_chars(*spaces))
    first = probing.first(_seed(move, clinic.clock()), PROBES)
    advice = hits(first)
    return advice, {"probes": first.queries, "first_old": round(first.old, 4), "first_new": round(first.new, 4)}


def _void(clinic: Clinic, move: Move, by: str) -> Went | None:
    """What became of a move whose approval holds no more: it is at the gate again; None where it holds."""
    why = still_stands(clinic, move)
    if why is None:
        return None
    back = _acted(clinic, move, lambda ledger: ledger.moves.to(move.id, Stage.GATING, by, {"void": why.value}))
    return Went(back, Act.VOID, VOIDS[why][0])


def _ended(clinic: Clinic, move: Move, by: str, advice: Advice, told: Mapping[str, Any]) -> Went:
    """The canary is over: recalls go to the old space from the next one on."""
    told = {**told, "aborted": advice.reason}
    back = _acted(clinic, move, lambda ledger: ledger.moves.to(move.id, Stage.GATING, by, told))
    return Went(back, Act.ABORTED, advice.reason, numbers=told)


def _acted(clinic: Clinic, move: Move, work: Callable[[Ledger], Move]) -> Move:
    """The move after that work; as it is now, with nothing done, where somebody else went on with it meanwhile."""

    def once(ledger: Ledger) -> Move:
        now = next(one for one in ledger.moves.all() if one.id == move.id)
        return work(ledger) if len(now.passed) == len(move.passed) else now

    now = clinic.ledger.once(once)
    clinic.follow()
    return now


def _made_once(models: Models) -> Models:
    """The same, with each model made once: to load one takes seconds."""
    held: dict[str, Embedder] = {}

    def of(clinic: Clinic, space: Space) -> Embedder:
        if space.id not in held:
            held[space.id] = models(clinic, space)
        return held[space.id]

    return of


def _seed(move: Move, now: datetime) -> int:
    """Other memories at each look."""
    return random.Random(f"{move.id}/{now.isoformat()}").getrandbits(32)  # noqa: S311  # a sample, not a secret
