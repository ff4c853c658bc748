"""What is counted of the scopes of a table: enough to tell that rows are in a wrong one, and no text.

Names that people give themselves, and owners, are kept as digests of their spelling.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from mendory.scopes.names import form, own_names, plain
from mendory.scopes.people import called
from mendory.text import is_blank, text_of

Key = tuple[Any, ...]
LIVE, OWN, OWNER, NAMED, JOINED = "live", "own", "owner", "named", "joined"
KINDS: Final = frozenset({LIVE, OWN, OWNER, NAMED, JOINED})
"""(LIVE, scope): rows that recall returns. (OWN | OWNER, scope, owner): of them, those whose metadata names this owner,
whom the scope's name does, or doesn't, name too. (NAMED, scope, name, kin): whose text says that the user is called so.
(JOINED, scope, keys, parts): whose metadata holds under two keys two parts, which the scope's name joins."""
_MAIN: Final = 2 / 3
_TENANT: Final = 50
_JOINTS: Final = frozenset(" _./:|#\\-~+")


def sign(name: str) -> str:
    """What stands for a spelling: equal for equal ones, and nothing that can be read."""
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def keys(
    scope: str | None, metadata: Mapping[str, Any] | None, content: str | None, owner_keys: Sequence[str]
) -> Iterator[Key]:
    """Of what a row is counted that recall returns. A blank scope is the scope "". Cost: a few look-ups."""
    where = "" if scope is None or is_blank(scope) else scope
    yield LIVE, where
    if metadata:
        owners = [text for key in owner_keys if (text := text_of(metadata.get(key))) and not is_blank(text)]
        if owners:
            yield _owned(where, tuple(owners))
        if where and len(metadata) > 1 and not _JOINTS.isdisjoint(where) and (parts := _joined(where, metadata)):
            yield JOINED, where, *parts
    if content:
        for name, kin in called(content):
            yield NAMED, where, sign(name), sign(kin)


@lru_cache(maxsize=1 << 16)
def _owned(scope: str, owners: tuple[str, ...]) -> Key:
    """Of several that one row names, the scope's own counts before the first."""
    spelt = [form(owner).spelling or plain(owner) for owner in owners]
    mine = own_names(scope)
    for name in spelt:
        if name in mine:
            return OWN, scope, sign(name)
    return OWNER, scope, sign(spelt[0])


def _joined(scope: str, metadata: Mapping[str, Any]) -> tuple[str, str] | None:
    """What stands for the two keys whose texts the scope's name joins, the longest, and for these; None without."""
    texts = [
        (key, text) for key, value in metadata.items() if isinstance(value, str | int) and (text := text_of(value))
    ]
    best: tuple[int, str, str, str] | None = None
    for name, last in texts:
        head = scope.removesuffix(last)
        if head == scope or not head or head[-1] not in _JOINTS:
            continue
        head = head[:-1]
        for other, first in texts:
            before = head.removesuffix(first)
            if other != name and before != head and (not before or before[-1] in _JOINTS):
                best = max(best or (0, "", "", ""), (len(first) + len(last), f"{other}\0{name}", first, last))
    return None if best is None else (sign(best[1]), sign(f"{best[2]}\0{best[3]}"))


@dataclass
class Tally:
    """The counts of a table by scope, none of them 0."""

    live: dict[str, int] = field(default_factory=dict)
    own: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    foreign: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    named: dict[str, dict[tuple[str, str], int]] = field(default_factory=lambda: defaultdict(dict))
    joined: dict[str, dict[str, dict[str, int]]] = field(default_factory=lambda: defaultdict(dict))

    @classmethod
    def of(cls, counted: Iterable[tuple[Key, int]]) -> Tally:
        """The counts of keys; of keys of other kinds nothing."""
        told = cls()
        for key, rows in counted:
            if rows:
                told._add(key, rows)
        return told

    def _add(self, key: Key, rows: int) -> None:
        match key:
            case ("live", scope):
                self.live[scope] = rows
            case ("own", scope, owner):
                self.own[scope][owner] = rows
            case ("owner", scope, owner):
                self.foreign[scope][owner] = rows
            case ("named", scope, name, kin):
                self.named[scope][name, kin] = rows
            case ("joined", scope, names, parts):
                self.joined[scope].setdefault(names, {})[parts] = rows

    def homes(self) -> dict[str, list[str]]:
        """Sign of a name → the scopes named so, in whole or in a part, sorted; a part of many is a tenant's."""
        found: dict[str, list[str]] = defaultdict(list)
        for scope in sorted(self.live):
            for name in own_names(scope) if scope else ():
                found[sign(name)].append(scope)
        return {name: scopes for name, scopes in found.items() if len(scopes) <= _TENANT}

    def main_owner(self, scope: str) -> str | None:
        """The owner of two of three of the scope's rows that name one; None without."""
        owners = {**self.foreign.get(scope, {}), **self.own.get(scope, {})}
        owner, rows = max(owners.items(), key=lambda held: (held[1], held[0]), default=(None, 0))
        return owner if rows >= _MAIN * sum(owners.values()) else None

    def owners(self, scope: str) -> frozenset[str]:
        """Everybody whom metadata names as owner of a row of the scope."""
        return frozenset(self.own.get(scope, ())) | frozenset(self.foreign.get(scope, ()))
