"""The moves of a table to another space, and where a space's vectors are."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The tables of moves, and two columns of a space."""
    op.create_table(
        "move",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("old_space", sa.Text(), nullable=False),
        sa.Column("new_space", sa.Text(), nullable=False),
        sa.Column("column", sa.Text(), nullable=False),
        sa.Column("open", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_move")),
        sa.UniqueConstraint("seq", name=op.f("uq_move_seq")),
    )
    open_ = sa.text("open")
    op.create_index("uq_move_open", "move", ["open"], unique=True, sqlite_where=open_, postgresql_where=open_)
    op.create_table(
        "move_stage",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("move_id", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("told", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["move_id"], ["move.id"], name=op.f("fk_move_stage_move_id_move")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_move_stage")),
        sa.UniqueConstraint("seq", name=op.f("uq_move_stage_seq")),
    )
    op.create_index(op.f("ix_move_stage_move_id"), "move_stage", ["move_id"])
    op.add_column("space", sa.Column("column", sa.Text(), nullable=True))
    op.add_column("space", sa.Column("embedder", sa.Text(), nullable=True))
