"""The refused records: where they go, and the file that holds them all in order."""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mendory.errors import InputInvalid

_ENTRY: Final = re.compile(rb'\{"line": \d+, "reason": "[a-z_]+", "hint": "')
"""How each line of a quarantine begins; no other file is taken for one."""
_LOOKED_AT: Final = 200


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A record that was not imported, and why."""

    line: int
    reason: str
    hint: str
    text: str

    def entry(self) -> str:
        """The refused record as a line of JSON."""
        held = {"line": self.line, "reason": self.reason, "hint": self.hint, "text": self.text}
        return json.dumps(held) + "\n"


def quarantine_target(file: Path, given: Path | None) -> Path:
    """Where refused records go; raises InputInvalid when they can't go there, the input file above all."""
    target = given or file.with_name(file.name + ".quarantine.jsonl")
    if target.resolve() == file.resolve() or (target.exists() and file.exists() and target.samefile(file)):
        raise InputInvalid(f"--quarantine {target} is the input file. Nothing was imported. Name another file.")
    if target.is_dir() or not target.parent.is_dir():
        raise InputInvalid(
            f"Refused records would go to {target}, which is no file in a folder that is there. Nothing was imported. "
            "Name one with --quarantine."
        )
    _expect_ours(target)
    return target


def _expect_ours(target: Path) -> None:
    if not is_quarantine(target) and (target.exists() or target.is_symlink()):
        raise InputInvalid(
            f"Refused records would go to {target}, and another file is there, which is no quarantine of an import. "
            "Nothing was imported. Name a new file with --quarantine."
        )


def is_quarantine(path: Path) -> bool:
    """True for a file, and no link, whose first line is the entry of a refused record."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    with os.fdopen(handle, "rb") as file:
        return stat.S_ISREG(os.fstat(handle).st_mode) and _ENTRY.match(file.read(_LOOKED_AT)) is not None


def write_quarantine(path: Path, refused: Iterable[str]) -> None:
    """Every entry is in the file with its number, reason, hint and text; readable by its owner alone.

    The file is put in place whole. Raises InputInvalid where anything but an earlier quarantine stands there.
    """
    held = None
    try:
        handle, held = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # new, no link, mode 0600
        with os.fdopen(handle, "w", encoding="utf-8") as target:
            target.writelines(refused)
            target.flush()
            os.fsync(target.fileno())
        _expect_ours(path)
        Path(held).replace(path)
        held = None
    except OSError as error:
        raise InputInvalid(f"{path} can't be written: {error.strerror}. Nothing was imported. Name another.") from None
    finally:
        if held is not None:
            Path(held).unlink(missing_ok=True)


def drop_quarantine(path: Path) -> bool:
    """No quarantine of an earlier import stands there; True when one did. Any other file stays."""
    there = is_quarantine(path)
    if there:
        path.unlink(missing_ok=True)
    return there
