"""Brings a ledger to the newest schema, with Alembic."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError

from mendory.errors import LedgerMismatch
from mendory.ledger.database import check_place, sort_by_bytes


def upgrade(engine: sa.Engine) -> None:
    """The ledger has the newest schema; two processes doing this at once do it once."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    head = ScriptDirectory.from_config(config).get_current_head()
    with engine.connect().execution_options(reading=True) as conn:
        check_place(conn)
        if MigrationContext.configure(conn).get_current_revision() == head:
            return  # asking takes no lock: a check must not wait for a repair
    with engine.begin() as conn:
        if MigrationContext.configure(conn).get_current_revision() != head:
            config.attributes["connection"] = conn
            try:
                command.upgrade(config, "head")
                sort_by_bytes(conn)
            except CommandError as error:
                raise LedgerMismatch(
                    f"The ledger was made by another version of Mendory ({error}). Nothing was done. "
                    "Install that version or a newer one."
                ) from None
