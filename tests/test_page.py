"""The page that asks, its form and its one line: golden cases in both languages, and true of a real table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Annotated, Any, Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from pydantic import Field as Bound
from pydantic import ValidationError, create_model

from mendory import treatment
from mendory.asking.answer import Answer, Refusal, named, round_of
from mendory.asking.ask import asked
from mendory.asking.asked import MOST_GROUPS
from mendory.asking.fields import DECISIONS, Field, fields
from mendory.asking.page import page, summary
from mendory.asking.words import WORDS, known
from mendory.catalogue import Level
from mendory.clinic import Clinic
from mendory.deciding import answer
from mendory.errors import PlanClosed
from mendory.plan.model import Plan
from tests.conftest import GENEROUS, FakeClock, memory
from tests.page_kit import asked_of
from tests.test_cases import cases, only

LANGS = ("en", "zh")
HAN = re.compile("[\u4e00-\u9fff]")
ALLOWED = {"h3", "p", "ul", "li", "strong", "code", "pre", "blockquote", "table", "thead", "tbody", "tr", "th", "td"}
CANARY = "卡号 4111-1111 canary text"


@pytest.mark.parametrize("case", cases("pages"))
@pytest.mark.parametrize("lang", LANGS)
def test_the_page_is_as_the_case_says(case: Mapping[str, Any], lang: str) -> None:
    """Every line of the page and the summary, for a plan that differs from the usual one as the case says."""
    only({"why", "differs", "summary", *LANGS}, case, "a page")
    made = asked_of(case["differs"])

    assert case[lang] == page(made, lang).splitlines()
    assert case["summary"][lang] == summary(made, lang)


@pytest.mark.parametrize("case", cases("pages"))
def test_both_languages_say_the_same_things(case: Mapping[str, Any]) -> None:
    """Each line of one language has its line in the other, of the same form and with the same code."""

    def skeleton(line: str) -> tuple[str, list[str]]:
        mark = re.match(r"[#>|` -]*", line)
        return mark.group() if mark else "", sorted(re.findall(r"`[^`]+`", line.replace("姓名", "NAME")))

    assert [skeleton(line) for line in case["en"]] == [skeleton(line) for line in case["zh"]]


def markup(text: str) -> tuple[set[str], list[str]]:
    """(elements, addresses) that a renderer which lets HTML through makes of the Markdown."""
    html = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)
    return set(re.findall(r"<([a-zA-Z][\w-]*)", html)), re.findall(r'(?:href|src)="([^"]*)"', html)


def live_addresses(text: str) -> list[str]:
    """What GitHub's Markdown turns into a link by itself, outside code and our own links."""
    outside = re.sub(r"(?s)^(`{3,})text\n.*?^\1$|`[^`\n]*`|\]\([^)\n]*\)", "", text, flags=re.MULTILINE)
    return re.findall(r"(?i)(?:https?|ftp)://\S+|www\.\S+|[\w.+-]+@\w\S*", outside)


@pytest.mark.parametrize("case", cases("pages"))
@pytest.mark.parametrize("lang", LANGS)
def test_a_page_fits_a_narrow_form(case: Mapping[str, Any], lang: str) -> None:
    """Tables have at most four columns, at most twelve groups are listed, nothing but the case record is a link."""
    made = asked_of(case["differs"])
    said = "\n".join(case[lang])
    tables = re.findall(r"(?:^\|.*\n)+", said + "\n", re.MULTILINE)
    elements, addresses = markup(said)

    assert 2 == len(tables)
    assert {4} == {len(re.findall(r"(?<!\\)\|", row)) - 1 for table in tables for row in table.splitlines()}
    assert len(tables[0].splitlines()) - 2 <= MOST_GROUPS + 1
    assert (1 if made.report_url else 0) == len(addresses)
    assert set() == elements - ALLOWED - ({"a"} if made.report_url else set())
    assert [] == live_addresses(said)


