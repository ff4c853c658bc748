"""Sources of an import besides JSON Lines, what is set aside, and what a crash or a change in between leaves."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import lance
import lancedb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from mendory import cli, importer
from mendory.errors import InputInvalid
from mendory.importer import files, mem0
from mendory.importer.placing import placed
from mendory.mapping import Mapping
from mendory.record import arrow_schema
from tests.conftest import NOON, make_table, memory
from tests.test_importer import toml

Run = Callable[..., Result]
LINE = {"id": "m1", "content": "喜欢喝茶", "scope": "u1", "created_at": "2025-03-01T10:00:00Z"}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run('import', file)` runs the command line in the test's own folder, which has a configuration."""
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(cli.main, ["init", "./db#memories", "--dimension", "4"]).exit_code == 0
    return lambda *args: CliRunner().invoke(cli.main, [str(a) for a in args])


def rows(folder: Path) -> dict[str, dict[str, Any]]:
    """The rows of the table imported into, by id."""
    table = lancedb.connect(str(folder / "db")).open_table("memories")
    return {row["id"]: row for row in table.to_arrow().to_pylist()}


def jsonl(path: Path, *lines: dict[str, Any]) -> Path:
    """The file, holding these lines."""
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


# --- mem0 -----------------------------------------------------------------------------------------

OSS = {
    "results": [
        {
            "id": "a1",
            "memory": "不喜欢香菜",
            "hash": "0f3c",
            "created_at": "2024-07-01T06:00:00.123456-07:00",
            "updated_at": None,
            "user_id": "李/伟",
            "agent_id": "cook",
            "role": "user",
            "expiration_date": "2026-01-01",
            "metadata": {"topic": "饮食", "价": 1.5},
        }
    ]
}
PLATFORM = [
    {
        "id": "b1",
        "memory": "Lives in Oslo",
        "user_id": "u1",
        "app_id": "shop",
        "session_id": "s9",
        "metadata": None,
        "categories": ["home"],
        "replaced_by": "b2",
        "created_at": "2025-01-01T00:00:00Z",
        "updated_at": "2025-01-02T00:00:00Z",
    },
    {"id": "b2", "memory": "住在卑尔根", "userId": "u1", "createdAt": "2025-02-01T00:00:00Z", "updatedAt": None},
]


def test_what_mem0_returns_is_imported_with_owner_times_and_successor(run: Run, tmp_path: Path) -> None:
    """OSS: memory is the content, the ids are the scope; hash, expiry and role are kept; 06:00 -07:00 is 13:00 UTC."""
    (tmp_path / "all.json").write_text(json.dumps(OSS, ensure_ascii=False, indent=2), encoding="utf-8")
    counts = json.loads(run("import", "all.json", "--json").stdout)
    one = rows(tmp_path)["a1"]
    kept = json.loads(one["metadata"])

    assert (1, 1) == (counts["read"], counts["imported"])
    assert ("不喜欢香菜", "user:李%2F伟/agent:cook", "active") == (one["content"], one["scope"], one["status"])
    assert datetime.fromisoformat("2024-07-01T13:00:00.123456+00:00") == one["created_at"] == one["updated_at"]
    assert ("饮食", 1.5) == (kept["topic"], kept["价"])
    assert {"hash", "role", "expiration_date", "user_id", "agent_id"} == set(kept["extra"])


def test_the_platforms_list_and_the_other_spelling_of_keys_are_imported(run: Run, tmp_path: Path) -> None:
    """Replaced means archived, and by whom; app and session are scope; camelCase tells the same."""
    (tmp_path / "page.json").write_text(json.dumps(PLATFORM), encoding="utf-8")
    assert run("import", "page.json").exit_code == 0
    held = rows(tmp_path)

    assert ("archived", "b2", "user:u1/run:s9/app:shop") == tuple(
        held["b1"][name] for name in ("status", "superseded_by", "scope")
    )
    assert ("active", None, "user:u1") == tuple(held["b2"][name] for name in ("status", "superseded_by", "scope"))
    assert {"categories", "user_id", "app_id", "session_id"} == set(json.loads(held["b1"]["metadata"])["extra"])
    again = json.loads(run("import", "page.json", "--json").stdout)
    assert (0, 2) == (again["imported"], again["already_there"])


