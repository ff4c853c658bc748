"""A drift check in three acts: look at all rows, choose some to embed again, conclude from what they came out as. Pure.

Whoever calls embeds in between, knowing the cost. An embedder that does not answer is no drift: then it is concluded
from what is seen alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import pyarrow as pa

from mendory.drift.damage import CERTAIN, UNPROVEN, Damage, Sign
from mendory.drift.naming import counted, elsewhere, names
from mendory.drift.signs import Cohort, Signs, cohorts, different_vectors, histogram, repeated, signs
from mendory.drift.survey import AXES, NONE, Source, SpaceOf, Survey, survey, text_key
from mendory.drift.tail import MANY, Tail, fitted
from mendory.embedding import Vectors
from mendory.spaces.sample import Rows, draw, named
from mendory.spaces.witness import Sample, Witnessed, agreement, rows_for, share_shown
from mendory.vectors import grid

SHARES: Final = (0.05, 0.01, 0.002)
"""Damaged shares of a table that a check may be asked to show at 95 %: 59, 299 and 1,497 rows embedded again."""
ASKED: Final = 8
"""Rows of each sign that are embedded again beside the sample, to know what the sign is of."""
PAIRED: Final = 32
"""Rows of one text with different vectors that are embedded again: one of each text is right at most."""
EXAMPLES: Final = 20


class Table(Rows, Source, Protocol):
    """A reader of the table: `mendory.lance.Reader` is one."""


@dataclass(frozen=True, eq=False, slots=True)
class Looked:
    """What is seen of all rows: the survey, the signs on it, and what is known of earlier texts."""

    seen: Survey
    signs: Signs
    stale: frozenset[str]


@dataclass(frozen=True, eq=False, slots=True)
class Asked:
    """Rows to embed again: a sample of the whole table, and some of each sign."""

    sample: Sample
    signed: tuple[Witnessed, ...]

    @property
    def texts(self) -> list[str]:
        """The texts, in the order in which `conclude` wants their vectors."""
        return [row.text for row in (*self.sample.rows, *self.signed)]


@dataclass(frozen=True, slots=True)
class Found:
    """Rows with one damage.

    `rows` are known to have it, `ids` some of them, `sampled` how many of the sample do; `cohorts` are where they
    gather. `proven`: some were embedded again, or there is nothing to embed.
    """

    damage: Damage
    rows: int
    ids: tuple[str, ...]
    sampled: int
    cohorts: tuple[Cohort, ...]
    proven: bool

    def as_json(self) -> dict[str, Any]:
        """The damage as plain values."""
        return {
            "damage": self.damage.value,
            "rows": self.rows,
            "ids": list(self.ids),
            "sampled": self.sampled,
            "cohorts": [one.as_json() for one in self.cohorts],
            "proven": self.proven,
        }


@dataclass(frozen=True, slots=True)
class Drift:
    """What a drift check says of a table.

    `rows` have an id, `vectors` of them one with a direction. `sampled` were embedded again, of which `agreed` came out
    as they are stored; 0 where nothing was embedded. `lengths` is the histogram of each cohort that differs, and of all
    rows under the empty name. `hints` are cohorts that lie far out, which new topics do as well: no damage.
    """

    rows: int
    vectors: int
    found: tuple[Found, ...]
    sampled: int
    agreed: int
    left_out: Mapping[str, int]
    length: float | None
    lengths: Mapping[str, tuple[int, ...]]
    hints: tuple[Cohort, ...]

    @property
    def shows(self) -> float:
        """The smallest damaged share of the table that so many rows show at 95 %; 1 where none was embedded."""
        return share_shown(self.sampled)

    def as_json(self) -> dict[str, Any]:
        """The check as plain values."""
        return {
            "rows": self.rows,
            "vectors": self.vectors,
            "damages": [one.as_json() for one in self.found],
            "sampled": self.sampled,
            "agreed": self.agreed,
            "shows": self.shows,
            "left_out": dict(self.left_out),
            "length": self.length,
            "lengths": {name: list(bins) for name, bins in self.lengths.items()},
            "hints": [one.as_json() for one in self.hints],
        }


def look(table: Source, stale: Collection[str] = (), space_of: SpaceOf | None = None) -> Looked:
    """What is seen of all rows without embedding any: one pass, and the rows of repeated texts once more."""
    seen = survey(table, space_of)
    first = signs(seen, stale, ())
    differ = different_vectors(table, repeated(seen, first), text_key)
    return Looked(seen, signs(seen, stale, differ) if differ else first, frozenset(stale))


def ask(table: Table, looked: Looked, share: float, seed: int, max_chars: int) -> Asked:
    """The rows to embed again: as many as show damage to this share of the table, and some of each sign."""
    sample = draw(table, seed, rows_for(share), max_chars)
    wanted: list[str] = []
    chance = np.random.default_rng(seed)
    for sign, mask in looked.signs.rows.items():
        places = np.flatnonzero(mask)
        if sign in CERTAIN:
            continue
        if sign is Sign.SAME_TEXT:
            chosen = places[np.argsort(looked.seen.texts[places], kind="stable")][:PAIRED]
        else:
            chosen = chance.permutation(places)[:ASKED]
        wanted += [looked.seen.ids[at] for at in chosen]
    drawn = {row.id for row in sample.rows}
    more = named(table, [one for one in wanted if one not in drawn], max_chars).rows
    return Asked(sample, more)


def conclude(table: Source, looked: Looked, asked: Asked | None, made: Vectors | None) -> Drift:
    """What is wrong, by name. `made` are the vectors of `asked.texts`, None where nobody embedded them."""
    told: dict[str, Damage] = {}
    witnessed: tuple[Witnessed, ...] = ()
    if asked is not None and made is not None:
        witnessed = (*asked.sample.rows, *asked.signed)
        told = names(witnessed, made, looked.stale, lambda rows, vectors: elsewhere(table, rows, vectors))
    looked_again = {row.id for row in witnessed}
    masks, proven = _masks(looked, told, looked_again)
    drawn = {row.id for row in asked.sample.rows} if asked is not None and made is not None else set[str]()
    found = []
    for damage, mask in masks.items():
        ids = np.asarray(looked.seen.ids, object)[mask]
        found.append(
            Found(
                damage,
                int(mask.sum()),
                tuple(sorted(ids)[:EXAMPLES]),
                sum(told.get(row) is damage for row in drawn),
                cohorts(looked.seen, mask),
                damage in proven,
            )
        )
    found.sort(key=lambda one: (-one.rows, one.damage.value))
    compared = agreement(asked.sample, made[: len(asked.sample.rows)]) if asked and made is not None else None
    return Drift(
        len(looked.seen.ids),
        int(looked.seen.sound.sum()),
        tuple(found),
        compared.rows if compared else 0,
        compared.agreed if compared else 0,
        compared.left_out if compared else {},
        looked.signs.length,
        _lengths(looked, found),
        tuple(_far_out(table, looked.seen)),
    )


def _masks(
    looked: Looked, told: Mapping[str, Damage], again: Collection[str]
) -> tuple[dict[Damage, Any], frozenset[Damage]]:
    """The rows of each damage, from the signs and from what was embedded again; which damages are proven."""
    at = {name: place for place, name in enumerate(looked.seen.ids)}
    masks: dict[Damage, Any] = {}
    proven = set(told.values())

    def mark(damage: Damage, places: Any) -> None:
        masks.setdefault(damage, np.zeros(len(at), bool))[places] = True

    for damage, rows in counted(told).items():
        mark(damage, [at[row] for row in rows if row in at])
    for sign, mask in looked.signs.rows.items():
        places = np.flatnonzero(mask)
        tried = [looked.seen.ids[p] for p in places if looked.seen.ids[p] in again]
        if sign in CERTAIN:
            proven.add(UNPROVEN[sign])
            mark(UNPROVEN[sign], places)
        elif not tried:
            mark(UNPROVEN[sign], places)
        elif sign is Sign.SAME_TEXT:
            left = [p for p in places if looked.seen.ids[p] not in again]
            if left:
                mark(Damage.SAME_TEXT, left)
        elif wrong := counted({row: told[row] for row in tried if row in told}):
            by_sign = max(wrong, key=lambda damage: len(wrong[damage]))
            mark(by_sign, [p for p in places if looked.seen.ids[p] not in again])
    return masks, frozenset(proven)


def _lengths(looked: Looked, found: Collection[Found]) -> dict[str, tuple[int, ...]]:
    """The histogram of lengths of all rows, and of the cohorts in which un-normalised vectors gather."""
    if looked.signs.length is None:
        return {}
    seen, usual = looked.seen, looked.signs.length
    made = {"": tuple(histogram(seen.norms, usual))}
    for one in found:
        for cohort in one.cohorts if one.damage is Damage.UNNORMALISED else ():
            numbers, values = seen.cohorts[cohort.axis]
            mine = numbers == values.index(cohort.value)
            made[f"{cohort.axis}:{cohort.value}"] = tuple(histogram(seen.norms[mine], usual))
    return made


def _far_out(table: Source, seen: Survey) -> Iterator[Cohort]:
    """Cohorts of which many rows lie where few of the table do."""
    tail = fitted(seen.sample)
    if tail is None:
        return
    out = _out(table, tail, seen)
    for axis in AXES:
        numbers, values = seen.cohorts[axis]
        rows, hit = (np.bincount(n, minlength=len(values)) for n in (numbers, numbers[out]))
        for at in np.flatnonzero((hit >= ASKED) & (hit >= MANY * np.maximum(rows, 1))):
            if at != NONE and rows[at] < len(seen.ids):
                yield Cohort(axis, values[at], int(rows[at]), int(hit[at]))


def _out(table: Source, tail: Tail, seen: Survey) -> Any:
    found: list[Any] = []
    for memories, vectors in table.with_vectors(None):
        kept = [at for at, memory in enumerate(memories) if memory.id]
        units = None if vectors is None else grid(pa.chunked_array([vectors]))
        fits = units is not None and units.shape[1] == tail.width
        found.append(tail.out(units)[kept] if fits else np.zeros(len(kept), bool))
    return np.concatenate(found) if found else np.zeros(len(seen.ids), bool)
