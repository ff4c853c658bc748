"""The witness: some rows embedded again, and how many come out as they are stored. It alone sees every damage."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mendory.embedding import Embedder, Vectors
from mendory.errors import WitnessDisagrees
from mendory.spaces.fingerprint import NORM_DRIFT, SAME, cosines, norm_ratios
from mendory.text import script

QUICK: Final = 16
"""Rows of the quick witness: it misses damage to a sixth of the table once in twenty times."""
ENOUGH: Final = 0.9
"""So large a share must agree before a model counts as the table's; no vector agrees by chance, and a table in which
more differ is mixed."""


@dataclass(frozen=True, slots=True)
class Witnessed:
    """One row of a sample: its id, its text, and its vector as stored."""

    id: str
    text: str
    vector: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows for the witness. `left_out` counts rows that were drawn and can't be embedded or compared, by reason."""

    rows: tuple[Witnessed, ...]
    left_out: Mapping[str, int]
    of: int
    """How many rows the table has."""


@dataclass(frozen=True, slots=True)
class Slice:
    """How many rows of one script agree; the script is a sign of the language, see `mendory.text.script`."""

    script: str
    rows: int
    agreed: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """What the witness says.

    `rows` were embedded again, `agreed` came out at cosine .999 or above and of the same length. `lowest`, `quarter`
    and `median` are of the cosines; None when dimensions differ, or nothing was compared. `differing` are the ids that
    do not agree, `relengthed` those of them whose direction agrees and whose length does not.
    """

    rows: int
    agreed: int
    of: int
    lowest: float | None
    quarter: float | None
    median: float | None
    slices: tuple[Slice, ...]
    differing: tuple[str, ...]
    relengthed: int
    left_out: Mapping[str, int]
    dimensions: tuple[int, int] | None
    """Stored and embedded, where they differ."""

    @property
    def whole(self) -> bool:
        """True when rows were compared and all of them agree."""
        return 0 < self.rows == self.agreed

    def as_json(self) -> dict[str, Any]:
        """The agreement as plain values."""
        return {
            "rows": self.rows,
            "agreed": self.agreed,
            "of": self.of,
            "lowest": self.lowest,
            "quarter": self.quarter,
            "median": self.median,
            "slices": [{"script": s.script, "rows": s.rows, "agreed": s.agreed} for s in self.slices],
            "differing": list(self.differing),
            "relengthed": self.relengthed,
            "left_out": dict(self.left_out),
            "dimensions": list(self.dimensions) if self.dimensions else None,
        }


def rows_for(share: float, confidence: float = 0.95) -> int:
    """How many rows show, with this confidence, at least one of a damaged `share` of the table.

    >>> [rows_for(share) for share in (0.05, 0.01, 0.002)]
    [59, 299, 1497]
    """
    return math.ceil(math.log(1.0 - confidence) / math.log(1.0 - share))


def share_shown(rows: int, confidence: float = 0.95) -> float:
    """The smallest damaged share of a table that so many rows show with this confidence.

    >>> round(share_shown(16), 2)
    0.17
    """
    return float(1.0 - (1.0 - confidence) ** (1.0 / rows)) if rows else 1.0


def witness(embedder: Embedder, sample: Sample) -> Agreement:
    """The rows of the sample are embedded again, and compared with what is stored; nothing is written.

    Raises what the embedder raises: one that does not answer says nothing about the table.
    """
    texts = [row.text for row in sample.rows]
    return agreement(sample, embedder.embed(texts) if texts else np.empty((0, 0), dtype=np.float32))


def agreement(sample: Sample, vectors: Vectors) -> Agreement:
    """How many rows of the sample are stored as `vectors`, one a row in order, say they should be."""
    rows = sample.rows
    width = int(vectors.shape[1]) if len(rows) else 0
    fits = [at for at, row in enumerate(rows) if len(row.vector) == width]
    near, held = np.full(len(rows), np.nan), np.zeros(len(rows), dtype=bool)
    if fits:
        stored = np.stack([rows[at].vector for at in fits]).astype(np.float32)
        near[fits] = cosines(stored, vectors[fits])
        held[fits] = norm_ratios(stored, vectors[fits]) <= NORM_DRIFT
    close = near >= SAME
    good = close & held
    other = next((len(row.vector) for row in rows if len(row.vector) != width), None)
    known = near[~np.isnan(near)]
    low, quarter, median = (float(q) for q in np.quantile(known, (0, 0.25, 0.5))) if len(known) else (None,) * 3
    return Agreement(
        len(rows),
        int(good.sum()),
        sample.of,
        low,
        quarter,
        median,
        _slices(rows, good),
        tuple(row.id for row, fine in zip(rows, good, strict=True) if not fine),
        int((close & ~held).sum()),
        dict(sample.left_out),
        None if other is None else (other, width),
    )


def enough(found: Agreement) -> bool:
    """True when so many rows agree that the vectors are of the model, damaged rows apart."""
    return found.rows > 0 and found.agreed >= ENOUGH * found.rows


def require(found: Agreement, model: str) -> None:
    """Return when the vectors are of the model, damaged rows apart; else raise WitnessDisagrees."""
    if enough(found):
        return
    if not found.rows:
        raise WitnessDisagrees(
            f"No row of {found.of} could be embedded again with '{model}' and compared. Nothing was recorded. "
            "Add rows with texts and vectors first."
        )
    raise WitnessDisagrees(
        f"{sentence(found, model)}. Nothing was recorded. Set [embedder] to the model, prefix and normalisation that "
        "the table was embedded with; if it was half re-embedded, finish that first."
    )


def sentence(found: Agreement, model: str) -> str:
    """One line for a terminal: whose space, how many rows agree, how far the others are off.

    Rows that could not be compared are told too.
    """
    if found.dimensions:
        stored, made = found.dimensions
        return f"space {model}: the table holds vectors of {stored} dimensions, the model makes {made}"
    text = f"space {model}: {found.agreed}/{found.rows} rows re-embed ≥ .999"
    if found.rows > found.agreed and found.lowest is not None and found.median is not None:
        text += f" (median cosine {found.median:.3f}, lowest {found.lowest:.3f})"
        short = [s for s in found.slices if s.agreed < s.rows]
        text += "; " + ", ".join(f"{s.script} {s.agreed}/{s.rows}" for s in short)
    if found.relengthed:
        text += f"; {found.relengthed} of the same direction and another length: changed normalisation"
    if found.left_out:
        text += "; left out: " + ", ".join(f"{n} {why}" for why, n in sorted(found.left_out.items()))
    return text


def _slices(rows: Sequence[Witnessed], good: npt.NDArray[np.bool_]) -> tuple[Slice, ...]:
    tongues = [script(row.text) for row in rows]
    all_of, agreed = Counter(tongues), Counter(t for t, fine in zip(tongues, good, strict=True) if fine)
    return tuple(Slice(t, all_of[t], agreed[t]) for t in sorted(all_of))
