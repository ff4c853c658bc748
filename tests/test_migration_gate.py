"""The gate on five scopes of real memories in the spaces of two real models, whole and damaged in each way."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mendory.embedding import Estimate, Vectors
from mendory.migration.agreement import Alike, alike
from mendory.migration.canary import quick
from mendory.migration.gate import Evidence, Outcome, Part, Speed, Spending, asked, examine
from mendory.migration.kept import gate_of
from mendory.migration.purity import Column, Impurity, examined
from mendory.migration.quality import SLICE, changed, scored, slices
from mendory.migration.queries import Kind, Query
from mendory.migration.words import refusal, side_by_side, table
from mendory.spaces import Sample
from tests import gate_kit as kit

pytestmark = [pytest.mark.model, pytest.mark.xdist_group("gate")]


def impurities(gate: Any) -> list[str]:
    """What the first part says."""
    return list(gate.parts[0].reasons)


def half(new: Sequence[Vectors], old: Sequence[Vectors | None]) -> list[Vectors | None]:
    """Every second row still holds the other vector."""
    return [vector if at % 2 else other for at, (vector, other) in enumerate(zip(new, old, strict=True))]


def test_the_rows_are_many_and_of_two_languages() -> None:
    """At least 1,500 memories and queries, half of them Chinese."""
    languages = [query.language for query in kit.drawn().queries]

    assert len(kit.items()) >= 1_500
    assert len(languages) >= 1_500
    assert 0.4 < languages.count("zh") / len(languages) < 0.6


def test_a_better_model_passes() -> None:
    """From MiniLM to the multilingual encoder on Chinese and English: all five parts pass, nothing to look at."""
    gate = kit.gated()

    assert gate.passed
    assert () == gate.reasons
    assert list(Part) == [part.part for part in gate.parts]
    assert () == refusal(gate)


def test_the_reverse_is_vetoed_by_the_chinese() -> None:
    """Back to MiniLM, which knows few Chinese characters: the Chinese slice vetoes, before all others."""
    gate = kit.gated(
        old=kit.found(list(kit.use().items), kit.use().queries),
        new=kit.found(list(kit.minilm().items), kit.minilm().queries),
        purity=kit.purity(list(kit.minilm().items), kit.minilm().items),
    )

    assert ("zh", True) == (gate.slices[0].value, gate.slices[0].vetoes)
    assert gate.slices[0].change.upper < -0.05
    assert "slice_worse" in gate.reasons
    assert not gate.passed
    assert [] == impurities(gate)


def test_one_language_can_veto_what_is_better_on_the_whole() -> None:
    """Far better in Chinese, certainly worse in English: the mean passes and the slice refuses."""
    queries = kit.drawn().queries
    old = kit.found(list(kit.minilm().items), kit.minilm().queries)
    new = kit.found(list(kit.use().items), kit.use().queries)
    english = [query.id for query in queries if query.language == "en"]
    gate = kit.gated(old=old, new={**new, **dict.fromkeys(english[::14], ())})

    assert ["slice_worse"] == list(gate.parts[1].reasons)
    assert ["language en"] == gate.parts[1].numbers["vetoes"]


def test_an_identical_model_is_called_the_same() -> None:
    """The old space compared with itself is refused as that, by agreement alone."""
    same = kit.found(list(kit.use().items), kit.use().queries)
    gate = kit.gated(old=same, new=dict(same))

    assert ("same",) == gate.reasons
    assert Outcome.REFUSED is gate.parts[3].outcome


@pytest.mark.parametrize("known", [True, False], ids=["told by the books", "the books say all is done"])
def test_half_migrated_is_refused(known: bool) -> None:
    """Every second row still holds the old model's vector; told by the count of rows, and by the vectors alone."""
    stored = half(list(kit.use().items), list(kit.wide().items))
    fresh = len(stored) // 2 if known else len(stored)
    gate = kit.gated(
        purity=kit.purity(stored, kit.use().items, old=kit.wide().items, fresh=fresh),
        old=kit.found(list(kit.wide().items), kit.wide().queries),
        new=kit.found(stored, kit.use().queries),
    )

    assert ["half_migrated"] == impurities(gate)
    assert not gate.passed