HOSTILE = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            [
                "|",
                "`",
                "```",
                "\n",
                "~~~",
                "![x](http://e.vil/x)",
                "<script>",
                "[a](//e.vil)",
                "<http://e.vil>",
                "# h",
                "*",
                "_",
            ]
            + [
                "www.e.vil",
                "WWW.e.vil",
                "a@e.vil",
                "\\",
                "&#60;",
                "\u202e",
                "\u200b",
                "- ",
                "    ",
                "> ",
                "1. ",
                "{{ 7*7 }}",
                "喝",
            ]
        ),
        max_size=8,
    ).map("".join),
)


@settings(deadline=None)
@given(HOSTILE, st.sampled_from(LANGS))
@example("`" * 30, "en")
@example("![x](HTTP://e.vil/x.png)", "zh")
@example("__0__", "en")
@example("__茶__ ___a_b___", "zh")
def test_no_data_ever_becomes_markup(text: str, lang: str) -> None:
    """Whatever a scope, name, reason, value, id or memory holds: the page has the same elements as without it."""

    def made(data: str) -> str:
        cause = {"code": "illegal_status", "cause": "import_bug", "attribute": "batch", "value": data}
        cause |= {"risk_ratio": 9.0, "explains": 9, "unexplained": 0}
        differs = {
            "scopes": [[data or None, 96]],
            "evidence": [["reference_self", "low", 1, 1, f"the row names itself: {data}"]],
            "causes": [cause],
            "refused": ["unknown_approver", data, "2026-03-01T20:03:00+00:00"],
            "named": [data],
            "enrolled": ["王芳"],
            "excerpts": [[data, data]],
        }
        return page(asked_of(differs), lang)

    said, plain = made(text), made("x")

    assert markup(plain) == markup(said)
    assert [] == live_addresses(said)
    assert len(plain.splitlines()) == len(said.splitlines())


@pytest.mark.parametrize("key", sorted(WORDS))
def test_every_word_is_in_both_languages(key: str) -> None:
    """English and Chinese are both there, with the same values and the same code, and are not each other's."""
    english, chinese = WORDS[key]
    values, code = r"\{\w+\}", r"`[^`]*`"

    assert sorted(set(re.findall(values, english))) == sorted(set(re.findall(values, chinese)))
    assert sorted(re.findall(code, english.replace("NAME", "姓名"))) == sorted(
        re.findall(code, chinese.replace("NAME", "姓名"))
    )
    assert not HAN.search(english)
    assert HAN.search(chinese) or not re.search(r"[a-z]{2}", re.sub(values, "", english))


@pytest.mark.parametrize("why", [r.value for r in Refusal])
@pytest.mark.parametrize("lang", LANGS)
def test_every_refusal_is_told_in_plain_words(why: str, lang: str) -> None:
    """The page begins with why the last answer did not count and what to do; none is told by its code name."""
    first = page(asked_of({"refused": [why, "li", "2026-03-01T20:03:00+00:00"]}), lang).splitlines()[0]

    assert known(f"why_{why}")
    assert first.startswith("> **")
    assert WORDS[f"why_{why}"][LANGS.index(lang)] in first
    assert f"({why})" not in first


# --- the form ---------------------------------------------------------------------------------


def model(made: tuple[Field, ...]) -> Any:
    """A pydantic model of the fields, as whoever serves the form builds it."""
    kinds: dict[str, Any] = {}
    for one in made:
        kind: Any = Literal[one.options] if one.options else Annotated[str, Bound(pattern=one.pattern)]
        kind = list[kind] if one.many else kind
        kinds[one.name] = (kind, ... if one.required else ([] if one.many else ""))
    return create_model("Answers", **kinds)


