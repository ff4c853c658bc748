"""Sentences a person should read, with their values apart, so that they can be said in another language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Remark:
    """A sentence with places for its values."""

    sentence: str
    values: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.sentence.format(**self.values)


def remark(sentence: str, **values: str) -> Remark:
    """The remark that `sentence` makes of these values."""
    return Remark(sentence, values)
