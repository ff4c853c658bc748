"""The stages of a move to a new space, what may follow what, and why something may not yet. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from mendory.errors import MigrationRefused


class Stage(StrEnum):
    """How far a move to a new space is."""

    REGISTERED = "registered"
    FILLING = "filling"
    GATING = "gating"
    APPROVED = "approved"
    CANARY = "canary"
    SWITCHED = "switched"
    SOAKING = "soaking"
    RETIRED = "retired"
    ROLLED_BACK = "rolled_back"


OPEN: Final = frozenset(Stage) - {Stage.RETIRED, Stage.ROLLED_BACK}
"""The stages in which a move is under way, of which a table has one at a time."""
BOTH: Final = OPEN - {Stage.REGISTERED}
"""The stages in which our writes carry the vectors of both spaces."""
SEARCHED: Final = frozenset({Stage.SWITCHED, Stage.SOAKING, Stage.RETIRED})
"""The stages in which recalls search the new space."""
FOLLOWS: Final[Mapping[Stage, tuple[Stage, ...]]] = MappingProxyType(
    {
        Stage.REGISTERED: (Stage.FILLING, Stage.ROLLED_BACK),
        Stage.FILLING: (Stage.GATING, Stage.ROLLED_BACK),
        # a gate that refused sends back to filling; one that passed waits for a person
        Stage.GATING: (Stage.FILLING, Stage.APPROVED, Stage.ROLLED_BACK),
        # an approval that is void, because rows changed since, sends back to the gate
        Stage.APPROVED: (Stage.CANARY, Stage.GATING, Stage.ROLLED_BACK),
        # a canary that aborts goes back to the gate: what it saw is for a person to look at
        Stage.CANARY: (Stage.SWITCHED, Stage.GATING, Stage.ROLLED_BACK),
        Stage.SWITCHED: (Stage.SOAKING, Stage.ROLLED_BACK),
        Stage.SOAKING: (Stage.RETIRED, Stage.ROLLED_BACK),
        Stage.RETIRED: (),
        Stage.ROLLED_BACK: (),
    }
)
_NEXT: Final[Mapping[Stage, str]] = MappingProxyType(
    {
        Stage.REGISTERED: "'mendory migrate start' goes on with it",
        Stage.FILLING: "fill it first: 'mendory migrate start' goes on, 'mendory migrate status' shows how far it is",
        Stage.GATING: "'mendory migrate gate' examines it, and 'mendory migrate approve' records a person's word",
        Stage.APPROVED: "'mendory migrate switch' begins the canary",
        Stage.CANARY: "'mendory migrate switch' goes on once enough recalls were answered",
        Stage.SWITCHED: "'mendory migrate status' shows the days of its soaking",
        Stage.SOAKING: "'mendory migrate retire' ends it when its days are over",
        Stage.RETIRED: "'mendory migrate start' begins another",
        Stage.ROLLED_BACK: "'mendory migrate start' begins another",
    }
)


def require(now: Stage, wanted: Stage) -> None:
    """Return when `wanted` may follow `now`; else raise MigrationRefused, which says what comes next instead."""
    if wanted in FOLLOWS[now]:
        return
    raise MigrationRefused(
        f"The move is {said(now)}, and {said(wanted)} does not follow that. Nothing was changed. Next: {_NEXT[now]}."
    )


def said(stage: Stage) -> str:
    """The stage in words.

    >>> said(Stage.ROLLED_BACK)
    'rolled back'
    """
    return stage.value.replace("_", " ")
