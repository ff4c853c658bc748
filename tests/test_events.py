"""Change events: noted by our own verbs and by people, links of the chain, and which of them came before a moment."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from mendory.clinic import Clinic
from mendory.config import Config
from mendory.errors import InputInvalid, LedgerCorrupt
from mendory.events import Event, Happened, before, checked_time, checked_words
from mendory.ledger import Ledger
from mendory.ledger import schema as t
from tests.cli.conftest import LIMITS, Run, configure, plan_code, run, sick  # noqa: F401 - fixtures
from tests.conftest import NOON, FakeClock, make_table, memory

WINDOW = timedelta(days=3)
NEW = json.dumps({"id": "n1", "content": "likes tea", "scope": "u1", "created_at": "2026-01-01T00:00:00Z"}) + "\n"
MOMENTS = st.integers(0, 20 * 24).map(lambda hours: NOON + timedelta(hours=hours))


def event(at: datetime, name: str = "e") -> Event:
    """An event at that time."""
    return Event(name, Happened.OTHER, at, "ann", {"words": "x"}, at)


EVENTS = st.lists(MOMENTS, max_size=8).map(lambda times: [event(at, f"e{n}") for n, at in enumerate(times)])


@given(MOMENTS, EVENTS, st.randoms(use_true_random=False))
def test_what_came_before_is_within_the_window_and_nearest_first(
    moment: datetime, events: list[Event], any_order: object
) -> None:
    """None after the moment, none older than the window, none left out, nearest first, in whatever order they come."""
    found = before(moment, events, WINDOW)
    shuffled = list(events)
    any_order.shuffle(shuffled)  # type: ignore[attr-defined]

    assert found == before(moment, shuffled, WINDOW)
    assert {e.id for e in events if moment - WINDOW <= e.at <= moment} == {e.id for e in found}
    assert sorted((e.at for e in found), reverse=True) == [e.at for e in found]


def test_the_ends_of_the_window_count() -> None:
    """An event at the moment itself and one exactly a window before it; a second further none."""
    second = timedelta(seconds=1)
    times = [NOON, NOON - WINDOW, NOON + second, NOON - WINDOW - second]

    found = before(NOON, [event(at, str(n)) for n, at in enumerate(times)], WINDOW)

    assert ["0", "1"] == [e.id for e in found]


@pytest.mark.parametrize("words", ["", "  ", "a\nb", "a\x1b[31m", "a\u202eb", "x" * 201])
def test_words_nobody_can_read_are_refused(words: str) -> None:
    """None, several lines, hidden or too many characters."""
    with pytest.raises(InputInvalid, match="Nothing was recorded"):
        checked_words(words)


@pytest.mark.parametrize("words", ["deployed v2 of the importer", "导入程序升级到 v2", "x" * 200])
def test_words_of_one_line_are_taken(words: str) -> None:
    """In either language, blanks around them dropped."""
    assert words == checked_words(f" {words} ")


@pytest.mark.parametrize("text", ["yesterday", "2026-01-01", "2026-01-01T10:00", "", "0001-01-01T00:00+08:00"])
def test_a_time_without_a_zone_is_refused(text: str) -> None:
    """So is what is no time at all, and one that no calendar has in UTC."""
    with pytest.raises(InputInvalid, match="no time with a zone"):
        checked_time(text, NOON)


def test_a_time_may_be_past_and_never_future() -> None:
    """Whatever zone it is told in, it is kept in UTC; now itself is no future."""
    held = checked_time((NOON - timedelta(hours=1)).isoformat().replace("+00:00", "Z"), NOON)

    assert (NOON - timedelta(hours=1), UTC, NOON) == (held, held.tzinfo, checked_time(NOON.isoformat(), NOON))
    with pytest.raises(InputInvalid, match="in the future"):
        checked_time((NOON + timedelta(seconds=1)).isoformat(), NOON)


@pytest.fixture
def ledger(tmp_path: Path, clock: FakeClock) -> Ledger:
    """A ledger in a file."""
    return Ledger.open(f"sqlite:///{tmp_path}/ledger.db", clock)


def test_an_event_is_kept_as_it_was_noted(ledger: Ledger) -> None:
    """In the order they were noted, with when they were and when they were noted."""
    now = ledger.clock()
    one = ledger.events.note(Happened.OTHER, "li.wei", {"words": "导入程序升级"}, now - WINDOW)
    two = ledger.events.note(Happened.IMPORT, "mendory", {"rows": 5})

    assert (one, two) == ledger.events.all()
    assert ("导入程序升级", now - WINDOW, True) == (one.words, one.at, one.noted_at >= now)
    assert 2 == ledger.verify()


@pytest.mark.parametrize(
    "change",
    [
        lambda: t.event.update().values(at="2020-01-01T00:00:00+00:00"),
        lambda: t.event.update().values(about='{"words": "y"}'),
        lambda: t.event.update().values(by="bob"),
        lambda: t.event.delete(),
        lambda: t.event.insert().values(id="z", seq=9, kind="other", at="x", by="b", about="{}", noted_at="x"),
    ],
)
def test_an_event_that_was_changed_is_seen(ledger: Ledger, change: Callable[[], sa.Executable]) -> None:
    """Its time, words or name changed, itself removed, or one slipped in: the chain tells."""
    ledger.events.note(Happened.OTHER, "ann", {"words": "x"})
    with ledger.transaction() as conn:
        conn.execute(change())

    with pytest.raises(LedgerCorrupt):
        ledger.verify()


def kinds(run: Run) -> list[str]:  # noqa: F811
    """The kinds of all events, oldest first."""
    events = json.loads(run("event", "--json").stdout)["events"]
    return [e["kind"] for e in reversed(events)]


@pytest.mark.lance
def test_our_own_verbs_note_what_they_change(sick: Path, run: Run) -> None:  # noqa: F811
    """An import, a plan that was applied and its rollback; a second import and a dry run change nothing."""
    configure(sick, LIMITS)
    lines = sick / "in.jsonl"
    lines.write_text(NEW, encoding="utf-8")
    code = plan_code(run)
    started = datetime.now(UTC)

    assert 0 == run("import", lines.name, "--dry-run").exit_code
    assert [] == kinds(run)
    assert 0 == run("import", lines.name).exit_code
    assert 0 == run("import", lines.name).exit_code
    run("approve", code, "--as", "li.wei")
    run("apply", code)
    run("rollback", code, "--as", "ann")

    assert ["import", "plan_applied", "rolled_back"] == kinds(run)
    events = json.loads(run("event", "--list", "--json").stdout)["events"][::-1]
    assert ["mendory", "mendory", "ann"] == [e["by"] for e in events]
    assert {"rows": 1} == events[0]["about"]
    assert code == events[1]["about"]["plan"][:8]
    assert all(datetime.fromisoformat(e["at"]) >= started for e in events)
    assert "tea" not in json.dumps(events)
    Clinic(Config.load(sick / "mendory.toml")).ledger.verify()


@pytest.mark.lance
def test_an_import_makes_no_ledger(sick: Path, run: Run) -> None:  # noqa: F811
    """Where there is none, its change is noted nowhere; listing makes none either."""
    lines = sick / "in.jsonl"
    lines.write_text(NEW, encoding="utf-8")

    assert 0 == run("import", lines.name).exit_code
    assert [] == kinds(run)
    assert "No change is known." in run("event", "--list").output
    assert not Ledger.exists(Config.load(sick / "mendory.toml").ledger_url)


@pytest.mark.lance
def test_an_import_is_done_though_the_ledger_can_not_note_it(sick: Path, run: Run) -> None:  # noqa: F811
    """The rows are in the table, and one line says what is missing."""
    lines = sick / "in.jsonl"
    lines.write_text(NEW, encoding="utf-8")
    (sick / ".mendory").mkdir(exist_ok=True)
    plan_code(run)
    [ledger] = (sick / ".mendory").glob("ledger.db")
    for path in (sick / ".mendory").glob("ledger.db*"):
        path.unlink()
    ledger.write_bytes(b"no database" * 100)

    done = run("import", lines.name)

    assert 0 == done.exit_code, done.output
    assert "imported 1" in done.output
    assert "the ledger could not note it" in done.stderr


@pytest.mark.lance
@pytest.mark.parametrize(
    ("lang", "words", "said"),
    [("en", "deployed v2 of the importer", "Noted for"), ("zh", "导入程序升级到 v2", "已记录")],
)
def test_a_person_notes_a_change_elsewhere(sick: Path, run: Run, lang: str, words: str, said: str) -> None:  # noqa: F811
    """In the person's own words and at the time they say; listed with its kind in the language."""
    noted = run("event", words, "--at", "2026-01-05T18:00+08:00", "--as", "li.wei", "--lang", lang)
    listed = run("event", "--list", "--lang", lang)

    assert (0, True) == (noted.exit_code, said in noted.output and words in noted.output), noted.output
    assert all(part in listed.output for part in ("2026-01-05 10:00", "li.wei", words)), listed.output
    assert {"en": "other", "zh": "其他变更"}[lang] in listed.output
    [held] = json.loads(run("event", "--json").stdout)["events"]
    assert ("other", "2026-01-05T10:00:00+00:00", {"words": words}) == (held["kind"], held["at"], held["about"])


