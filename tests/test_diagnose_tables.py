"""Diagnosis on real tables: who wrote the sick rows, what happened before, and the same of what changed alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

import pytest

from mendory.clinic import Clinic
from mendory.events import Happened
from mendory.incremental import LAST
from tests.conftest import NOON, arrow, memory

Made = Callable[..., Clinic]
KEYS = {"topic": "general", "entities": ["user"], "scene": "daily"}


def healthy(size: int = 60) -> list[dict[str, Any]]:
    """Rows with nothing wrong, of several days and writers."""
    return [
        memory(
            f"h{n}",
            content=f"第{n}条，各不相同" if n % 2 else f"Number {n}, unlike all others",
            metadata=KEYS | {"app": f"bot-{n % 4}"},
            created_at=NOON - timedelta(days=n % 7),
        )
        for n in range(size)
    ]


def written_twice(texts: Iterable[str], **fields: Any) -> list[dict[str, Any]]:
    """Each text two times, half a minute apart, by one writer."""
    return [
        memory(f"t{n}-{k}", content=text, metadata=KEYS | {"app": "retrier"}, created_at=NOON, **fields)
        for n, text in enumerate(texts)
        for k in range(2)
    ]


TWICE = {
    "en": ["Parks on level two", "Keeps the spare key at work", "Runs on Sundays", "Reads before sleep"],
    "zh": ["车停在地下二层", "备用钥匙放在公司", "周日跑步", "睡前看书"],
}


@pytest.mark.lance
@pytest.mark.parametrize("lang", TWICE)
def test_a_writer_that_writes_twice_is_named_on_a_real_table(clinic: Made, lang: str) -> None:
    """Its rows share no batch and no day of their own: the writer is what they have in common."""
    at = clinic([*healthy(), *written_twice(TWICE[lang])])
    [cause] = [c for c in at.check().causes if c["code"] == "duplicate_exact"]

    assert ("non_idempotent_write", "writer", "retrier") == (cause["cause"], cause["attribute"], cause["value"])
    assert (8, 0) == (cause["explains"], cause["unexplained"])


@pytest.mark.lance
def test_what_changed_alone_names_the_same_writer(clinic: Made) -> None:
    """The rows come after a checkpoint: the check of what changed and a full one tell the same causes."""
    at = clinic(healthy())
    before = at.check(keep=True)
    assert at.checkpoint(before)
    at.writer.append(arrow(written_twice(TWICE["zh"])))
    since, full = at.check(since=LAST), at.check()

    assert full.causes == since.causes
    assert [("duplicate_exact", "retrier")] == [(c["code"], c["value"]) for c in since.causes]


@pytest.mark.lance
@pytest.mark.parametrize(("days", "named"), [(1, "released v2"), (5, None)], ids=["just before", "long before"])
def test_a_batch_that_follows_a_change_names_it(clinic: Made, days: int, named: str | None) -> None:
    """A change noted within `diagnosis.window` of the batch's first row stands beside the cause; an older one not."""
    at = clinic([*healthy(), *written_twice(TWICE["en"], batch_id="import-7")])
    about = {"words": "released v2"}
    at.ledger.events.note(Happened.OTHER, "ann", about, NOON - timedelta(days=days))
    [cause] = [c for c in at.check().causes if c["code"] == "duplicate_exact"]

    assert ("redundant_import", "import-7") == (cause["cause"], cause["value"])
    assert named == (cause["event"] or {}).get("words")


@pytest.mark.lance
def test_a_healthy_table_has_no_cause(clinic: Made) -> None:
    """Nothing wrong, nothing named."""
    assert () == tuple(clinic(healthy()).check().causes)
