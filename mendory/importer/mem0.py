"""What mem0's get_all returns: the memories of a JSON file one by one, and which of their keys are which fields."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

from mendory.errors import InputInvalid
from mendory.importer.files import Told, unpacked
from mendory.importer.shaping import Raw, Reads, Record
from mendory.importer.splitting import NoList, Splitter
from mendory.text import is_blank

_KEYS: Final = frozenset({b"results", b"relations", b"next", b"previous"})
_OWNERS: Final = (
    ("user", ("user_id", "userId")),
    ("agent", ("agent_id", "agentId")),
    ("run", ("run_id", "runId", "session_id", "sessionId")),
    ("app", ("app_id", "appId")),
)


def elements(path: Path, noted: list[str], told: Told | None = None) -> Iterator[Raw]:
    """The elements of the file's list, or of the list under `results`, as they are written; memory stays flat.

    `noted` gets `one_page` when the file says that there are other pages. Raises InputInvalid for a file that has no
    such list, ends inside it, or holds anything besides that get_all does not return; see `files.unpacked` besides.
    """
    with unpacked(path) as source:
        try:
            yield from _numbered(Splitter(path, source, told), noted)
        except NoList as error:
            raise InputInvalid(
                f"{path} {error}. Nothing was imported. Save what get_all returns, whole, each page in a file of its "
                "own; for JSON Lines say --from jsonl."
            ) from None


def _numbered(held: Splitter, noted: list[str]) -> Iterator[Raw]:
    if held.peek() == b"[":
        yield from map(Raw, count(1), held.elements())
    elif held.peek() == b"{":
        yield from _wrapped(held, noted)
    else:
        raise NoList("is no list of memories, nor an object with `results`")
    if held.peek():
        raise NoList("holds more after its list of memories")


def _wrapped(held: Splitter, noted: list[str]) -> Iterator[Raw]:
    """The memories of an object: under `results` alone, beside `relations` and what counts pages."""
    seen: set[bytes] = set()
    for number, key in enumerate(held.members(), 1):
        if key in seen and key in _KEYS:
            raise NoList(f"has a second `{key.decode()}`")
        seen.add(key)
        if key == b"results":
            if held.peek() != b"[":
                raise NoList("has no list of memories under `results`")
            yield from map(Raw, count(1), held.elements())
        elif key == b"relations":
            held.skip()
        elif held.peek() in (b"[", b"{"):
            raise NoList(f"has an object or a list as its member {number}, which get_all does not return")
        elif held.scalar() != b"null" and key in (b"next", b"previous") and "one_page" not in noted:
            noted.append("one_page")
    if b"results" not in seen:
        raise NoList("is no list of memories, nor an object with `results`")


# --- keys → fields --------------------------------------------------------------------------------


def _first(line: Record, *keys: str) -> tuple[Any, tuple[str, ...]]:
    """The value under the first of the keys that has one, and that key."""
    for key in keys:
        if line.source.get(key) is not None:
            return line.source[key], (key,)
    return None, keys


def _scope(line: Record) -> tuple[Any, tuple[str, ...]]:
    """All that says whose it is, as `user:li/agent:cook`; what separates is percent-encoded inside a name.

    The keys stay in the metadata besides.
    """
    parts = []
    for name, keys in _OWNERS:
        owner, _ = _first(line, *keys)
        if isinstance(owner, bool) or not isinstance(owner, str | int | None):
            return owner, ()
        if owner is not None and not is_blank(str(owner)):
            parts.append(f"{name}:{str(owner).replace('%', '%25').replace('/', '%2F')}")
    return "/".join(parts) or None, ()


def _status(line: Record) -> tuple[Any, tuple[str, ...]]:
    """Archived where another memory replaced it, else active; a status of its own stays as it is."""
    if line.source.get("status") is not None:
        return line.source["status"], ("status",)
    return "active" if _first(line, "replaced_by", "replacedBy")[0] is None else "archived", ()


READS: Final[dict[str, Reads]] = {
    "content": lambda line: _first(line, "memory"),
    "scope": _scope,
    "created_at": lambda line: _first(line, "created_at", "createdAt"),
    "updated_at": lambda line: _first(line, "updated_at", "updatedAt"),
    "superseded_by": lambda line: _first(line, "replaced_by", "replacedBy"),
    "status": _status,
}
"""How mem0's keys tell fields. What becomes none (hash, expiration_date, categories, role, …) stays in the metadata."""
