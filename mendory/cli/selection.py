"""Which findings a person asks for: --only, --scope, --min-severity."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Final

import click

from mendory.checkup import CheckUp
from mendory.errors import EmptyTargetSet, InputInvalid
from mendory.finding import Code, Finding, Severity
from mendory.text import shown

SEVERITIES: Final = tuple(s.value for s in Severity)


@dataclass(frozen=True, slots=True)
class Selection:
    """Codes, scopes and the least severity asked for; None stands for all."""

    codes: frozenset[Code] | None = None
    scopes: frozenset[str] | None = None
    least: Severity = Severity.LOW
    named: tuple[str, ...] = field(default=(), compare=False)
    """Codes and beginnings of codes, as typed."""

    def wants(self, finding: Finding) -> bool:
        """True when the finding was asked for."""
        return (
            (self.codes is None or finding.code in self.codes)
            and (self.scopes is None or not self.scopes.isdisjoint(scopes_of(finding)))
            and at_least(finding.severity, self.least)
        )

    @property
    def everything(self) -> bool:
        """True when nothing is left out."""
        return self == Selection()

    def known(self, checked: CheckUp) -> None:
        """Returns when every scope has rows; raises EmptyTargetSet naming those that have none."""
        held = checked.examination.scope_rows
        lost = sorted(s for s in self.scopes or () if s and s not in held)
        if lost:
            some = ", ".join(shown(s, 40) for s in sorted(s for s in held if s)[:5])
            raise EmptyTargetSet(
                f"No row of the table is in scope {', '.join(shown(s) for s in lost)}. Nothing was shown or planned. "
                f"Write a scope exactly as its rows do; the first are: {some}."
            )

    def options(self) -> str:
        """The selection as options on a command line, with a blank before; empty for everything."""
        words: list[str] = []
        if self.named:
            words += ["--only", ",".join(self.named)]
        for scope in sorted(self.scopes or ()):
            words += ["--scope", scope]
        if self.least is not Severity.LOW:
            words += ["--min-severity", self.least.value]
        return "".join(f" {shlex.quote(w)}" for w in words)


def scopes_of(finding: Finding) -> frozenset[str]:
    """The finding's scope, "" for none; of one about several scopes each that it names."""
    return frozenset((finding.scope or "", *finding.evidence.get("scopes", ())))


def at_least(severity: Severity, least: Severity) -> bool:
    """True when `severity` is `least` or worse."""
    return SEVERITIES.index(severity) >= SEVERITIES.index(least)


def codes(texts: Sequence[str], named: Sequence[str]) -> frozenset[Code] | None:
    """The codes named, or beginning with what is named; None for none. Raises InputInvalid for one there is not."""
    if not texts:
        return None
    if not named:
        raise InputInvalid(f"--only names no code. Nothing was read. Codes are: {', '.join(Code)}.")
    found = {name: {c for c in Code if c.startswith(name)} for name in named}
    unknown = sorted(name for name, matching in found.items() if not matching)
    if unknown:
        raise InputInvalid(
            f"There is no code {', '.join(shown(u) for u in unknown)}. Nothing was read. "
            f"Codes are: {', '.join(Code)}; the beginning of one will do."
        )
    return frozenset[Code]().union(*found.values())


def with_selection(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the three options and hands the command a Selection."""

    @click.option("--only", multiple=True, metavar="CODE[,CODE]", help="Only findings of these codes, or so beginning.")
    @click.option("--scope", "scopes", multiple=True, metavar="SCOPE", help="Only this scope, written out; repeatable.")
    @click.option(
        "--min-severity", type=click.Choice(SEVERITIES), default="low", show_default=True, help="Only from here on."
    )
    @wraps(command)
    def wrapped(*args: Any, only: Sequence[str], scopes: Collection[str], min_severity: str, **kwargs: Any) -> Any:
        named = tuple(part.strip() for text in only for part in text.split(",") if part.strip())
        selection = Selection(codes(only, named), frozenset(scopes) or None, Severity(min_severity), named)
        return command(*args, selection=selection, **kwargs)

    return wrapped
