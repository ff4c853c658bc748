"""Scopes whose names are spellings of one, and names that are joined so that two become one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mendory.finding import Code
from mendory.scopes.doubt import Doubt, Wishes, listed
from mendory.scopes.names import differences, form
from mendory.scopes.tally import JOINED, LIVE, Tally
from mendory.text import SCOPE_BARRED

HELD: Final = 10
"""So many scopes of one doubt are in its evidence."""
ROOTED: Final = 0.8
"""A root that this share of the scopes with a path has is the table's; one without it may have lost it."""


def spellings(tally: Tally, wishes: Wishes) -> Iterator[Doubt]:
    """Groups of scopes that are one name but for case, width, separators, spaces or a lost root.

    None whose rows are of different owners: they are two people's. Scopes with characters that none should have are
    told row by row.
    """
    scopes = [scope for scope in tally.live if scope and not SCOPE_BARRED.search(scope)]
    groups = [*_alike(scopes), *_of_equal_words(scopes)]
    seen: set[frozenset[str]] = set()
    for group in _united(groups):
        if frozenset(group) in seen or _of_two_people(group, tally) or _all_related(group, wishes):
            continue
        seen.add(frozenset(group))
        differ = differences(group)
        yield _spelt(group, tally, differ, f"{len(group)} scopes are one name spelt in several ways")
    for short, whole in _rootless(scopes):
        if not _of_two_people((short, whole), tally) and not wishes.related(short, whole):
            yield _spelt((short, whole), tally, ("root",), "a scope is another's name without its root")


def collisions(tally: Tally, wishes: Wishes) -> Iterator[Doubt]:
    """Scopes that several pairs of parts are joined into, and scopes that one separator would make one."""
    for scope, joined in tally.joined.items():
        for names, parts in joined.items():
            if len(parts) > 1:
                keys = tuple((JOINED, scope, names, one) for one in sorted(parts))
                rows = sum(parts.values())
                reason = f"{len(parts)} pairs of parts are joined into one scope"
                told = {"pairs": len(parts), "rows": rows}
                yield Doubt(Code.SCOPE_COLLISION, (scope,), keys, rows, reason, told, names)
    for group in _of_one_join(scope for scope in tally.live if scope):
        if _all_related(group, wishes):
            continue
        rows = sum(tally.live[scope] for scope in group)
        reason = f"{len(group)} scopes are one where their parts are joined by the separator in them"
        reason += f"; they are {listed(group)}"
        evidence = {"scopes": _rows_of(group, tally), "number": len(group), "rows": rows}
        yield Doubt(Code.SCOPE_COLLISION, group, _live(group), rows, reason, evidence)


def _spelt(group: Sequence[str], tally: Tally, differ: Sequence[str], reason: str) -> Doubt:
    group = tuple(sorted(group))
    rows = sum(tally.live[scope] for scope in group)
    evidence = {"scopes": _rows_of(group, tally), "number": len(group), "rows": rows, "differ": list(differ)}
    return Doubt(
        Code.SCOPE_SPELLING,
        group,
        _live(group),
        rows,
        f"{reason}: {', '.join(differ)}; they are {listed(group)}",
        evidence,
    )


def _rows_of(group: Sequence[str], tally: Tally) -> dict[str, int]:
    """The first of the scopes, each with its rows."""
    return {scope: tally.live[scope] for scope in group[:HELD]}


def _live(group: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((LIVE, scope) for scope in group)


def _alike(scopes: Iterable[str]) -> list[tuple[str, ...]]:
    """Scopes of one spelling."""
    held: dict[str, list[str]] = defaultdict(list)
    for scope in scopes:
        if spelling := form(scope).spelling:
            held[spelling].append(scope)
    return [tuple(sorted(group)) for group in held.values() if len(group) > 1]


def _of_equal_words(scopes: Iterable[str]) -> list[tuple[str, ...]]:
    """Scopes of the same words, one of which joins as parts what another only separates: agent:main, agent-main."""
    found = []
    for group in _by_words(scopes):
        joints = {scope: form(scope).joints for scope in group}
        if len(set(joints.values())) > 1 and len(set(map(len, joints.values()))) > 1:
            found.append(group)
    return found


def _of_one_join(scopes: Iterable[str]) -> list[tuple[str, ...]]:
    """Scopes of the same words and as many parts, which end behind different words: team_a/b, team/a_b."""
    found = []
    for group in _by_words(scopes):
        by_parts: dict[int, list[str]] = defaultdict(list)
        for scope in group:
            by_parts[len(form(scope).joints)].append(scope)
        found += [
            tuple(sorted(held))
            for parts, held in by_parts.items()
            if parts and len({form(scope).joints for scope in held}) > 1
        ]
    return found


def _by_words(scopes: Iterable[str]) -> list[tuple[str, ...]]:
    held: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for scope in scopes:
        if len(words := form(scope).words) > 1:
            held[words].append(scope)
    return [tuple(sorted(group)) for group in held.values() if len(group) > 1]


def _united(groups: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Groups that share a scope as one."""
    of: dict[str, set[str]] = {}
    for group in groups:
        whole = set(group).union(*(of[scope] for scope in group if scope in of))
        for scope in whole:
            of[scope] = whole
    distinct = {id(group): tuple(sorted(group)) for group in of.values()}
    return sorted(distinct.values())


def _of_two_people(group: Iterable[str], tally: Tally) -> bool:
    """Whether metadata names an owner of each of the scopes, and of no two the same one.

    An owner that only repeats a scope's name is spelt like the others' and tells nobody apart.
    """
    owners = [tally.main_owner(scope) for scope in group]
    return None not in owners and len(set(owners)) == len(owners)


def _all_related(group: Sequence[str], wishes: Wishes) -> bool:
    return all(wishes.related(group[0], other) for other in group[1:])


def _rootless(scopes: Iterable[str]) -> list[tuple[str, str]]:
    """(a path, the same behind the table's root) for each path that lacks it, where nearly all paths have that root."""
    paths: dict[str, str] = {}
    for scope in scopes:
        if scope.startswith("/") and scope.strip("/"):
            paths.setdefault("/".join(form(scope).parts), scope)
    beneath: Counter[str] = Counter()
    lost: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        root, _, rest = path.partition("/")
        beneath[root] += 1
        if rest in paths and rest.partition("/")[0] != root:
            lost[root].append(rest)
    found = []
    for root, short in lost.items():
        if len(short) == len(paths) - beneath[root] or beneath[root] >= ROOTED * len(paths):
            found += [(paths[rest], paths[f"{root}/{rest}"]) for rest in short]
    return sorted(found)
