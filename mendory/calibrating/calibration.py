"""From labelled pairs to a threshold, and what it does with pairs it was not chosen on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from mendory.sameness import judge
from mendory.thresholds import LEAST, TEXT_ALONE, Found, Origin, Rate, Threshold, at, lowest

NEVER: Final = 1.0
"""A score that only texts of the same words reach: what a threshold is where no other has the precision."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A labelled pair of texts that one language reads, with the cosine of its vectors; None where one has none."""

    a: str
    b: str
    same: bool
    cosine: float | None


@dataclass(frozen=True, slots=True)
class TooFew:
    """There is no threshold for a language: `few` pairs of a label, or none that has the precision on them."""

    language: str
    same: int
    different: int
    few: bool

    def as_json(self) -> dict[str, Any]:
        """The reason as plain values."""
        reason = f"fewer than {LEAST} pairs of a label" if self.few else "no threshold has the precision"
        return {"language": self.language, "same": self.same, "different": self.different, "reason": reason}


@dataclass(frozen=True, slots=True)
class Calibration:
    """A threshold that was found, and what is known of it.

    `found` is what it does with the pairs it was chosen on; `apart` what thresholds chosen in the same way on one half
    of them do with the other half, both ways: the honest figure. `before` is what the threshold that held until now
    does. `vetoed` are pairs labelled the same against which something speaks: no threshold finds those.
    """

    threshold: Threshold
    found: Found
    apart: Found
    before: Found
    vetoed: int
    different: int

    def as_json(self) -> dict[str, Any]:
        """The calibration as plain values."""
        return {
            "language": self.threshold.language,
            "threshold": self.threshold.as_json(),
            "found": _told(self.found),
            "apart": _told(self.apart),
            "before": _told(self.before),
            "vetoed": self.vetoed,
        }


def calibrate(pairs: Sequence[Scored], now: Threshold, precision: float) -> Calibration | TooFew:
    """The lowest threshold with that precision on the pairs, for the space and language of the one that holds `now`.

    All pairs are of that language. In a space pairs with a cosine count, without one (`TEXT_ALONE`) all do. TooFew
    with under `LEAST` pairs of a label, or where no threshold has the precision.
    """
    alone = now.space == TEXT_ALONE
    used = [p for p in pairs if alone or p.cosine is not None]
    same = [p.same for p in used]
    yes, no = sum(same), len(same) - sum(same)
    if min(yes, no) < LEAST:
        return TooFew(now.language, yes, no, few=True)
    judged = [judge(p.a, p.b, None if alone else p.cosine, now) for p in used]
    scores = [0.0 if j.vetoes else j.score for j in judged]
    found = lowest(scores, same, precision)
    if found is None:
        return TooFew(now.language, yes, no, few=False)
    text = found.value if alone else _text_value(used, same, now, precision)
    threshold = replace(
        now,
        value=found.value,
        origin=Origin.CALIBRATED,
        text_value=text,
        floor=now.floor if alone else _floor(used, scores, found.value),
        precision=round(found.precision.share, 4),
        recall=round(found.recall.share, 4),
        n=len(used),
    )
    before = at(now.text_value if alone else now.value, scores, same)
    vetoed = sum(bool(j.vetoes) for j, label in zip(judged, same, strict=True) if label)
    return Calibration(threshold, found, _apart(used, scores, precision), before, vetoed, no)


def _text_value(pairs: Sequence[Scored], same: Sequence[bool], now: Threshold, precision: float) -> float:
    """As the threshold, of scores without a cosine: for rows of the space that have no vector."""
    judged = [judge(p.a, p.b, None, now) for p in pairs]
    found = lowest([0.0 if j.vetoes else j.score for j in judged], same, precision)
    return found.value if found else NEVER


def _floor(pairs: Sequence[Scored], scores: Sequence[float], value: float) -> float:
    """The cosine above which all but 1 % of the pairs lie that are found, a little lower."""
    cosines = [p.cosine for p, s in zip(pairs, scores, strict=True) if p.same and s >= value and p.cosine is not None]
    return round(max(float(np.quantile(cosines, 0.01)) - 0.02, 0.0), 3)


def _apart(pairs: Sequence[Scored], scores: Sequence[float], precision: float) -> Found:
    """What a threshold found on one half of the pairs does with the other, over both halves; halves by a digest."""
    half = np.array([hashlib.sha256("\n".join(sorted((p.a, p.b))).encode()).digest()[0] % 2 for p in pairs], dtype=bool)
    held, same = np.array(scores), np.array([p.same for p in pairs])
    parts, values = [], []
    for part in (half, ~half):
        found = lowest(held[part].tolist(), same[part].tolist(), precision)
        values.append(found.value if found else NEVER)
        parts.append(at(values[-1], held[~part].tolist(), same[~part].tolist()))
    one, two = parts
    return Found(
        max(values),
        _sum(one.precision, two.precision),
        _sum(one.recall, two.recall),
        _sum(one.false_alarms, two.false_alarms),
    )


def _sum(a: Rate, b: Rate) -> Rate:
    return Rate(a.hits + b.hits, a.of + b.of)


def _told(found: Found) -> dict[str, Any]:
    return {
        name: {"share": round(rate.share, 4), "interval": [round(x, 4) for x in rate.interval], "of": rate.of}
        for name, rate in (
            ("precision", found.precision),
            ("recall", found.recall),
            ("false_alarms", found.false_alarms),
        )
    }
