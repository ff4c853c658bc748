"""The house: style, types, import directions, and traps of packaging."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """The command, run in the checkout."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize(
    "tool", [("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",), ("lint-imports",)], ids="-".join
)
def test_style_types_and_contracts_hold(tool: tuple[str, ...]) -> None:
    """ruff, mypy in strict mode and the import contracts have nothing to say."""
    done = run(str(BIN / tool[0]), *tool[1:])

    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]


def test_no_flow_file_is_named_like_an_import() -> None:
    """Prefect puts flows/ at the front of sys.path, so no stem in it may shadow a module."""
    stems = {p.stem for p in (ROOT / "flows").glob("*.py")} - {"__init__"}
    installed = {name for names in metadata.packages_distributions() for name in [names]}
    taken = set(sys.stdlib_module_names) | installed | {"mendory", "tasks", "expectations", "deployments"}

    assert set() == stems & (taken - {"flows"})


def test_flows_hold_no_types_and_no_helpers() -> None:
    """A flow file defines flows and nothing else."""
    import ast

    found = []
    for path in (ROOT / "flows").glob("*.py"):
        for node in ast.parse(path.read_text()).body:
            decorated = isinstance(node, ast.FunctionDef) and any("flow" in ast.dump(d) for d in node.decorator_list)
            if isinstance(node, ast.ClassDef) or (isinstance(node, ast.FunctionDef) and not decorated):
                found.append(f"{path.name}:{node.lineno}")

    assert found == []


def test_flows_start_without_great_expectations() -> None:
    """A worker starts a process for each run, some every five minutes: only a full check loads the suites."""
    done = run(
        sys.executable,
        "-c",
        "import sys, flows.heal, flows.migrate, flows.review, flows.treat\n"
        "print(sorted({'great_expectations', 'lance', 'torch'} & set(sys.modules)))",
    )

    assert ["[]"] == done.stdout.splitlines(), done.stderr


def test_no_installed_package_ships_our_top_level_names() -> None:
    """No distribution but ours provides mendory, flows, tasks or expectations."""
    ours = {"mendory", "flows", "tasks", "expectations", "deployments"}
    clashes = {
        name: dists
        for name, dists in metadata.packages_distributions().items()
        if name in ours and {d.lower() for d in dists} != {"mendory"}
    }

    assert clashes == {}


def test_the_wheel_holds_mendory_alone(tmp_path: Path) -> None:
    """The wheel has the package with its migrations and typing marker, and no flows, tasks, tests or demo."""
    done = run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path))
    assert done.returncode == 0, done.stderr
    [wheel] = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    tops = {n.split("/")[0] for n in names}

    assert {"mendory"} == {t for t in tops if not t.endswith(".dist-info")}
    assert {"mendory/py.typed", "mendory/ledger/migrations/env.py", "mendory/ledger/migrations/script.py.mako"} <= set(
        names
    )
    assert any(n.startswith("mendory/ledger/migrations/versions/0001") for n in names)


def test_no_filter_is_built_outside_the_quoting_function() -> None:
    """No f-string and no to_sql goes into where=, delete, update or count_rows of a table in mendory."""
    import ast

    found = []
    for path in (ROOT / "mendory").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", "")
                args = [k.value for k in node.keywords if k.arg in ("where", "filter")]
                args += [] if name == "update" else node.args  # a hash is updated too
                if name in ("where", "delete", "update", "count_rows", "to_table") and any(
                    isinstance(a, ast.JoinedStr | ast.BinOp) for a in args
                ):
                    found.append(f"{path.name}:{node.lineno}")
                if name == "to_sql":
                    found.append(f"{path.name}:{node.lineno} to_sql")

    assert found == []


def test_nothing_deletes_restores_or_unpickles() -> None:
    """No code of ours deletes rows, restores or tags a version, overwrites a table, or reads pickles."""
    import re

    forbidden = re.compile(
        r"\.(restore|delete_rows|drop_table|overwrite)\(|tags\.create|\bpickle\b|allow_pickle|mode=.overwrite"
    )
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in ("mendory", "tasks", "flows", "expectations", "deployments")
        for path in (ROOT / folder).rglob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if forbidden.search(line)
    ]

    assert found == []


@pytest.mark.xdist_group("probe")
def test_tests_of_one_group_run_on_one_worker(request: pytest.FixtureRequest) -> None:
    """The runner knows the groups: else tests that share a server would each start one of their own, at the same time.

    It tells its groups apart by what stands behind the name of a test.
    """
    expected = "@probe" if "PYTEST_XDIST_WORKER" in os.environ else "on_one_worker"

    assert request.node.nodeid.endswith(expected), request.node.nodeid
