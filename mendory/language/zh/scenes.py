"""When or where a statement holds, and whether it says that something is over."""

from __future__ import annotations

from collections.abc import Sequence

from mendory.language.zh.lexicon import FUNCTION, SAME, words
from mendory.language.zh.tokens import Token

_WHEN = words("when")
_WHILE = words("while")
_OCCASIONS = words("occasions")
_SAME_SCENE = {"下雨天": "雨天", "平日": "平时"}
_PLACES = words("places")
_PLACE = {"家里": "家", "单位": "公司", "工作单位": "公司", "办公室": "公司"}
_BEGIN = words("begins")
_OVER = words("over")
_STOPPED = words("stopped")
_STATES = words("states")
_USED_TO = words("used_to")


def scenes(clauses: Sequence[Sequence[Token]]) -> frozenset[str]:
    """The circumstances under which the clauses hold, each as its words of content: 出差, "商务 宴请", 家."""
    found: set[str] = set()
    for clause in clauses:
        for at, token in enumerate(clause):
            if token.text in _WHEN and not token.silent and not (at and clause[at - 1].text in ("说", "讲")):
                said = _before(clause, at)
                if said:
                    found.add(said)
            elif token.text == "上" and at and clause[at - 1].text in _OCCASIONS:
                found.add(_before(clause, at))
            elif token.text in _WHILE:
                found.add(_SAME_SCENE.get(token.text, token.text))
            elif token.text in _PLACES and _there(clause, at):
                found.add(_PLACE.get(token.text, token.text))
    return frozenset(found)


def _there(clause: Sequence[Token], at: int) -> bool:
    """Whether something is done at the place: 在公司喝茶, against 住在公司."""
    return at > 0 and clause[at - 1].text in ("在", "到") and any(t.predicate for t in clause[at + 1 :])


def _before(clause: Sequence[Token], at: int) -> str:
    """The content words of what happens "when": those before it, back to where the circumstance begins."""
    words: list[str] = []
    for token in reversed(clause[max(0, at - 6) : at]):
        if token.text in _BEGIN or token.tag[0] == "x":
            break
        if token.text not in FUNCTION and token.tag[0] not in "ruyd" and (not token.value or token.named):
            words.append(SAME.get(token.fold, token.fold))
    return " ".join(reversed(words))


def _over(clause: Sequence[Token], at: int) -> bool:
    """以前 says so near the head of its clause, 曾 of a state; 曾去过 tells of the past, and nothing ends."""
    if clause[at].text in ("曾", "曾经"):
        return any(t.text in _STATES for t in clause[at + 1 : at + 2])
    return clause[at].text not in _USED_TO or (at <= 1 and any(t.predicate for t in clause[at + 1 :]))


def ended(clauses: Sequence[Sequence[Token]]) -> bool:
    """Whether something is said to be over: 不再, 以前, 曾是, 戒了, 已经不…, 不…了, 从…换到…."""
    for clause in clauses:
        for at, token in enumerate(clause):
            if token.text in _OVER and _over(clause, at):
                return True
            if token.text in ("已", "已经") and any(t.text in _STOPPED for t in clause[at + 1 : at + 2]):
                return True
            if token.text == "已经" and at + 1 < len(clause) and clause[at + 1].text in ("不", "没", "没有"):
                return True
            if token.text == "从" and any(
                t.text in ("换到", "切换", "换成", "改为", "改成", "转到", "搬到") for t in clause[at:]
            ):
                return True
        words = [t.text for t in clause if t.tag[0] != "x"]
        if words[-1:] in (["了"], ["啦"]) and "不" in words[:-2]:
            return True
    return False
