"""What ties a row to others, as texts: two rows with one link may be judged together, rows without one never are. Pure.

Everything a detector compares across rows must be a link here, else a check of changed rows alone would miss it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache

from mendory.language import fold
from mendory.record import Memory
from mendory.text import exact_key, id_key, is_blank


def links(memory: Memory, mark: int | None = None) -> set[str]:
    """The links of a memory: its text in its scope, its id as people read it, the rows it refers to, its vector.

    A text is one link as it is compared and one as it is folded.

    `mark` is the vector's, where the memory does not carry what is known of it.
    """
    targets = (memory.duplicate_of, memory.superseded_by, *memory.related_ids)
    mark = memory.vector.mark if memory.vector else mark
    return of_row(memory.id, memory.content, memory.scope, targets, mark)


def of_row(
    name: str | None, content: str | None, scope: str | None, targets: Iterable[str | None], mark: int | None
) -> set[str]:
    """The links of a row with that id, text and scope, which refers to these targets, its vector of that mark."""
    found = {f"r:{target}" for target in targets if target}
    if name and (key := id_key(name)) != name:
        found.add(f"i:{key}")
    if not is_blank(content) and not is_blank(scope):
        found |= _of_text(str(scope), str(content))
    if mark is not None:
        found.add(f"v:{mark}")
    return found


@lru_cache(maxsize=4096)
def _of_text(scope: str, content: str) -> frozenset[str]:
    """A text as it is compared and as it is folded."""
    keys = {"t": exact_key(content), "f": fold(content)}
    return frozenset(f"{kind}:{_digest(scope, key)}" for kind, key in keys.items())


def _digest(scope: str, key: str) -> str:
    return hashlib.blake2b(f"{scope}\0{key}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def leading_to(ids: Iterable[str]) -> set[str]:
    """The links by which other rows are tied to these ids: references to them, ids that read like them."""
    return {f"r:{i}" for i in ids} | {f"i:{id_key(i)}" for i in ids}


def named(link: str) -> str | None:
    """The id that the link names itself, None when it names none."""
    return link[2:] or None if link[:2] in ("r:", "i:") else None


def named_by(held: Iterable[str]) -> set[str]:
    """The ids that links name themselves: what is referred to, and the plain form of an id."""
    return {name for link in held if (name := named(link))}
