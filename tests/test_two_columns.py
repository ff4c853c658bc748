"""The rest of Mendory on a table with the vectors of two spaces, after a switch, the way back, and a purge."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mendory import migrating, treatment
from mendory.calibrating import Labelled, TooFew, run
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.errors import MigrationRefused
from mendory.finding import by_code
from mendory.ledger import Ledger
from mendory.migration.stages import Stage
from mendory.retiring import purge, retire
from tests.conftest import GENEROUS, FakeClock, make_config
from tests.moving_kit import COLUMN, filling, looked, new_model, old_model, on_its_way, rows_of
from tests.test_retiring import clinic_of, dataset_of, moved, table_of, values

LATER = 1_000


def to_stage(config: Config, *stages: Stage) -> None:
    """The move has passed these stages."""
    ledger = Ledger.open(config.ledger_url, FakeClock())
    [move] = ledger.moves.all()
    for stage in stages:
        ledger.moves.to(move.id, stage, "ann")
    ledger.close()


SWITCH = (Stage.GATING, Stage.APPROVED, Stage.CANARY, Stage.SWITCHED, Stage.SOAKING)


# --- the way back -----------------------------------------------------------------------------


def test_rows_written_while_the_new_space_was_searched_get_their_old_vector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other programs added 1,000 rows and changed texts, in both languages: after the way back each row is right."""
    config, _ = moved(tmp_path, Stage.SOAKING)
    clinic_of(config).side_state_beside.bring_up(clinic_of(config).beside)
    table = table_of(config)
    texts = {f"n{n}": f"Moved to town number {n}" if n % 2 else f"搬到第{n}个城市" for n in range(LATER)}
    made = new_model().embed(list(texts.values()))
    rows = [
        {k: v for k, v in row.items() if k != "embedding"} | {COLUMN: vector.tolist()}
        for row, vector in zip(rows_of(texts), made, strict=True)
    ]
    table.add(rows)
    table.update(where="id = 'm5'", values={"content": "Likes coffee now"})
    monkeypatch.setattr(migrating, "embedder_of", lambda clinic, space: old_model())
    clinic = clinic_of(config)
    migrating.go_back(clinic, "ann", "")
    done = migrating.catch_up(clinic)
    held = {row["id"]: row for row in table_of(config).to_arrow().to_pylist()}
    right = old_model().embed([row["content"] for row in held.values()])

    assert (LATER + 1, 0) == (done.rows, done.waiting)
    assert 600 + LATER == len(held)
    assert all(np.allclose(row["embedding"], v, atol=1e-6) for row, v in zip(held.values(), right, strict=True))
    assert migrating.catch_up(clinic_of(config)).rows == 0


def test_nothing_is_caught_up_while_a_move_is_under_way(tmp_path: Path) -> None:
    """Then `fill` does it; the refusal says so."""
    config, _ = on_its_way(tmp_path, rows_of({"m1": "Likes tea"}))
    with pytest.raises(MigrationRefused, match="was not taken back"):
        migrating.catch_up(clinic_of(config))


# --- check, plan, rollback --------------------------------------------------------------------

SICK = {"m1": "Likes tea", "m2": "喜欢茶"}


def sick(folder: Path) -> tuple[Config, str]:
    """A table on its way, with a plan of it applied: the spelling of a status; and the plan's id."""
    rows = rows_of(SICK)
    rows[0]["status"] = "Active "
    on_its_way(folder, rows)
    config = make_config(folder, limits=GENEROUS)
    clinic = Clinic(config, FakeClock())
    plan = clinic.plan().plan
    assert plan is not None
    treatment.apply(clinic, plan.id)
    return config, plan.id


def statuses(config: Config) -> dict[str, Any]:
    """Id → status."""
    rows = table_of(config).to_arrow()
    return dict(zip(rows["id"].to_pylist(), rows["status"].to_pylist(), strict=True))


@pytest.mark.parametrize("when", ["filling", "filled", "switched", "purged", "taken back and purged"])
def test_an_earlier_repair_is_taken_back(tmp_path: Path, when: str) -> None:
    """Whatever became of the columns of vectors: the row has its earlier status, and nothing else of it is touched."""
    config, plan = sick(tmp_path)
    if when != "filling":
        filling(config).run()
    if when in ("switched", "purged", "taken back and purged"):
        to_stage(config, *SWITCH)
    if when == "purged":
        move = retire(looked(clinic_of(config, 8)), "ann")
        purge(clinic_of(config, 8), move.id, "ann")
    if when == "taken back and purged":
        to_stage(config, Stage.ROLLED_BACK)
        purge(clinic_of(config), Ledger.open(config.ledger_url).moves.all()[0].id, "ann")
    before = values(config, "status")
    assert "active" == statuses(config)["m1"]
    done = treatment.take_back(Clinic(config, FakeClock()), plan, by="ann")

    assert ("m1",) == done.restored, done.skipped
    assert "Active " == statuses(config)["m1"]
    assert before == values(config, "status")


@pytest.mark.parametrize("stage", [Stage.FILLING, Stage.SOAKING, Stage.RETIRED])
def test_a_healthy_table_stays_healthy(tmp_path: Path, stage: Stage) -> None:
    """A check of two columns finds nothing, half filled, switched and purged; an incremental one neither."""
    config, _ = on_its_way(tmp_path, rows_of({f"m{n}": f"Topic {n * 7919} of its own" for n in range(40)}))
    first = by_code(clinic_of(config).check().findings)
    if stage is not Stage.FILLING:
        filling(config).run()
        to_stage(config, *SWITCH)
    if stage is Stage.RETIRED:
        move = retire(looked(clinic_of(config, 8)), "ann")
        purge(clinic_of(config, 8), move.id, "ann")

    assert first == by_code(clinic_of(config).check().findings)
    assert (COLUMN if stage is not Stage.FILLING else "embedding") == clinic_of(config).reader.mapping.column(
        "embedding"
    )
    assert (stage is Stage.RETIRED) == ("embedding" not in dataset_of(config).schema.names)


# --- thresholds -------------------------------------------------------------------------------


def test_thresholds_of_the_space_beside_rest_on_its_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the switch: pairs by id bring the new column's vectors when its model is named, else the old one's."""
    texts = {f"m{n}": f"Walks the dog number {n}" for n in range(8)}
    config, _ = on_its_way(tmp_path, rows_of(texts))
    filling(config).run()
    pairs = [Labelled(f"m{n}", f"m{n + 1}", n % 2 == 0, True) for n in range(7)]
    seen: list[float] = []

    def scored(found: Any, before: Any, precision: float) -> TooFew:
        seen[:] = [one.cosine or 0.0 for one in found]
        return TooFew("en", 0, 0, few=True)

    monkeypatch.setattr(sys.modules["mendory.calibrating.run"], "calibrate", scored)
    for space, model in ((None, old_model()), ("old", old_model()), ("new", new_model())):
        calibrated = run(clinic_of(config), pairs, 0.9, None, space)
        made = model.embed(list(texts.values()))
        right = [float(made[n] @ made[n + 1]) for n in range(7)]

        assert model.identity.model == calibrated.space
        assert np.allclose(right, seen, atol=1e-6)
