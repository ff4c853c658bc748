"""The looks at a soaking space in the record of its move: the last one, and since when there is an alarm."""

from __future__ import annotations

from datetime import datetime

from mendory.ledger.moves import Move, Passed


def last_look(move: Move) -> Passed | None:
    """The last look at the soaking space that said whether there is an alarm."""
    return next(reversed(_looks(move)), None)


def alarm_of(move: Move) -> tuple[str, datetime] | None:
    """(the alarm of the last look, when the first of those in a row raised it); None where the last one raised none.

    So another alarm, or the same one after a look that raised none, began anew.
    """
    looks = _looks(move)
    if not looks or not (alarm := str(looks[-1].told["alarm"])):
        return None
    began = looks[-1].at
    for one in reversed(looks):
        if one.told["alarm"] != alarm:
            break
        began = one.at
    return alarm, began


def _looks(move: Move) -> list[Passed]:
    return [one for one in move.passed if "alarm" in one.told]
