"""Claims as the side state keeps them, so that a check need not extract them again."""

from __future__ import annotations

import sqlite3
from functools import cached_property
from pathlib import Path
from typing import Final

from mendory import digest
from mendory.claims import claims_in, claims_of
from mendory.claims.extract import recalled, remember
from mendory.claims.plain import loads
from mendory.language.claim import Claim
from mendory.record import Memory

_CLAIMS: Final = "SELECT claims FROM claimed WHERE content = ?"


class KeptClaims:
    """What memories claim, read from the file at `path` where it was derived under `key`.

    Nothing is written, and nothing depends on the file: a text that it does not know is read by the rules.
    """

    def __init__(self, path: Path, key: str) -> None:
        self._path, self._key = path, key

    def __call__(self, memory: Memory) -> tuple[Claim, ...]:
        """See `mendory.claims.claims_of`."""
        return claims_of(memory, self._of)

    @cached_property
    def _file(self) -> sqlite3.Connection | None:
        if not self._path.exists():
            return None
        try:
            # several threads may ask; each asks for one row at a time
            opened = sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
            held = dict(opened.execute("SELECT key, value FROM about").fetchall())
        except sqlite3.Error:
            return None  # it is derived: what can't be read is extracted
        return opened if held.get("key") == self._key else None

    def _of(self, text: str) -> tuple[Claim, ...]:
        if (known := recalled(text)) is not None:
            return known
        if self._file is None:
            return claims_in(text)
        try:
            found = self._file.execute(_CLAIMS, (digest.of(text),)).fetchone()
        except sqlite3.Error:
            return claims_in(text)
        if found is None:
            return claims_in(text)
        claims = loads(found[0])
        remember(text, claims)  # for whoever asks for the text alone
        return claims
