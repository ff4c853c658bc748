"""Asking a model's service: JSON posted to one address, tried again where that helps, within a budget."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock
from typing import Any, Final

from mendory.errors import BudgetExceeded, ConfigInvalid, EndpointRefused, ReplyInvalid, Unavailable
from mendory.http import AGAIN, LONGEST_WAIT, Reply, post, wait

TRIES: Final = 5
DAY: Final = 86_400.0
_KEY: Final = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a service is asked for, in the words of its errors: "refused to embed", "Nothing was embedded"."""

    section: str
    to: str
    nothing: str
    refused: str
    too_much: str


class Budget:
    """At most so many units within 24 hours of one process: requests, tries that failed included, or tokens.

    A monotonic clock tells the hours, so setting the clock back buys nothing. `key` is the configuration's.
    """

    def __init__(
        self, most: int, monotonic: Callable[[], float], key: str, nothing: str, unit: str = "requests", less: str = ""
    ) -> None:
        self._most, self._monotonic = most, monotonic
        self._key, self._nothing, self._unit, self._less = key, nothing, unit, less
        self._used, self._since = 0, monotonic()
        self._lock = Lock()

    @property
    def left(self) -> int:
        """How many may still be spent."""
        with self._lock:
            self._begin_again_when_due()
            return max(self._most - self._used, 0)

    def allow(self, units: int) -> None:
        """Return when so many are left; else raise BudgetExceeded. Nothing is spent by asking."""
        left = self.left
        if units > left:
            raise BudgetExceeded(
                f"This takes {units} {self._unit} and {left} of {self._most} within 24 hours are left "
                f"({self._key}). {self._nothing} Ask for less, {self._less}or raise {self._key}."
            )

    def spend(self, units: int = 1) -> None:
        """So many are counted; raises BudgetExceeded, with none counted, when none is left."""
        with self._lock:
            self._begin_again_when_due()
            if self._used >= self._most:
                raise BudgetExceeded(
                    f"All {self._most} {self._unit} within 24 hours are used up ({self._key}), tries that failed "
                    f"among them. {self._nothing} Wait, or raise {self._key}."
                )
            self._used += units

    def _begin_again_when_due(self) -> None:
        if self._monotonic() - self._since >= DAY:
            self._used, self._since = 0, self._monotonic()


@dataclass(frozen=True)
class Client:
    """Posts JSON to one address. `sleep`, `monotonic` and `now` are the only clocks it has.

    `timeout` bounds a whole request in seconds, not only its silences; `most_bytes` a whole reply.
    """

    url: str
    timeout: float
    purpose: Purpose
    most_bytes: int
    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    invalid: type[ReplyInvalid] = ReplyInvalid

    def post(self, body: Mapping[str, Any], key: str | None, before: Callable[[], None]) -> Any:
        """The JSON replied; `before` runs ahead of every try and may refuse it.

        Raises Unavailable when nothing usable came after five tries, or the service asks for a longer wait than a
        minute; EndpointRefused for an answer that trying again does not change; `invalid` for no JSON.
        """
        said = ""
        for number in range(TRIES):
            before()
            reply = self._try(body, key)
            status = reply.status
            if status == 200:
                return self._parsed(reply.data)
            said = str(reply.data, "ascii", "replace") if status == 0 else f"HTTP {status}{_code(reply.data)}"
            if status != 0 and status not in AGAIN:
                raise EndpointRefused(
                    f"{self.url} refused to {self.purpose.to}: {said}. {self.purpose.nothing} {self.purpose.refused}"
                )
            pause = wait(reply.headers, number, self.now())
            if pause > LONGEST_WAIT:
                said += f", and asks to wait {pause:.0f} s"
                break
            if number + 1 < TRIES:
                self.sleep(pause)
        raise Unavailable(
            f"{self.url} did not {self.purpose.to}: {said}. {self.purpose.nothing.removesuffix('.')}, "
            "and nothing is concluded from it. Try again later."
        )

    def _try(self, body: Mapping[str, Any], key: str | None) -> Reply:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "mendory"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        reply = post(self.url, json.dumps(body).encode(), headers, self.timeout, self.most_bytes, self.monotonic)
        if reply.cut:
            raise self.invalid(
                f"{self.url} replied with more than {self.most_bytes >> 20} MiB. Nothing of it was kept. "
                f"{self.purpose.too_much}"
            )
        return reply

    def _parsed(self, data: bytes) -> Any:
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise self.invalid(
                f"{self.url} replied with something that is no JSON. Nothing of it was kept. "
                f"Check {self.purpose.section}.base_url."
            ) from None


def key_of(environ: Mapping[str, str], name: str | None, section: str) -> str | None:
    """The key in the environment variable of that name, read now and kept nowhere; None where none is named."""
    if name is None:
        return None
    key = environ.get(name, "").strip()
    if not _KEY.fullmatch(key):
        what = "holds something that is no key" if key else "is not set"
        raise ConfigInvalid(
            f"The environment variable {name}, named in {section}.key_env, {what}. Nothing was sent. "
            "Set it in the environment, never in the file."
        )
    return key


def _code(data: bytes) -> str:
    """The service's own short code, where its reply has one; the reply itself may repeat a text and is not shown."""
    try:
        error = json.loads(data)["error"]
        code = error.get("code") or error.get("type")
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return ""
    return f" ({code})" if isinstance(code, str) and re.fullmatch(r"[\w.\-]{1,60}", code, re.ASCII) else ""
