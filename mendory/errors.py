"""Every error Mendory raises on purpose: one family, each with a stable name.

A message has four parts: what happened, to which and how many, what was not done, what to do next.
"""

from __future__ import annotations

from typing import ClassVar


class MendoryError(Exception):
    """Root of the family; `name` is stable across releases and is what the CLI and logs print."""

    name: ClassVar[str] = "error"


# --- configuration and input ------------------------------------------------------------------


class ConfigInvalid(MendoryError):
    """The configuration file is missing, unreadable or holds an unknown or wrong key."""

    name = "config_invalid"


class InputInvalid(MendoryError):
    """An argument or a whole input file can't be used; nothing was written."""

    name = "input_invalid"


class EmptyInput(InputInvalid):
    """A source holds no record at all; that never means that memories are gone."""

    name = "empty_input"


class BadEncoding(InputInvalid):
    """A text file is in another encoding than UTF-8."""

    name = "bad_encoding"


class TruncatedArchive(InputInvalid):
    """A packed file ends before its end."""

    name = "truncated_archive"


class BadArchive(InputInvalid):
    """A packed file is damaged, or something else than packed data is in it."""

    name = "bad_archive"


class BadParquet(InputInvalid):
    """A Parquet file can't be read whole."""

    name = "bad_parquet"


class InputTooLarge(InputInvalid):
    """A source, or one record of it, is past the bounds of what is read."""

    name = "input_too_large"


class PathNotAllowed(InputInvalid):
    """A path leads out of its folder, or to something that is no file."""

    name = "path_not_allowed"


class KeyNotUnique(InputInvalid):
    """Several rows of a source table have one id, so none of them can be addressed."""

    name = "key_not_unique"


class DependencyMissing(MendoryError):
    """An optional package is needed and not installed."""

    name = "dependency_missing"


class CheckBroken(MendoryError):
    """A check could not be evaluated, or two ways of checking one rule disagree; no finding is made of it."""

    name = "check_broken"


# --- the table --------------------------------------------------------------------------------


class TableNotFound(MendoryError):
    """There is no such table at that place."""

    name = "table_not_found"


class TableExists(MendoryError):
    """A table of that name is already there."""

    name = "table_exists"


class SchemaMismatch(MendoryError):
    """The table lacks a column the mapping names, or has it with an unusable type."""

    name = "schema_mismatch"


class TableCorrupt(MendoryError):
    """Files of the table can't be read."""

    name = "table_corrupt"


class TableHalfDeleted(TableCorrupt):
    """The table's folder is there and not one manifest, so it can't be opened and must not be created."""

    name = "table_half_deleted"


class ManifestTorn(TableCorrupt):
    """The newest manifest is damaged; the version before it can be opened when it is moved aside."""

    name = "manifest_torn"


class ManifestMissing(TableCorrupt):
    """The newest manifest is not there, though a writer noted its version."""

    name = "manifest_missing"


class FileUnreadable(TableCorrupt):
    """A data or deletion file of the newest version is missing, cut short or damaged."""

    name = "file_unreadable"


class FormatNewer(TableCorrupt):
    """The table was written in a newer format than the installed library knows."""

    name = "format_newer"


class TableWentBack(MendoryError):
    """The table's newest version is older than one a receipt names."""

    name = "table_went_back"


class VersionUnreadable(MendoryError):
    """A version of the table's history is gone, so what happened in it can't be known."""

    name = "version_unreadable"


class CommitConflict(MendoryError):
    """Somebody else committed to the same fragments first; nothing was written. Retryable."""

    name = "commit_conflict"


class Unavailable(MendoryError):
    """Storage or a service did not answer. Retryable."""

    name = "unavailable"


# --- embedders and spaces ----------------------------------------------------------------------


class TextRefused(MendoryError):
    """Texts that no model may embed: blank, too long, or no valid text. `positions` says which, counted from 0."""

    name = "text_refused"

    def __init__(self, message: str, positions: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.positions = positions


class BudgetExceeded(MendoryError):
    """A service would be asked more often than configured."""

    name = "budget_exceeded"


class ReplyInvalid(MendoryError):
    """A model's service replied with something that can't be used; nothing of it was kept."""

    name = "reply_invalid"


class EmbeddingInvalid(ReplyInvalid):
    """An embedder replied with something else than one usable vector a text."""

    name = "embedding_invalid"


class EndpointRefused(MendoryError):
    """A model's service refuses the request, whenever it is asked: key, model or address."""

    name = "endpoint_refused"


class SpaceUnknown(MendoryError):
    """The configured embedder makes vectors of another space than the table's."""

    name = "space_unknown"


class SpaceMoved(MendoryError):
    """The embedder makes other vectors of the same texts than before."""

    name = "space_moved"


class WitnessDisagrees(MendoryError):
    """Rows that were embedded again have other vectors than those stored."""

    name = "witness_disagrees"


# --- the door for an agent's own code ----------------------------------------------------------


class MemoryRefused(MendoryError):
    """A memory that must not be written as it was given. `codes` are all its faults."""

    name = "memory_refused"

    def __init__(self, message: str, codes: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.codes = codes


class MemoryNotFound(MendoryError):
    """No memory has that id."""

    name = "memory_not_found"


class QueryRefused(MendoryError):
    """A query has no vector that the table can be searched with."""

    name = "query_refused"


class StaleMemory(MendoryError):
    """The memory is no longer what the caller took it for; nothing was written."""

    name = "stale_memory"


# --- plans and decisions ----------------------------------------------------------------------


class PlanNotFound(MendoryError):
    """No plan, group, step or row of that name is in the ledger."""

    name = "plan_not_found"


class PlanClosed(MendoryError):
    """The plan is done, rejected, expired or rolled back."""

    name = "plan_closed"


class EmptyTargetSet(MendoryError):
    """A verb was given an empty set of targets; that never means 'all'."""

    name = "empty_target_set"


class RehearsalFailed(MendoryError):
    """The plan did not apply, verify and roll back cleanly on a clone, so nobody is shown it."""

    name = "rehearsal_failed"


class NotReversible(MendoryError):
    """The images needed for a rollback are past their retention."""

    name = "not_reversible"


# --- moving to another space -----------------------------------------------------------------


class MigrationRefused(MendoryError):
    """A step of a move to a new space does not follow where it stands, or what it needs is not there."""

    name = "migration_refused"


# --- the ledger -------------------------------------------------------------------------------


class LedgerMismatch(MendoryError):
    """The table is bound to another ledger, or its ledger is missing."""

    name = "ledger_mismatch"


class LedgerCorrupt(MendoryError):
    """The hash chain does not hold: a record was changed, added or removed."""

    name = "ledger_corrupt"


class LostOwnership(MendoryError):
    """Another process took this intent over while we were paused; we stop."""

    name = "lost_ownership"
