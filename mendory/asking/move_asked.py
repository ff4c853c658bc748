"""What a person is asked about a move to another model, gathered from ledger and table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from mendory.asking.answer import plain
from mendory.asking.ask import zone_of
from mendory.asking.asked import Refused
from mendory.asking.move_answer import code_of_gate
from mendory.asking.move_held import MovedOn, gate_passed, moved_on, too_far
from mendory.clinic import Clinic
from mendory.errors import MigrationRefused
from mendory.ledger.moves import Move
from mendory.migration.gate import Gate
from mendory.migration.kept import gate_of
from mendory.migration.queries import MADE, Item, Kind, remade
from mendory.migration.stages import Stage, said
from mendory.migration.void import Void
from mendory.spaces import Space

EXCERPT: Final = 40
"""Characters of a memory or of a query that a server may be shown."""
_FLOAT: Final = 4


@dataclass(frozen=True, slots=True)
class AskedMove:
    """All that the page and the form say of a move whose gate has passed.

    `rows` are the table's now; `sizes` the dimensions of both models, `megabytes` what each column takes. `aborted`
    says why the last canary of this move ended by itself, empty where none did; `void` why no approval counts now.
    `queries` and `texts` are beginnings by id, empty where privacy does not allow them. `named` may reject, `enrolled`
    approve.
    """

    move_id: str
    table: str
    rows: int
    models: tuple[str, str]
    sizes: tuple[int, int]
    gate: Gate
    since: datetime
    moved: MovedOn
    void: Void | None
    void_share: float
    soak_days: int
    canary_recalls: int
    zone: str
    named: tuple[str, ...]
    enrolled: tuple[str, ...]
    aborted: str = ""
    refused: Refused | None = None
    excerpts: bool = False
    queries: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def code(self) -> str:
        """What is typed to say that this gate is meant."""
        return code_of_gate(self.gate.digest)

    @property
    def megabytes(self) -> tuple[float, float]:
        """What each column takes on disk, at four bytes a component."""
        old, new = (self.rows * size * _FLOAT / 1e6 for size in self.sizes)
        return old, new


def asked_move(clinic: Clinic, excerpts: bool = True) -> AskedMove:
    """What a person is asked about the move under way; raises MigrationRefused where none waits for a word.

    Texts are read only for `excerpts`, where `privacy.prefect_excerpts` lets their beginnings be shown, and kept
    nowhere.
    """
    ledger, config = clinic.ledger, clinic.config
    move = ledger.moves.current()
    stood = gate_passed(move) if move is not None and move.stage is Stage.GATING else None
    if move is None or stood is None:
        now = "none is under way" if move is None else f"it is {said(move.stage)} and no gate stands"
        raise MigrationRefused(
            f"No move waits for a word: {now}. Nothing was asked. See where it is: mendory migrate status."
        )
    gate, moved = gate_of(stood.told["gate"]), moved_on(clinic, move)
    old, new = (_space(clinic, ident) for ident in (move.old, move.new))
    short = excerpts and config.privacy.prefect_excerpts != "none"
    queries, texts = worst_texts(clinic, gate, EXCERPT) if short else ({}, {})
    return AskedMove(
        move_id=move.id,
        table=config.table.name,
        rows=clinic.reader.count(),
        models=(old.name, new.name),
        sizes=(old.fingerprint.dimension, new.fingerprint.dimension),
        gate=gate,
        since=stood.at,
        moved=moved,
        void=too_far(clinic, moved),
        void_share=config.migration.void_share,
        soak_days=config.migration.soak.days,
        canary_recalls=config.migration.canary_recalls,
        zone=zone_of(config),
        named=tuple(dict.fromkeys(map(plain, config.approval.approvers))),
        enrolled=tuple(sorted(ledger.approvers.live())),
        aborted=_aborted(move),
        refused=_refused(clinic, move, gate),
        excerpts=short,
        queries=queries,
        texts=texts,
    )


def worst_texts(clinic: Clinic, gate: Gate, most: int | None = None) -> tuple[dict[str, str], dict[str, str]]:
    """(query → its text, memory → its text) for the worst queries, read and made again at this moment.

    At most so many characters of each. A query that people judged has no text here: it is in their file.
    """
    ids = {one for lost in gate.worst for one in (*lost.relevant, *lost.old[:1], *lost.new[:1])}
    clinic.reader.refresh()
    held = clinic.reader.fetch(sorted(ids))
    queries: dict[str, str] = {}
    for lost in gate.worst:
        memory = held.get(lost.relevant[0]) if Kind(lost.kind) in MADE else None
        if memory is not None and memory.content:
            text = remade(Item(lost.relevant[0], memory.content, lost.scope), Kind(lost.kind), gate.seed)
            if text is not None:
                queries[lost.query] = text[:most]
    return queries, {ident: (memory.content or "")[:most] for ident, memory in held.items()}


def _space(clinic: Clinic, ident: str) -> Space:
    return next(space for space in clinic.ledger.spaces.all() if space.id == ident)


def _aborted(move: Move) -> str:
    """Why the last canary ended by itself, on whatever gate; empty where none did."""
    for passed in reversed(move.passed):
        if "aborted" in passed.told:
            return str(passed.told["aborted"])
        if passed.stage is Stage.CANARY:
            return ""
    return ""


def _refused(clinic: Clinic, move: Move, gate: Gate) -> Refused | None:
    """The newest answer about this gate, where it did not count; newest by the server's clock, not ours."""
    given = [one for one in clinic.ledger.move_answers.of_move(move.id) if one.gate == gate.digest]
    newest = max(given, key=lambda one: one.given_at, default=None)
    if newest is None or newest.stands:
        return None
    return Refused(newest.outcome, newest.by, newest.given_at)
