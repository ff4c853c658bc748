"""Claims as JSON, for keeping what was extracted once."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, Final

from mendory.language.claim import Claim, ClaimKind, Tense, Value, ValueKind

_NONE: Final = "[]"


def dumps(claims: tuple[Claim, ...]) -> str:
    """The claims as one line of JSON, from which `loads` makes them again."""
    return json.dumps([_claim(one) for one in claims], ensure_ascii=True, separators=(",", ":")) if claims else _NONE


def loads(text: str) -> tuple[Claim, ...]:
    """The claims that `dumps` wrote."""
    return () if text == _NONE else tuple(_read(one) for one in json.loads(text))


def _claim(claim: Claim) -> list[Any]:
    values, before = ([_value(one) for one in part] for part in (claim.values, claim.before))
    how = [claim.denied, claim.stance, claim.strength, sorted(claim.scenes), claim.constraint, claim.tense.value]
    return [claim.kind.value, claim.subject, claim.about, values, *how, before, claim.ends, claim.confidence]


def _value(value: Value) -> list[Any]:
    number = None if value.number is None else str(value.number)
    return [value.kind.value, value.text, number, value.unit, list(value.within)]


def _read(held: list[Any]) -> Claim:
    kind, subject, about, values, denied, stance, strength, scenes, constraint, tense, before, ends, confidence = held
    return Claim(
        ClaimKind(kind),
        subject,
        about,
        tuple(map(_valued, values)),
        denied,
        stance,
        strength,
        frozenset(scenes),
        constraint,
        Tense(tense),
        tuple(map(_valued, before)),
        ends,
        confidence,
    )


def _valued(held: list[Any]) -> Value:
    kind, text, number, unit, within = held
    return Value(ValueKind(kind), text, None if number is None else Decimal(number), unit, tuple(within))
