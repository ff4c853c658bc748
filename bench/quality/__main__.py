"""`make quality [DATA=<folder>]`: precision, recall and F1 on every labelled set, beside baselines in the same run.

Without DATA the folder is `../shared/data`; what is chosen from data is chosen on one half of each set (by a hash of
the pair) and the other half is reported. With DATA nothing is chosen and all rows count. The last line is one JSON
object: figures, bounds, and `ok`.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Final

from bench.quality import evaluate
from bench.quality.evaluate import Called, Line
from bench.quality.goals import BOUNDS
from bench.quality.page import put
from bench.quality.sets import labelled
from bench.quality.summary import summary
from bench.quality.table import tables
from bench.quality.vectors import Embed, cached

ROOT: Final = Path(__file__).resolve().parents[2]
DEFAULT: Final = ROOT.parent / "shared" / "data"
KEPT: Final = ROOT / ".quality"


def main(argv: list[str], embed: Embed | None = None) -> int:
    """Measure and print; 0 when every bound holds."""
    parser = argparse.ArgumentParser(prog="python -m bench.quality", description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder of labelled sets on which nothing is chosen")
    parser.add_argument("--markdown", type=Path, help="also put the tables between the marks of this page")
    options = parser.parse_args(argv)
    found = measure(options.data or DEFAULT, embed or cached(KEPT), all_rows=options.data is not None)
    if "reason" in found:
        print(json.dumps(found, ensure_ascii=False))
        return 1
    lines, called = found["lines"], found["called"]
    rows = "all, nothing chosen on them" if options.data else "the half on which nothing was chosen"
    text = tables(lines, called, rows)
    print(text)
    if options.markdown:
        put(options.markdown, "quality", f"make quality{' DATA=…' if options.data else ''}", text)
    result = summary(lines, called)
    print(json.dumps(result, ensure_ascii=False))
    return 0 if result["ok"] else 1


def measure(folder: Path, embed: Embed, all_rows: bool) -> dict[str, Any]:
    """The lines of every set under the folder; or the reason why there are none."""
    lines: list[Line] = []
    called: list[Called] = []
    for held in labelled(folder):
        print(f"{held.name}: {len(held.pairs) + len(held.choices):,} rows, {held.unread} of no known form", flush=True)
        if held.task == "duplicates" and held.pairs:
            lines += evaluate.duplicates(held, embed, all_rows)
            continue
        for rows, way in ((held.pairs, evaluate.contradictions), (held.choices, evaluate.choices)):
            if rows and held.task == "contradictions":
                more, wrong = way(held, embed, all_rows)
                lines += more
                called += wrong
    if not lines:
        reason = f"no labelled set in {folder}: neither duplicates/*.jsonl[.gz] nor contradictions/*.jsonl[.gz]"
        return {"sets": {}, "contradictions_called_duplicate": None, "bounds": BOUNDS, "ok": False, "reason": reason}
    return {"lines": lines, "called": called}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
