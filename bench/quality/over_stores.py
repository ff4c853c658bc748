"""What the benches of whole stores share: the command line, the tables, the last line with its bounds."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from bench.quality.__main__ import DEFAULT, KEPT
from bench.quality.page import put
from bench.quality.vectors import Embed, cached


def measured(
    argv: list[str],
    name: str,
    doc: str | None,
    stores: Collection[str],
    one: Callable[[Path, str, Embed], dict[str, Any]],
    tables: Callable[[dict[str, dict[str, Any]]], str],
    most: Mapping[str, float],
    least: Mapping[str, float],
) -> int:
    """What a bench of stores prints: each one's figures, their tables, the last line; 0 when all bounds hold."""
    parser = argparse.ArgumentParser(prog=f"python -m bench.quality.{name}", description=doc)
    parser.add_argument("stores", nargs="*", choices=[*stores, []], help="which; all when none is named")
    parser.add_argument("--data", type=Path, default=DEFAULT)
    parser.add_argument("--markdown", type=Path, help="also put the tables between the marks of this page")
    options = parser.parse_args(argv)
    bounds = {"at most": dict(most), "at least": dict(least)}
    if not (options.data / "stores").is_dir():
        print(json.dumps({"stores": {}, "bounds": bounds, "ok": False, "reason": f"no stores in {options.data}"}))
        return 1
    found: dict[str, dict[str, Any]] = {}
    for store in options.stores or stores:
        found[store] = one(options.data, store, cached(KEPT))
        print(f"{store}: {found[store]['rows']:,} rows, {found[store]['seconds']} s", flush=True)
    text = tables(found)
    print(text)
    if options.markdown:
        put(options.markdown, name, f"python -m bench.quality.{name}", text)
    ok = within(found, most, least)
    print(json.dumps({"stores": found, "bounds": bounds, "ok": ok}, ensure_ascii=False))
    return 0 if ok else 1


def within(found: Mapping[str, Mapping[str, Any]], most: Mapping[str, float], least: Mapping[str, float]) -> bool:
    """Whether every figure of every store is within its bounds."""
    under = all(held[what] <= bound for held in found.values() for what, bound in most.items())
    return under and all(held[what] >= bound for held in found.values() for what, bound in least.items())
