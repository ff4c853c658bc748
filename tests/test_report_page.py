"""The case record as a page: complete in every state and both languages, inert, self-contained, readable."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import lancedb
import pytest
from click.testing import CliRunner, Result

from mendory import treatment
from mendory.cli import main
from mendory.clinic import Clinic
from mendory.ledger.plans import PlanState
from mendory.plan.model import Plan
from mendory.report import build
from mendory.report.html import html
from mendory.report.plots import LOOKS
from mendory.report.words import LANGUAGES, label
from mendory.text import shown
from tests.conftest import GENEROUS, FakeClock, make_config, make_table, memory

pytestmark = pytest.mark.lance
ROOT = Path(__file__).resolve().parent.parent
MakeClinic = Callable[..., Clinic]

ELEMENTS = frozenset(
    ("html", "head", "meta", "title", "style", "body", "header", "main", "section", "footer", "div", "span")
    + ("p", "h1", "h2", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "code", "bdi", "strong")
    + ("figure", "figcaption", "svg", "defs", "pattern", "path", "circle", "rect", "text", "desc")
)
ATTRIBUTES = frozenset(
    ("lang", "charset", "http-equiv", "content", "name", "class", "scope", "role", "data-label", "id", "fill")
    + ("width", "height", "patternunits", "d", "cx", "cy", "r", "x", "y", "dx")
    + ("aria-hidden", "aria-labelledby", "focusable")
)
VOID = {"meta"}
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'-->]]></style></svg><b>",
    "**bold** [x](javascript:alert)",
    "m\u202egpj.exe\u200b\u2066",
    "\x1b[2J\x1b]0;owned\x07",
    "{{ 7*7 }}{% raw %}",
    "&lt;b&gt; &#x3c;i&#x3e;",
]


class Page(HTMLParser):
    """A parsed page: elements in order, their attributes, and the text in each place."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.source = source
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[tuple[str, ...], str]] = []
        self.declarations: list[str] = []
        self._open: list[str] = []
        self.feed(source)
        self.close()
        assert [] == self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """An element ends; it must be the one that began last."""
        assert tag == self._open.pop()

    def handle_data(self, data: str) -> None:
        """Text."""
        if data.strip():
            self.texts.append((tuple(self._open), data.strip()))

    def handle_decl(self, decl: str) -> None:
        """The document type."""
        self.declarations.append(decl)

    def unknown_decl(self, data: str) -> None:
        """Anything else that is no element."""
        raise AssertionError(data)

    handle_comment = handle_pi = unknown_decl

    def within(self, *tags: str) -> list[str]:
        """The texts that stand in one of these elements."""
        return [text for place, text in self.texts if set(tags) & set(place)]

    def ours(self) -> list[str]:
        """The texts that are Mendory's own words: neither stable names nor values from elsewhere, nor the style."""
        own = [t for place, t in self.texts if not {"code", "bdi", "style"} & set(place)]
        labels = [a["data-label"] or "" for _, a in self.elements if "data-label" in a]
        return own + labels

    def rows(self, section: str) -> list[list[str]]:
        """The cells of a section's table, row by row, each as one text."""
        part = self.source.partition(f'<section class="table {section}">')[2].partition("</section>")[0]
        rows = re.findall(r"<tr role=\"row\">(<td.*?)</tr>", part, re.DOTALL)
        return [[" ".join(Page(c).plain()) for c in re.findall(r"(<td.*?</td>)", row, re.DOTALL)] for row in rows]

    def plain(self) -> list[str]:
        """All its texts."""
        return [text for _, text in self.texts]


def sick(**more: Any) -> list[dict[str, Any]]:
    """Two misspelt statuses, a double write, a missing scope, healthy rows."""
    return [
        memory("s1", status="ACTIVE", **more),
        memory("s2", status="Archived", content="旧地址在上海"),
        memory("d1", content="不要香菜"),
        memory("d2", content="不要香菜"),
        memory("c1", content="Lives in Oslo", scope=None),
        *(memory(f"h{n}", content=f"healthy {n}") for n in range(5)),
    ]


