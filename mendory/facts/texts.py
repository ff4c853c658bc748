"""Texts as far as a rule can tell them apart. Patterns in the syntax and the meaning that Python and RE2 share."""

from __future__ import annotations

import re
import sys
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mendory.detect.characters import MOST_CHARACTERS
from mendory.text import BLANK, SCOPE_BARRED_PATTERN, SUSPECT_PATTERN, unmarked


def _literal(pattern: str) -> str:
    """The pattern with characters instead of their escapes, which RE2 does not know."""
    return re.sub(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})", lambda m: chr(int(m[1] or m[2], 16)), pattern)


# RE2's \s and $ are not Python's: white space is spelt out, and a class with the line feed in it ends a text alike
_SPACE: Final = "".join(chr(c) for c in range(sys.maxunicode + 1) if chr(c).isspace())
BLANK_PATTERN: Final = f"^{_literal(BLANK)}$"
"""A text with nothing to see."""
BARRED_PATTERN: Final = SCOPE_BARRED_PATTERN.replace(r"^\s|\s$", f"^[{_SPACE}]|[{_SPACE}]$")
"""What no scope should hold."""
_SUSPECT: Final = f"^{_literal(BLANK).removesuffix('*')}|{SUSPECT_PATTERN}"
_PLAIN_ID: Final = r"^[!-@\[-~]+$"
STAND_IN: Final = "x"
"""A text that breaks no rule."""


def blank(texts: pa.Array) -> pa.Array:
    """Which texts have nothing to see; null counts as such."""
    return pc.match_substring_regex(texts, BLANK_PATTERN).fill_null(True)


def content(texts: pa.Array) -> pa.Array:
    """The contents, those that break no rule beyond doubt as one and the same stand-in.

    Kept as they are: null and empty ones, those that begin with a blank, hold a suspicious character or are very long.
    """
    kept = pc.or_kleene(pc.match_substring_regex(texts, _SUSPECT), pc.equal(texts, ""))
    kept = pc.or_kleene(kept, pc.greater(pc.binary_length(texts), MOST_CHARACTERS))
    return pc.if_else(kept, texts, STAND_IN)


def said(contents: pa.Array) -> pa.Array:
    """Contents without the marks that belong where they stand (`mendory.text.unmarked`); null for blank ones."""
    contents = pc.if_else(blank(contents), None, contents)
    marked = pc.match_substring_regex(contents, SUSPECT_PATTERN).fill_null(False)
    rest = pa.array(map(unmarked, contents.filter(marked).to_pylist()), contents.type)
    return pc.replace_with_mask(contents, marked, rest)


def odd_ids(ids: pa.Array) -> np.ndarray:
    """Positions of ids that may read like another: all but small letters, digits and signs of ASCII."""
    return np.flatnonzero(~np.asarray(pc.match_substring_regex(ids, _PLAIN_ID).fill_null(True)))


def plain_id(ids: pa.Array) -> pa.Array:
    """Which ids there are that read like no other."""
    return pc.match_substring_regex(ids, _PLAIN_ID).fill_null(False)
