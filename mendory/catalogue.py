"""The table code → step → level: what each finding leads to. The only such table in the code.

Docs list it in `docs/catalogue.md`; a test reads both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Final

from mendory.choices import Choice
from mendory.finding import Code, Finding


class StepKind(StrEnum):
    """What a step does to a table; no kind deletes."""

    FILL = "fill"
    NORMALISE_STATUS = "normalise_status"
    MERGE_EXACT = "merge_exact"
    MERGE_NEAR = "merge_near"
    SUMMARISE = "summarise"
    SUPERSEDE = "supersede"
    LINK_EXCEPTION = "link_exception"
    MARK_DISPUTED = "mark_disputed"
    LIFT_MARK = "lift_mark"
    WEIGH = "weigh"
    REPOINT = "repoint"
    SET_SCOPE = "set_scope"
    SET_SOURCE = "set_source"
    REEMBED = "reembed"


class Level(IntEnum):
    """Who may let a repair run: 1 automatic, 2 a confirmed rule or a person, 3 a person."""

    AUTOMATIC = 1
    RULE_OR_PERSON = 2
    PERSON = 3


class Otherwise(StrEnum):
    """What becomes of a finding for which no step is certain."""

    PERSON = "person"
    REPORT_ONLY = "report only"


@dataclass(frozen=True, slots=True)
class Remedy:
    """The step a finding leads to, its level, the rule that can confirm it, and what else becomes of it."""

    step: StepKind | None
    level: Level | None
    rule: str | None
    otherwise: Otherwise


CONFLICT_RULES: Final = ("narrower", "latest_user_statement", "newer", "confidence", "authority")
"""Every rule that may decide a conflict, as `conflict.rules` names them; the first keeps both."""
CAREFUL: Final = ("narrower", "newer", "confidence", "authority")
"""The rules and their order where nothing is configured (design §7)."""
PRESETS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({"latest_user_statement": CONFLICT_RULES})
"""Orders of rules that have a name."""


def rule_name(deciding: str) -> str:
    """The name by which `rules.confirmed` confirms what that rule of a conflict decides: each for itself."""
    return f"conflict.{deciding}"


UNDECIDED: Final = Remedy(StepKind.MARK_DISPUTED, Level.AUTOMATIC, None, Otherwise.PERSON)
"""What a conflict leads to that no rule decides: both sides stay, marked as disputed, until a person has spoken."""
_PERSON = Remedy(None, None, None, Otherwise.PERSON)
_REPORT = Remedy(None, None, None, Otherwise.REPORT_ONLY)

REMEDIES: Final[Mapping[Code, Remedy]] = MappingProxyType(
    {
        Code.MISSING_ID: _REPORT,
        Code.DUPLICATE_ID: _REPORT,
        Code.WRONG_TYPE: _PERSON,
        Code.CONTENT_EMPTY: _PERSON,
        Code.EMBEDDING_MISSING: _PERSON,
        Code.MISSING_CREATED_AT: _REPORT,
        Code.MISSING_UPDATED_AT: _REPORT,
        Code.MISSING_SOURCE: Remedy(StepKind.SET_SOURCE, Level.PERSON, None, Otherwise.PERSON),
        Code.MISSING_SCOPE: Remedy(StepKind.SET_SCOPE, Level.PERSON, None, Otherwise.PERSON),
        Code.METADATA_INVALID: _PERSON,
        Code.METADATA_MISSING_FIELD: Remedy(StepKind.FILL, Level.AUTOMATIC, None, Otherwise.PERSON),
        Code.ILLEGAL_STATUS: Remedy(StepKind.NORMALISE_STATUS, Level.AUTOMATIC, None, Otherwise.PERSON),
        Code.REFERENCE_DANGLING: Remedy(
            StepKind.REPOINT, Level.RULE_OR_PERSON, "repoint.known_successor", Otherwise.PERSON
        ),
        Code.DUPLICATE_EXACT: Remedy(StepKind.MERGE_EXACT, Level.RULE_OR_PERSON, "merge.exact", Otherwise.PERSON),
        Code.DUPLICATE_RESTATED: _REPORT,
        Code.CONFLICT_CANDIDATE: _REPORT,
        # the rule is that which decided
        Code.CONFLICT: Remedy(StepKind.SUPERSEDE, Level.RULE_OR_PERSON, "conflict.*", Otherwise.PERSON),
        Code.CONFLICT_BURIED: _PERSON,
        Code.CONFLICT_EXCEPTION: Remedy(
            StepKind.LINK_EXCEPTION, Level.RULE_OR_PERSON, "conflict.exception", Otherwise.REPORT_ONLY
        ),
        Code.DISPUTE_OVER: Remedy(StepKind.LIFT_MARK, Level.AUTOMATIC, None, Otherwise.PERSON),
        Code.STALE: _REPORT,
        Code.STALE_CONTEXT: Remedy(StepKind.WEIGH, Level.RULE_OR_PERSON, "weigh.context", Otherwise.PERSON),
        Code.TASK_RESIDUE: Remedy(StepKind.WEIGH, Level.RULE_OR_PERSON, "weigh.finished", Otherwise.PERSON),
        Code.SCOPE_OWNER: _PERSON,
        Code.SCOPE_SUBJECT: _PERSON,
        Code.SCOPE_COLLAPSED: _PERSON,
        Code.SCOPE_SPLIT: _PERSON,
        Code.SCOPE_SPELLING: _PERSON,
        Code.SCOPE_COLLISION: _PERSON,
        Code.PLUGGED_IN: _REPORT,
        Code.DUPLICATE_NEAR: Remedy(StepKind.MERGE_NEAR, Level.RULE_OR_PERSON, "merge.near", Otherwise.PERSON),
        Code.RECALL_ECHO: Remedy(StepKind.MERGE_NEAR, Level.RULE_OR_PERSON, "merge.echo", Otherwise.PERSON),
        # a person reads the summary: no rule can say that it is a good one
        Code.FRAGMENTS: Remedy(StepKind.SUMMARISE, Level.RULE_OR_PERSON, None, Otherwise.PERSON),
        # a text is its owner's: what to keep of it a person decides
        Code.REPETITION: _PERSON,
        Code.ENVELOPE_CONTENT: _PERSON,
        Code.COMPOUND_PARTS: _REPORT,
        Code.NO_FACT: _REPORT,
        Code.EMBEDDING_DIM_MISMATCH: _PERSON,
        Code.EMBEDDING_NON_FINITE: _PERSON,
        Code.EMBEDDING_ZERO: _PERSON,
        Code.EMBEDDING_NORM: _PERSON,
        Code.EMBEDDING_SUSPICIOUS: _PERSON,
        # of many rows at once a person alone, see `plan.draft.Draft.level`
        Code.EMBEDDING_STALE_TEXT: Remedy(
            StepKind.REEMBED, Level.RULE_OR_PERSON, "reembed.changed_text", Otherwise.PERSON
        ),
        Code.SCOPE_NOT_ALLOWED: _PERSON,
        Code.REFERENCE_SELF: _PERSON,
        Code.REFERENCE_CYCLE: _PERSON,
        Code.REFERENCE_CHAIN: _REPORT,
        Code.REFERENCE_CROSS_SCOPE: _PERSON,
        Code.ID_NEAR_COLLISION: _REPORT,
        Code.TIMESTAMP_ORDER: _REPORT,
        Code.TIMESTAMP_FUTURE: _REPORT,
        Code.TIMESTAMP_UNIT: _PERSON,
        Code.TIMESTAMP_SUSPICIOUS: _REPORT,
        Code.HIDDEN_CHARACTERS: _PERSON,
        Code.CONTENT_TOO_LONG: _REPORT,
    }
)

NEVER_CONFIRMED: Final = frozenset({StepKind.SET_SCOPE, StepKind.MARK_DISPUTED})
"""Steps that no rule confirms, on whatever evidence: a change of scope, and the mark of what no rule decides."""
RULES: Final = frozenset(
    {r.rule for code, r in REMEDIES.items() if r.rule and r.step not in NEVER_CONFIRMED and code is not Code.CONFLICT}
    | {rule_name(deciding) for deciding in CONFLICT_RULES if deciding != "narrower"}
)
"""Every rule name that `rules.confirmed` may hold."""

AUTOMATIC_KINDS: Final = frozenset(r.step.value for r in (*REMEDIES.values(), UNDECIDED) if r.step and r.level == 1)
"""The kinds of step that run at level 1, by name."""

PROVISIONAL: Final = "provisional"
"""The `origin`, in a finding's evidence, of a threshold that nobody has calibrated."""


