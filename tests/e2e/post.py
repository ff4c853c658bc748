"""A post office on loopback: takes what a webhook sends, and shows the case records as an owner's web server would."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Post:
    """Where it is, and what came."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.notices: list[dict[str, Any]] = []


@contextmanager
def post(reports: Path) -> Iterator[Post]:
    """Open until the block ends; the folder's pages are under /cases/."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            office.notices.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self._answer(b"{}", "application/json")

        def do_GET(self) -> None:
            page = reports / Path(self.path).name
            if self.path.startswith("/cases/") and page.is_file():
                self._answer(page.read_bytes(), "text/html; charset=utf-8")
            else:
                self.send_error(404)

        def _answer(self, data: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Nothing is said."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        office = Post(server.server_address[1])
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield office
        finally:
            server.shutdown()
