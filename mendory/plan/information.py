"""Which of several memories says most, and what the others say beyond it: their own sentences, never new ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from mendory.content.recalled import is_echo
from mendory.language import Reading, language_of
from mendory.record import SOURCE_CONFIDENCE, Memory
from mendory.text import exact_key, valueless

TEXT: Final = 0.4
METADATA: Final = 0.25
CONFIDENCE: Final = 0.25
RECENCY: Final = 0.1
"""Shares of the information score, in the order of design §7: what is said counts most, when it was said least. What
the user stated (1.0) outweighs what a model inferred (0.67) only where the texts say about as much."""


def scores(members: Sequence[Memory]) -> dict[str, float]:
    """Id → information score in 0 … 1, rounded to six digits, relative to these members.

    0.4 × units of the text + 0.25 × metadata keys with a value, each divided by the most of any member, + 0.25 ×
    confidence of the source / 3 + 0.1 × how late it was created between the first and the last of them. Units are
    different content words, quantities, dates and versions; characters, where no language reads all of the texts.
    """
    units, keys = _units([m.content or "" for m in members]), [_keys(m) for m in members]
    times = [m.created_at.timestamp() if m.created_at else None for m in members]
    known = [t for t in times if t is not None]
    first, last = (min(known), max(known)) if known else (0.0, 0.0)
    found = {}
    for memory, said, held, time in zip(members, units, keys, times, strict=True):
        score = TEXT * _share(said, max(units)) + METADATA * _share(held, max(keys))
        score += CONFIDENCE * SOURCE_CONFIDENCE.get(memory.source or "", 0) / max(SOURCE_CONFIDENCE.values())
        score += RECENCY * (0.0 if time is None else _share(time - first, last - first))
        found[str(memory.id)] = round(score, 6)
    return found


def most_informative_first(members: Sequence[Memory]) -> list[Memory]:
    """The members by information score, ties by id.

    Before all that, a row that nothing supersedes, then one with a vector: what its owner has replaced, or no search
    finds, is not kept in its twin's stead.
    """
    score = scores(members)
    return sorted(
        members,
        key=lambda m: (m.superseded_by not in (None, "", m.id), m.vectorless, -score[str(m.id)], m.id or ""),
    )


def unique_parts(primary: str, others: Sequence[str]) -> list[str]:
    """The sentences of the others that neither the primary nor an earlier part covers, as written and in their order.

    A sentence is covered when all its content words, with the same negations, quantities, dates, versions, owners and
    scenes are among what is known already. A text in another language than the primary's, or in none that is read, is
    kept whole unless it is literally the same.
    """
    language = language_of(primary)
    known, seen = _Known(), {exact_key(primary), ""}
    kept: list[str] = []
    if language is not None:
        # sentence by sentence, as the others are read: what a name or a scene is may depend on what stands around it
        for part in (primary, *language.sentences(primary)):
            known.learn(language.read(part))
            seen.add(exact_key(part))
    for other in others:
        reads = language if language is not None and _code(other) == language.code else None
        for part in (other,) if reads is None else reads.sentences(other):
            if exact_key(part) in seen:
                continue
            seen.add(exact_key(part))
            reading = None if reads is None else reads.read(part)
            if reading is None or not known.covers(reading):
                kept.append(part)
            if reading is not None:
                known.learn(reading)
    return kept


def after(original: str, echo: str) -> str:
    """What an echo says after the text that it repeats; all of it, where it does not hold that text as written.

    >>> after("Prefers tea.", "From memory: prefers tea. Also owns a cat.")
    'Also owns a cat.'
    """
    if is_echo(echo, original):  # to "you" what was said of the user is no more than that
        return ""
    found = _found(original, echo)
    return echo if found is None else echo[found.end() :].lstrip(_MARKS)


def repeated(echo: Memory, original: Memory) -> Memory:
    """The echo without what stands before the text that it repeats; with just that text, where nothing follows it."""
    text, said = original.content or "", echo.content or ""
    if is_echo(said, text):
        return replace(echo, content=text)
    found = _found(text, said)
    if found is None:
        return echo
    return replace(echo, content=said[found.start() :] if after(text, said) else text)


_MARKS: Final = " .。!！,，;；\"'”’」』)）\n"


def _found(original: str, echo: str) -> re.Match[str] | None:
    return re.search(re.escape(original.strip().rstrip(_MARKS)), echo, re.IGNORECASE)


@dataclass(slots=True)
class _Known:
    """Everything that has been said so far."""

    said: set[object] = field(default_factory=set)

    def covers(self, reading: Reading) -> bool:
        return self.said.issuperset(_facts(reading))

    def learn(self, reading: Reading) -> None:
        self.said.update(_facts(reading))


def _facts(reading: Reading) -> Iterator[object]:
    """What a reading says, one by one, comparable across readings of one language."""
    yield from (("word", w.fold, w.negated) for w in reading.words if w.content)
    yield from (("quantity", q.value, q.unit) for q in reading.quantities)
    for name in ("dates", "versions", "names", "owners", "scenes"):
        yield from ((name, value) for value in getattr(reading, name))
    if reading.ended:
        yield "ended"
    if reading.strength is not None:
        yield "strength", reading.strength


def _code(text: str) -> str | None:
    language = language_of(text)
    return None if language is None else language.code


def _units(texts: Sequence[str]) -> list[int]:
    languages = [language_of(text) for text in texts]
    if None in languages:
        return [len(exact_key(text)) for text in texts]
    found = []
    for text, language in zip(texts, languages, strict=True):
        assert language is not None
        reading = language.read(text)
        words = {w.fold for w in reading.words if w.content}
        found.append(len(words) + len(set(reading.quantities)) + len(reading.dates) + len(reading.versions))
    return found


def _keys(memory: Memory) -> int:
    return sum(not valueless(value) for value in (memory.metadata or {}).values())


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
