"""A post office on loopback: takes what a webhook sends, and shows the case records as an owner's web server would."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.loopback import Answer, Loopback, Request


class Post(Loopback):
    """Where it is, and what came; the folder's pages are under /cases/."""

    def __init__(self, reports: Path) -> None:
        self.reports = reports
        self.notices: list[dict[str, Any]] = []
        super().__init__()
        self.url = f"http://127.0.0.1:{self.port}"

    def answer(self, request: Request) -> Answer:
        """A notice is taken, a page is shown, and there is nothing else."""
        if request.method == "POST":
            self.notices.append(json.loads(request.body))
            return 200, {"Content-Type": "application/json"}, {}
        page = self.reports / Path(request.path).name
        if request.path.startswith("/cases/") and page.is_file():
            return 200, {"Content-Type": "text/html; charset=utf-8"}, page.read_bytes()
        return 404, {}, b""
