"""Which of two memories that can't both hold stays: rules in order, each deciding only on a clear difference. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from types import MappingProxyType
from typing import Any, Final

from mendory.conflicts.model import Abstention, ConflictRules, Ruling
from mendory.contradiction import Compared, Relation
from mendory.finding import Finding
from mendory.record import SOURCE_CONFIDENCE, Memory
from mendory.text import is_blank

_USER: Final = "user_stated"


@dataclass(frozen=True, slots=True)
class _Decides:
    """A rule's clear difference: who stays (0 or 1), or that both do, and what the difference is in."""

    keep: int | None
    difference: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    specific: int | None = None


_Pair = tuple[Memory, Memory]
_Rule = Callable[[_Pair, Compared, ConflictRules], "_Decides | Abstention"]


def rule(a: Memory, b: Memory, compared: Compared, wishes: ConflictRules) -> Ruling:
    """What the first rule that decides says of a pair that can't both hold; else why each abstained.

    `a` and `b` are recallable, in the order in which they were compared, of one scope or of a scope and one that it
    lies in. The answer does not depend on that order. Two scopes are never judged by anything but which is narrower.
    """
    pair = (a, b)
    abstained: dict[str, str] = {}
    for name in wishes.rules:
        found = _barred(name, pair, wishes) or _RULES[name](pair, compared, wishes)
        if isinstance(found, Abstention):
            abstained[name] = found.value
        elif found.keep is None:
            specific = None if found.specific is None else pair[found.specific].id
            return Ruling(name, both=True, specific=specific, abstained=abstained, difference=found.difference)
        else:
            stays, goes = pair[found.keep].id, pair[1 - found.keep].id
            return Ruling(name, stays, goes, abstained=abstained, difference=found.difference)
    return Ruling(abstained=abstained)


def _barred(name: str, pair: _Pair, wishes: ConflictRules) -> Abstention | None:
    """Why no rule but that of the narrower one may judge the pair."""
    if name == "narrower":
        return None
    if pair[0].scope != pair[1].scope:
        return Abstention.OTHER_SCOPE
    sources = {m.source for m in pair}
    if _USER in sources and sources & set(wishes.authorities):
        return Abstention.USER_AGAINST_AUTHORITY
    return None


def _narrower(pair: _Pair, compared: Compared, wishes: ConflictRules) -> _Decides | Abstention:
    """Both stay where one holds in a narrower scope, or in a narrower scene, than the other."""
    for side in (0, 1):
        if pair[1 - side].scope in wishes.ancestors(pair[side].scope):
            return _Decides(None, {"in": "scope"}, side)
    if pair[0].scope != pair[1].scope:
        return Abstention.OTHER_SCOPE
    if compared.relation is Relation.EXCEPTION and compared.narrower is not None:
        return _Decides(None, {"in": "scene"}, compared.narrower)
    return Abstention.NONE_NARROWER


def _newer(pair: _Pair, _: Compared, wishes: ConflictRules) -> _Decides | Abstention:
    """The one that was stored later, unless it is less sure, of one import batch, or the other was touched since."""
    found = _later(pair, wishes)
    if isinstance(found, Abstention):
        return found
    batches = [m.batch_id for m in pair]
    if batches[0] == batches[1] and not is_blank(batches[0]):
        return Abstention.ONE_BATCH
    keep, seconds = found
    new, old = pair[keep].source, pair[1 - keep].source
    if new != old or is_blank(new):  # of one source neither is surer, whatever we know of it
        known = [SOURCE_CONFIDENCE.get(source or "", 0) for source in (new, old)]
        if 0 in known:
            return Abstention.UNKNOWN_SOURCE
        if known[0] < known[1]:
            return Abstention.LESS_SURE
    return _Decides(keep, {"seconds": seconds})


def _latest_user_statement(pair: _Pair, _: Compared, wishes: ConflictRules) -> _Decides | Abstention:
    """Of two statements of the user the later one, within one import batch too."""
    if any(m.source != _USER for m in pair):
        return Abstention.NOT_THE_USER
    found = _later(pair, wishes)
    return found if isinstance(found, Abstention) else _Decides(found[0], {"seconds": found[1]})


