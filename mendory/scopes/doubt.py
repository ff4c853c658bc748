"""A doubt about scopes: what counts alone tell, before anybody looks at rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from mendory.finding import Code
from mendory.scopes.ancestry import Ancestors, without_parents
from mendory.scopes.names import SORTS, form
from mendory.scopes.tally import Key
from mendory.text import shown

DEFAULTS: Final = (
    *("default", "default_user", "default_agent", "default_scope", "user", "unknown", "anonymous", "none", "null"),
    *("undefined", "global", "shared", "public", "common"),
    *("默认", "默认用户", "未知", "匿名", "全局", "公共", "共享"),
)
"""Names that programs write where nobody told them whose a memory is."""
SHARED: Final = frozenset({"global", "shared", "public", "common", "全局", "公共", "共享"})
"""Of them, those under which somebody may keep what is everybody's."""
NAMED: Final = 4
"""So many scopes of one doubt its reason names."""
EXAMPLES: Final = 6
"""So many rows at most stand for a doubt."""
MOST: Final = 50
"""So many doubts of one code are told one by one; of more their number."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """`scopes` that something is wrong with, sorted. `about` tells doubts of one code on the same scopes apart.

    Rows that are counted under `keys` show it. Evidence holds numbers and names of scopes.
    """

    code: Code
    scopes: tuple[str, ...]
    keys: tuple[Key, ...]
    rows: int
    reason: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""

    @property
    def shown(self) -> tuple[Key, ...]:
        """The keys of which rows stand for it."""
        return self.keys[:EXAMPLES]


def listed(scopes: Sequence[str]) -> str:
    """The first of the scopes, as one line of a reason shows them."""
    return ", ".join(shown(scope, 40) for scope in scopes[:NAMED]) + (", …" if len(scopes) > NAMED else "")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the owner says of scopes: which lie in which, and which names stand for nobody."""

    ancestors: Ancestors = without_parents
    defaults: Sequence[str] = DEFAULTS

    def nobodys(self, scope: str) -> bool:
        """Whether the scope's name stands for nobody: a default one, with nothing before it but its sort.

        >>> Wishes().nobodys("user:Default"), Wishes().nobodys("acme/default")
        (True, False)
        """
        whole = form(scope)
        defaults = _spelt(tuple(self.defaults))
        return whole.spelling in defaults or (whole.parts[-1] in defaults and set(whole.parts[:-1]) <= SORTS)

    def related(self, one: str, other: str) -> bool:
        """Whether one of the two is declared to lie in the other."""
        return one in self.ancestors(other) or other in self.ancestors(one)


@lru_cache(maxsize=8)
def _spelt(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(form(name).spelling for name in names)
