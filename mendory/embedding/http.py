"""One JSON request over HTTP, tried again where that helps; with the standard library alone.

Why not httpx: it comes with Prefect, not with a plain install, and one POST needs none of it. Redirects are
refused, because the library's own handler would carry the key to wherever it is sent.
"""

from __future__ import annotations

import http.client
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlsplit

from mendory.address import is_this_machine
from mendory.errors import EmbeddingInvalid, EndpointRefused, Unavailable

TRIES: Final = 5
FIRST_WAIT: Final = 0.5
LONGEST_WAIT: Final = 60.0
MOST_BYTES: Final = 256 * 1024 * 1024
_CHUNK: Final = 1 << 16
_AGAIN: Final = frozenset({408, 409, 429, 500, 502, 503, 504, 529})


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer like any other, and not followed."""

    def redirect_request(self, *_: Any) -> None:
        """No request follows."""
        return


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
            status, headers, data = self._try(body, key)
            if status == 200:
                return _parsed(data, self.url)
            said = str(data, "ascii", "replace") if status == 0 else f"HTTP {status}{_code(data)}"
            if status != 0 and status not in _AGAIN:
                raise EndpointRefused(
                    f"{self.url} refused to embed: {said}. Nothing of that batch was embedded. "
                    "Check embedder.base_url, embedder.model, the key and embedder.max_chars."
                )
            wait = self._wait(headers, number)
            if wait > LONGEST_WAIT:
                said += f", and asks to wait {wait:.0f} s"
                break
            if number + 1 < TRIES:
                self.sleep(wait)
        raise Unavailable(
            f"{self.url} did not embed: {said}. Nothing of that batch was embedded, and nothing is concluded from it. "
            "Try again later."
        )

    def _try(self, body: Mapping[str, Any], key: str | None) -> tuple[int, Message, bytes]:
        """Status, headers and body of one try; status 0 and a word for none at all."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "mendory"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(  # noqa: S310  # the configuration allows http and https alone
            self.url, json.dumps(body).encode(), headers, method="POST"
        )
        until = self.monotonic() + self.timeout
        try:
            with self._opener().open(request, timeout=self.timeout) as reply:
                return reply.status, reply.headers, self._read(reply, until)
        except urllib.error.HTTPError as error:
            return error.code, error.headers, _start_of(error)
        except (urllib.error.URLError, OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            return 0, Message(), b"no answer (%s)" % type(reason).__name__.encode()

    def _opener(self) -> urllib.request.OpenerDirector:
        # a proxy for the outside world must not be asked for this machine's own services
        direct = [urllib.request.ProxyHandler({})] if is_this_machine(urlsplit(self.url).hostname) else []
        return urllib.request.build_opener(_NoRedirect(), *direct)

    def _read(self, reply: http.client.HTTPResponse, until: float) -> bytes:
        parts: list[bytes] = []
        size = 0
        while part := reply.read1(_CHUNK):
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES:
                raise EmbeddingInvalid(
                    f"{self.url} replied with more than {MOST_BYTES >> 20} MiB. Nothing of it was kept. "
                    "Lower embedder.batch, or check the service."
                )
            if self.monotonic() > until:
                raise TimeoutError
        if reply.length:  # the connection closed before what was announced
            raise http.client.IncompleteRead(b"", reply.length)
        return b"".join(parts)

    def _wait(self, headers: Message, number: int) -> float:
        """Seconds before the next try: what Retry-After asks for, else twice as long each time."""
        asked = str(headers.get("Retry-After", "")).strip()
        if re.fullmatch(r"\d{1,9}(\.\d+)?", asked):
            return float(asked)
        if asked:
            try:
                until = parsedate_to_datetime(asked)
            except ValueError:
                return FIRST_WAIT * 2.0**number
            until = until if until.tzinfo else until.replace(tzinfo=UTC)
            return max((until - self.now()).total_seconds(), 0.0)
        return FIRST_WAIT * 2.0**number


def _parsed(data: bytes, url: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise EmbeddingInvalid(
            f"{url} replied with something that is no JSON. Nothing of it was kept. Check embedder.base_url."
        ) from None


def _start_of(error: urllib.error.HTTPError) -> bytes:
    """The beginning of a refusal's body; nothing when it does not come."""
    with error:
        try:
            return error.read(_CHUNK)
        except (OSError, http.client.HTTPException):
            return b""


def _code(data: bytes) -> str:
    """The service's own short code, where its reply has one; the reply itself may repeat a text and is not shown."""
    try:
        error = json.loads(data)["error"]
        code = error.get("code") or error.get("type")
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return ""
    return f" ({code})" if isinstance(code, str) and re.fullmatch(r"[\w.\-]{1,60}", code, re.ASCII) else ""
