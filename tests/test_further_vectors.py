"""Further columns of vectors are judged each by itself, and never written."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mendory
from expectations import running, suites
from mendory import treatment
from mendory.clinic import Clinic
from mendory.detect import Settings, examine
from mendory.errors import SchemaMismatch
from mendory.finding import Finding
from mendory.mapping import Mapping
from mendory.report.reasons import chinese
from tests.conftest import GENEROUS, FakeClock, arrow, make_config, memory
from tests.parity import both, fetched, scanned
from tests.properties.stores import quick
from tests.test_incremental import unit

VECTORS = ["title_vec", "标题向量"]
"""One of a fixed size, one of lists of any length; LanceDB itself makes the latter of a fixed size by other names."""
Vector = Sequence[float | None] | None
TYPES = {VECTORS[0]: pa.list_(pa.float32(), 4), VECTORS[1]: pa.list_(pa.float32())}
FAULTS: dict[str, tuple[Vector, str]] = {
    "zero": ([0.0, 0.0, 0.0, 0.0], "embedding_zero"),
    "nan": ([float("nan"), 0.0, 0.0, 1.0], "embedding_non_finite"),
    "lacks": ([0.6, None, 0.0, 0.8], "embedding_non_finite"),
    "short": ([0.6, 0.8], "embedding_dim_mismatch"),
    "far": ([3.0, 0.0, 0.0, 0.0], "embedding_norm"),
}
"""A vector of each fault, and the code it is found by among normalised vectors of four components."""


def table_of(rows: Sequence[dict[str, Any]], **columns: Sequence[Vector]) -> pa.Table:
    """The rows with these columns of vectors beside the embedding: of four components, or lists of any length."""
    made = arrow(rows)
    for name, vectors in columns.items():
        made = made.append_column(name, pa.array(vectors, TYPES[name]))
    return made


def sick() -> pa.Table:
    """60 rows: a null and each fault once in the first column, the faults in other rows of the second, one in both."""
    rows = [memory(f"m{n:02}", content=f"第 {n} 件事 no. {n}", embedding=unit(n)) for n in range(60)]
    title: list[Vector] = [unit(n) for n in range(60)]
    second: list[Vector] = [unit(2 * n) for n in range(60)]
    title[0] = second[1] = None
    for at, (vector, _) in enumerate(FAULTS.values()):
        second[20 + at] = vector
        if vector is not None and len(vector) == 4:
            title[10 + at] = vector
    rows[30]["embedding"] = title[30] = second[30] = [0.0, 0.0, 0.0, 0.0]
    rows[31]["status"] = "Active "
    return table_of(rows, **{VECTORS[0]: title, VECTORS[1]: second})


def clinic_of(folder: Path, rows: pa.Table, **mapping: Any) -> Clinic:
    """A clinic on a real table of these rows."""
    lancedb.connect(str(folder)).create_table("memories", rows, mode="overwrite")
    config = make_config(folder, limits=GENEROUS, mapping={"vectors": VECTORS} | mapping)
    return Clinic(config, FakeClock())


def told(findings: Sequence[Finding]) -> set[tuple[str, str, str]]:
    """(column, code, id) of the findings about vectors; the embedding's column is empty."""
    found = [f for f in findings if f.code.value.startswith("embedding_")]
    return {(f.evidence.get("column", ""), f.code.value, *f.ids) for f in found}


EXPECTED = {
    *(("title_vec", code, f"m{10 + at}") for at, (_, code) in enumerate(FAULTS.values()) if at != 3),
    *(("标题向量", code, f"m{20 + at}") for at, (_, code) in enumerate(FAULTS.values())),
    *((column, "embedding_zero", "m30") for column in ("", *VECTORS)),
}


@pytest.mark.lance
def test_each_column_is_judged_by_itself_and_named(tmp_path: Path) -> None:
    """Each fault is found once, in its column; null is none; a vector of zeros in three columns is three findings."""
    found = clinic_of(tmp_path, sick()).check().findings

    assert EXPECTED == told(found)
    zeros = [f for f in found if f.ids == ("m30",)]
    assert 3 == len({f.id for f in zeros})
    assert {"the vector is all zeros", *(f"column {c}: the vector is all zeros" for c in VECTORS)} == {
        f.reason for f in zeros
    }
    assert {"向量全为零", *(f"{c} 列：向量全为零" for c in VECTORS)} == {chinese(f.reason) for f in zeros}


