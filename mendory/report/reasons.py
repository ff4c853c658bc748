"""Reasons as the ledger holds them, in English, and what they say in Chinese."""

from __future__ import annotations

import re
from typing import Final

from mendory.migration.words import VOIDS
from mendory.report.differences import difference

_PATTERNS: Final = (
    # why no step follows from a finding
    (r"nobody knows what the missing memory became", "无人知道缺失的记忆变成了什么"),
    (
        r"nobody knows which status is meant; it is never made active by itself",
        "不知道想写的是哪个状态；绝不自动改为 active",
    ),
    (
        r"no value is certain: no claim, no unanimous siblings, no default",
        "没有确定的值：无声明、同批记录不一致、无默认值",
    ),
    (
        r"no scope is certain: its metadata names none in use, no unanimous siblings",
        "没有确定的范围：元数据未指向任何在用的范围，同批记录不一致",
    ),
    (r"no source is certain: no unanimous siblings", "没有确定的来源：同批记录不一致"),
    (r"what tells its scope points to several", "表明其范围的证据指向多个范围"),
    (r"what tells its scope points to one that no scope should be like", "表明其范围的证据指向一个不合规的范围"),
    (r"what tells its scope points to one that is in doubt itself", "表明其范围的证据指向一个本身存疑的范围"),
    (
        r"what tells its scope points to one, its references to another",
        "表明其范围的证据指向一个范围，其引用却指向另一个",
    ),
    (r"the table has no place for the (.+)", r"表中没有存放 \1 的位置"),
    (r"the row's (.+) is that of another (.+)", r"该行的 \1 属于另一个 \2"),
    (r"the (.+) can't be written to (.+)", r"\1 无法写入 \2"),
    (
        r"a check embeds nothing; mendory doctor embeds a sample of rows again",
        "检查不做嵌入；mendory doctor 会重新嵌入抽样的行",
    ),
    (
        r"no embedder is configured; nobody looks whether vectors fit their texts",
        "未配置嵌入模型；无法核对向量与文本是否相符",
    ),
    # why a judge was not asked, or is not believed
    (
        r"it did what a text told it in (\d+) of (\d+) known pairs; pairs of (\w+) were not judged",
        r"在 \2 对已知答案的文字中，有 \1 对它听从了文字里的指令；\3 的文字对未判断",
    ),
    (
        r"it did what a text told it in (\d+) of (\d+) known pairs",
        r"在 \2 对已知答案的文字中，有 \1 对它听从了文字里的指令",
    ),
    (
        r"it was right on (\d+) of (\d+) known pairs, (\d+) are needed; pairs of (\w+) were not judged",
        r"\2 对已知答案的文字中答对 \1 对，需要 \3 对；\4 的文字对未判断",
    ),
    (
        r"it was right on (\d+) of (\d+) known pairs, (\d+) are needed",
        r"\2 对已知答案的文字中答对 \1 对，需要 \3 对",
    ),
    (
        r"at most (\d+) pairs are judged in one check; (\d+) wait",
        r"一次检查最多判断 \1 对，还有 \2 对等待",
    ),
    (
        r"its budget is used up; (\d+) pairs of (\w+) were not judged",
        r"预算已用完；\2 的文字对有 \1 对未判断",
    ),
    (
        r"its model or a package is not there; (\d+) pairs of (\w+) were not judged",
        r"缺少模型或软件包；\2 的文字对有 \1 对未判断",
    ),
    (
        r"the service refuses; (\d+) pairs of (\w+) were not judged",
        r"服务拒绝请求；\2 的文字对有 \1 对未判断",
    ),
    (
        r"its configuration can't be used; (\d+) pairs of (\w+) were not judged",
        r"配置无法使用；\2 的文字对有 \1 对未判断",
    ),
    (
        r"the service does not answer; (\d+) pairs of (\w+) were not judged",
        r"服务没有应答；\2 的文字对有 \1 对未判断",
    ),
    (r"the metadata is no JSON object: invalid JSON", "元数据不是 JSON 对象：JSON 无效"),
    (r"its id is held by several rows, so the row can't be addressed", "多行共用同一编号，无法定位该行"),
    (
        r"a row is again as it was before a repair: something undoes the repair, so a person's",
        "某行又变回修复前的样子：有程序在撤销修复，需由人处理",
    ),
    (
        r"the owner's reader cannot hide: the table has (.+)",
        r"所有者的读取程序无法隐藏：表中没有相应字段（\1）",
    ),
    (
        r"the owner's reader cannot hide: it filters by nothing that mapping\.hide names",
        "所有者的读取程序无法隐藏：它不按 mapping.hide 所列的任何内容过滤",
    ),
    (r"the owner's reader cannot hide", "所有者的读取程序无法隐藏"),
    (
        r"cannot keep what only the merged rows know: the table has (.+)",
        r"无法保留仅被合并的行才有的内容：表中没有相应字段（\1）",
    ),
    (r"they differ in (?P<differs>.+): never merged", r"它们在以下方面不同，绝不合并：\1"),
    (
        r"another step of the plan hides one of these rows; the next check looks again",
        "计划中的另一步会隐藏其中一行；下次检查时再看",
    ),
    (
        r"a person must first decide on another step of the plan that changes one of these rows",
        "计划中的另一步会改动其中一行，须先由人决定那一步",
    ),
    (
        r"they are of two scopes, and no step changes two: a person must decide",
        "它们属于两个范围，没有步骤会改动两个：由人决定",
    ),
    (
        r"the rules let these rows lose to one another in a circle: a person must decide",
        "按规则这些行互相落败，成了环：由人决定",
    ),
    (r"no rule decides: none is configured", "没有规则裁决：未配置任何规则"),
    (r"no rule decides: (?P<reasons>.+)", r"没有规则能裁决：\1"),
    (r"marked as disputed; (?P<reason>.+)", r"已标为有争议；\1"),
    # why a rule of a conflict does not decide
    (
        r"(?P<more>narrower|latest_user_statement|newer|confidence|authority) \((?P<reason>.+)\)",
        r"\2（\1）",
    ),
    (r"narrower", "更窄者"),
    (r"latest_user_statement", "用户最后所说"),
    (r"newer", "较新者"),
    (r"confidence", "更可信者"),
    (r"authority", "权威来源"),
    (r"neither is narrower", "谁也不更窄"),
    (r"they are of two scopes", "分属两个范围"),
    (r"the user against an authority", "用户所说对权威来源"),
    (r"a time is missing", "缺少时间"),
    (r"a time is in the future", "有时间在未来"),
    (r"their times are one", "时间相同"),
    (r"the earlier one was changed since", "较早的后来改过"),
    (r"the earlier one was confirmed since", "较早的后来确认过"),
    (r"one import batch", "同一批导入"),
    (r"a source is unknown", "有来源不明"),
    (r"the later source is less sure", "较新者来源较不可信"),
    (r"both sources are equally sure", "来源同样可信"),
    (r"not both are the user's words", "并非都是用户所说"),
    (r"neither source is an authority", "都不是权威来源"),
    (r"both sources are authorities", "都是权威来源"),
    (r"one of these rows says all that the others do", "其中一行已包含其他各行的内容"),
    (r"a further column of vectors would be of the former text", "另有一列向量将仍属于原来的文本"),
    (
        r"what is kept aside of these rows would be lost with the former text",
        "另存的相关内容会随原来的文本一起失去对应",
    ),
    (r"no embedder is configured to embed changed texts", "未配置为改过的文本生成向量的嵌入模型"),
    (
        r"the embedder is a service, and a plan asks none to embed changed texts",
        "嵌入模型是外部服务，制定计划时不会请它嵌入改过的文本",
    ),
    (
        r"more than (\S+) rows wait: the next plan takes them, or mendory migrate start embeds the table anew",
        r"等待的行超过 \1 条：由下一个计划处理，或用 mendory migrate start 重新嵌入整张表",
    ),
    (r"the embedder makes no vector of the changed text: (.+)", r"嵌入模型未能为改过的文本生成向量：\1"),
    (r"the changed text can't be embedded", "改过的文本无法嵌入"),
    (
        r"the configured embedder does not make the vectors that the table holds",
        "所配置的嵌入模型生成的向量与表中所存的不符",
    ),
    (r"the vector it holds can't be written down, and so not given back", "它所持的向量无法记录，也就无法恢复"),
    (r"embed the changed text anew", "为改过的文本重新生成向量"),
    (r"no embedder is configured to make the summary's vector", "未配置为摘要生成向量的嵌入模型"),
    (
        r"the embedder is a service, and a plan asks none to embed a summary",
        "嵌入模型是外部服务，制定计划时不会请求它为摘要生成向量",
    ),
    (
        r"the configured embedder does not make the vectors that these rows hold",
        "所配置的嵌入模型生成的向量与这些行所存的不符",
    ),
    (r"the embedder makes no vector of the summary: (.+)", r"嵌入模型未能为摘要生成向量：\1"),
    (r"dismissed: rolled back", "已驳回：已撤销"),
    (r"dismissed: rejected: (.+)", r"已驳回：被拒绝：\1"),
    (r"dismissed: rejected: ?", "已驳回：被拒绝"),
    (r"dismissed: (.+)", r"已驳回：\1"),
    (r"kept as it is by a person: (.+)", r"有人要求保持原样：\1"),
    (r"under open plan (\w+)", r"已在未结计划 \1 中"),
    (r"repaired (\d+) times within (\d+) days and back again: a person's", r"\2 天内修复 \1 次后又出现：由人处理"),
    (r"report only", "仅报告"),
    (r"not asked for", "不在本次请求范围内"),
    (r"a person must decide", "由人决定"),
    # why every row was looked at though only changes were asked for
    (
        r"there is no checkpoint(?: at version (\d+))? of this table as it is configured now: mendory plan leaves one",
        r"当前配置下此表没有检查点 \1：mendory plan 会留下一个",
    ),
    (r"what is kept aside of rows changed since the checkpoint", "检查点之后，另存的内容有变化"),
    (
        r"the side state is gone or of another version: mendory plan brings it up",
        "旁存状态不存在或版本不符：mendory plan 会更新它",
    ),
    (r"the ledger no longer knows all findings of the checkpoint", "台账中已没有该检查点的全部问题"),
    (
        r"the vectors say other things of their space than at the checkpoint",
        "向量所反映的空间情况与检查点时不同",
    ),
    (r"(\d+) rows have no id, and nobody can tell whether those changed", r"\1 行没有编号，无法知道它们是否有变化"),
    (r"the table has fewer than (\d+) rows", r"表少于 \1 行"),
    (r"(\d+) of (\d+) rows changed", r"\2 行中有 \1 行变化"),
    (r"rows without an id came, or the history does not add up", "出现没有编号的行，或历史对不上"),
    (r"what is usual in the table is no longer what it was", "表中的常态已与此前不同"),
    (
        r"what is usual among the changed rows is not what is usual in the table",
        "变化的行中的常态与全表不同",
    ),
    (r"what changed is tied to too many rows", "与变化相关的行太多"),
    (r"which rows stand for what is found of scopes is no longer known", "已不知道哪些行能代表范围方面的问题"),
    (r"version (\d+) is an? (\w+) operation", r"版本 \1 是 \2 操作"),
    (r"version (\d+) is gone", r"版本 \1 已不存在"),
    (r"pylance is not installed, and only it can read a table's history", "未安装 pylance，只有它能读取表的历史"),
    (r"version (\d+) or (\d+) is gone", r"版本 \1 或 \2 已不存在"),
    (r"version (\d+) or (\d+) can't be read", r"版本 \1 或 \2 无法读取"),
    (r"the record of version (\d+) can't be read", r"版本 \1 的记录无法读取"),
    (r"the table went back from version (\d+) to (\d+)", r"表从版本 \1 退回到 \2"),
    # why a step waits or is suspended
    (r"level 3: only a person may let it run", "3 级：只有人可以批准执行"),
    (r"rule (\S+) is not confirmed; a person may approve it", r"规则 \1 未确认；可由人批准"),
    (
        r"(\S+) does not run by itself any more: a person ended that; a person may approve it",
        r"\1 不再自动执行：已由人停止；可由人批准",
    ),
    (
        r"(\S+) stopped running by itself: (\d+) of its last (\d+) repairs were taken back or did not verify; a person "
        r"may approve it",
        r"\1 已自行停止自动执行：最近 \3 次修复中有 \2 次被撤销或未通过验证；可由人批准",
    ),
    (r"no rule confirms such a step; a person may approve it", "没有规则可确认这类步骤；可由人批准"),
    (r"no limits are configured, so nothing runs without a person", "未配置限额，因此没有人的批准什么都不执行"),
    (
        r"(\S+) of the table is sick, above limits\.sick_share_table (\S+)",
        r"表中 \1 的行有问题，超过 limits.sick_share_table \2",
    ),
    (
        r"(\S+) of the scope is sick, above limits\.sick_share_scope (\S+)",
        r"该范围中 \1 的行有问题，超过 limits.sick_share_scope \2",
    ),
    (
        r"the run would change (\d+) rows, above limits\.rows_per_run (\d+)",
        r"本次将改动 \1 行，超过 limits.rows_per_run \2",
    ),
    (
        r"(\d+) of the scope's (\d+) rows would change, above limits\.scope_share (\S+)",
        r"该范围 \2 行中有 \1 行将改动，超过 limits.scope_share \3",
    ),
    (r"a step it requires does not run", "其依赖的步骤不执行"),
    (
        r"(\d+) rows were repaired on (\S+); (\d+) more exceed limits\.repairs_per_day (\d+)",
        r"\2 已修复 \1 行；再加 \3 行将超过 limits.repairs_per_day \4",
    ),
    (
        r"its text was archived (\d+) times within (\d+) days and written anew: a person's",
        r"其文本在 \2 天内被归档 \1 次，却又被写入：需由人处理",
    ),
    # why a step was refused, and what became of it
    (r"(?P<reason>.+), and its rows are as before: something undid it", r"\1，而其行又变回原样：有程序撤销了它"),
    (r"(?P<reason>.+); (?P<more>the table (?:lost|gained) columns? .+)", r"\1；\2"),
    (r"the table lost columns? (.+) and gained columns? (.+)", r"表失去了列 \1，新增了列 \2"),
    (r"the table lost columns? (.+)", r"表失去了列 \1"),
    (r"the table gained columns? (.+)", r"表新增了列 \1"),
    (r"changed since the plan: (.+)", r"计划之后被改动：\1"),
    (r"gone since the plan: (.+)", r"计划之后已消失：\1"),
    (r"several rows hold the id (.+)", r"多行共用编号 \1"),
    (r"row (.+) would not become what was planned", r"行 \1 的结果会与计划不符"),
    (r"its rows already are as planned", "其行已与计划一致"),
    (r"requires step (.+), which was not applied", r"依赖的步骤 \1 未执行"),
    (r"a step it requires was rejected", "依赖的步骤被拒绝"),
    (r"a step it requires runs no more", "依赖的步骤不再执行"),
    # what a person answered
    (r"person", "人"),
    (r"keep (.+), archive (.+): a person decided", r"保留 \1，归档 \2：由人决定"),
    (r"keep (.+), archive (\d+) row\(s\) that a person says are one with it", r"保留 \1，归档人认为与其相同的 \2 行"),
    (r"a person has decided", "已由人决定"),
    (r"the answer was taken back", "回答已收回"),
    (r"an answer was taken back", "回答已收回"),
    (
        r"its rows have changed since it was found, so it is over; the next check looks again",
        "发现之后其行已有变化，此问题不复存在；下次检查时再看",
    ),
    (r"already applied by (\w+)", r"已由修复 \1 执行"),
    (r"being applied by (\w+)", r"正由修复 \1 执行"),
    (r"the outcome of (\w+) is unknown; run 'mendory recover'", r"修复 \1 的结果未知；请运行 mendory recover"),
    (r"its approval was used before", "其批准已被使用"),
    (r"other writers were faster (\d+) times", r"其他写入程序抢先了 \1 次"),
    (
        r"another row with the same id came meanwhile, so a paused process may still apply it unseen",
        "其间出现了相同编号的另一行，暂停的进程可能仍会在无人察觉时执行它",
    ),
    (
        r"version (\d+) of the table's history is gone, so nobody knows whether it was applied",
        r"表历史的版本 \1 已不存在，无法知道是否已执行",
    ),
    (r"found in the table's history", "已在表的历史中找到"),
    (r"not applied by the word of (.+)", r"据 \1 确认未执行"),
    (r"applied by the word of (.+)", r"据 \1 确认已执行"),
    (
        r"Repair (\w+) was taken over by another process\. .+",
        r"修复 \1 被另一个进程接管；本进程没有再写入任何内容",
    ),
    (r"it did not verify: (mendory .+)", r"未通过验证：\1"),
    (r"a person found it wrong: (mendory .+)", r"有人认为修错了：\1"),
    (r"it did not verify", "未通过验证"),
    (r"rolled back before", "此前已撤销"),
    (r"history can't tell", "历史无法判断"),
    # what stands down
    (
        r"no bound is known for the space of the vectors: mendory calibrate",
        "该向量空间尚无已知阈值：请运行 mendory calibrate",
    ),
    (r"no row of the table has a value", "表中没有一行有值"),
    (r"the table has no such field", "表中没有该字段"),
    (
        r"Lance reads no column with a backtick in its name; rename it",
        "Lance 无法读取名称含反引号的列；请重命名该列",
    ),
    (r"the table has no (\w+)", r"表中没有 \1"),
    (r"the owner writes (.+); map it", r"所有者写作 \1；请在映射中说明"),
    # what a detector saw
    (r"a field can't be read", "有字段无法读取"),
    (r"the content is empty", "内容为空"),
    (r"the embedding is missing", "缺少向量"),
    (r"the source is missing", "缺少来源"),
    (r"the scope is missing: nobody knows whose memory this is", "缺少范围：不知道这是谁的记忆"),
    (r"the time of creation is missing", "缺少创建时间"),
    (r"the time of the last change is missing", "缺少更新时间"),
    (r"the metadata is no JSON object: (.+)", r"元数据不是 JSON 对象：\1"),
    (r"the metadata breaks its schema at (.+)", r"元数据在 \1 处不符合规定的结构"),
    (r"the metadata lacks (.+)", r"元数据缺少 \1"),
    (r"the status is a spelling of (.+)", r"状态是 \1 的另一种写法"),
    (r"the status is unknown", "状态未知"),
    (r"the status is missing", "缺少状态"),
    (
        r"(\d+) of its references lead nowhere; it is hidden in favour of a memory that is gone",
        r"有 \1 个引用悬空；它为一条已不存在的记忆而被隐藏",
    ),
    (r"(\d+) of its references lead nowhere", r"有 \1 个引用悬空"),
    (r"(\d+) memories of one scope say exactly the same", r"同一范围内有 \1 条记忆内容完全相同"),
    (r"(\d+) memories of one scope say the same in other words", r"同一范围内有 \1 条记忆说法不同而意思相同"),
    (
        r"a judge finds that two memories which rules find in conflict may both hold",
        "规则认为这两条记忆互相矛盾，裁判模型认为二者可以并存",
    ),
    (r"two memories are nearly the same but for (?P<differs>.+)", r"两条记忆几乎相同，只是以下方面有出入：\1"),
    (
        r"(?P<value>\d+) memories have one text but differ in (?P<differs>.+)",
        r"\2 条记忆文字相同，但在以下方面不同：\1",
    ),
    (r"two memories of one scope can't both hold", "同一范围内有两条记忆互相矛盾"),
    (r"one memory holds for a narrower scene than the other", "一条记忆只在某场合成立，另一条一般成立"),
    (r"one memory holds for a narrower scope than the other", "一条记忆只在更窄的范围成立"),
    (r"one memory holds for a narrower (.+) than the other", r"一条记忆成立的 \1 比另一条更窄"),
    (r"a memory that says more holds a value that is over", "一条另有内容的记忆里含有已过时的值"),
    (r"a memory still names a value that is over", "一条记忆仍在提已过时的值"),
    (r"(\d+) of its (\d+) disputes are over", r"其 \2 项争议中有 \1 项已了"),
    (r"(\d+) rows have no id and can't be addressed", r"\1 行没有编号，无法定位"),
    (r"(\d+) rows share one id", r"\1 行共用一个编号"),
    (r"the vector holds components that are no numbers", "向量中含有不是数值的分量"),
    (r"the vector is all zeros", "向量全为零"),
    (r"the vector has (\d+) components, the others have (\d+)", r"向量有 \1 维，其他向量有 \2 维"),
    (r"the vector's length is (\S+) where the others' is 1", r"向量的模为 \1，而其他向量的模为 1"),
    (r"column (?P<more>.+?): (?P<reason>.+)", r"\2 列：\1"),
    (r"(\d+) different texts hold one and the same vector", r"\1 条不同的文本共用同一个向量"),
    (r"the vector came from an earlier text of the row", "向量来自该行较早的文本"),
    (r"no length of vectors is usual in the table", "表中没有常见的向量维数"),
    (r"vectors of the right direction and of another length", "向量方向正确而长度不同"),
    (r"vectors of another model, prefix or pooling", "向量来自其他模型，或前缀、池化方式不同"),
    (r"vectors of which only the first components are there", "向量只剩前面的分量"),
    (r"shorter vectors, filled up with zeros", "较短的向量，其余以零补齐"),
    (r"vectors of other rows' texts", "向量属于其他行的文本"),
    (r"vectors of the model, and of texts that are not the rows'", "向量出自该模型，但不是这些行的文本"),
    (r"vectors that are all zeros", "向量全为零"),
    (r"one vector for every text", "所有文本共用同一个向量"),
    (r"vectors of earlier texts of the rows", "向量来自这些行较早的文本"),
    (r"rows of one text that hold different vectors", "文本相同的行持有不同的向量"),
    (r"the row names itself: (.+)", r"该行指向自身：\1"),
    (r"(\d+) rows replace each other in a circle", r"\1 行互相取代，形成环"),
    (r"what replaces it is (\d+) references away", r"要经过 \1 次引用才到取代它的记忆"),
    (r"(\d+) of its references lead into another scope", r"有 \1 个引用指向其他范围"),
    (
        r"(\d+) ids differ only in letter case, width, blanks or invisible characters",
        r"\1 个编号仅大小写、全半角、空白或不可见字符不同",
    ),
    (r"the (.+) looks like a number read in a unit (\S+) times too small", r"\1 像是按小了 \2 倍的单位读取的数字"),
    (r"a time before 1990 or after 2100: (.+)", r"时间早于 1990 年或晚于 2100 年：\1"),
    (r"a time in the future: (.+)", r"时间在未来：\1"),
    (r"a time before the creation: (.+)", r"时间早于创建时间：\1"),
    (r"the content holds characters nobody sees: (.+)", r"内容含有看不见的字符：\1"),
    (r"the content has (\d+) characters", r"内容有 \1 个字符"),
    (r"the scope holds characters that no scope should have", "范围含有不应出现的字符"),
    (r"(?P<reason>.+); (?P<more>one of \d+ such, of which \d+ are told)", r"\1；\2"),
    (r"(?P<reason>.+); (?P<more>(?:they are|theirs is) .+)", r"\1；\2"),
    (r"they are (.+)", r"即 \1"),
    (r"theirs is (.+)", r"其范围为 \1"),
    (r"one of (\d+) such, of which (\d+) are told", r"此类共 \1 个，仅列出 \2 个"),
    (
        r"(\d+) of the scope's (\d+) rows are of an owner who has a scope of their own",
        r"该范围 \2 行中有 \1 行属于另有自己范围的所有者",
    ),
    (r"(\d+) of the scope's (\d+) rows are of another owner than the scope's", r"该范围 \2 行中有 \1 行属于其他所有者"),
    (r"(\d+) rows of the scope give its user the name of another scope's", r"该范围有 \1 行把用户称作另一个范围的用户"),
    (r"(\d+) rows of (\d+) people lie in one default scope", r"\2 个人的 \1 行混在一个默认范围内"),
    (r"(\d+) rows of (\d+) people lie in no scope at all", r"\2 个人的 \1 行都没有范围"),
    (
        r"one owner's (\d+) rows lie in (\d+) scopes that look like one",
        r"同一所有者的 \1 行分散在 \2 个看似相同的范围内",
    ),
    (
        r"one owner's (\d+) rows lie in (\d+) scopes that look like conversations",
        r"同一所有者的 \1 行分散在 \2 个看似对话的范围内",
    ),
    (
        r"(?P<value>\d+) scopes are one name spelt in several ways: (?P<differs>.+)",
        r"\2 个范围是同一名称的不同写法：\1",
    ),
    (r"a scope is another's name without its root: (?P<differs>.+)", r"一个范围是另一个范围去掉根后的名称：\1"),
    (r"(\d+) pairs of parts are joined into one scope", r"\1 组不同的部分被拼接成同一个范围"),
    (
        r"(\d+) scopes are one where their parts are joined by the separator in them",
        r"\1 个范围若以其自身所含的分隔符拼接便成为同一个",
    ),
    (r"(\d+) of its (\d+) parts were said before in the same text", r"\2 个部分中有 \1 个在同一文本中已说过"),
    (r"the content holds the envelope of a message: (\w+)", r"内容含有消息的外壳：\1"),
    (
        r"(\d+) memories are old and nobody has confirmed them, the oldest for (\d+) days",
        r"\1 条记忆陈旧且无人确认，最旧的已有 \2 天",
    ),
    (r"it says that a task is under way, and is (\d+) days old", r"称任务正在进行，但已过去 \1 天"),
    (r"the scope has left what (\d+) older row\(s\) belong to", r"有 \1 条旧记忆属于该范围已离开的项目、雇主或工具"),
    (
        r"the scope has come back to what (\d+) older row\(s\) belong to",
        r"有 \1 条旧记忆属于该范围又回到的项目、雇主或工具",
    ),
    (r"the memories weigh so already", "这些记忆的权重已是如此"),
    (r"weigh (\d+) row\(s\) by ([\d.]+) at recall", r"召回时将 \1 条记忆的权重乘以 \2"),
    (r"weigh (\d+) row\(s\) in full again", r"恢复 \1 条记忆的权重"),
    (r"the content states nothing: words of a conversation alone", "内容没有陈述任何事实：只有对话用语"),
    (r"(\d+) memories repeat what was recalled from another", r"\1 条记忆重复了从另一条召回的内容"),
    (r"(\d+) of its (\d+) parts are memories of their own", r"\2 个部分中有 \1 个另有单独的记忆"),
    (r"(\d+) short memories of one hour say one thing together", r"同一小时内的 \1 条短记忆合起来才说明一件事"),
    # what a step does
    (r"keep (.+), archive (\d+) row\(s\) that say the same", r"保留 \1，归档内容相同的 \2 行"),
    (
        r"keep (.+), archive (\d+) row\(s\) that say the same in other words",
        r"保留 \1，归档以其他措辞说同一件事的 \2 行",
    ),
    (r"keep (.+), archive (\d+) row\(s\) that repeat it as recalled", r"保留 \1，归档把它召回后重复存储的 \2 行"),
    (r"keep (.+), archive (.+), which can't hold beside it: rule (.+)", r"保留 \1，归档与之矛盾的 \2：规则 \3"),
    (
        r"archive (.+), which can't hold beside (.+); in the end (.+) stays: rule (.+)",
        r"归档与 \2 矛盾的 \1；最终保留 \3：规则 \4",
    ),
    (r"mark (.+) and (.+) as disputed; both stay", r"把 \1 和 \2 标为有争议；两条都留"),
    (r"mark (.+) as disputed; both stay", r"把 \1 标为有争议；都留"),
    (r"lift the mark of (.+): its dispute is over", r"撤去 \1 的标记：争议已了"),
    (r"(.+) stays marked: (\d+) of its disputes are over, (\d+) are not", r"\1 的标记保留：\2 项争议已了，\3 项未了"),
    (r"link (.+) as an exception of (.+); both stay", r"把 \1 关联为 \2 的例外；两条都留"),
    (r"put (\d+) fragments together in (.+), archive the other (\d+)", r"把 \1 条碎片合到 \2，归档其余 \3 条"),
    (r"let (.+) name (.+) instead of (.+)", r"让 \1 改指 \2，不再指向 \3"),
    (r"write the status as (.+)", r"把状态写为 \1"),
    (r"set the scope to (?P<value>.+), told by (?P<reasons>.+)", r"把范围设为 \2，依据：\1"),
    (r"set the source to (?P<value>.+), told by (?P<reasons>.+)", r"把来源设为 \2，依据：\1"),
    (r"its (\S+)", r"其 \1"),
    (r"(\d+) siblings of one batch", r"同批 \1 条记忆"),
    (r"fill (?P<reasons>.+)", r"补全 \1"),
    (r"(.+) from its claim", r"\1（来自其声明）"),
    (r"(.+) from (\d+) siblings of one batch", r"\1（来自同批 \2 条记忆）"),
    (r"(.+) from the configured default", r"\1（来自配置的默认值）"),
    # what the canary of a move waits for, and why it ended
    (r"(\d+) of (\d+) recalls of the old space", r"旧空间的召回已有 \1 次，需要 \2 次"),
    (r"(\d+) of (\d+) recalls of the new space", r"新空间的召回已有 \1 次，需要 \2 次"),
    (r"p95 ([\d.]+) ms against ([\d.]+) ms", r"P95 为 \1 毫秒，旧空间为 \2 毫秒"),
    (
        r"p95 ([\d.]+) ms against ([\d.]+) ms of (\d+) recalls, which is not certain",
        r"\3 次召回的 P95 为 \1 毫秒，旧空间为 \2 毫秒，尚不能确定",
    ),
    (
        r"([\d.]+) of (\d+) probes find themselves first against ([\d.]+)",
        r"\2 个探测查询中排第一找回自身的占 \1，旧空间为 \3",
    ),
    (r"somebody else went on with it", r"已有他人继续推进"),
    *((re.escape(english), chinese) for english, chinese in VOIDS.values()),
)

_COMPILED: Final = tuple((re.compile(pattern, re.DOTALL), said) for pattern, said in _PATTERNS)


def chinese(text: str) -> str | None:
    """The reason in Chinese, or None when it is not one we know."""
    for pattern, said in _COMPILED:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        inner = match.groupdict()
        if "reason" in inner:  # a reason within a reason
            said = said.replace(r"\1", chinese(inner["reason"]) or inner["reason"])
            return said.replace(r"\2", chinese(inner.get("more") or "") or inner.get("more") or "")
        if "reasons" in inner:
            parts = inner["reasons"].split(", ")
            said = said.replace(r"\1", "、".join(chinese(part) or part for part in parts))
            return said.replace(r"\2", inner.get("value") or "")
        if "differs" in inner:
            parts = inner["differs"].split(", ")
            said = said.replace(r"\1", "、".join(map(difference, parts)))
            return said.replace(r"\2", inner.get("value") or "")
        return match.expand(said)
    return None
