"""Up to which version of the table everything was examined, and what was found by then."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The table of checkpoints."""
    op.create_table(
        "checkpoint",
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("findings", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_checkpoint")),
    )
