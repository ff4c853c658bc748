"""Whom and what somebody has: family, pets and possessions, by number where it is said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mendory.language.claim import USER, Claim, ClaimKind, Tense, Value
from mendory.language.en.claims.clause import Clause
from mendory.language.en.claims.kinds import kinds
from mendory.language.en.claims.values import fact, figure, folds, listing, quantity, term
from mendory.language.en.lists import listed

_MARITAL = {
    "husband": "married", "wife": "married", "spouse": "married", "hubby": "married",
    "fiance": "engaged", "fiancee": "engaged", "fianc": "engaged",
    "boyfriend": "dating", "girlfriend": "dating",
}  # fmt: skip
_ABOVE = {"divorced": ("single",), "widowed": ("single",), "engaged": ("dating",), "separated": ("married",)}
_STATE = re.compile(
    r"^(?:a |an |now |happily |newly |recently |in (?=a relationship))*"
    r"(?P<state>married|single|divorced|engaged|widowed|widow|widower|separated|bachelor|a relationship|newlywed)"
    r"(?P<rest> .*|)$"
)
_STATES = {
    "widow": "widowed",
    "widower": "widowed",
    "bachelor": "single",
    "a relationship": "dating",
    "newlywed": "married",
}
_KIN_OF = {
    "daughter": "child", "son": "child", "child": "child", "toddler": "child", "stepson": "child", "kid": "child",
    "brother": "sibl", "sister": "sibl", "sibl": "sibl", "twin": "sibl",
    "mother": "", "father": "", "parent": "",
}  # fmt: skip
_OWNING = listed("have own adopt raise breed keep")
_NUMBER = re.compile(
    r"^(?P<n>\d[\d,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|sixteen"
    r"|seventeen|eighteen|nineteen|twenty|zero)\b (?P<what>.+)"
)
_PRAISE = listed(
    "great beautiful lovely wonderful amazing cute sweet awesome dear adorable young little small big own old"
)
_NO = re.compile(r"^(?:no|zero|any|not any) (?P<what>.+)")
_SOME = re.compile(
    r"^(?:an?|some|several|many|few|lot of|lots of|a lot of|a few|a couple of|my|our|another|the) (?P<what>.+)"
)
_PARENT = re.compile(
    r"^(?:an? |the |proud |single |new |loving |busy |stay at home |happy )*(?P<who>mother|mom|father|dad"
    r"|parent)\b(?P<rest>.*)"
)
_ONLY = re.compile(r"^(?:an |the )?only child\b")
_WHICH = re.compile(r"\b(?:that|who|which|whose)\b")
_NOT_HAD = listed(
    "time job idea chance hard lot problem trouble fun question meeting look day plan bit interest good allergi"
)


def family(clause: Clause) -> Iterator[Claim]:
    """Claims of `marital`, `has` and `count`."""
    yield from _kin_of_user(clause)
    if clause.thing:
        return
    if clause.verb == "be":
        yield from _being(clause)
    elif clause.verb == "marry" and not clause.rest.startswith("off"):
        yield fact(clause, "marital", (_state("married"),), 0.75)
    elif clause.verb == "divorce" or (clause.verb == "get" and re.match(r"(?:a )?divorced?\b", clause.rest)):
        yield fact(clause, "marital", (_state("divorced"),), 0.8, ends=True)
    elif clause.verb == "get" and re.match(r"(?:married|engaged)\b", clause.rest):
        yield fact(clause, "marital", (_state(clause.rest.split()[0]),), 0.8, ends=True)
        if clause.tense is Tense.PLANNED and clause.rest.startswith("married"):
            yield replace(fact(clause, "marital", (_state("engaged"),), 0.7), tense=Tense.NOW)
    elif clause.verb == "live" and (company := re.search(r"\bwith (?P<list>.*)", clause.rest)):
        yield from _having(clause, company["list"])
    elif clause.verb in _OWNING or (clause.verb in ("get", "buy") and kinds(" ".join(_noun(clause.rest))) >= {"pet"}):
        yield from _having(clause, clause.rest)
    elif clause.verb == "sell" and clause.tense is Tense.NOW and (said := _SOME.match(clause.rest)):
        yield from _had(clause, said["what"], 0.75, denied=True, ends=True)


def _state(name: str) -> Value:
    name = _STATES.get(name, name)
    return term(name, _ABOVE.get(name, ()))


def _kin_of_user(clause: Clause) -> Iterator[Claim]:
    """What "my husband" and "my brother" say of whoever says so, whatever else is said."""
    now = replace(clause, denied=False, tense=Tense.NOW, ended=False, begun=False)
    if clause.tense is Tense.SUPPOSED:
        return
    head = clause.subject.split()[-1] if clause.subject != USER else ""
    if head and "'s" not in clause.subject and (kin := _MARITAL.get(head)):
        dead = clause.verb in ("die", "pass") or re.match(r"(?:dead|late|deceased)\b", clause.rest)
        state = "widowed" if dead and kin == "married" else kin
        if not (clause.thing or "ex" in clause.subject.split()) and clause.tense is Tense.NOW:
            yield fact(now, "marital", (_state(state),), 0.85, subject=USER)
    elif _KIN_OF.get(head) and "'s" not in clause.subject and clause.tense is Tense.NOW:
        yield fact(now, f"has:{_KIN_OF[head]}", (), 0.8, subject=USER)
    elif "pet" in kinds(head) and clause.tense is Tense.NOW and clause.verb not in ("die", "pass"):
        yield from _had(replace(now, subject=USER), head, 0.75, folded_already=True)


def _being(clause: Clause) -> Iterator[Claim]:
    rest = clause.rest
    if (state := _STATE.match(rest)) and not re.match(
        r" (?:to my|to the|mom|mother|dad|handedly|player)", state["rest"]
    ):
        yield fact(clause, "marital", (_state(state["state"]),), 0.85)
        if others := re.search(r"\bwith (?P<list>.*)", state["rest"]):
            yield from _having(clause, others["list"])
    if _ONLY.match(rest):
        yield fact(clause, "has:sibl", (), 0.85, denied=not clause.denied)
    if (parent := _PARENT.match(rest)) and not clause.denied:
        yield fact(clause, "has:child", (), 0.85)
        if children := re.match(r" (?:of|to) (?P<list>.*)", parent["rest"]):
            yield from _having(clause, children["list"])


def _having(clause: Clause, rest: str) -> Iterator[Claim]:
    kin = re.match(r"(?:an?|no|my|any) (?:\w+ )?(?P<who>\w+)\b", rest)
    state = _MARITAL.get(kin["who"]) if kin else None
    no = clause.denied or rest.startswith("no ")
    if state and not no:
        yield fact(clause, "marital", (_state(state),), 0.8)
    elif state == "married":
        yield fact(clause, "marital", (_state("married"),), 0.75, denied=True)
    if clause.strength == 0 and clause.tense is Tense.PAST:
        clause = replace(clause, tense=Tense.NOW)
    rest = re.sub(r"^an? (?:big |large |small |huge )?(?:family|bunch|total|couple) of ", "", rest)
    for part in listing(rest):
        if no and _WHICH.search(part):  # who has no son that drives may have another
            return
        what = part.removeprefix("also ").removeprefix("at least ").removeprefix("about ")
        if none := _NO.match(what):
            yield from _had(clause, none["what"], 0.82, denied=True)
        elif many := _NUMBER.match(what):
            if not clause.denied:
                yield from _counted(clause, many["n"], many["what"])
        elif (some := _SOME.match(what)) or re.match(
            r"(?:\w+s|children|people)(?:$| (?:yet|at all|right now|of my own))", what
        ):
            yield from _had(clause, some["what"] if some else what, 0.78)


def _noun(what: str) -> list[str]:
    cut = re.split(
        r"\b(?:of|who|in|with|that|to|from|for|and|at|whose|named|called|or|yet|on|which|but|so|as|because|by"
        r"|when|now|these"
        r"|back|who's|around|here|living|running|waiting|myself)\b|,",
        what,
    )[0]
    return folds(" ".join(word for word in cut.split() if word not in _PRAISE))


def _counted(clause: Clause, n: str, what: str) -> Iterator[Claim]:
    many = quantity(n)
    thing = _noun(what)
    if many is None or not thing or quantity(f"{n} {what}") != many:
        return
    if many.value == 0:
        yield from _had(clause, what, 0.82, denied=True)
        return
    yield from _had(clause, what, 0.82)
    value = figure(many.value)
    for about in (" ".join(thing), _KIN_OF.get(thing[-1], "")):
        if about and (about == " ".join(thing) or (about == "child" and thing == ["child"])):
            yield fact(clause, f"count:{about}", (value,), 0.85 if len(thing) == 1 else 0.7)


def _had(
    clause: Clause,
    what: str,
    sure: float,
    *,
    denied: bool | None = None,
    ends: bool = False,
    folded_already: bool = False,
) -> Iterator[Claim]:
    """`has:` of the thing and, where it is had, of every kind it is of."""
    thing = what.split() if folded_already else _noun(what)
    if not thing or thing[-1] in _NOT_HAD or len(thing) > 3:
        return
    no = clause.denied if denied is None else denied
    names = {" ".join(thing)}
    if not no:
        names |= {thing[-1], *kinds(thing[-1]), *kinds(" ".join(thing))}
        names |= {_KIN_OF[thing[-1]]} if _KIN_OF.get(thing[-1]) else set()
    if not no and "pet" in kinds(thing[-1]) and clause.tense is Tense.NOW:
        yield replace(fact(clause, thing[-1], (), 0.6, denied=False), kind=ClaimKind.PREFERENCE, stance=1, ends=False)
    for name in sorted(names):
        yield fact(clause, f"has:{name}", (), sure, denied=no, ends=ends)
