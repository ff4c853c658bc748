"""Values and claims as the rules make them."""

from __future__ import annotations

import re
from decimal import Decimal

from mendory.language.claim import HOUR, WEEKDAY, Claim, ClaimKind, Value, ValueKind
from mendory.language.en.amounts import amounts
from mendory.language.en.claims.clause import Clause
from mendory.language.en.dates import dates
from mendory.language.en.forms import folded
from mendory.language.en.lists import FUNCTION, listed
from mendory.language.en.scenes import scenes
from mendory.language.en.tokens import tokens
from mendory.language.reading import Quantity

_ADJUNCT = re.compile(
    r" ?(?:,|\b(?:when|whenever|while|if|because|since|that|which|who|so|at|on|during|for|with|from|by|before|after"
    r"|though|but|than|as|where|until|about|once|unless|in|to|every|ever|always|never|often|sometimes|daily|again"
    r"|anyway|like|yesterday|today|tonight|tomorrow|last|next|recently)\b).*"
)
_HOUR = re.compile(
    r"\b(?:(?:in|during|for) the|at|every|each|of an?|on)"
    r" (?P<hour>morning|evening|afternoon|night|noon|midday|midnight)s?\b"
    r"|(?<!\w )\b(?P<hours>morning|evening|afternoon|night)s\b"
)
_WEEKDAY = re.compile(
    r"(?<!last )(?<!next )(?<!this )\b(?P<day>monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?\b"
)
_EMPTY = listed("lot lots kind kinds type types sort sorts genre genres bit piece form forms thing things way")
_KEPT = listed("own out up down off over")


def term(text: str, within: tuple[str, ...] = ()) -> Value:
    """A word or words as a value."""
    return Value(ValueKind.TERM, text, within=within)


def fact(
    clause: Clause,
    about: str,
    values: tuple[Value, ...] = (),
    confidence: float = 0.9,
    *,
    denied: bool | None = None,
    subject: str | None = None,
    ends: bool = False,
) -> Claim:
    """A fact of the clause's subject, that holds or is denied as the clause says unless told."""
    no = clause.denied if denied is None else denied
    return Claim(
        ClaimKind.FACT,
        clause.subject if subject is None else subject,
        about,
        values,
        no,
        tense=clause.tense,
        before=values if clause.ended and no else (),
        ends=ends or clause.ended or clause.begun,
        confidence=confidence,
    )


def quantity(text: str) -> Quantity | None:
    """The first quantity a text begins with or holds; None without one."""
    found = amounts(tokens(text), set())
    return found[0] if found else None


def number(text: str, unit: str | None = None) -> Value | None:
    """A text's first number as a value; None without one, or where its unit is not the one asked for."""
    found = quantity(text)
    if found is None or (unit is not None and found.unit != unit):
        return None
    return figure(found.value, found.unit)


def figure(value: Decimal, unit: str = "") -> Value:
    """A number as a value, without an exponent and zeros behind the point."""
    said = format(value, "f")
    said = said.rstrip("0").rstrip(".") if "." in said else said
    return Value(ValueKind.NUMBER, f"{said} {unit}".strip(), value, unit)


def day(text: str) -> Value | None:
    """The day a text names, as parts of `Reading.dates` in their order; None without one. `text` is as written."""
    found = dates(tokens(text), set())
    return Value(ValueKind.DATE, ",".join(sorted(found))) if found else None


def as_written(text: str, words: str) -> Value | None:
    """The day that words of a text name, read as the text has them: May is a month, may is not; None without one."""
    pattern = r"\W+".join(map(re.escape, re.findall(r"\w+", words)))
    written = re.search(pattern, text, re.IGNORECASE) if pattern else None
    return day(written.group()) if written else None


def noun(text: str) -> str:
    """The folded words of content of an object, without what is said of when, where and why."""
    return " ".join(folds(_ADJUNCT.sub("", text)))


def folds(text: str) -> list[str]:
    """The folded words of content of some words."""
    words = (word for word in text.split() if word not in _EMPTY)
    return [
        folded(word)[0] for word in words if (word not in FUNCTION or word in _KEPT) and any(map(str.isalnum, word))
    ]


def listing(text: str) -> list[str]:
    """The parts of a list of objects, as written: "tea , coffee and milk" has three."""
    return [
        part.strip() for part in re.split(r"\s*,\s*(?:and|or|but)?\b\s*|\s+(?:and|or|nor)\s+", text) if part.strip()
    ]


def held_in(clause: Clause) -> frozenset[str]:
    """The scenes the clause's words name, and the times of day and days of the week at which it says that it holds."""
    said = f"{clause.rest} {clause.when}"
    times = {f"{HOUR}{found['hour'] or found['hours']}" for found in _HOUR.finditer(said)}
    days = {f"{WEEKDAY}{found['day']}" for found in _WEEKDAY.finditer(said)}
    return scenes(tokens(said)) | times | days
