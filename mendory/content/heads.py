"""The thing that a fragment is about: the words with which it begins, as far as they name one thing.

"Oslo trip: in June", "Oslo trip with Mei" and "Oslo trip by train" say one thing together. A whole sentence is no
fragment: "Mei lives in Oslo" and "Mei likes tea" are two facts, and a summary of them would be none.
"""

from __future__ import annotations

import re
from typing import Final

MOST_CHARACTERS: Final = 60
_MOST_HAN: Final = 20
_MOST_WORDS: Final = 8
_HAN: Final = re.compile("[\u3400-\u9fff]")
_TOPIC: Final = re.compile(r"\s*([^:：,，\-–—]{2,30}?)\s*(?:[:：]|\s[-–—]\s)\s*(\S.*)", re.DOTALL)
_ZH_TOPIC: Final = re.compile(r"\s*([^:：,，\s\-–—]{2,12})(\s*[:：]\s*|\s*[-–—]+\s*|\s+)(\S.*)", re.DOTALL)
_SENTENCE: Final = re.compile(r"[.!?](?:\s|$)|[。！？;；\n]")
_DIGIT: Final = re.compile(r"\d")
_LABELS_WORDS: Final = """
    user users preference preferences fact facts note notes memory memories decision decisions config
    configuration todo task tasks info information name profile key summary lesson lessons rule rules goal goals
    reminder setting settings context topic type category value status event events update updates project
    assistant agent system general personal important request question answer feedback observation insight like
    likes dislike dislikes hobby hobbies interest interests habit habits favorite favourite log error result
    output input source date time
"""
_LABELS: Final = frozenset(_LABELS_WORDS.split())
_STOP_WORDS: Final = """
    a an the of in on at by for to from with without and or but not no is are was were be been has have had do
    does did will would can could should must may might i my me we our you your he she it its his her they their
    this that these those as if when where who what which how why because so than then there here up down out
    over under about into
"""
_STOP: Final = frozenset(_STOP_WORDS.split())
_JOINS_WORDS: Final = """
    with in on at by for from to until till before after during via near since around including
"""
_JOINS: Final = frozenset(_JOINS_WORDS.split())
_VERBS_WORDS: Final = """
    is are was were has have had will can must should went go goes came come met meet made make bought buy lost
    found took take got get saw see said say told gave give left leave kept felt spoke ran won wrote read sat
    stood slept flew drove ate works also never always often recently just still now
"""
_VERBS: Final = frozenset(_VERBS_WORDS.split())
_ZH_LABELS: Final = re.compile(
    "(?:用户|个人|我的?|偏好|喜好|爱好|习惯|信息|资料|备注|记录|决定|决策|配置|设置|事实|任务|待办|规则|目标|姓名|记忆|总结|提醒|项目|"
    "状态|问题|回答|反馈|其他|重要|注意|兴趣|事件|更新|日期|时间|地点|原因|结果|需求|要求|的)+"
)
# in the name of a thing; in what a space parts from it also what is part of many nouns
_ZH_NAMES_NOT: Final = re.compile("[是有叫爱住去来吃喝说买卖给让把被我你他她它们了]|喜欢|负责")
_ZH_SAYS: Final = re.compile("[是有叫爱住去来吃喝说买卖给让把被了用做要会想看听写养学教打在对不没别请]|喜欢|负责")


def head(text: str | None) -> str | None:
    """The thing that a short text without a verb of its own begins with, folded; None where it is none.

    >>> head("Oslo trip: in June"), head("Oslo trip with Mei"), head("奥斯陆之行：坐火车")
    ('oslo trip', 'oslo trip', '奥斯陆之行')
    >>> head("Mei likes tea"), head("User preference: tea"), head("张三住在杭州")
    (None, None, None)
    """
    if not text or not 4 <= len(text) <= MOST_CHARACTERS or _SENTENCE.search(text):
        return None
    return _chinese(text) if _HAN.search(text) else _latin(text)


def _latin(text: str) -> str | None:
    topic = _TOPIC.match(text)
    words = re.sub(r"[^\w\s'’.#/@-]", " ", text).casefold().split()
    if words and words[0] in ("a", "an", "the"):
        words = words[1:]
    if not 3 <= len(words) <= _MOST_WORDS or not _names(words[:2]):
        return None
    if topic is None and (_verb(words[1]) or words[2] not in _JOINS):
        return None
    if topic is not None and len(topic[1].split()) < 2:
        return None
    return " ".join(words[:2])


def _names(words: list[str]) -> bool:
    """Whether the words may name a thing: no function words, no numbers, not labels alone."""
    plain = all(len(word) > 1 and word not in _STOP and word.replace("-", "").isalpha() for word in words)
    return plain and not _LABELS.issuperset(words) and not _verb(words[0])


def _verb(word: str) -> bool:
    """Whether a word looks like a verb that makes a sentence; nouns in the plural do too."""
    return word in _VERBS or (len(word) > 3 and word.endswith(("s", "ed")) and not word.endswith("ss"))


def _chinese(text: str) -> str | None:
    """In a script without spaces only a colon, a dash or a space shows where the thing ends."""
    topic = _ZH_TOPIC.match(text)
    if topic is None or len(_HAN.findall(text)) > _MOST_HAN:
        return None
    named, parted, said = topic[1].casefold(), topic[2], topic[3]
    if not parted.strip() and (_ZH_SAYS.search(named + said) or len(said) < 2):
        return None
    plain = len(_HAN.findall(named)) >= 2 and not _ZH_NAMES_NOT.search(named) and not _DIGIT.search(named)
    return named if plain and not _ZH_LABELS.fullmatch(named) else None
