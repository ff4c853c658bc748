"""The page that asks about one finding that waits: why, both sides, what each answer will do. No link in it lives."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final

from mendory.asking.answer import Answer as Given
from mendory.asking.answer import Refusal, from_whom
from mendory.asking.fields import Field
from mendory.asking.page import fenced
from mendory.asking.words import word
from mendory.choices import Answer, Choice
from mendory.finding import Finding
from mendory.record import Memory
from mendory.report.choosing import effects, sides
from mendory.report.markdown import cell
from mendory.report.words import label, reason, when
from mendory.text import shown

_EXCERPT: Final = 40
_MOST_KEPT: Final = 12
_NOTE: Final = r"^[^\x00\x7f]{0,500}$"


def options(finding: Finding, held: Mapping[str, Memory], lang: str) -> dict[str, tuple[Answer, str]]:
    """What the form offers → the answer it stands for, and what that will do; rows are named by their number."""
    found: dict[str, tuple[Answer, str]] = {}
    for choice, keep, what in effects(finding, held, lang):
        if keep is None:
            found[choice.value] = Answer(choice), what
        elif len(found) < _MOST_KEPT:
            found[f"{Choice.KEEP.value} {finding.ids.index(keep) + 1}"] = Answer(choice, keep), what
    return found


def fields(finding: Finding, offered: Collection[str], people: tuple[str, ...], lang: str) -> tuple[Field, ...]:
    """The fields in the order they are filled in; while nobody may answer, any name can be typed and is judged."""
    code = finding.id[:8]
    name = r"^[^\x00-\x1f\x7f{}<>]{1,64}$"
    return (
        Field("decision", word("decision", lang), word("finding_decision", lang), options=tuple(offered)),
        Field("approver", word("approver", lang), word("approver_how", lang), people, pattern="" if people else name),
        Field(
            "plan_code",
            word("finding_code", lang),
            word("plan_code_how", lang, code=code),
            pattern=rf"^\s*{re.escape(code)}\s*$",
        ),
        Field("note", word("note", lang), word("note_how", lang), pattern=_NOTE, required=False),
    )


def page(
    finding: Finding,
    why: str,
    since: datetime,
    waiting: int,
    held: Mapping[str, Memory],
    kept: Mapping[str, str],
    excerpts: bool,
    refused: str,
    lang: str,
) -> str:
    """What a person reads before they answer, in Markdown; with `excerpts` the beginning of each memory too.

    `refused` is why the answer before did not count, empty where none did not.
    """
    told = [f"> {word('finding_refused', lang, why=word(f'why_{refused}', lang))}", ""] if refused else []
    told += [
        f"- **{label(finding.code, lang)}** · {label(finding.severity, lang)} · {when(since.isoformat(), lang)}",
        f"- {cell(reason(finding.reason, lang))}",
        *([f"- {cell(reason(why, lang))}"] if why != finding.reason else []),
        f"- {word('finding_of', lang, n=f'{waiting:,}')}",
        "",
        f"### {word('finding_sides', lang)}",
        "",
    ]
    for number, side in enumerate(sides(finding, held, kept, lang), 1):
        told.append(f"{number}. `{cell(shown(side.id))}`: {cell(side.told(lang))}")
    if excerpts:
        texts = [f"{i}: {shown((held[i].content or '')[:_EXCERPT])}" for i in finding.ids if i in held]
        told += ["", word("excerpts", lang), "", *fenced(texts)]
    told += ["", f"### {word('how', lang)}", ""]
    told += [f"- `{name}`: {cell(what)}" for name, (_, what) in options(finding, held, lang).items()]
    return "\n".join([*told, "", word("finding_then", lang)]) + "\n"


def judge(given: Given, finding: Finding, offered: Collection[str], people: Collection[str]) -> Refusal | None:
    """Why what came back from the form does not stand; None when it does."""
    if given.verdict not in offered:
        return Refusal.UNKNOWN_VERDICT
    if given.plan_code.strip().lower() != finding.id[:8]:
        return Refusal.WRONG_PLAN
    return from_whom(given, people, ())