def test_half_of_the_rows_without_a_new_vector_are_half_migrated() -> None:
    """Across dimensions a row that waits has no new vector at all."""
    stored = half(list(kit.use().items), [None] * len(kit.items()))
    gate = kit.gated(purity=kit.purity(stored, kit.use().items), new=kit.found(stored, kit.use().queries))

    assert ["half_migrated"] == impurities(gate)
    assert "worse" in gate.reasons


@pytest.mark.parametrize("share", [1.0, 0.2, 0.004])
def test_shuffled_is_refused(share: float) -> None:
    """Vectors of other rows' texts, of all rows, a fifth or six of them; each sound by itself."""
    stored = kit.use().items.copy()
    rows = np.arange(len(stored))[: max(6, int(share * len(stored)))]
    stored[rows] = stored[np.roll(rows, 3)]
    gate = kit.gated(purity=kit.purity(list(stored), kit.use().items), new=kit.found(list(stored), kit.use().queries))

    assert ["shuffled"] == impurities(gate)
    assert not gate.passed


def test_vectors_of_texts_that_are_nowhere_in_the_sample_are_shuffled_too() -> None:
    """The vector of a text that was not drawn is still one of the model's."""
    right = kit.use().items[:1_000]
    stored = right.copy()
    stored[:300] = kit.use().items[1_000:1_300]
    rows = kit.purity(list(stored), right)

    assert {Impurity.SHUFFLED: 300} == dict(rows.wrong)


@pytest.mark.parametrize("share", [1.0, 0.05])
def test_unnormalised_is_refused(share: float) -> None:
    """The right directions in other lengths, of all rows or one in twenty; no cosine sees it."""
    stored = kit.use().items.copy()
    rows = np.random.default_rng(5).random(len(stored)) < share
    stored[rows] *= np.random.default_rng(6).uniform(3, 9, int(rows.sum()))[:, None].astype(np.float32)
    gate = kit.gated(purity=kit.purity(list(stored), kit.use().items), new=kit.found(list(stored), kit.use().queries))

    assert ["unnormalised"] == impurities(gate)
    assert not gate.passed


def test_a_row_outside_the_sample_that_is_too_long_is_refused() -> None:
    """The sample is right, and a norm of some other row is not."""
    right = kit.use().items
    rows = kit.purity(list(right), right)
    column = replace(rows.column, norms=(1.0, 1.5))
    sample = Sample(
        tuple(kit.Witnessed(i.id, i.text, v) for i, v in zip(kit.items(), right, strict=True)), {}, len(right)
    )

    assert {Impurity.UNNORMALISED: 1} == dict(examined(column, sample, right).wrong)


def test_a_lost_prefix_is_refused() -> None:
    """The right model on the right texts, without the prefix that its memories need."""
    stored = list(kit.use().items)
    gate = kit.gated(purity=kit.purity(stored[:600], kit.use_with_prefix()))

    assert ["lost_prefix"] == impurities(gate)


def test_another_dimension_is_refused() -> None:
    """A tenth of the rows hold vectors that are shorter than the model's."""
    stored: list[Vectors | None] = list(kit.use().items)
    stored[::10] = list(kit.minilm().items[::10])
    gate = kit.gated(purity=kit.purity(stored, kit.use().items))

    assert ["other_dimension"] == impurities(gate)
    assert not gate.passed


@pytest.mark.parametrize("share", [1.0, 0.1])
def test_a_wrong_model_of_the_same_dimension_is_refused(share: float) -> None:
    """Vectors of another real model with as many dimensions, of all rows or a tenth, that the old column never held."""
    stored = kit.use().items.copy()
    rows = np.arange(len(stored))[: int(share * len(stored))]
    stored[rows] = kit.wide().items[rows]
    gate = kit.gated(purity=kit.purity(list(stored), kit.use().items, old=kit.minilm().items))

    assert ["wrong_model"] == impurities(gate)


