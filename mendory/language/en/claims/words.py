"""An English text in sentences of words as the rules for claims read them: contractions written out, no fillers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mendory.language.en.claims.verbs import Form, verb
from mendory.language.en.lists import FUNCTION, listed
from mendory.language.en.tokens import Token, tokens

_ENDS = frozenset(".!?;")
_FULL = {"m": "am", "re": "are", "ve": "have", "ll": "will", "im": "i am", "ive": "i have", "id": "i would"}
_IS = listed("it he she that there what who where here")
_ADVERBS = listed(
    "really actually currently presently just still also simply truly absolutely totally definitely very"
    " quite pretty"
    " honestly basically personally generally normally mainly mostly primarily sadly luckily unfortunately super"
    " recently finally already exactly too either myself though lol haha extremely rather kinda sorta probably"
    " surely strictly exclusively officially permanently happily secretly apparently"
)
_CAN = listed("will can could would should must may might has have had does did do is are was were")
_CUT = {
    cut: cut.removesuffix("n")
    for cut in ("don", "doesn", "didn", "isn", "aren", "wasn", "weren", "hasn", "haven", "hadn", "wouldn", "couldn")
} | {"won": "will", "ain": "is", "shouldn": "should"}
_BEFORE_QUALITY = listed("am is are was were be been not")
_LEAVES = listed("too either enough")
MERELY = listed("only just merely simply solely")
"""What makes "not" before it say more, not less: "not only likes opera"."""


@dataclass(frozen=True, slots=True)
class Said:
    """Words in small letters (`low`) and as written (`raw`), of one length, and the text they stand in."""

    low: tuple[str, ...]
    raw: tuple[str, ...]
    text: str

    def part(self, start: int, end: int) -> Said:
        """The words from one place to another."""
        return Said(self.low[start:end], self.raw[start:end], self.text)

    def acts(self, at: int) -> bool:
        """Whether the word at a place is a verb that says what somebody does, or stands before one."""
        if not 0 <= at < len(self.low):
            return False
        low = self.low[at]
        found = verb(low)
        longer = low == "no" and self.low[at + 1 : at + 2] == ("longer",)
        return low in _CAN or low in ("used", "never") or longer or (found is not None and found[1] is not Form.ING)

    def capital(self, at: int) -> bool:
        """Whether the word at a place is written like a name."""
        return 0 <= at < len(self.raw) and self.raw[at][:1].isupper() and self.low[at] not in FUNCTION

    @property
    def capitals(self) -> frozenset[str]:
        """Words written with a capital or a digit, in small letters."""
        return frozenset(low for at, low in enumerate(self.low) if self.capital(at))


Sentence = tuple[Said, bool]
"""The words of a sentence, and whether it asks."""


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text, each with whether it asks."""
    held: list[Token] = []
    lines = text.replace("\n", " ; ").replace("=", ":")
    for token in tokens(lines):
        if token.kind == "dots" or (token.kind == "mark" and token.text in _ENDS):
            if held:
                yield _said(held, text), token.text == "?"
            held = []
        else:
            held.append(token)
    if held:
        yield _said(held, text), False


def _said(held: list[Token], text: str) -> Said:
    low: list[str] = []
    raw: list[str] = []
    for at, token in enumerate(held):
        word = token.low
        before = low[-1] if low else ""
        if token.kind == "mark" and word in "-\u2013\u2014()":
            if word != "-":
                low.append(",")
                raw.append(",")
            continue
        if (word == "'s" and before in _IS) or (word == "s" and before in _IS):
            word = "is"
        elif word == "s" and before and at + 1 < len(held):
            word = "'s"
        elif word in _FULL and (word not in ("m", "re", "ve", "ll") or before):
            word = _FULL[word]
        elif word == "d" and before in ("i", "we", "he", "she", "they"):
            word = "would"
        if word == "not" and before in _CUT:
            low[-1] = raw[-1] = _CUT[before]
        if word == "so" and before in _BEFORE_QUALITY:
            continue
        leaves = word in _LEAVES and at + 1 < len(held) and held[at + 1].kind == "word"
        if word in _ADVERBS and not leaves and not (word in MERELY and low[-1:] == ["not"]):
            continue
        for part in word.split():
            low.append(part)
            raw.append(token.text if part == token.low else part)
    return Said(tuple(low), tuple(raw), text)
