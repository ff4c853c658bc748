"""Groups of rows that all belong together, from pairs that do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping


def groups(pairs: Mapping[tuple[int, int], float]) -> list[list[int]]:
    """Rows in groups of two or more in which each row holds with each other one; no row is in two groups.

    `pairs` holds (row, later row) → how sure it is. The surest pairs come first (complete linkage): where A goes with B
    and B with C but A not with C, B stays with the one it is surer of. Ties are broken by the rows' order, so the
    result does not depend on that of the pairs. Cost: for each pair as many look-ups as its two groups have members.
    """
    member: dict[int, int] = {}
    held: dict[int, list[int]] = defaultdict(list)
    for (a, b), _ in sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0])):
        for row in (a, b):
            if row not in member:
                member[row] = row
                held[row] = [row]
        ours, theirs = member[a], member[b]
        if ours == theirs:
            continue
        if all((min(x, y), max(x, y)) in pairs for x in held[ours] for y in held[theirs]):
            for row in held.pop(theirs):
                member[row] = ours
                held[ours].append(row)
    return sorted(sorted(rows) for rows in held.values() if len(rows) > 1)
