"""Numbers as Chinese writes them.

Own code: the libraries for this take over 20 µs a number, read neither 百分之三十 nor 半, and are told that something
is a number by the caller, which is the harder half.
"""

from __future__ import annotations

from decimal import Decimal

_WRITTEN = ("零〇", "一壹幺", "二两贰", "三叁", "四肆", "五伍", "六陆", "七柒", "八捌", "九玖")
_DIGITS = {ch: n for n, chars in enumerate(_WRITTEN) for ch in chars}
_TENS = {"十": 10, "拾": 10, "廿": 20, "卅": 30, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_MYRIADS = {"万": 10**4, "亿": 10**8}

NUMERALS = "零〇一二两三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟廿卅"
"""The characters numbers are written with."""


def number(text: str) -> Decimal | None:
    """The number a numeral says, Arabic or Chinese; None where it says none.

    A last digit without its place takes the place below the one before it: 一万五 is 15,000, 三千二 3,200.
    Digits alone are read off: 二〇二四.

    >>> [int(number(n)) for n in ("三百二十", "两千", "一万五", "二〇二四", "1,200", "十", "一百零五", "3万")]
    [320, 2000, 15000, 2024, 1200, 10, 105, 30000]
    >>> number("三点五"), number("半"), number("百")
    (Decimal('3.5'), Decimal('0.5'), None)
    """
    if text == "半":
        return Decimal("0.5")
    whole, point, rest = text.partition("点")
    if point:
        return _decimals(whole, rest)
    if text[:1].isdigit():
        return _arabic(text)
    if all(ch in _DIGITS for ch in text):
        return Decimal("".join(str(_DIGITS[ch]) for ch in text)) if text else None
    return _placed(text)


def _decimals(whole: str, rest: str) -> Decimal | None:
    before = number(whole)
    if before is None or not rest or any(ch not in _DIGITS for ch in rest):
        return None
    return before + Decimal("0." + "".join(str(_DIGITS[ch]) for ch in rest))


def _arabic(text: str) -> Decimal | None:
    """Digits with separators, and with 百, 千, 万, 亿, k behind them."""
    digits = text.rstrip("百千万亿kKwW")
    value = Decimal(digits.replace(",", ""))
    for ch in text[len(digits) :]:
        value *= _TENS.get(ch) or _MYRIADS.get(ch) or {"k": 1000, "w": 10_000}[ch.lower()]
    return value


def _placed(text: str) -> Decimal | None:
    """A number whose digits carry their places: 三百二十, 一亿二千万, 廿三."""
    total = section = digit = place = 0
    zero = seen = False
    for ch in text.replace("廿", "二十").replace("卅", "三十"):
        if ch in _DIGITS:
            digit, zero, seen = _DIGITS[ch], zero or _DIGITS[ch] == 0, True
        elif ch in _TENS:
            if not digit and (_TENS[ch] > 10 or section % 10):
                return None
            section, digit, place, zero, seen = section + (digit or 1) * _TENS[ch], 0, _TENS[ch], False, True
        elif ch in _MYRIADS and (total or section or digit):
            whole = total + section + digit if ch == "亿" else section + digit
            total = whole * _MYRIADS[ch] if ch == "亿" else total + whole * _MYRIADS[ch]
            section, digit, place, zero = 0, 0, _MYRIADS[ch], False
        else:
            return None
    if digit and place >= 100 and not zero:
        digit *= place // 10
    return Decimal(total + section + digit) if seen else None