def test_what_cannot_be_searched_with_is_refused() -> None:
    """Zero vectors and such with no number in them, counted over all rows."""
    rows = kit.purity(list(kit.use().items), kit.use().items)
    column = replace(rows.column, unusable=2)
    sample = Sample((), {}, len(kit.items()))

    assert {Impurity.UNUSABLE: 2, Impurity.TOO_FEW: 1_500} == dict(examined(column, sample, np.empty((0, 0))).wrong)


def test_too_small_a_sample_is_refused() -> None:
    """A thousand rows embedded again of more than 1,500 prove too little; all rows of a small table are enough."""
    right = kit.use().items[:1_000]
    held = kit.purity(list(right), right)
    rows = tuple(kit.Witnessed(i.id, i.text, v) for i, v in zip(kit.items(), right, strict=False))
    more = examined(replace(held.column, texts=5_000, fresh=5_000), Sample(rows, {}, 5_000), right)

    assert {} == dict(held.wrong)
    assert {Impurity.TOO_FEW: 500} == dict(more.wrong)


def resampled(seed: int, lost: float = 0.0) -> Evidence:
    """Two models of equal quality, from the real ones: each query's answers change sides by a coin's toss.

    Queries are drawn with replacement. `lost` is the share of queries that find nothing in the new space.
    """
    chance = random.Random(seed)
    one = kit.sound()
    queries: list[Query] = []
    old: dict[str, Sequence[str]] = {}
    new: dict[str, Sequence[str]] = {}
    for at, query in enumerate(chance.choices(one.queries, k=len(one.queries))):
        queries.append(replace(query, id=f"{query.id}#{at}"))
        pair = [one.old[query.id], one.new[query.id]]
        chance.shuffle(pair)
        old[queries[-1].id], new[queries[-1].id] = pair[0], () if chance.random() < lost else pair[1]
    return replace(one, queries=tuple(queries), old=old, new=new)


def test_a_model_of_equal_quality_passes() -> None:
    """In at least 90 of 100 resamples of real queries, with the spread that real models differ by."""
    passed = [examine(resampled(seed)).passed for seed in range(100)]

    assert sum(passed) >= 90


def test_a_loss_of_a_twentieth_is_refused() -> None:
    """In each of 30 resamples a model that loses .05 is refused for its quality."""
    gates = [examine(resampled(seed, lost=0.055)) for seed in range(30)]

    assert [] == [at for at, gate in enumerate(gates) if gate.parts[1].outcome is not Outcome.REFUSED]


def test_a_loss_at_the_margin_seldom_passes() -> None:
    """The bound holds: of 1,000 models that lose just what is accepted, about one in twenty passes.

    The differences are those of the two real models, their signs tossed, and one query in fifty loses everything.
    """
    one, chance = kit.sound(), np.random.default_rng(1)
    old, new = (scored(one.queries, ranked).ndcg for ranked in (one.old, one.new))
    of = [str(at) for at in range(len(old))]
    passed = 0
    for _ in range(1_000):
        loss = np.where(
            chance.random(len(old)) < 0.02, -1.0, chance.permutation(new - old) * chance.choice((-1, 1), len(old))
        )
        passed += changed(np.zeros(len(old)), loss, of).lower >= -0.02

    assert 25 <= passed <= 80


def test_each_part_without_its_data_refuses_for_a_reason_of_its_own() -> None:
    """No rows embedded again, hardly a query, nothing timed, no price of a service: no part can be left out."""
    one = kit.sound()
    few = one.queries[:150]
    empty = examined(Column(0, 0, {}), Sample((), {}, 0), np.empty((0, 0), np.float32))
    lacking = examine(
        replace(one, purity=empty, queries=few, all_asked=True, old={}, new={}, speed=None, spending=None)
    )
    remote = Spending(Estimate(1, 1, 1), Estimate(1, 1, 1), remote=True)
    billed = examine(replace(one, spending=remote, speed=Speed(1.0, 1.0, 199)))
    slow = examine(replace(one, speed=Speed(4.0, 9.1, 200)))

    assert [
        ("too_few_rows_embedded_again",),
        ("too_few_queries",),
        ("too_few_queries",),
        ("nothing_found",),
        ("too_few_timed", "cost_unknown"),
    ] == [part.reasons for part in lacking.parts]
    assert ("too_few_timed", "cost_unknown") == billed.reasons
    assert ("slower",) == slow.reasons
    assert not any(gate.passed for gate in (lacking, billed, slow))


