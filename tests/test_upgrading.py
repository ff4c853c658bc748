"""A model that changed is seen, looked at once, and followed by a move: by configuration, canaries or an event."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mendory
from mendory import drifting, migrating, upgrading
from mendory.clinic import Clinic
from mendory.errors import InputInvalid, Unavailable
from mendory.events import Happened
from mendory.ledger.moves import Move
from mendory.migration.stages import Stage
from mendory.spaces import Fingerprint
from mendory.upgrading import Changed, Then, Why, begin, changed, check, named, note
from tests.conftest import FakeClock, make_config, make_table
from tests.moving_kit import NEW, OLD, rows_of
from tests.moving_kit import Model as Drawn

TEXTS = {
    f"m{n}": text for n, text in enumerate(("不吃香菜", "Lives in Oslo", "喜欢靠窗的座位", "Plays chess", "住在上海"))
}


class Model(Drawn):
    """A model of which nobody counts the calls."""

    def allow(self, calls: int) -> None:
        """As many as are wanted."""


MODELS: dict[str, Callable[[], Any]] = {
    "old": lambda: Model("old", OLD),
    "new": lambda: Model("new", NEW),
    "twin": lambda: Model("twin", OLD),
    "renamed": lambda: Model("old", OLD),
}
CLOCK = FakeClock()


def silent() -> Any:
    """A model that does not answer."""

    class Silent(Model):
        def embed(self, texts: Any) -> Any:
            raise Unavailable("It does not answer. Nothing was embedded. Try again.")

    return Silent("silent", NEW)


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[[], Any]]:
    """Name → the model that a section of that name stands for, in this test."""
    known = {**MODELS, "silent": silent}
    for module in (upgrading, migrating, drifting):
        monkeypatch.setattr(module, "build", lambda section, *_: known[section.model]())
    return known


@pytest.fixture
def at(models: dict[str, Callable[[], Any]], tmp_path: Path) -> Callable[..., Clinic]:
    """The table of the old model's vectors, opened anew with the model of that name configured."""

    def opened(model: str = "old", **more: Any) -> Clinic:
        section = {"kind": "sentence_transformers", "model": model, **more}
        return Clinic(make_config(tmp_path, embedder=section), CLOCK)

    make_table(tmp_path, rows_of(TEXTS))
    clinic = opened()
    clinic.ledger.spaces.adopt(Fingerprint.of(MODELS["old"]()), "ann", clinic.config.embedder)
    return opened


def looks(clinic: Clinic) -> list[Any]:
    """What is on record of looks, oldest first."""
    return [e.about for e in clinic.ledger.events.all() if e.kind is Happened.DRIFT_CHECKED]


def test_the_tables_own_model_is_no_change(at: Callable[..., Clinic]) -> None:
    """Neither as it was, nor asked otherwise, nor under another name: the vectors are the same."""
    assert [None] * 3 == [changed(at()), changed(at(batch=8)), changed(at("renamed"))]


def test_another_configured_model_is_checked_and_moved_to(at: Callable[..., Clinic]) -> None:
    """The drift check comes first, by the table's own model, finds nothing, is on record; then the move is filling."""
    change = changed(at("new"))
    assert change is not None
    told = check(at("new"), change)
    move = begin(at("new"), change)

    assert (Why.CONFIGURED, "new", True, False) == (change.why, change.model, change.differs, change.checked)
    assert (len(TEXTS), len(TEXTS), {}, "start") == (told["sampled"], told["agreed"], told["found"], told["then"])
    assert isinstance(move, Move)
    assert (Stage.FILLING, "mendory") == (move.stage, move.passed[-1].by)
    assert None is changed(at("new")), "a move is under way"
    assert [told] == looks(at())


def test_after_a_kill_between_check_and_move_the_check_is_not_done_again(at: Callable[..., Clinic]) -> None:
    """What was looked at stands; the move still follows."""
    change = changed(at("new"))
    assert change is not None
    check(at("new"), change)
    again = changed(at("new"))

    assert again is not None
    assert (Why.CONFIGURED, True, True) == (again.why, again.differs, again.checked)
    assert isinstance(begin(at("new"), again), Move)


@pytest.mark.parametrize("by_hand", [False, True])
def test_a_move_that_was_taken_back_does_not_begin_again_by_itself(at: Callable[..., Clinic], by_hand: bool) -> None:
    """Also one that a person began; until somebody says that the model changed."""
    if by_hand:
        migrating.start(at("new"), "ann")
    else:
        change = changed(at("new"))
        assert change is not None
        check(at("new"), change)
        begin(at("new"), change)
    migrating.go_back(at("new"), "ann", "tried it")
    stands = changed(at("new"))
    note(at("new"), "ann")
    told = changed(at("new"))

    assert stands is None
    assert told is not None
    assert (Why.EVENT, True, False) == (told.why, told.differs, told.checked)


