"""Whom or what a clause is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mendory.language.claim import USER
from mendory.language.en.claims.verbs import Form, verb
from mendory.language.en.claims.words import Said
from mendory.language.en.forms import folded, known
from mendory.language.en.lists import FUNCTION, listed
from mendory.language.en.names import GIVEN

KIN: Final = listed("""
mother mom mum mama dad father daddy brother sister sibling son daughter wife husband spouse girlfriend boyfriend
partner uncle aunt cousin grandmother grandma grandfather grandpa parent parents kids children child friend friends boss
manager colleague colleagues coworker motherinlaw fatherinlaw sisterinlaw brotherinlaw stepmother stepfather
exwife exhusband roommate roommates neighbor neighbour dog dogs cat cats niece nephew fiance fiancee landlord
teacher doctor baby family team momma grandparents therapist dentist tutor nanny mechanic
""")
_FILLERS = listed(
    "well yes yeah yep yea oh cool nice great awesome haha hi hello hey so and but also sure thanks wow aw sorry true"
    " ok okay please sometimes right congrats lucky nope ah then remember note if unless suppose imagine maybe"
    " perhaps"
    " possibly hopefully when whenever once although though while because since that as"
)
_STATES = listed(
    "like love enjoy prefer hate dislike have own live work speak want need play drink eat teach study collect reside"
    " appreciate detest adore read avoid am be allergic use fear"
)
_GOING = listed("work live study teach plan move switch use look try learn")
_NEGATED = listed("not never no used does do did has is was cannot can will")
_UNNAMED = FUNCTION | listed("now currently new")
_PLACED: Final = ("port", "version")
_STAGES: Final = listed("""
production prod live staging preprod pre-prod test testing qa uat dev development canary sandbox local demo
""")
_HOSTS: Final = listed("environment env cluster server stage deployment instance")
ATTRIBUTES: Final = listed("""
port deadline version birthday name timezone email budget address phone height weight age hometown price capacity limit
timeout size owner password date indentation theme editor language database framework
""")
"""Nouns that name an attribute of what stands before them, and of the scope's owner where nothing does."""
_SETTING = listed("change move switch turn")
_BE = listed("is are was were has have had will can could would should must may might does do did am")
_NO_SUBJECT = listed(", but because with for to in on at from by about than like into")
_MANY = listed("parents children kids people grandparents")
_REST_OF_A_NAME = listed("of the and &")
_LONGEST = 6


@dataclass(frozen=True, slots=True)
class Subject:
    """`begins` is where its predicate begins."""

    subject: str
    thing: str
    begins: int


def subject(said: Said, last: str | None, inherits: Subject | None, *, first: bool) -> Subject | None:
    """Whom a clause is about; None where it is not told.

    `last` is whom the text spoke of before, `inherits` the subject of the clause before; only the first clause of a
    sentence may leave out that it is about the user.
    """
    low = said.low
    at = _opening(low)
    if at >= len(low):
        return None
    word = low[at]
    if word in ("i", "we"):
        return Subject(USER, "", at + 1)
    if word == "the" and low[at + 1 : at + 2] == ("user",):
        at, word = at + 1, "user"
    if word == "user":
        return _of_owner(said, at + 2, USER) if low[at + 1 : at + 2] == ("'s",) else Subject(USER, "", at + 1)
    if word in ("my", "our"):
        return _of_owner(said, at + 1, USER)
    if word in ("he", "she", "they", "it"):
        whom = last if last != USER or "user" in said.text.lower() else None
        return Subject(whom, "", at + 1) if whom else None
    if word in ("his", "her", "their", "its"):
        whom = last if last != USER or "user" in said.text.lower() else None
        return _of_owner(said, at + 1, whom) if whom else None
    if word == "the":
        return _thing(said, at + 1)
    if inherits is not None and said.acts(at) and not _named(said, at):
        return Subject(inherits.subject, inherits.thing if word in _BE else "", at)
    if first and _subjectless(said, at):
        return Subject(USER, "", at)
    if word in FUNCTION and word not in ("us", "it"):
        return None
    return _name(said, at) or (None if word in GIVEN else _thing(said, at))


def _opening(low: tuple[str, ...]) -> int:
    at = 0
    while at < len(low):
        following = low[at + 1] if at + 1 < len(low) else ""
        answer = low[at] in ("no", "now") and following in (",", "i", "my", "the", "user")
        if low[at] in _FILLERS or low[at] in (",", ":", '"', "+", "/") or answer or low[at] in ("now", "currently"):
            at += 1
        else:
            break
    return at


def _subjectless(said: Said, at: int) -> bool:
    found = verb(said.low[at])
    following = said.low[at + 1] if at + 1 < len(said.low) else ""
    if said.low[at] in _NEGATED:
        if said.low[at] == "never":
            return following in _STATES or (verb(following) or ("", Form.BASE))[1] is not Form.BASE
        return said.low[at] in ("used", "does", "has", "is", "was", "cannot") or (
            said.low[at] in ("no", "not", "do", "can") and (following in ("longer", "not") or said.low[at] == "not")
        )
    if said.low[at] == "allergic":
        return True
    if found is None or _named(said, at):
        return False
    base, form = found
    if form is Form.ING:
        return base in _GOING and following not in ("is", "was")
    if form is Form.BASE:
        return base in _STATES
    return not said.acts(at + 1) or following in ("read", "work", "like")


