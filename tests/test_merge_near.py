"""Merging what says the same in other words, on real LanceDB tables: what is kept, noted, hidden and taken back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from click.testing import CliRunner

from mendory.catalogue import Level, StepKind
from mendory.cli import main
from mendory.clinic import Clinic
from mendory.detect import Settings
from mendory.door import open_door
from mendory.embedder_section import EmbedderSection
from mendory.embedding import build as build_embedder
from mendory.finding import Code
from mendory.mapping import Giving, Mapping
from mendory.plan import differing
from mendory.plan.build import Wishes, draft
from mendory.record import Memory
from mendory.report.build import build
from mendory.report.html import html
from mendory.report.markdown import markdown
from mendory.treatment import apply, approve, take_back
from mendory.veto import Veto
from tests.conftest import GENEROUS, arrow, memory
from tests.planted import echo, near, plant
from tests.test_cases import _run, cases
from tests.test_executor import healed, now, owner, planned, reasons, values
from tests.test_verify import step

MakeClinic = Callable[..., Clinic]
ALL = {"limits": GENEROUS, "rules": {"confirmed": ["merge.near", "merge.echo"]}}


@pytest.mark.parametrize("case", cases("merge_near"))
def test_merge_near(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what says the same the most informative row stays, with what only others knew; what differs stays apart."""
    whole = dict(case)
    plant(monkeypatch, *((Code(g["code"]), g["ids"], g.get("evidence", {})) for g in whole.pop("planted")))
    _run(whole)


def english() -> list[dict[str, Any]]:
    """Three ways of saying one thing, a row that names one of them, and healthy rows."""
    meta = {"topic": "style", "entities": ["replies"], "scene": "daily"}
    return [
        memory("a", content="Prefers short replies. They should have bullet points.", metadata=meta),
        memory("b", content="Likes brief answers. Long ones get skipped.", metadata={**meta, "tone": "dry"}),
        memory("c", content="Wants concise responses.", source="model_inferred", related_ids=["r"]),
        memory("r", content="Reads on a phone", related_ids=["b", "c"]),
        *(memory(f"h{n}") for n in range(5)),
    ]


def chinese() -> list[dict[str, Any]]:
    """The same in Chinese."""
    meta = {"topic": "习惯", "entities": ["回答"], "scene": "daily"}
    return [
        memory("a", content="喜欢简短的回答。最好分点列出。", metadata=meta),
        memory("b", content="喜欢简短的答复。手机上看着方便", metadata={**meta, "tone": "平淡"}),
        memory("c", content="偏好简短的回复", source="model_inferred", related_ids=["r"]),
        memory("r", content="常在手机上阅读", related_ids=["b", "c"]),
        *(memory(f"h{n}") for n in range(5)),
    ]


SAID = {
    "en": (english, "Long ones get skipped.", "Wants concise responses."),
    "zh": (chinese, "手机上看着方便", "偏好简短的回复"),
}
both = pytest.mark.parametrize("lang", ["en", "zh"])


