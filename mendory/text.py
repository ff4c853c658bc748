"""Text keys for exact comparison, the same for every language.

Nothing here strips punctuation or folds width: "1.5" and "15", "3:00" and "300" must stay apart.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

_NUMBER = re.compile(
    # a run that holds a digit, letters before it included, and the word right behind it: its unit
    r"[^\W\d_]*\d[\w.,:/%°+\-‐-―²³¹⁰-₟]*(?: ?[^\W\d_]+(?:/[^\W\d_]+)?| ?[%‰°℃℉€£¥$])?"
)
_CJK_NUMBER = re.compile(r"[〇零一二三四五六七八九十百千万亿两壹贰叁肆伍陆柒捌玖拾佰仟]+")


_HIDES = (
    # control and format characters (Unicode 14) without tab, line feed, form feed, carriage return and next line,
    # without the joiners and direction marks that scripts need, and without the tags that flags are made of
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u180e\u200b\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
    "\ufff9-\ufffb\U00013430-\U00013438\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
# signs that span a number or a word (Prepended_Concatenation_Mark): of the same category, and seen by everybody
_SIGNS = "\u0600-\u0605\u06dd\u070f\u0890-\u0891\u08e2\U000110bd\U000110cd"
_FORMAT = _HIDES + _SIGNS
_PLAIN = "A-Za-z0-9\u4e00-\u9fff"
_TAGS = "\U000e0001\U000e0020-\U000e007f"
HIDDEN_PATTERN = f"[{_HIDES}\u200c\u200d{_TAGS}]"
"""Characters nobody sees: direction overrides, zero-width and control characters, joiners, tags. To be asked of what
`unmarked` gives. In the syntax that Python's and RE2's expressions share."""
HIDDEN = re.compile(HIDDEN_PATTERN)
SUSPECT_PATTERN = HIDDEN_PATTERN
"""A character without which a text holds nothing hidden, and `unmarked` leaves it as it is."""

_PARTED = (
    # Thai and Lao, Myanmar, Khmer, Tai Le to Khmer symbols, Tai Tham, further Myanmar, Tai Viet: no spaces part words
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf"
)
_MONGOLIAN = "\u1807\u180a-\u180d\u180f-\u18aa"
_HYPHENATED = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0300-\u036f\u0370-\u03ff\u0400-\u052f\u0531-\u0587\u1e00-\u1fff"
)
_UNIT_SIGN = "%\u2030\u00b0\u2032\u2033\u2103\u2109$\u00a3\u00a5\u20a0-\u20bf"
_DASH = "/\u2010-\u2015\u2026-"


def _beside(mark: str, scripts: str) -> str:
    """The mark next to a character of these scripts, before or behind it."""
    return f"(?<=[{scripts}]){mark}|{mark}(?=[{scripts}])"


_BREAK = _beside("\u200b", _PARTED)
_LAYOUT = "|".join(
    _beside(f"[{controls}]", scripts)
    for controls, scripts in (
        ("\U00013430-\U00013438", "\U00013000-\U0001345f"),  # Egyptian hieroglyphs
        ("\U0001bca0-\U0001bca3", "\U0001bc00-\U0001bcaf"),  # Duployan shorthand
        ("\U0001d173-\U0001d17a", "\U0001d100-\U0001d1ff"),  # musical notation
    )
)
_MARK = re.compile(
    # three in a row belong nowhere, whatever stands around them
    "(?P<run>[\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff]{3,})"
    # a joiner between Latin or Chinese letters joins nothing; but where it keeps a ligature away: Auf|lage
    f"|(?<=[^{_PLAIN}])[\u200c\u200d]|(?:^|(?<=[{_PLAIN}]))[\u200c\u200d](?=[^{_PLAIN}])"
    "|(?<=[a-z\u00df-\u00ff]f)\u200c(?=[bfhijklt])"
    # a break of words in scripts without spaces; a hyphenation, which leaves two letters on each side
    f"|{_BREAK}"
    f"|(?<=[{_HYPHENATED}]{{2}})\u00ad(?=[{_HYPHENATED}]{{2}})"
    f"|(?<=[{_MONGOLIAN}])\u180e(?=[{_MONGOLIAN}])"
    # a unit, currency or dash held to its number or word
    f"|(?<=\\d)(?<![A-Za-z]\\d)\u2060(?=[^\\W\\d_]|[{_UNIT_SIGN}])|(?<=[{_UNIT_SIGN}\u00a7\u2116#])\u2060(?=\\d)"
    f"|(?<=[{_DASH}])\u2060(?=\\w)|(?<=\\w)\u2060(?=[{_DASH}])"
    # controls of scripts that are laid out by them, and flags of regions: tags that are a code, and the end of it
    f"|{_LAYOUT}"
    "|\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
)


def unmarked(text: str) -> str:
    r"""The text with a full stop for each invisible mark that stands where its script wants it.

    What is still invisible in it hides something.

    >>> unmarked("ภาษา\u200bไทย, Auf\u200clage, 10\u2060km"), unmarked("pass\u200bword") == "pass\u200bword"
    ('ภาษา.ไทย, Auf.lage, 10.km', True)
    """
    return _MARK.sub(lambda found: found["run"] or ".", text)


_NAME = "A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u052f\u0590-\u05ff"
SCOPE_BARRED_PATTERN = (
    f'[*;"`\\\\{_FORMAT}\u200c-\u200f\u061c{_TAGS}\t\n\f\r\x85\u2028\u2029]|^\\s|\\s$'
    f"|(?:^|[^{_NAME}])'|'(?:[^{_NAME}]|$)"
)
"""Characters that no scope should have: quotes but inside a name, wildcards, separators of statements, what nobody
sees, outer blanks."""
SCOPE_BARRED = re.compile(SCOPE_BARRED_PATTERN)


def id_key(text: str) -> str:
    r"""An id without what a person does not tell apart: letter case, width, white space, invisible characters, form.

    Form is what NFKC folds: composition, full and half width, letters in circles. The key of a key is that key.
    Letters of other scripts that look alike are told apart: Cyrillic а is not Latin a.

    >>> id_key("M\u200b 1"), id_key("Cafe\u0301") == id_key("café"), id_key("ｍ１")
    ('m1', True, 'm1')
    """
    if text.isascii() and text.isalnum() and text.islower():
        return text
    while True:
        kept = (c for c in unicodedata.normalize("NFKC", text).casefold() if not c.isspace())
        key = "".join(c for c in kept if unicodedata.category(c) not in ("Cc", "Cf"))
        if key == text or key.isascii():
            return key
        text = key


def exact_key(text: str) -> str:
    r"""The text under which two memories count as saying literally the same.

    NFC, case-folded, every run of white space one space, ends stripped; nothing more (design §5).

    >>> exact_key("  Likes\u00a0 TEA ") == exact_key("likes tea")
    True
    >>> exact_key("10²") == exact_key("102")
    False
    """
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def letters(text: str) -> str:
    """The text with its letters as written, every run of white space one space, however a sentence begins.

    Only the capital that begins a text is the same as its small letter, and only before small letters of the
    same word, with more text behind: "Polish" alone, "US" or "mW" are names and units wherever they stand.

    >>> letters("Likes tea") == letters("likes tea"), letters("Contact US") == letters("Contact us")
    (True, False)
    >>> letters("Polish") == letters("polish"), letters("Buße") == letters("Busse")
    (False, False)
    """
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    end = next((at for at, ch in enumerate(plain) if not (ch.isupper() or ch.islower())), len(plain))
    begins = plain[1:end].islower() and any(ch.isalnum() for ch in plain[end:])
    return plain[:1].lower() + plain[1:] if begins else plain


def lines(text: str) -> tuple[str, ...]:
    r"""The lines of the text key, runs of white space inside each one space; blank lines around are dropped.

    The indentation of each line is kept when there are several: it is what a program means.

    >>> lines("if a:\n    b()") == lines("if a:\nb()"), lines("  likes  tea\n") == lines("likes tea")
    (False, True)
    """
    held = unicodedata.normalize("NFC", text).casefold().splitlines()
    said = [at for at, line in enumerate(held) if line.strip()]
    held = held[said[0] : said[-1] + 1] if said else []
    if len(held) == 1:
        return (" ".join(held[0].split()),)
    indents = [line[: len(line) - len(line.lstrip())] if line.strip() else "" for line in held]
    return tuple(indent + " ".join(line.split()) for indent, line in zip(indents, held, strict=True))


def numbers_as_written(text: str) -> tuple[str, ...]:
    """Every number with its unit, letter case and all, in order of appearance.

    Case-folding makes "5 MW" and "5 mW" one key although they differ by nine orders of magnitude;
    this keeps them apart. Chinese numerals count as numbers.

    >>> numbers_as_written("Load 5 MW, v1.2")
    ('5 MW', 'v1.2')
    >>> numbers_as_written("每天喝三杯")
    ('三',)
    """
    text = " ".join(unicodedata.normalize("NFC", text).split())
    return (
        *(m.group().rstrip(".,:;") for m in _NUMBER.finditer(text)),
        *(m.group() for m in _CJK_NUMBER.finditer(text)),
    )


_KANA_OR_HANGUL = re.compile(
    "[\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]"
)
_NOT_HAN = re.compile("[^\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]+")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]+")
_SCRIPT_READS = 64


def script(text: str) -> str:
    """The script a text is written in: zh, ja, ko, latin or other; a cheap sign of its language, no more.

    A Chinese character weighs as much as a word of Latin letters, so that a name does not decide. Only the
    first sixty-four characters are read.

    >>> script("用 Python 写的"), script("Met 李伟 in Oslo"), script("お茶が好き"), script("12:30")
    ('zh', 'latin', 'ja', 'other')
    """
    text = text[:_SCRIPT_READS]
    if text.isascii():
        return "latin" if _LATIN.search(text) else "other"
    tell = _KANA_OR_HANGUL.search(text)
    if tell:
        kana = "\u3041" <= tell.group() <= "\u30ff" or "\uff66" <= tell.group()
        return "ja" if kana else "ko"
    han = len(_NOT_HAN.sub("", text))
    latin = len(_LATIN.findall(text))
    if han or latin:
        return "zh" if han >= latin else "latin"
    return "other"


BLANK = (
    "["
    r"\u0000-\u0020\u007f-\u00a0\u00ad\u061c\u1680\u180e"
    r"\u2000-\u200f\u2028-\u202f\u205f-\u2064\u2066-\u206f\u3000\ufeff\ufff9-\ufffb"
    r"\U00013430-\U00013438\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f"
    "]*"
)
"""Regular expression of a text with nothing to see: white space, control and format characters (Unicode 14)."""
_BLANK = re.compile(BLANK)


def is_blank(text: str | None) -> bool:
    r"""True for None, the empty string, and text of only white space or invisible characters.

    >>> is_blank(" \u3000\u200b"), is_blank("好")
    (True, False)
    """
    if text and text[0].isalnum():  # nearly every text; spares the expression
        return False
    return text is None or _BLANK.fullmatch(text) is not None


def valueless(value: object) -> bool:
    """True for null, an empty list and blank text: a key that holds it holds nothing."""
    return value is None or value == [] or (isinstance(value, str) and is_blank(value))


def text_of(cell: Any) -> str | None:
    """A cell as the word of a vocabulary or part of a scope: `true`, `1`, text as it is; None for anything else.

    >>> text_of(True), text_of(1), text_of(2.0), text_of(0.5), text_of("a"), text_of([1])
    ('true', '1', '2', None, 'a', None)
    """
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else None
    return str(cell) if isinstance(cell, int) else None


def shown(text: str | None, most: int = 80) -> str:
    r"""`text` for one line of a terminal, log or page: nothing in it can move the cursor or hide.

    Control, format (bidi, zero-width), surrogate and line-breaking characters are written as escapes;
    longer texts are cut.

    >>> shown("a\x1b[31m\u202eb")
    'a\\x1b[31m\\u202eb'
    """
    if text is None:
        return "-"
    cut = text if len(text) <= most else text[: most - 1] + "…"
    return "".join(_escaped(ch) for ch in cut)


def _escaped(ch: str) -> str:
    if ch != " " and unicodedata.category(ch) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return ch.encode("unicode_escape").decode()
    return ch
