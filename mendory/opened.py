"""One table with its ledger and what is derived of its rows, each opened when needed and as the pointer says."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from mendory import digest
from mendory.claims.version import extractor
from mendory.config import Config
from mendory.detect import Settings
from mendory.embedder_section import MAX_CHARS
from mendory.errors import LedgerMismatch
from mendory.lance import Reader, Writer, table_folder, whole
from mendory.ledger import Clock, Ledger, utc_now
from mendory.ledger.database import shown
from mendory.mapping import Mapping
from mendory.scopes import ancestors_by
from mendory.side import View
from mendory.sidestate import SideState
from mendory.spaces import Space, SpaceState
from mendory.spaces.pointer import Pointed, Pointer

_R = TypeVar("_R", bound=Reader)


class Opened:
    """One table, its ledger and its configuration. Opens each only when needed.

    `told` hears how far a pass over the rows is: rows read, rows in all.
    """

    def __init__(self, config: Config, clock: Clock = utc_now) -> None:
        self.config, self.clock = config, clock
        self.told: Callable[[int, int], None] = unheard

    @cached_property
    def pointer(self) -> Pointer:
        """The space that is searched and the one beside it, as they were when this was asked first."""
        ledger = self.known_ledger()
        live = {s.state: Pointed(s.id, s.column) for s in ledger.spaces.live()} if ledger else {}
        return Pointer(live.get(SpaceState.ACTIVE), live.get(SpaceState.FILLING))

    def follow(self) -> None:
        """What the pointer decides is opened anew when it is asked for next: a move began, switched or ended."""
        sides = ("side_state", "side_state_beside")
        for name in ("pointer", "mapping", "beside", "_settings", "reader", "writer", *sides):
            self.__dict__.pop(name, None)

    @cached_property
    def mapping(self) -> Mapping:
        """Where each field lies, the vectors in the column of the space that is searched."""
        return self._pointed(self.pointer.searched, self.pointer.beside)

    def _pointed(self, searched: Pointed | None, other: Pointed | None) -> Mapping:
        plain = self.config.record_mapping()
        return plain.pointed(searched.column if searched else None, other.column if other else None)

    def most_chars(self, *spaces: Space) -> int:
        """The most characters of a text that the models of all these spaces take."""
        sections = [space.embedder or self.config.embedder for space in spaces]
        return min(section.max_chars if section else MAX_CHARS for section in sections)

    @cached_property
    def beside(self) -> Writer:
        """The table with the vectors of the space beside the searched one as its vectors; there must be one."""
        mapping = self._pointed(self.pointer.beside, self.pointer.searched)
        return self._watched(Writer(self.config.table_uri, self.config.table.name, mapping))

    @cached_property
    def _settings(self) -> Settings:
        return Settings.of(self.config, self.mapping)

    @cached_property
    def reader(self) -> Reader:
        """The table, readable and nothing else."""
        opened = self._watched(Reader(self.config.table_uri, self.config.table.name, self.mapping))
        # what the table can't hold is known only now
        self.mapping = opened.mapping
        self._settings = Settings.of(self.config, self.mapping)
        return opened

    @cached_property
    def writer(self) -> Writer:
        """The table, for the executor."""
        return self._watched(Writer(self.config.table_uri, self.config.table.name, self.mapping))

    def _watched(self, reader: _R) -> _R:
        reader.told = lambda done, total: self.told(done, total)
        return reader

    @cached_property
    def ledger(self) -> Ledger:
        """The ledger, made when it is not there."""
        return Ledger.open(self.config.ledger_url, self.clock)

    def known_ledger(self) -> Ledger | None:
        """The ledger if there is one; asking makes none."""
        return self.ledger if Ledger.exists(self.config.ledger_url) else None

    @cached_property
    def side_state(self) -> SideState:
        """What is derived of each row, in a file beside the ledger; its vectors are those that are searched."""
        return self._side_state(self.pointer.searched)

    @cached_property
    def side_state_beside(self) -> SideState:
        """The same for the vectors of the space beside the searched one."""
        return self._side_state(self.pointer.beside)

    def _side_state(self, space: Pointed | None) -> SideState:
        config = self.config
        column = space.column if space else None
        singles = self._settings.conflict.singles
        read = [repr(config.mapping), config.scopes.parents, sorted(singles), extractor()]
        about = [config.table_uri, config.table.name, *read, *([column] if column else [])]
        above = ancestors_by(config.scopes.parents)
        name = f"side-{column}.db" if column else "side.db"
        return SideState(config.root / ".mendory" / name, digest.of(about), above, singles)

    def view(self, table: Reader) -> View:
        """The table with what is kept aside of it laid over its rows."""
        ledger = self.known_ledger()
        return View(table, ledger.asides.held() if ledger else {})

    def sound(self) -> None:
        """Return when the table's files are there and whole, as far as they tell; else raise what is wrong."""
        folder = table_folder(self.config.table_uri, self.config.table.name)
        if folder is not None:
            whole(folder)

    def check_binding(self) -> None:
        """Return when the table is bound to this ledger or to none; else raise LedgerMismatch.

        Raises TableCorrupt, by its cause, where the table's files are not as they must be.
        """
        self.sound()
        bound = self.writer.ledger_id()
        if bound is None:
            return
        ledger = self.known_ledger()
        if ledger is None or ledger.id != bound:
            what = "is not there" if ledger is None else "is another one"
            raise LedgerMismatch(
                f"Table '{self.config.table.name}' is bound to ledger {bound[:8]}, and the ledger at "
                f"{shown(self.config.ledger.url)} {what}. Nothing was done. Point ledger.url at the right one; "
                "if it is lost for good: mendory recover --adopt --as NAME."
            )


def unheard(done: int, total: int) -> None:
    """Nobody listens."""
