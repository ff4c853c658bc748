"""The daily look at a new space while it soaks: once a day, with an alarm, and what waits in either space filled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

from mendory.cli import main
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.errors import MigrationRefused
from mendory.ledger import Ledger
from mendory.migration.stages import Stage
from mendory.retiring import retire
from mendory.soaking import Looked, look
from tests.canary_kit import COLUMN, TEXTS, canary_ready, models, move_of
from tests.conftest import FakeClock
from tests.moving_kit import looked as noted

pytestmark = pytest.mark.lance
DAY = timedelta(days=1)


@pytest.fixture
def clock() -> FakeClock:
    """The clock of ledger and clinic."""
    return FakeClock()


def soaks(folder: Path, clock: FakeClock, found: float = 1.0, bare: Mapping[str, str] | None = None) -> Config:
    """A table that soaks, whose gate had that share of the queries' memories among the first ten."""
    config = canary_ready(folder, clock, Stage.SOAKING, bare)
    ledger = Ledger.open(config.ledger_url, clock)
    [move] = ledger.moves.all()
    # the gate stands in the record, as `examine_move` writes it
    part = {"part": "self_retrieval", "numbers": {"among_ten": {"new": found}}}
    ledger.moves.note(move.id, "ann", {"gate": {"passed": True, "parts": [part]}})
    ledger.close()
    return config


def looked(config: Config, clock: FakeClock) -> Looked:
    """One look, by a process of its own."""
    return look(Clinic(config, clock), "cron", models)


