"""What the command line says after a run that was cut off, put off or rolled back, and which command comes next."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import lancedb
import pytest

from mendory.errors import CommitConflict
from mendory.executor.execute import MOST_TRIES
from mendory.lance import Writer
from tests.cli.conftest import LIMITS, Run, configure, plan_code
from tests.conftest import make_table, memory

pytestmark = pytest.mark.lance


def _apply_and_die(folder: Path, code: str) -> None:
    """`mendory apply` in a process of its own that dies by SIGKILL right after its first commit."""
    script = (
        "import os, signal, sys\n"
        "from mendory.cli import main\n"
        "from mendory.lance import Writer\n"
        "real = Writer.commit\n"
        "def commit(self, *args):\n"
        "    real(self, *args)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "import mendory.treatment as treatment\n"
        "run = treatment.run\n"
        "def begun(*args):\n"
        "    Writer.commit = commit\n"
        "    return run(*args)\n"
        "treatment.run = begun\n"
        f"main(['apply', {code!r}])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, env=os.environ, capture_output=True, check=False)
    assert -9 == done.returncode, done.stderr.decode()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_command_line_tells_what_recovery_found(tmp_path: Path, run: Run, lang: str) -> None:
    """After kill -9: all of it found by recovery, verified, undo named, exit 0; recover names the next step."""
    make_table(tmp_path / "db", [memory("a1", content="喜欢喝茶"), memory("a2", content="喜欢喝茶")])
    configure(tmp_path)
    code = plan_code(run)
    run("approve", code, "--as", "li.wei")
    _apply_and_die(tmp_path, code)
    recovered = run("recover", "--lang", lang)

    applied = run("apply", code, "--lang", lang)

    assert (recovered.exit_code, applied.exit_code) == (0, 0), applied.output
    assert f"mendory apply {code}" in recovered.output.splitlines()[-1]
    found = {"en": "1/1 (found by recovery)", "zh": "1/1 （恢复时发现已执行）"}[lang]
    assert found in applied.output
    assert f"mendory rollback {code}" in applied.output
    assert 4 == len([line for line in applied.output.splitlines() if line.startswith(("  verified", "  验证"))])
    record = json.loads(run("report", code, "--format", "json").output)
    assert [True] == [v["ok"] for v in record["verdicts"]]
    assert {"person": 1} == {k: n for k, n in record["ran_by"].items() if n}


# --- put off --------------------------------------------------------------------------------------


def _conflict(*_: Any) -> int:
    raise CommitConflict("Another writer committed first. Nothing was written. It is tried again.")


def test_what_was_put_off_is_tried_by_the_same_command_again(
    sick: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When other writers were faster every time, apply and rollback each name themselves as the next command."""
    assert sick.is_dir()
    code = plan_code(run)
    run("approve", code, "--as", "li.wei")
    monkeypatch.setattr("mendory.executor.owner.time.sleep", lambda seconds: None)
    with pytest.MonkeyPatch.context() as busy:
        busy.setattr(Writer, "commit", _conflict)
        put_off = run("apply", code)
    applied = run("apply", code)
    with pytest.MonkeyPatch.context() as busy:
        busy.setattr(Writer, "commit", _conflict)
        kept = run("rollback", code, "--group", "G1", "--as", "li.wei")

    assert 4 == put_off.exit_code, put_off.output
    assert f"other writers were faster {MOST_TRIES} times" in put_off.output
    assert f"next: mendory apply {code}" == put_off.output.splitlines()[-1]
    assert 0 == applied.exit_code, applied.output
    assert 4 == kept.exit_code, kept.output
    assert f"next: mendory rollback {code} --group G1 --as li.wei" == kept.output.splitlines()[-1]
    assert 0 == run("rollback", code, "--group", "G1", "--as", "li.wei").exit_code


# --- the record of what was rolled back -----------------------------------------------------------


def _record(run: Run, code: str) -> dict[str, Any]:
    return dict(json.loads(run("report", code, "--format", "json").output))


def _after(record: dict[str, Any]) -> dict[str, int]:
    return {p["code"]: p["after"] for p in record["problems"]}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_record_of_a_rolled_back_plan_tells_what_is_there(sick: Path, run: Run, lang: str) -> None:
    """Rolled back wholly, counts after are those of now and no undo is named; partly, it is."""
    assert sick.is_dir()
    code = plan_code(run)
    run("approve", code, "--as", "li.wei")
    run("apply", code)
    applied = _record(run, code)
    run("rollback", code, "--group", "G1")
    partly = _record(run, code)
    run("rollback", code)
    wholly, page = _record(run, code), run("report", code, "--format", "markdown", "--lang", lang).output

    found = {"duplicate_exact": 1, "illegal_status": 1, "missing_scope": 1}
    assert found == applied["found"]
    assert {**found, "duplicate_exact": 0, "illegal_status": 0} == _after(applied)
    assert {**found, "duplicate_exact": 0} == _after(partly)
    assert found == _after(wholly)
    undo = f"mendory rollback {code}"
    assert [undo, undo, None] == [r["undo"] for r in (applied, partly, wholly)]
    assert undo not in page
    assert {"en": "There is nothing to undo.", "zh": "没有需要撤销的内容。"}[lang] in page


# --- the owner's columns --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "the table gained column extra"), ("zh", "制定计划之后：表新增了列 extra")]
)
def test_apply_and_rollback_tell_of_a_column_that_came(sick: Path, run: Run, lang: str, said: str) -> None:
    """A column that came between plan, apply and rollback is told of, and stops neither."""
    (sick / "mendory.toml").write_text((sick / "mendory.toml").read_text() + LIMITS)
    code = plan_code(run)
    run("approve", code, "--as", "li.wei")
    lancedb.connect(str(sick / "db")).open_table("memories").add_columns({"extra": "cast('x' as string)"})

    applied, undone = run("apply", code, "--lang", lang), run("rollback", code, "--lang", lang)

    assert (applied.exit_code, undone.exit_code) == (0, 0), applied.output + undone.output
    assert [True, True] == [said in done.output for done in (applied, undone)]
