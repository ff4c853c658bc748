"""The kind and rule of every planned step, which outlive the plan's body."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Two columns of the planned steps; steps of plans whose body is there get theirs."""
    op.add_column("plan_step", sa.Column("kind", sa.Text(), nullable=True))
    op.add_column("plan_step", sa.Column("rule", sa.Text(), nullable=True))
    conn = op.get_bind()
    plan = sa.table("plan", sa.column("id"), sa.column("body"))
    step = sa.table("plan_step", sa.column("plan_id"), sa.column("step_id"), sa.column("kind"), sa.column("rule"))
    for plan_id in conn.execute(sa.select(plan.c.id).where(plan.c.body.is_not(None))).scalars().all():
        body = conn.execute(sa.select(plan.c.body).where(plan.c.id == plan_id)).scalar_one()
        for one in (s for group in json.loads(body)["groups"] for s in group["steps"]):
            mine = (step.c.plan_id == plan_id, step.c.step_id == one["id"])
            conn.execute(step.update().where(*mine).values(kind=one["kind"], rule=one["rule"]))
