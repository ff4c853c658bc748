"""How far a Chinese statement holds: only, except, one of several, meant and not yet so."""

from __future__ import annotations

from collections.abc import Sequence

from mendory.language.zh.lexicon import named
from mendory.language.zh.tokens import Token

_BOUNDS = {word: bound for bound, members in named("bounds") for word in members.split()}

_MEANT = frozenset(["要", "想", "想要", "准备", "将", "将要", "快要", "即将", "希望"])
_WHOLE = frozenset(
    [
        "通过",
        "难过",
        "经过",
        "超过",
        "路过",
        "错过",
        "度过",
        "不过",
        "胜过",
        "好过",
        "跳过",
        "绕过",
        "越过",
        "考过",
        "改过",
    ]
)
_SAYS = frozenset(["说", "讲", "提", "提到", "表示", "问", "告诉", "提及"])


def bounds(clauses: Sequence[Sequence[Token]], negations: int) -> frozenset[str]:
    """The bounds of a text; 或 is none under a negation, where it says neither; 除了…都 is one, 除了…也 is none."""
    said = {_bound(clauses, i, at) for i, clause in enumerate(clauses) for at in range(len(clause))}
    said |= {_told(clause, at) for clause in clauses for at in range(len(clause))}
    return frozenset(said - {""} - ({"or"} if negations else set()))


def _told(clause: Sequence[Token], at: int) -> str:
    """要去 is meant, 去了 is done, 养过 was so; 说过 tells when it was said alone."""
    one, text = clause[at], clause[at].text
    two = clause[at + 1] if at + 1 < len(clause) else None
    if two and text in _MEANT and two.predicate:
        return "meant"
    if not one.predicate or text in _SAYS or (text[-1] == "过" and text[:-1] in _SAYS):
        return ""
    if len(text) == 2 and text[-1] == "过" and text not in _WHOLE:
        return "past"
    return {"了": "done", "过": "past"}.get(two.text, "") if two else ""


def _bound(clauses: Sequence[Sequence[Token]], i: int, at: int) -> str:
    token = clauses[i][at]
    found = "" if token.value else _BOUNDS.get(token.text, "")
    if found == "except" and token.text.startswith("除"):
        rest = {other.text for clause in (clauses[i][at:], *clauses[i + 1 : i + 2]) for other in clause}
        return "" if rest & {"还", "也", "还有"} else found
    return found
