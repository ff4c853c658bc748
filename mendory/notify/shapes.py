"""What a webhook is sent, in the shape its service understands, and what each calls success. Pure."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote

from mendory.asking.asked import Asked
from mendory.asking.page import expiry, summary
from mendory.asking.words import word
from mendory.report.words import count, label

_COLOURS: Final = {"high": ("red", "warning"), "medium": ("orange", "comment"), "low": ("blue", "info")}
_Lines = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Message:
    """What is posted: the body, and what is added to the address."""

    body: Mapping[str, Any]
    query: Mapping[str, str] = field(default_factory=dict)


def message(shape: str, asked: Asked, link: str, lang: str, now: datetime, secret: str | None = None) -> Message:
    """The notice that the plan waits, for the service `shape`; signed where the service signs and a secret is given.

    `link` is where it can be read and answered; empty where that is the command line. No memory text is in it.
    """
    made = Message(_SHAPES[shape](asked, link, lang))
    return made if secret is None else _SIGNERS.get(shape, _unsigned)(made, now, secret)


def accepted(shape: str, status: int, data: bytes) -> bool:
    """True when the service says that it took the message, in its own way; some say no with status 200."""
    if shape == "json":
        return 200 <= status < 300
    if status != 200:
        return False
    if shape == "slack":
        return data.strip() == b"ok"
    said = _codes(data)
    names = ("code", "StatusCode") if shape == "feishu" else ("errcode",)
    codes = [said[name] for name in names if name in said]
    return bool(codes) and all(type(code) is int and code == 0 for code in codes)


def refusal(data: bytes) -> str:
    """The number by which the service says why it took nothing; empty when it names none. Its words are not told."""
    said = _codes(data)
    codes = [said[name] for name in ("code", "StatusCode", "errcode") if type(said.get(name)) is int]
    return str(codes[0]) if codes else ""


def _codes(data: bytes) -> Mapping[str, Any]:
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


# --- what is said -----------------------------------------------------------------------------


def _worst(asked: Asked, lang: str) -> str:
    rows = f"{asked.rows:,}" if lang == "en" else count(asked.rows, "row", lang)
    hides = f"{asked.hides:,}" if lang == "en" else count(asked.hides, "row", lang)
    return word("notice_worst", lang, rows=rows, hides=hides)


def _lines(asked: Asked, lang: str) -> _Lines:
    """Label and text of every line, in the order of their weight."""
    return [
        (word("notice_table", lang), asked.table),
        (word("notice_plan", lang), asked.code),
        (word("severity", lang), label(asked.severity, lang)),
        (word("notice_groups", lang), f"{len(asked.groups):,}"),
        (word("notice_expires", lang), expiry(asked, lang)),
    ]


def _more(asked: Asked, link: str, lang: str) -> list[str]:
    """Sentences below the lines."""
    said = [_worst(asked, lang)]
    if asked.only_people:
        said.append(word("notice_three", lang))
    said.append(word("notice_undo", lang, command=asked.undo))
    if not link:
        said.append(word("notice_command", lang, code=asked.code))
    return said


def _links(asked: Asked, link: str, lang: str) -> _Lines:
    """Label and address of what can be opened."""
    held = [(word("notice_open", lang), link), (word("notice_report", lang), asked.report_url)]
    return [(name, quote(url, safe=":/?#[]@!$&'*+,;=%-._~")) for name, url in held if url]


# --- shapes -----------------------------------------------------------------------------------


def _json(asked: Asked, link: str, lang: str) -> Mapping[str, Any]:
    return {
        "event": "plan.waits",
        "text": word("choice", lang, name=word("notice_title", lang), how=summary(asked, lang)),
        "table": asked.table,
        "plan": asked.code,
        "plan_id": asked.plan_id,
        "summary": summary(asked, lang),
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
    }


def _slack(asked: Asked, link: str, lang: str) -> Mapping[str, Any]:
    title = word("notice_title", lang)
    buttons = [
        {"type": "button", "text": {"type": "plain_text", "text": name}, "url": url}
        for name, url in _links(asked, link, lang)
    ]
    fields = [{"type": "mrkdwn", "text": f"*{_slacked(n)}*\n{_slacked(t)}"} for n, t in _lines(asked, lang)]
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": title}},
        {"type": "section", "fields": fields},
        {"type": "section", "text": {"type": "mrkdwn", "text": _slacked("\n".join(_more(asked, link, lang)))}},
    ]
    if buttons:
        blocks.append({"type": "actions", "elements": buttons})
    return {"text": f"{title}: {_slacked(summary(asked, lang))}", "blocks": blocks}


def _slacked(text: str) -> str:
    """Slack's own escapes: what is in angle brackets is a command there."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _feishu(asked: Asked, link: str, lang: str) -> Mapping[str, Any]:
    *short, last = _lines(asked, lang)
    fields = [
        {"is_short": one is not last, "text": {"tag": "plain_text", "content": f"{one[0]}: {one[1]}"}}
        for one in (*short, last)
    ]
    elements: list[dict[str, Any]] = [
        {"tag": "div", "fields": fields},
        *({"tag": "div", "text": {"tag": "plain_text", "content": text}} for text in _more(asked, link, lang)),
    ]
    links = _links(asked, link, lang)
    if links:
        buttons = [
            {
                "tag": "button",
                "text": {"tag": "plain_text", "content": name},
                "type": "default" if at else "primary",
                "url": url,
            }
            for at, (name, url) in enumerate(links)
        ]
        elements.append({"tag": "action", "actions": buttons})
    return {
        "msg_type": "interactive",
        "card": {
            "config": {"wide_screen_mode": True},
            "header": {
                "template": _COLOURS[asked.severity][0],
                "title": {"tag": "plain_text", "content": word("notice_title", lang)},
            },
            "elements": elements,
        },
    }


