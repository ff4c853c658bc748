"""Memories that can't both hold, those that hold for a scene only, and old values inside other memories."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from mendory.claims import ClaimsOf, claims_of, of_writer
from mendory.claims.attributes import Singles, declared
from mendory.claims.blocks import numbers, old_values
from mendory.conflicts import ConflictRules, rule
from mendory.detect.buried import Copies, Over, outlived, says_more
from mendory.detect.exact_duplicates import plain_kind, span
from mendory.detect.judged import judged, once
from mendory.detect.meeting import Block, Met
from mendory.detect.verdicts import PASSING, Clash, Handed, Verdicts
from mendory.finding import Code, Finding, finding
from mendory.judge import Judging
from mendory.language import fold
from mendory.language.claim import Claim, ClaimKind
from mendory.record import Memory
from mendory.scopes import Ancestors, without_parents
from mendory.text import is_blank

READS: Final = ("content", "scope", "kind", "metadata", "claim", "created_at", "source")
"""What a conflict is about; never the status: the mark of a dispute must not make it another one."""
_FETCHED: Final = 20_000
Fetched = Callable[[Sequence[str]], Mapping[str, Memory]]


class Conflicts:
    """Recallable memories of one scope, or of a scope and one it lies in, of which one says what the other denies.

    Flags: `conflict`, two rows whose claims share subject and attribute or object, or whose texts lie near, and that
    can't both hold (`mendory.contradiction`) as surely as a rule may decide about it; for each row the pair with its
    newest opponent. `conflict_exception`: one of two holds for a scene, or in a scope inside the other's, and the other
    in general; for each narrower row the newest general one, unless it is linked to it. `conflict_buried`: a row that
    a rule decides against, but that says more than what is over; and a row that still names the old port or version of
    something, when a conflict about it is decided or the row that had it is superseded. `conflict_candidate`, a code of
    the near duplicates': a conflict that a judge, where one is set, speaks against.
    Does not flag: complementary facts; rows of two owners, of sibling scopes, of other scenes; events and what passes;
    what is planned, supposed, quoted or over; archived rows; a row alone. Cost: the claims of each row, extracted where
    nobody kept them; about 150 bytes a row; of rows whose claims meet others' the texts are fetched, and each is
    compared with at most 32 groups of equal claims.
    """

    codes = (Code.CONFLICT, Code.CONFLICT_BURIED, Code.CONFLICT_EXCEPTION)

    def __init__(
        self,
        owner_keys: Sequence[str],
        absent: Collection[str],
        claims: ClaimsOf = claims_of,
        ancestors: Ancestors = without_parents,
        handed: Handed | None = None,
        rules: ConflictRules | None = None,
        judging: Judging | None = None,
    ) -> None:
        self._judging = judging
        self._rules = rules or ConflictRules()
        self._copies = Copies()
        self._superseded: dict[str, str] = {}
        self._owners, self._absent = tuple(owner_keys), frozenset(absent)
        self._claims, self._ancestors = claims, ancestors
        self._verdicts = Verdicts(claims, self._rules.singles)
        self._handed = handed
        self._met = Met(self._rules.singles)

    def observe(self, memory: Memory) -> None:
        """Note what a recallable memory claims."""
        if not memory.id or is_blank(memory.scope) or is_blank(memory.content):
            return
        if plain_kind(memory) in PASSING or memory.metadata_error or memory.wrong:
            return
        if not (memory.recallable or "status" in self._absent):
            if memory.superseded_by and numbers(memory.content or ""):
                self._superseded[memory.id] = memory.superseded_by
            return
        scope, owner = str(memory.scope), self._owner(memory)
        above = [f"{one}\0{of}" for one in self._ancestors(scope) for of in dict.fromkeys((owner, ""))]
        row = self._met.add(memory.id, memory.created_at, (f"{scope}\0{owner}",), above, self._claims(memory))
        self._copies.add(scope, memory.content or "", row)

    def _owner(self, memory: Memory) -> str:
        """Whom the row belongs to inside its scope; nobody where that is the scope itself."""
        held = memory.metadata or {}
        named = [fold(str(held[key])) for key in self._owners if not is_blank(str(held.get(key) or ""))]
        return "\0".join(one for one in named if one != fold(memory.scope or ""))

    def findings(self, fetch: Fetched) -> Iterator[Finding]:
        """Each pair once."""
        told: set[tuple[str, str]] = set()
        overs: list[Over] = []
        for clash, heard in judged(once(chain(self._in_blocks(fetch), self._near(fetch)), told), self._judging):
            if clash.conflict or clash.exception:
                found = self._finding(clash, heard)
                overs += _over(clash, found)
                yield found
            else:
                yield _lowered(clash, heard)
        yield from self._outlived([*overs, *self._over_before(fetch)], told, fetch)

    def _in_blocks(self, fetch: Fetched) -> Iterator[Clash]:
        shared = {name for name, rows in Counter(self._met.ids).items() if rows > 1}
        for part in _parts(self._met.blocks()):
            held = fetch(sorted({self._met.ids[row] for block in part for row in block.rows} - shared))
            for block in part:
                yield from self._picked(block, held)

    def _picked(self, block: Block, held: Mapping[str, Memory]) -> Iterator[Clash]:
        """For each row the conflict with its newest opponent, and the newest that it is an exception of."""
        for at, group in enumerate(block.groups):
            opponents = [held.get(self._met.ids[row]) for row in block.opponents(at)]
            for row in group:
                mine = held.get(self._met.ids[row])
                if mine is not None:
                    yield from _newest(self._verdicts.of(mine, one) for one in opponents if one is not None)

    def _near(self, fetch: Fetched) -> Iterator[Clash]:
        """The same of rows whose texts lie near."""
        pairs = self._handed.pairs if self._handed else {}
        beside: dict[str, set[str]] = defaultdict(set)
        for one, two in pairs:
            beside[one].add(two)
            beside[two].add(one)
        held = fetch(sorted(beside)) if beside else {}
        for name in sorted(held):
            others = sorted((held[i] for i in beside[name] if i in held), key=_age, reverse=True)
            cosines = (pairs[min(name, str(m.id)), max(name, str(m.id))] for m in others)
            yield from _newest(self._verdicts.of(held[name], *one) for one in zip(others, cosines, strict=True))

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Only a judge: claims need neither vectors nor times."""
        yield from self._judging.stands_down() if self._judging else ()

    def _over_before(self, fetch: Fetched) -> Iterator[Over]:
        """What was over when a row was superseded, as far as its successor is there and says otherwise."""
        names = sorted({*self._superseded, *self._superseded.values()})
        held = fetch(names) if names else {}
        for name, successor in sorted(self._superseded.items()):
            if name in held and successor in held and held[name].scope == held[successor].scope:
                clash = self._verdicts.of(held[name], held[successor])
                if clash is not None and clash.conflict:
                    yield from _overs(clash, name, successor)

    def _outlived(self, overs: Sequence[Over], told: Collection[tuple[str, str]], fetch: Fetched) -> Iterator[Finding]:
        """Rows that still name what is over, each once, with the newest of those that say what is now."""
        copies = list(outlived(self._copies, overs, self._met.ids))
        held = fetch(sorted({name for row, over in copies for name in (row, over.now)})) if copies else {}
        best: dict[str, tuple[Memory, Memory, str]] = {}
        for name, over in copies:
            row, now = held.get(name), held.get(over.now)
            if row is None or now is None or tuple(sorted((name, over.now))) in told or not self._older(row, now):
                continue
            if over.values & _told(self._claims(row)):
                continue  # it says itself of what it names the value
            if name not in best or (_age(now), over.old) > (_age(best[name][1]), best[name][2]):
                best[name] = row, now, over.old
        for row, now, old in best.values():
            evidence = {"buried": row.id, "by": now.id, "old": old, "span_seconds": span((row, now))}
            reason = "a memory still names a value that is over"
            yield finding(Code.CONFLICT_BURIED, [row, now], READS, reason, evidence, "conflict/1")

    def _older(self, row: Memory, now: Memory) -> bool:
        """Whether the row was there before what is now, and is of the same owner."""
        if row.created_at is None or now.created_at is None or row.created_at > now.created_at:
            return False
        return self._owner(row) in ("", self._owner(now))

    def _finding(self, clash: Clash, heard: dict[str, Any]) -> Finding:
        if clash.exception:
            return _exception(clash)
        ruling = rule(*clash.rows, clash.compared, self._rules)
        for row, about, claims in zip(clash.rows, clash.compared.claims, clash.claims, strict=True):
            if row.id == ruling.lose and says_more(row, about, claims, self._rules.singles):
                evidence = _evidence(clash) | {"buried": row.id, "by": ruling.keep, "rule": ruling.rule, **heard}
                reason = "a memory that says more holds a value that is over"
                return finding(Code.CONFLICT_BURIED, clash.rows, READS, reason, evidence, "conflict/1")
        reason = "two memories of one scope can't both hold"
        evidence = _evidence(clash) | dict(ruling.evidence()) | heard
        return finding(Code.CONFLICT, clash.rows, READS, reason, evidence, "conflict/1")


