"""What is kept aside of an owner's rows, and each repair's part in it."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The table of what is kept aside, and a column for it in the images."""
    op.create_table(
        "aside",
        sa.Column("row_id", sa.Text(), nullable=False),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("rid", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("row_id", "field", name=op.f("pk_aside")),
    )
    op.add_column("item", sa.Column("aside", sa.Text(), nullable=True))
    op.add_column("item", sa.Column("aside_digest", sa.Text(), nullable=True))
