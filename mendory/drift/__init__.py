"""Drift: vectors that are not those of their texts, in any way, told apart by name.

Free tests over all rows and their cohorts; a witness that embeds a sample again, and some rows of each sign, and has
the last word. New topics are no drift, and neither is an embedder that does not answer.
"""

from mendory.drift.damage import CODES, REASONS, Damage, Sign
from mendory.drift.examine import SHARES, Asked, Drift, Found, Looked, ask, conclude, look
from mendory.drift.findings import findings
from mendory.drift.signs import Cohort
from mendory.drift.worklist import Dirty, worklist

__all__ = [
    "CODES",
    "REASONS",
    "SHARES",
    "Asked",
    "Cohort",
    "Damage",
    "Dirty",
    "Drift",
    "Found",
    "Looked",
    "Sign",
    "ask",
    "conclude",
    "findings",
    "look",
    "worklist",
]
