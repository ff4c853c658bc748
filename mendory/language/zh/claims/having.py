"""What somebody has and how many: kin, pets, cars, houses, an illness; and with whom one lives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mendory.language.claim import Claim
from mendory.language.zh.claims.lexicon import named, one_of
from mendory.language.zh.claims.sayings import Saying
from mendory.language.zh.claims.values import count, fact, term, thing
from mendory.language.zh.lexicon import KIN
from mendory.language.zh.numerals import NUMERALS, number

_CLASSES = {name: tuple(key.split()) for key, names in named("had") for name in names}
_THING = "|".join(sorted(_CLASSES, key=len, reverse=True))
_MANY = rf"(?P<n>[{NUMERALS}]+|\d+)(?:个|只|条|位|名|辆|台|套|栋|匹|对|头)?"
_HAS = re.compile(
    rf"(?:有|养[了着]?|收养了?|领养了?|生了?|育有|买了?)(?:{_MANY})?(?:[^，,。、一-龥]|[个位名只]|可爱的|小|亲|双胞胎|大|老|年幼的|上学的)*(?P<what>{_THING})(?![一-鿿]*(?:粮|舍|砂|位|票|贷|东|过敏|毛))"
)
_MORE = re.compile(rf"(?:、|和|与|以及|还有){_MANY}(?:小|可爱的)*(?P<what>{_THING})")
_NONE = re.compile(
    rf"(?:没有?|没养|不养|无|还没有?)(?:养|生|买)?(?:自己的|任何|过)?(?:[一半]?[个只条辆套])?(?P<what>{_THING})"
    r"(?:了|也没有)?$"
)
_PARTED = re.compile(
    rf"(?:^|把)(?:那|这)?(?:[一半]?[辆台套栋架只条])?(?P<what>{_THING})(?:已经?|也|都|刚|被)*(?:卖(?:掉|出去)?|送人|处理掉|捐(?:出去|掉)?)了$"
    rf"|(?:卖掉?了?|送走了?|卖出了?)(?:那|这)?(?:[一半]?[辆台套栋架只条])?(?P<what2>{_THING})(?:了)?$"
)
_PAIR = re.compile(r"(?:有|育有)(?:一儿一女|一子一女)|儿女双全")
_ONLY = re.compile(r"是(?:家里的?)?(?:独生子女|独生子|独生女|独子|独女)")

_ILL = re.compile(
    r"(?:(?P<no>没有?|不是|未|并无|无)|(?:患有|患了?|得了|有|确诊(?:了|为|患有)?|被?诊断(?:出|为|患有)+|查出了?))"
    rf"(?:[轻中重]度|遗传性?|慢性|早期|严重的?|先天性?|[一二12]型)*"
    rf"(?P<what>{one_of('illnesses')})(?!史|药|患者|的|家族)(?:了)?$"
)
_TOGETHER = re.compile(
    r"(?:和|跟|与)(?P<who>[^，,。和跟与]{1,6}?)(?:一起|一块儿?|同|合)(?:居住|住|居|租)(?!过|了[一两几三])"
)
_ALONE = re.compile(r"(?:一个人|独自|自己)(?:居住|住|租房)(?!过)|独居|单独住")


def having(said: Saying) -> Iterator[Claim]:
    """Claims of `has` and `count`, of the thing and of what it is a sort of."""
    if said.subject is None:
        if not said.own and (gone := _PARTED.match(said.rest)):
            yield from _parted(replace(said, subject=said.about), gone)
        return
    yield from _beside(said)
    if ill := _ILL.search(said.rest):
        yield fact(said, f"has:{ill['what']}", sure=0.85, denied=bool(ill["no"]))
        return
    if _ONLY.search(said.rest):
        yield fact(said, "count:sibling", count(0), sure=0.9)
    elif _PAIR.search(said.rest):
        for one, many in (("son", 1), ("daughter", 1), ("child", 2)):
            yield fact(said, f"count:{one}", count(many), sure=0.9)
        yield fact(said, "has:child", sure=0.9)
    elif parted := _PARTED.search(said.rest):
        yield from _parted(said, parted)
    elif none := _NONE.search(said.rest):
        for one in _CLASSES[none["what"]][:1]:
            yield fact(said, f"has:{one}", sure=0.9, denied=True)
            yield fact(said, f"count:{one}", count(0), sure=0.85)
    elif has := _HAS.search(said.rest):
        yield from _had(said, has["n"], has["what"])
        for more in _MORE.finditer(said.rest, has.end()):
            yield from _had(said, more["n"], more["what"])


def _beside(said: Saying) -> Iterator[Claim]:
    """With whom somebody lives; who lives alone lives with nobody."""
    denied = bool(re.search(r"不再?(?:和|跟|与|一个人|独)|没有?(?:和|跟|与|一个人|独)|不住|没住", said.rest))
    if _ALONE.search(said.rest):
        yield fact(said, "lives_with", sure=0.8, denied=not denied)
    elif found := _TOGETHER.search(said.rest):
        yield fact(said, "lives_with", term(thing(KIN.get(found["who"], found["who"]))), sure=0.8, denied=denied)


def _parted(said: Saying, found: re.Match[str]) -> Iterator[Claim]:
    """What was sold or given away is had no more, where it is known whose it was."""
    if said.subject is not None:
        for one in _CLASSES[found["what"] or found["what2"]][:1]:
            yield fact(said, f"has:{one}", sure=0.75, denied=True, ends=True)


def _had(said: Saying, many: str | None, what: str) -> Iterator[Claim]:
    """一只 says that there is one, as 个 does where it is a, not that there is no other."""
    if "没" in said.rest.partition(what)[0]:
        return
    for one in _CLASSES[what]:
        yield fact(said, f"has:{one}", sure=0.85)
    value = number(many) if many else None
    if value is not None and many not in ("一", "1"):
        yield fact(said, f"count:{_CLASSES[what][0]}", count(int(value)), sure=0.85)
