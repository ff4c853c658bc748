"""The command line: the verbs, their exit codes, what they print and what they write."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import pytest

import mendory
from mendory.lance import Reader, Writer
from mendory.mapping import Mapping
from tests.cli.conftest import LIMITS, SICK, Run, configure, plan_code
from tests.conftest import make_table, memory

pytestmark = pytest.mark.lance
ROOT = Path(__file__).resolve().parents[2]


def statuses(folder: Path) -> dict[str, str | None]:
    """Id → status of every row, read anew."""
    reader = Reader(str(folder / "db"), "memories", Mapping.identity())
    return {str(m.id): m.status for m in reader.scan()}


def test_init_writes_only_its_file_and_switches_nothing_on(tmp_path: Path, run: Run) -> None:
    """A plain `init` leaves the folder with the table and mendory.toml, and no rule confirmed."""
    make_table(tmp_path / "db", SICK)

    assert run("init", "./db#memories").exit_code == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["db", "mendory.toml"]
    assert "\n[limits]" not in (tmp_path / "mendory.toml").read_text()
    assert "\n[rules]" not in (tmp_path / "mendory.toml").read_text()


def test_init_refuses_to_overwrite_and_a_name_it_cannot_read(sick: Path, run: Run) -> None:
    """`init` over a configuration and a target without # exit 1 and say what to do."""
    again, unreadable = run("init", "./db#memories"), run("init", "./db", "--config", "other.toml")

    assert (again.exit_code, unreadable.exit_code) == (1, 1)
    assert "is there already" in again.stderr
    assert "FOLDER#TABLE" in unreadable.stderr


def test_check_json_has_the_promised_shape(sick: Path, run: Run) -> None:
    """`check --json` prints findings, what stands down, rows read and the table's version, and exits 2."""
    result = run("check", "--json")
    printed = json.loads(result.output)

    assert result.exit_code == 2
    assert {"findings", "stands_down", "read", "version"} <= set(printed)
    keys = {"id", "code", "ids", "scope", "ring", "severity", "reason", "evidence"}
    assert all(keys <= set(f) for f in printed["findings"])
    codes = sorted(f["code"] for f in printed["findings"])
    assert codes == ["duplicate_exact", "illegal_status", "missing_scope"]
    assert (printed["read"], printed["version"]) == (4, 2)


def test_check_writes_nothing(sick: Path, run: Run) -> None:
    """After `check` no file is new and none has changed."""

    def state() -> dict[str, float]:
        return {str(p): p.stat().st_mtime_ns for p in sick.rglob("*")}

    before = state()
    run("check")

    assert before == state()


def test_what_an_agents_own_code_wrote_is_told_once(tmp_path: Path, run: Run) -> None:
    """Door writes since the last check are one line and in the JSON; the next check tells them no more."""
    make_table(tmp_path / "db", [memory("m1"), memory("m2")])
    configure(tmp_path)
    with mendory.open(tmp_path / "mendory.toml") as door:
        door.add("喜欢喝茶", scope="u1", source="user_stated", embedding=[1.0, 0.0, 0.0, 0.0])
        door.archive("m2")
    first, second = run("check"), run("check", "--json")

    assert "  door writes since the last check: 2 (1 add, 1 archive)" in first.output.splitlines()
    assert {} == json.loads(second.output)["door_writes"]["by_verb"]


def test_check_of_a_healthy_table_exits_0(tmp_path: Path, run: Run) -> None:
    """Nothing found is exit code 0."""
    make_table(tmp_path / "db", [memory("m1"), memory("m2")])
    configure(tmp_path)

    assert run("check").exit_code == 0
    assert run("plan").exit_code == 0


def test_without_limits_an_unapproved_plan_waits_and_changes_nothing(sick: Path, run: Run) -> None:
    """`apply` of an unapproved plan exits 3 and no row is other than before."""
    before = statuses(sick)
    result = run("apply", plan_code(run))

    assert result.exit_code == 3, result.output
    assert before == statuses(sick)


def test_the_whole_story_approve_apply_rollback(sick: Path, run: Run) -> None:
    """Approved groups are applied (0), and rollback gives every row its status back (0)."""
    before = statuses(sick)
    code = plan_code(run)
    approved, applied = run("approve", code, "--as", "li.wei"), run("apply", code)
    healed = statuses(sick)
    undone = run("rollback", code)

    assert (approved.exit_code, applied.exit_code, undone.exit_code) == (0, 0, 0), applied.output
    assert healed == {"a1": "active", "a2": "archived", "b1": "active", "c1": "active"}
    assert before == statuses(sick)
    assert run("plan").exit_code == 0