@pytest.mark.lance
def test_findings_of_the_embedding_keep_their_ids(tmp_path: Path) -> None:
    """What is found of the embedding has the same id with and without further columns; without, nothing else is."""
    with_them = clinic_of(tmp_path, sick()).check().findings
    without = clinic_of(tmp_path, sick(), vectors=[]).check().findings

    assert {("", "embedding_zero", "m30")} == told(without)
    assert {f.id for f in with_them if "column" not in f.evidence} == {f.id for f in without}


def test_the_id_of_a_finding_is_what_it_always_was() -> None:
    """A known row has the id that earlier releases gave it: dismissals hold on it."""
    rows = [memory(f"m{n}", embedding=[0.0] * 4 if n == 7 else [1.0, n, 0.0, 0.0]) for n in range(9)]
    held = Mapping.identity().memories(scanned(Mapping.identity(), arrow(rows)))
    [found] = [f for f in examine(held, fetched(held), Settings()).findings if f.code.value == "embedding_zero"]

    assert "2c496ec909a79c3ec247b1d8ba6be48689cc9d006d07bcd9922688d6b4926ca7" == found.id


@pytest.mark.lance
def test_the_suites_name_the_same_rows(tmp_path: Path) -> None:
    """Each column has a suite of its own; what fails are the rows of the pure rules, column by column."""
    clinic = clinic_of(tmp_path, sick())
    for column in VECTORS:
        one = clinic_of(tmp_path, sick(), vectors=[column])
        judged = running.judged(one.mapping, one.reader.batches(), one.reader.fetch, one.settings)
        expected = {(code, i) for c, code, i in EXPECTED if c in ("", column)}
        assert expected == {(c, i) for c, ids in judged.failing.items() if c.startswith("embedding_") for i in ids}
    both_columns = running.judged(clinic.mapping, clinic.reader.batches(), clinic.reader.fetch, clinic.settings)

    assert {(code, i) for _, code, i in EXPECTED} == {
        (c, i) for c, ids in both_columns.failing.items() if c.startswith("embedding_") for i in ids
    }


PIECES = (None, None, [0.0] * 4, [1.0, 0.0, 0.0, 0.0], [0.6, 0.8], [3.0, 0, 0, 0], [], [float("inf"), 0, 0, 0], [None])


def random_table(seed: int, size: int) -> pa.Table:
    """Rows with two further columns, of which each may be healthy, sick or empty; some rows share an id."""
    rng = random.Random(seed)
    names = [f"m{n}" if rng.random() < 0.9 else rng.choice(("m0", "", None)) for n in range(size)]
    columns: dict[str, list[Vector]] = {}
    for column in VECTORS:
        share = rng.choice((0.0, 0.05, 0.5, 1.0))
        pieces = [p for p in PIECES if p is None or len(p) == 4 or column == VECTORS[1]]
        columns[column] = [rng.choice(pieces) if rng.random() < share else unit(n) for n in range(size)]
    return table_of([memory(name, embedding=unit(n)) for n, name in enumerate(names)], **columns)


@given(st.integers(0, 2**32 - 1), st.integers(1, 70))
@quick(20)
def test_suites_and_pure_rules_flag_the_same_rows(seed: int, size: int) -> None:
    """Whatever is usual in a column, and however few of the rows fill it."""
    mapping = Mapping.of({}, vectors=VECTORS)
    by_rules, by_suites = both(mapping, random_table(seed, size), Settings(vectors=mapping.vectors))

    assert by_rules == by_suites


