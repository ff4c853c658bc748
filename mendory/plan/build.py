"""From findings to a frozen plan: draft in record terms until nothing more follows, then bind to columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from mendory import digest
from mendory.catalogue import Level, Otherwise, StepKind, remedy_of
from mendory.detect import Examination, Fetch, Settings, examine
from mendory.detect.exact_duplicates import INCIDENTAL
from mendory.detect.neighbours import Neighbours
from mendory.finding import Code, Finding
from mendory.mapping import RELATIONS, Giving
from mendory.mapping import Mapping as FieldMapping
from mendory.plan.belonging import set_scope, set_source
from mendory.plan.draft import Draft, Situation, Unplanned, VectorOf, changed, nobody_embeds
from mendory.plan.evidence import Evidence, Witnesses
from mendory.plan.fill import fill, normalise_status
from mendory.plan.merge import merge_exact, merge_near
from mendory.plan.model import Aside, ColumnChange, Edit, Group, Plan, Step
from mendory.plan.repoint import repoint_dangling
from mendory.plan.summarise import summarise
from mendory.plan.weigh import weigh
from mendory.record import Memory
from mendory.rows import Present, by_id, value_at, with_values
from mendory.side import Note, Notes, text_digest

_MOST_ROUNDS = 20
_DRAFTERS: Mapping[StepKind, Callable[[Finding, Situation], list[Draft | Unplanned]]] = {
    StepKind.FILL: fill,
    StepKind.NORMALISE_STATUS: normalise_status,
    StepKind.REPOINT: repoint_dangling,
    StepKind.MERGE_EXACT: merge_exact,
    StepKind.MERGE_NEAR: merge_near,
    StepKind.SUMMARISE: summarise,
    StepKind.WEIGH: weigh,
    StepKind.SET_SCOPE: set_scope,
    StepKind.SET_SOURCE: set_source,
}
_ORDER = {kind: at for at, kind in enumerate(_DRAFTERS)}


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the owner has configured about filling in."""

    defaults: Mapping[str, Any]
    min_siblings: int = 3


@dataclass(frozen=True, slots=True)
class Drafted:
    """The first examination, the drafts in the order they run, and the findings no draft answers."""

    examination: Examination
    drafts: tuple[Draft, ...]
    unplanned: tuple[Unplanned, ...]


def draft(
    scan: Callable[[], Iterable[Memory]],
    fetch: Fetch,
    settings: Settings,
    wishes: Wishes,
    held_back: Callable[[Finding], str | None],
    successors: Callable[[Sequence[str]], Mapping[str, str]],
    giving: Callable[[Sequence[str]], Giving],
    vector_of: VectorOf = nobody_embeds,
    neighbours: Neighbours | None = None,
) -> Drafted:
    """Every repair that follows, one from another: examine, draft, imagine it done, examine again.

    A filled scene can make two rows mergeable; the plan holds both steps, so that planning the healed
    table gives nothing. What only a person can let run (level 3, a summary) is never imagined: it may never be
    approved, so nothing is planned on it. `held_back` says why a finding must not be planned (dismissed, under an open
    plan, tried too often), or None; `giving` what rows without a scope or source can be given; `vector_of` embeds a
    summary. The result does not depend on the order of rows.
    """
    imagined: dict[str, Memory] = {}
    looked_up: dict[str, Memory | None] = {}

    def look(ids: Sequence[str]) -> dict[str, Memory]:
        unknown = [i for i in ids if i not in imagined and i not in looked_up]
        if unknown:
            held = fetch(unknown)
            looked_up.update((i, held.get(i)) for i in unknown)
        found = {i: imagined.get(i) or looked_up.get(i) for i in ids}
        return {i: memory for i, memory in found.items() if memory is not None}

    def state() -> Iterator[Memory]:
        for memory in scan():
            yield imagined.get(memory.id or "", memory)

    drafts: list[Draft] = []
    unplanned: list[Unplanned] = []
    answered: set[str] = set()
    undecided: set[str] = set()
    first: Examination | None = None
    for _ in range(_MOST_ROUNDS):
        seen = examine(state(), look, settings, neighbours)
        first = first or seen
        shared = frozenset(i for f in seen.findings if f.code == Code.DUPLICATE_ID for i in f.ids)
        at = Situation(
            look,
            seen.batches,
            seen.referrers,
            unaddressable=shared,
            absent=settings.absent - frozenset(RELATIONS),
            aside=settings.absent & frozenset(RELATIONS),
            can_hide=settings.can_hide and "status" not in settings.absent,
            owner_keys=settings.owner_keys,
            incidental=INCIDENTAL.union(settings.incidental),
            defaults=wishes.defaults,
            min_siblings=wishes.min_siblings,
            successors=successors,
            undecided=undecided,
            vector_of=vector_of,
        )
        unplanned = []
        # level 1 first and to its end: it runs before the rest, so the rest is planned on what it leaves
        for level in Level:
            fresh: list[Draft] = []
            waiting = _open(seen, level, answered)
            ids = sorted({i for f in waiting for i in f.ids})
            asking = look(ids)  # one reading for all of them
            if waiting and level is Level.PERSON:
                told = Witnesses.of(asking.values(), state(), settings.owner_keys)
                at = replace(at, evidence=Evidence(told, settings.owner_keys, giving(ids), seen.doubtful))
            for finding in waiting:
                why = _obstacle(finding, shared) or held_back(finding)
                for answer in [Unplanned(finding, why)] if why else _DRAFTERS[_step(finding)](finding, at):
                    if isinstance(answer, Unplanned):
                        unplanned.append(answer)
                        continue
                    fresh.append(answer)
                    answered.add(finding.id)
                    if answer.rule is None and level is not Level.AUTOMATIC:
                        undecided.update(answer.rows)
                        continue
                    for row, changes in answer.changes.items():
                        imagined[row] = changed(look([row])[row], changes)
            drafts += fresh
            if fresh and level is not Level.PERSON:
                break
        else:
            break
    assert first is not None
    return Drafted(first, tuple(drafts), (*unplanned, *_left(seen, answered)))