def _dingtalk(asked: Asked, link: str, lang: str) -> Mapping[str, Any]:
    title = word("notice_title", lang)
    lines = [
        f"### {title}",
        *(f"- **{name}**: {_plain(text)}" for name, text in _lines(asked, lang)),
        "",
        *("\n" + _plain(text) + "\n" for text in _more(asked, link, lang)),
        *(f"[{name}]({url})" for name, url in _links(asked, link, lang)),
    ]
    return {"msgtype": "markdown", "markdown": {"title": title, "text": "\n".join(lines)}}


def _wecom(asked: Asked, link: str, lang: str) -> Mapping[str, Any]:
    colour = _COLOURS[asked.severity][1]
    lines = [
        f"**{word('notice_title', lang)}**",
        *(f'> {name}: <font color="{colour}">{_plain(text)}</font>' for name, text in _lines(asked, lang)),
        *map(_plain, _more(asked, link, lang)),
        *(f"[{name}]({url})" for name, url in _links(asked, link, lang)),
    ]
    return {"msgtype": "markdown", "markdown": {"content": "\n".join(lines)}}


def _plain(text: str) -> str:
    """The text with nothing in it that those services read as markup."""
    return "".join(ch for ch in text if ch not in "*`[]<>#~|\\")


_SHAPES: Final[Mapping[str, Callable[[Asked, str, str], Mapping[str, Any]]]] = {
    "json": _json,
    "slack": _slack,
    "feishu": _feishu,
    "dingtalk": _dingtalk,
    "wecom": _wecom,
}


# --- signatures -------------------------------------------------------------------------------


def _feishu_signed(made: Message, now: datetime, secret: str) -> Message:
    """The key is time and secret, the text signed is empty; both stand in the body."""
    stamp = str(int(now.timestamp()))
    digest = hmac.new(f"{stamp}\n{secret}".encode(), b"", hashlib.sha256).digest()
    return Message({"timestamp": stamp, "sign": base64.b64encode(digest).decode(), **made.body})


def _dingtalk_signed(made: Message, now: datetime, secret: str) -> Message:
    """The key is the secret, the text signed is time and secret; both stand in the address."""
    stamp = str(int(now.timestamp() * 1000))
    digest = hmac.new(secret.encode(), f"{stamp}\n{secret}".encode(), hashlib.sha256).digest()
    return Message(made.body, {"timestamp": stamp, "sign": base64.b64encode(digest).decode()})


def _unsigned(made: Message, now: datetime, secret: str) -> Message:  # noqa: ARG001
    return made


_SIGNERS: Final = {"feishu": _feishu_signed, "dingtalk": _dingtalk_signed}
