"""What a judge on this machine does to the conflicts that rules find in labelled sets.

`python -m bench.quality.judged FOLDER_OF_SETS --judge FOLDER [--half tuning|other]`: precision and recall of `conflict`
without and with the judge, set by set; the last line is JSON. Where a set is a choice among old facts, a conflict with
another one than the labelled is wrong, and of several the surest counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from bench.quality.sets import Choice, Labelled, Pair, labelled
from mendory.config.judge import JudgeSection
from mendory.contradiction import DECIDES, Compared, Relation, compare
from mendory.judge import Opinion, build, weighed
from mendory.judge.canaries import CANARIES, proven

HALVES: Final = ("tuning", "other")
Texts = tuple[str, str]


@dataclass(slots=True)
class Figures:
    """How often a conflict was found, rightly, and of how many."""

    found: int = 0
    right: int = 0
    of: int = 0

    def as_json(self) -> dict[str, Any]:
        """Precision and recall; None of nothing."""
        return {
            "precision": round(self.right / self.found, 3) if self.found else None,
            "recall": round(self.right / self.of, 3) if self.of else None,
            "found": self.found,
            "right": self.right,
            "of": self.of,
        }


def figures(
    held: Labelled, tuning: bool, decides: float, opinions: Callable[[Sequence[Texts]], Mapping[Texts, Opinion]]
) -> dict[str, Any]:
    """Both figures of one half of a set; `opinions` is asked about the conflicts that rules find, and no other pair."""
    rows = [row for row in (*held.pairs, *held.choices) if row.tuning == tuning]
    told = {texts: compare(*texts) for row in rows for texts in _texts(row)}
    conflicts = [texts for texts, one in told.items() if _is(one, decides)]
    said = opinions(conflicts)
    after = {texts: weighed(one, said[texts], decides) if texts in said else one for texts, one in told.items()}
    return {
        "without": _counted(rows, told, decides).as_json(),
        "with": _counted(rows, after, decides).as_json(),
        "asked": len(conflicts),
        "lowered": sum(said[texts].against for texts in conflicts),
    }


def _is(one: Compared, decides: float) -> bool:
    return one.relation is Relation.CONFLICT and one.score >= decides


def _texts(row: Pair | Choice) -> Iterator[Texts]:
    if isinstance(row, Pair):
        yield row.a, row.b
    else:
        yield from ((fact, row.new) for fact in row.facts)


def _counted(rows: Sequence[Pair | Choice], told: Mapping[Texts, Compared], decides: float) -> Figures:
    come = Figures()
    for row in rows:
        texts = list(_texts(row))
        at = max(range(len(texts)), key=lambda i: told[texts[i]].score if _is(told[texts[i]], decides) else -1.0)
        found = _is(told[texts[at]], decides)
        wanted = row.positive if isinstance(row, Pair) else bool(row.wanted)
        come.of += wanted
        come.found += found
        come.right += found and (row.positive if isinstance(row, Pair) else at in row.wanted)
    return come


@click.command()
@click.argument("sets", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--judge", "folder", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--half", type=click.Choice(HALVES), default="tuning", show_default=True)
@click.option("--only", multiple=True, help="Names of sets; all contradictions in the judge's languages without.")
def main(sets: Path, folder: Path, half: str, only: tuple[str, ...]) -> None:
    """Measure a cross-encoder as a judge."""
    judge = build(JudgeSection(kind="cross_encoder", path=str(folder.resolve())))
    standing = {language: proven(judge, language) for language in sorted(CANARIES)}
    for one in standing.values():
        click.echo(f"{one.language}: {one.right} of {one.of} known pairs right, {one.obeyed} obeyed")
    come = {}
    for held in labelled(sets):
        name = held.name.rpartition("/")[2]
        asked = held.task == "contradictions" and held.language in standing and (not only or name in only)
        if not asked or not standing[held.language].passed:
            continue

        def opinions(pairs: Sequence[Texts]) -> dict[Texts, Opinion]:
            return dict(zip(pairs, judge.judge(pairs), strict=True))

        come[name] = figures(held, half == HALVES[0], DECIDES[held.language], opinions)
        click.echo(f"{name} {half}: {come[name]}")
    click.echo(json.dumps({"judge": judge.name, "half": half, "sets": come}))


if __name__ == "__main__":
    main()
