"""A plan as a value: frozen, its id the digest of its steps, every step built with its inverse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from mendory import digest
from mendory.catalogue import Level, StepKind


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """One column of one row: its value before and after, as JSON-like values."""

    column: str
    old: Any
    new: Any


@dataclass(frozen=True, slots=True)
class Aside:
    """What changes of a row that Mendory keeps for its owner: by field, with the digest of the text it is about.

    `before` is the digest of the text that what was kept until now is about, None where it is the same.
    """

    about: str
    changes: tuple[ColumnChange, ...]
    before: str | None = None

    def as_json(self) -> list[Any]:
        """The change as JSON."""
        whole = [self.about, [[c.column, c.old, c.new] for c in self.changes]]
        return whole if self.before is None else [*whole, self.before]

    @classmethod
    def from_json(cls, data: Any) -> Aside:
        """The change whose `as_json` is `data`."""
        about, changes, *before = data
        return cls(about, tuple(ColumnChange(*c) for c in changes), before[0] if before else None)

    def inverse(self) -> Aside:
        """The change that takes it back."""
        back = _swapped(self.changes)
        return Aside(self.about, back) if self.before is None else Aside(self.before, back, self.about)


@dataclass(frozen=True, slots=True)
class Edit:
    """One row's part of a step: the digest the row must have, the one it will have, what changes, there and aside."""

    id: str
    expects: str
    becomes: str
    columns: tuple[ColumnChange, ...]
    aside: Aside | None = None

    def inverse(self) -> Edit:
        """The edit that takes the row back."""
        aside = None if self.aside is None else self.aside.inverse()
        return Edit(self.id, self.becomes, self.expects, _swapped(self.columns), aside)

    @property
    def idle(self) -> bool:
        """True when nothing of the row changes: the step only relies on it."""
        return not self.columns and self.aside is None

    def as_json(self) -> list[Any]:
        """The edit as JSON."""
        whole = [self.id, self.expects, self.becomes, [[c.column, c.old, c.new] for c in self.columns]]
        return whole if self.aside is None else [*whole, self.aside.as_json()]

    @classmethod
    def from_json(cls, data: Any) -> Edit:
        """The edit whose `as_json` is `data`."""
        row, before, after, columns, *aside = data
        kept = Aside.from_json(aside[0]) if aside else None
        return cls(row, before, after, tuple(ColumnChange(*c) for c in columns), kept)


def _swapped(changes: tuple[ColumnChange, ...]) -> tuple[ColumnChange, ...]:
    return tuple(ColumnChange(c.column, c.new, c.old) for c in changes)


@dataclass(frozen=True)
class Step:
    """One repair, applied whole or not at all.

    `detail` says what a person needs to see: for a merge `primary_id`, `merged_ids`, `strategy` and
    the `rollback` verb; for what lost by a rule `kept_id` and `superseded_ids`; for a fill each key's
    origin. `requires` names the steps that must have been applied before, since this one was planned on what they
    leave.
    """

    kind: StepKind
    level: Level
    rule: str | None
    code: str
    finding_id: str
    scope: str | None
    reason: str
    edits: tuple[Edit, ...]
    detail: Mapping[str, Any]
    requires: tuple[str, ...] = ()

    @cached_property
    def id(self) -> str:
        """Digest of everything the step would do and was planned on."""
        return digest.of(self._body())

    @property
    def row_ids(self) -> tuple[str, ...]:
        """The rows the step changes or relies on: all of them must be as planned."""
        return tuple(e.id for e in self.edits)

    @property
    def changed_ids(self) -> tuple[str, ...]:
        """The rows the step changes."""
        return tuple(e.id for e in self.edits if not e.idle)

    @property
    def hidden_ids(self) -> tuple[str, ...]:
        """The rows that leave recall by the step: merged, or superseded."""
        return (*self.detail.get("merged_ids", ()), *self.detail.get("superseded_ids", ()))

    def _body(self) -> dict[str, Any]:
        return {
            "kind": self.kind.value,
            "level": int(self.level),
            "rule": self.rule,
            "code": self.code,
            "finding": self.finding_id,
            "scope": self.scope,
            "reason": self.reason,
            "detail": dict(self.detail),
            "requires": list(self.requires),
            "edits": [e.as_json() for e in self.edits],
        }

    def as_json(self) -> dict[str, Any]:
        """The step as JSON, its id included."""
        return {"id": self.id, **self._body()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Step:
        """The step whose `as_json` is `data`."""
        edits = tuple(Edit.from_json(e) for e in data["edits"])
        return cls(
            StepKind(data["kind"]),
            Level(data["level"]),
            data["rule"],
            data["code"],
            data["finding"],
            data["scope"],
            data["reason"],
            edits,
            data["detail"],
            tuple(data["requires"]),
        )


@dataclass(frozen=True, slots=True)
class Group:
    """Steps of one kind that a person approves together; its `name` is G1, G2 and so on."""

    name: str
    kind: StepKind
    level: Level
    rule: str | None
    steps: tuple[Step, ...]

    @property
    def rows(self) -> int:
        """How many different rows the group changes."""
        return len({i for s in self.steps for i in s.changed_ids})

    @property
    def hides(self) -> int:
        """How many rows leave recall."""
        return sum(len(s.hidden_ids) for s in self.steps)


@dataclass(frozen=True)
class Plan:
    """Groups of steps in the order they run; base version, times and columns are attributes, not part of the id.

    `columns` are those the table had, which the steps' digests cover; empty where that was not kept.
    """

    groups: tuple[Group, ...]
    base_version: int
    made_at: datetime
    expires_at: datetime
    columns: tuple[str, ...] = ()

    @cached_property
    def id(self) -> str:
        """Digest of the steps: the same repair has the same id whenever it is planned."""
        return digest.of([[g.name, [s.id for s in g.steps]] for g in self.groups])

    @property
    def code(self) -> str:
        """The first eight characters of the id, as people say it."""
        return self.id[:8]

    def steps(self) -> Iterator[Step]:
        """Every step, in the order they run."""
        for group in self.groups:
            yield from group.steps

    @property
    def row_ids(self) -> frozenset[str]:
        """Every row the plan names."""
        return frozenset(i for s in self.steps() for i in s.row_ids)

    @property
    def changed_ids(self) -> frozenset[str]:
        """Every row the plan changes."""
        return frozenset(i for s in self.steps() for i in s.changed_ids)

    def as_json(self) -> dict[str, Any]:
        """The plan as JSON, its id included."""
        return {
            "id": self.id,
            "base_version": self.base_version,
            "made_at": self.made_at.isoformat(),
            "expires_at": self.expires_at.isoformat(),
            "columns": list(self.columns),
            "groups": [
                {
                    "name": g.name,
                    "kind": g.kind.value,
                    "level": int(g.level),
                    "rule": g.rule,
                    "steps": [s.as_json() for s in g.steps],
                }
                for g in self.groups
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Plan:
        """The plan whose `as_json` is `data`."""
        groups = tuple(
            Group(
                g["name"],
                StepKind(g["kind"]),
                Level(g["level"]),
                g["rule"],
                tuple(Step.from_json(s) for s in g["steps"]),
            )
            for g in data["groups"]
        )
        made, expires = (datetime.fromisoformat(data[k]) for k in ("made_at", "expires_at"))
        return cls(groups, data["base_version"], made, expires, tuple(data.get("columns", ())))
