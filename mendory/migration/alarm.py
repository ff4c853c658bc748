"""An alarm of a space that soaks, as the looks at it raised it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm of the move's newest looks: its name, when the first of them raised it, and what the last one saw."""

    move: str
    name: str
    since: datetime
    told: Mapping[str, Any]
