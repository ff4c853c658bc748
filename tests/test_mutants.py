"""What `make mutants` rests on: rules found and turned round, tests that exist, reasons that are about something."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from bench.mutants.__main__ import _source
from bench.mutants.inverting import install, mutants
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


def test_a_module_with_a_rule_turned_round_does_otherwise(tmp_path: Path) -> None:
    """One rule alone is another; as it is, the sample gives 2, [2] and [1]. The file stays as it was."""
    path = tmp_path / "sample.py"
    path.write_text(SAMPLE, encoding="utf-8")
    results = []
    for number in range(len(mutants(SAMPLE))):
        module = _imported(path)
        install(module, number)
        results.append([module.most(*given) for given in ((3, 2, True), (2, 2, True), (1, 2, False))])

    assert [[2, 2, [1]], [[3], [2], [1]], [[3], 2, [1]], [2, 2, [1]], [3, [2], [1]], [2, [], []]] == results
    assert SAMPLE == path.read_text(encoding="utf-8")


METHODS = """
from functools import cached_property

class Bill:
    @property
    def dear(self): return 3 > 2
    @cached_property
    def cheap(self): return 3 < 2
    @staticmethod
    def free(): return 3 == 2
    @classmethod
    def paid(cls): return not 3
"""


def test_methods_and_properties_are_turned_round_too(tmp_path: Path) -> None:
    """A rule is turned round wherever a function of the module holds it; a class method as any other."""
    path = tmp_path / "methods.py"
    path.write_text(METHODS, encoding="utf-8")
    flipped = []
    for number, one in enumerate(mutants(METHODS)):
        module = _imported(path)
        install(module, number)
        bill = module.Bill()
        if [True, False, False, False] != [bill.dear, bill.cheap, bill.free(), bill.paid()]:
            flipped.append(one.function)

    assert ["Bill.dear", "Bill.cheap", "Bill.free", "Bill.paid"] == flipped


def _imported(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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

    assert set(TARGETS) == {"mendory.policy", "mendory.automation", "mendory.conflicts.rules", *ruled}
    assert set(REASONS) <= set(TARGETS)
