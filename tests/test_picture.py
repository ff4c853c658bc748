"""Plots as pictures of their own: well-formed, asking for nothing, the same figures as the page."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from mendory.report.picture import WIDE, picture
from mendory.report.plots import Bar, Plot, Text, plots
from mendory.report.words import LANGUAGES

SVG = "{http://www.w3.org/2000/svg}"
RECORD = {
    "problems": [
        {"code": "duplicate_exact", "severity": "medium", "before": 48, "after": 0},
        {"code": "missing_scope", "severity": "high", "before": 2, "after": 2},
    ],
    "authority": {"automatic": 3, "rule": 48, "person": 1},
    "ran_by": {"automatic": 3, "rule": 48, "person": 1},
    "groups": [{"name": "G1", "kind": "merge_exact", "outcomes": {"applied": 40, "waits": 5, "stale": 3}}],
}
ALLOWED = ("svg", "title", "desc", "style", "defs", "pattern", "path", "circle", "rect", "text", "g")
HOSTILE = ['</text><script>alert("1")</script>', "]]></svg><image href='http://x'/>", "名字 & <b>", "\u202egpj"]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("at", range(4))
def test_a_plot_stands_alone(lang: str, at: int) -> None:
    """Every plot is a document of its own whose texts are those of the plot, each bar within the picture."""
    plot = plots(RECORD, lang)[at]

    drawn = ElementTree.fromstring(picture(plot))

    said = [t.text for t in drawn.iter(f"{SVG}text")]
    assert [plot.title, *(text for _, text in plot.legend), *(t.text for t in plot.texts)] == said
    rects = [r for r in drawn.iter(f"{SVG}rect") if r.get("class") not in ("paper", "over")]
    assert len(plot.bars) + len(plot.legend) == len(rects)
    assert all(float(r.get("x", 0)) + float(r.get("width", 0)) <= WIDE for r in rects)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_in_a_picture_is_text(text: str) -> None:
    """Whatever a name holds, it is text: no element and no address comes of it."""
    plot = Plot(
        "by_group", text, text, (("applied", text),), 40, (Bar(0, 0, 50, 12, "applied"),), (Text(0, 9, text, "label"),)
    )

    drawn = picture(plot)

    root = ElementTree.fromstring(drawn)
    allowed = {SVG + n for n in ALLOWED}
    assert set() == {e.tag for e in root.iter()} - allowed
    assert [] == [n for e in root.iter() for n in e.attrib if "href" in n or n.startswith("on")]
    assert ["http://www.w3.org/2000/svg"] == re.findall(
        r"https?://[^\"' <]+", drawn.replace(text, "").replace("http://x", "")
    )
