"""A Chinese text in clauses of words and values."""

from __future__ import annotations

import re

from mendory.language.zh.lexicon import KINDS, OPPOSITES, SAME, TURNED, words
from mendory.language.zh.people import SURNAMES, TITLES
from mendory.language.zh.scan import Piece
from mendory.language.zh.segment import segment
from mendory.language.zh.tokens import Token

_CLAUSE = re.compile(r"[，。；！？：,;!?:\n…~]+")
_LONG = 64
"""Words of a clause: rules look at all of one for each of its words, so this keeps the cost in step with the length."""


def clauses_of(pieces: list[Piece]) -> list[list[Token]]:
    """Words and values in order, in clauses that end at punctuation, or where they are too long to be one."""
    clauses: list[list[Token]] = [[]]
    for text, folded, named in pieces:
        if len(clauses[-1]) >= _LONG:
            clauses.append([])
        if folded is not None:
            clauses[-1].append(Token(text, folded, "m", value=True, named=named))
            continue
        for word, tag in segment(text):
            if _CLAUSE.fullmatch(word):
                if clauses[-1]:
                    clauses.append([])
                continue
            if len(clauses[-1]) >= _LONG:
                clauses.append([])
            if not word.isspace():
                _append(clauses[-1], word, tag)
    return clauses


_JOINED = KINDS.keys() | words("brands") | {word for word in OPPOSITES if word[0] not in "不没未无"}
"""Words that jieba does not know and parts."""
_GIVEN = frozenset(["nr", "nrt", "nrfg", "z", "zg", "j", "b", "i"])
"""What jieba makes of a given name that stands apart from its surname."""


def _append(clause: list[Token], word: str, tag: str) -> None:
    """Add a word; what belongs together joins: 张 经理, 刘 雅静, 小 李, 调 高."""
    before = clause[-1].text if clause else ""
    given = word in TITLES or (len(word) <= 2 and tag in _GIVEN)
    if (len(before) == 1 and before in SURNAMES and given) or (before in ("小", "老") and word in SURNAMES):
        clause.pop()
        word, tag = before + word, "nr"
    elif word[0] in SURNAMES and (word[1:] in TITLES or (tag == "i" and len(word) < 4)):
        tag = "nr"
    elif before in ("调", "开") and word in ("高", "低", "大", "小", "快", "慢", "亮", "暗"):
        clause.pop()
        word, tag = before + word, "v"
    elif before and before + word in _JOINED:
        clause.pop()
        word, tag = before + word, "n"
    elif before == "姓" and len(word) == 1:
        clause.pop()
        word, tag = before + word, "nr"
    elif word[0] == "姓" and len(word) == 2:
        tag = "nr"
    clause.append(Token(word, _folded(word), tag))


def _folded(word: str) -> str:
    """How a word is compared: in the form of its group, 降到 and 开着 as 降 and 开."""
    if word in TURNED:
        return word
    if word not in SAME and word[-1] in "到着了为" and (word[:-1] in SAME or word[:-1] in OPPOSITES):
        word = word[:-1]
    return SAME.get(word, word)
