"""Canary strings in memories with every structural fault are in no log, GX result, Prefect file or report.

What must not hold a memory's text is searched in plain, escaped, base64 and UTF-16 form, files packed and databases
cell by cell; the ledger, the side state and the table may hold it. That the search finds is proven by leaks on purpose.
"""

from __future__ import annotations

import gzip
import json
import logging
import math
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pytest

os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")

from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, PREFECT_HOME, temporary_settings
from prefect.testing.utilities import prefect_test_harness

from mendory.finding import KNOWN, Code, Ring
from tests.leaks import contents, forms
from tests.leaks import leaks as leaks_of

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("prefect")]
CANARIES = ("CANARY-4111-1111-1111-1111", "金丝雀身份证四一一一", "078-05-1120")
EVERY = f"{CANARIES[0]} {CANARIES[1]} {CANARIES[2]}"
KIND = {"topic": "t", "entities": ["e"], "scene": "s", "note": EVERY}
NOW = datetime.now(UTC).replace(microsecond=0)
DAY = NOW - timedelta(days=30)
TOML = """
[table]
uri = "db"
name = "memories"
[mapping.times.last_accessed_at]
forms = ["iso"]
[rules]
confirmed = ["merge.exact"]
[limits]
rows_per_run = 1000
repairs_per_day = 1000
scope_share = 1.0
sick_share_scope = 1.0
sick_share_table = 1.0
"""
STRUCTURE = {c.value for c in Code if KNOWN[c][0] is Ring.STRUCTURE}
UNREACHED = {"reference_chain"}
"""Codes that no row of the table below has."""


# --- the table ------------------------------------------------------------------------------------


def healthy(number: int) -> dict[str, Any]:
    """A row with nothing wrong whose content and metadata hold every canary."""
    return {
        "id": f"h{number}",
        "content": f"{number}: {EVERY}",
        "embedding": [math.cos(number), math.sin(number), 0.0],
        "metadata": json.dumps({**KIND, "n": number}, ensure_ascii=number % 2 == 0),
        "created_at": DAY,
        "updated_at": DAY,
        "source": "user_stated",
        "scope": "u1",
        "status": "active",
        "kind": "fact",
        "claim": None,
        "last_accessed_at": None,
        "last_verified_at": None,
        "batch_id": "b1",
        "duplicate_of": None,
        "superseded_by": None,
        "related_ids": [],
        "related_notes": [EVERY],
    }


FAULTS: tuple[dict[str, Any], ...] = (
    {"id": None},
    {"id": "h1"},
    {"id": "H2"},
    {"last_accessed_at": EVERY},
    {"content": "  "},
    {"embedding": None},
    {"created_at": None},
    {"updated_at": None},
    {"source": None},
    {"scope": None},
    {"scope": "u1; *"},
    {"metadata": f'{{"topic": "{EVERY}'},
    {"metadata": json.dumps({"note": EVERY})},
    {"status": "Active "},
    {"status": "gone"},
    {"superseded_by": "nobody"},
    {"id": "self", "superseded_by": "self"},
    {"id": "c1", "superseded_by": "c2"},
    {"id": "c2", "superseded_by": "c1"},
    {"id": "other", "scope": "u2", "related_ids": ["h3"]},
    {"embedding": [1.0, 0.0]},
    {"embedding": [math.nan, 0.0, 0.0]},
    {"embedding": [0.0, 0.0, 0.0]},
    {"embedding": [3.0, 4.0, 0.0]},
    *({"embedding": [0.6, 0.8, 0.0]} for _ in range(25)),
    {"updated_at": NOW + timedelta(days=2)},
    {"updated_at": DAY - timedelta(days=2)},
    {"updated_at": datetime(1970, 1, 20, 20, tzinfo=UTC)},
    {"updated_at": datetime(1960, 1, 1, tzinfo=UTC)},
    {"content": f"{EVERY}\u202e"},
    {"content": EVERY * 2500},
    {"content": f"twice {EVERY}", "id": "d1"},
    {"content": f"twice {EVERY}", "id": "d2"},
)


def make(folder: Path) -> None:
    """The table and its configuration."""
    rows = [healthy(n) for n in range(200)]
    for number, fault in enumerate(FAULTS):
        rows.append(healthy(1000 + number) | {"id": f"f{number}"} | fault)
    moment = pa.timestamp("us", "UTC")
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("content", pa.string()),
            ("embedding", pa.list_(pa.float32())),
            *((name, pa.string()) for name in ("metadata", "last_accessed_at")),
            ("created_at", moment),
            ("updated_at", moment),
            *((name, pa.string()) for name in ("source", "scope", "status", "kind", "claim")),
            ("last_verified_at", moment),
            *((name, pa.string()) for name in ("batch_id", "duplicate_of", "superseded_by")),
            ("related_ids", pa.list_(pa.string())),
            ("related_notes", pa.list_(pa.string())),
        ]
    )
    table = lancedb.connect(str(folder / "db")).create_table("memories", schema=schema)
    table.add(pa.Table.from_pylist(rows, schema=schema))
    (folder / "mendory.toml").write_text(TOML, encoding="utf-8")