def test_a_memory_of_mem0_without_an_owner_is_quarantined_and_map_and_set_decide(run: Run, tmp_path: Path) -> None:
    """No scope is guessed; what the command line says goes before what the form says."""
    one = {"id": "c1", "memory": "likes tea", "created_at": "2025-01-01T00:00:00Z"}
    (tmp_path / "x.txt").write_text(json.dumps([one, one | {"id": "c2", "memory": ""}, 7]), encoding="utf-8")
    first = run("import", "x.txt", "--from", "mem0", "--json")
    second = run("import", "x.txt", "--from", "mem0", "--json", "--set", "scope=组", "--map", "kind=memory")

    assert {"content_empty": 1, "missing_scope": 1, "not_an_object": 1} == json.loads(first.stdout)["reasons"]
    assert 1 == json.loads(second.stdout)["imported"]
    assert ("组", "likes tea") == (rows(tmp_path)["c1"]["scope"], rows(tmp_path)["c1"]["kind"])


OBJECTS = st.lists(
    st.dictionaries(
        st.text(max_size=4), st.one_of(st.text(max_size=6), st.integers(), st.lists(st.text(max_size=3), max_size=2))
    ),
    max_size=5,
)


@given(OBJECTS, st.integers(1, 7), st.booleans(), st.booleans())
@settings(deadline=None, max_examples=150)
def test_a_list_is_taken_apart_wherever_its_bytes_are_cut(
    tmp_path_factory: pytest.TempPathFactory, objects: list[Any], step: int, ascii_only: bool, wrapped: bool
) -> None:
    """Brackets, quotes and backslashes in texts, parts of any size: the same objects as a parser finds."""
    path = tmp_path_factory.mktemp("m") / "all.json"
    whole = {"count": len(objects), "results": objects, "next": None} if wrapped else objects
    path.write_text(json.dumps(whole, ensure_ascii=ascii_only, indent=1), encoding="utf-8", errors="replace")
    expected = json.loads(path.read_text(encoding="utf-8"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "_STEP", step)
        found = [one.data for one in mem0.elements(path, [])]

    assert (expected["results"] if wrapped else expected) == [json.loads(one) for one in found]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"memories": []}', "get_all does not return"),
        ('{"results": [{"id": "a"}, {"id"', "after 1 whole"),
        ('"text"', "no list of memories"),
        ('[{"id": "a"}]\n[{"id": "b"}]', "holds more after its list"),
        ('[{"id": "a"}] 茶', "holds more after its list"),
        ('{"results": [{"id": "a"}]}\n{"results": [{"id": "b"}]}', "holds more after its list"),
        ('{"results": [{"id": "a"}], "results": [{"id": "b"}]}', "has a second `results`"),
        ('{"results": [{"id": "a"}], "next": null, "next": "x"}', "has a second `next`"),
        ('{"results": [{"id": "a"}]', "after 1 whole"),
        ('{"results": [{"id": "a"}], "next', "after 1 whole"),
        ('[{"id": "a"}', "after 0 whole"),
        ('{"meta": {"results": [{"id": "x"}]}, "results": [{"id": "a"}]}', "its member 1, which get_all does not"),
        ('{"results": [{"id": "a"}], "记忆": [{"id": "b"}]}', "its member 2, which get_all does not"),
        ('{"r\\u0065sults": [{"id": "a"}], "results": [{"id": "b"}]}', "its member 1, which get_all does not"),
        ('{"results": {"results": [{"id": "a"}]}}', "no list of memories under `results`"),
        ('{"results": [{"id": "a"}}', "closed as an object, after 1 whole"),
        ('{"count": 1}', "nor an object with `results`"),
        ("[1" + "0" * 40 + "}", "closed as an object"),
    ],
)
def test_a_file_that_is_no_list_or_ends_inside_it_is_an_error(run: Run, tmp_path: Path, text: str, says: str) -> None:
    """Nothing of it is imported, and what was read is counted as rejected."""
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    result = run("import", "x.json", "--json")

    assert (1, True) == (result.exit_code, says in result.stderr), result.stderr
    assert "Nothing was imported" in result.stderr
    assert ("after 1" in says) <= bool(result.stdout)
    if result.stdout:
        assert (1, 1, 0) == tuple(json.loads(result.stdout)[k] for k in ("read", "rejected", "ok"))
    assert not (tmp_path / "db").exists()


