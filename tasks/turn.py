"""One run at a time touches a table: a place in a global concurrency limit of one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from prefect.concurrency.sync import concurrency

LEASE = 60.0
"""Seconds after which a killed run's place is free again; the shortest the server allows, renewed while we work."""
PATIENCE = 1800.0
"""Seconds a run waits that must not be left out."""
GLANCE = 5.0
"""Seconds a run waits that comes again in a moment."""


@contextmanager
def table_turn(limit: str, patient: bool = True) -> Iterator[bool]:
    """True while the table is ours; False where another run has it and we wait no longer. No limit named: nobody else.

    Raises ConcurrencySlotAcquisitionError when the server has no such limit; 'mendory deploy' makes it. A place lost
    while the server is away stops nobody: the turn spares work, and what keeps repairs apart is the executor.
    """
    with ExitStack() as held:
        try:
            if limit:
                held.enter_context(
                    concurrency(
                        limit,
                        timeout_seconds=PATIENCE if patient else GLANCE,
                        lease_duration=LEASE,
                        strict=True,
                        raise_on_lease_renewal_failure=False,
                    )
                )
        except TimeoutError:
            yield False
            return
        yield True
