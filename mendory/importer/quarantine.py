"""The refused records: where they go, and the file that holds them all in order."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from mendory.errors import InputInvalid


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
        raise InputInvalid(f"--quarantine {target} is no file in a folder that is there. Nothing was imported.")
    return target


def write_quarantine(path: Path, refused: Iterable[str]) -> None:
    """Every entry is in the file with its number, reason, hint and text; readable by its owner alone.

    The file is put in place whole; a link that stands there is replaced, what it points to stays as it was.
    """
    held = None
    try:
        handle, held = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # new, no link, mode 0600
        with os.fdopen(handle, "w", encoding="utf-8") as target:
            target.writelines(refused)
            target.flush()
            os.fsync(target.fileno())
        Path(held).replace(path)
        held = None
    except OSError as error:
        raise InputInvalid(f"{path} can't be written: {error.strerror}. Nothing was imported. Name another.") from None
    finally:
        if held is not None:
            Path(held).unlink(missing_ok=True)
