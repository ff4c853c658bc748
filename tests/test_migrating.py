"""A move to another model on a real table with two real models: begun, filled, examined by the gate, taken back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
import pytest

from mendory.clinic import Clinic
from mendory.embedding import build
from mendory.errors import MigrationRefused
from mendory.gating import gate, purity
from mendory.lance.tables import create_table, to_table
from mendory.migrating import fill, go_back, start
from mendory.migration.gate import Part
from mendory.migration.purity import Impurity
from mendory.migration.stages import Stage
from mendory.record import arrow_schema
from mendory.spaces import Fingerprint
from tests import gate_kit as kit
from tests.conftest import FakeClock, make_config, memory

pytestmark = [pytest.mark.model, pytest.mark.xdist_group("gate")]
SOME = slice(None, None, 8)
"""Of the kit's memories: enough for a gate, in minutes less."""
LONG = {"long-en": "She drinks tea at the window, never coffee. " * 200, "long-zh": "她在窗边喝茶，从不喝咖啡。" * 700}
"""Memories that no model takes: recall returns them, and nobody may ask for them."""


def clinic_of(folder: Path, section: Mapping[str, Any]) -> Clinic:
    """The clinic as another process opens it, with that embedder configured."""
    return Clinic(make_config(folder, embedder=section), FakeClock())


