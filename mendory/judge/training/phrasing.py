"""How a sentence is turned: said of another, with a value in it, denied."""

from __future__ import annotations

from typing import Final

_VERBS: Final = (
    ("I am not ", "{} is not "),
    ("I am ", "{} is "),
    ("I'm ", "{} is "),
    ("I have ", "{} has "),
    ("I was ", "{} was "),
    ("I don't ", "{} doesn't "),
    ("I do not ", "{} does not "),
    ("I can't ", "{} can't "),
    ("I can ", "{} can "),
    ("I used ", "{} used "),
    ("I once ", "{} once "),
    ("I would ", "{} would "),
    ("I lost ", "{} lost "),
    ("I just ", "{} just "),
    ("I moved ", "{} moved "),
    ("I lived ", "{} lived "),
    ("I visited ", "{} visited "),
    ("I really enjoy ", "{} really enjoys "),
    ("I dyed ", "{} dyed "),
    ("I study ", "{} studies "),
)


def third(said: str, who: str) -> str:
    """What is said of oneself, said of `who` instead."""
    for mine, theirs in _VERBS:
        if said.startswith(mine):
            return theirs.format(who) + said.removeprefix(mine).replace(" my ", " their ")
    if said.startswith("I "):
        verb, _, rest = said.removeprefix("I ").partition(" ")
        return f"{who} {verb}s {rest}".replace(" my ", " their ")
    if said.startswith("my "):
        return f"{who}'s {said.removeprefix('my ')}"
    return said.replace(" I am ", f" {who} is ").replace(" I ", f" {who} ")


def filled(way: str, value: str) -> str:
    """The way of saying it with the value in it."""
    said = way.replace("{v}", value).replace("{n}", value)
    if value[:1] in "aeiou" and value:
        said = said.replace(f" a {value}", f" an {value}")
    return said.replace(" one children", " one child").replace(" one kids", " one kid")


def negated(said: str) -> str:
    """That it is not so."""
    for verb, no in ((" am ", " am not "), (" is ", " is not "), (" are ", " are not "), (" have ", " do not have ")):
        if verb in said:
            return said.replace(verb, no, 1)
    return f"it is not true that {said}"
