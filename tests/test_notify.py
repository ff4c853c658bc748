"""Telling people: services that check like the real ones, quiet hours, each plan once, never a failed heal."""

from __future__ import annotations

import base64
import hashlib
import json
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mendory import treatment
from mendory.asking.asked import Asked
from mendory.clinic import Clinic
from mendory.config import NotifySection
from mendory.migration.stages import Stage
from mendory.notify import Notified, notify
from mendory.notify.due import due, quiet
from mendory.notify.said import of_plan
from mendory.notify.shapes import accepted, message
from mendory.spaces import Fingerprint, SpaceState
from tests.conftest import GENEROUS, FakeClock, memory
from tests.loopback import Answer, Loopback, Request
from tests.moving_kit import COLUMN, FORWARD, new_model, old_model
from tests.page_kit import asked_of

SHAPES = ("json", "slack", "feishu", "dingtalk", "wecom")
LANGS = ("en", "zh")
CANARY = "卡号 4111-1111 canary text"
TOKEN = "t0ken-nobody-may-see"  # noqa: S105
SECRET = "SEC-of-the-robot"  # noqa: S105
LINK = "http://127.0.0.1:4200/runs/flow-run/0001?tab=(1)"


def hmac_sha256(key: bytes, text: bytes) -> str:
    """HMAC by its definition, in base64: what a service computes, and not with our code."""
    key = hashlib.sha256(key).digest() if len(key) > 64 else key
    key = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(b ^ 0x36 for b in key) + text).digest()
    return base64.b64encode(hashlib.sha256(bytes(b ^ 0x5C for b in key) + inner).digest()).decode()


# --- services that check like the real ones ---------------------------------------------------


def slack(path: str, body: Any, now: datetime) -> Answer:
    """Incoming webhooks: a text, blocks within their bounds; replies ok, or a word for what is wrong."""
    kinds = {"header": ("text",), "section": (), "actions": ("elements",)}
    if not path.startswith(f"/services/T0/B0/{TOKEN}"):
        return 403, {}, b"invalid_token"
    if not isinstance(body.get("text"), str) or not 0 < len(body["blocks"]) <= 50:
        return 400, {}, b"invalid_payload"
    for block in body["blocks"]:
        texts = [block["text"]] if "text" in block else []
        texts += block.get("fields", []) + [e["text"] for e in block.get("elements", [])]
        most = 150 if block["type"] == "header" else 2000
        sound = block["type"] in kinds and all(name in block for name in kinds[block["type"]])
        sound &= len(block.get("fields", [])) <= 10 and ("text" in block or "fields" in block or "elements" in block)
        sound &= all(t["type"] in ("plain_text", "mrkdwn") and 0 < len(t["text"]) <= most for t in texts)
        sound &= all(e["type"] == "button" and len(e["url"]) <= 3000 for e in block.get("elements", []))
        if not sound or any("<" in t["text"] for t in texts if t["type"] == "mrkdwn"):
            return 400, {}, b"invalid_blocks"
    return 200, {}, b"ok"


def feishu(path: str, body: Any, now: datetime) -> Answer:
    """A custom robot with signatures: refusals come with status 200."""
    if path != f"/open-apis/bot/v2/hook/{TOKEN}":
        return 200, {}, {"code": 19001, "data": {}, "msg": "param invalid: incoming webhook access token invalid"}
    stamp = str(body.get("timestamp", "0"))
    stale = abs(int(stamp) - now.timestamp()) > 3600
    if stale or body.get("sign") != hmac_sha256(f"{stamp}\n{SECRET}".encode(), b""):
        return 200, {}, {"code": 19021, "data": {}, "msg": "sign match fail or timestamp is not within one hour"}
    card = body.get("card", {})
    tags = [e["tag"] for e in card.get("elements", [])]
    if body.get("msg_type") != "interactive" or "title" not in card.get("header", {}) or set(tags) - {"div", "action"}:
        return 200, {}, {"code": 9499, "data": {}, "msg": "Bad Request"}
    return 200, {}, {"StatusCode": 0, "StatusMessage": "success", "code": 0, "data": {}, "msg": "success"}


