"""Where somebody lives, and where somebody is from.

A statement (住在, 搬到, 家在) is sure. Talk tells it by its stance alone: who says 来成都找我 or 我们武汉人 is there.
Such a cue is of less confidence, and none of it counts beside 去, 你在, a question, or what only bears a place's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mendory.language.claim import USER, Claim, ClaimKind, Tense, Value
from mendory.language.zh.claims.lexicon import one_of
from mendory.language.zh.claims.places import ABROAD, places
from mendory.language.zh.claims.sayings import Saying
from mendory.language.zh.claims.values import given_away

_P = "\ue000"
"""A place, in the text in which rules look for their cues."""
_HERE = r"(?:一直|现在|目前|还|就|都|也|已经|已|正|常年|长期|其实|确实|真的|暂时|平时|又|刚|刚刚|才|仍|仍然|依然)*"
_VISITS = rf"(?:{one_of('visits')})"
_BEARS = rf"(?!{one_of('bears')})"

_LIVES = re.compile(
    rf"(?:(?:住|定居|居住|安家|落户|长居|常住|久居|旅居)(?:在|于|到|进)?|现居(?:住)?(?:地|于|在)?(?:是|为|:)?"
    rf"|(?:(?<!老)家(?!乡)|住处|住址|居住地|所在地|常住地|常住城市|所在城市|居住城市)(?:就|也)?(?:在|是|为|位于|:)){_P}"
)
_MOVED = re.compile(rf"(?:搬家?|搬迁|迁居|移居|移民|搬回|迁)(?:到|去|来|至|回|往|了)*{_P}(?!.*(?:玩|旅游))")
_FROM_TO = re.compile(rf"从{_P}.{{0,4}}(?:搬|迁|移居)(?:家)?(?:到|去|来|至|回)了?{_P}")
_LEFT = re.compile(rf"(?:离开|搬离|搬出)了?{_P}")
_WORKS_THERE = re.compile(
    rf"在{_P}(?:这边|那边|这里)?(?:工作|上班|生活|上学|读书|读研|念书|打工|租房|买了?房|定居|北漂|沪漂|创业|做生意|多年|[一二三四五六七八九十两几\d]+年)"
)
_IS_THERE = re.compile(rf"^{_HERE}在{_P}(?:这边|这儿|这里|本地)?(?:呢|呀|啊|啦|了|哦|哈)*$")
_BORN = re.compile(
    rf"(?:出生(?:地|于|在)?(?:是|为|:)?|生于|生在|老家(?:就|也)?(?:在|是|:)?|家乡(?:就)?(?:在|是|:)?|籍贯(?:是|为|:)?|祖籍(?:是|为|:)?"
    rf"|来自|土生土长的){_P}"
)
_NATIVE = re.compile(
    rf"^(?:也|就|都|不)?是(?:个|一个|土生土长的|地道的?|正宗的?)?{_P}(?:的(?!那)|本地人|土著|人|妹子|小伙|姑娘|嘞|滴)(?![一-鿿]{{3}})"
)
_FOR_A_WHILE = re.compile(rf"(?:{one_of('for_a_while')})|(?:把|将)[^{_P}]*[搬迁]")
_STATED: Final = 0.95
_BORN_SURE: Final = 0.9
_WHEREABOUTS: Final = 0.48
"""Who works or is at a place may live at another: nothing that a rule may decide about (`contradiction.DECIDES`)."""

_SECOND = re.compile(r"(?:你|您|妳|他|她|TA|ta|谁|楼主|宝宝|亲们|某某)")
_WRITTEN = re.compile(r"用户|(?i:\buser\b)")
"""A memory about the user, not what the user said."""
_PERSONAL: Final = "[我俺咱偶在来回肥到呆待留]"
"""A cue without one of these is about a place alone."""
_MANY: Final = 2
"""Of more places than these a text speaks of none as its own."""
_COMES: Final = (r"(?<![看原起出本从后将未越上下带])来(?:了|到|我|咱|我们|咱们|咱们)?(?:大)?P(?!的(?:时候|人))", 0.6)
"""Who says 来 is where it leads to: the only cue that a question and a 你 before it leave as it is."""
_TALK: Final = tuple(
    (re.compile(pattern.replace("P", _P + _BEARS)), sure)
    for pattern, sure in (
        _COMES,
        (
            r"(?:我们?|俺们?|咱们?|偶|小编|本人)(?:现在|目前|这几天|最近|今天|已经|也|就|都|还|一直|人|就是|是|这)*(?:在|到|来)P",
            0.7,
        ),
        (r"(?:我们?|俺们?|咱们?|偶|本人|作为)(?:也|就|都|才|可)?(?:是|这|这边|这里|们|大)*P", 0.65),
        (r"(?:坐标|定位|人在|身在|常驻|base)(?:在|是|:)?P", 0.7),
        (r"(?:这里|这边|我这|我们这)(?:儿|边|里)?是P", 0.65),
        (r"(?:同|都是|也是)P", 0.55),
        (r"(?:肥|回)(?:了|到|我|咱|我们|咱们)?(?:大)?P", 0.6),
        (r"(?:到|跑来|跑到|呆|待|留)(?:了|在)?P(?:了|啦|的)", 0.6),
        (r"大P", 0.6),
        (r"P(?:人民|人|妹子|男子|女子|小伙伴|土著|网友)?(?:欢迎|召唤|在召唤)", 0.6),
        (r"^P(?:人|人民|男子|女子|妹子|小伙伴|学生党)?(?:默默)?(?:表示|飘过|路过|发来|报[道到]|打卡|举手)", 0.6),
        (
            r"P(?:现在|今天|昨天|今儿|这几天|最近|已经|又|也|还|的|真的|真|太|好|都|开始|一直|这边|这里|终于|是)*"
            r"(?:下[大小暴]?[雨雪]|下了|降温|热(?![干门心线])|冷(?!面)|凉|晴天|阴天|天气|暴雨|雾霾|放晴|入秋|零下|\d+度|地震|刮风|停电|堵)",
            0.55,
        ),
        (r"^(?:现在|已经|还|就|一直|也|我|嗯|都)*在P", 0.5),
        (r"^P(?:的|滴|嘞|那边|这边|周边)?$", 0.5),
        (r"P(?:这边|这里|这儿)", 0.6),
        (r"P(?:也|都|有|没有?|买不到|看不到|不下|没下|要|才|就)", 0.5),
        (r"我(?:也|就|都|才)?是P(?:的|人|嘞|滴)|^P人", 0.6),
        (r"^大?P(?:现在|这边|的|最近)?(?:哪里(?:可以|有|能)|哪家|怎么|有没有)", 0.5),
        (r"(?:等|以后|这几天|过几天|今天|明天|最近|定位都?|人|我)在P", 0.5),
        (
            r"^[嗯哦哟啊呀哈呜呵嘿对好]{0,4}(?:是啊|的确|反正|不过|都)?大?P(?![^,，]{2,}的[^,，]{1,6}是)(?!\d|女|之行|[一-鿿]日游)",
            0.5,
        ),
    )
)


def living(said: Saying, raw: str) -> Iterator[Claim]:
    """The claims of one clause about where its subject lives and is from; `raw` is the whole text."""
    found = places(said.text)
    if not found:
        return
    masked, rest = _masked(said.text, found), _masked(said.rest, places(said.rest))
    values = [mention.value for mention in found]
    stated = [] if said.asked else list(_stated(said, masked, rest, values))
    yield from stated
    if said.speaker and said.tense is Tense.NOW and not any(claim.about in ("lives_in", "born_in") for claim in stated):
        yield from _talk(said, masked, values, raw)


def _masked(text: str, found: list) -> str:  # type: ignore[type-arg]
    for mention in reversed(found):
        text = text[: mention.start] + _P + text[mention.end :]
    return text


def _fact(said: Saying, about: str, value: Value, sure: float, **more: object) -> Claim:
    return Claim(ClaimKind.FACT, said.subject or "", about, (value,), tense=said.tense, confidence=sure, **more)  # type: ignore[arg-type]


def _at(masked: str, match: re.Match[str], values: list[Value]) -> Value:
    """The place at the end of what was matched."""
    return values[masked.count(_P, 0, match.end()) - 1]


def _stated(said: Saying, masked: str, rest: str, values: list[Value]) -> Iterator[Claim]:
    if said.subject is None or _FOR_A_WHILE.search(masked):
        return
    denied = _denied(masked)
    if both := _FROM_TO.search(masked):
        to, start = _at(masked, both, values), values[masked.count(_P, 0, both.start() + 2) - 1]
        yield _fact(said, "lives_in", to, _STATED, before=(start,), ends=True)
        return
    if moved := _MOVED.search(masked):
        yield _fact(said, "lives_in", _at(masked, moved, values), _STATED, ends=not denied, denied=denied)
        return
    if left := _LEFT.search(masked):
        yield _fact(said, "lives_in", _at(masked, left, values), 0.7, denied=True, ends=True)
        return
    if lives := _LIVES.search(masked):
        over = bool(re.search("不再|不住|没住|已不|已经不", masked))
        yield _fact(
            said, "lives_in", _at(masked, lives, values), _STATED, denied=denied or over, ends="再" in masked and over
        )
        return
    if born := _BORN.search(masked):
        yield _fact(
            said,
            "born_in" if "生" in born.group()[:2] else "from",
            _at(masked, born, values),
            _BORN_SURE,
            denied=denied,
        )
        return
    if native := _NATIVE.search(rest):
        yield _fact(said, "from", _at(rest, native, _places_of(said.rest)), 0.85, denied=rest.startswith("不"))
    elif (works := _WORKS_THERE.search(masked)) and not denied:
        yield _fact(said, "lives_in", _at(masked, works, values), _WHEREABOUTS)
    elif said.own and (there := _IS_THERE.search(rest)) and not re.search(_VISITS, rest):
        yield _fact(said, "lives_in", _at(rest, there, _places_of(said.rest)), _WHEREABOUTS)


def _places_of(text: str) -> list[Value]:
    return [mention.value for mention in places(text)]


def _denied(masked: str) -> bool:
    return bool(
        re.search(
            rf"(?:不|没有?|未|并非|别)(?:再|曾)?(?:是|在|住|去|来|到|回|住在|去过|来过|到过|喜欢|爱)?{_P}", masked
        )
    )


def _talk(said: Saying, masked: str, values: list[Value], raw: str) -> Iterator[Claim]:
    """What talk tells of where the speaker is: the surest cue of the clause."""
    if _WRITTEN.search(raw) or _denied(masked):
        return
    series = len(places(raw)) > _MANY
    best: tuple[float, Value] | None = None
    for cue, sure in _TALK:
        for match in cue.finditer(masked):
            value = _at(masked, match, values)
            if _counts(said, masked, match, value, series) and (best is None or sure > best[0]):
                best = sure, value
    if best:
        yield Claim(ClaimKind.FACT, USER, "lives_in", (best[1],), confidence=given_away(best[0]))


def _counts(said: Saying, masked: str, match: re.Match[str], value: Value, series: bool) -> bool:
    """Whether a cue is one where it stands: 来 is wherever the user is not the one who comes."""
    cue = match.group()
    if "来" in cue:
        return not (re.search("[我俺咱]", masked[: match.end()]) and re.search(_VISITS, masked))
    if cue.startswith(("大", "我大", "咱大")) and not _SECOND.search(masked[: match.start()]):
        return True
    if series and cue.strip("大人") == _P:
        return False
    if cue.startswith("我") and "是" in cue and len(said.text) == len(masked) - 1 + len(value.text):
        return False
    if not re.search(_PERSONAL, cue) and (ABROAD in value.within or (said.asked and "哪" not in match.re.pattern)):
        return False
    if "哪" in match.re.pattern:
        return not re.search(_VISITS, masked) and not _SECOND.search(masked)
    return not (said.asks or re.search(_VISITS, masked) or _SECOND.search(masked[: match.end()]))
