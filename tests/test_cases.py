"""The cases under tests/cases: one behaviour a JSON file, readable without knowing Python.

A case of the `memories` kind says which memories there are, what is found, which steps follow and what
is left to a person. Fields it does not mention make an otherwise healthy memory. `findings` and `steps`
are complete: anything else found or planned fails the case. `becomes` is a row's cells, to the byte, when
all is done, `again` what is planned then: nothing, unless it is mentioned. A memory with `times` stands for that many,
`{n}` in its texts for the number; its content stands there `repeat` times. A memory whose `embedding` is not mentioned
has one of its own, of length 1; components may be texts ("NaN"), vectors of several lengths.

Beside the memories of each case stand a few sick ones of another scope (`SENTINELS`). What is found on
them must be found in every case, so that no case passes because nothing was looked at. Each case is also
run with its rows in reverse, its plan is bound, carried out on the rows, and the healed rows planned again.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from mendory import digest, jsontext, text
from mendory.catalogue import Level, StepKind
from mendory.config import LimitsSection
from mendory.detect import Settings, examine
from mendory.mapping import VECTOR, VECTORLESS, Giving
from mendory.mapping import Mapping as FieldMapping
from mendory.plan.binding import bind
from mendory.plan.build import Drafted, Wishes, draft
from mendory.plan.draft import SPELLING
from mendory.plan.model import ColumnChange, Edit, Group, Plan, Step
from mendory.policy import Health, Spent, decide
from mendory.record import Memory
from mendory.scopes import ancestors_by
from mendory.side import Note, Notes, overlaid
from mendory.vectors import facts
from mendory.work import Rows, Unit, settle
from tests.conftest import DIMENSION, NOON, arrow, at, memory

CASES = Path(__file__).parent / "cases"


def cases(folder: str) -> list[Any]:
    """One parameter per file of the folder."""
    files = sorted((CASES / folder).glob("*.json"))
    assert files, f"tests/cases/{folder} is empty"
    return [pytest.param(json.loads(f.read_text(encoding="utf-8")), id=f.stem) for f in files]


def only(known: Iterable[str], given: Mapping[str, Any], where: str) -> None:
    """Return when every key is known; a misspelt key must never make a case pass."""
    unknown = sorted(set(given) - set(known))
    assert [] == unknown, f"unknown keys in {where}: {', '.join(unknown)}"


def one_of(kinds: Sequence[set[str]], case: Mapping[str, Any]) -> set[str]:
    """The kind of case this is: exactly the keys of one kind, `why` besides."""
    fits = [keys for keys in kinds if set(case) - {"why"} == keys]
    assert len(fits) == 1, f"the keys {sorted(case)} fit no kind of case"
    return fits[0]


def test_every_case_belongs_to_a_runner_and_says_why() -> None:
    """Each folder of cases is run by a test, and each file holds a sentence that says why."""
    folders = {f.name for f in CASES.iterdir()}

    others = {
        "answers",
        "claims",
        "contradiction",
        "conflict",
        "imports",
        "jsontext",
        "judge",
        "merge_near",
        "near",
        "pages",
        "policy",
        "queries",
        "rules",
        "text",
        "veto",
    }
    assert {*MEMORY_FOLDERS, *others} == folders
    for file in CASES.glob("*/*.json"):
        assert json.loads(file.read_text(encoding="utf-8"))["why"].strip().endswith((".", "。")), file


# --- memories → findings → steps --------------------------------------------------------------

MEMORY_FOLDERS = (
    *("required", "identity", "status", "references", "exact", "restated", "apart", "fill", "merge"),
    *(
        "structure",
        "belonging",
        "repetition",
        "envelope",
        "no_fact",
        "compound",
        "echo",
        "fragments",
        "scope",
        "staleness",
    ),
)


class Case:
    """A case of the memories kind, read."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        known = {"why", "memories", "settings", "findings", "steps", "unplanned", "stands_down", "becomes", "again"}
        only(known, data, "the case")
        wishes = data.get("settings", {})
        known = {"absent", "required_metadata", "owner_keys", "window_minutes", "defaults", "min_siblings", "became"}
        only({*known, "sentinel status", "now", "stale", "parents", "kept"}, wishes, "settings")
        self.sentinel_status = wishes.get("sentinel status", "active")
        self.absent = frozenset(wishes.get("absent", ()))
        required = tuple(wishes.get("required_metadata", Settings().required_metadata))
        self.settings = Settings(
            self.absent,
            required,
            tuple(wishes.get("owner_keys", Settings().owner_keys)),
            timedelta(minutes=wishes.get("window_minutes", 60)),
            stale_vectors=frozenset(wishes.get("stale", ())),
            now=at(wishes.get("now")),
            ancestors=ancestors_by(wishes.get("parents", {})),
        )
        self.wishes = Wishes(wishes.get("defaults", {}), wishes.get("min_siblings", 3))
        self.became = wishes.get("became", {})
        self.mapping = FieldMapping.of({}, sorted(self.absent))
        rows = [memory(required=required, **fields) for many in data["memories"] for fields in _each(many)]
        whole = _table([*rows, *self._sentinels(required)])
        self.rows = whole.select([name for name in whole.column_names if name not in self.absent])
        self.findings = sorted([*map(_expected_finding, data["findings"]), *self._sentinel_findings()], key=_key)
        self.steps = sorted([*map(_expected_step, data.get("steps", ())), *self._sentinel_steps()], key=_key)
        self.again = sorted(map(_expected_step, data.get("again", ())), key=_key)
        self.unplanned = data.get("unplanned")
        self.stands_down = data.get("stands_down")
        contents = {row["id"]: row["content"] for row in self.rows.to_pylist()}
        kept = wishes.get("kept", {})
        self.notes = {name: Note(digest.of(contents[name]), fields) for name, fields in kept.items()}
        self.becomes = data.get("becomes", {})

    @property
    def mergeable(self) -> bool:
        """True when this table can have duplicates that are merged."""
        lacking = self.absent & {"scope", "created_at", "status"}
        return not lacking and self.sentinel_status == "active"

    def _sentinels(self, required: Sequence[str]) -> list[dict[str, Any]]:
        def sick(name: str, **fields: Any) -> dict[str, Any]:
            own = {"embedding": _own_vector(name), "scope": "sentinel", "status": self.sentinel_status}
            return memory(name, required, **own, **fields)

        twins = [sick(f"~twin{n}", content="Said twice. 说了两遍。") for n in "12"] if self.mergeable else []
        return [sick("~blank", content=" "), *twins]

    def _sentinel_findings(self) -> list[dict[str, Any]]:
        found = [_expected_finding({"code": "content_empty", "ids": ["~blank"]})]
        if self.mergeable:
            found.append(_expected_finding({"code": "duplicate_exact", "ids": ["~twin1", "~twin2"]}))
        return found

    def _sentinel_steps(self) -> list[dict[str, Any]]:
        merged = {"~twin2": {"status": "archived", "duplicate_of": "~twin1"}}
        step = {"kind": "merge_exact", "level": 2, "rows": ["~twin2"], "set": merged}
        return [step] if self.mergeable else []

    def memories(self, rows: pa.Table) -> list[Memory]:
        """The rows as a scan gives them: of vectors only whether there is one, and what is known of it."""
        if "embedding" in rows.column_names:
            held = rows.column("embedding").combine_chunks()
            rows = rows.drop_columns(["embedding"]).append_column(VECTORLESS, pc.is_null(held))
            rows = rows.append_column(VECTOR, facts(held))
        return self.mapping.memories(rows.combine_chunks())

    def draft(self, rows: pa.Table, notes: Notes | None = None) -> Drafted:
        """What follows for these rows, with what is kept aside of them."""
        held = [overlaid(m, notes or {}) for m in self.memories(rows)]
        giving = Giving(self.mapping, rows)
        return draft(
            lambda: iter(held),
            _fetch(held),
            self.settings,
            self.wishes,
            lambda _: None,
            self._successors,
            lambda ids: giving,
        )

    def _successors(self, ids: Sequence[str]) -> dict[str, str]:
        return {i: self.became[i] for i in ids if i in self.became}


