"""The processes of a round: each starts with the modules imported, says how far it is, and can be killed.

They come from a fork server that has imported LanceDB and the executor and done nothing else, since importing costs
more than everything a killed executor lives to do. What runs in them is the executor as shipped.
"""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

PATIENCE = 120.0
_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.crash.worker", "tests.crash.foreign"])

# a fork of a process that only imported is what both libraries can take; each says so at every fork otherwise
warnings.filterwarnings("ignore", message="lance(db)?.* fork")

Say = Callable[[str], None]


class Started:
    """A running process; `target(say, *args)` is what runs in it, its errors go to a file of the folder."""

    def __init__(self, target: Callable[..., None], errors: Path, *args: Any) -> None:
        self._words, theirs = _CONTEXT.Pipe(duplex=False)
        self._process = _CONTEXT.Process(target=_run, args=(target, errors, theirs, args))
        self._errors = errors
        self._process.start()
        theirs.close()
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    def await_word(self, word: str) -> bool:
        """True once the process has said the word; False when it ended before."""
        while self._words.poll(PATIENCE):
            try:
                if self._words.recv() == word:
                    return True
            except EOFError:
                return False
        self.end(signal.SIGKILL)
        raise TimeoutError(f"A process of the round was silent for {PATIENCE:.0f} s: {self.last_words()}")

    def end(self, number: signal.Signals | None = None) -> int:
        """The exit code, negative for a signal, once the process is gone; `number` is sent to it first."""
        if number is not None and self._process.is_alive():
            os.kill(self.pid, number)
        self._process.join(PATIENCE)
        code = self._process.exitcode
        if code is None:
            self._process.kill()
            raise TimeoutError(f"A process of the round did not end: {self.last_words()}")
        self._words.close()
        return code

    def last_words(self) -> str:
        """The end of what it and its predecessors wrote to standard error."""
        lines = self._errors.read_text().strip().splitlines() if self._errors.exists() else []
        return " | ".join(line.strip() for line in lines[-3:])[-400:] or "no message"


def _run(target: Callable[..., None], errors: Path, words: Connection, args: tuple[Any, ...]) -> None:
    handle = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(handle, 2)
    target(words.send, *args)
