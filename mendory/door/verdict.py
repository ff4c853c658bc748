"""What a guard says of a memory before it is written. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import numpy as np

from mendory.candidates import Pairs
from mendory.detect import Settings
from mendory.detect.exact_duplicates import INCIDENTAL, ExactDuplicates
from mendory.detect.near_duplicates import NearDuplicates
from mendory.detect.neighbours import Observed
from mendory.finding import Code, Finding
from mendory.record import Memory
from mendory.thresholds import Threshold
from mendory.veto import Veto

_EXACT_SURE: Final = 1.0


class Verdict(StrEnum):
    """What a memory is to those of its scope; the words are those of the findings a check would make."""

    NEW = "new"
    DUPLICATE_EXACT = "duplicate_exact"
    """A double write: a memory says exactly the same and was written within `duplicate.window`."""
    DUPLICATE_NEAR = "duplicate_near"
    """A memory says the same in other words."""
    CONFLICT_CANDIDATE = "conflict_candidate"
    """A memory is nearly the same, and something in the texts speaks against its being one."""


class Unjudged(StrEnum):
    """Why a memory was not compared, or by its text alone."""

    OFF = "off"
    """The guard is switched off."""
    SIZE = "size"
    """The table would take more memory than `guard.max_memory_mb`."""
    FAILED = "failed"
    """The table or a language could not be read; the log names the error."""
    SCOPE = "scope"
    """The table has no scope, or the memory none."""
    TIME = "time"
    """The table does not say when a memory was written."""
    ARCHIVED = "archived"
    """The memory itself would be archived."""
    LANGUAGE = "language"
    """No language reads it: only exact double writes are found."""
    SPACE = "space"
    """Nobody knows a bound for the vectors: only exact double writes are found."""


WHOLLY: Final = frozenset(
    {Unjudged.OFF, Unjudged.SIZE, Unjudged.FAILED, Unjudged.SCOPE, Unjudged.TIME, Unjudged.ARCHIVED}
)
"""Reasons for which a memory was compared with nothing."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """A verdict; nothing was written.

    `ids` are the memories it is about, the one that says most first; of a new one those with its very text, which are
    restated. `score` is how sure two texts say the same (0..1), None for a new one. `vetoes` is what speaks against.
    `covered`: the first of an exact double write holds all that this memory says, so nothing is lost without it.
    """

    verdict: Verdict
    ids: tuple[str, ...] = ()
    score: float | None = None
    vetoes: tuple[Veto, ...] = ()
    unjudged: tuple[Unjudged, ...] = ()
    covered: bool = False


@dataclass(frozen=True, slots=True)
class Around:
    """The memories a new one is compared with: those with its text, and others, each with its cosine (NaN: none)."""

    equal: Sequence[Memory]
    near: Sequence[tuple[Memory, float]]


def judged(
    memory: Memory, around: Around, settings: Settings, limit: Threshold | None, language: str | None
) -> Guarded:
    """The verdict on a memory with an id, by the very detectors that a check runs.

    `limit` is the threshold of its language in the table's space; without one nothing is near.
    """
    why = unjudged(memory, settings, limit, language)
    if WHOLLY.intersection(why):
        return Guarded(Verdict.NEW, unjudged=why)
    equal = _exact(memory, around.equal, settings)
    ids = tuple(sorted(str(m.id) for m in around.equal))
    if equal:
        held = {str(m.id): m for m in around.equal}
        covering = [i for i in equal if covers(held[i], memory, settings.incidental)]
        ordered = (*covering, *(i for i in equal if i not in covering))
        return Guarded(Verdict.DUPLICATE_EXACT, ordered, _EXACT_SURE, unjudged=why, covered=bool(covering))
    if limit is None or language is None:
        return Guarded(Verdict.NEW, ids, unjudged=why)
    return _near(memory, around.near, settings, limit, language) or Guarded(Verdict.NEW, ids, unjudged=why)


def unjudged(memory: Memory, settings: Settings, limit: Threshold | None, language: str | None) -> tuple[Unjudged, ...]:
    """Why it is compared with nothing; else why only with equal texts."""
    reasons = {
        Unjudged.SCOPE: not memory.scope,
        Unjudged.TIME: "created_at" in settings.absent,
        Unjudged.ARCHIVED: not memory.recallable and "status" not in settings.absent,
        Unjudged.LANGUAGE: language is None,
        Unjudged.SPACE: language is not None and limit is None,
    }
    found = [reason for reason, holds in reasons.items() if holds]
    return tuple(reason for reason in found if reason in WHOLLY) or tuple(found)


def _exact(memory: Memory, equal: Sequence[Memory], settings: Settings) -> list[str]:
    """The memories of which this one is a double write."""
    detector = ExactDuplicates(
        settings.duplicate_window,
        settings.required_metadata,
        settings.owner_keys,
        settings.absent,
        settings.incidental,
    )
    held = {str(m.id): m for m in (memory, *equal)}
    for one in (memory, *equal):
        detector.observe(one)
    found = detector.findings(lambda ids: {i: held[i] for i in ids})
    return [i for f in found if f.code == Code.DUPLICATE_EXACT and memory.id in f.ids for i in f.ids if i != memory.id]


def _near(
    memory: Memory, near: Sequence[tuple[Memory, float]], settings: Settings, limit: Threshold, language: str
) -> Guarded | None:
    cosines = {str(other.id): cosine for other, cosine in near}
    held = {str(m.id): m for m in (*(other for other, _ in near), memory)}
    detector = NearDuplicates(
        settings.duplicate_window,
        settings.owner_keys,
        settings.absent,
        settings.incidental,
        _Neighbours(str(memory.id), cosines, limit, language),
    )
    for one in held.values():
        detector.observe(one)
    found = {f.code: f for f in detector.findings(lambda ids: {i: held[i] for i in ids}) if memory.id in f.ids}
    if Code.DUPLICATE_NEAR in found:
        same = found[Code.DUPLICATE_NEAR]
        return Guarded(Verdict.DUPLICATE_NEAR, _others(same, memory), float(same.evidence["lowest"]))
    if Code.CONFLICT_CANDIDATE in found:
        against = found[Code.CONFLICT_CANDIDATE]
        what = tuple(Veto(one) for one in against.evidence["vetoes"])
        return Guarded(
            Verdict.CONFLICT_CANDIDATE, _others(against, memory), float(against.evidence["score"]), vetoes=what
        )
    return None


def _others(found: Finding, memory: Memory) -> tuple[str, ...]:
    return tuple(i for i in found.ids if i != memory.id)


def covers(held: Memory, memory: Memory, incidental: Collection[str] = ()) -> bool:
    """True when an exact double of a memory holds all else that it says: who said it, notes, relations, metadata."""
    silent = INCIDENTAL.union(incidental)
    said = {key: value for key, value in (memory.metadata or {}).items() if key not in silent}
    known = held.metadata or {}
    return (
        held.source == memory.source
        and set(memory.related_ids) <= {*held.related_ids, str(held.id)}
        and set(memory.related_notes) <= set(held.related_notes)
        and all(key in known and known[key] == value for key, value in said.items())
        and all(held.others.get(name) == value for name, value in memory.others.items() if name not in silent)
    )


@dataclass(frozen=True, slots=True)
class _Neighbours:
    """What a detector of meaning is told of the vectors around one memory."""

    about: str
    cosines: Mapping[str, float]
    limit: Threshold
    language: str

    def basis(self) -> list[Any]:
        """The threshold as plain values."""
        return [self.limit.as_json()]

    def measured(self) -> None:
        """Nothing is guessed from one row."""

    def threshold(self, language: str) -> Threshold | None:
        """The threshold of the memory's language; for others there is nothing to compare."""
        return self.limit if language == self.language else None

    def near(self, seen: Observed, floor: float) -> Pairs:  # noqa: ARG002 - only such as reach it were looked up
        """The pairs of the memory with each other one."""
        place = {name: at for at, name in enumerate(seen.ids)}
        if self.about not in place:
            return Pairs.none()
        others = [(place[name], cosine) for name, cosine in self.cosines.items() if name in place]
        about = np.full(len(others), place[self.about], np.int64)
        at = np.array([row for row, _ in others], np.int64)
        return Pairs.of(about, at, np.array([cosine for _, cosine in others], np.float32))

    def floor(self) -> float | None:
        """The least cosine that is looked at."""
        return self.limit.floor
