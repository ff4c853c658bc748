"""Rows whose metadata names somebody else than their scope does, one owner in several scopes, several in one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mendory.finding import Code
from mendory.scopes.doubt import SHARED, Doubt, Wishes, listed
from mendory.scopes.names import bare, form, is_group, is_session
from mendory.scopes.tally import LIVE, NAMED, OWN, OWNER, Key, Tally, sign

ENOUGH: Final = 20
"""From so many rows that name an owner on, what nearly all of them have is the table's way."""
USUAL: Final = 0.95
LONE: Final = 2
"""So few rows alone in a scope that names nobody went astray; more may be a project's."""
SPREAD: Final = 3
"""So many conversations of one owner are one owner spread over them."""
PEOPLE: Final = 3
"""A user may go by two names; that many are several people."""


def misplaced(tally: Tally, wishes: Wishes) -> Iterator[Doubt]:
    """(scope, owner) whose rows are evidently of another scope than the one they lie in.

    A scope of several owners is a team's, and normal. Flagged is another owner in a scope that is one person's: whose
    own scope is in use, or in a table where nearly every row's owner is its scope, or is the only owner of its scope.
    """
    foreign = [(s, o, n) for s, owners in tally.foreign.items() if s for o, n in owners.items()]
    if not foreign:
        return
    way = _Way.of(tally)
    for scope, owner, rows in foreign:
        home = way.home(scope, owner, wishes)
        if home is None and not (way.usual and scope in way.personal):
            continue
        if any(wishes.related(scope, other) for other in way.homes.get(owner, ())):
            continue
        lone = way.usual and rows == tally.live[scope] <= LONE and scope not in tally.own
        if not (scope in way.personal or lone or way.tied(scope, owner)):
            continue
        if is_group(scope) or way.split(scope, owner):
            continue
        whose = "an owner who has a scope of their own" if home is not None else "another owner than the scope's"
        evidence = {"rows": rows, "of": tally.live[scope]} | ({} if home is None else {"elsewhere": home})
        reason = f"{rows} of the scope's {tally.live[scope]} rows are of {whose}"
        reason += "" if home is None else f"; theirs is {listed([home])}"
        yield Doubt(Code.SCOPE_OWNER, (scope,), ((OWNER, scope, owner),), rows, reason, evidence, owner)


@dataclass(frozen=True, slots=True)
class _Way:
    """How owners and scopes go together in a table.

    `homes`: owner → the scopes that are named after them. `usual`: nearly every row's owner is named by its scope.
    `only`: scope → the owner of most of its rows; `of_one`: owner → that scope, where scopes and owners are nearly
    everywhere one to one. `personal`: scopes that are one person's: rows of whom they name, and more of them than of
    others together, or of but one other.
    """

    tally: Tally
    personal: frozenset[str]
    homes: Mapping[str, Sequence[str]]
    usual: bool
    only: Mapping[str, str]
    of_one: Mapping[str, str]

    @classmethod
    def of(cls, tally: Tally) -> _Way:
        own = sum(sum(owners.values()) for scope, owners in tally.own.items() if scope)
        others = sum(sum(owners.values()) for scope, owners in tally.foreign.items() if scope)
        usual = own + others >= ENOUGH and own >= USUAL * (own + others)
        only = {scope: most for scope in tally.live if scope and (most := tally.main_owner(scope))}
        held: dict[str, list[str]] = defaultdict(list)
        for scope, owner in sorted(only.items()):
            held[owner].append(scope)
        # scopes that are spelt alike are told as such
        one = {owner: scopes for owner, scopes in held.items() if len({form(s).spelling for s in scopes}) == 1}
        of_one = {owner: scopes[0] for owner, scopes in one.items()}
        told = sum(_rows(tally, scope, owner) for owner, scopes in one.items() for scope in scopes)
        one_to_one = own + others >= ENOUGH and len(of_one) > 1 and told >= USUAL * (own + others)
        return cls(tally, _personal(tally), tally.homes(), usual, only, of_one if one_to_one else {})

    def tied(self, scope: str, owner: str) -> bool:
        """Whether both the scope and the owner belong to somebody else each, one to one."""
        mine = self.only.get(scope)
        return mine in self.of_one and owner in self.of_one and owner != mine

    def home(self, scope: str, owner: str, wishes: Wishes) -> str | None:
        """Another scope that is the owner's; None without one."""
        mine = form(scope).spelling
        for other in self.homes.get(owner, ()):
            if other != scope and form(other).spelling != mine and not wishes.related(scope, other):
                return other
        one = self.of_one.get(owner)
        return one if one != scope else None

    def split(self, scope: str, owner: str) -> bool:
        """Whether the scope is another spelling of the owner's own: that is told as a split."""
        return sign(bare(scope)) == owner


