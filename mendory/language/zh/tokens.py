"""A piece of a sentence on its way to a reading."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Token:
    """A word as segmented, or a value read by `scan` (`value`: a name, number, date), and what is found about it."""

    text: str
    fold: str
    tag: str
    value: bool = False
    named: bool = False
    """A value that is a name: it stays a word of the reading, as numbers and dates do not."""
    kind: str = ""
    """A class it has by where it stands: where a way begins and ends."""
    negated: bool = False
    turned: bool = False
    """It says the opposite of its fold by itself: 讨厌."""
    asking: bool = False
    """It asks whether something is so: 是不是, 去不去."""
    silent: bool = False
    """It has said what it says elsewhere (a negation, a question word) and is no word of the reading."""

    @property
    def predicate(self) -> bool:
        """Whether it may be what a negation is about: a verb or an adjective."""
        return self.tag[0] in "vai" and not self.value
