"""The report's words: everything a person may meet has a name in both languages, reasons included."""

from __future__ import annotations

import ast
import itertools
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from mendory.catalogue import REMEDIES, RULES, Level, Otherwise, StepKind
from mendory.causes import CAUSES as NAMED
from mendory.causes import UNKNOWN
from mendory.finding import Code, Ring, Severity
from mendory.ledger.plans import FAILED, PlanState
from mendory.policy import Authority, Verdict
from mendory.record import FIELD_NAMES, Status
from mendory.report import words
from mendory.report.differences import DIFFERENCES
from mendory.report.prevention import PREVENTION
from mendory.report.terms import STRATEGIES
from mendory.report.words import count, label, prevention, reason, term, when, word
from mendory.traits import ATTRIBUTES
from mendory.verify import verify
from mendory.veto import Veto
from mendory.work import Outcome

MENDORY = Path(__file__).resolve().parent.parent / "mendory"
HAN = re.compile(r"[\u4e00-\u9fff]")
CAUSES = sorted({*NAMED, UNKNOWN})


def names() -> list[str]:
    """Every stable name that a record can hold."""
    values = [*Code, *StepKind, *PlanState, *Outcome, *Verdict, *Authority, *Severity, *Ring, *Status]
    held = [v.value for v in values if v is not Verdict.RUN]
    held += [FAILED, "rolled_back", "taken_back", "rejected", "approve", "reject", *RULES, *FIELD_NAMES, *CAUSES]
    held += [c.name for c in verify([], {}, (), (), ()).checks]
    held += [*ATTRIBUTES] + [f"level_{int(level)}" for level in Level]
    return sorted(set(held))


@pytest.mark.parametrize("name", names())
def test_every_name_is_said_in_both_languages(name: str) -> None:
    """A code, step, state, outcome, check, cause, field, severity, ring or level has words of its own."""
    assert "_" not in label(name, "en")
    assert HAN.search(label(name, "zh"))
    assert f"{label(name, 'zh')} ({name})" == term(name, "zh")
    assert name == term(name, "en")


def test_every_way_of_treating_a_finding_is_explained() -> None:
    """Each step, and what becomes of findings without one, has a sentence in both languages."""
    treated = {r.step.value for r in REMEDIES.values() if r.step} | {s.value for s in StepKind}

    assert treated | {o.value for o in Otherwise} == set(STRATEGIES)
    assert [] == [k for k, (_, chinese) in STRATEGIES.items() if not HAN.search(chinese)]


def test_every_cause_says_how_to_prevent_it_and_what_to_check() -> None:
    """Each cause has a prevention and a line for a checklist, in both languages, all different."""
    assert set(CAUSES) == set(PREVENTION)
    for cause in CAUSES:
        assert all(HAN.search(line) for line in PREVENTION[cause][1]), cause
    said = [line for pair in PREVENTION.values() for lines in pair for line in lines]
    assert sorted(set(said)) == sorted(said)
    assert prevention("import_bug", "zh") == "发布批次前先校验；检查必填键和状态集合"


def test_every_word_has_both_languages_with_the_same_places() -> None:
    """Each word is there in Chinese and has the same placeholders as in English."""
    for key, (english, chinese) in words._WORDS.items():
        places = [sorted(f for _, f, _, _ in string.Formatter().parse(t) if f) for t in (english, chinese)]
        assert set(places[0]) == set(places[1]), key
        assert HAN.search(chinese) or re.fullmatch(r"[{}\w /、]+", chinese), key


def test_no_name_is_said_like_another_of_its_sort() -> None:
    """No two codes, nor two causes, have the same words: a reader could not tell them apart."""
    for sort in ([c.value for c in Code], [s.value for s in StepKind], CAUSES):
        for lang in words.LANGUAGES:
            assert len(sort) == len({label(name, lang) for name in sort})


# reasons


def variants(node: ast.expr) -> list[str]:
    """Samples of the text an expression makes: every branch, and 7 where a value would stand."""
    match node:
        case ast.Constant(value=str(text)):
            return [re.sub(r"\{\}", "7", text)]
        case ast.JoinedStr(values=parts):
            return ["".join(p) for p in itertools.product(*(variants(v) for v in parts))]
        case ast.FormattedValue(value=ast.IfExp() as branch):
            return variants(branch)
        case ast.FormattedValue(format_spec=ast.JoinedStr(values=[ast.Constant(value=".0%")])):
            return ["7%"]
        case ast.IfExp(body=one, orelse=other):
            return variants(one) + variants(other)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [a + b for a, b in itertools.product(variants(left), variants(right))]
    return ["7"]


