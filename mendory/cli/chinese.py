"""The command line in Chinese: each sentence of `say` and of the doctor, counted nouns, what errors mean.

The words are those of the report. A test holds that nothing is missing and that every value is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SENTENCES: Final[Mapping[str, str]] = {
    "next: {commands}": "下一步：{commands}",
    "HIGH": "高",
    "MEDIUM": "中",
    "LOW": "低",
    "zh": "中文",
    "latin": "拉丁字母",
    "ja": "日文",
    "ko": "韩文",
    "other": "其他文字",
    "{number} numbers": "{number} 个数值",
    # get
    "  merged into {id}": "  已并入 {id}",
    "  superseded by {id}": "  已被 {id} 取代",
    "  disputed with {ids}": "  与 {ids} 有争议",
    "  exception of {ids}": "  是 {ids} 的例外",
    "  weighed by {factor} at recall": "  召回权重乘以 {factor}",
    "kept in the ledger": "存于账本",
    # dismiss, keep
    "finding {id}": "发现 {id}",
    "Finding {id} may be planned again.": "发现 {id} 可以重新列入计划。",
    "Dismissed finding {id}. It is not proposed again until a row changes.": "已驳回发现 {id}。行变化之前不再提出。",
    "Steps may change {id} again.": "各步骤又可以改动 {id}。",
    "{id} is kept as it is: no step changes it.": "{id} 保持原样：任何步骤都不改动它。",
    "  kept as they are: {rows}: {ids}": "  保持原样：{rows}：{ids}",
    # event
    "Noted for {time} UTC: {words}": "已记录，时间 {time} UTC：{words}",
    "    changed shortly before: {event}": "    此前的变更：{event}",
    "a served clinic looks at the model within a quarter of an hour; else:": "已部署的诊所会在一刻钟内检查模型；否则：",
    "No change is known.": "没有已知的变更。",
    "  and {events} more; --json lists all": "  另有 {events}；--json 列出全部",
    "  the rows are imported, but the ledger could not note it: {error}": "  各行已导入，但账本未能记录：{error}",
    # policy
    "The configuration alone says again whether {subject} runs by itself.": "{subject} 是否自动执行，重新由配置决定。",
    "{subject} runs by itself from now on, within the limits.": "{subject} 从现在起在限额之内自动执行。",
    "{subject} runs by itself no more; its steps wait for a person.": "{subject} 不再自动执行；其步骤等待人工。",
    "  {subject} stopped running by itself: {command}": "  {subject} 已自行停止自动执行：{command}",
    "No limits are configured, so nothing runs without a person.": "未配置限额，因此没有人的批准什么都不执行。",
    "rule or step": "规则或步骤",
    "runs": "执行",
    "plans for": "批准的计划",
    "plans against": "拒绝的计划",
    "approved at 95%": "批准率（95%）",
    "taken back": "已撤销",
    "came back": "问题重现",
    "bad at 95%": "失误率（95%）",
    "by_itself": "自动",
    "asks": "须人批准",
    "stopped": "已自行停止",
    "ended": "已由人停止",
    "never by itself: {kinds}": "从不自动执行：{kinds}",
    "deletion": "删除",
    "bulk re-embedding": "大批量重新嵌入",
    "changes of scope": "更改范围",
    "undecided conflicts": "未决的冲突",
    "  {subject}: {by} let it run by itself, {time} UTC; counted since then": (
        "  {subject}：{by} 于 {time} UTC 允许其自动执行；此后重新计数"
    ),
    "  {subject}: {by} ended that it runs by itself, {time} UTC; counted since then": (
        "  {subject}：{by} 于 {time} UTC 停止其自动执行；此后重新计数"
    ),
    (
        "  {subject} stopped by itself: {risen} of its last {repairs} were taken back or did not verify, at least "
        "{share}; it runs again when a person says so"
    ): "  {subject} 已自行停止：最近 {repairs}中有 {risen} 次被撤销或未通过验证，至少 {share}；由人允许后才再执行",
    (
        "  proposed: let {subject} run by itself: of {plans} people approved {approved}, at least {share}; of "
        "{repairs} of a week ago or more {bad} were taken back or came back, at most {most}"
    ): (
        "  建议：允许 {subject} 自动执行：{plans}中人工批准 {approved} 份，至少 {share}；一周以前的 {repairs}中，"
        "被撤销或问题重现 {bad} 次，至多 {most}"
    ),
    (
        "  proposed: let {subject} run by itself no more: of {plans} people approved {approved}, at most {share}; of "
        "{repairs} {bad} were taken back or came back, at least {most}"
    ): (
        "  建议：不再允许 {subject} 自动执行：{plans}中人工批准 {approved} 份，至多 {share}；{repairs}中，"
        "被撤销或问题重现 {bad} 次，至少 {most}"
    ),
    # recall
    "{place}. {id}  {score} = {similarity} × {weight}": "{place}. {id}  {score} = {similarity} × {weight}",
    "{days} days old": "{days} 天前",
    "weighed by {factor}": "权重乘以 {factor}",
    "disputed with {ids}": "与 {ids} 存在争议",
    "disputed": "存在争议",
    "an exception of {ids}": "是 {ids} 的例外",
    "names {id}, which is not there, as its successor": "称其后继为 {id}，但该记忆不存在",
    "of {scope}": "属于 {scope}",
    ", ": "，",
    "hardly ages": "几乎不随时间减弱",
    "its age is not known": "时间未知",
    "before its general memory: the query speaks of its scene": "排在一般记忆之前：查询涉及其场景",
    "before its general memory: it holds in the scope asked for": "排在一般记忆之前：它在所查询的范围内成立",
    "behind its general memory: the query does not speak of its scene": "排在一般记忆之后：查询未涉及其场景",
    "the scope holds {number} that can be recalled": "该范围可召回的记忆共 {number} 条",
    "left out: {number} without a vector": "未返回：{number} 条没有向量",
    "left out: {number} with a successor": "未返回：{number} 条已有后继",
    "left out: {number} whose status nobody knows": "未返回：{number} 条状态未知",
    "nothing makes the owner's reader stop returning a row, so none was left out as archived": (
        "没有任何标记能让您的读取程序不再返回某行，因此没有因归档而略去的记忆"
    ),
    # check
    "read-only": "只读",
    "  cause: {code} ← {cause}, {explains} of {rows} in {attribute} {value} (risk × {ratio:g})": (
        "  根因：{code} ← {cause}，{attribute} {value} 的 {rows}中有 {explains} 行（风险 × {ratio:g}）"
    ),
    "  cause: {code} ← {cause}, {explains} of {rows} show it": "  根因：{code} ← {cause}，{rows}中有 {explains} 行可见",
    "  every row was looked at: {why}": "  已检查全部行：{why}",
    "  nothing changed since v{version}": "  自 v{version} 以来没有变化",
    "  since v{version}: changed {changed}, looked at {looked_at}; of before still stand {stand}": (
        "  自 v{version} 以来：变化 {changed}，查看 {looked_at}；此前仍成立 {stand}"
    ),
    "  {number} small fragments: compact when no repair runs: table.optimize() of LanceDB": (
        "  小片段 {number} 个：请在无修复运行时压缩：LanceDB 的 table.optimize()"
    ),
    "  stands down: {what} ({why})": "  未检查：{what}（{why}）",
    "  door writes since the last check: unknown ({why})": "  上次检查以来经接口的写入：未知（{why}）",
    "  the guard at the door noted: {kinds}": "  写入关卡记录：{kinds}",
    "  door writes since the last check: {number} ({verbs})": "  上次检查以来经接口的写入：{number} 次（{verbs}）",
    "  dismissed earlier: {findings}": "  此前已驳回：{findings}",
    "  not asked for: {findings}": "  未要求：{findings}",
    " (and {reasons})": "（{reasons}）",
    "Nothing found.": "未发现问题。",
    "Nothing of what you asked for was found.": "未发现所要求的问题。",
    "nobody has noted yet which texts the vectors came from; a plan notes it": (
        "尚未记录各向量来自哪段文本；制定计划时会记录"
    ),
    "{rows} changed since their vector was made, {active} of them in recall": (
        "{rows}的文本在生成向量之后改过，其中 {active} 行参与召回"
    ),
    # drift
    "drift": "漂移检查",
    "{rows}, {number} with a usable vector": "{rows}，其中 {number} 行的向量可用",
    "  {damage}  {rows} ({told})  {reason}": "  {damage}  {rows}（{told}）  {reason}",
    "  hint: {out} of {rows} in {axis} {value} lie far out; new topics do too, so it is no finding": (
        "  提示：{axis} {value} 的 {rows}中有 {out} 行偏离较远；新话题也会如此，因此不算问题"
    ),
    "No vector is seen to be wrong.": "未见有误的向量。",
    "the witness could not be asked, so nothing is concluded from it: {error}: {problem}": (
        "无法重新嵌入抽样的行，因此不作结论：{error}：{problem}"
    ),
    "no row was embedded again: what only a witness sees was not looked for": (
        "没有重新嵌入任何行：只有重新嵌入才能发现的问题未查"
    ),
    "{model}: {agreed} of {rows} rows embed again to what they hold; damage to {share} of the table would show": (
        "{model}：抽样 {rows} 行，{agreed} 行重新嵌入后与所存一致；全表若有 {share} 受损即可发现"
    ),
    "{hit} of {rows} sampled": "抽样 {rows} 行中有 {hit} 行",
    "not proven": "未经核实",
    "seen in all rows": "由全部行得出",
    "      {axis} {value}: {hit} of {rows}": "      {axis} {value}：{rows}中有 {hit} 行",
    # calibrate
    "space {space}: {labelled}, {verdicts} of people": "向量空间 {space}：标注 {labelled}，人的裁决 {verdicts}",
    "words alone": "仅文字",
    "a row is not there any more": "有一行已不存在",
    "a row changed since a person judged it": "裁决之后有一行改动过",
    "no language reads it, or the two are in different languages": "没有语言包能读，或两段文字语言不同",
    "in a language that was not asked for": "不是所要求的语言",
    "both are one text": "两段文字完全相同",
    "No pair is left to calibrate with.": "没有可用于校准的文字对。",
    "Saved: the next check uses it.": "已保存：下次检查即使用。",
    "Nothing was saved; with --save --as NAME the next check uses it.": (
        "没有保存；加上 --save --as NAME 后，下次检查即使用。"
    ),
    "{language}: no threshold; {same} labelled the same, {different} labelled different: {reason}": (
        "{language}：没有阈值；标为相同 {same} 对，标为不同 {different} 对：{reason}"
    ),
    "at least {least} of each label are needed": "每种标注至少需要 {least} 对",
    "no threshold has that precision on them": "没有阈值能在其上达到该精确率",
    "{language}: same from {value} on, until now {before}; {number}": (
        "{language}：得分从 {value} 起视为相同，此前为 {before}；共 {number}"
    ),
    "on these pairs: precision {precision}, recall {recall}, false alarms {alarms}": (
        "在这些文字对上：精确率 {precision}，召回率 {recall}，误报率 {alarms}"
    ),
    "on pairs it was not chosen on: precision {precision}, recall {recall}, false alarms {alarms}": (
        "在未参与选取的文字对上：精确率 {precision}，召回率 {recall}，误报率 {alarms}"
    ),
    "the threshold until now: precision {precision}, recall {recall}, false alarms {alarms}": (
        "此前的阈值：精确率 {precision}，召回率 {recall}，误报率 {alarms}"
    ),
    "labelled the same, but something speaks against it: {number}": "标为相同但有否决理由：{number}",
    # plan and show
    "rehearsed on a clone: apply, verify, rollback identical · the table was not written": (
        "已在克隆表上演练：执行、验证、撤销后完全一致 · 未写入表"
    ),
    "Everything that can be planned is in an open plan:": "可计划的内容均已在未结计划中：",
    "Nothing to plan.": "没有可计划的内容。",
    "  no step: {code} × {number} ({why})": "  无步骤：{code} × {number}（{why}）",
    "Plan {code} on v{version}, {state}, expires {time} UTC": "计划 {code}，基于 v{version}，{state}，{time} UTC 过期",
    "{rows} to change, {hidden} hidden, 0 deleted": "将改动 {rows}，隐藏 {hidden} 行，删除 0 行",
    "runs ({authority})": "将执行（{authority}）",
    "suspended: {why}": "已暂停：{why}",
    "  {steps} suspended: {why}": "  {steps}已暂停：{why}",
    "hides {number}": "隐藏 {number} 行",
    "There is no plan yet.": "还没有计划。",
    "  waits for a person: {number} × {why}": "  等待人处理：{number} × {why}",
    "{name} {kind}, level {level}": "{name} {kind}，{level} 级",
    ", rule {rule}": "，规则 {rule}",
    "if wrong: {rollback} · if nobody answers: it expires, nothing more runs": (
        "若有误：{rollback} · 若无人答复：计划过期，不再执行"
    ),
    # approve, reject, apply, rollback
    "Approved {steps} of plan {code} as {by}. Nothing was applied.": (
        "已由 {by} 批准计划 {code} 的 {steps}。尚未执行任何内容。"
    ),
    "Rejected {steps} of plan {code}. Their findings are not proposed again until a row changes.": (
        "已拒绝计划 {code} 的 {steps}。在相关行改动之前，不再提出这些问题。"
    ),
    "Nothing was applied.": "没有执行任何内容。",
    "ok": "正常",
    "FAILED {ids}": "未通过 {ids}",
    "  verified {name}: {said} ({number})": "  验证 {name}：{said}（{number}）",
    "  changed by others meanwhile: {ids}": "  其间被其他程序改动：{ids}",
    "  taken back, since they did not verify: {steps}": "  因未通过验证而自行撤销：{steps}",
    "Plan {code} is {state}. undo: {undo} · report: {report}": "计划 {code}：{state}。撤销：{undo} · 报告：{report}",
    # verify
    "Plan {code} is {state}. {number} of {rows} repaired memories, original → result:": (
        "计划 {code}：{state}。已修复的 {rows} 条记忆中的 {number} 条，原样 → 结果："
    ),
    "Nothing of it stands that could be shown.": "没有可以展示的生效修复。",
    "written by others since": "其后被他人改写",
    "whole": "完整",
    "NOT THERE": "已不存在",
    "names {id}, not there": "指向不存在的 {id}",
    "its images are not those of the receipt": "其快照与回执不符",
    "NOT WHOLE: {lacks}": "不完整：{lacks}",
    "not looked at yet": "尚未查看",
    "good, says {by}": "{by} 认为正确",
    "WRONG, says {by}{why}": "{by} 认为有误{why}",
    "(found by recovery)": "（恢复时发现已执行）",
    "({number} found by recovery)": "（其中 {number} 个在恢复时发现已执行）",
    "  since the plan {shape}": "  制定计划之后：{shape}",
    "Plan {code} is {state}; nothing was applied. report: {report}": (
        "计划 {code}：{state}；没有执行任何内容。报告：{report}"
    ),
    "  {rows} restored byte for byte · {skipped} skipped": "  逐字节恢复 {rows} · 跳过 {skipped} 行",
    "     and {rows} more; --json lists all": "     另有 {rows}；--json 可列出全部",
    "What was taken back is not proposed again until a row changes.": "已撤销的内容在相关行改动之前不再提出。",
    # recover
    "{repairs} settled, {number} unknown.": "已了结 {repairs}，结果未知 {number} 次。",
    "Recorded: the table is accepted as it is; earlier repairs bind nothing any more.": (
        "已记录：接受表的现状；此前的修复不再有约束力。"
    ),
    "  {rid}: unknown; look at its rows ({look}), then: {then} --applied|--not-applied --as NAME": (
        "  {rid}：结果未知；请查看其行（{look}），然后：{then} --applied|--not-applied --as NAME"
    ),
    "Recorded for repair {rid}: applied.": "已记录修复 {rid}：已执行。",
    "Recorded for repair {rid}: not applied.": "已记录修复 {rid}：未执行。",
    "  {repair} step {step}: {said}": "  {repair} 步骤 {step}：{said}",
    # import
    "read {read} = ok {ok} + quarantined {quarantined} + rejected {rejected}": (
        "读取 {read} = 正常 {ok} + 隔离 {quarantined} + 丢弃 {rejected}"
    ),
    "  imported {imported}, already there {already_there}, equal records {duplicate_exact}": (
        "  已导入 {imported}，原已存在 {already_there}，相同的记录 {duplicate_exact}"
    ),
    "  quarantined: ": "  隔离：",
    "  taken, but odd: ": "  已收下但可疑：",
    "  refused records with reasons and hints: {file}": "  被拒绝的记录及原因和提示：{file}",
    "  no record is refused any more; removed: {file}": "  不再有被拒绝的记录，已删除：{file}",
    "Nothing was written.": "没有写入任何内容。",
    "reading the file": "读取文件",
    "pass {number} over the rows": "第 {number} 遍读取",
    # review
    "{findings} waited for longer than {time}": "{findings}等待已超过 {time}",
    "{findings} put off, not listed": "{findings}已推迟，未列出",
    "{number} of {all}": "第 {number} 个，共 {all} 个",
    "answer": "回答",
    "why": "理由",
    "apply now?": "现在执行？",
    "Answered finding {id} as {by}.": "已以 {by} 的名义回答问题 {id}。",
    "Finding {id} is asked about again at {time} UTC.": "问题 {id} 将在 {time} UTC 再次询问。",
    "The answer of {by} to finding {id} was taken back.": "已收回 {by} 对问题 {id} 的回答。",
    "Nothing follows from the answer to finding {id}: {why}": "对问题 {id} 的回答未产生任何步骤：{why}",
    "Nothing waits for a person.": "没有等待人处理的内容。",
    "repair {rid}: nobody knows whether it was applied": "修复 {rid}：无人知道是否已执行",
    "plan {code} is open and expires {time} UTC": "计划 {code} 待处理，{time} UTC 过期",
    "{severity} {code} × {number}: {why}": "{severity} {code} × {number}：{why}",
    "scope {scope}": "范围 {scope}",
    "since {time} UTC, {age}": "自 {time} UTC 起，已 {age}",
    "    and {findings} more; --limit or --json lists them": "    另有 {findings}；用 --limit 或 --json 列出",
    "next: {advice}, then {command}": "下一步：{advice}，然后 {command}",
    "find the program that writes these rows back and stop it": "找到把这些行写回去的程序并停止它",
    "name in [mapping.hide] what makes your reader stop returning a row": (
        "在 [mapping.hide] 中写明什么会让您的读取程序不再返回某行"
    ),
    "write what can be read into these cells, or mend [mapping]": "在这些单元格写入可读的内容，或改正 [mapping]",
    "write into these rows when they were stored": "为这些行写明何时存入",
    "write into these rows when they were last changed": "为这些行写明何时最后改动",
    "archive all but one of these rows where they are written": "在写入这些行的程序中，除其中一行外全部归档",
    "decide which of these rows says it right": "决定这些行中哪一行是对的",
    "decide which of these two holds, archive the other, or mend what one of them says": (
        "决定两条中哪条成立，归档另一条，或改正其中一条"
    ),
    "write the new value into this row, or archive it": "在该行写入新值，或将其归档",
    "link the exception to the general memory, or archive what no longer holds": (
        "把例外关联到一般记忆，或归档不再成立的"
    ),
    "let the next plan take the mark away": "让下一个计划撤去标记",
    "decide which of these two says it right, or whether both do": "判定这两条哪条正确，或是否都成立",
    "look whether these memories still matter, and confirm those that do": "查看这些记忆是否仍有用，有用的请确认",
    "archive what is long done, or write what came of it": "归档早已完成的任务，或写明其结果",
    "see what the detector says of these rows": "查看检测器对这些行的说明",
    "look whether these rows say one thing, and archive what the others cover": (
        "查看这些行是否说的是同一件事，并归档其他行已涵盖的行"
    ),
    "archive what was recalled and stored again, and stop its writer": "归档被召回后再次存储的行，并停止其写入程序",
    "write what these rows say together into one of them, and archive the others": (
        "把这些行合起来的意思写入其中一行，并归档其余各行"
    ),
    "write in these rows once what they say several times": "把这些行中反复说的内容只写一次",
    "keep in these rows what the message says, without its envelope": "在这些行中只保留消息所说的内容，去掉外壳",
    "decide whether the compound row or those of its parts are wanted": "决定保留合并陈述的行，还是各部分的行",
    "archive these rows, and let their writer skip such messages": "归档这些行，并让写入程序跳过这类消息",
    "write into these rows whose memory they are": "为这些行写明是谁的记忆",
    "give these rows an id": "为这些行写入编号",
    "give all but one of these rows an id of its own": "除其中一行外，为其余各行写入各自的编号",
    "write the content of these rows, or archive them": "补写这些行的内容，或将其归档",
    "embed these rows again": "为这些行重新生成向量",
    "write the metadata of these rows as a JSON object": "把这些行的元数据写成 JSON 对象",
    "write the missing keys, or set [metadata.defaults]": "补写缺少的键，或设置 [metadata.defaults]",
    "write a known status into these rows, or say in [mapping.status] what theirs means": (
        "为这些行写入已知的状态，或在 [mapping.status] 中说明其含义"
    ),
    "clear these references, or restore what they name": "清除这些引用，或恢复其所指的记忆",
    "write into these rows who said it": "为这些行写明是谁说的",
    "embed these rows again with the model of the others": "用其他行所用的模型为这些行重新生成向量",
    "embed these rows again, or normalise their vectors": "为这些行重新生成向量，或将其向量归一化",
    "embed these rows again, one text at a time": "逐条为这些行重新生成向量",
    "embed the texts of these rows as they are now": "按这些行现在的文本重新生成向量",
    "write the scope of these rows as your reader asks for it": "按读取程序查询的写法改写这些行的范围",
    "clear these references to the row itself": "清除这些指向自身的引用",
    "decide which of these rows is valid, and clear its reference": "决定这些行中哪一行有效，并清除它的引用",
    "let these rows name what replaces them now": "让这些行直接指向现在取代它们的记忆",
    "clear these references, or mend the scope of one of the rows": "清除这些引用，或更正其中一行的范围",
    "decide whose these rows are, and write their scope or their owner anew": "判定这些行属于谁，并更正其范围或所有者",
    "look whether these rows are another scope's, and move or archive them": (
        "查看这些行是否属于另一个范围，再移走或归档"
    ),
    "give each person's rows a scope of their own, and let their writer name it": (
        "为每个人的行设各自的范围，并让写入程序写明范围"
    ),
    "decide which of these scopes is the owner's, and let their writer use it alone": (
        "判定哪个范围是该所有者的，并让写入程序只用它"
    ),
    "write these scopes in one way, or declare in [scopes.parents] what lies in what": (
        "统一这些范围的写法，或在 [scopes.parents] 中说明包含关系"
    ),
    "let the writer join the parts of a scope so that they can be told apart": (
        "让写入程序以可区分的方式拼接范围的各部分"
    ),
    "confirm what still holds of these rows, and archive the rest": "确认这些行中仍成立的，其余归档",
    "look whether these ids mean one memory, and write it in one way": "查看这些编号是否指同一条记忆，并统一写法",
    "mend the times of these rows, or the clock of their writer": "更正这些行的时间，或写入程序的时钟",
    "write these times in the unit of the column, or name the unit in [mapping.times]": (
        "按该列的单位改写这些时间，或在 [mapping.times] 中写明单位"
    ),
    "write into these rows the times that are meant": "为这些行写入实际的时间",
    "take the hidden characters out, or archive the rows if somebody hid them there": (
        "去掉隐藏字符；若是有人故意隐藏，则归档这些行"
    ),
    "split these contents into memories of their own": "把这些内容拆分为多条记忆",
    # deploy
    "create": "新建",
    "update": "更新",
    "same": "不变",
    "keep": "保留",
    "delete": "删除",
    "": "",
    "work pool": "工作池",
    "work queue": "工作队列",
    "deployment": "部署",
    "concurrency limit": "并发限制",
    "automation": "自动化",
    "flow": "流程",
    "of type {type}": "类型 {type}",
    "of type {type}, runs at a time: {runs}": "类型 {type}，同时运行 {runs} 个",
    "one run at a time near the table": "同一时间只有一次运行接触该表",
    "differs in {fields}": "不一致：{fields}",
    "no times: another run starts it, or a person": "无定时：由别的运行或由人启动",
    "cron {cron}, dry run": "cron {cron}，仅检查与计划",
    "cron {cron}, repairs": "cron {cron}，执行修复",
    "not made by mendory deploy": "不是由 mendory deploy 创建",
    "other deployments use it: {number}": "仍有其他部署使用：{number} 个",
    "other runs are under it: {number}": "仍有其他运行：{number} 次",
    "with its queues": "连同其队列",
    "with its runs": "连同其运行记录",
    "Nothing with our mark and this prefix is there.": "没有带本工具标记且使用该前缀的对象。",
    "It would be refused: {why}": "实际部署会被拒绝：{why}",
    # doctor
    "{number} of {lines} want attention.": "{lines} 项中有 {number} 项需要处理。",
    "warn": "注意",
    "FAIL": "故障",
    "table": "表",
    "mapping": "映射",
    "hide": "隐藏",
    "witness": "见证",
    "writer": "写入方",
    "ledger": "账本",
    "queue": "队列",
    "repairs": "修复",
    "history": "历史",
    "binding": "绑定",
    "limits": "限额",
    "fragments": "片段",
    "versions": "版本",
    "index": "索引",
    "disk": "磁盘",
    "software": "软件",
    "pylance": "pylance",
    "extras": "附加组件",
    "{error}: {problem}": "{error}：{problem}",
    "{table} v{version}, {rows} rows": "{table} v{version}，{rows} 行",
    "mend [table] or [mapping] in the configuration": "改正配置中的 [table] 或 [mapping]",
    "the table holds no row": "表中没有行",
    "of {rows} rows none has a readable {lost}": "{rows} 行中没有一行的 {lost} 可读",
    "of {rows} rows some cells are unreadable: {unreadable}; readable in all: {every}; in some: {some}": (
        "{rows} 行中有单元格不可读：{unreadable}；每行可读：{every}；部分行可读：{some}"
    ),
    "of {rows} rows readable in all: {every}; in some: {some}": "{rows} 行中每行可读：{every}；部分行可读：{some}",
    "mend [mapping.columns], or make it anew: mendory init FOLDER#TABLE --config OTHER.toml": (
        "改正 [mapping.columns]，或重新生成：mendory init FOLDER#TABLE --config OTHER.toml"
    ),
    "mend [mapping], or these cells: mendory check --only wrong_type": (
        "改正 [mapping]，或改正这些单元格：mendory check --only wrong_type"
    ),
    "a row can be hidden from the owner's reader": "可以让所有者的读取程序不再返回某行",
    "the owner's reader cannot hide a row: what would hide one is reported, never repaired": (
        "所有者的读取程序无法隐藏某行：需要隐藏的问题只报告，绝不修复"
    ),
    "an owner is writing now: new versions within {watched:g} s: {came}": (
        "所有者正在写入：{watched:g} 秒内新增版本 {came} 个"
    ),
    "nobody wrote within {watched:g} s; the last write was {ago} ago": ("{watched:g} 秒内无人写入；上次写入在 {ago}前"),
    "files": "文件",
    "key": "编号",
    "{advice}": "{advice}",
    "files of the newest version: {count}, all there and of the right length": (
        "最新版本的文件 {count} 个，均存在且长度相符"
    ),
    "each of {rows} rows has an id of its own": "{rows} 行各有自己的编号",
    "key_not_unique: {rows} rows have {distinct} different ids, and a row that shares its id is never repaired": (
        "key_not_unique：{rows} 行只有 {distinct} 个不同编号；与别行共用编号的行从不修复"
    ),
    "find them: mendory check --only duplicate_id,missing_id; their owner must give each an id of its own": (
        "查找：mendory check --only duplicate_id,missing_id；须由所有者为每行给出自己的编号"
    ),
    "fragments: {fragments}, small ones: {small}": "片段 {fragments} 个，其中小片段 {small} 个",
    "compact when no repair runs: table.optimize() of LanceDB": ("在没有修复运行时压实：LanceDB 的 table.optimize()"),
    "versions kept: {versions}": "保留版本 {versions} 个",
    "first: mendory recover; then let old ones go: table.optimize(cleanup_older_than=timedelta(days=7))": (
        "先运行 mendory recover，再清理旧版本：table.optimize(cleanup_older_than=timedelta(days=7))"
    ),
    "index {name} does not know {unindexed} of {rows} rows": "索引 {name} 未包含 {rows} 行中的 {unindexed} 行",
    "bring it up to date: table.optimize() of LanceDB": "更新索引：LanceDB 的 table.optimize()",
    "indices: {count}, none far behind": "索引 {count} 个，均未落后太多",
    "the table is not on this machine's disk": "表不在本机磁盘上",
    "the table takes {size}; {free} free, a repair of {rows} rows needs up to {needed}": (
        "表占用 {size}；可用 {free}，修复 {rows} 行最多需要 {needed}"
    ),
    "in the temporary folder {free} free, a rehearsal of {rows} rows needs up to {needed}": (
        "临时文件夹可用 {free}，演练 {rows} 行最多需要 {needed}"
    ),
    "free some room, or lower limits.rows_per_run": "腾出空间，或调低 limits.rows_per_run",
    "free some room before a large repair": "在大规模修复之前腾出空间",
    "there is none yet; 'mendory plan' makes it": "还没有账本；mendory plan 会建立",
    "its chain of {links} links holds; it takes {size}": "其 {links} 环的哈希链完整；占用 {size}",
    "its chain of {links} links holds; it takes {size}; a power cut would lose records (fsync off)": (
        "其 {links} 环的哈希链完整；占用 {size}；断电会丢失记录（fsync 已关闭）"
    ),
    "set fsync = on and full_page_writes = on in the server's configuration": (
        "在服务器配置中设置 fsync = on 和 full_page_writes = on"
    ),
    "restore the ledger from a backup, or free it": "从备份恢复账本，或解除其占用",
    "mend ledger.url, or what it names": "修正 ledger.url，或它所指的库",
    "repairs of unknown outcome: {count} ({repairs})": "结果未知的修复 {count} 次（{repairs}）",
    "mendory recover": "mendory recover",
    "no finding waits for a person": "没有问题等待人处理",
    "findings that wait for a person: {count}, the oldest for {age}": "等待人处理的问题 {count} 个，最久 {age}",
    "findings that wait for a person: {count}, the oldest for {age}; {late} for longer than queue.alarm_after": (
        "等待人处理的问题 {count} 个，最久 {age}；{late} 个超过 queue.alarm_after"
    ),
    "mendory review --as NAME": "mendory review --as NAME",
    "repairs under way, or left by a crash: {count} ({repairs})": "进行中或因崩溃遗留的修复 {count} 次（{repairs}）",
    "when none is running: mendory recover": "在没有修复运行时：mendory recover",
    "none is open, none has an unknown outcome": "没有未了结的修复，没有未知的结果",
    "the table is at version {version}, but a repair was applied at {applied}: its newest versions are lost": (
        "表处于版本 {version}，但有修复在版本 {applied} 执行：最新的版本已丢失"
    ),
    "restore the table's files, or accept it as it is: mendory recover --adopt --as NAME": (
        "恢复表的文件，或接受现状：mendory recover --adopt --as NAME"
    ),
    "not examined: it takes pylance": "未检查：需要 pylance",
    "point ledger.url at the right ledger": "让 ledger.url 指向正确的账本",
    "the table is bound to no ledger yet; the first apply binds it": "表尚未绑定账本；首次执行时绑定",
    "the table is bound to this ledger": "表已绑定到此账本",
    "none are configured, so nothing runs without a person": "未配置限额，因此没有人的批准什么都不执行",
    "{rows_per_run} rows a run, {repairs_per_day} a day; a day begins at 00:00 {zone}, where it is {time} now": (
        "每次 {rows_per_run} 行，每天 {repairs_per_day} 行；一天从 {zone} 的 00:00 开始，当地现在 {time}"
    ),
    "Python {python}, {names}": "Python {python}，{names}",
    "not installed: this installation can check, approve and show, not repair": (
        "未安装：此安装可检查、批准和查看，不能修复"
    ),
    "pip install 'mendory[repair]'": "pip install 'mendory[repair]'",
    "{pylance}; LanceDB does not say which core it has": "{pylance}；LanceDB 未说明其内核版本",
    "{pylance}, but the core of LanceDB is {core}: their histories may differ": (
        "{pylance}，但 LanceDB 的内核是 {core}：两者的历史格式可能不同"
    ),
    "pip install pylance=={core}": "pip install pylance=={core}",
    "{pylance}, the same core as LanceDB": "{pylance}，与 LanceDB 的内核相同",
    "installed: {there}; not installed: {missing}": "已安装：{there}；未安装：{missing}",
    "not examined: not asked for": "未检查：未要求",
    "  {hidden} of {rows} count as hidden: if that is wrong, mend [mapping.hide]": (
        "  {rows}中有 {hidden} 行算作已隐藏：若不符，请改正 [mapping.hide]"
    ),
    "side state": "派生数据",
    "space": "向量空间",
    "nothing is derived of the rows yet; 'mendory plan' does it": "尚无派生数据；由 'mendory plan' 生成",
    "embed these rows again: their text was changed without its vector": "重新嵌入这些行：文本已改而向量未改",
    "of {rows} rows as of v{version}, {stale} have a vector of another text": (
        "截至 v{version} 的 {rows} 行中，有 {stale} 行的向量来自另一文本"
    ),
    "{rows} rows as of v{version} of v{newest}; no text was seen to change without its vector": (
        "截至 v{version}（最新 v{newest}）共 {rows} 行；未见文本改动而向量未改"
    ),
    "let the table's space be known: mendory spaces --adopt --as NAME": (
        "登记表的向量空间：mendory spaces --adopt --as NAME"
    ),
    "no space of this table is known, so another model would not be refused": (
        "尚未登记此表的向量空间，因此换用别的模型不会被拒绝"
    ),
    "Wrote {file}.": "已写入 {file}。",
    "No browser was found. Open the file yourself.": "未找到浏览器，请自行打开该文件。",
    "mend [embedder], or leave it out: mendory doctor --no-witness": (
        "改正 [embedder]，或跳过：mendory doctor --no-witness"
    ),
    "rows that could not be compared: {count}": "无法比较的行：{count}",
    "the table holds vectors of {stored} dimensions, {model} makes {made}": (
        "表中的向量为 {stored} 维，{model} 生成 {made} 维"
    ),
    "space {model}: no row could be embedded again and compared": "空间 {model}：没有一行可重新生成向量并比较",
    "add rows with texts and vectors": "写入带文字和向量的行",
    "space {model}: {agreed} of {rows} rows embed again to what they hold": (
        "空间 {model}：{rows} 行中有 {agreed} 行重新生成的向量与所存一致"
    ),
    "space {model}: only {agreed} of {rows} rows embed again as they are; median cosine {median}, lowest {low}": (
        "空间 {model}：{rows} 行中只有 {agreed} 行重新生成的向量与所存一致；余弦：中位 {median}，最低 {low}"
    ),
    "set [embedder] to the model, prefix and normalisation the table was embedded with": (
        "把 [embedder] 设为生成该表向量的模型、前缀和归一化方式"
    ),
    "not examined: no embedder is configured": "未检查：未配置向量模型",
    # init
    "the columns are those of our own table": "各列与本工具自己的表相同",
    "a table of your own": "自有的表",
    "There is no table {table} yet; 'mendory import' will create it with vectors of {dimension}.": (
        "还没有表 {table}；mendory import 会创建它，向量为 {dimension} 维。"
    ),
    "Wrote {file}. Nothing runs without a person until you add [limits]. next: {command}": (
        "已写入 {file}。在您加入 [limits] 之前，一切须经人工。下一步：{command}"
    ),
    "volatile {places}": "读取即变 {places}",
    "hide {marks}": "隐藏 {marks}",
    "hide {marks} (confirm)": "隐藏 {marks}（请确认）",
    "hide none: {why}": "无法隐藏：{why}",
    "absent {fields}": "缺少 {fields}",
    "readable of {rows}: {fields}": "{rows}中可读：{fields}",
    "{rows} unreadable": "{rows} 行无法读取",
    "confirm: {what}": "请确认：{what}",
    "its search filters nothing but the scope": "其搜索只按作用域过滤",
    "its search filters nothing but the agent": "其搜索只按智能体过滤",
    "its search filters nothing but node sets": "其搜索只按节点集过滤",
    "no column says by itself that a row is deleted or archived": "没有哪一列本身表明某行已删除或归档",
    "{place} is taken for the {field} by its values alone": "仅凭取值把 {place} 当作 {field}",
    "vectors lie in {places}; {place} is taken for the embedding": "向量列有 {places}；把 {place} 当作 embedding",
    "vectors {places}": "其他向量列 {places}",
    "vectors lie in {places}: name one as embedding under [mapping.columns]": (
        "向量列有 {places}：请在 [mapping.columns] 中把其中一列指定为 embedding"
    ),
    "{place} is taken for the scope, and may hold several people's memories": (
        "把 {place} 当作作用域，其中可能有多人的记忆"
    ),
    "if the reader skips rows by {place}, name it under [mapping.hide]": (
        "如果读取方按 {place} 跳过某些行，请写入 [mapping.hide]"
    ),
    "{place} holds words that are not known: say under [mapping.status] what they mean": (
        "{place} 中的词含义不明：请在 [mapping.status] 中说明"
    ),
    "{place} also holds {words}: findings, unless [mapping.status] says their meaning": (
        "{place} 中还有 {words}：若不在 [mapping.status] 中说明，将列为问题"
    ),
    "{place} is named like a flag and holds other values: name it under [mapping.status]": (
        "{place} 名为标志却含其他取值：请在 [mapping.status] 中说明"
    ),
    "{place} will be written as a count from UTC, though {other} counts from the wall clock of {zone}: name another "
    "mark under [mapping.hide], if its hour matters": (
        "{place} 将按 UTC 计数写入，而 {other} 按 {zone} 的当地时间计数：如果钟点重要，请在 [mapping.hide] 中另指定标记"
    ),
    "{place} is named like a time of deletion and holds what is no such time in {some} of {all} rows: it is no mark, "
    "and rows deleted by it count as live": (
        "{place} 从名称看是删除时间，但 {all} 行中有 {some} 行的取值并非这样的时间：不作为标记，以它删除的行视为有效"
    ),
    "{place} is named like a time of deletion and holds times to come in {some} of {all} rows: taken for an expiry, "
    "it is no mark": "{place} 从名称看是删除时间，但 {all} 行中有 {some} 行是将来的时间：视为到期时间，不作为标记",
    "{place} is named like a time of deletion and is filled in {some} of {all} rows: it is no mark, unless "
    "[mapping.hide] names it": (
        "{place} 从名称看是删除时间，但 {all} 行中有 {some} 行有值：不作为标记，除非写入 [mapping.hide]"
    ),
    "{place} is named like a status and holds {words}: if that is one, name it under [mapping.columns], say what they "
    "mean under [mapping.status] and what hides a row under [mapping.hide]": (
        "{place} 从名称看是状态，取值为 {words}：如果是，请在 [mapping.columns] 中指定它，"
        "在 [mapping.status] 中说明含义，在 [mapping.hide] 中写明什么会隐藏某行"
    ),
    "{place} is named like a mark of deletion too: rows marked there alone count as live, unless [mapping.hide] names "
    "it": "{place} 从名称看也是删除标记：仅在该处标记的行视为有效，除非写入 [mapping.hide]",
    "{place} is named like a mark, and nothing of type {type} can be mapped: it hides nothing": (
        "{place} 从名称看是标记，但类型 {type} 无法映射，因此不用于隐藏"
    ),
    "{place} is empty in {some} of {all} rows, which is taken for active": (
        "{place} 在 {all} 行中有 {some} 行为空，视为有效"
    ),
    "{place} is empty in {some} of {all} rows: findings, unless missing under [mapping.status] says what that means": (
        "{place} 在 {all} 行中有 {some} 行为空：若不在 [mapping.status] 的 missing 中说明含义，将列为问题"
    ),
    "{place} holds no word that means archived: if the reader skips rows by one, say it under [mapping.status] and "
    "[mapping.hide]": (
        "{place} 中没有表示已归档的词：如果读取方按某个词跳过某些行，请写入 [mapping.status] 和 [mapping.hide]"
    ),
    "{place} is empty in {some} of {all} rows: left empty on purpose? If not, take {field} out of mapping.optional": (
        "{place} 在 {all} 行中有 {some} 行为空：是有意留空吗？若不是，请从 mapping.optional 中去掉 {field}"
    ),
    "{places} can't be mapped: a dot, a brace or a backtick in a name is read as more than a name": (
        "{places} 无法映射：名称中的点、花括号或反引号另有含义"
    ),
    "{place} holds numbers that count no time in any unit: {field} has no place": (
        "{place} 中的数字按任何单位都不是时间：{field} 没有对应的位置"
    ),
    '{place} holds times in a form that is not sure: name {field} under [mapping.columns] and forms = ["{form}"] under '
    "[mapping.times.{field}], if that is how they are written": (
        "{place} 的时间格式不能确定：若格式如此，请在 [mapping.columns] 中指定 {field}，"
        '并在 [mapping.times.{field}] 中写 forms = ["{form}"]'
    ),
    "{place} holds dates without a time, which can't be mapped: {field} has no place": (
        "{place} 只有日期没有时刻，无法映射：{field} 没有对应的位置"
    ),
    "--zone {zone} says nothing of {places}: numbers count from UTC, unless a zone stands under [mapping.times]": (
        "--zone {zone} 对 {places} 不起作用：数字按 UTC 计数，除非在 [mapping.times] 中写明时区"
    ),
    "hidden {some}/{all}": "已隐藏 {some}/{all}",
    "{some} of {all} rows count as hidden, and no finding names them: is [mapping.hide] right?": (
        "{all} 行中有 {some} 行视为已隐藏，不会列入任何问题：[mapping.hide] 是否正确？"
    ),
    "there is no folder {folder} either; if it should be there, mend table.uri": (
        "文件夹 {folder} 也不存在；如果它应当存在，请改正 table.uri"
    ),
    "in {folder} there is: {tables}; if you mean one of them, mend table.name": (
        "{folder} 中有：{tables}；如果指的是其中之一，请改正 table.name"
    ),
    "hide {marks}: make sure that the reader skips such rows": "隐藏 {marks}：请核实读取方确实跳过这样的行",
    "{place} holds no value to tell its form by: {form} is assumed": "{place} 没有取值可供判断格式：按 {form} 处理",
    "{place} counts from the wall clock of {zone}: its newest is {hours} h after the commit that wrote it": (
        "{place} 按 {zone} 的当地时间计数：最新值比写入它的提交晚 {hours} 小时"
    ),
    "{place} counts from the wall clock of {zone}: it runs {hours} h ahead of UTC beside {other}": (
        "{place} 按 {zone} 的当地时间计数：与 {other} 对照比 UTC 早 {hours} 小时"
    ),
    "{place} is of {zone}: its newest is {hours} h after the commit that wrote it": (
        "{place} 属于 {zone}：最新值比写入它的提交晚 {hours} 小时"
    ),
    "{place} is of {zone}: it runs {hours} h ahead of UTC beside {other}": (
        "{place} 属于 {zone}：与 {other} 对照比 UTC 早 {hours} 小时"
    ),
    "{place} counts from the wall clock of {zone}: its newest is {hours} h after the commit that wrote it; "
    "if that commit came later than its rows, name e.g. --zone {other}": (
        "{place} 按 {zone} 的当地时间计数：最新值比写入它的提交晚 {hours} 小时；"
        "若提交晚于写入的行，请用例如 --zone {other}"
    ),
    "{place} is of {zone}: its newest is {hours} h after the commit that wrote it; "
    "if that commit came later than its rows, name e.g. --zone {other}": (
        "{place} 属于 {zone}：最新值比写入它的提交晚 {hours} 小时；若提交晚于写入的行，请用例如 --zone {other}"
    ),
    "{place} is of UTC and not of {zone}: its newest is as old as the commit that wrote it": (
        "{place} 属于 UTC 而非 {zone}：最新值与写入它的提交同时"
    ),
    "{place} is taken for {zone}, where its newest is {hours} h after the commit that wrote it: name --zone": (
        "{place} 按 {zone} 处理，但最新值比写入它的提交晚 {hours} 小时：请用 --zone 指定时区"
    ),
    "{place} is taken for {zone}, where its newest is {hours} h after the commit that wrote it: "
    "name --zone, {other} would fit": (
        "{place} 按 {zone} 处理，但最新值比写入它的提交晚 {hours} 小时：请用 --zone 指定时区，{other} 与之相符"
    ),
    "{place} is taken for {zone}, where its newest is {hours} h after the commit that wrote it: no zone is so far "
    "ahead": "{place} 按 {zone} 处理，但最新值比写入它的提交晚 {hours} 小时：没有哪个时区早这么多",
    "{place} has times without a zone, taken for UTC: if they are of another, name --zone": (
        "{place} 的时间不带时区，按 UTC 处理；若不是，请用 --zone 指定"
    ),
    "No space is known yet.": "还没有已知的向量空间。",
    "no embedder is configured": "未配置向量模型",
    # judge
    "no judge is configured": "未配置裁判模型",
    "judge {name}": "裁判模型 {name}",
    "may be asked": "可以询问",
    "stands down: {why}": "不参与：{why}",
    "training": "训练中",
    "trained on {pairs}; on {held_out} it has not seen: {right} right, contradictions precision {p}, recall {r}": (
        "已用 {pairs} 训练；在未见过的 {held_out} 上：答对 {right}，矛盾的精确率 {p}，召回率 {r}"
    ),
    'next: [judge] kind = "cross_encoder", path = "{path}" in mendory.toml': (
        '下一步：在 mendory.toml 中写 [judge] kind = "cross_encoder"，path = "{path}"'
    ),
    "as configured": "与配置相同",
    "another model": "另一个模型",
    "can't be told": "不能确定",
    "active": "在用",
    "filling": "填充中",
    "retired": "已停用",
    "{script}: {agreed} of {rows}": "{script}：{rows} 行中 {agreed} 行相符",
    "left out": "未抽用",
    # migrate
    "  before the move {rows} had a vector that is not of their text: {damage}": (
        "  迁移前有 {rows}的向量与其文本不符：{damage}"
    ),
    "rows filled": "已填充的行",
    "{move} {stage}: {rows} filled in {time} ({rate} a second), {waiting} wait": (
        "{move} {stage}：{time}内填充 {rows}（每秒 {rate} 行），还有 {waiting} 行等待"
    ),
    "No move to another model was ever begun.": "从未开始过向其他模型的迁移。",
    "{move} {stage}: {old} → {new}, recalls search {searched}": "{move} {stage}：{old} → {new}，召回检索 {searched}",
    "{done} of {rows} filled, {waiting} wait": "{rows}中已填充 {done} 行，还有 {waiting} 行等待",
    "  {time} UTC  {stage}  by {by}": "  {time} UTC  {stage}  操作人 {by}",
    "nobody is filling at the moment": "目前没有进程在填充",
    "{rate} rows a second, {left} left": "每秒 {rate} 行，还需 {left}",
    "{rows} written since got their old vector; {waiting} wait.": (
        "{rows}在此期间写入，已补上旧向量；{waiting}仍在等待。"
    ),
    "{move} {stage}. Recalls search the old space again, from their next call on.": (
        "{move} {stage}。召回从下一次调用起重新检索旧空间。"
    ),
    "set [embedder] back to the old model: a program started anew is refused its recalls until then": (
        "把 [embedder] 改回旧模型：在此之前，重新启动的程序召回会被拒绝"
    ),
    "Move {code}": "迁移 {code}",
    "The gate {code} passed. Nothing goes on without a person's word on it.": (
        "闸门 {code} 通过。没有人的批准，迁移不会继续。"
    ),
    "The gate {code} refused. Recalls go on in the old space.": "闸门 {code} 拒绝。召回继续使用旧空间。",
    "Approved on the gate {code} as {by}. Recalls go on in the old space.": (
        "已由 {by} 按闸门 {code} 批准。召回仍使用旧空间。"
    ),
    "The gate {code} stands no more.": "闸门 {code} 不再有效。",
    "the new space answers {share} of the recalls": "新空间回答 {share} 的召回",
    "its soak is over": "观察期已满",
    "it soaks for another {left}": "观察期还剩 {left}",
    "ALARM: {alarm}": "警报：{alarm}",
    "The canary began: the new space answers {share} of the recalls.": "灰度开始：新空间回答 {share} 的召回。",
    "The canary grew: the new space answers {share} of the recalls.": "灰度扩大：新空间回答 {share} 的召回。",
    "The canary waits: {reason}. The new space answers {share} of the recalls, {recalls} of {wanted} came.": (
        "灰度等待中：{reason}。新空间回答 {share} 的召回，已有 {recalls}/{wanted} 次。"
    ),
    "Switched in {seconds} s: recalls search the new space from their next call on.": (
        "已用 {seconds} 秒切换：召回从下一次调用起检索新空间。"
    ),
    "No look is due: the last one, or the switch, is less than a day ago.": "还不需要复查：距上次复查或切换不到一天。",
    "Looked: {found} of {queries} queries find their memory, {gate} did at the gate.": (
        "已复查：{queries} 条查询中 {found} 找到了自己的记忆，闸门检验时为 {gate}。"
    ),
    "{agreed} of {embedded} rows embed to the vector they hold.": (
        "{embedded} 行中有 {agreed} 行重新嵌入后与所存向量一致。"
    ),
    "Recalls search the new space, and the old one is filled on, so that the way back loses nothing.": (
        "召回检索新空间；旧空间继续填充，因此回退什么都不会丢。"
    ),
    "The canary ended itself: {reason}. Recalls search the old space alone, and the move is at the gate.": (
        "灰度自行中止：{reason}。召回只检索旧空间；迁移回到闸门。"
    ),
    "The approval counts no more: {reason}. The move is at the gate again.": ("批准不再有效：{reason}。迁移回到闸门。"),
    "{move} {stage}. Nothing was deleted: the old column stays until it is purged.": (
        "{move} {stage}。什么都没有删除：旧列保留到清除为止。"
    ),
    "The column {column} is gone; {rows} compared before and after, each as it was.": (
        "列 {column} 已清除；前后比对 {rows}，每行都与原来相同。"
    ),
    "{before} on disk before, {after} now.": "磁盘占用：之前 {before}，现在 {after}。",
    "blank": "空白",
    "too long": "太长",
    "no valid text": "不是有效文本",
    "without a usable vector": "没有可用的向量",
    "gone meanwhile": "已不在表中",
    # approvers
    "Enrolled {name} as an approver of level 3. What follows is shown once.": (
        "已登记 {name} 为 3 级批准人。以下内容只显示一次。"
    ),
    "Scan the picture with an authenticator, or type the secret into it:": "请用验证器扫描图案，或手动输入密钥：",
    "Revoked {name}: codes of that secret count for nothing from now on.": "已撤销 {name}：该密钥的验证码从此无效。",
    "What {name} approved before still stands; reject the plan's groups to take that back.": (
        "{name} 此前批准的内容仍然有效；如需收回，请拒绝计划中的相应分组。"
    ),
    "Nobody may answer on the server's page yet.": "还没有人可以在服务器页面上答复。",
    "for level 2, by approval.approvers: {names}": "可批准 2 级（approval.approvers）：{names}",
    "revoked {day} by {by}": "{day} 由 {by} 撤销",
    "locked until {time} UTC": "锁定至 {time} UTC",
    "enrolled": "已登记",
    "since {day} by {by}": "{day} 由 {by} 登记",
    "asking the service: {calls} requests, {characters} characters": (
        "将向服务发出 {calls} 次请求，共 {characters} 个字符"
    ),
    "about {cost}": "约 {cost}",
}
"""English sentence → Chinese sentence with the same values."""

NOUNS: Final[Mapping[str, str]] = {
    "row": "{} 行",
    "pair": "{} 对",
    "labelled pair": "{} 对",
    "verdict": "{} 条",
    "step": "{} 个步骤",
    "finding": "{} 个问题",
    "repair": "{} 次修复",
    "plan": "{} 份计划",
    "other reason": "另有 {} 种原因",
    "event": "{} 项变更",
    "day": "{} 天",
    "hour": "{} 小时",
    "minute": "{} 分钟",
    "second": "{} 秒",
}
"""Noun → how it is counted."""

FAILURES: Final[Mapping[str, str]] = {
    "config_invalid": "配置无效",
    "input_invalid": "输入无法使用",
    "empty_input": "输入为空",
    "bad_encoding": "文件编码不是 UTF-8",
    "truncated_archive": "压缩文件不完整",
    "bad_archive": "压缩文件已损坏",
    "bad_parquet": "Parquet 文件无法完整读取",
    "input_too_large": "输入超出上限",
    "path_not_allowed": "路径不被允许",
    "key_not_unique": "编号不唯一",
    "dependency_missing": "缺少可选组件",
    "check_broken": "检查无法进行",
    "table_not_found": "没有这张表",
    "table_exists": "表已存在",
    "schema_mismatch": "表结构与映射不符",
    "table_corrupt": "表的文件无法读取",
    "table_half_deleted": "表只剩文件夹，没有清单文件",
    "manifest_torn": "最新的清单文件已损坏",
    "manifest_missing": "最新的清单文件不见了",
    "file_unreadable": "表的某个文件缺失或损坏",
    "format_newer": "表的格式比已安装的 LanceDB 更新",
    "table_went_back": "表回到了旧版本",
    "version_unreadable": "历史版本已不存在",
    "commit_conflict": "其他程序抢先提交",
    "unavailable": "存储无响应",
    "plan_not_found": "没有这个计划",
    "plan_closed": "计划已结束",
    "empty_target_set": "目标为空",
    "rehearsal_failed": "演练失败",
    "not_reversible": "无法撤销",
    "migration_refused": "迁移步骤不允许",
    "ledger_mismatch": "账本不符",
    "ledger_corrupt": "账本损坏",
    "lost_ownership": "修复已被接管",
    "memory_refused": "记忆未通过写入前的检查",
    "query_refused": "查询没有可用于检索的向量",
    "memory_not_found": "没有这条记忆",
    "stale_memory": "记忆已被改动",
    "text_refused": "文本不能生成向量",
    "budget_exceeded": "超出服务的调用预算",
    "reply_invalid": "服务的答复无法使用",
    "embedding_invalid": "向量无法使用",
    "endpoint_refused": "服务拒绝请求",
    "space_unknown": "不是该表的向量空间",
    "space_moved": "向量模型中途变了",
    "witness_disagrees": "抽样重算的向量与所存不符",
}
"""Name of an error → what it means; its message is English."""
