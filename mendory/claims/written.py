"""The claim that a memory's writer gave, whatever words he has for its parts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from mendory.claims.attributes import attribute
from mendory.claims.likened import likened, likened_object, likened_value
from mendory.claims.naming import attribute_name
from mendory.language import fold, language_of
from mendory.language.claim import USER, Claim, ClaimKind, Tense, Value, ValueKind
from mendory.text import is_blank

_PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "entity": ("entity", "subject", "who", "实体", "主体"),
    "attribute": ("attribute", "predicate", "property", "relation", "key", "属性"),
    "value": ("value", "values", "值"),
    "object": ("object", "target", "item", "对象"),
    "stance": ("stance", "attitude", "polarity", "sentiment", "preference", "立场", "态度"),
    "scene": ("scene", "scenes", "context", "when", "场景"),
    "constraint": ("constraint", "condition", "quantity", "frequency", "限制", "条件"),
    "negated": ("negated", "denied", "否定"),
    "tense": ("tense",),
    "before": (
        "before",
        "previous",
        "previously",
        "replaces",
        "formerly",
        "之前",
        "此前",
        "原来",
        "原先",
        "取代",
        "替换",
    ),
    "ended": ("ended", "ends", "结束", "已结束"),
}
_USER: Final = frozenset(
    {*("user", "the user", "i", "me", "myself", "self", "speaker", "owner"), *("用户", "我", "本人", "自己", "使用者")}
)
_STANCES: Final[Mapping[str, int]] = {
    **dict.fromkeys(
        (
            *(
                "like",
                "likes",
                "love",
                "loves",
                "prefer",
                "prefers",
                "want",
                "wants",
                "positive",
                "favourite",
                "favorite",
            ),
            *("enjoy", "enjoys", "accept", "accepts", "yes", "pro", "for", "+", "+1", "1", "true"),
            *("喜欢", "喜爱", "爱", "偏好", "想要", "接受", "正面", "支持", "最爱", "要"),
        ),
        1,
    ),
    **dict.fromkeys(
        (
            *("dislike", "dislikes", "hate", "hates", "refuse", "refuses", "avoid", "avoids", "negative", "never"),
            *("reject", "rejects", "allergic", "no", "against", "con", "-1", "false"),
            *("不喜欢", "讨厌", "拒绝", "避免", "不接受", "负面", "反对", "过敏", "从不", "不吃", "不要", "忌"),
        ),
        -1,
    ),
    **dict.fromkeys(("neutral", "indifferent", "0", "中立", "无所谓", "一般"), 0),
}
_OF_ITS_KIND: Final = 0.65
_OF_ITS_JOB: Final = 0.8
"""How sure a switch is of its kind and of its job, as the rules of both languages have them."""
_WEEKDAY: Final = "weekday:"
_PLAIN: Final = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)


def written(claim: Mapping[str, Any] | None) -> Claim | None:
    """The claim in the form in which two are compared, sure (confidence 1); None where it is of no shape known.

    A fact names entity, attribute and value, a preference object and stance, with scene and constraint where they
    hold. Other common names of these parts, of attributes and of stances are understood, in Chinese and English, in any
    letter case. What it says was so `before` is over, and so is all of it where it is `ended`. What is missing or of
    another type makes no claim: nothing is guessed.
    """
    if not claim:
        return None
    held = _held(claim)
    common: dict[str, Any] = {
        "scenes": frozenset(_texts(held.get("scene"))),
        "tense": _tense(held.get("tense")),
        "denied": held.get("negated") is True,
    }
    subject = _subject(held.get("entity"))
    if subject is None:
        return None
    if "object" in held and "stance" in held:
        return _preference(subject, held, common)
    return _fact(subject, held, common)


def _held(claim: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a claim by their own names, the first of several spellings of one."""
    spelled = {fold(name): value for name, value in claim.items() if isinstance(name, str)}
    return {part: spelled[name] for part, names in _PARTS.items() for name in reversed(names) if name in spelled}


def _preference(subject: str, held: Mapping[str, Any], common: Mapping[str, Any]) -> Claim | None:
    told, stance = list(_texts(held["object"])), _stance(held["stance"])
    if len(told) != 1 or stance is None:
        return None
    condition = " ".join(_texts(held.get("constraint")))
    language = language_of(condition) if condition else None
    said = language.read(condition).strength if language else None
    if common["denied"]:
        stance = -stance
    about, over = likened_object(told[0]), held.get("ended") is True
    before = tuple(Value(ValueKind.TERM, likened_object(one)) for one in _texts(held.get("before")))
    return Claim(
        ClaimKind.PREFERENCE,
        subject,
        about,
        stance=-stance if over and stance > 0 else stance,
        strength=said,
        constraint=condition,
        before=before,
        ends=over or bool(before),
        scenes=common["scenes"],
        tense=common["tense"],
    )


def _fact(subject: str, held: Mapping[str, Any], common: Mapping[str, Any]) -> Claim | None:
    about = attribute_name(held.get("attribute"))
    given = held.get("value", held.get("object"))
    if about is None or given is None:
        return None
    values, before = _values(about, given), _values(about, held.get("before"))
    if not values:
        return None
    if held.get("ended") is True:
        over: dict[str, Any] = {**common, "denied": True, "before": values, "ends": True}
        return Claim(ClaimKind.FACT, subject, about, values, **over)
    return Claim(ClaimKind.FACT, subject, about, values, before=before, ends=bool(before), **common)


