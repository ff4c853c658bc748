"""What a memory claims: what its writer gave, else what its text says, with what its metadata adds."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from mendory.claims.extract import claims_in
from mendory.claims.things import of_a_thing
from mendory.claims.written import implied, written
from mendory.language import fold
from mendory.language.claim import USER, Claim, ClaimKind, untimed
from mendory.record import Memory

ClaimsOf = Callable[[Memory], tuple[Claim, ...]]
"""What a memory claims."""
EVERYWHERE: Final = frozenset(
    {
        *(
            "general",
            "default",
            "any",
            "all",
            "none",
            "unknown",
            "chat",
            "conversation",
            "daily",
            "daily life",
            "global",
        ),
        *("通用", "默认", "任何", "所有", "未知", "聊天", "对话", "日常", "日常生活", "全部", "无"),
    }
)
"""Scenes that are none, folded."""


def claims_of(memory: Memory, extracted: Callable[[str], tuple[Claim, ...]] = claims_in) -> tuple[Claim, ...]:
    """The writer's claim where he gave one that can be read, else those `extracted` from the text, in its order.

    A writer's claim of a switch has with it what that implies (`mendory.claims.written.implied`). The subject is `USER`
    where it is the memory's scope by name. A preference without a scene has the one that the metadata names, so has a
    fact of a thing; where a fact about a person was said does not bound it. () for a memory without a text, whatever
    else it holds.
    """
    if not memory.content:
        return ()
    given = written(memory.claim)
    found = (given, *implied(given, memory.claim or {})) if given is not None else extracted(memory.content)
    if not found:
        return ()
    scene = _scene((memory.metadata or {}).get("scene"))
    own = _names(memory.scope or "")
    return tuple(_of_row(claim, scene, own) for claim in found)


def scenes_given(memory: Memory) -> frozenset[str]:
    """The scenes, folded, in which its writer says that it holds: by its claim, and by its metadata if that is one."""
    given = written(memory.claim)
    return (given.scenes if given else frozenset()) | _scene((memory.metadata or {}).get("scene"))


def of_writer(memory: Memory) -> bool:
    """Whether its claim is its writer's."""
    return bool(memory.content) and written(memory.claim) is not None


def _of_row(claim: Claim, scene: frozenset[str], own: frozenset[str]) -> Claim:
    changes: dict[str, Any] = {}
    if claim.subject in own:
        changes["subject"] = USER
    if scene and not untimed(claim.scenes) and (claim.kind is ClaimKind.PREFERENCE or of_a_thing(claim)):
        changes["scenes"] = scene | claim.scenes
    return replace(claim, **changes) if changes else claim


def _scene(given: Any) -> frozenset[str]:
    told = given if isinstance(given, list | tuple) else [given]
    folded = {fold(one) for one in told if isinstance(one, str)}
    return frozenset(folded - EVERYWHERE - {""})


@lru_cache(maxsize=4096)
def _names(scope: str) -> frozenset[str]:
    """The names by which a scope calls its owner: itself, and its parts of letters ("user:alice", "alice")."""
    return frozenset({fold(scope), *(fold(part) for part in re.split(r"[/:|]", scope))} - {"", USER})
