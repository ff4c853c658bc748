"""What somebody likes, refuses, eats and does not eat, and what is somebody's favourite."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mendory.language.claim import USER, Claim, ClaimKind, Tense
from mendory.language.en.claims.clause import Clause
from mendory.language.en.claims.kinds import kinds, tool
from mendory.language.en.claims.values import fact, folds, held_in, listing, noun, term
from mendory.language.en.claims.verbs import Form, verb
from mendory.language.en.lists import listed
from mendory.language.en.opposites import KINDS, OPPOSITES

_LIKE = {
    "like": 0.85,
    "love": 0.88,
    "enjoy": 0.85,
    "adore": 0.85,
    "prefer": 0.75,
    "appreciate": 0.7,
    "favour": 0.7,
    "favor": 0.7,
}
_REFUSE = {"dislike": 0.88, "hate": 0.88, "detest": 0.88, "loathe": 0.88, "despise": 0.88, "avoid": 0.8, "refuse": 0.75}
_HABIT = listed("eat drink smoke watch wear take play read use listen collect do cook")
_BEING = (
    (re.compile(r"^(?:an? )?(?:\w+ )??fan of (?P<what>.*)"), 1, 0.82),
    (
        re.compile(
            r"^(?:really )?(?:into|fond of|obsessed with|crazy about|passionate about|addicted to"
            r"|in love with) (?P<what>.*)"
        ),
        1,
        0.8,
    ),
    (
        re.compile(
            r"^(?:an? )?(?:avid |huge |big |real |total )*(?P<what>\w+(?: \w+)?) (?:person|lover|fan|enthusiast"
            r"|addict|fanatic|junkie)\b"
        ),
        1,
        0.78,
    ),
    (
        re.compile(
            r"^(?:deathly |very |really )?(?:afraid of|scared of|terrified of|tired of|sick of|against) (?P<what>.*)"
        ),
        -1,
        0.7,
    ),
)
_JUDGED = re.compile(
    r"^(?:the )?(?P<how>disgusting|gross|awful|terrible|horrible|nasty|yucky|boring|delicious|awesome|amazing"
    r"|wonderful|yummy|the best)$"
)
_GOOD = listed("delicious awesome amazing wonderful yummy the")
_FAVOURITE = re.compile(
    r"^(?:absolute |all time |current |own |most )*(?:favorite|favourite|fav|fave|preferred)(?: (?P<what>.+))?$"
)
_IS_FAVOURITE = re.compile(
    r"^(?:also )?(?:my|his|her|their|the user 's) (?:absolute |all time )?(?:favorite|favourite|fav"
    r"|fave)(?: (?P<what>[\w ]+))?"
)
_TWO_NAMED = listed("dog cream")
"""Heads whose whole is no kind of them: a hot dog, ice cream."""
_PERSONS = listed("dog cat anim peopl beach coffe tea dog cat book")
"""What one is a person of, so that one likes it: a morning person likes no morning."""
_ALONE = listed("smoke drink")
_IDLE = listed(
    "it that this them him her you me us one what all everything anything something nothing people"
    " keep stay go"
    " get have be make take do see try"
)
_NARROWED = re.compile(r"\b(?:with|without|that|which|who)\b")
"""Who dislikes movies with much violence does not dislike movies."""
_QUALITY = re.compile(r"^(?P<what>.+?) (?:that|which) (?:is|are) (?P<how>\w+)$")
"""Replies that are short are short replies."""
_CONDITION = re.compile(
    r"\b(?P<how>with|without|that|about)\b (?!(?:my|our|his|her|their|a friend|friends|me)\b)(?P<what>.+)"
)
"""What tells which of a kind is liked; in whose company it is liked does not."""
_EXCEPT = re.compile(r"\b(?:except|but not|other than|apart from)(?: for)? (?P<what>.*)")
_OVER = re.compile(r"^(?P<best>.+?) (?:over|to|rather than|instead of) (?P<other>.+)$")
_LITTLE = re.compile(
    r"\b(?:a little|a bit|a small amount|small amounts|in moderation|occasionally|sometimes|a touch|a pinch)\b"
)


def likes(clause: Clause) -> Iterator[Claim]:
    """Preferences and claims of `favourite`."""
    if clause.thing:
        yield from _favourite(clause)
        return
    rest, does = clause.rest, clause.verb
    if does in _LIKE and not clause.ended:
        yield from _liked(
            clause, rest, -1 if clause.denied else 1, _LIKE[does] if not clause.denied or does == "like" else 0.7
        )
    elif does in _LIKE:
        yield from _liked(clause, rest, -1, 0.8)
    elif does in _REFUSE:
        if not clause.denied:
            yield from _liked(clause, rest, -1, _REFUSE[does])
    elif does in ("stand", "bear", "tolerate") and clause.denied:
        yield from _liked(clause, rest, -1, 0.88)
    elif does == "fear" and not clause.denied:
        yield from _liked(clause, rest, -1, 0.7)
    elif does in _HABIT:
        yield from _habit(clause, rest)
    elif does == "have" and (fear := re.match(r"an? (?:\w+ )?(?:fear of|aversion to) (?P<what>.*)", rest)):
        yield from _liked(clause, fear["what"], 1 if clause.denied else -1, 0.75)
    elif does == "have" and (weak := re.match(r"a (?:weakness|passion|love|soft spot) for (?P<what>.*)", rest)):
        yield from _liked(clause, weak["what"], 1, 0.75)
    elif does == "live" and clause.denied and rest.startswith("without "):
        yield from _liked(clause, rest.removeprefix("without "), 1, 0.7)
    elif does == "be":
        yield from _being(clause, rest)


def _being(clause: Clause, rest: str) -> Iterator[Claim]:
    if one_of := _IS_FAVOURITE.match(rest):
        liked = clause.subject
        yield stance(replace(clause, subject=USER), liked, 1, 0.75)
        if what := noun(one_of["what"] or ""):
            yield fact(clause, f"favourite:{what}", (term(liked),), 0.8, subject=USER)
        return
    if (judged := _JUDGED.match(rest)) and clause.subject not in (USER, ""):
        good = judged["how"].split()[0] in _GOOD
        yield stance(replace(clause, subject=USER), clause.subject, 1 if good != clause.denied else -1, 0.65)
        return
    for pattern, way, sure in _BEING:
        if found := pattern.match(rest):
            if rest.endswith("person") and noun(found["what"]) not in _PERSONS:
                return
            yield from _liked(clause, found["what"], -way if clause.denied else way, sure)
            return


def _habit(clause: Clause, rest: str) -> Iterator[Claim]:
    """Who eats meat takes meat; who never drinks coffee refuses it. A single time ("ate") says nothing."""
    sure = 0.8 if clause.denied else 0.65
    rest = rest.removeprefix("to ") if clause.verb == "listen" else rest
    if clause.verb in ("eat", "drink", "smoke", "watch", "wear", "listen", "collect"):
        what = clause.verb if clause.verb in _ALONE and not noun(rest) else rest
        if clause.tense is not Tense.PAST:
            yield from _liked(clause, what, -1 if clause.denied else 1, sure)
    elif clause.denied and clause.verb in ("take", "play", "use", "cook", "read"):
        yield from _liked(clause, rest or clause.verb, -1, 0.65)
    elif clause.verb == "take" and (_LITTLE.search(rest) or len(rest.split()) == 1):
        yield from _liked(clause, rest, 1, 0.7)


def _instead(clause: Clause, claim: Claim) -> Claim:
    """The claim, with what is wanted no more where the clause says "instead of" it."""
    was = _object(clause.instead) if clause.instead and claim.stance == 1 else ""
    return replace(claim, before=(term(was),)) if was and was != claim.about else claim


def _liked(clause: Clause, rest: str, toward: int, sure: float) -> Iterator[Claim]:
    """A stance on each object of a list, and on the kinds of what is liked."""
    if clause.verb == "prefer" and clause.instead:
        rest = f"{rest} over {clause.instead}"
    if clause.verb == "prefer" and toward > 0 and (over := _OVER.match(rest)):
        yield from _liked(replace(clause, verb="like", instead=""), over["best"], 1, 0.75)
        yield from _preferred(clause, over["best"], over["other"])
        return
    if clause.verb == "prefer" and toward > 0:
        yield from _preferred(clause, rest, None)
    if excepted := _EXCEPT.search(rest):
        yield from _liked(clause, excepted["what"], -toward, 0.7)
        rest = rest[: excepted.start()]
    held = clause
    for part in listing(re.sub(r"\b(?:but|because|so|when|if|since|although)\b.*", "", rest)):
        if re.match(r"(?:i|we|he|she|they|my|it)\b", part):
            return
        part = _QUALITY.sub(r"\g<how> \g<what>", part)
        little = _LITTLE.search(part)
        part = _LITTLE.sub("", part)
        not_too = re.match(r"not (?P<what>.+)", part)
        said = _object(not_too["what"] if not_too else part)
        way = -toward if not_too else toward
        if not said or said in _IDLE or (way < 0 and _NARROWED.search(part)):
            continue
        claim = stance(held, said, way, sure)
        if little:
            claim = replace(claim, strength=2, constraint=little.group())
        elif way > 0 and clause.verb in (*_LIKE, "be") and (which := _CONDITION.search(part)):
            claim = replace(claim, constraint=" ".join([which["how"], *folds(which["what"])]))
        yield _instead(clause, claim)
        if way > 0:
            yield from of_kinds(replace(claim, ends=False), sure)


def _object(part: str) -> str:
    """The folded object; a verb in its noun form and its infinitive are one: "to read books", "reading books"."""
    part = re.sub(r"^(?:(?:an?|some|the) )?(?:good|great|nice|delicious|tasty) (?=\w)", "", part)
    part = re.sub(r"^(?:to (?:go )?fish(?:ing)?|(?:going )?fishing)\b", "angling", part)
    part = re.sub(r"^(?:to|the idea of|how to|being|going to|eating|drinking|listening to|watching) (?=\w)", "", part)
    part = re.sub(r"^(?:eat|drink|watch|listen to) (?=\w)", "", part)
    return noun(
        re.sub(r"\b(?:very much|a lot|so much|at all|much|too|either|anymore|dearly|the most|best)\b", "", part)
    )


def of_kinds(claim: Claim, sure: float) -> Iterator[Claim]:
    """The stance of a claim on what its object is one of."""
    wider = sorted(_wider(claim.about))
    held = replace(claim, values=(term(claim.about, tuple(wider)),), confidence=min(sure, 0.72))
    yield from (replace(held, about=kind) for kind in wider)


def _wider(said: str) -> frozenset[str]:
    """What is liked with a thing that is liked: its kinds, its head, and what one does with it."""
    words = said.split()
    found = set(kinds(said))
    if len(words) > 1:
        first = verb(words[0])
        if (
            first is not None
            and first[1] is Form.BASE
            and words[0] in ("cook", "read", "swim", "run", "danc", "paint", "shop")
        ):
            found.add(words[0])
        elif words[-1] not in _TWO_NAMED and len(words) == 2:
            found |= {words[-1], *kinds(words[-1])}
    return frozenset(found) - {said}


def stance(clause: Clause, about: str, toward: int, sure: float) -> Claim:
    """What the clause's subject thinks of something: -1, 0 or 1."""
    return Claim(
        ClaimKind.PREFERENCE,
        clause.subject,
        about,
        stance=toward,
        strength=0 if toward < 0 and clause.strength == 0 else clause.strength,
        scenes=held_in(clause),
        tense=clause.tense,
        ends=clause.ended or clause.begun,
        confidence=sure,
    )


