"""Which pairs of memories are worth comparing: proposed from vectors and text keys, never all pairs of a large scope.

`near` proposes for a whole table, `near_to` for what changed, `Index` for one memory about to be written. A proposal
is no judgement: whether two texts say the same is decided elsewhere, from the texts.
"""

from mendory.candidates.index import Index, Neighbours
from mendory.candidates.near import EXACT, near, near_to
from mendory.candidates.pairs import PARTNERS, Pairs

__all__ = ["EXACT", "PARTNERS", "Index", "Neighbours", "Pairs", "near", "near_to"]
