"""What must hold after every simulated run, told from the table's full history and the ledger's raw rows alone.

Nothing here calls the code under test, except the digests, which have tests of their own.
"""

from __future__ import annotations

import itertools
import struct
from collections import Counter, defaultdict
from typing import Any

import pyarrow as pa

from mendory import digest
from mendory.testing import Row, Version
from tests.simulation.world import World


class Violation(AssertionError):
    """An invariant does not hold."""


def bits(table: pa.Table) -> bytes:
    """One row's every bit, in a form of its own: names, nulls, and floats by their bytes."""
    parts = []
    for name in table.column_names:
        [chunk] = (
            table.column(name).combine_chunks().chunks
            if table.column(name).num_chunks != 1
            else table.column(name).chunks
        )
        parts.append(f"{name}={_bits(chunk)}")
    return ";".join(parts).encode("utf-8", "surrogatepass")


def _bits(array: pa.Array) -> str:
    if array[0].as_py() is None:
        return "null"
    if pa.types.is_fixed_size_list(array.type):
        inner = array.flatten()
        return "|".join("null" if v is None else struct.pack("<f", v).hex() for v in inner.to_pylist())
    return repr(array[0].as_py())


def check(world: World) -> dict[str, int]:
    """Statistics of the run, when every invariant holds; raises Violation naming the first that does not."""
    with world.ledger.transaction() as conn:
        intents = [dict(r._mapping) for r in conn.exec_driver_sql("select * from intent order by rid")]
        items: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in conn.exec_driver_sql("select * from item order by rid, seq"):
            items[row.rid].append(dict(row._mapping))
        live = [r.key for r in conn.exec_driver_sql("select key from intent_unit where live")]
        budgets = [r.used for r in conn.exec_driver_sql("select used from budget")]
        schemas = {
            r.digest: pa.ipc.read_schema(pa.py_buffer(r.body)) for r in conn.exec_driver_sql("select * from row_schema")
        }
    by_rid = {i["rid"]: i for i in intents}
    history = world.store.history
    carrying: dict[str, list[int]] = defaultdict(list)
    for version in history.values():
        if version.rid is not None:
            carrying[version.rid].append(version.number)

    must(not [i["rid"] for i in intents if i["state"] == "open"], "no intent is open")
    must(not world.early, f"{world.early} had a receipt before the commit was on disk")
    must(len(live) == len(set(live)), "no unit is live twice")
    must(all(used <= 60 for used in budgets), "the day's budget is kept")
    for rid, versions in carrying.items():
        must(rid in by_rid, f"version {versions} carries {rid}, which the ledger does not know")
        must(len(versions) == 1, f"{rid} is in versions {versions}")
        state = by_rid[rid]["state"]
        must(state in ("applied", "unknown"), f"version {versions} carries {rid}, which the ledger calls {state}")
    for intent in intents:
        rid = intent["rid"]
        if intent["state"] == "applied":
            must(
                carrying.get(rid) == [intent["version"]],
                f"{rid} is recorded at {intent['version']}, found at {carrying.get(rid)}",
            )
        if intent["state"] == "unknown":
            lost = world.power_cuts or world.doubled_ids or intent["base_version"] < world.lost_before
            must(lost, f"{rid} is unknown though every version after {intent['base_version']} was readable")
            truth = "applied" if rid in carrying else "not applied"
            must(
                (intent["resolution"] or "").startswith(truth),
                f"{rid} was {truth} and is resolved {intent['resolution']}",
            )
    for rid, [at] in carrying.items():
        _changed_as_recorded(rid, items[rid], history.get(at - 1), history[at], world, schemas)
    edits = {s.id: {e.id: (e.expects, e.becomes) for e in s.edits} for p in world.plans for s in p.steps()}
    done = sorted((at, rid) for rid, [at] in carrying.items())
    _whole_and_once(done, by_rid, items, edits)
    _undone(by_rid, items)
    for actor in world.by_owner.values():
        for result in actor.results:
            if result.outcome == "applied":
                must(
                    carrying.get(result.rid or "") == [result.version] or world.power_cuts > 0,
                    f"{actor.owner} reports {result} falsely",
                )
    world.ledger.verify()
    states = defaultdict(int)
    for intent in intents:
        states[f"{intent['kind']} {intent['state']}"] += 1
        states["taken over"] += intent["epoch"] > 1
        states["tried again"] += intent["tries"] > 1
    return dict(states)


