"""What the doctor sees of the ledger, and of the limits it counts by."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from mendory.clinic import Clinic
from mendory.doctor.line import Line, ago, fail, ok, size, warn
from mendory.errors import ConfigInvalid, DependencyMissing, LedgerCorrupt, LedgerMismatch, Unavailable
from mendory.lance import Reader
from mendory.ledger import Ledger
from mendory.ledger.records import IntentState
from mendory.queued import overdue, queued


def ledger(clinic: Clinic, reader: Reader | None) -> Iterator[Line]:
    """Whether there is a ledger, its chain holds, the table is bound to it, and what is left open in it."""
    try:
        held = clinic.known_ledger()
        if held is None:
            yield ok("ledger", "there is none yet; 'mendory plan' makes it")
        else:
            yield _chain(held)
            yield from _repairs(held, reader)
            yield _queue(held, clinic)
    except (LedgerCorrupt, LedgerMismatch, Unavailable, ConfigInvalid, DependencyMissing) as error:
        there = isinstance(error, LedgerCorrupt | LedgerMismatch | Unavailable)
        todo = "restore the ledger from a backup, or free it" if there else "mend ledger.url, or what it names"
        yield fail("ledger", "{error}: {problem}", todo, error=error.name, problem=str(error))
        return
    if reader is not None:
        yield _binding(clinic)


def _chain(held: Ledger) -> Line:
    links, taken = held.verify(), held.size()
    values = {"links": links, "bytes": taken, "size": size(taken)}
    if not held.durable():
        return warn(
            "ledger",
            "its chain of {links} links holds; it takes {size}; a power cut would lose records (fsync off)",
            "set fsync = on and full_page_writes = on in the server's configuration",
            **values,
        )
    return ok("ledger", "its chain of {links} links holds; it takes {size}", **values)


def _repairs(held: Ledger, reader: Reader | None) -> Iterator[Line]:
    unknown = held.intents.unresolved()
    started = held.intents.in_state(IntentState.OPEN)
    if unknown:
        yield fail(
            "repairs",
            "repairs of unknown outcome: {count} ({repairs})",
            "mendory recover",
            count=len(unknown),
            repairs=", ".join(i.rid[:8] for i in unknown[:5]),
        )
    if started:
        yield warn(
            "repairs",
            "repairs under way, or left by a crash: {count} ({repairs})",
            "when none is running: mendory recover",
            count=len(started),
            repairs=", ".join(i.rid[:8] for i in started[:5]),
        )
    if not unknown and not started:
        yield ok("repairs", "none is open, none has an unknown outcome")
    last = held.intents.last_receipt()
    if reader is not None and last is not None and last.version is not None and reader.version < last.version:
        yield fail(
            "history",
            "the table is at version {version}, but a repair was applied at {applied}: its newest versions are lost",
            "restore the table's files, or accept it as it is: mendory recover --adopt --as NAME",
            version=reader.version,
            applied=last.version,
        )


def _queue(held: Ledger, clinic: Clinic) -> Line:
    """How many findings wait for a person, and whether some have for too long."""
    waiting = queued(held, clinic.clock())
    late = overdue(waiting, clinic.config.queue.alarm_after)
    if not waiting:
        return ok("queue", "no finding waits for a person")
    values = {"count": len(waiting), "age": ago(int(max(one.age for one in waiting).total_seconds()))}
    if not late:
        return ok("queue", "findings that wait for a person: {count}, the oldest for {age}", **values)
    return warn(
        "queue",
        "findings that wait for a person: {count}, the oldest for {age}; {late} for longer than queue.alarm_after",
        "mendory review --as NAME",
        late=len(late),
        **values,
    )


def _binding(clinic: Clinic) -> Line:
    try:
        bound = clinic.writer.ledger_id()
        clinic.check_binding()
    except DependencyMissing:
        return ok("binding", "not examined: it takes pylance")
    except LedgerMismatch as error:
        return fail(
            "binding",
            "{error}: {problem}",
            "point ledger.url at the right ledger",
            error=error.name,
            problem=str(error),
        )
    if bound is None:
        return ok("binding", "the table is bound to no ledger yet; the first apply binds it")
    return ok("binding", "the table is bound to this ledger")


def side_state(clinic: Clinic, reader: Reader) -> Line:
    """What is derived of the rows: up to which version, and how many vectors came from another text than the row's."""
    held = clinic.side_state
    version = held.version()
    if version is None:
        return ok("side state", "nothing is derived of the rows yet; 'mendory plan' does it")
    counts = held.counts()
    values = {"version": version, "newest": reader.version, "rows": counts["rows"], "stale": counts["stale_vectors"]}
    if counts["stale_vectors"]:
        todo = "embed these rows again: their text was changed without its vector"
        return warn(
            "side state", "of {rows} rows as of v{version}, {stale} have a vector of another text", todo, **values
        )
    return ok(
        "side state",
        "{rows} rows as of v{version} of v{newest}; no text was seen to change without its vector",
        **values,
    )


def limits(clinic: Clinic, now: datetime) -> Line:
    """How much may run without a person, and when a day of the budget begins."""
    held = clinic.config.limits
    if held is None:
        return ok("limits", "none are configured, so nothing runs without a person")
    zone = clinic.config.day_zone()
    return ok(
        "limits",
        "{rows_per_run} rows a run, {repairs_per_day} a day; a day begins at 00:00 {zone}, where it is {time} now",
        rows_per_run=held.rows_per_run,
        repairs_per_day=held.repairs_per_day,
        zone=held.zone,
        time=f"{now.astimezone(zone):%H:%M}",
    )
