"""Spaces: which model a table's vectors are of, how that is recognised, and who is refused.

A space is an embedder's identity with the vectors of sixteen canary texts. `admit` is asked before anything is
embedded for a table, `CanaryWatch` looks on while it is, and `witness` embeds a sample of rows again.
"""

from mendory.spaces.canaries import CANARIES
from mendory.spaces.fingerprint import Comparison, Fingerprint, Verdict, compare
from mendory.spaces.known import Admission, Space, Spaces, SpaceState, admit, recognise
from mendory.spaces.sample import draw, named
from mendory.spaces.standing import stand_downs
from mendory.spaces.watch import CanaryWatch
from mendory.spaces.witness import (
    QUICK,
    Agreement,
    Sample,
    Slice,
    Witnessed,
    agreement,
    enough,
    require,
    rows_for,
    sentence,
    share_shown,
    witness,
)

__all__ = [
    "CANARIES",
    "QUICK",
    "Admission",
    "Agreement",
    "CanaryWatch",
    "Comparison",
    "Fingerprint",
    "Sample",
    "Slice",
    "Space",
    "SpaceState",
    "Spaces",
    "Verdict",
    "Witnessed",
    "admit",
    "agreement",
    "compare",
    "draw",
    "enough",
    "named",
    "recognise",
    "require",
    "rows_for",
    "sentence",
    "share_shown",
    "stand_downs",
    "witness",
]
