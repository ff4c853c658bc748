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

from mendory.notify.said import Notice

_COLOURS: Final = {"high": ("red", "warning"), "medium": ("orange", "comment"), "low": ("blue", "info")}


@dataclass(frozen=True, slots=True)
class Message:
    """What is posted: the body, and what is added to the address."""

    body: Mapping[str, Any]
    query: Mapping[str, str] = field(default_factory=dict)


def message(shape: str, notice: Notice, now: datetime, secret: str | None = None) -> Message:
    """The notice for the service `shape`; signed where the service signs and a secret is given."""
    made = Message(_SHAPES[shape](notice))
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


# --- shapes -----------------------------------------------------------------------------------


def _json(notice: Notice) -> Mapping[str, Any]:
    return notice.body


def _slack(notice: Notice) -> Mapping[str, Any]:
    buttons = [
        {"type": "button", "text": {"type": "plain_text", "text": name}, "url": url} for name, url in notice.links
    ]
    fields = [{"type": "mrkdwn", "text": f"*{_slacked(n)}*\n{_slacked(t)}"} for n, t in notice.lines]
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": notice.title}},
        {"type": "section", "fields": fields},
        {"type": "section", "text": {"type": "mrkdwn", "text": _slacked("\n".join(notice.more))}},
    ]
    if buttons:
        blocks.append({"type": "actions", "elements": buttons})
    return {"text": f"{notice.title}: {_slacked(notice.summary)}", "blocks": blocks}


def _slacked(text: str) -> str:
    """Slack's own escapes: what is in angle brackets is a command there."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _feishu(notice: Notice) -> Mapping[str, Any]:
    *short, last = notice.lines
    fields = [
        {"is_short": one is not last, "text": {"tag": "plain_text", "content": f"{one[0]}: {one[1]}"}}
        for one in (*short, last)
    ]
    elements: list[dict[str, Any]] = [
        {"tag": "div", "fields": fields},
        *({"tag": "div", "text": {"tag": "plain_text", "content": text}} for text in notice.more),
    ]
    links = notice.links
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
                "template": _COLOURS[notice.severity][0],
                "title": {"tag": "plain_text", "content": notice.title},
            },
            "elements": elements,
        },
    }


def _dingtalk(notice: Notice) -> Mapping[str, Any]:
    lines = [
        f"### {notice.title}",
        *(f"- **{name}**: {_plain(text)}" for name, text in notice.lines),
        "",
        *("\n" + _plain(text) + "\n" for text in notice.more),
        *(f"[{name}]({url})" for name, url in notice.links),
    ]
    return {"msgtype": "markdown", "markdown": {"title": notice.title, "text": "\n".join(lines)}}


def _wecom(notice: Notice) -> Mapping[str, Any]:
    colour = _COLOURS[notice.severity][1]
    lines = [
        f"**{notice.title}**",
        *(f'> {name}: <font color="{colour}">{_plain(text)}</font>' for name, text in notice.lines),
        *map(_plain, notice.more),
        *(f"[{name}]({url})" for name, url in notice.links),
    ]
    return {"msgtype": "markdown", "markdown": {"content": "\n".join(lines)}}


def _plain(text: str) -> str:
    """The text with nothing in it that those services read as markup."""
    return "".join(ch for ch in text if ch not in "*`[]<>#~|\\")


_SHAPES: Final[Mapping[str, Callable[[Notice], Mapping[str, Any]]]] = {
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