# --- the search -----------------------------------------------------------------------------------


FORMS = [form for canary in CANARIES for form in forms(canary)]


def held(data: bytes) -> bool:
    """True when the bytes hold a canary in any form."""
    return any(form in data for form in FORMS)


def leaks(*places: Path) -> list[str]:
    """The files in these places that hold a canary."""
    return leaks_of(CANARIES, places)


# --- the runs -------------------------------------------------------------------------------------


@contextmanager
def logged(path: Path) -> Iterator[None]:
    """Everything any logger of this process says, from DEBUG on, is in the file."""
    handler, root = logging.FileHandler(path, encoding="utf-8"), logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(before)
        handler.close()


@contextmanager
def results_kept(path: Path) -> Iterator[None]:
    """Every result object that Great Expectations makes is in the file, as it prints and as it is stored."""
    from great_expectations.core.expectation_validation_result import (
        ExpectationSuiteValidationResult,
        ExpectationValidationResult,
    )

    kept: list[Any] = []
    patch = pytest.MonkeyPatch()
    for kind in (ExpectationSuiteValidationResult, ExpectationValidationResult):
        original = kind.__init__

        def noted(self: Any, *args: Any, _original: Any = original, **kwargs: Any) -> None:
            _original(self, *args, **kwargs)
            kept.append(self)

        patch.setattr(kind, "__init__", noted)
    try:
        yield
    finally:
        patch.undo()
        path.write_text("\n".join(f"{r.to_json_dict()}\n{r!r}" for r in kept), encoding="utf-8")


@dataclass(frozen=True)
class Ran:
    """Where everything is that the runs left: what was printed and logged; Prefect's home; the clinic's folder."""

    out: Path
    home: Path
    folder: Path
    found: dict[str, int]


VERB = """
import logging, sys
logging.basicConfig(filename=sys.argv.pop(1), level=logging.DEBUG)
from mendory.cli import main
main()
"""


