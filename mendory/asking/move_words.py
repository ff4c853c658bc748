"""The words of page and notices about a move to another model, in English and Chinese; `words` holds all others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MOVE: Final[Mapping[str, tuple[str, str]]] = {
    # the notice of an alarm
    "notice_alarm_title": ("Mendory: the new space raised an alarm", "Mendory：新空间报警"),
    "notice_move": ("Move", "迁移"),
    "notice_since": ("Since", "始于"),
    "notice_seen": (
        "{found} of {queries} queries find their memory, {at_gate} did at the gate; {agreed} of {embedded} rows embed "
        "to the vector they hold.",
        "{queries} 个查询中 {found} 找到了自己的记忆，闸门检验时为 {at_gate}；{embedded} 行中有 {agreed} 行重新嵌入后与"
        "所存向量一致。",
    ),
    "notice_look": ("See it: mendory migrate status", "查看：mendory migrate status"),
    # why an answer did not count, where the move says it otherwise than a plan
    "move_why_wrong_plan": ("it names another gate.", "所写的关卡代码不是本次的。"),
    "move_next_wrong_plan": ("Type `{code}` as gate code.", "请在“关卡代码”中填写 `{code}`。"),
    "move_why_made_again": (
        "the gate was examined again after that page was shown.",
        "该页面显示之后，关卡已重新检查。",
    ),
    "move_why_plan_ended": ("the move waited for no word any more.", "迁移当时已不再等待批准。"),
    "move_why_unknown_group": ("it names groups, and a move has none.", "选择了组，而迁移没有组。"),
    "move_next_unknown_group": ("Answer for the whole move.", "请对整个迁移作答。"),
    "move_why_code_needed": (
        "a move needs an enrolled approver's one-time code.",
        "批准迁移需要已登记批准人的一次性验证码。",
    ),
    "move_next_code_needed": ("Give the code.", "请填写验证码。"),
    # what must be read first
    "move_wrong": ("If this is wrong", "万一选错了"),
    "move_worst": (
        "recalls of `{table}` find less until it is taken back: {shares} of them at first, then all. "
        "**0 memories changed, 0 deleted.**",
        "在撤回之前，`{table}` 的召回质量会变差：先是 {shares} 的召回，随后是全部。**改动 0 条记忆，删除 0 条。**",
    ),
    "move_undo": ("To go back", "如何撤回"),
    "move_undo_how": (
        "`mendory migrate rollback --as NAME`, within a second, at any time until the old space is retired; "
        "no row written since is lost.",
        "`mendory migrate rollback --as NAME`，一秒内生效；旧空间退役之前随时可用；其间写入的行不会丢失。",
    ),
    "move_silence": ("If nobody answers", "如果无人答复"),
    "move_nobody": (
        "nothing changes: recalls go on with {old}, and our writes keep both vectors. Once more than {share} of the "
        "rows have changed, this gate counts no more and is examined again.",
        "什么也不会改变：召回继续使用 {old}，写入仍保留两套向量。一旦改动的行超过 {share}，"
        "本次关卡即失效，需重新检查。",
    ),
    "move_aborted": (
        "**The canary began and ended by itself: {why}.** Recalls go to the old model.",
        "**灰度已开始，又自行中止：{why}。** 召回已回到旧模型。",
    ),
    "move_void": (
        "**No approval counts now: {why}.** Examine the gate again.",
        "**现在批准无效：{why}。** 请重新检查关卡。",
    ),
    # what would happen
    "move_what": ("What would happen", "将会发生什么"),
    "move_models": (
        "Recalls move from {old} ({old_size}-d) to {new} ({new_size}-d), over {rows}.",
        "召回从 {old}（{old_size} 维）改为 {new}（{new_size} 维），共 {rows}。",
    ),
    "move_canary": (
        "First a canary: {shares} of recalls, each share for {recalls} recalls at least. It ends by itself when it is "
        "half as slow again, or finds its own memories less often.",
        "先灰度：{shares} 的召回，每档至少 {recalls} 次。若耗时增加过半，或找回自身记忆的比例下降，会自行中止。",
    ),
    "move_soak": (
        "Then the switch, and {days} days in which both columns are kept and written.",
        "随后切换，{days} 天内两列都保留并同时写入。",
    ),
    "move_purge": (
        "The old vectors stay after that too: purging them is asked about by itself.",
        "之后旧向量仍会保留：清除它们须另行批准。",
    ),
    "move_since": (
        "Since the gate {changed} of {rows} changed ({share}); an approval counts up to {most}.",
        "关卡检查之后，{rows}中有 {changed} 行改动（{share}）；不超过 {most} 时批准有效。",
    ),
    "move_disk": (
        "The second column takes {new} MB on disk, beside {old} MB of the old one.",
        "第二列占用磁盘 {new} MB，旧列占用 {old} MB。",
    ),
    "move_cost": (
        "Filling it cost {filling}; a thousand queries cost {queries}.",
        "填充费用：{filling}；每千次查询：{queries}。",
    ),
    "move_free": ("nothing but time", "仅耗时间"),
    # the gate
    "move_gate": ("The gate", "关卡检查"),
    "move_left_out": (
        "No query was made of {n} memories: {why}.",
        "{n} 条记忆未生成查询：{why}。",
    ),
    "move_slices": ("Languages and scopes", "各语言与范围"),
    "move_slice": ("Of which", "部分"),
    "move_found": ("nDCG@10", "nDCG@10（排序质量）"),
    "move_change": ("Change, at most", "变化，至多"),
    "move_queries": ("Queries", "查询数"),
    "move_vetoes": ("vetoes", "否决"),
    "move_more_slices": ("{n} more, none of which vetoes.", "另有 {n} 个，均无否决。"),
    "move_worst_queries": ("The queries that lose most", "变差最多的查询"),
    "move_none_lost": ("No query finds less.", "没有查询变差。"),
    "move_right": ("Right answer", "应得"),
    "move_old_first": ("Old found first", "旧空间首条"),
    "move_new_first": ("New found first", "新空间首条"),
    "move_side_by_side": (
        "How they begin (✓ is a right answer):",
        "各自的开头（✓ 为应得的答案）：",
    ),
    "move_only_ids": (
        "Texts stay out of the server. On the machine of the table: `mendory migrate status --texts` shows them.",
        "记忆原文不进入服务器。请在表所在的机器上用 `mendory migrate status --texts` 查看。",
    ),
    # who and how
    "move_who": (
        "Level 3, to approve: {names}, each with a one-time code. To reject: {all}.",
        "批准为 3 级：{names}，须填写各自的一次性验证码。拒绝：{all}。",
    ),
    "move_by_command": (
        "Nobody is enrolled, so the move can't be approved here. On the command line: "
        "`mendory migrate approve {code} --as NAME`. To enrol: `mendory approvers --enroll NAME --as WHO`.",
        "没有已登记的批准人，因此无法在此批准。请在命令行中运行："
        "`mendory migrate approve {code} --as NAME`。登记批准人：`mendory approvers --enroll NAME --as WHO`。",
    ),
    "move_decision_approve": ("the canary begins", "开始灰度"),
    "move_decision_reject": (
        "this gate counts no more; the move waits for another, or for its way back",
        "本次关卡作废；迁移等待重新检查或撤回",
    ),
    "move_decision_later": ("nothing changes, the move waits on", "不作改动，继续等待"),
    "move_code": ("Gate code", "关卡代码"),
    "move_one_time_code_how": (
        "To approve: the six digits on your telephone now.",
        "批准时需要：手机上当前的六位数字。",
    ),
    "move_summary": (
        "{code} · {old} → {new} · {rows} · {table}",
        "{code} · {old} → {new} · {rows} · {table}",
    ),
}
"""Key → (English, Chinese)."""
