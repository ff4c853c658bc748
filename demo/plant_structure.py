"""Plants what no repair can mend: vectors, times, characters, scopes, ids and references that can't be right."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from demo.embed import DIMENSION
from demo.rows import Row, is_chinese
from demo.ward import Ward, anyone

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FAR: Final = datetime(2090, 1, 1, 8, tzinfo=UTC)
# a lone soft hyphen or word joiner may be a typesetter's; three in a row are nobody's
_HIDDEN: Final = ("\u200b", "\u202e", "\u00ad" * 3, "\ufeff", "\x07", "\U000e0069", "\u2066", "\u2060" * 3)
_SCOPES: Final = ("{} ", "{}*", "{}'; --", "{}\u200b", '"{}"', "{}\n")
_TOO_LONG: Final = 100_001


def plant_structure(ward: Ward) -> None:
    """Every structural fault that only a person mends, or that is only reported."""
    _vectors(ward)
    _times(ward)
    _texts(ward)
    _ids(ward)
    _links(ward)


def _lone(row: Row) -> bool:
    """True for a row that neither siblings nor references tie to others."""
    return not row["batch_id"] and not row["related_ids"]


def _both(ward: Ward, count: int, fits: Callable[[Row], bool] = anyone) -> list[Row]:
    """That many free rows that fit, Chinese and English in turn."""
    english = ward.choose(count // 2, lambda r: fits(r) and not is_chinese(r["content"]))
    chinese = ward.choose(count - count // 2, lambda r: fits(r) and is_chinese(r["content"]))
    return [row for pair in itertools.zip_longest(chinese, english) for row in pair if row]


def _level(norm: float) -> list[float]:
    """A vector of that length, all components alike."""
    return [norm / math.sqrt(DIMENSION)] * DIMENSION


def _vectors(ward: Ward) -> None:
    """Vectors of nothing, of no numbers, of another length, one of many texts, and of an earlier text."""
    for row in _both(ward, 4):
        row["embedding"] = _level(0.0)
        ward.plant("embedding_zero", "person", [row])
    for at, row in enumerate(_both(ward, 4)):
        row["embedding"] = [*_level(1.0)[1:], (math.nan, math.inf)[at % 2]]
        ward.plant("embedding_non_finite", "person", [row])
    for at, row in enumerate(_both(ward, 4)):
        row["embedding"] = _level((0.5, 1.25, 12.0, 0.98)[at])
        ward.plant("embedding_norm", "person", [row])
    shared = _both(ward, 24)
    for row in shared:
        row["embedding"] = _level(1.0)
    ward.plant("embedding_suspicious", "person", shared)
    for row in _both(ward, 4, _lone):
        was = row["content"]
        row["content"] += "，以上次说的为准" if is_chinese(was) else ", as agreed last time"
        ward.plant("embedding_stale_text", "person", [row], was=was)


def _times(ward: Ward) -> None:
    """Times of another unit, of no plausible year, ahead of every clock, and before the creation."""
    for at, row in enumerate(_both(ward, 4, _lone)):
        field = ("last_verified_at", "last_accessed_at", "created_at", "updated_at")[at]
        row[field] = _EPOCH + (row["created_at"] - _EPOCH) / 1000
        ward.plant("timestamp_unit", "person", [row])
    for at, row in enumerate(_both(ward, 4, _lone)):
        row[("last_verified_at", "created_at")[at % 2]] = _EPOCH - timedelta(days=365 * at)
        ward.plant("timestamp_suspicious", "report", [row])
    for at, row in enumerate(_both(ward, 4)):
        row[("updated_at", "last_verified_at")[at % 2]] = _FAR + timedelta(days=at)
        ward.plant("timestamp_future", "report", [row])
    for at, row in enumerate(_both(ward, 4)):
        field = ("updated_at", "last_accessed_at", "last_verified_at", "updated_at")[at]
        row[field] = row["created_at"] - timedelta(hours=3 + 50 * at)
        ward.plant("timestamp_order", "report", [row])


def _texts(ward: Ward) -> None:
    """Contents with characters nobody sees or without end, scopes with characters that no reader expects."""
    for hidden, row in zip(_HIDDEN, _both(ward, len(_HIDDEN)), strict=True):
        middle = len(row["content"]) // 2
        row["content"] = row["content"][:middle] + hidden + row["content"][middle:]
        ward.plant("hidden_characters", "person", [row])
    for row in _both(ward, 2):
        row["content"] = (row["content"] + "\n") * (_TOO_LONG // len(row["content"]))
        ward.plant("content_too_long", "report", [row])
    for form, row in zip(_SCOPES, _both(ward, len(_SCOPES), _lone), strict=True):
        row["scope"] = form.format(row["scope"])
        ward.plant("scope_not_allowed", "person", [row])


def _ids(ward: Ward) -> None:
    """Ids that differ from another only in letter case, a blank or an invisible character."""
    spellings: tuple[Callable[[str], str], ...] = (str.upper, " {}".format, "{}\u200b".format, str.title)
    for spell in spellings:
        first, second = ward.choose(2, _lone)
        ward.rename(second, spell(first["id"]))
        ward.plant("id_near_collision", "report", [first, second])


def _links(ward: Ward) -> None:
    """References to the row itself, in circles, over too many rows, and into another scope."""
    for row in _both(ward, 4, _lone):
        row["related_ids"] = [row["id"]]
        ward.plant("reference_self", "person", [row])
    scopes = sorted({r["scope"] for r in ward.rows.values() if ward.free(r)})
    for size, scope in zip((2, 3, 2, 4), ward.rng.sample(scopes, 4), strict=True):
        circle = ward.choose(size, partial(_of, scope))
        for at, row in enumerate(circle):
            row |= {"status": "archived", "superseded_by": circle[(at + 1) % size]["id"]}
        ward.plant("reference_cycle", "person", circle)
    for at, scope in enumerate(ward.rng.sample(scopes, 2)):
        chain = sorted(_both(ward, 12, partial(_of, scope)), key=lambda r: r["created_at"])
        oldest = next(r for r in chain if is_chinese(r["content"]) is bool(at))
        chain = [oldest, *(r for r in chain if r is not oldest)]
        for row, heir in itertools.pairwise(chain):
            row |= {"status": "archived", "superseded_by": heir["id"]}
        ward.plant("reference_chain", "report", chain[:1])
    for at, row in enumerate(_both(ward, 5, _lone)):
        [other] = ward.choose(1, partial(_elsewhere, row["scope"]))
        row["related_ids"] = [other["id"]]
        if at % 2:
            other["related_ids"] = [row["id"]]
            ward.plant("reference_cross_scope", "person", [other])
        ward.plant("reference_cross_scope", "person", [row])


def _of(scope: str, row: Row) -> bool:
    return bool(row["scope"] == scope and _lone(row))


def _elsewhere(scope: str, row: Row) -> bool:
    return bool(row["scope"] != scope and _lone(row))
