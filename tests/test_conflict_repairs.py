"""Conflicts healed on real tables: losers leave recall, disputes are marked, all is taken back to the byte."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendory.asking.ask import asked
from mendory.asking.page import page
from mendory.catalogue import CONFLICT_RULES, StepKind
from mendory.clinic import Clinic
from mendory.conflicts import ConflictRules
from mendory.detect import Settings
from mendory.door import open_door
from mendory.finding import Code
from mendory.plan.build import Wishes, draft
from mendory.plan.draft import Draft, changed
from mendory.plan.model import Step
from mendory.record import Kept, Memory
from mendory.report import build
from mendory.report.files import text
from mendory.report.markdown import cell
from mendory.treatment import apply, approve, reject, take_back
from mendory.work import Outcome
from tests.conftest import GENEROUS, NOON, FakeClock, arrow, make_config, make_table, memory
from tests.dying import died_after_its_commit
from tests.properties.stores import quick

pytestmark = pytest.mark.lance
CONFIRMED = {"confirmed": ["conflict.latest_user_statement", "conflict.newer", "conflict.exception"]}
PRESET = {"preset": "latest_user_statement"}
FACTS = {
    "en": [
        ("employer", "Works at Brightwell.", "Signed on with Quarry Labs."),
        ("lives_in", "Lives in Oslo.", "Has a flat in Turin now."),
        ("port", "The service listens on 8080.", "The service listens on 9090 since the move."),
        ("job", "Is a nurse.", "Works as a baker these days."),
        ("age", "Is 31 years old.", "Turned 45."),
    ],
    "zh": [
        ("employer", "在明川科技上班。", "签了石桥实验室。"),
        ("lives_in", "住在昆明。", "如今住在厦门。"),
        ("port", "服务的端口是 8080。", "服务的端口改为 9090。"),
        ("job", "是护士。", "现在是面包师。"),
        ("age", "今年 31 岁。", "已经 45 岁了。"),
    ],
}
VALUES = {
    "en": [("Brightwell", "Quarry Labs"), ("Oslo", "Turin"), ("8080", "9090"), ("nurse", "baker"), ("31", "45")],
    "zh": [("明川科技", "石桥实验室"), ("昆明", "厦门"), ("8080", "9090"), ("护士", "面包师"), ("31", "45")],
}


def pairs(language: str, **fields: Any) -> list[dict[str, Any]]:
    """Five pairs that can't both hold, one batch; the first four a month apart, the last of one moment."""
    rows = []
    for at, ((attribute, old, new), values) in enumerate(zip(FACTS[language], VALUES[language], strict=True)):
        entity = "api" if attribute == "port" else "user"
        for name, said, value, day in (("old", old, values[0], "2025-01-01"), ("new", new, values[1], "2025-02-01")):
            moment = "2025-01-01" if at == 4 else day
            claim = {"entity": entity, "attribute": attribute, "value": value}
            own = {"created_at": moment, "batch_id": "import-1", "claim": claim, "scope": language} | fields
            rows.append(memory(f"{language}-{attribute}-{name}", content=said, **own))
    return rows


ROWS = [*pairs("en"), *pairs("zh")]
UNDECIDED = [f"{language}-age-{side}" for language in ("en", "zh") for side in ("new", "old")]
LOSERS = sorted(str(r["id"]) for r in ROWS if str(r["id"]).endswith("old") and "age" not in str(r["id"]))


def a_clinic(folder: Path, clock: FakeClock, rows: Any = ROWS, **sections: Any) -> Clinic:
    """A clinic on our own table of these rows, the preset confirmed unless the sections say otherwise."""
    make_table(folder, rows)
    wishes = {"limits": GENEROUS, "rules": CONFIRMED, "conflict": PRESET} | sections
    return Clinic(make_config(folder, **wishes), clock)


def bytes_of(folder: Path) -> list[dict[str, Any]]:
    """Every row as it lies in the table."""
    rows = lancedb.connect(str(folder)).open_table("memories").to_arrow().to_pylist()
    return sorted(rows, key=lambda r: str(r.get("id") or r.get("mem_id")))


def seen(clinic: Clinic) -> dict[str, Any]:
    """Every memory as a reader of Mendory sees it."""
    clinic.reader.refresh()
    return {str(m.id): m for m in clinic.view(clinic.reader).scan()}