def test_what_is_no_memory_in_the_list_is_quarantined_alone(run: Run, tmp_path: Path) -> None:
    """Words, numbers, texts with brackets and lists between memories: each a record of its own, its neighbours come."""
    one, two = (json.dumps(OSS["results"][0] | {"id": n}, ensure_ascii=False) for n in ("甲", "b"))
    (tmp_path / "x.json").write_text(f'[null, {one}, 5,"x{{,", [{one}] ,{two},{{"id": "c" "d"}}]', encoding="utf-8")
    counts = json.loads(run("import", "x.json", "--json").stdout)
    entries = [json.loads(e) for e in (tmp_path / "x.json.quarantine.jsonl").read_text("utf-8").splitlines()]

    assert (7, 2, {"bad_json": 1, "not_an_object": 4}) == (counts["read"], counts["imported"], counts["reasons"])
    assert [1, 3, 4, 5, 7] == [entry["line"] for entry in entries]
    assert ["null", "5", '"x{,"', f"[{one}]", '{"id": "c" "d"}'] == [entry["text"] for entry in entries]
    assert {"甲", "b"} == set(rows(tmp_path))


@pytest.mark.parametrize(
    ("beside", "flagged"),
    [
        ({"count": 500, "next": "https://x/?page=2", "previous": None}, True),
        ({"next": None, "previous": "https://x/?page=1"}, True),
        ({"next": None, "previous": None, "relations": [{"source": "茶", "target": "tea"}]}, False),
        ({"note": '"results": ['}, False),
    ],
    ids=str,
)
def test_one_page_of_several_is_imported_and_told(
    run: Run, tmp_path: Path, beside: dict[str, Any], flagged: bool
) -> None:
    """Before its list or after it: the counts say that there are other pages; what else stands there is no memory."""
    for at, page in enumerate((OSS | beside, beside | OSS)):
        (tmp_path / f"{at}.json").write_text(json.dumps(page, ensure_ascii=False), encoding="utf-8")
        counts = json.loads(run("import", f"{at}.json", "--json").stdout)
        assert (1, 1) == (counts["read"], counts["imported"] + counts["already_there"])
        assert flagged == (counts["flagged"].get("one_page") == 1)


def test_two_columns_of_one_name_are_an_error_that_says_so(run: Run, tmp_path: Path) -> None:
    """Whichever column it is; nothing is imported."""
    plain = pa.table({name: [value] for name, value in LINE.items()})
    for name in ("id", "created_at", "其他"):
        column = plain.column(name) if name in LINE else pa.array(["茶"])
        table = pa.Table.from_arrays([*plain.columns, column, column], names=[*plain.column_names, name, name])
        pq.write_table(table, tmp_path / "in.parquet")
        result = run("import", "in.parquet")
        assert (1, "schema_mismatch") == (result.exit_code, result.stderr.partition(":")[0])
        assert "two columns have one name" in result.stderr


# --- tables ---------------------------------------------------------------------------------------


def test_a_table_of_another_shape_is_imported_by_map_and_unit_of_its_times(run: Run, tmp_path: Path) -> None:
    """OpenClaw's columns: text, createdAt in milliseconds as a float, vector; deleted rows are not there."""
    made = [
        {"id": n, "text": t, "vector": [0.5, 0.0, 0.0, n == "x"], "importance": 0.7, "createdAt": 1740823200000.0 + at}
        for at, (n, t) in enumerate([("o1", "喜欢喝茶"), ("o2", "Lives in Oslo"), ("x", "gone")])
    ]
    fields = [("id", pa.string()), ("text", pa.string()), ("vector", pa.list_(pa.float32(), 4))]
    schema = pa.schema([*fields, ("importance", pa.float64()), ("createdAt", pa.float64())])
    table = lancedb.connect(str(tmp_path / "claw")).create_table("mine", pa.Table.from_pylist(made, schema))
    table.delete("id = 'x'")
    named = ["--map", "content=text", "--map", "embedding=vector", "--map", "created_at=createdAt"]
    command = ["import", "claw#mine", *named, "--set", "scope=agent:我", "--time-format", "ms", "--json"]
    first, second = (json.loads(run(*command).stdout) for _ in range(2))
    held = rows(tmp_path)

    assert (2, 2, 0) == (first["read"], first["imported"], first["quarantined"])
    assert (0, 2) == (second["imported"], second["already_there"])
    assert {"o1", "o2"} == set(held)
    assert ("喜欢喝茶", [0.5, 0.0, 0.0, 0.0]) == (held["o1"]["content"], held["o1"]["embedding"])
    assert datetime.fromisoformat("2025-03-01T10:00:00.001000+00:00") == held["o2"]["created_at"]
    assert '{"extra": {"importance": 0.7}}' == held["o1"]["metadata"]


