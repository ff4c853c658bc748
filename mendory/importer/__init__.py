"""Import of JSON Lines: every line is imported, already there, or quarantined with a reason; none is lost.

Reading and judging; the caller writes the table. Whatever of a line became no field is kept in the metadata
under `extra`, byte for byte; under `extra_2`, `extra_3`, … when the owner's metadata has an `extra`.
"""

from mendory.importer.against import SortedOut, against, dimension
from mendory.importer.files import lines, quarantine_target, write_quarantine
from mendory.importer.judging import Judged, Kept, Quarantined, judge, reasons
from mendory.importer.shaping import Shaping, known_fields

__all__ = [
    "Judged",
    "Kept",
    "Quarantined",
    "Shaping",
    "SortedOut",
    "against",
    "dimension",
    "judge",
    "known_fields",
    "lines",
    "quarantine_target",
    "reasons",
    "write_quarantine",
]
