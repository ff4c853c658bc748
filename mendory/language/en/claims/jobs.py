"""Occupations and places of work by name, and how they contain one another."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from mendory.language.claim import Value, ValueKind

_CUT = re.compile(
    r"\s*(?:,|\b(?:in|at|for|with|who|that|which|by|from|on|to|and|so|but|because|since|myself|now|right|during"
    r"|when|while|of"
    r"|known|whose|specializing|specialising|focused|focusing|capturing|helping|exploring|based|especially"
    r"|renowned for|here|there|although|where|currently|trying|looking|as|or|working|too|also|full time"
    r"|part time|if|until"
    r"|down|after"
    r"|before|not|about|turned|its|i|my|last|this|year|years|months?|ago|\d+|three|two|one)\b).*"
)
_LEAD = re.compile(
    r"^(?:a|an|the|my|our|one|head|senior|junior|lead|chief|professional|profesional|licensed|certified|local"
    r"|freelance"
    r"|full time|part time|full|part|time|traveling|travelling|famous|big|good|great|new|young|old|registered|trained"
    r"|busy|happy|proud|former|budding|aspiring|self employed|successful|simple|humble|medical|private|hard|working"
    r"|male|female|first|second|third|1st|2nd|3rd|4th|5th|6th|7th|8th|sixth|fourth|fifth|seventh|eighth|grade|pro"
    r"|disgruntled|gourmet|american|independent|amateur|small|staff|principal|assistant|associate|talented|dedicated"
    r"|published|experienced|skilled|an|classically|classily|upcoming|middle|high|only|lowly|regular|small town"
    r"|middle aged"
    r"|retail|government|hospital|city|state|county|school|elementary|substitute) "
)

_GRADE = re.compile(r"\b\w+(?: ?(?:st|nd|rd|th))? grade ")
_BRANCH = re.compile(r" (?:industry|field|sector|business|company|department|firm|agency|world|store|shop)$")
_ARTICLE = re.compile(r"(?:an?|the|any)? ?")
_NO_JOB = re.compile(r"\b(?:student|wannabe|amateur|aspiring|budding|hobby|former|future|'s|not)\b")
_AT_HOME = "stay at home"


class _Book:
    """The list of occupations."""

    def __init__(self) -> None:
        self.places: dict[str, tuple[str, ...]] = {}
        self.jobs: dict[str, tuple[str, ...]] = {}
        section = ""
        text = files("mendory.language.en.claims").joinpath("jobs.txt").read_text(encoding="utf-8")
        for line in text.splitlines():
            if line.startswith("["):
                section = line.strip("[]")
            elif line and not line.startswith("#"):
                sector, _, rest = line.partition(" | ")
                self._place(sector, rest) if section == "place" else self._job(sector, rest)
        self.jobs = {name: self._wide(above) for name, above in self.jobs.items()}
        every = tuple(dict.fromkeys(sector for sectors in self.places.values() for sector in sectors))
        self.jobs = {
            name: (*above[:-1], *every) if above[-1] == "anywhere" else above for name, above in self.jobs.items()
        }

    def _place(self, sector: str, rest: str) -> None:
        for name in rest.split(","):
            self.places[name.strip()] = tuple(dict.fromkeys((*self.places.get(name.strip(), ()), sector)))

    def _job(self, sector: str, rest: str) -> None:
        parent, mark, names = rest.rpartition(" > ")
        above = (parent.strip(),) if mark else ()
        if mark:
            self.jobs.setdefault(parent.strip(), (sector,))
        for name in names.split(","):
            held = self.jobs.get(name.strip(), ())
            self.jobs[name.strip()] = tuple(dict.fromkeys((*above, *held, sector)))

    def _wide(self, above: tuple[str, ...]) -> tuple[str, ...]:
        """What an occupation is a kind of, with what that is a kind of."""
        found = list(above)
        for name in found:
            found.extend(wider for wider in self.jobs.get(name, ()) if wider not in found)
        return tuple(found)


@cache
def _book() -> _Book:
    return _Book()


def job(phrase: str) -> Value | None:
    """The listed occupation that words in small letters end in ("a disgruntled foot doctor"); None where none is."""
    phrase = _GRADE.sub("", phrase)
    words = _CUT.sub("", f"{phrase.replace(_AT_HOME, _AT_HOME.replace(' ', ''))} ").strip()
    while words:
        for form in (words, words.removesuffix("s"), words.replace(" 's", "")):
            above = _book().jobs.get(form)
            if above is not None:
                return Value(ValueKind.TERM, form, within=above)
        words = words.partition(" ")[2]
    return None


def is_one(before: str, denied: bool) -> bool:
    """Whether words before an occupation leave it one; who is not a good cook may be a cook."""
    return bool(_ARTICLE.fullmatch(before)) if denied else not _NO_JOB.search(before)


def modifiers(phrase: str) -> str:
    """The words of an occupation that nobody listed, without what only qualifies it."""
    words = _CUT.sub("", f"{phrase} ").strip()
    while (cut := _LEAD.sub("", f"{words} ").strip()) != words:
        words = cut
    return words


def line_of_work(phrase: str) -> Value | None:
    """The line of work that a listed place of work says ("the local library"); None where it says none."""
    words = re.sub(
        r"\s*(?:,|\b(?:and|where|so|but|on|that|who|because|since|near|as|to|during|from)\b).*",
        "",
        f"{phrase} ",
    )
    for part in re.split(r"\b(?:in|at|of|for|with)\b", words):
        said = part.strip()
        while said:
            for form in (said, said.removesuffix("s"), said.replace(" 's", ""), _BRANCH.sub("", said)):
                sectors = _book().places.get(form)
                if sectors is not None:
                    return Value(ValueKind.TERM, sectors[0], within=sectors[1:])
            said = said.partition(" ")[2]
    return None
