"""Every word of the page, the form and the notices, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mendory.asking.move_words import MOVE
from mendory.report.words import LANGUAGES

WORDS: Final[Mapping[str, tuple[str, str]]] = {
    # the last answer
    "refused": (
        "**The last answer did not count, and nothing was changed by it: {why}** {next}",
        "**上次的答复未生效，也没有因它作任何改动：{why}** {next}",
    ),
    "both_times": ("{local} ({world})", "{local}，即 {world}"),
    "refused_by": ("(Given as {by} on {time}.)", "署名：{by}，时间：{time}。"),
    "why_wrong_plan": ("it names another plan.", "所写的计划代码不是本计划的。"),
    "next_wrong_plan": ("Type `{code}` as plan code.", "请在“计划代码”中填写 `{code}`。"),
    "why_anonymous": ("it names nobody.", "没有填写批准人。"),
    "next_anonymous": ("Give the name of an approver.", "请填写批准人姓名。"),
    "why_unknown_approver": ("that name may not answer here.", "该姓名无权在此答复。"),
    "next_unknown_approver": (
        "Give a name as it is listed under “Who may answer”.",
        "请按“谁可以答复”中所列写法填写姓名。",
    ),
    "why_no_groups": ("it approves in part and names no group.", "选择了部分批准，却没有选任何组。"),
    "next_no_groups": ("Pick the groups that may run.", "请选择可以执行的组。"),
    "why_unknown_group": ("it names a group that does not wait here.", "所选的组中有不在等待之列的。"),
    "next_unknown_group": ("Pick from the groups below.", "请从下面的组中选择。"),
    "why_nothing_waits": ("nothing of what it names waits any more.", "所选内容都已不再等待。"),
    "next_nothing_waits": ("See below what still waits.", "仍在等待的内容见下。"),
    "why_code_needed": (
        "groups of level 3 need an enrolled approver's one-time code.",
        "3 级的组需要已登记批准人的一次性验证码。",
    ),
    "next_code_needed": ("Give the code, or approve the other groups in part.", "请填写验证码，或只部分批准其他组。"),
    "why_code_wrong": ("the one-time code was not right.", "一次性验证码不正确。"),
    "next_code_wrong": (
        "Wait for the next code, type it and press the button within half a minute. "
        "Five wrong ones lock the name for an hour.",
        "请等下一个验证码出现，填写后在半分钟内提交。输错五次，该姓名将被锁定一小时。",
    ),
    "why_code_used": ("that one-time code was used before.", "该一次性验证码已被使用过。"),
    "next_code_used": ("Wait for the next code; each counts once.", "请等下一个验证码；每个只能用一次。"),
    "why_too_late": (
        "it was read more than ten minutes after it was given, too late for its code.",
        "答复提交十多分钟后才被读取，其验证码已失效。",
    ),
    "next_too_late": (
        "Answer again; if this repeats, see whether the worker runs.",
        "请重新答复；若反复出现，请检查 worker 是否在运行。",
    ),
    "why_locked": (
        "too many wrong codes were given for that name within an hour.",
        "该姓名在一小时内输错验证码次数过多。",
    ),
    "next_locked": (
        "Wait an hour, or let another enrolled approver answer. If it was not you, have the name enrolled anew.",
        "请等一小时，或由其他已登记的批准人答复。若并非本人所为，请重新登记该姓名。",
    ),
    "why_not_enrolled": ("it gives a code, and that name has none.", "填写了验证码，但该姓名没有登记。"),
    "next_not_enrolled": (
        "Leave the code empty, or let an enrolled approver answer.",
        "请将验证码留空，或由已登记的批准人答复。",
    ),
    "why_not_all": ("it approves all and picks only some groups.", "选择了全部批准，却只选了部分组。"),
    "next_not_all": (
        "Say `part` for the picked groups, or pick none for all.",
        "只批准所选的组请选 `part`；全部批准则不要选组。",
    ),
    "why_note_unfit": (
        "its note is too long, or holds what no note should.",
        "备注过长，或含有不应出现的内容。",
    ),
    "next_note_unfit": (
        "Write one plain line, without a code and without templates.",
        "请写一行普通文字，不要含验证码或模板。",
    ),
    "why_unknown_verdict": ("its decision is none of the four.", "所填决定不在四个选项之内。"),
    "next_unknown_verdict": ("Choose one that the form offers.", "请选择表单中的选项。"),
    "why_made_again": ("the plan was made again after that page was shown.", "该页面显示之后，计划已重新制定。"),
    "next_made_again": ("Read this page and answer again.", "请阅读本页后重新答复。"),
    "why_clock": ("the clocks of server and ledger disagree.", "服务器与台账的时钟不一致。"),
    "next_clock": ("Set the clocks right, then answer again.", "请先校准时钟，再重新答复。"),
    "why_plan_ended": ("the plan had ended.", "计划当时已经结束。"),
    "next_plan_ended": ("Read this page and answer again.", "请阅读本页后重新答复。"),
    "why_rows_changed": (
        "too many rows of the table have changed since the gate.",
        "关卡检查之后，表中改动的行太多。",
    ),
    "next_rows_changed": (
        "Let what waits be filled and the gate be examined again.",
        "请等待填充完成，再重新进行关卡检查。",
    ),
    "why_other": ("it could not be accepted ({name}).", "无法接受（{name}）。"),
    "next_other": ("Answer again, or on the command line.", "请重新答复，或在命令行中答复。"),
    # the worst case
    "wrong": ("If this is wrong", "万一修错了"),
    "worst": (
        "of the {total} in `{table}` **{rows} changed, {hides} of them out of recall, {rescoped}0 deleted**.",
        "`{table}` 的 {total}中**改动 {rows}，其中 {hides}不再被召回，{rescoped}删除 0 行**。",
    ),
    "worst_rescoped": ("{rows} under another scope, ", "{rows}归入另一个范围，"),
    "changes": ("What would change", "会改动什么"),
    "hidden": (
        "What is hidden by mistake is not recalled until it is rolled back.",
        "误隐藏的记忆在撤销之前不会被召回。",
    ),
    "rescoped": (
        "**{rows} come under another scope**: whoever reads that scope then sees them.",
        "**{rows}会归入另一个范围**：此后能读该范围的人都会看到。",
    ),
    "scopes": ("Scopes: {names}.", "涉及范围：{names}。"),
    "scope": ("{name} {rows}", "{name} {rows} 行"),
    "no_scope": ("(no scope)", "（无范围）"),
    "more_scopes": ("{n} more with {rows}", "另外 {n} 个共 {rows}"),
    "limits": ("Limits hold: {run} rows a run, {day} a day.", "限额仍然有效：每次 {run} 行，每天 {day} 行。"),
    "no_limits": ("No limits are configured.", "未配置限额。"),
    "held": (
        "Approved all at once, {steps} would not run: {why}. Approve in part, or raise the limit.",
        "如果一次全部批准，{steps}将不会执行：{why}。请部分批准，或调高限额。",
    ),
    # undo
    "undo": ("To undo it", "如何撤销"),
    "undo_short": ("{command}, within {days} days.", "{command}，{days} 天内有效。"),
    "undo_how": (
        "The undo is run in the folder of `mendory.toml`; rows that others changed since are skipped and listed.",
        "撤销命令在 `mendory.toml` 所在的文件夹中运行；其间被他人改动的行会跳过并列出。",
    ),
    # silence
    "silence": ("If nobody answers", "如果无人答复"),
    "expires": (
        "nothing of what waits runs; the plan expires on {time}, and the next check finds the problems again.",
        "等待批准的内容都不会执行；计划将于 {time}过期，问题会在下次检查时再次发现。",
    ),
    # what waits
    "groups": ("What waits", "等待批准的内容"),
    "group": ("Group", "组"),
    "what": ("Repair", "修复"),
    "rows": ("Rows (hidden)", "行（隐藏）"),
    "level": ("Level", "级别"),
    "others": ("and {n} more", "另有 {n} 组"),
    "why_waits": ("{groups}: {why}.", "{groups}：{why}。"),
    "why_runs": (
        "{groups}: {steps} may run already, and will at the next try.",
        "{groups}：{steps}已可执行，将在下次尝试时执行。",
    ),
    "not_shown": (
        "`approve` covers the {n} groups that are not listed too. They can't be picked here: "
        "`mendory show {code}` lists them, `mendory approve {code} --groups …` names them.",
        "`approve` 也包括未列出的 {n} 组。此处无法单独选择：`mendory show {code}` 可列出，"
        "`mendory approve {code} --groups …` 可指定。",
    ),
    "list": (", ", "、"),
    # evidence
    "evidence": ("Evidence", "依据"),
    "problem": ("Problem", "问题"),
    "findings": ("Findings", "数量"),
    "rows_only": ("Rows", "行"),
    "severity": ("Severity", "严重程度"),
    "example": ("{problem}, for example: {reason}.", "{problem}，例如：{reason}。"),
    "cause": (
        "Likely cause of {problem}: {cause}. {explains} of {all} sick rows share {attribute} {value}, "
        "{ratio} times as often as others. Prevent it: {prevention}.",
        "{problem}的可能根因：{cause}。{all} 个问题行中有 {explains} 个的{attribute}为 {value}，是其他行的 {ratio} 倍。"
        "预防：{prevention}。",
    ),
    "cause_shown": (
        "Likely cause of {problem}: {cause}. {explains} of {all} sick rows show it. To prevent it: {prevention}.",
        "{problem}的可能根因：{cause}。{all} 个问题行中有 {explains} 个可见。预防：{prevention}。",
    ),
    "no_cause": ("No cause stands out.", "没有突出的根因。"),
    "excerpts": ("How the first rows begin:", "前几行的开头："),
    "report": ("Case record", "病例记录"),
    # who and how
    "who": ("Who may answer", "谁可以答复"),
    "who_two": ("Up to level 2: {names}.", "2 级及以下：{names}。"),
    "who_three": (
        "Level 3 ({groups}): {names}, each with a one-time code.",
        "3 级（{groups}）：{names}，须填写各自的一次性验证码。",
    ),
    "three_by_command": (
        "Level 3 ({groups}) can't be approved here, since nobody is enrolled. On the command line: "
        "`mendory approve {code} --groups {command} --as NAME`, then `mendory apply {code}`. "
        "Approve the other groups with `part`. To enrol: `mendory approvers --enroll NAME --as WHO`.",
        "3 级（{groups}）无法在此批准，因为没有已登记的批准人。请在命令行中运行："
        "`mendory approve {code} --groups {command} --as NAME`，然后运行 `mendory apply {code}`。"
        "其他组请用 `part` 批准。登记批准人：`mendory approvers --enroll NAME --as WHO`。",
    ),
    "nobody": (
        "**Nobody may answer here yet.** Name people in `mendory.toml`, under `[approval]`: "
        '`approvers = ["NAME"]`, or enrol them: `mendory approvers --enroll NAME --as WHO`. Both count at the next '
        "answer. Or on the command line: `mendory approve {code} --as NAME`, then `mendory apply {code}`.",
        "**目前无人可以在此答复。** 请在 `mendory.toml` 的 `[approval]` 中写明："
        '`approvers = ["姓名"]`，或登记批准人：`mendory approvers --enroll NAME --as WHO`，下次答复即生效。'
        "也可在命令行中运行：`mendory approve {code} --as NAME`，然后运行 `mendory apply {code}`。",
    ),
    "how": ("How to answer", "如何答复"),
    "how_to_answer": (
        "Plan {code} waits for a person. To answer: Resume, at the top right or in the menu ⋮; the artifact "
        "asked-{code} says what is asked. On the command line: mendory show {code}, then mendory approve {code} "
        "--as NAME.",
        "计划 {code} 正在等待人工答复。答复方式：点击右上角的 Resume，或菜单 ⋮ 中的 Resume；"
        "所问内容见产物 asked-{code}。命令行：先 mendory show {code}，再 mendory approve {code} --as 姓名。",
    ),
    # fields: title and what to give
    "decision": ("Decision", "决定"),
    "decision_how": ("What becomes of what waits.", "如何处理等待的内容。"),
    "decision_approve": ("all that waits may run", "全部批准"),
    "decision_part": ("only the picked groups may run", "只批准所选的组"),
    "decision_reject": (
        "the picked groups, or all if none is picked, end, and are not proposed again until a row changes",
        "拒绝所选的组（未选则全部），在行变化之前不再提出",
    ),
    "decision_later": ("nothing changes, all of it waits on", "不作改动，继续等待"),
    # beside the field they must be short: in the older form each line of theirs takes one from the page
    "brief_approve": ("all that waits", "全部批准"),
    "brief_part": ("only the picked groups", "只批准所选的组"),
    "brief_reject": ("the picked groups, or all", "拒绝所选的组或全部"),
    "brief_later": ("wait on", "继续等待"),
    "choice": ("{name}: {how}", "{name}：{how}"),
    "choices": ("; ", "；"),
    "groups_field": ("Groups", "组"),
    "groups_how": (
        "For part, and for reject. With approve pick none.",
        "选 part 或 reject 时填写；选 approve 时请勿选组。",
    ),
    "approver": ("Approver", "批准人"),
    "approver_how": ("Your name, as it is listed.", "你的姓名，须与所列一致。"),
    "plan_code": ("Plan code", "计划代码"),
    "plan_code_how": ("Type {code}.", "填写 {code}。"),
    "one_time_code": ("One-time code", "一次性验证码"),
    "one_time_code_how": (
        "Only to approve level 3 ({groups}): the six digits on your telephone now.",
        "仅批准 3 级（{groups}）时需要：手机上当前的六位数字。",
    ),
    "note": ("Note", "备注"),
    "note_how": ("Why, for the record; one line, no memory text.", "记录原因；一行，请勿写入记忆原文。"),
    # one line, and notices
    "summary": (
        "{code} · {severity} · {rows}, {hides} out of recall · {groups} · {table}",
        "{code} · 严重程度{severity} · {rows}，{hides}不再被召回 · {groups} · {table}",
    ),
    "notice_title": ("Mendory: a plan waits for you", "Mendory：有计划等待批准"),
    "notice_worst": (
        "If all of it runs: {rows} changed, {hides} out of recall, 0 deleted.",
        "如果全部执行：改动 {rows}，其中 {hides}不再被召回，删除 0 行。",
    ),
    "notice_table": ("Table", "表"),
    "notice_plan": ("Plan", "计划"),
    "notice_groups": ("Groups", "组"),
    "notice_expires": ("Expires, and nothing runs", "过期时间（届时不执行）"),
    "notice_three": ("Level 3 is in it: a one-time code is needed.", "含 3 级内容：需要一次性验证码。"),
    "notice_command": (
        "Answer on the command line: mendory show {code}",
        "在命令行中答复：mendory show {code}",
    ),
    "notice_undo": ("Undo: {command}", "撤销：{command}"),
    "notice_open": ("Read and answer", "查看并答复"),
    "notice_report": ("Case record", "病例记录"),
    "finding_decision": ("What shall become of these rows; see below.", "如何处理这些行；见下文。"),
    "finding_code": ("Finding code", "问题代码"),
    "finding_refused": ("The answer before did not count: {why}", "上一次答复无效：{why}"),
    "finding_of": (
        "Waiting in all: {n}; this is the gravest, then the oldest.",
        "待处理共 {n} 个；此为最严重且最早的。",
    ),
    "finding_sides": ("Its rows", "涉及的行"),
    "finding_then": (
        "What changes rows is planned and asked about once more as a plan, with a one-time code: level 3.",
        "会改动行的回答将制成计划，并作为 3 级内容凭一次性验证码再次征求批准。",
    ),
    "notice_late_title": ("Mendory: findings wait for you", "Mendory：有问题久未处理"),
    "notice_late": (
        "{late} of {waiting} findings have waited for a person for more than {days} days",
        "{waiting} 个待处理问题中，{late} 个等待已超过 {days} 天",
    ),
    "notice_oldest": ("Oldest", "最久"),
    "notice_days": ("{days} days", "{days} 天"),
    "notice_answer": (
        "Answer on the command line: mendory review --as NAME",
        "在命令行中回答：mendory review --as NAME",
    ),
    **MOVE,
}
"""Key → (English, Chinese)."""


def word(key: str, lang: str, **values: object) -> str:
    """The words in the language, their `{placeholders}` filled in."""
    text = WORDS[key][LANGUAGES.index(lang)]
    return text.format(**values) if values else text


def known(key: str) -> bool:
    """True when there are words of that key."""
    return key in WORDS
