"""The claim that a memory's writer gave, whatever words he has for its parts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from mendory.claims.attributes import ATTRIBUTES, attribute
from mendory.claims.likened import likened_object, likened_value
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
_ATTRIBUTES: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("location", "city", "residence", "home", "address", "lives at", "居住地", "住址", "城市", "所在地", "住在"),
        "lives_in",
    ),
    **dict.fromkeys(("birthplace", "hometown", "place of birth", "出生地", "籍贯", "家乡"), "born_in"),
    **dict.fromkeys(
        ("company", "works at", "works for", "work at", "workplace", "公司", "雇主", "工作单位", "单位"), "employer"
    ),
    **dict.fromkeys(("occupation", "profession", "job title", "title", "role", "职业", "工作", "职位"), "job"),
    **dict.fromkeys(("date of birth", "dob", "birth date", "birthdate", "生日", "出生日期"), "birthday"),
    **dict.fromkeys(("sex", "性别"), "gender"),
    **dict.fromkeys(("marital status", "relationship status", "婚姻", "婚姻状况", "婚姻状态"), "marital"),
    **dict.fromkeys(("zodiac sign", "constellation", "星座"), "zodiac"),
    **dict.fromkeys(("due", "due date", "due on", "截止", "截止日期", "到期日"), "deadline"),
    **dict.fromkeys(("port number", "端口", "端口号"), "port"),
    **{"full name": "name", "名字": "name", "姓名": "name", "年龄": "age", "身高": "height", "体重": "weight"},
    **{"饮食": "diet", "版本": "version", "版本号": "version"},
}
"""The attribute that a writer means by another name, folded and with spaces between its words."""

_PLAIN: Final = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)


def written(claim: Mapping[str, Any] | None) -> Claim | None:
    """The claim in the form in which two are compared, sure (confidence 1); None where it is of no shape known.

    A fact names entity, attribute and value, a preference object and stance, with scene and constraint where they
    hold. Other common names of these parts, of attributes and of stances are understood, in Chinese and English, in any
    letter case. What is missing or of another type makes no claim: nothing is guessed.
    """
    if not claim:
        return None
    spelled = {fold(name): value for name, value in claim.items() if isinstance(name, str)}
    held = {part: spelled[name] for part, names in _PARTS.items() for name in reversed(names) if name in spelled}
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


def _preference(subject: str, held: Mapping[str, Any], common: Mapping[str, Any]) -> Claim | None:
    told, stance = list(_texts(held["object"])), _stance(held["stance"])
    if len(told) != 1 or stance is None:
        return None
    condition = " ".join(_texts(held.get("constraint")))
    language = language_of(condition) if condition else None
    said = language.read(condition).strength if language else None
    if common["denied"]:
        stance = -stance
    rest = {name: value for name, value in common.items() if name != "denied"}
    about = likened_object(told[0])
    return Claim(ClaimKind.PREFERENCE, subject, about, stance=stance, strength=said, constraint=condition, **rest)


def _fact(subject: str, held: Mapping[str, Any], common: Mapping[str, Any]) -> Claim | None:
    about = _about(held.get("attribute"))
    given = held.get("value", held.get("object"))
    if about is None or given is None:
        return None
    listed = given if isinstance(given, list | tuple) else [given]
    values = [_value(about, one) for one in listed]
    if not values or any(value is None for value in values):
        return None
    return Claim(ClaimKind.FACT, subject, about, tuple(v for v in values if v is not None), **common)


def _subject(entity: Any) -> str | None:
    """Who it is about: the user where nobody is named; None for what is no name."""
    if entity is None:
        return USER
    if not isinstance(entity, str) or is_blank(entity):
        return None
    name = fold(entity)
    return USER if name in _USER else name or None


def _about(name: Any) -> str | None:
    if not isinstance(name, str) or is_blank(name):
        return None
    whole, _, rest = name.partition(":")
    apart = "".join(f" {ch}" if ch.isupper() and at and whole[at - 1].islower() else ch for at, ch in enumerate(whole))
    words = fold(apart.replace("_", " ").replace("-", " "))
    plain = words.replace(" ", "_")
    base = plain if plain in ATTRIBUTES else _ATTRIBUTES.get(words, plain)
    return (f"{base}:{fold(rest)}" if rest and fold(rest) else base) or None


def _value(about: str, given: Any) -> Value | None:
    known = attribute(about)
    if isinstance(given, bool):
        if known is not None and known.kind is not ValueKind.YES_NO:
            return None
        return Value(ValueKind.YES_NO, "yes" if given else "no")
    if isinstance(given, Mapping):
        number, unit = given.get("number", given.get("value")), given.get("unit")
        return _number(f"{number} {unit}" if isinstance(unit, str) else number)
    if isinstance(given, int | float | Decimal):
        return _number(given)
    if not isinstance(given, str) or is_blank(given):
        return None
    kind = known.kind if known else ValueKind.TERM
    return _number(given) if kind is ValueKind.NUMBER else likened_value(about, given) or Value(kind, fold(given))


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
