"""Columns of owners that are named like ours, that Lance can't read, or that hold nothing: a check goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pytest

from expectations.running import judged
from mendory.clinic import Clinic
from mendory.errors import SchemaMismatch
from mendory.mapping import UNREAD, VECTOR, VECTORLESS, Mapping, further
from mendory.record import FIELD_NAMES
from tests.cli.conftest import Run, configure, run  # noqa: F401  (a fixture)
from tests.conftest import FakeClock, arrow, make_config, memory

pytestmark = pytest.mark.lance
ODD = ("a`b", 'we"ird `col`', "名`字")
"""Names that Lance writes and can't find again."""


def table_of(folder: Path, columns: dict[str, Any], rows: int = 30) -> Any:
    """A table of rows of which one has no source, with these columns more."""
    table = arrow([memory(f"m{n}", content=f"第 {n} 条 memory", source=None if n == 3 else "s") for n in range(rows)])
    for name, values in columns.items():
        at = table.schema.get_field_index(name)
        held = pa.nulls(rows) if values is None else pa.array([values] * rows)
        table = table.append_column(name, held) if at < 0 else table.set_column(at, name, held)
    return lancedb.connect(str(folder)).create_table("memories", table)


def told(clinic: Clinic) -> list[tuple[str, tuple[str, ...]]]:
    """What a check finds, which is what the suites say of the structure."""
    found = [(f.code.value, f.ids) for f in clinic.check().findings]
    said = judged(clinic.mapping, clinic.reader.batches(), clinic.reader.fetch, clinic.settings)
    assert {(code, (i,)) for code, ids in said.failing.items() for i in ids} == set(found)
    return found


@pytest.mark.parametrize("names", [("__vector", "__vectorless", "__unread"), ("向量", "number", "_distance", "_score")])
def test_a_column_named_like_a_computed_one_is_a_column_like_any(
    tmp_path: Path, clock: FakeClock, names: tuple[str, ...]
) -> None:
    """What a scan adds has names no column of a Lance table can have, and the owner's values are read."""
    table_of(tmp_path, dict.fromkeys(names, "值 value"))
    clinic = Clinic(make_config(tmp_path), clock)

    assert [("missing_source", ("m3",))] == told(clinic)
    assert dict.fromkeys(names, "值 value") == dict(clinic.reader.fetch(["m1"])["m1"].others)
    for name in (VECTOR, VECTORLESS, UNREAD, further("v")):
        with pytest.raises(RuntimeError, match="cannot contain"):
            lancedb.connect(str(tmp_path)).create_table("other", pa.table({name: [1]}))


@pytest.mark.parametrize("name", ODD)
def test_a_column_lance_can_not_read_stands_down(tmp_path: Path, run: Run, clock: FakeClock, name: str) -> None:  # noqa: F811
    """All the rest is checked, by what changed too; a plan, which keeps whole rows, is refused by the column's name."""
    table_of(tmp_path / "db", {name: "x"})
    configure(tmp_path)

    said = json.loads(run("check", "--json").stdout)
    why = "Lance reads no column with a backtick in its name; rename it"

    assert [("missing_source", ["m3"])] == [(f["code"], f["ids"]) for f in said["findings"]]
    assert {"what": f"column {name}", "reason": why} in said["stands_down"]
    assert told(Clinic(make_config(tmp_path / "db"), clock)) == [("missing_source", ("m3",))]
    assert 0 == run("init", f"{tmp_path / 'db'}#memories", "--config", str(tmp_path / "o.toml")).exit_code
    with pytest.raises(SchemaMismatch, match="backtick"):
        Clinic(make_config(tmp_path / "db")).reader.rows(["m1"])


@pytest.mark.parametrize("name", ODD)
def test_a_mapped_column_lance_can_not_read_is_named(tmp_path: Path, run: Run, name: str) -> None:  # noqa: F811
    """A field can't lie there: the message says why and what to do."""
    table_of(tmp_path / "db", {name: "x"})
    configure(tmp_path, "[mapping.columns]\nkind = " + json.dumps(name, ensure_ascii=False))

    said = run("check")

    assert 1 == said.exit_code
    assert said.output.startswith("input_invalid: ")
    assert "backtick" in said.output
    assert "Rename the column" in said.output


@pytest.mark.parametrize("name", [n for n in FIELD_NAMES if n not in ("id", "content")])
def test_a_column_that_can_hold_nothing_is_an_absent_field(tmp_path: Path, clock: FakeClock, name: str) -> None:
    """A column of the type null stands down in one line, however few rows there are; nothing is written to it."""
    table_of(tmp_path, {name: None}, rows=6)
    clinic = Clinic(make_config(tmp_path), clock)

    assert [("missing_source", ("m3",))] * (name != "source") == told(clinic)
    assert name in clinic.mapping.absent()
    assert clinic.mapping.can_hide == (name != "status")
    assert clinic.mapping.column(name) is None


def test_a_mark_where_nothing_can_be_held_hides_nothing() -> None:
    """A column of nulls holds no mark either, and a scope made of one is absent; the rest of the layout stays."""
    schema = pa.schema([("id", pa.string()), ("content", pa.string()), ("gone", pa.null()), ("who", pa.string())])
    places = {"scope": "{who}/{gone}", "source": "who"}
    absent = [n for n in FIELD_NAMES if n not in ("id", "content", "scope", "source")]
    mapping = Mapping.of(places, absent, hide={"gone": "是"}, pending={"who": "?"}, show={"gone": 0, "who": "x"})

    fitted = mapping.fitted(schema)

    assert (None, False) == (fitted.place("scope"), fitted.can_hide)
    assert ("who", mapping.vocabulary.pending) == (fitted.column("source"), fitted.vocabulary.pending)
    assert ["who"] == [str(place) for place, _ in fitted.vocabulary.show]
    assert fitted is fitted.fitted(schema)


@pytest.mark.parametrize("name", ["id", "content"])
def test_id_and_content_can_not_hold_nothing(tmp_path: Path, name: str) -> None:
    """A table without ids or texts is no table of memories: the message says so."""
    schema = pa.schema([(n, pa.null() if n == name else pa.string()) for n in ("id", "content")])
    mapping = Mapping.of({}, [n for n in FIELD_NAMES if n not in ("id", "content")])

    with pytest.raises(SchemaMismatch, match=f"column '{name}' has type null"):
        mapping.fitted(schema).check(schema)


@pytest.mark.parametrize(
    ("name", "kind", "advice"),
    [
        ("metadata", pa.struct([("topic", pa.string())]), "leaves of a struct can be mapped as other fields"),
        ("metadata", pa.map_(pa.string(), pa.string()), "an object as JSON text: write it so, or list metadata under"),
        ("claim", pa.list_(pa.string()), "an object as JSON text: write it so, or list claim under"),
        ("related_ids", pa.string(), "a list of texts: write it so, or list related_ids under mapping.absent"),
    ],
)
def test_a_column_of_another_shape_is_named_with_what_to_do(name: str, kind: pa.DataType, advice: str) -> None:
    """Metadata as a struct or a map, references as text: which column, of what type, and two ways out."""
    held = arrow([memory("m1", content="好")])
    at = held.schema.get_field_index(name)
    schema = held.schema.set(at, pa.field(name, kind))

    with pytest.raises(SchemaMismatch) as caught:
        Mapping.identity().check(schema)

    assert f"{name}: column '{name}' has type" in str(caught.value)
    assert advice in str(caught.value)
