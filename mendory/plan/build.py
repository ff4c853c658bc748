"""From findings to drafts: repairs in record terms, one from another, until nothing more follows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mendory.catalogue import CHOSEN, Level, Otherwise, Remedy, StepKind, remedy_of
from mendory.choices import Answer
from mendory.conflicts import losers, spared
from mendory.detect import Examination, Fetch, Settings, examine
from mendory.detect.exact_duplicates import INCIDENTAL
from mendory.detect.neighbours import Neighbours
from mendory.finding import Code, Finding
from mendory.mapping import RELATIONS, Giving
from mendory.plan.answered import answered as by_answer
from mendory.plan.belonging import set_scope, set_source
from mendory.plan.dispute import lift_mark, mark_disputed
from mendory.plan.draft import NOT_RENEWED, Draft, Renewal, Situation, Unplanned, VectorOf, changed, nobody_embeds
from mendory.plan.evidence import Evidence, Witnesses
from mendory.plan.exception import link_exception
from mendory.plan.fill import fill, normalise_status
from mendory.plan.merge import merge_exact, merge_near
from mendory.plan.renew import reembed
from mendory.plan.repoint import repoint_dangling
from mendory.plan.summarise import summarise
from mendory.plan.supersede import supersede
from mendory.plan.weigh import weigh
from mendory.record import Memory

_MOST_ROUNDS = 20
_DRAFTERS: Mapping[StepKind, Callable[[Finding, Situation], list[Draft | Unplanned]]] = {
    StepKind.FILL: fill,
    StepKind.NORMALISE_STATUS: normalise_status,
    StepKind.REPOINT: repoint_dangling,
    StepKind.REEMBED: reembed,
    StepKind.MERGE_EXACT: merge_exact,
    StepKind.MERGE_NEAR: merge_near,
    StepKind.SUMMARISE: summarise,
    StepKind.MARK_DISPUTED: mark_disputed,
    StepKind.SUPERSEDE: supersede,
    StepKind.LINK_EXCEPTION: link_exception,
    StepKind.LIFT_MARK: lift_mark,
    StepKind.WEIGH: weigh,
    StepKind.SET_SCOPE: set_scope,
    StepKind.SET_SOURCE: set_source,
}
_ORDER = {kind: at for at, kind in enumerate(_DRAFTERS)}


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the owner has configured about filling in, and what people said: rows that stay as they are, answers.

    `answers` are those that decide, by the id of the finding they were given to. `anew` are rows not to be archived
    once more, unless a person has answered so, each with why.
    """

    defaults: Mapping[str, Any]
    min_siblings: int = 3
    kept: Collection[str] = frozenset()
    answers: Mapping[str, Answer] = field(default_factory=dict)
    anew: Mapping[str, str] = field(default_factory=dict)

    def remedy(self, finding: Finding) -> Remedy:
        """What a person answered to the finding leads to; without an answer what the catalogue says."""
        answer = self.answers.get(finding.id)
        return CHOSEN[answer.choice] if answer else remedy_of(finding)


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
    renewal: Renewal = NOT_RENEWED,
) -> Drafted:
    """Every repair that follows, one from another: examine, draft, imagine it done, examine again.

    A filled scene can make two rows mergeable; the plan holds both steps, so that planning the healed
    table gives nothing. What only a person can let run (level 3, a summary) is never imagined: it may never be
    approved, so nothing is planned on it; but for what a person has answered already. `held_back` says why a finding
    must not be planned (dismissed, under an open plan, tried too often), or None; none is planned whose steps would
    change a row in `wishes.kept` or archive one in `wishes.anew`. `giving` is what rows without a scope or source can
    be given; `vector_of` embeds a summary, `renewal` changed texts. The result does not depend on the order of rows.
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
    lasting: list[Unplanned] = []  # of findings that a draft answers and a person decides all the same
    first: Examination | None = None
    for _ in range(_MOST_ROUNDS):
        seen = examine(state(), look, settings, neighbours)
        first = first or seen
        shared = frozenset(i for f in seen.findings if f.code == Code.DUPLICATE_ID for i in f.ids)
        stays = spared(first.findings, settings.settled)
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
            renewal=renewal,
            losing=losers(
                [
                    (f.evidence["keep"], f.evidence["lose"])
                    for f in seen.findings
                    if f.evidence.get("lose") and f.evidence["lose"] not in stays and f.id not in wishes.answers
                ]
            ),
        )
        unplanned = []
        # level 1 first and to its end: it runs before the rest, so the rest is planned on what it leaves
        for level in Level:
            fresh: list[Draft] = []
            waiting = _open(seen, level, answered, at.losing, wishes)
            ids = sorted({i for f in waiting for i in f.ids})
            asking = look(ids)  # one reading for all of them
            if waiting and level is Level.PERSON:
                told = Witnesses.of(asking.values(), state(), settings.owner_keys)
                at = replace(at, evidence=Evidence(told, settings.owner_keys, giving(ids), seen.doubtful))
            for finding in waiting:
                said = wishes.answers.get(finding.id)
                settled = finding if said else stays.get(finding.evidence.get("lose", ""), finding)
                why = _obstacle(finding, shared) or held_back(finding) or held_back(settled)
                answers: list[Draft | Unplanned]
                if why:
                    answers = [Unplanned(finding, why)]
                else:
                    answers = by_answer(finding, said, at) if said else _DRAFTERS[_step(finding, wishes)](finding, at)
                for answer in _sparing(finding, answers, wishes):
                    if isinstance(answer, Unplanned):
                        (lasting if finding.id in answered else unplanned).append(answer)
                        continue
                    fresh.append(answer)
                    answered.add(finding.id)
                    if answer.rule is None and level is not Level.AUTOMATIC and not said:
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
    return Drafted(first, tuple(drafts), (*lasting, *unplanned, *_left(seen, answered, wishes)))


def _sparing(finding: Finding, answers: list[Draft | Unplanned], wishes: Wishes) -> Sequence[Draft | Unplanned]:
    """The answers to a finding, none of them a step when one would touch what is to be let be."""
    made = [one for one in answers if isinstance(one, Draft)]
    rows = sorted({i for one in made for i in one.changes} & set(wishes.kept))
    if rows:
        return [Unplanned(finding, f"kept as it is by a person: {', '.join(rows)}")]
    anew = sorted({i for one in made for i in one.archived if finding.id not in wishes.answers} & set(wishes.anew))
    return [Unplanned(finding, wishes.anew[anew[0]])] if anew else answers


def _obstacle(finding: Finding, shared: frozenset[str]) -> str | None:
    if shared & set(finding.ids):
        return "its id is held by several rows, so the row can't be addressed"
    return None


def _left(seen: Examination, answered: set[str], wishes: Wishes) -> Iterator[Unplanned]:
    """The findings for which the catalogue has no step."""
    for finding in seen.findings:
        remedy = wishes.remedy(finding)
        if remedy.step is None and finding.id not in answered:
            reason = "a person must decide" if remedy.otherwise is Otherwise.PERSON else "report only"
            yield Unplanned(finding, reason)


def _step(finding: Finding, wishes: Wishes) -> StepKind:
    step = wishes.remedy(finding).step
    assert step is not None
    return step


def _open(
    seen: Examination, level: Level, answered: set[str], losing: Mapping[str, Sequence[str]], wishes: Wishes
) -> list[Finding]:
    """The findings of one level that no draft answers yet, in the order they are drafted.

    A row that wins and loses goes before what it wins over: the latter's step is planned on what that leaves.
    """
    waiting = [f for f in seen.findings if wishes.remedy(f).level == level and f.id not in answered]
    depth = {f.id: len(losing.get(str(f.evidence.get("keep")), ())) for f in waiting}
    return sorted(waiting, key=lambda f: (_ORDER[_step(f, wishes)], f.scope or "", depth[f.id], f.ids, f.id))
