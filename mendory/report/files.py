"""The case record as text in each of its forms, and as files: all forms and languages, readable without us."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from mendory.private import private_folder
from mendory.report.markdown import markdown
from mendory.report.words import LANGUAGES

Form = Literal["markdown", "json", "html"]


def text(record: dict[str, Any], form: Form, lang: str = "en") -> str:
    """The record in that form, in `lang`; JSON is the same in every language."""
    if form == "json":
        return json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    if form == "markdown":
        return markdown(record, lang)
    from mendory.report.html import html  # only who asks for a page loads what makes it

    return html(record, lang)


def write(record: dict[str, Any], folder: Path) -> Path:
    """The record is in the folder as JSON and, in each language, as Markdown and a page; returns the English text."""
    private_folder(folder)
    code = record["code"]
    (folder / f"{code}.json").write_text(text(record, "json"), encoding="utf-8")
    for lang in LANGUAGES:
        (folder / f"{code}.{lang}.md").write_text(text(record, "markdown", lang), encoding="utf-8")
        (folder / f"{code}.{lang}.html").write_text(text(record, "html", lang), encoding="utf-8")
    return folder / f"{code}.en.md"
