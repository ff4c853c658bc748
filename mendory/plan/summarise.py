"""Sum up fragments: their own sentences in one of them, embedded anew; the others leave recall, reachable from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mendory.catalogue import StepKind
from mendory.finding import Finding
from mendory.language import language_of
from mendory.plan.differing import differing
from mendory.plan.draft import Draft, NoVector, Situation, Unplanned
from mendory.plan.gather import gathered, homeless
from mendory.plan.information import most_informative_first, unique_parts
from mendory.plan.merge import CANNOT_HIDE, hidden_meanwhile
from mendory.record import Kept, Memory, Status
from mendory.veto import Veto

_ADDS: Final = frozenset({Veto.NUMBER, Veto.UNIT, Veto.DATE, Veto.VERSION, Veto.NAME, Veto.SCENE})
"""What one fragment adds to another: every sentence stays as it is, so nothing of it is lost by putting them together.
What denies another, or is about somebody else, does not belong into one text with it."""
_ENDS: Final = tuple(".。!！?？…")


def summarise(finding: Finding, at: Situation) -> list[Draft | Unplanned]:
    """One step that writes the fragments' sentences, in the order they came, into the most informative fragment.

    Its vector is made anew in the same commit; its former text becomes a note, where the table has a place for notes.
    The others are archived as superseded by it, and it names them. Unplanned when the owner's reader can't hide a row,
    the fragments deny each other or differ in owner, one of them says all, or nobody makes a vector that is proven to
    be of the space of theirs.
    """
    if not at.can_hide:
        return [Unplanned(finding, CANNOT_HIDE)]
    members = sorted(at.look(finding.ids).values(), key=_came)
    why = hidden_meanwhile(finding, members, at) or _obstacle(members, at)
    if why:
        return [Unplanned(finding, why)]
    text = summary([m.content or "" for m in members])
    if text is None:
        return [Unplanned(finding, "one of these rows says all that the others do")]
    primary, *rest = most_informative_first(members)
    changes: dict[str, Any] = {"content": text}
    if "embedding" not in at.absent:
        vector = at.vector_of(sorted(str(m.id) for m in members), text)
        if isinstance(vector, NoVector):
            return [Unplanned(finding, vector.why)]
        changes["embedding"] = tuple(vector)
    names = sorted(str(m.id) for m in rest)
    changes |= _kept(primary, rest, names, at)
    nowhere = homeless(changes, at.absent)
    if nowhere:
        why = f"cannot keep what only the merged rows know: the table has no {' and no '.join(nowhere)}"
        return [Unplanned(finding, why)]
    left = {i: {"status": Status.ARCHIVED.value, "superseded_by": str(primary.id)} for i in names}
    detail = {
        "primary_id": primary.id,
        "merged_ids": names,
        "strategy": "fragments",
        "notes": len(changes.get("related_notes", primary.related_notes)) - len(primary.related_notes),
        "rollback": [{"id": m.id, "status": m.status, "superseded_by": m.superseded_by} for m in rest],
    }
    reason = f"put {len(members)} fragments together in {primary.id}, archive the other {len(names)}"
    return [Draft(StepKind.SUMMARISE, finding, reason, {str(primary.id): changes, **left}, detail)]


def summary(texts: Sequence[str]) -> str | None:
    """The sentences of the texts that earlier ones do not cover, as written, put together; None where one says all.

    >>> summary(["Likes tea", "Likes tea"]) is None
    True
    """
    first, *others = texts
    parts = [first.strip(), *unique_parts(first, others)]
    if len(parts) < 2:
        return None
    language = language_of(" ".join(texts))
    apart, joint = ("；", "") if language is not None and language.code == "zh" else ("; ", " ")
    said = parts[0]
    for part in parts[1:]:
        said += (joint if said.endswith(_ENDS) else apart) + part
    return said


def _obstacle(members: Sequence[Memory], at: Situation) -> str:
    against = differing(members, at, _ADDS)
    if against:
        return f"they differ in {', '.join(against)}: never merged"
    if any(m.vectors for m in members):
        return "a further column of vectors would be of the former text"
    # what is kept aside is about a text, and would no longer be shown beside another
    if any(m.kept != Kept() or any(getattr(m, name) for name in at.aside) for m in members):
        return "what is kept aside of these rows would be lost with the former text"
    return ""


def _kept(primary: Memory, rest: Sequence[Memory], names: Sequence[str], at: Situation) -> dict[str, Any]:
    """What the primary takes over, its former text, and the fragments' names, where the table has a place for them."""
    kept = {name: value for name, value in gathered(primary, rest).items() if name not in at.aside}
    if "related_notes" not in at.aside:
        kept["related_notes"] = (*kept.get("related_notes", primary.related_notes), (primary.content or "").strip())
    if "related_ids" not in at.aside:
        kept["related_ids"] = tuple(dict.fromkeys((*kept.get("related_ids", primary.related_ids), *names)))
    return kept


def _came(memory: Memory) -> tuple[bool, float, str]:
    created = memory.created_at
    return created is None, created.timestamp() if created else 0.0, memory.id or ""
