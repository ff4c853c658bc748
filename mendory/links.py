"""What ties a row to others, as texts: two rows with one link may be judged together, rows without one never are. Pure.

Everything a detector compares across rows must be a link here, else a check of changed rows alone would miss it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from mendory.claims import claims_of
from mendory.claims.attributes import Singles
from mendory.claims.blocks import met, numbers, old_values
from mendory.claims.contexts import SINGLE, heard, names_of, switches_of
from mendory.content.heads import head
from mendory.content.parts import core, parts
from mendory.content.recalled import originals
from mendory.language import fold
from mendory.record import Memory
from mendory.text import exact_key, id_key, is_blank

Above = Callable[[str | None], tuple[str, ...]]
"""The scopes that a scope lies in."""
_CLAIMED: Final = ("c:", "g:", "n:", "o:")


def links(
    memory: Memory, mark: int | None = None, above: Above | None = None, singles: Singles = frozenset()
) -> set[str]:
    """The links of a memory: what its text says in its scope, its id as people read it, what it refers to, its vector.

    A text is one link as it is compared and one as it is folded.

    `mark` is the vector's, where the memory does not carry what is known of it. Claims have links in the scopes that
    its own lies in (`above`) too; `singles` are attributes of one value at a time beside those declared in Mendory.
    """
    targets = (memory.duplicate_of, memory.superseded_by, *memory.related_ids)
    mark = memory.vector.mark if memory.vector else mark
    found = of_row(memory.id, memory.content, memory.scope, targets, mark, memory.created_at)
    return found | of_context(memory, memory.metadata) | of_claims(memory, above, singles)


def of_row(
    name: str | None,
    content: str | None,
    scope: str | None,
    targets: Iterable[str | None],
    mark: int | None,
    created: datetime | None,
) -> set[str]:
    """The links of a row with that id, text, scope and time of creation, its vector of that mark, which refers so."""
    found = {f"r:{target}" for target in targets if target}
    if name and (key := id_key(name)) != name:
        found.add(f"i:{key}")
    if not is_blank(content) and not is_blank(scope):
        found |= _of_text(str(scope), str(content))
        if (hour := hour_of(created)) is not None and (thing := head(content)):
            found.add(f"h:{_hash(scope, hour, thing)}")
    if mark is not None:
        found.add(f"v:{mark}")
    return found


def of_context(memory: Memory, metadata: Mapping[str, Any] | None) -> set[str]:
    """The links of what a row with these metadata belongs to, and of what it says was left for it, in its scope."""
    if is_blank(memory.content) or is_blank(memory.scope):
        return set()
    scope, (text, claims) = memory.scope, heard(memory, claims_of)
    switches, held = switches_of(text, claims), names_of(text, metadata, claims)
    named = {name for one in switches for name in one.left | one.taken} | {name for _, name in held}
    # a switch that names nothing left leaves whatever its scope had of the kind
    kinds = {one.what for one in switches if not one.left} | {what for what, _ in held if what in SINGLE}
    return {f"x:{_hash(scope, name)}" for name in named} | {f"y:{_hash(scope, what)}" for what in kinds}


def of_claims(memory: Memory, above: Above | None = None, singles: Singles = frozenset()) -> set[str]:
    """The links of what a memory claims and of the numbers it names, which tie it to no more than one other row.

    `c:` says that a claim is at home among those of a key (`claims.blocks`), `g:` that it is a guest there or in the
    block of a scope above; `o:` is a value that others may have copied, `n:` a number that may be such a copy.
    """
    if is_blank(memory.content) or is_blank(memory.scope):
        return set()
    found = {f"n:{_hash(memory.scope, one)}" for one in numbers(str(memory.content))}
    claims = claims_of(memory)
    if claims:
        higher = above(memory.scope) if above else ()
        for key, (home, held) in met(claims, singles).items():
            found.add(f"{'c' if home else 'g'}:{_hash(memory.scope, key)}")
            found |= {f"g:{_hash(scope, key)}" for scope in higher}
            found |= {f"o:{_hash(memory.scope, value)}" for claim in held for value in old_values(claim)}
    return found


def claimed(held: Iterable[str]) -> set[str]:
    """Those of the links that are of claims: they lead to one row and no further."""
    return {link for link in held if link.startswith(_CLAIMED)}


def meeting(held: Iterable[str]) -> set[str]:
    """The links of what the claims with these links are compared with: those at home, and guests where they are."""
    found: set[str] = set()
    for link in held:
        if link.startswith("c:"):
            found |= {link, f"g:{link[2:]}"}
        elif link.startswith("g:"):
            found.add(f"c:{link[2:]}")
        elif link.startswith(("n:", "o:")):
            found.add(f"{'o' if link[0] == 'n' else 'n'}:{link[2:]}")
    return found


def hour_of(created: datetime | None) -> int | None:
    """The hour in which something was created, counted from 1970."""
    return None if created is None else int(created.timestamp() // 3600)


@lru_cache(maxsize=4096)
def _of_text(scope: str, content: str) -> frozenset[str]:
    """A text as compared and as folded, the texts it may be an echo of, and what it says alone or as parts."""
    said = (content, *originals(content))
    found = {f"t:{_hash(scope, exact_key(one))}" for one in said} | {f"f:{_hash(scope, fold(content))}"}
    listed = parts(content)
    keys = {key for ways in listed for key in ways} if listed else {core(content)} - {None}
    return frozenset(found | {f"p:{_hash(scope, key)}" for key in keys})


def _hash(*said: object) -> str:
    text = "\0".join(map(str, said))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def leading_to(ids: Iterable[str]) -> set[str]:
    """The links by which other rows are tied to these ids: references to them, ids that read like them."""
    return {f"r:{i}" for i in ids} | {f"i:{id_key(i)}" for i in ids}


def named(link: str) -> str | None:
    """The id that the link names itself, None when it names none."""
    return link[2:] or None if link[:2] in ("r:", "i:") else None


def named_by(held: Iterable[str]) -> set[str]:
    """The ids that links name themselves: what is referred to, and the plain form of an id."""
    return {name for link in held if (name := named(link))}
