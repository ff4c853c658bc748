"""Posts JSON to an embedding service, tried again where that helps."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from mendory.errors import EmbeddingInvalid, EndpointRefused, Unavailable
from mendory.http import AGAIN, LONGEST_WAIT, Reply, post, wait

TRIES: Final = 5
MOST_BYTES: Final = 256 * 1024 * 1024


@dataclass(frozen=True)
class Client:
    """Posts JSON to one address. `sleep`, `monotonic` and `now` are the only clocks it has.

    `timeout` bounds a whole request in seconds, not only its silences.
    """

    url: str
    timeout: float
    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))

    def post(self, body: Mapping[str, Any], key: str | None, before: Callable[[], None]) -> Any:
        """The JSON replied; `before` runs ahead of every try and may refuse it.

        Raises Unavailable when nothing usable came after five tries, or the service asks for a longer wait than a
        minute; EndpointRefused for an answer that trying again does not change; EmbeddingInvalid for no JSON.
        """
        said = ""
        for number in range(TRIES):
            before()
            reply = self._try(body, key)
            status = reply.status
            if status == 200:
                return _parsed(reply.data, self.url)
            said = str(reply.data, "ascii", "replace") if status == 0 else f"HTTP {status}{_code(reply.data)}"
            if status != 0 and status not in AGAIN:
                raise EndpointRefused(
                    f"{self.url} refused to embed: {said}. Nothing of that batch was embedded. "
                    "Check embedder.base_url, embedder.model, the key and embedder.max_chars."
                )
            pause = wait(reply.headers, number, self.now())
            if pause > LONGEST_WAIT:
                said += f", and asks to wait {pause:.0f} s"
                break
            if number + 1 < TRIES:
                self.sleep(pause)
        raise Unavailable(
            f"{self.url} did not embed: {said}. Nothing of that batch was embedded, and nothing is concluded from it. "
            "Try again later."
        )

    def _try(self, body: Mapping[str, Any], key: str | None) -> Reply:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "mendory"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        reply = post(self.url, json.dumps(body).encode(), headers, self.timeout, MOST_BYTES, self.monotonic)
        if reply.cut:
            raise EmbeddingInvalid(
                f"{self.url} replied with more than {MOST_BYTES >> 20} MiB. Nothing of it was kept. "
                "Lower embedder.batch, or check the service."
            )
        return reply


def _parsed(data: bytes, url: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise EmbeddingInvalid(
            f"{url} replied with something that is no JSON. Nothing of it was kept. Check embedder.base_url."
        ) from None


def _code(data: bytes) -> str:
    """The service's own short code, where its reply has one; the reply itself may repeat a text and is not shown."""
    try:
        error = json.loads(data)["error"]
        code = error.get("code") or error.get("type")
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return ""
    return f" ({code})" if isinstance(code, str) and re.fullmatch(r"[\w.\-]{1,60}", code, re.ASCII) else ""
