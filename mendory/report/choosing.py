"""What a person sees before they answer: both sides of a finding, and what each answer will do. In both languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from mendory.choices import Choice, choices
from mendory.finding import Code, Finding
from mendory.plan.answered import primary_of
from mendory.record import Memory
from mendory.report.conflicts import claims
from mendory.report.words import LANGUAGES, when
from mendory.text import shown

_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "claims": ("claims", "声明"),
    "source": ("source", "来源"),
    "batch": ("batch", "批次"),
    "created": ("created", "创建于"),
    "verified": ("last verified", "最近确认"),
    "status": ("status", "状态"),
    "disputed": ("disputed with", "有争议，对方为"),
    "kept": ("kept as it is by {by}", "{by} 要求保持原样"),
    "unknown": ("unknown", "不明"),
    "never": ("never", "从未"),
    "gone": ("this row is not there any more", "该行已不存在"),
    "keep": (
        "archives {others}, superseded by {keep}; undone by a rollback",
        "归档 {others}，由 {keep} 取代；可撤销",
    ),
    "merge": (
        "keeps {keep}, archives {others}; what only they say becomes a note of it",
        "保留 {keep}，归档 {others}；只有它们才有的内容记为附注",
    ),
    "both": (
        "archives nothing; marks of the dispute are lifted, and nobody is asked again until a row changes",
        "不归档任何行；撤去争议标记，直到某行有变化都不再询问",
    ),
    "exception": (
        "archives nothing; {narrower} is linked as an exception of {general}",
        "不归档任何行；{narrower} 关联为 {general} 的例外",
    ),
    "later": ("changes nothing; it is asked again then", "什么都不改；到时再问"),
}
_MOST_NAMED: Final = 6


@dataclass(frozen=True, slots=True)
class Side:
    """One row of a finding as a person sees it: its text, what it claims, and where it comes from."""

    id: str
    text: str | None
    claim: str
    source: str | None
    batch: str | None
    created: datetime | None
    verified: datetime | None
    status: str | None
    disputed: tuple[str, ...]
    kept_by: str

    def as_json(self) -> dict[str, Any]:
        """The side as `mendory review FINDING --json` prints it."""
        times = {"created_at": self.created, "last_verified_at": self.verified}
        return {
            "id": self.id,
            "content": self.text,
            "claim": self.claim,
            "source": self.source,
            "batch_id": self.batch,
            **{name: None if at is None else at.isoformat() for name, at in times.items()},
            "status": self.status,
            "disputed_with": list(self.disputed),
            "kept_by": self.kept_by or None,
        }

    def told(self, lang: str) -> str:
        """Where it comes from and how it stands, in one line of the language."""
        unknown, never = _say("unknown", lang), _say("never", lang)
        parts = [
            f"{_say('source', lang)} {shown(self.source, 40) if self.source else unknown}",
            f"{_say('batch', lang)} {shown(self.batch, 40) if self.batch else unknown}",
            f"{_say('created', lang)} {when(self.created.isoformat(), lang) if self.created else unknown}",
            f"{_say('verified', lang)} {when(self.verified.isoformat(), lang) if self.verified else never}",
            f"{_say('status', lang)} {shown(self.status, 40) if self.status else unknown}",
        ]
        if self.claim:
            parts.insert(0, f"{_say('claims', lang)} {self.claim}")
        if self.disputed:
            parts.append(f"{_say('disputed', lang)} {', '.join(map(shown, self.disputed))}")
        if self.kept_by:
            parts.append(_say("kept", lang, by=shown(self.kept_by)))
        return " · ".join(parts)


def sides(finding: Finding, held: Mapping[str, Memory], kept: Mapping[str, str], lang: str) -> list[Side]:
    """The finding's rows in the order of their ids; `kept` says by whom a row is to be left as it is."""
    told = claims(finding.evidence.get("claims", ()), lang)
    claim = dict(zip(finding.ids, told, strict=False))
    found = []
    for ident in finding.ids:
        memory = held.get(ident, Memory(ident, None))
        found.append(
            Side(
                ident,
                memory.content,
                claim.get(ident, ""),
                memory.source,
                memory.batch_id,
                memory.created_at,
                memory.last_verified_at,
                memory.status,
                memory.kept.disputed_with,
                kept.get(ident, ""),
            )
        )
    return found


def effects(finding: Finding, held: Mapping[str, Memory], lang: str) -> Iterator[tuple[Choice, str | None, str]]:
    """(choice, the row it keeps, what it will do) of every answer there is to the finding; keep once for each row."""
    members = [held[i] for i in finding.ids if i in held]
    for choice in choices(finding):
        if choice is Choice.KEEP:
            for keep in finding.ids:
                yield choice, keep, _say("keep", lang, keep=shown(keep), others=_others(finding.ids, keep))
        elif choice is Choice.MERGE and len(members) > 1:
            into = str(primary_of(finding, members).id)
            yield choice, None, _say("merge", lang, keep=shown(into), others=_others(finding.ids, into))
        elif choice is Choice.BOTH and finding.code is Code.CONFLICT_EXCEPTION:
            narrower, general = (shown(str(finding.evidence[side])) for side in ("narrower", "general"))
            yield choice, None, _say("exception", lang, narrower=narrower, general=general)
        elif choice in (Choice.BOTH, Choice.LATER):
            yield choice, None, _say(choice.value, lang)


def gone(lang: str) -> str:
    """What is said of a row that is not there any more."""
    return _say("gone", lang)


def _others(ids: Sequence[str], but: str) -> str:
    others = [shown(i) for i in ids if i != but]
    return ", ".join(others[:_MOST_NAMED]) + (" …" if len(others) > _MOST_NAMED else "")


def _say(key: str, lang: str, **values: str) -> str:
    text = _WORDS[key][LANGUAGES.index(lang)]
    return text.format(**values) if values else text
