"""Which texts may be embedded, and in which batches: pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mendory.errors import TextRefused
from mendory.text import is_blank

MOST_NAMED: Final = 5
"""So many places of refused texts are named in a message."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How texts are cut into batches.

    At most `texts` a batch, of at most `characters` together; one longer text is a batch of its own. With `padded`
    every text counts as long as the longest of its batch, which is what a model on this machine computes.
    """

    texts: int = 64
    characters: int = 100_000
    padded: bool = False


def batches(lengths: Iterable[int], bounds: Bounds) -> Iterator[range]:
    """Positions of the texts of each batch: in order, every position once, no batch empty.

    >>> list(batches([5, 5, 5], Bounds(texts=2)))
    [range(0, 2), range(2, 3)]
    >>> list(batches([1, 9], Bounds(characters=10))), list(batches([1, 9], Bounds(characters=10, padded=True)))
    ([range(0, 2)], [range(0, 1), range(1, 2)])
    """
    start = held = end = 0
    for length in lengths:
        count = end - start
        size = max(held, length) * (count + 1) if bounds.padded else held + length
        if count and (count == bounds.texts or size > bounds.characters):
            yield range(start, end)
            start, held = end, 0
        held = max(held, length) if bounds.padded else held + length
        end += 1
    if end > start:
        yield range(start, end)


def refusal(text: str, max_chars: int) -> str | None:
    r"""Why the text must not be embedded, or None.

    Models give blank texts a vector like any other, and cut long ones without saying so: both would be vectors of
    something that nobody wrote.

    >>> refusal(" \u3000", 10), refusal("好", 10), refusal("好" * 11, 10), refusal("a\ud800", 10)
    ('blank', None, 'too long', 'no valid text')
    """
    if is_blank(text):
        return "blank"
    if len(text) > max_chars:
        return "too long"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "no valid text"
    return None


def check_texts(texts: Sequence[str], max_chars: int) -> None:
    """Return when every text may be embedded; else raise TextRefused naming places and reasons, never a text."""
    refused = [(at, why) for at, text in enumerate(texts) if (why := refusal(text, max_chars)) is not None]
    if not refused:
        return
    named = ", ".join(f"number {at + 1} is {why}" for at, why in refused[:MOST_NAMED])
    more = f", and {len(refused) - MOST_NAMED} more" if len(refused) > MOST_NAMED else ""
    raise TextRefused(
        f"{len(refused)} of {len(texts)} texts can't be embedded: {named}{more}. Nothing was embedded. Leave blank "
        f"texts out, split those over {max_chars} characters (embedder.max_chars), and mend lone surrogates.",
        tuple(at for at, _ in refused),
    )
