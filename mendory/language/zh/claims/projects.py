"""Which projects somebody works on, and has left for others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mendory.language.claim import Claim, Tense, Value
from mendory.language.folding import fold
from mendory.language.zh.claims.sayings import Saying
from mendory.language.zh.claims.values import fact, term

WORD: Final = "项目"
_GO = r"(?:切换|转换|换|迁移|转岗|转|调岗|调|改做|改|挪|派|分)"
_MOVED = re.compile(
    rf"(?:从\s?(?P<old>[^，,。从]{{1,14}}?)\s?(?:被|中)?{_GO}(?:到|成|为|去|至|入|回到?)?了?"
    rf"|(?:被)?(?:{_GO}(?:到|去|入|至|回)|改为负责|改成负责|转而负责|转做|改做|转去做|回到)了?)\s?(?P<new>[^，,。]{{1,14}}?)"
    r"(?:了|上|里|中|来|去|工作|组|团队)*$"
)
_LEFT = re.compile(
    r"(?:离开|退出|结束|完成|做完|放弃|(?:已经|已|现在)?不再(?:负责|做|参与|跟进|推进)|停止(?:负责|做|参与|推进)?)了?\s?"
    r"(?P<what>[^，,。]{1,14}?)(?:了|的?(?:工作|开发))?$"
)
_ON = re.compile(
    r"(?P<no>没有?|不|并不)?(?P<now>现在|目前|如今)?(?:正?在|主要|一直|还|都)*"
    r"(?:负责|做|参与|跟进|推进|主导|投入|加入|接手)了?\s?(?P<what>[^，,。]{1,14}?项目(?:\s?[A-Z][\w-]*)?)"
)
_CALLED = re.compile(
    rf"^(?:(?:公司|团队|我们|新|老)?的)?(?:{WORD}\s?(?P<behind>[A-Za-z][\w.+#-]*|[一-鿿]{{2,8}})"
    rf"|(?P<before>[A-Za-z][\w.+#-]*(?: [A-Z][\w.+#-]*)*|[一-鿿]{{2,8}}?)\s?{WORD}(?:组)?)$"
)
_BARE = re.compile(r"^(?:[A-Z][\w.+#-]*(?: [A-Z][\w.+#-]*)*|[一-鿿]{2,4})$")
_NO_NAME = re.compile(
    r"^(?:[一二两三四五几多各每这那某本该另]|新|老|旧|原|前|上|下|其[他它]|别的|别人|什么|哪|大|小型?$|主要|重点|核心|公司|个人|私人"
    r"|自己|开源|外包|内部|客户|公益|科研|创业|毕业|学校|现在|目前|以前|之前|之后|同一|不同|所有|任何|整个|很多|许多|有的|的)"
)
"""What begins like this says which sort of project, or which of several, and is no name of one."""
_WHEN = re.compile(
    r"(?:已经?|刚刚?|现在|目前|如今|最近|近期|正式|又|也|都|终于|后来|之后|[上这本]个?[周月年]|今年|去年|今天|昨天|年初|年底|[\d一二三四五六七八九十]+[年月日号])*"
)
"""What may stand before a move of somebody who is not named in its clause; anything else is what moves."""


def projects(said: Saying) -> Iterator[Claim]:
    """Claims of `works_on`: of what is called a project and named, or is left for one or taken for one that is."""
    if said.subject is None or WORD not in said.rest:
        return
    rest = said.rest
    if moved := _MOVED.search(rest):
        old, new = moved["old"] or "", moved["new"]
        head = rest[: moved.start()]
        mover = "把" not in head and "将" not in head and (said.own or bool(_WHEN.fullmatch(head)))
        moves = mover and WORD in old + new and said.tense is not Tense.PAST
        taken, left = (_name(new), _name(old)) if moves else (None, None)
        if taken and (left or not old):
            yield fact(said, "works_on", taken, sure=0.85, before=(left,) if left else (), ends=True)
        return
    if (over := _LEFT.search(rest)) and (value := _project(over["what"])):
        yield fact(said, "works_on", value, sure=0.8, denied=True, before=(value,), ends=True)
    elif (on := _ON.search(rest)) and (value := _project(on["what"])):
        yield fact(said, "works_on", value, sure=0.8, denied=bool(on["no"]), ends=bool(on["now"]))


def _project(text: str) -> Value | None:
    """The project that words call one by name: 猎鹰项目, 项目 Falcon; None of one without a name."""
    found = _CALLED.match(text.strip())
    if found is None:
        return None
    name = found["behind"] or found["before"]
    return None if _NO_NAME.match(name) else term(fold(name))


def _name(text: str) -> Value | None:
    """The same, or a name without the word, beside one that has it."""
    bare = text.strip()
    return _project(bare) or (term(fold(bare)) if _BARE.match(bare) and not _NO_NAME.match(bare) else None)