def verb(out: Path, folder: Path, *words: str) -> str:
    """A verb in a process of its own, all logging on; what it prints goes to files, and is returned."""
    number = len(list(out.iterdir()))
    command = [sys.executable, "-c", VERB, str(out / f"{number}-{words[0]}.log"), *words]
    environment = {**os.environ, "RUST_LOG": "debug", "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False, timeout=300)
    (out / f"{number}-{words[0]}.stdout").write_bytes(done.stdout)
    (out / f"{number}-{words[0]}.stderr").write_bytes(done.stderr)
    assert done.returncode != 1, done.stderr[-2000:]
    return done.stdout.decode()


@pytest.fixture(scope="module")
def prefect(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Prefect's test server on a home of its own; its database is there too."""
    home = tmp_path_factory.mktemp("prefect")
    with (
        temporary_settings({PREFECT_HOME: home, PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}),
        prefect_test_harness(server_startup_timeout=120),
    ):
        yield home


def database() -> list[Path]:
    """The files of Prefect's database."""
    from prefect.settings import PREFECT_API_DATABASE_CONNECTION_URL

    path = Path(str(PREFECT_API_DATABASE_CONNECTION_URL.value()).removeprefix("sqlite+aiosqlite:///"))
    found = list(path.parent.glob(path.name + "*"))
    assert found
    return found


@pytest.fixture(scope="module")
def ran(prefect: Path, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """check, plan, apply and report on the command line; heal as a flow with suites; on tables of their own."""
    folder, out = tmp_path_factory.mktemp("clinic"), tmp_path_factory.mktemp("out")
    make(folder)
    shutil.copytree(folder, folder / "flow")
    verb(out, folder, "plan")
    lancedb.connect(str(folder / "db")).open_table("memories").update(
        where="id = 'h9'", values={"content": f"changed {EVERY}"}
    )
    verb(out, folder, "plan")  # only a second look tells a text that changed under its vector
    found: dict[str, int] = {}
    for one in json.loads(verb(out, folder, "check", "--json"))["findings"]:
        found[one["code"]] = found.get(one["code"], 0) + 1
    verb(out, folder, "check")
    verb(out, folder, "check", "--since", "last", "--lang", "zh")
    verb(out, folder, "doctor")
    planned = json.loads(verb(out, folder, "plan", "--json"))
    codes = [p[:8] for p in planned["open_plans"]] or [planned["plan"]["id"][:8]]
    for code in codes:
        verb(out, folder, "apply", code, "--dry-run")
        verb(out, folder, "apply", code)
        for form in ("markdown", "json", "html"):
            verb(out, folder, "report", code, "--format", form, "--out", str(out / f"{code}.{form}"))
    verb(out, folder, "review")

    from flows.heal import heal

    with logged(out / "flow.log"), results_kept(out / "gx.txt"):
        outcome = heal(str(folder / "flow" / "mendory.toml"), dry_run=False)
    (out / "outcome.json").write_text(json.dumps(outcome, ensure_ascii=False, default=str), encoding="utf-8")
    reports = [p for p in (folder / "flow" / ".mendory").rglob("*") if p.is_file() and p.suffix not in (".db", "")]
    for path in reports:
        if not path.name.endswith(("-wal", "-shm")):
            shutil.copy(path, out / f"flow-{path.name}")
    return Ran(out, prefect, folder, found)


def test_every_structural_fault_was_there(ran: Ran) -> None:
    """The runs met each structural code, so each had its chance to leak."""
    assert STRUCTURE - UNREACHED == set(ran.found) & (STRUCTURE - UNREACHED)


def test_the_runs_left_what_is_searched(ran: Ran) -> None:
    """Suites ran, Prefect's database knows the run, logs hold something, reports are written."""
    assert (ran.out / "gx.txt").stat().st_size > 1000
    assert (ran.out / "flow.log").stat().st_size > 1000
    assert {".markdown", ".json", ".html"} <= {p.suffix for p in ran.out.iterdir()}
    assert any(b"heal" in data for path in database() for data in contents(path))


def test_the_canaries_were_planted(ran: Ran) -> None:
    """The table does hold them, and so does the ledger, which keeps what a repair changes."""
    table = lancedb.connect(str(ran.folder / "db")).open_table("memories").to_arrow()

    assert 200 < sum(held(str(c).encode()) for c in table.column("content").to_pylist())
    assert 200 < sum(held(str(m).encode()) for m in table.column("metadata").to_pylist())


def test_no_canary_is_anywhere_else(ran: Ran) -> None:
    """Logs, printed pages, reports, GX results, what the flow returns, Prefect's home and database: 0 hits."""
    assert [] == leaks(ran.out, ran.home, *database())


# --- the proof is proven: leaks on purpose ----------------------------------------------------------


@pytest.mark.parametrize("canary", CANARIES)
def test_a_log_line_with_a_memory_is_found(tmp_path: Path, canary: str) -> None:
    """A debug line of any logger, raw or as repr."""
    with logged(tmp_path / "a.log"):
        logging.getLogger("somewhere.deep").debug("row %s", {"content": canary})

    assert [str(tmp_path / "a.log")] == leaks(tmp_path)


def test_a_result_of_great_expectations_with_values_is_found(ran: Ran, tmp_path: Path) -> None:
    """The same suite's kind of result without `exclude_unexpected_values` holds values, and is caught."""
    import great_expectations as gx
    import pandas as pd

    frame = pd.DataFrame({"id": ["m1"], "content": [EVERY]})
    batch = (
        gx.get_context(mode="ephemeral")
        .data_sources.add_pandas("p")
        .add_dataframe_asset("a")
        .add_batch_definition_whole_dataframe("w")
        .get_batch({"dataframe": frame})
    )
    rule = gx.expectations.ExpectColumnValuesToBeInSet(column="content", value_set=["other"])
    careful = {"result_format": "COMPLETE", "unexpected_index_column_names": ["id"], "partial_unexpected_count": 0}
    with results_kept(tmp_path / "values.txt"):
        batch.validate(rule, result_format="COMPLETE")
    with results_kept(tmp_path / "none.txt"):
        batch.validate(rule, result_format={**careful, "exclude_unexpected_values": True})

    assert [str(tmp_path / "values.txt")] == leaks(tmp_path)


def test_an_artifact_with_a_memory_is_found_in_the_database(ran: Ran) -> None:
    """Prefect stores what a task shows; a careless one would be found there, Chinese escaped or not."""
    from prefect.artifacts import create_markdown_artifact

    assert [] == leaks(*database())
    kept = create_markdown_artifact(f"row: {CANARIES[1]}", key="leak")

    try:
        assert leaks(*database())
    finally:
        forget(str(kept))


def forget(artifact: str) -> None:
    """The artifact is out of Prefect's database again, for the tests that follow."""
    path = next(p for p in database() if not p.name.endswith(("-wal", "-shm")))
    with closing(sqlite3.connect(path, timeout=30)) as conn, conn:
        conn.execute("PRAGMA secure_delete = ON")
        for table in ("artifact", "artifact_collection"):
            conn.execute(f"DELETE FROM {table} WHERE key = 'leak'")  # noqa: S608


@pytest.mark.parametrize("form", range(len(FORMS)))
def test_every_form_is_found_in_the_middle_of_a_file(tmp_path: Path, form: int) -> None:
    """Plain, escaped once and twice, UTF-16, base64: whatever stands around it."""
    (tmp_path / "x").write_bytes(b"before" + FORMS[form] + b"after")

    assert [str(tmp_path / "x")] == leaks(tmp_path)


def test_what_is_packed_or_lies_across_pages_of_a_database_is_found(tmp_path: Path) -> None:
    """A packed file, and a long cell of a database."""
    (tmp_path / "a.gz").write_bytes(gzip.compress(EVERY.encode()))
    with closing(sqlite3.connect(tmp_path / "b.db")) as conn, conn:
        conn.execute("CREATE TABLE t (x TEXT)")
        conn.execute("INSERT INTO t VALUES (?)", ("x" * 4070 + CANARIES[0] + "y" * 9000,))

    assert [str(tmp_path / "a.gz"), str(tmp_path / "b.db")] == leaks(tmp_path)
