"""What people answered to findings that waited for them, and which of them people were told had waited long."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The tables of answers to findings and of alarms."""
    op.create_table(
        "choice",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("finding_id", sa.Text(), nullable=False),
        sa.Column("choice", sa.Text(), nullable=False),
        sa.Column("keep", sa.Text(), nullable=True),
        sa.Column("until", sa.Text(), nullable=True),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("because", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Text(), nullable=True),
        sa.Column("ended_by", sa.Text(), nullable=True),
        sa.Column("ended_because", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_choice")),
        sa.UniqueConstraint("seq", name=op.f("uq_choice_seq")),
    )
    stands = sa.text("ended_at IS NULL")
    op.create_index(
        "uq_choice_standing", "choice", ["finding_id"], unique=True, sqlite_where=stands, postgresql_where=stands
    )
    op.create_table(
        "alarm",
        sa.Column("finding_id", sa.Text(), nullable=False),
        sa.Column("since", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("finding_id", "since", name=op.f("pk_alarm")),
    )
