"""Why a gate, or a person's word on it, holds no more; stable names. Pure."""

from __future__ import annotations

from enum import StrEnum


class Void(StrEnum):
    """Why a move may not go on by the word that was given."""

    NO_GATE = "no_gate"
    OTHER_GATE = "other_gate"
    EXPIRED = "approval_expired"
    ROWS_CHANGED = "rows_changed"
    UNKNOWN = "changes_unknown"
