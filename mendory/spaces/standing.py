"""What can't be checked about vectors with the configuration there is."""

from __future__ import annotations

from mendory.config import Config


def stand_downs(config: Config) -> list[tuple[str, str]]:
    """One line each, what and why; empty with an embedder configured. The shape of vectors is checked all the same."""
    if config.embedder is not None:
        return []
    return [
        (
            "space",
            "no embedder is configured; nobody looks whether vectors fit their texts",
        )
    ]
