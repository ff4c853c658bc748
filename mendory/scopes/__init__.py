"""Scopes: how they are named, which contain which, and what tells that rows are in a wrong one."""

from __future__ import annotations

from mendory.scopes.ancestry import Ancestors, Parents, ancestors_by, without_parents

__all__ = ["Ancestors", "Parents", "ancestors_by", "without_parents"]
