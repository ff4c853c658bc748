"""What a text asks for: two questions with other question words are not the same question."""

from __future__ import annotations

from collections.abc import Sequence

from mendory.language.zh.lexicon import named
from mendory.language.zh.token import Token

_ASKS = {word: kind for kind, members in named("asks") for word in members.split()}


def asks(clauses: Sequence[Sequence[Token]]) -> frozenset[str]:
    """What the clauses ask for: how, why, when, how long, where, who, how many, which, what, whether; none: nothing.

    怎么 before a negation asks why (怎么不能用). "whether" stands only where nothing else is asked.
    """
    found: set[str] = set()
    for clause in clauses:
        for at, token in enumerate(clause):
            kind = _ASKS.get(token.text)
            if kind is None:
                continue
            if kind == "how" and token.text in ("怎么", "咋") and any(t.negated for t in clause[at + 1 :]):
                kind = "why"
            if token.text != "原因" and token.text != "没":
                token.silent = True
            if token.text != "没":
                found.add(kind)
        if any(token.asking for token in clause):
            found.add("whether")
    return frozenset(found - {"whether"} or found)
