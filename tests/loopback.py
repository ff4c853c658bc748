"""An HTTP service of a test's own, on a free port of this machine's loopback."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import pytest

Answer = tuple[int, Mapping[str, str], Any]
"""Status, headers, and what is said: bytes as they are, anything else as JSON."""


@dataclass(frozen=True)
class Request:
    """What was asked; the body of a GET is empty."""

    method: str
    path: str
    headers: Message
    body: bytes


class Loopback:
    """Answers from the moment it is made until it is closed; each kind of service says how in `answer`.

    With a `piece` above 0 replies drip: so many bytes every 20 ms.
    """

    def __init__(self) -> None:
        self.piece = 0
        loopback = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                code, headers, reply = loopback.answer(Request(self.command, self.path, self.headers, body))
                data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
                self.send_response(code)
                for name, value in {"Content-Length": str(len(data)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                step = loopback.piece or len(data) or 1
                with suppress(OSError):  # who hung up does not read
                    for at in range(0, len(data), step):
                        self.wfile.write(data[at : at + step])
                        time.sleep(0.02 if loopback.piece else 0)

            do_GET = do_POST  # noqa: N815

            def log_message(self, *_: Any) -> None:
                """Nothing is said."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()

    def answer(self, request: Request) -> Answer:
        """What the service says to it."""
        raise NotImplementedError

    def close(self) -> None:
        """The port is free again."""
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


Said = Callable[[dict[str, Any]], Answer]
"""What a service answers to a body of JSON."""


class InTurn(Loopback):
    """A service that is asked in JSON. `answers` are given in turn, the last one for ever."""

    def __init__(self, first: Said) -> None:
        self.answers: list[Said] = [first]
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        super().__init__()
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def answer(self, request: Request) -> Answer:
        """The next answer; what was asked is kept."""
        body = json.loads(request.body)
        self.asked.append((request.path, dict(request.headers), body))
        step = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return step(body)

    def alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Every other socket is refused."""
        connect, mine = socket.socket.connect, ("127.0.0.1", self.port)

        def guarded(self: socket.socket, address: Any) -> None:
            assert mine == tuple(address[:2]), f"a socket to {address}"
            connect(self, address)

        monkeypatch.setattr(socket.socket, "connect", guarded)
