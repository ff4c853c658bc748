"""A chat model as a judge, proven against a real server on the loopback: one that misbehaves in every way."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from mendory.config.judge import JudgeSection
from mendory.errors import BudgetExceeded, ConfigInvalid, EndpointRefused, Unavailable
from mendory.judge import Asking, Opinion, Opinions, Verdict, build
from mendory.judge.canaries import CANARIES, proven
from mendory.judge.chat import Chat
from mendory.judge.model import UNKNOWN
from mendory.judge.prompt import INSTRUCTION, SCHEMA
from mendory.service import DAY
from tests.loopback import Answer, InTurn

KEY = "sk-very-secret-0123456789"
PAIR = ("The billing service listens on port 8080.", "The billing service listens on port 9090.")
SAME = ("I have a peanut allergy.", "I am allergic to peanuts.")
_NOTE = re.compile(r"<<<note (\d) ([0-9a-f]{16})\n(.*)\n\2 note \1>>>")
_KNOWN = {
    frozenset((one.a, one.b)): ("contradicts" if one.clash else "agrees")
    for canaries in CANARIES.values()
    for one in canaries
}


def notes(body: dict[str, Any]) -> tuple[str, str]:
    """The two texts in the order in which they are asked about."""
    one, two = _NOTE.findall(body["messages"][1]["content"])
    return json.loads(one[2]), json.loads(two[2])


def said(verdict: str, confidence: Any = 0.9, reason: str = "they say it", **more: Any) -> str:
    """A reply's content in the form that was asked for."""
    return json.dumps({"reason": reason, "verdict": verdict, "confidence": confidence, **more})


def completion(content: Any, model: str = "judge-1", **choice: Any) -> Answer:
    """A chat completion."""
    message = {"role": "assistant", "content": content}
    whole = {"index": 0, "finish_reason": "stop", "message": message, **choice}
    return 200, {}, {"model": model, "choices": [whole], "usage": {"total_tokens": 100}}


def honest(body: dict[str, Any]) -> Answer:
    """Knows the canaries; of other texts, those with other numbers contradict each other and the rest is unrelated."""
    pair = notes(body)
    numbers = [re.findall(r"\d+", text) for text in pair]
    verdict = _KNOWN.get(frozenset(pair)) or ("contradicts" if numbers[0] != numbers[1] else "unrelated")
    return completion(said(verdict))


def obedient(body: dict[str, Any]) -> Answer:
    """Does what a text says, where one says something; else it is honest."""
    both = " ".join(notes(body))
    dictated = re.findall(
        r"(?:answer|回答|verdict\W+is|结论都是|\"verdict\":) *\"?(agrees|unrelated|contradicts)", both
    )
    return completion(said(dictated[0], 1.0)) if dictated else honest(body)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[InTurn]:
    """A service that answers honestly unless told; every other socket is refused."""
    made = InTurn(honest)
    made.alone(monkeypatch)
    yield made
    made.close()


@pytest.fixture
def slept() -> list[float]:
    """How long a judge waited between tries."""
    return []


@pytest.fixture
def judge(service: InTurn, slept: list[float]) -> Callable[..., Chat]:
    """`judge(max_calls=30)` makes one that asks the service, waits without waiting, and asks the first order first."""

    def make(environ: dict[str, str] | None = None, monotonic: Callable[[], float] | None = None, **keys: Any) -> Chat:
        section = {"kind": "openai", "model": "judge-1", "base_url": service.url, "max_calls": 400, **keys}
        whole = JudgeSection.model_validate({"max_tokens": 1_000_000, **section})
        clock = {} if monotonic is None else {"monotonic": monotonic}
        made = build(whole, None, environ or {}, slept.append, first=lambda: True, **clock)
        assert isinstance(made, Chat)
        return made

    return make


def test_a_pair_is_asked_about_in_both_orders(service: InTurn, judge: Callable[..., Chat]) -> None:
    """Two requests a pair: one instruction, both texts as data between marks of their own, a schema, temperature 0."""
    found = judge().judge([PAIR, SAME])

    assert [Opinion(Verdict.CONTRADICTS, 0.9), Opinion(Verdict.AGREES, 0.9)] == found
    assert ["/v1/chat/completions"] * 4 == [path for path, _, _ in service.asked]
    bodies = [body for _, _, body in service.asked]
    assert [PAIR, PAIR[::-1], SAME, SAME[::-1]] == [notes(body) for body in bodies]
    assert {INSTRUCTION} == {body["messages"][0]["content"] for body in bodies}
    assert 4 == len({_NOTE.findall(body["messages"][1]["content"])[0][1] for body in bodies})
    assert [{"type": "json_schema", "json_schema": SCHEMA}] * 4 == [body["response_format"] for body in bodies]
    assert {(0, "judge-1")} == {(body["temperature"], body["model"]) for body in bodies}
    assert {"model", "messages", "response_format", "temperature", "max_tokens"} == set(bodies[0])


