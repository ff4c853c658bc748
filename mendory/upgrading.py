"""Whether the embedding model changed: the drift check that a change forces, and the move that follows it.

What was looked at is an event of the ledger: each change is looked at once, whoever runs this and however often.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from mendory import digest, drifting, migrating
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.embedder_section import EmbedderSection
from mendory.embedding import build
from mendory.errors import BudgetExceeded, InputInvalid, MendoryError, MigrationRefused
from mendory.events import MOST, OWN, Event, Happened
from mendory.ledger import Ledger
from mendory.ledger.moves import Move
from mendory.spaces import Fingerprint, Space, Verdict, compare

SHARE: Final = 0.05
"""The damaged share of a table that the forced drift check shows at 95 %: 59 rows are embedded again (design §5)."""
_HOW_ASKED: Final = {"batch", "download", "key_env", "max_calls", "max_chars", "price_per_million_chars", "timeout"}
"""Keys of `[embedder]` that do not say which model it is."""
_TEMPLATE: Final = re.compile(r"\{\{|\}\}|\{%|%\}|\{#|#\}|__prefect_kind")
_ID: Final = re.compile(r"[0-9a-f-]{1,64}")


class Why(StrEnum):
    """What says that the model changed."""

    CONFIGURED = "configured"
    FINGERPRINT = "fingerprint"
    EVENT = "event"
    UNKNOWN = "unknown"


class Then(StrEnum):
    """What follows from a look: a move, a person's confirmation of it, a plan for what has drifted, nothing."""

    START = "start"
    REFUSED = "refused"
    REPAIR = "repair"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Changed:
    """What says that the model of a table changed.

    `differs` is true where the configured model makes other vectors than those of the table's space; `checked` where
    the drift check for this very change is on record. `failed` names the error for which nobody could tell: that is
    `Why.UNKNOWN`, and no change.
    """

    why: Why
    model: str
    look: str
    differs: bool = False
    checked: bool = False
    failed: str = ""


def note(clinic: Clinic, by: str, model: str = "", event: str = "", at: datetime | None = None) -> Event:
    """The event embedding-model.changed is on record; the next run of the flow `migrate` looks at the model.

    `model` is the name of the new one, the configured one's where it is left out; `at` is when it changed, now where
    that is left out. The same `event` is recorded once.
    Raises InputInvalid for a name that no model has.
    """
    held = clinic.known_ledger()
    known = [e for e in (held.events.all() if held else ()) if event and e.about.get("event") == event]
    if known:
        return known[0]
    section = clinic.config.embedder
    name = named(model) if model else (section.model_name if section else None) or ""
    if model and not name:
        raise InputInvalid(
            f"A model's name is one line of 1 to {MOST} printable characters. Nothing was recorded. Name the model, or "
            "leave it out: it is the configured one then."
        )
    about = {key: value for key, value in (("model", name), ("event", event)) if value}
    return clinic.ledger.events.note(Happened.EMBEDDING_MODEL_CHANGED, by, about, at)


def model_changed(by: str, model: str = "", table: Config | Path | str = "mendory.toml") -> Event:
    """As `note`, of the table that a configuration names."""
    return note(Clinic(table if isinstance(table, Config) else Config.load(Path(table))), by, model)


def named(model: str) -> str:
    r"""The name as it came with an event, empty where it is none: nothing of an event is believed.

    >>> named(" usem3 "), named("{{ 7*7 }}"), named("a\nb")
    ('usem3', '', '')
    """
    name = model.strip()
    return name if name and len(name) <= MOST and name.isprintable() and not _TEMPLATE.search(name) else ""


def event_id(text: str) -> str:
    """The id of an event as the server gives it, empty where it is none.

    >>> event_id("11111111-1111-4111-8111-111111111111"), event_id("x; y")
    ('11111111-1111-4111-8111-111111111111', '')
    """
    return text if _ID.fullmatch(text) else ""


