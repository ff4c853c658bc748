"""What somebody is allergic to, and is not: who bears nuts need not like them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mendory.language.claim import Claim, Tense
from mendory.language.en.claims.clause import Clause
from mendory.language.en.claims.kinds import kinds
from mendory.language.en.claims.likes import stance
from mendory.language.en.claims.values import fact, listing, noun, term

_IS = re.compile(r"^(?:deathly |severely |highly |mildly |very )?(?:allergic|intolerant) to (?P<what>.+)")
_HAS = re.compile(r"^(?:(?:an?|any|no|known|severe|bad|food|mild) )*allerg(?:y|ies)(?: to (?P<what>.+))?$")
_OF = re.compile(r"^(?:(?:an?|any|no|severe|bad|mild) )*(?P<what>\w+(?: \w+)?) allerg(?:y|ies)$")
_ANY = re.compile(r"^(?:any ?thing|any foods?|any medications?|any drugs?)\b")


def allergies(clause: Clause) -> Iterator[Claim]:
    """Claims of `allergic`, and that what somebody is allergic to is refused; denied, it is not said to be liked."""
    if clause.thing or clause.verb not in ("be", "have"):
        return
    rest = clause.rest
    said = _IS.match(rest) if clause.verb == "be" else _HAS.match(rest) or _OF.match(rest)
    if said is None:
        return
    no = clause.denied or rest.startswith("no ")
    what = said["what"] or ""
    if no and (not what or _ANY.match(what)):
        yield fact(clause, "allergic", (), 0.85, denied=True)
        return
    for part in listing(what):
        thing = noun(re.sub(r"^any ", "", part))
        if not thing:
            continue
        yield fact(clause, "allergic", (term(thing, tuple(sorted(kinds(thing)))),), 0.9, denied=no)
        if not no and clause.tense is Tense.NOW:
            yield replace(stance(clause, thing, -1, 0.9), constraint="allergy")
