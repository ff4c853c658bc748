"""Steps that weigh memories down at recall, and up again: nothing of a row changes, a factor is kept beside it."""

from __future__ import annotations

from mendory.catalogue import StepKind
from mendory.finding import Finding
from mendory.plan.draft import Draft, Situation, Unplanned


def weigh(finding: Finding, at: Situation) -> list[Draft | Unplanned]:
    """A step after which the rows of the finding weigh what its evidence says; the row that switched is relied on.

    Of several reasons to weigh a row down the strongest counts: a step that lowers never raises.
    """
    factor, switch = float(finding.evidence["factor"]), finding.evidence.get("switch")
    held = at.look([name for name in finding.ids if name != switch])
    lowers = factor < 1
    rows = [name for name, memory in held.items() if not lowers or memory.kept.factor > factor]
    if not rows:
        return [Unplanned(finding, "the memories weigh so already")]
    changes = {name: {"factor": factor if lowers else None} for name in sorted(rows)}
    done = f"weigh {len(rows)} row(s) by {factor:g} at recall" if lowers else f"weigh {len(rows)} row(s) in full again"
    holds = (switch,) if switch is not None else ()
    return [
        Draft(StepKind.WEIGH, finding, done, changes, {"factor": factor, "rows": len(rows), "switch": switch}, holds)
    ]
