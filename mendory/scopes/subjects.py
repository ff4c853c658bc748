"""Rows that say of the user what another scope's user would say: a name that is somebody else's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mendory.finding import Code
from mendory.scopes.doubt import Doubt, Wishes, listed
from mendory.scopes.names import bare, form, is_group, own_names
from mendory.scopes.tally import NAMED, Tally, sign

SEVERAL: Final = 4
"""A scope whose rows give its user more names than these is several people's."""
Name = tuple[str, str]
"""(a name, its kin), as signs."""


def strangers(tally: Tally, wishes: Wishes) -> Iterator[Doubt]:
    """(scope, name) where rows give the scope's user the name of another scope's, and its own user has another.

    None in a scope of several owners, a default one or one called a team: several people speak there. None for a short
    form of the user's own name, nor where two scopes' users have but this one name: many are called alike.
    """
    known = _Known.of(tally)
    for scope, names in tally.named.items():
        owner = tally.main_owner(scope)
        several = is_group(scope) or (owner is None and bool(tally.owners(scope))) or len(names) > SEVERAL
        if not scope or several or wishes.nobodys(scope):
            continue
        mine = {*(sign(name) for name in own_names(scope)), owner}
        for name, rows in sorted(names.items()):
            elsewhere = known.elsewhere(name, scope, wishes)
            if name[0] in mine or not elsewhere or not known.is_another(name, scope):
                continue
            reason = (
                f"{rows} rows of the scope give its user the name of another scope's; theirs is {listed(elsewhere)}"
            )
            evidence = {"rows": rows, "of": tally.live[scope], "elsewhere": elsewhere[0]}
            yield Doubt(Code.SCOPE_SUBJECT, (scope,), ((NAMED, scope, *name),), rows, reason, evidence, name[0])


@dataclass(frozen=True, slots=True)
class _Known:
    """Whose scope is whose: `homes`, name → scopes named so; `users`, name → scopes whose user is called so.

    `user`: scope → the name that its rows give its user oftener than all others together.
    """

    tally: Tally
    homes: Mapping[str, Sequence[str]]
    users: Mapping[str, list[str]]
    user: Mapping[str, Name]

    @classmethod
    def of(cls, tally: Tally) -> _Known:
        homes: Mapping[str, Sequence[str]] = {}
        users: dict[str, list[str]] = defaultdict(list)
        user: dict[str, Name] = {}
        if tally.named:
            homes = tally.homes()
        for scope, names in tally.named.items():
            most, rows = max(names.items(), key=lambda held: (held[1], held[0]))
            if scope and 2 * rows > sum(names.values()):
                user[scope] = most
                users[most[0]].append(scope)
        return cls(tally, homes, users, user)

    def elsewhere(self, name: Name, scope: str, wishes: Wishes) -> list[str]:
        """Other scopes whose user has the name, but those that lie in this one or around it, or are spelt like it.

        A name that several scopes' users have, and no scope is named so, is a common one and tells nothing.
        """
        spelt = form(scope).spelling
        users = self.users.get(name[0], ())
        called = set(users) - {scope} if len(users) < SEVERAL else set()
        found = {*self.homes.get(name[0], ()), *(called if len(called) == 1 else ())} - {scope}
        return sorted(other for other in found if form(other).spelling != spelt and not wishes.related(other, scope))

    def is_another(self, name: Name, scope: str) -> bool:
        """Whether the scope's own user evidently has another name."""
        others = [other for other in self.tally.named[scope] if other != name]
        if any(kin == name[1] for _, kin in others):
            return False
        if scope not in self.user:  # none is told oftener: the user's is the one that nobody else has
            return not any(other[0] in self.homes or self.users.get(other[0]) for other in others)
        if self.user[scope] != name:
            return True
        # all that its rows say is the other's name: the scope must be named after a person, as the other's is
        return name[0] in self.homes and bare(scope).isalpha()
