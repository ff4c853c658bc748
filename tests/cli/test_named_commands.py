"""Every command that a message tells a person to type is one that Mendory has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import mendory.cli as cli
from mendory.cli.shared import main

ROOT = Path(__file__).parents[2]
NAMED = re.compile(
    r"mendory ((?:[a-z]+ ?)+)((?:(?:\{\}|[A-Z]+|[\w./-]+) )*(?:--[a-z-]+(?: (?:\{\}|[A-Z]+|[\d.]+))? ?)+)"
)
OPTION = re.compile(r"--[a-z-]+")


def texts(node: ast.AST) -> Iterator[str]:
    """The string constants below a node; of an f-string whole, with {} for what is filled in."""
    for one in ast.walk(node):
        if isinstance(one, ast.JoinedStr):
            yield "".join(str(v.value) if isinstance(v, ast.Constant) else "{}" for v in one.values)
        elif isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value


def named() -> list[tuple[str, str, str]]:
    """(file, verbs, options) of every command with options in a string of the program."""
    return [
        (str(file.relative_to(ROOT)), found[1].strip(), found[2])
        for file in sorted((ROOT / "mendory").rglob("*.py"))
        for text in set(texts(ast.parse(file.read_text(encoding="utf-8"))))
        for found in NAMED.finditer(text)
    ]


def options_of(verbs: list[str]) -> set[str] | None:
    """The options of that command; None where there is none of that name."""
    command: click.Command = main
    for verb in verbs:
        if not isinstance(command, click.Group):
            break  # an argument
        if verb not in command.commands:
            return None
        command = command.commands[verb]
    return {name for one in command.params for name in (*one.opts, *one.secondary_opts)}


def wrong(found: list[tuple[str, str, str]]) -> list[tuple[str, str, list[str]]]:
    """The commands that Mendory does not have, each with the options that it lacks; all of a verb that is none."""
    told = []
    for file, verbs, options in found:
        lacks = set(OPTION.findall(options)) - (had if (had := options_of(verbs.split())) else set())
        if lacks:
            told.append((file, verbs, sorted(lacks)))
    return told


def test_every_named_command_has_its_options() -> None:
    """Verbs and options as the command line knows them, in every message with a command."""
    assert cli
    found = named()

    assert [] == wrong(found)
    assert len(found) > 40


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Run: mendory migrate gate --as NAME.", [("x", "migrate gate", ["--as"])]),
        ("先运行 mendory calibrate --lang {} --loudly", [("x", "calibrate", ["--loudly"])]),
        ("mendory migrates start --as NAME", [("x", "migrates start", ["--as"])]),
        ("mendory migrate purge {} --as NAME", []),
    ],
    ids=["option of another verb", "no option", "no verb", "right"],
)
def test_a_wrong_command_is_seen(text: str, told: list[tuple[str, str, list[str]]]) -> None:
    """An option that the verb lacks and a verb that is none, in either language; an argument before it is neither."""
    found = [("x", one[1].strip(), one[2]) for one in NAMED.finditer(text)]

    assert len(found) == 1
    assert told == wrong(found)
