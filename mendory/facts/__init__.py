"""Facts about the rows of a table, computed in Arrow and numpy: small typed columns on which rules are judged.

A value that no rule can tell from another is replaced by a stand-in, so that each different row of facts is judged once
and no memory text but what is suspicious goes further. Whole-table facts (how many rows hold an id, where references
lead, which vector is usual) come when all rows were seen. Pure: rows come as record batches, looking up as a function.
"""

from mendory.facts.changed import Changed, Usual
from mendory.facts.rows import CHUNK_ROWS, Chunk, chunks, framed
from mendory.facts.whole import Gathered, Whole, gather

__all__ = ["CHUNK_ROWS", "Changed", "Chunk", "Gathered", "Usual", "Whole", "chunks", "framed", "gather"]
