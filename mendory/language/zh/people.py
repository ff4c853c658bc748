"""Names, and whom a statement is about."""

from __future__ import annotations

from collections.abc import Sequence

from mendory.language.zh.lexicon import KIN, KINDS, SOUNDS, words
from mendory.language.zh.sounds import sounding
from mendory.language.zh.tokens import Token

SURNAMES = frozenset("".join(words("surnames")))
TITLES = words("titles")
_TITLED = "小老阿大"
_SUFFIX = ("市", "省", "县", "区", "州", "岛")
_NEVER = words("no_names")
_FIRST = words("first_person")
_OTHERS = {"他": "他", "她": "她", "他们": "他们", "她们": "她们", "你": "你", "你们": "你"}
_OF_THEM = words("states")
_BRANDS = words("brands")
_TO = words("towards")
_NO_NAME = frozenset("".join(words("no_name_endings")))


def name(token: Token) -> str | None:
    """The name a word is, in the form in which names are compared; None where it is none."""
    word, tag = token.text, token.tag
    if token.value or len(word) < 2 or word in _NEVER or word[:2] in _NEVER:
        return None
    if word in _BRANDS:
        return word
    if tag == "nrt" and len(word) > 2:
        return sounding(word) if all(ch in SOUNDS for ch in word) else None
    if tag[:2] == "nr":
        return _person(word)
    if tag in ("ns", "nt"):
        return word[:-1] if len(word) > 2 and word.endswith(_SUFFIX) and (len(word) > 3 or word[-1] in "市省") else word
    return word if tag == "nz" and word[-1] not in _NO_NAME and token.fold not in KINDS else None


def _person(word: str) -> str | None:
    """A surname with one or two characters (王小明), or 小王; what jieba's model hangs on behind is no part of it."""
    if word[0] in _TITLED or word[0] == "姓" or word[1:] in TITLES:
        return word
    if word[0] in SURNAMES:
        return word[:3]
    return word if all(ch in SOUNDS for ch in word) else None


def routes(clause: Sequence[Token]) -> None:
    """Mark in a clause where a way begins and where it ends: 上海到北京 is not 北京到上海."""
    for at in range(1, len(clause) - 1):
        if (
            clause[at].text in ("到", "至", "飞", "飞往", "去往", "开往")
            and name(clause[at - 1])
            and name(clause[at + 1])
        ):
            start, end = clause[at - 1], clause[at + 1]
            start.fold, start.kind = f"从{start.fold}", "from"
            end.fold, end.kind = f"到{end.fold}", "to"


def is_person(token: Token) -> bool:
    """Whether a word names a person."""
    return token.tag[:2] == "nr" and (token.text[0] in SURNAMES or token.text[0] in _TITLED) and name(token) is not None


def owners(clauses: Sequence[Sequence[Token]]) -> tuple[frozenset[str], bool]:
    """Whom the clauses are about where that is somebody else, and whether they are about the user.

    A person owns a statement as its subject (妈妈对花生过敏) or as whose thing it is about (小王的电话, 你的名字), not
    as somebody to whom something is done (给妈妈买花) and not beside the user (我和男朋友分手了).
    """
    found: set[str] = set()
    user = mentioned = False
    for clause in clauses:
        head = _head(clause)
        first = any(t.text in _FIRST and not _possessive(clause, at) for at, t in enumerate(head))
        user = user or first
        for at, token in enumerate(head):
            who = KIN.get(token.text) or _OTHERS.get(token.text) or (token.text if is_person(token) else None)
            if who is None:
                continue
            mentioned = True
            before = next((t.text for t in reversed(head[:at]) if t.text not in _FIRST and t.text != "的"), "")
            owned = at + 1 < len(clause) and clause[at + 1].text == "的"
            if who == "你" and not owned and (at or clause[1].text not in _OF_THEM):
                continue
            beside = before in ("和", "与", "及") and bool(found)  # 妈妈和爸爸
            if not first and (before not in _TO or beside):
                found.add(who)
    if found:
        return frozenset(found), False
    words = [t for clause in clauses for t in clause if t.tag[0] != "x"]
    return frozenset(), user or (not mentioned and bool(words) and words[0].tag[0] in "vd")


def _head(clause: Sequence[Token]) -> Sequence[Token]:
    """The clause up to its first verb or adjective, or 在; nothing where it says nothing of anybody."""
    return next((clause[:at] for at, token in enumerate(clause) if token.predicate or token.text == "在"), ())


def _possessive(clause: Sequence[Token], at: int) -> bool:
    """Whether 我 says whose somebody is: 我妈妈, 我的同事, 我家孩子."""
    behind = [t.text for t in clause[at + 1 : at + 3]]
    return behind[:1] == ["家"] or any(word in KIN for word in (behind[1:] if behind[:1] == ["的"] else behind[:1]))
