"""The small table of the README's first screen: forty memories of one assistant, a few of them sick."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mendory.lance import Writer, create_table, to_table
from mendory.mapping import Mapping
from mendory.record import arrow_schema

_FACTS = (
    ("zh", "不吃香菜", "饮食"),
    ("zh", "周三下午不开会", "工作"),
    ("zh", "住在上海徐汇区", "生活"),
    ("zh", "对青霉素过敏", "健康"),
    ("zh", "项目代号是“北斗”", "工作"),
    ("en", "Prefers window seats", "travel"),
    ("en", "Flies to Oslo every March", "travel"),
    ("en", "Reads contracts on paper", "work"),
    ("en", "Runs 5 km on Sundays", "health"),
    ("en", "Uses tabs, width 4", "work"),
)


def rows() -> list[dict[str, Any]]:
    """The memories: the same every time."""
    start = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    made = []
    for scope in ("user:li.wei", "user:anna", "user:chen", "user:tom"):
        for at, (lang, text, scene) in enumerate(_FACTS):
            moment = start + timedelta(hours=7 * at, minutes=11 * len(made))
            made.append(_row(f"m_{len(made):03}", scope, text, lang, scene, moment))
    made[12]["status"] = "Active "
    made[33]["status"] = "deleted?"
    made[25]["metadata"] = '{"topic": "work", "entities": ["user"], "confidence": 0.90}'
    made[36]["scope"] = None
    first = made[5]
    for number, seconds in (("m_040", 2), ("m_041", 31)):
        copy = _row(number, first["scope"], "prefers  window seats", "en", "travel", first["created_at"])
        made.append(copy | {"created_at": first["created_at"] + timedelta(seconds=seconds)})
    made[8]["related_ids"] = ["m_041"]
    return made


def _row(name: str, scope: str, text: str, lang: str, scene: str, moment: datetime) -> dict[str, Any]:
    metadata = {"topic": scene, "entities": ["user"], "scene": scene, "lang": lang}
    return {
        "id": name,
        "content": text,
        "embedding": [float(len(text) % 7), 1.0, 0.5, -1.0],
        "metadata": json.dumps(metadata, ensure_ascii=False),
        "created_at": moment,
        "updated_at": moment,
        "source": "user_stated",
        "scope": scope,
        "status": "active",
        "kind": "fact",
        "batch_id": f"import-{moment:%m-%d}",
    }


def build(folder: Path) -> None:
    """`assistant.lancedb` with the table `memories` is in the folder."""
    create_table(str(folder / "assistant.lancedb"), "memories", 4)
    writer = Writer(str(folder / "assistant.lancedb"), "memories", Mapping.identity())
    writer.append(to_table(rows(), arrow_schema(4)))


if __name__ == "__main__":
    build(Path(sys.argv[1]))