def test_our_own_table_imported_elsewhere_is_the_same_to_the_bit(run: Run, tmp_path: Path) -> None:
    """All fields, vectors bit for bit; imported into itself nothing changes."""
    full = memory("甲", kind="fact", related_ids=["乙"], claim={"entity": "u"}, last_verified_at="2025-02-01")
    make_table(tmp_path / "src", [full, memory("乙", embedding=[0.1, 1e-30, -3.0e38, 0.0], status="archived")], "old")
    first = json.loads(run("import", "src#old", "--json").stdout)
    own = json.loads(run("import", "db#memories", "--json").stdout)
    old, new = (
        lancedb.connect(str(tmp_path / a)).open_table(b).to_arrow() for a, b in (("src", "old"), ("db", "memories"))
    )

    assert 2 == first["imported"]
    assert (0, 2) == (own["imported"], own["already_there"])
    assert old.sort_by("id").equals(new.sort_by("id"))


def test_parquet_keeps_every_cell_and_says_which_rows_it_refuses(run: Run, tmp_path: Path) -> None:
    """Nested and binary cells are kept as JSON; a text that is no UTF-8 refuses its row alone, by number."""
    texts = pa.array([b"\xe8\x8c\xb6", b"\xff\xfe", b"tea"]).view(pa.string())
    table = pa.table(
        {
            "id": ["p1", "p2", "p3"],
            "content": texts,
            "scope": pa.array(["u1", "u1", "u2"]).dictionary_encode(),
            "created_at": pa.array([NOON] * 3, pa.timestamp("ns", "UTC")),
            "raw": pa.array([b"\x00\x01", None, None]),
            "when": pa.array([[NOON], None, None], pa.list_(pa.timestamp("us", "UTC"))),
            "far": pa.array([2**62, None, 0], pa.timestamp("ms")),
        }
    )
    pq.write_table(table, tmp_path / "in.bin")
    result = run("import", "in.bin", "--json")
    counts = json.loads(result.stdout)
    [*entries] = map(json.loads, (tmp_path / "in.bin.quarantine.jsonl").read_text("utf-8").splitlines())
    held = rows(tmp_path)

    assert {"bad_encoding": 1, "bad_timestamp": 1} == counts["reasons"]
    assert [(1, "bad_timestamp"), (2, "bad_encoding")] == [(e["line"], e["reason"]) for e in entries]
    assert "0001" in entries[0]["text"]
    assert {"far": "1970-01-01T00:00:00"} == json.loads(held["p3"]["metadata"])["extra"]
    assert ("u2", NOON) == (held["p3"]["scope"], held["p3"]["created_at"])


@pytest.mark.parametrize("kind", ["parquet", "lancedb"])
def test_typed_rows_go_where_an_owners_table_keeps_them(tmp_path: Path, kind: str) -> None:
    """Into an owner's own shape: each field in its place, a second import changes nothing."""
    from tests.test_side import MAPPING, SCHEMA
    from tests.test_side import row as owned

    db = lancedb.connect(str(tmp_path / "db"))
    db.create_table("memories", pa.Table.from_pylist([owned("a", "不要香菜")], schema=SCHEMA))
    config = {"table": {"uri": str(tmp_path / "db"), "name": "memories"}, "mapping": MAPPING}
    (tmp_path / "mendory.toml").write_text(toml(config), encoding="utf-8")
    table = pa.Table.from_pylist([LINE | {"id": f"n{n}", "status": s} for n, s in enumerate(["active", "archived"])])
    if kind == "parquet":
        pq.write_table(table, tmp_path / "in.parquet")
    else:
        lance.write_dataset(table, tmp_path / "in" / "t.lance")
    name = str(tmp_path / "in.parquet") if kind == "parquet" else f"{tmp_path}/in#t"
    command = ["import", name, "--config", str(tmp_path / "mendory.toml"), "--json"]
    first, second = (json.loads(CliRunner().invoke(cli.main, command).stdout) for _ in range(2))
    held = {r["mem_id"]: r for r in db.open_table("memories").to_arrow().to_pylist()}

    assert [(2, 0), (0, 2)] == [(r["imported"], r["already_there"]) for r in (first, second)]
    assert [0, 1] == [held[i]["is_deleted"] for i in ("n0", "n1")]


