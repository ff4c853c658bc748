"""What `make mutants` rests on: rules found and turned round, tests that exist, reasons that are about something."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.mutants.__main__ import _source
from bench.mutants.inverting import VARIABLE, inverted, mutants
from bench.mutants.survivors import REASONS
from bench.mutants.targets import TARGETS

SAMPLE = '''
def most(rows, limit, free):
    """Whether it is too much."""
    assert rows >= 0
    if free and rows > limit:
        return min(rows, limit)
    return [r for r in (rows,) if r]
'''


def test_rules_are_turned_round_in_each_way() -> None:
    """Conditions, comparisons, their bounds, "and", minima; what an assertion says is left alone."""
    assert [
        "most: free and rows > limit → free or rows > limit",
        "most: free → not free",
        "most: rows > limit → rows <= limit",
        "most: rows > limit → rows >= limit",
        "most: min(rows, limit) → max(rows, limit)",
        "most: r → not r",
    ] == [one.rule for one in mutants(SAMPLE)]


def test_a_turned_round_module_does_otherwise() -> None:
    """One rule alone is another in what is compiled; as it is, the sample gives 2, [2] and [1]."""
    results = []
    for number in range(len(mutants(SAMPLE))):
        names: dict[str, object] = {}
        exec(compile(inverted(SAMPLE, number), "sample", "exec"), names)  # noqa: S102 - our own sample
        results.append([names["most"](*given) for given in ((3, 2, True), (2, 2, True), (1, 2, False))])  # type: ignore[operator]

    assert [[2, 2, [1]], [[3], [2], [1]], [[3], 2, [1]], [2, 2, [1]], [3, [2], [1]], [2, [], []]] == results


@pytest.mark.parametrize("module", sorted(TARGETS))
def test_every_module_has_rules_and_tests(module: str) -> None:
    """The module can be turned round, the tests named for it are there, and each reason is about a rule it has."""
    rules = {one.rule for one in mutants(_source(module))}

    assert rules
    assert [True] * len(TARGETS[module]) == [Path(test.partition("::")[0]).is_file() for test in TARGETS[module]]
    assert set() == set(REASONS.get(module, {})) - rules


def test_the_modules_that_decide_are_all_there() -> None:
    """Every module of planning that holds a rule is turned round."""
    ruled = {f"mendory.plan.{p.stem}" for p in Path("mendory/plan").glob("*.py") if mutants(p.read_text("utf-8"))}

    assert set(TARGETS) == {"mendory.policy", "mendory.conflicts.rules", *ruled}
    assert set(REASONS) <= set(TARGETS)


def test_a_test_run_meets_the_turned_round_module() -> None:
    """With the first rule of policy turned round its tests fail; no file is written."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "bench.mutants.inverting"]
    before = _source("mendory.policy")

    done = subprocess.run(
        [*command, "tests/test_policy.py"],
        env={**os.environ, VARIABLE: "mendory.policy:0"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert 1 == done.returncode, done.stdout[-2000:]
    assert before == _source("mendory.policy")
