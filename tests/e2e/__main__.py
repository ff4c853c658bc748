"""`make e2e`: from nothing to a served, scheduled, damaged table, approved in the browser and healed.

Once with Prefect's database and the ledger in files, once with both on PostgreSQL. The last line is one JSON object:
figures, the bounds they were held to, and `ok`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests import postgres
from tests.e2e.story import ROWS, Story

BOUNDS = {
    "healthy_rows_changed": 0,
    "faults_left": 0,
    "memory_text_in_prefect": 0,
    "pages_left": 0,
}
LANGUAGES = {"sqlite": "en", "postgres": "zh"}


def main(argv: list[str]) -> int:
    """Tell the story for each database; 0 when every bound holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e", description=__doc__)
    parser.add_argument("--database", choices=("sqlite", "postgres", "both"), default=None)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--pictures", type=Path, default=os.environ.get("MENDORY_PICTURES", ".demo/pictures"))
    options = parser.parse_args(argv)
    tools = postgres.binaries()
    wanted = options.database or ("both" if tools else "sqlite")
    figures = {}
    for database, lang in LANGUAGES.items():
        if wanted not in (database, "both"):
            continue
        print(f"{database}: a table of {options.rows} rows, its page in {lang} …", flush=True)
        figures[database] = told(database, lang, options.rows, Path(options.pictures))
        print(f"{database}: {json.dumps(figures[database], ensure_ascii=False)}", flush=True)
    ok = all(figure[name] <= bound for figure in figures.values() for name, bound in BOUNDS.items())
    print(json.dumps({"figures": figures, "bounds": BOUNDS, "ok": ok}, ensure_ascii=False))
    return 0 if ok else 1


def told(database: str, lang: str, rows: int, pictures: Path) -> dict[str, Any]:
    """The figures of the story with that database."""
    folder = Path(tempfile.mkdtemp(prefix="mendory-e2e-"))
    try:
        with server(database) as held:
            return Story(folder, pictures, lang, rows, held).tell()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def server(database: str) -> Iterator[postgres.Server | None]:
    """A private PostgreSQL where the story is told with one."""
    if database == "sqlite":
        yield None
        return
    tools = postgres.binaries()
    if tools is None:
        raise SystemExit("PostgreSQL is not installed. Nothing was run. Install it, or say --database sqlite.")
    with postgres.serving(tools) as held:
        yield held


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
