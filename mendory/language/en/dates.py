"""Days and times in English texts, each as "kind:value" (`Reading.dates`)."""

from __future__ import annotations

from mendory.language.en.lists import listed, ordered
from mendory.language.en.tokens import Token

_MONTHS = {
    form: n
    for n, forms in enumerate(
        ordered(
            "january,jan february,feb march,mar april,apr may june,jun july,jul august,aug september,sep,sept "
            "october,oct november,nov december,dec"
        ),
        start=1,
    )
    for form in forms.split(",")
}
_WEEKDAYS = {
    form: n
    for n, forms in enumerate(
        ordered(
            "monday,mondays,mon tuesday,tuesdays,tue,tues wednesday,wednesdays,wed thursday,thursdays,thu,thurs "
            "friday,fridays,fri saturday,saturdays,sat sunday,sundays,sun"
        ),
        start=1,
    )
    for form in forms.split(",")
}
_RELATIVE = {"today": 0, "tomorrow": 1, "yesterday": -1, "tonight": 0}
_PARTS = listed("morning afternoon evening night noon midnight mornings afternoons evenings nights")
_WHICH = {"next": 1, "last": -1, "this": 0, "coming": 1, "previous": -1, "past": -1}
_PERIODS = listed("week month year quarter weekend spring summer autumn fall winter semester")
_OFTEN = {
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "yearly": "year",
    "annually": "year",
    "hourly": "hour",
    "quarterly": "quarter",
}
_BEFORE_DAY = listed("on by until before after due")
_BEFORE_YEAR = listed("in since by until from of during before after year fiscal")


def dates(found: list[Token], used: set[int]) -> frozenset[str]:
    """The days and times of a text; marks the tokens they are made of."""
    read: set[str] = set()
    for at, token in enumerate(found):
        if at in used:
            continue
        if token.kind == "word":
            _word(found, at, used, read)
        elif token.kind == "day":
            _written_day(token.text, read)
            used.add(at)
        elif token.kind == "time":
            _clock(found, at, used, read)
        elif token.kind == "number":
            _number(found, at, used, read)
    return frozenset(read)


def _low(found: list[Token], at: int) -> str:
    return found[at].low if 0 <= at < len(found) else ""


def _word(found: list[Token], at: int, used: set[int], read: set[str]) -> None:
    token = found[at]
    low = token.low
    if low in _WEEKDAYS and (len(low) > 4 or token.text[0].isupper()):
        read.add(f"weekday:{_WEEKDAYS[low]}")
        used.add(at)
    elif low in _MONTHS and token.text[0].isupper() and _is_month(found, at):
        _month(found, at, used, read)
    elif low in _RELATIVE:
        read.add(f"relative:{_RELATIVE[low]}")
        used.add(at)
        if low == "tonight":
            read.add("part:night")
    elif low in _PARTS:
        read.add(f"part:{low.removesuffix('s')}")
        used.add(at)
    elif low in _PERIODS and _low(found, at - 1) in _WHICH:
        read.add(f"{low}:{_WHICH[_low(found, at - 1)]}")
        used.update((at - 1, at))
    elif low in _OFTEN:
        read.add(f"every:{_OFTEN[low]}")
    elif _low(found, at + 1) in ("day", "week", "month", "year", "hour", "quarter") and (
        low in ("every", "each", "per")
        or (low in ("a", "an") and (_low(found, at - 1) in ("once", "twice", "thrice", "times", "time")))
    ):
        read.add(f"every:{_low(found, at + 1)}")


def _is_month(found: list[Token], at: int) -> bool:
    """May and March, and short forms, are months only beside a number or behind a word that wants one."""
    low = found[at].low
    if len(low) > 3 and low not in ("march", "sept"):
        return True
    beside = [found[i] for i in (at - 1, at + 1) if 0 <= i < len(found)]
    after = found[at + 1 : at + 3]
    return any(token.kind == "number" for token in (*beside, *after)) or _low(found, at - 1) in (
        "in", "since", "until", "by", "last", "next", "of", "from", "early", "late", "mid", "every", "this", "to",
    )  # fmt: skip