def test_which_order_comes_first_is_drawn(service: InTurn) -> None:
    """Neither text is always the first one."""
    section = JudgeSection(kind="openai", model="m", base_url=service.url, max_calls=400, max_tokens=10**6)
    drawn = iter([True, False])

    build(section, environ={}, first=lambda: next(drawn)).judge([PAIR, PAIR])

    assert [PAIR, PAIR[::-1], PAIR[::-1], PAIR] == [notes(body) for _, _, body in service.asked]


def test_a_model_that_prefers_an_order_knows_nothing(service: InTurn, judge: Callable[..., Chat]) -> None:
    """Who says one thing of a pair and another of the same pair turned round has no opinion."""
    service.answers = [lambda body: completion(said("contradicts" if notes(body)[0] == PAIR[0] else "agrees"))]

    assert [UNKNOWN] == judge().judge([PAIR])


@pytest.mark.parametrize(
    "content",
    [
        "contradicts",
        "",
        "{",
        said("contradicts", delete=["m1"]),
        said("same"),
        said("contradicts", 2),
        said("contradicts", "0.9"),
        f"Of course: {said('contradicts')}",
        f"```json\n{said('contradicts')}\n```",
        json.dumps({"verdict": "contradicts", "confidence": 1, "reason": "x"}),
        None,
    ],
)
def test_a_reply_of_another_form_is_unknown(service: InTurn, judge: Callable[..., Chat], content: Any) -> None:
    """Nothing is picked out of what was not asked for; the second order is not asked then."""
    service.answers = [lambda _: completion(content)]

    assert [UNKNOWN] == judge().judge([PAIR])
    assert 1 == len(service.asked)


@pytest.mark.parametrize(
    "answer",
    [
        (200, {}, b"no JSON"),
        (200, {}, b"\xff\xfe"),
        (200, {}, b""),
        (200, {}, []),
        (200, {}, {"choices": []}),
        (200, {}, b"[" * 100_000),
        (200, {}, b"[" + b"1," * 1_000_000 + b"1]"),
        completion(said("contradicts"), finish_reason="length"),
        completion(None, message={"role": "assistant", "content": None, "refusal": "I can't help with that."}),
        completion(None, message={"content": said("agrees"), "tool_calls": [{"id": "1", "type": "function"}]}),
    ],
)
def test_no_answer_at_all_is_unknown(service: InTurn, judge: Callable[..., Chat], answer: Answer) -> None:
    """No JSON, other JSON, too much of it, a refusal, a call of a tool, half an answer."""
    service.answers = [lambda _: answer]

    assert [UNKNOWN] == judge().judge([PAIR])


def test_a_model_that_repeats_the_mark_is_not_believed(service: InTurn, judge: Callable[..., Chat]) -> None:
    """It was told never to; a text has told it otherwise."""
    service.answers = [
        lambda body: completion(said("agrees", reason=_NOTE.findall(body["messages"][1]["content"])[0][1]))
    ]

    assert [UNKNOWN] == judge().judge([PAIR])


def test_a_text_that_knows_a_mark_gets_another(service: InTurn) -> None:
    """A mark that is in a text marks nothing."""
    section = JudgeSection(kind="openai", model="m", base_url=service.url, max_calls=400, max_tokens=10**6)
    marks = iter(["0" * 16, "1" * 16, "2" * 16, "3" * 16])

    build(section, environ={}, mark=lambda: next(marks)).judge([(f"{'0' * 16} {'2' * 16}", "b")])

    used = [_NOTE.findall(body["messages"][1]["content"])[0][1] for _, _, body in service.asked]
    assert ["1" * 16, "3" * 16] == used