def test_only_the_approved_group_runs(sick: Path, run: Run) -> None:
    """With G1 approved alone, the merge of G2 still waits and `apply` exits 0."""
    code = plan_code(run)
    run("approve", code, "--groups", "G1", "--as", "li.wei")
    result = run("apply", code)

    assert result.exit_code == 0, result.output
    assert statuses(sick) == {"a1": "active", "a2": "active", "b1": "active", "c1": "active"}


def test_a_confirmed_rule_and_limits_run_without_a_person(sick: Path, run: Run) -> None:
    """With limits and merge.exact confirmed, `apply` needs no approval."""
    toml = sick / "mendory.toml"
    toml.write_text(toml.read_text() + LIMITS + '[rules]\nconfirmed = ["merge.exact"]\n')
    result = run("apply", plan_code(run))

    assert result.exit_code == 0, result.output
    assert statuses(sick)["a2"] == "archived"


def test_a_rejected_plan_is_not_proposed_again(sick: Path, run: Run) -> None:
    """After `reject` (0), `apply` is refused (4) and planning finds nothing to do (0)."""
    code = plan_code(run)
    rejected = run("reject", code, "--as", "li.wei", "--because", "on purpose")

    assert (rejected.exit_code, run("apply", code).exit_code, run("plan").exit_code) == (0, 4, 0)


def test_a_stale_step_is_refused_alone(sick: Path, run: Run) -> None:
    """A row changed after planning is refused with its id (4); the other group is applied."""
    code = plan_code(run)
    run("approve", code, "--as", "li.wei")
    lancedb.connect(str(sick / "db")).open_table("memories").update(where="id = 'a2'", values={"source": "edited"})
    result = run("apply", code)

    assert result.exit_code == 4
    assert "a2" in result.output
    assert statuses(sick) == {"a1": "active", "a2": "active", "b1": "active", "c1": "active"}


def test_another_ledger_is_refused(sick: Path, run: Run) -> None:
    """A table bound to one ledger is not repaired with another (4), and nothing changes."""
    code = plan_code(run)
    run("approve", code, "--groups", "G1", "--as", "li.wei")
    run("apply", code)
    toml = sick / "mendory.toml"
    toml.write_text(toml.read_text() + '\n[ledger]\nurl = "sqlite:///other.db"\n')
    before = statuses(sick)
    result = run("plan")

    assert result.exit_code == 4
    assert "ledger_mismatch" in result.stderr
    assert before == statuses(sick)


@pytest.mark.parametrize(
    "args",
    [
        ("check", "--nonsense"),
        ("approve", "0000"),
        ("apply", "zzzz"),
        ("show", "zzzz"),
        ("rollback", "zzzz"),
        ("nonsense",),
    ],
)
def test_usage_and_unknown_names_exit_1(sick: Path, run: Run, args: tuple[str, ...]) -> None:
    """A misspelt verb, option or plan exits 1, never 2, which means findings."""
    assert run(*args).exit_code == 1


def test_without_a_configuration_every_verb_says_how_to_get_one(run: Run) -> None:
    """`check` in an empty folder exits 1 and names `mendory init`."""
    result = run("check")

    assert result.exit_code == 1
    assert "mendory init" in result.stderr


def test_show_lists_plans_and_prints_one_step_by_step(sick: Path, run: Run) -> None:
    """`show` names each plan; `show CODE` each row with old and new value, and the way back."""
    code = plan_code(run)
    listed, one = run("show"), run("show", code)

    assert code in listed.output
    assert "waits for a person: 1 × no scope is certain" in listed.output
    assert 'a2.status: "active" → "archived"' in one.output
    assert f"mendory rollback {code}" in one.output


def test_apply_dry_run_changes_nothing(sick: Path, run: Run) -> None:
    """`apply --dry-run` says what would run and applies nothing."""
    code = plan_code(run)
    run("approve", code, "--as", "li.wei")
    result = run("apply", code, "--dry-run")

    assert result.exit_code == 0
    assert "Nothing was applied" in result.output
    assert statuses(sick)["a2"] == "active"


@pytest.mark.parametrize(("lang", "title"), [("en", "# Case record"), ("zh", "# 病例记录")])
def test_report_in_both_languages_and_as_json(sick: Path, run: Run, lang: str, title: str) -> None:
    """`report` prints Markdown in the language asked for, and JSON with the same plan."""
    code = plan_code(run)
    text, data = run("report", code, "--lang", lang), run("report", code, "--format", "json")

    assert text.output.startswith(title)
    assert code == json.loads(data.output)["code"]


def test_no_memory_text_in_the_report(sick: Path, run: Run) -> None:
    """The report carries ids and counts, and no content, before and after applying."""
    code = plan_code(run)
    run("approve", code, "--as", "li.wei")
    run("apply", code)
    printed = run("report", code).output + run("report", code, "--format", "json").output

    assert [t for t in ("喜欢喝茶", "Prefers window seats", "Lives in Oslo") if t in printed] == []


