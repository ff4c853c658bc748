"""What keeps memories from ever being one, read from the rows themselves whatever a detector said of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from mendory import digest
from mendory.detect.exact_duplicates import MERGEABLE, plain_kind
from mendory.plan.draft import Situation
from mendory.record import Memory
from mendory.text import is_blank, shown, valueless
from mendory.veto import Veto, vetoes

_WORDED: Final = frozenset({"topic", "entities"})
"""Metadata that two ways of saying one thing may word differently."""
_SCENE: Final = "scene"
"""Metadata that must be equal or lacking in all: a wish for one occasion is another than a general one."""


def differing(members: Sequence[Memory], at: Situation, harmless: Collection[Veto] = ()) -> list[str]:
    """Names of what the members differ in, none when they may be one; vetoes of the raw texts but for the `harmless`.

    Equal or lacking in all: scope, status, owner and scene. Equal where several have it: kind, claim, the owner's
    further columns, further metadata but topic, entities and what never changes what is meant. Events, unknown kinds
    and rows that can't be read are like nothing else. Cost: a reading of each pair of different texts.
    """
    found = belonging(members, at)
    kinds = {kind for m in members if (kind := plain_kind(m)) is not None}
    if len(kinds) > 1 or kinds - MERGEABLE:
        found.append("kind")
    found += _several([{"claim": m.claim} if m.claim else {} for m in members])
    found += [f"column {n}" for n in _several([_told(m.others, at.incidental) for m in members])]
    if len({_digest(m, _SCENE) for m in members}) > 1:
        found.append(f"metadata.{_SCENE}")
    left_out = {*at.incidental, *_WORDED, _SCENE, *at.owner_keys}
    further = _several([_told(_flat(m.metadata or {}), left_out) for m in members])
    found += [f"metadata.{shown(key)}" for key in further]
    return found + text_vetoes([m.content or "" for m in members], harmless)


def differing_copies(members: Sequence[Memory], at: Situation) -> list[str]:
    """As `differing`, for rows that repeat one text: only in scope, status, owner and text may nothing differ."""
    return belonging(members, at) + text_vetoes([m.content or "" for m in members])


def belonging(members: Sequence[Memory], at: Situation) -> list[str]:
    """Names of what the members differ in of whose they are and whether they can be read; none when they don't."""
    found: list[str] = []
    if len({m.scope for m in members}) > 1 or is_blank(members[0].scope):
        found.append("scope")
    if len({m.status for m in members}) > 1:
        found.append("status")
    if any(m.metadata_error or m.wrong for m in members):
        found.append("unreadable")
    # digests, so that a value and its lack differ
    return found + [f"metadata.{shown(k)}" for k in at.owner_keys if len({_digest(m, k) for m in members}) > 1]


def text_vetoes(texts: Sequence[str], harmless: Collection[Veto] = ()) -> list[str]:
    """Names of what speaks against any two of the raw texts, but for the `harmless`; equal texts are not compared.

    An accent written with its letter or behind it is one text (NFC), as Unicode says.
    """
    pairs = combinations(sorted({unicodedata.normalize("NFC", text) for text in texts}), 2)
    found = {veto for one, other in pairs for veto in vetoes(one, other)}
    return sorted(veto.value for veto in found - set(harmless))


def _several(told: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The names under which not all who have a value have the same, sorted."""
    names = sorted({name for held in told for name in held})
    yield from (name for name in names if len({digest.of(held[name]) for held in told if name in held}) > 1)


def _told(held: Mapping[str, Any], left_out: Collection[str]) -> dict[str, Any]:
    return {n: v for n, v in held.items() if not valueless(v) and n.removeprefix("extra.") not in left_out}


def _flat(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata, with the keys of an imported line inside `extra` one by one."""
    held = dict(metadata)
    extra = held.pop("extra", None)
    if isinstance(extra, Mapping):
        return held | {f"extra.{key}": value for key, value in extra.items()}
    return held if extra is None else held | {"extra": extra}


def _digest(memory: Memory, key: str) -> str:
    value = (memory.metadata or {}).get(key)
    return digest.of(None if valueless(value) else value)