def test_a_model_of_the_same_width_waits_for_a_persons_word(at: Callable[..., Clinic]) -> None:
    """Refused with the command that confirms it, once: the next runs do not try again."""
    change = changed(at("twin"))
    assert change is not None
    check(at("twin"), change)
    said = begin(at("twin"), change)

    assert "mendory migrate start --readers-name-the-column" in str(said)
    assert [] == list(at().ledger.moves.all())
    assert ["start", "refused"] == [one["then"] for one in looks(at())]
    assert None is changed(at("twin"))


def test_a_model_that_makes_other_vectors_under_its_own_name_is_seen(
    at: Callable[..., Clinic], models: dict[str, Callable[[], Any]]
) -> None:
    """Canaries tell, where they are asked; without a probe the model is not even loaded."""
    models["old"] = MODELS["twin"]
    change = changed(at())

    assert None is changed(at(), probe=False)
    assert change is not None
    assert (Why.FINGERPRINT, True) == (change.why, change.differs)
    assert 0 == check(at(), change)["agreed"]


def test_no_model_is_loaded_without_a_sign(at: Callable[..., Clinic], models: dict[str, Callable[[], Any]]) -> None:
    """A run that finds the table's own model configured asks nobody."""
    models["old"] = lambda: pytest.fail("the model was loaded")

    assert None is changed(at(), probe=False)


@pytest.mark.parametrize("event", [False, True])
def test_a_model_that_does_not_answer_is_no_change(at: Callable[..., Clinic], event: bool) -> None:
    """Nobody can tell: that is said by its name, nothing is on record, and the next run asks again."""
    if event:
        note(at("silent"), "ann")
    found = changed(at("silent"))

    assert found is not None
    assert (Why.UNKNOWN, "unavailable", False) == (found.why, found.failed, found.differs)
    assert [] == looks(at())
    assert found == changed(at("silent"))


def test_an_event_forces_one_drift_check_of_the_same_model(at: Callable[..., Clinic]) -> None:
    """Nothing has drifted: it is looked at once, and no move begins."""
    note(at(), "ann")
    change = changed(at(), probe=False)
    assert change is not None
    told = check(at(), change)

    assert (Why.EVENT, False) == (change.why, change.differs)
    assert (Then.NOTHING, {}) == (told["then"], told["found"])
    assert None is changed(at())


def test_drift_under_the_same_model_is_for_a_plan(at: Callable[..., Clinic], tmp_path: Path) -> None:
    """Rows of another model are found by name; what follows is a repair, not a move."""
    other = MODELS["twin"]().embed(list(TEXTS.values()))
    folder = tmp_path / "other"
    rows = rows_of(TEXTS)
    for row, vector in zip(rows, other, strict=True):
        row["embedding"] = vector.tolist()
    make_table(folder, rows)
    section = {"kind": "sentence_transformers", "model": "old"}
    here = Clinic(make_config(folder, embedder=section), CLOCK)
    here.ledger.spaces.adopt(Fingerprint.of(MODELS["old"]()), "ann", here.config.embedder)
    note(here, "ann")
    change = changed(here)
    assert change is not None
    told = check(here, change)

    assert Then.REPAIR == told["then"]
    assert len(TEXTS) == sum(told["found"].values())


def test_a_table_whose_model_nobody_knows_has_not_changed(tmp_path: Path, models: Any) -> None:
    """Without a known space, a ledger or an embedder there is nothing to compare."""
    make_table(tmp_path, rows_of(TEXTS))
    bare = Clinic(make_config(tmp_path), CLOCK)
    section = {"kind": "sentence_transformers", "model": "old"}

    assert [None, None] == [changed(bare), changed(Clinic(make_config(tmp_path, embedder=section), CLOCK))]
    assert not (tmp_path / ".mendory").exists()


def test_an_event_that_comes_twice_is_one(at: Callable[..., Clinic]) -> None:
    """A run that is tried again records the server's event once; a person's own words are each their own."""
    twice = [note(at(), "mendory", "usem3", "11111111-1111").id for _ in range(2)]
    once = note(at(), "mendory", "usem3", "22222222-2222").id

    assert twice[0] == twice[1] != once
    assert {"model": "usem3", "event": "22222222-2222"} == at().ledger.events.all()[-1].about


@pytest.mark.parametrize("model", ["", " ", "a\nb", "{{ 7*7 }}", "__prefect_kind", "x" * 201, "a\u202eb"])
def test_what_no_model_is_called_is_no_name(at: Callable[..., Clinic], model: str) -> None:
    """Several lines, templates, hidden or too many characters: a person is told, an event is taken without it."""
    assert "" == named(model)
    if model:
        with pytest.raises(InputInvalid, match="Nothing was recorded"):
            note(at(), "ann", model)


def test_agents_say_it_from_python(at: Callable[..., Clinic]) -> None:
    """`mendory.model_changed` records who said it, of the configured model unless another is named."""
    said = mendory.model_changed("li.wei", table=at("new").config)
    other = mendory.model_changed("li.wei", "多语言编码器", at("new").config)

    assert (Happened.EMBEDDING_MODEL_CHANGED, "li.wei", {"model": "new"}) == (said.kind, said.by, said.about)
    assert {"model": "多语言编码器"} == other.about
    assert isinstance(changed(at("new")), Changed)
