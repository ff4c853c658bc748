"""Drafts: repairs in record terms, before they are bound to columns and digests."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from mendory.catalogue import CHOSEN, Level, Remedy, StepKind, remedy_of
from mendory.choices import Choice
from mendory.detect.context import BatchFacts, Referrers
from mendory.finding import Finding
from mendory.mapping import LIFTED
from mendory.plan.evidence import Evidence
from mendory.record import KEPT, Memory, Status
from mendory.side import with_kept

Changes = Mapping[str, Mapping[str, Any]]
"""Row id → field, `metadata.<key>` or name of what is kept (`record.KEPT`) → new value."""


SPELLING: Final = "status.spelling"
"""The change that writes the owner's own word for the status a row has already."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A repair of one finding.

    `holds` are rows it does not change but relies on, such as the one a merge keeps: they are written
    as they are with the others, so that a change of theirs in the meantime refuses the repair. `chosen` is what a
    person answered to the finding, where that is what it follows from.
    """

    kind: StepKind
    finding: Finding
    reason: str
    changes: Changes
    detail: Mapping[str, Any]
    holds: tuple[str, ...] = ()
    chosen: Choice | None = None

    @property
    def rows(self) -> tuple[str, ...]:
        """The rows it changes or relies on, sorted."""
        return tuple(sorted({*self.changes, *self.holds}))

    @property
    def archived(self) -> tuple[str, ...]:
        """The rows that leave recall by it, sorted."""
        return tuple(sorted(i for i, new in self.changes.items() if new.get("status") == Status.ARCHIVED.value))

    @property
    def scope(self) -> str | None:
        """The scope in which something changes: that of its finding, or the one that the row joins."""
        return self.detail["scope"] if self.kind is StepKind.SET_SCOPE else self.finding.scope

    @property
    def level(self) -> Level:
        """Who may let it run, from the catalogue; a person alone where many rows are embedded anew."""
        if self._many:
            return Level.PERSON
        level = self._remedy.level
        assert level is not None
        return level

    @property
    def rule(self) -> str | None:
        """The rule that can confirm it, from the catalogue."""
        return None if self._many else self._remedy.rule

    @property
    def _remedy(self) -> Remedy:
        return CHOSEN[self.chosen] if self.chosen else remedy_of(self.finding)

    @property
    def _many(self) -> bool:
        return self.kind is StepKind.REEMBED and bool(self.detail.get("many"))


@dataclass(frozen=True, slots=True)
class Unplanned:
    """A finding that leads to no step, and why; it waits for a person or is only reported."""

    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True)
class NoVector:
    """Nobody makes a vector for a text, and why."""

    why: str


VectorOf = Callable[[Sequence[str], str], Sequence[float] | NoVector]
"""(rows, text) → the vector of the text, in the space that the vectors of these rows are proven to be of."""


def nobody_embeds(ids: Sequence[str], text: str) -> NoVector:  # noqa: ARG001 - a VectorOf
    """Where there is no embedder."""
    return NoVector("no embedder is configured to make the summary's vector")


@dataclass(frozen=True, slots=True)
class Renewal:
    """Who makes the vector of a row's changed text; `many`: more rows wait than a rule may let be embedded anew."""

    vector_of: Callable[[Memory], Sequence[float] | NoVector]
    many: bool = True


NOT_RENEWED: Final = Renewal(lambda _: NoVector("no embedder is configured to embed changed texts"))
"""Where there is no embedder."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What a drafter may look at: rows in their planned state, facts of the table, the owner's wishes.

    `unaddressable` are ids that several rows hold; no step names them. `absent` are fields that can be kept
    nowhere, `aside` those that Mendory keeps in its ledger, `can_hide` whether the owner's reader can stop returning a
    row. `owner_keys` are the metadata keys that name an owner, `incidental` keys and columns that never change what a
    memory means. `successors` tells, from the ledger, which row a vanished one had been merged into. `undecided` are
    rows of steps drafted before which a person must accept, so that nobody knows yet what becomes of them. `vector_of`
    embeds a summary, `renewal` changed texts. `evidence` is what other rows tell about those that lack a scope or a
    source. `losing` is, for each row that a rule lets lose, those it loses to, the last of which stays; empty where
    they lose in a circle.
    """

    look: Callable[[Sequence[str]], Mapping[str, Memory]]
    batches: BatchFacts
    referrers: Referrers
    unaddressable: frozenset[str]
    absent: frozenset[str]
    aside: frozenset[str]
    can_hide: bool
    owner_keys: tuple[str, ...]
    incidental: frozenset[str]
    defaults: Mapping[str, Any]
    min_siblings: int
    successors: Callable[[Sequence[str]], Mapping[str, str]]
    undecided: Collection[str]
    vector_of: VectorOf
    evidence: Evidence | None = None
    losing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    renewal: Renewal = NOT_RENEWED


def changed(memory: Memory, changes: Mapping[str, Any]) -> Memory:
    """The memory after `changes`."""
    plain = {k: v for k, v in changes.items() if "." not in k and k != "embedding" and k not in KEPT}
    for name in (SPELLING, LIFTED):
        if name in changes:
            plain["status"] = changes[name]
    keys = {k.partition(".")[2]: v for k, v in changes.items() if k.startswith("metadata.")}
    if keys:
        plain["metadata"] = {**(memory.metadata or {}), **keys}
    return dataclasses.replace(memory, **plain, kept=with_kept(memory.kept, changes))