def queue(clinic: Clinic) -> dict[tuple[str, ...], str]:
    """What waits for a person: ids → why."""
    queued = clinic.ledger.findings.queued()
    known = clinic.ledger.findings.known([q["finding_id"] for q in queued])
    return {known[q["finding_id"]].ids: q["reason"] for q in queued}


def heal(clinic: Clinic) -> str:
    """What policy lets run of a new plan is done; returns the plan's id."""
    plan = clinic.plan().plan
    assert plan is not None
    done = apply(clinic, plan.id)
    assert done.verdict.ok, done.verdict.as_json()
    return plan.id


WHY = (
    "no rule decides: narrower (neither is narrower), latest_user_statement (their times are one), "
    "newer (their times are one), confidence (both sources are equally sure), "
    "authority (neither source is an authority)"
)


def test_conflicts_are_decided_or_marked_and_all_is_taken_back(tmp_path: Path, clock: FakeClock) -> None:
    """Losers are archived and named their winner, undecided pairs stay recallable and labelled; the undo is exact."""
    clinic = a_clinic(tmp_path, clock)
    before = bytes_of(tmp_path)

    plan = heal(clinic)

    after = seen(clinic)
    assert LOSERS == sorted(i for i, m in after.items() if m.status == "archived")
    assert {i: i.replace("old", "new") for i in LOSERS} == {i: after[i].superseded_by for i in LOSERS}
    other = {i: i.replace("old", "x").replace("new", "old").replace("x", "new") for i in UNDECIDED}
    assert {i: ("pending_review", Kept(disputed_with=(other[i],), marked=True)) for i in UNDECIDED} == {
        i: (after[i].status, after[i].kept) for i in UNDECIDED
    }
    assert {("en-age-new", "en-age-old"): WHY, ("zh-age-new", "zh-age-old"): WHY} == queue(clinic)
    again = clinic.plan()
    assert (None, {f"marked as disputed; {WHY}"}) == (again.plan, {u.reason for u in again.drafted.unplanned})
    assert {WHY} == set(queue(clinic).values())

    undone = take_back(clinic, plan, "li.wei")

    assert (sorted([*LOSERS, *UNDECIDED]), ()) == (sorted(undone.restored), undone.skipped)
    assert before == bytes_of(tmp_path)
    assert {} == clinic.ledger.asides.held()
    assert clinic.ledger.verify()
    assert clinic.plan().plan is None


