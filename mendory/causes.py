"""The catalogue of root causes: what each explains, and the evidence under which it is named. Pure.

Docs list it in `docs/diagnosis.md`, and the words for it are in `mendory/report/terms.py`; tests read all three.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from mendory.finding import AGED, KNOWN, Code, Finding
from mendory.traits import ATTRIBUTES, Traits

MIN_SUPPORT: Final = 3
"""Rows from which on a cause is named: two may share anything by chance."""
AT_ONCE: Final = 300.0
"""Seconds within which two rows were written at once: the default of `conflict.tie_window`."""
UNKNOWN: Final = "unknown"
"""The name where nothing stands out."""
UNCAUSED: Final = AGED | {Code.CONFLICT_EXCEPTION, Code.DISPUTE_OVER}
"""What comes of time and of how people speak; whatever its rows share has not caused it."""
_ANY: Final = frozenset(ATTRIBUTES)

Holds = Callable[[Finding, Sequence[Traits]], bool]


def _always(_: Finding, __: Sequence[Traits]) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Known:
    """One cause: the problems it explains, and its conditions.

    `shared` are the attributes of which the sick rows must share one; None where the findings prove the cause
    themselves, each for which `holds`, from `least` rows on.
    """

    name: str
    codes: frozenset[Code]
    shared: frozenset[str] | None = _ANY
    holds: Holds = _always
    least: int = MIN_SUPPORT


def _undecided(finding: Finding, _: Sequence[Traits]) -> bool:
    """No rule that was asked decided."""
    return not finding.evidence.get("rule")


def _together(_: Finding, rows: Sequence[Traits]) -> bool:
    """The rows came with one batch, or were written at once."""
    batches = {row.held.get("batch") for row in rows}
    return (len(batches) == 1 and None not in batches) or _apart(rows, 0, AT_ONCE)


def _one_after_another(_: Finding, rows: Sequence[Traits]) -> bool:
    return _apart(rows, AT_ONCE, float("inf"))


def _apart(rows: Sequence[Traits], over: float, most: float) -> bool:
    """So many seconds lie between the first and the last of the rows; False where a time is missing."""
    times = [row.created_at for row in rows]
    known = [time for time in times if time is not None]
    if not known or len(known) < len(times):
        return False
    seconds = (max(known) - min(known)).total_seconds()
    return seconds <= most and (seconds > over or over == 0)


def _of(*codes: Code) -> frozenset[Code]:
    return frozenset(codes)


_AGAIN: Final = _of(Code.DUPLICATE_RESTATED, Code.DUPLICATE_NEAR, Code.RECALL_ECHO, Code.COMPOUND_PARTS)
_SAME: Final = _of(Code.DUPLICATE_EXACT, Code.DUPLICATE_ID)
_SCOPES: Final = _of(
    Code.SCOPE_OWNER, Code.SCOPE_COLLAPSED, Code.SCOPE_SPLIT, Code.SCOPE_SPELLING, Code.SCOPE_COLLISION
)
_FORM: Final = _of(
    *(Code.METADATA_MISSING_FIELD, Code.METADATA_INVALID, Code.ILLEGAL_STATUS, Code.WRONG_TYPE, Code.MISSING_SOURCE),
    *(Code.MISSING_CREATED_AT, Code.MISSING_UPDATED_AT),
)

CATALOGUE: Final[tuple[Known, ...]] = (
    # what the findings prove themselves
    Known("no_conflict_rule", _of(Code.CONFLICT), None, _undecided, least=1),
    Known("no_conflict_check", _of(Code.CONFLICT, Code.CONFLICT_BURIED), None, _together),
    Known("old_row_not_retired", _of(Code.CONFLICT, Code.CONFLICT_BURIED), None, _one_after_another),
    Known("no_decay", _of(Code.TASK_RESIDUE, Code.STALE_CONTEXT), None),
    Known("wrong_scope_field", _SCOPES, None),
    Known("tenant_filter_defect", _of(Code.SCOPE_SUBJECT, Code.REFERENCE_CROSS_SCOPE), None),
    # what the sick rows must share
    Known("redundant_import", _AGAIN | _SAME, frozenset({"batch"})),
    Known("non_idempotent_write", _SAME),
    Known("fact_extracted_again", _AGAIN),
    Known("old_row_not_retired", _of(Code.CONFLICT, Code.CONFLICT_BURIED)),
    Known("no_conflict_check", _of(Code.CONFLICT_CANDIDATE)),
    Known("model_change", _of(Code.EMBEDDING_DIM_MISMATCH)),
    Known("model_change", _of(Code.EMBEDDING_NORM), frozenset({"space"})),
    Known("normalisation_changed", _of(Code.EMBEDDING_NORM)),
    Known(
        "embedding_step_failed",
        _of(Code.EMBEDDING_MISSING, Code.EMBEDDING_NON_FINITE, Code.EMBEDDING_ZERO, Code.EMBEDDING_SUSPICIOUS),
    ),
    Known("embedding_not_renewed", _of(Code.EMBEDDING_STALE_TEXT)),
    Known("wrong_scope_field", _of(Code.MISSING_SCOPE, Code.SCOPE_NOT_ALLOWED)),
    Known("tenant_filter_defect", _of(Code.REFERENCE_CROSS_SCOPE)),
    Known("foreign_delete", _of(Code.REFERENCE_DANGLING)),
    Known("succession_not_resolved", _of(Code.REFERENCE_SELF, Code.REFERENCE_CYCLE, Code.REFERENCE_CHAIN)),
    Known("id_spelling", _of(Code.ID_NEAR_COLLISION)),
    Known(
        "clock_or_unit",
        _of(Code.TIMESTAMP_ORDER, Code.TIMESTAMP_FUTURE, Code.TIMESTAMP_UNIT, Code.TIMESTAMP_SUSPICIOUS),
    ),
    Known("text_not_cleaned", _of(Code.HIDDEN_CHARACTERS, Code.CONTENT_TOO_LONG)),
    Known("captured_as_it_came", _of(Code.REPETITION, Code.ENVELOPE_CONTENT, Code.NO_FACT, Code.FRAGMENTS)),
    Known("unfinished_upgrade", _FORM, frozenset({"until"})),
    Known("import_bug", frozenset(KNOWN) - UNCAUSED),
)
"""Every cause, in the order in which they are asked; of those that hold the first is named."""

CAUSES: Final = frozenset(known.name for known in CATALOGUE)
"""The name of every cause."""


def proven(code: Code) -> tuple[Known, ...]:
    """The causes that findings of this code may prove themselves."""
    return tuple(known for known in CATALOGUE if known.shared is None and code in known.codes)


def suggested(code: Code, attribute: str) -> str:
    """The cause that is named where the sick rows of this code share the attribute; `unknown` for none."""
    return next((k.name for k in CATALOGUE if k.shared and attribute in k.shared and code in k.codes), UNKNOWN)
