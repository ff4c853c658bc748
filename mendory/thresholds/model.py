"""A threshold: from which score on two texts of one space and language say the same, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final

TEXT_ALONE: Final = ""
"""The space of texts without a vector."""


class Origin(StrEnum):
    """Where a threshold is from: shipped with Mendory, calibrated by the owner, or guessed from the table itself."""

    SHIPPED = "shipped"
    CALIBRATED = "calibrated"
    PROVISIONAL = "provisional"


@dataclass(frozen=True, slots=True)
class Threshold:
    """From `value` on, a score (`mendory.sameness.score`) says the same; from `text_value` on, one without a cosine.

    `space` is `key(model)`, `language` an ISO 639-1 code, `metric` what was scored. `unrelated` is the median cosine
    of texts that have nothing to do with each other in this space, `identical` that of one text embedded twice:
    between them lies what a cosine says. `floor` is the cosine from which a pair is worth reading. `precision` and
    `recall` were measured at `value` on `n` labelled pairs; None where nothing was.
    """

    space: str
    language: str
    value: float
    origin: Origin
    text_value: float
    unrelated: float = 0.0
    identical: float = 1.0
    floor: float = 0.0
    metric: str = "sameness"
    precision: float | None = None
    recall: float | None = None
    n: int = 0

    def calibrated(self, cosine: float) -> float:
        """The cosine as a share of the way from unrelated texts (0) to the same text (1), in 0..1.

        So scaled, cosines of several models agree: texts that people rate alike at 4.5 of 5 or more have a median
        cosine of .90 in MiniLM and .89 in USE, unrelated ones .05 and .15; .98 and .77 are known of other models.
        """
        return min(max((cosine - self.unrelated) / (self.identical - self.unrelated), 0.0), 1.0)

    @property
    def for_people(self) -> bool:
        """True when a person decides about every merge that rests on it."""
        return self.origin is Origin.PROVISIONAL

    def as_json(self) -> dict[str, Any]:
        """The threshold as plain values."""
        return {**asdict(self), "origin": self.origin.value}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Threshold:
        """The threshold whose `as_json` is `data`."""
        return cls(**{**data, "origin": Origin(data["origin"])})


def key(model: str) -> str:
    """What thresholds of a model are filed under: its name without the folder or organisation, in lower case.

    >>> key("sentence-transformers/all-MiniLM-L6-v2")
    'all-minilm-l6-v2'
    """
    return model.replace("\\", "/").rstrip("/").rpartition("/")[2].casefold()
