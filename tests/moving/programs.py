"""The processes of the proof: programs that run throughout, and acts that end or are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 900.0
_THREADS = {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "RUST_LOG": "error", "HF_HUB_OFFLINE": "1"}


class Program:
    """`python -m MODULE …` in a process of its own; its errors go to a file of the folder."""

    def __init__(self, folder: Path, module: str, *args: Any) -> None:
        self.name = " ".join([module.rpartition(".")[2], str(args[0])])
        self.errors = folder / f"{self.name.replace(' ', '-')}.err"
        env = {**os.environ, **_THREADS, "PYTHONPATH": str(ROOT)}
        with self.errors.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, *map(str, args)],
                cwd=folder,
                env=env,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def await_ready(self) -> bool:
        """True once it has said that it is ready; False when it ended before."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip() == "ready"

    @property
    def running(self) -> bool:
        """True while it has not ended."""
        return self._process.poll() is None

    def kill(self, after: float) -> bool:
        """True when it was killed, so long after now; False when it had ended by itself."""
        try:
            self._process.wait(after)
        except subprocess.TimeoutExpired:
            os.kill(self._process.pid, signal.SIGKILL)
        return self._process.wait(PATIENCE) == -signal.SIGKILL

    def stop(self) -> int:
        """Its exit code; it was asked to end."""
        self._process.terminate()
        return self._process.wait(PATIENCE)

    def hurry(self) -> None:
        """It pauses a tenth as long from now on; or, told so again, as long as before."""
        self._process.send_signal(signal.SIGUSR1)

    def result(self) -> dict[str, Any]:
        """The JSON object that its last line is. Raises RuntimeError, with its last words, where it failed."""
        out, _ = self._process.communicate(timeout=PATIENCE)
        if self._process.returncode != 0 or not out.strip():
            raise RuntimeError(f"{self.name} ended with {self._process.returncode}: {self.last_words()}")
        return dict(json.loads(out.strip().splitlines()[-1]))

    def last_words(self) -> str:
        """The end of what it and its predecessors wrote to standard error."""
        lines = self.errors.read_text(errors="replace").strip().splitlines()
        return " | ".join(line.strip() for line in lines[-3:])[-600:] or "no message"


class Crowd:
    """The four programs that run from before the start until after the way back."""

    def __init__(self, folder: Path, seed: int, pauses: tuple[float, float, float, float], column: str) -> None:
        kinds = (("agent", "read"), ("agent", "write"), ("foreign", "read"), ("foreign", "write"))
        self._programs = []
        for at, ((module, verb), pause) in enumerate(zip(kinds, pauses, strict=True)):
            more = (column,) if module == "foreign" else ()
            self._programs.append(Program(folder, f"tests.moving.{module}", verb, folder, seed + at, pause, *more))
        for program in self._programs:
            if not program.await_ready():
                raise RuntimeError(f"{program.name} did not begin: {program.last_words()}")

    def require(self) -> None:
        """Return while all of them run."""
        for program in self._programs:
            if not program.running:
                raise RuntimeError(f"{program.name} ended by itself: {program.last_words()}")

    def hurry_writers(self) -> None:
        """Both writers pause a tenth as long from now on; or, told so again, as long as before."""
        for program in self._programs:
            if program.name.endswith("write"):
                program.hurry()

    def stop(self) -> list[str]:
        """Those that did not end as asked, with their last words; none runs any more."""
        return [f"{p.name}: {p.last_words()}" for p in self._programs if p.stop() != 0]


def until(true: Any, patience: float, what: str, beat: float = 0.2) -> None:
    """Return once it is so; raises TimeoutError after the patience."""
    end = time.monotonic() + patience
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {patience:.0f} s")
        time.sleep(beat)
