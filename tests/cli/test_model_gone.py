"""A hosted model that became another under its own name: both ways out of docs/migration.md, as a person types them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import lancedb
import numpy as np
import pytest

from tests.cli.conftest import Run, configure
from tests.conftest import make_table
from tests.loopback import Answer, Loopback, Request
from tests.moving_kit import OLD, Model, rows_of

ROOT = Path(__file__).parents[2]
TITLE = "When nobody makes the old vectors any more"
TEXTS = {f"m{n}": f"Plays chess in club number {n} each week" for n in range(20)}
TEXTS |= {f"z{n}": f"每周在第{n}家俱乐部下棋" for n in range(20)}


class Hosted(Loopback):
    """Models by the names they are asked by; the one called `hosted` is changed by its owner one day."""

    def __init__(self) -> None:
        self.models = {"hosted": Model("old", OLD)}
        super().__init__()

    def answer(self, request: Request) -> Answer:
        """The vectors of whatever model has that name today."""
        asked = json.loads(request.body)
        made = self.models[asked["model"]].embed(asked["input"])
        return 200, {}, {"data": [{"index": at, "embedding": v.tolist()} for at, v in enumerate(made)]}

    def change(self) -> None:
        """Another model of the same width has the name from now on."""
        self.models["hosted"] = Model("twin", OLD)


@pytest.fixture
def hosted(tmp_path: Path, run: Run) -> Iterator[Hosted]:
    """The table's vectors are of it, as the ledger knows; then it becomes another."""
    make_table(tmp_path / "db", rows_of(TEXTS, scope="u"))
    with Hosted() as made:
        name(tmp_path, made, "hosted")
        adopted = run("spaces", "--adopt", "--as", "ann")
        assert 0 == adopted.exit_code, adopted.output
        made.change()
        yield made


def name(folder: Path, hosted: Hosted, model: str) -> None:
    """That model is configured."""
    url = f"http://127.0.0.1:{hosted.port}/v1"
    configure(folder, f'[embedder]\nkind = "openai"\nmodel = "{model}"\nbase_url = "{url}"\nmax_calls = 1000\n')


def found(run: Run, text: str) -> Any:
    """The exit code of a recall, and the id that comes first where it is answered."""
    answer = run("recall", text, "--scope", "u", "--json")
    return answer.exit_code, answer.exit_code or json.loads(answer.stdout)["memories"][0]["id"]


def test_without_a_way_out_every_recall_and_gate_is_refused(hosted: Hosted, run: Run) -> None:
    """The move fills; what refuses its gate names the page that says how it goes on, and nothing is recorded."""
    before = run("recall", TEXTS["m3"], "--scope", "u")
    begun = run("migrate", "start", "--readers-name-the-column", "--as", "ann")
    gate = run("migrate", "gate")
    told = json.loads(run("migrate", "status", "--json").stdout)

    assert (4, 0, 4) == (before.exit_code, begun.exit_code, gate.exit_code)
    assert "space_unknown" in before.stderr
    assert TITLE in gate.stderr
    assert f"## {TITLE}\n" in (ROOT / "docs" / "migration.md").read_text(encoding="utf-8")
    assert ("filling", None, 0) == (told["stage"], told["gate"], told["waiting"])


@pytest.mark.parametrize("first", ["m3", "z3"])
def test_the_vectors_of_the_move_are_put_in_their_place(hosted: Hosted, run: Run, tmp_path: Path, first: str) -> None:
    """By the page's own lines: adopted only once rows embed again, recalls are answered, only vectors changed."""
    page = (ROOT / "docs" / "migration.md").read_text(encoding="utf-8").partition(f"## {TITLE}\n")[2]
    lines = dedent(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0].replace("\n   ", "\n").lstrip())
    run("migrate", "start", "--readers-name-the-column", "--as", "ann")
    told = json.loads(run("migrate", "status", "--json").stdout)
    back = run("migrate", "rollback", "--as", "ann")
    early = run("spaces", "--adopt", "--as", "ann", "--rows", "1500")
    table = lancedb.connect(tmp_path / "db").open_table("memories")
    rest = [n for n in table.schema.names if n not in {"embedding", told["column"]}]
    before = table.to_arrow().sort_by("id").select(rest)
    exec(lines, {"column": told["column"]})  # noqa: S102  # the project's own page
    adopted = run("spaces", "--adopt", "--as", "ann", "--rows", "1500")
    answered = found(run, TEXTS[first])
    purged = run("migrate", "purge", told["move"], "--as", "ann")
    table.checkout_latest()
    after = table.to_arrow().sort_by("id")
    made = np.stack(after.column("embedding").to_pylist())
    fresh = Model("twin", OLD).embed(after.column("content").to_pylist())

    assert (0, 4, 0, 0) == (back.exit_code, early.exit_code, adopted.exit_code, purged.exit_code), purged.output
    assert "witness_disagrees" in early.stderr
    assert (0, first) == answered
    assert before.equals(after.select(rest))
    assert np.allclose(made, fresh, atol=1e-6)
    assert 0 == run("check").exit_code
    assert 0 == run("drift").exit_code


@pytest.mark.parametrize("begun", [False, True], ids=["before the move", "while it fills"])
def test_under_another_name_the_old_model_serves_on(hosted: Hosted, run: Run, tmp_path: Path, begun: bool) -> None:
    """Adopted as what makes the table's vectors it answers recalls, and the gate of the move compares both."""
    hosted.models["hosted-dated"] = Model("old", OLD)
    if begun:
        run("migrate", "start", "--readers-name-the-column", "--as", "ann")
    name(tmp_path, hosted, "hosted-dated")
    adopted = run("spaces", "--adopt", "--as", "ann")
    answered = found(run, TEXTS["z7"])
    name(tmp_path, hosted, "hosted")
    run("migrate", "start", "--readers-name-the-column", "--as", "ann")
    meanwhile = found(run, TEXTS["m7"])
    gate = run("migrate", "gate", "--json")

    assert 0 == adopted.exit_code, adopted.output
    assert ((0, "z7"), (0, "m7")) == (answered, meanwhile)
    purity, quality, *_, cost = json.loads(gate.stdout)["parts"]
    assert (len(TEXTS), []) == (purity["numbers"]["agreed"], purity["reasons"])
    assert len(TEXTS) * 3 == quality["numbers"]["ndcg"]["queries"], "both spaces are asked"
    assert ["too_few_queries"] == quality["reasons"], "so small a table gives no more"
    assert ["too_few_timed", "cost_unknown"] == cost["reasons"]
