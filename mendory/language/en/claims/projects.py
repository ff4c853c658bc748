"""Which projects somebody works on, and has left for others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mendory.language.claim import Claim, Tense, Value
from mendory.language.en.claims.clause import Clause
from mendory.language.en.claims.places import known_place
from mendory.language.en.claims.things import SWITCH
from mendory.language.en.claims.values import as_written, fact, folds, term
from mendory.language.en.lists import FUNCTION, listed

_ON = re.compile(r"^(?:back |now )?(?:assigned |reassigned |transferred |moved |staffed )?(?:on|to) (?P<what>.+)")
_CALLED = re.compile(
    r"^(?:the |a |new |project )*project (?P<behind>\w+)|^(?:the |new )*(?P<before>\w+(?: \w+)?) project\b"
)
_NO_NAME = listed("new old same other next first last big small current own whole side pet team main personal school")
_STREETS = listed(
    "street avenue road broadway weekdays weekends campus christmas easter thanksgiving halloween tv it ai"
)
_MOVES = ("move", "switch", "change", "transfer", "migrate")
_ENDS = ("leave", "quit", "finish", "drop")


def projects(clause: Clause) -> Iterator[Claim]:
    """Claims of `works_on`: of what is written like a name, or called a project and named."""
    if clause.thing:
        return
    rest, does = clause.rest, clause.verb
    if does == "work" and rest.startswith("on "):
        if value := project(clause, rest[3:]) or _name(clause, rest[3:]):
            was = project(clause, clause.instead) or _name(clause, clause.instead)
            made = fact(clause, "works_on", (value,), 0.8)
            yield replace(made, before=(was,)) if was else made
    elif does in _MOVES and clause.tense is not Tense.PAST and (moved := SWITCH.match(rest)):
        new, old = project(clause, moved["new"]), project(clause, moved["old"] or moved["left"] or "")
        if new:
            yield replace(fact(clause, "works_on", (new,), 0.85, ends=True), before=(old,) if old else ())
    elif does in ("be", "join", "lead", "manage"):
        on = _ON.match(rest) if does == "be" else None
        if value := project(clause, on["what"] if on else "" if does == "be" else rest):
            yield fact(clause, "works_on", (value,), 0.8)
    elif does in _ENDS and not clause.denied and (value := project(clause, rest)):
        yield replace(fact(clause, "works_on", (value,), 0.8, denied=True, ends=True), before=(value,))


def project(clause: Clause, said: str) -> Value | None:
    """The project that words call one by name: "project Falcon", "the Falcon project"; None of one without a name."""
    found = _CALLED.match(said)
    if found is None:
        return None
    words = (found["behind"] or found["before"]).split()
    named = all(word in clause.capitals for word in words) or (found["behind"] and clause.capitals.isdisjoint(words))
    if not named or any(word in FUNCTION or word in _NO_NAME for word in words):
        return None
    return term(" ".join(folds(" ".join(words))))


def _name(clause: Clause, said: str) -> Value | None:
    """What is written like a name and is neither a day nor a place: works on Falcon, no work on Monday."""
    words = re.split(r" (?:,|\b(?:at|for|with|in|as|since|and|by|from|while|because|but)\b)", said)[0].split()
    name = " ".join(words)
    if not words or len(words) > 3 or not clause.capitals.issuperset(words):
        return None
    return (
        None
        if as_written(clause.text, name) or known_place(name) or words[-1] in _STREETS
        else term(" ".join(folds(name)))
    )
