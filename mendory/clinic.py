"""The shell around the pure parts: runs a check-up, makes and stores a plan."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mendory.checkup import CheckUp, Patient, leave
from mendory.config import Config
from mendory.detect import Settings
from mendory.executor.owner import executing
from mendory.finding import Finding, by_code
from mendory.incremental import Since
from mendory.judge import Consulted
from mendory.lance import Reader, small_fragments
from mendory.ledger import Clock, Ledger, utc_now
from mendory.loops import too_often, written_anew
from mendory.mapping import Giving
from mendory.neighbours import TableNeighbours
from mendory.opened import Opened
from mendory.plan.binding import bind
from mendory.plan.build import Drafted, Wishes, draft
from mendory.plan.model import Plan
from mendory.plan.waiting import NOT_ASKED, asked_for, waiting_for_a_person
from mendory.policy import Health
from mendory.rehearse import rehearse
from mendory.renewing import Renewing
from mendory.side import View
from mendory.spaces import SpaceState
from mendory.summing import SummaryVectors
from mendory.telemetry import mark_shown, since_mark
from mendory.thresholds import Spread


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan made and stored, or the reasons there is none.

    `plan` is None when no step follows from what was found; `open_plans` are those that already
    answer some of the findings.
    """

    plan: Plan | None
    drafted: Drafted
    open_plans: tuple[str, ...]
    version: int


