"""Which rules extracted a claim: others may find other claims in the same text."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from mendory import language
from mendory.language.choose import GROUP

_SAID: Final = frozenset({".py", ".json", ".toml", ".txt"})


@cache
def extractor() -> str:
    """A digest of all that decides what is extracted: the rules, their lists, and the releases of further languages."""
    folders = (Path(__file__).parent, Path(str(language.__file__)).parent)
    told = hashlib.sha256()
    for path in sorted(path for folder in folders for path in folder.rglob("*.*") if path.suffix in _SAID):
        told.update(hashlib.sha256(path.read_bytes()).digest())
    for one in sorted(entry_points(group=GROUP), key=lambda one: one.name):
        told.update(f"{one.name}={one.value}@{one.dist.version if one.dist else ''}".encode())
    return told.hexdigest()[:32]
