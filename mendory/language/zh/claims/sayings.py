"""A Chinese text as what is said in it: clause by clause, of whom, and whether it is so now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mendory.language.claim import USER, Tense
from mendory.language.zh.claims.lexicon import one_of, words
from mendory.language.zh.clauses import clauses_of
from mendory.language.zh.lexicon import KIN
from mendory.language.zh.lexicon import words as of_pack
from mendory.language.zh.people import SURNAMES, is_person
from mendory.language.zh.scan import scan
from mendory.language.zh.tokens import Token

_SENTENCE = re.compile(r"([。！？!?;；\n…]+)")
_CLAUSE = re.compile(r"[，,]|(?<=[一-鿿])[:：](?=\s*[一-鿿])|\s{2,}")
_QUOTED = re.compile(r"(说|问|讲|道|喊|写|叫)[:：,，]?\s*[「『“\"'‘][^」』”\"'’]*[」』”\"'’]")
_MARKS = re.compile(r"[「」『』“”\"'‘’《》〈〉【】()（）\[\]*#`]")
_ASKS = re.compile(rf"(?:{one_of('asking')})")
_ASKS_AT_END = re.compile(r"(?:吗|(?<!什)么|没|(?<!好)不|咩|否)$")
_ASKS_BACK = re.compile(r"^(?:那|那么)?[你您妳]")
"""A question that hands the word back: what was said before it is said."""
_SUPPOSED = re.compile(rf"(?:(?<!不){one_of('supposing').replace('|', '|(?<!不)')})")
_PLANNED = re.compile(rf"(?:{one_of('planning')})")
_PAST = re.compile(rf"(?<![日号月年周天])(?:{one_of('past')})")
_REPORTS = re.compile(r"(?:说过?|讲|提到过?|提及|表示|透露|称|告诉|觉得|认为|以为|问|猜|怀疑)(?:了|我|你|大家|助手)?$")
_TELLS = re.compile(r"^(?:说|觉得|认为|以为|猜|怀疑|告诉)(?!话|服|明)")
"""Behind another's name: what follows is what that person says."""
_USER_SAYS = re.compile(
    r"^(用户|我)(?:说过?|表示|提到过?|提及|称|透露|告诉\S{0,2}|强调|指出|补充)(?:自己|他自己|她自己|他|她|我)?(?=.)"
)
_OPENING = re.compile(rf"^(?:\d{{1,3}}[.、)]?(?=[我用])|{one_of('opening')})+")
_FIRST = re.compile(r"^(?:用户本人|用户自己|该用户|用户|本人|我本人|我自己|我个人|我|俺|偶|自己|(?i:the user|user))")
_OWN = re.compile(
    rf"^(?:我|俺|偶|用户|本人|咱)?(?:家里?|的)?的?({'|'.join(sorted(KIN, key=len, reverse=True))})(?!座|星|节)"
)
_OTHER = re.compile(r"^(?:你们?|您|妳|他们?|她们?|它们?|大家|别人|有人|人们|谁|对方|某人)")
_WE = re.compile(r"^(?:我们|咱们|咱|俺们)")
_CIRCUMSTANCE = re.compile(
    rf"(?:在|每次|每到|每逢|平时|一般)?(?:[^，,。]{{1,10}}?(?:的时候|时候|(?<![小及同平当准按暂随临定有])时(?![间候刻代常期速区差])|期间|场合)[里上下]?"
    rf"|[^，,。]{{0,8}}?(?:{'|'.join(of_pack('occasions'))})上"
    rf"|{one_of('times')})(?=[^，,。])"
)
"""When or where something holds that is said of whom the clause names behind it: 开会时小王…."""
_INTRODUCES = re.compile(
    rf"^.{{0,8}}有(?:[一两]?[个位名]|两个)?[^，,。的]{{0,3}}?(?P<who>{'|'.join(sorted(KIN, key=len, reverse=True))})"
    r"(?=(?:在|住|是|叫|喜欢|不|对|今年|已经|正在|也)[一-鿿\d])"
)
_NO_OWNER = words("no_owner")
_NICKNAME = re.compile(f"[小老阿][{''.join(SURNAMES)}](?=[一-鿿\\s])")
"""小王: whatever jieba makes of what stands behind it."""
_BEHIND_NAMES = frozenset("从在和跟与是说给对把被也都不要想去来用住喜爱最现已")
"""What jieba hangs on a name of two characters."""
_NO_NAMES = of_pack("no_names")
_SIGNS = words("signs")


@dataclass(frozen=True, slots=True)
class Saying:
    """One clause.

    `text` is simplified and in half width, without quotation marks. `subject` is whom it is about, None where that is
    somebody or something without a name of its own; `own` where it says so itself and does not take it over from the
    clause before; `about` is whom that was about, the user at first. `rest` is what stands behind the subject.
    `asked` is of the whole sentence, but for what stands before 你呢 and the like. `asks`: this clause asks
    itself. `before`: another clause of the sentence stands before it.
    """

    text: str
    subject: str | None
    own: bool
    about: str | None
    rest: str
    tense: Tense
    asked: bool
    asks: bool
    before: bool
    tokens: tuple[Token, ...]

    @property
    def speaker(self) -> bool:
        """Whether who speaks may give something away here: nobody else is named as whom it is about."""
        return {self.subject, self.about if self.subject is None else USER} <= {USER, None}


def sayings(text: str) -> list[Saying]:
    """What a simplified, half-width text says, in order. What somebody is quoted with is left out."""
    plain = _MARKS.sub("", _QUOTED.sub(r"\1。", text))
    found: list[Saying] = []
    parts = _SENTENCE.split(plain)
    for at in range(0, len(parts), 2):
        end = parts[at + 1] if at + 1 < len(parts) else ""
        found += _sentence(parts[at], "?" in end or "？" in end, found[-1].subject if found else USER)
    return found


