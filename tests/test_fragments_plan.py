"""Summing up fragments on real LanceDB tables with a real model: text and vector at once, found, taken back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

from mendory.catalogue import Level, StepKind
from mendory.cli import main
from mendory.clinic import Clinic
from mendory.door import open_door
from mendory.embedder_section import EmbedderSection
from mendory.embedding import build
from mendory.plan.summarise import summary
from mendory.record import Memory
from mendory.side import Note, text_digest
from mendory.treatment import apply, approve, take_back
from tests.conftest import GENEROUS, arrow, memory
from tests.planted import fragments, plant
from tests.test_executor import now, owner, planned, reasons, values

MakeClinic = Callable[..., Clinic]
WIDTH = 512
USE = {"kind": "usem3"}
PARTS = {
    "en": (["Flies to Oslo", "Leaves in May", "Anna comes along"], "Flies to Oslo; Leaves in May; Anna comes along"),
    "zh": (["要飞奥斯陆", "五月出发", "安娜同行"], "要飞奥斯陆；五月出发；安娜同行"),
}
both = pytest.mark.parametrize("lang", ["en", "zh"])


@pytest.fixture(scope="module")
def embed() -> Callable[[Sequence[str]], list[list[float]]]:
    """The packaged model's vectors."""
    model = build(EmbedderSection(kind="usem3"))
    return lambda texts: [[float(v) for v in vector] for vector in model.embed(list(texts))]


Embed = Callable[[Sequence[str]], list[list[float]]]


def rows(embed: Embed, texts: Sequence[str], **fields: Any) -> list[dict[str, Any]]:
    """Fragments a, b and c in the order they came, a row that names one, and three healthy ones, with real vectors."""
    made = [
        memory(name, content=text, created_at=f"2025-03-01T0{at}:00", **fields)
        for at, (name, text) in enumerate(zip("abc", texts, strict=True))
    ]
    made += [memory("r", content="Keeps tickets in a drawer", related_ids=["b"])]
    made += [memory(f"h{n}", content=f"Something else, number {n}") for n in range(3)]
    vectors = embed([m["content"] for m in made])
    return [{**m, "embedding": v} for m, v in zip(made, vectors, strict=True)]


@pytest.fixture
def at(clinic: MakeClinic, embed: Embed, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Clinic]:
    """`at(texts)` is a clinic on a table of fragments with these texts, which a detector finds."""

    def make(texts: Sequence[str], without: Sequence[str] = (), vectors: Any = None, **sections: Any) -> Clinic:
        plant(monkeypatch, fragments("a", "b", "c"))
        made = clinic(None, **{"embedder": USE, "limits": GENEROUS, **sections})
        held = rows(embed, texts)
        if vectors is not None:
            held = [{**row, "embedding": vectors(row["embedding"])} for row in held]
        table = arrow(held, WIDTH).drop_columns(list(without))
        lancedb.connect(made.config.table_uri).create_table("memories", table)
        return made

    return make


def cells(clinic: Clinic, row: str) -> dict[str, Any]:
    """The row as its owner's program reads it."""
    [held] = owner(clinic).search().where(f"id = '{row}'").to_list()
    return dict(held)


def accepted(clinic: Clinic) -> Any:
    """The plan's one step, accepted by a person and applied."""
    plan = planned(clinic)
    [step] = plan.steps()
    approve(clinic, plan.id, None, "ann")
    done = apply(clinic, plan.id)
    assert ({"applied": 1}, True) == (done.outcomes(), done.verdict.ok)
    return plan, step


@pytest.mark.lance
@both
def test_accepted_summary_is_found_where_its_fragments_were(at: Callable[..., Clinic], embed: Embed, lang: str) -> None:
    """One row holds all sentences and the vector of just that text; the others leave recall, reachable from it."""
    texts, said = PARTS[lang]
    clinic = at(texts)

    _, step = accepted(clinic)

    kept = step.detail["primary_id"]
    others = sorted({"a", "b", "c"} - {kept})
    row = cells(clinic, kept)
    assert (said, embed([said])[0]) == (row["content"], row["embedding"])
    assert ([texts["abc".index(kept)]], others) == (row["related_notes"], row["related_ids"])
    assert dict.fromkeys(others, kept) == {i: s for i, s in values(clinic, "superseded_by").items() if s}
    assert others == sorted(i for i, s in values(clinic, "status").items() if s == "archived")
    for text in texts:
        found = owner(clinic).search(embed([text])[0]).where("status != 'archived'", prefilter=True).limit(1).to_list()
        assert [kept] == [f["id"] for f in found]
    assert set() == {f.code.value for f in clinic.check().findings}
    assert clinic.plan().plan is None
    with open_door(clinic.config) as door:
        assert {kept} == {door.get(i).superseded_by for i in others}
        assert sorted(set(texts) - {texts["abc".index(kept)]}) == sorted(str(door.get(i).content) for i in others)


