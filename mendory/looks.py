"""The looks at a soaking space in the record of its move: the last one, and since when there is an alarm."""

from __future__ import annotations

from mendory.ledger.moves import Move, Passed
from mendory.migration.alarm import Alarm


def last_look(move: Move) -> Passed | None:
    """The last look at the soaking space that said whether there is an alarm."""
    return next(reversed(_looks(move)), None)


def alarm_of(move: Move) -> Alarm | None:
    """The alarm that the last look raised; None where it raised none, or none was made.

    Another alarm began anew, and so did the same one after a look that raised none.
    """
    looks = _looks(move)
    if not looks or not (name := str(looks[-1].told["alarm"])):
        return None
    since = looks[-1].at
    for one in reversed(looks):
        if one.told["alarm"] != name:
            break
        since = one.at
    return Alarm(move.id, name, since, looks[-1].told)


def _looks(move: Move) -> list[Passed]:
    return [one for one in move.passed if "alarm" in one.told]
