"""Follows the pointer: a door works with the table as the spaces are now, and opens it anew when they moved."""

from __future__ import annotations

from threading import Lock

from mendory.door.ledger import LedgerView
from mendory.door.opened import Opened, Opening
from mendory.errors import LedgerCorrupt, Unavailable
from mendory.spaces.pointer import Pointer


class Following:
    """One table, opened for the spaces that the ledger told of last. Threads may share it."""

    def __init__(self, ledger: LedgerView, opening: Opening) -> None:
        self._ledger, self._opening = ledger, opening
        self._pointer, self._lock = Pointer(), Lock()
        self._opened: Opened | None = None

    def now(self) -> tuple[Opened, float]:
        """The table as the spaces are now, and the share of the canary: a switch or a way back is followed at once.

        While the ledger can't be read they are as they were; nothing is embedded for a space nobody has told of.
        """
        try:
            pointer = self._ledger.pointer()
        except (LedgerCorrupt, Unavailable):
            pointer = self._pointer
        with self._lock:
            if self._opened is None or pointer.spaces != self._pointer.spaces:
                self._opened = self._opening.opened(pointer)
            self._pointer = pointer
            return self._opened, pointer.share