CHOSEN: Final[Mapping[Choice, Remedy]] = MappingProxyType(
    {
        Choice.KEEP: Remedy(StepKind.SUPERSEDE, Level.PERSON, None, Otherwise.PERSON),
        Choice.MERGE: Remedy(StepKind.MERGE_NEAR, Level.PERSON, None, Otherwise.PERSON),
        # of a general memory and its exception; of any others nothing is left to do but to lift their marks
        Choice.BOTH: Remedy(StepKind.LINK_EXCEPTION, Level.PERSON, None, Otherwise.PERSON),
    }
)
"""What a person's answer leads to. No rule decided, so no rule confirms it: level 3."""


def remedy_of(finding: Finding) -> Remedy:
    """What the finding leads to: what the table says of its code, with two exceptions.

    What was found by a provisional threshold has no known error rate, so no rule confirms it: level 3, a person. A
    conflict is confirmed by the rule that decided it; one that no rule decides (its evidence names no `rule`) is
    marked, and a person's.
    """
    remedy = REMEDIES[finding.code]
    if finding.code is Code.CONFLICT:
        decided = finding.evidence.get("rule")
        remedy = replace(remedy, rule=rule_name(decided)) if decided else UNDECIDED
    if remedy.step is not None and finding.evidence.get("origin") == PROVISIONAL:
        return replace(remedy, level=Level.PERSON, rule=None)
    return remedy
