"""Plants one text stored several times: double writes to merge, and look-alikes that must only be reported."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from demo.rows import Row, is_chinese, metadata_of, metadata_text
from demo.scribe import new_id
from demo.ward import Ward

_POWER: Final = "project:qingshan-dc"
_REQUIRED: Final = ("topic", "entities", "scene")
_SIZES: Final = (2, 2, 2, 3, 2, 4, 2, 3, 2, 2, 5, 2, 3, 2, 2, 2, 3, 2)
_UNITS: Final = (
    (_POWER, "infrastructure", "power", "hall B", "The second feed peaks at 5 MW", "The second feed peaks at 5 mW"),
    (_POWER, "基础设施", "供电", "B栋机房", "B栋机房峰值负荷约 5 MW", "B栋机房峰值负荷约 5 mW"),
    (
        "agent:oncall",
        "infrastructure",
        "limits",
        "event-bus",
        "event-bus may burst to 8 Gb a second",
        "event-bus may burst to 8 GB a second",
    ),
    ("project:atlas-mobile", "基础设施", "配额", "map-cache", "map-cache最多用8 GB内存", "map-cache最多用8 Gb内存"),
)
"""Scope, topic, scene, entity, and two texts that case-folding makes one although their units differ."""
_EN_NOTES: Final = ("Said over the phone", "From the shared calendar", "Confirmed in passing", "Noted after lunch")
_ZH_NOTES: Final = ("电话里说的", "来自共享日历", "顺口确认过", "午饭后记的")


def plant_duplicates(ward: Ward) -> None:
    """Every kind of repeated text."""
    _batch_written_twice(ward)
    _double_writes(ward)
    _referenced(ward)
    _follow_ups(ward)
    _restated(ward)
    _look_alikes(ward)


def _plain(row: Row) -> bool:
    """True for a memory that may be merged with its like."""
    return bool(row["kind"] != "event")


def copy_of(ward: Ward, row: Row, seconds: float, **changes: Any) -> Row:
    """The same memory written again that much later, with metadata of its own beside the required keys."""
    rng = ward.rng
    held = {k: v for k, v in metadata_of(row).items() if k in (*_REQUIRED, "user")}
    held["importance"] = Decimal(rng.randrange(20, 100)).scaleb(-2)
    when = row["created_at"] + timedelta(seconds=seconds)
    fresh = {
        "id": new_id(rng),
        "metadata": metadata_text(held),
        "created_at": when,
        "updated_at": when,
        "last_accessed_at": None,
        "last_verified_at": None,
        "related_ids": None,
        "related_notes": None,
    }
    return ward.admit({**row, **fresh, **changes})


def _variant(text: str, at: int) -> str:
    """The text in other case or white space, the same to a reader."""
    first = text[0].swapcase() if re.match(r"[A-Za-z][a-z]", text) else text[0]
    spaced = text.replace(" ", "  ", 1) if " " in text and not is_chinese(text) else text + "\u3000"
    return (text, first + text[1:], f" {text}", spaced, f"{text}\n")[at % 5]


def _moments(ward: Ward, count: int) -> list[float]:
    """That many moments within the hour, in order, in seconds."""
    return sorted(ward.rng.uniform(2, 3400) for _ in range(count))


def _neighbours(ward: Ward, row: Row, count: int) -> list[str]:
    """Ids of other memories of the scope, for a copy to relate to."""
    held = [r["id"] for r in ward.rows.values() if r["scope"] == row["scope"] and ward.free(r)]
    return sorted(ward.rng.sample(held, count))


def _batch_written_twice(ward: Ward) -> None:
    """One import ran twice, minutes apart; its events come twice too, but events are never merged."""
    english = [b for b in ward.free_imports() if not is_chinese(b[0]["content"])]
    for row in min(english, key=lambda b: (sum(map(_plain, b)), b[0]["id"])):  # the incident's import is the larger
        ward.take(row)
        copy = copy_of(ward, row, 245)
        if _plain(row):
            ward.plant("duplicate_exact", "merged", [row, copy])
        else:
            ward.plant("duplicate_restated", "report", [row, copy])


def _double_writes(ward: Ward) -> None:
    """Two to five copies within the hour, each knowing something of its own."""
    for at, (size, row) in enumerate(zip(_SIZES, ward.choose(len(_SIZES), _plain), strict=True)):
        notes = _ZH_NOTES if is_chinese(row["content"]) else _EN_NOTES
        copies = []
        for number, seconds in enumerate(_moments(ward, size - 1)):
            changes: dict[str, Any] = {"content": _variant(row["content"], at + number)}
            if (at + number) % 3 == 0:
                changes["related_ids"] = _neighbours(ward, row, 1 + number % 2)
            if (at + number) % 4 == 1:
                changes["related_notes"] = [notes[(at + number) % 4]]
            copy = copy_of(ward, row, seconds, **changes)
            if (at + number) % 2:
                copy["source"] = "model_inferred"
                copy["metadata"] = metadata_text({**metadata_of(copy), "session": f"s-{ward.rng.randrange(16**4):04x}"})
            if (at + number) % 5 == 2:
                copy["metadata"] = metadata_text({**metadata_of(copy), "tags": ["again", "auto"], "lang": "und"})
            copies.append(copy)
        ward.plant("duplicate_exact", "merged", [row, *copies])


def _referenced(ward: Ward) -> None:
    """Copies that other memories name: those must name the row that is kept."""
    for at, row in enumerate(ward.choose(6, _plain)):
        row["metadata"] = metadata_text({**metadata_of(row), "confirmed": "in chat", "origin": "web"})
        copies = [copy_of(ward, row, s) for s in _moments(ward, 1 + at % 2)]
        ward.plant("duplicate_exact", "merged", [row, *copies])
        scope = row["scope"]
        referrers = ward.choose(1 + at % 2, lambda r, scope=scope: r["scope"] == scope)  # type: ignore[misc]
        for referrer in referrers:
            referrer["related_ids"] = [*(referrer["related_ids"] or ()), copies[0]["id"]]
            _repointed(ward, referrer, "related_ids", [row, *copies])
        if at % 3 == 0:
            earlier = copy_of(ward, row, 4000, status="archived", duplicate_of=copies[-1]["id"])
            _repointed(ward, earlier, "duplicate_of", [row, *copies])


def _repointed(ward: Ward, referrer: Row, field: str, group: Sequence[Row]) -> None:
    """The referrer counts as sick: what it names will be hidden."""
    ward.plant("duplicate_exact", "repointed", [referrer], field=field, group=[r["id"] for r in group])


def _follow_ups(ward: Ward) -> None:
    """Copies that can only be merged after another fault of theirs is mended."""
    for row in ward.choose(2, lambda r: _plain(r) and "stance" in (r["claim"] or ""), outside=ward.struck):
        copy = copy_of(ward, row, 600)
        held = metadata_of(copy)
        scene = json.loads(row["claim"])["scene"]
        assert held.pop("scene") == scene
        copy["metadata"] = metadata_text(held)
        ward.plant("metadata_missing_field", "filled", [copy], values={"scene": scene})
        ward.plant("duplicate_exact", "merged", [row, copy], after="metadata_missing_field")
    for row in ward.choose(2, _plain):
        copy = copy_of(ward, row, 900, status=" Active ")
        ward.plant("illegal_status", "normalised", [copy], status="active")
        ward.plant("duplicate_exact", "merged", [row, copy], after="illegal_status")


def _restated(ward: Ward) -> None:
    """The same said again hours to weeks later, and events that came twice: history, reported only."""
    for at, row in enumerate(ward.choose(6, lambda r: r["kind"] in ("preference", "fact"))):
        ward.plant("duplicate_restated", "report", [row, copy_of(ward, row, 86400.0 * (0.1, 2, 16, 23, 9, 31)[at])])
    for at, row in enumerate(ward.choose(5, lambda r: r["kind"] == "event")):
        ward.plant("duplicate_restated", "report", [row, copy_of(ward, row, (90, 700, 86400, 172800, 2500)[at])])
    [row] = ward.choose(1, _plain)
    twice, later = copy_of(ward, row, 300), copy_of(ward, row, 86400 * 12)
    ward.plant("duplicate_exact", "merged", [row, twice])
    ward.plant("duplicate_restated", "report", [row, twice, later])


def _look_alikes(ward: Ward) -> None:
    """Within the hour, but scene, owner, kind, status or unit differ: never merged."""

    def alike(row: Row, **changes: Any) -> None:
        ward.plant("duplicate_restated", "report", [row, copy_of(ward, row, ward.rng.uniform(5, 3000), **changes)])

    def metadata(row: Row, **changes: Any) -> str:
        return metadata_text({**metadata_of(row), **changes})

    for row in ward.choose(3, lambda r: _plain(r) and not r["claim"]):
        alike(row, metadata=metadata(row, scene="商务宴请" if is_chinese(row["content"]) else "business trip"))
    for row in ward.choose(2, lambda r: _plain(r) and r["scope"].startswith("project:")):
        alike(row, metadata=metadata(row, owner="sales"))
    for row in ward.choose(2, lambda r: r["kind"] == "preference"):
        alike(row, kind="fact")
    [row] = ward.choose(1, _plain)
    alike(row, status="pending_review")
    for scope, topic, scene, entity, text, other in _UNITS:
        [row] = ward.choose(1, lambda r, scope=scope: r["kind"] == "fact" and r["scope"] == scope)  # type: ignore[misc]
        row |= {"content": text, "claim": None, "metadata": metadata(row, topic=topic, scene=scene, entities=[entity])}
        alike(row, content=other)
