"""A drift check of the table as it is: what the free tests see, and what a sample embeds to again. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mendory.clinic import Clinic
from mendory.drift import Asked, Drift, Looked, ask, conclude, findings, look
from mendory.embedding import Estimate, build
from mendory.errors import BudgetExceeded, MendoryError
from mendory.finding import Finding


@dataclass(frozen=True, slots=True)
class Checked:
    """A drift check: what was concluded, as findings too, of which version, with which model.

    `model` is None where nobody embedded; `failed` why the witness could not be asked, which is no drift.
    """

    drift: Drift
    findings: tuple[Finding, ...]
    version: int
    model: str | None
    failed: MendoryError | None

    def as_json(self) -> dict[str, Any]:
        """The check as plain values."""
        failed = self.failed and {"error": self.failed.name, "problem": str(self.failed)}
        return {
            "version": self.version,
            "model": self.model,
            **self.drift.as_json(),
            "findings": [one.as_json() for one in self.findings],
            "failed": failed,
        }


def check(
    clinic: Clinic, share: float, witness: bool = True, cost: Callable[[Estimate], None] | None = None
) -> Checked:
    """What is wrong with the vectors of the newest version, by name.

    A sample that shows damage to `share` of the table at 95 % is embedded again, where an embedder is configured and
    `witness` asks for it; `cost` hears what that takes before it is done. Raises BudgetExceeded, with nothing embedded,
    where the budget does not allow it. An embedder that fails otherwise is told of, and is no drift.
    """
    clinic.sound()
    reader = clinic.reader
    reader.refresh()
    looked = look(reader, clinic.side_state.stale(reader), _spaces(clinic))
    asked, made, model, failed = None, None, None, None
    section = clinic.config.embedder if witness else None
    if section is not None:
        try:
            embedder = build(section, clinic.config.root)
            asked = ask(reader, looked, share, reader.version, section.max_chars)
            estimate = embedder.estimate(map(len, asked.texts))
            if cost is not None:
                cost(estimate)
            embedder.allow(estimate.calls)
            made = embedder.embed(asked.texts) if asked.texts else None
            model = embedder.identity.model
        except BudgetExceeded:
            raise
        except MendoryError as error:
            failed = error
    return _concluded(clinic, looked, asked, made, model, failed)


def _concluded(
    clinic: Clinic, looked: Looked, asked: Asked | None, made: Any, model: str | None, failed: MendoryError | None
) -> Checked:
    drift = conclude(clinic.reader, looked, asked, made)
    return Checked(drift, tuple(findings(drift, clinic.reader.fetch)), clinic.reader.version, model, failed)


def _spaces(clinic: Clinic) -> Callable[[Sequence[str]], Mapping[str, str]] | None:
    if not clinic.side_state.exists():
        return None

    def space_of(ids: Sequence[str]) -> Mapping[str, str]:
        held = clinic.side_state.get(ids)
        return {row: known.vector_space for row, known in held.items() if known.vector_space}

    return space_of
