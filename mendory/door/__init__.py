"""The library door: an agent's own code adds, changes, archives and reads memories in its own table.

These are the owner's writes, not Mendory's repairs: plain LanceDB calls, each checked, each noted in the
telemetry file so that the next check lists it. Nothing here loads torch, prefect, Great Expectations or pylance.
"""

from mendory.door.door import Door, open_door
from mendory.door.embedders import Embeds
from mendory.door.held import Held

__all__ = ["Door", "Embeds", "Held", "open_door"]