def dingtalk(path: str, body: Any, now: datetime) -> Answer:
    """A robot with signatures in the address: refusals come with status 200."""
    query = {k: v[0] for k, v in parse_qs(urlsplit(path).query).items()}
    if query.get("access_token") != TOKEN:
        return 200, {}, {"errcode": 300005, "errmsg": "token is not exist"}
    stamp = query.get("timestamp", "0")
    stale = abs(int(stamp) / 1000 - now.timestamp()) > 3600
    if stale or query.get("sign") != hmac_sha256(SECRET.encode(), f"{stamp}\n{SECRET}".encode()):
        return 200, {}, {"errcode": 310000, "errmsg": "sign not match"}
    told = body.get("markdown", {})
    if body.get("msgtype") != "markdown" or not told.get("title") or not told.get("text"):
        return 200, {}, {"errcode": 400402, "errmsg": "missing parameter"}
    return 200, {}, {"errcode": 0, "errmsg": "ok"}


def wecom(path: str, body: Any, now: datetime) -> Answer:
    """A group robot: at most 4,096 bytes of Markdown; refusals come with status 200."""
    if parse_qs(urlsplit(path).query).get("key") != [TOKEN]:
        return 200, {}, {"errcode": 93000, "errmsg": "invalid webhook url"}
    content = body.get("markdown", {}).get("content", "")
    if body.get("msgtype") != "markdown" or not 0 < len(content.encode()) <= 4096:
        return 200, {}, {"errcode": 40058, "errmsg": "markdown.content exceed max length 4096"}
    return 200, {}, {"errcode": 0, "errmsg": "ok"}


def plain(path: str, body: Any, now: datetime) -> Answer:
    """Any service of one's own: takes an event it knows."""
    return (
        (204, {}, b"")
        if body.get("event") in ("plan.waits", "queue.late", "soak.alarm") and TOKEN in path
        else (422, {}, b"")
    )


SERVICES: Mapping[str, tuple[str, Callable[[str, Any, datetime], Answer]]] = {
    "json": (f"/hook?token={TOKEN}", plain),
    "slack": (f"/services/T0/B0/{TOKEN}", slack),
    "feishu": (f"/open-apis/bot/v2/hook/{TOKEN}", feishu),
    "dingtalk": (f"/robot/send?access_token={TOKEN}", dingtalk),
    "wecom": (f"/cgi-bin/webhook/send?key={TOKEN}", wecom),
}


class Service(Loopback):
    """A webhook. What `instead` holds is answered first, then as the service of `shape`."""

    def __init__(self, shape: str, clock: FakeClock) -> None:
        path, self.judge = SERVICES[shape]
        self.clock = clock
        self.instead: list[Answer] = []
        self.taken: list[Any] = []
        self.asked = 0
        self.answers: list[Any] = []
        super().__init__()
        self.url = f"http://127.0.0.1:{self.port}{path}"

    def answer(self, request: Request) -> Answer:
        """What was queued, else what the real one would say; a GET counts as a thousand."""
        self.asked += 1 if request.method == "POST" else 1000
        body = json.loads(request.body)
        assert request.headers["Content-Type"].startswith("application/json")
        if self.instead:
            answer = self.instead.pop(0)
        else:
            answer = self.judge(request.path, body, self.clock.now)
            self.taken.append(body)
        self.answers.append(answer[2])
        return answer


@pytest.fixture
def service(clock: FakeClock) -> Iterator[Callable[[str], Service]]:
    """`service("slack")` is a webhook that checks like that one."""
    made: list[Service] = []

    def make(shape: str) -> Service:
        made.append(Service(shape, clock))
        return made[-1]

    yield make
    for one in made:
        one.close()


Make = Callable[..., Clinic]


def sick() -> list[dict[str, Any]]:
    """A double write."""
    return [memory("a1", content=CANARY), memory("a2", content=CANARY), memory("h1", content="Healthy")]


def section(shape: str, **keys: Any) -> dict[str, Any]:
    """A `[notify]` of that shape, signed where the service signs."""
    return {"shape": shape, **({"secret_env": "S"} if shape in ("feishu", "dingtalk") else {}), **keys}


def environ(service: Service) -> dict[str, str]:
    """An environment that holds address and secret."""
    return {"MENDORY_WEBHOOK_URL": f" {service.url}\n", "S": SECRET}


def told(clinic: Clinic, service: Service, slept: list[float] | None = None, **more: str) -> Notified:
    """What became of telling, with a link for every plan, waiting without waiting."""
    links = {p["id"]: LINK for p in clinic.ledger.plans.all()}
    waits: list[float] = [] if slept is None else slept
    return notify(clinic, links, {**environ(service), **more}, waits.append)