def _named(said: Said, at: int) -> bool:
    return said.low[at] in GIVEN and said.capital(at)


def _of_owner(said: Said, at: int, owner: str) -> Subject | None:
    """What of its owner's a clause is about: "my mother", "my mother's name", "my favourite colour"."""
    begins = _verb(said, at)
    if begins is None:
        return None
    words = said.low[at:begins]
    if "and" in words and words[-1] == "i":
        return Subject(USER, "", begins)
    if "and" in words:
        return None
    whose = words.index("'s") if "'s" in words else None
    head = words[: whose if whose is not None else len(words)]
    if head and head[-1] in KIN:
        whom = _kin(head) if owner == USER else f"{owner}'s {_kin(head)}"
        return Subject(whom, " ".join(words[whose + 1 :]) if whose is not None else "", begins)
    return None if whose is not None else Subject(owner, " ".join(words), begins)


def _kin(words: tuple[str, ...]) -> str:
    kept = [word for word in words if word not in FUNCTION and word not in ("beautiful", "dear", "lovely", "whole")]
    return " ".join(folded(word)[0] for word in kept)


def _verb(said: Said, start: int) -> int | None:
    """Where the verb is behind a noun that begins here."""
    low = said.low
    if low[start : start + 1] and low[start] in _BE:
        return None
    first = None
    for at in range(start + 1, min(start + _LONGEST, len(low))):
        if low[at] in _NO_SUBJECT:
            break
        if low[at] in _BE or (low[at] in ("never", "used") and at > start):
            return (
                at
                if first is None or low[first - 1] in ("favorite", "favourite", "and") or _noun(said, first)
                else first
            )
        if low[at] == ":":
            return at
        found = verb(low[at])
        plural = low[at - 1].endswith("s") or low[at - 1] in _MANY or low[at - 1] == "i"
        if found is None or first is not None or said.capital(at):
            continue
        if found[1] in (Form.THIRD, Form.PAST) or (found[1] is Form.BASE and plural):
            first = at
    return first


def _noun(said: Said, at: int) -> bool:
    """Whether a form of a verb is a noun here, as what follows is the verb: the deploys are, work hours."""
    return at + 1 < len(said.low) and said.low[at + 1] in _BE


def _thing(said: Said, at: int) -> Subject | None:
    """A thing or person that is no name: the API, payment service, broccoli."""
    begins = _verb(said, at)
    if begins is None:
        return None
    words = said.low[at:begins]
    if "'s" in words:
        whose = words.index("'s")
        owner, words = _folded(words[:whose]), words[whose + 1 :]
        return Subject(owner, " ".join(words), begins) if owner and words else None
    if "of" in words:
        of = words.index("of")
        owner = _folded(words[of + 1 :])
        return Subject(owner, " ".join(words[:of]), begins) if owner else None
    if len(words) == 1 and words[0] in KIN:
        return Subject(_kin(words), "", begins)
    if words[-1] in ATTRIBUTES and (said.low[begins] in (*_BE, ":") or _sets(said.low[begins])):
        return Subject(_folded(_anywhere(words)) or USER, words[-1], begins)
    whom = _folded(words)
    return Subject(whom, "", begins) if whom else None


def _anywhere(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words before an attribute, without the environment in which it is so: the gateway's production port."""
    whose = words[:-1]
    if words[-1] not in _PLACED:
        return whose
    if whose and whose[-1] in _HOSTS:
        whose = whose[:-1]
    return whose[:-1] if whose and whose[-1] in _STAGES else words[:-1]


def _folded(words: tuple[str, ...]) -> str:
    return " ".join(folded(word)[0] if known(word) else word for word in words if word not in _UNNAMED)


def _name(said: Said, at: int) -> Subject | None:
    """A name, and what of its bearer's a clause is about."""
    end = at
    while said.capital(end) or (
        end > at and said.low[end : end + 1] and said.low[end] in _REST_OF_A_NAME and said.capital(end + 1)
    ):
        end += 1
    if end == at or end >= len(said.low):
        return None
    if "and" in said.low[at:end]:
        return None
    name = " ".join(word for word in said.low[at:end] if word != "the")
    if said.low[end] == "'s":
        return _of_owner(said, end + 1, name)
    if said.acts(end) or said.low[end] in ("not", "no", "now", "currently"):
        return Subject(name, "", end)
    return None


def apposition(said: Said) -> Subject | None:
    """Who is named at the beginning of a part without a verb, with what he is behind a comma: "Max, her cat, ..."."""
    at = _opening(said.low)
    end = said.low.index(",", at) if "," in said.low[at:] else at
    words = said.low[at:end]
    if not words or len(words) > _LONGEST:
        return None
    if words[0] in ("my", "our") and words[-1] in KIN:
        return Subject(_kin(words[1:]), "", end)
    return Subject(" ".join(words), "", end) if all(said.capital(place) for place in range(at, end)) else None


def _sets(word: str) -> bool:
    """Whether a verb gives an attribute another value."""
    found = verb(word)
    return found is not None and found[0] in _SETTING
