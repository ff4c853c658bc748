"""Rules that may be turned round unnoticed, and why: what no table could tell apart."""

from __future__ import annotations

REASONS: dict[str, dict[str, str]] = {}
"""Module → rule, as `Mutant.rule` reads → reason."""
