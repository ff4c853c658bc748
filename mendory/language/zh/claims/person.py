"""What somebody is: sign, gender, marital state, age, birthday, name, height, weight, blood group, diet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from mendory.language.claim import USER, Claim, ClaimKind, Tense, Value, ValueKind
from mendory.language.zh.claims.lexicon import forms, one_of
from mendory.language.zh.claims.sayings import Saying
from mendory.language.zh.claims.values import day
from mendory.language.zh.lexicon import KIN
from mendory.language.zh.numerals import NUMERALS, number
from mendory.language.zh.scan import scan

_NUMBER = rf"(\d+(?:\.\d+)?|[{NUMERALS}]+(?:点[{NUMERALS}]+)?)"
_IS = r"(?:今年|现年|现在|已经|已|刚|刚满|满|快|是|为|:|就是|都|的)*"

_SIGNS = forms("signs")
_SIGN = rf"({one_of('signs')})"
_SIGN_STATED = re.compile(
    rf"^(?:的?星座)?{_IS}(?:是|为|:|：|属于)?(?:个|一个|一名|典型的?|标准的?|正宗的?|非典型)?(?:大|小)?{_SIGN}(?:座|宫|男|女|的|人|滴|哒|宝宝)*(?:$|[^一-鿿]|上升|月亮|(?=[啊呀呢哦吧哈啦耶诶咯咧嘛唉]))"
)

_MALE: Final = "男"
_FEMALE: Final = "女"
_MEN = one_of("men")
_WOMEN = one_of("women")
_GENDER_STATED = re.compile(
    rf"^(?:的?性别)?{_IS}(?:是|为|:)?(?:一个|个|一名|名|位|一位)?(?:大|小)?(?:(?P<man>{_MEN})|(?P<woman>{_WOMEN}))(?:的|的?啊|哦|呢)?$"
)
_MARRIED = re.compile(r"(?:老婆|妻子|媳妇|太太|老公|丈夫|岳父|岳母|丈母娘|婆婆|公公)")
_ENGAGED = re.compile(r"(?:女朋友|女友|男朋友|男友|女票|男票)")
_MARITAL = forms("marital")
_MARITAL_STATED = re.compile(
    rf"^(?:的?婚姻(?:状况|状态)?|{_IS}|一直|仍然?|目前|也|处于|处于?|和[^，,。]{{1,6}}|跟[^，,。]{{1,6}}|去年|前年|今年|上个?月|刚刚?)*"
    rf"(?P<no>不再是?|没有?|未|还没有?|尚未|不是)?({one_of('marital')})(?:了|的|中|状态|人士|至今|多年|快?[一-鿿\d]{{1,3}}年了?)*$"
)
_CHANGED = re.compile(r"(?:离了?婚|分手|恢复单身)")

_AGE = re.compile(
    rf"^(?:的?年龄)?{_IS}{_NUMBER}(?:周)?岁"
    "(?!是|的?(?:人|老人|高龄)|的?时|半?就|那年|以|前|左右|起|开始|后|以后|之)"
)
_BIRTHDAY = re.compile(r"^(?:的)?(?:生日|出生日期|诞辰)(?:就|也)?(?:是|为|在|:|改为|改成)?")
_BORN_DAY = re.compile(r"(?:出生于|生于|出生在)(?=\d|[一二])")
_NAME = re.compile(
    r"^(?:(?:的?(?:名字|姓名|全名|真名|大名|本名)(?:就|改)?(?:叫做?|是|为|:|改为))|(?:改名叫?|名叫|改名为|叫做?))"
    r"([一-鿿]{2,4}|[A-Za-z][A-Za-z]+(?: [A-Z][a-z]+)?)$"
)
_HEIGHT = re.compile(rf"^(?:的)?身高{_IS}(?:有|约)?")
_WEIGHT = re.compile(rf"^(?:的)?体重{_IS}(?:有|约)?")
_BLOOD = re.compile(r"(?:血型(?:是|为|:)?|是)(RH阴性|Rh阴性)?\s*(AB|A|B|O)型(?:血)?", re.IGNORECASE)
_DIETS = forms("diets")
_MEATLESS: Final = ("素食", "纯素")
_DIET = re.compile(
    rf"(?P<no>不再?|没有?|并非|不是)?(?:是|吃|坚持)?(?:一个|个|一名)?(?:严格的?|长期)?({one_of('diets')})"
)


def person(said: Saying) -> Iterator[Claim]:
    """The claims of one clause about what its subject is."""
    yield from _partner(said)
    if said.subject is None:
        return
    rest = said.rest
    if match := _SIGN_STATED.search(rest):
        yield _fact(said, "zodiac", _term(_SIGNS[match[1]]), 0.95)
    if match := _GENDER_STATED.search(rest):
        yield _fact(said, "gender", _term(_MALE if match["man"] else _FEMALE), 0.95)
    if match := _MARITAL_STATED.search(rest):
        yield from _marital(said, match)
    if match := _AGE.search(rest):
        value = number(match[1])
        if value is not None and value < 130:
            yield _fact(said, "age", Value(ValueKind.NUMBER, f"{value.normalize():f}岁", value, "岁"), 0.95)
    yield from _dates(said)
    if (match := _NAME.search(rest)) and (said.own or "名" in match.group()):
        yield _fact(said, "name", Value(ValueKind.PERSON, match[1].casefold()), 0.9)
    yield from _measures(said)
    if match := _BLOOD.search(rest):
        yield _fact(said, "blood", _term(f"{match[2].upper()}型"), 0.95)
    if match := _DIET.search(rest):
        diet = _DIETS[match[2]]
        yield _fact(said, "diet", _term(diet), 0.9, denied=bool(match["no"]))
        if diet in _MEATLESS and not match["no"]:
            yield Claim(ClaimKind.PREFERENCE, said.subject, "肉", stance=-1, tense=said.tense, confidence=0.8)


def _fact(said: Saying, about: str, value: Value, sure: float, *, denied: bool = False, ends: bool = False) -> Claim:
    return Claim(
        ClaimKind.FACT,
        said.subject or USER,
        about,
        (value,),
        denied=denied,
        tense=said.tense,
        ends=ends,
        confidence=sure,
    )


def _term(text: str) -> Value:
    return Value(ValueKind.TERM, text)


def _partner(said: Saying) -> Iterator[Claim]:
    """我老婆 tells that the user is married, 我男朋友 that the user is not alone."""
    match = re.match(r"^(?:我|俺|用户|本人)(?:和|跟|与)?(?:我|的)*(?=" + "|".join(KIN) + ")", said.text)
    behind = said.text[match.end() :] if match else ""
    if not match or said.asked or said.tense is not Tense.NOW or re.match(r".{2,3}(?:座|的话)", behind):
        return
    if _MARRIED.match(behind):
        yield Claim(ClaimKind.FACT, USER, "marital", (_term("已婚"),), confidence=0.85)
    elif _ENGAGED.match(behind):
        yield Claim(ClaimKind.FACT, USER, "marital", (_term("恋爱"),), confidence=0.7)


def _marital(said: Saying, match: re.Match[str]) -> Iterator[Claim]:
    state, denied = _MARITAL[match[2]], bool(match["no"])
    if state == "已婚" and denied:
        state, denied = "未婚", False
    yield _fact(said, "marital", _term(state), 0.9, denied=denied, ends=bool(_CHANGED.search(said.rest)))


def _dates(said: Saying) -> Iterator[Claim]:
    for pattern in (_BIRTHDAY, _BORN_DAY):
        if match := pattern.search(said.rest):
            date = day(said.rest[match.end() : match.end() + 16])
            if date is not None and "month:" in date.text:
                yield _fact(said, "birthday", date, 0.95)
            return


def _measures(said: Saying) -> Iterator[Claim]:
    for about, pattern, unit, bare in (
        ("height", _HEIGHT, "m", Decimal("0.01")),
        ("weight", _WEIGHT, "kg", Decimal(1)),
    ):
        if match := pattern.search(said.rest):
            found = [q for q in scan(said.rest[match.end() : match.end() + 12]).quantities if q.unit in (unit, "")]
            if found:
                value = found[0].value if found[0].unit else found[0].value * bare
                yield _fact(said, about, Value(ValueKind.NUMBER, f"{value.normalize():f}{unit}", value, unit), 0.95)