def _obstacle(finding: Finding, shared: frozenset[str]) -> str | None:
    if shared & set(finding.ids):
        return "its id is held by several rows, so the row can't be addressed"
    return None


def _left(seen: Examination, answered: set[str]) -> Iterator[Unplanned]:
    """The findings for which there is no step."""
    for finding in seen.findings:
        remedy = remedy_of(finding)
        if remedy.step not in _DRAFTERS and finding.id not in answered:
            reason = "a person must decide" if remedy.otherwise is Otherwise.PERSON else "report only"
            yield Unplanned(finding, reason)


def _step(finding: Finding) -> StepKind:
    step = remedy_of(finding).step
    assert step is not None
    return step


def _drafted_at(finding: Finding) -> Level | None:
    """The level at which the finding's step is drafted; None where there is no step."""
    remedy = remedy_of(finding)
    return remedy.level if remedy.step in _DRAFTERS else None


def _open(seen: Examination, level: Level, answered: set[str]) -> list[Finding]:
    """The findings of one level that no draft answers yet, in the order they are drafted."""
    waiting = [f for f in seen.findings if f.id not in answered and _drafted_at(f) == level]
    return sorted(waiting, key=lambda f: (_ORDER[_step(f)], f.scope or "", f.ids, f.id))


def bind(
    drafts: Sequence[Draft],
    rows: pa.Table,
    mapping: FieldMapping,
    base_version: int,
    now: datetime,
    window: timedelta,
    notes: Notes = MappingProxyType({}),
) -> Plan:
    """The plan: drafts as steps on `rows` (all columns of every row they change), grouped and chained by digests.

    `notes` is what Mendory keeps aside of these rows. Where the owner's mark of a hidden row holds a time it is `now`.
    """
    edits = _edits(drafts, rows, mapping, now, notes)
    touched: dict[str, list[str]] = {}
    groups = _Grouping()
    lead: tuple[Draft, str] | None = None
    for one, own in zip(drafts, edits, strict=True):
        follows = lead is not None and one.finding.id == lead[0].finding.id
        needs = {s for row in one.rows for s in touched.get(row, ())} | ({lead[1]} if lead and follows else set())
        step = Step(
            one.kind,
            one.level,
            one.rule,
            one.finding.code.value,
            one.finding.id,
            one.scope,
            one.reason,
            own,
            one.detail,
            tuple(sorted(needs)),
        )
        if lead is None or not follows:
            lead = (one, step.id)
        for row in one.rows:
            touched.setdefault(row, []).append(step.id)
        # steps that only follow from another (re-pointing after a merge) stand in its group
        groups.add(lead[0].kind, step)
    return Plan(groups.made(), base_version, now, now + window, tuple(rows.schema.names))