GOOD = {"decision": "approve", "approver": "li", "plan_code": "1a2b3c4d"}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(
    ("given", "fits"),
    [
        ({}, True),
        ({"plan_code": " 1a2b3c4d "}, True),
        ({"plan_code": "1a2b3c4e"}, False),
        ({"plan_code": ""}, False),
        ({"decision": "yes"}, False),
        ({"decision": None}, False),
        ({"approver": "eve"}, False),
        ({"approver": "{{ 7*7 }}"}, False),
        ({"groups": ["G9"]}, False),
        ({"note": "看过了，\n没问题"}, True),
        ({"note": "x" * 501}, False),
    ],
)
def test_the_form_takes_what_fits_and_nothing_else(lang: str, given: Mapping[str, Any], fits: bool) -> None:
    """Decision, approver and plan code have no default; only who may answer and what is offered is taken."""
    form = model(fields(asked_of(), lang))
    if fits:
        assert "approve" == form(**{**GOOD, **given}).decision
    else:
        with pytest.raises(ValidationError):
            form(**{**GOOD, **given})


@pytest.mark.parametrize("missing", sorted(GOOD))
def test_no_answer_stands_by_default(missing: str) -> None:
    """An answer without decision, approver or plan code is none."""
    with pytest.raises(ValidationError):
        model(fields(asked_of(), "en"))(**{k: v for k, v in GOOD.items() if k != missing})


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("case", cases("pages"))
def test_the_form_offers_what_the_page_shows(case: Mapping[str, Any], lang: str) -> None:
    """At most twelve groups, those listed; a label begins with the name that an answer is read by; all is described."""
    made = asked_of(case["differs"])
    form = {f.name: f for f in fields(made, lang)}
    labels = form["groups"].options
    picked = Answer("", "part", labels, "", "", "", "", made.made_at)

    assert tuple(g.name for g in made.shown) == named(picked)
    assert len(labels) <= MOST_GROUPS
    assert all(f"| {name} | " in "\n".join(case[lang]) for name in named(picked))
    assert DECISIONS == form["decision"].options
    assert all(f.title and f.description for f in form.values())
    assert bool(made.only_people and made.enrolled) == ("one_time_code" in form)
    model(tuple(form.values()))


@pytest.mark.parametrize(
    ("code", "fits"),
    [
        ("123456", True),
        ("123 456", True),
        ("１２３４５６", True),
        (" 123456 ", True),
        ("1234567", False),
        ("", True),
        ("12345", False),
        ("abcdef", False),
    ],
)
def test_the_one_time_code_is_six_digits_or_nothing(code: str, fits: bool) -> None:
    """Level 2 can be approved in part without a code; what can be no code is refused by the form."""
    asked = asked_of(
        {"groups": [["G1", "fill", 3, 1, 1, 0, [["level 3: only a person may let it run", 1]]]], "enrolled": ["li"]}
    )
    [field] = [f for f in fields(asked, "en") if f.name == "one_time_code"]

    assert fits == (re.search(field.pattern, code) is not None)


def test_of_many_groups_the_weightiest_are_listed_in_their_order() -> None:
    """Level first, then what is hidden, then rows; the order is that in which they run."""
    groups = [[f"G{n}", "fill", 3 if n == 15 else 1, 1, n, n % 3, [["why", 1]]] for n in range(1, 16)]
    shown = asked_of({"groups": groups}).shown

    assert 12 == len(shown)
    assert "G15" == shown[-1].name
    assert ["G3", "G6", "G9"] == [f"G{n}" for n in range(1, 16) if f"G{n}" not in {g.name for g in shown}]


# --- of a real table --------------------------------------------------------------------------


def sick() -> list[dict[str, Any]]:
    """Two double writes in two scopes, a reference to one of them, a status misspelt, and healthy rows."""
    return [
        memory("a1", content=CANARY, scope="user:ann"),
        memory("a2", content=CANARY, scope="user:ann"),
        memory("a3", content="Sees a2", scope="user:ann", related_ids=["a2"]),
        memory("b1", content="喜欢靠窗的座位", scope="user:李伟"),
        memory("b2", content="喜欢靠窗的座位", scope="user:李伟"),
        memory("c1", content="Lives in Oslo", scope="user:ann", status=" ACTIVE"),
        *(memory(f"h{n}", content=f"Healthy {n}", scope="user:ann") for n in range(5)),
    ]