# --- shapes -----------------------------------------------------------------------------------


@pytest.mark.lance
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("shape", SHAPES)
def test_each_service_takes_its_shape_and_everything_is_in_it(
    clinic: Make, service: Callable[[str], Service], shape: str, lang: str
) -> None:
    """Table, code, severity, counts, expiry, links and undo are told in the language; no memory text; once."""
    at, web = (
        clinic(sick(), notify=section(shape), report={"lang": lang, "base_url": "https://w.example/r"}),
        service(shape),
    )
    plan = at.plan().plan
    assert plan is not None
    first, second = told(at, web), told(at, web)
    [body] = web.taken
    said = json.dumps(body, ensure_ascii=False)
    severity = {"en": "medium", "zh": "中"}[lang]
    rows = {"en": "1 changed, 1 out of recall, 0 deleted", "zh": "改动 1 行，其中 1 行不再被召回，删除 0 行"}[lang]

    assert ((plan.id,), (), ()) == (first.told, first.later, first.failed)
    assert Notified() == second
    assert {(plan.id, plan.made_at)} == at.ledger.notices.told()
    for text in (
        "Mendory",
        "memories",
        plan.code,
        severity,
        f"/r/{plan.code}.{lang}.html",
        f"mendory rollback {plan.code}",
    ):
        assert text in said, text
    assert "%281%29" in said or shape == "json"
    assert rows in said or (1, 1, 0) == (body["rows"], body["hidden"], body["deleted"])
    assert ({"en": "2 Mar 2025, 12:00 UTC", "zh": "2025年3月2日 12:00（UTC）"}[lang] in said) == (shape != "json")
    assert CANARY[:6] not in said
    assert TOKEN not in said + repr(first)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("lang", LANGS)
def test_level_three_and_the_command_line_are_told(shape: str, lang: str) -> None:
    """A notice says that a code is needed, and without a link how to answer; a long plan stays within every bound."""
    groups = [[f"G{n}", "fill", 3, 9, 9, 0, [["level 3: only a person may let it run", 9]]] for n in range(1, 40)]
    asked = asked_of(
        {"groups": groups, "severity": "high", "zone": "America/Argentina/ComodRivadavia", "table": "t" * 200}
    )
    now = asked.made_at
    made = message(shape, of_plan(asked, "", lang), now, SECRET if shape in ("feishu", "dingtalk") else None)
    query = "&".join(f"{k}={v.replace('+', '%2B')}" for k, v in made.query.items())
    path = SERVICES[shape][0]
    said = json.dumps(made.body, ensure_ascii=False)

    reply = SERVICES[shape][1](f"{path}&{query}" if query else path, made.body, now)
    assert accepted(shape, reply[0], reply[2] if isinstance(reply[2], bytes) else json.dumps(reply[2]).encode())
    assert "mendory show 1a2b3c4d" in said or made.body["link"] is None
    assert {"en": "one-time code", "zh": "一次性验证码"}[lang] in said or made.body["needs_code"] is True
    assert len(said.encode()) < 20_000


@pytest.mark.parametrize(
    ("shape", "status", "data", "success"),
    [
        ("json", 200, b"", True),
        ("json", 202, b"no", True),
        ("json", 302, b"", False),
        ("slack", 200, b"ok", True),
        ("slack", 200, b"ok\n", True),
        ("slack", 200, b"no_service", False),
        ("slack", 200, b"", False),
        ("feishu", 200, b'{"StatusCode":0,"StatusMessage":"success"}', True),
        ("feishu", 200, b'{"code":0,"msg":"success"}', True),
        ("feishu", 200, b'{"code":19021,"StatusCode":0}', False),
        ("feishu", 200, b'{"code":19021}', False),
        ("feishu", 200, b"{}", False),
        ("feishu", 200, b"<html>", False),
        ("feishu", 500, b'{"code":0}', False),
        ("feishu", 200, b'{"code":false}', False),
        ("dingtalk", 200, b'{"errcode":0,"errmsg":"ok"}', True),
        ("dingtalk", 200, b'{"errcode":310000}', False),
        ("dingtalk", 200, b'{"errcode":"0"}', False),
        ("dingtalk", 200, b"[]", False),
        ("wecom", 200, b'{"errcode":0,"errmsg":"ok"}', True),
        ("wecom", 200, b'{"errcode":45009,"errmsg":"api freq out of limit"}', False),
        ("wecom", 200, b"\xff", False),
    ],
)
def test_success_is_what_the_service_calls_success(shape: str, status: int, data: bytes, success: bool) -> None:
    """Several say no with status 200."""
    assert success == accepted(shape, status, data)


