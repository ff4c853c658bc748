"""The English language pack."""

from __future__ import annotations

from mendory.language.en.pack import English

__all__ = ["English"]
