"""Posts one message to a webhook, tried again where that helps. Its address is a secret and is named nowhere."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote_plus, urlsplit

from mendory.address import complaint
from mendory.config import NotifySection
from mendory.http import AGAIN, post, wait
from mendory.notify.shapes import Message, accepted, refusal

TRIES: Final = 3
TIMEOUT: Final = 10.0
LONGEST_WAIT: Final = 10.0
MOST_BYTES: Final = 1 << 16
_SECRET: Final = re.compile(r"[\x21-\x7e]{1,512}")


@dataclass(frozen=True)
class Webhook:
    """A place where people are told. `sleep`, `monotonic` and `now` are the only clocks it has."""

    shape: str
    url: str = field(repr=False)
    secret: str | None = field(default=None, repr=False)
    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))

    def deliver(self, made: Callable[[datetime, str | None], Message]) -> str:
        """Empty when the service said that it took the message; else why it did not, in words that hold no secret.

        The message is made anew for each try, since a signature holds only for a while. After a try that had no
        answer it may have been taken all the same: such a message can come twice.
        """
        said = ""
        for number in range(TRIES):
            built = made(self.now(), self.secret)
            body = json.dumps(built.body, ensure_ascii=False).encode()
            headers = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "mendory"}
            reply = post(_with(self.url, built.query), body, headers, TIMEOUT, MOST_BYTES, self.monotonic)
            if reply.status and accepted(self.shape, reply.status, reply.data):
                return ""
            if reply.status == 0:
                said = str(reply.data, "ascii", "replace")
            else:
                code = refusal(reply.data)
                said = f"HTTP {reply.status}" + (f", code {code}" if code else "")
            if reply.status and reply.status not in AGAIN:
                break
            pause = wait(reply.headers, number, self.now())
            if pause > LONGEST_WAIT:
                break
            if number + 1 < TRIES:
                self.sleep(pause)
        return said


def webhook(
    section: NotifySection,
    environ: Mapping[str, str],
    sleep: Callable[[float], None],
    now: Callable[[], datetime],
) -> Webhook | str:
    """The webhook whose address, and secret where one is named, the environment holds; else what is wrong with it."""
    url = environ.get(section.url_env, "").strip()
    if not url:
        return f"the environment variable {section.url_env} is not set"
    path = url.partition("?")[0]
    if complaint(path, has_key=True) or not url.isascii() or "#" in url or not url.isprintable() or " " in url:
        return (
            f"the environment variable {section.url_env} holds no address that can be used; "
            "it must be https://, or http:// on this machine or a private network"
        )
    if section.secret_env is None:
        return Webhook(section.shape, url, None, sleep, now=now)
    secret = environ.get(section.secret_env, "").strip()
    if not _SECRET.fullmatch(secret):
        return f"the environment variable {section.secret_env} holds no secret"
    return Webhook(section.shape, url, secret, sleep, now=now)


def _with(url: str, query: Mapping[str, str]) -> str:
    if not query:
        return url
    more = "&".join(f"{name}={quote_plus(value)}" for name, value in query.items())
    return url + ("&" if urlsplit(url).query else "?") + more
