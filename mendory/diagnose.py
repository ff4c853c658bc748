"""Diagnosis, first form: which attribute the sick rows share, what that suggests, how to prevent it. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from mendory.finding import Code, Finding
from mendory.record import Memory

MIN_SUPPORT: Final = 3
MIN_RATIO: Final = 3.0

_CAUSES: Final[Mapping[Code, str]] = MappingProxyType(
    {
        Code.DUPLICATE_EXACT: "non_idempotent_write",
        Code.DUPLICATE_RESTATED: "fact_extracted_again",
        Code.REFERENCE_DANGLING: "foreign_delete",
        Code.MISSING_SCOPE: "wrong_scope_field",
        Code.DUPLICATE_ID: "non_idempotent_write",
    }
)
_OTHER: Final = "import_bug"


@dataclass(frozen=True, slots=True)
class Cause:
    """A likely root cause of one kind of finding.

    `attribute` and `value` are what the sick rows share (None when nothing stands out), `ratio` their
    risk against all other rows, `explains` of `total` sick rows have it. `name` is a catalogue name;
    `unknown` where nothing stands out.
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


def totals(memories: Iterable[Memory]) -> Counter[tuple[str, str]]:
    """How many rows have each attribute value."""
    counts: Counter[tuple[str, str]] = Counter()
    for memory in memories:
        counts.update(attributes(memory))
    return counts


def diagnose(
    findings: Collection[Finding], sick: Mapping[str, Memory], rows: Mapping[tuple[str, str], int], read: int
) -> list[Cause]:
    """The strongest over-represented attribute per code, by risk ratio with support.

    The risk ratio of a value is the share of sick rows among rows that have it over the share among
    rows that do not (0.5 added to each count, Haldane-Anscombe, so that it stays finite). It counts
    from a support of 3 sick rows and a ratio of 3 on; of several, the one that explains most is named.
    """
    by_code: dict[Code, set[str]] = defaultdict(set)
    for finding in findings:
        by_code[finding.code].update(i for i in finding.ids if i in sick)
    causes = []
    for code, ids in sorted(by_code.items()):
        if not ids:
            continue
        shared = Counter(pair for i in ids for pair in attributes(sick[i]))
        best: tuple[int, float, tuple[str, str]] | None = None
        for pair, hits in sorted(shared.items()):
            others = read - rows.get(pair, 0)
            if hits < MIN_SUPPORT or others <= 0:
                continue
            inside = (hits + 0.5) / (rows.get(pair, 0) + 1)
            outside = (len(ids) - hits + 0.5) / (others + 1)
            ratio = round(inside / outside, 2)
            if ratio >= MIN_RATIO and (best is None or (hits, ratio) > best[:2]):
                best = hits, ratio, pair
        if best is None:
            causes.append(Cause(code.value, "unknown", None, None, None, 0, len(ids)))
        else:
            hits, ratio, (name, value) = best
            causes.append(Cause(code.value, _CAUSES.get(code, _OTHER), name, value, ratio, hits, len(ids)))
    return causes