@pytest.fixture(autouse=True)
def _gate(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kit passes the stages without an examination; its gate is noted while it soaks."""

    def noted(move: Any) -> Any:
        return next((p.told["gate"] for p in reversed(move.passed) if "gate" in p.told), None)

    monkeypatch.setattr("mendory.soaking.newest_gate", noted)


def spoil(config: Config, share: float, change: Callable[[list[float]], list[float]]) -> None:
    """That share of the new column's vectors is changed by another program."""
    table = lancedb.connect(config.table_uri).open_table("memories")
    rows = table.to_arrow()
    take = rows.slice(0, round(share * rows.num_rows))
    cells = [change(vector) for vector in take.column(COLUMN).to_pylist()]
    place = take.schema.get_field_index(COLUMN)
    held = take.set_column(place, take.schema.field(place), pa.array(cells, take.schema.field(place).type))
    table.merge_insert("id").when_matched_update_all().execute(held)


@pytest.mark.parametrize(
    "bare",
    [
        {},
        {"long": "Guest likes cake near the window, never at noon. " * 200},
        {"long": "客人在湖边喝茶，从不加糖。" * 700},
    ],
    ids=["none", "en", "zh"],
)
def test_it_is_looked_at_once_a_day_and_all_is_well(tmp_path: Path, clock: FakeClock, bare: dict[str, str]) -> None:
    """Nothing on the first day; then one look a day, on record, with queries, rows embedded again and no alarm.

    A memory that no model takes for its length is asked by nobody.
    """
    config = soaks(tmp_path, clock, bare=bare)
    early = looked(config, clock)
    clock.now += DAY
    first = looked(config, clock)
    again = looked(config, clock)
    clock.now += DAY
    second = looked(config, clock)

    assert [False, True, False, True] == [one.due for one in (early, first, again, second)]
    assert ("", 59, 59) == (first.alarm, first.embedded, first.agreed)
    assert first.queries > 0
    assert 2 == sum("alarm" in passed.told for passed in move_of(config).passed)


@pytest.mark.parametrize(
    ("share", "change", "alarm"),
    [
        (1.0, lambda v: np.roll(v, 1).tolist(), "vectors_differ"),
        (0.2, lambda v: (-np.array(v)).tolist(), "vectors_differ"),
        (1.0, lambda v: (3 * np.array(v)).tolist(), "vectors_differ"),
    ],
    ids=["all turned", "a fifth turned round", "another length"],
)
def test_damage_raises_an_alarm_and_nothing_is_retired(
    tmp_path: Path, clock: FakeClock, share: float, change: Callable[[list[float]], list[float]], alarm: str
) -> None:
    """Vectors that are the model's no more: said by name, noted, and the old space stays until it is mended."""
    config = soaks(tmp_path, clock)
    spoil(config, share, change)
    clock.now += 8 * DAY
    seen = looked(config, clock)

    assert alarm == seen.alarm
    with pytest.raises(MigrationRefused, match="raised an alarm"):
        retire(Clinic(config, clock), "ann")
    assert move_of(config).stage is Stage.SOAKING


def test_fewer_memories_found_than_at_the_gate_raise_an_alarm(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every vector is right, and a search that finds nothing of them: an index that broke."""
    config = soaks(tmp_path, clock)
    clock.now += DAY
    monkeypatch.setattr("mendory.soaking.Timed.__call__", lambda self, vectors, scopes: [[] for _ in scopes])
    seen = looked(config, clock)

    assert ("found_less", 0.0, 59) == (seen.alarm, seen.found, seen.agreed)


def test_what_others_write_is_filled_in_both_spaces(tmp_path: Path, clock: FakeClock) -> None:
    """A program that knows the old column alone adds rows: recalls of the new space find them after the next look."""
    config = soaks(tmp_path, clock)
    table = lancedb.connect(config.table_uri).open_table("memories")
    row = table.to_arrow().slice(0, 2)
    for column, ident in ((COLUMN, "no new"), ("embedding", "no old")):
        bare = row.slice(0, 1).drop_columns([column])
        table.add(bare.set_column(bare.schema.get_field_index("id"), "id", pa.array([ident])))
    seen = looked(config, clock)
    rows = lancedb.connect(config.table_uri).open_table("memories").to_arrow()

    assert 2 == seen.filled
    assert (len(TEXTS) + 2, 0, 0) == (
        rows.num_rows,
        rows.column(COLUMN).null_count,
        rows.column("embedding").null_count,
    )


def test_in_any_other_stage_nothing_is_done(tmp_path: Path, clock: FakeClock) -> None:
    """Before the switch there is nothing to look at."""
    config = canary_ready(tmp_path, clock, Stage.CANARY)
    clock.now += 2 * DAY

    assert looked(config, clock).due is False
    assert move_of(config).stage is Stage.CANARY


@pytest.mark.parametrize(
    ("lang", "fine", "early", "alarm"),
    [
        ("en", "100.0% of", "No look is due", "ALARM: rows hold vectors that are not of their text"),
        ("zh", "已复查", "还不需要复查", "警报：有些行的向量与其文本不符"),
    ],
)
def test_the_command_line_looks_too(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, lang: str, fine: str, early: str, alarm: str
) -> None:
    """`switch` while it soaks: the look and its numbers, said where none is due, and an alarm is a finding."""
    config = soaks(tmp_path, clock)
    monkeypatch.setattr("mendory.cli.shared.Config.load", lambda _: config)
    monkeypatch.setattr("mendory.cli.shared.Clinic", lambda held: Clinic(held, clock))
    monkeypatch.setattr("mendory.cli.migrate_switch.look", lambda clinic, by: look(clinic, by, models))
    said = []
    for days, spoilt in ((1, False), (0, False), (1, True)):
        clock.now += days * DAY
        if spoilt:
            spoil(config, 1.0, lambda v: np.roll(v, 1).tolist())
        done = CliRunner().invoke(main, ["migrate", "switch", "--as", "ann", "--lang", lang])
        said.append((done.exit_code, done.output))

    assert [0, 0, 2] == [code for code, _ in said]
    assert [True] * 3 == [words in out for words, (_, out) in zip((fine, early, alarm), said, strict=True)]
    assert [False, False] == [alarm in out for _, out in said[:2]]


@pytest.mark.parametrize(
    ("lang", "alarm", "said"),
    [
        ("en", "found_less", "ALARM: searches find less than at the gate"),
        ("en", "vectors_differ", "ALARM: rows hold vectors that are not of their text"),
        ("zh", "found_less", "警报：检索到的比闸门检验时少"),
        ("zh", "vectors_differ", "警报：有些行的向量与其文本不符"),
    ],
)
def test_the_status_says_which_alarm_stands(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, lang: str, alarm: str, said: str
) -> None:
    """In its own words, and looking again comes next; once it is mended none, and after the soak it may be retired."""
    config = soaks(tmp_path, clock)
    monkeypatch.setattr("mendory.cli.shared.Config.load", lambda _: config)
    monkeypatch.setattr("mendory.cli.shared.Clinic", lambda held: Clinic(held, clock))
    clock.now += 8 * DAY
    shown = []
    for raised in (alarm, ""):
        noted(Clinic(config, clock), raised)
        shown.append(CliRunner().invoke(main, ["migrate", "status", "--lang", lang]).output)
    told = CliRunner().invoke(main, ["migrate", "status", "--json"]).output

    assert [True, False] == [said in one for one in shown]
    assert ["switch", "retire"] == [
        next(verb for verb in ("switch", "retire") if f"mendory migrate {verb} --as NAME" in one) for one in shown
    ]
    assert '"alarm": ""' in told
