"""A healthy store: some five thousand memories in fourteen scopes, half Chinese, half English, from a seed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from random import Random
from typing import Final

from demo.hard import HARD, Hard
from demo.people import SPACES
from demo.rows import Row, is_chinese, metadata_of
from demo.scribe import EN, END, SLOT, START, ZH, Scribe, Session
from mendory.text import exact_key

PER_SCOPE: Final = 366


def _sessions(scribe: Scribe, target: int) -> Iterable[tuple[Session, list[datetime]]]:
    """Sessions until `target` memories are spoken for: imports, conversations and single notes."""
    rng, slug = scribe.rng, scribe.space.scope.partition(":")[2]
    count = {"en": 0, "zh": 0}
    while sum(count.values()) < target:
        lang = EN if count["en"] <= count["zh"] else ZH
        day = START + timedelta(days=rng.randrange((END - START).days))
        token = f"{rng.randrange(16**4):04x}"
        kind = rng.choices(("import", "chat", "note"), (2, 5, 16))[0]
        if kind == "import":
            size, gap = rng.randrange(7, 13), 2.0
            start = day + timedelta(hours=rng.choice((1, 2, 18, 19)), minutes=rng.randrange(60))
            topic = rng.choice(scribe.space.topics)
            session = Session(start, lang, f"import-{day:%Y%m%d}-{slug}-{token}", topic, lang.topics[topic])
        elif kind == "chat":
            size, gap = rng.randrange(3, 7), 240.0
            start = day + timedelta(minutes=rng.randrange(60, 900))
            session = Session(start, lang, f"chat-{day:%m%d}-{token}", name=f"s-{token}")
        else:
            size, gap = 1, 60.0
            start = day + timedelta(minutes=rng.randrange(30, 960), seconds=rng.randrange(60))
            session = Session(start, lang, name=f"s-{token}" if rng.random() < 0.5 else "")
        count[lang.code] += size
        yield session, [start + timedelta(seconds=gap * at + rng.random() * gap) for at in range(size)]


def _hard(scribe: Scribe, hard: Hard) -> None:
    """A hard negative, stored on a day of its own."""
    lang = ZH if is_chinese(hard.text) else EN
    when = START + timedelta(days=scribe.rng.randrange(10, 290), minutes=scribe.rng.randrange(60, 900))
    held = {"topic": hard.topic, "entities": list(hard.entities), "scene": hard.scene}
    scribe.add(hard.text, hard.kind, held, None, Session(when, lang), when)


def _linked(scribe: Scribe) -> None:
    """Some memories name earlier ones of their scope that share an entity."""
    rng, ordered = scribe.rng, sorted(scribe.rows, key=lambda r: (r["created_at"], r["id"]))
    by_entity: dict[str, list[str]] = {}
    for row in ordered:
        names = metadata_of(row)["entities"]
        known = [i for name in names for i in by_entity.get(name, ())]
        if known and rng.random() < 0.11:
            row["related_ids"] = sorted(set(rng.sample(known, min(len(known), rng.randrange(1, 3)))))
        for name in names:
            by_entity.setdefault(name, []).append(row["id"])


def _history(scribe: Scribe) -> None:
    """Memories rightly retired: archived copies with a primary, outdated facts with a successor."""
    rng = scribe.rng
    active = [r for r in scribe.rows if r["status"] == "active" and r["id"] in scribe.drawn]
    for row in rng.sample(active, 9):
        phrase, chosen, lang = scribe.drawn[row["id"]]
        if phrase.kind != "fact":
            when = row["created_at"] + timedelta(days=rng.randrange(1, 20))
            copy = scribe.add(row["content"], row["kind"], metadata_of(row), None, Session(when, lang), when)
            copy |= {
                "status": "archived",
                "duplicate_of": row["id"],
                "claim": row["claim"],
                "updated_at": copy["created_at"],
            }
            row["related_notes"] = ["又说过一遍，内容没变" if lang.code == "zh" else "Said once more later, unchanged"]
            continue
        when = row["created_at"] - timedelta(days=rng.randrange(20, 90))
        kept = SLOT.findall(phrase.claim[0] + phrase.claim[1])
        other = scribe.draw(phrase, lang, when) | {s: chosen[s] for s in kept}
        if exact_key(phrase.text.format(**other)) not in scribe.keys:
            held = metadata_of(row)
            old = scribe.row(phrase, other, held["scene"], held["topic"], Session(when, lang), when)
            old |= {"status": "archived", "superseded_by": row["id"]}


def memories(seed: int = 7, per_scope: int = PER_SCOPE) -> list[Row]:
    """All healthy rows in the order they were stored; the same for the same seed."""
    rows: list[Row] = []
    for space in SPACES:
        scribe = Scribe(space, Random(f"{seed}/{space.scope}"))
        for hard in HARD:
            if space.scope in hard.scopes:
                _hard(scribe, hard)
        for session, times in _sessions(scribe, per_scope):
            for when in times:
                scribe.write(session, when)
        _linked(scribe)
        _history(scribe)
        rows += scribe.rows
    assert len({r["id"] for r in rows}) == len(rows)
    return sorted(rows, key=lambda r: (r["created_at"], r["id"]))
