"""One writing for the ways Chinese and Latin text is written: full or half width, traditional or simplified."""

from __future__ import annotations

from functools import cache

import opencc

_HALF = {0x3000: " ", **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}}
_HALF |= {ord("〔"): "(", ord("〕"): ")", ord("﹪"): "%", ord("￥"): "¥", ord("￡"): "£"}


def halfwidth(text: str) -> str:
    """The text with full-width Latin letters, digits and signs in half width; nothing else changes, "10²" stays.

    >>> halfwidth("ＡＢＣ　１０²：")
    'ABC 10²:'
    """
    return text.translate(_HALF)


def simplified(text: str) -> str:
    """The text with traditional characters as simplified ones, by OpenCC's tables of characters and phrases.

    Several traditional characters may become one (頭髮, 發展: 头发, 发展; 皇后, 以後: 皇后, 以后), so two texts that
    agree here may still differ as written.

    >>> simplified("喜歡喝臺灣的烏龍茶，不愛乾杯")
    '喜欢喝台湾的乌龙茶，不爱干杯'
    """
    converted: str = _converter().convert(text)
    return converted


@cache
def _converter() -> opencc.OpenCC:
    """Loaded at the first use: the tables take milliseconds."""
    return opencc.OpenCC("t2s")
