"""Figures in a page of the docs: what stands between two marks is replaced by what was measured."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path


def put(page: Path, mark: str, command: str, tables: str) -> None:
    """Between `<!-- mark -->` and `<!-- /mark -->` the page holds the command, the day and the tables.

    Raises ValueError, with the page as it was, where it has no such marks.
    """
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(f"<!-- {mark} -->\n")
    _, end, after = rest.partition(f"<!-- /{mark} -->\n")
    if not begin or not end:
        raise ValueError(f"{page.name} has no marks <!-- {mark} --> and <!-- /{mark} -->. Nothing was written.")
    said = f"\n`{command}`, {datetime.now(UTC):%Y-%m-%d}.\n\n"
    page.write_text(f"{before}{begin}{said}{tables.rstrip()}\n\n{end}{after}", encoding="utf-8")
