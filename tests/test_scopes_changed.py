"""Scopes in real tables: a check of what changed tells of them what a check of everything does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mendory.clinic import Clinic
from mendory.finding import Finding
from tests.conftest import FakeClock, arrow, make_config, make_table, memory
from tests.test_incremental import compare, left, opened, unit

pytestmark = pytest.mark.lance
ABOUT = {"topic": "t", "entities": ["a"], "scene": "s"}


def owned(name: str, scope: str, owner: str, number: int, text: str = "") -> dict[str, Any]:
    """A healthy row of a scope whose metadata names its owner."""
    content = text or f"第 {number} 条 memory of its own"
    return memory(name, content=content, embedding=unit(number), scope=scope, metadata=ABOUT | {"owner": owner})


def table(folder: Path, *more: dict[str, Any]) -> Clinic:
    """A clinic on 80 rows of two owners, with a checkpoint."""
    rows = [owned(f"a{n:02d}", "ann", "ann", n) for n in range(40)]
    rows += [owned(f"b{n:02d}", "ben", "ben", n + 100) for n in range(40)]
    make_table(folder, [*rows, *more])
    clinic = Clinic(make_config(folder), FakeClock())
    left(clinic)
    return clinic


def scopes(clinic: Clinic) -> list[tuple[str, str | None, tuple[str, ...], Any]]:
    """(code, scope, ids, rows) of what a check of what changed finds of scopes."""
    seen: tuple[Finding, ...] = clinic.check(since="last").findings
    return [(f.code.value, f.scope, f.ids, f.evidence["rows"]) for f in seen if f.code.value.startswith("scope_")]


def test_a_row_goes_to_another_s_scope_and_back(tmp_path: Path) -> None:
    """A new row of another owner is told of from what changed alone; when it is gone nothing is."""
    clinic = table(tmp_path)
    opened(tmp_path).add(arrow([owned("x", "ann", "ben", 500)]))

    assert [("scope_owner", "ann", ("x",), 1)] == scopes(clinic)
    assert "incremental" == compare(clinic)
    assert clinic.checkpoint(clinic.check(since="last"))
    opened(tmp_path).update(where="id = 'x'", values={"scope": "ben"})
    assert [] == scopes(clinic)
    assert "incremental" == compare(clinic)


@pytest.mark.parametrize(("scope", "differ"), [("Ann", "case"), ("ann/", "outer"), ("ａｎｎ", "width")])
def test_a_new_spelling_is_told_once_all_rows_are_known(tmp_path: Path, scope: str, differ: str) -> None:
    """Which rows stand for the old spelling nobody knows yet, so all are read; after that what changed is enough."""
    clinic = table(tmp_path)
    opened(tmp_path).add(arrow([owned("x", scope, "ann", 500)]))

    part = clinic.check(since="last", keep=True)

    assert "which rows stand for what is found of scopes is no longer known" == part.basis.why
    assert [("a00", "x")] == [f.ids for f in part.findings]
    assert [[differ]] == [f.evidence["differ"] for f in part.findings]
    assert clinic.checkpoint(part)
    opened(tmp_path).add(arrow([owned("y", scope, "ann", 501), owned("a000", "ann", "ann", 502)]))
    assert [("scope_spelling", min("ann", scope), ("a00", "x"), 43)] == scopes(clinic)
    assert "incremental" == compare(clinic)


def test_the_row_that_stands_for_a_doubt_goes(tmp_path: Path) -> None:
    """Of many rows three stand for the doubt; when one of them goes, which comes next must be looked for."""
    clinic = table(tmp_path, *(owned(f"x{n}", "ann", "ben", 500 + n) for n in range(5)))
    opened(tmp_path).delete("id = 'x4'")
    assert [("scope_owner", "ann", ("x0", "x1", "x2"), 4)] == scopes(clinic)
    assert "incremental" == compare(clinic)

    opened(tmp_path).delete("id = 'x1'")

    assert "full" == compare(clinic)
    assert [("scope_owner", "ann", ("x0", "x2", "x3"), 3)] == scopes(clinic)


def test_what_a_row_says_of_itself_stands_while_other_rows_change(tmp_path: Path) -> None:
    """A doubt on rows that nobody touched is told on, with the counts of now."""
    stray = owned("x", "ann", "ann", 500, "My name is Ben")
    clinic = table(tmp_path, stray)
    opened(tmp_path).update(where="id = 'a07'", values={"content": "改过的 text"})
    opened(tmp_path).add(arrow([owned("y", "ann", "ann", 501)]))

    seen = [f for f in clinic.check(since="last").findings if f.code.value == "scope_subject"]

    assert [(("x",), {"rows": 1, "of": 42, "elsewhere": "ben"})] == [(f.ids, dict(f.evidence)) for f in seen]
    assert "incremental" == compare(clinic)


def test_a_composite_scope_is_read_in_its_parts(tmp_path: Path) -> None:
    """Of a mapping that joins tenant and user, the user's part names the owner; escapes tell tenants apart."""
    rows = [
        memory(f"m{n}", content=f"第 {n} 条 of its own", embedding=unit(n), metadata=ABOUT | extra)
        for n, extra in enumerate(
            [
                {"tenant": "acme", "who": "ann", "owner": "ann"},
                {"tenant": "acme", "who": "ann", "owner": "ann"},
                {"tenant": "acme", "who": "ann", "owner": "ben"},
                {"tenant": "acme", "who": "ben", "owner": "ben"},
                {"tenant": "a/b", "who": "c"},
                {"tenant": "a", "who": "b/c"},
            ]
        )
    ]
    make_table(tmp_path, rows)
    config = make_config(tmp_path, mapping={"columns": {"scope": "{metadata.tenant}/{metadata.who}"}})

    seen = [f for f in Clinic(config, FakeClock()).check().findings if f.code.value.startswith("scope_")]

    assert [("scope_owner", "acme/ann", ("m2",))] == [(f.code.value, f.scope, f.ids) for f in seen]


def test_of_many_doubts_few_are_told_and_kept(tmp_path: Path) -> None:
    """Of many scopes, every one misspelt, fifty findings are told, with few rows each; so much a checkpoint keeps."""
    rows = [
        memory(f"m{n}{end}", content="x" * 9 + f"{n} {end}", embedding=unit(n), scope=f"user{n}x{end}")
        for n in range(600)
        for end in ("a", "A")
    ]
    make_table(tmp_path, rows)
    clinic = Clinic(make_config(tmp_path), FakeClock())

    checked = clinic.check(keep=True)

    found = [f for f in checked.findings if f.code.value == "scope_spelling"]
    assert (50, {600}) == (len(found), {f.evidence["such"] for f in found})
    assert checked.kept is not None
    assert 100 == len(json.loads(json.dumps(checked.kept["firsts"])))