Make = Callable[..., Clinic]


def planned(clinic: Clinic) -> Plan:
    """The plan of what is found."""
    plan = clinic.plan().plan
    assert plan is not None
    return plan


def rows_of(clinic: Clinic) -> dict[str, dict[str, Any]]:
    """Every row by id."""
    clinic.writer.refresh()
    ids = [str(m.id) for m in clinic.writer.scan()]
    return {row["id"]: row for row in clinic.writer.rows(ids).to_pylist()}


@pytest.mark.lance
def test_the_worst_case_is_what_becomes_of_the_table(clinic: Make) -> None:
    """Approved and applied, exactly as many rows change, leave recall and are deleted, in the scopes that were told."""
    at = clinic(sick(), limits=GENEROUS, approval={"approvers": ["li"]})
    plan = planned(at)
    told, before = asked(at, plan.id), rows_of(at)
    treatment.approve(at, plan.id, None, "li")
    treatment.apply(at, plan.id)
    after = rows_of(at)
    changed = [i for i in before if before[i] != after[i]]
    hidden = [i for i in changed if after[i]["status"] == "archived"]
    scopes = {s: sum(before[i]["scope"] == s for i in changed) for s in ("user:ann", "user:李伟")}

    assert (len(changed), len(hidden), set()) == (told.rows, told.hides, before.keys() - after.keys())
    assert scopes == dict(told.scopes)
    assert len(before) == told.table_rows
    assert told.rows == sum(n for _, n in told.scopes)


@pytest.mark.lance
def test_what_ran_by_itself_is_not_asked_any_more(clinic: Make) -> None:
    """After the automatic part ran only what waits is counted, with why it waits."""
    at = clinic(sick(), limits=GENEROUS)
    plan = planned(at)
    before = asked(at, plan.id)
    treatment.apply(at, plan.id)
    after = asked(at, plan.id)

    assert before.groups[-len(after.groups) :] == after.groups
    assert ("normalise_status", 1) == (before.groups[0].kind, before.groups[0].runs)
    assert before.rows - 1 == after.rows
    assert {("rule merge.exact is not confirmed; a person may approve it", 3)} <= {
        w for g in after.groups for w in g.whys
    }
    assert (True, "medium") == (after.waits, after.severity)


@pytest.mark.lance
def test_limits_that_hold_people_back_are_told(clinic: Make) -> None:
    """Where approving all at once runs nothing the page says so with the limit; and so it happens."""
    at = clinic(sick(), limits={**GENEROUS, "rows_per_run": 2})
    plan = planned(at)
    told, before = asked(at, plan.id), rows_of(at)
    treatment.approve(at, plan.id, None, "li")
    treatment.apply(at, plan.id)

    [(why, steps)] = told.held
    assert f"the run would change {told.rows} rows, above limits.rows_per_run 2" == why
    assert (sum(g.steps for g in told.groups), before) == (steps, rows_of(at))
    assert "Approve in part, or raise the limit" in page(told, "en")


@pytest.mark.lance
def test_a_refused_answer_is_told_and_a_later_one_takes_its_place(clinic: Make, clock: FakeClock) -> None:
    """The newest answer counts: refused it is told, taken it is not; one about an earlier plan of that id is not."""
    at = clinic(sick(), approval={"approvers": ["li"]})
    plan = planned(at)

    def given(number: int, code: str, by: str = "li", verdict: str = "later") -> Answer:
        return Answer(round_of(plan, number), verdict, (), by, code, "", "", at.clock())

    assert None is asked(at, plan.id).refused
    answer(at, plan.id, given(1, "00000000"))
    refused = asked(at, plan.id).refused
    assert refused is not None
    assert ("wrong_plan", "li") == (refused.why, refused.by)
    answer(at, plan.id, given(2, plan.code, by="eve"))
    assert "unknown_approver" == getattr(asked(at, plan.id).refused, "why", "")
    answer(at, plan.id, given(3, plan.code))
    assert None is asked(at, plan.id).refused

    answer(at, plan.id, given(4, "00000000"))
    clock.move(hours=25)
    with pytest.raises(PlanClosed):
        asked(at, plan.id)
    again = planned(at)
    assert (plan.id, None) == (again.id, asked(at, again.id).refused)


