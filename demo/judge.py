"""The judge: says, without any code of mendory's, which healthy rows changed and which faults were not answered."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import lancedb
import pyarrow as pa

Rows = Mapping[str, Mapping[str, Any]]
"""Rows by id, without their vectors."""

_RECALLED = ("active", "pending_review")
_UINT = {16: pa.uint16(), 32: pa.uint32(), 64: pa.uint64()}


def digests(uri: str, table: str) -> dict[str, str]:
    """Id → digest of the whole row as plain LanceDB reads it; rows that share an id count together."""
    held: pa.Table = lancedb.connect(uri).open_table(table).to_arrow()
    names = sorted(held.column_names)
    columns = [[cell for chunk in held.column(n).chunks for cell in cells(chunk)] for n in names]
    found: dict[str, list[str]] = {}
    for name, row in zip(held.column("id").to_pylist(), zip(*columns, strict=True), strict=True):
        text = repr(list(zip(names, row, strict=True)))
        found.setdefault(str(name), []).append(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
    return {name: " ".join(sorted(several)) for name, several in found.items()}


def cells(array: pa.Array) -> list[Any]:
    """An array as Python values in which floats are their bits and times whole numbers, so that nothing is lost."""
    kind = array.type
    if pa.types.is_floating(kind):
        return list(array.view(_UINT[kind.bit_width]).to_pylist())
    if pa.types.is_timestamp(kind):
        return list(array.view(pa.int64()).to_pylist())
    if pa.types.is_fixed_size_list(kind):
        inner, size = cells(array.values), kind.list_size
        starts = [(array.offset + at) * size for at in range(len(array))]
        spans = [(start, start + size) for start in starts]
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        inner, ends = cells(array.values), array.offsets.to_pylist()
        spans = list(itertools.pairwise(ends))
    else:
        return list(array.to_pylist())
    return [inner[a:b] if there else None for (a, b), there in zip(spans, array.is_valid().to_pylist(), strict=True)]


def rows(uri: str, table: str) -> dict[str, dict[str, Any]]:
    """The rows by id, without their vectors, as plain LanceDB reads them."""
    held: pa.Table = lancedb.connect(uri).open_table(table).to_arrow()
    return {row["id"]: row for row in held.drop_columns(["embedding"]).to_pylist()}


def planted_ids(planting: Mapping[str, Any]) -> frozenset[str]:
    """Every row the planting counts as sick."""
    return frozenset(i for fault in planting["faults"] for i in fault["ids"])


def healthy_changed(before: Mapping[str, str], after: Mapping[str, str], planting: Mapping[str, Any]) -> list[str]:
    """Ids of healthy rows whose digest is another one, and of rows that appeared or vanished."""
    healthy = (before.keys() | after.keys()) - planted_ids(planting)
    come_or_gone = before.keys() ^ after.keys()
    return sorted(come_or_gone | {i for i in healthy if before.get(i) != after.get(i)})


def holds(wrong: Iterable[Sequence[Any]], verdicts: Sequence[bool]) -> bool:
    """Whether a run was as it must be: nothing of any sort went wrong, and there were verdicts, all of them good."""
    return not any(wrong) and bool(verdicts) and all(verdicts)


def false_alarms(planting: Mapping[str, Any], findings: Iterable[Mapping[str, Any]]) -> list[str]:
    """Ids of healthy rows that a finding names; findings as `mendory check --json` prints them."""
    return sorted({i for finding in findings for i in finding["ids"]} - planted_ids(planting))


def unseen(planting: Mapping[str, Any], findings: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Faults that no finding of the first check-up answers; those that only follow from a repair are left out."""
    seen = {(f["code"], frozenset(f["ids"])) for f in findings}
    visible = [f for f in planting["faults"] if f["outcome"] != "repointed" and "after" not in f["detail"]]
    return [f for f in visible if (f["code"], frozenset(f["ids"])) not in seen]


def misproposed(planting: Mapping[str, Any], plans: Iterable[Mapping[str, Any]]) -> list[str]:
    """Rows to which a person is proposed another scope or source than theirs, or none where others tell it.

    Plans as `mendory show --json` prints them.
    """
    meant = {(f["ids"][0], n, v) for f in planting["faults"] for n, v in f["detail"].get("proposed", {}).items()}
    given = ("set_scope", "set_source")
    steps = (step for plan in plans for group in plan["groups"] for step in group["steps"] if step["kind"] in given)
    proposed = {(row, name, new) for s in steps for row, _, _, changes, *_ in s["edits"] for name, _, new in changes}
    return sorted({row for row, _, _ in meant ^ proposed})


