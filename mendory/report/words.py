"""The report's words in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

LANGUAGES: Final = ("en", "zh")

_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "title": ("Case record", "病例记录"),
    "state": ("State", "状态"),
    "table": ("Table", "表"),
    "rows_read": ("Rows read", "读取行数"),
    "found": ("Found", "发现的问题"),
    "problem": ("Problem", "问题"),
    "before": ("Before", "处理前"),
    "after": ("After", "处理后"),
    "done": ("Repairs", "修复"),
    "group": ("Group", "组"),
    "step": ("Step", "步骤"),
    "level": ("Level", "级别"),
    "rows": ("Rows", "行数"),
    "hidden": ("Hidden", "隐藏"),
    "outcome": ("Outcome", "结果"),
    "authority": ("By whose word (automatic : rule : person)", "批准方式（自动 : 规则 : 人工）"),
    "refused": ("Not done, and why", "未执行及原因"),
    "left": ("Left to people", "留给人处理"),
    "why": ("Why", "原因"),
    "findings": ("Findings", "数量"),
    "causes": ("Likely causes", "可能的根因"),
    "shared": ("Shared by", "共同点"),
    "ratio": ("Risk ratio", "风险比"),
    "explains": ("Explains", "可解释"),
    "prevention": ("Prevention", "预防"),
    "decisions": ("Decisions", "决定"),
    "who": ("Who", "谁"),
    "verdict": ("Verification", "验证"),
    "passed": ("passed", "通过"),
    "failed": ("failed", "未通过"),
    "stands_down": ("Not examined", "未检查"),
    "undo": ("Undo everything", "全部撤销"),
    "nothing": ("nothing", "无"),
    "taken_back": ("Rolled back", "已撤销"),
}

_TERMS: Final[Mapping[str, str]] = {
    "missing_id": "缺少编号",
    "duplicate_id": "编号重复",
    "wrong_type": "类型错误",
    "content_empty": "内容为空",
    "embedding_missing": "缺少向量",
    "missing_created_at": "缺少创建时间",
    "missing_updated_at": "缺少更新时间",
    "missing_source": "缺少来源",
    "missing_scope": "缺少范围",
    "metadata_invalid": "元数据无效",
    "metadata_missing_field": "元数据缺少字段",
    "illegal_status": "状态不合法",
    "reference_dangling": "引用悬空",
    "duplicate_exact": "完全重复",
    "duplicate_restated": "重复陈述",
    "fill": "补全",
    "normalise_status": "规范状态",
    "merge_exact": "合并完全重复",
    "repoint": "改指引用",
    "open": "待处理",
    "done": "完成",
    "rejected": "已拒绝",
    "expired": "已过期",
    "rolled_back": "已撤销",
    "applied": "已执行",
    "stale": "已过时",
    "blocked": "被阻止",
    "deferred": "已推迟",
    "suspended": "已暂停",
    "unknown": "未知",
    "waits": "等待",
    "taken_back": "自行撤销",
    "approve": "批准",
    "reject": "拒绝",
    "rows_as_planned": "各行与计划一致",
    "problems_gone": "问题已消失",
    "rows_outside_the_plan_unchanged": "计划外的行未变",
    "non_idempotent_write": "写入不幂等",
    "fact_extracted_again": "同一事实被再次抽取",
    "foreign_delete": "被其他程序删除",
    "wrong_scope_field": "范围字段用错",
    "import_bug": "导入程序缺陷",
    "report only": "仅报告",
    "a person must decide": "由人决定",
}

_REASONS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), chinese)
    for pattern, chinese in (
        (r"nobody knows what the missing memory became", "无人知道缺失的记忆变成了什么"),
        (
            r"nobody knows which status is meant; it is never made active by itself",
            "不知道想写的是哪个状态；绝不自动改为 active",
        ),
        (
            r"no value is certain: no claim, no unanimous siblings, no default",
            "没有确定的值：无声明、同批记录不一致、无默认值",
        ),
        (r"its id is held by several rows, so the row can't be addressed", "多行共用同一编号，无法定位该行"),
        (
            r"a row is again as it was before a repair: something undoes the repair, so a person's",
            "某行又变回修复前的样子：有程序在撤销修复，需由人处理",
        ),
        (r"the owner's reader cannot hide: the table has (.+)", r"所有者的读取程序无法隐藏：表中没有相应字段（\1）"),
        (r"dismissed: (.+)", r"已驳回：\1"),
        (r"under open plan (\w+)", r"已在未结计划 \1 中"),
        (r"repaired (\d+) times within (\d+) days and back again: a person's", r"\2 天内修复 \1 次后又出现：由人处理"),
        (r"changed since the plan: (.+)", r"计划之后被改动：\1"),
        (r"gone since the plan: (.+)", r"计划之后已消失：\1"),
        (r"several rows hold the id (.+)", r"多行共用编号 \1"),
        (r"requires step (.+), which was not applied", r"依赖的步骤 \1 未执行"),
        (r"a step it requires was rejected", "依赖的步骤被拒绝"),
        (r"it did not verify", "未通过验证"),
        (r"no row of the table has a value", "表中没有一行有值"),
        (r"the table has no such field", "表中没有该字段"),
        (r"the table has no (\w+)", r"表中没有 \1"),
    )
)


PREVENTION: Final[Mapping[str, tuple[str, str]]] = {
    "non_idempotent_write": (
        "give each write an idempotency key; check that a retried request stores nothing twice",
        "为每次写入加幂等键；检查重试的请求不会重复存储",
    ),
    "fact_extracted_again": (
        "look for the same text in the scope before storing; check that recall is not captured again",
        "存储前先查同一范围内是否已有相同内容；检查召回的内容不会被再次存储",
    ),
    "foreign_delete": (
        "archive instead of deleting, or clear references in the same write",
        "以归档代替删除，或在同一次写入中清理引用",
    ),
    "wrong_scope_field": (
        "refuse writes without a scope; check the tenant filter of every writer",
        "拒绝没有范围的写入；检查每个写入程序的租户过滤",
    ),
    "import_bug": (
        "validate a batch before publishing it; check required keys and the status set",
        "发布批次前先校验；检查必填键和状态集合",
    ),
    "unknown": ("none known; look at the rows", "未知；请查看这些行"),
}


def word(key: str, lang: str) -> str:
    """A heading or label in the language."""
    return _WORDS[key][LANGUAGES.index(lang)]


def term(name: str, lang: str) -> str:
    """A code, step, state or cause as people of that language say it, the stable name kept beside it."""
    return f"{_TERMS[name]} ({name})" if lang == "zh" and name in _TERMS else name


def reason(text: str, lang: str) -> str:
    """A reason from the ledger in the language; one without a translation stays as it is."""
    if lang == "zh":
        for pattern, chinese in _REASONS:
            match = pattern.fullmatch(text)
            if match:
                return match.expand(chinese)
    return term(text, lang)


def prevention(cause: str, lang: str) -> str:
    """How to prevent a cause, with a line for a release checklist."""
    return PREVENTION[cause][LANGUAGES.index(lang)]