def test_a_naive_time_column_gets_the_wall_clock_of_its_zone() -> None:
    """Noon UTC is 20:00 where the owner's times are Shanghai's."""
    schema = arrow_schema(4)
    at = schema.get_field_index("created_at")
    batch = pa.RecordBatch.from_pylist([memory()], schema=schema)
    made = placed(
        batch, Mapping.of({}, zone="Asia/Shanghai"), schema.set(at, pa.field("created_at", pa.timestamp("s")))
    )

    assert [datetime(2025, 3, 1, 20)] == made.rows.column("created_at").to_pylist()  # noqa: DTZ001
    assert [False] == made.cut.tolist()


def test_an_id_that_the_mapping_skips_is_refused(run: Run, tmp_path: Path) -> None:
    """It would be a row that nobody reads."""
    text = (tmp_path / "mendory.toml").read_text(encoding="utf-8")
    (tmp_path / "mendory.toml").write_text(text + '\n[mapping]\nskip_ids = ["__schema__"]\n', encoding="utf-8")
    counts = json.loads(run("import", jsonl(tmp_path / "in.jsonl", LINE | {"id": "__schema__"}), "--json").stdout)

    assert {"bad_id": 1} == counts["reasons"]


# --- published whole ------------------------------------------------------------------------------


def test_all_new_rows_come_in_one_commit(run: Run, tmp_path: Path) -> None:
    """Five thousand lines in many batches are one version more; a second import is none."""
    make_table(tmp_path / "db", [memory("there")])
    lines = [LINE | {"id": f"m{n}", "metadata": {"n": n}} for n in range(5000)]
    before = lancedb.connect(str(tmp_path / "db")).open_table("memories").version
    file = jsonl(tmp_path / "in.jsonl", *lines)
    versions = []
    for _ in range(2):
        assert run("import", file).exit_code == 0
        versions.append(lancedb.connect(str(tmp_path / "db")).open_table("memories").version - before)

    assert [1, 1] == versions
    assert 5001 == len(rows(tmp_path))


