"""What stands beside a run in Prefect: progress, plans and records, plots, links. Ids, counts and digests only."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from prefect.artifacts import (
    create_image_artifact,
    create_link_artifact,
    create_markdown_artifact,
    create_progress_artifact,
    update_progress_artifact,
)
from prefect.context import FlowRunContext
from prefect.logging import get_run_logger

from mendory.asking import words
from mendory.asking.asked import Asked
from mendory.asking.page import page, summary
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.opened import unheard
from mendory.report import markdown
from mendory.report.picture import picture
from mendory.report.plots import plots
from mendory.report.words import word
from tasks.shared import key

EVERY = 2.0
"""Seconds between two messages of progress: a message costs a request."""


@contextmanager
def progress(clinic: Clinic, what: str) -> Iterator[None]:
    """The clinic's passes over its rows move a bar beside the run, each from the beginning."""
    if FlowRunContext.get() is None:
        yield
        return
    name = key(what, clinic.config.table.name)
    bar = create_progress_artifact(
        0.0, key=key("progress", name), description=word(f"progress_{what}", clinic.config.report.lang)
    )
    said = time.monotonic()

    def told(done: int, total: int) -> None:
        nonlocal said
        if total and time.monotonic() - said >= EVERY:
            said = time.monotonic()
            update_progress_artifact(artifact_id=bar, progress=100.0 * min(done, total) / total)

    clinic.told = told
    try:
        yield
    finally:
        clinic.told = unheard
    update_progress_artifact(artifact_id=bar, progress=100.0)


def show_question(question: Asked, lang: str) -> None:
    """What the form says stands beside the run too, wider and without memory text, and the log says how to answer."""
    bare = replace(question, excerpts=())
    create_markdown_artifact(page(bare, lang), key=key("asked", question.code), description=summary(bare, lang))
    get_run_logger().info(words.word("how_to_answer", lang, code=question.code))


def show_record(config: Config, record: dict[str, Any], about: str) -> None:
    """The plan or case record beside the run, in the configured language, with its plots and the way to its page."""
    lang, code = config.report.lang, record["code"]
    create_markdown_artifact(markdown(record, lang), key=key(about, code), description=word(f"artifact_{about}", lang))
    if about != "case":
        return
    for plot in plots(record, lang):
        drawn = base64.b64encode(picture(plot).encode()).decode()
        create_image_artifact(
            f"data:image/svg+xml;base64,{drawn}",
            key=key("plot", code, plot.name.replace("_", "-")),
            description=plot.title,
        )
    if config.report.base_url:
        create_link_artifact(
            f"{config.report.base_url}/{code}.{lang}.html", key=key("report", code), link_text=word("title", lang)
        )
