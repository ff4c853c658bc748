"""A guess while it is being made: field → place with the reason, and what a person should confirm."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from mendory.guess.evidence import Place
from mendory.guess.remark import Remark, remark
from mendory.guess.times import Written


@dataclass
class Draft:
    """What has been concluded so far; the rules fill it in.

    `empty`: part of the rows hold no status, and what that means is asked. `zone` is that of the marks of time.
    """

    owner: str | None = None
    places: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    times: dict[str, Written] = field(default_factory=dict)
    volatile: list[str] = field(default_factory=list)
    skip_ids: list[str] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)
    missing: str | None = None
    empty: bool = False
    hide: dict[str, Any] = field(default_factory=dict)
    hide_why: str = ""
    show: dict[str, Any] = field(default_factory=dict)
    zone: str | None = None
    incidental: list[str] = field(default_factory=list)
    optional: list[str] = field(default_factory=list)
    vectors: list[str] = field(default_factory=list)
    questions: list[Remark] = field(default_factory=list)

    def put(self, name: str, place: str, reason: str) -> None:
        """Field `name` lies at `place`, for this reason."""
        self.places[name] = place
        self.reasons[name] = reason

    def drop(self, name: str, reason: str) -> None:
        """Field `name` has no usable place after all."""
        self.places.pop(name, None)
        self.reasons[name] = reason

    def ask(self, sentence: str | Remark, **values: str) -> None:
        """A person should look at this; asked once."""
        question = sentence if isinstance(sentence, Remark) else remark(sentence, **values)
        if question not in self.questions:
            self.questions.append(question)

    def free(self, places: Iterable[Place]) -> list[Place]:
        """Those of `places` that hold no field yet."""
        taken = set(self.places.values())
        return [p for p in places if p.path not in taken]
