"""What ties a row to others, as texts: two rows with one link may be judged together, rows without one never are. Pure.

Everything a detector compares across rows must be a link here, else a check of changed rows alone would miss it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache

from mendory.record import Memory
from mendory.text import exact_key, id_key, is_blank


def links(memory: Memory, mark: int | None = None) -> set[str]:
    """The links of a memory: its text in its scope, its id as people read it, the rows it refers to, its vector.

    `mark` is the vector's, where the memory does not carry what is known of it.
    """
    found = {f"r:{target}" for target in (memory.duplicate_of, memory.superseded_by, *memory.related_ids) if target}
    if memory.id and (key := id_key(memory.id)) != memory.id:
        found.add(f"i:{key}")
    if not is_blank(memory.content) and not is_blank(memory.scope):
        found.add(_of_text(str(memory.scope), str(memory.content)))
    mark = memory.vector.mark if memory.vector else mark
    if mark is not None:
        found.add(f"v:{mark}")
    return found


@lru_cache(maxsize=4096)
def _of_text(scope: str, content: str) -> str:
    text = f"{scope}\0{exact_key(content)}".encode("utf-8", "surrogatepass")
    return f"t:{hashlib.blake2b(text, digest_size=16).hexdigest()}"


def leading_to(ids: Iterable[str]) -> set[str]:
    """The links by which other rows are tied to these ids: references to them, ids that read like them."""
    return {f"r:{i}" for i in ids} | {f"i:{id_key(i)}" for i in ids}


def named_by(held: Iterable[str]) -> set[str]:
    """The ids that links name themselves: what is referred to, and the plain form of an id."""
    return {link[2:] for link in held if link[:2] in ("r:", "i:") and link[2:]}
