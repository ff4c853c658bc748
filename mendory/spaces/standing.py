"""What can't be checked about vectors with the configuration there is."""

from __future__ import annotations

from mendory.config import Config


def stand_downs(config: Config) -> list[tuple[str, str]]:
    """One line each, what and why. What can be told of vectors without embedding anything is checked all the same."""
    if config.embedder is not None:
        return [("space", "a check embeds nothing; mendory doctor embeds a sample of rows again")]
    return [("space", "no embedder is configured; nobody looks whether vectors fit their texts")]
