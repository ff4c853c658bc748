"""Turn each rule of policy and planning round, one at a time, and see whether a test fails.

Survivors are printed with the reason why no test need notice; one without a reason, or a reason without its survivor,
is not ok. The last line is JSON.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import Phase, settings

from bench.mutants.inverting import Mutant, install, mutants
from bench.mutants.survivors import REASONS
from bench.mutants.targets import DECIDING, TARGETS

BOUNDS = {"unexplained": 0, "outdated_reasons": 0}
"""Survivors without a reason, and reasons for what does not survive: none."""
_QUIET = ("-x", "-q", "-p", "no:cacheprovider", "--timeout", "300")
_ALL = "all of them"
Job = tuple[str, Mutant | None]
"""A module, and its rule that is turned round; None for none."""
Tests = Mapping[str, tuple[str, ...]]


def main(argv: list[str]) -> int:
    """Run all mutants, print the survivors, and return 0 when each of them has a reason."""
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description=__doc__)
    parser.add_argument("--only", nargs="*", default=list(DECIDING), choices=list(TARGETS), metavar="MODULE")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(argv)
    jobs: list[tuple[str, Mutant]] = [(name, one) for name in options.only for one in mutants(_source(name))]
    # the first failure is all that is asked, not the smallest example of it
    settings.register_profile("mutants", phases=(Phase.explicit, Phase.generate), derandomize=True)
    settings.load_profile("mutants")
    if pytest.main(["-q", "--co", "-p", "no:cacheprovider", *_tests(options.only)]) != 0:
        raise SystemExit("the tests can't be read")
    # the first job turns nothing round: were it to fail, no other failure would say anything
    asis, *codes = _codes([(_ALL, None), *jobs], options.workers, {**TARGETS, _ALL: tuple(_tests(options.only))})
    if asis:
        raise SystemExit("the tests fail with no rule turned round")
    alive = [job for job, code in zip(jobs, codes, strict=True) if code == 0]
    unexplained = 0
    for name, one in alive:
        why = REASONS.get(name, {}).get(one.rule)
        unexplained += why is None
        print(f"{'survives' if why else 'SURVIVES'} {name}:{one.line} {one.rule}\n    {why or 'no reason is known'}")
    survivors = {(name, one.rule) for name, one in alive}
    outdated = [(n, r) for n in options.only for r in REASONS.get(n, {}) if (n, r) not in survivors]
    for name, rule in outdated:
        print(f"a reason for what does not survive: {name} {rule}")
    figures = {
        "mutants": len(jobs),
        "noticed": len(jobs) - len(alive),
        "survivors": len(alive),
        "unexplained": unexplained,
        "outdated_reasons": len(outdated),
        "by_module": dict(Counter(name for name, _ in jobs)),
    }
    ok = all(figures[name] <= bound for name, bound in BOUNDS.items())  # type: ignore[operator]
    print(json.dumps({"figures": figures, "bounds": BOUNDS, "ok": ok}))
    return 0 if ok else 1


def _source(name: str) -> str:
    return Path(str(importlib.import_module(name).__file__)).read_text(encoding="utf-8")


def _tests(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(test for name in names for test in TARGETS[name]))


def _codes(jobs: Sequence[Job], workers: int, tests: Tests) -> Iterator[int]:
    """How pytest ends with each rule turned round, in a process forked for it; 0 where no test fails, in order."""
    running: dict[int, int] = {}
    ended: dict[int, int] = {}
    warnings.filterwarnings("ignore", message="lancedb fork support")  # nothing of it ran before the fork
    for at, job in enumerate(jobs):
        if len(running) == workers:
            _wait(running, ended, jobs)
        running[_forked(job, tests)] = at
    while running:
        _wait(running, ended, jobs)
    yield from (ended[at] for at in range(len(jobs)))


def _wait(running: dict[int, int], ended: dict[int, int], jobs: Sequence[Job]) -> None:
    pid, status = os.wait()
    at = running.pop(pid)
    ended[at] = os.waitstatus_to_exitcode(status)
    name, one = jobs[at]
    what = f"{name}:{one.line} {one.rule}" if one else "no rule turned round"
    print(f"{'.' if ended[at] else 'S'} {what}", file=sys.stderr, flush=True)


def _forked(job: Job, tests: Tests) -> int:
    """The process that runs the tests of the job."""
    name, one = job
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        if one is not None:
            install(importlib.import_module(name), one.number)
        code = pytest.main([*_QUIET, *tests[name]])
    finally:
        os._exit(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