def implied(claim: Claim, given: Mapping[str, Any]) -> Iterator[Claim]:
    """What a writer's switch says beside itself, as a sentence of his words would: of the job a tool does, of a kind.

    Who switched from Vim to Helix has another editor, and another favourite; who takes coffee in the place of something
    takes it among drinks. Nothing of a claim that ends nothing. `given` is what the claim was read off.
    """
    if not claim.ends or claim.denied or claim.tense is not Tense.NOW:
        return
    if claim.kind is ClaimKind.PREFERENCE:
        held = _held(given)
        for one in likened("", next(_texts(held["object"]))) if claim.stance == 1 else ():
            if one.kind is ClaimKind.PREFERENCE and one.values:
                yield replace(claim, about=one.about, values=one.values, before=(), confidence=_OF_ITS_KIND)
    elif claim.about == "uses" and len(claim.values) == 1:
        for one in likened(claim.about, claim.values[0].text):
            if one.about.startswith("tool:"):
                for about in (one.about, f"favourite:{one.about.partition(':')[2]}"):
                    yield replace(claim, about=about, confidence=_OF_ITS_JOB)


def _values(about: str, given: Any) -> tuple[Value, ...]:
    """The values of an attribute, all of them or none."""
    listed = given if isinstance(given, list | tuple) else [] if given is None else [given]
    values = [_value(about, one) for one in listed]
    return () if None in values else tuple(v for v in values if v is not None)


def _subject(entity: Any) -> str | None:
    """Who it is about: the user where nobody is named; None for what is no name."""
    if entity is None:
        return USER
    if not isinstance(entity, str) or is_blank(entity):
        return None
    name = fold(entity)
    return USER if name in _USER else name or None


def _value(about: str, given: Any) -> Value | None:
    known = attribute(about)
    if known is None:
        return _of_any_kind(given)
    if isinstance(given, bool):
        return _yes_no(given) if known.kind is ValueKind.YES_NO else None
    if not isinstance(given, str):
        return _measured(given)
    if is_blank(given):
        return None
    if known.kind is ValueKind.NUMBER:
        return _number(given)
    return likened_value(about, given) or Value(known.kind, fold(given))


def _of_any_kind(given: Any) -> Value | None:
    """The value of an attribute that nobody declared: a day, else a term, with its number where it is one."""
    if isinstance(given, bool):
        return _yes_no(given)
    if not isinstance(given, str):
        told = _measured(given)
        return told and replace(told, kind=ValueKind.TERM)
    if is_blank(given):
        return None
    day = likened_value("birthday", given)
    if day is None and (named := likened_value("deadline", given)) and named.text.startswith(_WEEKDAY):
        day = named
    number = _number(given) if day is None and _only_a_quantity(given) else None
    return day or (replace(number, kind=ValueKind.TERM) if number else Value(ValueKind.TERM, fold(given)))


def _only_a_quantity(text: str) -> bool:
    """Whether it is a number, with its unit or without one, and nothing else: 12, "180 cm", 三十秒; not "12 A"."""
    if _PLAIN.fullmatch(text.strip()):
        return True
    language = language_of(text)
    read = language.read(text) if language else None
    return read is not None and len(read.quantities) == 1 and not read.words


def _yes_no(given: bool) -> Value:
    return Value(ValueKind.YES_NO, "yes" if given else "no")


def _measured(given: Any) -> Value | None:
    """A number, or a mapping of one and its unit."""
    if isinstance(given, Mapping):
        number, unit = given.get("number", given.get("value")), given.get("unit")
        return _number(f"{number} {unit}" if isinstance(unit, str) else number)
    return _number(given) if isinstance(given, int | float | Decimal) else None


def _number(given: Any) -> Value | None:
    text = f"{given}".strip()
    if isinstance(given, bool) or text in ("nan", "inf", "-inf"):
        return None
    if _PLAIN.fullmatch(text):
        return Value(ValueKind.NUMBER, text, Decimal(text))
    language = language_of(text)
    found = language.read(text).quantities if language else ()
    return Value(ValueKind.NUMBER, fold(text), found[0].value, found[0].unit) if len(found) == 1 else None


def _stance(given: Any) -> int | None:
    if isinstance(given, bool):
        return 1 if given else -1
    if isinstance(given, int | float):
        return (given > 0) - (given < 0) if math.isfinite(given) else None
    if not isinstance(given, str):
        return None
    plain = given.strip().casefold()
    return _STANCES.get(plain, _STANCES.get(fold(given)))


def _tense(given: Any) -> Tense:
    return Tense(given) if isinstance(given, str) and given in tuple(Tense) else Tense.NOW


def _texts(given: Any) -> Iterator[str]:
    """The folded texts of a text or a list of them."""
    for one in given if isinstance(given, list | tuple) else [given]:
        if isinstance(one, str) and fold(one):
            yield fold(one)
