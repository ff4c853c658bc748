"""The scribe: writes the memories of one scope, so that nothing is said twice or contradicted."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any, Final

from demo import banks_en, banks_zh, phrases_en, phrases_zh
from demo.people import Space
from demo.phrases import NAMES, Banks, Phrase, Phrases
from demo.rows import Row, metadata_text
from mendory.text import exact_key

START: Final = datetime(2025, 1, 12, tzinfo=UTC)
END: Final = datetime(2025, 11, 15, tzinfo=UTC)
SLOT: Final = re.compile(r"\{(\w+)\}")
_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_OWN_NAMES: Final = ("p", "q", "company", "contact")
_MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


@dataclass(frozen=True, slots=True)
class Language:
    """One language: its phrases, the words for the slots, how topics are written."""

    code: str
    phrases: Phrases
    banks: Banks
    topics: Mapping[str, str]

    def day(self, when: datetime) -> str:
        """A date as people write it."""
        return f"{when.month}月{when.day}日" if self.code == "zh" else f"{when.day} {_MONTHS[when.month - 1]}"


EN: Final = Language("en", phrases_en.PHRASES, banks_en.BANKS, phrases_en.TOPICS)
ZH: Final = Language("zh", phrases_zh.PHRASES, banks_zh.BANKS, phrases_zh.TOPICS)


@dataclass(slots=True)
class Session:
    """What memories of one batch share: when, language, batch, topic and scene where they agree."""

    start: datetime
    language: Language
    batch: str | None = None
    topic: str | None = None
    scene: str | None = None
    name: str = ""


@dataclass(slots=True)
class Scribe:
    """Writes one scope; remembers texts and subjects so that nothing is said twice or contradicted."""

    space: Space
    rng: Random
    keys: set[str] = field(default_factory=set)
    subjects: set[tuple[Any, ...]] = field(default_factory=set)
    rows: list[Row] = field(default_factory=list)
    drawn: dict[str, tuple[Phrase, dict[str, str], Language]] = field(default_factory=dict)

    def words(self, language: Language, slot: str) -> tuple[str, ...]:
        """What may stand in a slot in this scope."""
        own = self.space.zh if language.code == "zh" else self.space.en
        return own.get(slot) or language.banks[slot]

    def draw(self, phrase: Phrase, language: Language, when: datetime) -> dict[str, str]:
        """A value for every slot of the phrase; an event's date lies shortly before it is stored."""
        chosen: dict[str, str] = {}
        for slot in sorted(set(SLOT.findall(" ".join((phrase.text, *phrase.claim))))):
            words = [w for w in self.words(language, slot) if w not in chosen.values() or slot not in NAMES]
            chosen[slot] = self.rng.choice(words)
        if phrase.kind == "event":
            chosen["date"] = language.day(when - timedelta(days=self.rng.randrange(0, 6)))
            later = (when.month - 1 + self.rng.randrange(1, 4)) % 12
            chosen["month"] = f"{later + 1}月" if language.code == "zh" else _MONTHS[later]
        return chosen

    def subject(
        self, at: tuple[str, int], phrase: Phrase, chosen: Mapping[str, str], lang: Language
    ) -> tuple[Any, ...]:
        """What a claim is about, the same in both languages; one memory per subject keeps the store consistent."""
        about = phrase.claim[0] + (phrase.claim[1] if phrase.kind == "fact" else phrase.text)
        slots = SLOT.findall(about)
        if phrase.kind == "preference":
            slots = [s for s in slots if s in NAMES or s in SLOT.findall(phrase.claim[0])]
        named = [chosen[s] if s in _OWN_NAMES else self.words(lang, s).index(chosen[s]) for s in slots]
        return (*at, *named)

    def write(self, session: Session, when: datetime) -> None:
        """One more memory of the session."""
        lang = session.language
        for _ in range(400):
            topic = session.topic or self.rng.choice(self.space.topics)
            index = self.rng.randrange(len(lang.phrases[topic]))
            phrase = lang.phrases[topic][index]
            chosen = self.draw(phrase, lang, when)
            text = phrase.text.format(**chosen)
            about = self.subject((topic, index), phrase, chosen, lang) if phrase.claim else (text,)
            if exact_key(text) not in self.keys and about not in self.subjects:
                break
        else:
            return
        self.subjects.add(about)
        row = self.row(phrase, chosen, session.scene or phrase.scene, lang.topics[topic], session, when)
        self.drawn[row["id"]] = (phrase, chosen, lang)

    def row(
        self,
        phrase: Phrase,
        chosen: Mapping[str, str],
        scene: str,
        topic: str,
        session: Session,
        when: datetime,
    ) -> Row:
        """The memory as a row, added to the scope's."""
        text = phrase.text.format(**chosen)
        entities = [chosen[s] for s in dict.fromkeys(SLOT.findall(phrase.text)) if s in NAMES]
        claim = _claim(phrase, chosen, scene) if phrase.claim and self.rng.random() < 0.62 else None
        held = {"topic": topic, "entities": entities or [self.space.scope.partition(":")[2]], "scene": scene}
        return self.add(text, phrase.kind, held, claim, session, when)

    def add(
        self,
        text: str,
        kind: str,
        held: Mapping[str, Any],
        claim: Mapping[str, Any] | None,
        session: Session,
        when: datetime,
    ) -> Row:
        """A row of this text with everything a live store has around it."""
        rng = self.rng
        created = when.replace(microsecond=rng.randrange(1000) * 1000)
        until = max(END, created) + timedelta(days=10)
        updated = created if rng.random() < 0.85 else created + (until - created) * rng.random() * 0.5
        read = created + (until - created) * rng.random() if rng.random() < 0.7 else None
        row: Row = {
            "id": new_id(rng),
            "content": text,
            "metadata": metadata_text({**held, **self.incidental(session)}),
            "created_at": created,
            "updated_at": updated,
            "source": _source(rng, kind),
            "scope": self.space.scope,
            "status": "pending_review" if rng.random() < 0.03 else "active",
            "kind": kind,
            "claim": json.dumps(claim, ensure_ascii=False) if claim else None,
            "last_accessed_at": read,
            "last_verified_at": updated + timedelta(days=rng.randrange(1, 9)) if rng.random() < 0.2 else None,
            "batch_id": session.batch,
            "duplicate_of": None,
            "superseded_by": None,
            "related_ids": None,
            "related_notes": None,
        }
        self.keys.add(exact_key(text))
        self.rows.append(row)
        return row

    def incidental(self, session: Session) -> dict[str, Any]:
        """Metadata that nobody requires, as owners' code leaves it there."""
        rng = self.rng
        extra: dict[str, Any] = {"importance": Decimal(rng.randrange(20, 100)).scaleb(-2)}
        if session.name:
            extra["session"] = session.name
        if self.space.scope.startswith("user:") and rng.random() < 0.6:
            extra["user"] = self.space.scope.partition(":")[2]
        if rng.random() < 0.4:
            extra["lang"] = session.language.code
        if rng.random() < 0.25:
            extra["channel"] = rng.choice(("web", "phone", "mail", "voice"))
        return extra


def new_id(rng: Random) -> str:
    """An id as the demo's assistant gives it."""
    return "mem_" + "".join(rng.choice(_ALPHABET) for _ in range(12))


def _source(rng: Random, kind: str) -> str:
    """Who said it; events come from logs more often."""
    weights = (2, 3, 5) if kind == "event" else (6, 3, 1)
    return rng.choices(("user_stated", "model_inferred", "system_log"), weights)[0]


def _claim(phrase: Phrase, chosen: Mapping[str, str], scene: str) -> dict[str, Any]:
    """The claim as the writer gave it: entity-attribute-value, or scene-object-stance-constraint."""
    first, second, third = (part.format(**chosen) for part in phrase.claim)
    if phrase.kind == "fact":
        return {"entity": first, "attribute": second, "value": third}
    return {"scene": scene, "object": first, "stance": int(second), "constraint": third or None}