def planned(clinic: Clinic) -> Plan:
    """A fresh plan."""
    plan = clinic.plan().plan
    assert plan is not None
    return plan


def opened(make: MakeClinic, clock: FakeClock) -> tuple[Clinic, str]:
    """Nobody has answered yet."""
    clinic = make(sick())
    return clinic, planned(clinic).id


def done(make: MakeClinic, clock: FakeClock) -> tuple[Clinic, str]:
    """Approved and applied, level 1 by itself."""
    clinic = make(sick(), limits=GENEROUS)
    plan = planned(clinic)
    treatment.approve(clinic, plan.id, ["G2"], "li.wei", "看过了")
    treatment.apply(clinic, plan.id)
    return clinic, plan.id


def partly(make: MakeClinic, clock: FakeClock) -> tuple[Clinic, str]:
    """One group has run, the other waits."""
    clinic = make(sick(), limits=GENEROUS)
    plan = planned(clinic)
    treatment.apply(clinic, plan.id)
    return clinic, plan.id


def refused(make: MakeClinic, clock: FakeClock) -> tuple[Clinic, str]:
    """A row was changed by somebody after planning."""
    clinic = make(sick())
    plan = planned(clinic)
    edit(clinic, "id = 's1'")
    treatment.approve(clinic, plan.id, None, "li.wei")
    treatment.apply(clinic, plan.id)
    return clinic, plan.id


def rejected(make: MakeClinic, clock: FakeClock) -> tuple[Clinic, str]:
    """A person said no."""
    clinic = make(sick())
    plan = planned(clinic)
    treatment.reject(clinic, plan.id, None, "anna", "on purpose")
    return clinic, plan.id


def expired(make: MakeClinic, clock: FakeClock) -> tuple[Clinic, str]:
    """Nobody answered in time."""
    clinic = make(sick())
    plan = planned(clinic)
    clock.move(days=3)
    return clinic, plan.id


def partly_expired(make: MakeClinic, clock: FakeClock) -> tuple[Clinic, str]:
    """One group has run, nobody answered about the other."""
    clinic, plan_id = partly(make, clock)
    clock.move(days=3)
    return clinic, plan_id


def rolled_back(make: MakeClinic, clock: FakeClock) -> tuple[Clinic, str]:
    """Done, then taken back, but for a row that somebody changed in between."""
    clinic, plan_id = done(make, clock)
    edit(clinic, "id = 'd2'")
    treatment.take_back(clinic, plan_id, "anna")
    return clinic, plan_id


def wholly_rolled_back(make: MakeClinic, clock: FakeClock) -> tuple[Clinic, str]:
    """Done, then taken back."""
    clinic, plan_id = done(make, clock)
    treatment.take_back(clinic, plan_id, "anna")
    return clinic, plan_id


def past_retention(make: MakeClinic, clock: FakeClock) -> tuple[Clinic, str]:
    """Done so long ago that only digests are left."""
    clinic, plan_id = done(make, clock)
    clock.move(days=400)
    clinic.ledger.intents.forget_images(clock())
    return clinic, plan_id


STATES = {
    f.__name__: f
    for f in (
        *(opened, done, partly, refused, rejected, expired),
        *(partly_expired, rolled_back, wholly_rolled_back, past_retention),
    )
}


def edit(clinic: Clinic, where: str) -> None:
    """Another program changes rows, as plain LanceDB."""
    lancedb.connect(clinic.config.table_uri).open_table("memories").update(where=where, values={"source": "edited"})