@pytest.mark.parametrize(
    ("old", "new", "reasons"),
    [
        (3.2, 6.4, ()),
        (4.0, 9.0, ()),
        (4.0, 9.01, ("slower",)),
        (10.0, 15.0, ()),
        (10.0, 15.01, ("slower",)),
        (400.0, 600.0, ()),
        (400.0, 600.1, ("slower",)),
        (400.0, 390.0, ()),
    ],
)
def test_slower_is_half_as_long_again_and_five_milliseconds(old: float, new: float, reasons: tuple[str, ...]) -> None:
    """Twice three milliseconds is a busy machine; of long searches half as much again is too slow. Just at it passes.

    What the gate lets pass so does the canary, whose recalls are all as slow as that.
    """
    gate = examine(replace(kit.sound(), speed=Speed(old, new, 200)))

    assert reasons == gate.reasons
    assert ("abort" if reasons else "go_on") == quick([new] * 200, [old] * 200, 200).what


def test_a_small_table_that_is_asked_all_it_can_be_is_enough() -> None:
    """With 200 queries and no more to ask the gate decides; with as many and more to ask it does not."""
    one = kit.sound()
    few = one.queries[:200]

    assert examine(replace(one, queries=few, all_asked=True)).passed
    assert ("too_few_queries", "too_few_queries") == examine(replace(one, queries=few, all_asked=False)).reasons


def test_answers_that_have_hardly_anything_in_common_are_to_be_looked_at() -> None:
    """Low agreement does not refuse: it says different, not worse."""
    one = kit.sound()
    right = {query.id: query.relevant for query in one.queries}
    gate = examine(replace(one, new={name: (*ids, *(f"x{n}" for n in range(9))) for name, ids in right.items()}))

    assert gate.passed
    assert ("apart",) == gate.reasons
    assert Outcome.LOOK is gate.parts[3].outcome


def test_no_text_is_in_what_is_kept() -> None:
    """The gate as JSON holds ids and numbers: no text of a memory or of a query, in no part."""
    said = json.dumps(kit.gated().as_json(), ensure_ascii=False)

    assert [] == [query.id for query in kit.drawn().queries if query.text in said]
    assert [] == [item.id for item in kit.items() if item.text in said]


def test_the_digest_is_of_all_that_is_said() -> None:
    """The same evidence has the same digest; another version, or one answer that differs, has another."""
    one = kit.sound()
    gate, again = examine(one), examine(one)
    moved = examine(replace(one, version=8))
    name = one.queries[0].id
    other = examine(replace(one, new={**one.new, name: ()}))

    assert gate.digest == again.digest
    assert 3 == len({gate.digest, moved.digest, other.digest})
    assert 20 == len(gate.worst)
    assert all(lost.new_ndcg < lost.old_ndcg for lost in gate.worst)


@pytest.mark.parametrize(("language", "said"), [("en", "refused"), ("zh", "拒绝")])
def test_the_table_is_told_in_two_languages(language: str, said: str) -> None:
    """Each part has its line, each reason one below it."""
    one = kit.sound()
    gate = examine(replace(one, speed=None, spending=None))
    lines = table(gate, language)

    assert 1 == sum(said in line for line in lines)
    assert 5 + 2 + len(gate.slices[:12]) == len(lines)
    assert [
        "speed and cost: too few recalls were timed; time 200 in each space; nobody knows what the new model costs; "
        "set embedder.price_per_million_chars"
    ] == list(refusal(gate))


