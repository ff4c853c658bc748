"""What the tests of the command line share: a folder of their own, a sick table in it, the verbs run there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mendory.cli import main
from tests.conftest import make_table, memory

Run = Callable[..., Result]
LIMITS = (
    "\n[limits]\nrows_per_run = 100\nrepairs_per_day = 100\nscope_share = 1.0\nsick_share_scope = 1.0\n"
    "sick_share_table = 1.0\n"
)
SICK = [
    memory("a1", content="喜欢喝茶", batch_id="b1"),
    memory("a2", content="喜欢喝茶", batch_id="b1"),
    memory("b1", content="Prefers window seats", status="Active "),
    memory("c1", content="Lives in Oslo", scope=None),
]
"""One exact duplicate (medium), one misspelt status (medium), one missing scope (high, a person's)."""


def configure(folder: Path, more: str = "") -> None:
    """`mendory.toml` for the table `memories` in `db`, with what is given besides; nothing in it is ever too old.

    The command line goes by the real clock, and rows of a test have a fixed date.
    """
    text = f'[table]\nuri = "./db"\nname = "memories"\ndimension = 4\n{more}\n[staleness]\nstale_below = 0\n'
    (folder / "mendory.toml").write_text(text, encoding="utf-8")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run('check', '--json')` runs the command line in the test's own folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MENDORY_LANG", raising=False)
    return lambda *args: CliRunner().invoke(main, [str(a) for a in args])


@pytest.fixture
def sick(tmp_path: Path, run: Run) -> Path:
    """A table with faults and a configuration that names it and nothing else."""
    make_table(tmp_path / "db", SICK)
    configure(tmp_path)
    return tmp_path


def plan_code(run: Run, *options: str) -> str:
    """The code of a fresh plan."""
    return str(json.loads(run("plan", "--json", *options).stdout)["plan"]["id"][:8])
