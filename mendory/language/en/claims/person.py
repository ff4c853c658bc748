"""What somebody is: name, age, height, gender, hair, faith."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mendory.language.claim import Claim, Tense, Value, ValueKind
from mendory.language.en.claims.clause import Clause
from mendory.language.en.claims.values import as_written, fact, figure, number, quantity, term
from mendory.language.en.lists import listed

_GENDER = {
    "female": listed(
        "woman girl female lady mother mom wife grandmother grandma daughter gal sister mum waitress actress"
    ),
    "male": listed("man guy male boy father dad husband grandfather grandpa dude gentleman son brother bachelor"),
}
_AGE = re.compile(
    r"^(?:an? |now |only |about |turning )*(?P<n>\d{1,3}|[a-z]+(?:(?: -)? [a-z]+)?)(?: -)? (?:years?(?: -)? old"
    r"|yrs? old|yo)\b|^(?P<bare>\d{1,2}|[a-z]+ty(?: - | )?[a-z]*)$|^(?P<comma>\d{1,2}) ,"
)
_TALL = re.compile(
    r"^(?:an? )?(?P<how>tall|short|shorter|taller)(?: (?P<who>man|woman|person|girl|guy|lady|male|female|boy)\b"
    r"|$| ,| than average| and| like)"
)
_FAITHS = listed(
    "christian muslim jewish atheist catholic buddhist hindu agnostic mormon protestant sikh lutheran baptist"
)
_FAITH = {"jew": "jewish", "catholic": "catholic"}
_CHRISTIAN = listed("catholic protestant lutheran baptist mormon")
_PARTIES = listed("democrat republican libertarian socialist communist")
_COLOURS = listed(
    "brown black blond blonde red gray grey white auburn dark blue green hazel purple pink silver golden ginger"
)


def person(clause: Clause) -> Iterator[Claim]:
    """Claims of `name`, `age`, `height`, `stature`, `gender`, `hair`, `eye`, `faith` and `politics`."""
    if clause.thing:
        yield from _of_a_thing(clause)
    elif clause.verb == "be":
        yield from _being(clause)
    elif clause.verb in ("call", "go") and (called := re.match(r"(?:me|by) (\w+)$", clause.rest)):
        yield fact(clause, "name", (Value(ValueKind.PERSON, called.group(1)),), 0.7)
    if not clause.thing and clause.verb in ("have", "be") and not clause.denied:
        hair = re.match(r"(?:[\w-]+ )*?(?P<colour>\w+) (?:\w+ )?(?P<what>hair|eyes)\b", clause.rest)
        if hair and hair["colour"] in _COLOURS:
            yield fact(clause, hair["what"].removesuffix("s"), (_colour(hair["colour"]),), 0.75)


def _of_a_thing(clause: Clause) -> Iterator[Claim]:
    thing = clause.thing.split()[-1] if clause.thing else ""
    rest = clause.rest.removeprefix("to ").removeprefix("now ")
    if clause.verb not in ("be", "change"):
        return
    if thing == "name" and (called := re.match(r"([^\W\d_]+(?: [^\W\d_]+)?)$|([^\W\d_]+) (?:,|and)\b", rest)):
        owner = "" if clause.thing in ("name", "full name", "first name", "real name") else "of:"
        if not owner:
            name = called.group(1) or called.group(2)
            yield fact(clause, "name", (Value(ValueKind.PERSON, name),), 0.9)
    elif thing == "age" and (years := number(rest)):
        yield fact(clause, "age", (replace(years, text=years.text.split()[0], unit=""),), 0.85)
    elif thing in ("hair", "eyes") and (colours := [word for word in rest.split() if word in _COLOURS]):
        yield fact(clause, thing.removesuffix("s"), (_colour(colours[-1]),), 0.75)
    elif thing == "height" and (tall := quantity(rest)) and tall.unit == "m":
        yield fact(clause, "height", (figure(tall.value, "m"),), 0.9)


def _colour(word: str) -> Value:
    same = {"blond": "blonde", "golden": "blonde", "gray": "grey", "ginger": "red"}
    name = same.get(word, word)
    return term(name, ("dark",) if name in ("brown", "black") else ())


def _being(clause: Clause) -> Iterator[Claim]:
    rest = clause.rest
    yield from _gender(clause)
    yield from _size(clause)
    if called := re.match(r"(?:called|named) (\w+)$", rest):
        yield fact(clause, "name", (Value(ValueKind.PERSON, called.group(1)),), 0.8)
    if (born := re.match(r"born (?:on|in) (?P<when>.*)", rest)) and (found := as_written(clause.text, born["when"])):
        yield replace(fact(clause, "birthday", (found,), 0.9), tense=Tense.NOW)
    words = rest.split()
    faith = _FAITH.get(words[-1], words[-1]) if 0 < len(words) <= 3 else ""
    if faith in _FAITHS:
        yield fact(clause, "faith", (term(faith, ("christian",) if faith in _CHRISTIAN else ()),), 0.8)
    elif faith in _PARTIES:
        yield fact(clause, "politics", (term(faith),), 0.8)


def _gender(clause: Clause) -> Iterator[Claim]:
    said = re.match(r"(?:an? |the )(?:[\w-]+ ){0,4}?(?P<who>\w+)\b", clause.rest)
    if not said or clause.denied:
        return
    words = re.split(r"\b(?:of|who|in|with|that|to|from|for|and|,|at|whose)\b", clause.rest)[0].split()
    for gender, found in _GENDER.items():
        if words and words[-1] in found:
            yield fact(clause, "gender", (term(gender),), 0.75)


def _size(clause: Clause) -> Iterator[Claim]:
    rest = clause.rest
    age = _AGE.match(rest)
    years = quantity(age["n"] or age["bare"] or age["comma"]) if age else None
    if years and years.unit in ("", "month") and 3 <= years.value <= 120:
        yield fact(clause, "age", (figure(years.value),), 0.85)
    tall = re.match(
        r"(?:an? |over |about |almost |only |nearly |around )*(?P<n>\d\S*|[a-z]+) (?:foot|feet|ft|meters?|cm"
        r"|m)\b(?P<rest>.*)",
        rest,
    )
    if tall and (found := quantity(tall.group())) and found.unit == "m" and 1 < found.value < 3:
        exact = not re.match(r"(?:over|about|almost|nearly|around)", rest) and not re.search(r"\d|inch", tall["rest"])
        if exact:
            yield fact(clause, "height", (figure(found.value, "m"),), 0.8)
        size = "tall" if found.value >= 1.8 else "short" if found.value <= 1.6 else ""
        if size:
            yield fact(clause, "stature", (term(size),), 0.7)
    elif said := _TALL.match(rest):
        size = said["how"].removesuffix("er") if said["how"].endswith("er") else said["how"]
        if size == said["how"] or "than average" in rest:
            yield fact(clause, "stature", (term(size),), 0.8)
