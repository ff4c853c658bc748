"""Who revoked an approver, and what was noted with an answer."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Two columns more."""
    op.add_column("approver", sa.Column("revoked_by", sa.Text()))
    op.add_column("answer", sa.Column("note", sa.Text()))
