"""Units and measure words, each with the unit it is compared in.

Lengths in m, masses in kg, volumes in l, times in s (months and years, which have no length in seconds, in months),
data in byte, money in its currency. Things that are counted one by one (个, 只, 位, 辆 …) have no unit: whoever says
三只猫 and 三个猫 says the same. What holds a thing (杯, 瓶, 碗 …) is a unit of its own.
"""

from __future__ import annotations

from decimal import Decimal

from mendory.language.zh.lexicon import named, words

UNITS = {name: ("", Decimal(1)) for name in words("counted")} | {
    entry.rsplit(" ", 1)[0]: (base, Decimal(entry.rsplit(" ", 1)[1]))
    for base, entries in named("units")
    for entry in entries.split(", ")
}
"""Each unit as written, lower case, with the unit it is compared in and how many of those it is."""
