"""A service over HTTP, proven against a real server on this machine's loopback: replies, retries, budget, secrets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pytest
from click.testing import CliRunner

import mendory
from mendory.cli import main
from mendory.clinic import Clinic
from mendory.embedder_section import EmbedderSection
from mendory.embedding import build
from mendory.embedding.embedder import ModelEmbedder
from mendory.errors import BudgetExceeded, ConfigInvalid, EmbeddingInvalid, EndpointRefused, Unavailable
from mendory.lance import create_table
from mendory.service import DAY
from mendory.spaces import CanaryWatch, Fingerprint
from tests.conftest import make_config, make_table, memory
from tests.loopback import Answer, InTurn

KEY = "sk-very-secret-0123456789"


def vector(text: str) -> list[float]:
    """A vector that tells the text: its length, its first letter, one."""
    return [float(len(text)), float(ord(text[0])), 1.0]


def good(body: dict[str, Any]) -> Answer:
    """The reply an honest service gives."""
    data = [{"object": "embedding", "index": at, "embedding": vector(t)} for at, t in enumerate(body["input"])]
    return 200, {}, {"object": "list", "data": data, "model": body["model"], "usage": {"total_tokens": 1}}


def changed(by: Callable[[list[dict[str, Any]]], Any]) -> Callable[[dict[str, Any]], Answer]:
    """An honest reply whose list of vectors was changed."""

    def answer(body: dict[str, Any]) -> Answer:
        reply = good(body)[2]
        return 200, {}, {**reply, "data": by(reply["data"])}

    return answer


def status(code: int, body: Any = None, **headers: str) -> Callable[[dict[str, Any]], Answer]:
    """A reply of that status."""
    return lambda _: (code, {k.replace("_", "-"): v for k, v in headers.items()}, body or {})


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[InTurn]:
    """A service that answers honestly unless told; every other socket is refused."""
    made = InTurn(good)
    made.alone(monkeypatch)
    yield made
    made.close()


@pytest.fixture
def slept() -> list[float]:
    """How long an embedder waited between tries."""
    return []


@pytest.fixture
def embedder(service: InTurn, slept: list[float]) -> Callable[..., ModelEmbedder]:
    """`embedder(batch=2)` makes one that asks the service, and waits without waiting."""

    def make(
        environ: dict[str, str] | None = None, monotonic: Callable[[], float] = time.monotonic, **keys: Any
    ) -> Any:
        section = {"kind": "openai", "model": "bge-m3", "base_url": service.url, "max_calls": 100, **keys}
        return build(EmbedderSection.model_validate(section), None, environ or {}, slept.append, monotonic)

    return make


TEXTS = ["tea", "喝茶", "a longer one", "明天开会 🌿", "x"]


def test_vectors_come_in_batches_and_in_order(service: InTurn, embedder: Callable[..., ModelEmbedder]) -> None:
    """Five texts in batches of two are three requests, of the documented shape, and five vectors in order."""
    found = embedder(batch=2).embed(TEXTS)

    assert [vector(t) for t in TEXTS] == found.tolist()
    assert ["/v1/embeddings"] * 3 == [path for path, _, _ in service.asked]
    assert {"model": "bge-m3", "input": TEXTS[:2]} == service.asked[0][2]


def test_a_shuffled_reply_is_put_in_order(service: InTurn, embedder: Callable[..., ModelEmbedder]) -> None:
    """The reply's own index says which vector is whose."""
    service.answers = [changed(lambda data: data[::-1])]

    assert [vector(t) for t in TEXTS] == embedder().embed(TEXTS).tolist()