# --- delivery ---------------------------------------------------------------------------------


@pytest.mark.lance
@pytest.mark.parametrize("shape", ["feishu", "dingtalk", "wecom", "slack"])
def test_what_the_service_does_not_take_is_told_at_the_next_run(
    clinic: Make, service: Callable[[str], Service], shape: str
) -> None:
    """Nothing is recorded and nothing raised: it is counted with the service's number, and told when it can be."""
    at, web = clinic(sick(), notify=section(shape)), service(shape)
    plan = at.plan().plan
    assert plan is not None
    refused = (400, {}, b"invalid_payload") if shape == "slack" else (200, {}, {"code": 9, "errcode": 9, "msg": CANARY})
    web.instead = [refused]
    first = told(at, web)
    nobody = at.ledger.notices.told()
    second = told(at, web)

    assert ((), (plan.id,), set()) == (first.told, first.failed, nobody)
    assert {"told": 0, "later": 0, "failed": 1, "late": 0, "alarms": 0} == {
        k: v for k, v in first.as_json().items() if k != "why"
    }
    assert {"HTTP 400" if shape == "slack" else "HTTP 200, code 9": 1} == first.as_json()["why"]
    assert ((plan.id,), 2) == (second.told, web.asked)


@pytest.mark.lance
def test_a_busy_service_is_asked_again(clinic: Make, service: Callable[[str], Service]) -> None:
    """Three tries with growing waits, Retry-After heeded up to ten seconds; then it is told at the next run."""
    at, web = clinic(sick(), notify=section("slack")), service("slack")
    at.plan()
    slept: list[float] = []
    web.instead = [(500, {}, b""), (429, {"Retry-After": "3"}, b"")]
    assert (1, 3) == (len(told(at, web, slept).told), web.asked)
    assert [0.5, 3.0] == slept


@pytest.mark.lance
@pytest.mark.parametrize(
    ("answers", "asked", "why"),
    [
        ([(503, {}, b"")] * 3, 3, "HTTP 503"),
        ([(429, {"Retry-After": "600"}, b"")], 1, "HTTP 429"),
        ([(302, {"Location": "/elsewhere"}, b"")], 1, "HTTP 302"),
        ([(307, {"Location": "/elsewhere"}, b"")], 1, "HTTP 307"),
        ([(404, {}, b"no_service")], 1, "HTTP 404"),
        ([(200, {"Content-Length": "5"}, b"x" * (1 << 17))], 1, "HTTP 200"),
    ],
    ids=["down", "an hour", "moved", "moved for good", "gone", "too much"],
)
def test_a_service_that_does_not_take_it_fails_nothing(
    clinic: Make, service: Callable[[str], Service], answers: list[Answer], asked: int, why: str
) -> None:
    """No redirect is followed, no hour is waited, nothing is raised, and the address is not in what is told."""
    at, web = clinic(sick(), notify=section("slack")), service("slack")
    at.plan()
    web.instead = list(answers)
    found = told(at, web)

    assert ((), 1, {why: 1}) == (found.told, len(found.failed), dict(found.why))
    assert asked == web.asked
    assert TOKEN not in repr(found)


@pytest.mark.lance
def test_nobody_listening_fails_nothing_and_is_not_asked_for_every_plan(
    clinic: Make, service: Callable[[str], Service]
) -> None:
    """Two plans wait, the service is down: three tries in all, both are counted and told at the next run."""
    rows = [*sick(), memory("b1", content="喝茶", scope="u2"), memory("b2", content="喝茶", scope="u2")]
    at, web = clinic(rows, notify=section("json")), service("json")
    for scope in ("u1", "u2"):
        at.plan(wanted=lambda f, s=scope: f.scope == s)
    address = web.url
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{free.getsockname()[1]}/{TOKEN}"
    slept: list[float] = []
    found = notify(at, {}, {"MENDORY_WEBHOOK_URL": dead}, slept.append)

    assert (2, {"no answer (ConnectionRefusedError)": 2}, 2) == (len(found.failed), dict(found.why), len(slept))
    assert TOKEN not in repr(found)
    assert 2 == len(notify(at, {}, {"MENDORY_WEBHOOK_URL": address}, slept.append).told)