def spoken(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions of a node that end up as a reason in a finding, ruling, outcome, plan or queue."""
    at = {"Unplanned": 1, "Ruling": 2, "Result": 2, "give_up": 3, "finding": 3, "Draft": 2, "note": 4, "NoVector": 0}
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if len(args) > at.get(name, 99):
            yield args[at[name]]
        case ast.Tuple(elts=[ast.Attribute(value=ast.Name(id="Outcome" | "Code")), said]):
            yield said
        case ast.Assign(targets=[ast.Name(id="reason" | "why" | "word" | "DOUBLED")], value=said):
            yield said
        case ast.AugAssign(target=ast.Name(id="reason"), value=suffix):
            yield ast.BinOp(ast.Constant("7 of its references lead nowhere"), ast.Add(), suffix)
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id="asked" | "stopped"))], value=said):
            yield said
        case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id="reason"), *_])], value=ast.Tuple(elts=[said, *_])):
            yield said
        case ast.AnnAssign(target=ast.Name(id="NOT_ASKED"), value=ast.expr() as said):
            yield said
        case (
            ast.FunctionDef(name="why" | "_obstacle" | "hidden_meanwhile" | "gone" | "_witness" | "refused") as function
        ):
            yield from (n.value for n in ast.walk(function) if isinstance(n, ast.Return) and n.value)
        case ast.FunctionDef(name="stands_down") as function:
            for inner in ast.walk(function):
                if isinstance(inner, ast.Yield) and isinstance(inner.value, ast.Tuple):
                    yield inner.value.elts[1]


def reasons() -> list[str]:
    """A sample of every reason the code can give."""
    files = [
        MENDORY / f
        for f in (
            *("policy.py", "automation.py", "work.py", "clinic.py", "treatment.py", "deciding.py", "summing.py"),
            "ledger/intents.py",
        )
    ]
    files.append(MENDORY / "mapping" / "giving.py")
    files += [p for folder in ("plan", "detect", "executor") for p in sorted((MENDORY / folder).glob("*.py"))]
    found = {
        text
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for said in spoken(node)
        for text in variants(said)
    }
    return sorted(t for t in found if " " in t)


def test_the_search_for_reasons_finds_those_we_know() -> None:
    """The samples hold one of each sort: of planning, policy, executor, ledger, detectors, clinic."""
    known = {
        "nobody knows what the missing memory became",
        "rule 7 is not confirmed; a person may approve it",
        "7% of the table is sick, above limits.sick_share_table 7%",
        "changed since the plan: 7",
        "its approval was used before",
        "already applied by 7",
        "not asked for",
        "the status is missing",
        "the table has no such field",
        "a step it requires was rejected",
        "set the scope to 7, told by 7",
        "7 siblings of one batch",
        "the row's 7 is that of another 7",
    }

    assert set() == known - set(reasons())
    assert len(reasons()) >= 60


@pytest.mark.parametrize("english", reasons())
def test_every_reason_is_said_in_chinese(english: str) -> None:
    """A reason the code can give is a Chinese sentence, with no English one left in it."""
    said = reason(english, "zh")

    assert HAN.search(said), f"add it to mendory/report/reasons.py: {english}"
    assert not re.search(r"[A-Za-z']{2,} [A-Za-z']{2,} [A-Za-z']{2,}", said.replace("mendory rollback 7 --step", ""))
    assert english == reason(english, "en")


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("changed since the plan: m_1, 记忆2", "计划之后被改动：m_1, 记忆2"),
        (
            "already applied by 1a2b, and its rows are as before: something undid it",
            "已由修复 1a2b 执行，而其行又变回原样：有程序撤销了它",
        ),
        (
            "fill scene from its claim, topic from 4 siblings of one batch",
            "补全 scene（来自其声明）、topic（来自同批 4 条记忆）",
        ),
        (
            "set the scope to user:李, a, told by its metadata.user, 4 siblings of one batch",
            "把范围设为 user:李, a，依据：其 metadata.user、同批 4 条记忆",
        ),
        ("set the source to import, told by 4 siblings of one batch", "把来源设为 import，依据：同批 4 条记忆"),
        ("the row's tenant is that of another scope", "该行的 tenant 属于另一个 scope"),
        ("dismissed: rejected: 故意的", "已驳回：被拒绝：故意的"),
        ("dismissed: rejected: ", "已驳回：被拒绝"),
        ("gone since the plan: a\nb", "计划之后已消失：a\nb"),
        ("a reason nobody has heard of", "a reason nobody has heard of"),
    ],
)
def test_reasons_keep_what_they_name(english: str, chinese: str) -> None:
    """Ids, numbers and people's words stay as they are; a reason we don't know stays whole."""
    assert chinese == reason(english, "zh")


@pytest.mark.parametrize(
    ("number", "noun", "lang", "said"),
    [
        (0, "row", "en", "0 rows"),
        (1, "memory", "en", "1 memory"),
        (5393, "memory", "en", "5,393 memories"),
        (1, "finding is", "en", "1 finding is"),
        (5393, "memory", "zh", "5,393 条记忆"),
        (1, "repair", "zh", "1 项修复"),
    ],
)
def test_numbers_take_the_right_noun(number: int, noun: str, lang: str, said: str) -> None:
    """English has one and several, Chinese its measure word."""
    assert said == count(number, noun, lang)


@pytest.mark.parametrize(
    ("time", "lang", "said"),
    [
        ("2026-03-05T17:04:59+08:00", "en", "5 Mar 2026, 09:04 UTC"),
        ("2026-03-05T17:04:59+08:00", "zh", "2026年3月5日 09:04（UTC）"),
        ("2026-12-31T23:59:59+00:00", "zh", "2026年12月31日 23:59（UTC）"),
    ],
)
def test_times_are_in_utc_and_say_so(time: str, lang: str, said: str) -> None:
    """A time of any zone is shown in UTC, named."""
    assert said == when(time, lang)


def test_a_word_with_places_is_filled_in() -> None:
    """`word` puts values in; without values it is the text."""
    assert word("more", "zh", n=450).startswith("另有 450 项")
    assert word("title", "en") == "Case record"


def test_what_two_memories_differ_in_is_said_in_chinese() -> None:
    """Each veto, and what else rows of one text may differ in, has a Chinese word; names of an owner's keys stay."""
    assert set() == {veto.value for veto in Veto} - DIFFERENCES.keys()
    assert "两条记忆几乎相同，只是以下方面有出入：肯否、数字" == reason(
        "two memories are nearly the same but for polarity, number", "zh"
    )
    assert "3 条记忆文字相同，但在以下方面不同：时间、列 team" == reason(
        "3 memories have one text but differ in time, column team", "zh"
    )
    assert "它们在以下方面不同，绝不合并：场景、元数据 mood" == reason(
        "they differ in scene, metadata.mood: never merged", "zh"
    )
