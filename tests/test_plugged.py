"""Detectors and languages of others: found by entry point, used like ours, and named when they can't be."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from mendory import veto
from mendory.detect import Settings, examine, plugged
from mendory.errors import DependencyMissing
from mendory.language import choose, language_of, languages
from mendory.mapping import Mapping
from mendory.veto import Veto, vetoes
from tests.conftest import arrow, memory

ROOT = Path(__file__).resolve().parent.parent
_BLOCK = re.compile(r"```python\n# (\S+\.py)\n(.*?)```", re.DOTALL)


def examples() -> dict[str, str]:
    """File name → code of each whole example in CONTRIBUTING.md."""
    return dict(_BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8")))


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The examples of CONTRIBUTING.md are installed, with the entry points it names."""
    for name, code in examples().items():
        (tmp_path / name).write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    given = {
        choose.GROUP: [EntryPoint("ja", "japanese:language", choose.GROUP)],
        plugged.GROUP: [EntryPoint("shouting", "shouting:Shouting", plugged.GROUP)],
    }
    for module in (choose, plugged):
        monkeypatch.setattr(module, "entry_points", lambda group: given[group])
    _forget()
    yield
    for name in examples():
        sys.modules.pop(name.removesuffix(".py"), None)
    _forget()


def _forget() -> None:
    choose._others.cache_clear()
    veto._read.cache_clear()
    plugged.factories.cache_clear()


def found(*contents: str) -> list[tuple[str, tuple[str, ...], str]]:
    """(code, ids, detector) of what is found among these texts."""
    rows = [memory(f"m{n}", content=text) for n, text in enumerate(contents)]
    held = Mapping.identity().memories(arrow(rows))
    return [(f.code.value, f.ids, f.detector) for f in examine(held, lambda ids: {}, Settings()).findings]


@pytest.mark.usefixtures("installed")
def test_the_language_of_the_walkthrough_reads() -> None:
    """Japanese as in CONTRIBUTING.md: chosen by its script, it tells a denial and another number apart."""
    language = language_of("コーヒーが好きです")

    assert language is not None
    assert "ja" == language.code
    assert ("en", "ja", "zh") == languages()
    assert () == vetoes("コーヒーが好きです", "コーヒーが好きです。")
    assert (Veto.POLARITY,) == vetoes("コーヒーが好きです", "コーヒーが好きではありません")
    assert (Veto.NUMBER,) == vetoes("毎日コーヒーを2杯飲みます", "毎日コーヒーを3杯飲みます")
    assert (Veto.LANGUAGE,) == vetoes("コーヒーが好きです", "用户喜欢喝咖啡")


@pytest.mark.usefixtures("installed")
def test_the_detector_of_the_walkthrough_finds() -> None:
    """The detector of CONTRIBUTING.md flags what it says, and neither its hard negatives nor Chinese."""
    assert [("plugged_in", ("m0",), "shouting/1")] == found("I SAID NO CORIANDER", "NASA", "我说了不要香菜")


def test_without_them_nobody_reads_japanese() -> None:
    """No pack, no language: no veto can be lifted, and so nothing is merged."""
    assert language_of("コーヒーが好きです") is None
    assert (Veto.LANGUAGE,) == vetoes("コーヒーが好きです", "コーヒーが好きです。")


@pytest.mark.parametrize(
    ("value", "missing"), [("nowhere_at_all:x", "ModuleNotFoundError"), ("json:nothing", "AttributeError")]
)
def test_a_detector_that_can_not_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch, value: str, missing: str) -> None:
    """The check does not go on without it in silence."""
    monkeypatch.setattr(plugged, "entry_points", lambda group: [EntryPoint("lost", value, group)])
    _forget()
    with pytest.raises(DependencyMissing, match=f"'lost' .*{missing}"):
        found("x")
    _forget()


def test_a_detector_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it lacks is said."""
    monkeypatch.setattr(plugged, "entry_points", lambda group: [EntryPoint("odd", "builtins:repr", group)])
    _forget()
    with pytest.raises(DependencyMissing, match=r"'odd' .* lacks codes, observe, findings, stands_down"):
        found("x")
    _forget()