def test_the_worst_queries_are_shown_side_by_side_with_texts_that_come_in_then() -> None:
    """What was asked, what answers it and what both spaces found; without a text its id stands there."""
    gate = kit.gated()
    texts = {item.id: item.text for item in kit.items()}
    queries = {query.id: query.text for query in kit.drawn().queries}
    lost = gate.worst[0]
    lines = side_by_side(gate, queries, texts, "zh")
    bare = side_by_side(gate, {}, {}, "en")

    assert queries[lost.query][:40] in lines[0]
    assert f"  应得: ✓ {texts[lost.relevant[0]]}"[:60] == lines[1][:60]
    assert any(line.startswith("  新:   ") for line in lines)
    assert f"  right: ✓ {lost.relevant[0]}" == bare[1]
    assert 20 == sum("nDCG@10" in line for line in bare)


def test_asking_embeds_as_queries_and_keeps_order() -> None:
    """Each query is asked in its scope, in parts, and what is found is named by the query."""

    class Counting:
        """An embedder that gives each query its length."""

        def embed_query(self, texts: Sequence[str]) -> Vectors:
            """One number a text."""
            return np.asarray([[len(text)] for text in texts], np.float32)

    few = kit.drawn().queries[:5]
    got = asked(
        few,
        Counting(),
        lambda vectors, scopes: [[f"{s}{int(v[0])}"] for v, s in zip(vectors, scopes, strict=True)],
        2,  # type: ignore[arg-type]
    )

    assert {query.id: (f"{query.scope}{len(query.text)}",) for query in few} == got


def test_queries_of_one_memory_are_one_witness() -> None:
    """The same difference seen in three queries of each memory is no surer than in one."""
    old, new = np.zeros(300), np.asarray([0.0, 1.0, 0.0] * 100)
    alone = changed(old, new, [str(at) for at in range(300)])
    thrice = changed(np.repeat(old, 3), np.repeat(new, 3), [str(at) for at in range(300) for _ in range(3)])

    assert alone.lower == pytest.approx(thrice.lower)
    assert alone.delta == pytest.approx(thrice.delta)


def test_small_slices_are_shown_and_never_veto() -> None:
    """A scope of 299 queries that lost everything is told, not obeyed; one of 300 vetoes."""

    def of(count: int) -> list[bool]:
        queries = [Query(str(at), "?", "u1", "en", Kind.JUDGED, ("m",), str(at)) for at in range(count)]
        return [one.vetoes for one in slices(queries, np.ones(count), np.zeros(count))]

    assert [False, False] == of(SLICE - 1)
    assert [True, True] == of(SLICE)


def test_scores_are_those_of_the_order_found() -> None:
    """The second place of one right answer has nDCG 1/log2(3); a query that found nothing has 0."""
    queries = [Query(name, "?", "u1", "en", Kind.JUDGED, ("a", "b"), name) for name in ("one", "two")]
    found = scored(queries, {"one": ["z", "a"]})

    assert found.ndcg.tolist() == pytest.approx([(1 / np.log2(3)) / (1 + 1 / np.log2(3)), 0.0])
    assert [0.5, 0.0] == found.recall.tolist()
    assert [0.0, 0.0] == found.first.tolist()


def test_agreement_of_nothing_is_nothing() -> None:
    """Where neither space answers, nothing is alike and nothing is the same."""
    query = Query("one", "?", "u1", "en", Kind.JUDGED, ("a",), "one")

    assert Alike(0, 0.0, 0.0, 0.0, 0) == alike([query], {}, {"one": ()})


def test_a_gate_comes_back_from_the_ledger_as_it_was() -> None:
    """Through JSON and back it says the same, to the digest; one number changed by a millionth and it is another's."""
    gate = kit.gated()
    kept = json.loads(json.dumps(gate.as_json(), ensure_ascii=False))
    bent = json.loads(json.dumps(kept))
    bent["parts"][1]["numbers"]["ndcg"]["new"] += 0.000001

    assert gate.digest == gate_of(kept).digest == kept["digest"]
    assert gate_of(kept).as_json() == gate.as_json()
    assert gate_of(bent).digest != gate.digest
