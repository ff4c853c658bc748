"""Conflicts as they are after a judge was heard, where there is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from mendory.contradiction import DECIDES
from mendory.detect.verdicts import Clash
from mendory.judge import Judging, weighed

_HEARD: Final = 1000
"""So many conflicts, with the texts of their rows, are held while a judge is asked."""

Heard = tuple[Clash, dict[str, Any]]
"""A clash as it is now, and what a finding's evidence says of the judge."""


def judged(clashes: Iterable[Clash], judging: Judging | None) -> Iterator[Heard]:
    """Every clash in its order. Conflicts alone are put before the judge; one it speaks against is none any more.

    Where it was not asked, or does not know, nothing changes.
    """
    if judging is None:
        yield from ((clash, {}) for clash in clashes)
        return
    coming = iter(clashes)
    while part := list(islice(coming, _HEARD)):
        asked = [clash for clash in part if clash.conflict and not clash.exception]
        said = dict(zip((clash.ids for clash in asked), judging.opinions([_texts(c) for c in asked]), strict=True))
        for clash in part:
            opinion = said.get(clash.ids)
            if opinion is None:
                yield clash, {}
            else:
                now = replace(clash, compared=weighed(clash.compared, opinion, min(DECIDES.values())))
                yield now, {"judge": opinion.as_json(judging.name)}


def once(clashes: Iterable[Clash], told: set[tuple[str, str]]) -> Iterator[Clash]:
    """The clashes of each two rows once; what was met is noted in `told`."""
    for clash in clashes:
        if clash.ids not in told:
            told.add(clash.ids)
            yield clash


def _texts(clash: Clash) -> tuple[str, str]:
    return clash.rows[0].content or "", clash.rows[1].content or ""
