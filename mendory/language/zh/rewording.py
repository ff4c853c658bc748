"""A Chinese text in pieces and in other words."""

from __future__ import annotations

import re
from typing import Final

from mendory.language.zh.lexicon import groups
from mendory.language.zh.segment import NEGATORS, segment

_MARKS: Final = re.compile(r"[\s，。；！？：、,.;!?:…~]+")
_FRAMES: Final = ("{}吗？", "还记得是不是{}？", "关于{}，对吗？")
_CHANGED: Final = {"我": "用户", "我们": "大家", "咱们": "我们", "和": "跟", "与": "跟", "但": "不过", "但是": "不过"}
_CHANGED_TOO: Final = {"因为": "由于", "如果": "要是", "非常": "十分", "一直": "向来", "的": "", "了": "", "也": ""}
_OTHER: Final = {
    **{
        word: other
        for group in groups("same")
        for word in group
        if len(word) > 1
        for other in [one for one in group if word not in one and one not in word][:1]
    },
    **_CHANGED,
    **_CHANGED_TOO,
}
"""A word of the same meaning. Words of one character mean too much: 下 is 下载 in one text alone."""


def pieces(text: str) -> tuple[str, ...]:
    """The words, each with the marks behind it.

    >>> pieces("早上喝绿茶，不喝咖啡")
    ('早上', '喝', '绿茶，', '不', '喝', '咖啡')
    """
    found: list[str] = []
    for word, _ in segment(text.strip()):
        if found and _MARKS.fullmatch(word):
            found[-1] += word
        else:
            found.append(word)
    return tuple(found)


def rewordings(text: str) -> tuple[str, ...]:
    """The text as questions with other words of its meanings; what a negation stands before stays as it is.

    >>> rewordings("我早上去公司。")[0]
    '用户早晨去企业吗？'
    """
    words = [word for word, _ in segment(_stripped(text))]
    denied = [False, *(word in NEGATORS for word in words)]
    said = "".join(word if no else _OTHER.get(word, word) for word, no in zip(words, denied, strict=False))
    return tuple(frame.format(said) for frame in _FRAMES)


def _stripped(text: str) -> str:
    return text.strip().rstrip("。！？；.!?;")
