"""The case record as one page that asks for nothing from anywhere: own style, own plots, no script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any

from mendory.report import answer
from mendory.report.plots import columns, plots
from mendory.report.sections import sections
from mendory.report.templates import templates
from mendory.report.words import label, when, word
from mendory.text import shown


def html(record: Mapping[str, Any], lang: str = "en") -> str:
    """The record as a page in `lang` (en or zh); whatever comes from elsewhere is text in it, never markup."""
    pages = templates()
    style = pages.get_template("page.css").render()
    page = pages.get_template("page.html").render(
        lang=lang,
        language={"en": "en", "zh": "zh-Hans"}[lang],
        policy=_policy(style),
        code=record["code"],
        table=shown(record["table"], 80),
        version=record["base_version"],
        state=record["state"],
        state_label=label(record["state"], lang),
        made=word("made", lang, time=when(record["made_at"], lang)),
        sentences=answer.sentences(record, lang),
        figures=answer.figures(record, lang),
        actions=answer.actions(record, lang),
        past=word("past", lang) if not record["groups"] else "",
        columns=columns(plots(record, lang)),
        sections=sections(record, lang),
        word=lambda key, **values: word(key, lang, **values),
    )
    return page + "\n"


def _policy(style: str) -> str:
    """A Content-Security-Policy under which a browser loads nothing and applies this one style."""
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
