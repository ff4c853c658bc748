"""What talk tells of who speaks: a sign of the zodiac, a gender.

Few say so in a sentence of its own; 作为射手座, 本狮子, 我男朋友 give it away. Such a claim is of less confidence than
a statement's, and what is said of others, wished or asked is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mendory.language.claim import USER, Claim, ClaimKind, Tense, Value, ValueKind
from mendory.language.zh.claims.lexicon import forms, one_of
from mendory.language.zh.claims.sayings import Saying
from mendory.language.zh.claims.values import given_away

_SIGNS = forms("signs")
_SIGN = rf"(?<!上升)(?<!月亮)(?<!金星)(?<!火星)(?P<sign>{one_of('signs')})(?:座|宫)?"
_ME = r"(?:我们?|俺们?|偶|咱们?|本|本人|人家|自己)"
_AM = (
    "(?:这个|这样的|这种|也|是|就|都|才|还|真的|真|绝对|必须|当然|可|大|小|一个|个"
    "|典型的?|标准的?|正宗的?|属于|作为|身为|因为|的|滴)*"
)
_BEFORE_DAY = r"(?:\d{1,4}[./-])?\d{1,2}[./-]\d{1,2}[^一-鿿\d]{0,2}"
_NOT_MINE = rf"(?!的?(?:{one_of('companions')}|男(?![一-鿿]?我)))"
_SIGN_CUES: Final = tuple(
    (re.compile(pattern), sure)
    for pattern, sure in (
        (rf"(?<![跟和像问等帮给]){_ME}{_AM}{_SIGN}{_NOT_MINE}", 0.8),
        (
            rf"(?<![你他她])我(?![们要想喜爱讨恨猜觉以认跟和])[^你他她,，和跟与像喜爱恨讨猜不]{{0,8}}是[^你他她,，像]{{0,8}}{_SIGN}{_NOT_MINE}",
            0.65,
        ),
        (rf"^[^你他她是]{{1,8}}的{_SIGN}$", 0.55),
        (rf"(?:作为|身为|永远|绝对的|必须的)(?:一个|一名)?{_SIGN}{_NOT_MINE}", 0.75),
        (rf"{_SIGN}(?:女|男|人)?(?:的|滴)我", 0.8),
        (
            rf"{_SIGN}(?:女|男|人|宝宝|少女|妞)?(?:默默)?(?:表示|飘过|路过|报[道到]|来了|在此|本人|本座|躺枪|中[枪招]|举手|打卡|冒泡|一枚|到$)",
            0.7,
        ),
        (rf"{_SIGN}.{{0,4}}(?:说的就是我|就是我|是我本人|不就是我)", 0.75),
        (rf"太阳(?:星座)?(?:是|在)?{_SIGN}", 0.75),
        (rf"(?:同|都是|也是)(?:大|小)?{_SIGN}{_NOT_MINE}", 0.6),
        (rf"{_BEFORE_DAY}(?:大|小|的)?{_SIGN}", 0.7),
        (rf"{_SIGN}(?:女|男)?[^一-鿿\d]{{0,2}}\d{{1,2}}[./]\d{{1,2}}", 0.7),
        (rf"^(?:嗯|是|是的|对|大|小|滴|果然|当|同)*{_SIGN}(?:女|男|的|滴|了|的?呀|座)*$", 0.6),
        (rf"(?<!你)大{_SIGN}", 0.6),
    )
)
_ASKS_SIGN = re.compile(
    r"(?:你|您|他|她|TA|ta)们?(?:不|自己|就|都|真的|怎么|肯定|应该|这个|这只|个|只|的)*(?:是|系|像)?$"
    r"|(?:猜|以为|喜欢|爱|讨厌|恨|找|认识|遇到|嫁|娶)[^,，]{0,4}$"
)

_HE, _SHE = one_of("boyfriends"), one_of("girlfriends")
_WOMEN, _MEN = one_of("women"), one_of("men")
_MINE = r"(?:我|咱|俺|偶|人家)(?:的|家|那个|这个|们|前)*"
_WITH = r"(?:^|我|去|想|好|怎么)(?:和|跟|与|带|陪|让|面对)我?"
_WISHES = r"(?:没有?|有一?个|找一?个|找到一?个|想要|缺一?个|来一?个|给我来个|要一?个|当一?个|未来的?|的)[^你,，]{0,6}"
_I_AM = (
    r"^(?:.{0,6}(?<![你他她的给]))?我(?!们)(?:可|就|只|一定|也|依旧|果然|真|才|这|这个|这么|会|当然)*"
    r"是[^他她不没,，]{0,10}"
)


def _cues(ours: str, others: str, partners: str, words: str, sure: float) -> tuple[tuple[re.Pattern[str], float], ...]:
    return tuple(
        (re.compile(pattern), sure + more)
        for pattern, more in (
            (rf"{_MINE}(?:{partners})(?!座)", 0.1),
            (rf"^(?:当然|其实|今天|昨天|因为|被|是|让|叫|怎么)*(?:{partners})(?=[一-鿿])(?!的|们|座|是什么)", 0),
            (rf"{_WITH}(?:{partners})", 0),
            (rf"{_WISHES}(?:{partners})", -0.05),
            (rf"(?:别人家?的|这样的|这种)(?:{partners})", -0.05),
            (rf"(?:我们|咱们|作为一?个|身为一?个?|我(?:就|这|这个|这么)?一个?大?)(?:{ours})", 0.1),
            (rf"{_I_AM}(?:{ours})(?![一-鿿]{{2}})", 0),
            (rf"(?:自己|我)(?:不是|不像)(?:个|一个)?(?:{ours})$", 0),
            (rf"^(?:本人|性别)?[:：]?(?:{ours})(?:的|一枚|\\d{{0,2}}岁?)?$", 0),
            (rf"你们(?:这群|这些|这种|俩|两个)?[^我,，的生]{{0,3}}(?:{others})(?!一样)", -0.05),
            (rf"(?<![表堂学师大小二三老])(?:{words})", -0.05),
        )
    )


_OURS: Final = one_of("her_words")
_THEIRS: Final = one_of("his_words")
_GENDER_CUES: Final = tuple(
    (cue, gender, sure)
    for gender, cues in (
        ("女", _cues(_WOMEN, _MEN, _HE, _OURS, 0.65)),
        ("男", _cues(_MEN, _WOMEN, _SHE, _THEIRS, 0.65)),
    )
    for cue, sure in cues
)
_OF_OTHERS = re.compile(r"(?:你|您|他|她|别人家?)(?:们|的|家|这个|那个|个|又|有|是|还|跟|和)*$")


def talk(said: Saying, raw: str) -> Iterator[Claim]:
    """What a clause that states nothing of the kind gives away of the speaker."""
    if "用户" in raw or said.tense is not Tense.NOW:
        return
    if said.speaker:
        yield from _told("zodiac", _sign(said))
    yield from _told("gender", _gender(said))


def _told(about: str, found: tuple[float, str] | None) -> Iterator[Claim]:
    if found:
        yield Claim(ClaimKind.FACT, USER, about, (Value(ValueKind.TERM, found[1]),), confidence=given_away(found[0]))


def _sign(said: Saying) -> tuple[float, str] | None:
    found = [
        (sure, _SIGNS[match["sign"]])
        for cue, sure in _SIGN_CUES
        for match in cue.finditer(said.text)
        if not _ASKS_SIGN.search(said.text[: match.start("sign")])
    ]
    return max(found, key=lambda one: one[0], default=None)


def _gender(said: Saying) -> tuple[float, str] | None:
    found = [
        (sure, gender)
        for cue, gender, sure in _GENDER_CUES
        for match in cue.finditer(said.text)
        if not _OF_OTHERS.search(said.text[: match.start()])
    ]
    return max(found, key=lambda one: one[0], default=None)