def _each(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The memory, or as many of it as `times` says, numbered from 1."""
    plain = {k: v for k, v in fields.items() if k not in ("times", "repeat")}
    if "repeat" in fields:
        plain["content"] *= fields["repeat"]
    if "times" not in fields:
        several = [plain]
    else:
        numbers = range(1, fields["times"] + 1)
        numbered = [{k: _numbered(v, n) for k, v in plain.items()} for n in numbers]
        several = [one | {"id": f"{plain['id']}-{n}"} for n, one in zip(numbers, numbered, strict=True)]
    return [{"embedding": _own_vector(one["id"]), **one} for one in several]


def _numbered(value: Any, number: int) -> Any:
    return value.replace("{n}", str(number)) if isinstance(value, str) else value


def _own_vector(name: str | None) -> list[float]:
    """A vector of length 1 that no row of another id has."""
    parts = [byte - 127.5 for byte in hashlib.sha256(str(name).encode()).digest()[:4]]
    return [part / math.hypot(*parts) for part in parts]


def _table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """The rows in the schema of our own table; with vectors of several lengths their column has no fixed one."""
    vectors = [row["embedding"] and [None if x is None else float(x) for x in row["embedding"]] for row in rows]
    table = arrow([{**row, "embedding": None} for row in rows])
    at_place, fixed = (
        table.schema.get_field_index("embedding"),
        {len(v) for v in vectors if v is not None} <= {DIMENSION},
    )
    kind = table.schema.field(at_place).type if fixed else pa.list_(pa.float32())
    return table.set_column(at_place, pa.field("embedding", kind), pa.array(vectors, kind))


def _fetch(held: Sequence[Memory]) -> Callable[[Sequence[str]], dict[str, Memory]]:
    return lambda ids: {m.id: m for m in sorted(held, key=lambda m: m.id or "") if m.id and m.id in set(ids)}


def _key(entry: Mapping[str, Any]) -> str:
    return json.dumps({k: v for k, v in entry.items() if k != "evidence"}, sort_keys=True)


def _expected_finding(entry: Mapping[str, Any]) -> dict[str, Any]:
    only({"code", "ids", "evidence"}, entry, "a finding")
    return {"code": entry["code"], "ids": sorted(entry["ids"]), "evidence": entry.get("evidence", {})}


def _expected_step(entry: Mapping[str, Any]) -> dict[str, Any]:
    only({"kind", "level", "rows", "set"}, entry, "a step")
    assert sorted(entry["rows"]) == sorted(entry["set"]), "rows and set name different rows"
    return {"kind": entry["kind"], "level": entry["level"], "rows": sorted(entry["rows"]), "set": entry["set"]}


def _found(case: Case, drafted: Drafted) -> list[dict[str, Any]]:
    """The findings as a case states them, each with as much of its evidence as the case asks for."""
    asked = {(f["code"], tuple(f["ids"])): f["evidence"] for f in case.findings}
    found = []
    for one in drafted.examination.findings:
        wanted = asked.get((one.code.value, one.ids), {})
        evidence = {k: v for k, v in one.as_json()["evidence"].items() if k in wanted}
        found.append({"code": one.code.value, "ids": list(one.ids), "evidence": evidence})
    return sorted(found, key=_key)


def _lines(drafted: Drafted) -> Sequence[tuple[str, str]]:
    return drafted.examination.stands_down


def _planned(drafted: Drafted) -> list[dict[str, Any]]:
    return sorted(
        (
            {
                "kind": d.kind.value,
                "level": int(d.level),
                "rows": sorted(d.changes),
                # the owner's own word for a status is the status
                "set": json.loads(json.dumps(d.changes).replace(f'"{SPELLING}"', '"status"')),
            }
            for d in drafted.drafts
        ),
        key=_key,
    )


def _carried_out(case: Case, plan: Plan) -> pa.Table:
    """The rows after every step of the plan, in its order; each must fit the rows it meets."""
    rows = case.rows
    for group in plan.groups:
        units = [Unit.of(step, "", None) for step in group.steps]
        settled = settle(units, Rows(1, rows), "id", case.mapping.volatile)
        assert {} == dict(settled.refused), f"a step of {group.name} does not fit the rows that earlier groups leave"
        if settled.after is not None:
            changed = {r["id"]: r for r in settled.after.to_pylist()}
            rows = pa.Table.from_pylist([changed.get(r["id"], r) for r in rows.to_pylist()], schema=rows.schema)
    return rows


def _kept_aside(plan: Plan, before_it: Notes) -> Notes:
    """What is kept aside of the rows after every step of the plan."""
    held = dict(before_it)
    for edit in (e for s in plan.steps() for e in s.edits if e.aside):
        assert edit.aside is not None
        before = held[edit.id].fields if edit.id in held else {}
        held[edit.id] = Note(edit.aside.about, {**before, **{c.column: c.new for c in edit.aside.changes}})
    return held


@pytest.mark.parametrize("folder", MEMORY_FOLDERS)
def test_folder_has_cases_in_both_languages(folder: str) -> None:
    """Every behaviour of a folder is shown in Chinese and in English."""
    texts = [f.read_text(encoding="utf-8") for f in (CASES / folder).glob("*.json")]
    chinese = [t for t in texts if any("\u4e00" <= c <= "\u9fff" for c in t)]

    assert len(texts) // 3 <= len(chinese)


def _run(data: Mapping[str, Any]) -> None:
    case = Case(data)
    drafted = case.draft(case.rows, case.notes)

    assert case.findings == _found(case, drafted)
    assert case.steps == _planned(drafted)
    if case.stands_down is not None:
        lines = [{what: why} if {what: why} in case.stands_down else what for what, why in _lines(drafted)]
        assert case.stands_down == lines
    if case.unplanned is not None:
        left = {(u.finding.code.value, u.finding.ids): u.reason for u in drafted.unplanned}
        ours = {about: why for about, why in left.items() if "~blank" not in about[1]}
        assert sorted((u["code"], tuple(sorted(u["ids"]))) for u in case.unplanned) == sorted(ours)
        for entry in case.unplanned:
            only({"code", "ids", "reason contains"}, entry, "an unplanned finding")
            assert entry["reason contains"] in ours[entry["code"], tuple(sorted(entry["ids"]))]

    backwards = case.draft(case.rows.take(list(reversed(range(case.rows.num_rows)))), case.notes)
    assert drafted.examination.findings == backwards.examination.findings
    assert _planned(drafted) == _planned(backwards)
    if drafted.drafts:
        plan = bind(drafted.drafts, case.rows, case.mapping, 1, NOON, timedelta(hours=24), case.notes)
        assert plan == Plan.from_json(json.loads(json.dumps(plan.as_json())))
        healed = _carried_out(case, plan)
        assert case.again == _planned(case.draft(healed, _kept_aside(plan, case.notes)))
        texts = {row["id"]: row for row in healed.to_pylist()}
        for name, cells in case.becomes.items():
            assert cells == {column: texts[name][column] for column in cells}
    else:
        assert {} == case.becomes


@pytest.mark.parametrize("case", cases("required"))
def test_required(case: dict[str, Any]) -> None:
    """Fields and metadata keys that must hold a value, and don't, are found, all faults of a row at once."""
    _run(case)


@pytest.mark.parametrize("case", cases("identity"))
def test_identity(case: dict[str, Any]) -> None:
    """Rows without an id or with a shared one are found, and no step names them."""
    _run(case)


@pytest.mark.parametrize("case", cases("status"))
def test_status(case: dict[str, Any]) -> None:
    """A spelling of a known status is normalised; any other status is a person's."""
    _run(case)


@pytest.mark.parametrize("case", cases("references"))
def test_references(case: dict[str, Any]) -> None:
    """References that lead nowhere are found, and led to the row their target became where that is known."""
    _run(case)


@pytest.mark.parametrize("case", cases("exact"))
def test_exact(case: dict[str, Any]) -> None:
    """Double writes are found and merged."""
    _run(case)


@pytest.mark.parametrize("case", cases("restated"))
def test_restated(case: dict[str, Any]) -> None:
    """The same text in other circumstances is reported with what differs, and never merged."""
    _run(case)


@pytest.mark.parametrize("case", cases("apart"))
def test_apart(case: dict[str, Any]) -> None:
    """Texts that look alike and say different things are no duplicates; what contradicts itself is a conflict."""
    _run(case)


@pytest.mark.parametrize("case", cases("fill"))
def test_fill(case: dict[str, Any]) -> None:
    """Missing metadata is filled only from what is certain."""
    _run(case)


@pytest.mark.parametrize("case", cases("merge"))
def test_merge(case: dict[str, Any]) -> None:
    """A merge keeps the most informative row, gathers what only others know, and re-points what names them."""
    _run(case)


@pytest.mark.parametrize("case", cases("structure"))
def test_structure(case: dict[str, Any]) -> None:
    """Vectors, times, characters, scopes, references and ids that can't be right are found, and nothing like them."""
    _run(case)


@pytest.mark.parametrize("case", cases("belonging"))
def test_belonging(case: dict[str, Any]) -> None:
    """A scope or source is proposed where all evidence points to exactly one, to a person, and nothing rests on it."""
    _run(case)


@pytest.mark.parametrize("case", cases("repetition"))
def test_repetition(case: dict[str, Any]) -> None:
    """One thing said several times inside one memory is found; words, verses, tables and differing parts are not."""
    _run(case)


@pytest.mark.parametrize("case", cases("envelope"))
def test_envelope(case: dict[str, Any]) -> None:
    """The envelope of a message is found and its form named; texts that speak about one are not."""
    _run(case)


@pytest.mark.parametrize("case", cases("no_fact"))
def test_no_fact(case: dict[str, Any]) -> None:
    """Words of a conversation alone are found; one further word makes a memory."""
    _run(case)


@pytest.mark.parametrize("case", cases("echo"))
def test_echo(case: dict[str, Any]) -> None:
    """What was recalled and stored again is found with its original, and merged into it."""
    _run(case)


@pytest.mark.parametrize("case", cases("fragments"))
def test_fragments(case: dict[str, Any]) -> None:
    """Short notes of one hour on one thing are found; facts, labels, lists and what speaks against another are not."""
    _run(case)


@pytest.mark.parametrize("case", cases("scope"))
def test_scope(case: dict[str, Any]) -> None:
    """Rows in a wrong scope are told of by counts and a few examples; teams, friends and namesakes are not."""
    _run(case)


@pytest.mark.parametrize("case", cases("compound"))
def test_compound(case: dict[str, Any]) -> None:
    """A list and memories that say its parts in the same words are found; other words, numbers, scopes are not."""
    _run(case)


# --- policy -----------------------------------------------------------------------------------


def _step(name: str, entry: Mapping[str, Any], ids: Mapping[str, str]) -> Step:
    only({"level", "rule", "scope", "rows", "requires"}, entry, f"step {name}")
    edits = tuple(Edit(row, f"{row}0", f"{row}1", (ColumnChange("status", "x", "y"),)) for row in entry["rows"])
    needs = tuple(ids[n] for n in entry.get("requires", ()))
    level = Level(entry["level"])
    return Step(StepKind.FILL, level, entry.get("rule"), "x", name, entry.get("scope", "u1"), name, edits, {}, needs)


@pytest.mark.parametrize("case", cases("staleness"))
def test_staleness(case: dict[str, Any]) -> None:
    """What is old, finished or left is told of and weighed down, never hidden; what lasts is not."""
    _run(case)


@pytest.mark.parametrize("case", cases("policy"))
def test_policy(case: dict[str, Any]) -> None:
    """Each step of a plan runs, waits or is suspended, by whose word and for which reason."""
    known = {"why", "steps", "limits", "confirmed", "approved", "done", "health", "stopped", "spent", "kept", "rulings"}
    only(known, case, "the case")
    steps: dict[str, Step] = {}
    for name, entry in case["steps"].items():
        steps[name] = _step(name, entry, {n: s.id for n, s in steps.items()})
    groups = tuple(Group(f"G{n}", s.kind, s.level, s.rule, (s,)) for n, s in enumerate(steps.values(), 1))
    plan = Plan(groups, 1, NOON, NOON + timedelta(hours=24))
    limits = None if case["limits"] is None else LimitsSection(**case["limits"])
    only({"rows", "sick", "scope_rows", "scope_sick"}, case.get("health", {}), "health")
    health = Health(**{"rows": 100, "sick": 0, "scope_rows": {"u1": 100}, "scope_sick": {}} | case.get("health", {}))
    approved = {steps[n].id: word for n, word in case.get("approved", {}).items()}
    done = {steps[n].id for n in case.get("done", ())}

    spent = Spent(**case["spent"]) if "spent" in case else None
    kept, stopped = case.get("kept", ()), case.get("stopped", {})

    rulings = decide(plan, limits, case.get("confirmed", ()), approved, health, done, kept, stopped, spent)

    names = {s.id: n for n, s in steps.items()}
    assert sorted(case["rulings"]) == sorted(names[i] for i in rulings)
    for name, wanted in case["rulings"].items():
        only({"verdict", "by", "reason contains"}, wanted, f"ruling {name}")
        got = rulings[steps[name].id]
        assert (wanted["verdict"], wanted.get("by")) == (got.verdict.value, got.by.value if got.by else None)
        assert wanted.get("reason contains", "") in got.reason
        assert ("reason contains" in wanted) == bool(got.reason)


# --- texts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases("text"))
def test_text(case: dict[str, Any]) -> None:
    """Text keys, numbers as written and blankness, the same for every language."""
    match sorted(one_of([{"same"}, {"different"}, {"text", "numbers"}, {"numbers differ"}, {"blank"}, {"said"}], case)):
        case ["same"]:
            first, second = case["same"]
            assert first != second
            assert text.exact_key(first) == text.exact_key(second) != ""
        case ["different"]:
            first, second = case["different"]
            assert text.exact_key(first) != text.exact_key(second)
        case ["numbers", "text"]:
            assert tuple(case["numbers"]) == text.numbers_as_written(case["text"])
        case ["numbers differ"]:
            first, second = map(text.numbers_as_written, case["numbers differ"])
            assert first != second
        case ["blank"]:
            assert [True] * len(case["blank"]) == [text.is_blank(t) for t in case["blank"]]
            assert case["blank"]
        case ["said"]:
            assert [False] * len(case["said"]) == [text.is_blank(t) for t in case["said"]]
            assert case["said"]


@pytest.mark.parametrize("case", cases("jsontext"))
def test_jsontext(case: dict[str, Any]) -> None:
    """An edit inside a JSON text changes one key's bytes; what can't be edited so is refused with a reason."""
    kinds = [{"text", "key", "value", "becomes"}, {"from", "key", "text", "becomes"}]
    kinds += [{"text", "refused"}, {"text", "object"}]
    match sorted(one_of(kinds, case)):
        case ["becomes", "key", "text", "value"]:
            got = jsontext.with_key(case["text"], case["key"], case["value"])
            assert case["becomes"] == got
            assert got.encode()
            assert case["value"] == jsontext.parse_object(got)[case["key"]]
        case ["becomes", "from", "key", "text"]:
            value = jsontext.parse_object(case["from"])[case["key"]]
            assert case["becomes"] == jsontext.with_key(case["text"], case["key"], value)
            assert digest.of(json.loads(case["from"])[case["key"]]) == digest.of(value)
        case ["refused", "text"]:
            for act in (jsontext.parse_object, lambda t: jsontext.with_key(t, "scene", "work")):
                with pytest.raises(jsontext.NotAnObject, match=case["refused"]):
                    act(case["text"])
        case ["object", "text"]:
            assert case["object"] == jsontext.parse_object(case["text"])


# --- what a case can't say --------------------------------------------------------------------


def test_unknown_keys_fail_a_case() -> None:
    """A misspelt key in a case, a memory, its settings or a finding is an error, never ignored."""
    whole: dict[str, Any] = {"why": "x.", "memories": [{"id": "m1"}], "findings": []}
    _run(whole)
    for wrong in (
        whole | {"finding": []},
        whole | {"memories": [{"id": "m1", "contents": "x"}]},
        whole | {"settings": {"windows": 1}},
        whole | {"findings": [{"code": "content_empty", "ids": ["m1"], "reson": ""}]},
        whole | {"steps": [{"kind": "fill", "level": 1, "rows": [], "set": {}, "sets": {}}]},
    ):
        with pytest.raises((AssertionError, KeyError)):
            _run(wrong)


def test_case_fails_when_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even a case that expects no finding fails when the detectors return nothing."""
    monkeypatch.setattr("mendory.detect.detectors", lambda *_: [])

    with pytest.raises(AssertionError):
        _run({"why": "x.", "memories": [{"id": "m1"}], "findings": []})


def test_examination_counts_what_it_read() -> None:
    """An examination says how many rows it read, in all and by scope; a missing scope counts as none."""
    held = FieldMapping.identity().memories(arrow([memory("a"), memory("b", scope=None), memory("c")]))

    seen = examine(held, _fetch(held), Settings())

    assert 3 == seen.read
    assert {"u1": 2, "": 1} == dict(seen.scope_rows)