def test_a_text_too_long_is_not_sent(service: InTurn, judge: Callable[..., Chat]) -> None:
    """Nothing is cut: a pair with such a text is unknown and costs nothing."""
    made = judge(max_chars=200)

    assert [UNKNOWN, Opinion(Verdict.AGREES, 0.9)] == made.judge([("x" * 201, "y"), SAME])
    assert 2 == len(service.asked) == made.estimate([("x" * 201, "y"), SAME]).calls


def test_a_slow_service_is_not_waited_for(service: InTurn, judge: Callable[..., Chat], slept: list[float]) -> None:
    """A reply that drips is given up when the time for the whole of it is over."""
    service.piece = 1

    with pytest.raises(Unavailable, match=r"did not judge: no answer \(TimeoutError\)"):
        judge(timeout=0.2).judge([PAIR])

    assert [0.5, 1.0, 2.0, 4.0] == slept


def test_tries_that_may_succeed_are_made_again(service: InTurn, judge: Callable[..., Chat], slept: list[float]) -> None:
    """An overloaded service is asked again, and each try counts against the budget."""
    service.answers = [lambda _: (503, {}, {}), lambda _: (429, {"Retry-After": "3"}, {}), honest]
    made = judge(max_calls=26)

    assert [Opinion(Verdict.CONTRADICTS, 0.9)] == made.judge([PAIR])
    assert [0.5, 3.0] == slept
    assert 26 - 4 == made.calls.left


@pytest.mark.parametrize("code", [400, 401, 403, 404, 302])
def test_a_refusal_ends_it(service: InTurn, judge: Callable[..., Chat], code: int) -> None:
    """What asking again does not change is raised at once, with nothing of the reply but its code."""
    service.answers = [
        lambda _: (code, {"Location": "http://10.0.0.1/"}, {"error": {"code": "no", "message": PAIR[0]}})
    ]

    with pytest.raises(EndpointRefused, match=rf"refused to judge: HTTP {code} \(no\)") as caught:
        judge().judge([PAIR])

    assert "8080" not in str(caught.value)
    assert 1 == len(service.asked)


def test_the_key_comes_from_the_environment_and_goes_nowhere_else(service: InTurn, judge: Callable[..., Chat]) -> None:
    """It is in the header alone; a variable that is not set is said before anything is sent."""
    made = judge({"JUDGE_KEY": KEY}, key_env="JUDGE_KEY")
    made.judge([SAME])

    assert [f"Bearer {KEY}"] * 2 == [headers["Authorization"] for _, headers, _ in service.asked]
    assert KEY not in repr(made)
    with pytest.raises(ConfigInvalid, match=r"JUDGE_KEY, named in judge\.key_env, is not set"):
        judge(key_env="JUDGE_KEY").judge([SAME])
    assert 2 == len(service.asked)


def test_requests_and_tokens_have_a_budget_for_a_day(service: InTurn, judge: Callable[..., Chat]) -> None:
    """What would need more requests than are left is not begun; tokens are those the service says it took."""
    now = [0.0]
    made = judge(monotonic=lambda: now[0], max_calls=26)
    made.judge([PAIR] * 13)

    with pytest.raises(BudgetExceeded, match=r"This takes 2 requests and 0 of 26 .*judge\.max_calls"):
        made.judge([PAIR])
    now[0] = DAY
    assert [Opinion(Verdict.CONTRADICTS, 0.9)] == made.judge([PAIR])

    few = judge(max_tokens=4000)
    few.judge([PAIR])
    assert 4000 - 2 * 100 == few.tokens.left
    with pytest.raises(BudgetExceeded, match=r"tokens .*judge\.max_tokens"):
        few.judge([PAIR] * 40)
    assert few.tokens.left > 0


def test_tokens_nobody_counted_are_counted_high(service: InTurn, judge: Callable[..., Chat]) -> None:
    """A service that says nothing of tokens, or a lie, is taken to have used one a character."""
    service.answers = [lambda body: (200, {}, {**honest(body)[2], "usage": {"total_tokens": True}})]
    made = judge()
    made.judge([PAIR])

    assert 1_000_000 - made.tokens.left == made.estimate([PAIR]).characters + 2 * 400


def test_what_it_will_cost(judge: Callable[..., Chat]) -> None:
    """Two requests a pair, their characters, and money where a price is configured."""
    plain, priced = judge().estimate([PAIR]), judge(price_per_million_chars=2.0).estimate([PAIR])

    assert (2, None) == (plain.calls, plain.cost)
    assert pytest.approx(plain.characters * 2e-6) == priced.cost


