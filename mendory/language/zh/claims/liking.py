"""What somebody likes, refuses, takes and does not take, how often and how much, and in which scenes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mendory.language.claim import USER, Claim, ClaimKind
from mendory.language.folding import fold
from mendory.language.zh.claims.lexicon import one_of
from mendory.language.zh.claims.sayings import Saying
from mendory.language.zh.claims.values import fact, kinds, term, thing, tool
from mendory.language.zh.lexicon import STRENGTH
from mendory.language.zh.tokens import Token

_NO = (
    "(?P<no>再也不|从来不|从来没有?|从不|绝不|已经?不再?|不再|不是很|不太|不怎么|不大|并不|不是|不会|不能|不可以|不可"
    "|不想|不要|不|没有?|未|别)"
)
_HOW: Final = (
    "(?:是|很|太|再|特别|非常|那么|怎么|真的|最|更|超级?|比较|挺|蛮|一直|还|也|都|就|只|尤其|格外|十分|有点|极其|无比)*"
)
_LIKES = re.compile(
    rf"{_NO}?{_HOW}(?P<like>{one_of('likes')}|爱(?![情人心好国护你我她他丽])|(?P<hate>{one_of('hates')}))(?P<begun>上)?(?:了|着(?!名))?(?!的)"
    r"(?P<what>[^，,。]*)"
)
_TAKES = re.compile(
    rf"(?:{_NO}|(?P<begun>改成|改为|改|换成|开始|(?:现在|如今|以后|目前)?只|习惯|坚持|喜欢|爱)|(?P<may>可以接受|可以|能接受|能够|能))?{_HOW}"
    rf"(?P<does>{one_of('takes')})(?![松心假弃强班入油快上])(?P<done>了|过|完|到|掉)?(?P<what>[^，,。]*)"
)
_ACCEPTS = re.compile(
    r"(?P<what>[^，,。]{1,10}?)(?:现在|其实|也|就|放|来|加|吃|喝)*(?P<little>一点点|一点儿?|少量|少许|少放|少加|微量|偶尔)"
    r"(?:点|一点)?(?:的话)?(?:是)?(?:也|就)?(?:可以|能)?(?:没问题|没关系|接受|可以|行|无妨|能吃|不介意)"
    r"|(?P<what2>[^，,。]{1,16}?)(?:可以|能)(?:接受|放|加|吃|喝|来)(?P<less>一点点|一点儿?|少量|少许|微量)"
)
_ACCEPTS_LITTLE = re.compile(
    r"(?:可以|能够?|愿意)?(?:接受|吃|喝|放|加|来)(?P<little>一点点|一点儿?|少量|少许|微量)的?(?P<what>[^，,。]{1,8})"
)
_ACCEPTS_PLAIN = re.compile(r"(?:可以|能够?|已经?能|开始)接受(?P<what>[^，,。]{1,8})")
_NEXT = re.compile(
    r"(?<=[一-鿿])(?=[也又]?不(?:吃|喝|抽|碰|喜欢|爱))(?<!从来)(?<![从再已并都也就会又])(?<!已经)(?<!几乎)(?<!一直)"
)
"""Where a further refusal begins: 不抽烟不喝酒."""
_QUITS = re.compile(
    r"(?:戒掉?了?|戒断)(?P<what>[^，,。了]{1,6})了?|(?P<what2>[^，,。]{1,6})(?:已经?)?戒(?:掉|了|掉了)$"
)
_HABITUAL = re.compile(
    r"^(?:[^，,。]*(?:时候?|期间|场合[下里]?))?(?:也|都|就|会|要)*(?:吃|喝|抽)[^，,。了过着完到掉一-十几半个\d]{1,5}$"
)
_ONCE = re.compile(r"今天|昨[天晚]|今[晚早]|明天|前天|上周|上次|那[天次]|刚|正在?|在(?:吃|喝|抽)|先|再|还|又|\d")
"""What makes it a single time."""
_PORTION = re.compile(
    r"^(?:也|都|就|要|会|得|必须)*(?:每[天日晚早周]|天天|[一每](?:天|日|晚|周))(?:早上|早晨|晚上|中午|下午|睡前|饭后)?"
    r"(?:都|要|会|得|必须|来|至少)*[一两二三四五六七八九十几半\d]+(?:杯|瓶|罐|壶|碗|包|支|听|盅|盒)(?P<what>[^，,。的钱\s]{1,6})$"
)
"""What is had every day in so many portions, without a verb: 每天一杯咖啡, 每晚两杯红酒."""
_SWITCHES = re.compile(
    r"(?:(?:从|把|由)\s?(?P<old>[^，,。从]{1,8}?)\s?)?(?:已经?|都|全|现在|后来|最近|彻底)*"
    r"(?:改成|改为|换成|换为|改用|换到|转为|转成|切换到|切换成|改换|改|换)了?(?:吃|喝|抽|打|踢|练|玩|学|做|听|骑|养|去)?"
    r"(?P<new>[^，,。吃喝抽打踢练玩]{1,8}?)(?:了|啦)?$"
)
_INTEREST = re.compile(
    r"(?P<no>不|没有?)?对(?P<what>[^，,。]{1,10}?)(?:很|非常|特别|(?P<no2>不太|不怎么|不|没有?|毫无))?(?:感兴趣|有兴趣|着迷|上瘾|情有独钟)"
)
_FAN = re.compile(
    r"(?P<no>不)?是(?:个|一个|一名)?(?:忠实|资深|重度|狂热|铁杆)?的?(?P<what>[^，,。]{1,10}?)(?:的?粉丝|爱好者|迷|控|发烧友)$"
)
_FRONTED = re.compile(
    r"^(?P<what>[^，,。我不]{1,8}?)(?:我|用户)?(?:是)?(?:从来)?(?:一点)?(?:都|也)?不(?:吃|喝|碰|要|喜欢|爱)了?$"
)
_FAVOURITE = re.compile(
    r"最(?:喜欢|爱|常)(?:吃|喝|看|听|用)?的(?P<kind>[^，,。是]{1,6}?)(?:就|一直|现在)?(?:是|为|变成|改成|改为)(?P<what>[^，,。]{1,12})"
)

_DENIABLE = rf"(?={_HOW}(?:{one_of('likes')}|爱|{one_of('takes')}))"
_TWICE = re.compile(rf"(?:不能|不会|不可能|不可以|没有?)不{_DENIABLE}")
_NOT_SAID = re.compile(rf"(?:没有?人|无人|谁(?:会|能)?|不是|并非|不代表|不等于)不{_DENIABLE}")
"""没有人不喜欢 is said of nobody, 不是不喜欢 leaves open what is."""
_EATING: Final = re.compile(
    r"^(?:经常|常常|常|每天|偶尔|去|在[^，,。]{1,6}?)?(?:吃|喝|看|听|读|玩|用|使用|养|打(?=.{0,3}球)|踢(?=.{0,2}球))(?=.)"
)
_FRONT = re.compile(rf"^(?:{one_of('before_object')})+")
_AMOUNT = re.compile(
    r"^(?P<little>一点点|一点儿?|少量|少许|微量|点(?![心头餐菜外]))?的?(?:[一两三四五六七八九十几半\d]+(?:杯|瓶|碗|个|只|条|份|块|片|口|顿|根|包|次|支))?的?"
)
_BEHIND = re.compile(rf"(?:{one_of('behind_object')})+$")
_CUT = re.compile(rf"(?:{one_of('ends_object')}).*$")
_LIST = re.compile(r"、|以及|和|与|跟|或者?|及|还有")
_OF_OTHERS = re.compile(
    r"^(?:也|就|都)?(?:知道|觉得|认为|听说|发现|希望|记得|猜|让|请|问)(?:了|到)?[他她你您别谁小老大]"
)
_NO_OBJECT = re.compile(rf"^(?:(?:{one_of('no_object')})|(?:{one_of('empty_object')})$)")
_SCENE = re.compile(r"^.*(?:时候?|场合|期间)")
_WITH = re.compile(r"^用(?P<what>[A-Za-z][\w+#.]*)\s?(?:写|做|来|处理|记|开发|编)[^、]*$")
_LONG: Final = 12
"""Characters of an object: what is longer is a sentence, of which no rule knows where the object ends."""
_HABIT: Final = 0.8
"""Up to this confidence a stance is read off a habit."""
_OVER: Final = frozenset(["再也不", "不再", "已不再", "已经不再", "已不", "已经不"])


@dataclass(frozen=True, slots=True)
class _Stance:
    toward: int
    sure: float
    ends: bool = False
    constraint: str = ""
    strength: int | None = None
    instead: bool = False
    """It is taken in the place of what was taken of its kind."""
    before: str = ""


def liking(said: Saying, scenes: frozenset[str]) -> Iterator[Claim]:
    """The preferences of one clause, held in these scenes."""
    if (said.subject is None and said.own) or _OF_OTHERS.match(said.rest):
        return
    if said.subject is None:
        yield from _fronted(replace(said, subject=said.about), scenes)
        return
    rest = said.rest
    for pattern, stance in (
        (_ACCEPTS_LITTLE, _Stance(1, 0.85, strength=2)),
        (_ACCEPTS_PLAIN, _Stance(1, 0.8)),
        (_INTEREST, _Stance(1, 0.8)),
        (_FAN, _Stance(1, 0.8)),
    ):
        if found := pattern.search(rest):
            groups = found.groupdict()
            denied = bool(groups.get("no") or groups.get("no2"))
            little = groups.get("little") or ""
            held = replace(stance, constraint=little, toward=-stance.toward if denied else stance.toward)
            yield from _claims(said, found["what"], held, scenes)
            return
    if quits := _QUITS.search(rest):
        yield from _claims(said, quits["what"] or quits["what2"], _Stance(-1, 0.9, ends=True), scenes)
        return
    if best := _FAVOURITE.search(rest):
        ends = any(word in best.group() for word in ("变成", "改成", "改为"))
        yield from _favourite(said, best["kind"], best["what"], scenes, ends=ends)
        return
    switch = _SWITCHES.search(rest)
    if switch and any(kinds(name) for name, _ in objects(switch["new"])):
        old = next((name for name, _ in objects(switch["old"] or "")), "")
        stance = _Stance(1, 0.8, ends=True, instead=not old, before=old)
        yield from _claims(said, switch["new"], stance, scenes)
        rest = rest[: switch.start()]
    if _NOT_SAID.search(rest):
        return
    for part in _NEXT.split(_TWICE.sub("", rest)):
        yield from _verbs(said, part, scenes)


def _verbs(said: Saying, rest: str, scenes: frozenset[str]) -> Iterator[Claim]:
    """喜欢, 讨厌 and the like, one after another; where there is none, 不吃, 每天喝."""
    likes = _LIKES.search(rest)
    if likes:
        what = likes["what"]
        other = _LIKES.search(what)
        yield from _claims(said, what[: other.start()] if other else what, _liked(likes), scenes)
        if other:
            yield from _claims(said, other["what"], _liked(other), scenes)
        return
    if takes := _TAKES.search(rest):
        stance = _taken(takes, _strength(said.tokens))
        if stance is None and not takes["no"] and (said.own or scenes) and _habitual(said.text, rest):
            stance = _Stance(1, 0.65 if scenes else 0.6)
        if stance:
            yield from _claims(said, takes["what"], stance, scenes)
    elif portion := _PORTION.match(rest):
        yield from _claims(
            said, portion["what"], _Stance(1, 0.7, strength=_strength(said.tokens) or STRENGTH["每天"]), scenes
        )


def _liked(found: re.Match[str]) -> _Stance:
    no, hate = found["no"], bool(found["hate"])
    if hate and no:
        return _Stance(0, 0.6)
    return _Stance(
        -1 if hate or no else 1,
        0.9 if not no or no in ("不", *_OVER) else 0.8,
        ends=no in _OVER or bool(found["begun"]),
    )


def _taken(found: re.Match[str], strength: int | None) -> _Stance | None:
    """Who never drinks coffee refuses it, who drinks it daily wants it; a single time says nothing."""
    no, begun = found["no"], found["begun"]
    if not no and (found["done"] or found["does"] in ("放", "加")):
        return None
    if no in ("没", "没有", "未", "不是", "不想", "不要", "别") and not (
        no in ("不要", "别") and found["does"] in ("放", "加")
    ):
        return None
    if no:
        return _Stance(-1, 0.85, ends=no in _OVER)
    if begun in ("改成", "改为", "改", "换成", "开始"):
        return _Stance(1, 0.8, ends=True, instead=begun != "开始")
    if begun and begun.endswith("只"):
        return _Stance(1, 0.75, instead=True)
    if begun or found["may"] or strength is not None:
        return _Stance(1 if strength is None or strength > 0 else -1, 0.7)
    return None


def _habitual(text: str, rest: str) -> bool:
    """Whether a clause is no more than that somebody takes something: it tells of a habit, unless of a single time."""
    return bool(_HABITUAL.match(rest)) and not _ONCE.search(text)


def _strength(tokens: Sequence[Token]) -> int | None:
    return min((STRENGTH[token.text] for token in tokens if token.text in STRENGTH), default=None)


def _fronted(said: Saying, scenes: frozenset[str]) -> Iterator[Claim]:
    """香菜我不吃, 香菜少量可以接受: what it is about stands first."""
    if said.subject is None:
        return
    if found := _FRONTED.search(said.text):
        yield from _claims(said, found["what"], _Stance(-1, 0.75), scenes)
    elif found := _ACCEPTS.search(said.text):
        stance = _Stance(1, 0.8, constraint=found["little"] or found["less"], strength=2)
        yield from _claims(said, found["what"] or found["what2"], stance, scenes)


def _claims(said: Saying, what: str, stance: _Stance, scenes: frozenset[str]) -> Iterator[Claim]:
    strength = stance.strength if stance.strength is not None else _strength(said.tokens)
    if stance.toward > 0 and strength == 0:
        strength = None
    for name, little in objects(what):
        if job := tool(name) if stance.toward > 0 and stance.sure > _HABIT else None:
            yield fact(said, f"favourite:{job}", term(name), sure=0.8, ends=stance.ends)
        claim = Claim(
            ClaimKind.PREFERENCE,
            said.subject or USER,
            name,
            stance=stance.toward,
            strength=2 if little else strength,
            scenes=frozenset(scene for scene in scenes if scene not in name),
            constraint=little or stance.constraint,
            tense=said.tense,
            before=(term(stance.before),) if stance.before else (),
            ends=stance.ends,
            confidence=stance.sure,
        )
        yield claim
        if stance.toward > 0 and not stance.constraint:
            of_kind = replace(
                claim,
                values=(term(name, *kinds(name)),),
                before=(),
                ends=stance.instead,
                confidence=min(stance.sure, 0.65),
            )
            yield from (replace(of_kind, about=kind) for kind in kinds(name))


def objects(what: str) -> Iterator[tuple[str, str]]:
    """The things a text of an object names, each in its one form, and how little where it says so."""
    text = _WITH.sub(r"\g<what>", _CUT.sub("", _FRONT.sub("", _SCENE.sub("", what).strip())))
    for part in _LIST.split(text):
        said = _FRONT.sub("", _EATING.sub("", part.strip()))
        size = _AMOUNT.match(said)
        little = size["little"] or "" if size else ""
        said = _BEHIND.sub("", said[size.end() :] if size else said).strip()
        if fold(said) and len(said) <= _LONG and not _NO_OBJECT.match(said):
            yield thing(said), little


def _favourite(said: Saying, kind: str, what: str, scenes: frozenset[str], *, ends: bool) -> Iterator[Claim]:
    names = [name for name, _ in objects(what)]
    if not names:
        return
    yield fact(said, f"favourite:{thing(kind)}", *(term(name) for name in names), sure=0.85, ends=ends)
    for name in names:
        if job := tool(name):
            yield fact(said, f"favourite:{job}", term(name), sure=0.85, ends=ends)
    yield from _claims(said, what, _Stance(1, 0.75), scenes)
