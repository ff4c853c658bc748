"""Foreign names in Chinese characters."""

from __future__ import annotations

import re

from mendory.language.zh.lexicon import SOUNDS

DOTS = "·•‧∙"
"""What stands between the parts of a foreign name."""


def sounding(name: str) -> str:
    """A foreign name by the consonants of its parts, on which translators agree; "-" for a part that has none.

    >>> sounding("尤金·恩格利"), sounding("尤金·英格利")
    ('yj ngl', 'yj ngl')
    """
    parts = re.split(f"[{DOTS}]", name)
    return " ".join("".join(SOUNDS.get(ch, ch.lower()) for ch in part) or "-" for part in parts)
