"""What a sentence that names nobody says: "No coriander, ever", "a little is fine", "Port 8080"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

from mendory.language.claim import USER, Claim, ClaimKind
from mendory.language.en.claims.values import figure, folds
from mendory.language.en.claims.verbs import verb
from mendory.language.en.claims.words import Sentence
from mendory.language.en.lists import STRENGTH, listed
from mendory.language.en.scenes import scenes
from mendory.language.en.tokens import tokens

_NONE = re.compile(
    r"^(?:absolutely )?(?:(?:no|never|without)(?: any| more)? (?P<what>\w+(?: \w+)?)(?: ?,)?"
    r" (?P<how>ever|again|please|at all|any ?more|thanks|(?:in|on|with) (?:my|any|the) (?:food|dish|dishes|meals?|soup"
    r"|salads?|coffee|tea|drinks?|plate|pizza|sandwich(?:es)?|burgers?|rice|noodles))\b"
    r"|never any (?P<any>\w+(?: \w+)?)$)"
)
_EVER = re.compile(r"\bnever\b|\b(?:ever|again)$")
_FINE = re.compile(
    r"^(?:but )?(?:(?P<first>(?:at|during|for|in|on|with|when|while) [\w ]+?)(?: , | (?=(?:a|an|some) )))?"
    r"(?P<what>(?:a |an |the |some )?\w+(?: (?:bit |amount |of )*\w+){0,2}?)"
    r"(?: (?P<where>(?:at|during|for|in|on|with) [\w ]+?))? (?:is|are) (?P<no>not )?"
    r"(?:fine|ok|okay|acceptable|allowed|alright|welcome)\b(?P<tail>.*)$"
)
_PORTION = re.compile(
    r"^(?:always |usually |at least )?(?:an?|one|two|three|four|five|six|half an?|\d+)(?: (?:small|big|large|good))?"
    r" (?:cup|mug|glass|bottle|can|pack|pot|pint|bowl)(?:e?s)? of (?P<what>\w+(?: \w+)?)"
    r" (?:an? (?:day|night|morning)|(?:every|each)(?: single)? (?:day|night|morning|evening|afternoon)|daily)$"
)
"""What is had every day in so many portions, without a verb."""
_PORT = re.compile(r"^(?:the )?port (?:is )?(?P<n>\d{2,5})$")
_LITTLE = re.compile(r"\b(?:some|little|bit|small amounts?|touch|pinch|moderation)\b")
_AMOUNT = listed("littl bit small amount touch pinch moder")
_NOT_REFUSED = listed("late sure enough mind again before alone too so longer one problem worries rush way idea need")
_NOBODY = listed("everything it that this all he she they i you we which what there anything everyone nothing weather")


def verdicts(sentences: Iterable[Sentence]) -> Iterator[Claim]:
    """What a sentence states of a thing alone: its port, that it is never wished, had daily, or fine in a measure."""
    for said, asked in sentences:
        if asked:
            continue
        words = " ".join(said.low)
        if port := _PORT.match(words):
            value = figure(Decimal(port["n"]))
            yield Claim(ClaimKind.FACT, USER, "port", (value,), confidence=0.85)
        elif (none := _NONE.match(words)) and (what := _refused(none["what"] or none["any"])):
            never = 0 if _EVER.search(none.group()) else None
            yield Claim(ClaimKind.PREFERENCE, USER, what, stance=-1, strength=never, confidence=0.8)
        elif portion := _PORTION.match(words):
            what = " ".join(folds(portion["what"]))
            yield Claim(ClaimKind.PREFERENCE, USER, what, stance=1, strength=STRENGTH["daily"], confidence=0.7)
        elif (fine := _FINE.match(words)) and _NOBODY.isdisjoint(fine["what"].split()):
            yield from _fine(fine)


def _refused(said: str) -> str:
    """The folded thing that is refused; "" of what one does ("never late again")."""
    words = said.split()
    return "" if words[0] in _NOT_REFUSED or verb(words[0]) else " ".join(folds(said))


def _fine(fine: re.Match[str]) -> Iterator[Claim]:
    where = f"{fine['first'] or ''} {fine['where'] or ''} {fine['tail']}".strip()
    held = scenes(tokens(where)) if where else frozenset()
    little = _LITTLE.search(f"{fine['what']} {fine['tail']}")
    what = " ".join(word for word in folds(fine["what"]) if word not in _AMOUNT)
    if what and (little or held):
        yield Claim(
            ClaimKind.PREFERENCE,
            USER,
            what,
            stance=-1 if fine["no"] else 1,
            strength=2 if little else None,
            scenes=held,
            constraint=f"a {little.group()}"
            if little and little.group() in ("little", "bit", "touch", "pinch")
            else "",
            confidence=0.8,
        )
