"""The general rules for tables of nobody that is known: by names, then by types and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mendory.errors import SchemaMismatch
from mendory.guess.draft import Draft
from mendory.guess.evidence import Evidence, Kind, Place, nameable
from mendory.guess.names import AGENTS, NAMES, SCOPES, TENANTS, USERS, rank
from mendory.record import BY_NAME, FIELDS, Shape
from mendory.record import Kind as MemoryKind
from mendory.text import shown

_KINDS: Final[dict[Shape, tuple[Kind, ...]]] = {
    Shape.TEXT: ("text",),
    Shape.JSON: ("json",),
    Shape.TIME: ("time", "number", "text"),
    Shape.TEXTS: ("texts",),
    Shape.VECTOR: ("vector",),
}
_MOSTLY: Final = 0.9
_HARDLY: Final = 0.05
_BY_VALUES: Final = "{place} is taken for the {field} by its values alone"
_LATER: Final = frozenset({"id", "content", "embedding", "status", "scope", "kind"})
"""Fields with a rule of their own."""


def drafted(evidence: Evidence) -> Draft:
    """A draft from names, types and values. Raises SchemaMismatch, naming the columns, without id or content."""
    draft = Draft()
    _id(draft, evidence)
    _embedding(draft, evidence)
    _content(draft, evidence)
    for field in FIELDS:
        if field.name not in _LATER:
            _by_name(draft, evidence, field.name)
    _kind(draft, evidence)
    _scope(draft, evidence)
    unnameable = [name for name in evidence.schema.names if not nameable(name)]
    if unnameable:
        draft.ask(_UNNAMEABLE, places=", ".join(unnameable))
    return draft


_UNNAMEABLE: Final = "{places} can't be mapped: a dot, a brace or a backtick in a name is read as more than a name"


def best(draft: Draft, places: Sequence[Place], known: Sequence[str]) -> Place | None:
    """The free place whose name fits best; of equals a column comes before a leaf, a leaf before a key."""
    fits = [(r, at, p) for at, p in enumerate(draft.free(places)) if (r := rank(p.name, known)) is not None]
    nearness = {"column": 0, "leaf": 1, "key": 2}
    return min(fits, key=lambda f: (nearness[f[2].within] > 1, f[0], nearness[f[2].within], f[1]))[2] if fits else None


def _columns(evidence: Evidence) -> str:
    return ", ".join(f"{shown(f.name, 40)} ({shown(str(f.type), 40)})" for f in evidence.schema)


def _id(draft: Draft, evidence: Evidence) -> None:
    texts = evidence.of(("text",), ("column",))
    named = best(draft, [p for p in texts if _unique(p) >= _MOSTLY], NAMES["id"])
    if named is not None:
        draft.put("id", named.path, "its name, one value a row")
        return
    single = [p for p in texts if p.held and _unique(p) == 1.0 and p.share == 1.0 and not any(map(_spaced, p.held))]
    if len(single) == 1 and len(single[0].values) > 1:
        draft.put("id", single[0].path, "the only text column with one value a row")
        draft.ask(_BY_VALUES, place=single[0].path, field="id")
        return
    raise SchemaMismatch(
        f"Table '{evidence.table}' has no text column with one value a row that could be the id{_numbered(evidence)}. "
        f"Its columns: {_columns(evidence)}{_unnameable(evidence)}. Nothing was written. "
        "Ids must be text: give the table such a column, or rename the one it has."
    )


def _numbered(evidence: Evidence) -> str:
    """Says that a column of numbers by the name of an id is none."""
    numbers = [p.path for p in evidence.of(("number",), ("column",)) if rank(p.name, NAMES["id"]) is not None]
    return f"; {', '.join(shown(name, 40) for name in numbers)} holds numbers, and ids must be text" if numbers else ""


def _unnameable(evidence: Evidence) -> str:
    """Says which columns no mapping can name."""
    names = [shown(name, 40) for name in evidence.schema.names if not nameable(name)]
    return f"; a name with a dot, a brace or a backtick can't be mapped: {', '.join(names)}" if names else ""


def _unique(place: Place) -> float:
    """The share of rows that hold a value of their own; 1 for an empty sample."""
    return len(set(place.held)) / len(place.values) if place.values else 1.0


def _spaced(value: Any) -> bool:
    return not str(value).strip() or any(c.isspace() for c in str(value))


def _embedding(draft: Draft, evidence: Evidence) -> None:
    vectors = evidence.of(("vector",), ("column",))
    found = best(draft, vectors, NAMES["embedding"]) or (vectors[0] if len(vectors) == 1 else None)
    if found is not None:
        draft.put("embedding", found.path, "the only vector" if len(vectors) == 1 else "its name")
    if len(vectors) > 1:
        listed = ", ".join(p.path for p in vectors)
        if found is None:
            draft.ask("vectors lie in {places}: name one as embedding under [mapping.columns]", places=listed)
        else:
            draft.ask("vectors lie in {places}; {place} is taken for the embedding", places=listed, place=found.path)


def _content(draft: Draft, evidence: Evidence) -> None:
    texts = [p for p in evidence.of(("text",)) if p.within != "key"]
    found = best(draft, texts, NAMES["content"])
    if found is None:
        keys = evidence.of(("text",), ("key",))
        found = best(draft, [k for k in keys if k.share >= _MOSTLY], NAMES["content"])
    if found is not None:
        draft.put("content", found.path, "its name")
        return
    lengths = sorted((_length(p), p.path) for p in draft.free(texts))
    if not lengths or lengths[-1][0] < 6:
        raise SchemaMismatch(
            f"Table '{evidence.table}' has no text column that could hold what is remembered. Its columns: "
            f"{_columns(evidence)}{_unnameable(evidence)}. Nothing was written. "
            "Point to the table that holds the memories, or rename the column."
        )
    draft.put("content", lengths[-1][1], "the longest texts")
    draft.ask(_BY_VALUES, place=lengths[-1][1], field="content")


def _length(place: Place) -> float:
    return sum(len(str(v)) for v in place.held) / len(place.values) if place.values else 0.0


def _by_name(draft: Draft, evidence: Evidence, name: str) -> None:
    field = BY_NAME[name]
    kinds = _KINDS[field.shape]
    # a key in few rows may be a reference, which few rows hold, but no field that every row must have
    places = [p for p in evidence.of(kinds) if not (field.required and p.within == "key" and p.share < 0.5)]
    if field.shape is Shape.JSON:
        places = [p for p in evidence.of(("json", "text"), ("column",)) if p.kind == "json" or not p.held]
    found = best(draft, places, NAMES[name])
    if found is None and name == "metadata":
        objects = [p for p in draft.free(places) if p.kind == "json"]
        found = objects[0] if len(objects) == 1 else None
    if found is None:
        return
    if name == "source" and found.share <= _HARDLY:
        blank = len(found.values) - len(found.held)
        draft.drop(name, f"{found.path} is blank in {blank} of {len(found.values)} rows looked at")
        return
    draft.put(name, found.path, "its name" if rank(found.name, NAMES[name]) is not None else "the only JSON column")


def _kind(draft: Draft, evidence: Evidence) -> None:
    """A kind only where every value is one of ours: another word would keep its rows from ever being merged."""
    ours = {k.value for k in MemoryKind}
    places = [p for p in evidence.of(("text",)) if p.held and set(p.held) <= ours]
    found = best(draft, places, NAMES["kind"])
    if found is not None:
        draft.put("kind", found.path, "its name, and every value is one of ours")


def _scope(draft: Draft, evidence: Evidence) -> None:
    places = [p for p in evidence.of(("text", "number")) if p.within != "key" or p.share >= 0.5]
    whole, tenant, user, agent = (best(draft, places, names) for names in (SCOPES, TENANTS, USERS, AGENTS))
    if whole is not None:
        parts = [tenant, whole] if tenant is not None and tenant.share >= _MOSTLY else [whole]
    else:
        parts = [p for p in (tenant, user, agent) if p is not None]
        if len(parts) > 1:
            parts = [p for p in parts if p.share >= _MOSTLY] or parts[:1]
    if not parts:
        return
    paths = [p.path for p in parts if p is not None]
    if parts == [tenant]:
        draft.ask("{place} is taken for the scope, and may hold several people's memories", place=paths[0])
    draft.put("scope", paths[0] if len(paths) == 1 else "/".join(f"{{{p}}}" for p in paths), "whose memory it is")
