"""How scopes are named: what tells two spellings of one name, and whose name is in it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from mendory.language.writing import simplified

_JOINS: Final = re.compile(r"[/:|#\\]+")
"""What joins the parts of a scope: tenant and user, sort and name."""
_INSIDE: Final = re.compile(r"[\s_.\-‐-―·~+]+")
"""What separates words inside a part."""
_BETWEEN: Final = re.compile(f"(?:{_JOINS.pattern}|{_INSIDE.pattern})")
_ROLES: Final = frozenset(
    {"user", "users", "u", "uid", "userid", "usr", "id", "account", "acct", "member", "owner", "person", "human"}
    | {"用户", "账号", "账户", "会员", "成员"}
    | {"session", "sess", "chat", "conversation", "conv", "thread", "run", "会话", "对话"}
)
"""Words that say what sort of scope it is, not whose."""
SORTS: Final = _ROLES | {"agent", "bot", "assistant", "scope", "助手", "机器人"}
"""Them, and those of scopes that are no person's."""
_VARIANTS: Final = frozenset(
    {"old", "new", "bak", "backup", "copy", "tmp", "temp", "test", "legacy", "v1", "v2", "v3"}
    | {"旧", "新", "备份", "副本", "临时", "测试"}
)
"""Words that say which make of one scope it is."""
_SESSION: Final = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[0-9a-f]*\d)[0-9a-f]{8,}|\d{6,}|\d{4}-?\d\d-?\d\d"
)
"""What nobody names a person or project: hexadecimal digits in a row, times, dates."""
_GROUPS: Final = frozenset(
    {"team", "group", "project", "shared", "public", "common", "global", "org", "company", "department", "all"}
    | {"团队", "小组", "项目", "共享", "公共", "全局", "公司", "部门", "全体", "大家"}
)
"""Words of scopes that are several people's on purpose."""


def plain(scope: str) -> str:
    r"""The scope in one width, one letter case, simplified characters, without what nobody sees.

    >>> plain("Ａgent:Main\u200b"), plain("張三")
    ('agent:main', '张三')
    """
    if scope.isascii() and scope.isprintable():
        return scope.casefold().strip()
    folded = unicodedata.normalize("NFKC", scope).casefold()
    if not folded.isascii():
        folded = unicodedata.normalize("NFKC", simplified(folded))
    return "".join(c for c in folded if c.isspace() or unicodedata.category(c) not in ("Cc", "Cf")).strip()


@dataclass(frozen=True, slots=True)
class Form:
    """A scope's name taken apart: `words` in order, and after how many of them a part ends, `joints`.

    `spelling` is equal for names that differ in case, width, separators and spaces alone. In it words of one part run
    together, but two numbers: "user-1" is "user1", "user12" is not "user1-2".
    """

    words: tuple[str, ...]
    joints: tuple[int, ...]
    spelling: str

    @property
    def parts(self) -> tuple[str, ...]:
        """The spelling of each part."""
        return tuple(self.spelling.split("/"))


@lru_cache(maxsize=1 << 17)
def form(scope: str) -> Form:
    """The scope's name taken apart.

    >>> form("/crew/ann_lee/").words, form("/crew/ann_lee/").joints, form("/crew/ann_lee/").spelling
    (('crew', 'ann', 'lee'), (1,), 'crew/annlee')
    """
    words: list[str] = []
    joints: list[int] = []
    for part in _JOINS.split(plain(scope)):
        held = [word for word in _INSIDE.split(part) if word]
        if held and words:
            joints.append(len(words))
        words += held
    ends = (*joints, len(words))
    parts = (_run_together(words[start:end]) for start, end in zip((0, *joints), ends, strict=True))
    return Form(tuple(words), tuple(joints), unicodedata.normalize("NFC", "/".join(parts)))


def _run_together(words: Sequence[str]) -> str:
    if len(words) == 1:
        return words[0]
    made = ""
    for word in words:
        between = "-" if made and made[-1].isdigit() and word[0].isdigit() else ""
        made += between + word
    return made