def _personal(tally: Tally) -> frozenset[str]:
    found = set()
    for scope, own in tally.own.items():
        others = tally.foreign.get(scope, {})
        if len(others) == 1 or sum(own.values()) >= sum(others.values()):
            found.add(scope)
    return frozenset(found)


def _rows(tally: Tally, scope: str, owner: str) -> int:
    return tally.own.get(scope, {}).get(owner, 0) + tally.foreign.get(scope, {}).get(owner, 0)


def collapsed(tally: Tally, wishes: Wishes) -> Iterator[Doubt]:
    """Default scopes that hold several people's rows.

    What is shared on purpose by its name (global, 公共) is one only where the table has no other scope; no scope at
    all only where no row has one: else every row without it is told by itself.
    """
    others = {scope for scope in tally.live if scope}
    for scope, rows in tally.live.items():
        if scope and not wishes.nobodys(scope):
            continue
        if (not scope or form(scope).parts[-1] in SHARED) and others - {scope}:
            continue
        owners = tally.owners(scope)
        names = {kin: (name, kin) for name, kin in sorted(tally.named.get(scope, ()))}
        if len(owners) > 1:
            kinds = (OWN, tally.own), (OWNER, tally.foreign)
            keys: list[Key] = [(kind, scope, owner) for kind, held in kinds for owner in sorted(held.get(scope, ()))]
        elif len(names) >= PEOPLE:
            keys = [(NAMED, scope, *name) for name in sorted(names.values())]
        else:
            continue
        people = max(len(owners), len(names))
        where = "one default scope" if scope else "no scope at all"
        reason = f"{rows} rows of {people} people lie in {where}"
        yield Doubt(Code.SCOPE_COLLAPSED, (scope,), tuple(keys), rows, reason, {"rows": rows, "people": people})


def split(tally: Tally, wishes: Wishes) -> Iterator[Doubt]:
    """Owners whose rows lie in several scopes that look like one: variants of their name, or one a conversation.

    Each of the scopes holds rows of nobody else. Conversations only where most owners have theirs in one scope.
    """
    alone: dict[str, list[str]] = defaultdict(list)
    for scope in tally.live:
        if scope and len(owners := tally.owners(scope)) == 1:
            alone[next(iter(owners))].append(scope)
    spread = {o: sorted(s for s in held if is_session(s) and not bare(s)) for o, held in alone.items()}
    many = {owner for owner, held in spread.items() if len(held) >= SPREAD}
    by_conversation = 2 * len(many) > len(alone) and len(alone) > 1
    for owner, held in alone.items():
        variants = [scope for scope in held if sign(bare(scope)) == owner]
        if len({form(scope).spelling for scope in variants}) > 1 and not _parents(variants, wishes):
            yield _split(owner, variants, tally, "look like one")
        if owner in many and not by_conversation and not _parents(spread[owner], wishes):
            yield _split(owner, spread[owner], tally, "look like conversations")


def _parents(scopes: list[str], wishes: Wishes) -> bool:
    return all(wishes.ancestors(scope) for scope in scopes)


def _split(owner: str, scopes: list[str], tally: Tally, how: str) -> Doubt:
    group = tuple(sorted(scopes))
    rows = sum(tally.live[scope] for scope in group)
    evidence = {"scopes": {scope: tally.live[scope] for scope in group[:10]}, "number": len(group), "rows": rows}
    reason = f"one owner's {rows} rows lie in {len(group)} scopes that {how}; they are {listed(group)}"
    return Doubt(Code.SCOPE_SPLIT, group, tuple((LIVE, s) for s in group), rows, reason, evidence, owner)
