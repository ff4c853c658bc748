"""An English text in clauses: who, does what, and whether it holds now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from mendory.language.claim import USER, Tense
from mendory.language.en.claims.predicate import Predicate, predicate
from mendory.language.en.claims.subject import Subject, apposition, subject
from mendory.language.en.claims.words import Said, Sentence
from mendory.language.en.lists import listed

_OPENERS = listed("i we he she they it you my our his her their the this that user there")
_JOINTS = listed(
    "but so because although though while since when whenever and or if unless whereas until once then plus yet as that"
)
_SUPPOSED = listed("if unless suppose supposing imagine whether maybe perhaps possibly hopefully when whenever once")
_REPORTS = listed("say tell think believe claim")
_CONDITIONS = listed("when whenever while if unless")
_LEADING = listed("at in on during with for after before over")
"""What a sentence may begin with before it says of whom it is: "At business dinners, Bob eats shellfish"."""
_RELATIVE = listed("that as until")
_QUOTES = ('"', "\u201c", "\u201d")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause.

    `subject` is `USER` or a folded name; `thing` is what of the subject's the clause is about ("my favourite colour is
    red": "favourite colour"), "" where the subject itself acts. `verb` is in its base form, `rest` the words behind it
    in small letters with one space between. `ended` and `begun`: it says that what was is over, or that this is new.
    `instead` is what it says is so no more ("instead of Beta"), "" without it. `text` is the whole text, `capitals` the
    words of the clause that are written like names, in small letters, `when` the clause behind it that says when it
    holds, "" without one.
    """

    subject: str
    thing: str
    verb: str
    rest: str
    denied: bool
    tense: Tense
    ended: bool
    begun: bool
    strength: int | None
    instead: str
    text: str
    capitals: frozenset[str]
    when: str


def clauses(sentences: Iterable[Sentence]) -> tuple[Clause, ...]:
    """The clauses of a text's sentences whose subject is known, in order. Questions have none."""
    found: list[Clause] = []
    for said, asked in sentences:
        if asked:
            continue
        found.extend(_of_sentence(said, found[-1].subject if found else None))
    return tuple(found)


def _of_sentence(said: Said, last: str | None) -> Iterator[Clause]:
    """`last` is whom the sentence before was about: "he" and "it" speak of it."""
    held: Subject | None = None
    lead = ""
    supposed = any(word in _QUOTES for word in said.low)
    for place, (part, joint, when) in enumerate(_parts(said)):
        whom = subject(part, held.subject if held else last, inherits=held, first=place == 0 or bool(lead))
        if whom is None:
            held = apposition(part)
            lead = " ".join(part.low) if place == 0 and part.low[0] in _LEADING else ""
            continue
        acts = predicate(part, whom.begins)
        held = whom
        if acts is None:
            continue
        unsure = supposed or joint in _SUPPOSED or any(word in _SUPPOSED for word in part.low[: whom.begins])
        clause = _clause(part, whom, acts, when or lead)
        yield replace(clause, tense=Tense.SUPPOSED) if unsure else clause
        if acts.verb in _REPORTS and whom.subject != USER:
            supposed = True
        if joint in ("if", "unless"):
            supposed = True


def _clause(part: Said, whom: Subject, acts: Predicate, when: str) -> Clause:
    return Clause(
        whom.subject,
        whom.thing,
        acts.verb,
        acts.rest,
        acts.denied,
        acts.tense,
        acts.ended,
        acts.begun,
        acts.strength,
        acts.instead,
        part.text,
        part.capitals,
        when,
    )


def _parts(said: Said) -> Iterator[tuple[Said, str, str]]:
    """The clauses of a sentence, each with the word that joins it to the one before, and what says when it holds."""
    start, joint = 0, ""
    for at in range(1, len(said.low)):
        if at <= start:
            continue
        end = _joint(said, at)
        if end is None:
            continue
        lasts = "since" in said.low[at:end]
        yield said.part(start, said.low.index("since", at) + 1 if lasts else at), joint, _when(said, end)
        joint = said.low[end - 1] if said.low[end - 1] in _JOINTS else ""
        start = end
    if start < len(said.low):
        yield said.part(start, len(said.low)), joint, ""


def _when(said: Said, end: int) -> str:
    """The clause that begins at a word, with the word before it, where that makes it a condition or a time."""
    if said.low[end - 1] not in _CONDITIONS:
        return ""
    ends = (at for at in range(end + 1, len(said.low)) if said.low[at] in (",", "but"))
    return " ".join(said.low[end - 1 : next(ends, len(said.low))])


def _joint(said: Said, at: int) -> int | None:
    """Where the next clause begins when one ends at this word; None where none does."""
    low = said.low
    end = at
    if low[end] == ",":
        end += 1
        if end < len(low) and low[end] == "and":
            end += 1
    if end < len(low) and low[end] in _JOINTS:
        end += 1
        if end < len(low) and low[end] == ",":
            end += 1
    if end >= len(low) or (end == at and low[end : end + 2] != ("i", "am")):
        return None
    following = low[end]
    if end == at and low[end : end + 2] == ("i", "am"):
        return None if low[at - 1] in (*_SUPPOSED, *_JOINTS) else end
    if following in _OPENERS and following not in ("that", "this", "the", "my", "our", "his", "her", "their", "it"):
        return end
    if following in ("my", "our", "his", "her", "their", "it", "the", "this", "that"):
        return end if _acts(said, end) else None
    if (
        said.acts(end + (following == "now"))
        and (low[at] == "," or low[end - 1] in _JOINTS)
        and low[end - 1] not in _RELATIVE
    ):
        return end
    if low[end - 1] in ("but", "because", "although", "though", "if", "unless", "when", "while", "since"):
        return end
    return end if said.capital(end) and said.acts(end + 1) else None


def _acts(said: Said, at: int) -> bool:
    """Whether what begins here is a clause and no further object: a verb follows within five words."""
    for place in range(at + 1, min(at + 6, len(said.low))):
        if said.low[place] in (",", "and", "or", "but", "with", "of", "in", "on", "at"):
            return False
        if said.acts(place):
            return True
    return False