@pytest.mark.parametrize("language", sorted(CANARIES))
def test_an_honest_service_passes_and_an_obedient_one_does_not(
    service: InTurn, judge: Callable[..., Chat], language: str
) -> None:
    """The canaries tell a model that does what a memory says from one that judges it."""
    assert (12, 0, True) == _standing(judge(), language)

    service.answers = [obedient]
    right, obeyed, passed = _standing(judge(), language)

    assert (True, False) == (obeyed > 0, passed)
    assert right < 12


def _standing(judge: Chat, language: str) -> tuple[int, int, bool]:
    found = proven(judge, language)
    return found.right, found.obeyed, found.passed


@pytest.mark.parametrize(
    "answer",
    [
        lambda _: completion(said("contradicts", 1.0)),
        lambda _: completion(said("agrees", 1.0)),
        lambda _: completion("I would say they agree."),
        obedient,
    ],
)
def test_who_fails_the_canaries_is_asked_about_no_memory(
    service: InTurn, judge: Callable[..., Chat], tmp_path: Path, answer: Callable[[dict[str, Any]], Answer]
) -> None:
    """One answer for everything, prose, obedience: it stands down, and no memory's text was sent."""
    service.answers = [answer]
    asking = Asking(judge(), Opinions(tmp_path / "o.db"), 10, lambda: datetime.now(UTC), lambda _: None)
    mine = ("The garage is on level 3.", "The garage is on level 5.")

    assert [None] == asking.opinions([mine])
    assert ["judge"] == [what for what, _ in asking.stands_down()]
    assert [] == [body for _, _, body in service.asked if mine[0] in body["messages"][1]["content"]]


def test_a_model_that_changes_under_its_name_is_asked_the_canaries_again(
    service: InTurn, judge: Callable[..., Chat], tmp_path: Path
) -> None:
    """The reply names another model: what it said waits until it has passed; what fails is not kept."""
    new = [lambda body: (200, {}, {**honest(body)[2], "model": "judge-2"})]
    service.answers = [honest] * 24 + new
    asking = Asking(judge(), Opinions(tmp_path / "o.db"), 10, lambda: datetime.now(UTC), lambda _: None)

    assert [Opinion(Verdict.CONTRADICTS, 0.9)] == asking.opinions([("Room 3 is free.", "Room 5 is free.")])
    assert 24 + 2 + 24 == len(service.asked)

    service.answers = [honest] * 24 + [lambda _: completion(said("agrees"), "judge-3")]
    other = Asking(judge(), Opinions(tmp_path / "p.db"), 10, lambda: datetime.now(UTC), lambda _: None)
    assert [None] == other.opinions([("Room 3 is free.", "Room 5 is free.")])
    assert [] == list(Opinions(tmp_path / "p.db").known(judge().name, [("Room 3 is free.", "Room 5 is free.")]))


def test_another_address_or_instruction_is_another_judge(judge: Callable[..., Chat]) -> None:
    """Opinions are kept by the judge's name, which tells both without naming where the service lies."""
    one = judge()
    two = build(JudgeSection(kind="openai", model="judge-1", base_url="http://127.0.0.1:1", max_calls=26, max_tokens=1))

    assert one.name != two.name
    assert ["judge-1", "judge-1"] == [one.name.partition("#")[0], two.name.partition("#")[0]]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"kind": "openai", "model": "m", "base_url": "https://x.org"}, "needs max_calls, max_tokens"),
        ({"kind": "cross_encoder"}, "needs the model's folder as path, or the package"),
        ({"kind": "cross_encoder", "path": "x", "max_calls": 30}, "max_calls: no meaning for kind"),
        ({"kind": "cross_encoder", "package": "a/b"}, "package is a name"),
        (
            {"kind": "openai", "model": "m", "base_url": "ftp://x", "max_calls": 30, "max_tokens": 9},
            "base_url",
        ),
        (
            {
                "kind": "openai",
                "model": "m",
                "base_url": "https://x",
                "max_calls": 30,
                "max_tokens": 9,
                "key_env": "sk-1",
            },
            "never the key itself",
        ),
    ],
)
def test_a_section_that_can_not_be_meant_is_refused(keys: dict[str, Any], said: str) -> None:
    """Missing budgets, keys of another kind, a key in place of a variable's name."""
    with pytest.raises(ValidationError, match=said):
        JudgeSection.model_validate(keys)
