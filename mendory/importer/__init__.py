"""Import: every record of a source is imported, already there, or quarantined with a reason; none is lost.

JSON Lines, Parquet, LanceDB tables and what mem0 returns become numbered records, each judged by the same rules and
set aside on disk; the caller writes the table, in one commit. Whatever of a record became no field is kept in the
metadata under `extra`, byte for byte; under `extra_2`, `extra_3`, … when the owner's metadata has an `extra`.
"""

from mendory.importer.files import lines
from mendory.importer.judging import Judge, Kept
from mendory.importer.quarantine import Quarantined, drop_quarantine, quarantine_target, write_quarantine
from mendory.importer.running import Import, rejected
from mendory.importer.shaping import Raw, Shaping, known_fields
from mendory.importer.sources import FORMS, Source, source
from mendory.importer.waiting import waiting_room

__all__ = [
    "FORMS",
    "Import",
    "Judge",
    "Kept",
    "Quarantined",
    "Raw",
    "Shaping",
    "Source",
    "drop_quarantine",
    "known_fields",
    "lines",
    "quarantine_target",
    "rejected",
    "source",
    "waiting_room",
    "write_quarantine",
]
