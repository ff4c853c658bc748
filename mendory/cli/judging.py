"""The verb of judges: what the configured one can do, and making a small one of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from mendory.cli.progress import progress
from mendory.cli.shared import FOUND, OK, config_option, json_option, lang_option, main, print_json, print_table
from mendory.cli.spaces import show_cost
from mendory.cli.words import many, reason, say
from mendory.config import Config
from mendory.errors import InputInvalid
from mendory.judge import Judge, build
from mendory.judge.canaries import BOUND, CANARIES, Standing, proven
from mendory.judge.training import PAIRS, Trained, train
from mendory.text import shown


@main.command()
@click.option("--train", "out", type=click.Path(path_type=Path), help="Make a small English judge in this folder.")
@click.option("--base", type=click.Path(path_type=Path), help="The folder of the encoder that --train begins with.")
@click.option(
    "--pairs", type=click.IntRange(1000, 1_000_000), default=PAIRS, show_default=True, help="Pairs to train on."
)
@lang_option
@config_option("The configuration file.")
@json_option
def judge(out: Path | None, base: Path | None, pairs: int, config: Path, as_json: bool) -> int:
    """Ask the configured judge pairs whose answer is known; with --train make one. No memory is read."""
    if out is not None:
        return _train(out, base, pairs, as_json)
    if base is not None:
        raise InputInvalid("--base says what --train begins with. Nothing was asked. Add --train FOLDER.")
    loaded = Config.load(config)
    if loaded.judge is None:
        if as_json:
            print_json({"judge": None, "served": "", "languages": []})
        else:
            click.echo(say("no judge is configured"))
        return OK
    made = build(loaded.judge, loaded.root)
    if loaded.judge.kind == "openai" and not as_json:
        show_cost(made.estimate((one.a, one.b) for canaries in CANARIES.values() for one in canaries))
    found = [proven(made, language) for language in sorted(CANARIES)]
    if as_json:
        print_json({"judge": made.name, "served": made.served, "languages": [_json(one) for one in found]})
    else:
        _show(made, found)
    return OK if any(one.passed for one in found) else FOUND


def _json(one: Standing) -> dict[str, object]:
    return {**asdict(one), "needed": BOUND, "passed": one.passed}


def _show(made: Judge, found: Sequence[Standing]) -> None:
    click.echo(say("judge {name}", name=shown(made.name)))
    rows = []
    for one in found:
        word = say("may be asked") if one.passed else say("stands down: {why}", why=reason(one.why))
        rows.append((one.language, f"{one.right}/{one.of}", word))
    print_table(rows)


def _train(out: Path, base: Path | None, pairs: int, as_json: bool) -> int:
    with progress(as_json, say("training")) as told:
        made = train(out, base, pairs, told=told)
    if as_json:
        print_json(asdict(made))
    else:
        _show_trained(made, out)
    return OK


def _show_trained(made: Trained, out: Path) -> None:
    line = say(
        "trained on {pairs}; on {held_out} it has not seen: {right} right, contradictions precision {p}, recall {r}",
        pairs=many(made.pairs, "pair"),
        held_out=many(made.held_out, "pair"),
        right=f"{made.right:.3f}",
        p=f"{made.precision:.3f}",
        r=f"{made.recall:.3f}",
    )
    click.echo(line)
    click.echo(say('next: [judge] kind = "cross_encoder", path = "{path}" in mendory.toml', path=shown(str(out))))
