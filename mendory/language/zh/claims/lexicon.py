"""Words of claims by what they do, as `words.toml` here lists them."""

from __future__ import annotations

import tomllib
from importlib import resources

_LISTS: dict[str, str] = tomllib.loads(resources.files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


def words(name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(_LISTS[name].split())


def one_of(name: str) -> str:
    """The words of a list as alternatives of a pattern, the longest first."""
    return "|".join(sorted(_LISTS[name].split(), key=len, reverse=True))


def forms(name: str) -> dict[str, str]:
    """The words of a list of groups, each with the first of its line."""
    return {word: line.split()[0] for line in _LISTS[name].strip().splitlines() for word in line.split()}


def named(name: str) -> list[tuple[str, list[str]]]:
    """The lines of a list whose lines begin with a name: the name, and the members between commas."""
    lines = (line.partition(": ") for line in _LISTS[name].strip().splitlines())
    return [(key, [member.strip() for member in rest.split(",")]) for key, _, rest in lines]
