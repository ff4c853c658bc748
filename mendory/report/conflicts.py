"""What can't both hold, as people read it: what each side claims and who decided, without a word of a memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from mendory.catalogue import StepKind
from mendory.finding import Code, Finding
from mendory.plan.dispute import undecided
from mendory.plan.model import Group, Plan, Step
from mendory.report.words import label, reason, word
from mendory.text import shown

CODES: Final = frozenset({Code.CONFLICT, Code.CONFLICT_EXCEPTION, Code.CONFLICT_BURIED})
_KINDS: Final = frozenset({StepKind.SUPERSEDE, StepKind.MARK_DISPUTED, StepKind.LINK_EXCEPTION})
_UNITS: Final = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))


def told(plan: Plan, said: Mapping[str, Mapping[str, Any]], known: Mapping[str, Finding]) -> list[dict[str, Any]]:
    """Each step about what can't both hold: both rows, their claims without values, who decided, what became of it."""
    return [_told(g, s, said[s.id]["outcome"], known.get(s.finding_id)) for g, s in _steps(plan)]


def _steps(plan: Plan) -> Iterator[tuple[Group, Step]]:
    for group in plan.groups:
        yield from ((group, step) for step in group.steps if step.kind in _KINDS)


def _told(group: Group, step: Step, outcome: str, finding: Finding | None) -> dict[str, Any]:
    evidence = finding.evidence if finding else {}
    decided = step.detail.get("rule") or evidence.get("rule")
    return {
        "group": group.name,
        "step": step.id[:8],
        "kind": step.kind.value,
        "rows": list(finding.ids if finding else step.row_ids),
        "claims": list(evidence.get("claims", ())),
        "keep": step.detail.get("kept_id"),
        "rule": decided,
        "difference": dict(evidence.get("difference", {})),
        "why": why(finding) if finding and not decided else "",
        "outcome": outcome,
    }


def why(finding: Finding) -> str:
    """Why no rule decided a conflict; of what else can't both hold, what the detector saw."""
    return undecided(finding) if finding.code is Code.CONFLICT else finding.reason


def claims(sides: Sequence[Mapping[str, Any]], lang: str) -> list[str]:
    """What each side claims: the attribute of a fact or the stance of a preference, and who says so; never a value.

    >>> claims([{"kind": "fact", "attribute": "employer", "origin": "writer"}, {"origin": "text"}], "en")
    ['employer, as its writer says', 'what its words say']
    """
    return [_claim(side, lang) for side in sides]


def _claim(side: Mapping[str, Any], lang: str) -> str:
    if "kind" not in side:
        return word("claim_words", lang)
    what = side.get("attribute") or word("claim_fact", lang)
    if side["kind"] == "preference":
        stance = side.get("stance")
        what = word("claim_preference" if stance is None else f"claim_stance_{int(stance) + 1}", lang)
    origin = side.get("origin")
    return word(f"claim_of_{origin}", lang, claim=what) if origin in ("writer", "rules") else what


def decided_by(rule: str | None, difference: Mapping[str, Any], said: str, lang: str) -> str:
    """The rule that decided and what it went by; without one what is said instead, in the language.

    >>> decided_by("newer", {"seconds": 172800}, "", "en"), decided_by("newer", {"seconds": 172800}, "", "zh")
    ('newer: 2 days later', '按较新者，晚 2 天')
    """
    if not rule:
        return reason(said, lang)
    by = ""
    if "seconds" in difference:
        by = word("later_by", lang, time=_span(int(difference["seconds"]), lang))
    elif "sources" in difference:
        keep, lose = difference["sources"]
        by = word("source_over", lang, keep=keep, lose=lose)
    elif "in" in difference:
        by = label(str(difference["in"]), lang)
    name = reason(rule, lang)
    return word("rule_and", lang, rule=name, by=by) if by else name


def _span(seconds: int, lang: str) -> str:
    """A span of time in the largest unit of which there were two."""
    noun, length = next(((n, s) for n, s in _UNITS if seconds >= 2 * s), _UNITS[-1])
    number = seconds // length
    return word(f"span_{noun}" if number == 1 else f"span_{noun}s", lang, n=f"{number:,}")


def lines(finding: Finding, lang: str) -> Iterator[str]:
    """What there is to say of a finding about what can't both hold: each side, who decided, what a judge said."""
    evidence = finding.evidence
    for ident, claim in zip(finding.ids, claims(evidence.get("claims", ()), lang), strict=False):
        yield f"{ident}: {claim}"
    yield from decided(finding, lang)


def decided(finding: Finding, lang: str) -> Iterator[str]:
    """Who decided between the sides or why nobody did, and what a judge said."""
    evidence = finding.evidence
    rule, difference = evidence.get("rule"), evidence.get("difference", {})
    if rule or finding.code is Code.CONFLICT:
        yield word("decided_line", lang, by=decided_by(rule, difference, why(finding), lang))
    if heard := evidence.get("judge"):
        said = word(f"judge_{heard['verdict']}", lang)
        yield word("judge_line", lang, name=shown(heard["name"]), said=said, sure=f"{heard['confidence']:.2f}")