def _preferred(clause: Clause, best: str, other: str | None) -> Iterator[Claim]:
    """What is preferred of things of which one is used at a time."""
    named = tool(best)
    if named:
        yield fact(clause, f"favourite:{named[1]}", (term(named[0]),), 0.8)
        return
    words = noun(best).split()
    if len(words) == 2 and words[0] in OPPOSITES:
        axis = min(words[0], *OPPOSITES[words[0]])
        yield fact(clause, f"favourite:{axis} {words[1]}", (term(words[0]),), 0.8)
    if other is None:
        return
    one, two = noun(best), noun(other)
    if one and two and one != two:
        first, second = sorted((one, two))
        yield fact(clause, f"favourite:{first} or {second}", (term(one),), 0.85)


def _favourite(clause: Clause) -> Iterator[Claim]:
    said = _FAVOURITE.match(clause.thing)
    if said is None or clause.verb not in ("be", "change"):
        return
    rest = re.sub(r"^(?:to|definitely|probably|now|still|always|of course) ", "", clause.rest)
    if re.match(r"(?:because|when|where|if|how|that|what|not)\b", rest):
        return
    what = noun(said["what"] or "")
    values = [
        found for part in listing(re.sub(r"\b(?:because|but|so|since|when)\b.*", "", rest)) if (found := _object(part))
    ]
    if not values:
        return
    named = tool(rest)
    if what:
        held = tuple(term(value, tuple(value.split()[-1:]) if " " in value else ()) for value in values)
        kind = KINDS.get(values[0])
        sure = 0.85 if kind or len(values) == 1 else 0.7
        yield fact(clause, f"favourite:{what}", held, sure, ends=clause.verb == "change")
    if named:
        yield fact(clause, f"favourite:{named[1]}", (term(named[0]),), 0.85, ends=clause.verb == "change")
    for value in values:
        yield stance(clause, value, 1 if not clause.denied else -1, 0.75)
        if not clause.denied:
            yield from (stance(clause, kind, 1, 0.65) for kind in sorted(_wider(value)))
