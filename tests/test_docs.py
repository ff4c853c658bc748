"""Documentation is enumerated: every verb, code, step, rule, key and error is in it; the catalogue is the code's."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from pydantic import BaseModel

from mendory import errors
from mendory.catalogue import REMEDIES, RULES, StepKind
from mendory.cli import main
from mendory.config import Config
from mendory.finding import KNOWN, Code

DOCS = Path(__file__).resolve().parent.parent / "docs"


def text(name: str) -> str:
    """A page of the docs."""
    return (DOCS / name).read_text(encoding="utf-8")


def test_the_catalogue_in_the_docs_is_the_catalogue_in_the_code() -> None:
    """The table of docs/catalogue.md lists every code with what the code says of it."""
    lines = [line for line in text("catalogue.md").splitlines() if line.startswith("| `")]
    documented = {}
    for line in lines:
        cells = [c.strip().strip("`") for c in line.strip("|").split("|")]
        documented[cells[0]] = cells[1:7]
    expected = {}
    for code in Code:
        remedy, (ring, severity) = REMEDIES[code], KNOWN[code]
        step, level = (remedy.step.value, str(int(remedy.level or 0))) if remedy.step else ("-", "-")
        expected[code.value] = [ring.value, severity.value, step, level, remedy.rule or "-", remedy.otherwise.value]

    assert expected == documented


@pytest.mark.parametrize("step", [s.value for s in StepKind])
def test_every_step_is_explained(step: str) -> None:
    """Each kind of step has a line of its own under Steps."""
    assert f"- `{step}`" in text("catalogue.md")


def verbs() -> dict[str, click.Command]:
    """Every verb as it is typed; those of a group with the group's name."""
    found = dict(main.commands)
    for name, command in main.commands.items():
        if isinstance(command, click.Group):
            found |= {f"{name} {verb}": one for verb, one in command.commands.items()}
    return found


@pytest.mark.parametrize("verb", sorted(verbs()))
def test_every_verb_and_option_is_documented(verb: str) -> None:
    """Each verb is in docs/commands.md, has help, and each of its options has help or is self-explaining there."""
    page, command = text("commands.md"), verbs()[verb]

    assert f"`mendory {verb}" in page
    assert command.help
    options = [o for o in command.params if isinstance(o, click.Option)]
    assert [] == [o.name for o in options if not o.help and o.opts[0] not in page]


def config_keys() -> list[str]:
    """Every key of the configuration, dotted."""
    keys = []
    for name, field in Config.model_fields.items():
        if name == "root":
            continue
        section = next(
            t
            for t in (field.annotation, *getattr(field.annotation, "__args__", ()))
            if isinstance(t, type) and issubclass(t, BaseModel)
        )
        keys += [f"{name}.{key}" for key in section.model_fields]
    return keys


@pytest.mark.parametrize("key", config_keys())
def test_every_configuration_key_is_documented(key: str) -> None:
    """Each key has a row in docs/configuration.md."""
    assert f"| `{key}` |" in text("configuration.md")


def test_no_key_is_documented_that_does_not_exist() -> None:
    """Every row of docs/configuration.md names a key there is."""
    documented = re.findall(r"^\| `([a-z_.]+)` \|", text("configuration.md"), re.MULTILINE)

    assert sorted(config_keys()) == sorted(documented)


def family() -> list[type[errors.MendoryError]]:
    """Every error of the family."""
    return [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, errors.MendoryError)][1:]


def test_every_error_is_documented_under_a_name_of_its_own() -> None:
    """Each error's stable name is unique and has a row in docs/commands.md."""
    names = [e.name for e in family()]

    assert sorted(set(names)) == sorted(names)
    assert [] == [n for n in names if f"| `{n}` |" not in text("commands.md")]


def test_every_rule_is_documented() -> None:
    """Each rule that may be confirmed is named beside rules.confirmed."""
    [row] = [line for line in text("configuration.md").splitlines() if line.startswith("| `rules.confirmed`")]

    assert [] == [r for r in RULES if f"`{r}`" not in row]


def test_every_detector_says_what_it_flags_and_what_not_and_its_cost() -> None:
    """The docstring of each detector has the three lines a user needs."""
    from mendory.detect import Settings, detectors

    for detector in detectors(Settings()):
        doc = re.sub(r"\s+", " ", type(detector).__doc__ or "")
        assert all(f"{word}" in doc for word in ("Flags:", "Does not flag:", "Cost:")), type(detector).__name__