def changed(clinic: Clinic, probe: bool = True) -> Changed | None:
    """What says that the model changed and was not looked at yet; None where nothing does, or a move is under way.

    An event, another model under `[embedder]`, and, with `probe`, canaries of the same model that come out otherwise
    say so. Without a sign of the first two and without `probe` no model is loaded or asked.
    """
    ledger, section = clinic.known_ledger(), clinic.config.embedder
    active = ledger.spaces.active() if ledger else None
    if ledger is None or section is None or active is None or ledger.moves.current() is not None:
        return None
    look = digest.of([_made_by(section), active.id])
    said, held = _unheard(ledger), _held(ledger, look)
    same = _same(active.embedder, section)
    if not said and ((held and held.about["then"] != Then.START) or (same and not probe) or _tried(ledger, section)):
        return None
    why = Why.EVENT if said else Why.FINGERPRINT if same else Why.CONFIGURED
    try:
        found = compare(active.fingerprint, Fingerprint.of(build(section, clinic.config.root)))
    except MendoryError as error:
        return Changed(Why.UNKNOWN, section.model_name or "", look, failed=error.name)
    if found.verdict is Verdict.UNSURE:
        return Changed(Why.UNKNOWN, section.model_name or "", look, failed=Verdict.UNSURE.value)
    differs = found.verdict is Verdict.OTHER
    if not differs and not said:
        return None
    return Changed(why, section.model_name or "", look, differs, checked=held is not None and not said)


def check(clinic: Clinic, change: Changed) -> dict[str, Any]:
    """The drift check that the change forces was done, and is on record with what follows from it.

    Where another model is configured the rows are embedded again by the table's own, as far as the ledger knows how
    it is made: what it finds is then damage of the table, not the change. A witness that fails is no drift.
    """
    ledger = clinic.ledger
    active = ledger.spaces.active()
    assert active is not None
    try:
        found = drifting.check(_own(clinic, active) if change.differs else clinic, SHARE)
    except BudgetExceeded as error:
        told: dict[str, Any] = {"failed": error.name}
    else:
        told = {
            "version": found.version,
            "sampled": found.drift.sampled,
            "agreed": found.drift.agreed,
            "found": {one.damage.value: one.rows for one in found.drift.found},
            **({"failed": found.failed.name} if found.failed else {}),
        }
    then = Then.START if change.differs else Then.REPAIR if told.get("found") else Then.NOTHING
    return _noted(clinic, change, {**told, "then": then.value})


def begin(clinic: Clinic, change: Changed) -> Move | str:
    """The move to the configured model is under way; else why it is not, which a person can settle.

    Raises what the model raises where it does not answer.
    """
    try:
        return migrating.start(clinic, OWN)
    except MigrationRefused as error:
        _noted(clinic, change, {"then": Then.REFUSED.value})
        return str(error)


def _noted(clinic: Clinic, change: Changed, told: Mapping[str, Any]) -> dict[str, Any]:
    about = {"why": change.why.value, "model": change.model, "look": change.look, **told}
    return dict(clinic.ledger.events.note(Happened.DRIFT_CHECKED, OWN, about).about)


def _own(clinic: Clinic, active: Space) -> Clinic:
    """The table with the model of its space for its embedder; without a witness where nobody knows that."""
    return Clinic(clinic.config.model_copy(update={"embedder": active.embedder}), clinic.clock)


def _made_by(section: EmbedderSection) -> dict[str, Any]:
    """What of a section fixes the vectors."""
    return section.model_dump(mode="json", exclude=_HOW_ASKED)


def _unheard(ledger: Ledger) -> bool:
    """True when the model was said to have changed since it was last looked at, or a move last was under way."""
    events = ledger.events.all()
    said = max((n for n, e in enumerate(events) if e.kind is Happened.EMBEDDING_MODEL_CHANGED), default=None)
    if said is None or any(e.kind is Happened.DRIFT_CHECKED for e in events[said:]):
        return False
    return not any(move.passed[-1].at >= events[said].noted_at for move in ledger.moves.all())


def _held(ledger: Ledger, look: str) -> Event | None:
    """What was found when this very model was looked at last."""
    looks = [e for e in ledger.events.all() if e.kind is Happened.DRIFT_CHECKED and e.about["look"] == look]
    return looks[-1] if looks else None


def _tried(ledger: Ledger, section: EmbedderSection) -> bool:
    """True when a move to this model began from the table's space: that it was taken back is a person's word."""
    active = ledger.spaces.active()
    made = {space.id: space.embedder for space in ledger.spaces.all()}
    return any(
        active is not None and move.old == active.id and _same(made.get(move.new), section)
        for move in ledger.moves.all()
    )


def configured_otherwise(clinic: Clinic) -> bool:
    """True when `[embedder]` names another model than the one on record as the maker of the active space.

    No model is loaded: keys of the section are compared, as `changed` does. False without a section or an active space.
    """
    ledger, section = clinic.known_ledger(), clinic.config.embedder
    active = ledger.spaces.active() if ledger else None
    return section is not None and active is not None and not _same(active.embedder, section)


def _same(one: EmbedderSection | None, other: EmbedderSection) -> bool:
    return one is not None and _made_by(one) == _made_by(other)
