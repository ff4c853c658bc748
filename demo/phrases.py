"""What a phrase is: a sentence with slots, and what the assistant knew about it when it stored it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Phrase(NamedTuple):
    """A sentence with `{slots}`, its kind and scene.

    `claim` is (entity, attribute, value) of a fact, (object, stance, constraint) of a preference, or
    empty when the writer gave none; its parts may hold slots too.
    """

    kind: str
    scene: str
    text: str
    claim: tuple[str, ...] = ()


Phrases = dict[str, tuple[Phrase, ...]]
"""Topic → its phrases."""

Banks = dict[str, tuple[str, ...]]
"""Slot → what may stand in it."""


def banks(packed: Mapping[str, str]) -> Banks:
    """The words of every slot, of which `packed` holds each slot's in one text, separated by bars."""
    return {slot: tuple(words.split("|")) for slot, words in packed.items()}


NAMES: Final = ("p", "q", "company", "project", "svc", "city", "place", "vendor")
"""Slots whose value is an entity of the memory."""
