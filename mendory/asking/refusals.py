"""Why an answer did not stand and what to do now, in the words of the page that asks again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from mendory.asking.answer import Refusal


def said(refusal: Refusal, lang: str, until: datetime | None = None) -> str:
    """The refusal in the language, `en` or `zh`; of somebody locked out, until when where that is known."""
    english, chinese = WHY[refusal]
    text = chinese if lang == "zh" else english
    if until is None:
        return text
    time = f"{until:%Y-%m-%d %H:%M} UTC"
    return f"{text}锁定至 {time}。" if lang == "zh" else f"{text} It is locked until {time}."


WHY: Final[Mapping[Refusal, tuple[str, str]]] = {
    Refusal.PLAN_ENDED: (
        "The plan had ended before the answer arrived. The next check finds again what is still wrong.",
        "答复到达时计划已经结束。仍存在的问题会在下次检查时再次提出。",
    ),
    Refusal.UNKNOWN_VERDICT: (
        "The decision was none of the four. Choose one.",
        "决定不在四个选项之内。请选择其中一个。",
    ),
    Refusal.WRONG_PLAN: (
        "The plan code was not this plan's. Copy it from the head of the page.",
        "计划代码与本计划不符。请照页首的代码填写。",
    ),
    Refusal.MADE_AGAIN: (
        "The plan was made anew after that page was shown. Answer on the new page.",
        "那个页面显示之后，计划已重新制定。请在新页面上答复。",
    ),
    Refusal.CLOCK: (
        "The clocks of server and ledger disagree. Set them right, then answer again.",
        "服务器与账本的时钟不一致。请校准时钟后再答复。",
    ),
    Refusal.ANONYMOUS: ("No name was given. Say who answers.", "没有填写姓名。请写明由谁答复。"),
    Refusal.UNKNOWN_APPROVER: (
        "That name may not answer. Write it exactly as in approval.approvers, or as it was enrolled.",
        "该姓名无权答复。请与 approval.approvers 或登记时的写法完全一致。",
    ),
    Refusal.NOTE_UNFIT: (
        "The note is longer than 500 characters, or holds a code, template marks or hidden characters. Write it anew.",
        "备注超过 500 个字符，或含有验证码、模板标记或隐藏字符。请重写。",
    ),
    Refusal.NOT_ENROLLED: (
        "A code was given, and that name has none. Leave it out, or enrol: mendory approvers --enroll NAME --as WHO.",
        "填写了验证码，但该姓名没有登记。请留空，或先登记：mendory approvers --enroll NAME --as WHO。",
    ),
    Refusal.TOO_LATE: (
        "The code was looked at more than ten minutes after it was given. Answer again with a fresh one.",
        "验证码在填写十多分钟之后才被核对。请用新的验证码再答复一次。",
    ),
    Refusal.LOCKED: (
        "Five codes of this approver were wrong within an hour. Wait, or use mendory approve on the command line.",
        "该批准人一小时内输错五次验证码。请等待，或在命令行使用 mendory approve。",
    ),
    Refusal.CODE_WRONG: (
        "The code was wrong. Give the one shown now; five wrong ones within an hour lock you out.",
        "验证码错误。请填写当前显示的验证码；一小时内输错五次将被锁定。",
    ),
    Refusal.CODE_USED: (
        "The code was used before. Wait for the next one, at most half a minute.",
        "该验证码已经用过。请等待下一个，最多半分钟。",
    ),
    Refusal.NO_GROUPS: (
        "An answer in part names its groups, and none was chosen. Choose some.",
        "部分批准需要选定分组，但一个也没有选。请选择分组。",
    ),
    Refusal.NOT_ALL: (
        "Approve means every group that waits, and only some were chosen. Say in part, or choose none.",
        "“批准”指全部等待中的分组，但只选了其中一些。请改为“部分批准”，或不选分组。",
    ),
    Refusal.UNKNOWN_GROUP: (
        "The plan has no such group. Choose from the list.",
        "计划中没有这个分组。请从列表中选择。",
    ),
    Refusal.NOTHING_WAITS: (
        "Nothing in these groups waits any more. Choose groups that do.",
        "这些分组中已没有等待的内容。请选择仍在等待的分组。",
    ),
    Refusal.CODE_NEEDED: (
        "Level 3 needs the one-time code of an enrolled approver. Give it, or approve the other groups in part.",
        "3 级步骤需要已登记批准人的一次性验证码。请填写，或只部分批准其他分组。",
    ),
}
"""Refusal → what the page says, in English and in Chinese: what was wrong, and what to do."""
