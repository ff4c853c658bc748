"""Names, and whom a statement is about."""

from __future__ import annotations

from collections.abc import Sequence

from mendory.language.zh.lexicon import KIN, words
from mendory.language.zh.token import Token

_SURNAMES = frozenset("".join(words("surnames")))
_TITLED = "小老阿大"
_SUFFIX = ("市", "省", "县", "区")
_NEVER = words("no_names")
_FIRST = words("first_person")
_OTHERS = {"他": "他", "她": "她", "他们": "他们", "她们": "她们", "您": "你", "你": "你", "你们": "你"}
_TO = words("towards")


def name(token: Token) -> str | None:
    """The name a word is, in the form in which names are compared; None where it is none."""
    if token.value:
        return None
    word, tag = token.text, token.tag
    if tag == "nrt" and len(word) >= 2:
        return word
    if tag == "nr":
        person = 2 <= len(word) <= 4 and word[0] in _SURNAMES and word not in _NEVER
        return word if person or (len(word) == 2 and word[0] in "小老" and word[1] in _SURNAMES) else None
    if tag in ("ns", "nt") and len(word) >= 2:
        return word[:-1] if len(word) >= 3 and word.endswith(_SUFFIX) else word
    if len(word) == 2 and word[0] in _TITLED and word[1] in _SURNAMES and tag in ("n", "nr", "nz", "a", "v", "x"):
        return word
    return word if tag == "nz" and len(word) >= 2 else None


def is_person(token: Token) -> bool:
    """Whether a word names a person."""
    return token.tag in ("nr", "nrt") and name(token) is not None


def owners(clauses: Sequence[Sequence[Token]]) -> tuple[frozenset[str], bool]:
    """Whom the clauses are about where that is somebody else, and whether they are about the user.

    A person owns a statement as its subject (妈妈对花生过敏) or before 的 (小王的电话), not as somebody to whom
    something is done (给妈妈买花).
    """
    found: set[str] = set()
    user = False
    for clause in clauses:
        for at, token in enumerate(clause):
            if token.text in _FIRST:
                user = user or at == 0 or clause[at - 1].text not in _TO
                continue
            who = KIN.get(token.text) or _OTHERS.get(token.text) or (token.text if is_person(token) else None)
            if who is None:
                continue
            before = next((t.text for t in reversed(clause[:at]) if t.text not in _FIRST and t.text != "的"), "")
            owning = at + 1 < len(clause) and clause[at + 1].text in ("的", "家")
            subject = not any(t.predicate for t in clause[:at]) and before not in _TO
            if owning or (subject and before not in _TO and any(t.predicate for t in clause[at + 1 :])):
                found.add(who)
    if found:
        return frozenset(found), False
    words = [t for clause in clauses for t in clause if t.tag[0] != "x"]
    return frozenset(), user or (bool(words) and words[0].tag[0] in "vd")
