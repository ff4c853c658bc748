"""Queries whose right answers are known: made from memories by rule, or judged by people."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import cycle
from typing import Any, Final

from mendory.errors import InputInvalid
from mendory.language import language_of
from mendory.language.rewording import Rewording, rewording
from mendory.text import exact_key, is_blank

WANTED: Final = 3_000
"""So many queries show in 95 of 100 tries that a model of equal quality is no worse (docs/migration.md, "How many")."""
SLICE: Final = 300
"""A language with fewer queries could not veto; so many are made for each, where its memories allow (design §10)."""
PIECES: Final = 5
"""Words a text must have: of a shorter one a part says nothing, or everything."""


class Kind(StrEnum):
    """How a query came about."""

    PARTIAL = "partial"
    REORDERED = "reordered"
    PARAPHRASED = "paraphrased"
    JUDGED = "judged"


MADE: Final = (Kind.PARTIAL, Kind.REORDERED, Kind.PARAPHRASED)
"""The kinds that are made from memories."""


@dataclass(frozen=True, slots=True)
class Item:
    """A memory that recall returns: what a query can be made from."""

    id: str
    text: str
    scope: str


@dataclass(frozen=True, slots=True)
class Query:
    """A query, in whose scope it is asked, and the ids of the memories that answer it.

    `id` names it without saying its text, which is part of no `repr`. `of` is what it was made from or, for a judged
    one, itself: queries of one memory are no independent witnesses.
    """

    id: str
    text: str
    scope: str
    language: str
    kind: Kind
    relevant: tuple[str, ...]
    of: str

    def __repr__(self) -> str:
        """All but the text."""
        return f"Query({self.id}, {self.language}, {self.kind.value})"


@dataclass(frozen=True, slots=True)
class Drawn:
    """Queries made from memories. `left_out` counts the memories of which none can be made, by reason.

    `all_of_them`: nothing more can be asked, each memory that allows it is in it in every kind. `seed` makes a query
    again from its memory (`remade`), so that nobody has to keep its text.
    """

    queries: tuple[Query, ...]
    left_out: Mapping[str, int]
    all_of_them: bool
    seed: int


def known_items(items: Sequence[Item], rng: random.Random, wanted: int = WANTED, most: int | None = None) -> Drawn:
    """Queries of every kind made from `wanted` of the memories, or from all of them several times until it is enough.

    A language with fewer than 300 among them gets more where its memories allow. None is made from a text that is
    short, that nobody here can take apart, that its scope holds twice by its exact key, or that has more than `most`
    characters, which no model takes; none equals a text of its scope, and none is longer than `most`. The same items
    and the same state of `rng` give the same queries. Cost: reads each text once.
    """
    keys = Counter((item.scope, exact_key(item.text)) for item in items)
    left_out: Counter[str] = Counter()
    able: list[tuple[Item, str, Rewording]] = []
    seed = rng.getrandbits(32)
    for item in items:
        language, told = _readable(item.text)
        why = (
            "nobody here can take it apart"
            if told is None
            else "too long"
            if most is not None and len(item.text) > most
            else "several of its scope have its text"
            if keys[item.scope, exact_key(item.text)] > 1
            else "too short"
            if len(told.pieces(item.text)) < PIECES
            else None
        )
        if why or told is None:
            left_out[str(why)] += 1
        else:
            able.append((item, language, told))
    rng.shuffle(able)
    made: list[Query] = []
    count: Counter[str] = Counter()
    skipped = False
    for item, language, told, kind in _turns(able):
        if len(made) >= wanted and count[language] >= SLICE:
            skipped = True
            continue
        text = _asked(item, told, kind, seed)
        if not keys[item.scope, exact_key(text)] and (most is None or len(text) <= most):
            made.append(Query(f"{item.id}/{kind.value}", text, item.scope, language, kind, (item.id,), item.id))
            count[language] += 1
    return Drawn(tuple(made), dict(left_out), not skipped, seed)


def _turns(able: Sequence[tuple[Item, str, Rewording]]) -> Iterator[tuple[Item, str, Rewording, Kind]]:
    """Every memory in every kind: each memory once before any is asked again, kinds in turn."""
    for start in range(len(MADE)):
        kinds = cycle((*MADE[start:], *MADE[:start]))
        for (item, language, told), kind in zip(able, kinds, strict=False):
            yield item, language, told, kind


def _readable(text: str) -> tuple[str, Rewording | None]:
    language = None if is_blank(text) else language_of(text)
    return ("", None) if language is None else (language.code, rewording(language))


def remade(item: Item, kind: Kind, seed: int) -> str | None:
    """The query of that kind as `known_items` made it of this memory; another one where its text changed since.

    None for a kind that is not made from memories, or a text of which none can be made.
    """
    _, told = _readable(item.text)
    if told is None or kind not in MADE or len(told.pieces(item.text)) < PIECES:
        return None
    return _asked(item, told, kind, seed)


def _asked(item: Item, told: Rewording, kind: Kind, seed: int) -> str:
    """The query of that kind; chance depends on the memory alone, so that it can be made again by itself."""
    rng = random.Random(f"{seed}/{kind.value}/{item.id}")  # noqa: S311  # a choice of words, not a secret
    if kind is Kind.PARAPHRASED:
        return rng.choice(told.rewordings(item.text))
    pieces = told.pieces(item.text)
    if kind is Kind.PARTIAL:
        size = rng.randint(-(-len(pieces) // 2), len(pieces) * 4 // 5)  # half to four fifths
        start = rng.randint(0, len(pieces) - size)
        return "".join(pieces[start : start + size]).strip()
    return _turned(pieces, rng)


_ENDS: Final = ",;:.!?，、；：。！？"


def _turned(pieces: Sequence[str], rng: random.Random) -> str:
    """The clauses, or the halves of the only one, in another order."""
    ends = [at for at, piece in enumerate(pieces[:-1], 1) if piece.rstrip()[-1:] in _ENDS]
    cut = rng.choice(ends) if ends else rng.randint(2, len(pieces) - 2)
    last, first = ("".join(part).strip().rstrip(_ENDS) for part in (pieces[:cut], pieces[cut:]))
    joint = " " if first[-1:].isascii() and last[:1].isascii() else ""
    return f"{first}{joint}{last}"


def read_judged(lines: Iterable[str], name: str, known: Mapping[str, str]) -> tuple[Query, ...]:
    """The queries of a file of that name; `known` are the scopes of the memories there are, by id.

    A line is `{"query": TEXT, "scope": SCOPE, "relevant": [ID, ...]}`; blank lines are left out. Raises InputInvalid
    with the numbers of all lines that are something else, ask twice, or name a memory that is not of that scope.
    """
    found: list[Query] = []
    wrong: dict[str, list[int]] = defaultdict(list)
    asked: set[tuple[str, str]] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        query = _judged(line, number, known)
        if isinstance(query, str):
            wrong[query].append(number)
        elif (query.scope, exact_key(query.text)) in asked:
            wrong["asked before"].append(number)
        else:
            asked.add((query.scope, exact_key(query.text)))
            found.append(query)
    if wrong:
        said = "; ".join(f"line {', '.join(map(str, numbers[:10]))}: {why}" for why, numbers in wrong.items())
        raise InputInvalid(f"{name}: {said}. Nothing was asked. Mend these lines, or leave them out.")
    return tuple(found)


def _judged(line: str, number: int, known: Mapping[str, str]) -> Query | str:
    try:
        row: Any = json.loads(line)
    except ValueError:
        return "no JSON"
    if not isinstance(row, dict) or row.keys() != {"query", "scope", "relevant"}:
        return 'no object of "query", "scope" and "relevant"'
    text, scope, relevant = row["query"], row["scope"], row["relevant"]
    if not isinstance(text, str) or is_blank(text):
        return "the query is no text"
    if not isinstance(scope, str):
        return "the scope is no text"
    if not isinstance(relevant, list) or not relevant or not all(isinstance(i, str) for i in relevant):
        return "no ids of relevant memories"
    if any(known.get(one) != scope for one in relevant):
        return "a relevant memory is not in that scope"
    language = language_of(text)
    name = f"judged/{number}"
    code = "" if language is None else language.code
    return Query(name, text, scope, code, Kind.JUDGED, tuple(dict.fromkeys(relevant)), name)
