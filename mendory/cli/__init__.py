"""The command line: the library without Prefect. Reads by default; says what it wrote and what comes next.

Exit codes. `check`, `plan`, `doctor`: 0 nothing found or nothing to do, 2 something. `review`: 0 nothing waits, 3
something. `verify`: 0 all looked at, 3 not all, 4 something is wrong. `approve`, `reject`, `apply`, `rollback`,
`recover`, `import`: 0 done. All: 1 error or usage, 3 waits for a person, 4 refused, 5 unknown outcome.
"""

from mendory.cli import (
    approvers,
    calibrate,
    deploying,
    doctor,
    drift,
    events,
    examine,
    getting,
    importing,
    init,
    judging,
    migrate,
    migrate_end,
    migrate_gate,
    migrate_switch,
    plans,
    policy,
    recalling,
    recovering,
    reporting,
    review,
    spaces,
    sparing,
    treat,
    verifying,
)
from mendory.cli.shared import main

__all__ = [
    "approvers",
    "calibrate",
    "deploying",
    "doctor",
    "drift",
    "events",
    "examine",
    "getting",
    "importing",
    "init",
    "judging",
    "main",
    "migrate",
    "migrate_end",
    "migrate_gate",
    "migrate_switch",
    "plans",
    "policy",
    "recalling",
    "recovering",
    "reporting",
    "review",
    "spaces",
    "sparing",
    "treat",
    "verifying",
]
