"""Where somebody lives, comes from, and with whom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mendory.language.claim import Claim, Tense, Value
from mendory.language.en.claims.clause import Clause
from mendory.language.en.claims.kinds import tool
from mendory.language.en.claims.places import place
from mendory.language.en.claims.values import day, fact, folds, term

_IN = re.compile(r"(?:^|.*? )(?:in|at|near|outside) (?P<where>.*)")
_MOVED = re.compile(
    r"^(?:back |out |here |away |over |down |up "
    r"|recently )*(?:from (?P<old>.*?) )?(?:in)?to (?P<new>.*?)(?: from (?P<left>.*))?$"
)
_BASED = re.compile(r"^(?:based|located|living|residing|currently living|settled) in (?P<where>.*)")
_RESIDENT = re.compile(r"^(?:a |an )?(?:\w+ )?(?:resident|citizen) (?:of|in) (?P<where>.*)")
_FROM = re.compile(r"^(?:originally |all the way )?from (?P<where>.*)")
_BORN = re.compile(r"^born (?:and (?:raised|bred) |here )?in (?P<where>.*)")
_NO_HOME = re.compile(
    r"\b(?:project|team|department|branch|version|plan|repo|repository|cluster|database|role"
    r"|port)\b"
)
_ALONE = re.compile(r"^(?:all )?(?:alone|by myself|by himself|by herself|on my own)\b")
_WITH = re.compile(r"\bwith (?:my|his|her|their|our|a|an|the|two|three|some|\d+) (?P<who>\w+(?: \w+)?)")


def home(clause: Clause) -> Iterator[Claim]:
    """Claims of `lives_in`, `from`, `born_in`, `grew_up_in` and `lives_with`."""
    verb, rest = clause.verb, clause.rest
    if clause.thing in ("hometown", "home town", "birthplace") and verb == "be":
        yield from _at(clause, "from", rest)
    elif clause.thing in ("home", "address", "city", "location") and verb == "be" and (found := _IN.match(rest)):
        yield from _at(clause, "lives_in", found["where"])
    elif clause.thing:
        return
    elif verb in ("live", "reside"):
        if found := _IN.match(rest):
            yield from _at(clause, "lives_in", found["where"])
        yield from _company(clause, rest)
    elif verb in ("move", "relocate", "migrate", "settle"):
        yield from _moved(clause, rest)
    elif verb == "raise" and rest.startswith("in ") and clause.tense is Tense.PAST:
        yield from _at(replace(clause, tense=Tense.NOW), "grew_up_in", rest[3:])
    elif verb == "grow" and rest.startswith("up in "):
        yield from _at(replace(clause, tense=Tense.NOW), "grew_up_in", rest[6:])
    elif verb == "be":
        for pattern, about in ((_BASED, "lives_in"), (_RESIDENT, "lives_in"), (_FROM, "from"), (_BORN, "born_in")):
            if found := pattern.match(rest):
                held = replace(clause, tense=Tense.NOW) if about == "born_in" else clause
                yield from _at(held, about, found["where"])
                return


def _place(clause: Clause, where: str | None) -> tuple[Value, float] | None:
    return place(where, clause.capitals) if where else None


def _at(clause: Clause, about: str, where: str) -> Iterator[Claim]:
    found = _place(clause, where)
    if found:
        yield fact(clause, about, (found[0],), found[1])


def _moved(clause: Clause, rest: str) -> Iterator[Claim]:
    found = _MOVED.match(rest)
    if found is None or _NO_HOME.search(rest) or tool(found["new"]) or day(found["new"].title()):
        return
    new, old = _place(clause, found["new"]), _place(clause, found["old"] or found["left"])
    if new and clause.tense is not Tense.PAST:
        yield replace(fact(clause, "lives_in", (new[0],), new[1], ends=True), before=(old[0],) if old else ())


def _company(clause: Clause, rest: str) -> Iterator[Claim]:
    if _ALONE.search(rest) or re.search(r"\b(?:alone|by myself)$", rest):
        yield fact(clause, "lives_with", (), 0.8, denied=not clause.denied)
    elif found := _WITH.search(rest):
        yield fact(clause, "lives_with", (term(" ".join(folds(found["who"]))),), 0.8)