def missed(
    planting: Mapping[str, Any], uri: str, table: str, findings: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Faults whose expected outcome did not happen, each with why; `findings` are those of a check-up afterwards.

    What is a person's or only reported must stand as it was planted and still be found.
    """
    before, after = planting["before"], rows(uri, table)
    left = [(f["code"], frozenset(f["ids"])) for f in findings]
    repaired = {i for f in planting["faults"] if f["outcome"] not in ("person", "report") for i in f["ids"]}
    wrong = []
    for fault in planting["faults"]:
        gone = [i for i in fault["ids"] if i not in after]
        why = f"vanished: {', '.join(gone)}" if gone else answered(fault, before, after)
        if not why and fault["outcome"] in ("person", "report"):
            why = _untouched([i for i in fault["ids"] if i not in repaired], before, after) or _found(
                fault, after, left
            )
        if why:
            wrong.append({"fault": fault, "why": why})
    return wrong


def _untouched(ids: Iterable[str], before: Rows, after: Rows) -> str:
    """Which of these rows are not as they were planted, empty when none."""
    other = [i for i in ids if any(_plain(after[i][n]) != value for n, value in before[i].items())]
    return f"changed: {', '.join(other)}" if other else ""


def _plain(value: Any) -> Any:
    """A value as the planting's JSON holds it."""
    return value.isoformat() if isinstance(value, datetime) else value


def _found(fault: Mapping[str, Any], after: Rows, left: Iterable[tuple[str, frozenset[str]]]) -> str:
    """Why nobody would learn of the fault any more; rows merged meanwhile need not be named."""
    shown = {i for i in fault["ids"] if not after[i]["duplicate_of"]} or set(fault["ids"])
    return "" if any(code == fault["code"] and shown <= ids for code, ids in left) else "it is not found any more"


def answered(fault: Mapping[str, Any], before: Rows, after: Rows) -> str:
    """Why the fault's outcome did not happen as far as its rows tell, all of which are there; empty when it did."""
    detail, row = fault["detail"], after[fault["ids"][0]]
    match fault["outcome"]:
        case "filled":
            held = json.loads(row["metadata"] or "{}")
            return "; ".join(
                f"{k} is {held.get(k)!r}, not {v!r}" for k, v in detail["values"].items() if held.get(k) != v
            )
        case "normalised":
            merged = row["status"] == "archived" and row["duplicate_of"]
            return "" if row["status"] == detail["status"] or merged else f"status is {row['status']!r}"
        case "merged":
            return _merged([before[i] for i in fault["ids"]], [after[i] for i in fault["ids"]])
        case "person":
            held = json.loads(row["metadata"] or "{}")
            return "; ".join(f"{k} is {held[k]!r}" for k in detail.get("keys", ()) if held.get(k))
        case "superseded":
            return _superseded(before[detail["lose"]], after[detail["lose"]], after[detail["keep"]])
        case "disputed":
            hidden = [i for i in fault["ids"] if after[i]["status"] not in _RECALLED]
            rewritten = [i for i in fault["ids"] if after[i]["content"] != before[i]["content"]]
            return f"not as they were: {', '.join([*hidden, *rewritten])}" if hidden or rewritten else ""
        case "repointed":
            names = row[detail["field"]]
            targets = set([names] if isinstance(names, str) else names or ()) & set(detail["group"])
            kept = {i for i in detail["group"] if after[i]["status"] != "archived"}
            return "" if targets and targets <= kept else f"it names {sorted(targets)}, kept is {sorted(kept)}"
    return ""


def _superseded(before: Mapping[str, Any], lost: Mapping[str, Any], kept: Mapping[str, Any]) -> str:
    """Why the one that lost did not leave recall for the one that stays, whole and labelled with it."""
    if (lost["status"], lost["superseded_by"]) != ("archived", kept["id"]):
        return f"{lost['id']} is {lost['status']}, its successor {lost['superseded_by']}"
    if kept["status"] not in _RECALLED:
        return f"{kept['id']} is {kept['status']}"
    changed = [n for n in ("content", "metadata", "scope", "source") if lost[n] != before[n]]
    return f"of {lost['id']} changed: {', '.join(changed)}" if changed else ""


def _merged(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> str:
    """Why these are not one memory now that knows all that each knew."""
    kept = [r for r in after if r["status"] in _RECALLED]
    if len(kept) != 1:
        return f"{len(kept)} of {len(after)} are still recalled"
    [primary] = kept
    lost = [
        r["id"] for r in after if r is not primary and (r["status"], r["duplicate_of"]) != ("archived", primary["id"])
    ]
    if lost:
        return f"not archived in favour of {primary['id']}: {', '.join(lost)}"
    if any(a["content"] != b["content"] for a, b in zip(before, after, strict=True)):
        return "a text was changed"
    notes, ids = primary["related_notes"] or [], {r["id"] for r in before}
    said = json.loads(primary["metadata"])
    told = [json.loads(n)["metadata"] for n in notes if n.startswith("{")]
    for row in before:
        for key, value in json.loads(row["metadata"]).items():
            if value not in [said.get(key), *(t.get(key) for t in told)]:
                return f"{key} of {row['id']} is lost"
        if not set(row["related_notes"] or ()) <= set(notes):
            return f"a note of {row['id']} is lost"
        if not set(row["related_ids"] or ()) - ids <= set(primary["related_ids"] or ()):
            return f"a reference of {row['id']} is lost"
    return ""
