"""Which memories' claims meet: rows as numbers while a table is read, pairs of row and opponents afterwards."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import numpy.typing as npt

from mendory.claims.attributes import Singles
from mendory.claims.blocks import met
from mendory.detect.neighbours import numbered
from mendory.language.claim import Claim

OPPONENTS = 32
"""Groups of equal claims of a block that a row is compared with, the newest first: ten thousand different values of one
thing are not fifty million pairs. With more of them than this a row may be left without its opponent; of two values
that can't both hold it meets the newer one at once."""
_NEVER = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class Block:
    """Rows whose claims meet, as numbers of `Met.ids`: each group claims the same, its newest row first.

    The groups at home come first, the newest first; the others are guests, compared with those at home alone.
    """

    groups: tuple[tuple[int, ...], ...]
    homes: int

    @property
    def rows(self) -> Iterator[int]:
        """All rows."""
        return (row for group in self.groups for row in group)

    def opponents(self, group: int) -> Iterator[int]:
        """The newest row of each other group at home, the newest first, at most `OPPONENTS`."""
        others = [at for at in range(self.homes) if at != group]
        return (self.groups[at][0] for at in others[:OPPONENTS])


@dataclass(slots=True)
class Met:
    """Rows by id and time, and the keys under which their claims meet; about 100 bytes a row and 25 a key.

    `singles` are attributes of one value at a time beside those declared in Mendory.
    """

    singles: Singles = frozenset()
    ids: list[str] = field(default_factory=list)
    _created: array[int] = field(default_factory=lambda: array("q"))
    _key: array[int] = field(default_factory=lambda: array("q"))
    _row: array[int] = field(default_factory=lambda: array("q"))
    _said: array[int] = field(default_factory=lambda: array("q"))
    _home: array[int] = field(default_factory=lambda: array("b"))

    def add(
        self, name: str, created: datetime | None, homes: Iterable[str], above: Iterable[str], claims: Iterable[Claim]
    ) -> int:
        """Note a row; its number. It is at home among the rows of its own `homes`, a guest among those `above`."""
        row = len(self.ids)
        self.ids.append(name)
        self._created.append(_NEVER if created is None else int(created.timestamp() * 1e6))
        own, others = tuple(homes), tuple(above)
        for key, (home, held) in met(claims, self.singles).items():
            said = numbered("\n".join(sorted(map(_said, held))))
            for place in (*own, *others):
                self._note(f"{place}\0{key}", row, said, home and place in own)
        return row

    def _note(self, key: str, row: int, said: int, home: bool) -> None:
        self._key.append(numbered(key))
        self._row.append(row)
        self._said.append(said)
        self._home.append(home)

    def newest(self, rows: Iterable[int]) -> int:
        """The newest of some rows; of equally new ones, and those without a time, that with the greatest id."""
        return max(rows, key=self._age)

    def _age(self, row: int) -> tuple[int, str]:
        return self._created[row], self.ids[row]

    def blocks(self) -> Iterator[Block]:
        """The blocks in which somebody says something else than one at home, in the order of their keys."""
        key, row, said, home = (np.array(one) for one in (self._key, self._row, self._said, self._home))
        order = np.argsort(key, kind="stable")
        ends = np.flatnonzero(np.diff(key[order])) + 1
        for part in np.split(order, ends):
            if len(part) > 1 and home[part].any() and (said[part] != said[part[0]]).any():
                yield self._block(row[part], said[part], home[part].astype(bool))

    def _block(self, rows: npt.NDArray[np.int64], said: npt.NDArray[np.int64], home: npt.NDArray[np.bool_]) -> Block:
        held: dict[tuple[bool, int], list[int]] = {}
        for row, what, own in zip(rows.tolist(), said.tolist(), home.tolist(), strict=True):
            held.setdefault((own, what), []).append(row)
        groups = [(own, sorted(group, key=self._age, reverse=True)) for (own, _), group in held.items()]
        groups.sort(key=lambda one: (one[0], self._age(one[1][0])), reverse=True)
        return Block(tuple(tuple(group) for _, group in groups), sum(own for own, _ in groups))


def _said(claim: Claim) -> str:
    """All that a claim says; how sure the rules were of it is no part."""
    values = [
        sorted((value.kind.value, value.text, str(value.number), value.unit) for value in part)
        for part in (claim.values, claim.before)
    ]
    rest = (claim.denied, claim.stance, claim.strength, sorted(claim.scenes), claim.constraint, claim.tense, claim.ends)
    return repr((claim.kind.value, claim.subject, claim.about, values, rest))
