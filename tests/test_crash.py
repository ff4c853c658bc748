"""The crash proof in small: sixty executors killed, and one wrong executor refuted. `make crash` is the full one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crash.campaign import refute, run
from tests.postgres import Server

pytestmark = [pytest.mark.crash, pytest.mark.lance]
ROOT = Path(__file__).resolve().parents[1]


def test_sixty_kills_lose_double_misrecord_and_overwrite_nothing() -> None:
    """Every row change after sixty kills has one explanation, and some kills fell where it matters."""
    command = [sys.executable, "-m", "tests.crash", "--kills", "60", "--seed", "7", "--no-mutants"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.stdout, done.stderr[-2000:]
    verdict = json.loads(done.stdout.splitlines()[-1])
    zeros = {name: verdict[name] for name in ("lost", "doubled", "false_records", "foreign_overwritten")}
    assert set(zeros.values()) == {0}, done.stdout
    assert verdict["kills"] == 60
    assert verdict["in_window"] > 0
    assert verdict["ok"] is (verdict["after_commit"] > 0)


@pytest.mark.postgres
def test_kills_with_the_ledger_on_a_server(postgres: Server) -> None:
    """The same with PostgreSQL, in small: an executor that dies leaves a session behind, and nothing wrong."""
    verdict = run(16, 11, with_mutants=False, server=postgres.url())
    zeros = {name: verdict[name] for name in ("lost", "doubled", "false_records", "foreign_overwritten")}
    assert {0} == set(zeros.values()), verdict
    assert 16 == verdict["kills"]
    assert verdict["in_window"] > 0


def test_the_oracle_refutes_an_executor_without_intents() -> None:
    """An oracle that passes a wrong executor proves nothing; the other four are refuted in `make crash`."""
    name, killed, broken = refute("no_intent", 7)
    assert name == "no_intent"
    assert killed
    assert "commit_without_intent" in {b.rule for b in broken}