@pytest.mark.lance
@pytest.mark.parametrize(
    "args",
    [
        (),
        ("deployed",),
        ("deployed", "--as", " "),
        ("a\x1bb", "--as", "ann"),
        ("deployed", "--as", "ann", "--at", "2999-01-01T00:00Z"),
        ("deployed", "--as", "ann", "--at", "2026-01-01"),
        ("deployed", "--list"),
    ],
)
def test_what_can_not_be_noted_is_refused(sick: Path, run: Run, args: tuple[str, ...]) -> None:  # noqa: F811
    """No words, no name, a hidden character, a time in the future or without a zone: nothing is recorded."""
    done = run("event", *args)

    assert (1, True) == (done.exit_code, "Nothing was recorded" in done.stderr)
    assert [] == kinds(run)


@pytest.mark.lance
@pytest.mark.parametrize(("lang", "said"), [("en", "embedding-model.changed"), ("zh", "向量模型已更换")])
def test_a_changed_model_is_an_event_of_its_own(sick: Path, run: Run, lang: str, said: str) -> None:  # noqa: F811
    """Its name alone makes it one; words around it are a person's own. Mendory says what looks at the model."""
    noted = run("event", "embedding-model.changed", "--as", "li.wei", "--lang", lang)
    words = run("event", "embedding-model.changed at noon", "--as", "li.wei")
    listed = run("event", "--list", "--lang", lang)

    assert (0, 0) == (noted.exit_code, words.exit_code), noted.output + words.output
    assert "mendory drift" in noted.stdout
    assert said in listed.stdout
    held = json.loads(run("event", "--json").stdout)["events"]
    assert ["other", "embedding-model.changed"] == [e["kind"] for e in held], "newest first"
    assert {} == held[1]["about"]


