"""The forms of a time: the unit of a number, the format of a text, and the form that writes what looks like it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

FORMATS: Final = (
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
    "%Y.%m.%d %H:%M:%S",
    "%Y.%m.%d",
    "%Y年%m月%d日 %H:%M:%S",
    "%Y年%m月%d日 %H:%M",
    "%Y年%m月%d日 %H时%M分%S秒",
    "%Y年%m月%d日%H时%M分%S秒",
    "%Y年%m月%d日",
    "%Y-%m-%d %H:%M:%S,%f",
    "%Y%m%d%H%M%S",
    "%a, %d %b %Y %H:%M:%S %z",
    "%a %b %d %H:%M:%S %Y",
    "%d %b %Y %H:%M:%S",
)
"""Formats whose reading is certain; day and month as bare numbers in doubtful order are none."""
_DOUBTFUL: Final = tuple(
    f"{day}{time}"
    for sep in "/.-"
    for day in (f"%d{sep}%m{sep}%Y", f"%m{sep}%d{sep}%Y", f"%d{sep}%m{sep}%y", f"%m{sep}%d{sep}%y")
    for time in ("", " %H:%M", " %H:%M:%S")
)
SECONDS: Final = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
"""Units of numbers → so many a second."""
FIRST: Final = datetime(1990, 1, 1, tzinfo=UTC)
LAST: Final = datetime(2100, 1, 1, tzinfo=UTC)
"""Times between these are plausible for a memory."""
_RECENT: Final = 5
_ISO: Final = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d|\d{8})"
    r"(?:(?P<gap>[T ])(?P<clock>\d\d:\d\d(?P<s>:\d\d)?|\d{4}(?P<ss>\d\d)?)"
    r"(?P<fraction>[.,]\d+)?(?P<offset>Z|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)


def unit(value: Any) -> str | None:
    """The unit in which a number is a time between 1990 and 2100; None when it is one in no unit.

    >>> unit(1740830400), unit(1740830400000.0), unit(0), unit(3)
    ('s', 'ms', None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return next((u for u, each in SECONDS.items() if FIRST.timestamp() <= value / each <= LAST.timestamp()), None)


def form(text: str) -> tuple[str, datetime | None]:
    """(the form a text is written in, its time), "" for none; the time of a number is left out."""
    if text.isdecimal():
        number = unit(int(text))
        if number:
            return number, None
    try:
        return "iso", datetime.fromisoformat(text)
    except ValueError:
        pass
    for known in FORMATS:
        try:
            return known, datetime.strptime(text, known)  # noqa: DTZ007 - whether there is a zone is asked next
        except ValueError:
            continue
    return "", None


def moment(value: Any) -> datetime | None:
    """The value as a time, one without zone read as if it were UTC; None when it is none."""
    if isinstance(value, datetime):
        return _as_utc(value)
    if isinstance(value, str):
        text = value.strip()
        known, at = form(text)
        return moment(int(text)) if known in SECONDS else at and _as_utc(at)
    found = unit(value)
    return None if found is None else datetime.fromtimestamp(value / SECONDS[found], UTC)


def _as_utc(at: datetime) -> datetime:
    try:
        return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    except OverflowError:  # within hours of the first or the last year
        return at.replace(tzinfo=UTC)


def concrete(text: str) -> str | None:
    """The format that writes texts such as this ISO one: its gap, precision and offset; None for another text.

    An offset stands in it as written. Fractions of six digits are written, those of any other length as zeros.

    >>> concrete("2025-03-01 20:00:00"), concrete("2025-03-01T12:00:00.000123+00:00")
    ('%Y-%m-%d %H:%M:%S', '%Y-%m-%dT%H:%M:%S.%f+00:00')
    >>> concrete("2025-03-01T12:00:00.123Z")
    '%Y-%m-%dT%H:%M:%S.000Z'
    """
    found = _ISO.fullmatch(text)
    if found is None:
        return None
    day = "%Y-%m-%d" if "-" in found["day"] else "%Y%m%d"
    if found["gap"] is None:
        return day
    colon = ":" if ":" in found["clock"] else ""
    clock = f"%H{colon}%M" + (f"{colon}%S" if found["s"] or found["ss"] else "")
    fraction = found["fraction"] or ""
    digits = len(fraction) - 1
    fraction = fraction[:1] + ("%f" if digits == 6 else "0" * digits)
    return f"{day}{found['gap']}{clock}{fraction}{found['offset'] or ''}"


def offset(known: str) -> timedelta | None:
    """The offset that stands as text in a format of `concrete`; None where there is none.

    >>> offset("%Y-%m-%dT%H:%M:%SZ"), offset("%Y-%m-%dT%H:%M:%S"), offset("%Y-%m-%d %H:%M+0530")
    (datetime.timedelta(0), None, datetime.timedelta(seconds=19800))
    """
    found = re.search(r"(?<=[MSf0])(?:Z|([+-])(\d\d):?(\d\d)?)$", known)
    if found is None:
        return None
    span = timedelta(hours=int(found[2] or 0), minutes=int(found[3] or 0))
    return -span if found[1] == "-" else span


def recent(values: Iterable[Any]) -> str:
    """The form in which the newest of the values are written, as concrete as they are; "" when none is a time."""
    dated = ((at, value) for value in values if (at := moment(value)) is not None)
    newest = sorted(dated, key=lambda each: each[0], reverse=True)[:_RECENT]
    forms = Counter(_exactly(value) for _, value in newest)
    return forms.most_common(1)[0][0] if forms else ""


def _exactly(value: Any) -> str:
    if not isinstance(value, str):
        return unit(value) or ""
    text = value.strip()
    known, _ = form(text)
    return (concrete(text) or known) if known == "iso" else known


def mixed(values: Iterable[Any], seen: Iterable[str]) -> tuple[str, ...]:
    """Every form that is needed to read the values: that of the newest first, it is what gets written."""
    first = recent(values)
    behind = ["iso"] if first and first not in {*FORMATS, *SECONDS} else []
    return tuple(dict.fromkeys(f for f in (first, *behind, *seen) if f))


def doubtful(texts: Sequence[str]) -> str | None:
    """A form with day and month as bare numbers that fits every text; None when there is none."""
    return next((known for known in _DOUBTFUL if texts and all(_fits(text, known) for text in texts)), None)


def _fits(text: str, known: str) -> bool:
    try:
        datetime.strptime(text, known)  # noqa: DTZ007 - only whether it can be read matters
    except ValueError:
        return False
    return True
