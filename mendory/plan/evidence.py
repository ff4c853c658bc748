"""What the other rows of a table tell about rows that lack a scope or a source."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from mendory.mapping import Giving, text_of
from mendory.record import Memory
from mendory.text import SCOPE_BARRED, is_blank


@dataclass(slots=True)
class Witnesses:
    """What other rows tell, counted for what some rows without a scope or source ask.

    `scopes` are the live rows of each scope. `siblings`: (field, batch) → value → rows of the batch that have it.
    `named`: (metadata key, its value) → scope → live rows of the scope that hold this value under this key.
    """

    scopes: Counter[str] = field(default_factory=Counter)
    siblings: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    named: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    @classmethod
    def of(cls, asking: Iterable[Memory], memories: Iterable[Memory], owner_keys: Sequence[str]) -> Witnesses:
        """What `memories` tell about those `asking`.

        Cost: one pass; memory for the scopes, and for the batches and owners of those asking.
        """
        told = cls()
        known = list(asking)
        batches = {m.batch_id for m in known if not is_blank(m.batch_id)}
        owners = {said for m in known for said in owner(m, owner_keys)}
        for memory in memories:
            told._hear(memory, batches, owners, owner_keys)
        return told

    def _hear(
        self, memory: Memory, batches: set[str | None], owners: set[tuple[str, str]], owner_keys: Sequence[str]
    ) -> None:
        if memory.batch_id in batches:
            for name, value in (("scope", memory.scope), ("source", memory.source)):
                if value and not is_blank(value):
                    self.siblings[name, str(memory.batch_id)][value] += 1
        # a scope that is itself a finding is no witness
        if memory.recallable and memory.scope and not is_blank(memory.scope) and not SCOPE_BARRED.search(memory.scope):
            self.scopes[memory.scope] += 1
            for said in owner(memory, owner_keys) if owners else ():
                if said in owners:
                    self.named[said][memory.scope] += 1

    def siblings_agree(self, name: str, batch_id: str | None, at_least: int) -> tuple[str, int] | None:
        """(value, how many have it) when at least that many siblings have a value of the field and all the same."""
        counts = self.siblings.get((name, batch_id or ""))
        if counts is None or len(counts) != 1:
            return None
        [(value, support)] = counts.items()
        return (value, support) if support >= at_least else None


@dataclass(frozen=True)
class Evidence:
    """What tells a row's scope or source: what other rows tell, the keys that name an owner, what can be written."""

    witnesses: Witnesses
    owner_keys: Sequence[str]
    giving: Giving

    @cached_property
    def _by_part(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for scope in self.witnesses.scopes:
            for part in self.giving.parts(scope):
                found[part].add(scope)
        return found

    def scopes_named(self, row: str, value: str) -> set[str]:
        """The scopes in use that the value names: by their very name, or by a part that the row lacks."""
        exact = {value} & self.witnesses.scopes.keys()
        lacking = self._by_part.get(value, set())
        return exact | {s for s in lacking if value in self.giving.give(row, "scope", s).written}

    def allowed(self, row: str, scopes: set[str]) -> set[str]:
        """Those of the scopes that the row can be given."""
        return {s for s in scopes if not self.giving.give(row, "scope", s).refused}


def owner(memory: Memory, owner_keys: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(key, value) of each key that names the memory's owner in its metadata."""
    held = memory.metadata or {}
    for key in owner_keys:
        value = text_of(held.get(key))
        if value is not None and not is_blank(value):
            yield key, value
