"""What is to be done about each cause, in English and Chinese: how to prevent it, a line for a release checklist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PREVENTION: Final[Mapping[str, tuple[tuple[str, str], tuple[str, str]]]] = {
    "non_idempotent_write": (
        ("give each write an idempotency key", "check that a retried request stores nothing twice"),
        ("为每次写入加幂等键", "检查重试的请求不会重复存储"),
    ),
    "fact_extracted_again": (
        ("look for the same text in the scope before storing", "check that recall is not captured again"),
        ("存储前先查同一范围内是否已有相同内容", "检查召回的内容不会被再次存储"),
    ),
    "old_row_not_retired": (
        (
            "let a change of mind replace the old memory, not add one",
            "check that storing a new value looks for the old one",
        ),
        ("改口时替换旧记忆，而不是再添一条", "检查存入新值时会先找旧值"),
    ),
    "foreign_delete": (
        (
            "archive instead of deleting, or clear references in the same write",
            "check that a deletion leaves no reference",
        ),
        ("以归档代替删除，或在同一次写入中清理引用", "检查删除后没有残留的引用"),
    ),
    "wrong_scope_field": (
        ("refuse writes without a scope", "check the tenant filter of every writer"),
        ("拒绝没有范围的写入", "检查每个写入程序的租户过滤"),
    ),
    "import_bug": (
        ("validate a batch before publishing it", "check required keys and the status set"),
        ("发布批次前先校验", "检查必填键和状态集合"),
    ),
    "embedding_step_failed": (
        (
            "check each vector before storing it: length, numbers, not all zeros",
            "check what is stored when embedding fails",
        ),
        ("存储前检查每个向量：维数、数值、不全为零", "检查向量生成失败时存储了什么"),
    ),
    "embedding_not_renewed": (
        ("embed a text again in the write that changes it", "check that every way of editing renews the vector"),
        ("在修改文本的同一次写入中重新生成向量", "检查每种编辑方式都会更新向量"),
    ),
    "succession_not_resolved": (
        ("let a replaced memory name the one that is valid now", "check that nothing replaces what replaced it"),
        ("让被取代的记忆直接指向当前有效的那条", "检查取代关系不会互相指向"),
    ),
    "tenant_filter_defect": (
        (
            "filter by the scope in every query, in the store and not after it",
            "check with two users that neither finds, names or refers to what is the other's",
        ),
        (
            "每次查询都在存储层按范围过滤，而不是查询之后再过滤",
            "用两个用户检查：谁也查不到、叫不出、引用不到对方的内容",
        ),
    ),
    "redundant_import": (
        (
            "compare a batch with itself and with the table before it is written",
            "check that importing the same file twice adds nothing",
        ),
        ("写入前把批次与自身及表中已有内容比对", "检查同一文件导入两次不会增加任何内容"),
    ),
    "no_conflict_check": (
        (
            "compare each new memory with those of its scope before it is written",
            "check that a batch or a writer that says yes and no is stopped or noted",
        ),
        ("写入前把每条新记忆与同一范围的记忆比对", "检查同时说是与否的批次或写入会被拦下或记录"),
    ),
    "no_conflict_rule": (
        (
            "add a rule that decides such pairs (conflict.rules), or agree who answers for them",
            "check that each kind of conflict has a rule or a person",
        ),
        ("为此类冲突添加规则（conflict.rules），或商定由谁裁决", "检查每类冲突都有规则或负责人"),
    ),
    "no_decay": (
        (
            "let memories of what is over lose weight at recall (mendory.recall, or by their age and kind)",
            "check that a finished task and a left project no longer steer an answer",
        ),
        (
            "让已结束的事在召回时降低权重（用 mendory.recall，或按年龄与种类）",
            "检查已完成的任务和已离开的项目不再影响回答",
        ),
    ),
    "unfinished_upgrade": (
        (
            "bring the rows that were there before along with each upgrade of the writer",
            "check that the oldest rows have the form that the newest have",
        ),
        ("每次升级写入程序时，同时把已有的行带到新格式", "检查最旧的行与最新的行格式一致"),
    ),
    "model_change": (
        (
            "embed every row anew when the model changes, and switch only then",
            "check that one table holds vectors of one model",
        ),
        ("更换模型时为所有行重新生成向量，完成后再切换", "检查同一张表只有一种模型的向量"),
    ),
    "normalisation_changed": (
        (
            "normalise vectors in the one place that writes them",
            "check the length of a vector of every writer after an update of its library",
        ),
        ("只在写入向量的一处做归一化", "检查每个写入程序在依赖库更新后的向量长度"),
    ),
    "id_spelling": (
        ("let one function write every id", "check that ids are never typed or trimmed by hand"),
        ("由同一个函数生成所有编号", "检查编号不经手工输入或截取"),
    ),
    "clock_or_unit": (
        ("store times in UTC from one function that knows the unit", "check the unit and the clock of every writer"),
        ("用同一个明确单位的函数以 UTC 存储时间", "检查每个写入程序的单位和时钟"),
    ),
    "text_not_cleaned": (
        (
            "take out invisible characters and split long texts before storing",
            "check texts copied from pages and files",
        ),
        ("存储前去除不可见字符并拆分过长文本", "检查从网页和文件复制来的文本"),
    ),
    "captured_as_it_came": (
        (
            "store what a message states, without its envelope, and nothing where it states nothing",
            "check what the capture step stores of a greeting, a complaint and a forwarded message",
        ),
        ("只存储消息所陈述的内容，去掉外壳；没有陈述的不存", "检查抽取步骤从问候、抱怨和转发消息中存了什么"),
    ),
    "unknown": (
        ("none known; look at the rows", "check what the rows have in common"),
        ("未知；请查看这些行", "检查这些行有何共同点"),
    ),
}
"""Cause → (prevention and a line for a release checklist in English, the same in Chinese)."""
