"""`python -m tests.moving.act VERB FOLDER`: one act of a person or a flow who moves the table; may be killed anywhere.

The last line says what came of it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mendory.canarying import go_on
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.foreground import step_back
from mendory.gated import approve, examine_move, held_gate
from mendory.migrating import fill, go_back, start, under_way
from mendory.soaking import look
from tests.moving.setting import CONFIG

BY = "ann"
SEED = 9


def _start(clinic: Clinic) -> dict[str, Any]:
    return {"column": start(clinic, BY, same_width=True).column}


def _fill(clinic: Clinic) -> dict[str, Any]:
    done = fill(clinic)
    return {"rows": done.rows, "waiting": done.waiting, "seconds": done.seconds, "embedding": done.embedding}


def _gate(clinic: Clinic) -> dict[str, Any]:
    found = examine_move(clinic, SEED, by=BY)[1]
    return {"passed": found.passed, "reasons": found.reasons, "parts": [part.as_json() for part in found.parts]}


def _approve(clinic: Clinic) -> dict[str, Any]:
    held = held_gate(under_way(clinic.ledger))
    return {"stage": approve(clinic, str(held and held["digest"])[:8], BY).stage.value}


def _go_on(clinic: Clinic) -> dict[str, Any]:
    went = go_on(clinic, BY)
    return {"stage": went.move.stage.value, "why": f"{went.act} {went.reason}"}


def _look(clinic: Clinic) -> dict[str, Any]:
    return {"alarm": look(clinic, BY).alarm}


def _rollback(clinic: Clinic) -> dict[str, Any]:
    return {"stage": go_back(clinic, BY, "a proof").stage.value}


VERBS: Mapping[str, Callable[[Clinic], dict[str, Any]]] = {
    "start": _start,
    "fill": _fill,
    "gate": _gate,
    "approve": _approve,
    "go-on": _go_on,
    "look": _look,
    "rollback": _rollback,
}


def main(verb: str, folder: Path) -> None:
    """The act, from a configuration read anew."""
    print("ready", flush=True)
    clinic = Clinic(Config.load(folder / CONFIG))
    if verb != "rollback":  # as the verbs of the command line do
        step_back(clinic.config.migration.niceness)
    print(json.dumps(VERBS[verb](clinic)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
