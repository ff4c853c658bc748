"""The README's first screen is a real session: every command in it is run and every line compared."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from demo import session
from mendory.cli import main

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.lance


def blocks(page: str) -> list[str]:
    """The console blocks of a page."""
    return re.findall(r"```console\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


def masked(text: str) -> str:
    """The text without what the clock decides."""
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "… UTC", text)


def played(script: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The script with the output its commands really give in a folder of their own."""
    session.build(folder)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("MENDORY_LANG", raising=False)
    lines = []
    for line in script.splitlines():
        if not line.startswith("$ "):
            continue
        lines.append(line)
        for command in line[2:].split(" && "):
            verb = shlex.split(command)
            if verb[0] == "export":
                monkeypatch.setenv(*verb[1].split("="))
                continue
            assert "mendory" == verb[0]
            lines += CliRunner().invoke(main, verb[1:]).output.splitlines()
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md"])
def test_the_session_on_the_first_screen_is_real(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Running the README's commands on the table of `demo.session` prints exactly what the README shows."""
    [script] = blocks(page)

    assert masked(script) == masked(played(script, tmp_path, monkeypatch))


def commands(page: str) -> list[str]:
    """The commands of a page's session."""
    [script] = blocks(page)
    return [line for line in script.splitlines() if line.startswith("$ mendory")]


def test_both_readmes_show_the_same_commands_and_pictures() -> None:
    """The Chinese README has the commands, links and picture of the English one, and speaks Chinese."""
    english, chinese = ((ROOT / p).read_text(encoding="utf-8") for p in ("README.md", "README.zh-CN.md"))

    assert commands("README.md") == commands("README.zh-CN.md")
    assert 5 <= len(commands("README.md"))
    assert "$ export MENDORY_LANG=zh" in blocks("README.zh-CN.md")[0]
    for found in re.findall(r"\]\((docs/[^)]+)\)", english):
        assert found in chinese
        assert (ROOT / found).exists()
