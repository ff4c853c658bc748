"""Names a person may meet, as people say them in English and Chinese; the stable name is the key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NAMES: Final[Mapping[str, tuple[str, str]]] = {
    # findings
    "missing_id": ("Id missing", "缺少编号"),
    "duplicate_id": ("Id shared by several rows", "编号重复"),
    "wrong_type": ("Value of a wrong type", "类型错误"),
    "content_empty": ("Content empty", "内容为空"),
    "embedding_missing": ("Embedding missing", "缺少向量"),
    "missing_created_at": ("Time of creation missing", "缺少创建时间"),
    "missing_updated_at": ("Time of last change missing", "缺少更新时间"),
    "missing_source": ("Source missing", "缺少来源"),
    "missing_scope": ("Scope missing", "缺少范围"),
    "metadata_invalid": ("Metadata unreadable", "元数据无效"),
    "metadata_missing_field": ("Metadata lacks a key", "元数据缺少字段"),
    "illegal_status": ("Status not allowed", "状态不合法"),
    "reference_dangling": ("Reference to nothing", "引用悬空"),
    "duplicate_exact": ("Exact duplicate", "完全重复"),
    "duplicate_restated": ("Same text, other details", "重复陈述"),
    "duplicate_near": ("Same thing in other words", "近似重复"),
    "conflict_candidate": ("Nearly the same, but not quite", "近似但有出入"),
    "conflict": ("Two that can't both hold", "两条互相矛盾"),
    "conflict_buried": ("Old value inside another memory", "旧值藏在别的记忆里"),
    "conflict_exception": ("Exception from a general rule", "一般规则的例外"),
    "dispute_over": ("Marked, and no dispute any more", "有争议标记而争议已了"),
    "stale_memories": ("Old, and confirmed by nobody", "陈旧且无人确认"),
    "stale_context": ("Of something that was left", "属于已离开的项目、雇主或工具"),
    "task_residue": ("A task that is long over", "任务早已结束"),
    "plugged_in": ("Found by a plugged-in detector", "外接检测器发现"),
    "recall_echo": ("Recalled text stored again", "召回内容被再次存储"),
    "fragments": ("Fragments of one thing", "同一件事的碎片"),
    "repetition": ("Says the same several times", "同一记忆内反复陈述"),
    "envelope_content": ("Envelope of a message as content", "消息外壳被存为内容"),
    "compound_parts": ("Several things at once and one by one", "合并陈述与其各部分并存"),
    "no_fact": ("States nothing", "没有陈述任何事实"),
    "embedding_dim_mismatch": ("Embedding of another length", "向量维数不符"),
    "embedding_non_finite": ("Embedding holds no numbers", "向量含非数值"),
    "embedding_zero": ("Embedding all zeros", "向量全为零"),
    "embedding_norm": ("Embedding not normalised", "向量未归一化"),
    "embedding_suspicious": ("One embedding for many texts", "多条文本同一向量"),
    "embedding_stale_text": ("Embedding of an earlier text", "向量来自旧文本"),
    "scope_not_allowed": ("Scope with characters not allowed", "范围含不允许的字符"),
    "scope_owner": ("Owned by another than its scope", "所有者与范围不符"),
    "scope_subject": ("Another scope's person as user", "用户是其他范围的人"),
    "scope_collapsed": ("Several people in one default scope", "多人混在一个默认范围"),
    "scope_split": ("One owner over several scopes", "同一所有者分散在多个范围"),
    "scope_spelling": ("One scope spelt in several ways", "同一范围有多种写法"),
    "scope_collision": ("Joined scopes that collide", "拼接的范围相撞"),
    "reference_self": ("Reference to itself", "引用自身"),
    "reference_cycle": ("References in a circle", "引用成环"),
    "reference_chain": ("Long chain of references", "引用链过长"),
    "reference_cross_scope": ("Reference into another scope", "跨范围引用"),
    "id_near_collision": ("Ids that look alike", "编号相近"),
    "timestamp_order": ("Times out of order", "时间先后颠倒"),
    "timestamp_future": ("Time in the future", "时间在未来"),
    "timestamp_unit": ("Time in a wrong unit", "时间单位有误"),
    "timestamp_suspicious": ("Time not plausible", "时间不合理"),
    "hidden_characters": ("Hidden characters", "含隐藏字符"),
    "content_too_long": ("Content too long", "内容过长"),
    # steps
    "fill": ("Fill in metadata", "补全"),
    "normalise_status": ("Normalise the status", "规范状态"),
    "merge_exact": ("Merge exact duplicates", "合并完全重复"),
    "merge_near": ("Merge what says the same", "合并近似重复"),
    "summarise": ("Sum up fragments", "归纳碎片"),
    "supersede": ("Archive what lost to another", "归档落败的一方"),
    "mark_disputed": ("Mark both as disputed", "双方标为有争议"),
    "lift_mark": ("Lift the mark of a dispute", "撤去争议标记"),
    "link_exception": ("Link an exception", "关联例外"),
    "weigh": ("Weigh down or up at recall", "调整召回权重"),
    "repoint": ("Re-point references", "改指引用"),
    "set_scope": ("Set the scope", "补写范围"),
    "set_source": ("Set the source", "补写来源"),
    # rules that may confirm a step
    "merge.exact": ("merge of exact duplicates", "合并完全重复"),
    "merge.near": ("merge of what says the same in other words", "合并近似重复"),
    "merge.echo": ("merge of recalled texts into their originals", "把被再次存储的召回内容并入原记忆"),
    "conflict.newer": ("the newer of two that can't both hold", "互相矛盾时以较新者为准"),
    "conflict.latest_user_statement": ("the user's latest word", "以用户最后所说为准"),
    "conflict.confidence": ("the surer source of two", "以来源更可信者为准"),
    "conflict.authority": ("an authority over what was extracted", "权威来源高于抽取所得"),
    "conflict.exception": ("linking exceptions to the general memory", "把例外关联到一般记忆"),
    "weigh.context": ("weighing down what was left, and up what came back", "降低已离开者的权重，回归时恢复"),
    "weigh.finished": ("weighing down finished tasks", "降低已结束任务的权重"),
    "repoint.known_successor": ("re-pointing to a known successor", "改指已知的后继"),
    # states of a plan
    "open": ("open", "待处理"),
    "done": ("done", "完成"),
    "rejected": ("rejected", "已拒绝"),
    "refused": ("refused", "未写入"),
    "expired": ("expired", "已过期"),
    "corrected": ("what was wrong of it was taken back", "有误的部分已撤销"),
    "rolled_back": ("rolled back", "已撤销"),
    # outcomes of a step
    "applied": ("applied", "已执行"),
    "stale": ("refused: its rows changed", "已过时"),
    "blocked": ("refused: what it needs did not run", "被阻止"),
    "busy": ("being applied elsewhere", "正在由他处执行"),
    "deferred": ("deferred", "已推迟"),
    "suspended": ("suspended", "已暂停"),
    "unknown": ("unknown", "未知"),
    "waits": ("waits", "等待"),
    "failed": ("did not verify, or was found wrong", "未通过验证或被认为有误"),
    "taken_back": ("took itself back", "自行撤销"),
    "runs": ("runs", "将执行"),
    # decisions
    "approve": ("approved", "批准"),
    "reject": ("rejected", "拒绝"),
    # checks of a run
    "rows_as_planned": ("Rows are as planned", "各行与计划一致"),
    "problems_gone": ("Problems are gone", "问题已消失"),
    "rows_outside_the_plan_unchanged": ("Rows outside the plan are unchanged", "计划外的行未变"),
    "repaired_memories_whole": ("Sampled repaired memories are whole", "抽查的已修复记忆完整无损"),
    "kept_aside_as_planned": ("What is kept aside is as planned", "另存的内容与计划一致"),
    # causes
    "old_row_not_retired": ("Update that left the old row", "更新后旧记忆仍在"),
    "non_idempotent_write": ("Non-idempotent write", "写入不幂等"),
    "fact_extracted_again": ("Same fact extracted again", "同一事实被再次抽取"),
    "foreign_delete": ("Deleted by another program", "被其他程序删除"),
    "wrong_scope_field": ("Wrong scope field", "范围字段用错"),
    "import_bug": ("Defect of an import", "导入程序缺陷"),
    "embedding_step_failed": ("Embedding step failed", "向量生成出错"),
    "embedding_not_renewed": ("Text changed without its embedding", "改了文本而未更新向量"),
    "succession_not_resolved": ("Replacement not followed to its end", "取代关系未追到底"),
    "tenant_filter_defect": ("Defect of a tenant filter", "租户过滤缺陷"),
    "redundant_import": ("Redundant import", "重复导入"),
    "no_conflict_check": ("No conflict check at write", "写入时未查冲突"),
    "no_conflict_rule": ("No rule for this kind of conflict", "此类冲突没有规则"),
    "no_decay": ("No decay", "没有衰减"),
    "unfinished_upgrade": ("Unfinished upgrade", "升级未完成"),
    "model_change": ("Change of the embedding model", "更换了向量模型"),
    "normalisation_changed": ("Changed normalisation", "归一化方式改变"),
    "id_spelling": ("Ids written in two ways", "编号写法不一"),
    "clock_or_unit": ("Clock or unit of a writer", "写入程序的时钟或单位有误"),
    "text_not_cleaned": ("Texts stored as they came", "文本未经清理即存储"),
    "captured_as_it_came": ("Messages captured as they came", "消息未经筛选即被存储"),
    # what rows share
    "batch": ("batch", "批次"),
    "source": ("source", "来源"),
    "scope": ("scope", "范围"),
    "day": ("day", "日期"),
    "kind": ("kind", "种类"),
    "since": ("since", "自该日起"),
    "until": ("until", "截至"),
    "writer": ("writer", "写入程序"),
    "scene": ("scene", "场景"),
    # fields and parts that may stand down
    "id": ("id", "编号"),
    "content": ("content", "内容"),
    "embedding": ("embedding", "向量"),
    "metadata": ("metadata", "元数据"),
    "created_at": ("time of creation", "创建时间"),
    "updated_at": ("time of last change", "更新时间"),
    "status": ("status", "状态"),
    "claim": ("claim", "声明"),
    "last_accessed_at": ("time of last recall", "最近访问时间"),
    "last_verified_at": ("time of last confirmation", "最近确认时间"),
    "batch_id": ("import batch", "导入批次"),
    "duplicate_of": ("duplicate of", "重复于"),
    "superseded_by": ("superseded by", "被取代于"),
    "related_ids": ("related ids", "相关编号"),
    "related_notes": ("related notes", "相关附注"),
    "duplicates": ("duplicates", "重复检测"),
    "near duplicates": ("near duplicates", "近似重复检测"),
    "judge": ("judge", "裁判模型"),
    "space": ("space", "向量空间"),
    # statuses of a memory
    "active": ("active", "有效"),
    "pending_review": ("disputed", "待审"),
    "archived": ("archived", "已归档"),
    # severities, rings, levels
    "high": ("high", "高"),
    "medium": ("medium", "中"),
    "low": ("low", "低"),
    "structure": ("structure", "结构"),
    "meaning": ("meaning", "语义"),
    "effect": ("effect", "效果"),
    "level_1": ("1: automatic", "1：自动"),
    "level_2": ("2: a confirmed rule or a person", "2：已确认的规则或人工"),
    "level_3": ("3: a person alone", "3：只能由人批准"),
    # by whose word
    "automatic": ("automatic", "自动"),
    "rule": ("by a confirmed rule", "按已确认的规则"),
    "person": ("by a person", "由人批准"),
    # findings without a certain step
    "report only": ("report only", "仅报告"),
    "a person must decide": ("a person must decide", "由人决定"),
}
"""Stable name → (English, Chinese)."""

STRATEGIES: Final[Mapping[str, tuple[str, str]]] = {
    "fill": (
        "Fill in what is certain: from the memory's own claim, from siblings of one batch that all agree, or from a "
        "configured default. The origin of each value is recorded.",
        "只补全确定的内容：来自记忆自身的声明、同批且完全一致的记忆，或已配置的默认值；每个值都记录来源。",
    ),
    "normalise_status": (
        "Write the status that is meant, where only its spelling was off. An unknown status is left to a person.",
        "仅当拼写不规范时改写为所指的状态；未知状态留给人处理。",
    ),
    "merge_exact": (
        "Keep the most informative memory and archive its copies; what only a copy knew is kept, and whoever named a "
        "copy names the kept one.",
        "保留信息最完整的一条并归档其余副本；副本独有的内容得以保留，指向副本的引用改指保留的那条。",
    ),
    "merge_near": (
        "Keep the most informative memory and archive those that say the same in other words; sentences of theirs that "
        "it does not cover become its notes, in their own words. Nothing is merged where number, name, date or "
        "negation differ.",
        "保留信息最完整的一条，归档以其他措辞说同一件事的记忆；其未涵盖的句子原样写入附注。数字、名称、日期或否定不同时绝不合并。",
    ),
    "summarise": (
        "Put the fragments' own sentences together in one of them, embed it again and archive the others; each is "
        "reachable from it. A person accepts it first.",
        "把各碎片的原句合到其中一条，重新生成向量并归档其余碎片；从它可找到每一条。须先由人接受。",
    ),
    "supersede": (
        "A rule says which of two that can't both hold stays: the other is archived and names it, found on demand. "
        "Never are both archived, and what no clear difference decides is not decided.",
        "两条互相矛盾时由规则决定谁留下：另一条归档并指向它，需要时仍可找到。绝不会两条都归档；没有明显差别就不裁决。",
    ),
    "mark_disputed": (
        "No rule decides, so both stay in recall, each labelled with the other, and the pair waits for a person.",
        "没有规则能裁决，双方都仍会被召回，并互相标注，由人来决定。",
    ),
    "lift_mark": (
        "The dispute is over, so Mendory takes its own mark away. A status that the owner has set stays.",
        "争议已了，撤去 Mendory 自己加的标记；所有者自己设的状态不动。",
    ),
    "link_exception": (
        "Both stay: the one that holds for a scene, or in a narrower scope, is linked to the general one, so that "
        "recall can prefer it there.",
        "两条都留：只在某场合或更窄范围成立的那条关联到一般的那条，召回时在其场合优先。",
    ),
    "weigh": (
        "Keep a factor beside each memory by which its weight at recall is multiplied; nothing of the memory changes, "
        "none is hidden, and what the scope comes back to weighs in full again.",
        "在记忆之外为每条记录保存一个系数，召回时乘入其权重；记忆本身不变，也不隐藏；范围回到旧项目、雇主或工具时恢复原权重。",
    ),
    "repoint": (
        "Lead the reference to the memory into which the missing one was merged, where the ledger knows it.",
        "在账本有记录时，把引用改指到缺失记忆被合并进的那一条。",
    ),
    "set_scope": (
        "Propose the one scope that all evidence points to: the owner that the metadata names, siblings of one batch "
        "that agree. A person alone lets it run. Where evidence points to none or to several, nothing is proposed.",
        "提议全部证据共同指向的唯一范围：元数据中的所有者、同批且完全一致的记忆；只能由人批准。证据不足或不一致时不提议。",
    ),
    "set_source": (
        "Propose the source that siblings of one batch all have. A person alone lets it run. Where they do not all "
        "agree, nothing is proposed.",
        "提议同批记忆完全一致的来源；只能由人批准。不一致时不提议。",
    ),
    "person": (
        "No repair is certain, so nothing is changed: a person decides.",
        "没有确定的修复，因此不作改动：由人决定。",
    ),
    "report only": (
        "No repair can be right, so nothing is changed: it is only reported.",
        "任何修复都不可靠，因此不作改动：仅作报告。",
    ),
}
"""Kind of step, or what else becomes of a finding → (how it is treated in English, in Chinese)."""
