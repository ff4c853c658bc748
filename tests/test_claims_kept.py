"""Claims that are kept: the same as extracted, extracted once, and for the rules as they are alone."""

from __future__ import annotations

import sqlite3
from decimal import Decimal
from pathlib import Path

import lancedb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mendory.claims import claims_in, extract
from mendory.claims.plain import dumps, loads
from mendory.claimskept import KeptClaims
from mendory.clinic import Clinic
from mendory.language.claim import Claim, ClaimKind, Tense, Value, ValueKind
from mendory.record import Memory
from tests.conftest import FakeClock, make_config, make_table, memory

TEXTS = (
    "I live in Oslo.",
    "I moved to Bergen.",
    "我住在杭州。",
    "我不喜欢香菜。",
    "The port is 8080.",
    "没有什么可说的",
)
WORDS = st.text(max_size=6)
VALUES = st.builds(
    Value, st.sampled_from(ValueKind), WORDS, st.none() | st.decimals(allow_nan=False), WORDS, st.tuples(WORDS)
)
CLAIMS = st.builds(
    Claim,
    st.sampled_from(ClaimKind),
    WORDS,
    WORDS,
    st.tuples(VALUES),
    st.booleans(),
    st.none() | st.integers(-1, 1),
    st.none() | st.integers(0, 4),
    st.frozensets(WORDS, max_size=2),
    WORDS,
    st.sampled_from(Tense),
    st.tuples(VALUES),
    st.booleans(),
    st.floats(0, 1),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(CLAIMS, max_size=3).map(tuple))
def test_claims_come_back_as_they_were_kept(claims: tuple[Claim, ...]) -> None:
    """Whatever a claim holds, JSON keeps it."""
    assert claims == loads(dumps(claims))


def test_a_number_keeps_its_digits() -> None:
    """1.50 is not 1.5 where somebody wrote it so."""
    claim = Claim(ClaimKind.FACT, "user", "height", (Value(ValueKind.NUMBER, "1.50", Decimal("1.50"), "m"),))

    assert ["1.50"] == [str(v.number) for one in loads(dumps((claim,))) for v in one.values]


@pytest.fixture
def clinic(tmp_path: Path, clock: FakeClock) -> Clinic:
    """A clinic on these texts, its side state brought up."""
    make_table(tmp_path, [memory(f"m{n}", content=text) for n, text in enumerate(TEXTS)])
    made = Clinic(make_config(tmp_path), clock)
    made.side_state.bring_up(made.reader)
    return made


@pytest.mark.lance
def test_nothing_is_extracted_twice(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check finds with what is kept what it finds with what it extracts."""
    expected = [f.as_json() for f in clinic.check().findings]
    monkeypatch.setattr(extract, "_known", {})
    asked: list[str] = []
    monkeypatch.setattr(extract, "extracted", lambda text: asked.append(text) or ())

    assert expected == [f.as_json() for f in clinic.check().findings]
    assert {("conflict", ("m0", "m1"))} == {(f["code"], f["ids"]) for f in _told(expected)}
    assert [] == asked


def _told(findings: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{**f, "ids": tuple(f["ids"])} for f in findings if f["code"] == "conflict"]  # type: ignore[arg-type]


@pytest.mark.lance
@pytest.mark.parametrize("key", ["8:other", ""])
def test_what_other_rules_found_is_not_used(clinic: Clinic, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of another key, as after a change of the rules, is as good as none."""
    path = clinic.config.root / ".mendory" / "side.db"
    monkeypatch.setattr(extract, "_known", {})
    monkeypatch.setattr(extract, "extracted", lambda _: ())

    assert () == KeptClaims(path, key)(Memory("m0", TEXTS[0], scope="u1"))
    assert () == KeptClaims(path.parent / "none.db", key)(Memory("m0", TEXTS[0], scope="u1"))


@pytest.mark.lance
def test_a_file_that_is_none_is_as_good_as_none(clinic: Clinic) -> None:
    """What can't be read is extracted."""
    path = clinic.config.root / ".mendory" / "broken.db"
    path.write_bytes(b"no such file" * 99)

    assert claims_in(TEXTS[0]) == KeptClaims(path, "x")(Memory("m0", TEXTS[0], scope="u1"))


@pytest.mark.lance
def test_what_no_row_says_any_more_is_not_kept(clinic: Clinic) -> None:
    """The claims of a text go with the last row that has it."""
    path = clinic.config.root / ".mendory" / "side.db"
    lancedb.connect(str(clinic.config.root)).open_table("memories").delete("id IN ('m0', 'm5')")
    clinic.reader.refresh()
    clinic.side_state.bring_up(clinic.reader)

    with sqlite3.connect(path) as conn:
        assert (len(TEXTS) - 2,) == conn.execute("SELECT count(*) FROM claimed").fetchone()
