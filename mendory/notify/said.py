"""What a notice says: a plan waits, findings have waited for long, a soaking space raises an alarm. No memory text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from mendory.asking.asked import Asked
from mendory.asking.page import expiry, summary
from mendory.asking.words import word
from mendory.finding import Severity
from mendory.migration import words
from mendory.migration.alarm import Alarm
from mendory.report.words import count, label


@dataclass(frozen=True, slots=True)
class Notice:
    """A title with its summary, lines of label and text, sentences below them, links, and all of it as flat JSON."""

    title: str
    summary: str
    severity: str
    lines: tuple[tuple[str, str], ...]
    more: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    body: Mapping[str, Any]


def of_plan(asked: Asked, link: str, lang: str) -> Notice:
    """That the plan waits; `link` is where it can be read and answered, empty where that is the command line."""
    title, told = word("notice_title", lang), summary(asked, lang)
    rows, hides = (f"{n:,}" if lang == "en" else count(n, "row", lang) for n in (asked.rows, asked.hides))
    more = [word("notice_worst", lang, rows=rows, hides=hides)]
    if asked.only_people:
        more.append(word("notice_three", lang))
    more.append(word("notice_undo", lang, command=asked.undo))
    if not link:
        more.append(word("notice_command", lang, code=asked.code))
    open_at = ((word("notice_open", lang), link), (word("notice_report", lang), asked.report_url))
    return Notice(
        title,
        told,
        asked.severity,
        (
            (word("notice_table", lang), asked.table),
            (word("notice_plan", lang), asked.code),
            (word("severity", lang), label(asked.severity, lang)),
            (word("notice_groups", lang), f"{len(asked.groups):,}"),
            (word("notice_expires", lang), expiry(asked, lang)),
        ),
        tuple(more),
        tuple((name, quote(url, safe=":/?#[]@!$&'*+,;=%-._~")) for name, url in open_at if url),
        {
            "event": "plan.waits",
            "text": word("choice", lang, name=title, how=told),
            "table": asked.table,
            "plan": asked.code,
            "plan_id": asked.plan_id,
            "summary": told,
            "severity": asked.severity,
            "groups": len(asked.groups),
            "rows": asked.rows,
            "hidden": asked.hides,
            "deleted": 0,
            "needs_code": bool(asked.only_people),
            "made_at": asked.made_at.isoformat(),
            "expires_at": asked.expires_at.isoformat(),
            "undo": asked.undo,
            "link": link or None,
            "report": asked.report_url or None,
            "lang": lang,
        },
    )


def of_queue(late: Sequence[timedelta], severity: str, waiting: int, table: str, after: timedelta, lang: str) -> Notice:
    """That findings of these ages, of so many that wait for a person, have waited for longer than `after`.

    `severity` is that of the worst of them.
    """
    title, oldest = word("notice_late_title", lang), max(late)
    told = word("notice_late", lang, late=f"{len(late):,}", days=_days(after), waiting=f"{waiting:,}")
    return Notice(
        title,
        told,
        severity,
        (
            (word("notice_table", lang), table),
            (word("severity", lang), label(severity, lang)),
            (word("notice_oldest", lang), word("notice_days", lang, days=_days(oldest))),
        ),
        (told, word("notice_answer", lang)),
        (),
        {
            "event": "queue.late",
            "text": word("choice", lang, name=title, how=told),
            "table": table,
            "summary": told,
            "severity": severity,
            "findings": len(late),
            "waiting": waiting,
            "oldest_seconds": int(oldest.total_seconds()),
            "lang": lang,
        },
    )


def of_alarm(alarm: Alarm, table: str, lang: str) -> Notice:
    """That a look at the space that recalls search since a switch raised that alarm, and how to go back."""
    title, why = word("notice_alarm_title", lang), words.alarm(alarm.name, lang)
    seen = {name: alarm.told[name] for name in ("queries", "found", "at_gate", "embedded", "agreed")}
    shares = {name: f"{seen[name]:.1%}" for name in ("found", "at_gate")}
    counts = {name: f"{seen[name]:,}" for name in ("queries", "embedded", "agreed")}
    back = "mendory migrate rollback --as NAME"
    return Notice(
        title,
        why,
        Severity.HIGH,
        (
            (word("notice_table", lang), table),
            (word("notice_move", lang), alarm.move[:8]),
            (word("severity", lang), label(Severity.HIGH, lang)),
            (word("notice_since", lang), f"{alarm.since:%Y-%m-%d %H:%M} UTC"),
        ),
        (
            word("choice", lang, name=why, how=word("notice_seen", lang, **shares, **counts)),
            word("notice_look", lang),
            word("notice_undo", lang, command=back),
        ),
        (),
        {
            "event": "soak.alarm",
            "text": word("choice", lang, name=title, how=why),
            "table": table,
            "move": alarm.move,
            "alarm": alarm.name,
            "summary": why,
            "severity": Severity.HIGH,
            "since": alarm.since.isoformat(),
            **seen,
            "undo": back,
            "lang": lang,
        },
    )


def _days(time: timedelta) -> str:
    """The time in days, with one decimal where it is no whole number of them."""
    return f"{time / timedelta(days=1):.1f}".removesuffix(".0")
