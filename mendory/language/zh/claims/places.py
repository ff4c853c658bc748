"""Places by name, each with what it lies in: 成都 lies in 四川, that in 中国.

Own table (`places.txt`): the packages for it bring pandas or data of megabytes, and none knows places abroad.
"""

from __future__ import annotations

from importlib import resources
from typing import Final, NamedTuple

from mendory.language.claim import Value, ValueKind
from mendory.language.zh.claims.lexicon import words

_ENDINGS = ("特别行政区", "自治区", "自治州", "地区", "省", "市", "县", "区", "州", "盟", "旗")
ABROAD: Final = "海外"
"""What every place outside China lies in."""
_WHOLE = words("no_place")
"""Longer words that begin with a place and are none: 三明治, 大理石."""
_JOINING = " ·・-—/,，、省市的"


class Mention(NamedTuple):
    """A place in a text: where it stands, and what it is."""

    start: int
    end: int
    value: Value


def _table() -> dict[str, tuple[tuple[str, ...], ...]]:
    """Each name with what it may be: itself in its one form, then what it lies in, narrow to wide."""
    found: dict[str, dict[tuple[str, ...], None]] = {}
    text = resources.files(__package__).joinpath("places.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        head, colon, members = line.partition(":")
        if not colon or line.startswith("#"):
            continue
        chain: tuple[str, ...] = ()
        for entry in head.split():
            chain = _enter(found, entry, chain)
        for entry in members.split():
            _enter(found, entry, chain)
    return {name: tuple(chains) for name, chains in found.items()}


def _enter(found: dict[str, dict[tuple[str, ...], None]], entry: str, within: tuple[str, ...]) -> tuple[str, ...]:
    names = entry.split("=")
    chain = (names[0], *within)
    for name in names:
        found.setdefault(name, {})[chain] = None
    return chain


def _short(table: dict[str, tuple[tuple[str, ...], ...]]) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Names without the ending they stand with, which are understood behind what they lie in: 广东 和平."""
    return {
        name[:-1]: chains
        for name, chains in table.items()
        if name[-1] in "市县区旗" and len(name) > 2 and name[:-1] not in table
    }


_PLACES = _table()
_SHORT = _short(_PLACES)
_FIRST = frozenset(name[0] for name in _PLACES)  # of _SHORT too
_LONGEST = max(map(len, _PLACES))
_NOT_FIRST = frozenset(word[0] for word in _WHOLE)


def places(text: str) -> list[Mention]:
    """The places a simplified text names, in order; those that stand side by side, each in the other, as one.

    四川 成都 is 成都, and 鼓楼区 alone, of which there are several, is none.
    """
    found: list[Mention] = []
    at = 0
    while at < len(text):
        if text[at] not in _FIRST or _whole(text, at):
            at += _whole(text, at) or 1
            continue
        before = found[-1] if found and not text[found[-1].end : at].strip(_JOINING) else None
        name = _name(text, at, before)
        if not name:
            at += 1
            continue
        end = at + len(name)
        ending = next((e for e in _ENDINGS if text.startswith(e, end) and not text.startswith("区别", end)), "")
        end += 0 if name.endswith(ending[-1:] or "~") else len(ending)
        _add(found, at, end, _PLACES.get(name) or _SHORT[name], before)
        at = end
    return found


def _name(text: str, at: int, before: Mention | None) -> str:
    """The longest name that begins here; "" where none does."""
    for length in range(_LONGEST, 1, -1):
        name = text[at : at + length]
        if name in _PLACES:
            return name
        if before and any(before.value.text in chain for chain in _SHORT.get(name, ())):
            return name
    return ""


def _whole(text: str, at: int) -> int:
    """How long the word is that begins here and only looks like a place; 0 where none does."""
    if text[at] not in _NOT_FIRST:
        return 0
    return max((len(word) for word in _WHOLE if text.startswith(word, at)), default=0)


def _add(
    found: list[Mention], start: int, end: int, chains: tuple[tuple[str, ...], ...], before: Mention | None
) -> None:
    if before:
        inner = [chain for chain in chains if before.value.text in chain[1:]]
        if inner:
            found[-1] = Mention(before.start, end, _value(inner[0]))
            return
    if len(chains) == 1:
        found.append(Mention(start, end, _value(chains[0])))


def _value(chain: tuple[str, ...]) -> Value:
    return Value(ValueKind.PLACE, chain[0], within=chain[1:])
