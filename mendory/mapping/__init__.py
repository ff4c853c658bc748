"""Where each field of the record lies in a table, and how a change of a field becomes a change of its bytes.

The identity mapping is our own table: every field in a column of its own name. A mapping may say that a field lies in
another column, in a leaf of a struct, in a key of JSON text or in several places joined; how times are written; how a
memory is hidden; and which fields the owner lacks: they stand down, they are never a finding.
"""

from mendory.mapping.giving import Giving
from mendory.mapping.layout import unaddressable
from mendory.mapping.mapping import LIFTED, RELATIONS, Mapping
from mendory.mapping.places import Composite, Place, is_addressable
from mendory.mapping.reading import UNREAD, VECTOR, VECTORLESS, further, unread_bit
from mendory.mapping.status import Vocabulary
from mendory.mapping.times import TimeForms

__all__ = [
    "LIFTED",
    "RELATIONS",
    "UNREAD",
    "VECTOR",
    "VECTORLESS",
    "Composite",
    "Giving",
    "Mapping",
    "Place",
    "TimeForms",
    "Vocabulary",
    "further",
    "is_addressable",
    "unaddressable",
    "unread_bit",
]