@pytest.mark.parametrize("code", sorted({code for _, code in FAULTS.values()}))
def test_a_suite_without_one_rule_differs_from_the_pure_rules(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parity tells each rule of a further column's suite that is gone."""
    whole = suites.further

    def lacking(column: str, known: Any) -> Any:
        suite = whole(column, known)
        suite.expectations = [rule for rule in suite.expectations if rule.meta["code"] != code]
        return suite

    mapping = Mapping.of({}, vectors=VECTORS)
    settings = Settings(vectors=mapping.vectors)
    by_rules, by_suites = both(mapping, sick(), settings)
    assert by_rules == by_suites
    monkeypatch.setattr(suites, "further", lacking)
    by_rules, by_suites = both(mapping, sick(), settings)

    assert by_rules != by_suites


def _vector(table: Any, rng: random.Random) -> None:
    column = rng.choice(VECTORS)
    ids = sorted({f"m{rng.randrange(60):02}" for _ in range(3)})
    faults = [v for v, _ in FAULTS.values() if column == VECTORS[1] or len(v or ()) == 4]
    cells = [rng.choice((None, *faults, unit(rng.randrange(99)))) for _ in ids]
    part = pa.table({"id": ids, column: pa.array(cells, TYPES[column])})
    table.merge_insert("id").when_matched_update_all().execute(part, on_bad_vectors="null")


def _row(table: Any, rng: random.Random) -> None:
    number = rng.randrange(100, 999)
    fresh = table_of([memory(f"n{number}", embedding=unit(number))], **{c: [unit(number)] for c in VECTORS})
    table.add(fresh)


def _gone(table: Any, rng: random.Random) -> None:
    table.delete(f"id = 'm{rng.randrange(60):02}'")


@pytest.mark.lance
@pytest.mark.parametrize("seed", range(6))
def test_a_check_of_what_changed_finds_what_a_full_one_does(seed: int, tmp_path: Path) -> None:
    """Another program fills, empties and spoils further vectors; each check of changes is the check of everything."""
    pytest.importorskip("lance")
    rng = random.Random(seed)
    clinic = clinic_of(tmp_path, sick())
    clinic.plan()
    owners = lancedb.connect(str(tmp_path)).open_table("memories")
    incremental = 0
    for _ in range(5):
        rng.choice((_vector, _vector, _row, _gone))(owners, rng)
        checked = clinic.check(keep=True, since="last")
        everything = clinic.check()
        incremental += checked.basis.since is not None

        assert [f.as_json() for f in everything.findings] == [f.as_json() for f in checked.findings]
        assert everything.examination.stands_down == checked.examination.stands_down
        assert clinic.checkpoint(checked)
    assert incremental


@pytest.mark.lance
def test_a_repair_and_the_door_leave_further_vectors_bit_for_bit(tmp_path: Path) -> None:
    """A status is mended and a text changed through the door: no byte of a further vector is another."""
    clinic = clinic_of(tmp_path, sick())
    before = _further(tmp_path)
    planned = clinic.plan()
    assert planned.plan is not None
    treatment.apply(clinic, planned.plan.id)
    with mendory.open(clinic.config) as door:
        door.update("m40", content="住在杭州，不在 Oslo", embedding=unit(7))
    rows = {r["id"]: r for r in lancedb.connect(str(tmp_path)).open_table("memories").to_arrow().to_pylist()}

    assert ("active", "住在杭州，不在 Oslo") == (rows["m31"]["status"], rows["m40"]["content"])
    assert before == _further(tmp_path)


def _further(folder: Path) -> dict[str, list[str]]:
    rows = lancedb.connect(str(folder)).open_table("memories").to_arrow().select(["id", *VECTORS])
    return {r["id"]: [repr(r[c]) for c in VECTORS] for r in rows.to_pylist()}


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        (["gone"], "vectors: no column 'gone'"),
        (["embedding"], "vectors: column 'embedding' holds the embedding"),
        (["content"], "vectors: column 'content' holds the content"),
        (["标题"], "vectors: column '标题' has type string"),
        (["title_vec", "title_vec"], "vectors: column 'title_vec' is named 2 times"),
    ],
)
def test_a_column_that_holds_no_further_vectors_is_refused_by_name(vectors: list[str], said: str) -> None:
    """A mapping that names no column, a field's column, one of another type, or one twice does not fit."""
    schema = sick().append_column("标题", pa.array(["茶"] * 60)).schema

    with pytest.raises(SchemaMismatch) as caught:
        Mapping.of({}, vectors=vectors).check(schema)

    assert f"in 1 field(s): {said}." in str(caught.value)


@pytest.mark.lance
def test_the_side_state_outlives_the_naming_of_a_further_column(tmp_path: Path) -> None:
    """Which text an embedding came from is still known when further columns are named."""
    named: Callable[[Clinic], str] = lambda clinic: clinic.side_state._key  # noqa: E731
    without = named(clinic_of(tmp_path, sick(), vectors=[]))

    assert without == named(clinic_of(tmp_path, sick()))