class _Grouping:
    """Steps of one kind, level and rule in one group, and every group after those its steps require."""

    def __init__(self) -> None:
        self._groups: list[tuple[StepKind, list[Step]]] = []
        self._newest: dict[tuple[StepKind, Level, str | None], int] = {}
        self._place: dict[str, int] = {}

    def add(self, kind: StepKind, step: Step) -> None:
        """Put the step in the newest group of its sort, or in a new one when what it requires comes later."""
        after = max((self._place[s] for s in step.requires), default=-1)
        sort = kind, step.level, step.rule
        at = self._newest.get(sort, -1)
        if at < 0 or at < after:
            at = self._newest[sort] = len(self._groups)
            self._groups.append((kind, []))
        self._groups[at][1].append(step)
        self._place[step.id] = at

    def made(self) -> tuple[Group, ...]:
        """The groups, named G1, G2 and so on."""
        return tuple(
            Group(f"G{at}", kind, steps[0].level, steps[0].rule, tuple(steps))
            for at, (kind, steps) in enumerate(self._groups, 1)
        )


def _edits(
    drafts: Sequence[Draft], rows: pa.Table, mapping: FieldMapping, now: datetime, notes: Notes
) -> list[tuple[Edit, ...]]:
    """The edits of each draft, each made on what the drafts before it leave of the row."""
    id_column = str(mapping.column("id"))
    state, _ = by_id(rows, id_column)
    ids = rows.column(id_column).to_pylist()
    digests = dict(zip(ids, digest.row_digests(rows, mapping.volatile), strict=True))
    made: list[tuple[int, str, tuple[ColumnChange, ...], Aside | None]] = []
    after: list[pa.Table] = []
    kept = dict(notes)
    for at, one in enumerate(drafts):
        for row in one.rows:
            changes = one.changes.get(row, {})
            new = {c: _text(v) for c, v in mapping.write(Present(state[row]), changes, now).items()}
            present = {c: value_at(state[row], c) for c in new}
            columns = tuple(ColumnChange(c, present[c], v) for c, v in sorted(new.items()) if not _same(v, present[c]))
            aside, kept[row] = _aside(mapping, state[row], changes, kept.get(row))
            state[row] = with_values(state[row], {c.column: c.new for c in columns})
            made.append((at, row, columns, aside))
            after.append(state[row])
    becomes = digest.row_digests(pa.concat_tables(after).combine_chunks(), mapping.volatile) if after else []
    edits: list[list[Edit]] = [[] for _ in drafts]
    for (at, row, columns, aside), new_digest in zip(made, becomes, strict=True):
        edits[at].append(Edit(row, digests[row], new_digest, columns, aside))
        digests[row] = new_digest
    return [tuple(e) for e in edits]


def _text(value: Any) -> Any:
    """A time as text, as a plan holds it."""
    return value.isoformat(" ") if isinstance(value, datetime) else value


def _same(new: Any, old: Any) -> bool:
    """To Python 1 and true are equal, to a reader of JSON they are not."""
    return bool(new == old) and isinstance(new, bool) == isinstance(old, bool)


def _aside(
    mapping: FieldMapping, row: pa.Table, changes: Mapping[str, Any], note: Note | None
) -> tuple[Aside | None, Note]:
    """What changes of what is kept of the row beside it, and what is kept then.

    What was kept of another text goes: it is about nothing that is there, and would be taken for this text's.
    """
    [memory] = mapping.memories(row)
    about = text_digest(memory)
    held = dict(note.fields) if note else {}
    outdated = note is not None and note.about != about
    new = {name: list(v) or None if isinstance(v, tuple) else v for name, v in mapping.aside(changes).items()}
    after = {name: v for name, v in {**({} if outdated else held), **new}.items() if v is not None}
    names = sorted(new if not outdated or not new else {*held, *new})
    differing = tuple(ColumnChange(n, held.get(n), after.get(n)) for n in names if held.get(n) != after.get(n))
    if not differing:
        return None, note or Note(about, {})
    return Aside(about, differing, note.about if note is not None and outdated else None), Note(about, after)
