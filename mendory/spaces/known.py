"""The spaces a ledger knows, and whether an embedder may be used with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from mendory.embedder_section import EmbedderSection
from mendory.embedding import Embedder
from mendory.errors import SpaceUnknown
from mendory.spaces.fingerprint import Comparison, Fingerprint, Verdict, compare


class SpaceState(StrEnum):
    """What a space is to the table: searched and written, being filled, or history."""

    ACTIVE = "active"
    FILLING = "filling"
    RETIRED = "retired"


@dataclass(frozen=True, eq=False, slots=True)
class Space:
    """A space in the ledger. `by` is who said that the table's vectors are of it.

    `column` is where its vectors are, None for where the mapping says; `embedder` the section of the configuration
    that makes them, None while none is known.
    """

    id: str
    state: SpaceState
    fingerprint: Fingerprint
    by: str
    since: str
    column: str | None = None
    embedder: EmbedderSection | None = None

    @property
    def name(self) -> str:
        """The model's name."""
        return self.fingerprint.identity.model


@dataclass(frozen=True, eq=False, slots=True)
class Admission:
    """An embedder that may be used. `space` is None while no space is known: a witness decides, then register it."""

    fingerprint: Fingerprint
    space: Space | None


class Spaces(Protocol):
    """Where spaces are kept; `ledger.spaces` is one."""

    def live(self) -> tuple[Space, ...]:
        """The spaces that are active or filling."""


def admit(known: Spaces | None, embedder: Embedder) -> Admission:
    """The space of the embedder, when it is active or filling or when none is known yet; else raises SpaceUnknown.

    Asked before anything is embedded to be written or searched. It embeds the sixteen canaries; what the embedder
    raises passes through, so one that does not answer is Unavailable and never taken for another. None stands for a
    table without a ledger.
    """
    return recognise(known.live() if known is not None else (), Fingerprint.of(embedder))


def recognise(live: Sequence[Space], fingerprint: Fingerprint) -> Admission:
    """As `admit`, from vectors there are already."""
    compared = [(space, compare(space.fingerprint, fingerprint)) for space in live]
    for space, found in compared:
        if found.verdict is Verdict.SAME:
            return Admission(fingerprint, space)
    if not compared:
        return Admission(fingerprint, None)
    raise _refusal(compared, fingerprint)


def _refusal(compared: Sequence[tuple[Space, Comparison]], fingerprint: Fingerprint) -> SpaceUnknown:
    held = "; ".join(
        f"'{s.name}' ({s.fingerprint.dimension}-d, {s.state.value} since {s.since[:10]}): {c.reason}"
        for s, c in compared
    )
    return SpaceUnknown(
        f"Embedder '{fingerprint.identity.model}' ({fingerprint.dimension}-d) is of no space of this table: {held}. "
        "Nothing was embedded, written or searched. Set [embedder] back to the model of the table's vectors. "
        "If the whole table was embedded anew outside Mendory: mendory spaces --adopt --as NAME."
    )
