"""Who may answer with one-time codes, what was answered in each round of asking, and which plans were told to people."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The tables of approvers, answers, used codes and notices."""
    op.create_table(
        "approver",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("revoked_at", sa.Text()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_approver")),
    )
    op.create_index(op.f("ix_approver_name"), "approver", ["name"])
    op.create_table(
        "answer",
        sa.Column("round", sa.Text(), nullable=False),
        sa.Column("plan_id", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("groups", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("decision_id", sa.Text()),
        sa.Column("given_at", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["plan_id"], ["plan.id"], name=op.f("fk_answer_plan_id_plan")),
        sa.ForeignKeyConstraint(["decision_id"], ["decision.id"], name=op.f("fk_answer_decision_id_decision")),
        sa.PrimaryKeyConstraint("round", name=op.f("pk_answer")),
    )
    op.create_index(op.f("ix_answer_plan_id"), "answer", ["plan_id"])
    op.create_table(
        "code_use",
        sa.Column("approver_id", sa.Text(), nullable=False),
        sa.Column("step", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("round", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["approver_id"], ["approver.id"], name=op.f("fk_code_use_approver_id_approver")),
        sa.PrimaryKeyConstraint("approver_id", "step", name=op.f("pk_code_use")),
    )
    op.create_table(
        "notice",
        sa.Column("plan_id", sa.Text(), nullable=False),
        sa.Column("made_at", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["plan_id"], ["plan.id"], name=op.f("fk_notice_plan_id_plan")),
        sa.PrimaryKeyConstraint("plan_id", "made_at", name=op.f("pk_notice")),
    )
