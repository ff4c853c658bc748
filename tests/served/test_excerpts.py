"""Memory text on a page: only where the configuration says so, only while it waits, and nowhere else in Prefect."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.leaks import leaks
from tests.served.kit import Served
from tests.served.ward import TOML, Ward, admit, client_of

pytestmark = [pytest.mark.served, pytest.mark.xdist_group("prefect")]


def test_excerpts_are_on_the_page_alone_and_go_when_the_plan_closes(server: Served, tmp_path: Path) -> None:
    """With privacy.prefect_excerpts = "short" a page shows how memories begin; no artifact, name or log does.

    Answered, no answer of the server's API holds them. What its database keeps in free pages goes with VACUUM.
    """
    toml = TOML + '[privacy]\nprefect_excerpts = "short"\n'
    ward = Ward(server, admit(tmp_path / "table", toml), "excerpts-")
    texts = ("用户不吃香菜", "Prefers a window seat")
    with client_of(server):
        ward.deploy()
        [(plan_id, run)] = ward.heal()["asking"].items()
        assert "Suspended" == ward.carry_on(run)
        [page] = [i["value"] for i in ward.inputs(run) if i["key"].endswith("-description")]
        while_it_waits = told_by_the_server(ward, run)
        assert [] != leaks(texts, [copied(server, tmp_path / "waits.db")]), "else the search finds nothing anywhere"
        ward.answer(run, decision="approve", approver="anna", plan_code=plan_id[:8], note="")
        assert "Completed" == ward.carry_on(run)
        afterwards = told_by_the_server(ward, run)

    assert [True, True] == [text in json.loads(page) for text in texts]
    for text in texts:
        assert text not in json.dumps(while_it_waits, ensure_ascii=False)
        assert text not in json.dumps(afterwards, ensure_ascii=False)
    assert [] == ward.inputs(run)
    after = copied(server, tmp_path / "after.db")
    with closing(sqlite3.connect(after)) as held:
        held.execute("VACUUM")
    assert [] == leaks(texts, [after])


def copied(server: Served, path: Path) -> Path:
    """The server's database in a file of its own, free pages and all."""
    with closing(sqlite3.connect(server.home / "prefect.db")) as held, closing(sqlite3.connect(path)) as copy:
        held.backup(copy)
    return path


def told_by_the_server(ward: Ward, run: str) -> list[Any]:
    """The run, its artifacts, logs and task runs, as the server tells them."""
    of_run = {"flow_runs": {"id": {"any_": [run]}}}
    return [
        ward.served.run_of(run),
        ward.served.post("/artifacts/filter", of_run),
        ward.served.post("/logs/filter", {"logs": {"flow_run_id": {"any_": [run]}}}),
        ward.served.post("/task_runs/filter", of_run),
    ]
