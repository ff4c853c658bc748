"""What a check and a heal did to planted rows, told by what was planted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

from bench.quality.planting import CONTRADICTION, DUPLICATE, ELSEWHERE, Row

SAYS_SAME: Final = frozenset({"duplicate_exact", "duplicate_restated", "duplicate_near"})
SPEAKS_AGAINST: Final = "conflict_candidate"

Found = tuple[str, tuple[str, ...]]
"""A finding's code and its rows."""


@dataclass(slots=True)
class Judged:
    """Counts by what was planted, and what nobody planted and a person looks at."""

    planted: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    handed_on: Counter[str] = field(default_factory=Counter)
    merged: Counter[str] = field(default_factory=Counter)
    contradictions_merged: list[tuple[str, str]] = field(default_factory=list)
    contradictions_called_duplicate: list[tuple[str, str]] = field(default_factory=list)
    scopes_joined: list[tuple[str, str]] = field(default_factory=list)
    not_planted: list[tuple[str, str, str]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Figures by kind: found of planted."""
        kinds = sorted(self.planted)
        again = sum(n for kind, n in self.planted.items() if kind.startswith(DUPLICATE))
        return {
            "duplicates_found_share": round(sum(self.found.values()) / again, 4) if again else 0.0,
            "planted": dict(sorted(self.planted.items())),
            "duplicates_found": {k: self.found[k] for k in kinds if k.startswith(DUPLICATE)},
            "duplicates_merged": {k: self.merged[k] for k in kinds if k.startswith(DUPLICATE)},
            "contradictions_handed_on": {k: self.handed_on[k] for k in kinds if k.startswith(CONTRADICTION)},
            "contradictions_called_duplicate": len(self.contradictions_called_duplicate),
            "contradictions_merged": len(self.contradictions_merged),
            "scopes_joined": len(self.scopes_joined),
            "not_planted": dict(Counter(code for code, _, _ in self.not_planted)),
        }


def judge(rows: Mapping[str, Row], findings: Iterable[Found], merges: Iterable[tuple[str, str]]) -> Judged:
    """What was said of pairs, against what was planted. A merge is a merged row and its primary."""
    come = Judged()
    come.planted.update(_name(row) for row in rows.values() if row.planted)
    for code, ids in findings:
        if code in SAYS_SAME or code == SPEAKS_AGAINST:
            for one, other in combinations(sorted(i for i in ids if i in rows), 2):
                _said(come, code, rows[one], rows[other])
    for one, other in merges:
        _merged(come, rows[one], rows[other])
    return come


def _said(come: Judged, code: str, a: Row, b: Row) -> None:
    if a.scope != b.scope:
        come.scopes_joined.append((a.id, b.id))
    what = _relation(a, b)
    made = b if b.planted else a
    if code == SPEAKS_AGAINST:
        if what == CONTRADICTION:
            come.handed_on[_name(made)] += _direct(a, b)
        else:
            come.not_planted.append((code, a.id, b.id))
    elif what == DUPLICATE:
        come.found[_name(made)] += _direct(a, b)
    elif what == CONTRADICTION:
        come.contradictions_called_duplicate.append((a.id, b.id))
    else:
        come.not_planted.append((code, a.id, b.id))


def _merged(come: Judged, a: Row, b: Row) -> None:
    what = _relation(a, b)
    if a.scope != b.scope:
        come.scopes_joined.append((a.id, b.id))
    elif what == DUPLICATE:
        come.merged[_name(b if b.planted else a)] += 1
    elif what == CONTRADICTION:
        come.contradictions_merged.append((a.id, b.id))
    else:
        come.not_planted.append(("merged", a.id, b.id))


def _relation(a: Row, b: Row) -> str | None:
    """What two rows of one scope are to each other, as far as it was planted."""
    if a.scope != b.scope or _family(a) != _family(b) or ELSEWHERE in (a.planted, b.planted):
        return None
    return CONTRADICTION if CONTRADICTION in (a.planted, b.planted) else DUPLICATE


def _family(row: Row) -> str:
    return row.original or row.id


def _direct(a: Row, b: Row) -> int:
    """1 for a planted row and its original: pairs of two planted rows would count one find twice."""
    return int(a.original == b.id or b.original == a.id)


def _name(row: Row) -> str:
    return f"{row.planted}: {row.kind}"
