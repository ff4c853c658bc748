"""When or where a statement holds, and whether it says that something is over."""

from __future__ import annotations

from collections.abc import Sequence

from mendory.language.zh.lexicon import ASKS, FUNCTION, SAME, words
from mendory.language.zh.token import Token

_WHEN = words("when")
_WHILE = words("while")
_MEAL = {"早饭": "早餐", "午饭": "午餐", "中饭": "午餐", "晚饭": "晚餐", "下雨天": "雨天", "平日": "平时"}
_PLACES = words("places")
_PLACE = {"家里": "家", "单位": "公司", "办公室": "公司"}
_BEGIN = words("begins")
_OVER = words("over")
_USED_TO = words("used_to")


def scenes(clauses: Sequence[Sequence[Token]]) -> frozenset[str]:
    """The circumstances under which the clauses hold, each as its content words: 出差, 商务宴请, 在家."""
    found: set[str] = set()
    for clause in clauses:
        for at, token in enumerate(clause):
            if token.text in _WHEN:
                said = _before(clause, at)
                if said:
                    found.add(said)
            elif token.text in _WHILE:
                found.add(_MEAL.get(token.text, token.text))
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
        if token.text not in FUNCTION and token.tag[0] not in "ruyd":
            words.append(SAME.get(token.fold, token.fold))
    return "".join(reversed(words))


def ended(clauses: Sequence[Sequence[Token]]) -> bool:
    """Whether something is said to be over or replaced: 不再, 以前, 戒了, 改为, 已经不…, 不…了."""
    for clause in clauses:
        for at, token in enumerate(clause):
            if token.text in _OVER and (token.text not in _USED_TO or at <= 1):
                return True
            if token.text == "已经" and at + 1 < len(clause) and clause[at + 1].text in ("不", "没", "没有"):
                return True
            if token.text == "从" and any(
                t.text in ("换到", "切换", "换成", "改为", "改成", "转到", "搬到") for t in clause[at:]
            ):
                return True
        words = [t.text for t in clause if t.tag[0] != "x"]
        if words[-1:] == ["了"] and "不" in words[:-2] and not any(word in ASKS for word in words):
            return True
    return False