def test_a_source_changed_between_its_two_readings_is_an_error(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text of a record refused late is read again; another file there is never quoted for it."""
    file = jsonl(tmp_path / "in.jsonl", LINE, LINE | {"content": "不喝茶"}, LINE | {"id": "m2"})
    take = importer.Import.take

    def taken(self: importer.Import, told: Any = None) -> None:
        take(self, told)
        jsonl(file, LINE | {"id": "其他"})

    monkeypatch.setattr(importer.Import, "take", taken)
    result = run("import", file, "--json")

    assert (1, True) == (result.exit_code, "was changed meanwhile" in result.stderr)
    assert (3, 3, 0) == tuple(json.loads(result.stdout)[k] for k in ("read", "rejected", "ok"))
    assert [] == [p.name for p in tmp_path.iterdir() if "quarantine" in p.name or p.name == "db"]


def test_no_room_for_what_is_set_aside_is_an_error_that_says_so(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is imported; the law is printed for the lines read; nothing is left in the temporary folder."""
    file = jsonl(tmp_path / "in.jsonl", LINE, LINE | {"id": "m2"})
    monkeypatch.setattr("mendory.importer.staging.Stage.close", lambda self: Path("/dev/full").write_text("x"))
    monkeypatch.setenv("LANG", "C")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = run("import", file)

    assert 1 == result.exit_code
    assert result.stderr.startswith("unavailable: ")
    assert "TMPDIR" in result.stderr
    assert "read 2 = ok 0 + quarantined 0 + rejected 2" in result.stdout
    assert [] == list(tmp_path.glob("mendory-import-*"))


@pytest.mark.crash
def test_an_import_that_is_killed_leaves_nothing_or_everything(tmp_path: Path) -> None:
    """Killed at any moment, and once more until it is through: never a part of the rows, never one twice."""
    file = jsonl(tmp_path / "in.jsonl", *[LINE | {"id": f"m{n}", "content": f"第 {n} 条"} for n in range(6000)])
    make_table(tmp_path / "db", [memory("there")])
    command = [sys.executable, "-m", "mendory"]
    where = {"cwd": tmp_path, "stdout": subprocess.DEVNULL, "env": os.environ | {"PYTHONPATH": os.getcwd()}}
    subprocess.run([*command, "init", "./db#memories", "--dimension", "4"], check=True, **where)  # type: ignore[call-overload]
    begun = time.monotonic()
    subprocess.run([*command, "import", str(file), "--dry-run"], check=True, **where)  # type: ignore[call-overload]
    whole, seen = time.monotonic() - begun, set()
    rng = random.Random(7)
    for _ in range(6):
        with subprocess.Popen([*command, "import", str(file)], **where) as process:  # type: ignore[call-overload]
            time.sleep(whole * rng.uniform(0.5, 1.1))
            process.send_signal(signal.SIGKILL)
        table = lancedb.connect(str(tmp_path / "db")).open_table("memories")
        seen.add(table.count_rows())
    subprocess.run([*command, "import", str(file)], check=True, **where)  # type: ignore[call-overload]
    table = lancedb.connect(str(tmp_path / "db")).open_table("memories")

    assert seen <= {1, 6001}
    assert (6001, 6001) == (table.count_rows(), len(rows(tmp_path)))


MEASURED = """
import resource, sys
from datetime import UTC, datetime
from pathlib import Path
from mendory import importer
from mendory.mapping import Mapping
from mendory.record import arrow_schema

source, folder = importer.source(sys.argv[1]), Path(sys.argv[2])
job = importer.Import(source, importer.Shaping(), Mapping.identity(), arrow_schema(4), datetime.now(UTC), folder)
job.take()
job.settle(None)
print(job.imported, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """A file eight times as large takes at most an eighth of the difference more memory."""
    peaks, sizes = [], []
    line = json.dumps(LINE | {"content": "喜欢喝茶" * 800}, ensure_ascii=False)[1:]
    for copies in (1_000, 8_000):
        file = tmp_path / f"{copies}.jsonl"
        with file.open("w", encoding="utf-8") as out:
            out.writelines(f'{{"n": {n}, {line}\n'.replace('"m1"', f'"m{n}"') for n in range(copies))
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, str(file), str(tmp_path)], check=True, capture_output=True, text=True
        )
        imported, peak = map(int, re.findall(r"\d+", done.stdout))
        assert copies == imported
        peaks.append(peak * 1024)
        sizes.append(file.stat().st_size)

    assert peaks[1] - peaks[0] < (sizes[1] - sizes[0]) / 8


def test_a_pipe_that_took_the_files_place_is_not_waited_for(tmp_path: Path) -> None:
    """Between the look and the opening another program may put a pipe there."""
    os.mkfifo(tmp_path / "in.jsonl")
    with pytest.raises(InputInvalid, match="no plain file"):
        list(files.lines(tmp_path / "in.jsonl"))


def test_a_quarantined_row_of_a_table_reads_back_as_json(run: Run, tmp_path: Path) -> None:
    """Its text is the row, so that it can be mended and imported as a line."""
    table = pa.Table.from_pylist([LINE | {"content": " ", "price": 1.5, "标签": ["a"]}])
    lance.write_dataset(table, tmp_path / "in" / "t.lance")
    assert 4 == run("import", "in#t").exit_code
    [entry] = map(json.loads, (tmp_path / "in#t.quarantine.jsonl").read_text("utf-8").splitlines())

    assert ("content_empty", LINE | {"content": " ", "price": 1.5, "标签": ["a"]}) == (
        entry["reason"],
        json.loads(entry["text"]),
    )
    assert not (tmp_path / "db").exists()  # no table was made for nothing
