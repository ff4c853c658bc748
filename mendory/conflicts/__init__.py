"""Conflicts: which of two memories that can't both hold stays, by rules in order, and what each rule went by."""

from mendory.conflicts.model import Abstention, ConflictRules, Ruling
from mendory.conflicts.rules import losers, rule, spared

__all__ = ["Abstention", "ConflictRules", "Ruling", "losers", "rule", "spared"]
