"""The small table of the README's first screen: memories of one assistant as a team of its own keeps them.

Nothing in it is named as Mendory names things: `mem_id`, `text`, `vec`, tenant and user for the scope, milliseconds
for times, a flag for what is deleted, keys of a JSON text for the metadata. A few rows are sick.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa

SCHEMA = pa.schema(
    [
        ("mem_id", pa.string()),
        ("text", pa.string()),
        ("vec", pa.list_(pa.float32(), 4)),
        ("tenant", pa.string()),
        ("uid", pa.string()),
        ("ts", pa.int64()),
        ("source", pa.string()),
        ("info", pa.string()),
        ("hit_count", pa.int64()),
        ("is_deleted", pa.int64()),
    ]
)
_FACTS = (
    ("不吃香菜", "饮食"),
    ("周三下午不开会", "工作"),
    ("住在上海徐汇区", "生活"),
    ("对青霉素过敏", "健康"),
    ("项目代号是“北斗”", "工作"),
    ("Prefers window seats", "travel"),
    ("Flies to Oslo every March", "travel"),
    ("Reads contracts on paper", "work"),
    ("Runs 5 km on Sundays", "health"),
    ("Uses tabs, width 4", "work"),
)


def rows() -> list[dict[str, Any]]:
    """The memories: the same every time."""
    start = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    made = []
    for user in ("li.wei", "anna", "chen", "tom"):
        for at, (text, scene) in enumerate(_FACTS):
            moment = start + timedelta(hours=7 * at, minutes=11 * len(made))
            made.append(_row(len(made), user, text, scene, moment))
    first = made[5]
    for seconds, text in ((2, first["text"]), (31, "prefers  window seats")):  # a request that was tried again
        made.append(first | {"mem_id": f"m_{len(made):03}", "text": text, "ts": first["ts"] + 1000 * seconds})
    made[12]["is_deleted"] = 2
    made[20]["text"] = "\u3000"
    made[25]["info"] = '{"topic": "work", "entities": ["user"], "confidence": 0.90}'
    made[36]["uid"] = None
    return made


def _row(number: int, user: str, text: str, scene: str, moment: datetime) -> dict[str, Any]:
    return {
        "mem_id": f"m_{number:03}",
        "text": text,
        "vec": [float(len(text) % 7), 1.0, 0.5, -1.0],
        "tenant": "acme",
        "uid": user,
        "ts": int(moment.timestamp() * 1000),
        "source": "user_stated",
        "info": json.dumps({"topic": scene, "entities": ["user"], "scene": scene}, ensure_ascii=False),
        "hit_count": number % 5,
        "is_deleted": 0,
    }


def build(folder: Path) -> None:
    """`assistant.lancedb` with the table `chat_memory` is in the folder."""
    table = pa.Table.from_pylist(rows(), SCHEMA)
    lancedb.connect(str(folder / "assistant.lancedb")).create_table("chat_memory", table)


if __name__ == "__main__":
    build(Path(sys.argv[1]))
