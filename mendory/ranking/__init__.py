"""Ranking: in which order recall returns what a search found. Pure."""

from __future__ import annotations

from mendory.ranking.model import Candidate, Recall, Recalled
from mendory.ranking.rank import Ranked, rank

__all__ = ["Candidate", "Ranked", "Recall", "Recalled", "rank"]
