"""What a text asks for: two questions with other question words are not the same question."""

from __future__ import annotations

from collections.abc import Sequence

from mendory.language.zh.lexicon import ASKS, words
from mendory.language.zh.segment import NEGATORS
from mendory.language.zh.tokens import Token

_PLAIN = words("plain_asks")
_WHY = words("why_next")
_MEASURED = "mq"


def asks(clauses: Sequence[Sequence[Token]]) -> frozenset[str]:
    """What the clauses ask for: how, why, when, how long, where, who, how many, what (and which), whether.

    None: nothing. "whether" stands only where nothing else is asked. 怎么 with a negation, or before 会, 这么, asks why
    (怎么不能用, 怎么这么贵); 谁 before 知道, 能, 有 asks for help, not for a person.
    """
    found: set[str] = set()
    for clause in clauses:
        for at in range(len(clause)):
            kind = _kind(clause, at)
            if kind:
                found.add(kind)
        if any(token.asking for token in clause):
            found.add("whether")
    return frozenset(found - {"whether"} or found)


def _kind(clause: Sequence[Token], at: int) -> str | None:
    token = clause[at]
    following = clause[at + 1] if at + 1 < len(clause) else None
    joined = ASKS.get(token.text + following.text) if following else None
    kind = joined or ASKS.get(token.text)
    if kind is None:
        return None
    plain = (token.text + following.text if joined and following else token.text) in _PLAIN
    token.silent = plain or token.silent
    if joined and following:
        following.silent = plain
    elif token.text in ("哪", "那") and following and following.tag[0] in _MEASURED:
        return "what"
    elif token.text == "谁" and following and following.text in ("知道", "能", "有", "可以", "能够", "来", "会", "帮"):
        return None
    elif kind == "how" and token.text in ("怎么", "咋") and _why(clause, at):
        return "why"
    return kind


def _why(clause: Sequence[Token], at: int) -> bool:
    """Whether 怎么 asks for a reason."""
    denied = any(t.negated or t.text in NEGATORS or t.text == "不见" for t in clause)
    return denied or any(t.text in _WHY for t in clause[at + 1 : at + 2])
