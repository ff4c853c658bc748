"""Which words of a clause a negation reaches.

A negation reaches its predicates and the things right behind them, up to the next predicate, a conjunction, a question
word or the end of the clause. Two of them cancel: 不是不喜欢, 没有不去. A不A asks and negates nothing (是不是,
能不能, 喜不喜欢), nor does 没有 at the end of a question. A complement turns the verb before it: 用不了, 打不开.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mendory.language.zh.lexicon import ASKS, SAME, TURNED, words
from mendory.language.zh.segment import NEGATORS
from mendory.language.zh.tokens import Token

_STOPS = words("stops")
_MODALS = words("modals")
_POLITE = words("polite")
_YES_NO = frozenset(["是", "能", "可以", "会", "要", "行", "该", "想", "能够"])
_REACHING = words("reaching")
_AFTER = words("complements")
_COMPLEMENT = re.compile(f"^(.+?)不({'|'.join(sorted(_AFTER))})$")

_ASKING = re.compile(r"^(.{1,2})[不没](\1.*)$")


def negate(clause: Sequence[Token]) -> int:
    """Mark what the negations of one clause reach, and return how many of them hold."""
    reach = _Reach()
    for at, token in enumerate(clause):
        if not token.value and (asked := _ASKING.match(token.text)):
            token.asking, token.fold = True, SAME.get(asked[2], asked[2])
        elif token.text in NEGATORS:
            token.fold = NEGATORS[token.text]
            _deny(reach, clause, at)
        elif complement := _COMPLEMENT.match(token.text):
            _fail(reach, token, complement)
        else:
            reach.take(token)
    return reach.count


class _Reach:
    """How far the negation of a clause has come."""

    def __init__(self) -> None:
        self.count = 0
        self.turned = False
        self.predicate = False  # it has met what it is about
        self.apart = False  # and something else since

    def open(self, *, predicate: bool = False) -> None:
        """A negation begins, or one inside another ends that."""
        self.count += -1 if self.turned else 1
        self.turned, self.predicate, self.apart = not self.turned, predicate, predicate

    def take(self, token: Token) -> None:
        """Mark a word that negates nothing itself."""
        if token.text in _STOPS or (self.predicate and self.apart and (token.predicate or token.text in _MODALS)):
            self.turned = self.predicate = self.apart = False
        stance = None if token.value else TURNED.get(token.fold)
        if stance:
            token.fold, token.turned = stance, True
            token.negated, self.count = not self.turned, self.count + 1
            if token.text in _REACHING:
                self.turned, self.predicate, self.apart = not self.turned, True, False
            return
        token.negated = self.turned
        if token.predicate:
            self.predicate, self.apart = True, False
        elif self.predicate and token.tag[0] != "u":
            self.apart = True


def _deny(reach: _Reach, clause: Sequence[Token], at: int) -> None:
    """What a negator does at its place."""
    if _asks(clause, at):
        clause[at].asking = clause[at].silent = True
    elif clause[at + 1 :] and clause[at + 1].text in _POLITE:
        return
    elif _complement(clause, at):
        clause[at - 1].negated = not clause[at - 1].negated
        reach.count += 1
    elif not any(t.tag[0] not in "xuy" for t in clause[at + 1 :]):  # 额度没了: what stands before it is denied
        reach.count += 1
        thing = next((t for t in reversed(clause[:at]) if t.tag[0] == "n"), None)
        if thing:
            thing.negated = True
    else:
        if clause[at].text in ("没有", "没") and clause[at + 1].value:  # of a number all it can turn is 有
            clause[at].fold, clause[at].negated = "有", not reach.turned
        reach.open(predicate=clause[at].text in ("没有", "没", "无", "毫无") and _noun_next(clause, at))
        if clause[at + 1 :] and clause[at + 1].text == "了":  # 不用了, 没了: nothing else is meant
            reach.turned = False


def _fail(reach: _Reach, token: Token, complement: re.Match[str]) -> None:
    """打不开 is 打开, negated; 吃不了 is 吃."""
    verb, result = complement.groups()
    token.fold = verb if result in ("了", "到", "起", "得", "着") else verb + result
    token.fold = SAME.get(token.fold, token.fold)
    token.negated = not reach.turned
    reach.count += 1


def _noun_next(clause: Sequence[Token], at: int) -> bool:
    """Whether what follows is a thing: 没有声音, against 没有去."""
    return at + 1 < len(clause) and clause[at + 1].tag[0] == "n"


def _asks(clause: Sequence[Token], at: int) -> bool:
    """Whether the negator at this place is part of a question: 去不去, 到了没有, 要不要, 不是这样吗."""
    negator = clause[at].text
    rest = [t.text for t in clause[at + 1 :] if t.tag[0] not in "xuy"]
    before = [t for t in clause[:at] if t.tag[0] not in "xu"]
    if negator == "不" and rest and rest[0] in _YES_NO and clause[-1].text in ("吗", "么", "嘛", "吧", "呗"):
        return True
    if not before:
        return False
    last = before[-1]
    if not rest:
        asked = any(t.text in ASKS or t.text in ("有", "了", "过") for t in clause[:at])
        gone = [t.text for t in clause[at + 1 : at + 2]] == ["了"]
        return negator in ("不", "否") or (negator in ("没", "没有") and not gone and (asked or last.predicate))
    return negator[1:] == last.text or (last.predicate and rest[0][0] == last.text[0])


def _complement(clause: Sequence[Token], at: int) -> bool:
    """Whether the negator is the middle of a verb with its complement: 用 不 了."""
    if not at or at + 1 >= len(clause) or clause[at].text != "不":
        return False
    return clause[at + 1].text == "了" or (clause[at + 1].text in _AFTER and clause[at - 1].tag[0] in "vp")
