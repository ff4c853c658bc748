"""The temporary folder where records wait: gone when the import ends, however it ends, or when the next one begins."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType
from typing import Final

PREFIX: Final = "mendory-import-"
_OURS: Final = re.compile(rf"{PREFIX}(\d+)-")


@contextmanager
def waiting_room() -> Iterator[Path]:
    """A new folder, readable by its owner alone, for this process; what dead imports of this user left is removed.

    A SIGTERM ends the process as an exit does, so that the folder goes too.
    """
    _clear(Path(tempfile.gettempdir()))
    with _terminable(), tempfile.TemporaryDirectory(prefix=f"{PREFIX}{os.getpid()}-") as folder:  # mode 0700
        yield Path(folder)


def _clear(root: Path) -> None:
    for path in root.glob(f"{PREFIX}*"):
        found = _OURS.match(path.name)
        if found and not _alive(int(found[1])) and not path.is_symlink() and _own(path):
            shutil.rmtree(path, ignore_errors=True)


def _own(path: Path) -> bool:
    try:
        return path.stat().st_uid == os.geteuid()
    except OSError:
        return False


def _alive(process: int) -> bool:
    """True unless there is certainly no such process."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


@contextmanager
def _terminable() -> Iterator[None]:
    if current_thread() is not main_thread():  # only there signals can be heard
        yield
        return
    before = signal.signal(signal.SIGTERM, _exit)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _exit(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)