@lru_cache(maxsize=1 << 16)
def own_names(scope: str) -> frozenset[str]:
    """The spellings by which a scope says whose it is: its whole name and each of its parts, escapes read.

    >>> sorted(own_names("user:Ann")), "ann/lee" in own_names("acme/ann%2Flee")
    (['ann', 'user', 'user/ann'], True)
    """
    found = {form(scope).spelling, *(form(unquote(part)).spelling for part in _JOINS.split(plain(scope)))}
    return frozenset(name for name in found if name)


@lru_cache(maxsize=1 << 14)
def bare(scope: str) -> str:
    """The spelling of whose scope it is, without its sort, its make, its session and its domain; empty for no more.

    >>> bare("user:ann-2"), bare("ann@example.org"), bare("Ann_old"), bare("sess-8f3a2b1c"), bare("acme/ann")
    ('ann', 'ann', 'ann', '', 'acme/ann')
    """
    kept: list[str] = []
    for part in _JOINS.split(plain(scope)):
        name = part.partition("@")[0] if not part.startswith("@") else part[1:]
        name = _SESSION.sub(" ", name)
        words = [word for word in _INSIDE.split(name) if word]
        words = [word for word in words if word not in _VARIANTS]
        while len(words) > 1 and words[0] in _ROLES:
            words = words[1:]
        if len(words) > 1 and words[-1].isdigit() and len(words[-1]) < 3 and not words[-2].isdigit():
            words = words[:-1]
        kept.append(_run_together(words))
    named = [part for part in kept if part]
    while named and named[0] in _ROLES:
        named = named[1:]
    return "/".join(named)


def is_group(scope: str) -> bool:
    """Whether its name says that it is several people's on purpose: a team, a project, what is shared.

    >>> is_group("team-a"), is_group("项目组"), is_group("ann")
    (True, True, False)
    """
    words = form(scope).words
    return any(word in _GROUPS or (not word.isascii() and any(g in word for g in _GROUPS)) for word in words)


def is_session(scope: str) -> bool:
    """Whether it is named after a conversation or a time: a part of hexadecimal digits, a date, a time stamp.

    >>> is_session("sess-8f3a2b1c"), is_session("chat/2026-01-31"), is_session("falcon")
    (True, True, False)
    """
    return _SESSION.search(plain(scope)) is not None


def differences(scopes: Iterable[str]) -> tuple[str, ...]:
    """In what names of one spelling differ: "width", "characters", "case", "outer", "separators".

    >>> differences(["Agent:main", "agent-main/"])
    ('case', 'outer', 'separators')
    """
    held = sorted(set(scopes))
    return tuple(name for name, sign in _SIGNS if len({sign(one) for one in held}) > 1)


def _wide(scope: str) -> str:
    return (
        ""
        if scope.isascii()
        else "".join(c for c in scope if not c.isascii() and unicodedata.normalize("NFKC", c) != c)
    )


def _traditional(scope: str) -> str:
    return "" if scope.isascii() else "".join(c for c in scope if not c.isascii() and simplified(c) != c)


def _letters(scope: str) -> str:
    plainly = scope if scope.isascii() else simplified(unicodedata.normalize("NFKC", scope))
    return "".join(c for c in plainly if c.isalnum())


def _stripped(scope: str) -> tuple[str, str, str]:
    """What stands before its first word, the rest, and what stands behind its last."""
    shown = unicodedata.normalize("NFKC", scope)
    begun = _OUTER.sub("", shown)
    before, kept = shown[: len(shown) - len(begun)], _OUTER_END.sub("", begun)
    return before, kept, begun[len(kept) :]


def _outer(scope: str) -> tuple[str, str]:
    before, _, behind = _stripped(scope)
    return before, behind


def _separators(scope: str) -> tuple[tuple[int, str], ...]:
    kept = _stripped(scope)[1]
    found = [(m.start(), m.group()) for m in _BETWEEN.finditer(kept)]
    gone, placed = 0, []
    for start, text in found:
        placed.append((start - gone, text))
        gone += len(text)
    return tuple(placed)


_OUTER: Final = re.compile(f"^{_BETWEEN.pattern}+")
_OUTER_END: Final = re.compile(f"{_BETWEEN.pattern}+$")
_SIGNS: Final[tuple[tuple[str, Callable[[str], object]], ...]] = (
    ("width", _wide),
    ("characters", _traditional),
    ("case", _letters),
    ("outer", _outer),
    ("separators", _separators),
)
