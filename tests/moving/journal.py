"""What a program did and saw, a JSON object a line, written before the next thing is begun."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Journal:
    """One program's file; lines of `time.time()` and what is told."""

    def __init__(self, folder: Path, name: str) -> None:
        self._file = os.open(folder / f"{name}.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def tell(self, **told: Any) -> None:
        """One line more."""
        os.write(self._file, (json.dumps({"t": time.time(), **told}, ensure_ascii=False) + "\n").encode())


def told(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """The lines of one program, oldest first; the last is left out while it is being written."""
    path = folder / f"{name}.jsonl"
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.endswith("\n"):
                yield json.loads(line)


class Going:
    """True until SIGTERM; `rest` waits between two things, and a tenth as long from one SIGUSR1 to the next."""

    def __init__(self, pause: float) -> None:
        self._going, self._pause, self._other = True, pause, pause / 10
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGUSR1, self._hurry)

    def _stop(self, *_: Any) -> None:
        self._going = False

    def _hurry(self, *_: Any) -> None:
        self._pause, self._other = self._other, self._pause

    def rest(self) -> None:
        """The pause is over."""
        time.sleep(self._pause)

    def __bool__(self) -> bool:
        return self._going
