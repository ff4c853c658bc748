"""The one place that touches LanceDB and Lance, and turns their exceptions into ours.

`Reader` cannot write: it has no method that does. `Writer` adds optimistic commits. Writing needs
pylance (`pip install 'mendory[repair]'`); reading needs lancedb alone.
"""

from mendory.lance.border import table_folder
from mendory.lance.door import OwnTable
from mendory.lance.faults import whole
from mendory.lance.history import Changes
from mendory.lance.past import Past, count_memories, ids, small_fragments
from mendory.lance.quoting import any_of, name, quote
from mendory.lance.reader import Reader
from mendory.lance.survey import Survey
from mendory.lance.tables import create_table, table_exists, to_table
from mendory.lance.writer import LEDGER, RID, Writer

__all__ = [
    "LEDGER",
    "RID",
    "Changes",
    "OwnTable",
    "Past",
    "Reader",
    "Survey",
    "Writer",
    "any_of",
    "count_memories",
    "create_table",
    "ids",
    "name",
    "quote",
    "small_fragments",
    "table_exists",
    "table_folder",
    "to_table",
    "whole",
]
