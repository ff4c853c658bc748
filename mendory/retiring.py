"""The end of a move: retiring the old space, and the purge of the column that is left behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from mendory.clinic import Clinic
from mendory.errors import MigrationRefused, TableCorrupt
from mendory.lance import dropping, indexing, merging
from mendory.ledger import Ledger
from mendory.ledger.moves import Move
from mendory.ledger.records import IntentState
from mendory.looks import last_look
from mendory.migrating import under_way
from mendory.migration.stages import Stage, require, said
from mendory.migration.words import alarm
from mendory.preparing import column_of
from mendory.text import shown

CODE: Final = 8
"""Characters of a move's id that are its code."""
FRESH: Final = timedelta(days=2)
"""A look older than this says nothing of the space as it is: it is made daily, and one may be missed."""
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Purged:
    """A column is gone from the table's newest version and its files: what that freed, and what was kept.

    The bytes are those of the table's folder; None for a table elsewhere.
    """

    move: Move
    column: str
    rows: int
    fragments: int
    versions: int
    bytes_before: int | None
    bytes_after: int | None

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "move": self.move.id,
            "column": self.column,
            "rows": self.rows,
            "fragments": self.fragments,
            "versions": self.versions,
            "bytes_before": self.bytes_before,
            "bytes_after": self.bytes_after,
        }


def retire(clinic: Clinic, by: str) -> Move:
    """The old space is history and our writes carry its vectors no more; its column stays as it is.

    Raises MigrationRefused, with nothing changed, unless the move is soaking, its days are over and the last look at it
    raised no alarm and is not older than `FRESH`.
    """
    move = under_way(clinic.ledger)
    require(move.stage, Stage.RETIRED)
    left = left_to_soak(clinic, move)
    if left > timedelta(0):
        raise MigrationRefused(
            f"The new space has {left / _DAY:.1f} of its {clinic.config.migration.soak / _DAY:.0f} days to go. Nothing "
            "was retired: until then the way back is one command. Wait, or go back: mendory migrate rollback --as NAME."
        )
    last = last_look(move)
    if last is None:
        raise MigrationRefused(
            "Nobody has looked at the new space since the switch. Nothing was retired. Look at it, then retire: "
            "mendory migrate switch --as NAME."
        )
    if last.told["alarm"]:
        raise MigrationRefused(
            f"The look of {last.at:%Y-%m-%d} raised an alarm: {alarm(last.told['alarm'], 'en')}. Nothing was "
            "retired. See 'mendory migrate status'; look again once it is mended, or go back: "
            "mendory migrate rollback --as NAME."
        )
    if (age := clinic.clock() - last.at) > FRESH:
        raise MigrationRefused(
            f"The last look at the new space is {age / _DAY:.1f} days old, and {FRESH / _DAY:.0f} are the most. "
            "Nothing was retired. Look again, then retire: mendory migrate switch --as NAME."
        )
    done = clinic.ledger.moves.to(move.id, Stage.RETIRED, by)
    clinic.follow()
    return done


def left_to_soak(clinic: Clinic, move: Move) -> timedelta:
    """How long the new space has yet to be searched before the old one may be retired; zero or less when it may."""
    switched = move.last(Stage.SWITCHED)
    assert switched is not None
    return switched.at + clinic.config.migration.soak - clinic.clock()


