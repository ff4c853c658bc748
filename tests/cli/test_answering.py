"""Answers on the command line: one finding shown whole, answered by a script or one after another."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mendory.cli import main
from mendory.clinic import Clinic
from mendory.config import Config
from tests.cli.conftest import LIMITS, Run, configure, plan_code
from tests.conftest import FakeClock, make_table
from tests.test_conflict_repairs import pairs

pytestmark = pytest.mark.lance


@pytest.fixture
def disputed(tmp_path: Path, run: Run) -> str:
    """Two pairs that no rule decides, one in each language, marked; the code of the plan that marked them."""
    make_table(tmp_path / "db", [*pairs("en")[8:], *pairs("zh")[8:]])
    configure(tmp_path, LIMITS)
    code = plan_code(run)
    assert 0 == run("apply", code).exit_code
    return code


def waiting(run: Run) -> dict[str, str]:
    """First row → id, of each finding that waits."""
    return {w["ids"][0]: w["id"] for w in json.loads(run("review", "--json").output)["waiting"]}


def answering(*said: str, lang: str = "en", name: str = "li.wei") -> Result:
    """`review --as` with these lines typed."""
    typed = "".join(f"{one}\n" for one in said)
    return CliRunner().invoke(main, ["review", "--as", name, "--lang", lang], input=typed)


def test_a_finding_is_shown_whole(disputed: str, run: Run) -> None:
    """Both texts, claims, provenance, why no rule decides, and what each answer will do, with its command."""
    name = waiting(run)["en-age-new"][:8]
    shown = run("review", name)

    lines = shown.output.splitlines()
    assert 0 == shown.exit_code
    assert lines[0].startswith(f"finding {name} · conflict · MEDIUM · scope en · since 2")
    for line in (
        "    Turned 45.",
        "    Is 31 years old.",
        "    claims age, as its writer says · source user_stated · batch import-1 · created 1 Jan 2025, 00:00 UTC · "
        "last verified never · status pending_review · disputed with en-age-new",
        f"  mendory review {name} --keep en-age-old --as NAME: archives en-age-new, superseded by en-age-old; "
        "undone by a rollback",
        f"  mendory review {name} --both --as NAME: archives nothing; marks of the dispute are lifted, and nobody is "
        "asked again until a row changes",
        f"  mendory review {name} --later --as NAME: changes nothing; it is asked again then",
    ):
        assert line in lines
    assert any("latest_user_statement" in line or "newer (their times are one)" in line for line in lines)
    said = json.loads(run("review", name, "--json").output)
    assert ["en-age-new", "en-age-old"] == [side["id"] for side in said["sides"]]
    assert ["keep", "keep", "both", "merge", "later"] == [one["choice"] for one in said["answers"]]
    assert said["answered"] is None


def test_a_script_answers(disputed: str, run: Run) -> None:
    """The answer is planned and approved, applied by `apply`; a second person is told who decided."""
    name = waiting(run)["zh-age-new"]
    done = run("review", name[:8], "--keep", "zh-age-old", "--as", "li.wei", "--because", "本人说的", "--json")
    said = json.loads(done.output)

    assert (0, name, "keep", "zh-age-old", 1, None) == (
        done.exit_code,
        *(said[k] for k in ("finding", "choice", "keep", "approved", "refused")),
    )
    assert "zh-age-new" not in waiting(run)
    second = run("review", name[:8], "--both", "--as", "ann")
    assert 1 == second.exit_code
    assert "was decided by li.wei at" in second.stderr
    assert "supersede" in run("show", said["plan"][:8]).output
    assert 0 == run("apply", said["plan"][:8]).exit_code
    assert "archived" in run("get", "zh-age-new").output
    report = run("report", said["plan"][:8], "--lang", "zh")
    assert 0 == report.exit_code
    assert 0 == run("rollback", said["plan"][:8], "--as", "ann").exit_code


def test_an_answer_is_taken_back(disputed: str, run: Run) -> None:
    """It waits again and its step runs no more."""
    name = waiting(run)["en-age-new"]
    plan = json.loads(run("review", name[:8], "--merge", "--as", "li.wei", "--json").output)["plan"]
    back = run("review", name[:8], "--undo", "--as", "ann", "--because", "not one thing")

    assert [f"The answer of li.wei to finding {name[:8]} was taken back."] == back.output.splitlines()[:1]
    assert name in waiting(run).values()
    assert "a step" not in run("apply", plan[:8]).output
    assert "pending_review" in run("get", "en-age-old").output


def test_later_is_not_listed_until_then(disputed: str, run: Run) -> None:
    """Put off it is counted alone; JSON tells who did; the time over, it is listed again with its whole age."""
    name = waiting(run)["en-age-new"]
    put = run("review", name[:8], "--later", "--until", "2999-01-01", "--as", "li.wei")
    listed = run("review")

    assert f"Finding {name[:8]} is asked about again at 2999-01-01 00:00 UTC." == put.output.splitlines()[0]
    assert "1 finding put off, not listed" in listed.output
    assert "en-age-new" not in listed.output
    [told] = [w["later"] for w in json.loads(run("review", "--json").output)["waiting"] if w["id"] == name]
    assert ("li.wei", "2999-01-01T00:00:00+00:00") == (told["by"], told["until"])
    run("review", name[:8], "--undo", "--as", "ann")
    assert "put off" not in run("review").output


def test_a_person_is_asked_one_after_another(disputed: str, run: Run) -> None:
    """Texts first, then the question; the plan is shown, approved and, asked for, applied at once."""
    first, second = waiting(run)  # of one severity, the longest first
    done = answering("b", "", "both", "both are right", "y")

    assert 0 == done.exit_code, done.output
    for part in (
        "1 of 2",
        "2 of 2",
        f"  a {first}: archives {first.replace('new', 'old')}, superseded by {first}; undone by a rollback",
        "Approved 3 steps of plan",
        "supersede",
        "lift_mark",
    ):
        assert part in done.output
    assert "archived" in run("get", first).output
    assert "active" in run("get", second).output
    assert {} == waiting(run)


def test_who_stops_in_between_has_answered_so_far(disputed: str, run: Run) -> None:
    """What was answered is planned and approved, and waits to be applied; what was skipped waits on."""
    first, _ = waiting(run)
    done = answering("skip", "merge", "", "n")
    assert "next: mendory apply" in done.output
    assert [first] == list(waiting(run))
    assert "Nothing waits" not in answering("quit").output
    assert [first] == list(waiting(run))


def test_the_questions_are_chinese_too(disputed: str, run: Run) -> None:
    """Every line but ids, texts of memories and stable words."""
    first, _ = waiting(run)
    done = answering("a", "", "later", "n", lang="zh")

    assert 0 == done.exit_code, done.output
    for part in (
        "第 1 个，共 2 个",
        "回答",
        "理由",
        "现在执行？",
        f"归档 {first.replace('new', 'old')}，由 {first} 取代；可撤销",
        "来源 user_stated",
    ):
        assert part in done.output


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--keep", "en-age-new", "--both", "--as", "ann"), "has one answer"),
        (("--both",), "needs a name"),
        (("--as", "ann"), "What is the answer?"),
        (("--both", "--until", "2999-01-01", "--as", "ann"), "--until goes with --later"),
        (("--later", "--until", "2001-01-01", "--as", "ann"), "is over"),
        (("--keep", "nobody", "--as", "ann"), "is not about 'nobody'"),
        (("--undo", "--as", "ann"), "Nobody has answered"),
    ],
)
def test_options_that_say_nothing_are_refused(disputed: str, run: Run, options: tuple[str, ...], says: str) -> None:
    """Nothing is recorded, and the message says what is missing."""
    name = waiting(run)["en-age-new"]
    done = run("review", name[:8], *options)

    assert 1 == done.exit_code
    assert says in done.stderr
    assert name in waiting(run).values()
    assert 1 == run("review", "--both", "--as", "ann").exit_code


def test_what_waits_for_long_is_said_on_top(tmp_path: Path, run: Run) -> None:
    """How many are older than [queue] alarm_after; worst first, then oldest."""
    make_table(tmp_path / "db", [*pairs("en")[8:], *pairs("zh")[8:]])
    configure(tmp_path, '[queue]\nalarm_after = "P3D"\n')
    Clinic(Config.load(tmp_path / "mendory.toml"), FakeClock(datetime.now(UTC) - timedelta(days=3, minutes=5))).plan()

    listed = run("review")

    assert "2 findings waited for longer than 3 days" in listed.output
    assert 2 == len(json.loads(run("review", "--json").output)["overdue"])
    assert "2 个问题等待已超过 3 天" in run("review", "--lang", "zh").output