def table_of(folder: Path) -> Any:
    """The table as another program opens it."""
    return lancedb.connect(str(folder)).open_table("memories")


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of the kit's memories in MiniLM's space, which its ledger knows."""
    folder = tmp_path_factory.mktemp("known")
    create_table(str(folder), "memories", 384)
    rows = [
        memory(item.id, content=item.text, scope=item.scope, embedding=vector.tolist())
        for item, vector in zip(kit.items()[SOME], kit.minilm().items[SOME], strict=True)
    ]
    rows += [memory(ident, content=text, scope=rows[0]["scope"], embedding=None) for ident, text in LONG.items()]
    table_of(folder).add(to_table(rows, arrow_schema(384)))
    at = clinic_of(folder, kit.MINILM)
    section = at.config.embedder
    assert section is not None
    at.ledger.spaces.adopt(Fingerprint.of(build(section)), "ann", section)
    return folder


@pytest.fixture(scope="module")
def moved(known: Path) -> tuple[Path, Any, Any]:
    """The folder, what the filling said, and the gate, after a move to the multilingual encoder was begun."""
    start(clinic_of(known, kit.USE), "ann")
    filled = fill(clinic_of(known, kit.USE))
    at = clinic_of(known, kit.USE)
    old, new = at.ledger.spaces.live()
    sections = [make_config(known, embedder=one).embedder for one in (kit.MINILM, kit.USE)]
    models = [build(one) for one in sections if one is not None]
    return known, filled, gate(at, (old, models[0]), (new, models[1]), 1)[0]


def test_every_row_is_filled_and_the_gate_passes(moved: tuple[Path, Any, Any]) -> None:
    """All five parts on what the real table holds and finds: nothing refuses."""
    folder, filled, found = moved

    assert (len(kit.items()[SOME]), 0, {"too long": len(LONG)}) == (filled.rows, filled.waiting, filled.left_out)
    assert found.passed, found.reasons
    assert list(Part) == [part.part for part in found.parts]
    assert found.version == table_of(folder).version


def test_the_new_vectors_are_the_models_and_the_old_ones_untouched(moved: tuple[Path, Any, Any]) -> None:
    """Row by row: the new column is what the model makes of the text, the old column bit for bit what it was."""
    folder, *_ = moved
    rows = table_of(folder).search().where("id NOT LIKE 'long-%'").limit(10_000).to_arrow()
    at = {item.id: n for n, item in enumerate(kit.items()[SOME])}
    order = [at[i] for i in rows.column("id").to_pylist()]
    [column] = [n for n in rows.column_names if n.startswith("embedding__")]
    new, old = (np.stack(rows.column(n).to_pylist()).astype(np.float32) for n in (column, "embedding"))

    assert (np.einsum("ij,ij->i", new, kit.use().items[SOME][order]) > 0.9999).all()
    assert np.array_equal(old.view("<u4"), kit.minilm().items[SOME][order].astype(np.float32).view("<u4"))


def test_a_half_filled_table_is_refused(moved: tuple[Path, Any, Any]) -> None:
    """Rows that somebody added since have no new vector: the first part says so."""
    folder, *_ = moved
    extra = [memory(f"x{n}", content=f"Added since, number {n}", scope="s", embedding=[0.05] * 384) for n in range(9)]
    table_of(folder).add(pa.Table.from_pylist(to_table(extra, arrow_schema(384)).to_pylist(), schema=arrow_schema(384)))
    at = clinic_of(folder, kit.USE)
    old, new = at.ledger.spaces.live()
    sections = [make_config(folder, embedder=one).embedder for one in (kit.MINILM, kit.USE)]
    models = [build(one) for one in sections if one is not None]
    found, _ = gate(at, (old, models[0]), (new, models[1]), 1)

    assert "half_migrated" in found.parts[0].reasons
    assert not found.passed


def test_rows_that_others_write_while_the_last_pass_goes_on_do_not_refuse_a_move(moved: tuple[Path, Any, Any]) -> None:
    """A table in use always has some rows that nobody could have filled yet: told to the gate, they are left out of it.

    Rows that waited when the last pass began, and wait still, are not among them.
    """
    folder, *_ = moved
    number = iter(range(100))

    def heard(done: int, total: int) -> None:
        extra = [memory(f"y{next(number)}", content="Written meanwhile", scope="s", embedding=[0.05] * 384)]
        table_of(folder).add(pa.Table.from_pylist(to_table(extra, arrow_schema(384)).to_pylist(), arrow_schema(384)))

    heard(0, 0)
    at = clinic_of(folder, kit.USE)
    filled = fill(at, told=heard)
    section = at.config.embedder
    assert section is not None
    without, with_them = (purity(at, build(section), 1, section.max_chars, late) for late in (filled.late, ()))

    assert (1, 1) == (filled.waiting, len(filled.late))
    assert {} == without.wrong
    assert {Impurity.HALF_MIGRATED: 1} == with_them.wrong


def test_after_the_switch_what_others_write_gets_the_vectors_that_are_searched(tmp_path: Path) -> None:
    """Foreign rows and a foreign change of a text, in both languages, hold the old vectors alone; then both."""
    texts = {"m1": "Li Wei drinks oolong tea", "m2": "李薇早餐习惯喝乌龙茶"}
    later = {"m2": "李薇改喝绿茶了", "x1": "The staging port is 8081", "x2": "测试环境的端口是8081"}
    sections = [{**kit.USE, "document_prefix": kit.PREFIX}, kit.USE]
    every = [*texts.values(), *later.values()]
    old, new = (dict(zip(every, kit.embedded(one, every), strict=True)) for one in sections)
    create_table(str(tmp_path), "memories", 512)
    made = {i: memory(i, content=text, embedding=old[text].tolist()) for i, text in {**later, **texts}.items()}
    table_of(tmp_path).add(to_table([made["m1"], made["m2"]], arrow_schema(512)))
    at = clinic_of(tmp_path, sections[0])
    assert at.config.embedder is not None
    at.ledger.spaces.adopt(Fingerprint.of(build(at.config.embedder)), "ann", at.config.embedder)
    move = start(clinic_of(tmp_path, sections[1]), "ann", same_width=True)
    at = clinic_of(tmp_path, sections[1])
    fill(at)
    for stage in (Stage.GATING, Stage.APPROVED, Stage.CANARY, Stage.SWITCHED, Stage.SOAKING):
        at.ledger.moves.to(move.id, stage, "ann")
    table_of(tmp_path).add(to_table([made["x1"], made["x2"]], arrow_schema(512)))
    changed = {"content": later["m2"], "embedding": old[later["m2"]].tolist()}
    table_of(tmp_path).update(where="id = 'm2'", values=changed)
    done = fill(clinic_of(tmp_path, sections[1]))
    rows = {row["id"]: row for row in table_of(tmp_path).to_arrow().to_pylist()}

    assert 0 == done.waiting
    for ident, text in {**texts, **later}.items():
        for column, right in (("embedding", old), (move.column, new)):
            assert np.allclose(rows[ident][column], right[text], atol=1e-5), (ident, column)


def test_the_way_back_leaves_the_old_space_and_another_move_may_begin(moved: tuple[Path, Any, Any]) -> None:
    """After it the old model is the table's, and the same move can be begun anew with what was filled."""
    folder, *_ = moved
    back = go_back(clinic_of(folder, kit.USE), "ann", "tried it")
    again = start(clinic_of(folder, kit.USE), "ann")

    assert (Stage.ROLLED_BACK, Stage.FILLING) == (back.stage, again.stage)
    assert back.column == again.column
    assert fill(clinic_of(folder, kit.USE)).rows <= 10


@pytest.mark.parametrize(
    ("section", "says"),
    [(kit.MINILM, "is the one that the table's vectors are of"), ({**kit.MINILM, "document_prefix": "x: "}, "name")],
    ids=["the same model", "the same width"],
)
def test_a_move_that_cannot_be_is_refused(known: Path, section: Mapping[str, Any], says: str, tmp_path: Path) -> None:
    """The table's own model, and one of the same width where nobody confirmed that readers name the column."""
    create_table(str(tmp_path), "memories", 384)
    at = clinic_of(tmp_path, kit.MINILM)
    own = at.config.embedder
    assert own is not None
    at.ledger.spaces.adopt(Fingerprint.of(build(own)), "ann", own)
    with pytest.raises(MigrationRefused, match=says):
        start(clinic_of(tmp_path, section), "ann")

    assert at.ledger.moves.all() == ()
    assert "embedding__" not in str(table_of(tmp_path).schema.names)


def test_a_table_whose_model_nobody_knows_is_refused(tmp_path: Path) -> None:
    """First somebody says which model it is of."""
    create_table(str(tmp_path), "memories", 384)
    with pytest.raises(MigrationRefused, match="spaces --adopt"):
        start(clinic_of(tmp_path, kit.USE), "ann")
