"""How this process gives memory back.

A choice for a whole process: made by what runs a check of everything, never by what an agent's own code imports.
"""

from __future__ import annotations

import ctypes
from typing import Final

_MMAP_THRESHOLD: Final = -3
"""M_MMAP_THRESHOLD of glibc's malloc.h."""
LARGE: Final = 1_000_000


def give_back() -> bool:
    """Blocks of a million bytes and more go back to the system when they are freed; False where nobody can ask for it.

    glibc raises that bound by itself to the largest block it saw freed, a batch of vectors, and from then on keeps
    such blocks between small ones that live on: a reader of a large table holds on to hundreds of megabytes of holes.
    """
    try:
        ask = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # another system, or another C library
        return False
    return bool(ask(_MMAP_THRESHOLD, LARGE))
