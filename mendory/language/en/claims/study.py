"""What somebody studies and has studied."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mendory.language.claim import Claim, Tense
from mendory.language.en.claims.clause import Clause
from mendory.language.en.claims.values import fact, term

_LEVELS = (
    ("high school", r"\b(?:high school|sophomore in high|junior in high|senior in high|9th|10th|11th|12th)\b"),
    (
        "school",
        r"\b(?:elementary school|middle school|kindergarten|[1-8](?:st|nd|rd|th) grade|(?:third|fourth|fifth"
        r"|sixth) grade)\b",
    ),
    (
        "college",
        r"\b(?:college|university|grad school|graduate school|medical school|law school|med school"
        r"|nursing school|art school"
        r"|business school|college student|graduate student|phd|undergraduate|nyu|freshman at)\b",
    ),
)


def study(clause: Clause) -> Iterator[Claim]:
    """Claims of `study`, `studied` and `degree`."""
    does, rest = clause.verb, clause.rest
    if clause.thing:
        return
    level = next((name for name, found in _LEVELS if re.search(found, rest)), "")
    values = (term(level, ("school",) if level != "school" else ()),) if level else ()
    if does == "be" and re.match(
        r"(?:still |also )?(?:an? (?:.*\bstudent\b|(?:freshman|sophomore|junior|senior) (?:in|at)\b)|(?:in"
        r"|at) (?:\w+ school$|school\b|college\b))",
        rest,
    ):
        yield fact(clause, "study", values, 0.75)
    elif does == "be" and (left := re.match(r"an? (?:high school |college )?(?P<how>drop ?out|graduate)$", rest)):
        yield fact(
            clause, "degree" if left["how"] != "graduate" else "studied", (), 0.65, denied=left["how"] != "graduate"
        )
    elif does in ("attend", "go") and re.match(
        r"(?:to )?(?:an? |my |the )?(?:\w+ ){0,2}(?:school|college|university)\b", rest
    ):
        if "never" in clause.text.lower() or (clause.denied and clause.tense is Tense.PAST):
            yield replace(fact(clause, "studied", values, 0.8, denied=True), tense=Tense.NOW)
            yield replace(fact(clause, "study", values, 0.7, denied=True), tense=Tense.NOW)
        elif does == "attend" or "to" in rest.split():
            yield fact(clause, "study", values, 0.7)
            yield replace(fact(clause, "studied", values, 0.7), tense=Tense.NOW)
    elif does == "drop" and re.match(r"out\b", rest):
        yield fact(clause, "study", values if level == "high school" else (), 0.7, denied=True)
        yield fact(clause, "degree", (), 0.65, denied=True)
    elif does == "graduate":
        if level == "high school":
            yield fact(clause, "study", values, 0.6, denied=not clause.denied)
        yield fact(clause, "studied", values, 0.8)
    elif does == "have" and re.match(r"an? (?:[\w']+ ){0,3}(?:degree|masters|phd|mba|bachelors)\b", rest):
        yield fact(clause, "studied", (term("college", ("school",)),), 0.8)
        yield fact(clause, "degree", (), 0.75)
