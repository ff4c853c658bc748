"""A change event as the report and the command line say it on one line."""

from __future__ import annotations

from collections.abc import Mapping

from mendory.report.words import LANGUAGES, label, when
from mendory.text import shown


def happened(event: Mapping[str, str], lang: str) -> str:
    """What changed, when and by whom, with that person's words; of a cause's field `event`.

    >>> happened({"kind": "other", "at": "2026-01-05T10:00:00+00:00", "by": "ann", "words": "v2"}, "en")
    'other change, 5 Jan 2026, 10:00 UTC, ann: v2'
    """
    comma, colon = ((", ", ": "), ("，", "："))[LANGUAGES.index(lang)]
    head = comma.join((label(event["kind"], lang), when(event["at"], lang), shown(event["by"], 40)))
    return f"{head}{colon}{shown(event['words'], 200)}" if event["words"] else head
