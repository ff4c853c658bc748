"""`python -m tests.moving.agent read|write FOLDER SEED PAUSE`: an agent's own process, through the door, until SIGTERM.

It opened the door before the move and is never told of it.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import mendory
from mendory.errors import MendoryError
from tests.moving.journal import Going, Journal
from tests.moving.setting import CONFIG, pool_of, queries_of

K = 10
OFTEN = 0.5
"""The share of recalls that ask one of a few questions."""


def read(folder: Path, seed: int, pause: float) -> None:
    """Asks one question after the other; every answer is written down, or why there was none."""
    rng, going, journal = random.Random(seed), Going(pause), Journal(folder, "agent-read")
    asked = queries_of(folder)[0]
    often = [number for number, one in enumerate(asked) if one["often"]]
    with mendory.open(folder / CONFIG) as door:
        door.recall(asked[0]["text"], scope=asked[0]["scope"], k=K)  # the model is loaded
        print("ready", flush=True)
        while going:
            number = rng.choice(often) if often and rng.random() < OFTEN else rng.randrange(len(asked))
            one, at, began = asked[number], time.time(), time.perf_counter()
            try:
                found = door.recall(one["text"], scope=one["scope"], k=K)
            except MendoryError as error:
                journal.tell(at=at, q=number, raised=f"{type(error).__name__}: {error}"[:300])
            else:
                ms = 1000 * (time.perf_counter() - began)
                near = [round(recalled.similarity, 6) for recalled in found]
                journal.tell(at=at, q=number, ms=ms, ids=[recalled.id for recalled in found], near=near)
            going.rest()


def write(folder: Path, seed: int, pause: float) -> None:
    """Adds, updates and archives memories; each is written down before it is tried and after it is done."""
    rng, going, journal = random.Random(seed), Going(pause), Journal(folder, "agent-write")
    pool = pool_of(folder)[0][::2]
    held = ids_of(folder, 0)
    with mendory.open(folder / CONFIG) as door:
        print("ready", flush=True)
        for number, one in enumerate(pool):
            if not going:
                return
            op = rng.choices(("add", "update", "archive"), (5, 4, 1))[0]
            ident = f"agent-{number}" if op == "add" else rng.choice(held)
            text = None if op == "archive" else one["text"]
            journal.tell(n=number, op=op, rows=[[ident, text]], state="begun")
            try:
                if op == "add":
                    door.add(one["text"], scope=one["scope"], source="user_stated", metadata=METADATA, id=ident)
                    held.append(ident)
                elif op == "update":
                    door.update(ident, content=one["text"])
                else:
                    door.archive(ident)
                    held.remove(ident)
            except MendoryError as error:
                journal.tell(n=number, state="raised", why=f"{type(error).__name__}: {error} {error.__context__}"[:600])
            else:
                journal.tell(n=number, state="done")
            going.rest()
    raise SystemExit("The texts are used up. Give a larger pool.")


METADATA = {"topic": "general", "entities": ["user"], "scene": "daily"}


def ids_of(folder: Path, part: int) -> list[str]:
    """The ids that one of the two writers may change: every second one."""
    import lancedb

    rows = lancedb.connect(str(folder)).open_table("memories").search().select(["id", "status"])
    held = rows.limit(10**9).to_arrow().to_pylist()
    return sorted(row["id"] for row in held if row["status"] != "archived")[part::2]


if __name__ == "__main__":
    {"read": read, "write": write}[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
