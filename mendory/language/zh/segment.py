"""Words of a Chinese text with their parts of speech.

By rjieba: jieba's dictionary and model in Rust, two microseconds a sentence, wheels of 4 MB with no dependency.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import rjieba

from mendory.language.zh.lexicon import KINDS, OPPOSITES, SAME, groups, words

NEGATORS = {word: group[0] for group in groups("negators") for word in group}
"""Words that turn round what follows, with the first of their sense."""

_WHOLE = words("whole")
_TAGS = {"过敏": "v", "戒": "v", "用": "v", "戒了": "v", "不了": "v", "通过": "v"}
"""Tags that jieba has wrong, or that depend on what stands beside: 用 is a preposition to it."""
_ASKED = re.compile("(能不能|会不会|可不可以|要不要|是不是|有没有|好不好|行不行|该不该|想不想|对不对|愿不愿意)")
_SOMEBODY = re.compile(
    f"((?<=[由和跟给被让叫找问对向替帮与、])[小老阿][{''.join(words('surnames'))}](?![一-鿿]?[学年时说]))"
)
_PAIRS = {modal + verb for modal in "能可会想要" for verb in "用吃喝看买做开还借收付去玩热凉冰辣甜咸淡"}
_PAIRS |= {who + verb for who in "我你他她" for verb in "会要能想是有爱在不没用吃喝住叫养"}
_ADVERBS = frozenset("特真就也都还更太很才又")
_BEHIND = frozenset("和与跟在是说对把被给也都")
_DEGREES = frozenset("太挺很真更超特最")
_JOINING = words("joining")
_HEADS = ("从来不", "从来没", "从不", "从没", "绝不", "决不", "没有", "不", "没", "别", "未", "无", "非")


def segment(text: str) -> list[tuple[str, str]]:
    """The words with their parts of speech (jieba's tags), a negation at the head of a word as a word of its own.

    >>> segment("不太喜欢无糖可乐")
    [('不', 'd'), ('太', 'd'), ('喜欢', 'v'), ('无', 'd'), ('糖', 'n'), ('可乐', 'a')]
    """
    parts: list[tuple[str, str]] = []
    for word, tag in _tagged(text):
        tag = _TAGS.get(word, tag)
        word, tag, rest = _whole(word, tag)
        head = _head(word)
        if head:
            parts += [(head, "d"), (word[len(head) :], "d" if tag == "d" else "v" if tag in "vdf" else tag[:1])]
        else:
            parts.append((word, tag))
        parts += rest
    return parts


def _whole(word: str, tag: str) -> tuple[str, str, list[tuple[str, str]]]:
    """A word that begins with one that only looks denied, that one, and what is left: 非常适合."""
    if len(word) > 2 and word[:2] in _WHOLE and word not in _WHOLE:
        return word[:2], "d", rjieba.tag(word[2:], True)
    return word, tag, []


def _tagged(text: str) -> Iterator[tuple[str, str]]:
    """The words as jieba has them; 能不能 and the like are words before it sees them: 火车上能不能."""
    for part in _ASKED.split(text):
        if _ASKED.fullmatch(part):
            yield part, "v"
        elif len(named := _SOMEBODY.split(part)) > 1:  # 由小陈负责
            for at, piece in enumerate(named):
                yield from ((piece, "nr"),) if at % 2 else _tagged(piece)
        elif part:
            for word, tag in rjieba.tag(part, True):
                yield from _parted(word, tag)


def _parted(word: str, tag: str) -> Iterator[tuple[str, str]]:
    """A word in its parts where jieba joins two: 喝咖啡, 他会, 太难受, 高中毕业, 开会时, 张伟和."""
    first, rest = word[0], word[1:]
    if word in _PAIRS:
        yield first, "r" if first in "我你他她" else "v"
        yield rest, "v"
    elif word == "可不是":  # to jieba one word, as in 可不是嘛; but 可不是个博士 denies
        yield from (("可", "d"), ("不", "d"), ("是", "v"))
    elif tag[:2] == "nr" and len(word) == 3 and rest[-1] in _BEHIND:  # 张伟 和
        yield word[:2], tag
        yield rest[-1], "p"
    elif word in OPPOSITES or word in SAME:
        yield word, tag
    elif first in _JOINING and rest in KINDS:
        yield first, "v"
        yield rest, "n"
    elif first in _JOINING and rest and (len(rest) > 1 and tag[0] in "nl" and rjieba.has_word(rest)):
        yield first, "v"
        yield from rjieba.tag(rest, True)
    elif len(word) == 2 and first in _ADVERBS and rest in ("不", "没"):
        yield first, "d"
        yield rest, "d"
    elif first in _DEGREES and (rest in OPPOSITES or (len(rest) > 1 and rjieba.has_word(rest))):
        yield first, "d"
        yield from ((rest, "a"),) if len(rest) == 1 else rjieba.tag(rest, True)
    elif len(word) == 4 and word[:2] in KINDS and rjieba.has_word(word[2:]):  # 高中 毕业
        yield word[:2], "n"
        yield from rjieba.tag(word[2:], True)
    elif len(word) > 2 and word[-1] == "时" and rjieba.has_word(word[:-1]):
        yield from (*rjieba.tag(word[:-1], True), ("时", "n"))
    else:
        yield word, tag


def _head(word: str) -> str:
    """The negation a word begins with, "" where it has none or is one."""
    if word[0] not in "不没别未无非从绝决" or word in _WHOLE or word in NEGATORS:
        return ""
    return next((head for head in _HEADS if word.startswith(head) and len(word) > len(head)), "")
