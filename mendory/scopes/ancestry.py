"""Which scopes contain which: a project in a user's, a user's in a business space."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from mendory.template import NoTemplate, Template
from mendory.text import is_blank

DEEPEST: Final = 16
"""No scope lies in more than so many others; a declaration that says so is an endless one."""
Ancestors = Callable[[str | None], tuple[str, ...]]
"""The scopes that contain a scope, the nearest first. Siblings are never among them."""


class BadParents(ValueError):
    """The declared parents contain themselves or are no scopes; the message says which."""


@dataclass(frozen=True, slots=True)
class Parents:
    """Scopes with the scope that each lies in, by name and by pattern; `of` makes one that holds together."""

    named: Mapping[str, str]
    patterns: tuple[tuple[Template, Template | str], ...] = ()

    @classmethod
    def of(cls, declared: Mapping[str, str]) -> Parents:
        """The parents declared as child → parent, either of which may be a pattern of placeholders.

        `{user}/{project}` → `{user}` says it of every scope that such parts make. A name goes before patterns, patterns
        in their order. Raises BadParents for a scope that would lie in itself, at whatever distance, for a blank one,
        and for a parent with a placeholder that its child lacks.
        """
        named: dict[str, str] = {}
        patterns: list[tuple[Template, Template | str]] = []
        for child, parent in declared.items():
            if is_blank(child) or is_blank(parent):
                raise BadParents("a scope without a name is declared in or of another")
            made = _template(child)
            if made is None:
                if _template(parent) is not None:
                    raise BadParents(f"'{child}' lies in '{parent}', whose placeholders it does not fill")
                named[child] = parent
            else:
                patterns.append((made, _above(child, made, parent)))
        told = cls(named, tuple(patterns))
        for scope in told._probes():
            told._refuse_circles(scope)
        return told

    def parent(self, scope: str) -> str | None:
        """The scope that it lies in; None where none is declared, or a pattern names the scope itself."""
        if (named := self.named.get(scope)) is not None:
            return named
        for child, parent in self.patterns:
            if (values := child.split(scope)) is not None:
                found = parent if isinstance(parent, str) else parent.fill(values.get)
                return None if found == scope else found
        return None

    def ancestors(self, scope: str | None) -> tuple[str, ...]:
        """The scopes that it lies in, the nearest first; none for a blank one.

        >>> Parents.of({"{user}/{project}": "{user}", "alice": "acme"}).ancestors("alice/falcon")
        ('alice', 'acme')
        """
        if scope is None or is_blank(scope):
            return ()
        found: list[str] = []
        above = self.parent(scope)
        # names taken from a table may make a circle of patterns that no probe made: it ends where it closes
        while above is not None and above != scope and above not in found and len(found) < DEEPEST:
            found.append(above)
            above = self.parent(above)
        return tuple(found)

    def _probes(self) -> Iterator[str]:
        """Every scope declared by name, and one made of each pattern."""
        yield from self.named
        yield from self.named.values()
        for child, parent in self.patterns:
            yield child.fill(lambda key: f"~{key}~")
            if isinstance(parent, str):
                yield parent

    def _refuse_circles(self, scope: str) -> None:
        path = [scope]
        while (above := self.parent(path[-1])) is not None:
            path.append(above)
            if above in path[:-1]:
                raise BadParents(f"a scope lies in itself: {' in '.join(path[path.index(above) :])}")
            if len(path) > DEEPEST + 1:
                raise BadParents(f"'{scope}' lies in more than {DEEPEST} scopes")


def ancestors_by(declared: Mapping[str, str]) -> Ancestors:
    """`Parents.ancestors` of these, each scope's found once."""
    return lru_cache(maxsize=1 << 16)(Parents.of(declared).ancestors) if declared else without_parents


without_parents: Final[Ancestors] = Parents({}).ancestors
"""What contains a scope where no parents are declared: nothing."""


def _template(text: str) -> Template | None:
    """The pattern that the text is; None for a plain name, which holds no brace."""
    if "{" not in text and "}" not in text:
        return None
    try:
        return Template.of(text)
    except NoTemplate as error:
        raise BadParents(f"'{text}' is no pattern: {error}") from None


def _above(child: str, made: Template, parent: str) -> Template | str:
    above = _template(parent)
    if above is None:
        return parent
    if lacking := sorted(set(above.keys) - set(made.keys)):
        raise BadParents(f"'{child}' lies in '{parent}', but has no {', '.join(lacking)}")
    return above
