"""The whole story in a real browser, in both looks and both languages: what a person reads, answers, and sees of it.

The story is that of `make e2e`: told in English with files, in Chinese with Prefect's database and the ledger on
PostgreSQL. Pictures go to the folder that MENDORY_PICTURES names.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.__main__ import BOUNDS, LANGUAGES, server
from tests.e2e.story import Story
from tests.served.browser import CHROMIUM

pytestmark = [pytest.mark.served, pytest.mark.xdist_group("story")]
DATABASES = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))
FIRST = {
    "en": ("If this is wrong", "To undo it", "If nobody answers", "What waits"),
    "zh": ("万一修错了", "如何撤销", "如果无人答复", "等待批准的内容"),
}
"""What is in sight without scrolling, in this order, in the newer look."""
REFUSED = {"en": "The last answer did not count", "zh": "上次的答复未生效"}
ROWS = 200


@pytest.fixture(scope="module", params=DATABASES)
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Story, Any]]:
    """(the story, its figures), told once for each database."""
    if not Path(CHROMIUM).exists():
        pytest.skip("Chromium is not installed")
    folder = tmp_path_factory.mktemp("story")
    pictures = Path(os.environ.get("MENDORY_PICTURES") or folder / "pictures")
    with server(request.param) as held:
        story = Story(folder, pictures, LANGUAGES[request.param], ROWS, held)
        yield story, story.tell()
    shutil.rmtree(folder / "db")


def test_a_table_is_healed_from_the_browser(told: tuple[Story, Any]) -> None:
    """Every planted fault is repaired: level 1 alone, 2 and 3 by answers on the page; no healthy row changed."""
    _, figures = told

    assert dict.fromkeys(BOUNDS, 0) == {name: figures[name] for name in BOUNDS}
    assert {
        "level_1": {"applied": 14},
        "level_2": {"applied": 12},
        "level_3": {"applied": 4},
    } == figures["steps"]
    assert ("done", "Completed", 3, ["code_wrong"]) == (
        figures["plan_state"],
        figures["ended"],
        figures["rounds"],
        figures["refused"],
    )
    assert (4, 1) == (figures["schedules"], figures["notices"])
    assert figures["memory_text_found_in_the_table"], "else the search finds nothing anywhere"


def test_the_page_is_read_before_it_is_answered(told: tuple[Story, Any]) -> None:
    """The three lines come first, then what waits; each group, the people and the plan's code are there to be read."""
    story, _ = told
    page = story.seen["1-page"]
    places = [page.index(words) for words in FIRST[story.lang]]

    assert sorted(places) == places
    for words in ("mendory rollback", "G3", "G4", "anna", "李雷"):
        assert words in page, words
    for words in FIRST[story.lang][:3]:
        assert words in story.seen["1-form-v2"]


def test_a_refused_answer_is_told_first_on_the_next_page(told: tuple[Story, Any]) -> None:
    """After a wrong one-time code the next page begins with why; the third, after a right answer, does not."""
    story, _ = told

    assert REFUSED[story.lang] not in story.seen["1-page"]
    assert story.seen["2-page"].index(REFUSED[story.lang]) < story.seen["2-page"].index(FIRST[story.lang][0])
    assert REFUSED[story.lang] not in story.seen["3-page"]
    assert "G3" not in story.seen["3-page"].partition(FIRST[story.lang][3])[2].partition("\n\n\n")[0]


def test_what_came_of_it_stands_beside_the_run(told: tuple[Story, Any]) -> None:
    """Question, case record, progress, plots and the link to the owner's copy are artifacts that both looks show."""
    story, figures = told
    kinds = {key.split("-")[0] for key in figures["artifacts"]}

    assert {"asked", "case", "progress", "plot", "report"} <= kinds
    assert ["en.html", "en.md", "json", "zh.html", "zh.md"] == figures["reports"]
    for look in ("v1", "v2"):
        assert "Completed" in story.seen[f"end-run-{look}"]
        for kind in ("asked", "case", "report"):
            assert "u3" in story.seen[f"end-{kind}-{look}"] or "G3" in story.seen[f"end-{kind}-{look}"]
    assert figures["screenshots"] == len([p for p in story.taken if p.exists()])
