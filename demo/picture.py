"""Draws docs/heal.svg from the case record of the last `make heal`: findings before and after, by code."""

from __future__ import annotations

import json
import sys
from html import escape
from pathlib import Path
from typing import Any

from mendory.report.words import term

_WIDTH, _ROW, _LEFT, _TOP = 760, 26, 300, 64


def draw(record: dict[str, Any]) -> str:
    """The picture as SVG text: one bar per code, what is left of it darker."""
    codes = sorted(record["found"], key=lambda c: -record["found"][c])
    most = max(record["found"].values())
    height = _TOP + _ROW * len(codes) + 34
    scale = (_WIDTH - _LEFT - 110) / most
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="16" y="26" font-size="16" font-weight="bold" fill="#1f2933">make heal: {record["read"]:,} memories, '
        "Chinese and English</text>",
        '<text x="16" y="46" fill="#52606d">findings before (light) and after (dark); '
        "what is left waits for a person or is only reported</text>",
    ]
    for at, code in enumerate(codes):
        y = _TOP + _ROW * at
        before, after = record["found"][code], (record["left"] or {}).get(code, 0)
        label = escape(f"{code} · {term(code, 'zh').split(' (')[0]}")
        parts += [
            f'<text x="{_LEFT - 10}" y="{y + 15}" text-anchor="end" fill="#1f2933">{label}</text>',
            f'<rect x="{_LEFT}" y="{y + 3}" width="{before * scale:.1f}" height="16" rx="2" fill="#b6d7e8"/>',
            f'<rect x="{_LEFT}" y="{y + 3}" width="{after * scale:.1f}" height="16" rx="2" fill="#1d6f8f"/>',
            f'<text x="{_LEFT + before * scale + 8:.1f}" y="{y + 15}" fill="#1f2933">{before} → {after}</text>',
        ]
    automatic, rule, person = (record["authority"][k] for k in ("automatic", "rule", "person"))
    parts.append(
        f'<text x="16" y="{height - 12}" fill="#52606d">repairs: {automatic} automatic, {rule} by a confirmed rule, '
        f"{person} by a person · healthy rows changed: 0 · undo: {escape(record['undo'])}</text>"
    )
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    target.write_text(draw(json.loads(source.read_text(encoding="utf-8"))), encoding="utf-8")
