"""Projects, employers and tools in Chinese: to which a text belongs, and which were left for others."""

from __future__ import annotations

import re
from typing import Final

from mendory.language.moving import EMPLOYER, PROJECT, TOOL, MovedOn
from mendory.language.writing import halfwidth, simplified

_LATIN = r"[A-Za-z][\w.+#-]*(?: [A-Z][\w.+#-]*)*"
_NAME = rf"(?:{_LATIN}|[\u4e00-\u9fff]{{2,8}}?)"
_AS = r"(?:\s*项目|\s*公司|\s*集团)?"


def _named(group: str) -> str:
    return rf"\s*(?:项目\s*)?(?P<{group}>{_NAME}{_AS})\s*"


_END = r"(?=$|[,。;!?了上来去工项的写做,]|之后|以后)"
_SWITCHES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"从{_named('old')}(?:切换|转换|换|迁移|转|改用|改|跳槽|转岗|调|调岗)(?:到|成|为|去|至|用|回到?)了?{_named('new')}{_END}",
        rf"(?:不再|停止|放弃|已?弃用|不)(?:使用|用|做|负责|参与)?{_named('old')}[,。;]?\s*(?:现在|已经?|而是)?"
        rf"(?:改用|改为|换成|转用|改成|转做|改做|转到|使用|负责)了?{_named('new')}{_END}",
        rf"(?:把|将){_named('old')}(?:换成|改成|替换为|改为)了?{_named('new')}{_END}",
        rf"(?:从{_named('old')})(?:离职|辞职|离开)[,。;]?(?:后|之后|了)?[,。;]?\s*(?:现在|目前|并|已)?"
        rf"(?:加入|入职|去|在|就职于)了?{_named('new')}{_END}",
    )
)
_JOINED: Final = re.compile(rf"(?:刚|已|新)(?:加入|入职)了?{_named('new')}{_END}")
_WORK: Final = re.compile(r"公司|集团|跳槽|离职|辞职|入职|就职|上班|任职|工作")
_BACK: Final = re.compile(rf"(?:回到|重新使用|重新启用|换回|切回|转回|改回)了?{_named('new')}{_END}")
_OTHER: Final = re.compile(
    r"^(?:他|她|它|妈|爸|老婆|老公|同事|朋友|我(?:妈|爸|老婆|老公|同事|朋友|哥|姐|弟|妹)|[小老阿][\u4e00-\u9fff])"
)
_NOT_SO: Final = re.compile(r"[?]|打算|计划|想要?|考虑|如果|要是|可能|准备|建议|也许|将来|希望|是否|没有?|吗")
_WORKS_AT: Final = re.compile(rf"(?<![不现正])在(?!在)\s*(?P<name>{_NAME})\s*(?:工作|上班|任职|实习|就职)")
_WORKS_ON: Final = re.compile(
    rf"(?P<a>{_LATIN})\s*项目|项目\s*(?P<b>{_LATIN})|(?<=[负责做跟进参与「《“])(?P<c>[\u4e00-\u9fff]{{2,6}})项目"
)
_WORKS_WITH: Final = re.compile(
    rf"(?:(?<![不再])使用|(?<![不再使])用)\s*(?P<name>{_LATIN})\s*(?:写|做|管理|编辑|开发|画|记|办公|编程|$|[,。])"
)


def moved_on(text: str) -> tuple[MovedOn, ...]:
    """What the user has left for something else: a project, an employer or a tool, as the words around it say."""
    plain = simplified(halfwidth(text)).strip()
    if _OTHER.search(plain) is not None or _NOT_SO.search(plain) is not None:
        return ()
    match = next((m for pattern in _SWITCHES if (m := pattern.search(plain))), None)
    if match is not None:
        return (MovedOn(_what(plain), (match["old"].strip(),), (match["new"].strip(),)),)
    if (back := _BACK.search(plain)) is not None:
        return (MovedOn(_what(plain), (), (back["new"].strip(),)),)
    joined = _JOINED.search(plain)
    return (MovedOn(EMPLOYER, (), (joined["new"].strip(),)),) if joined and "项目" not in joined["new"] else ()


def _what(text: str) -> str:
    if "项目" in text:
        return PROJECT
    return EMPLOYER if _WORK.search(text) else TOOL


def belongs_to(text: str) -> tuple[tuple[str, str], ...]:
    """The projects, the employer and the tools that a text is about."""
    plain = simplified(halfwidth(text))
    found = [(EMPLOYER, m["name"]) for m in _WORKS_AT.finditer(plain)] if not _NOT_SO.search(plain) else []
    found += [(PROJECT, m["a"] or m["b"] or m["c"]) for m in _WORKS_ON.finditer(plain)]
    found += [(TOOL, m["name"]) for m in _WORKS_WITH.finditer(plain)]
    return tuple(dict.fromkeys((what, name.strip()) for what, name in found))