def _month(found: list[Token], at: int, used: set[int], read: set[str]) -> None:
    read.add(f"month:{_MONTHS[found[at].low]}")
    used.add(at)
    after = at + 1
    if _low(found, after) == ".":
        after += 1
    before = at - 1
    if _low(found, before) == "of":
        before -= 1
    if _low(found, before) in ("th", "st", "nd", "rd"):
        before -= 1
    if _day(found, after, used, read):
        after += 2 if _low(found, after + 1) in ("th", "st", "nd", "rd") else 1
    elif before not in used:
        _day(found, before, used, read)
    if _low(found, after) == ",":
        after += 1
    _year(found, after, used, read)


def _day(found: list[Token], at: int, used: set[int], read: set[str]) -> bool:
    if not (
        0 <= at < len(found) and found[at].kind == "number" and found[at].text.isdigit() and len(found[at].text) <= 2
    ):
        return False
    day = int(found[at].text)
    if not 1 <= day <= 31:
        return False
    read.add(f"day:{day}")
    used.add(at)
    if _low(found, at + 1) in ("th", "st", "nd", "rd"):
        used.add(at + 1)
    return True


def _year(found: list[Token], at: int, used: set[int], read: set[str]) -> None:
    if at < len(found) and _is_year(found[at]):
        read.add(f"year:{found[at].text}")
        used.add(at)


def _is_year(token: Token) -> bool:
    return (
        token.kind == "number"
        and token.text.isdigit()
        and len(token.text) == 4
        and token.text[:2] in ("18", "19", "20")
    )


def _written_day(text: str, read: set[str]) -> None:
    """2024-10-15, 2024-10 and 10/15/2024; a day above 12 tells which of two numbers is the month."""
    parts = [int(part) for part in text.replace("/", "-").split("-")]
    if len(text.replace("/", "-").split("-")[0]) == 4:
        year, month, *rest = parts
    else:
        first, second, year = parts
        month, rest = (second, [first]) if first > 12 else (first, [second])
        year += 2000 if year < 100 else 0
    read.update((f"year:{year}", f"month:{month}", *(f"day:{day}" for day in rest)))


def _clock(found: list[Token], at: int, used: set[int], read: set[str]) -> None:
    hour, minute = (int(part) for part in found[at].text.split(":")[:2])
    used.add(at)
    hour = _half(found, at + 1, hour, used)
    read.add(f"time:{hour:02d}:{minute:02d}")


def _half(found: list[Token], at: int, hour: int, used: set[int]) -> int:
    """The hour of 24; marks "am", "p.m." and the like."""
    half = _low(found, at).replace(".", "")
    if half not in ("am", "pm"):
        return hour
    used.add(at)
    return hour % 12 + (12 if half == "pm" else 0)


def _number(found: list[Token], at: int, used: set[int], read: set[str]) -> None:
    token = found[at]
    following = _low(found, at + 1)
    if following.replace(".", "") in ("am", "pm") and token.text.isdigit() and int(token.text) <= 12:
        if following == "am" and found[at + 1].start != token.end and _low(found, at - 1) in ("i", "and"):
            return
        used.add(at)
        read.add(f"time:{_half(found, at + 1, int(token.text), used):02d}:00")
    elif following == "o'clock" and token.text.isdigit():
        used.update((at, at + 1))
        read.add(f"time:{int(token.text):02d}:00")
    elif _is_year(token) and (_low(found, at - 1) in _BEFORE_YEAR or _low(found, at - 1) == ","):
        _year(found, at, used, read)
    elif (
        following in ("th", "st", "nd", "rd")
        and _low(found, at - 1) == "the"
        and _low(found, at - 2) in ("on", "by", "until", "before", "after")
    ):
        _day(found, at, used, read)
