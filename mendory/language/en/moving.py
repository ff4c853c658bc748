"""Projects that were left for others, in English; employers and tools are claims."""

from __future__ import annotations

import re

from mendory.language.moving import PROJECT, MovedOn

_NAME = r"[A-Z][\w-]*(?: [A-Z][\w-]*)?"
_PROJECT = rf"(?:the )?(?:[Pp]roject )?(?P<{{}}>{_NAME})(?: project)?"
_OLD = _PROJECT.format("old")
_NEW = _PROJECT.format("new")
_SWITCHES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:switched|moved|transferred|reassigned|went) (?:back )?from {_OLD} (?:over |back )?to {_NEW}",
        rf"(?:stopped working on|no longer works? on|finished|left|wrapped up|dropped) {_OLD}\b.*?"
        rf"(?:works? on|working on|moved (?:on )?to|joined|started(?: on)?|switched to) {_NEW}",
        rf"(?:works?|working) on {_NEW} (?:now )?(?:instead of|rather than|and no longer on) (?:on )?{_OLD}",
    )
)
_USER = re.compile(r"^(?:the )?(?:user|i|we|our team|my team)\b", re.IGNORECASE)
_NOT_SO = re.compile(
    r"\?|\b(?:plans?|planning|might|may|considering|considers|if|would|wants?|thinking|hopes?|should|could|will"
    r"|going to|not|never|says?|said)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"\b[Pp]roject (?P<a>{_NAME})|\b[Tt]he (?P<b>{_NAME}) project\b")
_WORKS_ON = re.compile(rf"\b(?:works?|working) on (?:the )?(?P<name>{_NAME})\b")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def moved_on(text: str) -> tuple[MovedOn, ...]:
    """What the user has left for something else, where the text says that they are projects."""
    found = []
    for sentence in [text, *_SENTENCE.split(text)]:
        if _USER.search(sentence) is None or _NOT_SO.search(sentence.replace("no longer", "")) is not None:
            continue
        if "project" not in sentence.lower() and "work" not in sentence.lower():
            continue
        match = next((m for pattern in _SWITCHES if (m := pattern.search(sentence))), None)
        if match is not None:
            found.append(MovedOn(PROJECT, (match["old"],), (match["new"],)))
    return tuple(dict.fromkeys(found))


def belongs_to(text: str) -> tuple[tuple[str, str], ...]:
    """The projects that a text names as such, or somebody is said to work on."""
    named = [m["a"] or m["b"] for m in _NAMED.finditer(text)] + [m["name"] for m in _WORKS_ON.finditer(text)]
    return tuple((PROJECT, name) for name in dict.fromkeys(named))
