"""What is said of projects, services and settings: ports, versions, deadlines, tools, and what was changed for what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mendory.language.claim import USER, Claim, Tense, Value
from mendory.language.en.claims.clause import Clause
from mendory.language.en.claims.kinds import tool
from mendory.language.en.claims.likes import of_kinds, stance
from mendory.language.en.claims.subject import ATTRIBUTES
from mendory.language.en.claims.values import as_written, fact, folds, listing, number, term
from mendory.language.en.lists import listed

_PORT = re.compile(r"\bport (?:number )?(?P<n>\d{2,5})\b")
_VERSION = re.compile(r"(?P<name>[a-z][a-z+#.]*) (?:version )?v?(?P<v>\d+(?:\.\d+)+|(?<=version )\d+|(?<=v)\d+)\b")
_DUE = re.compile(r"^(?:due|scheduled|planned|set|expected|on|at|for|by|moved|ending|ends)\b")
SWITCH = re.compile(
    r"^(?:over |back "
    r"|away )*(?:from (?P<old>.+?) )?(?:over )?to (?P<new>.+?)(?: from (?P<left>.+))?$"
)
"""One thing for another, behind a verb of change: "from Vim to Helix"."""
_REPLACED = re.compile(r"^(?P<old>.+?) (?:with|by|for) (?P<new>.+)$")
_PROJECT = re.compile(r"\bproject\b")
_ELSEWHERE = ("name", "age", "height", "hometown", "owner", "phone", "address")
"""Nouns whose values other rules read, or that no rule reads surely."""
_MOVED = ("change", "move", "switch", "migrate", "upgrade")
_CHANGES = (*_MOVED, "be", "turn", "finish", "end")
_CUT = re.compile(r"\b(?:for|because|since|at|on|in|as|when|so|but|last|this|yesterday|and|with|full|permanently)\b.*")
_TAKING = re.compile(r"^(?:drinking|eating|having|taking|smoking|wearing|buying) ")
_LANGUAGES = listed("""
english french spanish german italian portuguese russian japanese korean chinese mandarin cantonese arabic hindi dutch
swedish norwegian danish finnish polish turkish greek hebrew vietnamese thai swahili latin farsi urdu bengali
""")


def things(clause: Clause) -> Iterator[Claim]:
    """Claims of `port`, `version`, `deadline`, `scheduled`, `detail`, `tool`, `uses` and `speaks`."""
    verb, rest = clause.verb, clause.rest
    if clause.thing:
        yield from _detail(clause)
        return
    if verb in ("listen", "run", "be", "serve", "use") and (port := _PORT.search(rest)) and clause.subject != USER:
        yield fact(clause, "port", (_whole(port["n"]),), 0.92)
    elif verb in _MOVED and clause.subject != USER and (port := re.match(r".*\bto port (?P<n>\d{2,5})$", rest)):
        yield fact(clause, "port", (_whole(port["n"]),), 0.9, ends=True)
    if verb in ("use", "run", "require", "upgrade", "be", "target") and (said := _VERSION.search(rest)):
        yield fact(clause, f"version:{said['name']}", (term(said["v"]),), 0.8, ends=verb == "upgrade")
    elif verb == "upgrade" and (bare := re.match(r"to (?:version )?v?(\d[\w.]*)$", rest)):
        yield fact(clause, "version", (term(bare.group(1)),), 0.8, ends=True)
    if verb == "speak":
        yield from _spoken(clause, rest)
    if verb == "be" and (fluent := re.match(r"(?:fluent|bilingual) in (?P<list>.*)", rest)):
        yield from _spoken(clause, fluent["list"])
    if clause.subject != USER:
        yield from _when(clause)
    if (
        verb in ("switch", "migrate", "move", "change", "convert")
        and not _PROJECT.search(rest)
        and (switch := SWITCH.match(rest))
    ):
        yield from _switched(clause, switch["new"], switch["old"] or switch["left"])
    elif verb == "replace" and (swap := _REPLACED.match(rest)):
        yield from _switched(clause, swap["new"], swap["old"])
    elif verb == "use":
        yield from _used(clause)
    elif verb in ("stop", "drop", "quit") and rest.startswith("using "):
        yield from _used(replace(clause, rest=rest[6:], denied=True, ended=True))


def _spoken(clause: Clause, said: str) -> Iterator[Claim]:
    """Each language that is spoken, and how many where that is said."""
    many = re.match(r"(?:only |in |at least )*(?P<n>\w+) (?:foreign |different )?languages?\b", said)
    if many and (count := number(many["n"])) and not clause.denied:
        yield fact(clause, "count:languag", (count,), 0.8)
    for word in re.findall(r"[a-z]+", said):
        if word in _LANGUAGES:
            yield fact(clause, "speaks", (term(word),), 0.85)


def _whole(digits: str) -> Value:
    return number(digits) or term(digits)


def _when(clause: Clause) -> Iterator[Claim]:
    """A deadline or an appointment of a thing."""
    rest = clause.rest
    said = clause.verb in ("be", "end", "expire", "launch", "ship") and _DUE.match(rest)
    moved = clause.verb in ("move", "change") and re.match(r"(?:back |forward |up )?to ", rest)
    expires = clause.verb in ("end", "expire", "launch", "ship") and re.match(r"(?:on|by|in) ", rest)
    if not (said or moved or expires) or (found := as_written(clause.text, rest)) is None:
        return
    due = rest.startswith("due") or expires or clause.verb == "expire"
    yield fact(clause, "deadline" if due else "scheduled", (found,), 0.88, ends=bool(moved))


def _detail(clause: Clause) -> Iterator[Claim]:
    """An attribute with a value of its own: "the timezone is UTC", "the port changed to 9090"."""
    name = clause.thing.split()[-1]
    if name not in ATTRIBUTES or clause.verb not in _CHANGES or clause.thing.startswith(("favo", "fav ")):
        return
    moved = clause.verb in _MOVED
    old, rest = None, clause.rest
    if moved:
        switch = SWITCH.match(rest)
        if switch is None:
            return
        rest, old = switch["new"], switch["old"] or switch["left"]
    about, value = _value(clause, name, rest)
    if value is not None:
        before = _value(clause, name, old)[1] if old else None
        yield replace(fact(clause, about, (value,), 0.9, ends=moved), before=(before,) if before else ())


def _value(clause: Clause, name: str, said: str) -> tuple[str, Value | None]:
    """The attribute that a noun names, and the value that words give it; None where they give none."""
    first = said.split()[:1]
    if name == "port":
        return name, number(said)
    if name in ("deadline", "birthday"):
        return name, as_written(clause.text, said)
    if name == "version":
        return name, term(first[0].lstrip("v")) if first else None
    if name in ("budget", "price", "capacity", "limit", "timeout", "size", "weight"):
        return f"detail:{name}", number(said)
    if named := tool(said):
        return f"tool:{named[1]}", term(named[0])
    kept = "" if name in _ELSEWHERE else " ".join(folds(_CUT.sub("", said)))
    return f"detail:{name}", term(kept) if kept else None


def _switched(clause: Clause, new: str, old: str | None) -> Iterator[Claim]:
    if clause.tense in (Tense.PAST, Tense.SUPPOSED):
        return
    named, was = tool(_CUT.sub("", new).strip()), tool(_CUT.sub("", old).strip()) if old else None
    if named is None:
        yield from _taken(clause, new, old)
        value = " ".join(folds(_CUT.sub("", new)))
        left = " ".join(folds(_CUT.sub("", old or "")))
        if value and left and clause.verb in ("switch", "migrate", "replace", "convert"):
            yield replace(fact(clause, "uses", (term(value),), 0.7, ends=True), before=(term(left),))
        return
    kind = named[1]
    before = (term(was[0]),) if was and was[1] == kind else ()
    yield replace(fact(clause, f"tool:{kind}", (term(named[0]),), 0.85, ends=True), before=before)
    if clause.subject == USER:
        yield replace(fact(clause, f"favourite:{kind}", (term(named[0]),), 0.8, ends=True), before=before)
    yield replace(fact(clause, "uses", (term(named[0]),), 0.85, ends=True), before=before)


def _taken(clause: Clause, new: str, old: str | None) -> Iterator[Claim]:
    """What is taken now is liked; what was taken before is not taken any more, else nothing of the kind is."""
    left = old or clause.instead
    for said, toward in ((new, 1), (left, -1)):
        about = " ".join(folds(_CUT.sub("", _TAKING.sub("", said))))
        if about and (clause.verb == "switch" or (clause.verb == "change" and clause.subject == USER)):
            claim = replace(stance(clause, about, toward, 0.75), ends=True)
            yield claim
            if toward > 0:
                yield from of_kinds(replace(claim, ends=not left), 0.65)


def _used(clause: Clause) -> Iterator[Claim]:
    for part in listing(clause.rest):
        named = tool(_CUT.sub("", part).strip())
        if named is None:
            continue
        was = tool(_CUT.sub("", clause.instead).strip()) if clause.instead else None
        before = (term(was[0]),) if was and was[1] == named[1] and not clause.denied else ()
        yield _after(fact(clause, "uses", (term(named[0]),), 0.85), before)
        single = len(listing(clause.rest)) == 1 and named[1] not in ("programming language", "browser", "chat", "cloud")
        if single and not clause.denied:
            yield _after(fact(clause, f"tool:{named[1]}", (term(named[0]),), 0.75 if clause.begun else 0.65), before)


def _after(claim: Claim, before: tuple[Value, ...]) -> Claim:
    """The claim, with what it says was so before where it says that."""
    return replace(claim, before=before) if before else claim