def must(holds: object, what: str) -> None:
    """Return when it holds."""
    if not holds:
        raise Violation(what)


def _changed_as_recorded(
    rid: str,
    items: list[dict[str, Any]],
    before: Version | None,
    after: Version,
    world: World,
    schemas: dict[str, pa.Schema],
) -> None:
    """The version changed exactly the rows of the items, from and to what was recorded: no foreign write is lost."""
    must(before is not None, f"the version before {rid}'s is not in the history")
    assert before is not None
    was, is_ = (Counter(_row_bits(r) for r in version.rows()) for version in (before, after))
    names = {_row_bits(r): str(r.id) for version in (before, after) for r in version.rows()}
    chains: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for item in items:
        chains[item["row_id"]].append(item)
    changed = {names[b] for b in (was - is_) + (is_ - was)}
    must(changed == set(chains), f"{rid} changed {sorted(changed)}, recorded {sorted(chains)}")
    for row, chain in chains.items():
        first, last = _image(chain[0], "before", schemas), _image(chain[-1], "after", schemas)
        must(
            [b for b in (was - is_).elements() if names[b] == row] == [bits(first)],
            f"{rid}: {row} was not what its before image says",
        )
        must(
            [b for b in (is_ - was).elements() if names[b] == row] == [bits(last)],
            f"{rid}: {row} is not what its after image says",
        )
        ends = tuple(digest.row_digests(image, world.store.volatile)[0] for image in (first, last))
        must(
            ends == (chain[0]["before_digest"], chain[-1]["after_digest"]),
            f"{rid}: {row} does not have the digests recorded",
        )
        for one, next_ in itertools.pairwise(chain):
            must(
                one["after_digest"] == next_["before_digest"],
                f"{rid}: the items of {row} do not follow from each other",
            )


def _whole_and_once(
    done: list[tuple[int, str]],
    by_rid: dict[str, dict[str, Any]],
    items: dict[str, list[dict[str, Any]]],
    edits: dict[str, dict[str, tuple[str, str]]],
) -> None:
    """In the order of the versions: each step whole, and none again before some of it was taken back."""
    standing: set[str] = set()
    for _, rid in done:
        units: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
        for item in items[rid]:
            units[item["key"]][item["row_id"]] = item["before_digest"], item["after_digest"]
        for key, rows in units.items():
            if by_rid[rid]["kind"] == "apply":
                must(rows == edits[key], f"{rid} applied a part of step {key[:8]}")
                must(key not in standing, f"{rid} applied step {key[:8]} again")
                standing.add(key)
            else:
                _, origin, seq = key.split(":")
                [item] = [i for i in items[origin] if i["seq"] == int(seq)]
                must(
                    rows == {item["row_id"]: (item["after_digest"], item["before_digest"])},
                    f"{rid} is no inverse of {key}",
                )
                standing.discard(item["key"])


def _undone(by_rid: dict[str, dict[str, Any]], items: dict[str, list[dict[str, Any]]]) -> None:
    """An item is marked undone exactly by the rollback that undid it, a person's word on an unknown one included."""
    said = {(i["rid"], i["seq"]): i["undone_by"] for held in items.values() for i in held if i["undone_by"]}
    true: dict[tuple[str, int], str] = {}
    for rid, held in items.items():
        intent = by_rid[rid]
        done = intent["state"] == "applied" or (intent["resolution"] or "").startswith("applied")
        for item in held if intent["kind"] == "rollback" and done else ():
            _, origin, seq = item["key"].split(":")
            true[origin, int(seq)] = rid
    must(said == true, f"undone are {true}, marked {said}")


_SEEN: dict[int, tuple[Row, bytes]] = {}


def _row_bits(row: Row) -> bytes:
    # a row that no version rewrote is the same object in the next
    held = _SEEN.get(id(row))
    if held is None or held[0] is not row:
        if len(_SEEN) > 5000:
            _SEEN.clear()
        held = _SEEN[id(row)] = row, bits(row.table)
    return held[1]


def _image(item: dict[str, Any], which: str, schemas: dict[str, pa.Schema]) -> pa.Table:
    batch = pa.ipc.read_record_batch(pa.py_buffer(item[f"{which}_image"]), schemas[item["schema_digest"]])
    return pa.Table.from_batches([batch])
