"""Whether two texts are one sentence but for one word or date: then that is what they are about."""

from __future__ import annotations

from typing import Final

from mendory.language import Reading

_LEAST: Final = 6
"""Words of content from which on an otherwise equal text is no chance; below it other words often say the same."""


_DATED: Final = 3
"""With fewer words a date may be the other's in another form: on weekdays, from Monday to Friday."""


def one_word(a: Reading, b: Reading) -> bool:
    """Whether all words of content are equal and in one order, but one of six or more."""
    one, two = _content(a), _content(b)
    if len(one) != len(two) or len(one) < _LEAST:
        return False
    return sum(ours != theirs for ours, theirs in zip(one, two, strict=True)) == 1


def redated(a: Reading, b: Reading) -> bool:
    """Whether three or more words of content are all equal and in one order, and each has a date the other has not."""
    one = _content(a)
    return bool(a.dates - b.dates and b.dates - a.dates) and len(one) >= _DATED and one == _content(b)


def _content(reading: Reading) -> list[str]:
    return [word.fold for word in reading.words if word.content]
