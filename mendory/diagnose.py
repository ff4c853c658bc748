"""Diagnosis, first form: which attribute the sick rows share, what that suggests, how to prevent it. Pure."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from mendory.finding import AGED, Code, Finding
from mendory.record import Memory
from mendory.scopes.doubts import CODES as OF_SCOPES

MIN_SUPPORT: Final = 3
MIN_RATIO: Final = 3.0
MAX_CHANCE: Final = 0.001

_CAUSES: Final[Mapping[Code, str]] = MappingProxyType(
    {
        Code.DUPLICATE_EXACT: "non_idempotent_write",
        Code.DUPLICATE_RESTATED: "fact_extracted_again",
        Code.DUPLICATE_NEAR: "fact_extracted_again",
        Code.RECALL_ECHO: "fact_extracted_again",
        Code.REPETITION: "captured_as_it_came",
        Code.ENVELOPE_CONTENT: "captured_as_it_came",
        Code.NO_FACT: "captured_as_it_came",
        Code.COMPOUND_PARTS: "fact_extracted_again",
        Code.FRAGMENTS: "captured_as_it_came",
        Code.CONFLICT: "old_row_not_retired",
        Code.CONFLICT_BURIED: "old_row_not_retired",
        Code.REFERENCE_DANGLING: "foreign_delete",
        Code.MISSING_SCOPE: "wrong_scope_field",
        Code.DUPLICATE_ID: "non_idempotent_write",
        Code.EMBEDDING_MISSING: "embedding_step_failed",
        Code.EMBEDDING_DIM_MISMATCH: "embedding_step_failed",
        Code.EMBEDDING_NON_FINITE: "embedding_step_failed",
        Code.EMBEDDING_ZERO: "embedding_step_failed",
        Code.EMBEDDING_NORM: "embedding_step_failed",
        Code.EMBEDDING_SUSPICIOUS: "embedding_step_failed",
        Code.EMBEDDING_STALE_TEXT: "embedding_not_renewed",
        Code.SCOPE_NOT_ALLOWED: "wrong_scope_field",
        Code.REFERENCE_SELF: "succession_not_resolved",
        Code.REFERENCE_CYCLE: "succession_not_resolved",
        Code.REFERENCE_CHAIN: "succession_not_resolved",
        Code.REFERENCE_CROSS_SCOPE: "scope_mixed_up",
        Code.ID_NEAR_COLLISION: "id_spelling",
        Code.TIMESTAMP_ORDER: "clock_or_unit",
        Code.TIMESTAMP_FUTURE: "clock_or_unit",
        Code.TIMESTAMP_UNIT: "clock_or_unit",
        Code.TIMESTAMP_SUSPICIOUS: "clock_or_unit",
        Code.HIDDEN_CHARACTERS: "text_not_cleaned",
        Code.CONTENT_TOO_LONG: "text_not_cleaned",
    }
)
_OTHER: Final = "import_bug"
UNKNOWN: Final = "unknown"
"""The name where nothing stands out."""
_REDUNDANT: Final = "redundant_import"
_UNRULED: Final = "no_conflict_rule"
CAUSES: Final = frozenset({*_CAUSES.values(), _OTHER, _REDUNDANT, _UNRULED, UNKNOWN})
"""The name of every cause."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A likely root cause of one kind of finding.

    `attribute` and `value` are what the sick rows share (None when nothing stands out), `ratio` their
    risk against all other rows, `explains` of `total` sick rows have it. `name` is a catalogue name;
    `unknown` where nothing stands out. `no_conflict_rule` is told by the findings themselves and needs no value.
    """

    code: str
    name: str
    attribute: str | None
    value: str | None
    ratio: float | None
    explains: int
    total: int

    def as_json(self) -> dict[str, Any]:
        """The cause as the report holds it."""
        return {
            "code": self.code,
            "cause": self.name,
            "attribute": self.attribute,
            "value": self.value,
            "risk_ratio": self.ratio,
            "explains": self.explains,
            "unexplained": self.total - self.explains,
        }


def attributes(memory: Memory) -> list[tuple[str, str]]:
    """What a diagnosis compares rows by."""
    day = memory.created_at.date().isoformat() if memory.created_at else None
    found = {"batch": memory.batch_id, "source": memory.source, "scope": memory.scope, "day": day, "kind": memory.kind}
    return [(name, value) for name, value in found.items() if value]


def diagnose(
    findings: Collection[Finding], sick: Mapping[str, Memory], rows: Mapping[tuple[str, str], int], read: int
) -> list[Cause]:
    """The most surprising over-represented attribute value per code, with risk ratio and support.

    The risk ratio of a value is the share of sick rows among rows that have it over the share among
    rows that do not (0.5 added to each count, Haldane-Anscombe, so that it stays finite). A value counts
    from a support of 3 sick rows, a ratio of 3, and a chance below 0.001 that so many sick rows share it
    by accident (Fisher's exact test, one-sided, Bonferroni-corrected for the values compared); of
    several, the least likely is named, so a batch is not hidden by the scope it lies in. Conflicts that no rule
    decides say so themselves, however few: their cause is the rule that is lacking.
    """
    by_code: dict[Code, set[str]] = defaultdict(set)
    for finding in findings:
        if finding.code in OF_SCOPES:  # its rows are examples, chosen by their scope and id
            continue
        if finding.code in AGED:  # nobody has caused it
            continue
        by_code[finding.code].update(i for i in finding.ids if i in sick)
    causes = []
    undecided = {i for f in findings if f.code is Code.CONFLICT and not f.evidence.get("rule") for i in f.ids}
    for code, ids in sorted(by_code.items()):
        total = len(ids)
        if code is Code.CONFLICT and (unruled := ids & undecided):
            causes.append(Cause(code.value, _UNRULED, None, None, None, len(unruled), total))
            ids -= unruled
        if not ids:
            continue
        shared = Counter(pair for i in ids for pair in attributes(sick[i]))
        best: tuple[float, float, int, tuple[str, str]] | None = None
        for pair, hits in sorted(shared.items()):
            have = rows.get(pair, 0)
            if hits < MIN_SUPPORT or have >= read:
                continue
            inside, outside = (hits + 0.5) / (have + 1), (len(ids) - hits + 0.5) / (read - have + 1)
            ratio, log_chance = round(inside / outside, 2), _log_chance(hits, len(ids), have, read)
            likely = log_chance > math.log(MAX_CHANCE / len(shared))
            if ratio >= MIN_RATIO and not likely and (best is None or (log_chance, -ratio) < best[:2]):
                best = log_chance, -ratio, hits, pair
        if best is None:
            causes.append(Cause(code.value, UNKNOWN, None, None, None, 0, total))
        else:
            _, ratio, hits, (name, value) = best
            causes.append(Cause(code.value, _named(code, name), name, value, -ratio, hits, total))
    return causes


def _named(code: Code, attribute: str) -> str:
    """The cause that sick rows of this code suggest when they share that attribute."""
    return _REDUNDANT if (code, attribute) == (Code.DUPLICATE_EXACT, "batch") else _CAUSES.get(code, _OTHER)


def _log_chance(hits: int, sick: int, have: int, read: int) -> float:
    """Log of the chance that of `sick` rows drawn from `read` at least `hits` are among the `have` (hypergeometric)."""

    def choose(n: int, k: int) -> float:
        return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)

    terms = [
        choose(have, k) + choose(read - have, sick - k) - choose(read, sick)
        for k in range(hits, min(have, sick) + 1)
        if sick - k <= read - have
    ]
    top = max(terms, default=0.0)
    return top + math.log(sum(math.exp(t - top) for t in terms)) if terms else 0.0
