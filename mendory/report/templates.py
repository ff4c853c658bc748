"""The templates of the report's page and pictures; jinja2 is loaded by whoever asks for one and by nobody else."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined


def templates() -> Environment:
    """Those of `mendory/report/page`: whatever is put into one is escaped, and a name it does not get is an error."""
    return Environment(
        loader=PackageLoader("mendory.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
