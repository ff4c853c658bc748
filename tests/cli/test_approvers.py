"""`mendory approvers`: enrolling shows a secret once, revoking ends it, the list never shows one."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pyotp
import pytest

from mendory.asking.codes import matching_step
from mendory.ledger import Ledger
from tests.cli.conftest import Run, configure


@pytest.fixture
def folder(tmp_path: Path, run: Run) -> Path:
    """A configuration, with somebody who may answer for level 2."""
    configure(tmp_path, '\n[approval]\napprovers = ["ann", "李伟"]\n')
    return tmp_path


def ledger(folder: Path) -> Ledger:
    """The ledger of that folder."""
    return Ledger.open(f"sqlite:///{folder / '.mendory' / 'ledger.db'}")


@pytest.mark.parametrize("name", ["eve", "王芳"])
def test_what_is_shown_once_makes_codes_that_count(folder: Path, run: Run, name: str) -> None:
    """The address and the groups of four hold the secret of the ledger; there is a picture; lists show none."""
    done = run("approvers", "--enroll", name, "--as", "boss")
    [line] = [t.strip() for t in done.output.splitlines() if t.strip().startswith("otpauth://")]
    read = pyotp.parse_uri(line)
    [held] = ledger(folder).approvers.all()
    now = datetime.now(UTC)

    assert 0 == done.exit_code
    assert (name, held.secret) == (read.name, read.secret)
    assert " ".join(held.secret[i : i + 4] for i in range(0, 32, 4)) in done.output
    assert any(c in done.output for c in "█▀▄")
    assert matching_step(held.secret, pyotp.TOTP(read.secret).at(now), now) is not None
    assert (name, "boss", None) == (held.name, held.by, held.revoked_at)
    for again in (run("approvers"), run("approvers", "--json"), run("approvers", "--lang", "zh")):
        assert held.secret[:4] not in again.output
        assert name in again.output
    assert 1 == ledger(folder).verify()


def test_json_has_the_promised_shape(folder: Path, run: Run) -> None:
    """Enrolling, revoking and listing print one object each."""
    enrolled = json.loads(run("approvers", "--enroll", "eve", "--as", "boss", "--json").output)
    revoked = json.loads(run("approvers", "--revoke", "eve", "--as", "chief", "--json").output)
    listed = json.loads(run("approvers", "--json").output)

    assert {"enrolled", "by", "uri", "secret"} == set(enrolled)
    assert {"revoked": "eve", "by": "chief"} == revoked
    assert ["ann", "李伟"] == listed["configured"]
    [one] = listed["enrolled"]
    assert {"name", "by", "since", "revoked_at", "revoked_by", "locked_until"} == set(one)
    assert ("eve", "boss", "chief", None) == (one["name"], one["by"], one["revoked_by"], one["locked_until"])


def test_a_live_name_is_not_enrolled_twice(folder: Path, run: Run) -> None:
    """The second enrolment is refused and the first secret stays; after a revocation the name is free again."""
    first = json.loads(run("approvers", "--enroll", "eve", "--as", "boss", "--json").output)

    refused = run("approvers", "--enroll", "eve", "--as", "mallory")
    [held] = ledger(folder).approvers.live().values()

    assert 1 == refused.exit_code
    assert "enrolled already" in refused.output
    assert "otpauth" not in refused.output
    assert first["secret"] == held.secret
    assert 0 == run("approvers", "--revoke", "eve", "--as", "boss").exit_code
    assert {} == ledger(folder).approvers.live()
    assert 0 == run("approvers", "--enroll", "eve", "--as", "boss").exit_code


@pytest.mark.parametrize(
    "words",
    [
        ("--enroll", "eve"),
        ("--enroll", "eve", "--as", " "),
        ("--enroll", " eve", "--as", "boss"),
        ("--enroll", "e\u202eve", "--as", "boss"),
        ("--enroll", "", "--as", "boss"),
        ("--enroll", "字" * 65, "--as", "boss"),
        ("--revoke", "eve"),
        ("--revoke", "nobody", "--as", "boss"),
        ("--enroll", "eve", "--revoke", "eve", "--as", "boss"),
    ],
)
def test_what_is_refused_leaves_no_ledger(folder: Path, run: Run, words: tuple[str, ...]) -> None:
    """Without a name that can be typed, or without saying who, nothing is recorded and no secret is shown."""
    done = run("approvers", *words)

    assert 1 == done.exit_code
    assert "Nothing was recorded." in done.output
    assert "otpauth" not in done.output
    assert not (folder / ".mendory" / "ledger.db").exists()


def test_a_name_is_composed_before_it_is_enrolled(folder: Path, run: Run) -> None:
    """A terminal that sends letters and accents apart enrols the name as pages send it."""
    run("approvers", "--enroll", "Jose\u0301", "--as", "boss", "--json")

    assert ["José"] == list(ledger(folder).approvers.live())


def test_a_missing_package_is_named_and_nothing_recorded(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without pyotp or segno the message says what to install, and nobody is enrolled."""
    for package in ("pyotp", "segno"):
        with monkeypatch.context() as without:
            without.setitem(sys.modules, package, None)
            done = run("approvers", "--enroll", "eve", "--as", "boss")
        assert 1 == done.exit_code
        assert "mendory[codes]" in done.output
        assert not (folder / ".mendory" / "ledger.db").exists()


def test_the_list_says_what_became_of_everybody(folder: Path, run: Run) -> None:
    """Enrolled, revoked by whom, and who may answer for level 2; in both languages."""
    empty = run("approvers")
    run("approvers", "--enroll", "eve", "--as", "boss")
    run("approvers", "--enroll", "王芳", "--as", "boss")
    run("approvers", "--revoke", "eve", "--as", "chief")

    english, chinese = run("approvers").output, run("approvers", "--lang", "zh").output

    assert "for level 2, by approval.approvers: ann, 李伟" in empty.output
    assert "revoked" in next(line for line in english.splitlines() if "eve" in line)
    assert "by chief" in english
    assert "enrolled" in next(line for line in english.splitlines() if "王芳" in line)
    assert "由 chief 撤销" in chinese
    assert "已登记" in chinese
