"""`python -m deployments serve`: a hardened server of our own; `into` deploys to the server that is set."""

from __future__ import annotations

import argparse
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from deployments.serve import HOME, POOL, PORT, PREFIX, Serving, Stopped, serve
from mendory.errors import MendoryError


def main(argv: list[str]) -> int:
    """Run one of the two; 0 when it did what it says."""
    options = _options().parse_args(argv)
    try:
        return _serve(options) if options.verb == "serve" else _into(options)
    except Stopped:
        _say("Stopped: server and worker have ended.")
        return 0
    except MendoryError as error:
        print(f"{error.name}: {error}", file=sys.stderr)
        return 1


def _serve(options: argparse.Namespace) -> int:
    return serve(Serving(options.config, options.home, options.port, options.dry_run), _say, os.environ)


def _into(options: argparse.Namespace) -> int:
    # imported late: Prefect reads its environment when it is imported
    from deployments.api import configured
    from deployments.apply import deploy
    from deployments.objects import Order

    order = Order(options.prefix, options.pool, str(options.config.resolve()), options.dry_run)
    with configured() as api:
        for change in deploy(api, order, write=True, now=datetime.now(UTC)):
            if change.kind == "deployment":
                _say(f"  {change.name:<28} {_TIMES.get(change.why, change.action).format(**change.values)}")
    return 0


_TIMES = {
    "on_demand": "no times: another run starts it, or a person",
    "dry": "cron {cron}, looks and plans only; --apply lets it repair",
    "repairs": "cron {cron}, repairs within [limits]",
}


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deployments", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("serve", "into"):
        one = verbs.add_parser(verb)
        one.add_argument("--config", type=Path, required=True, help="mendory.toml of the table")
        one.add_argument("--apply", dest="dry_run", action="store_false", default=None, help="repair, no dry runs")
        one.add_argument("--dry-run", dest="dry_run", action="store_true", help="look and plan only")
        if verb == "serve":
            one.add_argument("--port", type=int, default=PORT, help="loopback port")
            one.add_argument("--home", type=Path, default=HOME, help="where the server keeps its database and secret")
        else:
            one.add_argument("--pool", default=POOL)
            one.add_argument("--prefix", default=PREFIX)
    return parser


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
