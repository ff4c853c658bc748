"""What somebody does not eat by principle."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mendory.language.claim import Claim, Tense
from mendory.language.en.claims.clause import Clause
from mendory.language.en.claims.likes import stance
from mendory.language.en.claims.values import fact, term

_DIETS = {
    "vegan": ("vegetarian",),
    "vegetarian": (),
    "omnivore": (),
    "carnivore": ("omnivore",),
    "pescatarian": (),
    "meat eater": ("omnivore",),
}
_DIET = re.compile(r"\b(?P<diet>vegan|vegetarian|omnivore|carnivore|pescatarian|meat eater)\b")
_NOT_EATEN = {
    "vegan": ("meat", "fish", "egg", "dairi", "seafood"),
    "vegetarian": ("meat", "fish"),
    "pescatarian": ("meat",),
}


def diet(clause: Clause) -> Iterator[Claim]:
    """A diet, and what it leaves out."""
    if clause.thing or clause.tense is not Tense.NOW:
        return
    said = _DIET.search(clause.rest)
    strict = said and (
        (
            clause.verb in ("be", "become", "turn", "go")
            and re.match(rf"(?:an? |now )?(?:\w+ ){{0,2}}{said['diet']}(?:$| [,a-z])", clause.rest)
        )
        or (clause.verb in ("eat", "follow", "have") and re.search(r"\bdiet\b", clause.rest))
        or re.search(rf"\bas an? (?:\w+ )?{said['diet']}\b", clause.rest)
    )
    if not said or not strict or re.search(r"vegan (?:food|restaurant|dish|recipe|cook)", clause.rest):
        return
    named = said["diet"]
    yield fact(clause, "diet", (term(named, _DIETS[named]),), 0.85, ends=clause.verb in ("become", "turn", "go"))
    if not clause.denied:
        for food in _NOT_EATEN.get(named, ()):
            yield stance(clause, food, -1, 0.75)
        if named in ("carnivore", "omnivore", "meat eater"):
            yield stance(clause, "meat", 1, 0.7)
