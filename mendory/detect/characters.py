"""Contents, ids and scopes that look like something they are not."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from mendory.finding import Code, Finding, finding
from mendory.record import Memory
from mendory.text import HIDDEN, SCOPE_BARRED, id_key, is_blank, unmarked

MOST_CHARACTERS: Final = 100_000
"""A longer content is embedded by no model as a whole, and a search returns it for nearly anything."""


class Characters:
    r"""Characters nobody sees, contents of excessive length, scopes with characters that no scope should have.

    Flags: contents with direction overrides and isolates, zero-width spaces, other invisible marks and control
    characters, a joiner beside letters of Latin or Chinese, or three such marks in a row; contents of more than 100,000
    characters; scopes with quotes, `* ; \`, control or invisible characters, blanks at their ends, or more than 512
    bytes. Does not flag: line breaks and tabs; what a script or a typesetter puts there for a purpose: joiners in emoji
    and in the scripts that need them, breaks of Thai or Khmer words, soft hyphens, a unit held to its number; blank
    contents and scopes, which are findings of their own. Cost: two searches per row.
    """

    codes = (Code.HIDDEN_CHARACTERS, Code.CONTENT_TOO_LONG, Code.SCOPE_NOT_ALLOWED)

    def __init__(self) -> None:
        self._found: list[Finding] = []

    def observe(self, memory: Memory) -> None:
        """Look at content and scope."""
        if not memory.id:
            return
        content, scope = memory.content, memory.scope
        if content and not content.isprintable():
            hidden = sorted({f"U+{ord(m.group()):04X}" for m in HIDDEN.finditer(unmarked(content))})
            if hidden and not is_blank(content):
                reason = f"the content holds characters nobody sees: {', '.join(hidden[:5])}"
                self._add(Code.HIDDEN_CHARACTERS, memory, "content", reason, {"characters": hidden[:20]})
        if content and len(content) > MOST_CHARACTERS:
            reason = f"the content has {len(content)} characters"
            self._add(Code.CONTENT_TOO_LONG, memory, "content", reason, {"characters": len(content)})
        if scope and not is_blank(scope) and (SCOPE_BARRED.search(scope) or len(scope.encode(errors="replace")) > 512):
            reason = "the scope holds characters that no scope should have"
            self._add(Code.SCOPE_NOT_ALLOWED, memory, "scope", reason, {})

    def _add(self, code: Code, memory: Memory, read: str, reason: str, evidence: dict[str, object]) -> None:
        self._found.append(finding(code, [memory], (read,), reason, evidence, "characters/1"))

    def findings(self, fetch: Callable[..., object]) -> Iterator[Finding]:
        """One finding per row and kind of fault."""
        yield from self._found

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Nothing: contents can't be absent, and a missing scope is told elsewhere."""
        yield from ()


class NearIds:
    """Ids that a person takes for one another.

    Flags: two or more ids that are equal but for letter case, white space, invisible characters, width or another form
    of the same letters (NFKC). Does not flag: one id held by several rows, which is `duplicate_id`; letters of two
    scripts that look alike. Cost: one comparison and eight bytes per row; ids not in their plain form are kept.
    """

    codes = (Code.ID_NEAR_COLLISION,)

    def __init__(self) -> None:
        self._odd: dict[str, set[str]] = defaultdict(set)
        self._plain = array("q")

    def observe(self, memory: Memory) -> None:
        """Note an id that is not in its plain form; of the others a hash."""
        if memory.id and (key := id_key(memory.id)) != memory.id:
            self._odd[key].add(memory.id)
        elif memory.id:
            self._plain.append(hash(memory.id))

    def findings(self, fetch: Callable[[Sequence[str]], Mapping[str, Memory]]) -> Iterator[Finding]:
        """One finding per group of ids."""
        keys = sorted(k for k in self._odd if k)
        met = np.isin(np.array([hash(k) for k in keys], np.int64), np.asarray(self._plain, np.int64))
        wanted = [key for key, there in zip(keys, met, strict=True) if there]
        plain = fetch(wanted) if wanted else {}
        for key, ids in sorted(self._odd.items()):
            group = sorted(ids | ({key} if key in plain else set()))
            if len(group) > 1:
                named = [Memory(id=name, content=None) for name in group]
                reason = f"{len(group)} ids differ only in letter case, width, blanks or invisible characters"
                yield finding(Code.ID_NEAR_COLLISION, named, ("id",), reason, {"ids": len(group)}, "characters/1")

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Nothing: every table has ids."""
        yield from ()
