"""Labelled pairs to train a small English judge on, generated from word lists alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from mendory.judge.training import facts as m
from mendory.judge.training import statements as st
from mendory.judge.training.phrasing import filled, negated, third


class Label(IntEnum):
    """What a pair is, as the trained model numbers it."""

    CONTRADICTION = 0
    ENTAILMENT = 1
    NEUTRAL = 2


@dataclass(frozen=True, slots=True)
class Example:
    """Two texts and how they stand to each other."""

    a: str
    b: str
    label: Label


def examples(count: int, draw: random.Random) -> list[Example]:
    """So many pairs, about two in five of them contradictions; the same ones of the same `draw`."""
    made = _Made(draw)
    kinds = (
        (made.facts, 9),
        (made.preferences, 6),
        (made.favorites, 4),
        (made.acts, 8),
        (made.apart, 6),
        (made.places, 2),
    )
    makers = [maker for maker, weight in kinds for _ in range(weight)]
    return [made.dressed(draw.choice(makers)()) for _ in range(count)]


class _Made:
    """Makes one pair at a time; nothing but `draw` decides which."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw

    def facts(self) -> Example:
        """One attribute said twice: other value, denied, same value in other words, past, of another subject."""
        slot = self.draw.choice(m.SLOTS)
        value, other = self.draw.sample(slot.values, 2)
        said = self._said(slot, value)
        kind = self.draw.random()
        if kind < 0.3:
            label = Label.CONTRADICTION if slot.single else Label.NEUTRAL
            return Example(said, self._said(slot, other), label)
        if kind < 0.45 and slot.denials:
            return Example(said, self.draw.choice(slot.denials), Label.CONTRADICTION)
        if kind < 0.5 and len(slot.denials) > 1:
            one, two = self.draw.sample(slot.denials, 2)
            return Example(one, two, Label.NEUTRAL if slot.name == "diet" else Label.ENTAILMENT)
        if kind < 0.68:
            return Example(said, self._said(slot, value, but=said), Label.ENTAILMENT)
        if kind < 0.76 and slot.was:
            return Example(said, filled(self.draw.choice(slot.was), other), Label.NEUTRAL)
        if kind < 0.86:
            who = self.draw.choice((f"my {self.draw.choice(m.KIN)}", self.draw.choice(m.NAMES)))
            return Example(said, third(self._said(slot, self.draw.choice((value, other))), who), Label.NEUTRAL)
        if kind < 0.94:
            who = self.draw.choice(m.NAMES)
            same = self.draw.random() < 0.6
            whom = who if same else self.draw.choice([name for name in m.NAMES if name != who])
            label = Label.CONTRADICTION if same and slot.single else Label.NEUTRAL
            return Example(third(said, who), third(self._said(slot, other), whom), label)
        return Example(said, negated(said), Label.CONTRADICTION)

    def preferences(self) -> Example:
        """A thing liked and disliked, in general and in a scene, more or less often."""
        thing = self.draw.choice(self.draw.choice((m.FOODS, m.DOINGS, m.THINGS)))
        like, like2 = (filled(way, thing) for way in self.draw.sample(m.LIKES, 2))
        no, no2 = (filled(way, thing) for way in self.draw.sample(m.DISLIKES, 2))
        kind = self.draw.random()
        if kind < 0.4:
            return Example(like, no, Label.CONTRADICTION)
        if kind < 0.5:
            return Example(like, like2, Label.ENTAILMENT)
        if kind < 0.6:
            return Example(no, no2, Label.ENTAILMENT)
        other = self.draw.choice([x for x in (*m.FOODS, *m.DOINGS, *m.THINGS) if x != thing])
        if kind < 0.75:
            return Example(self.draw.choice((like, no)), self._stance(other), Label.NEUTRAL)
        if kind < 0.85:
            one, two = self.draw.sample(m.SCENES, 2)
            second = no if self.draw.random() < 0.7 else f"{no} {two}"
            return Example(f"{like} {one}", second, Label.NEUTRAL)
        if kind < 0.92:
            who = self.draw.choice(m.KIN)
            return Example(like, third(no, f"my {who}"), Label.NEUTRAL)
        name = self.draw.choice(m.NAMES)
        return Example(third(like, name), third(no, name), Label.CONTRADICTION)

    def favorites(self) -> Example:
        """The favourite of a kind, which is one."""
        kind = self.draw.choice(sorted(m.FAVORITES))
        one, two = self.draw.sample(m.FAVORITES[kind], 2)
        chance = self.draw.random()
        if chance < 0.5:
            return Example(self._favorite(kind, one), self._favorite(kind, two), Label.CONTRADICTION)
        if chance < 0.65:
            return Example(self._favorite(kind, one), self._favorite(kind, one), Label.ENTAILMENT)
        if chance < 0.75:
            return Example(self._favorite(kind, one), filled(self.draw.choice(m.DISLIKES), one), Label.CONTRADICTION)
        if chance < 0.85:
            return Example(self._favorite(kind, one), filled(self.draw.choice(m.LIKES), two), Label.NEUTRAL)
        other = self.draw.choice([name for name in sorted(m.FAVORITES) if name != kind])
        return Example(self._favorite(kind, one), self._favorite(other, m.FAVORITES[other][0]), Label.NEUTRAL)

    def acts(self) -> Example:
        """Somebody who does something, seen or not: negated, turned round, another one, another thing."""
        who, act = self.draw.choice(st.ACTORS), self.draw.choice(st.ACTS)
        verb = "are" if who.startswith(("two", "some")) else "is"
        said = f"{who} {verb} {act}"
        kind = self.draw.random()
        bare = who.removeprefix("a ").removeprefix("an ").removeprefix("some ")
        if kind < 0.2:
            return Example(said, f"there {verb} no {bare} {act}", Label.CONTRADICTION)
        if kind < 0.35:
            return Example(said, f"{who} {verb} not {act}", Label.CONTRADICTION)
        if kind < 0.5:
            turned = self.draw.choice(sorted(st.TURNED))
            return Example(f"{who} {verb} {turned}", f"{who} {verb} {st.TURNED[turned]}", Label.CONTRADICTION)
        if kind < 0.6:
            again = self.draw.choice(
                (f"there {verb} {who} {act}", f"{who} who {verb} {act}", f"{who} {verb} there, {act}")
            )
            return Example(said, again, Label.ENTAILMENT)
        if kind < 0.65:
            one = f"{who} {verb} not {act}"
            return Example(one, f"there {verb} no {bare} {act}", Label.ENTAILMENT)
        other = self.draw.choice([one for one in st.ACTS if one != act])
        if kind < 0.8:
            no = " not" if self.draw.random() < 0.35 else ""
            return Example(said, f"{who} {verb}{no} {other}", Label.NEUTRAL)
        another = self.draw.choice([one for one in st.ACTORS if one != who])
        verb2 = "are" if another.startswith(("two", "some")) else "is"
        no = " not" if self.draw.random() < 0.35 else ""
        return Example(said, f"{another} {verb2}{no} {self.draw.choice((act, other))}", Label.NEUTRAL)

    def apart(self) -> Example:
        """Two attributes of one person, or one attribute beside a preference."""
        one, two = self.draw.sample([slot for slot in m.SLOTS if slot.name not in _TIED], 2)
        first = self._said(one, self.draw.choice(one.values))
        if self.draw.random() < 0.5:
            return Example(first, self._said(two, self.draw.choice(two.values)), Label.NEUTRAL)
        return Example(first, self._stance(self.draw.choice((*m.DOINGS, *m.FOODS))), Label.NEUTRAL)

    def places(self) -> Example:
        """A place, and one that holds it or does not."""
        city = self.draw.choice(sorted(m.CITIES))
        slot = next(slot for slot in m.SLOTS if slot.name == "lives_in")
        if self.draw.random() < 0.5:
            return Example(self._said(slot, city), self._said(slot, m.CITIES[city]), Label.ENTAILMENT)
        other = self.draw.choice(sorted(set(m.CITIES.values()) - {m.CITIES[city]}))
        return Example(self._said(slot, city), self._said(slot, other), Label.CONTRADICTION)

    def dressed(self, example: Example) -> Example:
        """The same pair, either way round, as people write: small letters, a full stop, something said beside it."""
        pair = [example.a, example.b]
        self.draw.shuffle(pair)
        written = []
        for text in pair:
            text = text if self.draw.random() < 0.5 else text[0].upper() + text[1:]
            if self.draw.random() < 0.6:
                text += "."
            if self.draw.random() < 0.05:
                text = f"{text} {self.draw.choice(st.ASIDES)}"
            if self.draw.random() < 0.2:
                text = text.lower()
            written.append(text)
        return Example(written[0], written[1], example.label)

    def _said(self, slot: m.Slot, value: str, but: str = "") -> str:
        return self.draw.choice([way for one in slot.ways if (way := filled(one, value)) != but])

    def _stance(self, thing: str) -> str:
        return filled(self.draw.choice((*m.LIKES, *m.DISLIKES)), thing)

    def _favorite(self, kind: str, value: str) -> str:
        way = (
            "my favorite {k} is {v}",
            "{v} is my favorite {k}",
            "the {k} I like best is {v}",
            "of every {k} I like {v} most",
        )
        return self.draw.choice(way).replace("{k}", kind).replace("{v}", value)


_TIED = frozenset({"job", "employer", "partner", "marital", "pet", "pets", "studies", "diet"})
"""Attributes of which one may say something of another."""


def batches(made: list[Example], size: int, draw: random.Random) -> Iterator[list[Example]]:
    """The examples in an order of its own, so many at once."""
    order = draw.sample(range(len(made)), len(made))
    for at in range(0, len(order), size):
        yield [made[i] for i in order[at : at + size]]