def test_recover_with_nothing_open_exits_0(sick: Path, run: Run) -> None:
    """`recover` on a quiet ledger settles nothing and exits 0."""
    plan_code(run)
    result = run("recover")

    assert result.exit_code == 0
    assert "0 repairs settled, 0 unknown" in result.output


def test_an_unknown_outcome_is_exit_5_until_a_person_has_spoken(
    sick: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a crash whose history was cleaned up `apply` exits 5, again and again, and `recover` says what to do."""
    code = plan_code(run)
    run("approve", code, "--as", "li.wei")
    real = Writer.commit

    class Death(BaseException):
        """The end of a process."""

    def dying(writer: Writer, rows: Any, base: int, rid: str) -> int:
        real(writer, rows, base, rid)
        raise Death

    monkeypatch.setattr(Writer, "commit", dying)
    with pytest.raises(Death):
        run("apply", code)
    monkeypatch.setattr(Writer, "commit", real)
    table = lancedb.connect(str(sick / "db")).open_table("memories")
    table.update(where="id = 'c1'", values={"source": "later"})
    table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)
    first, again, listed = run("apply", code), run("apply", code), run("recover")
    waiting = run("review")
    [rid] = [repair["repair"] for repair in json.loads(run("review", "--json").output)["unknown"]]

    assert (5, 5, 5) == (first.exit_code, again.exit_code, listed.exit_code), first.output + again.output
    assert first.output.splitlines()[-1] == "next: mendory recover"
    assert f"repair {rid[:8]}: nobody knows whether it was applied" in waiting.output
    assert (
        f"{rid[:8]}: unknown; look at its rows (mendory show {code}), then: mendory recover --resolve" in listed.output
    )
    assert 2 == run("doctor").exit_code
    assert 1 == run("recover", "--resolve", rid, "--as", "li.wei").exit_code
    spoken = run("recover", "--resolve", rid, "--applied", "--as", "li.wei")
    assert 0 == spoken.exit_code
    assert f"Recorded for repair {rid[:8]}: applied." in spoken.output
    assert 0 == run("recover").exit_code


def test_adopting_needs_a_name(sick: Path, run: Run) -> None:
    """`recover --adopt` without --as exits 1 with the command to type; with it the table is accepted (0)."""
    nameless, named = run("recover", "--adopt"), run("recover", "--adopt", "--as", "li.wei")

    assert (1, 0) == (nameless.exit_code, named.exit_code)
    assert "mendory recover --adopt --as NAME" in nameless.stderr


def test_the_next_command_names_the_configuration_that_was_named(sick: Path, run: Run) -> None:
    """With --config the commands to type next carry it; without, they stay short."""
    (sick / "mendory.toml").rename(sick / "my other.toml")
    result = run("check", "-c", "my other.toml")

    assert result.output.splitlines()[-1] == "next: mendory plan --config 'my other.toml'"


VERBS_WITH_A_NEXT = [
    ("check",),
    ("plan",),
    ("show",),
    ("show", "CODE"),
    ("review",),
    ("doctor",),
    ("approve", "CODE", "--as", "li.wei"),
    ("apply", "CODE", "--dry-run"),
    ("apply", "CODE"),
    ("rollback", "CODE"),
    ("recover",),
]


def test_every_verb_names_the_next_command(sick: Path, run: Run) -> None:
    """Whatever is done, the output names a command to go on with."""
    code = plan_code(run)
    silent = [
        verb for verb in VERBS_WITH_A_NEXT if "mendory " not in run(*(code if w == "CODE" else w for w in verb)).output
    ]

    assert [] == silent


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    """A JSON Lines file of these rows."""
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), encoding="utf-8")
    return path


def test_import_counts_every_line_and_a_second_time_changes_nothing(tmp_path: Path, run: Run) -> None:
    """Read = ok + quarantined; the second import of the same file adds nothing."""
    row = {"content": "喜欢喝茶", "scope": "u1", "created_at": "2025-03-01T10:00:00+08:00", "status": "active"}
    file = lines(tmp_path / "in.jsonl", [{**row, "id": "m1"}, {**row, "id": "m2", "mood": "calm"}, {**row, "id": ""}])
    configure(tmp_path)
    first, second = run("import", file, "--json"), run("import", file, "--json")
    one, two = json.loads(first.output), json.loads(second.output)

    assert (one["read"], one["ok"], one["imported"], one["quarantined"]) == (3, 2, 2, 1)
    assert (two["imported"], two["already_there"]) == (0, 2)
    assert one["reasons"] == {"empty_id": 1}
    assert first.exit_code == 4
    kept = Reader(str(tmp_path / "db"), "memories", Mapping.identity()).fetch(["m2"])["m2"]
    assert kept.metadata == {"extra": {"mood": "calm"}}
    assert kept.created_at.isoformat() == "2025-03-01T02:00:00+00:00" if kept.created_at else None


def test_the_quarantine_file_is_its_owners_alone(tmp_path: Path, run: Run) -> None:
    """Refused lines stand in a file of mode 0600 with line, reason, hint and text."""
    file = lines(tmp_path / "in.jsonl", [{"id": "m1", "content": ""}])
    configure(tmp_path)
    run("import", file)
    target = tmp_path / "in.jsonl.quarantine.jsonl"
    [entry] = [json.loads(line) for line in target.read_text().splitlines()]

    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert {k: entry[k] for k in ("line", "reason")} == {"line": 1, "reason": "content_empty"}


def test_import_shapes_foreign_lines(tmp_path: Path, run: Run) -> None:
    """--map with templates, --set, --time-format with a Chinese weekday and --zone make records of other shapes."""
    file = lines(tmp_path / "in.jsonl", [{"text": "今天去了医院", "who": "u", "time": "2024年04月01日 周一 08:24"}])
    configure(tmp_path)
    mapped = ("content=text", "scope=user:{who}", "id=x-{line}", "created_at=time")
    shaped = ("--set", "status=active", "--time-format", "%Y年%m月%d日 %a %H:%M", "--zone", "Asia/Shanghai")
    result = run("import", file, *(a for m in mapped for a in ("--map", m)), *shaped)
    held = Reader(str(tmp_path / "db"), "memories", Mapping.identity()).fetch(["x-1"])["x-1"]

    assert result.exit_code == 0, result.output
    assert (held.scope, held.content, held.status) == ("user:u", "今天去了医院", "active")
    assert held.created_at.isoformat() == "2024-04-01T00:24:00+00:00" if held.created_at else None


def test_control_characters_never_reach_the_terminal(tmp_path: Path, run: Run) -> None:
    """An id with an escape sequence and a bidi override is printed as text."""
    nasty = "m\x1b[2J\u202e1"
    make_table(tmp_path / "db", [memory(nasty, status="Active"), memory("m2")])
    configure(tmp_path)
    code = plan_code(run)
    printed = run("show", code).output + run("check").output

    assert "\x1b" not in printed
    assert "\u202e" not in printed


def test_check_loads_neither_lance_nor_prefect_nor_gx(sick: Path) -> None:
    """The reading verbs work in a light install: no pylance, Prefect, Great Expectations or torch is loaded."""
    script = (
        "import sys\nfrom mendory.cli import main\n"
        "try: main(['check'])\nexcept SystemExit as e: code = e.code\n"
        "heavy = {'lance', 'prefect', 'great_expectations', 'torch'} & set(sys.modules)\n"
        "print(code, sorted(heavy))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=sick,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )

    assert done.stdout.splitlines()[-1] == "2 []", done.stderr


def test_json_has_the_keys_that_the_page_promises(sick: Path, run: Run) -> None:
    """The first keys of each verb's JSON are those of docs/commands.md."""
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    shapes = page[page.index("## Shapes of JSON") : page.index("## Importing lines")]
    code = plan_code(run)
    run("approve", code, "--as", "li.wei")
    printed = {
        "check": run("check", "--json"),
        "plan": run("plan", "--json"),
        "review": run("review", "--json"),
        "doctor": run("doctor", "--json"),
        "apply": run("apply", code, "--json"),
        "rollback": run("rollback", code, "--json"),
        "import": run("import", lines(sick / "in.jsonl", [{"id": "m1", "content": ""}]), "--dry-run", "--json"),
    }
    undocumented = {
        verb: [key for key in json.loads(result.output) if f'"{key}"' not in _shape(shapes, verb)]
        for verb, result in printed.items()
    }

    assert {verb: [] for verb in printed} == undocumented


def _shape(shapes: str, verb: str) -> str:
    """What the page says of one verb's JSON."""
    start = shapes.index(f"`{verb}`:")
    return shapes[start : shapes.find("\n\n", start)]


def test_a_table_most_of_which_counts_as_hidden_says_so(tmp_path: Path, run: Run) -> None:
    """A hiding mark that live rows carry makes a check find nothing; the line tells why it may be wrong."""
    make_table(tmp_path / "db", [memory(f"m{n}", status="archived" if n < 4 else "active") for n in range(6)])
    configure(tmp_path)

    english, chinese = run("check").output, run("check", "--lang", "zh").output

    assert "4 of 6 rows count as hidden: if that is wrong, mend [mapping.hide]" in english
    assert "6 行中有 4 行算作已隐藏" in chinese


def test_a_table_with_few_hidden_rows_says_nothing_of_it(tmp_path: Path, run: Run) -> None:
    """Hidden rows are what an archive is for."""
    make_table(tmp_path / "db", [memory(f"m{n}", status="archived" if n < 2 else "active") for n in range(6)])
    configure(tmp_path)

    assert "hidden" not in run("check").output
