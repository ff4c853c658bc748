"""The answers about moves that are given on the server's page."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Their table; the codes they take are where those of other answers are."""
    op.create_table(
        "move_answer",
        sa.Column("round", sa.Text(), nullable=False),
        sa.Column("move_id", sa.Text(), nullable=False),
        sa.Column("gate", sa.Text(), nullable=True),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("given_at", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["move_id"], ["move.id"], name=op.f("fk_move_answer_move_id_move")),
        sa.PrimaryKeyConstraint("round", name=op.f("pk_move_answer")),
    )
    op.create_index(op.f("ix_move_answer_move_id"), "move_answer", ["move_id"])
