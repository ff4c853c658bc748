"""The case record of a plan: what was found, what was done by whose word, what is left. No memory text in it."""

from mendory.report.build import build
from mendory.report.markdown import markdown

__all__ = ["build", "markdown"]
