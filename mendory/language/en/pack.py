"""The English language."""

from __future__ import annotations

import re
from itertools import pairwise

from mendory.language.claim import Claim
from mendory.language.en import ageing, moving, rewording
from mendory.language.en.amounts import amounts
from mendory.language.en.bounds import bounds
from mendory.language.en.claims import claims
from mendory.language.en.dates import dates
from mendory.language.en.forms import folded, known
from mendory.language.en.lists import ENGLISH, FUNCTION, OTHERS, STRENGTH, STRENGTH_PHRASES
from mendory.language.en.names import GIVEN, SAME, names
from mendory.language.en.negation import Negation, abhorred, negation
from mendory.language.en.opposites import KINDS, OPPOSITES
from mendory.language.en.scenes import scenes, subject
from mendory.language.en.slots import slots
from mendory.language.en.tokens import Token, tokens
from mendory.language.moving import MovedOn
from mendory.language.reading import Reading, Word

_WORDS = re.compile(r"(?<![\w./@#\\-])[^\W\d_]{2,}(?:['’][^\W\d_]+)?(?![\w/@\\-]|\.\w)|\b[Ii]\b")
_FOREIGN_LETTER = re.compile(r"[à-öø-ÿß\u0100-\u024f]")
_OTHER_SCRIPT = re.compile(r"[^\W\d_\u0000-\u024f]")
_ENDS = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9#])|\s*[;\n]+\s*|\s+[|•]\s+")
_NO_END = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|No|[A-Z])\.)$")
_NAME_OF_ANOTHER_SCRIPT = 6
_CONTRACTIONS = ("n't", "'s", "'m", "'re", "'ve")


class English:
    """English, by rules: stems of Snowball's, curated lists, and no model."""

    code = "en"
    scripts = ("latin",)

    def speaks(self, text: str) -> bool:
        """Whether the text is English: more of its words say so than say another language.

        Where none says either, half of the words must be known ones, not counting names, codes and words of other
        letters; a text of such alone ("DGX", "PR #260") is taken for English. More of another script than a name
        makes is not English.
        """
        if not text.isascii() and len(_OTHER_SCRIPT.findall(text)) > _NAME_OF_ANOTHER_SCRIPT:
            return False
        said = [word.replace("’", "'") for word in _WORDS.findall(text)]
        lower = [word.lower() for word in said]
        english = sum(word in ENGLISH or word.endswith(_CONTRACTIONS) for word in lower)
        other = sum(
            word in OTHERS and (said[at].islower() or (at == 0 and word not in GIVEN)) for at, word in enumerate(lower)
        )
        foreign = not text.isascii() and _FOREIGN_LETTER.search(text.lower()) is not None
        if english or other:
            return english > other or (english == other and not foreign)
        plain = [word for word in said if word.islower()]
        if len(said) == 1:
            return not foreign  # one word denies nothing
        return not foreign and 2 * sum(known(word) for word in plain) >= len(plain)

    def read(self, text: str) -> Reading:
        """What the text says."""
        found = tokens(text)
        used: set[int] = set()
        days = dates(found, used)
        versions = _versions(found, used)
        quantities = amounts(found, used)
        called, places = names(found, used)
        no = negation(found)
        owners, of_user = subject(found, places)
        words = _words(found, used, places, no)
        held = scenes(found)
        return Reading(
            language="en",
            words=words,
            quantities=quantities,
            dates=days,
            versions=versions,
            names=called,
            owners=owners,
            scenes=held,
            ended=no.ended,
            of_user=of_user,
            negations=no.count,
            strength=_strength(found),
            slots=slots(words, held),
            bounds=bounds(found, no.count),
        )

    def sentences(self, text: str) -> tuple[str, ...]:
        """The text in sentences, or in the parts between semicolons, bars and line ends."""
        parts: list[str] = []
        for part in _ENDS.split(text):
            said = part.strip()
            if parts and _NO_END.search(parts[-1]):
                parts[-1] = f"{parts[-1]} {said}"
            elif said:
                parts.append(said)
        return tuple(parts)

    def claims(self, text: str) -> tuple[Claim, ...]:
        """What the text claims."""
        return claims(text)

    def opposites(self, word: str) -> frozenset[str]:
        """Folded words that say the opposite of a folded word."""
        return OPPOSITES.get(word, frozenset())

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


def _versions(found: list[Token], used: set[int]) -> frozenset[str]:
    """v1.2, 3.11.4, and a number behind the name of a thing that has versions: Python 3.11."""
    read: set[str] = set()
    for at, token in enumerate(found):
        if token.kind == "version":
            read.add(token.low.lstrip("v"))
            used.add(at)
        elif token.kind == "number" and at and at not in used and token.text[0].isdigit():
            before = found[at - 1]
            named = before.kind == "word" and before.text[0].isupper() and before.low not in FUNCTION and at > 1
            if before.low in ("version", "release", "v", "python", "node", "java") or (named and "." in token.text):
                read.add(token.text)
                used.add(at)
    return frozenset(read)


def _words(found: list[Token], used: set[int], places: frozenset[int], no: Negation) -> tuple[Word, ...]:
    words: list[Word] = []
    for at, token in enumerate(found):
        if at in used or token.kind == "mark" or token.low == "'s":
            continue
        if token.kind == "dots":
            continue
        if token.kind != "word":
            words.append(Word(token.text, token.low, True, no.reached[at]))
            continue
        low, reached = token.low, no.reached[at]
        if abhorred(low, reached):
            words.append(Word(token.text, "like", True, True))
            continue
        if at in places:
            words.append(Word(token.text, SAME.get(low, low), True, reached))
            continue
        content = low not in FUNCTION
        fold, turned = folded(low) if content else (low, False)
        kind = KINDS.get(fold) or ("" if known(low) else "unknown") if content else ""
        words.append(Word(token.text, fold, content, reached != turned, kind, turned))
    return tuple(words)


def _strength(found: list[Token]) -> int | None:
    """How often or how much the text says; None where it says nothing of it or more than one thing."""
    said = {STRENGTH[token.low] for token in found if token.low in STRENGTH}
    for one, two in pairwise(found):
        pair = STRENGTH_PHRASES.get((one.low, two.low))
        if pair is not None:
            said.add(pair)
    return said.pop() if len(said) == 1 else None
