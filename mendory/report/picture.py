"""One plot of the case record as a picture that stands alone: for pages of others, which bring no style of ours."""

from __future__ import annotations

from typing import Final

from mendory.report.plots import Plot
from mendory.report.templates import templates

WIDE: Final = 640
"""Pixels across; a Prefect page shows it so, or smaller."""
_MARGIN: Final = 16


def picture(plot: Plot) -> str:
    """The plot as an SVG document of its own, on white paper: it reads the same on a dark page."""
    return templates().get_template("plot.svg").render(plot=plot, wide=WIDE, scale=(WIDE - 2 * _MARGIN) / 100)