def test_without_a_confirmed_rule_nothing_leaves_recall(tmp_path: Path, clock: FakeClock) -> None:
    """What a rule decides waits for a person where nobody confirmed that rule; the marks need nobody."""
    clinic = a_clinic(tmp_path, clock, rules={"confirmed": ["conflict.newer"]})

    heal(clinic)

    after = seen(clinic)
    assert {"active", "pending_review"} == {m.status for m in after.values()}
    assert UNDECIDED == sorted(i for i, m in after.items() if m.kept.disputed_with)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_killed_repair_is_found_and_finished(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    """A process that dies between commit and receipt: recovery finds the commit, and keeps the marks too."""
    clinic = a_clinic(tmp_path, clock, pairs(language)[8:])
    plan = clinic.plan().plan
    assert plan is not None
    later, recovered = died_after_its_commit(clinic, plan.id, monkeypatch)

    assert [Outcome.APPLIED] == [r.outcome for one in recovered for r in one.results]
    names = [f"{language}-age-{side}" for side in ("new", "old")]
    assert {a: (b,) for a, b in (names, names[::-1])} == {i: m.kept.disputed_with for i, m in seen(later).items()}


def test_a_person_who_keeps_both_ends_the_dispute(tmp_path: Path, clock: FakeClock) -> None:
    """The conflict a person dismisses is over: the next plan lifts the marks, and the rows are as they were."""
    clinic = a_clinic(tmp_path, clock, pairs("en")[8:])
    before = bytes_of(tmp_path)
    heal(clinic)
    [conflict] = [f for f in clinic.check().findings if f.code.value == "conflict"]
    clinic.ledger.findings.dismiss([conflict.id], "rejected: both are right", "li.wei")

    plan = clinic.ledger.plans.load(heal(clinic))

    assert [StepKind.LIFT_MARK] * 2 == [s.kind for s in plan.steps()]
    assert before == bytes_of(tmp_path)
    assert {} == clinic.ledger.asides.held()
    assert {} == queue(clinic)


def test_a_side_that_its_owner_archives_frees_the_other(tmp_path: Path, clock: FakeClock) -> None:
    """Who archives one side has decided: the other is active again, and only it."""
    clinic = a_clinic(tmp_path, clock, pairs("zh")[8:])
    heal(clinic)
    with open_door(clinic.config) as door:
        door.archive("zh-age-old", superseded_by="zh-age-new")

    plan = clinic.ledger.plans.load(heal(clinic))

    assert [(StepKind.LIFT_MARK, ("zh-age-new",))] == [(s.kind, s.changed_ids) for s in plan.steps()]
    after = seen(clinic)
    assert {"zh-age-new": "active", "zh-age-old": "archived"} == {i: m.status for i, m in after.items()}


def test_a_pending_status_that_the_owner_set_stays(tmp_path: Path, clock: FakeClock) -> None:
    """A row under review for a reason of its owner's is labelled, and stays under review when the dispute is over."""
    rows = pairs("en")[8:]
    rows[0]["status"] = "pending_review"
    clinic = a_clinic(tmp_path, clock, rows)
    before = bytes_of(tmp_path)
    heal(clinic)
    marked = {i: (m.status, m.kept.marked, len(m.kept.disputed_with)) for i, m in seen(clinic).items()}
    [conflict] = [f for f in clinic.check().findings if f.code.value == "conflict"]
    clinic.ledger.findings.dismiss([conflict.id], "rejected: both are right", "li.wei")

    heal(clinic)

    assert {"en-age-old": ("pending_review", False, 1), "en-age-new": ("pending_review", True, 1)} == marked
    assert before == bytes_of(tmp_path)


def test_a_decided_dispute_lifts_the_mark_of_the_winner(tmp_path: Path, clock: FakeClock) -> None:
    """Once a rule can decide what was marked, the loser goes and the winner is active, both without a mark."""
    rows = pairs("en")[8:]
    clinic = a_clinic(tmp_path, clock, rows)
    heal(clinic)
    table = lancedb.connect(str(tmp_path)).open_table("memories")
    later = "timestamp '2025-02-20 00:00:00'"
    table.update(where="id = 'en-age-new'", values_sql={"created_at": later, "updated_at": later})

    heal(clinic)

    after = seen(clinic)
    assert ("archived", "en-age-new", Kept()) == (
        after["en-age-old"].status,
        after["en-age-old"].superseded_by,
        after["en-age-old"].kept,
    )
    assert ("active", Kept()) == (after["en-age-new"].status, after["en-age-new"].kept)
    assert clinic.plan().plan is None


def three(language: str) -> list[dict[str, Any]]:
    """Three values of one attribute, a month apart each."""
    rows = pairs(language)[:2]
    names = {"en": ("Ostrow", "Moved on to Ostrow."), "zh": ("远航设计", "跳槽去了远航设计。")}[language]
    claim = {"entity": "user", "attribute": "employer", "value": names[0]}
    own = {"created_at": "2025-02-25", "claim": claim, "scope": language, "batch_id": "import-1"}
    return [*rows, memory(f"{language}-employer-newest", content=names[1], **own)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_row_loses_once_to_what_stays_in_the_end(tmp_path: Path, clock: FakeClock, language: str) -> None:
    """One of three stays; the two others name it, each archived by one step, and nothing follows."""
    clinic = a_clinic(tmp_path, clock, three(language))

    plan = clinic.ledger.plans.load(heal(clinic))

    kinds = [s.kind for s in plan.steps()]
    assert [StepKind.SUPERSEDE] * 2 == kinds
    newest = f"{language}-employer-newest"
    after = seen(clinic)
    assert {f"{language}-employer-{side}": newest for side in ("new", "old")} == {
        i: m.superseded_by for i, m in after.items() if m.status == "archived"
    }
    assert clinic.plan().plan is None


BACK = {
    "en": ("Likes drinking cola.", "Switched to drinking coffee instead of cola.", "Likes drinking cola after all."),
    "zh": ("喜欢喝可乐。", "改喝咖啡了。", "还是喜欢喝可乐。"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_came_back_is_never_said_to_deny_what_it_agrees_with(
    tmp_path: Path, clock: FakeClock, language: str
) -> None:
    """Cola, coffee, cola: the first goes since coffee came, and names the last, which it can well hold beside."""
    days = ("2025-01-01", "2025-02-01", "2025-02-20")
    told = zip("abc", BACK[language], days, strict=True)
    rows = [memory(name, content=said, created_at=day, kind="preference") for name, said, day in told]
    clinic = a_clinic(tmp_path, clock, rows)

    reasons = {s.detail["superseded_ids"][0]: (s.detail["kept_id"], s.reason) for s in planned(clinic)}

    by = "rule latest_user_statement"
    assert {
        "a": ("c", f"archive a, which can't hold beside b; in the end c stays: {by}"),
        "b": ("c", f"keep c, archive b, which can't hold beside it: {by}"),
    } == reasons


MOVED = {
    "en": ("Lives in Oslo.", "Lives in Portugal.", "Lives near the river in Lisbon."),
    "zh": ("住在昆明。", "住在浙江。", "住在杭州西湖区。"),
}


def places(language: str) -> list[dict[str, Any]]:
    """An old home, and two rows that agree with each other and not with it."""
    days = ("2024-01-01", "2025-02-01", "2025-02-02")
    own = {"scope": language}
    told = zip(("old", "wide", "near"), MOVED[language], days, strict=True)
    return [memory(name, content=said, created_at=day, **own) for name, said, day in told]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_row_that_a_person_has_let_stay_loses_to_no_other(tmp_path: Path, clock: FakeClock, language: str) -> None:
    """Taken back is that the row goes, whichever row it went for: no other finding lets it go, until one changes."""
    rules = {"confirmed": ["conflict.newer"]}
    clinic = a_clinic(tmp_path, clock, places(language), rules=rules, conflict={})
    before = bytes_of(tmp_path)
    take_back(clinic, heal(clinic), "li.wei")

    assert before == bytes_of(tmp_path)
    assert (None, {}) == (clinic.plan().plan, queue(clinic))
    assert [] == [f.ids for f in clinic.check().findings if f.code is Code.CONFLICT]
    said = {"en": "Lives by the sea in Portugal.", "zh": "住在浙江海边。"}[language]
    lancedb.connect(str(tmp_path)).open_table("memories").update(
        where="id in ('wide', 'near')", values={"content": said}
    )
    assert [StepKind.SUPERSEDE] == [step.kind for step in planned(clinic)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_loses_to_what_a_row_that_stays_would_have_lost_to(
    tmp_path: Path, clock: FakeClock, language: str
) -> None:
    """The middle one of three stays by a person's word: the oldest goes all the same, and names a row that is there."""
    clinic = a_clinic(tmp_path, clock, three(language))
    [middle] = [f for f in clinic.check().findings if f.evidence.get("lose") == f"{language}-employer-new"]
    clinic.ledger.findings.dismiss([middle.id], "rejected: both are right", "li.wei")

    steps = planned(clinic)

    assert [f"{language}-employer-old"] == [i for s in steps for i in s.hidden_ids]


def planned(clinic: Clinic) -> list[Step]:
    """The steps of a new plan."""
    plan = clinic.plan().plan
    return [] if plan is None else list(plan.steps())


def test_a_winner_that_was_archived_meanwhile_refuses_the_step(tmp_path: Path, clock: FakeClock) -> None:
    """What was planned in favour of a row that its owner archived since is refused alone: never are both hidden."""
    clinic = a_clinic(tmp_path, clock, pairs("en")[:4])
    plan = clinic.plan().plan
    assert plan is not None
    with open_door(clinic.config) as door:
        door.archive("en-employer-new")

    done = apply(clinic, plan.id)

    assert {"applied": 1, "stale": 1} == done.outcomes()
    after = seen(clinic)
    assert {"en-employer-new", "en-lives_in-old"} == {i for i, m in after.items() if m.status == "archived"}


OWNED = pa.schema(
    [
        pa.field("mem_id", pa.string()),
        pa.field("text", pa.string()),
        pa.field("vec", pa.list_(pa.float32(), 3)),
        pa.field("who", pa.string()),
        pa.field("made", pa.timestamp("us", "UTC")),
        pa.field("src", pa.string()),
        pa.field("told", pa.string()),
        pa.field("gone", pa.int64()),
    ]
)
PLACES = {
    "id": "mem_id",
    "content": "text",
    "embedding": "vec",
    "scope": "who",
    "created_at": "made",
    "source": "src",
    "claim": "told",
    "status": "gone",
}
ABSENT = [
    *("metadata", "updated_at", "kind", "last_accessed_at", "last_verified_at", "batch_id"),
    *("duplicate_of", "superseded_by", "related_ids", "related_notes"),
]


def an_owner(
    folder: Path, clock: FakeClock, rows: list[dict[str, Any]], schema: pa.Schema = OWNED, **mapping: Any
) -> Clinic:
    """A clinic on an owner's table of these rows, which has no place for what Mendory keeps."""
    made = [
        {
            "mem_id": r["id"],
            "text": r["content"],
            "vec": [1.0, at / 8, 0.5],
            "who": r["scope"],
            "made": r["created_at"],
            "src": r["source"],
            "told": r["claim"],
            "gone": 0,
        }
        for at, r in enumerate(rows)
    ]
    lancedb.connect(str(folder)).create_table("memories", pa.Table.from_pylist(made, schema=schema))
    whole = {"columns": PLACES, "absent": ABSENT} | mapping
    wishes = {"limits": GENEROUS, "rules": CONFIRMED, "conflict": PRESET, "metadata": {"required": []}}
    return Clinic(make_config(folder, mapping=whole, **wishes), clock)


def test_an_owner_without_a_pending_value_is_marked_aside(tmp_path: Path, clock: FakeClock) -> None:
    """Where the owner's status has no such value no byte of a disputed row changes; the mark lies in the ledger."""
    words = {"status": {"values": {"0": "active", "1": "archived"}}, "hide": {"gone": 1}}
    clinic = an_owner(tmp_path, clock, [*pairs("en")[:2], *pairs("en")[8:]], **words)
    before = {r["mem_id"]: r for r in bytes_of(tmp_path)}

    plan = heal(clinic)

    after = {r["mem_id"]: r for r in bytes_of(tmp_path)}
    assert before | {"en-employer-old": before["en-employer-old"] | {"gone": 1}} == after
    told = seen(clinic)
    assert {"en-age-new": "pending_review", "en-age-old": "pending_review"} == {
        i: m.status for i, m in told.items() if m.kept.disputed_with
    }
    assert ("archived", "en-employer-new") == (
        told["en-employer-old"].status,
        told["en-employer-old"].superseded_by,
    )
    assert clinic.plan().plan is None
    take_back(clinic, plan, "li.wei")
    assert before == {r["mem_id"]: r for r in bytes_of(tmp_path)}
    assert {} == clinic.ledger.asides.held()


def test_an_owner_whose_reader_hides_nothing_is_told_so(tmp_path: Path, clock: FakeClock) -> None:
    """Where nothing hides a row a decided conflict is a finding with that reason, never a step; marks stay possible."""
    words = {"status": {"values": {"0": "active"}}, "hide": "none"}
    clinic = an_owner(tmp_path, clock, [*pairs("zh")[:2], *pairs("zh")[8:]], **words)
    before = bytes_of(tmp_path)

    plan = clinic.ledger.plans.load(heal(clinic))

    assert [StepKind.MARK_DISPUTED] == [s.kind for s in plan.steps()]
    assert before == bytes_of(tmp_path)
    cannot = "the owner's reader cannot hide: it filters by nothing that mapping.hide names"
    assert cannot == queue(clinic)["zh-employer-new", "zh-employer-old"]


SCENES = {
    "en": ("No coriander, please.", "Coriander is fine at business dinners.", "business dinner"),
    "zh": ("菜里不要放香菜。", "商务宴请时可以放香菜。", "商务宴请"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_exception_is_linked_and_both_stay(tmp_path: Path, clock: FakeClock, language: str) -> None:
    """What holds for a scene is kept as an exception of what holds in general; nothing of either row changes."""
    general, specific, scene = SCENES[language]
    rows = [
        memory("all", content=general, claim={"object": "coriander", "stance": "refuse"}, created_at="2025-01-01"),
        memory(
            "one",
            content=specific,
            claim={"object": "coriander", "stance": "want", "scene": scene},
            created_at="2025-02-01",
        ),
    ]
    clinic = a_clinic(tmp_path, clock, rows)
    before = bytes_of(tmp_path)

    plan = heal(clinic)

    assert before == bytes_of(tmp_path)
    assert {"one": Kept(exception_of=("all",)), "all": Kept()} == {i: m.kept for i, m in seen(clinic).items()}
    again = clinic.plan()
    assert (None, ()) == (again.plan, again.drafted.unplanned)
    take_back(clinic, plan, "li.wei")
    assert {} == clinic.ledger.asides.held()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_exception_of_a_scope_above_changes_one_scope_alone(tmp_path: Path, clock: FakeClock, language: str) -> None:
    """What a project says against its user is linked to it; the step holds no row of the user's own scope."""
    general, specific = pairs(language)[:2]
    rows = [general | {"scope": "alice"}, specific | {"scope": "alice/falcon"}]
    clinic = a_clinic(tmp_path, clock, rows, scopes={"parents": {"{user}/{project}": "{user}"}})

    plan = clinic.ledger.plans.load(heal(clinic))

    [step] = plan.steps()
    assert (StepKind.LINK_EXCEPTION, (specific["id"],)) == (step.kind, step.row_ids)
    assert (general["id"],) == seen(clinic)[str(specific["id"])].kept.exception_of
    assert clinic.plan().plan is None


def test_a_rejected_mark_is_not_planned_again(tmp_path: Path, clock: FakeClock) -> None:
    """Who rejects the mark has said that there is no conflict: it is planned no more, and waits for nobody."""
    clinic = a_clinic(tmp_path, clock, pairs("en")[8:])
    plan = clinic.plan().plan
    assert plan is not None
    reject(clinic, plan.id, None, "li.wei", "both are right")

    again = clinic.plan()

    assert (None, {}) == (again.plan, queue(clinic))


def test_what_is_kept_goes_into_the_incremental_check(tmp_path: Path, clock: FakeClock) -> None:
    """A dispute that is over is found by a check of what changed as by a check of everything."""
    filler = [memory(f"f{n}", content=f"Note {n} about nothing else.", scope="other") for n in range(30)]
    clinic = a_clinic(tmp_path, clock, [*pairs("en")[8:], *filler])
    heal(clinic)
    clinic.plan()
    with open_door(clinic.config) as door:
        door.archive("en-age-old")

    whole, part = clinic.check(), clinic.check(since="last")

    assert part.basis.since is not None
    assert [f.id for f in whole.findings] == [f.id for f in part.findings]
    assert [("dispute_over", ("en-age-new",))] == [
        (f.code.value, f.ids) for f in part.findings if f.code.value != "timestamp_future"
    ]


def test_a_dismissal_goes_into_the_incremental_check(tmp_path: Path, clock: FakeClock) -> None:
    """That a person settled a dispute is told by a check of what changed, though no row did."""
    filler = [memory(f"f{n}", content=f"Note {n} about nothing else.", scope="other") for n in range(30)]
    clinic = a_clinic(tmp_path, clock, [*pairs("zh")[8:], *filler])
    heal(clinic)
    clinic.plan()
    [conflict] = [f for f in clinic.check().findings if f.code.value == "conflict"]
    clinic.ledger.findings.dismiss([conflict.id], "rejected: both are right", "li.wei")

    whole, part = clinic.check(), clinic.check(since="last")

    assert part.basis.since is not None
    assert [f.id for f in whole.findings] == [f.id for f in part.findings]
    assert ["zh-age-new", "zh-age-old"] == [i for f in part.findings for i in f.ids if f.code.value == "dispute_over"]


def test_a_lifted_mark_is_no_loop(tmp_path: Path, clock: FakeClock) -> None:
    """A row that is as it was before its mark, since Mendory lifted it, is repaired again like any other."""
    clinic = a_clinic(tmp_path, clock, pairs("en")[8:])
    heal(clinic)
    with open_door(clinic.config) as door:
        door.archive("en-age-old")
    heal(clinic)
    claim = {"entity": "user", "attribute": "age", "value": "52"}
    own = {"created_at": "2025-02-20", "claim": claim, "scope": "en"}
    clinic.writer.append(arrow([memory("en-age-last", content="Is 52 by now.", **own)]))

    heal(clinic)

    after = seen(clinic)
    assert ("archived", "en-age-last") == (after["en-age-new"].status, after["en-age-new"].superseded_by)


REVIEWED = pa.schema([*OWNED, pa.field("review", pa.string()), pa.field("meta", pa.string())])


def test_a_mark_in_a_place_of_its_own_is_lifted_again(tmp_path: Path, clock: FakeClock) -> None:
    """Where the owner's mark of a dispute lies elsewhere than the status, both columns get what they held before."""
    words = {
        "columns": PLACES | {"metadata": "meta"},
        "absent": [n for n in ABSENT if n != "metadata"],
        "status": {"values": {"0": "active", "1": "archived"}},
        "hide": {"gone": 1},
        "pending": {"review": "disputed", "meta.flag": True},
    }
    clinic = an_owner(tmp_path, clock, pairs("en")[8:], REVIEWED, **words)
    before = bytes_of(tmp_path)
    heal(clinic)
    marked = [(r["review"], r["meta"]) for r in bytes_of(tmp_path)]
    [conflict] = [f for f in clinic.check().findings if f.code.value == "conflict"]
    assert clinic.plan().plan is None
    clinic.ledger.findings.dismiss([conflict.id], "rejected: both are right", "li.wei")

    heal(clinic)

    assert [("disputed", '{"flag": true}')] * 2 == marked
    assert [r | {"meta": '{"flag": null}'} for r in before] == bytes_of(tmp_path)
    assert clinic.plan().plan is None


def test_evidence_of_a_conflict_holds_no_text(tmp_path: Path, clock: FakeClock) -> None:
    """Neither texts nor values of memories are in the findings, the plan or the queue."""
    clinic = a_clinic(tmp_path, clock)
    planned = clinic.plan()
    assert planned.plan is not None
    told = json.dumps(
        [*(f.as_json() for f in planned.drafted.examination.findings), planned.plan.as_json(), list(queue(clinic))],
        ensure_ascii=False,
    )

    words = [w for language in VALUES.values() for pair in language for w in pair if not w.isdigit()]
    assert [] == [w for w in words if w in told]


def test_approval_by_a_person_runs_what_no_rule_confirms(tmp_path: Path, clock: FakeClock) -> None:
    """A person may approve what a rule decided though the rule is not confirmed."""
    clinic = a_clinic(tmp_path, clock, pairs("en"), rules={"confirmed": []})
    plan = clinic.plan().plan
    assert plan is not None
    approve(clinic, plan.id, None, "li.wei")

    done = apply(clinic, plan.id)

    assert (True, {"applied": 5}) == (done.verdict.ok, done.outcomes())


def test_a_conflict_is_shown_with_both_claims_and_who_decided(tmp_path: Path, clock: FakeClock) -> None:
    """The case record and the page that asks say what each side claims and who decided, in both languages, no value."""
    clinic = a_clinic(tmp_path, clock, [*pairs("en")[:2], *pairs("en")[8:]], rules={"confirmed": []})
    plan = clinic.plan().plan
    assert plan is not None
    record = build(clinic.ledger, plan.id)
    given = {lang: page(asked(clinic, plan.id), lang) for lang in ("en", "zh")}

    told = [(c["kind"], c["rows"], c["rule"], c["difference"], c["why"]) for c in record["conflicts"]]
    assert [
        ("mark_disputed", ["en-age-new", "en-age-old"], None, {}, WHY),
        ("supersede", ["en-employer-new", "en-employer-old"], "latest_user_statement", {"seconds": 2678400}, ""),
    ] == told
    said = {
        "en": (
            "en-employer-new: employer, as its writer says; en-employer-old: employer, as its writer says; "
            "decided by: latest_user_statement: 31 days later"
        ),
        "zh": (
            "en-employer-new: employer（写入方给出）；en-employer-old: employer（写入方给出）；"
            "裁决：按用户最后所说，晚 31 天"
        ),
    }
    assert {"en": True, "zh": True} == {lang: cell(line) in given[lang] for lang, line in said.items()}
    written = [text(record, form, lang) for form in ("markdown", "html", "json") for lang in ("en", "zh")]
    assert [] == [w for w in ("Brightwell", "Quarry") if any(w in one for one in (*written, *given.values()))]
    assert "latest_user_statement: 31 days later" in written[0]
    rows = [
        line for form in written[:2] for line in form.splitlines() if "en-age-old |" in line or "employer-old |" in line
    ]
    kept = [line.split("|")[4].strip() for line in rows if "en-age-new, en-age-old" in line or "employer-new, " in line]
    assert ["both", "en-employer-new", "两条都留", "en-employer-new"] == kept
    assert "按用户最后所说，晚 31 天" in written[1]


def test_both_sides_begin_on_the_page_where_privacy_allows(tmp_path: Path, clock: FakeClock) -> None:
    """Of each conflict that is shown, decided or not, both memories or neither; by default no memory at all."""
    clinic = a_clinic(tmp_path, clock, rules={"confirmed": []})
    plan = clinic.plan().plan
    assert plan is not None
    short = Clinic(make_config(tmp_path, conflict=PRESET, privacy={"prefect_excerpts": "short"}), clock)
    told = dict(asked(short, plan.id).excerpts)
    shown = [ident.rpartition("-")[0] for ident in told]

    assert () == asked(clinic, plan.id).excerpts
    assert {str(row["id"]): row["content"][:40] for row in ROWS if row["id"] in told} == told
    assert [2] * 6 == [shown.count(pair) for pair in dict.fromkeys(shown)]


def test_no_side_of_a_conflict_is_shown_alone(tmp_path: Path, clock: FakeClock) -> None:
    """Where a group of three leaves place for one row more, no conflict's half takes it."""
    thrice = [memory(f"m{n}", content="Allergic to pollen.", scope="other", created_at="2025-03-01") for n in range(3)]
    clinic = a_clinic(tmp_path, clock, [*ROWS, *thrice], rules={"confirmed": []})
    plan = clinic.plan().plan
    assert plan is not None
    short = Clinic(make_config(tmp_path, conflict=PRESET, privacy={"prefect_excerpts": "short"}), clock)
    shown = [ident.rpartition("-")[0] or "merged" for ident, _ in asked(short, plan.id).excerpts]

    assert [3, 2, 2, 2, 2] == sorted((shown.count(one) for one in dict.fromkeys(shown)), reverse=True)


def test_get_names_the_other_side(tmp_path: Path, clock: FakeClock) -> None:
    """Who asks for a disputed memory learns with which it is, from the library too."""
    clinic = a_clinic(tmp_path, clock, pairs("zh")[8:])
    heal(clinic)

    with open_door(clinic.config) as door:
        held = door.get("zh-age-old")

    assert (("zh-age-new",), "pending_review", 1.0) == (held.disputed_with, held.status, held.factor)


_ATTRIBUTES = ("employer", "lives_in")
_VALUES = ("Ostrow", "Quarry", "Brightwell")
_SOURCES = ("user_stated", "model_inferred", "config", "webhook")
_ROWS = st.lists(
    st.tuples(
        st.sampled_from(_ATTRIBUTES),
        st.sampled_from(_VALUES),
        st.sampled_from(_SOURCES),
        st.integers(0, 3),
        st.sampled_from(["b1", None]),
        st.sampled_from(["u1", "u2"]),
    ),
    min_size=2,
    max_size=7,
)


@given(_ROWS, st.permutations(CONFLICT_RULES))
@quick(40)
def test_no_plan_hides_both_sides_and_a_healed_table_is_left_alone(
    drawn: list[tuple[Any, ...]], order: list[str]
) -> None:
    """Whatever the rows and the rules, a loser names a row of its scope that stays, and nothing follows.

    Nobody else is hidden, and no step holds rows of two scopes.
    """
    held = {
        f"m{at}": Memory(
            f"m{at}",
            f"{attribute} {value} {at}",
            scope=scope,
            source=source,
            status="active",
            kind="fact",
            created_at=NOON + timedelta(days=day),
            batch_id=batch,
            metadata={"topic": "t", "entities": ["user"], "scene": "daily"},
            claim={"entity": "user", "attribute": attribute, "value": value},
        )
        for at, (attribute, value, source, day, batch, scope) in enumerate(drawn)
    }
    settings = Settings(conflict=ConflictRules(tuple(order)))
    drafts = drafted_of(held, settings)
    healed = dict(held)
    for one in drafts:
        assert len({held[row].scope for row in one.rows}) == 1
        for row, changes in one.changes.items():
            healed[row] = changed(healed[row], changes)

    gone = {i: m for i, m in healed.items() if m.status == "archived"}
    assert [] == [i for i, m in gone.items() if healed[str(m.superseded_by)].status == "archived"]
    assert [] == [i for i, m in gone.items() if held[str(m.superseded_by)].scope != m.scope]
    assert [] == [i for i, m in healed.items() if bool(m.kept.disputed_with) != m.kept.marked]
    assert len({id(m) for m in gone.values()}) == sum(d.kind is StepKind.SUPERSEDE for d in drafts)
    assert [] == [d.kind for d in drafted_of(healed, settings) if d.kind in _MINE]


_MINE = (StepKind.SUPERSEDE, StepKind.MARK_DISPUTED, StepKind.LIFT_MARK, StepKind.LINK_EXCEPTION)


def drafted_of(held: Mapping[str, Memory], settings: Settings) -> list[Draft]:
    """The drafts of these memories about what can't both hold."""
    made = draft(
        held.values,
        lambda ids: {i: held[i] for i in ids if i in held},
        settings,
        Wishes({}),
        lambda _: None,
        lambda _: {},
        lambda _: None,  # type: ignore[arg-type, return-value] # nothing lacks a scope
    )
    return [d for d in made.drafts if d.kind in _MINE]
