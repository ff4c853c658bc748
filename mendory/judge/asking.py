"""What a check asks of a judge: conflicts alone, each pair once, within bounds, and only while it proves itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, Protocol

from mendory.errors import (
    BudgetExceeded,
    ConfigInvalid,
    DependencyMissing,
    EndpointRefused,
    MendoryError,
    Unavailable,
)
from mendory.judge.canaries import CANARIES, Standing, proven
from mendory.judge.model import Estimate, Judge, Opinion, Pair
from mendory.judge.opinions import Opinions
from mendory.language import language_of

WHAT: Final = "judge"
_SILENT: Final[Mapping[type[MendoryError], str]] = {
    BudgetExceeded: "its budget is used up",
    DependencyMissing: "its model or a package is not there",
    EndpointRefused: "the service refuses",
    ConfigInvalid: "its configuration can't be used",
    Unavailable: "the service does not answer",
}


class Judging(Protocol):
    """Opinions about conflicts, for a detector: from a judge, or from what one has said before."""

    @property
    def name(self) -> str:
        """The judge's."""

    def opinions(self, pairs: Sequence[Pair]) -> list[Opinion | None]:
        """What the judge says of each pair; None where it was not asked."""

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """(what, reason) for what was not asked."""


class Remembered:
    """What a judge has said before; nothing is asked."""

    def __init__(self, name: str, known: Opinions) -> None:
        self.name, self._known = name, known

    def opinions(self, pairs: Sequence[Pair]) -> list[Opinion | None]:
        """What is known of each pair."""
        known = self._known.known(self.name, pairs)
        return [known.get(pair) for pair in pairs]

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Nothing was to be asked."""
        yield from ()


class Asking:
    """A judge asked about what it has not been asked yet, at most `most` pairs in all.

    Before the first pair of a language, and whenever the service's model is another, the canaries of that language are
    judged; a judge that fails them stands down for it. One that can't be asked stands down whole. Either is a line, and
    leaves the rules' word as it is. `told` hears what it will cost, before it does.
    """

    def __init__(
        self,
        judge: Judge,
        known: Opinions,
        most: int,
        now: Callable[[], datetime],
        told: Callable[[Estimate], None],
    ) -> None:
        self.name = judge.name
        self._judge, self._known, self._most, self._now, self._told = judge, known, most, now, told
        self._left, self._waiting = most, 0
        self._standing: dict[str, Standing] = {}
        self._proven_as = ""
        self._reasons: list[str] = []

    def opinions(self, pairs: Sequence[Pair]) -> list[Opinion | None]:
        """What the judge says, or has said, of each pair; None where it was not asked."""
        given = self._known.known(self.name, pairs)
        wanted = self._wanted(pairs, given)
        if wanted:
            canaries = [(one.a, one.b) for code in wanted for one in CANARIES[code] if code not in self._standing]
            self._told(self._judge.estimate([*canaries, *(pair for asked in wanted.values() for pair in asked)]))
        for language, asked in wanted.items():
            try:
                self._ask(language, asked, given)
            except tuple(_SILENT) as error:
                left = sum(pair not in given for pair in asked)
                self._reasons.append(f"{_SILENT[type(error)]}; {left} pairs of {language} were not judged")
        return [given.get(pair) for pair in pairs]

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """A line for each reason for which pairs were not judged."""
        reasons = dict.fromkeys(self._reasons)
        if self._waiting:
            reasons[f"at most {self._most} pairs are judged in one check; {self._waiting} wait"] = None
        for reason in reasons:
            yield WHAT, reason

    def _wanted(self, pairs: Sequence[Pair], given: Mapping[Pair, Opinion]) -> dict[str, list[Pair]]:
        """The pairs to ask about, by the language of both; what is past the bound is left for the next check."""
        wanted = [(pair, code) for pair in dict.fromkeys(pairs) if pair not in given and (code := _language(pair))]
        taken, self._left = wanted[: self._left], max(self._left - len(wanted), 0)
        self._waiting += len(wanted) - len(taken)
        by_language: dict[str, list[Pair]] = {}
        for pair, code in taken:
            by_language.setdefault(code, []).append(pair)
        return by_language

    def _ask(self, language: str, pairs: Sequence[Pair], given: dict[Pair, Opinion]) -> None:
        """Opinions on the pairs are in `given` and kept, as far as the judge may be believed."""
        if not self._stands(language):
            return
        for at in range(0, len(pairs), self._judge.at_once):
            part = pairs[at : at + self._judge.at_once]
            said = dict(zip(part, self._judge.judge(part), strict=True))
            if not self._stands(language):
                return
            self._known.keep(self.name, said, self._now())
            given.update(said)

    def _stands(self, language: str) -> bool:
        """Whether the model that answers now has passed the canaries of the language."""
        if self._judge.served != self._proven_as:
            self._standing.clear()
        if language not in self._standing:
            self._standing[language] = found = proven(self._judge, language)
            self._proven_as = self._judge.served
            if not found.passed:
                self._reasons.append(f"{found.why}; pairs of {language} were not judged")
        return self._standing[language].passed


def _language(pair: Pair) -> str | None:
    """The language of both texts, where there are canaries in it."""
    one, other = language_of(pair[0]), language_of(pair[1])
    return one.code if one and one is other and one.code in CANARIES else None
