"""Who executes, so that another process can tell whether it still does."""

from __future__ import annotations

import os
import random
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import psutil

from mendory.executor.execute import Context
from mendory.ledger import Clock, utc_now

_LEASE = timedelta(minutes=10)
_active: set[str] = set()


@contextmanager
def executing(clock: Clock = utc_now) -> Iterator[Context]:
    """A context whose owner counts as alive until the block ends or the process does."""
    owner = f"{socket.gethostname()}|{os.getpid()}|{psutil.Process().create_time():.2f}|{secrets.token_hex(4)}"
    _active.add(owner)
    try:
        yield Context(
            owner,
            lambda: secrets.token_hex(16),
            time.sleep,
            random.random,
            lambda other, at: alive(other, at, clock),
        )
    finally:
        _active.discard(owner)


def alive(owner: str, touched_at: datetime, clock: Clock = utc_now) -> bool:
    """True while the owner may still be at work.

    On this machine the process table knows; of another machine we only know that an intent takes
    seconds, so one untouched for ten minutes is abandoned.
    """
    try:
        host, pid, started, _ = owner.split("|")
        process, began = int(pid), float(started)
    except ValueError:
        return clock() - touched_at < _LEASE
    if host != socket.gethostname():
        return clock() - touched_at < _LEASE
    if process == os.getpid() and f"{psutil.Process().create_time():.2f}" == started:
        return owner in _active
    try:
        other = psutil.Process(process)
        return bool(abs(other.create_time() - began) < 1 and other.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