class Clinic(Opened):
    """One table, its ledger and its configuration: examines it, and makes plans."""

    def __init__(self, config: Config, clock: Clock = utc_now) -> None:
        super().__init__(config, clock)
        self.consulted = Consulted(config.judge, config.root, clock)
        self._neighbours: tuple[tuple[int, int], TableNeighbours] | None = None

    def follow(self) -> None:
        """What the pointer decides is opened anew when it is asked for next: a move began, switched or ended."""
        super().follow()
        self._neighbours = None

    @property
    def settings(self) -> Settings:
        """What the detectors need to know, at this moment."""
        return self.settings_at(self.reader)

    def settings_at(self, reader: Reader) -> Settings:
        """What the detectors need to know of the version that this one reads."""
        stale = self.side_state.stale(reader)
        ledger, judging = self.known_ledger(), self.consulted.remembered()
        settled = frozenset(ledger.findings.dismissed()) if ledger else frozenset[str]()
        told = replace(self._settings, now=self.clock(), stale_vectors=stale, judging=judging, settled=settled)
        return replace(told, claims=self.side_state.claims())

    def check(self, mark: bool = False, keep: bool = False, since: Since | None = None) -> CheckUp:
        """Everything found at the newest version; nothing is written but what a judge, if one is set, says of it.

        With `mark` the telemetry file, where there is one, is told that the door writes up to now were shown. With
        `keep` the check-up can become a checkpoint. With `since` only what changed since that checkpoint is looked at,
        where that can be told; else everything, and the basis says why. Raises TableCorrupt, by its cause, where the
        table's files are not as they must be.
        """
        telemetry, place = self.config.telemetry_path, self.config.door_place
        door_writes = since_mark(telemetry, place)
        self.sound()
        self.reader.refresh()
        patient = self._patient()
        asking = replace(patient.settings, judging=self.consulted.asking())
        seen = replace(patient, settings=asking).seen(keep, since)
        if mark:
            mark_shown(telemetry, place, door_writes)
        return replace(seen, door_writes=door_writes, small_fragments=small_fragments(self.reader))

    def _patient(self) -> Patient:
        reader = self.reader
        return Patient(
            self.config, reader, self.known_ledger(), self.side_state, self.settings, self.neighbours(reader)
        )

    def neighbours(self, reader: Reader) -> TableNeighbours:
        """The vectors at the version the reader reads; those of the version asked for last are kept."""
        if self._neighbours is None or self._neighbours[0] != (id(reader), reader.version):
            ledger = self.known_ledger()
            calibrated = [kept.threshold for kept in ledger.thresholds.all()] if ledger else []
            stale, spread = self.side_state.stale(reader), lambda: self._spread(ledger)
            made = TableNeighbours(reader, self._space(ledger), calibrated, stale, spread)
            self._neighbours = (id(reader), reader.version), made
        return self._neighbours[1]

    def _spread(self, ledger: Ledger | None) -> Spread | None:
        """What was measured of the vectors' space when the newest checkpoint was made; None without one."""
        held = ledger.checkpoints.newest(self._patient().about()) if ledger else None
        return Spread.from_json(held.facts["spread"]) if held and held.facts["spread"] else None

    def _space(self, ledger: Ledger | None) -> str | None:
        """The model the table's vectors are of, as a witness saw or else the configuration says; None when unknown."""
        active = [s.name for s in ledger.spaces.live() if s.state is SpaceState.ACTIVE] if ledger else []
        section = self.config.embedder
        return active[0] if active else section.model_name if section else None

    def checkpoint(self, checked: CheckUp) -> bool:
        """The next check may begin at this one; True when it may: it was kept, and nobody wrote since it was made.

        The side state is brought up to the table, and the ledger knows every finding.
        """
        if checked.kept is None or self.reader.version != checked.version:
            return False
        self.side_state.bring_up(self.reader)
        leave(self.ledger, self._patient().about(), checked)
        return True

    def plan(self, checked: CheckUp | None = None, wanted: Callable[[Finding], bool] | None = None) -> Planned:
        """A plan for what is found now, rehearsed on a clone and stored as open; the table is not written.

        Findings that are not `wanted` stay unplanned, and as they are in the human queue.
        Raises RehearsalFailed, with nothing stored, when it does not apply, verify and roll back cleanly.
        """
        self.check_binding()
        checked = checked or self.check(keep=True)
        self.side_state.bring_up(self.reader)
        reader, ledger = self.reader, self.ledger
        answers = {f: c.answer for f, c in ledger.choices.standing().items() if c.answer.decides}
        held_back, under = self._held_back(answers)
        notes = ledger.asides.held()
        view = View(reader, notes)
        kept, anew = frozenset(ledger.words.kept()), written_anew(ledger, view.scan, self.config.attempts)
        wishes = Wishes(self.config.metadata.defaults, self.config.metadata.min_siblings, kept, answers, anew)
        hidden_by = str(self.mapping.place("duplicate_of") or "")
        drafted = draft(
            view.scan,
            view.fetch,
            self.settings,
            wishes,
            lambda finding: NOT_ASKED if wanted and not wanted(finding) else held_back(finding),
            lambda ids: ledger.findings.successors(ids, hidden_by),
            lambda ids: Giving(self.mapping, reader.rows(ids)),
            SummaryVectors(self.config, reader).vector_of,
            self.neighbours(reader),
            Renewing(self.config, reader, self.side_state.stale(reader)).renewal,
        )
        if wanted:
            drafted = replace(drafted, unplanned=asked_for(drafted.unplanned, wanted))
        mine = [f for f in checked.findings if wanted is None or wanted(f)]
        open_plans = tuple(sorted({under[f.id] for f in mine if f.id in under}))
        ledger.findings.note(checked.findings)
        self.checkpoint(checked)
        plan = None
        if drafted.drafts:
            rows = reader.rows(sorted({i for d in drafted.drafts for i in d.rows}))
            plan = bind(
                drafted.drafts, rows, self.mapping, reader.version, self.clock(), self.config.approval.window, notes
            )
            with tempfile.TemporaryDirectory(prefix="mendory-rehearsal-") as folder, executing(self.clock) as context:
                rehearse(plan, self.writer, self.settings, Path(folder), context, notes, self.neighbours(reader))
            ledger.plans.save(plan, self._context(checked, drafted))
        waiting = waiting_for_a_person(drafted.unplanned, under, answers)
        if wanted:
            waiting |= self._still_queued(drafted)
        ledger.findings.enqueue({**waiting, **ledger.plans.failed()})
        return Planned(plan, drafted, open_plans, reader.version)

    def _still_queued(self, drafted: Drafted) -> dict[str, str]:
        """The queue's entries about findings that were not asked for: nobody looked at them anew."""
        outside = {u.finding.id for u in drafted.unplanned if u.reason == NOT_ASKED}
        return {q["finding_id"]: q["reason"] for q in self.ledger.findings.queued() if q["finding_id"] in outside}

    def _context(self, checked: CheckUp, drafted: Drafted) -> dict[str, Any]:
        health = Health.of(checked.findings, checked.rows, checked.examination.scope_rows)
        return {
            "table": f"{self.config.table.name}",
            "version": checked.version,
            "read": checked.rows,
            "found": by_code(checked.findings),
            "dismissed": checked.dismissed,
            "kept": sorted(self.ledger.words.kept()),
            "stands_down": [{"what": w, "reason": r} for w, r in checked.examination.stands_down],
            "causes": list(checked.causes),
            "unplanned": [{**u.finding.as_json(), "why": u.reason} for u in drafted.unplanned],
            "health": {
                "rows": health.rows,
                "sick": health.sick,
                "scope_rows": dict(health.scope_rows),
                "scope_sick": dict(health.scope_sick),
            },
        }

    def _held_back(self, answers: Collection[str]) -> tuple[Callable[[Finding], str | None], dict[str, str]]:
        """Why a finding must not be planned, and finding id → open plan that answers it.

        What was tried too often is a person's; where one has answered, it is tried again.
        """
        ledger = self.ledger
        dismissed = ledger.findings.dismissed()
        under = ledger.plans.covered()
        often = too_often(ledger, self.reader, self.config.attempts)

        def why(finding: Finding) -> str | None:
            if finding.id in dismissed:
                return f"dismissed: {dismissed[finding.id]}"
            if finding.id in under:
                return f"under open plan {under[finding.id][:8]}"
            return None if finding.id in answers else often(finding)

        return why, under


def group_steps(plan: Plan, groups: Sequence[str] | None) -> list[str]:
    """Step ids of these groups, of all when None."""
    return [s.id for g in plan.groups if groups is None or g.name in groups for s in g.steps]
