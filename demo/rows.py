"""Rows as plain dicts, and their metadata as text that keeps every digit."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

Row = dict[str, Any]
"""A memory under the names of `mendory.record.FIELDS`, without its embedding."""

_CJK = re.compile(r"[\u4e00-\u9fff]")


def is_chinese(text: str | None) -> bool:
    """True when the text holds a Chinese character."""
    return bool(_CJK.search(text or ""))


def metadata_text(held: Mapping[str, Any]) -> str:
    """Metadata as JSON text; a Decimal keeps its digits, so 0.80 stays 0.80."""
    parts = []
    for key, value in held.items():
        shown = str(value) if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False)
        parts.append(f"{json.dumps(key, ensure_ascii=False)}: {shown}")
    return "{" + ", ".join(parts) + "}"


def metadata_of(row: Row) -> dict[str, Any]:
    """A row's metadata, digits kept, so that `metadata_text` gives the same text back."""
    return dict(json.loads(row["metadata"], parse_float=Decimal)) if row["metadata"] else {}
