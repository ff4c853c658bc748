"""The doctor: is everything in place for a check and a repair? Reads only; needs no Prefect."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mendory.clinic import Clinic
from mendory.doctor import machine, records, table, witness
from mendory.doctor.line import Line, State, fail, ok
from mendory.errors import MendoryError, TableCorrupt
from mendory.lance import Reader
from mendory.lance.facts import core, storage

__all__ = ["Line", "Machine", "State", "examine"]


def _free(path: str) -> int:
    return shutil.disk_usage(path).free


@dataclass(frozen=True, slots=True)
class Machine:
    """What the doctor asks of the machine: to wait, the room on a disk, a folder for what is temporary."""

    sleep: Callable[[float], None] = time.sleep
    free: Callable[[str], int] = _free
    temporary: Path = Path(tempfile.gettempdir())


def examine(clinic: Clinic, on: Machine, embed: bool = True) -> Iterator[Line]:
    """Every line, each as soon as it is known; the table and the ledger are read and nothing else.

    With `embed` and an embedder configured, sixteen rows are embedded again: by a service, that is one call.
    """
    reader: Reader | None = None
    try:
        reader = clinic.reader
        reader.refresh()
    except TableCorrupt as error:
        yield fail("table", "{error}: {problem}", "{advice}", error=error.name, **table.told(error))
    except MendoryError as error:
        todo = "mend [table] or [mapping] in the configuration"
        yield fail("table", "{error}: {problem}", todo, error=error.name, problem=str(error))
    if reader is not None:
        yield ok(
            "table",
            "{table} v{version}, {rows} rows",
            table=clinic.config.table.name,
            version=reader.version,
            rows=reader.count(),
        )
        files = table.files(clinic)
        yield files
        try:
            yield from [] if files.state is State.FAIL else [table.key(reader), *table.mapping(reader)]
        except TableCorrupt as error:
            files = fail("files", "{error}: {problem}", "{advice}", error=error.name, **table.told(error))
            yield files
        if files.state is State.FAIL:
            reader = None  # what reads its rows would fail alike
    if reader is not None:
        yield from witness.lines(clinic, reader, embed)
    yield from records.ledger(clinic, reader)
    if reader is not None:
        yield records.side_state(clinic, reader)
    yield records.limits(clinic, clinic.clock())
    if reader is not None:
        facts = storage(reader)
        yield table.writer(reader, facts.newest, clinic.clock(), on.sleep)
        yield from table.lying(facts)
        yield from table.disk(clinic, facts, on.free, str(on.temporary))
    yield from machine.versions(core())
    yield machine.extras()