def purge(clinic: Clinic, code: str, by: str) -> Purged:
    """The column that a finished move left behind is gone, and its bytes are free; every other value is what it was.

    Of a retired move it is the old space's column, of one that was taken back the new one's. `code` names the move,
    `by` whose word it is. Only the newest version is left of the table's history. Asked again after a kill it goes on;
    once done it says again what it did. Images of repairs made before stay in the ledger until their retention.

    Raises MigrationRefused, with nothing changed, while the column may be needed: its space is in use, a repair is open
    or of unknown outcome, or somebody keeps versions by tags or branches. Raises TableCorrupt, with the earlier
    versions kept, where a row is not what it was; CommitConflict when others kept committing first.
    """
    clinic.check_binding()
    ledger = clinic.ledger
    move = _meant(ledger, code)
    column = _left_behind(clinic, move)
    if (done := _told(move, "purged")) is not None:
        return _purged(move, column, done)
    _check_free(clinic, move, column)
    at = (clinic.config.table_uri, clinic.config.table.name)
    began = _told(move, "purge")
    if began is None:
        began = {"purge": column, "bytes": dropping.size(*at), "version": clinic.writer.latest()}
        move = ledger.moves.note(move.id, by, began)
    rows, fragments = _rewritten(clinic, column, began["version"])
    versions = dropping.clean(*at)
    if left := dropping.remnants(*at):
        raise TableCorrupt(
            f"{len(left)} data files still hold the column '{column}': others wrote meanwhile. It is dropped, and "
            f"nothing is lost. Run it again: mendory migrate purge {code} --as NAME."
        )
    clinic.writer.sync(clinic.writer.latest())
    told = {"purged": column, "rows": rows, "fragments": fragments, "versions": versions}
    told |= {"bytes_before": began["bytes"], "bytes_after": dropping.size(*at)}
    move = ledger.moves.note(move.id, by, told)
    clinic.follow()
    return _purged(move, column, told)


def _rewritten(clinic: Clinic, column: str, since: int) -> tuple[int, int]:
    """The column is out of the table and every live file, and no row is another; rows, fragments written anew.

    Compared are the versions around each of our commits since that version, so that others may write meanwhile, and a
    kill between a commit and its proof leaves none unproven.
    """
    at = (clinic.config.table_uri, clinic.config.table.name)
    dropping.drop(*at, column)
    fragments = dropping.rewrite(*at)
    merging.merge_small(*at)
    indexing.bring_up(*at)
    for first, last in dropping.same_rows(*at, since):
        was, now = dropping.told(*at, (first, last))
        if was != now:
            raise TableCorrupt(
                f"Between versions {first} and {last} of table '{at[1]}' rows changed, where only a column and files "
                f"were to go: {was.rows} rows before, {now.rows} after. No earlier version was removed. See what "
                f"became of the rows, and restore them from version {first}."
            )
    clinic.writer.refresh()
    return clinic.writer.count(), fragments


def _meant(ledger: Ledger, code: str) -> Move:
    found = [move for move in ledger.moves.all() if code and move.id.startswith(code)]
    if len(found) != 1 or len(code) < CODE:
        raise MigrationRefused(
            f"'{shown(code)}' is the code of {len(found)} moves of this table. Nothing was purged. See its code of at "
            f"least {CODE} characters in 'mendory migrate status'."
        )
    return found[0]


def _left_behind(clinic: Clinic, move: Move) -> str:
    """The column that nobody needs once the move is over."""
    if move.stage is Stage.RETIRED:
        return column_of(clinic, move.old)
    if move.stage is Stage.ROLLED_BACK:
        return move.column
    raise MigrationRefused(
        f"Move {move.id[:CODE]} is {said(move.stage)}, and both its columns are in use. Nothing was purged. It is a "
        "step of its own after 'mendory migrate retire', or after the way back."
    )


def _check_free(clinic: Clinic, move: Move, column: str) -> None:
    ledger = clinic.ledger
    if any(column_of(clinic, space.id) == column for space in ledger.spaces.live()):
        raise MigrationRefused(
            f"The column '{column}' of move {move.id[:CODE]} is that of a space in use by now. Nothing was purged."
        )
    if ledger.intents.in_state(IntentState.OPEN) or ledger.intents.unresolved():
        raise MigrationRefused(
            "A repair is open or of unknown outcome, and what became of it is read from the history that a purge "
            "removes. Nothing was purged. Run 'mendory recover' first."
        )
    if names := dropping.pinned(clinic.config.table_uri, clinic.config.table.name):
        listed = ", ".join(shown(name) for name in names[:5])
        raise MigrationRefused(
            f"{len(names)} tags or branches of others keep versions of the table, and with them the bytes: {listed}. "
            "Nothing was purged. Let their owner delete them first."
        )


def _told(move: Move, word: str) -> Mapping[str, Any] | None:
    return next((p.told for p in reversed(move.passed) if word in p.told), None)


def _purged(move: Move, column: str, told: Mapping[str, Any]) -> Purged:
    kept = (told[k] for k in ("rows", "fragments", "versions", "bytes_before", "bytes_after"))
    return Purged(move, column, *kept)
