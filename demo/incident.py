"""The incident: one import of a user's profile wrote what it should not have, and what healing must make of it.

It is planted into a scope of healthy memories and told whole at the end of `make heal`: 5 rows without a scene, 18 rows
that say 6 facts, 10 rows (5 pairs) that oppose each other. One row is in two of these groups, so 32 rows are sick.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from demo.plant_duplicates import copy_of
from demo.rows import Row, metadata_text
from demo.scribe import new_id
from demo.ward import Ward
from mendory.record import FIELD_NAMES

SCOPE: Final = "user:chen-hao"
BATCH: Final = "import-20251116-chen-hao-profile"
RULE: Final = "latest_user_statement"
FROM_CLAIM: Final = "its claim"
CAUSES: Final = (
    {"code": "duplicate_exact", "cause": "redundant_import", "attribute": "batch", "value": BATCH},
    {"code": "conflict", "cause": "no_conflict_rule"},
)
"""What a diagnosis must say of it, as the heal tells its causes."""

_AT: Final = datetime(2025, 11, 16, 2, 0, tzinfo=UTC)
_USER: Final = "user_stated"


@dataclass(frozen=True, slots=True)
class _Said:
    """One memory: its text, scene and kind, minutes since the import began, and of whom and which batch it is."""

    text: str
    topic: str
    scene: str | None
    kind: str
    minutes: float
    source: str = _USER
    batch: str | None = BATCH


_FACTS: Final = (
    _Said("护照放在书房第二个抽屉", "生活", "家里", "fact", 1),
    _Said("车位在地下二层B217", "生活", "停车", "fact", 2),
    _Said("家里的路由器去年冬天换过", "生活", "网络", "fact", 3),
    _Said("The piano lesson moved to Tuesday evening", "family", "music", "fact", 4),
    _Said("The gym locker key hangs by the front door", "home", "keys", "fact", 5),
    _Said("The bicycle is serviced every April", "home", "bicycle", "fact", 6),
)
_AGAIN: Final = (540.0, 1260.0)
"""The import began three times: each fact came again so many seconds later."""
_DAY: Final = 24 * 60
_DECIDED: Final = (
    (
        _Said("不喝咖啡", "饮食", "饮品", "preference", -190 * _DAY, batch=None),
        _Said("每天一杯咖啡", "饮食", "饮品", "preference", 8),
    ),
    (
        _Said("住在上海徐汇区", "生活", "住址", "fact", -240 * _DAY, batch=None),
        _Said("住在杭州西湖区", "生活", "住址", "fact", 9),
    ),
    (
        _Said("Never eats seafood", "food", "dining", "preference", -150 * _DAY, batch=None),
        _Said("Eats seafood every Friday", "food", "dining", "preference", 10),
    ),
    (
        _Said("Hates open-plan offices", "workday", "offices", "preference", 11),
        _Said("Likes open-plan offices", "workday", "offices", "preference", 24),
    ),
)
"""(Said earlier, said later), both by the user; the last pair came in one batch."""
_UNDECIDED: Final = (
    _Said("The user's timezone is UTC+8", "workday", "calendar", "fact", -120 * _DAY, "config", None),
    _Said("The user's timezone is UTC+9", "workday", None, "fact", 12),
)
"""A configured value against the user's own word: no rule says which of them holds. One has lost its scene."""
_CLAIMED: Final = (
    (_Said("飞机上要靠窗的座位", "出行", None, "preference", 13), ("航班", "靠窗的座位", 1)),
    (_Said("点外卖时备注少放盐", "饮食", None, "preference", 14), ("外卖", "盐", -1)),
    (
        _Said("Wants a room far from the lift", "travel", None, "preference", 15),
        ("hotels", "room by the lift", -1),
    ),
)
_ASKED: Final = _Said("备用钥匙在物业前台", "生活", None, "fact", 16)


def plant_incident(ward: Ward) -> dict[str, Any]:
    """The incident's rows are in the ward and their faults noted; returns where it happened and its causes."""
    for said in _FACTS:
        first = _admit(ward, said)
        again = [copy_of(ward, first, seconds) for seconds in _AGAIN]
        again[-1]["content"] = f" {said.text}"  # the same to a reader
        ward.plant("duplicate_exact", "merged", [first, *again], incident=True)
    for earlier, later in _DECIDED:
        lose, keep = _admit(ward, earlier), _admit(ward, later)
        told = {"keep": keep["id"], "lose": lose["id"], "rule": RULE}
        ward.plant("conflict", "superseded", [lose, keep], incident=True, **told)
    configured, stated = (_admit(ward, said) for said in _UNDECIDED)
    ward.plant("conflict", "disputed", [configured, stated], incident=True)
    for said, (scene, wanted, stance) in _CLAIMED:
        row = _admit(ward, said)
        claim = {"scene": scene, "object": wanted, "stance": stance, "constraint": None}
        row["claim"] = json.dumps(claim, ensure_ascii=False)
        told = {"values": {"scene": scene}, "origins": {"scene": FROM_CLAIM}}
        ward.plant("metadata_missing_field", "filled", [row], incident=True, **told)
    for row in (stated, _admit(ward, _ASKED)):
        ward.plant("metadata_missing_field", "person", [row], keys=["scene"], incident=True)
    return {"scope": SCOPE, "batch": BATCH, "causes": list(CAUSES)}


def _admit(ward: Ward, said: _Said) -> Row:
    """The memory is a row of the ward, sick from the start."""
    held = {"topic": said.topic, "entities": ["user"]} | ({"scene": said.scene} if said.scene else {})
    when = _AT + timedelta(minutes=said.minutes)
    row: Row = {name: None for name in FIELD_NAMES if name != "embedding"}
    row |= {
        "id": new_id(ward.rng),
        "content": said.text,
        "metadata": metadata_text(held),
        "created_at": when,
        "updated_at": when,
        "source": said.source,
        "scope": SCOPE,
        "status": "active",
        "kind": said.kind,
        "batch_id": said.batch,
    }
    return ward.admit(row)
