"""What the form of a text tells, whatever it says: an envelope, a repetition, a recall's prefix, a list of parts. Pure.

These are signs that expressions can read in a few microseconds, so that every row of a table can be asked.
"""

from __future__ import annotations

from mendory.content.chatter import says_nothing
from mendory.content.envelope import envelope
from mendory.content.repeats import repeated

__all__ = ["envelope", "repeated", "says_nothing", "suspect"]


def suspect(text: str) -> bool:
    """Whether a text by itself, whatever other rows hold, may be found to be of a wrong form."""
    return envelope(text) is not None or says_nothing(text) or repeated(text) is not None
