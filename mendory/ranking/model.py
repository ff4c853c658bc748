"""What recall returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from mendory.record import Memory


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that a search found, as it is with what is kept aside of it, and its cosine to the query."""

    memory: Memory
    similarity: float


@dataclass(frozen=True, slots=True)
class Recalled:
    """One memory that recall returns.

    `score` is similarity × weight, by which memories are ordered. `disputed_with` are the ids of the memories that say
    otherwise, while nobody has decided; `exception_of` those of the general memories it is an exception of.
    `superseded_by` is an id that the row names as its successor and that leads nowhere. `why` names what decided about
    the weight and the place, in words of our own: `kind:fact`, `lasting`, `age_unknown`, `factor`, `disputed`,
    `scene` (put before its general memory), `inner` (put before it too: it is of a scope inside the other's), `general`
    (put behind it), `inherited` (of a scope that contains the one asked for). `numbers` are the figures behind them:
    `age_days`, `fresh`, `factor`.
    """

    memory: Memory
    similarity: float
    weight: float
    score: float
    why: tuple[str, ...]
    numbers: Mapping[str, float]
    superseded_by: str | None = None

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.memory.id)

    @property
    def content(self) -> str | None:
        """Its text."""
        return self.memory.content

    @property
    def disputed(self) -> bool:
        """Whether it is disputed: what it says is not certain, and nobody has decided."""
        return "disputed" in self.why

    @property
    def disputed_with(self) -> tuple[str, ...]:
        """Ids of the memories that say otherwise; none where the owner himself marked the row."""
        return self.memory.kept.disputed_with

    @property
    def exception_of(self) -> tuple[str, ...]:
        """Ids of the general memories it is an exception of."""
        return self.memory.kept.exception_of

    def as_json(self) -> dict[str, Any]:
        """The shape `mendory recall --json` prints."""
        memory = self.memory
        return {
            "id": self.id,
            "content": memory.content,
            "scope": memory.scope,
            "status": memory.status,
            "kind": memory.kind,
            "source": memory.source,
            "created_at": None if memory.created_at is None else memory.created_at.isoformat(),
            "similarity": self.similarity,
            "weight": self.weight,
            "score": self.score,
            "disputed": self.disputed,
            "disputed_with": list(self.disputed_with),
            "exception_of": list(self.exception_of),
            "superseded_by": self.superseded_by,
            "why": list(self.why),
            "numbers": dict(self.numbers),
        }


@dataclass(frozen=True, slots=True)
class Recall(Sequence[Recalled]):
    """What one recall returned, best first; a sequence of `Recalled`.

    `scopes` are those that were searched: the one asked for, then those that contain it. `fewer` says why there are
    fewer than asked for, word by word: `scope_holds:N`, `without_vector:N`, `superseded:N`, `status_unknown:N`; () when
    there are not. `remarks` say what an owner should know: `nothing_hides` where the table can't hide a memory.
    """

    found: tuple[Recalled, ...]
    scopes: tuple[str, ...]
    version: int
    fewer: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.found)

    @overload
    def __getitem__(self, at: int) -> Recalled: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Recalled, ...]: ...
    def __getitem__(self, at: int | slice) -> Recalled | tuple[Recalled, ...]:
        return self.found[at]

    def __iter__(self) -> Iterator[Recalled]:
        return iter(self.found)

    def as_json(self) -> dict[str, Any]:
        """The shape `mendory recall --json` prints."""
        return {
            "memories": [one.as_json() for one in self.found],
            "scopes": list(self.scopes),
            "version": self.version,
            "fewer": list(self.fewer),
            "remarks": list(self.remarks),
        }
