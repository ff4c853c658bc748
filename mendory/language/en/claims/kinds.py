"""Kinds of things by name: what is a meat, a pet, an editor."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from mendory.language.en.claims.values import folds


def _lines(name: str) -> list[tuple[str, list[str]]]:
    text = files("mendory.language.en.claims").joinpath(name).read_text(encoding="utf-8")
    parts = (line.partition(" | ") for line in text.splitlines() if line and not line.startswith("#"))
    return [(kind, [name.strip() for name in names.split(",")]) for kind, _, names in parts]


@cache
def _kinds() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for kind, names in _lines("kinds.txt"):
        for name in names:
            found.setdefault(" ".join(folds(name)), set()).add(" ".join(folds(kind)))
    return {name: frozenset(above) for name, above in found.items()}


@cache
def _tools() -> dict[str, str]:
    return {name: kind for kind, names in _lines("tools.txt") for name in names}


def kinds(thing: str) -> frozenset[str]:
    """Every kind of which a thing is one, both folded; a kind of a kind too."""
    found: set[str] = set()
    open_ends = [thing]
    while open_ends:
        for kind in _kinds().get(open_ends.pop(), ()):
            if kind not in found:
                found.add(kind)
                open_ends.append(kind)
    return frozenset(found)


def tool(name: str) -> tuple[str, str] | None:
    """The tool that words in small letters begin with, and the job it does; None where no tool is named."""
    words = name.split()
    for size in (3, 2, 1):
        said = " ".join(words[:size])
        for form in (said, said.removesuffix("s")):
            if len(words) >= size and form in _tools():
                return form, _tools()[form]
    return None
