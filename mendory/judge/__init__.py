"""Optional judges: models that are asked about a conflict, and may confirm or lower, never decide.

`build(config.judge, config.root)` makes the one the configuration describes. Importing this loads no model.
"""

from mendory.judge.asking import Asking, Judging, Remembered
from mendory.judge.build import build
from mendory.judge.consulted import Consulted
from mendory.judge.model import Estimate, Judge, Opinion, Pair, Verdict
from mendory.judge.opinions import Opinions
from mendory.judge.weigh import weighed

__all__ = [
    "Asking",
    "Consulted",
    "Estimate",
    "Judge",
    "Judging",
    "Opinion",
    "Opinions",
    "Pair",
    "Remembered",
    "Verdict",
    "build",
    "weighed",
]
