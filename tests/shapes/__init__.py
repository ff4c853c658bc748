"""Five owners of memory tables: what their programs write, search and change, re-implemented from what they do."""

from __future__ import annotations

from tests.shapes.cognee import Cognee
from tests.shapes.common import Owner, Planted, Writer
from tests.shapes.crewai import CrewAI
from tests.shapes.homemade import Homemade
from tests.shapes.openclaw import OpenClaw
from tests.shapes.pro import LancedbPro

OWNERS: tuple[Owner, ...] = (
    CrewAI(),
    OpenClaw(),
    OpenClaw(agents=False),
    OpenClaw(older=True),
    LancedbPro(),
    Cognee(),
    Homemade(),
)
"""Every owner; OpenClaw three times, since older stores have no agents, and older rows none either."""

__all__ = ["OWNERS", "Cognee", "CrewAI", "Homemade", "LancedbPro", "OpenClaw", "Owner", "Planted", "Writer"]
