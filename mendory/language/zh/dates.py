"""Days, weekdays, months, years, times of day and relative days, as Chinese writes them.

Each is a facet "kind:value". Two texts differ in time where they name the same kind with other values; a kind that
only one names is more exact, not other.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from mendory.language.zh.numerals import number

_SMALL = r"(?:\d{1,2}|[一二两三四五六七八九十廿卅]{1,3})"
_NOT_DIGIT = r"(?<![\d.])"

PATTERNS = {
    "iso": _NOT_DIGIT + r"(?P<iso_y>\d{4})[-/.](?P<iso_m>\d{1,2})[-/.](?P<iso_d>\d{1,2})(?![\d.])",
    "century": r"(?P<century_n>\d{1,2}|[一二十]{1,3})世纪|(?P<decade_n>\d{2,4}|[一二三四五六七八九][十零〇0])年代",
    "year": _NOT_DIGIT + r"(?P<year_n>\d{4}|[一二][零〇一二三四五六七八九]{3})\s?年(?!级)",
    "month": r"(?P<month_n>" + _SMALL + r")\s?月(?![亮饼球薪经嫂])份?"
    r"(?:\s?(?P<month_d>"
    + _SMALL
    + r")\s?[日号]|(?P<month_e>初?[一二三四五六七八九十]{1,3})(?![个只天日周次杯块元点]))?",
    "day": r"(?P<day_n>"
    + _SMALL
    + r")\s?(?:日(?![元币本语文子常游])|号(?![楼线店门机院码房桌车球位文选]))|初(?P<lunar_n>[一二三四五六七八九十])",
    "week": r"(?P<week_which>上上|上|本|这|下下|下)?个?(?:(?<![一二三四五六七八九十两几\d])周|星期|礼拜)"
    r"(?P<week_n>[一二三四五六日天]|[1-7](?!\d))(?![次回趟遍年天])",
    "relative": "大后天|大前天|今天|今日|今晚|今早|明天|明日|明晚|明早|昨天|昨日|昨晚|后天|前天"
    "|今年|明年|去年|前年(?!度)|后年|上上?个?(?:周|星期|礼拜|月)|下下?个?(?:周|星期|礼拜|月)|[这本]个?(?:周|星期|礼拜|月)",
    "clock": r"(?P<clock_half>凌晨|清晨|早晨|早上|早|上午|中午|下午|傍晚|晚上|晚|夜里|半夜|深夜)?(?:"
    r"(?P<clock_h>\d{1,2}):(?P<clock_m>\d{2})(?![\d:])"
    r"|(?P<clock_hour>"
    + _SMALL
    + r")点(?:钟|整|(?P<clock_part>半|[一三13]刻)|(?P<clock_min>"
    + _SMALL
    + r"|零[一二三四五六七八九])分?)?)"
    r"(?![\d一二三四五六七八九十个多条项种公斤千米%])",
    "period": "凌晨|清晨|早晨|早上|上午|中午|下午|傍晚|晚上|夜里|半夜|深夜|午夜",
    "season": "周末|春天|春季|夏天|夏季|秋天|秋季|冬天|冬季|工作日|节假日|平日",
    "feast": "国庆|春节|元旦|中秋|端午|清明节|劳动节|圣诞|情人节|除夕|元宵|重阳|七夕|双十一|双11|感恩节|万圣节|儿童节"
    "|母亲节|父亲节|妇女节|教师节|农历|阴历",
}
"""What is looked for, by kind, in this order."""

_HALVES = {
    **dict.fromkeys(("凌晨", "清晨", "早晨", "早上", "早", "上午"), "am"),
    **dict.fromkeys(("中午", "下午", "傍晚", "晚上", "晚", "夜里", "半夜", "深夜", "午夜"), "pm"),
}
_PERIODS = {"清晨": "早上", "早晨": "早上", "半夜": "深夜", "午夜": "深夜", "夜里": "深夜", "早": "早上", "晚": "晚上"}
_DAYS = {"大前天": -3, "前天": -2, "昨": -1, "今": 0, "明": 1, "后天": 2, "大后天": 3}
_YEARS = {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
_WEEKDAYS = (
    {ch: str(n) for n, ch in enumerate("一二三四五六日", 1)} | {"天": "7"} | {str(n): str(n) for n in range(1, 8)}
)
_SEASONS = {
    "春": "spring",
    "夏": "summer",
    "秋": "autumn",
    "冬": "winter",
    "周": "weekend",
    "工": "workday",
    "平": "workday",
    "节": "holiday",
}


def facets(kind: str, match: re.Match[str]) -> frozenset[str]:
    """What a match of `PATTERNS[kind]` says; empty where it is no date after all (三点建议, 45月)."""
    return frozenset(_READERS[kind](match))


def _iso(match: re.Match[str]) -> list[str]:
    y, m, d = (int(match[f"iso_{part}"]) for part in "ymd")
    return [f"year:{y}", f"month:{m}", f"day:{d}"] if m in range(1, 13) and d in range(1, 32) else []


def _within(kind: str, written: str, least: int, most: int) -> list[str]:
    value = number(written)
    return [f"{kind}:{int(value)}"] if value is not None and least <= value <= most else []


def _month(match: re.Match[str]) -> list[str]:
    day = match["month_d"] or (match["month_e"] or "").lstrip("初")
    return [*_within("month", match["month_n"], 1, 12), *(_within("day", day, 1, 31) if day else [])]


def _day(match: re.Match[str]) -> list[str]:
    if match["lunar_n"]:
        return _within("day", match["lunar_n"], 1, 10)
    return [] if match["day_n"] == "一" and match.group().endswith("日") else _within("day", match["day_n"], 1, 31)


def _century(match: re.Match[str]) -> list[str]:
    if match["century_n"]:
        return _within("century", match["century_n"], 1, 30)
    written = match["decade_n"].replace("十", "0").replace("零", "0").replace("〇", "0")
    written = "".join(str("一二三四五六七八九".find(ch) + 1) if ch in "一二三四五六七八九" else ch for ch in written)
    return [f"decade:{int(written) % 100}"]


def _week(match: re.Match[str]) -> list[str]:
    which = match["week_which"]
    return [f"weekday:{_WEEKDAYS[match['week_n']]}", *([f"week:{_which(which)}"] if which else [])]


def _which(written: str) -> int:
    return {"上上": -2, "上": -1, "下": 1, "下下": 2}.get(written, 0)


def _relative(match: re.Match[str]) -> list[str]:
    said = match.group()
    if said in _YEARS:
        return [f"relative:{_YEARS[said]} year"]
    if said[0] in "上下这本":
        which = _which(said[:2] if said[1] in "上下" else said[0])
        return [f"relative:{which} {'month' if said.endswith('月') else 'week'}"]
    offset = _DAYS.get(said, _DAYS.get(said[0]))
    half = {"晚": ["half:pm"], "早": ["half:am"]}.get(said[-1], [])
    return [f"relative:{offset} day", *half]


def _clock(match: re.Match[str]) -> list[str]:
    half = match["clock_half"]
    written = match["clock_h"] or match["clock_hour"]
    value = number(written)
    exact = match["clock_part"] or match["clock_min"] or match.group().endswith(("钟", "整")) or match["clock_h"]
    if value is None or value > 24 or (written in ("一", "1") and not exact and not half):
        return []
    minute = int(match["clock_m"] or number(match["clock_min"] or "") or 0)
    part = match["clock_part"]
    if part:
        minute = 30 if part == "半" else 15 if part[0] in "一1" else 45
    hour = int(value)
    said = _HALVES.get(half or "", "pm" if hour > 12 else "")
    return [f"time:{hour % 12}:{minute:02}", *([f"half:{said}"] if said else [])]


def _period(match: re.Match[str]) -> list[str]:
    return [f"period:{_PERIODS.get(match.group(), match.group())}", f"half:{_HALVES[match.group()]}"]


_READERS: dict[str, Callable[[re.Match[str]], list[str]]] = {
    "iso": _iso,
    "century": _century,
    "year": lambda match: _within("year", match["year_n"], 1000, 2999),
    "month": _month,
    "day": _day,
    "week": _week,
    "relative": _relative,
    "clock": _clock,
    "period": _period,
    "season": lambda match: [f"season:{_SEASONS[match.group()[0]]}"],
    "feast": lambda match: ["calendar:lunar"] if match.group() in ("农历", "阴历") else [f"feast:{match.group()[:2]}"],
}
