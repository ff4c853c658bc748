"""What the gate says, for people: its parts, its reasons and its table, in English and Chinese."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from mendory.migration.gate import Examined, Gate, Outcome, Part
from mendory.migration.quality import Slice
from mendory.migration.void import Void
from mendory.text import shown

_BOTH = tuple[str, str]

PARTS: Final[Mapping[str, _BOTH]] = {
    "purity": ("purity", "纯净度"),
    "quality": ("quality", "检索质量"),
    "self_retrieval": ("self-retrieval", "自检索"),
    "agreement": ("agreement", "一致性"),
    "cost": ("speed and cost", "速度与成本"),
}
STAGES: Final[Mapping[str, _BOTH]] = {
    "registered": ("registered", "已登记"),
    "filling": ("filling", "填充中"),
    "gating": ("at the gate", "闸门检验中"),
    "approved": ("approved", "已批准"),
    "canary": ("canary", "灰度中"),
    "switched": ("switched", "已切换"),
    "soaking": ("soaking", "观察期"),
    "retired": ("retired", "已退役"),
    "rolled_back": ("rolled back", "已回退"),
}
OUTCOMES: Final[Mapping[str, _BOTH]] = {
    "passed": ("passed", "通过"),
    "look": ("passed, look at it", "通过，请看一眼"),
    "refused": ("refused", "拒绝"),
}
REASONS: Final[Mapping[str, _BOTH]] = {
    "half_migrated": (
        "rows still lack a vector of the new model for the text they have now; let the filling end",
        "有些行还没有当前文本的新模型向量；请等填充完成",
    ),
    "other_dimension": (
        "vectors have another dimension than the new model's; embed these rows again",
        "有些向量的维度与新模型不同；请重新嵌入这些行",
    ),
    "unusable_vectors": (
        "vectors are zero or not finite; embed these rows again",
        "有些向量为零或含非有限值；请重新嵌入这些行",
    ),
    "unnormalised": (
        "vectors have the right direction and another length; set the normalisation and embed these rows again",
        "有些向量方向正确但长度不对；请改正归一化设置并重新嵌入这些行",
    ),
    "shuffled": (
        "vectors are the new model's, of other rows' texts; embed these rows again",
        "有些向量出自新模型，却属于其他行的文本；请重新嵌入这些行",
    ),
    "lost_prefix": (
        "vectors are the new model's, of the right texts with another prefix or pooling; set it and embed again",
        "有些向量出自新模型和正确的文本，但前缀或池化方式不同；请改正设置并重新嵌入",
    ),
    "wrong_model": (
        "vectors are another model's of the same dimension; set the model and embed these rows again",
        "有些向量出自维度相同的另一个模型；请改正模型并重新嵌入这些行",
    ),
    "too_few_rows_embedded_again": (
        "too few rows were embedded again to know; let the whole sample be embedded",
        "重新嵌入核对的行太少，无法判断；请嵌入全部抽样",
    ),
    "too_few_queries": (
        "too few queries could be made from memories; the table must hold more of them",
        "能由记忆生成的查询太少；表中需要有更多记忆",
    ),
    "worse": ("the new model finds less; choose another one", "新模型的检索更差；请选择其他模型"),
    "unsure": (
        "the queries do not tell whether the new model finds less; add judged queries",
        "现有查询无法断定新模型是否更差；请补充人工判定的查询",
    ),
    "slice_worse": (
        "the new model certainly finds less in a language or scope",
        "在某种语言或某个范围内，新模型的检索确定更差",
    ),
    "self_retrieval_worse": (
        "fewer memories are found among ten by queries made from them",
        "用记忆自身生成的查询，前十条中能找回的记忆变少了",
    ),
    "nothing_found": ("neither space answered a query", "两个空间都没有回答任何查询"),
    "same": (
        "every query is answered alike: the old space was compared with itself",
        "所有查询的结果完全相同：很可能把旧空间与它自己作了比较",
    ),
    "apart": ("hardly an answer is alike; look at the worst queries", "两者的结果几乎没有重合；请查看最差的查询"),
    "too_few_timed": ("too few recalls were timed; time 200 in each space", "计时的召回太少；每个空间请计时 200 次"),
    "slower": ("recalls take more than half as long again, by 5 ms at least", "召回耗时增加超过一半，且超过 5 毫秒"),
    "cost_unknown": (
        "nobody knows what the new model costs; set embedder.price_per_million_chars",
        "不知道新模型的费用；请设置 embedder.price_per_million_chars",
    ),
}
"""Each reason with what to do next."""
LEFT_OUT: Final[Mapping[str, _BOTH]] = {
    "nobody here can take it apart": ("no language pack takes them apart", "没有能切分其文本的语言包"),
    "several of its scope have its text": ("their scope holds the text twice", "同一范围内有相同文本"),
    "too long": ("they are longer than a model takes", "超过模型可接受的长度"),
    "too short": ("they have fewer than five words", "不足五个词"),
}
"""Why no query was made of a memory."""
ALARMS: Final[Mapping[str, _BOTH]] = {
    "found_less": ("searches find less than at the gate", "检索到的比闸门检验时少"),
    "vectors_differ": ("rows hold vectors that are not of their text", "有些行的向量与其文本不符"),
}
"""What a look at a soaking space may raise."""
VOIDS: Final[Mapping[Void, _BOTH]] = {
    Void.NO_GATE: ("No gate stands that the move has passed", "没有一次有效且已通过的关卡检查"),
    Void.OTHER_GATE: ("The approval is of another gate than the one that stands", "批准所针对的并非当前有效的关卡检查"),
    Void.EXPIRED: ("The approval is older than approval.window", "批准已超过 approval.window 的时限"),
    Void.ROWS_CHANGED: ("Too many rows have changed since the gate", "关卡检查之后改动的行太多"),
    Void.UNKNOWN: (
        "The table's history does not tell which rows have changed since the gate",
        "表的历史无法说明关卡检查之后哪些行有改动",
    ),
}
"""Why a gate, or the word on it, holds no more."""
_LINES: Final[Mapping[Part, _BOTH]] = {
    Part.PURITY: (
        "{fresh} of {texts} rows on the new model · {agreed} of {embedded_again} embedded again agree",
        "{texts} 行中 {fresh} 行已用新模型 · 重新嵌入 {embedded_again} 行，{agreed} 行相符",
    ),
    Part.QUALITY: (
        "nDCG@10 {old:.3f} → {new:.3f} ({delta:+.3f}, at least {lower:+.3f}) over {queries} queries",
        "nDCG@10 {old:.3f} → {new:.3f}（{delta:+.3f}，至少 {lower:+.3f}），{queries} 个查询",
    ),
    Part.SELF_RETRIEVAL: (
        "found among ten {old:.3f} → {new:.3f} ({delta:+.3f}, at least {lower:+.3f}) · first {first_old:.3f} → "
        "{first_new:.3f}",
        "前十条内找回 {old:.3f} → {new:.3f}（{delta:+.3f}，至少 {lower:+.3f}）· "
        "排第一 {first_old:.3f} → {first_new:.3f}",
    ),
    Part.AGREEMENT: (
        "overlap@10 {overlap:.2f} · RBO {rbo:.2f} · same first answer {same_first:.2f}",
        "前十重合 {overlap:.2f} · RBO {rbo:.2f} · 首条相同 {same_first:.2f}",
    ),
    Part.COST: (
        "P95 {old_p95} → {new_p95} ms · {texts} texts to embed, {money}",
        "P95 {old_p95} → {new_p95} 毫秒 · 嵌入 {texts} 条文本，{money}",
    ),
}
_SLICE: Final = (
    "{axis} {value}: {old:.3f} → {new:.3f} ({delta:+.3f}, at most {upper:+.3f}) over {queries} queries{veto}",
    "{axis} {value}：{old:.3f} → {new:.3f}（{delta:+.3f}，至多 {upper:+.3f}），{queries} 个查询{veto}",
)
_AXES: Final[Mapping[str, _BOTH]] = {"language": ("language", "语言"), "scope": ("scope", "范围")}
_VETO: Final = (" — vetoes", "——否决")
_RIGHT: Final = ("right", "应得")
_OLD: Final = ("old", "旧")
_NEW: Final = ("new", "新")
_FREE: Final = ("no price", "无计费")


def stage(name: str, language: str) -> str:
    """The stage in words.

    >>> stage("gating", "en"), stage("gating", "zh")
    ('at the gate', '闸门检验中')
    """
    return STAGES[name][int(language == "zh")]


def alarm(name: str, language: str) -> str:
    """What a look at a soaking space raised, in words.

    >>> alarm("vectors_differ", "en"), alarm("found_less", "zh")
    ('rows hold vectors that are not of their text', '检索到的比闸门检验时少')
    """
    return ALARMS[name][int(language == "zh")]


def reasons(names: Iterable[str], language: str) -> str:
    """Why a gate refused, each reason with what to do next.

    >>> reasons(["apart", "worse"], "zh")
    '两者的结果几乎没有重合；请查看最差的查询；新模型的检索更差；请选择其他模型'
    """
    at = int(language == "zh")
    return ("; ", "；")[at].join(REASONS[name][at] for name in names)


def table(gate: Gate, language: str, most: int = 12) -> tuple[str, ...]:
    """The gate in lines: each part with its numbers and reasons, then the slices, the worst first, at most so many."""
    at = int(language == "zh")
    lines: list[str] = []
    for part in gate.parts:
        lines.append(f"{PARTS[part.part.value][at]}  {OUTCOMES[part.outcome.value][at]}  {numbers(part, at)}")
        lines += [f"  {REASONS[reason][at]}" for reason in part.reasons]
    lines += [_slice(one, at) for one in gate.slices[:most]]
    return tuple(lines)


def numbers(part: Examined, at: int) -> str:
    """The numbers of a part in one line."""
    held = dict(part.numbers)
    if part.part is Part.QUALITY:
        held = held["ndcg"]
    elif part.part is Part.SELF_RETRIEVAL:
        first = held["first"]
        held = {**held["among_ten"], "first_old": first["old"], "first_new": first["new"]}
    elif part.part is Part.COST:
        held = {"old_p95": "?", "new_p95": "?", **held, **_spent(held, at)}
    return _LINES[part.part][at].format(**held)


def _spent(held: Mapping[str, Any], at: int) -> dict[str, Any]:
    filling = held.get("filling")
    if filling is None:
        return {"texts": "?", "money": "?"}
    return {"texts": filling["texts"], "money": _FREE[at] if filling["cost"] is None else f"{filling['cost']:.2f}"}


def _slice(one: Slice, at: int) -> str:
    said = {**one.change.as_json(), "axis": _AXES[one.axis][at], "value": shown(one.value)}
    return _SLICE[at].format(**said, veto=_VETO[at] if one.vetoes else "")


def side_by_side(
    gate: Gate, queries: Mapping[str, str], texts: Mapping[str, str], language: str, most: int = 3
) -> tuple[str, ...]:
    """The worst queries in lines: what was asked, what answers it, and what each space found first.

    Texts come in for the moment of showing alone, those of queries and of memories by id; where one is not given, its
    id stands there.
    """
    at = int(language == "zh")
    lines: list[str] = []
    for lost in gate.worst:
        said = shown(queries.get(lost.query, lost.query))
        lines.append(f"{said}  nDCG@10 {lost.old_ndcg:.2f} → {lost.new_ndcg:.2f}")
        for name, ids in ((_RIGHT[at], lost.relevant), (_OLD[at], lost.old), (_NEW[at], lost.new)):
            lines += [
                f"  {name}: {'✓' if one in lost.relevant else ' '} {shown(texts.get(one, one))}" for one in ids[:most]
            ]
            lines += [f"  {name}: -"] if not ids else []
    return tuple(lines)


def refusal(gate: Gate) -> tuple[str, ...]:
    """The parts that refuse, with their reasons, as plain English for an error."""
    return tuple(
        f"{PARTS[part.part.value][0]}: {'; '.join(REASONS[reason][0] for reason in part.reasons)}"
        for part in gate.parts
        if part.outcome is Outcome.REFUSED
    )
