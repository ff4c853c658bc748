"""The shell of calibration: texts and vectors of the labelled pairs, and the space they are of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mendory import digest
from mendory.calibrating.calibration import Calibration, Scored, TooFew, calibrate
from mendory.calibrating.labels import Labelled
from mendory.calibrating.verdicts import Verdict, verdicts
from mendory.clinic import Clinic
from mendory.embedding import Estimate, build
from mendory.embedding.embedder import ModelEmbedder
from mendory.errors import InputInvalid
from mendory.lance import Reader
from mendory.language import language_of
from mendory.ledger import Ledger
from mendory.spaces import CANARIES, admit
from mendory.text import is_blank
from mendory.thresholds import TEXT_ALONE, Spread, Thresholds, key, measure

NO_ROW: Final = "a row is not there any more"
CHANGED: Final = "a row changed since a person judged it"
NO_LANGUAGE: Final = "no language reads it, or the two are in different languages"
OTHER_LANGUAGE: Final = "in a language that was not asked for"
ONE_TEXT: Final = "both are one text"

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What came of it: the space, one result a language, how many pairs came from where, and why some were left out."""

    space: str
    results: tuple[Calibration | TooFew, ...]
    labelled: int
    verdicts: int
    left_out: Mapping[str, int]

    @property
    def found(self) -> tuple[Calibration, ...]:
        """The thresholds that were found."""
        return tuple(r for r in self.results if isinstance(r, Calibration))

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "space": self.space,
            "labelled": self.labelled,
            "verdicts": self.verdicts,
            "left_out": dict(self.left_out),
            "found": [r.as_json() for r in self.found],
            "not_found": [r.as_json() for r in self.results if isinstance(r, TooFew)],
        }


@dataclass(frozen=True, slots=True)
class _Row:
    """A text with its vector and, of a row of the table, the digest the row has now."""

    text: str
    vector: Vector | None
    digest: str = ""


def run(
    clinic: Clinic,
    labels: Sequence[Labelled],
    precision: float,
    language: str | None = None,
    space: str | None = None,
    asking: Callable[[Sequence[Estimate]], None] = lambda _: None,
) -> Calibrated:
    """A threshold for each language of the labelled pairs and of people's verdicts in the ledger; nothing is stored.

    Rows bring their own vectors, texts are embedded by the space's own model, else the configured one; `asking` hears
    what that takes before it is done. `space` is a model's name, "" for words alone; left out it is the table's active
    space, else the configured model, else words alone. Of a space that is being filled, rows bring the vectors that
    they have of it. Of one pair labelled several times the file's label counts, of verdicts the newest. Raises what an
    embedder raises; InputInvalid for texts to be embedded by another model than configured.
    """
    ledger = clinic.known_ledger()
    live = ledger.spaces.live() if ledger else ()
    # the newest of one name: while a table moves from a model to itself with another prefix, the one beside is meant
    asked = next((s for s in reversed(live) if space and key(s.name) == key(space)), None)
    active = ledger.spaces.active() if ledger else None
    meant = asked or (active if space is None else None)
    section = (meant.embedder if meant else None) or clinic.config.embedder
    embedder = build(section, clinic.config.root) if section is not None and space != TEXT_ALONE else None
    if space is None:
        space = active.name if active else embedder.identity.model if embedder else TEXT_ALONE
    beside = clinic.pointer.beside
    reader = clinic.beside if asked and beside and asked.id == beside.id else clinic.reader
    texts = [p for p in labels if not p.by_id]
    if texts and embedder and key(embedder.identity.model) != key(space):
        raise InputInvalid(
            f"Pairs of texts would be embedded by '{embedder.identity.model}', not by '{space}'. Nothing was "
            "calibrated. Set [embedder] to that model, or label rows by a_id and b_id."
        )
    said = verdicts(ledger) if ledger else ()
    left_out: Counter[str] = Counter()
    joined = _of_rows(clinic, reader, [*said, *(p for p in labels if p.by_id)], left_out)
    joined += _of_texts(texts, embedder, ledger, asking)
    known = [k.threshold for k in ledger.thresholds.all()] if ledger else []
    held = Thresholds(known, _spread(joined) if space else None)
    results = [
        calibrate(pairs, held.of(space, code), precision)
        for code, pairs in sorted(_by_language(joined, language, bool(space), left_out).items())
    ]
    return Calibrated(key(space), tuple(results), len(labels), len(said), dict(sorted(left_out.items())))


_Joined = list[tuple[_Row, _Row, bool]]