@pytest.mark.lance
@both
def test_summary_is_taken_back_byte_for_byte(at: Callable[..., Clinic], lang: str) -> None:
    """A rollback gives every fragment its text, its vector and its place in recall again."""
    clinic = at(PARTS[lang][0])
    before, vectors = now(clinic), values(clinic, "embedding")

    plan, _ = accepted(clinic)
    undone = take_back(clinic, plan.id, "ann")

    assert (("a", "b", "c"), ()) == (tuple(sorted(undone.restored)), undone.skipped)
    assert (before, vectors) == (now(clinic), values(clinic, "embedding"))
    assert clinic.plan().plan is None


@pytest.mark.lance
@both
def test_a_person_reads_the_whole_summary_before_they_accept_it(at: Callable[..., Clinic], lang: str) -> None:
    """`mendory show` prints all of its text, and of the vector how many numbers it has."""
    texts = [PARTS[lang][0][0] * 40, *PARTS[lang][0][1:]]
    clinic = at(texts)
    plan = planned(clinic)
    file = clinic.config.root / "mendory.toml"
    file.write_text('[table]\nuri = "."\nname = "memories"\n', encoding="utf-8")

    shown = CliRunner().invoke(main, ["show", plan.code, "--lang", lang, "--config", str(file)])

    assert 0 == shown.exit_code
    assert json.dumps(summary(texts), ensure_ascii=False) in shown.output
    assert {"en": "512 numbers → 512 numbers", "zh": "512 个数值 → 512 个数值"}[lang] in shown.output


@pytest.mark.lance
def test_one_fragment_is_restored_alone(at: Callable[..., Clinic]) -> None:
    """A person takes back what became of one row: it is recalled again, the summary stays as it is."""
    clinic = at(PARTS["en"][0])
    before = now(clinic)
    plan, step = accepted(clinic)
    kept, one = step.detail["primary_id"], step.detail["merged_ids"][0]
    summed = now(clinic)[kept]

    undone = take_back(clinic, plan.id, "ann", row=one)

    assert ((one,), ()) == (undone.restored, undone.skipped)
    assert (before[one], summed) == (now(clinic)[one], now(clinic)[kept])


