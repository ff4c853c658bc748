"""What somebody is allergic to, and is not: who bears nuts need not like them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mendory.language.claim import USER, Claim, ClaimKind
from mendory.language.zh.claims.liking import objects
from mendory.language.zh.claims.sayings import Saying
from mendory.language.zh.claims.values import fact, kinds, term

_SIGN = "(?:过敏|不耐受)"
_HOW = "(?:严重|重度|轻微|轻度|有点|有些|会|极度|非常|很|特别|高度|容易|产生|出现|任何|什么)*"
_NO = "(?P<{}>再也不|从来不|从来没有?|从不|已经不再?|不再|并不|并没有?|没有?|不会|不是|不|无|未)"
_TO = re.compile(
    rf"{_NO.format('no')}?对(?P<what>[^，,。对]{{1,12}}?)(?:都|也|就|其实|现在|已经?)*{_NO.format('no2')}?{_HOW}{_SIGN}"
)
_OF = re.compile(
    rf"(?:(?P<no>没有?|并没有?|从来没有?|无|未曾?有|否认有?)|有|患有?)(?:过|着)?(?P<any>任何|什么|已知的?|明确的?|严重的?)*"
    rf"(?:对)?(?P<what>[^，,。对有没无]{{0,8}}?)的?{_SIGN}(?:史|症|症状|原|反应|问题|情况|的?(?:食物|药物|东西))?$"
)
_BARE = re.compile(
    rf"^(?:有点|严重)?(?P<what>[^，,。对有没无不]{{1,8}}?)(?:都|也)?{_NO.format('no')}?{_HOW}{_SIGN}(?:者|患者|人群)?$"
)
_OPEN = re.compile(
    r"不知|不确定|不清楚|不晓得|不记得|忘了|没说|没提|是否|有没有|会不会|[怕防抗]|担心|避免|以为|没有?人|无人|谁|人家"
    r"|过敏的?(?:人|是|朋友|同事|孩子|客人|宝宝|体质)|(?:好了|痊愈|治愈|消失|没了)"
)
"""What leaves it open, tells it of nobody, or says that it is cured."""
_ANY: Final = re.compile(r"^(?:任何|什么|所有|一切|哪种|啥)")
_NO_CAUSE = re.compile(
    r"^(?:皮肤|鼻子?|眼睛?|脸|脸上|全身|身体|身上|嗓子|手|头皮|容易|季节性?|换季|天气|春天|秋天|冬天|夏天|经常|常常?|总是?|老是|偶尔"
    r"|最近|又|还|已经|现在|今天|昨天|这[个种些]?|那[个种些]?|它|某[个种些]|一些|有些|很多|多种|其他|别的|轻度|重度|严重|急性|慢性|药|小时候"
    r"|开始|突然|是|属于|曾经?|以前)$"
)
"""Where it shows, when and how; none of these is what somebody is allergic to."""


def allergies(said: Saying, scenes: frozenset[str]) -> Iterator[Claim]:
    """Claims of `allergic`, and that what somebody is allergic to is refused; denied, it is not said to be liked."""
    subject = said.subject or (None if said.own else said.about)
    if subject is None or _OPEN.search(said.rest):
        return
    found = _TO.search(said.rest) or _OF.search(said.rest) or _BARE.search(said.rest)
    if found is None:
        return
    groups = found.groupdict()
    no = groups["no"] or groups.get("no2") or ""
    what = found["what"].strip()
    if no and (not what or _ANY.match(what)):
        yield fact(said, "allergic", sure=0.85, denied=True, subject=subject)
        return
    for name, _ in objects(what):
        if _ANY.match(name) or _NO_CAUSE.match(name):
            continue
        ends = "再" in no
        value = term(name, *kinds(name))
        yield fact(said, "allergic", value, sure=0.9, denied=bool(no), ends=ends, subject=subject)
        if not no:
            yield Claim(
                ClaimKind.PREFERENCE,
                subject or USER,
                name,
                stance=-1,
                scenes=frozenset(scene for scene in scenes if scene not in name),
                constraint="过敏",
                tense=said.tense,
                confidence=0.95,
            )
