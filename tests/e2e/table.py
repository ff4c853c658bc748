"""A table in Chinese and English with faults of every level, the planting the judge alone reads, a configuration."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from tests.conftest import make_table, memory

PHRASES = ("a berth on the night train to Oslo", "徐汇区老房子的三楼")
"""One of them is in every text: what may be in no database of Prefect's."""
SCOPES = 8
PEOPLE = ("Anna", "李雷", "Tom", "韩梅梅")
NAMED, ENROLLED = "李雷", "anna"
"""Who may answer up to level 2, and who with a one-time code up to level 3."""

_TOML = """\
[table]
uri = "db"
name = "memories"

[metadata.defaults]
scene = "daily"

[limits]
rows_per_run = 1000
repairs_per_day = 5000
scope_share = 1.0
sick_share_scope = 1.0
sick_share_table = 1.0
zone = "Asia/Shanghai"

[approval]
approvers = ["{named}"]

[report]
lang = "{lang}"
base_url = "{reports}"

[notify]
zone = "Asia/Shanghai"
"""


def build(folder: Path, rows: int, lang: str, reports: str, ledger: str = "") -> dict[str, Any]:
    """Table and configuration are in the folder; returns what was planted, as the judge reads it."""
    made = [_healthy(n) for n in range(rows)]
    faults = _damage(made)
    make_table(folder / "db", made)
    toml = _TOML.format(named=NAMED, lang=lang, reports=reports)
    if ledger:
        toml += f'\n[ledger]\nurl = "{ledger}"\n'
    (folder / "mendory.toml").touch(mode=0o600)
    (folder / "mendory.toml").write_text(toml, encoding="utf-8")
    return {"faults": faults}


def _healthy(n: int) -> dict[str, Any]:
    who, scope = PEOPLE[n % len(PEOPLE)], f"u{n % SCOPES}"
    text = f"{who} keeps {PHRASES[0]}, number {n}" if n % 2 else f"{who}第 {n} 次说起{PHRASES[1]}"
    angle = [math.cos(n), math.sin(n), math.cos(n * 1.7), math.sin(n * 1.7)]
    return memory(f"m{n:04}", content=text, scope=scope, batch_id=f"{scope}-{n // (SCOPES * 12)}", embedding=angle)


def _damage(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Some rows say twice what another said, write the status in their own way, lack a key, or lack their scope."""
    faults: list[dict[str, Any]] = []
    for n in range(0, 12):  # six of them in Chinese, six in English
        twice = rows[n] | {"id": f"twice-{n}"}
        rows.append(twice)
        faults.append({"outcome": "merged", "ids": [rows[n]["id"], twice["id"]]})
    for n in range(20, 26):
        rows[n]["status"] = " ACTIVE" if n % 2 else "Active "
        faults.append({"outcome": "normalised", "ids": [rows[n]["id"]]})
    for n in range(30, 38):
        rows[n]["metadata"] = '{"topic": "general", "entities": ["user"]}'
        faults.append({"outcome": "filled", "ids": [rows[n]["id"]]})
    for n in range(40, 44):
        faults.append({"outcome": "rescoped", "ids": [rows[n]["id"]], "scope": rows[n]["scope"]})
        rows[n]["scope"] = None
    return faults


def unmet(planting: dict[str, Any], rows: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The faults that are not repaired, by the rows as plain LanceDB reads them."""
    return [fault for fault in planting["faults"] if not _met(fault, [rows[i] for i in fault["ids"]])]


def _met(fault: dict[str, Any], rows: list[dict[str, Any]]) -> bool:
    match fault["outcome"]:
        case "merged":
            kept = [r for r in rows if r["status"] == "active"]
            return len(kept) == 1 and {kept[0]["id"]} == {r["duplicate_of"] for r in rows if r is not kept[0]}
        case "normalised":
            return bool(rows[0]["status"] == "active")
        case "filled":
            return '"scene": "daily"' in rows[0]["metadata"] or '"scene":"daily"' in rows[0]["metadata"]
        case _:
            return bool(rows[0]["scope"] == fault["scope"])
