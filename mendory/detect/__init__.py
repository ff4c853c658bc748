"""Detection: signals that data departs from what is expected. Nothing here can write.

A detector observes every memory once, in any order, then names its findings. `examine` runs them
all over one pass of a table and is the only thing a caller needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Protocol

from mendory.claims import ClaimsOf, claims_of
from mendory.claims.naming import singles_of
from mendory.config import Config, StalenessSection
from mendory.conflicts import ConflictRules
from mendory.detect.characters import Characters, NearIds
from mendory.detect.compound import CompoundParts
from mendory.detect.conflicts import Conflicts
from mendory.detect.context import BatchFacts, Referrers
from mendory.detect.disputes import Disputes
from mendory.detect.echo import RecallEcho
from mendory.detect.envelope import Envelope
from mendory.detect.exact_duplicates import ExactDuplicates
from mendory.detect.fragments import Fragments
from mendory.detect.identity import Identity
from mendory.detect.near_duplicates import NearDuplicates
from mendory.detect.neighbours import Neighbours
from mendory.detect.no_fact import NoFact
from mendory.detect.plugged import factories
from mendory.detect.references import References
from mendory.detect.repetition import Repetition
from mendory.detect.required import RequiredFields
from mendory.detect.scopes import Firsts, Scopes
from mendory.detect.staleness import Stale, StaleContext, TaskResidue
from mendory.detect.status import StatusSpelling
from mendory.detect.times import Times
from mendory.detect.vectors import Vectors
from mendory.detect.verdicts import Handed, Verdicts
from mendory.finding import Code, Finding
from mendory.judge import Judging
from mendory.mapping import Mapping as FieldMapping
from mendory.record import Memory
from mendory.scopes import Ancestors, ancestors_by, without_parents
from mendory.scopes.doubt import DEFAULTS, Wishes
from mendory.scopes.doubts import Doubtful
from mendory.traits import Names

Fetch = Callable[[Sequence[str]], Mapping[str, Memory]]
"""Reads memories by id, in the same state of the table as the scan; absent ids are left out."""


class Detector(Protocol):
    """One kind of examination. Its docstring says what it flags, what it does not flag, and its cost."""

    @property
    def codes(self) -> tuple[Code, ...]:
        """The codes it may find."""

    def observe(self, memory: Memory) -> None:
        """Take note of one memory."""

    def findings(self, fetch: Fetch) -> Iterator[Finding]:
        """Every finding among the memories observed."""

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """(what, reason) for whatever could not be examined."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the detectors need to know about the owner's wishes and table.

    `can_hide`: something makes the owner's reader stop returning a row; without a status nothing does.
    `status_words`: the owner's word → ours. `inside_metadata`: fields that are keys of it.
    `stale_vectors`: rows whose vector came from an earlier text. `now`: the time; without it nothing is in the future.
    `default_scopes`: the scopes that stand for nobody.
    `ancestors`: scope → the scopes it lies in, the nearest first. `conflict`: by which rules a conflict is decided.
    `staleness`: how memories age, which none does without `now`.
    `claims`: what a memory claims, kept or extracted.
    `settled`: the findings that a person has dismissed; a dispute about one is over.
    `schemas`: the user's JSON Schema of the metadata by kind of memory, `*` for all others.
    `optional`: required fields that the owner may leave empty. `vectors`: further columns of vectors.
    `names`: where a row names its writer and its space.
    `judging`: what a judge says, or has said, of a conflict; None without one.
    """

    absent: frozenset[str] = frozenset()
    required_metadata: tuple[str, ...] = ("topic", "entities", "scene")
    owner_keys: tuple[str, ...] = ("owner", "user", "user_id")
    duplicate_window: timedelta = timedelta(hours=1)
    incidental: tuple[str, ...] = ()
    can_hide: bool = True
    status_words: Mapping[str, str] = field(default_factory=dict)
    inside_metadata: frozenset[str] = frozenset()
    stale_vectors: frozenset[str] = frozenset()
    now: datetime | None = None
    optional: frozenset[str] = frozenset()
    vectors: tuple[str, ...] = ()
    schemas: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ancestors: Ancestors = without_parents
    default_scopes: tuple[str, ...] = DEFAULTS
    conflict: ConflictRules = field(default_factory=ConflictRules)
    names: Names = field(default_factory=Names)
    judging: Judging | None = None
    staleness: StalenessSection = field(default_factory=StalenessSection)
    claims: ClaimsOf = claims_of
    settled: frozenset[str] = frozenset()

    @classmethod
    def of(cls, config: Config, mapping: FieldMapping) -> Settings:
        """What a configuration and its mapping say."""
        return cls(
            frozenset(mapping.absent()),
            config.metadata.required,
            config.metadata.owner_keys,
            config.duplicate.window,
            config.duplicate.incidental,
            mapping.can_hide,
            mapping.vocabulary.words,
            mapping.inside_metadata,
            optional=mapping.optional,
            vectors=mapping.vectors,
            schemas=config.metadata_schemas(),
            ancestors=(ancestors := ancestors_by(config.scopes.parents)),
            default_scopes=config.scopes.defaults,
            conflict=ConflictRules(
                config.conflict.order,
                config.conflict.tie_window,
                config.conflict.authorities,
                ancestors,
                singles=singles_of(config.conflict.single_valued),
            ),
            staleness=config.staleness,
            names=Names(config.diagnosis.writer, config.diagnosis.space),
        )

    @property
    def scope_wishes(self) -> Wishes:
        """What the owner says of scopes."""
        return Wishes(self.ancestors, self.default_scopes)


@dataclass(frozen=True, slots=True)
class Examination:
    """What one pass over a table gave: findings in a fixed order, what stood down, and facts for planning.

    `firsts` are the rows that stand for what is told of scopes, `doubtful` the scopes that tell nothing of a row.
    """

    findings: tuple[Finding, ...]
    stands_down: tuple[tuple[str, str], ...]
    read: int
    scope_rows: Mapping[str, int]
    batches: BatchFacts
    referrers: Referrers
    firsts: Firsts = field(default_factory=dict)
    doubtful: Doubtful = field(default_factory=Doubtful)


def detectors(settings: Settings, neighbours: Neighbours | None = None) -> list[Detector]:
    """A fresh set of all detectors, plugged-in ones last; without neighbours nothing is found by its vector."""
    handed = Handed(Verdicts(settings.claims, settings.conflict.singles))
    return [
        Identity(),
        NearIds(),
        RequiredFields(
            settings.absent,
            settings.required_metadata,
            settings.inside_metadata,
            settings.optional,
            settings.schemas,
        ),
        StatusSpelling("status" in settings.absent, settings.status_words, "status" in settings.inside_metadata),
        Vectors(settings.stale_vectors),
        *(Vectors(column=column) for column in settings.vectors),
        Times(settings.now),
        Characters(),
        References(settings.absent),
        ExactDuplicates(
            settings.duplicate_window,
            settings.required_metadata,
            settings.owner_keys,
            settings.absent,
            settings.incidental,
        ),
        NearDuplicates(
            settings.duplicate_window, settings.owner_keys, settings.absent, settings.incidental, neighbours, handed
        ),
        # after that of near duplicates, which hands on what lies near and can't both hold
        Conflicts(
            settings.owner_keys,
            settings.absent,
            settings.claims,
            settings.ancestors,
            handed,
            replace(settings.conflict, now=settings.now),
            settings.judging,
        ),
        Repetition(settings.absent),
        Envelope(settings.absent),
        NoFact(settings.absent),
        RecallEcho(settings.absent),
        CompoundParts(settings.absent),
        Fragments(settings.absent),
        Stale(settings.absent, settings.now, settings.staleness),
        TaskResidue(settings.absent, settings.now, settings.staleness),
        StaleContext(settings.absent, settings.now, settings.staleness, settings.claims),
        Scopes(settings.absent, settings.owner_keys, settings.scope_wishes),
        *(make(settings) for make in factories()),
    ]


def examine(
    memories: Iterable[Memory], fetch: Fetch, settings: Settings, neighbours: Neighbours | None = None
) -> Examination:
    """All findings on `memories`; the result does not depend on their order.

    Cost: one pass; memory about 200 bytes a row for ids and text keys, plus the findings.
    """
    running = detectors(settings, neighbours)
    batches, referrers = BatchFacts(settings.required_metadata), Referrers()
    disputes = Disputes()
    observers = [d.observe for d in running] + [batches.observe, referrers.observe, disputes.observe]
    scopes: Counter[str] = Counter()
    read = 0
    for memory in memories:
        read += 1
        scopes[memory.scope or ""] += 1
        for observe in observers:
            observe(memory)
    # two rows that share an id and a fault are one problem
    found = list({f.id: f for d in running for f in d.findings(fetch)}.values())
    [(firsts, doubtful)] = [(d.firsts(), d.doubtful()) for d in running if isinstance(d, Scopes)] or [({}, Doubtful())]
    found += disputes.over(found, settings.settled)
    down = [line for d in running for line in d.stands_down()]
    found.sort(key=lambda f: (f.code.value, f.scope or "", f.ids, f.id))
    return Examination(tuple(found), tuple(down), read, dict(scopes), batches, referrers, firsts, doubtful)