def _confidence(pair: _Pair, _: Compared, __: ConflictRules) -> _Decides | Abstention:
    """The one whose source is the surer; a source that nobody knows is neither."""
    known = [SOURCE_CONFIDENCE.get(m.source or "", 0) for m in pair]
    if 0 in known:
        return Abstention.UNKNOWN_SOURCE
    if known[0] == known[1]:
        return Abstention.EQUALLY_SURE
    keep = int(known[1] > known[0])
    return _Decides(keep, {"sources": [pair[keep].source, pair[1 - keep].source]})


def _authority(pair: _Pair, _: Compared, wishes: ConflictRules) -> _Decides | Abstention:
    """What an authority says, over what was extracted; a source that nobody knows may be either."""
    said = [m.source in wishes.authorities for m in pair]
    if said[0] == said[1]:
        return Abstention.BOTH_AUTHORITIES if said[0] else Abstention.NO_AUTHORITY
    keep = int(said[1])
    if (pair[1 - keep].source or "") not in SOURCE_CONFIDENCE:
        return Abstention.UNKNOWN_SOURCE
    return _Decides(keep, {"sources": [pair[keep].source, pair[1 - keep].source]})


_RULES: Final[Mapping[str, _Rule]] = MappingProxyType(
    {
        "narrower": _narrower,
        "latest_user_statement": _latest_user_statement,
        "newer": _newer,
        "confidence": _confidence,
        "authority": _authority,
    }
)


def _later(pair: _Pair, wishes: ConflictRules) -> tuple[int, int] | Abstention:
    """(which of the two was stored later, by how many seconds), where that is beyond doubt.

    It is not where a time is missing, ahead of the clock, or closer than the tie window; nor where the earlier one was
    changed or confirmed after the later one came.
    """
    stored = [m.created_at for m in pair]
    if stored[0] is None or stored[1] is None:
        return Abstention.NO_TIME
    if wishes.now is not None and any(s > wishes.now + wishes.tie_window for s in stored if s):
        return Abstention.AHEAD_OF_CLOCK
    apart = stored[1] - stored[0]
    if abs(apart) <= wishes.tie_window:
        return Abstention.SAME_TIME
    keep = int(apart > timedelta(0))
    new, old = pair[keep], pair[1 - keep]
    since = max(moment for moment in (new.created_at, new.updated_at) if moment is not None)
    if old.updated_at is not None and old.updated_at - since > wishes.tie_window:
        return Abstention.CHANGED_SINCE
    if old.last_verified_at is not None and old.last_verified_at - since > wishes.tie_window:
        return Abstention.CONFIRMED_SINCE
    return keep, int(abs(apart).total_seconds())


def losers(rulings: Collection[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Row that loses → the rows it loses to, one after another, the last of which stays; () where they go in a circle.

    `rulings` are pairs of who stays and who goes. A row that loses several times loses to the first of those by name.

    >>> losers([("b", "a"), ("c", "b")]), losers([("b", "a"), ("a", "b")])
    ({'a': ('b', 'c'), 'b': ('c',)}, {'a': (), 'b': ()})
    """
    direct: dict[str, str] = {}
    for stays, goes in sorted(rulings):
        direct.setdefault(goes, stays)
    return {row: _path(row, direct) for row in direct}


def spared(findings: Iterable[Finding], settled: Collection[str]) -> dict[str, Finding]:
    """Row that a person has let stay → the settled finding by which it would have gone, of those still found.

    `settled` are ids of findings that a person has dismissed. Whoever takes back that a row goes does so whichever row
    it would go for: it loses by no other finding either, until one of the two rows of the settled one changes.
    """
    found = (one for one in findings if one.id in settled and one.evidence.get("lose"))
    return {str(one.evidence["lose"]): one for one in sorted(found, key=lambda one: one.id)}


def _path(row: str, direct: Mapping[str, str]) -> tuple[str, ...]:
    walked = {row: None}
    while row in direct:
        row = direct[row]
        if row in walked:
            return ()
        walked[row] = None
    return tuple(walked)[1:]