@pytest.mark.lance
@pytest.mark.parametrize(
    ("held", "why"),
    [
        ({}, "MENDORY_WEBHOOK_URL is not set"),
        ({"MENDORY_WEBHOOK_URL": "  "}, "MENDORY_WEBHOOK_URL is not set"),
        ({"MENDORY_WEBHOOK_URL": f"http://hooks.example.com/{TOKEN}"}, "no address that can be used"),
        ({"MENDORY_WEBHOOK_URL": f"ftp://127.0.0.1/{TOKEN}"}, "no address that can be used"),
        ({"MENDORY_WEBHOOK_URL": f"file:///etc/{TOKEN}"}, "no address that can be used"),
        ({"MENDORY_WEBHOOK_URL": f"https://u:{TOKEN}@hooks.example.com/"}, "no address that can be used"),
        ({"MENDORY_WEBHOOK_URL": f"https://127.0.0.1/{TOKEN}\nx: y"}, "no address that can be used"),
        ({"MENDORY_WEBHOOK_URL": f"https://127.0.0.1:99999/{TOKEN}"}, "no address that can be used"),
        ({"MENDORY_WEBHOOK_URL": f"https://127.0.0.1/{TOKEN}"}, "variable S holds no secret"),
        ({"MENDORY_WEBHOOK_URL": f"https://127.0.0.1/{TOKEN}", "S": "钥匙"}, "variable S holds no secret"),
    ],
    ids=str,
)
def test_a_wrong_address_is_named_by_its_variable(
    clinic: Make, monkeypatch: pytest.MonkeyPatch, held: Mapping[str, str], why: str
) -> None:
    """Nothing is sent, nothing raised, and what the variable holds is not told."""
    at = clinic(sick(), notify=section("dingtalk"))
    at.plan()
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("a socket was opened"))
    found = notify(at, {}, held, lambda _: None)

    assert (1, True) == (len(found.failed), why in found.why[0][0])
    assert TOKEN not in repr(found)


@pytest.mark.lance
def test_a_host_that_can_be_none_fails_nothing(clinic: Make) -> None:
    """A label of seventy letters is in no name of a host: that is no answer, not an error."""
    at = clinic(sick(), notify=section("json"))
    at.plan()
    found = notify(at, {}, {"MENDORY_WEBHOOK_URL": f"https://{'a' * 70}.localhost/{TOKEN}"}, lambda _: None)

    assert {"no answer (UnicodeError)": 1} == dict(found.why)


