"""Rules that may be turned round unnoticed, and why: nothing that could be given to them tells the two apart."""

from __future__ import annotations

_NEVER_EQUAL = "no counts have a Wilson bound that is just .8 or .05: below 1,500 all were tried"

REASONS: dict[str, dict[str, str]] = {
    "mendory.automation": {
        "Record.rise: Rate(self.risen, self.latest).interval[0] > REGRETTED → "
        "Rate(self.risen, self.latest).interval[0] >= REGRETTED": _NEVER_EQUAL,
        "Standing.advice: record.agreed.interval[0] >= AGREED → record.agreed.interval[0] > AGREED": _NEVER_EQUAL,
        "Standing.advice: record.regretted.interval[1] <= REGRETTED → "
        "record.regretted.interval[1] < REGRETTED": _NEVER_EQUAL,
        "Standing.advice: record.agreed.interval[1] < AGREED → record.agreed.interval[1] <= AGREED": _NEVER_EQUAL,
        "Standing.advice: record.regretted.interval[0] > REGRETTED → "
        "record.regretted.interval[0] >= REGRETTED": _NEVER_EQUAL,
    },
    "mendory.conflicts.rules": {
        "_narrower: compared.relation is Relation.EXCEPTION and compared.narrower is not None → "
        "compared.relation is Relation.EXCEPTION or compared.narrower is not None": (
            "a comparison names the narrower side of an exception always, and of nothing else"
        ),
        "_newer: known[0] < known[1] → known[0] <= known[1]": (
            "two different known sources are never equally sure, and of one source nothing is compared"
        ),
        "_confidence: known[1] > known[0] → known[1] >= known[0]": "two that are equally sure were left before",
        "_later: apart > timedelta(0) → apart >= timedelta(0)": "times that are one were left before",
    },
}
"""Module → rule, as `Mutant.rule` reads → reason."""