def _lowered(clash: Clash, heard: dict[str, Any]) -> Finding:
    """What is left of a conflict that a judge speaks against: something for a person to look at."""
    reason = "a judge finds that two memories which rules find in conflict may both hold"
    return finding(Code.CONFLICT_CANDIDATE, clash.rows, READS, reason, _evidence(clash) | heard, "conflict/1")


def _newest(clashes: Iterable[Clash | None]) -> Iterator[Clash]:
    """Of what is between one row and others, the newest first: the first conflict, the first whose exception it is."""
    conflict = exception = False
    for clash in clashes:
        if clash is None:
            continue
        if clash.exception and not exception and _narrower(clash) is clash.rows[0]:
            exception = True
            if not _linked(clash):
                yield clash
        elif clash.conflict and not clash.exception and not conflict:
            conflict = True
            yield clash
        if conflict and exception:
            return


def _age(memory: Memory) -> tuple[float, str]:
    return memory.created_at.timestamp() if memory.created_at else float("-inf"), memory.id or ""


def _narrower(clash: Clash) -> Memory:
    """The side that holds in the narrower scope, which is the first row's, else in the narrower scene."""
    if clash.rows[0].scope != clash.rows[1].scope:
        return clash.rows[0]
    return clash.rows[clash.compared.narrower or 0]