@pytest.mark.lance
def test_a_proxy_is_not_asked_for_this_machine(
    clinic: Make, service: Callable[[str], Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The webhook on loopback is reached although a proxy is configured that nobody listens at."""
    at, web = clinic(sick(), notify=section("json")), service("json")
    at.plan()
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    assert 1 == len(told(at, web).told)


@pytest.mark.lance
def test_without_the_section_nobody_is_told(clinic: Make) -> None:
    """No `[notify]`, no request, nothing recorded."""
    at = clinic(sick())
    at.plan()

    assert (Notified(), set()) == (
        notify(at, {}, {"MENDORY_WEBHOOK_URL": "http://127.0.0.1:9/"}),
        at.ledger.notices.told(),
    )


@pytest.mark.lance
def test_only_what_waits_for_a_person_is_told(clinic: Make, service: Callable[[str], Service]) -> None:
    """A plan that a rule lets run whole, one that was rejected and one that expired are told to nobody."""
    at, web = (
        clinic(sick(), notify=section("json"), limits=GENEROUS, rules={"confirmed": ["merge.exact"]}),
        service("json"),
    )
    plan = at.plan().plan
    assert plan is not None
    assert Notified() == told(at, web)
    unconfirmed = clinic(None, notify=section("json"), limits=GENEROUS)
    treatment.reject(unconfirmed, plan.id, None, "li", "no")

    assert (Notified(), 0) == (told(unconfirmed, web), web.asked)


@pytest.mark.lance
def test_a_plan_made_again_is_told_again(clinic: Make, service: Callable[[str], Service], clock: FakeClock) -> None:
    """Silence expires a plan; the same repair planned again has the same id, and is told once more."""
    at, web = clinic(sick(), notify=section("json")), service("json")
    first = at.plan().plan
    assert [1, 0] == [len(told(at, web).told) for _ in range(2)]
    clock.move(hours=25)
    assert 0 == len(told(at, web).told)
    again = at.plan().plan

    assert first is not None
    assert again is not None
    assert (first.id, [1, 0]) == (again.id, [len(told(at, web).told) for _ in range(2)])


@pytest.mark.lance
def test_in_the_quiet_hours_only_high_severity_is_told_and_the_rest_after_them(
    clinic: Make, service: Callable[[str], Service], clock: FakeClock
) -> None:
    """At two at night in Shanghai a medium plan is put off; at seven it is told, once."""
    quiet_hours = section("json", quiet=["22:00", "07:00"], zone="Asia/Shanghai")
    at, web = clinic(sick(), notify=quiet_hours), service("json")
    clock.now = datetime(2025, 3, 1, 18, tzinfo=UTC)
    plan = at.plan().plan
    assert plan is not None
    night = told(at, web)
    clock.now = datetime(2025, 3, 1, 22, 59, tzinfo=UTC)
    dawn = told(at, web)
    clock.now = datetime(2025, 3, 1, 23, tzinfo=UTC)
    day, after = told(at, web), told(at, web)

    assert ((plan.id,), (plan.id,)) == (night.later, dawn.later)
    assert ((plan.id,), Notified(), 1) == (day.told, after, web.asked)


# --- quiet hours ------------------------------------------------------------------------------

ZONES = (
    "UTC",
    "Asia/Shanghai",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "America/Havana",
    "Asia/Kathmandu",
)
TIMES = st.times().map(lambda t: t.replace(second=0, microsecond=0))
MOMENTS = st.integers(0, 4 * 366 * 1440).map(lambda n: datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=n))


def hours(begins: time, ends: time, zone: str) -> NotifySection:
    """A section with these quiet hours."""
    return NotifySection(quiet=(begins, ends), zone=zone)


@settings(deadline=None)
@given(TIMES, TIMES, st.sampled_from(ZONES), MOMENTS)
@example(time(22), time(7), "Europe/Berlin", datetime(2026, 3, 29, 1, 30, tzinfo=UTC))
@example(time(2), time(3), "Europe/Berlin", datetime(2026, 10, 25, 1, 30, tzinfo=UTC))
def test_quiet_is_what_the_clock_on_the_wall_shows(begins: time, ends: time, zone: str, now: datetime) -> None:
    """Walking minute by minute from the beginning to the end passes the wall's minute exactly when it is quiet."""
    if begins == ends:
        return
    wall = now.astimezone(ZoneInfo(zone))
    minute, last = begins.hour * 60 + begins.minute, ends.hour * 60 + ends.minute
    passed = set()
    while minute != last:
        passed.add(minute)
        minute = (minute + 1) % 1440

    assert (wall.hour * 60 + wall.minute in passed) == quiet(hours(begins, ends, zone), now)


@settings(deadline=None)
@given(TIMES, TIMES, st.sampled_from(ZONES), MOMENTS)
def test_every_night_ends(begins: time, ends: time, zone: str, now: datetime) -> None:
    """Within two days, whatever a change of the clock skips, there is an hour at which all is told."""
    if begins == ends or (ends.hour * 60 + ends.minute - begins.hour * 60 - begins.minute) % 1440 > 1439 - 60:
        return
    section_ = hours(begins, ends, zone)

    assert any(not quiet(section_, now + timedelta(minutes=30 * n)) for n in range(98))


PLANS = st.lists(
    st.tuples(st.sampled_from(["low", "medium", "high"]), st.integers(-3, 30), st.booleans(), st.booleans()), max_size=6
)


@settings(deadline=None)
@given(PLANS, TIMES, TIMES, st.sampled_from(ZONES), MOMENTS)
def test_every_plan_is_told_now_or_later_and_never_twice(
    drawn: Sequence[tuple[str, int, bool, bool]], begins: time, ends: time, zone: str, now: datetime
) -> None:
    """High ones always now, others now unless it is quiet; what was told, expired or waits for nobody is in neither."""
    if begins == ends:
        return
    made = [_plan(n, *one, now) for n, one in enumerate(drawn)]
    before = {(p.plan_id, p.made_at) for p, one in zip(made, drawn, strict=True) if one[2]}
    fresh = {p.plan_id for p, one in zip(made, drawn, strict=True) if one[1] > 0 and not one[2] and one[3]}
    section_ = hours(begins, ends, zone)
    at_once, later = due(made, section_, now, before)
    names = [p.plan_id for p in (*at_once, *later)]

    assert (fresh, len(fresh)) == (set(names), len(names))
    assert all(p.severity != "high" for p in later)
    assert later == [] or quiet(section_, now)
    assert all(p.severity == "high" for p in at_once) or not quiet(section_, now)
    grave = [p.severity == "high" for p in at_once]
    assert sorted(grave, reverse=True) == grave
    told_since = before | {(p.plan_id, p.made_at) for p in at_once}
    assert [] == due(made, section_, now, told_since)[0]


def _plan(number: int, severity: str, left: int, _told: bool, waits: bool, now: datetime) -> Asked:
    """A plan that expires in so many hours and waits for a person, or for nobody."""
    group = ["G1", "merge_exact", 2, 1, 2, 1, [["why", 1]] if waits else [], 0 if waits else 1]
    usual = asked_of({"severity": severity, "groups": [group]})
    return replace(
        usual, plan_id=f"{number}" * 8, made_at=now - timedelta(hours=24), expires_at=now + timedelta(hours=left)
    )


# --- what has waited for long -----------------------------------------------------------------


def waits_long(clinic: Make, clock: FakeClock, shape: str, **keys: Any) -> Clinic:
    """A row without a scope that nobody has given one for eight days."""
    at = clinic([memory("m1", scope=None, content=CANARY), memory("h1")], notify=section(shape), **keys)
    at.plan()
    clock.move(days=8)
    return at


@pytest.mark.lance
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_has_waited_for_long_is_told_once(
    clinic: Make, service: Callable[[str], Service], clock: FakeClock, shape: str, lang: str
) -> None:
    """Every service takes it; how many, since when at the longest, how to answer; no id, no scope, no text."""
    at, web = waits_long(clinic, clock, shape, report={"lang": lang}), service(shape)
    first, second = told(at, web), told(at, web)
    at.plan()
    third = told(at, web)
    [body] = web.taken
    said = json.dumps(body, ensure_ascii=False)

    assert (1, Notified(), Notified()) == (first.late, second, third)
    assert {"en": "1 of 1 findings", "zh": "1 个待处理问题中，1 个等待已超过 7 天"}[lang] in said
    assert "mendory review --as NAME" in said or ("queue.late", 8 * 86400) == (body["event"], body["oldest_seconds"])
    assert [] == [text for text in (CANARY[:6], "m1", TOKEN) if text in said]


@pytest.mark.lance
def test_what_is_younger_is_not_told_and_what_waits_anew_is(
    clinic: Make, service: Callable[[str], Service], clock: FakeClock
) -> None:
    """A finding that ended and came back has an age of its own; one that nobody took is told at the next run."""
    at, web = waits_long(clinic, clock, "slack", queue={"alarm_after": timedelta(days=9)}), service("slack")
    assert Notified() == told(at, web)
    clock.move(days=2)
    web.instead = [(400, {}, b"invalid_payload")]
    assert (0, (("HTTP 400", 1),)) == ((refused := told(at, web)).late, refused.why)
    assert 1 == told(at, web).late

    [entry] = at.ledger.findings.queued()
    at.ledger.findings.settle(entry["finding_id"])
    clock.move(days=1)
    at.plan()
    assert Notified() == told(at, web)
    clock.move(days=10)
    assert 1 == told(at, web).late


@pytest.mark.lance
@pytest.mark.parametrize(("rows", "late"), [([memory("m1", scope=None)], 1), ([memory("m1", content="")], 0)])
def test_in_the_quiet_hours_old_findings_wait_unless_one_is_grave(
    clinic: Make, service: Callable[[str], Service], clock: FakeClock, rows: list[dict[str, Any]], late: int
) -> None:
    """As plans do."""
    web = service("slack")
    at = clinic([*rows, memory("h1")], notify=section("slack", quiet=["11:00", "13:00"]))
    at.plan()
    clock.move(days=8)

    assert late == told(at, web).late
    clock.move(hours=2)
    assert 1 - late == told(at, web).late


# --- a soaking space that raises an alarm -----------------------------------------------------

WORDS_OF = {
    ("found_less", "en"): "searches find less than at the gate",
    ("found_less", "zh"): "检索到的比闸门检验时少",
    ("vectors_differ", "en"): "rows hold vectors that are not of their text",
    ("vectors_differ", "zh"): "有些行的向量与其文本不符",
}


def soaks(clinic: Make, shape: str, quiet: Sequence[str] | None = None, **keys: Any) -> Clinic:
    """A table whose new space was switched to."""
    at = clinic([memory("h1", content=CANARY)], notify=section(shape, **({"quiet": quiet} if quiet else {})), **keys)
    spaces, moves = at.ledger.spaces, at.ledger.moves
    old = spaces.register(Fingerprint.of(old_model()), SpaceState.ACTIVE, "ann")
    new = spaces.register(Fingerprint.of(new_model()), SpaceState.FILLING, "ann", COLUMN)
    move = moves.begin(old.id, new.id, COLUMN, "ann")
    for stage in FORWARD:
        moves.to(move.id, stage, "ann")
    return at


def looked(clinic: Clinic, alarm: str) -> None:
    """A look saw that."""
    seen = {"queries": 1500, "found": 0.5, "at_gate": 0.98, "embedded": 59, "agreed": 41}
    clinic.ledger.moves.note(clinic.ledger.moves.all()[-1].id, "cron", {**seen, "alarm": alarm})


@pytest.mark.lance
@pytest.mark.parametrize(("alarm", "lang"), sorted(WORDS_OF))
@pytest.mark.parametrize("shape", SHAPES)
def test_an_alarm_of_the_soak_is_told_in_its_own_words(
    clinic: Make, service: Callable[[str], Service], clock: FakeClock, shape: str, alarm: str, lang: str
) -> None:
    """Every service takes it: which alarm, since when, what was seen, how to go back; no text, no id of a row."""
    at, web = soaks(clinic, shape, report={"lang": lang}), service(shape)
    looked(at, alarm)
    found = told(at, web)
    [body] = web.taken
    said = json.dumps(body, ensure_ascii=False)

    assert Notified(alarms=1) == found
    assert WORDS_OF[alarm, lang] in said
    assert "mendory migrate rollback --as NAME" in said
    assert f"{clock.now:%Y-%m-%d}" in said
    assert [True, True] == [number in said for number in (("0.5", "41") if shape == "json" else ("50.0%", "41"))]
    assert [] == [text for text in (CANARY[:6], "h1", TOKEN) if text in said]


@pytest.mark.lance
def test_an_alarm_is_told_once_and_another_one_again(
    clinic: Make, service: Callable[[str], Service], clock: FakeClock
) -> None:
    """None before the first; the same at every look counts once, another, and the same after a good look, anew."""
    at, web = soaks(clinic, "json"), service("json")
    counts = []
    for alarm in ("", "found_less", "found_less", "vectors_differ", "vectors_differ", "", "vectors_differ"):
        clock.move(days=1)
        looked(at, alarm)
        counts.append([told(at, web).alarms for _ in range(2)])

    assert [[0, 0], [1, 0], [0, 0], [1, 0], [0, 0], [0, 0], [1, 0]] == counts
    assert ["found_less", "vectors_differ", "vectors_differ"] == [body["alarm"] for body in web.taken]
    assert len({body["since"] for body in web.taken}) == 3


@pytest.mark.lance
def test_an_alarm_that_nobody_took_is_told_at_the_next_run_and_one_taken_back_no_more(
    clinic: Make, service: Callable[[str], Service], clock: FakeClock
) -> None:
    """In the quiet hours too: recalls find less now. After the way back there is nothing to tell."""
    at, web = soaks(clinic, "slack", ["11:00", "13:00"]), service("slack")
    assert at.config.notify is not None
    assert quiet(at.config.notify, clock.now)
    looked(at, "found_less")
    web.instead = [(400, {}, b"invalid_payload")]
    assert (0, (("HTTP 400", 1),)) == ((refused := told(at, web)).alarms, refused.why)
    assert 1 == told(at, web).alarms

    looked(at, "vectors_differ")
    at.ledger.moves.to(at.ledger.moves.all()[-1].id, Stage.ROLLED_BACK, "ann")
    assert Notified() == told(at, web)