@pytest.mark.lance
@pytest.mark.parametrize("lang", LANGS)
def test_no_memory_text_is_on_the_page_unless_privacy_says_so(clinic: Make, lang: str) -> None:
    """By default ids and counts; with `short` forty characters of the first rows, in code."""
    long = "长" * 39 + "尾巴" + "!"
    rows = [*sick(), memory("d1", content=long, scope="user:d"), memory("d2", content=long, scope="user:d")]
    at = clinic(rows, report={"lang": lang})
    plan = planned(at)
    silent = page(asked(at, plan.id), lang)
    short = clinic(None, report={"lang": lang}, privacy={"prefect_excerpts": "short"})
    told = page(asked(short, plan.id), lang)

    assert [] == [row["content"] for row in rows if row["content"][:8] in silent]
    assert f"a1: {CANARY}" in told
    assert "长" * 39 + "尾" in told
    assert "尾巴" not in told
    assert CANARY not in page(asked(short, plan.id, excerpts=False), lang)


@pytest.mark.lance
def test_level_three_names_who_has_codes(clinic: Make) -> None:
    """Enrolled approvers are asked for a code; a revoked one is not named."""
    at = clinic(sick(), approval={"approvers": ["li"]}, notify={"zone": "Asia/Shanghai"})
    plan = planned(at)
    steps = [[replace(s, level=Level.PERSON, rule=None) for s in g.steps] for g in plan.groups]
    groups = [
        replace(g, level=Level.PERSON, rule=None, steps=tuple(s)) for g, s in zip(plan.groups, steps, strict=True)
    ]
    three = replace(plan, groups=tuple(groups), expires_at=plan.expires_at + timedelta(hours=1))
    at.ledger.plans.save(three, at.ledger.plans.context(plan.id))
    before = asked(at, three.id)
    at.ledger.approvers.enrol("王芳", "JBSWY3DPEHPK3PXP", "li")
    at.ledger.approvers.enrol("bo", "JBSWY3DPEHPK3PXQ", "li")
    at.ledger.approvers.revoke("bo", "li")
    after = asked(at, three.id)

    assert "mendory approvers --enroll NAME" in page(before, "en")
    assert ((), ("王芳",)) == (before.enrolled, after.enrolled)
    assert tuple(g.name for g in three.groups) == after.only_people
    assert ["li", "王芳"] == list(next(f for f in fields(after, "zh") if f.name == "approver").options)
    assert "（Asia/Shanghai），即 " in page(after, "zh")


@pytest.mark.lance
@pytest.mark.parametrize(
    ("sections", "zone"),
    [
        ({}, "UTC"),
        ({"limits": {**GENEROUS, "zone": "Asia/Shanghai"}}, "Asia/Shanghai"),
        ({"limits": {**GENEROUS, "zone": "Asia/Shanghai"}, "notify": {}}, "Asia/Shanghai"),
        ({"limits": {**GENEROUS, "zone": "Asia/Shanghai"}, "notify": {"zone": "Europe/Oslo"}}, "Europe/Oslo"),
    ],
    ids=str,
)
def test_the_zone_is_the_one_people_configured(clinic: Make, sections: Mapping[str, Any], zone: str) -> None:
    """That of the quiet hours, else that of the day limits count, else UTC."""
    at = clinic(sick(), **sections)

    assert zone == asked(at, planned(at).id).zone


@pytest.mark.lance
def test_the_case_record_is_linked_where_it_is_served(clinic: Make) -> None:
    """`report.base_url` and the language make the address."""
    at = clinic(sick(), report={"base_url": "https://wiki.example.com/r/", "lang": "zh"})
    plan = planned(at)

    assert f"https://wiki.example.com/r/{plan.code}.zh.html" == asked(at, plan.id).report_url