def _linked(clash: Clash) -> bool:
    """Whether the narrower side is known for an exception of the other."""
    narrower = _narrower(clash)
    return any(m.id in narrower.kept.exception_of for m in clash.rows)


def _exception(clash: Clash) -> Finding:
    narrower = _narrower(clash)
    [general] = [m for m in clash.rows if m is not narrower]
    evidence = _evidence(clash) | {"narrower": narrower.id, "general": general.id}
    what = "scene" if narrower.scope == general.scope else "scope"
    reason = f"one memory holds for a narrower {what} than the other"
    return finding(Code.CONFLICT_EXCEPTION, [narrower, general], READS, reason, evidence, "conflict/1")


def _told(claims: Iterable[Claim]) -> frozenset[str]:
    """The numbers that facts give to something, whoever declared of what."""
    return frozenset().union(*(numbers(v.text) for c in claims if c.kind is ClaimKind.FACT for v in c.values))


def _over(clash: Clash, found: Finding) -> Iterator[Over]:
    """What is over by a finding that says which of two rows goes."""
    old, now = (
        found.evidence.get(key) for key in (("lose", "keep") if found.code is Code.CONFLICT else ("buried", "by"))
    )
    if old and now:
        yield from _overs(clash, old, now)


def _overs(clash: Clash, old: str, now: str) -> Iterator[Over]:
    sides = {str(m.id): old_values(claim) for m, claim in zip(clash.rows, clash.compared.claims, strict=True)}
    yield Over(str(clash.rows[0].scope), old, now, sides[old] - sides[now], sides[now])


def _evidence(clash: Clash) -> dict[str, Any]:
    """What was compared, without a word of a memory; one claim for each id, in their order."""
    sides = sorted(zip(clash.rows, clash.compared.claims, strict=True), key=lambda side: side[0].id or "")
    return {
        "why": [_named(word, clash.singles) for word in clash.compared.why],
        "score": round(clash.compared.score, 3),
        "attribute": next((name for _, claim in sides if claim and (name := _attribute(claim, clash.singles))), ""),
        "claims": [_side(memory, claim, clash.singles) for memory, claim in sides],
        "span_seconds": span(clash.rows),
    }


def _side(memory: Memory, claim: Claim | None, singles: Singles) -> dict[str, Any]:
    if claim is None:
        return {"origin": "text"}
    return {
        "attribute": _attribute(claim, singles),
        "kind": claim.kind.value,
        "stance": claim.stance,
        "strength": claim.strength,
        "tense": claim.tense.value,
        "scenes": len(claim.scenes),
        "origin": "writer" if of_writer(memory) else "rules",
        "confidence": round(claim.confidence, 3),
    }


def _attribute(claim: Claim, singles: Singles) -> str:
    """The declared attribute of a fact; "" of a preference, and of one that only its writer knows."""
    return declared(claim.about, singles) if claim.kind is ClaimKind.FACT else ""


def _named(word: str, singles: Singles) -> str:
    """A word of why, without the object or the value that an attribute may name after it."""
    what, _, rest = word.partition(":")
    return f"{what}:{name}" if (name := declared(rest, singles)) else what


def _parts(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    """Several small blocks together, of about `_FETCHED` rows each."""
    part: list[Block] = []
    size = 0
    for block in blocks:
        part.append(block)
        size += sum(1 for _ in block.rows)
        if size >= _FETCHED:
            yield part
            part, size = [], 0
    if part:
        yield part
