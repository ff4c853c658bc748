"""Turn each rule of policy and planning round, one at a time, and see whether a test fails.

Survivors are printed with the reason why no test need notice; one without a reason, or a reason without its survivor,
is not ok. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

from bench.mutants.inverting import VARIABLE, Mutant, mutants
from bench.mutants.survivors import REASONS
from bench.mutants.targets import TARGETS

BOUNDS = {"unexplained": 0, "outdated_reasons": 0}
"""Survivors without a reason, and reasons for what does not survive: none."""
HANGS = 1200
"""Seconds after which a mutant counts as noticed: its tests, unchanged, take a tenth of that."""

_NOTHING_RAN = 5
_HANGS = -1
_SHOWN = {0: "S", _HANGS: "H"}


def main(argv: list[str]) -> int:
    """Run all mutants, print the survivors, and return 0 when each of them has a reason."""
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description=__doc__)
    parser.add_argument("--only", nargs="*", default=list(TARGETS), choices=list(TARGETS), metavar="MODULE")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(argv)
    jobs = [(name, one) for name in options.only for one in mutants(_source(name))]
    if not jobs:
        raise SystemExit("no module was named, so nothing was turned round")
    with ThreadPoolExecutor(options.workers) as pool:
        sound = pool.submit(_sound, options.only)
        noticed = list(pool.map(lambda job: _noticed(*job), jobs))
    sound.result()
    alive = [job for job, seen in zip(jobs, noticed, strict=True) if not seen]
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
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).read_text(encoding="utf-8")


def _sound(modules: list[str]) -> None:
    """Return when the tests pass as the modules are; else a failure would say nothing."""
    tests = list(dict.fromkeys(test for name in modules for test in TARGETS[name]))
    if _tests(tests, {}) != 0:
        raise SystemExit("the tests fail with no rule turned round")


def _noticed(name: str, one: Mutant) -> bool:
    """Whether a test fails with this rule turned round, or none ends."""
    try:
        code = _tests(TARGETS[name], {VARIABLE: f"{name}:{one.number}"})
    except subprocess.TimeoutExpired:
        code = _HANGS
    print(f"{_SHOWN.get(code, '.')} {name}:{one.line} {one.rule}", file=sys.stderr, flush=True)
    return code != 0


def _tests(tests: list[str] | tuple[str, ...], more: dict[str, str]) -> int:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "bench.mutants.inverting"]
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **more}
    done = subprocess.run([*command, *tests], env=env, capture_output=True, text=True, timeout=HANGS if more else None)
    if done.returncode == _NOTHING_RAN:
        raise RuntimeError(f"no test ran:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