@pytest.mark.lance
def test_summary_in_a_table_of_an_owners_own_making(
    clinic: MakeClinic, embed: Embed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Text under a key of JSON, another vector column, a mark that hides: written there, and taken back from there."""
    plant(monkeypatch, fragments("a", "b", "c"))
    texts, said = PARTS["zh"]
    columns = {"content": "doc.text", "embedding": "vec", "metadata": "doc", "status": "doc.state"}
    absent = ["superseded_by", "duplicate_of", "related_ids", "related_notes", "claim", "kind", "batch_id"]
    absent += ["last_accessed_at", "last_verified_at"]
    made = clinic(
        None,
        embedder=USE,
        limits=GENEROUS,
        mapping={"columns": columns, "absent": absent},
        metadata={"required": []},
    )
    held = [
        {
            "id": row["id"],
            "doc": json.dumps({"text": row["content"], "state": "active", "n": 1.50}, ensure_ascii=False),
            "vec": row["embedding"],
            **{name: row[name] for name in ("created_at", "updated_at", "source", "scope")},
        }
        for row in rows(embed, texts)
    ]
    names = pa.list_(pa.float32(), WIDTH)
    table = pa.Table.from_pylist(held)
    table = table.set_column(2, "vec", pa.array([h["vec"] for h in held], names))
    lancedb.connect(made.config.table_uri).create_table("memories", table)
    before = now(made)

    plan, step = accepted(made)

    kept = step.detail["primary_id"]
    row = cells(made, kept)
    assert (said, 1.5, embed([said])[0]) == (json.loads(row["doc"])["text"], json.loads(row["doc"])["n"], row["vec"])
    with open_door(made.config) as door:
        assert {kept} == {door.get(i).superseded_by for i in {"a", "b", "c"} - {kept}}
    take_back(made, plan.id, "ann")
    assert before == now(made)


@pytest.mark.lance
def test_no_rule_lets_a_summary_run(at: Callable[..., Clinic]) -> None:
    """With every rule confirmed a person must accept it first."""
    clinic = at(PARTS["en"][0], rules={"confirmed": ["merge.near", "merge.echo", "merge.exact"]})
    before = now(clinic)
    plan = planned(clinic)
    [step] = plan.steps()

    done = apply(clinic, plan.id)

    assert (StepKind.SUMMARISE, Level.RULE_OR_PERSON, None) == (step.kind, step.level, step.rule)
    assert ({"waits": 1}, before) == (done.outcomes(), now(clinic))


@pytest.mark.lance
@pytest.mark.parametrize(
    ("sections", "why"),
    [
        ({"embedder": None}, "no embedder is configured to make the summary's vector"),
        (
            {"embedder": {"kind": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1", "max_calls": 9}},
            "the embedder is a service, and a plan asks none to embed a summary",
        ),
        (
            {"embedder": {"kind": "sentence_transformers", "path": "nowhere"}},
            "the embedder makes no vector of the summary: dependency_missing",
        ),
        (
            {
                "embedder": {"kind": "usem3", "max_chars": 100},
                "texts": ["Flies to Oslo" * 6, "Leaves in May", "Anna too"],
            },
            "the embedder makes no vector of the summary: text_refused",
        ),
    ],
    ids=["none", "service", "no model", "too long"],
)
def test_without_a_vector_of_its_own_nothing_is_summed_up(
    at: Callable[..., Clinic], sections: dict[str, Any], why: str
) -> None:
    """A text is never written without the vector that finds it, and a plan asks no service for one."""
    made = at(sections.get("texts", PARTS["en"][0]), embedder=sections["embedder"]).plan()

    assert made.plan is None
    assert why == reasons(made)["a", "b", "c"]


@pytest.mark.lance
@pytest.mark.parametrize("other", ["direction", "length"])
def test_an_embedder_of_another_space_makes_no_summary(at: Callable[..., Clinic], other: str) -> None:
    """The embedder must make the very vectors that the fragments hold, direction and length."""

    def elsewhere(vector: list[float]) -> list[float]:
        return list(np.roll(vector, 1)) if other == "direction" else [2 * v for v in vector]

    made = at(PARTS["en"][0], vectors=elsewhere).plan()

    assert made.plan is None
    assert "the configured embedder does not make the vectors that these rows hold" == reasons(made)["a", "b", "c"]


@pytest.mark.lance
@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (["Eats fish", "Does not eat fish", "Eats at noon"], "they differ in polarity"),
        (["吃鱼", "不吃鱼", "中午吃饭"], "they differ in polarity"),
        (["Flies to Oslo", "Flies to Oslo.", "flies to oslo"], "one of these rows says all that the others do"),
        (["커피", "아침에", "집에서"], "they differ in language"),
    ],
    ids=["deny-en", "deny-zh", "all-in-one", "unread"],
)
def test_what_does_not_belong_together_is_left_to_a_person(
    at: Callable[..., Clinic], texts: list[str], why: str
) -> None:
    """Fragments that deny each other, repeat each other, or that nobody reads are not put together."""
    made = at(texts, duplicate={"window": "PT1S"}).plan()

    assert made.plan is None
    assert reasons(made)["a", "b", "c"].startswith(why)


@pytest.mark.lance
def test_relations_without_a_place_are_kept_aside(at: Callable[..., Clinic]) -> None:
    """Where the table has no place for relations the fragments still name the summary, and a rollback ends that."""
    absent = ["superseded_by", "related_ids", "related_notes"]
    clinic = at(PARTS["en"][0], without=absent, mapping={"absent": absent})
    before = now(clinic)

    plan, step = accepted(clinic)

    kept = step.detail["primary_id"]
    with open_door(clinic.config) as door:
        assert {kept} == {door.get(i).superseded_by for i in {"a", "b", "c"} - {kept}}
        assert PARTS["en"][1] == door.get(kept).content
    take_back(clinic, plan.id, "ann")
    assert (before, {}) == (now(clinic), clinic.ledger.asides.held())


@pytest.mark.lance
@pytest.mark.parametrize("kept", [{"factor": 0.5}, {"exception_of": ["h1"]}])
def test_a_fragment_with_a_weight_or_a_link_keeps_its_text(at: Callable[..., Clinic], kept: dict[str, Any]) -> None:
    """What is kept beside a row is about its text: no summary takes that away from under it."""
    clinic = at(PARTS["en"][0])
    clinic.ledger.asides.take({"b": Note(text_digest(Memory("b", PARTS["en"][0][1])), kept)})

    made = clinic.plan()

    why = "what is kept aside of these rows would be lost with the former text"
    assert [why] == [u.reason for u in made.drafted.unplanned if u.finding.code.value == "fragments"]


@pytest.mark.lance
def test_a_fragment_that_changed_since_refuses_the_summary(at: Callable[..., Clinic]) -> None:
    """Nothing is written over what its owner said meanwhile."""
    clinic = at(PARTS["en"][0])
    plan = planned(clinic)
    approve(clinic, plan.id, None, "ann")
    owner(clinic).update(where="id = 'b'", values={"content": "Leaves in June"})
    before = now(clinic)

    assert ({"stale": 1}, before) == (apply(clinic, plan.id).outcomes(), now(clinic))


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["Likes tea.", "Buys it in Oslo."], "Likes tea. Buys it in Oslo."),
        (["Likes tea", "Likes tea. Buys it in Oslo"], "Likes tea; Buys it in Oslo"),
        (["喜欢喝茶。", "在街角买"], "喜欢喝茶。在街角买"),
        (["喜欢喝茶", "在街角买", "在街角买"], "喜欢喝茶；在街角买"),
        (["Likes tea", "LIKES TEA"], None),
        (["Likes tea"], None),
    ],
)
def test_a_summary_is_made_of_the_texts_alone(texts: list[str], said: str | None) -> None:
    """Each sentence stands as it was written, once, in the order the texts came; where one says all there is none."""
    assert said == summary(texts)