def _of_rows(clinic: Clinic, reader: Reader, pairs: Sequence[Verdict | Labelled], left_out: Counter[str]) -> _Joined:
    """The pairs of which both rows are there and, of verdicts, still say what a person judged."""
    held = _rows(clinic, reader, {i for p in pairs for i in (p.a, p.b)})
    found: _Joined = []
    for pair in pairs:
        a, b = held.get(pair.a), held.get(pair.b)
        if a is None or b is None:
            left_out[NO_ROW] += 1
        elif isinstance(pair, Verdict) and not all(held[i].digest in pair.digests[i] for i in (pair.a, pair.b)):
            left_out[CHANGED] += 1
        else:
            found.append((a, b, pair.same))
    return found


def _rows(clinic: Clinic, reader: Reader, ids: set[str]) -> dict[str, _Row]:
    """The rows with these ids that have a text, their vectors as this reader has them."""
    column = reader.mapping.column("embedding")
    if not ids:
        return {}
    table = reader.rows(sorted(ids))
    cells = table.column(column).to_pylist() if column else [None] * table.num_rows
    digests = digest.row_digests(table, clinic.reader.volatile)
    return {
        memory.id: _Row(memory.content, _vector(cell), mark)
        for memory, cell, mark in zip(reader.mapping.memories(table), cells, digests, strict=True)
        if memory.id is not None and memory.content is not None and not is_blank(memory.content)
    }


def _vector(cell: Sequence[float | None] | None) -> Vector | None:
    """The stored vector; None when it is null, holds a null or NaN, or has no direction."""
    if not cell or any(v is None for v in cell):
        return None
    vector = np.asarray(cell, dtype=np.float32)
    return vector if np.isfinite(vector).all() and vector.any() else None


def _of_texts(
    pairs: Sequence[Labelled],
    embedder: ModelEmbedder | None,
    ledger: Ledger | None,
    asking: Callable[[Sequence[Estimate]], None],
) -> _Joined:
    """The pairs of texts with their vectors; without an embedder they have none."""
    texts = sorted({t for p in pairs for t in (p.a, p.b)})
    if embedder is None or not texts:
        return [(_Row(p.a, None), _Row(p.b, None), p.same) for p in pairs]
    costs = [embedder.estimate(map(len, CANARIES)), embedder.estimate(map(len, texts))]
    asking(costs)
    embedder.allow(sum(cost.calls for cost in costs))
    admit(ledger.spaces if ledger else None, embedder)
    made = dict(zip(texts, embedder.embed(texts), strict=True))
    return [(_Row(p.a, made[p.a]), _Row(p.b, made[p.b]), p.same) for p in pairs]


def _by_language(
    joined: _Joined, language: str | None, with_cosine: bool, left_out: Counter[str]
) -> dict[str, list[Scored]]:
    """The pairs by the one language that reads both texts, each pair of texts once; what is left out is counted."""
    found: dict[str, dict[tuple[str, str], Scored]] = {}
    for a, b, same in joined:
        left, right = language_of(a.text), language_of(b.text)
        if left is None or right is None or left.code != right.code:
            left_out[NO_LANGUAGE] += 1
        elif language not in (None, left.code):
            left_out[OTHER_LANGUAGE] += 1
        elif a.text == b.text:
            left_out[ONE_TEXT] += 1
        else:
            cosine = _cosine(a.vector, b.vector) if with_cosine else None
            one, two = sorted((a.text, b.text))
            found.setdefault(left.code, {})[one, two] = Scored(a.text, b.text, same, cosine)
    return {code: list(pairs.values()) for code, pairs in found.items()}


def _cosine(a: Vector | None, b: Vector | None) -> float | None:
    """The cosine of two vectors of one length; None where one is missing."""
    if a is None or b is None or len(a) != len(b):
        return None
    return float(a.astype(np.float64) @ b / (np.linalg.norm(a.astype(np.float64)) * np.linalg.norm(b)))


def _spread(joined: _Joined) -> Spread | None:
    """What unrelated texts among the pairs have for cosines, for a space of which nothing is known."""
    vectors = {row.text: row.vector for a, b, _ in joined for row in (a, b) if row.vector is not None}
    lengths = {len(v) for v in vectors.values()}
    if len(lengths) != 1:
        return None
    rows = np.stack(list(vectors.values()))
    keys = np.arange(len(rows), dtype=np.uint64)
    return measure(rows, np.zeros(len(rows), np.int64), keys, np.random.default_rng(0))
