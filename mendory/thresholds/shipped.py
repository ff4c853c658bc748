"""The thresholds that come with Mendory, each measured on labelled pairs; see docs/calibrating.md."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import Any, Final

from mendory.thresholds.model import Origin, Threshold

UNKNOWN: Final = 0.95
"""For languages of which no labelled pairs were measured."""


@lru_cache(maxsize=1)
def shipped() -> tuple[Threshold, ...]:
    """Every shipped threshold; shipped.json is made by `python -m bench.quality.fit`.

    MiniLM reads English alone, so it has none for Chinese.
    """
    text = resources.files("mendory.thresholds").joinpath("shipped.json").read_text("utf-8")
    held: list[dict[str, Any]] = json.loads(text)["thresholds"]
    return tuple(Threshold(origin=Origin.SHIPPED, **one) for one in held)
