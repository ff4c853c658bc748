"""Detectors of others, by entry point."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from mendory.errors import DependencyMissing

GROUP: Final = "mendory.detectors"
"""The entry point group; each value is called with the `Settings` and gives a `Detector`."""
_ASKED: Final = ("codes", "observe", "findings", "stands_down")


@cache
def factories() -> tuple[Callable[[Any], Any], ...]:
    """What makes each plugged-in detector, by name. Raises DependencyMissing when one can't be loaded."""
    return tuple(_loaded(found) for found in sorted(entry_points(group=GROUP), key=lambda found: found.name))


def _loaded(found: EntryPoint) -> Callable[[Any], Any]:
    try:
        factory: Callable[[Any], Any] = found.load()
    except (ImportError, AttributeError) as error:
        raise DependencyMissing(
            f"The detector '{found.name}' ({found.value}) can't be loaded: {type(error).__name__}. Nothing was "
            "examined. Install it again, or uninstall it."
        ) from error

    def make(settings: Any) -> Any:
        detector = factory(settings)
        missing = [name for name in _ASKED if not hasattr(detector, name)]
        if missing:
            raise DependencyMissing(
                f"The detector '{found.name}' ({found.value}) lacks {', '.join(missing)}. Nothing was examined. Let "
                "it have all that mendory.detect.Detector asks for, or uninstall it."
            )
        return detector

    return make
