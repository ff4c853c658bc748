"""Texts that begin as an agent begins when it says what it remembers, and what it then says.

A capture step that stores such a text stores what was recalled a second time, and at the next recall a third.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mendory.text import exact_key

_SAYS: Final = r"(?:said|told me|mentioned|noted|stated|shared|explained|asked me to remember)"
_YOU_SAID: Final = rf"(?:you|the user) (?:(?:previously|earlier|already|once) )?{_SAYS}"
_WHEN: Final = "(?:before|earlier|previously|last time|in the past)"
_EN: Final = (
    # where it comes from
    "(?:from|based on|according to|per|in) (?:(?:my|our|the|your|stored|saved|previous|earlier|past|long[- ]term) )*"
    "(?:memor(?:y|ies)|notes?|records?|conversations?|chats?|history|context|sessions?|profile)",
    "(?:recalled|retrieved|remembered|relevant|stored|saved|known|related|injected) "
    "(?:memor(?:y|ies)|facts?|context|notes?|information)",
    "memory|memories|recall|reminder|note to self",
    # the agent remembers
    "i (?:remember|recall)|i['’]ve (?:noted|remembered)|as i (?:recall|remember)",
    "if i (?:recall|remember)(?: correctly)?|(?:what )?i know about (?:you|the user)",
    # somebody said it
    r"as (?:you|the user|we) (?:have )?(?:(?:previously|earlier|already|once) )?"
    rf"(?:{_SAYS}|discussed|talked about)(?: {_WHEN})?",
    rf"(?:you|the user) (?:previously|earlier|already|once) {_SAYS}(?: (?:that|{_WHEN}))?",
    rf"(?:you|the user) {_SAYS} (?:that|{_WHEN})(?: that)?",
    "(?:earlier|previously|last time|in (?:an?|our|the) (?:earlier|previous|past|last) (?:conversation|chat|session))"
    ",? "
    rf"{_YOU_SAID}"
    "(?: that)?",
)
_ZH_WHEN: Final = "(?:之前|先前|以前|上次|刚才|曾经|曾|此前|早前)"
_ZH_SAID: Final = "(?:[跟和对向]我)?(?:说|提到|提及|提|讲|告诉我|告诉|聊到)[过了]?"
_ZH: Final = (
    "(?:根据|依据|按照|基于|据|从)(?:我们?|你|您|用户)?的?(?:长期|历史|过往|以往|之前|先前|已有|已存|存储|保存)?的?"
    "(?:记忆|记录|笔记|对话|聊天记录|聊天|历史|资料|档案|画像|上下文)库?(?:中|里|来看|显示|可知|所述|，我知道)?",
    "(?:相关|检索到|召回|回忆|历史|已知|已存|找到)的?(?:记忆|信息|事实|记录)(?:内容)?|(?:记忆|回忆|记忆库)(?:内容|显示|中|里)?",
    "我还?(?:记得|记着|知道)|记得(?=[:：])",
    rf"(?:正如|就像|如|像)(?:你|您|用户|我们){_ZH_WHEN}?所?(?:说|提到|提及|讲|告诉我|聊到|讨论)[过的]?(?:的?那样)?",
    rf"(?:你|您|用户){_ZH_WHEN}{_ZH_SAID}|{_ZH_WHEN}(?:你|您|用户){_ZH_SAID}",
)
_WRAP: Final = r"[\[(（【「《<*_#\s]*"
_CLOSED: Final = r"[\])）】」》>*_]+\s*[:：,，\-–—]?"
_PREFIX: Final = re.compile(
    rf"{_WRAP}(?:(?:{'|'.join(_EN)})\s*(?:{_CLOSED}|[:：,，\-–—]|(?<=that)|\bthat\b)"
    rf"|(?:{'|'.join(_ZH)})\s*(?:{_CLOSED}|[:：,，\-–—]|(?<=[过了说到讲得着我]))"
    r"|</?(?:relevant|recalled)[-_]memor(?:y|ies)>)\s*",
    re.IGNORECASE,
)
# an echo may be recalled and captured again
_BEGINS: Final = re.compile(rf"(?:{_PREFIX.pattern}){{1,3}}", re.IGNORECASE)
_MAY_START: Final = frozenset(
    "[(（【「《<*_# \n\tfbapiryteluwmskn根依按基据从相检召回历已找记我如正就像你您用之先以上此FBAPIRYTELUWMSKN"
)
_OUTER: Final = re.compile(r"^[\s\"'“”‘’「」『』*_\-•]+|[\s\"'“”‘’「」『』*_]+$")
_MOST: Final = 2000
_HAVE: Final = {
    "are": ("am", "is"),
    "have": ("have", "has"),
    "were": ("was", "was"),
    "do": ("do", "does"),
    "don't": ("don't", "doesn't"),
    "aren't": ("am not", "isn't"),
    "haven't": ("haven't", "hasn't"),
}
_YOU: Final = re.compile(r"(you(?:'re|’re|'ve|’ve|r)?)\s+(?:([\w'’]+)\s+)?", re.IGNORECASE)
_ZH_YOU: Final = re.compile(r"(?:你|您)(的)?")


def originals(text: str) -> tuple[str, ...]:
    """Texts of which a recalled text may be the echo, most literal first; empty where it is not recalled.

    Behind the prefix the text is taken without quotes around it, with and without a full stop at its end, and where it
    speaks to "you", as the same about "I" and about "the user".

    >>> originals("From memory: likes tea")
    ('likes tea', 'likes tea.')
    >>> originals("From Oslo: rain"), originals("记忆棉枕头")
    ((), ())
    >>> "User prefers Vim" in originals("As you mentioned, you prefer Vim.")
    True
    """
    if text[:1] not in _MAY_START or len(text) > _MOST:
        return ()
    begins = _BEGINS.match(text)
    said = _OUTER.sub("", text[begins.end() :]) if begins else ""
    if not said:
        return ()
    stop = "。" if "\u4e00" <= said.rstrip("。.")[-1:] <= "\u9fff" else "."
    bare = said[:-1].rstrip() if said.endswith((".", "。")) else said
    spoken = (bare, *_about_others(bare))
    return tuple(dict.fromkeys(f"{one}{end}" for end in ("", stop) for one in spoken if one))


def is_echo(echo: str, original: str) -> bool:
    """Whether a text says behind words of recalling what another says, but for letter case, blanks and a full stop.

    >>> is_echo("As you mentioned, you prefer Vim", "User prefers Vim."), is_echo("Likes Vim", "Likes Vim")
    (True, False)
    """
    key = exact_key(original)
    return any(exact_key(one) == key for one in originals(echo))


def _about_others(said: str) -> Iterator[str]:
    """What is said to "you" as it is said of "I" and of the user."""
    chinese = _ZH_YOU.match(said)
    if chinese:
        rest, owned = said[chinese.end() :], chinese.group(1) or ""
        yield from (f"{who}{owned}{rest}" for who in ("我", "用户", "你", "您"))
        yield rest
        return
    found = _YOU.match(said)
    if not found:
        return
    you, verb, rest = found.group(1).casefold().replace("’", "'"), found.group(2) or "", said[found.end() :]
    if you == "your":
        yield from (f"{who} {verb} {rest}" for who in ("my", "user's", "the user's"))
        return
    if you in ("you're", "you've"):
        verb, rest = ("are" if you == "you're" else "have"), f"{verb} {rest}".strip()
    first, third = _HAVE.get(verb.casefold(), (verb, _third(verb)))
    yield f"I {first} {rest}"
    yield from (f"{who} {third} {rest}" for who in ("User", "The user"))
    yield f"{third} {rest}"


def _third(verb: str) -> str:
    """The verb as it stands behind "the user"."""
    if re.search(r"(?:s|x|z|ch|sh|o)$", verb):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else f"{verb}s"