@pytest.fixture(params=STATES, scope="module")
def story(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """The name of a state and the record of a plan that came to it in a real run."""
    folder, clock = tmp_path_factory.mktemp("story"), FakeClock()

    def make(rows: list[dict[str, Any]], **sections: Any) -> Clinic:
        make_table(folder, rows)
        return Clinic(make_config(folder, **sections), clock)

    at, plan_id = STATES[request.param](make, clock)
    return request.param, build(at.ledger, plan_id)


def check_inert(page: Page) -> None:
    """Nothing in the page runs, loads, links, or stands outside the allow-list."""
    assert ["doctype html"] == page.declarations
    assert set() == {tag for tag, _ in page.elements} - ELEMENTS
    held = [(tag, name, value or "") for tag, attrs in page.elements for name, value in attrs.items()]
    assert set() == {name for _, name, _ in held} - ATTRIBUTES
    assert [] == [v for _, n, v in held if n == "fill" and v not in ("url(#hatch)", "url(#dots)", "url(#lines)")]
    [style] = re.findall(r"<style>(.*?)</style>", page.source, re.DOTALL)
    assert [] == re.findall(r"url|@import|expression|http|//", style)
    assert not re.search(
        r"[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", page.source
    )


def test_the_page_of_every_state_is_inert_and_its_own_in_both_languages(story: tuple[str, dict[str, Any]]) -> None:
    """Allowed elements and attributes alone; a policy under which nothing loads and only this style applies."""
    for lang in LANGUAGES:
        page = Page(html(story[1], lang))
        check_inert(page)
        assert not re.search(r"https?:", page.source)
        [policy] = [a["content"] or "" for _, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
        [style] = re.findall(r"<style>(.*?)</style>", page.source, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def test_the_page_of_every_state_says_its_state_and_code(story: tuple[str, dict[str, Any]]) -> None:
    """The heading holds plan code and state; the language of the page is declared."""
    record = story[1]
    for lang, declared in zip(LANGUAGES, ("en", "zh-Hans"), strict=True):
        page = Page(html(record, lang))
        assert [record["code"], label(record["state"], lang)] == page.within("h1")
        assert ("html", {"lang": declared}) == page.elements[0]


LEADS = {
    "opened": "4 findings in 10 memories. 3 repairs are proposed; nothing has been changed yet. 1 finding is left to "
    "people.",
    "done": "4 findings in 10 memories. 3 of 3 repairs are in place. Every check passed. 1 finding is left to people.",
    "partly": "4 findings in 10 memories. 2 of 3 repairs are in place. 1 repair is waiting. Every check passed. "
    "1 finding is left to people.",
    "refused": "4 findings in 10 memories. 2 of 3 repairs are in place. 1 repair was not done; the reasons are below. "
    "Every check passed. 1 finding is left to people.",
    "rejected": "4 findings in 10 memories. The plan was rejected; nothing was changed. 1 finding is left to people.",
    "expired": "4 findings in 10 memories. Nobody answered in time, so the plan expired; nothing was changed. "
    "1 finding is left to people.",
    "partly_expired": "4 findings in 10 memories. 2 of 3 repairs are in place. 1 repair was not answered in time and "
    "expired. Every check passed. 1 finding is left to people.",
    "rolled_back": "4 findings in 10 memories. 1 of 3 repairs is in place. 2 repairs were rolled back. 1 row was "
    "skipped: changed by others since. Every check passed. 1 finding is left to people.",
    "wholly_rolled_back": "4 findings in 10 memories. The repairs were rolled back: 3 rows were restored. 1 finding "
    "is left to people.",
    "past_retention": "4 findings in 10 memories. 3 of 3 repairs are in place. Every check passed. 1 finding is left "
    "to people.",
}


def lead(page: Page) -> str:
    """The answer."""
    [said] = re.findall(r'<p class="lead">(.*?)</p>', page.source)
    return str(said).strip()


def test_the_answer_comes_first_and_is_true(story: tuple[str, dict[str, Any]]) -> None:
    """The first paragraph says what was found, what became of it, what is left; Chinese has the same numbers."""
    name, record = story
    english, chinese = lead(Page(html(record, "en"))), lead(Page(html(record, "zh")))

    assert LEADS[name] == english
    assert sorted(re.findall(r"\d+", english)) == sorted(re.findall(r"\d+", chinese))


def test_the_undo_command_is_there_where_something_can_be_undone(story: tuple[str, dict[str, Any]]) -> None:
    """`mendory rollback CODE` stands in the answer while a repair stands, and approval while one waits."""
    name, record = story
    commands = [t for t in Page(html(record)).within("dd") if t.startswith("mendory ")]
    undo = [record["undo"]] if name not in ("opened", "rejected", "expired", "wholly_rolled_back") else []
    approve = [f"mendory approve {record['code']} --as NAME && mendory apply {record['code']}"]

    look = [f"mendory verify {record['code']}"] if undo and name != "past_retention" else []

    assert commands == undo + look + (approve if name in ("opened", "partly") else [])


def test_no_english_is_left_on_the_chinese_page(story: tuple[str, dict[str, Any]]) -> None:
    """Outside stable names and values from elsewhere the page holds no two English words in a row."""
    page = Page(html(story[1], "zh"))
    english = [t for t in page.ours() if re.search(r"[A-Za-z]{2,}[ ,:]+[A-Za-z]{2,}", t)]
    names = r"\b[a-z_]+\.[a-z_]+\b|\b[0-9a-f]{8}\b"  # of rules, keys and plans
    words = [re.sub(names, "", t) for t in page.ours()]
    single = {w for t in words for w in re.findall(r"[A-Za-z]{2,}", t)}

    assert english == []
    assert single <= {"Mendory", "UTC", "JSON", "active"}


def test_no_word_is_missing_on_the_english_page(story: tuple[str, dict[str, Any]]) -> None:
    """Outside stable names the English page holds no name with an underscore and no Chinese."""
    own = Page(html(story[1], "en")).ours()

    assert [] == [t for t in own if re.search(r"[a-z]_[a-z]|[\u4e00-\u9fff]", t)]


def test_the_tables_are_those_of_the_record(clinic: MakeClinic, clock: FakeClock) -> None:
    """Problems with figures and strategy, repairs by group, what is left, checks and decisions: as in the record."""
    at, plan_id = done(clinic, clock)
    page = Page(html(build(at.ledger, plan_id)))
    problems = {row[0]: row[1:5] + row[6:] for row in page.rows("problems")}

    assert problems == {
        "Scope missing missing_scope": ["high", "structure", "1", "1", "3: a person alone"],
        "Exact duplicate duplicate_exact": [
            "medium",
            "meaning",
            "1",
            "0",
            "2: a confirmed rule or a person merge.exact",
        ],
        "Status not allowed illegal_status": ["medium", "structure", "2", "0", "1: automatic"],
    }
    assert [row[:1] + row[4:] for row in page.rows("done")] == [
        ["G1", "2", "2", "0", "applied 2"],
        ["G2", "1", "1", "1", "applied 1"],
    ]
    assert page.rows("left") == [
        [
            "Scope missing missing_scope",
            "1",
            "no scope is certain: its metadata names none in use, no unanimous siblings",
        ]
    ]
    assert [row[1:4] for row in page.rows("verdict")] == [
        ["Rows are as planned rows_as_planned", "4", "passed"],
        ["Problems are gone problems_gone", "3", "passed"],
        ["Rows outside the plan are unchanged rows_outside_the_plan_unchanged", "4", "passed"],
        ["Sampled repaired memories are whole repaired_memories_whole", "3", "passed"],
    ]
    assert [row[1:5] for row in page.rows("decisions")] == [["li.wei", "approved approve", "G2", "看过了"]]


def test_what_was_refused_is_listed_with_the_reason(clinic: MakeClinic, clock: FakeClock) -> None:
    """A refused step names its group, outcome, rows and reason, in Chinese too."""
    at, plan_id = refused(clinic, clock)
    page = Page(html(build(at.ledger, plan_id), "zh"))
    [row] = page.rows("refused")
    assert (row[0], row[2:]) == ("G1", ["已过时 stale", "s1", "计划之后被改动：s1"])


def test_a_rollback_lists_what_it_skipped(clinic: MakeClinic, clock: FakeClock) -> None:
    """Who took it back, how many rows, which one was skipped and why."""
    at, plan_id = rolled_back(clinic, clock)
    [row] = Page(html(build(at.ledger, plan_id), "zh")).rows("taken_back")

    assert row[1:] == ["anna", "2", "1", "d2", "计划之后被改动：d2"]


def test_what_waits_says_why(clinic: MakeClinic, clock: FakeClock) -> None:
    """A group that waits names the rule nobody confirmed."""
    at, plan_id = partly(clinic, clock)
    page = Page(html(build(at.ledger, plan_id)))

    assert page.rows("waiting") == [["G2", "1", "rule merge.exact is not confirmed; a person may approve it"]]


def test_after_a_rollback_the_figures_of_before_claim_no_success(clinic: MakeClinic, clock: FakeClock) -> None:
    """Rolled back wholly, the page shows what is there again, and says who had let it run."""
    at, plan_id = wholly_rolled_back(clinic, clock)
    record = build(at.ledger, plan_id)
    figures = re.findall(r"<strong>(.*?)</strong>", html(record))

    assert figures == ["4 → 4", "0 of 3", "2 : 0 : 1", "1", "0 · 0 · 0"]
    assert record["authority"] == {"automatic": 0, "rule": 0, "person": 0}
    assert "taken back since" in html(record)


def test_the_shares_by_authority_are_those_of_the_ledger(clinic: MakeClinic, clock: FakeClock) -> None:
    """Automatic, by rule and by a person are told apart, in the figures, in the plot and in its description."""
    at = clinic(sick(), limits=GENEROUS, rules={"confirmed": ["merge.exact"]})
    plan = planned(at)
    treatment.approve(at, plan.id, ["G1"], "li.wei")
    treatment.apply(at, plan.id)
    page = Page(html(build(at.ledger, plan.id)))

    assert "0 : 1 : 2" in page.within("strong")
    assert "automatic 0 · rule 1 · person 2" in page.within("text")
    assert "automatic 0 · rule 1 · person 2" in page.within("desc")


def test_every_plot_has_a_title_and_says_the_same_in_words(story: tuple[str, dict[str, Any]]) -> None:
    """Each plot is an image named by its title and description; every figure drawn is in the description."""
    page = Page(html(story[1]))
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert sorted(set(ids)) == sorted(ids)
    plots = re.findall(r'<svg class="plot".*?</svg>', page.source, re.DOTALL)
    assert len(plots) >= 2
    for plot in map(Page, plots):
        image = plot.elements[0][1]
        assert image["role"] == "img"
        named = {a["id"] for tag, a in plot.elements if tag in ("title", "desc")}
        assert named == set((image["aria-labelledby"] or "").split())
        [words], drawn = plot.within("desc"), plot.within("text")
        assert Counter(re.findall(r"\d+", " ".join(drawn))) <= Counter(re.findall(r"\d+", words))


def test_bars_have_the_lengths_of_their_figures(clinic: MakeClinic, clock: FakeClock) -> None:
    """A bar of two is twice as long as a bar of one, and none has a length of its own for zero."""
    at, plan_id = refused(clinic, clock)
    page = Page(html(build(at.ledger, plan_id)))
    plot = page.source.partition('<figure class="by_problem">')[2].partition("</figure>")[0]
    bars = re.findall(r'<rect class="(before|after)" x="0%" y="\d+" width="([\d.]+)%"', plot)

    status, twins, scope = bars[:2], bars[2:3], bars[3:]
    assert status == [("before", "82.0"), ("after", "41.0")]
    assert twins == [("before", "41.0")]
    assert scope == [("before", "41.0"), ("after", "41.0")]


def style() -> tuple[dict[str, str], dict[str, str], str]:
    """(light colours, dark colours, the whole style)."""
    css = (ROOT / "mendory/report/page/page.css").read_text(encoding="utf-8")
    light, dark = (
        dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{(.*?)\}", css, re.DOTALL)[:2]
    )
    return light, dark, css


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, as WCAG defines it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_is_readable_and_bars_are_told_apart_without_colour(scheme: int) -> None:
    """Text has a contrast of 4.5 in both schemes; two bars of one plot differ in pattern or clearly in lightness."""
    colours, css = style()[scheme], style()[2]
    for ink, paper in itertools.product(("ink", "soft", "link", "good", "warn"), ("paper", "card")):
        assert contrast(colours[ink], colours[paper]) >= 4.5, (ink, paper)
    fills = dict(re.findall(r"\.([a-z_]+) \{ fill: var\(--([a-z]+)\)", css))
    families = (("before", "after"), ("automatic", "rule", "person"))
    for family in (*families, ("applied", "rolled_back", "refused", "ended", "waits")):
        for one, other in itertools.combinations(family, 2):
            apart = contrast(colours[fills[one]], colours[fills[other]])
            assert LOOKS[one] != LOOKS[other] or apart >= 2, (one, other)


def hostile_rows() -> Iterator[dict[str, Any]]:
    """Rows whose ids, scope, batch and source try to be markup, and enough others for a cause to stand out."""
    for at, text in enumerate(HOSTILE):
        row = memory(text, content=f"evil {at}", status="ACTIVE", batch_id=HOSTILE[1], scope=HOSTILE[0])
        yield row | {"source": text}
    yield from (memory(f"h{n}", content=f"fine {n}", batch_id="b1") for n in range(80))


def test_hostile_ids_names_and_notes_come_out_as_text(clinic: MakeClinic) -> None:
    """Markup, Markdown, templates, bidi and terminal escapes in ids, batch, names, notes are shown and do nothing."""
    at = clinic(list(hostile_rows()))
    plan = planned(at)
    edit(at, "scope like '<script%'")
    treatment.approve(at, plan.id, None, HOSTILE[0], "".join(HOSTILE))
    treatment.apply(at, plan.id)
    record = build(at.ledger, plan.id)
    for lang in LANGUAGES:
        page = Page(html(record, lang))
        check_inert(page)
        data = page.within("bdi")
        assert set() == {shown(t) for t in HOSTILE} - set(data)
        assert shown("".join(HOSTILE), 300) in data
        assert "49" not in page.plain()


def test_a_hostile_rejection_comes_out_as_text(clinic: MakeClinic) -> None:
    """The reason a person gives for a rejection is data, on the page of either language."""
    at = clinic(sick())
    plan = planned(at)
    treatment.reject(at, plan.id, ["G1"], HOSTILE[1], HOSTILE[0])
    for lang in LANGUAGES:
        page = Page(html(build(at.ledger, plan.id), lang))
        check_inert(page)
        assert 3 == page.within("bdi").count(HOSTILE[0])


def test_no_memory_text_is_on_the_page(story: tuple[str, dict[str, Any]]) -> None:
    """Ids and counts, no content."""
    for lang in LANGUAGES:
        page = html(story[1], lang)
        assert [] == [t for t in ("不要香菜", "旧地址在上海", "Lives in Oslo", "healthy 1") if t in page]


def test_a_large_record_stays_a_small_page(clinic: MakeClinic) -> None:
    """Of 500 refused steps 50 are listed, the page says how many more, and is below 300 kB."""
    at = clinic([memory(f"row-{n:04}-" + "x" * 60, content=f"text {n}", status="ACTIVE") for n in range(499)] + sick())
    plan = planned(at)
    edit(at, "true")
    treatment.approve(at, plan.id, None, "li.wei")
    treatment.apply(at, plan.id)
    record = build(at.ledger, plan.id)
    for lang, said in (("en", "and 452 more"), ("zh", "另有 452 项")):
        page = Page(html(record, lang))
        assert 50 == len(page.rows("refused"))
        assert any(said in t for t in page.ours())
        assert len(page.source.encode()) < 300_000


# the command line


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """The command line in a folder with a sick table and a plan."""
    monkeypatch.chdir(tmp_path)
    make_table(tmp_path / "db", sick())

    def run(*args: object) -> Result:
        return CliRunner().invoke(main, [str(a) for a in args])

    assert run("init", "./db#memories").exit_code == 0
    with (tmp_path / "mendory.toml").open("a", encoding="utf-8") as config:  # its rows have a fixed date
        config.write("\n[staleness]\nstale_below = 0\n")
    assert run("plan").exit_code == 2
    return run


@pytest.mark.parametrize(("lang", "title"), [("en", "Case record"), ("zh", "病例记录")])
def test_report_prints_or_writes_the_page(cli: Callable[..., Result], tmp_path: Path, lang: str, title: str) -> None:
    """`--format html` prints the page; with `--out` it is in the file, the same."""
    printed = cli("report", "--format", "html", "--lang", lang)
    written = cli("report", "--format", "html", "--lang", lang, "--out", "r.html")
    page = Page(printed.output)

    assert (printed.exit_code, written.exit_code) == (0, 0)
    assert page.within("title")[0].startswith(title)
    assert printed.output == (tmp_path / "r.html").read_text(encoding="utf-8")


def test_open_shows_the_page_in_the_browser(cli: Callable[..., Result], tmp_path: Path) -> None:
    """`--open` writes the page beside the ledger and hands its address to the browser."""
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/asked\n', encoding="utf-8")
    browser.chmod(0o700)
    shown_by = {**os.environ, "BROWSER": str(browser), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "mendory", "report", "--lang", "zh", "--open"]
    ran = subprocess.run(command, cwd=tmp_path, env=shown_by, capture_output=True, text=True)

    assert ran.returncode == 0, ran.stderr
    [page] = (tmp_path / ".mendory" / "reports").glob("*.zh.html")
    assert page.as_uri() == (tmp_path / "asked").read_text(encoding="utf-8").strip()
    assert "病例记录" in page.read_text(encoding="utf-8")


def test_open_of_anything_but_a_page_is_refused(cli: Callable[..., Result], tmp_path: Path) -> None:
    """`--open --format json` is wrong usage and writes nothing; so is a file that can't be written."""
    before = sorted(p.name for p in tmp_path.rglob("*"))
    opened_json = cli("report", "--open", "--format", "json")
    nowhere = cli("report", "--format", "html", "--out", tmp_path / "none" / "r.html")

    assert (opened_json.exit_code, nowhere.exit_code) == (1, 1)
    assert "--format html" in opened_json.stderr
    assert "Name another file" in nowhere.stderr
    assert before == sorted(p.name for p in tmp_path.rglob("*"))


def test_the_json_record_says_what_the_page_says(cli: Callable[..., Result]) -> None:
    """Times, problems with severity and strategy, and what waits are in the JSON too."""
    record = json.loads(cli("report", "--format", "json").output)

    assert record["state"] == PlanState.OPEN.value
    assert record["made_at"] < record["expires_at"]
    assert [(p["code"], p["severity"], p["step"], p["before"], p["after"]) for p in record["problems"]] == [
        ("missing_scope", "high", "set_scope", 1, None),
        ("duplicate_exact", "medium", "merge_exact", 1, None),
        ("illegal_status", "medium", "normalise_status", 2, None),
    ]
    assert record["waiting"] == [
        {"group": "G1", "why": "no limits are configured, so nothing runs without a person", "steps": 2},
        {"group": "G2", "why": "rule merge.exact is not confirmed; a person may approve it", "steps": 1},
    ]


def test_only_who_asks_for_a_page_loads_what_makes_it() -> None:
    """Neither the library nor the command line loads Jinja2."""
    script = "import sys, mendory, mendory.cli, mendory.report; print('jinja2' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )

    assert ran.stdout.strip() == "False", ran.stderr
