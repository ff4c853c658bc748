"""`python -m tests.crash --kills 1000 --seed 1`: the campaign, its last line the verdict as JSON."""

from __future__ import annotations

import argparse
import json
import sys

from tests.crash.campaign import LANES, run


def main() -> int:
    """0 when the verdict is ok, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description="Kills the executor and judges it.")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--mutants", action=argparse.BooleanOptionalAction, default=True, help="refute the five wrong executors too"
    )
    parser.add_argument("--lanes", type=int, default=LANES, help="how many rounds run side by side")
    parser.add_argument("--ledger", default="", metavar="URL", help="keep the ledgers in this PostgreSQL database")
    args = parser.parse_args()
    verdict = run(args.kills, args.seed, args.mutants, args.lanes, args.ledger)
    print(json.dumps(verdict), flush=True)
    return 0 if verdict["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
