"""Alembic's environment: runs inside the connection and transaction it is given."""

from alembic import context

from mendory.ledger.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
