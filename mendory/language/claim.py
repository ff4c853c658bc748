"""What a text claims, in the form in which two claims are compared."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Final, Protocol, runtime_checkable

HOUR: Final = "hour:"
"""What the name of a scene begins with that is a time of day."""
WEEKDAY: Final = "weekday:"
"""What the name of a scene begins with that is a day of the week."""
_TIMES: Final = (HOUR, WEEKDAY)
USER: Final = "user"
"""The subject of what is said in the first person, or of "the user": whoever the memory's scope is about."""


class ClaimKind(StrEnum):
    """A fact gives an attribute a value; a preference takes a stance on an object."""

    FACT = "fact"
    PREFERENCE = "preference"


class ValueKind(StrEnum):
    """What a value is, and so how two are compared."""

    NUMBER = "number"
    DATE = "date"
    PLACE = "place"
    PERSON = "person"
    YES_NO = "yes_no"
    TERM = "term"


class Tense(StrEnum):
    """When a claim holds. Only what holds now can contradict something; the rest is history, a plan or no claim."""

    NOW = "now"
    PAST = "past"
    """It was so ("used to", 以前), or has ended ("no longer", 不再)."""
    PLANNED = "planned"
    SUPPOSED = "supposed"
    """Hypothetical, quoted, somebody else's opinion, or a question."""


@dataclass(frozen=True, slots=True)
class Value:
    """One typed value. `text` is its one form (folded, singular); a number has `number` and `unit` too.

    A place lists what it lies in after itself, narrow to wide ("chengdu", "sichuan", "china"), as far as it is known.
    """

    kind: ValueKind
    text: str
    number: Decimal | None = None
    unit: str = ""
    within: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of a text.

    `subject` is `USER`, or the folded name of a person, project or thing. `about` is the attribute of a fact
    (`mendory.claims.attributes`) or the folded object of a preference. `values` are a fact's; several are a list, of
    which all hold; a preference for a kind has those of the kind that it was read off. `denied`: the fact is said not
    to hold ("has no pets", 不住在上海). `stance` is a preference's: -1 refuses, 0 takes it or leaves it, 1 wants.
    `strength` is how often or how much, 0 never to 4 always, None where it is not said. `scenes` are when or where it
    holds, () everywhere. `constraint` is a quantity, frequency or condition beside that, folded. `before` is what it
    says was so until now ("switched from Vim to Helix"); `ends` is true of a claim that says something of the same kind
    is over, named or not (改为, "instead", "now uses"). `confidence` is how sure the rule is, 0 to 1: of a writer's
    claim 1.
    """

    kind: ClaimKind
    subject: str
    about: str
    values: tuple[Value, ...] = ()
    denied: bool = False
    stance: int | None = None
    strength: int | None = None
    scenes: frozenset[str] = field(default_factory=frozenset)
    constraint: str = ""
    tense: Tense = Tense.NOW
    before: tuple[Value, ...] = ()
    ends: bool = False
    confidence: float = 1.0


@runtime_checkable
class Claiming(Protocol):
    """A language that also extracts claims. One that does not is a language all the same: its texts claim nothing."""

    def claims(self, text: str) -> tuple[Claim, ...]:
        """What the text claims, by rules, in the order of the text; () where the rules find nothing."""


def untimed(scenes: Set[str]) -> frozenset[str]:
    """The scenes that are no times of day or days of the week."""
    return frozenset(scene for scene in scenes if not scene.startswith(_TIMES))


def first_preference(claims: Sequence[Claim]) -> Claim | None:
    """The stance that is taken now and told first; what follows from it comes behind it."""
    told = (claim for claim in claims if claim.kind is ClaimKind.PREFERENCE and claim.tense is Tense.NOW)
    return next((claim for claim in told if claim.stance), None)
