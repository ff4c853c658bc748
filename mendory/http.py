"""One request over HTTP with the standard library alone, and when it may be tried again.

Why not httpx: it comes with Prefect, not with a plain install, and one POST needs none of it. Redirects are
refused, because the library's own handler would carry a key, or an address that is one, to wherever it is sent.
"""

from __future__ import annotations

import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlsplit

from mendory.address import is_this_machine

FIRST_WAIT: Final = 0.5
LONGEST_WAIT: Final = 60.0
AGAIN: Final = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
"""Statuses after which the same request may succeed."""
_CHUNK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: status 0 for no answer at all, its body then a word for why.

    `cut` is True where more came than the caller wanted; `data` is then not the whole of it.
    """

    status: int
    headers: Message
    data: bytes
    cut: bool = False


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer like any other, and not followed."""

    def redirect_request(self, *_: Any) -> None:
        """No request follows."""
        return


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    timeout: float,
    most_bytes: int,
    monotonic: Callable[[], float],
) -> Reply:
    """The reply to one POST; `timeout` bounds the whole request in seconds, not only its silences.

    This machine's own services are asked directly: a proxy for the outside world must not be asked for them.
    """
    request = urllib.request.Request(  # noqa: S310  # callers allow http and https alone
        url, body, dict(headers), method="POST"
    )
    direct = [urllib.request.ProxyHandler({})] if is_this_machine(urlsplit(url).hostname) else []
    opener = urllib.request.build_opener(_NoRedirect(), *direct)
    until = monotonic() + timeout
    try:
        with opener.open(request, timeout=timeout) as reply:
            data, cut = _read(reply, until, most_bytes, monotonic)
            return Reply(reply.status, reply.headers, data, cut)
    except urllib.error.HTTPError as error:
        return Reply(error.code, error.headers, _start_of(error))
    except (urllib.error.URLError, OSError, http.client.HTTPException, UnicodeError) as error:
        # UnicodeError: a host name that can be no name of a host
        reason = getattr(error, "reason", error)
        return Reply(0, Message(), b"no answer (%s)" % type(reason).__name__.encode())


def wait(headers: Message, number: int, now: datetime) -> float:
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
        return max((until - now).total_seconds(), 0.0)
    return FIRST_WAIT * 2.0**number


def _read(
    reply: http.client.HTTPResponse, until: float, most: int, monotonic: Callable[[], float]
) -> tuple[bytes, bool]:
    parts: list[bytes] = []
    size = 0
    while part := reply.read1(_CHUNK):
        parts.append(part)
        size += len(part)
        if size > most:
            return b"".join(parts), True
        if monotonic() > until:
            raise TimeoutError
    if reply.length:  # the connection closed before what was announced
        raise http.client.IncompleteRead(b"", reply.length)
    return b"".join(parts), False


def _start_of(error: urllib.error.HTTPError) -> bytes:
    """The beginning of a refusal's body; nothing when it does not come."""
    with error:
        try:
            return error.read(_CHUNK)
        except (OSError, http.client.HTTPException):
            return b""