@pytest.mark.lance
@both
def test_merged_verified_and_taken_back_byte_for_byte(
    clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    """A confirmed rule merges the group; rolling it back gives every row its bytes again, notes and references too."""
    rows, skipped, concise = SAID[lang]
    plant(monkeypatch, near("a", "b", "c"))
    at = clinic(rows(), **ALL)
    before = now(at)

    plan, done = healed(at)

    assert done.verdict.ok
    assert ["merge_near", "repoint"] == [s.kind.value for s in plan.steps()]
    merge = next(plan.steps())
    assert (Level.RULE_OR_PERSON, "merge.near", "near") == (merge.level, merge.rule, merge.detail["strategy"])
    kept = merge.detail["primary_id"]
    gone = sorted({"a", "b", "c"} - {kept})
    assert dict.fromkeys(gone, kept) == {i: d for i, d in values(at, "duplicate_of").items() if d}
    assert gone == sorted(i for i, s in values(at, "status").items() if s == "archived")
    assert {skipped, concise} <= {*values(at, "related_notes")[kept], *_sentences(at, kept)}
    assert [kept] == values(at, "related_ids")["r"]
    assert at.plan().plan is None

    undone = take_back(at, plan.id, "ann")

    assert () == undone.skipped
    assert before == now(at)
    assert at.plan().plan is None  # a person's word holds


def _sentences(clinic: Clinic, row: str) -> list[str]:
    text = values(clinic, "content")[row]
    return [part.strip() for part in text.replace("。", "\n").replace(". ", ".\n").split("\n")]


@pytest.mark.lance
@both
def test_a_merged_memory_is_still_there_and_names_its_primary(
    clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    """`get` of a merged id gives its text and the memory it was merged into, from Python and from the command line."""
    plant(monkeypatch, near("a", "b", "c"))
    rows, _, concise = SAID[lang]
    at = clinic(rows(), **ALL)
    plan, _ = healed(at)
    kept = next(plan.steps()).detail["primary_id"]

    with open_door(at.config) as door:
        held = door.get("c")

    assert (True, kept, concise) == (held.archived, held.merged_into, held.content)
    file = _written(at)
    told = json.loads(_cli("get", "c", "--json", "--config", file))
    assert (kept, concise, "archived") == (told["merged_into"], told["content"], told["status"])
    said = _cli("get", "c", "--lang", lang, "--config", file)
    assert {"en": f"merged into {kept}", "zh": f"已并入 {kept}"}[lang] in said
    assert concise in said
    assert concise in _cli("get", kept, "--lang", lang, "--config", file)


def _written(clinic: Clinic) -> str:
    file = clinic.config.root / "mendory.toml"
    file.write_text('[table]\nuri = "."\nname = "memories"\n', encoding="utf-8")
    return str(file)


def _cli(*words: str) -> str:
    result = CliRunner().invoke(main, list(words))
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.lance
def test_what_a_provisional_threshold_found_waits_for_a_person(
    clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With every rule confirmed nothing runs by itself; a person's word merges, and what refers follows it."""
    plant(monkeypatch, near("a", "b", "c", origin="provisional"))
    at = clinic(english(), **ALL)
    before = now(at)
    plan = planned(at)
    assert {(Level.PERSON, None)} == {(s.level, s.rule) for s in plan.steps()}

    [told] = [p for p in build(at.ledger, plan.id)["problems"] if p["code"] == "duplicate_near"]
    assert (3, None) == (told["level"], told["rule"])

    waits = apply(at, plan.id)

    assert ({"waits": 2}, before) == (waits.outcomes(), now(at))
    approve(at, plan.id, None, "ann")
    assert {"applied": 2} == apply(at, plan.id).outcomes()


@pytest.mark.lance
def test_groups_of_a_provisional_threshold_that_share_a_row_are_decided_one_by_one(
    clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows what becomes of a row that a person must decide about: a second group with it waits for that."""
    plant(monkeypatch, near("a", "b", origin="provisional"), near("b", "c", origin="provisional"))

    made = clinic(english(), **ALL).plan()

    assert made.plan is not None
    assert [{"a", "b"}] == [set(s.row_ids) for s in made.plan.steps() if s.kind is StepKind.MERGE_NEAR]
    why = "a person must first decide on another step of the plan that changes one of these rows"
    assert {("b", "c"): why} == reasons(made)


@pytest.mark.lance
def test_groups_that_share_a_row_never_hide_it_twice(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """When one group's row was hidden by another's merge, the rest is left for the next check, which finds it anew."""
    plant(monkeypatch, near("a", "b"), near("b", "c"), near("a", "c"))
    at = clinic(english(), **ALL)

    plan, done = healed(at)

    assert done.verdict.ok
    merges = [s for s in plan.steps() if s.kind is StepKind.MERGE_NEAR]
    hidden = [i for s in merges for i in s.detail["merged_ids"]]
    assert sorted(set(hidden)) == sorted(hidden)
    live = {i for i, s in values(at, "status").items() if s == "active"} & {"a", "b", "c"}
    assert {d for d in values(at, "duplicate_of").values() if d} <= live | set(hidden)
    assert live


@pytest.mark.lance
def test_what_was_dismissed_stays_dismissed_once_the_threshold_is_calibrated(
    clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The finding is the same one whichever threshold found it, so a person's rejection holds."""
    plant(monkeypatch, near("a", "b", origin="provisional"))
    at = clinic(english(), **ALL)
    plan = planned(at)
    approve(at, plan.id, None, "ann")
    apply(at, plan.id)
    take_back(at, plan.id, "ann")

    plant(monkeypatch, near("a", "b", origin="calibrated"))

    assert at.plan().plan is None


@pytest.mark.lance
@pytest.mark.parametrize(
    ("original", "prefix", "tail"),
    [("User prefers Vim", "From memory: ", "Also owns a cat."), ("用户喜欢喝茶", "根据记忆：", "还养了一只猫")],
)
def test_an_echo_is_merged_into_its_original(
    clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch, original: str, prefix: str, tail: str
) -> None:
    """The original is kept however little it says; the prefix is no knowledge, what stands after the echo is."""
    end = "。" if prefix.endswith("：") else ". "
    rows = [
        memory("o", content=original, metadata={"scene": "x"}, source="system_log"),
        memory("e1", content=prefix + original),
        memory("e2", content=prefix + original + end + tail),
    ]
    plant(monkeypatch, echo("o", "e1", "e2"))
    at = clinic(rows, metadata={"required": []}, **ALL)

    plan, done = healed(at)

    [step] = plan.steps()
    assert ("merge.echo", "echo", "o") == (step.rule, step.detail["strategy"], step.detail["primary_id"])
    assert done.verdict.ok
    notes = values(at, "related_notes")["o"]
    assert [tail] == [n for n in notes if not n.startswith("{")]
    assert {"e1": "o", "e2": "o"} == {i: d for i, d in values(at, "duplicate_of").items() if d}


@pytest.mark.lance
def test_relations_that_the_table_has_no_place_for_are_kept_aside_and_come_back(
    clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notes and the name of the primary live in the ledger; `get` shows them; a rollback takes them away again."""
    plant(monkeypatch, near("a", "b", "c"))
    absent = ["duplicate_of", "related_notes"]
    at = clinic(None, mapping={"absent": absent}, **ALL)
    at_table = arrow(english()).drop_columns(absent)
    _create(at, at_table)
    before = now(at)
    plan = planned(at)
    apply(at, plan.id)
    kept = next(plan.steps()).detail["primary_id"]

    with open_door(at.config) as door:
        assert {kept} == {door.get(i).merged_into for i in {"a", "b", "c"} - {kept}}
        assert "Wants concise responses." in door.get(kept).related_notes

    take_back(at, plan.id, "ann")
    assert before == now(at)
    assert {} == at.ledger.asides.held()


def _create(clinic: Clinic, table: Any) -> None:
    import lancedb

    lancedb.connect(clinic.config.table_uri).create_table("memories", table)


@pytest.mark.lance
def test_a_table_whose_reader_cannot_hide_merges_nothing(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a way to hide a row the finding is left with that reason."""
    plant(monkeypatch, near("a", "b"))

    made = clinic(english(), mapping={"hide": "none"}, **ALL).plan()

    assert made.plan is None
    assert reasons(made)["a", "b"].startswith("the owner's reader cannot hide")


@pytest.mark.lance
def test_a_row_that_changed_since_the_plan_refuses_its_merge(
    clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A member, the kept one too, that its owner rewrote meanwhile stays, and so do the others."""
    plant(monkeypatch, near("a", "b", "c"))
    at = clinic(english(), **ALL)
    plan = planned(at)
    owner(at).update(where="id = 'a'", values={"content": "Prefers long replies"})

    done = apply(at, plan.id)

    assert {"stale": 1, "blocked": 1} == done.outcomes()
    assert {"active"} == set(values(at, "status").values())


@pytest.mark.lance
def test_only_rows_of_the_scope_follow(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of another scope that names a merged one is not touched."""
    plant(monkeypatch, near("a", "b", "c"))
    rows = [*english(), memory("x", scope="u2", related_ids=["b", "c"])]
    at = clinic(rows, **ALL)
    before = now(at)

    healed(at)

    assert before["x"] == now(at)["x"]


@pytest.mark.lance
@both
def test_the_report_tells_what_was_merged_and_no_text(
    clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    """The case record names the kept row, the archived ones and how many notes there are, in both languages."""
    plant(monkeypatch, near("a", "b", "c"))
    rows, skipped, concise = SAID[lang]
    at = clinic(rows(), **ALL)
    plan, _ = healed(at)
    merge = next(plan.steps())

    record = build(at.ledger, plan.id)

    [told] = record["merges"]
    assert (merge.detail["primary_id"], merge.detail["merged_ids"]) == (told["kept"], told["archived"])
    assert (merge.detail["notes"], "applied", "merge_near") == (told["notes"], told["outcome"], told["kind"])
    for page in (markdown(record, lang), html(record, lang)):
        assert {"en": "What was merged", "zh": "合并了什么"}[lang] in page
        assert concise not in page
        assert skipped not in page


@pytest.mark.lance
@pytest.mark.parametrize("known", [True, False], ids=["shipped", "provisional"])
def test_from_vectors_to_one_memory_and_back(clinic: MakeClinic, known: bool) -> None:
    """With real vectors: what says the same is merged, by rule only where the space's threshold was measured.

    What differs in a number or lies in another scope stays, whatever its vector; a rollback gives every row its bytes.
    """
    texts = {
        "a1": ("u1", "用户喜欢简短的回复"),
        "a2": ("u1", "用户喜欢简短回复"),
        "b1": ("u1", "The user prefers short replies in chats"),
        "b2": ("u1", "User prefers short replies in chats"),
        "c1": ("u1", "每天喝三杯咖啡"),
        "c2": ("u1", "每天喝四杯咖啡"),
        "d1": ("u2", "用户喜欢简短的回复"),
        **{
            f"h{n}": ("u1", f"{said} {n}")
            for n, said in enumerate(["Sails on lakes", "学过钢琴", "Reads about bridges"])
        },
    }
    vectors = build_embedder(EmbedderSection(kind="usem3")).embed([text for _, text in texts.values()])
    rows = [
        memory(name, content=text, scope=scope, embedding=[float(v) for v in vector])
        for (name, (scope, text)), vector in zip(texts.items(), vectors, strict=True)
    ]
    sections = {"embedder": {"kind": "usem3"}} if known else {}
    at = clinic(None, **ALL, **sections)
    _create(at, arrow(rows, 512))
    before = now(at)

    made = at.plan()
    done = None if made.plan is None else apply(at, made.plan.id)

    assert made.plan is not None
    if not known:
        assert {(Level.PERSON, None)} == {(s.level, s.rule) for s in made.plan.steps()}
        assert before == now(at)
        return
    assert done is not None
    assert done.verdict.ok
    assert {StepKind.MERGE_NEAR} == {s.kind for s in made.plan.steps()}
    merged = [{s.detail["primary_id"], *s.detail["merged_ids"]} for s in made.plan.steps()]
    assert [["a1", "a2"], ["b1", "b2"]] == sorted(map(sorted, merged))
    assert {i: before[i] for i in before if i[0] not in "ab"} == {i: d for i, d in now(at).items() if i[0] not in "ab"}
    assert [] == [f for f in at.check().findings if f.code is Code.DUPLICATE_NEAR]
    take_back(at, made.plan.id, "ann")
    assert before == now(at)
    assert at.plan().plan is None


@pytest.mark.parametrize("veto", [Veto.NUMBER, Veto.LANGUAGE])
def test_the_veto_is_asked_of_literal_copies_too(monkeypatch: pytest.MonkeyPatch, veto: Veto) -> None:
    """Copies that differ only in blanks are one text; what speaks against them still does, a lack of language not."""
    monkeypatch.setattr(differing, "vetoes", lambda one, other: (veto,))
    rows = Mapping.identity().memories(arrow([memory("a", content="like  tea"), memory("b", content="like tea")]))
    held = {str(m.id): m for m in rows}

    def fetch(ids: Sequence[str]) -> dict[str, Memory]:
        return {i: held[i] for i in ids}

    giving = Giving(Mapping.identity(), arrow([]))
    made = draft(lambda: iter(rows), fetch, Settings(), Wishes({}), lambda _: None, lambda _: {}, lambda _: giving)

    assert (1 if veto is Veto.LANGUAGE else 0) == len(made.drafts)
    why = [] if made.drafts else ["they differ in number: never merged"]
    assert why == [u.reason for u in made.unplanned]


def test_plan_survives_json() -> None:
    """A step of the new kinds is what it was after it was written down."""
    made = step(StepKind.MERGE_NEAR, "a", "b", primary_id="a", merged_ids=["b"], scores={"a": 0.5, "b": 0.25})

    assert made == type(made).from_json(json.loads(json.dumps(made.as_json())))
