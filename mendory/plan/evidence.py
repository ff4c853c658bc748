"""What the other rows of a table tell about rows that lack a scope or a source."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from mendory.mapping import Giving
from mendory.record import Memory
from mendory.scopes.doubts import Doubtful
from mendory.text import SCOPE_BARRED, is_blank, text_of


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
    """What tells a row's scope or source: what other rows tell, the keys that name an owner, what can be written.

    `doubtful` are scopes that tell nothing, being in doubt themselves.
    """

    witnesses: Witnesses
    owner_keys: Sequence[str]
    giving: Giving
    doubtful: Doubtful
    _meant: dict[Any, tuple[frozenset[str], frozenset[str]]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def _parts(self) -> dict[str, dict[str, str]]:
        return {scope: self.giving.parts(scope) for scope in self.witnesses.scopes}

    @cached_property
    def _by_part(self) -> dict[tuple[str, str], set[str]]:
        found: dict[tuple[str, str], set[str]] = defaultdict(set)
        for scope, parts in self._parts.items():
            for part in parts.items():
                found[part].add(scope)
        return found

    def meant(self, row: str, said: tuple[str, str]) -> tuple[frozenset[str], frozenset[str]]:
        """(the scopes that an owner key's value means, those of them it names) for a row that holds it.

        It names scopes in use by their very name or by a part that the row lacks, and means too those of the live rows
        that hold the same. Of several, a part that the row holds tells two tenants' users of one name apart.
        """
        held = self.giving.held(row)
        known = said, tuple(held.items())
        if known not in self._meant:  # rows that lack a scope are often many of one owner, and an owner of many scopes
            _, value = said
            lacking = {s for key, text in held.items() if text is None for s in self._by_part.get((key, value), ())}
            named = {value} & self.witnesses.scopes.keys() | _fitting(lacking, held, self._parts)
            meant = named | set(self.witnesses.named.get(said, ()))
            if len(meant) > 1:
                meant = _fitting(meant, held, self._parts) or meant
            self._meant[known] = frozenset(meant), frozenset(named & meant)
        return self._meant[known]


def _fitting(scopes: set[str], held: Mapping[str, str | None], parts: Mapping[str, Mapping[str, str]]) -> set[str]:
    said = {key: text for key, text in held.items() if text is not None}
    return {s for s in scopes if all(parts[s].get(key, text) == text for key, text in said.items())}


def owner(memory: Memory, owner_keys: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(key, value) of each key that names the memory's owner in its metadata."""
    held = memory.metadata or {}
    for key in owner_keys:
        value = text_of(held.get(key))
        if value is not None and not is_blank(value):
            yield key, value