def renumbered(data: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Two vectors claim one text."""
    return [*data[:-1], {**data[-1], "index": 0}]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (changed(lambda data: [{**d, "embedding": [1.0, 2.0]} for d in data]), "2 dimensions where the space has 3"),
        (changed(lambda data: [*data[:-1], {**data[-1], "embedding": [1.0]}]), "several lengths"),
        (changed(lambda data: data[:-1]), "4 vectors"),
        (changed(lambda data: [*data, data[0]]), "6 vectors"),
        (changed(renumbered), "4 of them numbered"),
        (changed(lambda data: [{"embedding": d["embedding"]} for d in data]), "0 of them numbered"),
        (changed(lambda data: [{**d, "embedding": ["0.1", 1.0, 1.0]} for d in data]), "else than numbers"),
        (changed(lambda data: [{**d, "embedding": [True, 1.0, 1.0]} for d in data]), "else than numbers"),
        (changed(lambda data: [{**d, "embedding": [None, 1.0, 1.0]} for d in data]), "else than numbers"),
        (changed(lambda data: [{**d, "embedding": [10**400, 1, 1]} for d in data]), "too large"),
        (changed(lambda data: [{**d, "embedding": [10**39, 1, 1]} for d in data]), "infinity"),
        (changed(lambda data: [{**d, "embedding": [float("nan"), 1.0, 1.0]} for d in data]), "NaN"),
        (changed(lambda data: [{**d, "embedding": [0.0, 0.0, 0.0]} for d in data]), "zeros"),
        (changed(lambda data: [{**d, "embedding": "AACAPw=="} for d in data]), "no lists of numbers"),
        (changed(lambda data: None), "no list of vectors"),
        (lambda body: (200, {}, b"<html>busy</html>"), "no JSON"),
        (lambda body: (200, {}, b"[" * 100_000), "no JSON"),
        (lambda body: (200, {}, [1, 2]), "no list of vectors"),
    ],
    ids=["size", "ragged", "few", "more", "twice", "bare", "digits", "truth", "none", "huge", "large"]
    + ["nan", "zero", "base64", "null", "html", "deep", "list"],
)
def test_a_reply_that_can_not_be_used_is_refused_at_once(
    answer: Callable[[dict[str, Any]], Answer], said: str, service: InTurn, embedder: Callable[..., ModelEmbedder]
) -> None:
    """Each reply is proven against the space and the texts sent; a wrong one is not asked for again."""
    at = embedder()
    at.embed(["one"])
    service.answers = [answer]
    with pytest.raises(EmbeddingInvalid, match=said):
        at.embed(TEXTS)

    assert 2 == len(service.asked)


def test_a_configured_dimension_is_asked_for_and_proven(
    service: InTurn, embedder: Callable[..., ModelEmbedder]
) -> None:
    """The service is asked for that length; one that ignores it is refused at the first reply."""
    with pytest.raises(EmbeddingInvalid, match="3 dimensions where the space has 256"):
        embedder(dimension=256).embed(["tea"])

    assert 256 == service.asked[0][2]["dimensions"]


def test_too_many_requests_waits_as_long_as_it_is_told(
    service: InTurn, embedder: Callable[..., ModelEmbedder], slept: list[float]
) -> None:
    """429 with Retry-After in seconds, then as a date, then an answer: two waits of that length, and the vectors."""
    soon = datetime.now(UTC) + timedelta(seconds=30)
    service.answers = [
        status(429, Retry_After="7"),
        status(503, Retry_After=soon.strftime("%a, %d %b %Y %H:%M:%S GMT")),
        good,
    ]
    found = embedder().embed(["喝茶"])

    assert [vector("喝茶")] == found.tolist()
    assert (7.0, True) == (slept[0], 25 < slept[1] <= 30)


def test_a_failing_service_is_tried_five_times_with_longer_waits(
    service: InTurn, embedder: Callable[..., ModelEmbedder], slept: list[float]
) -> None:
    """500 for ever is Unavailable, never a verdict on the space; the waits double."""
    service.answers = [status(500)]
    with pytest.raises(Unavailable, match=r"HTTP 500.*nothing is concluded"):
        Fingerprint.of(embedder())

    assert (5, [0.5, 1.0, 2.0, 4.0]) == (len(service.asked), slept)


def test_a_service_that_asks_for_an_hour_is_left_alone(
    service: InTurn, embedder: Callable[..., ModelEmbedder], slept: list[float]
) -> None:
    """A wait longer than a minute is told and not waited for."""
    service.answers = [status(429, Retry_After="3600")]
    with pytest.raises(Unavailable, match="asks to wait 3600 s"):
        embedder().embed(["tea"])

    assert (1, []) == (len(service.asked), slept)


def drip(body: dict[str, Any]) -> Answer:
    """An answer that takes a while."""
    time.sleep(0.4)
    return good(body)


def test_a_slow_service_is_unavailable(service: InTurn, embedder: Callable[..., ModelEmbedder]) -> None:
    """A reply slower than embedder.timeout counts as none, however often."""
    service.answers = [drip]
    with pytest.raises(Unavailable, match="no answer"):
        embedder(timeout=0.05).embed(["tea"])


def test_a_reply_that_drips_is_unavailable(service: InTurn, embedder: Callable[..., ModelEmbedder]) -> None:
    """The timeout bounds the whole reply: one that sends a few bytes at a time, never silent for long, is given up."""
    service.piece = 4
    with pytest.raises(Unavailable, match=r"no answer \(TimeoutError\)"):
        embedder(timeout=0.1).embed(["tea"])


def test_a_slow_try_then_an_answer_is_an_answer(service: InTurn, embedder: Callable[..., ModelEmbedder]) -> None:
    """One late reply does not end the work."""
    service.answers = [drip, good]

    assert [vector("tea")] == embedder(timeout=0.3).embed(["tea"]).tolist()


def test_a_reply_cut_off_is_tried_again(service: InTurn, embedder: Callable[..., ModelEmbedder]) -> None:
    """A connection that closes before the announced length is no answer, not a short one."""

    def cut(body: dict[str, Any]) -> Answer:
        return 200, {"Content-Length": "100000", "Connection": "close"}, good(body)[2]

    service.answers = [cut, good]

    assert [vector("tea")] == embedder(timeout=2).embed(["tea"]).tolist()
    assert 2 == len(service.asked)


def test_nobody_listening_is_unavailable(
    service: InTurn, embedder: Callable[..., ModelEmbedder], slept: list[float]
) -> None:
    """A refused connection is tried like any failure, and ends as Unavailable."""
    at = embedder()
    service.close()
    with pytest.raises(Unavailable, match=r"no answer \(ConnectionRefusedError\)"):
        at.embed(["tea"])

    assert 4 == len(slept)
    service.__init__(good)  # the fixture closes it again


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422])
def test_what_trying_again_does_not_change_is_refused_at_once(
    code: int, service: InTurn, embedder: Callable[..., ModelEmbedder]
) -> None:
    """The service's short code is told; its sentence, which may repeat a memory, is not."""
    service.answers = [status(code, {"error": {"message": "bad input: 喝茶秘密", "code": "invalid_api_key"}})]
    with pytest.raises(EndpointRefused, match=rf"HTTP {code} \(invalid_api_key\)") as caught:
        embedder().embed(["喝茶秘密"])

    assert (1, False) == (len(service.asked), "秘密" in str(caught.value))


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(code: int, service: InTurn, embedder: Callable[..., ModelEmbedder]) -> None:
    """The key is never carried to another address."""
    service.answers = [status(code, Location=f"{service.url}/elsewhere")]
    with pytest.raises(EndpointRefused, match=f"HTTP {code}"):
        embedder({"K": KEY}, key_env="K").embed(["tea"])

    assert 1 == len(service.asked)


def test_the_key_comes_from_the_environment_and_shows_nowhere(
    service: InTurn, embedder: Callable[..., ModelEmbedder]
) -> None:
    """The header carries it; no repr, identity, error or attribute that is kept does."""
    at = embedder({"K": f" {KEY}\n"}, key_env="K")
    at.embed(["tea"])
    service.answers = [status(401)]
    with pytest.raises(EndpointRefused) as caught:
        at.embed(["tea"])

    assert f"Bearer {KEY}" == service.asked[0][1]["Authorization"]
    assert KEY not in f"{at!r} {at._engine!r} {at.identity!r} {caught.value!r}"


@pytest.mark.parametrize("held", [{}, {"K": ""}, {"K": f"{KEY}\r\nX-Evil: 1"}, {"K": "钥匙"}], ids=str)
def test_a_missing_or_broken_key_is_named_by_its_variable(
    held: dict[str, str], service: InTurn, embedder: Callable[..., ModelEmbedder]
) -> None:
    """Nothing is sent, and what the variable holds is not told."""
    with pytest.raises(ConfigInvalid, match="environment variable K") as caught:
        embedder(held, key_env="K").embed(["tea"])

    assert ([], False) == (service.asked, KEY in str(caught.value))


def test_more_than_the_budget_is_refused_before_the_first_request(
    service: InTurn, embedder: Callable[..., ModelEmbedder]
) -> None:
    """Five texts in batches of two need three requests; with two allowed nothing is sent, and the estimate said so."""
    at = embedder(batch=2, max_calls=2, price_per_million_chars=0.5)
    estimate = at.estimate([len(t) for t in TEXTS])
    with pytest.raises(BudgetExceeded, match="takes 3 requests and 2 of 2"):
        at.embed(TEXTS)

    assert (3, 5, sum(map(len, TEXTS))) == (estimate.calls, estimate.texts, estimate.characters)
    assert estimate.cost == pytest.approx(sum(map(len, TEXTS)) * 0.5 / 1_000_000)
    assert [] == service.asked


def test_watching_asks_the_budget_for_all_its_requests(service: InTurn, embedder: Callable[..., ModelEmbedder]) -> None:
    """A thousand texts and one, with the canaries, are two runs of batches: both are asked for before the first."""
    at = embedder(batch=2000, max_calls=2)
    watch = CanaryWatch(at, Fingerprint.of(at))
    texts = [f"记忆 memory {n}" for n in range(1001)]
    with pytest.raises(BudgetExceeded, match="takes 2 requests and 1 of 2"):
        watch.embed(texts)

    assert 1 == len(service.asked)
    assert 1 == len(watch.embed(["喝茶"]))


@pytest.mark.lance
@pytest.mark.parametrize("form", [(), ("--json",), ("--lang", "zh")], ids=str)
def test_the_verb_asks_the_budget_for_the_whole_run(tmp_path: Path, service: InTurn, form: tuple[str, ...]) -> None:
    """`mendory spaces` needs one request for the canaries and one for the rows; with one allowed none is made."""
    make_table(tmp_path, [memory("m1", content="喝茶"), memory("m2", content="tea")])
    config = tmp_path / "mendory.toml"
    config.write_text(
        '[table]\nuri = "."\nname = "memories"\n\n[embedder]\nkind = "openai"\nmodel = "bge-m3"\n'
        f'base_url = "{service.url}"\nmax_calls = 1\n'
    )
    found = CliRunner().invoke(main, ["spaces", "--config", str(config), *form])

    assert (4, True, 0) == (found.exit_code, "budget_exceeded" in found.output, len(service.asked))


@pytest.mark.lance
def test_the_door_asks_the_budget_for_canaries_and_text(
    tmp_path: Path, service: InTurn, embedder: Callable[..., ModelEmbedder]
) -> None:
    """Where a space is known the first text takes two requests; with one allowed nothing is sent or written."""
    create_table(str(tmp_path), "memories", 3)
    keys = {"kind": "openai", "model": "bge-m3", "base_url": service.url, "max_calls": 1}
    config = make_config(tmp_path, embedder=keys)
    Clinic(config).ledger.spaces.adopt(Fingerprint.of(embedder()), "li")
    service.asked.clear()

    with mendory.open(config) as door, pytest.raises(BudgetExceeded, match="takes 2 requests and 1 of 1"):
        door.add("喝茶", scope="u1", source="user_stated")

    assert ([], 0) == (service.asked, lancedb.connect(str(tmp_path)).open_table("memories").count_rows())


def test_tries_that_fail_count_against_the_budget(service: InTurn, embedder: Callable[..., ModelEmbedder]) -> None:
    """With three requests allowed a failing service is asked three times and no more."""
    service.answers = [status(500)]
    with pytest.raises(BudgetExceeded, match="All 3 requests"):
        embedder(max_calls=3).embed(["tea"])

    assert 3 == len(service.asked)


def test_the_budget_begins_again_after_a_day(service: InTurn, embedder: Callable[..., ModelEmbedder]) -> None:
    """A day of a monotonic clock later the same process may ask again; a second before it may not."""
    now = [0.0]
    at = embedder(max_calls=1, monotonic=lambda: now[0])
    at.embed(["tea"])
    now[0] = DAY - 1
    with pytest.raises(BudgetExceeded):
        at.embed(["tea"])
    now[0] = DAY
    at.embed(["tea"])

    assert 2 == len(service.asked)


def test_a_proxy_is_not_asked_for_this_machine(
    service: InTurn, embedder: Callable[..., ModelEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy in the environment sees nothing of a service on loopback."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")

    assert [vector("tea")] == embedder().embed(["tea"]).tolist()


def test_a_fingerprint_takes_one_request(service: InTurn, embedder: Callable[..., ModelEmbedder]) -> None:
    """Sixteen canaries go in one request, and their vectors are kept as float32."""
    found = Fingerprint.of(embedder())

    assert (1, 16) == (len(service.asked), len(service.asked[0][2]["input"]))
    assert ((16, 3), np.dtype(np.float32)) == (found.vectors.shape, found.vectors.dtype)
