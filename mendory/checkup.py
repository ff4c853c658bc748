"""A check-up: what is found in a table, from every row or from what changed since an earlier check-up."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from mendory import (
    candidates,
    claims,
    conflicts,
    content,
    contradiction,
    detect,
    digest,
    judge,
    language,
    mapping,
    sameness,
    scopes,
    text,
    thresholds,
    veto,
)
from mendory.config import Config
from mendory.counts import Counts
from mendory.detect import Examination, Settings, examine
from mendory.diagnose import Cause, diagnose
from mendory.events import Event, before
from mendory.finding import Finding
from mendory.incremental import Basis, Since, changed, facts, sick_rows
from mendory.lance import Reader
from mendory.ledger import Ledger
from mendory.mapping import unaddressable
from mendory.recheck import Alike, Unclear
from mendory.record import Memory, Status
from mendory.side import Note, View
from mendory.sidestate import SideState
from mendory.spaces import stand_downs
from mendory.telemetry import DoorWrites
from mendory.text import script, shown
from mendory.traits import Traits, attributes


@dataclass(frozen=True, slots=True)
class CheckUp:
    """What a check-up found, at which version, what was dismissed earlier, and how many contents of each script.

    `door_writes` is what an agent's own code wrote since the last check-up that was shown. `rows` are those of the
    table, `basis` says which of them were looked at; `kept` is what a checkpoint keeps, None where it can't become one.
    `hidden` is how many rows count as hidden, None where not every row was looked at.
    """

    examination: Examination
    findings: tuple[Finding, ...]
    dismissed: int
    version: int
    causes: tuple[dict[str, Any], ...]
    scripts: Mapping[str, int] = field(default_factory=dict)
    door_writes: DoorWrites = field(default_factory=DoorWrites)
    basis: Basis = field(default_factory=Basis)
    kept: Mapping[str, Any] | None = field(default=None, repr=False)
    small_fragments: int = 0
    rows: int = 0
    hidden: int | None = None

    @property
    def unchanged(self) -> bool:
        """True when nobody wrote since the check-up before, so that all that is known still holds."""
        return self.basis.since == self.version


@dataclass(frozen=True, slots=True)
class Patient:
    """A table at one version with all that a check-up reads beside it; nothing here can write."""

    config: Config
    reader: Reader
    ledger: Ledger | None
    index: SideState
    settings: Settings
    neighbours: Alike | None = None

    def seen(self, keep: bool, since: Since | None) -> CheckUp:
        """Everything found; with `since` from what changed, where that can be told, else the basis says why not."""
        notes = self.ledger.asides.held() if self.ledger else {}
        return self._everything(keep, notes, Basis()) if since is None else self._changed(since, notes)

    def about(self) -> str:
        """A digest of whatever decides what is found in the table."""
        said = {"table", "mapping", "metadata", "duplicate", "scopes", "conflict", "staleness", "diagnosis", "judge"}
        config = self.config.model_dump(mode="json", include=said)
        # the configuration only names their files; what they say decides
        schemas = {kind: digest.of(schema) for kind, schema in self.settings.schemas.items()}
        bounds = self.neighbours.basis() if self.neighbours else []
        return digest.of([rules(), self.config.table_uri, config, schemas, sorted(self.settings.absent), bounds])

    def _measured(self) -> dict[str, Any] | None:
        """What bounds of the space were guessed from."""
        return self.neighbours.measured() if self.neighbours else None

    def _unread(self) -> list[tuple[str, str]]:
        """What stands down for columns that Lance can't read."""
        why = "Lance reads no column with a backtick in its name; rename it"
        return [(f"column {shown(name)}", why) for name in unaddressable(self.reader.schema)]

    def _everything(self, keep: bool, notes: Mapping[str, Note], basis: Basis) -> CheckUp:
        view = View(self.reader, notes)
        rows: Counter[tuple[str, str]] = Counter()
        scripts: Counter[str] = Counter()
        counts = Counts(self.settings) if keep else None
        statuses: Counter[str | None] = Counter()
        memories = self._counted(view.scan(), rows, scripts, counts, statuses)
        seen = examine(memories, view.fetch, self.settings, self.neighbours)
        sick = self._traits(view, [i for f in seen.findings for i in f.ids])
        kept = None if counts is None else facts(counts, seen, notes, sick, self._measured())
        told = self._told(seen, sick, rows, scripts, replace(basis, looked_at=seen.read), kept)
        return replace(told, hidden=statuses[Status.ARCHIVED.value])

    def _changed(self, since: Since, notes: Mapping[str, Note]) -> CheckUp:
        seen, begun = changed(
            since, self.about(), self.reader, self.ledger, self.index, self.settings, notes, self.neighbours
        )
        if isinstance(seen, Unclear) or begun is None:
            return self._everything(True, notes, Basis(why=seen.why if isinstance(seen, Unclear) else ""))
        wanted = {i for f in seen.examination.findings for i in f.ids}
        sick = {i: m for i, m in sick_rows(begun.facts).items() if i in wanted and i not in seen.touched}
        sick |= self._traits(View(self.reader, notes), sorted(wanted - sick.keys()))
        kept = facts(seen.counts, seen.examination, notes, sick, begun.facts["spread"])
        basis = Basis(begun.version, "", seen.changed, seen.looked_at, seen.standing)
        rows = {(str(k[0]), str(k[1])): n for k, n in seen.counts.of("attribute").items()}
        return self._told(seen.examination, sick, rows, seen.counts.of("script"), basis, kept, seen.counts.rows)

    def _traits(self, view: View, ids: list[str]) -> dict[str, Traits]:
        return {i: Traits.of(memory, self.settings.names) for i, memory in view.fetch(ids).items()}

    def _counted(
        self,
        memories: Iterator[Memory],
        rows: Counter[tuple[str, str]],
        scripts: Counter[str],
        counts: Counts | None,
        statuses: Counter[str | None],
    ) -> Iterator[Memory]:
        for memory in memories:
            statuses[memory.status] += 1
            if counts is not None:
                counts.add(memory)
            rows.update(attributes(memory, self.settings.names))
            if memory.content and not memory.content.isspace():
                scripts[script(memory.content)] += 1
            yield memory

    def _told(
        self,
        seen: Examination,
        sick: Mapping[str, Traits],
        attributed: Mapping[tuple[str, str], int],
        scripts: Mapping[str, int],
        basis: Basis,
        kept: Mapping[str, Any] | None,
        rows: int | None = None,
    ) -> CheckUp:
        """The check-up of what was seen: what was dismissed is left out, what the sick rows share is named."""
        rows = seen.read if rows is None else rows
        dismissed = self.ledger.findings.dismissed() if self.ledger else {}
        stays = conflicts.spared(seen.findings, dismissed)
        findings = tuple(f for f in seen.findings if f.id not in dismissed and f.evidence.get("lose") not in stays)
        ids = {i for f in findings for i in f.ids}
        causes = diagnose(findings, {i: m for i, m in sick.items() if i in ids}, attributed, rows)
        events = self.ledger.events.all() if self.ledger else ()
        return CheckUp(
            replace(seen, stands_down=(*seen.stands_down, *self._unread(), *stand_downs(self.config))),
            findings,
            len(seen.findings) - len(findings),
            self.reader.version,
            tuple(self._with_event(c, events) for c in causes),
            dict(scripts),
            basis=basis,
            kept=kept,
            rows=rows,
        )

    def _with_event(self, cause: Cause, events: Iterable[Event]) -> dict[str, Any]:
        """The cause as the report holds it, with the nearest change before its rows begin."""
        near = before(cause.begun, events, self.config.diagnosis.window) if cause.begun else []
        return {**cause.as_json(), "event": near[0].as_named() if near else None}


_MEANING: Final = (claims, conflicts, contradiction, judge, language, sameness, veto)
_DECIDES: Final = frozenset({".py", ".json", ".toml", ".txt"})


@lru_cache(maxsize=1)
def rules() -> str:
    """A digest of the code that decides what is found: another release may find other things in the same rows."""
    packages = (*_MEANING, candidates, content, detect, mapping, scopes, thresholds)
    folders = [Path(str(package.__file__)).parent for package in packages]
    files = [path for folder in folders for path in folder.rglob("*.*") if path.suffix in _DECIDES]
    files.append(Path(str(text.__file__)))
    return digest.of([[path.name, hashlib.sha256(path.read_bytes()).hexdigest()] for path in sorted(files)])


def leave(ledger: Ledger, about: str, checked: CheckUp) -> None:
    """The check-up is a checkpoint of the ledger's, which knows each of its findings. It must have been kept."""
    assert checked.kept is not None
    found = checked.examination.findings
    ledger.findings.note(found)
    kind = "full" if checked.basis.since is None else "incremental"
    ledger.checkpoints.add(about, checked.version, kind, checked.kept, [f.id for f in found])
