"""What a clause says of its subject: the verb, whether it is denied, and when it holds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from mendory.language.claim import Tense
from mendory.language.en.claims.verbs import Form, verb
from mendory.language.en.claims.words import MERELY, Said
from mendory.language.en.lists import STRENGTH, STRENGTH_PHRASES, listed

_BE = listed("am is are be been being")
_MODAL = listed("would could might may should")
_AHEAD = listed("will gonna wanna shall")
_MEANT = listed("want plan hope wish intend need expect wanna desire")
_STOP = listed("stop quit cease")
_GO_ON = listed("keep begin start continue")
_MOVES = listed(
    "move switch change become get start begin stop quit join leave migrate relocate retire lose marry divorce"
    " adopt buy"
    " graduate sell give finish drop transfer upgrade replace name call settle pass die turn break visit"
)
_SET = {
    **dict.fromkeys(("set", "changed", "renamed", "raised", "lowered", "increased", "reduced", "updated"), "change"),
    **dict.fromkeys(("moved", "postponed", "rescheduled", "extended", "pushed", "delayed", "shifted"), "move"),
    **{"switched": "switch", "migrated": "migrate", "upgraded": "upgrade", "transferred": "transfer"},
}
"""Participles of what is done to a setting, a plan or a person, by which it is another from then on."""
_LAST = listed("since and or but yet either , : though anyway")
_FOR = listed("since for")


@dataclass(frozen=True, slots=True)
class Predicate:
    """`verb` is in its base form. `ended`: it says that what it denies was so before. `begun`: it is new."""

    verb: str
    rest: str
    denied: bool
    tense: Tense
    ended: bool
    begun: bool
    strength: int | None
    instead: str
    """What it holds instead of: "works at Acme instead of Beta"; "" where that is not said."""


def predicate(said: Said, begins: int) -> Predicate | None:
    """The predicate that begins at a word; None where there is none."""
    low = _without_idioms(said.low)
    begins -= len(said.low[:begins]) - len(_without_idioms(said.low[:begins]))
    return _Reader(low, begins).read() if begins < len(low) else None


def _without_idioms(low: tuple[str, ...]) -> tuple[str, ...]:
    """The words, with one word for "now and then": what is done so is not begun now; and without "not only"."""
    kept: list[str] = []
    for word in low:
        kept.append(word)
        if word in MERELY and kept[-2:-1] == ["not"]:
            del kept[-2:]
        if word in ("then", "again") and kept[-3:-1] == ["now", "and"]:
            every = kept[-4:-3] == ["every"]
            kept[-3 - every :] = ["occasionally"]
    return tuple(kept)


class _Reader:
    """Reads from left to right what stands before the main verb."""

    def __init__(self, low: tuple[str, ...], at: int) -> None:
        self.low = low
        self.at = at
        self.denied = False
        self.ended = False
        self.begun = "now" in low or "instead" in low
        self.instead = ""
        self.tense = Tense.NOW
        self.strength: int | None = None

    def read(self) -> Predicate | None:
        """What was read; None where no verb follows."""
        while self.at < len(self.low):
            if not self._before_the_verb():
                break
        if self.at >= len(self.low):
            return None
        main = self._main()
        if main is None:
            return None
        rest = list(self.low[self.at :])
        if rest[-1:] == ["anymore"] or rest[-2:] == ["any", "more"] or rest[-2:] == ["any", "longer"]:
            rest = rest[: -1 if rest[-1] == "anymore" else -2]
            self.ended = self.ended or self.denied
        rest = self._in_place_of(rest)
        rest = [word for word in rest if word not in ("now", "instead", "currently")]
        if self.strength is None:
            self.strength = _strength(rest)
        if rest[:1] in (["only"], ["always"], ["often"]) and len(rest) > 1:
            rest = rest[1:]
        while rest and rest[-1] in _LAST:
            rest.pop()
        said = " ".join(rest).strip(" ,:")
        return Predicate(main, said, self.denied, self.tense, self.ended, self.begun, self.strength, self.instead)

    def _in_place_of(self, rest: list[str]) -> list[str]:
        """What is said, without what it is said to hold instead of."""
        for at in range(1, len(rest) - 2):
            if rest[at : at + 2] == ["instead", "of"]:
                self.instead = " ".join(rest[at + 2 :]).partition(" ,")[0]
                return rest[:at]
        return rest

    def _word(self, ahead: int = 0) -> str:
        return self.low[self.at + ahead] if self.at + ahead < len(self.low) else ""

    def _later(self, tense: Tense) -> None:
        if self.tense is Tense.NOW:
            self.tense = tense

    def _before_the_verb(self) -> bool:
        """Whether the word at hand stands before the main verb; if so it is passed."""
        word, following = self._word(), self._word(1)
        if word == "not":
            self.denied = not self.denied
        elif word == "no" and following == "longer":
            self.denied = self.ended = True
            self.at += 1
        elif word in STRENGTH:
            self.denied = self.denied or STRENGTH[word] == 0
            self.strength = STRENGTH[word]
        elif word in _AHEAD:
            self._later(Tense.PLANNED)
        elif word in _MODAL:
            self._later(Tense.PLANNED if word == "would" and following in ("like", "love") else Tense.SUPPOSED)
            self.at += word == "would" and following in ("like", "love")
        elif word == "used" and following == "to":
            self._later(Tense.PAST)
            self.ended = True
            self.at += 1
        elif word in ("do", "does") and (following == "not" or _base(following) or following in STRENGTH):
            pass
        elif word == "did" and following != "":
            self._later(Tense.PAST)
        elif word in ("can", "must", "now", "only", "to", "both", "all", "have", "has", "got") and self._passed(word):
            pass
        else:
            return False
        self.at += 1
        return True

    def _passed(self, word: str) -> bool:
        if word in ("have", "has"):
            return self._word(1) == "to" and _base(self._word(2))
        return word != "got"

    def _main(self) -> str | None:
        word = self._word()
        if word in _BE or word in ("was", "were"):
            return self._be(word)
        if word in ("has", "have", "had"):
            return self._have(word)
        if word == ":":
            self.at += 1
            return "be"
        if word == "allergic":
            return "be"
        found = verb(word)
        if found is None:
            return None
        self.at += 1
        base, form = found
        if form is Form.PAST and base not in _MOVES:
            self._later(Tense.PAST)
        return self._through(base)

    def _be(self, word: str) -> str:
        self.at += 1
        if word in ("was", "were"):
            self._later(Tense.PAST)
        while self._word() in ("not", "no") or self._word() in STRENGTH or self._word() in ("now", "all", "both"):
            if self._word() == "no" and self._word(1) != "longer":
                break
            self.denied = self.denied or self._word() in ("not", "no", "never")
            self.ended = self.ended or self._word() == "no"
            self.at += 2 if self._word() == "no" else 1
        if self._word() == "going" and self._word(1) == "to":
            if _base(self._word(2)):
                self._later(Tense.PLANNED)
                self.at += 2
                return self._through(self._infinitive() or "be")
            return "be"
        if made := self._made_another():
            self.tense = Tense.NOW if self.tense is Tense.PAST else self.tense
            return made
        found = verb(self._word())
        if found is None or found[1] is not Form.ING:
            return "be"
        if self._word() in ("hoping", "planning", "wanting", "looking", "trying", "dreaming", "thinking"):
            self._later(Tense.PLANNED)
        if found[0] == "get" or self._word(1) in ("is", "was"):
            self._later(Tense.PLANNED)
        if found[0] in _MOVES and found[0] not in ("begin", "start"):
            self._later(Tense.PLANNED)
        self.at += 1
        return self._through(found[0])

    def _made_another(self) -> str | None:
        """The verb of "was changed to", "has been moved from one to another"; None of another passive."""
        made = _SET.get(self._word())
        if made is None or "to" not in self.low[self.at + 1 :]:
            return None
        self.at += 1
        return made

    def _infinitive(self) -> str | None:
        found = verb(self._word())
        if found is None:
            return None
        self.at += 1
        return found[0]

    def _have(self, word: str) -> str:
        self.at += 1
        ahead = 0
        while self._word(ahead) in ("not", "now") or self._word(ahead) in STRENGTH:
            ahead += 1
        found = verb(self._word(ahead))
        if self._word(ahead) == "been" or (found and found[1] is Form.PAST) or self._word(ahead) == "got":
            before = self.low[self.at : self.at + ahead]
            self.denied = self.denied or "not" in before or "never" in before
            self.at += ahead
            if self._word() == "got":
                self.at += 1
                return "have"
            if self._word() == "been":
                lasting = any(each in _FOR for each in self.low[self.at :])
                self.at += 1
                next_verb = verb(self._word())
                if next_verb and next_verb[1] is Form.ING:
                    self.at += 1
                    return self._through(next_verb[0])
                if made := self._made_another():
                    return made
                if not lasting:
                    self._later(Tense.PAST)
                return "be"
            base = found[0] if found else "have"
            lasting = any(each in _FOR for each in self.low[self.at :]) or base in (
                "love",
                "like",
                "hate",
                "own",
                "have",
            )
            self.at += 1
            if base not in _MOVES and not lasting:
                self._later(Tense.PAST)
            return self._through(base)
        if word == "had":
            self._later(Tense.PAST)
        return "have"

    def _through(self, base: str) -> str:
        """The verb that counts: "stopped eating" is eat, denied and ended; "wants to live" is live, planned."""
        following = verb(self._word())
        if base in _STOP and following and following[1] is Form.ING:
            self.denied, self.ended = not self.denied, True
            self.at += 1
            return following[0]
        if base == "give" and self._word() == "up" and (up := verb(self._word(1))) and up[1] is Form.ING:
            self.denied, self.ended = not self.denied, True
            self.at += 2
            return up[0]
        if base in _GO_ON and (following and following[1] is Form.ING):
            self.begun = self.begun or base != "keep"
            self.at += 1
            return following[0]
        if base in _MEANT and self._word() == "to" and (meant := verb(self._word(1))):
            self._later(Tense.PLANNED)
            self.at += 2
            return meant[0]
        if base in ("look", "try", "dream", "think", "hope", "plan"):
            self._later(Tense.PLANNED if base != "think" else Tense.SUPPOSED)
        return base


def _base(word: str) -> bool:
    found = verb(word)
    return found is not None and found[1] is Form.BASE


def _strength(words: list[str]) -> int | None:
    said = {STRENGTH[word] for word in words if word in STRENGTH}
    said.update(STRENGTH_PHRASES[pair] for pair in pairwise(words) if pair in STRENGTH_PHRASES)
    return said.pop() if len(said) == 1 else None