def test_a_long_list_is_cut_and_says_so(sick: Path, run: Run) -> None:  # noqa: F811
    """Twenty are shown, the newest; JSON lists all."""
    ledger = Clinic(Config.load(sick / "mendory.toml")).ledger
    for n in range(23):
        ledger.events.note(Happened.OTHER, "ann", {"words": f"release {n}"}, NOON + timedelta(hours=n))

    listed = run("event", "--list").output

    assert (True, False, True) == ("release 22" in listed, "release 2\n" in listed, "and 3 events more" in listed)
    assert 23 == len(kinds(run))


@pytest.mark.lance
@pytest.mark.parametrize(
    ("lang", "words", "said"),
    [("en", "deployed v2 of the importer", "changed shortly before: other change, "), ("zh", "升级", "此前的变更：")],
)
def test_a_cause_names_what_changed_before_its_rows(tmp_path: Path, run: Run, lang: str, words: str, said: str) -> None:  # noqa: F811
    """The nearest change before the batch's first row, on the line below the cause and in the case record."""
    rows = [memory(f"d{n}", content=f"likes tea {n // 2}", batch_id="b9") for n in range(12)]
    make_table(tmp_path / "db", rows + [memory(f"h{n}", batch_id="b1") for n in range(24)])
    configure(tmp_path, LIMITS)
    clinic = Clinic(Config.load(tmp_path / "mendory.toml"))
    first = min(m.created_at for m in clinic.reader.fetch(["d0", "d1"]).values() if m.created_at)
    for by, away in (("old", -timedelta(days=4)), ("li.wei", -timedelta(hours=2)), ("late", timedelta(seconds=1))):
        clinic.ledger.events.note(Happened.OTHER, by, {"words": words}, first + away)

    checked = json.loads(run("check", "--json").stdout)
    shown = run("check", "--lang", lang).output
    code = plan_code(run)

    [cause] = [c for c in checked["causes"] if c["attribute"] == "batch"]
    at = (first - timedelta(hours=2)).isoformat()
    assert {"kind": "other", "at": at, "by": "li.wei", "words": words} == cause["event"]
    assert (True, True) == (said in shown, f"li.wei{'：' if lang == 'zh' else ': '}{words}" in shown), shown
    for form in ("markdown", "html", "json"):
        report = run("report", code, "--format", form, "--lang", lang).output
        assert (True, True) == (words in report, "li.wei" in report), form
