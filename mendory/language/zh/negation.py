"""Which words of a clause a negation reaches.

A negation reaches its predicate and what follows up to the next predicate behind a noun, a conjunction, a question
word or the end of the clause. Two of them cancel: 不是不喜欢, 没有不去. A不A asks and negates nothing (是不是,
能不能, 喜不喜欢), nor does 没有 at the end of a question. A complement turns the verb before it: 用不了, 打不开.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mendory.language.zh.lexicon import TURNED, words
from mendory.language.zh.segment import NEGATORS
from mendory.language.zh.token import Token

_STOPS = words("stops")
_MODALS = words("modals")
_AFTER = words("complements")
_COMPLEMENT = re.compile(f"^(.+?)不({'|'.join(sorted(_AFTER))})$")

_ASKING = re.compile(r"^(.+)[不没]\1.*$|^有没有$|^(.)[不没]\2")


def negate(clause: Sequence[Token]) -> int:
    """Mark what the negations of one clause reach, and return how many of them hold."""
    count, turned, predicate, noun = 0, False, False, False
    for at, token in enumerate(clause):
        if token.value:
            token.negated, noun = turned, True
            continue
        if _ASKING.match(token.text):
            token.asking = token.silent = True
            continue
        done = _COMPLEMENT.match(token.text)
        if done:
            token.fold = done[1] if done[2] in ("了", "到", "起", "得", "着") else done[1] + done[2]
            token.negated, count = not turned, count + 1
            predicate = True
            continue
        if token.text in NEGATORS:
            token.silent = True
            if _asks(clause, at):
                token.asking = True
                continue
            count += 1
            if _complement(clause, at):
                clause[at - 1].negated = not clause[at - 1].negated
                clause[at + 1].silent = True
                continue
            turned, predicate, noun = not turned, False, False
            if token.text in ("没有", "没", "无", "毫无"):
                predicate = _noun_next(clause, at)
            continue
        if (turned and predicate and (token.text in _STOPS or (noun and token.text in _MODALS))) or (
            token.text in _STOPS and token.text not in ("只", "就", "才")
        ):
            turned = predicate = noun = False
        stance = TURNED.get(token.fold)
        if stance:
            token.fold, turned, count = stance, not turned, count + 1
        if turned and predicate and noun and token.predicate:
            turned = predicate = noun = False
        token.negated = turned
        predicate = predicate or token.predicate
        noun = noun or token.tag[0] in "nltsz"
    return count


def _noun_next(clause: Sequence[Token], at: int) -> bool:
    """Whether what follows is a thing: 没有声音, against 没有去."""
    return at + 1 < len(clause) and clause[at + 1].tag[0] == "n"


def _asks(clause: Sequence[Token], at: int) -> bool:
    """Whether the negator at this place is part of a question: 去不去, 到了没有, 喜欢不喜欢."""
    rest = [t for t in clause[at + 1 :] if t.tag[0] not in "xuy"]
    before = [t for t in clause[:at] if t.tag[0] not in "xu"]
    if not rest:
        return bool(before) and clause[at].text in ("没", "没有", "不", "否", "未")
    return (
        bool(before)
        and before[-1].text[0] == rest[0].text[0]
        and rest[0].text.startswith(before[-1].text[:1])
        and before[-1].tag[0] in "va"
    )


def _complement(clause: Sequence[Token], at: int) -> bool:
    """Whether the negator is the middle of a verb with its complement: 用 不 了."""
    if not at or at + 1 >= len(clause) or clause[at].text != "不":
        return False
    return clause[at + 1].text in _AFTER and clause[at - 1].tag[0] in "vp"