def _sentence(sentence: str, asked: bool, about: str | None) -> Iterator[Saying]:
    reported = False
    parts = (part.strip() for part in _CLAUSE.split(sentence) if part and part.strip())
    clauses = [said for part in parts for said in _introduced(part)]
    back = len(clauses) > 1 and bool(_ASKS_BACK.match(clauses[-1]))
    asking = clauses[:-1] if back else clauses
    whole = (asked and not back) or any(_ASKS.search(part) or _ASKS_AT_END.search(part) for part in asking)
    supposed = False
    for part in clauses:
        said = _USER_SAYS.sub(r"\1", part)
        tokens = tuple(token for some in _apart(said) for one in clauses_of(scan(some).pieces) for token in one)
        subject, own, rest = _subject(said, tokens, about)
        told = subject != USER and bool(_TELLS.match(rest))
        supposed = supposed or told or bool(_SUPPOSED.search(said))
        tense, in_question = _tense(said, supposed or reported), whole or (back and part is clauses[-1])
        asks = bool(_ASKS.search(part) or _ASKS_AT_END.search(part)) or (asked and part is clauses[-1])
        yield Saying(said, subject, own, about, rest, tense, in_question, asks, part is not clauses[0], tokens)
        reported = reported or (subject != USER and bool(_REPORTS.search(said)))
        about = subject if own else about


def _apart(said: str) -> tuple[str, ...]:
    """A clause, its circumstance apart, so that no word reaches from there into the name behind it: 宴请时|小王."""
    opening = _OPENING.match(said)
    when = _CIRCUMSTANCE.match(said, opening.end() if opening else 0)
    return (said[: when.end()], said[when.end() :]) if when else (said,)


def _introduced(part: str) -> list[str]:
    """A clause in two where it tells further of whom it introduces: 有个女儿 在上海读大学."""
    met = _INTRODUCES.match(part)
    return [met.group(), met["who"] + part[met.end() :]] if met else [part]


def _tense(text: str, supposed: bool) -> Tense:
    if supposed:
        return Tense.SUPPOSED
    if _PLANNED.search(text):
        return Tense.PLANNED
    return Tense.PAST if _PAST.search(text) else Tense.NOW


def _subject(text: str, tokens: Sequence[Token], about: str | None) -> tuple[str | None, bool, str]:
    """Whom a clause is about, whether it says so itself, and the rest of it."""
    opening = _OPENING.match(text)
    start = opening.end() if opening else 0
    if (when := _CIRCUMSTANCE.match(text, start)) and _somebody(text, when.end(), tokens):
        start = when.end()
    rest = text[start:]
    if kin := _OWN.match(rest):
        return KIN[kin[1]], True, rest[kin.end() :]
    if _WE.match(rest) or _OTHER.match(rest):
        return None, True, rest
    if first := _FIRST.match(rest):
        behind = rest[first.end() :].lstrip()
        mine = behind.startswith("的") or (behind.startswith("家") and not behind.startswith("家在"))
        mine = mine or _noun_at(tokens, len(text) - len(behind))
        return (USER, True, behind) if not mine or _owned(behind) else (None, True, behind)
    named, length = _named(rest, tokens, start)
    if named:
        return named, True, rest[length:].lstrip()
    verbal = _verbal(tokens, start) or (when is not None and _verbal(tokens, when.end()))
    return (about, False, rest) if verbal else (None, False, rest)


def _somebody(text: str, start: int, tokens: Sequence[Token]) -> bool:
    """Whether somebody is named at this place."""
    rest = text[start:]
    return any(known.match(rest) for known in (_OWN, _WE, _OTHER, _FIRST)) or bool(_named(rest, tokens, start)[0])


def _noun_at(tokens: Sequence[Token], place: int) -> bool:
    """Whether the word at this place is somebody of the user's whose thing follows: 我手下的员工, not 我身高."""
    at = 0
    for token, behind in pairwise(tokens):
        if at >= place:
            own = any(token.text.startswith(word) for word in _NO_OWNER)
            return token.tag in ("n", "nr", "nz") and not token.value and not own and behind.text == "的"
        at += len(token.text)
    return False


def _owned(behind: str) -> bool:
    """Whether 我的 is followed by what is a property of the user: 我的生日, 我的职业; not 我的电脑."""
    return any(behind.lstrip("的").startswith(word) for word in _NO_OWNER)


def _named(rest: str, tokens: Sequence[Token], start: int) -> tuple[str, int]:
    """The name of a person a clause begins with, and how long it is as written."""
    if (nick := _NICKNAME.match(rest)) and rest[:2] not in _NO_NAMES and rest[:3] not in _NO_NAMES:
        return nick.group(), 2
    at = 0
    for token in tokens:
        if at >= start:
            if is_person(token) and token.text not in _SIGNS:
                name = token.text[:2] if len(token.text) == 3 and token.text[2] in _BEHIND_NAMES else token.text
                return name, len(name)
            if token.value and token.named and token.text[0].isascii() and token.text[0].isalpha() and "我" not in rest:
                return token.fold, len(token.text)
            break
        at += len(token.text)
    return "", 0


def _verbal(tokens: Sequence[Token], start: int) -> bool:
    """Whether what follows needs no subject of its own: it begins with a verb, an adverb or 在."""
    at = 0
    for token in tokens:
        if at >= start:
            return token.tag[0] in "vdpac" or token.value or token.text in words("verbal")
        at += len(token.text)
    return False
