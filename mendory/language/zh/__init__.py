"""Chinese: what rules read in a Chinese text, simplified or traditional."""

from __future__ import annotations

from mendory.language.zh.read import Chinese

__all__ = ["Chinese"]
