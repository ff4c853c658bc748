"""Numbers in English texts, in digits and in words, with their units in one form."""

from __future__ import annotations

from decimal import Decimal

from mendory.language.en.lists import listed, ordered
from mendory.language.en.tokens import Token
from mendory.language.reading import Quantity

_ONES = {
    word: n
    for n, word in enumerate(
        ordered(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        )
    )
}
_TENS = {
    word: 10 * n for n, word in enumerate(ordered("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SHORT = {"k": 1000, "bn": 10**9, "mn": 10**6, "mm": 10**6, "m": 10**6, "b": 10**9}
_ORDINAL = {
    word: n
    for n, word in enumerate(ordered("first second third fourth fifth sixth seventh eighth ninth tenth"), start=1)
}
_CURRENCY = "AUCNZHK$€£¥"
_SECOND_AFTER = listed("the my his her our their your 's")
"""Behind these "second" is the next after the first, and no time."""
_NOT_ONE_AFTER = listed("no this that which any every the each some another")

# Unit: (its one form, what it is multiplied by). Only what never changes is turned into another: no money, no months
# in days.
_EXACT = {
    "MW": ("W", "1000000"),
    "mW": ("W", "0.001"),
    "Mb": ("bit", "1000000"),
    "kb": ("bit", "1000"),
    "Gb": ("bit", "1000000000"),
}
_UNITS = {
    form: (unit, Decimal(factor))
    for unit, factor, forms in (
        ("m", "1000", "km kms kilometer kilometers kilometre kilometres"),
        ("m", "1", "m meter meters metre metres"),
        ("m", "0.01", "cm centimeter centimeters centimetre centimetres"),
        ("m", "0.001", "mm millimeter millimeters millimetre millimetres"),
        ("m", "1609.344", "mile miles mi"),
        ("m", "0.3048", "ft foot feet"),
        ("m", "0.0254", "inch inches"),
        ("m", "0.9144", "yard yards"),
        ("ha", "1", "hectare hectares"),
        ("acre", "1", "acre acres"),
        ("s", "0.001", "ms millisecond milliseconds"),
        ("s", "1", "s sec secs second seconds"),
        ("s", "60", "min mins minute minutes"),
        ("s", "3600", "h hr hrs hour hours"),
        ("s", "86400", "day days"),
        ("s", "604800", "week weeks"),
        ("month", "1", "month months"),
        ("month", "12", "year years yr yrs"),
        ("g", "1000", "kg kgs kilo kilos kilogram kilograms"),
        ("g", "1", "g gram grams"),
        ("g", "0.001", "mg milligram milligrams"),
        ("g", "453.59237", "lb lbs pound pounds"),
        ("g", "28.349523125", "oz ounce ounces"),
        ("g", "1000000", "ton tons tonne tonnes"),
        ("l", "1", "l liter liters litre litres"),
        ("l", "0.001", "ml milliliter milliliters millilitre millilitres"),
        ("gallon", "1", "gallon gallons"),
        ("cup", "1", "cup cups"),
        ("byte", "1000", "kb kilobyte kilobytes"),
        ("byte", "1000000", "mb megabyte megabytes"),
        ("byte", "1000000000", "gb gigabyte gigabytes"),
        ("byte", "1000000000000", "tb terabyte terabytes"),
        ("%", "1", "% percent pct percentage percents"),
        ("Hz", "1000000000", "ghz"),
        ("Hz", "1000000", "mhz"),
        ("USD", "1", "$ usd dollar dollars bucks"),
        ("USD", "0.01", "cent cents"),
        ("EUR", "1", "€ eur euro euros"),
        ("GBP", "1", "£ gbp"),
        ("CNY", "1", "¥ cny rmb yuan"),
        ("JPY", "1", "jpy yen"),
        ("degree", "1", "° degree degrees"),
        ("°C", "1", "celsius"),
        ("°F", "1", "fahrenheit"),
        ("m/s", "0.44704", "mph"),
        ("m/s", "0.277777778", "kmh kph"),
        ("W", "1000", "kw"),
        ("W", "1", "w watt watts"),
        ("time", "1", "times"),
        ("th", "1", "st nd rd th"),
    )
    for form in forms.split()
}


def amounts(found: list[Token], used: set[int]) -> tuple[Quantity, ...]:
    """The quantities of a text in order; marks the tokens they are made of, and skips those already marked."""
    read: list[Quantity] = []
    at = 0
    while at < len(found):
        token = found[at]
        if at in used or token.kind not in ("number", "word"):
            at += 1
            continue
        value, after, sign = _digits(found, at) if token.kind == "number" else _spelt(found, at)
        if value is None:
            at += 1
            continue
        unit, factor, end = _unit(found, after, sign, used)
        read.append(Quantity((value * factor).normalize(), unit))
        used.update(range(at, end))
        at = end
    return tuple(read)


def _digits(found: list[Token], at: int) -> tuple[Decimal | None, int, str]:
    text = found[at].text.replace(",", "").replace("US", "")
    number = text.lstrip(_CURRENCY)
    sign = text[: len(text) - len(number)]
    value = Decimal(number)
    after = at + 1
    if after < len(found):
        following = found[after]
        glued = following.start == found[at].end
        if glued and following.low in _SHORT and (following.low in ("k", "bn", "mn") or sign or following.text == "M"):
            return value * _SHORT[following.low], after + 1, sign
        if following.text == "-" and after + 1 < len(found):
            more = found[after + 1]
            if more.low in _SCALES or (sign and more.text == "M"):
                after, following = after + 1, more
        scale = following.low if following.low in _SCALES else following.low.removesuffix("s")
        if scale in _SCALES:
            return value * _SCALES[scale], after + 1, sign
        if (sign and following.low in ("bn", "m", "b")) or following.low in ("bn", "mn"):
            return value * _SHORT[following.low], after + 1, sign
    return value, after, sign


def _spelt(found: list[Token], at: int) -> tuple[Decimal | None, int, str]:
    low = found[at].low
    previous = found[at - 1].low if at else ""
    following = found[at + 1].low if at + 1 < len(found) else ""
    if low in ("a", "an") and following in ("dozen", "hundred", "thousand", "million", "billion"):
        return Decimal(12 if following == "dozen" else _SCALES[following]), at + 2, ""
    if low == "half" and following == "past" and at + 2 < len(found) and found[at + 2].low in _ONES:
        return _ONES[found[at + 2].low] + Decimal("0.5"), at + 3, ""
    if low == "half" and following != "of" and previous not in ("a", "and"):
        return (Decimal("0.5"), at + (2 if following in ("a", "an") else 1), "")
    if low == "dozen":
        return Decimal(12), at + 1, ""
    if low in ("twice", "once") and following != "in" and previous != "at":
        return Decimal(2 if low == "twice" else 1), at + 1, "time"
    if low in _ORDINAL and (low != "second" or previous in _SECOND_AFTER):
        return Decimal(_ORDINAL[low]), at + 1, "th"
    if low not in _ONES and low not in _TENS:
        return None, at, ""
    if low == "one" and (previous in _NOT_ONE_AFTER or following in ("of", "another", "day", "who", "that")):
        return None, at, ""
    return _spelt_out(found, at)


def _spelt_out(found: list[Token], at: int) -> tuple[Decimal, int, str]:
    total = part = 0
    end = at
    while end < len(found):
        low = found[end].low
        if low in _ONES and part % 10 == 0 and (part % 100 == 0 or _ONES[low] < 10):
            part += _ONES[low]
        elif low in _TENS and part % 100 == 0:
            part += _TENS[low]
        elif low == "hundred" and part:
            part *= 100
        elif low in _SCALES and part:
            total, part = total + part * _SCALES[low], 0
        elif low == "dozen" and part:
            return Decimal(part * 12), end + 1, ""
        elif not (end > at and end + 1 < len(found) and _continues(low, found[end + 1].low, total, part)):
            break
        end += 1
    return Decimal(total + part), end, ""


def _continues(low: str, following: str, total: int, part: int) -> bool:
    """Whether a number goes on behind "and" or a hyphen: one hundred and five, twenty-five; not "two and three"."""
    if following not in _ONES and following not in _TENS:
        return False
    if low == "and":
        return (part >= 100 and part % 100 == 0) or (total > 0 and part == 0)
    return low == "-" and 20 <= part % 100 and part % 10 == 0


def _unit(found: list[Token], after: int, sign: str, used: set[int]) -> tuple[str, Decimal, int]:
    """The unit of a number, what it is multiplied by, and where the quantity ends."""
    one = Decimal(1)
    if sign:
        if sign in _UNITS:
            unit, factor = _UNITS[sign]
            return unit, factor, after
        return sign, one, after
    place = after + 1 if after + 1 < len(found) and found[after].text == "-" else after
    if place < len(found) and place not in used:
        token = found[place]
        if token.low == "per" and place + 1 < len(found) and found[place + 1].low == "cent":
            return "%", one, place + 2
        if token.text in _EXACT:
            unit, text = _EXACT[token.text]
            return unit, Decimal(text), place + 1
        glued = token.start == found[after - 1].end
        if glued and token.low == "s" and not _seconds(found, after - 1):
            return "", one, place + 1
        if token.low in _UNITS and (len(token.low) > 1 or glued or not token.low.isalpha() or token.text in ("m", "g")):
            unit, factor = _UNITS[token.low]
            if unit == "degree" and place + 1 < len(found):
                more = {"c": "°C", "celsius": "°C", "f": "°F", "fahrenheit": "°F"}.get(found[place + 1].low)
                if more:
                    return more, one, place + 2
            if unit == "month" and factor == 12 and place + 1 < len(found) and found[place + 1].low == "old":
                return unit, factor, place + 1
            return unit, factor, place + 1
    return "", one, after


def _seconds(found: list[Token], at: int) -> bool:
    """Whether a number with an s is seconds: 30s; not the 1990s, her 30s, three 737s."""
    before = found[at - 1].low if at else ""
    return len(found[at].text) < 3 and before not in ("the", "his", "her", "their", "my", "mid", "early", "late", "in")
