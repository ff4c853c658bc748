"""From which space a recall is answered, and what is noted of it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from datetime import datetime

from mendory import digest
from mendory.door.embedding import Embedding
from mendory.door.opened import Beside, Opened
from mendory.migration.canary import takes_part
from mendory.ranking import Recall
from mendory.recalls import FAILED, RecallNote, Recalls

_LOG = logging.getLogger(__name__)


class Answering:
    """Answers recalls from the searched space and, for the canary's share, from the one beside it; never from both.

    `monotonic` gives seconds.
    """

    def __init__(
        self, recalls: Recalls, clock: Callable[[], datetime], monotonic: Callable[[], float] = time.perf_counter
    ) -> None:
        self._recalls, self._clock, self._monotonic = recalls, clock, monotonic

    def recall(
        self, at: Opened, share: float, query: str, scope: str | None, k: int, vector: Sequence[float] | None
    ) -> Recall:
        """See `Door.recall`.

        What the space beside can't answer of its share is answered from the searched one, and noted as an answer of the
        other that never came: a canary harms no recall.
        """
        beside = at.beside
        if beside is None:
            return self._answered(at, query, scope, k, vector)
        if vector is not None:
            return self._answered(beside if _only_beside(at, beside, vector) else at, query, scope, k, vector)
        if not (share > 0 and isinstance(query, str) and takes_part(str(scope), query, share)):
            return self._answered(at, query, scope, k, vector)
        try:
            return self._answered(beside, query, scope, k, vector)
        except Exception as error:  # noqa: BLE001 - whatever the new space raises, the old one answers
            answer = self._answered(at, query, scope, k, vector)
            _LOG.warning("The space beside did not answer its share of recalls: %s.", type(error).__name__)
            self._note(beside.embedding, FAILED, 0, scope, usual=True)
            return answer

    def _answered(
        self, of: Opened | Beside, query: str, scope: str | None, k: int, vector: Sequence[float] | None
    ) -> Recall:
        usual = vector is None and of.embedding.ready
        began = self._monotonic()
        found = of.recalling.recall(query, scope, k, vector)
        self._note(of.embedding, 1000 * (self._monotonic() - began), len(found), scope, usual=usual)
        return found

    def _note(self, of: Embedding, took: float, returned: int, scope: str | None, *, usual: bool) -> None:
        whose = None if scope is None else digest.of(scope)
        self._recalls.note(RecallNote(self._clock(), of.space, took, returned, whose, usual))


def _only_beside(at: Opened, beside: Beside, vector: Sequence[float]) -> bool:
    """True for a vector that only the space beside can be of."""
    schema = at.rows.schema()
    return not at.embedding.fits(vector, schema) and beside.embedding.fits(vector, schema)
