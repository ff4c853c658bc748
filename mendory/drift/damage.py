"""What can be wrong with a vector, by name, and the signs of it that are seen without embedding anything."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from mendory.finding import Code


class Damage(StrEnum):
    """How a vector is not that of its row's text; stable names."""

    UNNORMALISED = "unnormalised"
    OTHER_MODEL = "other_model"
    TRUNCATED = "truncated"
    PADDED = "padded"
    SHUFFLED = "shuffled"
    OTHER_TEXT = "other_text"
    ZERO = "zero"
    CONSTANT = "constant"
    STALE = "older_than_its_text"
    SAME_TEXT = "same_text"


class Sign(StrEnum):
    """What is seen of a row's vector alone, or beside those of all other rows."""

    ZERO = "zero"
    CONSTANT = "constant"
    LENGTH = "length"
    TAIL = "zero_tail"
    DIMENSION = "dimension"
    SAME_TEXT = "same_text"
    STALE = "stale"


UNPROVEN: Final[Mapping[Sign, Damage]] = MappingProxyType(
    {
        Sign.ZERO: Damage.ZERO,
        Sign.CONSTANT: Damage.CONSTANT,
        Sign.LENGTH: Damage.UNNORMALISED,
        Sign.TAIL: Damage.PADDED,
        Sign.DIMENSION: Damage.OTHER_MODEL,
        Sign.SAME_TEXT: Damage.SAME_TEXT,
        Sign.STALE: Damage.STALE,
    }
)
"""What a sign is called while nobody has embedded such a row again."""
CERTAIN: Final = frozenset({Sign.ZERO, Sign.CONSTANT, Sign.STALE})
"""Signs that are the damage: there is nothing to embed again."""

CODES: Final[Mapping[Damage, Code]] = MappingProxyType(
    {
        Damage.UNNORMALISED: Code.EMBEDDING_NORM,
        Damage.OTHER_MODEL: Code.EMBEDDING_SUSPICIOUS,
        Damage.TRUNCATED: Code.EMBEDDING_SUSPICIOUS,
        Damage.PADDED: Code.EMBEDDING_SUSPICIOUS,
        Damage.SHUFFLED: Code.EMBEDDING_SUSPICIOUS,
        Damage.OTHER_TEXT: Code.EMBEDDING_SUSPICIOUS,
        Damage.ZERO: Code.EMBEDDING_ZERO,
        Damage.CONSTANT: Code.EMBEDDING_SUSPICIOUS,
        Damage.STALE: Code.EMBEDDING_STALE_TEXT,
        Damage.SAME_TEXT: Code.EMBEDDING_SUSPICIOUS,
    }
)
"""The code of a finding of each damage; its evidence holds the name."""
REASONS: Final[Mapping[Damage, str]] = MappingProxyType(
    {
        Damage.UNNORMALISED: "vectors of the right direction and of another length",
        Damage.OTHER_MODEL: "vectors of another model, prefix or pooling",
        Damage.TRUNCATED: "vectors of which only the first components are there",
        Damage.PADDED: "shorter vectors, filled up with zeros",
        Damage.SHUFFLED: "vectors of other rows' texts",
        Damage.OTHER_TEXT: "vectors of the model, and of texts that are not the rows'",
        Damage.ZERO: "vectors that are all zeros",
        Damage.CONSTANT: "one vector for every text",
        Damage.STALE: "vectors of earlier texts of the rows",
        Damage.SAME_TEXT: "rows of one text that hold different vectors",
    }
)
"""What each is, in one line."""
