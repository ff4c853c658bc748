"""The report's words in English and Chinese: headings, names of codes and states, reasons, numbers and times."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from mendory.report.prevention import PREVENTION
from mendory.report.reasons import chinese
from mendory.report.terms import NAMES, STRATEGIES

LANGUAGES: Final = ("en", "zh")

_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "title": ("Case record", "病例记录"),
    "artifact_plan": ("what would be done", "将要做什么"),
    "artifact_case": ("case record", "病例记录"),
    "progress_detect": ("examining rows", "正在检查各行"),
    "progress_execute": ("repairing", "正在修复"),
    "progress_verify": ("verifying", "正在验证"),
    "progress_drift": ("looking for drift", "正在检查向量漂移"),
    "progress_fill": ("filling the new vectors", "正在填写新向量"),
    "progress_gate": ("examining the new vectors", "正在审查新向量"),
    "state": ("State", "状态"),
    "table": ("Table", "表"),
    "version": ("Version", "版本"),
    "rows_read": ("Rows read", "读取行数"),
    "read_only": ("read-only", "只读"),
    "found": ("Found", "发现的问题"),
    "problem": ("Problem", "问题"),
    "severity": ("Severity", "严重程度"),
    "ring": ("Ring", "检查层"),
    "before": ("Before", "处理前"),
    "after": ("After", "处理后"),
    "strategy": ("How it is treated", "处理办法"),
    "done": ("Repairs", "修复"),
    "merges": ("What was merged", "合并了什么"),
    "kept": ("Kept", "保留"),
    "archived_rows": ("Archived", "归档"),
    "notes_added": ("Notes from their texts", "取自其文本的附注"),
    "conflicts": ("What can't both hold", "互相矛盾的记忆"),
    "both_sides": ("Both sides", "双方"),
    "kept_rows": ("Kept as they are, by people", "有人要求保持原样的行"),
    "both_kept": ("both", "两条都留"),
    "claims": ("What each claims", "各自的主张"),
    "decided_by": ("Decided by, or why not", "裁决依据，或为何没有"),
    "decided_line": ("decided by: {by}", "裁决：{by}"),
    "judge_line": ("judge {name}: {said} ({sure})", "裁判模型 {name}：{said}（{sure}）"),
    "judge_contradicts": ("they contradict each other", "二者矛盾"),
    "judge_agrees": ("they say the same", "二者一致"),
    "judge_unrelated": ("both may hold", "二者可以并存"),
    "judge_unknown": ("it can't tell", "无法判断"),
    "rule_and": ("{rule}: {by}", "按{rule}，{by}"),
    "later_by": ("{time} later", "晚 {time}"),
    "source_over": ("{keep} over {lose}", "{keep} 高于 {lose}"),
    "claim_words": ("what its words say", "字面所说"),
    "claim_fact": ("a fact", "一项事实"),
    "claim_preference": ("a preference", "一种偏好"),
    "claim_stance_0": ("refuses it", "拒绝"),
    "claim_stance_1": ("takes it or leaves it", "无所谓"),
    "claim_stance_2": ("wants it", "想要"),
    "claim_of_writer": ("{claim}, as its writer says", "{claim}（写入方给出）"),
    "claim_of_rules": ("{claim}, read by rules", "{claim}（由规则读出）"),
    "span_day": ("{n} day", "{n} 天"),
    "span_days": ("{n} days", "{n} 天"),
    "span_hour": ("{n} hour", "{n} 小时"),
    "span_hours": ("{n} hours", "{n} 小时"),
    "span_minute": ("{n} minute", "{n} 分钟"),
    "span_minutes": ("{n} minutes", "{n} 分钟"),
    "span_second": ("{n} second", "{n} 秒"),
    "span_seconds": ("{n} seconds", "{n} 秒"),
    "group": ("Group", "组"),
    "step": ("Step", "步骤"),
    "steps": ("Steps", "步骤数"),
    "level": ("Level", "级别"),
    "rule": ("Rule", "规则"),
    "rows": ("Rows", "行数"),
    "which_rows": ("Which rows", "涉及的行"),
    "hidden": ("Hidden", "隐藏"),
    "deleted": ("Deleted", "删除"),
    "outcome": ("Outcome", "结果"),
    "authority": ("By whose word (automatic : rule : person)", "批准方式（自动 : 规则 : 人工）"),
    "refused": ("Not done, and why", "未执行及原因"),
    "waiting": ("Waiting, and why", "等待中及原因"),
    "left": ("Left to people", "留给人处理"),
    "reported": ("Not planned, and why", "未列入计划及原因"),
    "why": ("Why", "原因"),
    "note": ("Note", "备注"),
    "findings": ("Findings", "数量"),
    "causes": ("Likely causes", "可能的根因"),
    "cause": ("Cause", "根因"),
    "changed_before": ("Changed shortly before", "此前的变更"),
    "shared": ("Shared by", "共同点"),
    "ratio": ("Risk ratio", "风险比"),
    "explains": ("Explains", "可解释"),
    "prevention": ("Prevention", "预防"),
    "checklist": ("For a release checklist", "发布检查项"),
    "decisions": ("Decisions", "决定"),
    "decision": ("Decision", "决定"),
    "valid_until": ("Valid until", "有效期至"),
    "who": ("Who", "谁"),
    "when": ("When", "时间"),
    "verdict": ("Verification", "验证"),
    "check": ("Check", "检查项"),
    "checked": ("Checked", "检查数"),
    "which_failed": ("What failed", "未通过项"),
    "passed": ("passed", "通过"),
    "failed": ("failed", "未通过"),
    "sample": ("Sample of repaired memories, for a person to look at", "抽查的已修复记忆，供人核对"),
    "look_command": (
        "Original and result of each, and your word on it: {command}",
        "逐条查看原样与结果并表态：{command}",
    ),
    "to_look": ("To look at a sample", "抽查核对"),
    "original": ("Row before", "修复前的行"),
    "result": ("Row after", "修复后的行"),
    "proof": ("Proof", "核验"),
    "said": ("A person's word", "人的表态"),
    "proof_whole": ("whole", "完整"),
    "proof_not": ("NOT whole", "不完整"),
    "proof_since": ("written by others since", "其后被他人改写"),
    "tick_none": ("not looked at yet", "尚未查看"),
    "tick_good": ("good: {by}", "正确：{by}"),
    "tick_wrong": ("WRONG: {by}", "有误：{by}"),
    "stands_down": ("Not examined", "未检查"),
    "what": ("What", "内容"),
    "undo": ("Undo everything", "全部撤销"),
    "nothing": ("nothing", "无"),
    "taken_back": ("Rolled back", "已撤销"),
    "restored": ("Rows restored", "恢复行数"),
    "skipped": ("Rows skipped", "跳过行数"),
    "changed_since": ("Changed by others meanwhile", "其间被他人改动"),
    "problems": ("Problems, and how each is treated", "问题及各自的处理办法"),
    "by_severity": ("Findings by severity", "各级严重程度的问题"),
    "by_problem": ("Findings by problem", "各类问题"),
    "before_and_after": ("{what}, before and after", "{what}：处理前后"),
    "count_of": ("{what}", "{what}"),
    "by_authority": ("Repairs by whose word", "修复的批准方式"),
    "by_group": ("Outcome of each group", "各组结果"),
    "no_undo": ("There is nothing to undo.", "没有需要撤销的内容。"),
    "if_silent": ("If nobody answers", "如果无人答复"),
    "to_approve": ("To approve it all", "全部批准"),
    "expires": (
        "The plan expires on {time}; nothing more runs.",
        "计划将于 {time}过期，之后不再执行任何内容。",
    ),
    "made": ("Planned on {time}", "计划制定于 {time}"),
    "not_tried": ("not tried yet", "尚未尝试执行"),
    "several_reasons": ("several reasons", "多种原因"),
    "command_line": ("command line", "命令行"),
    "more": ("and {n} more; the JSON record lists them all", "另有 {n} 项；JSON 记录中全部列出"),
    "foot": (
        "No memory text is in this record. Counts under “after” are those of the last run.",
        "本记录不含任何记忆原文。“处理后”的数字以最后一次执行为准。",
    ),
    "past": (
        "The plan is past its retention: its steps and groups are no longer kept, what happened is.",
        "该计划已超过保留期：步骤与分组不再保存，经过仍有记录。",
    ),
    "before_undo": (
        "What was rolled back after the last run is as it was before the repair.",
        "最后一次执行之后被撤销的部分，已恢复到修复之前的样子。",
    ),
    "left_uncounted": (
        "What was left was not counted when repairs were rolled back.",
        "撤销修复时没有统计剩余的问题。",
    ),
    "findings_figure": ("Findings", "问题数"),
    "findings_note": ("findings", "个问题"),
    "by_word": ("By whose word", "批准方式"),
    "proportion": ("automatic : rule : person", "自动 : 规则 : 人工"),
    "proportion_undone": ("automatic : rule : person, taken back since", "自动 : 规则 : 人工，后已撤销"),
    "no_cause": ("No cause stands out for {names}.", "以下问题没有突出的根因：{names}。"),
    "list": (", ", "、"),
    "repairs_in_place": ("Repairs in place", "生效的修复"),
    "row_figures": ("changed · hidden · deleted", "改动 · 隐藏 · 删除"),
    "in_place_of": ("{n} of {total}", "{n} / {total}"),
    "look_automatic": ("automatic", "自动"),
    "look_rule": ("rule", "规则"),
    "look_person": ("person", "人工"),
    "look_applied": ("in place", "生效"),
    "look_rolled_back": ("rolled back", "已撤销"),
    "look_refused": ("not done", "未执行"),
    "look_ended": ("rejected or expired", "被拒绝或过期"),
    "look_waits": ("waiting", "等待"),
    # the sentences of the answer
    "say_found": ("{found} in {rows}.", "在 {rows}中发现 {found}。"),
    "say_nothing_found": ("Nothing was found in {rows}.", "在 {rows}中没有发现问题。"),
    "say_proposed": ("{repairs} proposed; nothing has been changed yet.", "提出了 {repairs}；尚未作任何改动。"),
    "say_in_place": ("{n} of {repairs} are in place.", "{repairs}中有 {n} 项生效。"),
    "say_one_in_place": ("1 of {repairs} is in place.", "{repairs}中有 1 项生效。"),
    "say_rejected": ("The plan was rejected; nothing was changed.", "计划被拒绝；未作任何改动。"),
    "say_some_rejected": ("{repairs} rejected.", "{repairs}被拒绝。"),
    "say_expired": (
        "Nobody answered in time, so the plan expired; nothing was changed.",
        "没有人及时答复，计划已过期；未作任何改动。",
    ),
    "say_rest_expired": ("{repairs} not answered in time and expired.", "{repairs}未得到及时答复，已过期。"),
    "say_unchanged": ("Nothing was changed.", "未作任何改动。"),
    "say_rolled_back": ("The repairs were rolled back: {rows} restored.", "修复已被撤销：恢复了 {rows}。"),
    "say_some_rolled_back": ("{repairs} rolled back.", "{repairs}已被撤销。"),
    "say_skipped": ("{rows} skipped: changed by others since.", "跳过 {rows}：其间已被他人改动。"),
    "say_not_done": ("{repairs} not done; the reasons are below.", "{repairs}未执行；原因见下文。"),
    "say_unknown": ("{repairs} of unknown outcome: a person must look.", "{repairs}结果未知：必须由人查看。"),
    "say_waits": ("{repairs} waiting.", "{repairs}在等待。"),
    "say_verified": ("Every check passed.", "全部检查通过。"),
    "say_not_verified": ("{checks} failed.", "{checks}未通过。"),
    "say_left": ("{found} left to people.", "{found}留给人处理。"),
}

_NOUNS: Final[Mapping[str, tuple[str, str, str]]] = {
    "finding": ("finding", "findings", "个问题"),
    "finding is": ("finding is", "findings are", "个问题"),
    "memory": ("memory", "memories", "条记忆"),
    "row": ("row", "rows", "行"),
    "row was": ("row was", "rows were", "行"),
    "step": ("step", "steps", "个步骤"),
    "repair": ("repair", "repairs", "项修复"),
    "repair is": ("repair is", "repairs are", "项修复"),
    "repair was": ("repair was", "repairs were", "项修复"),
    "check": ("check", "checks", "项检查"),
    "group": ("group", "groups", "组"),
}

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def word(key: str, lang: str, **values: object) -> str:
    """A heading, label or sentence in the language, its `{placeholders}` filled in."""
    text = _WORDS[key][LANGUAGES.index(lang)]
    return text.format(**values) if values else text


def term(name: str, lang: str) -> str:
    """A code, step, state or cause as people of that language say it, the stable name kept beside it."""
    return f"{NAMES[name][1]} ({name})" if lang == "zh" and name in NAMES else name


def label(name: str, lang: str) -> str:
    """A code, step, state or cause as people of that language say it, without the stable name; that where unknown."""
    return NAMES[name][LANGUAGES.index(lang)] if name in NAMES else name


def known(name: str) -> bool:
    """True when `label` has a phrase of its own for the name."""
    return name in NAMES


def reason(text: str, lang: str) -> str:
    """A reason from the ledger in the language; one without a translation stays as it is."""
    if lang == "zh":
        return chinese(text) or term(text, lang)
    return text


def strategy(name: str, lang: str) -> str:
    """How findings that lead to this step are treated; for those without one, what becomes of them."""
    return STRATEGIES[name][LANGUAGES.index(lang)]


def prevention(cause: str, lang: str) -> str:
    """How to prevent a cause, with a line for a release checklist."""
    return ("; ", "；")[LANGUAGES.index(lang)].join(PREVENTION[cause][LANGUAGES.index(lang)])


def prevention_of(cause: str, lang: str) -> tuple[str, str]:
    """(how to prevent a cause, a line for a release checklist), each by itself."""
    return PREVENTION[cause][LANGUAGES.index(lang)]


def count(number: int, noun: str, lang: str) -> str:
    """The number with its noun: singular or plural in English, with its measure word in Chinese.

    >>> count(1, "row", "en"), count(1200, "row", "en"), count(2, "memory", "zh")
    ('1 row', '1,200 rows', '2 条记忆')
    """
    one, many, chinese_noun = _NOUNS[noun]
    if lang == "zh":
        return f"{number:,} {chinese_noun}"
    return f"{number:,} {one if number == 1 else many}"


def when(text: str, lang: str, zone: str = "UTC") -> str:
    """An ISO time as people write it, in the zone, which is named.

    >>> when("2026-03-05T17:04:59+08:00", "en"), when("2026-03-05T09:04:59", "zh")
    ('5 Mar 2026, 09:04 UTC', '2026年3月5日 09:04（UTC）')
    >>> when("2026-03-05T09:04:59+00:00", "en", "Asia/Shanghai")
    '5 Mar 2026, 17:04 Asia/Shanghai'
    """
    moment = datetime.fromisoformat(text)
    moment = moment.astimezone(ZoneInfo(zone)) if moment.tzinfo else moment
    if lang == "zh":
        return f"{moment.year}年{moment.month}月{moment.day}日 {moment:%H:%M}（{zone}）"
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}, {moment:%H:%M} {zone}"
