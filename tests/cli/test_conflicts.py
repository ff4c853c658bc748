"""Conflicts on the command line: both claims, who decided or why nobody did, texts only where they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import LIMITS, Run, configure, plan_code
from tests.conftest import make_table, memory


def said(name: str, attribute: str, value: str, day: str, text: str) -> dict[str, object]:
    """A memory with its writer's claim."""
    claim = {"entity": "user", "attribute": attribute, "value": value}
    return memory(name, content=text, claim=claim, created_at=day)


ROWS = [
    said("e1", "employer", "明川科技", "2025-01-01", "在明川科技上班。"),
    said("e2", "employer", "石桥实验室", "2025-02-01", "签了石桥实验室。"),
    said("h1", "lives_in", "Oslo", "2025-01-01", "Lives in Oslo."),
    said("h2", "lives_in", "Turin", "2025-01-01", "Has a flat in Turin now."),
]


@pytest.fixture
def disputed(tmp_path: Path, run: Run) -> Run:
    """The command line over one pair that a rule decides and one that none does, marked."""
    make_table(tmp_path / "db", ROWS)
    configure(tmp_path, f"{LIMITS}\n[rules]\nconfirmed = ['conflict.newer']\n")
    return run


def test_a_plan_shows_both_sides_and_who_decided(disputed: Run) -> None:
    """`show` says what each side claims and the rule, in both languages; texts only with --texts."""
    code = plan_code(disputed)

    english, chinese = disputed("show", code).output, disputed("show", code, "--lang", "zh").output
    texts = disputed("show", code, "--texts").output

    for line in (
        "e1: employer, as its writer says",
        "decided by: newer: 31 days later",
        "decided by: no rule decides: narrower (neither is narrower), newer (their times are one)",
        'h1.disputed_with (kept in the ledger): null → ["h2"]',
    ):
        assert line in english
    for line in (
        "e1: employer（写入方给出）",
        "裁决：按较新者，晚 31 天",
        "裁决：没有规则能裁决：更窄者（谁也不更窄）",
    ):
        assert line in chinese
    assert [False, False, True] == ["在明川科技上班" in text for text in (english, chinese, texts)]


def test_what_is_undecided_waits_in_review_and_is_labelled(disputed: Run) -> None:
    """After the mark the pair waits with its claims and each rule's reason; `get` names the other side."""
    disputed("apply", plan_code(disputed))

    review, got, archived = (disputed(*v) for v in (("review", "--texts"), ("get", "h1"), ("get", "e1")))

    assert 3 == review.exit_code
    for line in (
        "h2: lives_in, as its writer says",
        "no rule decides: narrower (neither is narrower)",
        "Lives in Oslo.",
    ):
        assert line in review.output
    assert "pending_review" in got.output
    assert "  disputed with h2" in got.output
    assert "  superseded by e2" in archived.output
    assert "  与 h2 有争议" in disputed("get", "h1", "--lang", "zh").output
