"""What the doctor sees of the table: the mapping on a hundred rows, an owner writing, how it lies on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final

from mendory.clinic import Clinic
from mendory.doctor.line import Line, ago, fail, ok, size, warn
from mendory.errors import TableCorrupt
from mendory.lance import Reader, ids, table_folder, whole
from mendory.lance.facts import Storage, sample
from mendory.record import FIELDS, Memory

SAMPLE_ROWS: Final = 100
WATCH_SECONDS: Final = 2.0
MANY_SMALL: Final = 100
"""From so many small fragments on, reading slows and every repair touches more files than it need."""
MANY_VERSIONS: Final = 1000
UNINDEXED_SHARE: Final = 0.1
UNINDEXED_ROWS: Final = 1000
"""Fewer rows than that a search looks through faster than an index is read."""


def told(error: TableCorrupt) -> dict[str, str]:
    """What is wrong, and what to do, of an error whose last sentence says what to do."""
    problem, nothing, advice = str(error).partition(" Nothing was ")
    return {"problem": problem, "advice": advice.partition(". ")[2].rstrip(".") if nothing else ""}


def files(clinic: Clinic) -> Line:
    """Whether every file of the newest version is there and as long as its manifest says."""
    folder = table_folder(clinic.config.table_uri, clinic.config.table.name)
    if folder is None:
        return ok("files", "the table is not on this machine's disk")
    try:
        count = whole(folder)
    except TableCorrupt as error:
        return fail("files", "{error}: {problem}", "{advice}", error=error.name, **told(error))
    return ok("files", "files of the newest version: {count}, all there and of the right length", count=count)


def key(reader: Reader) -> Line:
    """Whether ids tell rows apart, as a repair needs it."""
    rows, distinct = ids(reader)
    if rows == distinct:
        return ok("key", "each of {rows} rows has an id of its own", rows=rows)
    return warn(
        "key",
        "key_not_unique: {rows} rows have {distinct} different ids, and a row that shares its id is never repaired",
        "find them: mendory check --only duplicate_id,missing_id; their owner must give each an id of its own",
        rows=rows,
        distinct=distinct,
    )


def mapping(reader: Reader) -> Iterator[Line]:
    """How many of a hundred rows are readable in each mapped field, and whether a row can be hidden."""
    memories = reader.mapping.memories(sample(reader, SAMPLE_ROWS)) if reader.count() else []
    if not memories:
        yield ok("mapping", "the table holds no row")
        return
    held, wrong = readable(memories), Counter(name for m in memories for name in m.wrong)
    fields = [f for f in FIELDS if reader.mapping.has(f.name) and f.name in held]
    every = [f.name for f in fields if held[f.name] == len(memories)]
    some = [f"{f.name} {held[f.name]}" for f in fields if f.name not in every and (f.required or held[f.name])]
    values = {
        "rows": len(memories),
        "fields": {f.name: held[f.name] for f in fields},
        "every": ", ".join(every) or "-",
        "some": ", ".join(some) or "-",
    }
    lost = [name for name in ("id", "content") if not held[name]]
    if lost:
        yield fail(
            "mapping",
            "of {rows} rows none has a readable {lost}",
            "mend [mapping.columns], or make it anew: mendory init FOLDER#TABLE --config OTHER.toml",
            lost=", ".join(lost),
            **values,
        )
    elif wrong:
        unreadable = ", ".join(f"{name} {n}" for name, n in sorted(wrong.items()))
        yield warn(
            "mapping",
            "of {rows} rows some cells are unreadable: {unreadable}; readable in all: {every}; in some: {some}",
            "mend [mapping], or these cells: mendory check --only wrong_type",
            unreadable=unreadable,
            **values,
        )
    else:
        yield ok("mapping", "of {rows} rows readable in all: {every}; in some: {some}", **values)
    if reader.mapping.can_hide:
        yield ok("hide", "a row can be hidden from the owner's reader")
    else:
        yield ok("hide", "the owner's reader cannot hide a row: what would hide one is reported, never repaired")


def readable(memories: list[Memory]) -> dict[str, int]:
    """Field → in how many of the memories it holds a value that could be read."""
    counts: Counter[str] = Counter()
    for memory in memories:
        for one in FIELDS:
            value = not memory.vectorless if one.name == "embedding" else getattr(memory, one.name)
            counts[one.name] += one.name not in memory.wrong and value not in (None, "", (), False)
    return dict(counts)


def writer(reader: Reader, newest: datetime, now: datetime, sleep: Callable[[float], None]) -> Line:
    """Whether somebody is writing now: how long ago the last write was, and what comes while we watch."""
    before = reader.version
    sleep(WATCH_SECONDS)
    came = reader.refresh() - before
    seconds = max(int((now - newest).total_seconds()), 0)
    values = {"seconds": seconds, "watched": WATCH_SECONDS, "came": came, "ago": ago(seconds)}
    if came > 0:
        return ok("writer", "an owner is writing now: new versions within {watched:g} s: {came}", **values)
    return ok("writer", "nobody wrote within {watched:g} s; the last write was {ago} ago", **values)


def lying(facts: Storage) -> Iterator[Line]:
    """Fragments, versions kept, and indices that lag behind."""
    values = {"fragments": facts.fragments, "small": facts.small_fragments}
    if facts.small_fragments >= MANY_SMALL:
        yield warn(
            "fragments",
            "fragments: {fragments}, small ones: {small}",
            "compact when no repair runs: table.optimize() of LanceDB",
            **values,
        )
    else:
        yield ok("fragments", "fragments: {fragments}, small ones: {small}", **values)
    kept = {"versions": facts.versions}
    if facts.versions >= MANY_VERSIONS:
        yield warn(
            "versions",
            "versions kept: {versions}",
            "first: mendory recover; then let old ones go: table.optimize(cleanup_older_than=timedelta(days=7))",
            **kept,
        )
    else:
        yield ok("versions", "versions kept: {versions}", **kept)
    stale = [
        i
        for i in facts.indices
        if i.unindexed >= UNINDEXED_ROWS and i.unindexed > UNINDEXED_SHARE * (i.indexed + i.unindexed)
    ]
    for index in stale:
        yield warn(
            "index",
            "index {name} does not know {unindexed} of {rows} rows",
            "bring it up to date: table.optimize() of LanceDB",
            name=index.name,
            unindexed=index.unindexed,
            rows=index.indexed + index.unindexed,
        )
    if not stale:
        yield ok("index", "indices: {count}, none far behind", count=len(facts.indices))


def disk(clinic: Clinic, facts: Storage, free: Callable[[str], int], temporary: str) -> Iterator[Line]:
    """The size of the table, and whether there is room for the largest repair that limits allow."""
    if facts.folder is None or facts.folder_bytes is None:
        yield ok("disk", "the table is not on this machine's disk")
        return
    limits = clinic.config.limits
    rows = min(facts.rows, limits.rows_per_run) if limits else facts.rows
    # each row is written anew once, in the table and in the rehearsal's clone, and kept twice in the ledger
    one = int(facts.bytes / max(facts.rows, 1) * rows)
    for place, path, needed in (("table", str(facts.folder), 3 * one), ("temporary", temporary, one)):
        has = free(path)
        values = {
            "place": place,
            "folder_bytes": facts.folder_bytes,
            "free_bytes": has,
            "needed_bytes": needed,
            "rows": rows,
            "free": size(has),
            "needed": size(needed),
            "size": size(facts.folder_bytes),
        }
        said = (
            "the table takes {size}; {free} free, a repair of {rows} rows needs up to {needed}"
            if place == "table"
            else "in the temporary folder {free} free, a rehearsal of {rows} rows needs up to {needed}"
        )
        if has < needed:
            yield fail("disk", said, "free some room, or lower limits.rows_per_run", **values)
        elif has < 2 * needed:
            yield warn("disk", said, "free some room before a large repair", **values)
        else:
            yield ok("disk", said, **values)
