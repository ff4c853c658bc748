"""Files for their owner's eyes alone: what is kept of memories is nobody else's to read."""

from __future__ import annotations

import os
from pathlib import Path


def private_folder(path: Path) -> None:
    """The folder is there; one made now can be entered by its owner alone."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)


def private_file(path: Path) -> None:
    """The file and its folder are there; what was made now can be read by its owner alone. Raises OSError."""
    private_folder(path.parent)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
