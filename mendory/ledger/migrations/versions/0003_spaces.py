"""The spaces a table's vectors are of, each with the vectors of its canary texts."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The table of spaces."""
    op.create_table(
        "space",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("canaries", sa.LargeBinary(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("since", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_space")),
        sa.UniqueConstraint("seq", name=op.f("uq_space_seq")),
    )
    live = sa.text("state <> 'retired'")
    op.create_index("uq_space_live", "space", ["state"], unique=True, sqlite_where=live, postgresql_where=live)
