"""Chinese as a language of `mendory.language`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mendory.language.claim import Claim
from mendory.language.moving import MovedOn
from mendory.language.reading import Reading, Word
from mendory.language.writing import halfwidth, simplified
from mendory.language.zh import ageing, moving, rewording
from mendory.language.zh.asking import asks
from mendory.language.zh.bounds import bounds
from mendory.language.zh.claims import claims_of
from mendory.language.zh.clauses import clauses_of
from mendory.language.zh.lexicon import FUNCTION, KIN, KINDS, STRENGTH, opposites, words
from mendory.language.zh.negation import negate
from mendory.language.zh.people import name, owners, routes
from mendory.language.zh.scan import scan
from mendory.language.zh.scenes import ended, scenes
from mendory.language.zh.segment import NEGATORS
from mendory.language.zh.tokens import Token

_MARK = re.compile(r"[\s，。；！？：、,.;!?:\"'“”‘’「」『』（）()《》〈〉【】\[\]…—～~·•]+")
"""Punctuation; other signs are said: an emoji, a plus, a letter of another script."""
_SENTENCE = re.compile(r"(?<=[。！？!?\n])|(?<=\.)(?=\s)")


class Chinese:
    """Chinese, simplified and traditional. Segmentation by rjieba, characters by OpenCC; the rest are rules here."""

    code = "zh"
    scripts = ("zh",)

    def speaks(self, text: str) -> bool:
        """Whether a text of Chinese characters is Chinese: one that has kana is not."""
        return not re.search(r"[぀-ヿㇰ-ㇿｦ-ﾟ]", text)

    def read(self, text: str) -> Reading:
        """What the text says; text in traditional characters is read as its simplified form is.

        Full-width letters and digits read as half-width ones; "10²" is no 102.
        """
        plain = simplified(halfwidth(text))
        found = scan(plain)
        clauses = clauses_of(found.pieces)
        strength = _strength(clauses)
        for clause in clauses:
            routes(clause)
        over = ended(clauses)
        negations = sum(map(negate, clauses))
        asked = asks(clauses)
        who, of_user = owners(clauses)
        names = set(found.names)
        for clause in clauses:
            names.update(filter(None, map(name, clause)))
        words = tuple(
            _word(token, clause[at + 1 : at + 3])
            for clause in clauses
            for at, token in enumerate(clause)
            if _kept(token)
        )
        return Reading(
            self.code,
            words,
            tuple(found.quantities),
            frozenset(found.dates),
            frozenset(found.versions),
            frozenset(names),
            who,
            scenes(clauses),
            over and not asked,
            of_user,
            negations,
            strength,
            asked,
            turns=frozenset(token.text for clause in clauses for token in clause if token.text in _TURNS),
            bounds=bounds(clauses, negations),
        )

    def sentences(self, text: str) -> tuple[str, ...]:
        """The sentences as written, stripped; where there is one alone, its parts between commas and semicolons."""
        parts = _stripped(_SENTENCE.split(text))
        return parts if len(parts) > 1 else _stripped(re.split(r"[，,、；;|｜/\n]|(?:\s-\s)", text))

    def claims(self, text: str) -> tuple[Claim, ...]:
        """What the text claims, by the rules of `mendory.language.zh.claims`, in its order."""
        return claims_of(text)

    def opposites(self, word: str) -> frozenset[str]:
        """Folded words that say the opposite of a folded word, or exclude it."""
        return opposites(word) if word else frozenset()

    def lasting(self, text: str) -> bool:
        """Whether the text says what holds for life or nearly so."""
        return ageing.lasting(text)

    def under_way(self, text: str) -> bool:
        """Whether the text says that a task is being done at the moment of writing."""
        return ageing.under_way(text)

    def moved_on(self, text: str) -> tuple[MovedOn, ...]:
        """What the user has left for something else."""
        return moving.moved_on(text)

    def belongs_to(self, text: str) -> tuple[tuple[str, str], ...]:
        """(project, employer or tool, its name as written) for each that the text is about."""
        return moving.belongs_to(text)

    def pieces(self, text: str) -> tuple[str, ...]:
        """The text in words, each with what stands behind it."""
        return rewording.pieces(text)

    def rewordings(self, text: str) -> tuple[str, ...]:
        """The text as questions in other words."""
        return rewording.rewordings(text)


def _stripped(parts: list[str]) -> tuple[str, ...]:
    return tuple(stripped for part in parts if (stripped := part.strip(" \t\r\n。；;，,、")))


def _strength(clauses: list[list[Token]]) -> int | None:
    found = {
        0
        if token.text.startswith("一点") and [t.text for t in clause[at + 1 : at + 2]] in (["也"], ["都"])
        else STRENGTH[token.text]
        for clause in clauses
        for at, token in enumerate(clause)
        if token.text in STRENGTH
    }
    return min(found, default=None)


def _kept(token: Token) -> bool:
    """Whether it is a word of the reading: numbers, dates, punctuation and what has been read off are not."""
    return not token.silent and not _MARK.fullmatch(token.text) and (not token.value or token.named)


_TURNS = words("turns")
_PERSONS = frozenset("我你他她您")
_COPULAS = frozenset(["是", "有", "在", "叫", "为"])
_PRONOUN = frozenset("我你他她它这那此该其各某每哪咱您自本")


def _word(token: Token, behind: Sequence[Token]) -> Word:
    fold = KIN.get(token.text) or KIN.get(token.text.rstrip("们")) or token.fold
    kind = token.kind or KINDS.get(fold, "") or _person(token, behind)
    content = token.value or bool(kind and kind != "person") or _means(token) or _of_value(token, behind)
    return Word(token.text, fold, content, token.negated and content, kind, token.turned)


def _person(token: Token, behind: Sequence[Token]) -> str:
    """The kind of a pronoun; of one beside another it is none: 我和你, 你和我."""
    joined = bool(behind) and behind[0].text in ("和", "与", "及", "、")
    return "person" if token.text in _PERSONS and not joined else ""


def _means(token: Token) -> bool:
    """Whether a word carries meaning of its own."""
    word, tag = token.text, token.tag[0]
    if word in FUNCTION or token.fold in FUNCTION or word in STRENGTH or word in NEGATORS:
        return False
    return not (len(word) <= 2 and (tag in "uypceo" or (tag == "r" and word[0] in _PRONOUN)))


def _of_value(token: Token, behind: Sequence[Token]) -> bool:
    """Whether it says of a number or a date that it is so: then it is all that a negation can turn."""
    rest = [other for other in behind[:2] if other.text not in ("在", "于", "个", "到")]
    return token.fold in _COPULAS and bool(rest) and rest[0].value and not rest[0].named
