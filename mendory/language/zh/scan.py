"""What stands in a text in a form of its own: dates, numbers with units, versions, identifiers, Latin words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from mendory.language.reading import Quantity
from mendory.language.zh import dates
from mendory.language.zh.lexicon import SOUNDS, words
from mendory.language.zh.numerals import NUMERALS, number
from mendory.language.zh.sounds import DOTS, sounding
from mendory.language.zh.units import UNITS

_CHINESE = f"[{NUMERALS}]+"
_ARABIC = r"(?>\d+(?:,\d{3})*(?!\d)(?:\.\d+)?)"
_MANY = r"[百千万亿]*(?:[kKwW](?![A-Za-z]))?"
_TENTHS = f"{_CHINESE}(?:点[{NUMERALS}]+)?"
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
# a Latin unit ends where its letters end: 5m 5mm; "5 meters" is none of ours
_BOUND = r"(?![A-Za-z])"
_SOME = "[多余来几]"
_SPAN = "个小时|小时|天|日|晚|周|个星期|星期|个礼拜|礼拜|个月|月|年|个季度|季度"
_SECONDS = {"时": 3600, "天": 86400, "日": 86400, "晚": 86400, "周": 604800, "期": 604800, "拜": 604800}
_SECONDS |= {"月": 2592000, "度": 7776000, "年": 31536000}

_SOUNDS = "".join(SOUNDS)
_FIRST = (
    f"[A-Za-z0-9#¥$€£{NUMERALS}第半每初上下这本周星礼大今明昨后前去凌清早中傍晚夜深午春夏秋冬工节平国元端劳圣情除重双感"
    "儿母父妇教农阴]"
)
"""What a value can begin with: most places in a text are passed over by one look."""
_VALUES = "|".join(
    (
        r"(?P<link>https?://[^\s，。；、）)]+|(?<![A-Za-z0-9_.+-])[A-Za-z0-9_.+-]++@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
        r"|(?<![A-Za-z0-9.])\d{1,3}(?:\.\d{1,3}){3}(?![A-Za-z0-9.]))",
        r"(?P<mark>\#\s?\d+)",
        r"(?P<version>(?<![A-Za-z0-9])[vV]\d+(?:\.\d+)*(?:-\w+)?|(?<![\d.])\d+(?:\.\d+){2,}(?:-\w+)?"
        rf"|(?:(?<=版本)|(?<=版本[号是为到:]))\s?\d+(?:\.\d+)*|(?<=[A-Za-z]\s)\d+\.\d+(?![\d.]|\s?(?:{_UNIT})))",
        rf"(?P<tall>(?:\d|[一二两])米(?:\d{{1,2}}|[一二三四五六七八九]{{1,2}})(?![\d{NUMERALS}]))",
        *(f"(?P<{name}>{pattern})" for name, pattern in dates.PATTERNS.items()),
        rf"(?P<share>百分之(?:{_TENTHS}|{_ARABIC})|(?:{_CHINESE}|\d+)分之(?:{_CHINESE}|\d+))",
        rf"(?P<price>[¥$€£]\s?{_ARABIC}[万千亿kw]?)",
        rf"(?P<ordinal>第(?:{_CHINESE}|\d+))",
        rf"(?P<each>每(?:(?:{_CHINESE}|\d+|半))?\s?(?:{_SPAN})|一(?:{_SPAN})(?=[吃喝跑做打去用洗练游上要]?\s?[\d{NUMERALS}]))",
        rf"(?P<range>(?:{_ARABIC}|{_CHINESE})(?:[-~～—到至]|--)(?:{_ARABIC}|{_CHINESE}){_SOME}?(?:{_UNIT}){_BOUND})",
        r"(?P<half>半(?:个小时|小时|个钟头|个月|年|天|斤|公斤|公里|杯|瓶|碗|升|米|包|盒|勺))",
        rf"(?P<amount>{_ARABIC}{_MANY}{_SOME}?\s?(?:{_UNIT}){_BOUND}半?)",
        rf"(?P<plain>{_ARABIC}{_MANY}(?![A-Za-z]))",
        r"(?P<code>\d+[A-Za-z][A-Za-z0-9]*)",
        rf"(?P<counted>(?!(?<=[哪那某这有同另])一)(?<![张李王赵老]){_TENTHS}{_SOME}?(?:{_UNIT}){_BOUND}半?)",
        rf"(?P<operand>(?<=[乘除加减以于])[{NUMERALS}]+(?![{NUMERALS}])|[{NUMERALS}]+(?=[乘除加减]|等于))",
        rf"(?P<numeral>[一二两三四五六七八九十][{NUMERALS}]*[十百千万亿][{NUMERALS}]*|[十百千][{NUMERALS}]+|[{NUMERALS}]{{3,}}|[{NUMERALS}]+点[{NUMERALS}]+)",
        r"(?P<latin>[A-Za-z][A-Za-z0-9_+#]*(?:[-./'&][A-Za-z0-9]+)*)",
    )
)
_PATTERN = re.compile(f"(?={_FIRST})(?:{_VALUES})", re.IGNORECASE)
_FOREIGN = re.compile(f"[{_SOUNDS}]{{1,8}}(?:[{DOTS}](?:[{_SOUNDS}]{{1,8}}|[A-Z]))+")
_PARTS = re.compile(rf"(?P<value>{_ARABIC}{_MANY}|{_TENTHS})")
_NOT_COUNTED = re.compile(
    "十分(?!钟)|十字|一(?:度|路|道|口|回事|分|级|号|成|把|层|对一|代|生|期|线|段|片|步|字|面)|两口子|万一|一一"
)
_NAMING = ("link", "mark", "code", "latin", "foreign")
_PLAIN_WORDS = words("latin_function")


class Piece(NamedTuple):
    """A stretch of the text; of ordinary words, or of one value with the form it is compared in; is that a name?"""

    text: str
    fold: str | None = None
    named: bool = False


@dataclass(slots=True)
class Found:
    """What was found, and the text in pieces."""

    quantities: list[Quantity] = field(default_factory=list)
    dates: set[str] = field(default_factory=set)
    versions: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    pieces: list[Piece] = field(default_factory=list)


def scan(text: str) -> Found:
    """Everything of a form of its own in a simplified, half-width text.

    `pieces` are the text in order.
    """
    found = Found()
    at = 0
    foreign = _FOREIGN.finditer(text) if any(dot in text for dot in DOTS) else ()
    for match in sorted((*_PATTERN.finditer(text), *foreign), key=re.Match.start):
        if match.start() < at:
            continue
        folded = _take(found, match.lastgroup or "foreign", match)
        if folded is None:
            continue
        if match.start() > at:
            found.pieces.append(Piece(text[at : match.start()]))
        found.pieces.append(
            Piece(match.group(), folded, (match.lastgroup or "foreign") in _NAMING or folded in found.names)
        )
        at = match.end()
    if at < len(text):
        found.pieces.append(Piece(text[at:]))
    return found


def _take(found: Found, kind: str, match: re.Match[str]) -> str | None:
    """Note what the match says; how it is compared as a word, or None where it says nothing of the kind."""
    said = match.group()
    if kind in dates.PATTERNS:
        facets = dates.facets(kind, match)
        found.dates |= facets
        return " ".join(sorted(facets)) if facets else None
    if kind == "version":
        version = said.lstrip(" vV").lower()
        found.versions.add(version)
        return version
    if kind in _NAMING or (kind == "amount" and said[-1] in "GTMKB"):
        return _name(found, kind, said)
    quantities = list(_quantities(kind, said))
    found.quantities += [q for q in quantities if q is not ARTICLE]
    return " ".join(f"{q.value.normalize():f}{q.unit}" for q in quantities if q is not ARTICLE) if quantities else None


ARTICLE = Quantity(Decimal(1), "article")
"""一个 as Chinese says "a": counted things by one say nothing about how many."""


def _name(found: Found, kind: str, said: str) -> str:
    name = said.lower().replace(" ", "")
    if kind == "foreign":
        name = sounding(said)
    if kind == "latin" and (len(name) < 2 or name in _PLAIN_WORDS) and not (len(name) == 1 and said.isupper()):
        return name
    found.names.add(name)
    return name


def _quantities(kind: str, said: str) -> Iterator[Quantity]:
    if kind == "share":
        whole, _, part = said.partition("分之")
        value, of = number(part), Decimal(100) if whole == "百" else number(whole)
        if value is not None and of:
            yield Quantity(value * 100 / of, "%")
        return
    if kind == "price":
        value = number(said[1:].strip())
        if value is not None:
            yield Quantity(value, UNITS[said[0]][0])
        return
    if kind == "ordinal":
        value = number(said[1:])
        if value is not None:
            yield Quantity(value, "第")
        return
    if kind == "each":
        value = number(said[1:].rstrip("个小时天日晚周星期礼拜月年季度 ") or "1") if said[0] == "每" else Decimal(1)
        if value is not None:
            yield Quantity(value * _SECONDS[said[-1]], "per")
        return
    if kind == "tall":
        whole, _, rest = said.partition("米")
        yield Quantity(Decimal(f"{number(whole)}.{number(rest)}"), "m")
        return
    if kind == "half":
        yield _measured(Decimal("0.5"), said[1:])
        return
    if kind in ("plain", "numeral", "operand"):
        value = number(said)
        if value is not None:
            yield Quantity(value)
        return
    yield from _amounts(said)


def _amounts(said: str) -> Iterator[Quantity]:
    """Numbers with the unit behind the last: 三百二十公里, 3-5天, 两斤半, 三四天."""
    if _NOT_COUNTED.match(said):
        return
    said = said.replace("个百分点", "%")
    parts = list(_PARTS.finditer(said))
    values = [part.group("value") for part in parts]
    unit = said[parts[-1].end() :].strip().lstrip("多余来几")
    half = unit.endswith("半") and unit not in UNITS
    unit = (unit[:-1] if half else unit).lower()
    if len(values) == 1 and len(values[0]) == 2 and _next_to(values[0]):
        values = list(values[0])
    for written in values:
        value = number(written)
        if value is None:
            continue
        if value == 1 and not half and UNITS[unit][0] == "" and written == "一":
            yield ARTICLE
        else:
            yield _measured(value + (Decimal("0.5") if half else 0), unit)


def _next_to(written: str) -> bool:
    """Whether two digits stand for "three or four": 三四."""
    first, second = "一二三四五六七八九".find(written[0]), "一二三四五六七八九".find(written[1])
    return first >= 0 and second == first + 1


def _measured(value: Decimal, unit: str) -> Quantity:
    base, factor = UNITS[unit]
    return Quantity(value * factor, base)
