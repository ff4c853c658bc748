"""The ledger's tables. Times are ISO 8601 in UTC as text, so that they sort and read alike everywhere."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    }
)

meta = sa.Table(
    "meta",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

plan = sa.Table(
    "plan",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("base_version", sa.Integer, nullable=False),
    sa.Column("made_at", sa.Text, nullable=False),
    sa.Column("expires_at", sa.Text, nullable=False),
    sa.Column("body", sa.Text),
    sa.Column("context", sa.Text),
)

plan_step = sa.Table(
    "plan_step",
    metadata,
    sa.Column("plan_id", sa.Text, sa.ForeignKey("plan.id"), primary_key=True),
    sa.Column("step_id", sa.Text, primary_key=True),
    sa.Column("finding_id", sa.Text, nullable=False, index=True),
    sa.Column("outcome", sa.Text),
    sa.Column("authority", sa.Text),
    sa.Column("reason", sa.Text),
    sa.Column("rid", sa.Text),
)

decision = sa.Table(
    "decision",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("plan_id", sa.Text, sa.ForeignKey("plan.id"), nullable=False, index=True),
    sa.Column("verdict", sa.Text, nullable=False),
    sa.Column("groups", sa.Text, nullable=False),
    sa.Column("steps", sa.Text, nullable=False),
    sa.Column("by", sa.Text, nullable=False),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("expires_at", sa.Text, nullable=False),
)

decision_use = sa.Table(
    "decision_use",
    metadata,
    sa.Column("decision_id", sa.Text, sa.ForeignKey("decision.id"), primary_key=True),
    sa.Column("step_id", sa.Text, primary_key=True),
    sa.Column("rid", sa.Text, nullable=False),
)

intent = sa.Table(
    "intent",
    metadata,
    sa.Column("rid", sa.Text, primary_key=True),
    # the order of repairs; a clock may be set back
    sa.Column("seq", sa.Integer, nullable=False, unique=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("plan_id", sa.Text, index=True),
    sa.Column("group_name", sa.Text),
    sa.Column("state", sa.Text, nullable=False, index=True),
    sa.Column("base_version", sa.Integer, nullable=False),
    sa.Column("version", sa.Integer),
    sa.Column("by", sa.Text),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("epoch", sa.Integer, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("opened_at", sa.Text, nullable=False),
    sa.Column("touched_at", sa.Text, nullable=False),
    sa.Column("closed_at", sa.Text),
    sa.Column("note", sa.Text),
    sa.Column("resolution", sa.Text),
)

intent_unit = sa.Table(
    "intent_unit",
    metadata,
    sa.Column("rid", sa.Text, sa.ForeignKey("intent.rid"), primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("step_id", sa.Text, nullable=False, index=True),
    sa.Column("requires", sa.Text, nullable=False),
    sa.Column("authority", sa.Text),
    # live: open or applied and not undone; one live unit per key is what makes a repair idempotent
    sa.Column("live", sa.Boolean, nullable=False),
)
sa.Index(
    "uq_intent_unit_live",
    intent_unit.c.key,
    unique=True,
    sqlite_where=intent_unit.c.live,
    postgresql_where=intent_unit.c.live,
)

item = sa.Table(
    "item",
    metadata,
    sa.Column("rid", sa.Text, sa.ForeignKey("intent.rid"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("step_id", sa.Text, nullable=False, index=True),
    sa.Column("row_id", sa.Text, nullable=False, index=True),
    sa.Column("before_digest", sa.Text, nullable=False),
    sa.Column("after_digest", sa.Text, nullable=False),
    sa.Column("columns", sa.Text),
    sa.Column("before_image", sa.LargeBinary),
    sa.Column("after_image", sa.LargeBinary),
    sa.Column("schema_digest", sa.Text, nullable=False),
    sa.Column("undone_by", sa.Text),
    # what changes of the row is kept aside for its owner; null when nothing does
    sa.Column("aside", sa.Text),
    sa.Column("aside_digest", sa.Text),
)

aside = sa.Table(
    "aside",
    metadata,
    sa.Column("row_id", sa.Text, primary_key=True),
    sa.Column("field", sa.Text, primary_key=True),
    # digest of the text it was written for
    sa.Column("about", sa.Text, nullable=False),
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("rid", sa.Text),
)

row_schema = sa.Table(
    "row_schema",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("body", sa.LargeBinary, nullable=False),
)

budget = sa.Table(
    "budget",
    metadata,
    sa.Column("day", sa.Text, primary_key=True),
    sa.Column("used", sa.Integer, nullable=False),
)

attempt = sa.Table(
    "attempt",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("rid", sa.Text, primary_key=True),
    sa.Column("at", sa.Text, nullable=False),
)

finding = sa.Table(
    "finding",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("code", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("first_seen", sa.Text, nullable=False),
    sa.Column("last_seen", sa.Text, nullable=False),
)

dismissal = sa.Table(
    "dismissal",
    metadata,
    sa.Column("finding_id", sa.Text, primary_key=True),
    sa.Column("because", sa.Text, nullable=False),
    sa.Column("by", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
)

queue = sa.Table(
    "queue",
    metadata,
    sa.Column("finding_id", sa.Text, primary_key=True),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
)

run = sa.Table(
    "run",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("plan_id", sa.Text, index=True),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
)

space = sa.Table(
    "space",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("seq", sa.Integer, nullable=False, unique=True),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("identity", sa.Text, nullable=False),
    sa.Column("dimension", sa.Integer, nullable=False),
    # the vectors of the canary texts, float32, little-endian
    sa.Column("canaries", sa.LargeBinary, nullable=False),
    sa.Column("by", sa.Text, nullable=False),
    sa.Column("since", sa.Text, nullable=False),
    # one active and one filling, whoever else writes meanwhile
    sa.Index(
        "uq_space_live",
        "state",
        unique=True,
        sqlite_where=sa.text("state <> 'retired'"),
        postgresql_where=sa.text("state <> 'retired'"),
    ),
)

checkpoint = sa.Table(
    "checkpoint",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    # digest of the table, its mapping and whatever else decides what is found
    sa.Column("about", sa.Text, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("facts", sa.Text, nullable=False),
    # ids of all findings, dismissed ones too
    sa.Column("findings", sa.Text, nullable=False),
)

approver = sa.Table(
    "approver",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, index=True),
    # what their one-time codes are made of; whoever reads it can make them
    sa.Column("secret", sa.Text, nullable=False),
    sa.Column("by", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("revoked_at", sa.Text),
    sa.Column("revoked_by", sa.Text),
)

answer = sa.Table(
    "answer",
    metadata,
    # one round of asking is answered once, however often the answer is read
    sa.Column("round", sa.Text, primary_key=True),
    sa.Column("plan_id", sa.Text, sa.ForeignKey("plan.id"), nullable=False, index=True),
    sa.Column("verdict", sa.Text, nullable=False),
    sa.Column("groups", sa.Text, nullable=False),
    sa.Column("by", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("decision_id", sa.Text, sa.ForeignKey("decision.id")),
    sa.Column("given_at", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    # of answers that stand; those that were refused leave none
    sa.Column("note", sa.Text),
)

code_use = sa.Table(
    "code_use",
    metadata,
    sa.Column("approver_id", sa.Text, sa.ForeignKey("approver.id"), primary_key=True),
    # the half minute the code was of: no code counts twice
    sa.Column("step", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("round", sa.Text, nullable=False),
)

notice = sa.Table(
    "notice",
    metadata,
    sa.Column("plan_id", sa.Text, sa.ForeignKey("plan.id"), primary_key=True),
    # a plan made again after it ended is told again
    sa.Column("made_at", sa.Text, primary_key=True),
    sa.Column("at", sa.Text, nullable=False),
)

chain = sa.Table(
    "chain",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("ref", sa.Text, nullable=False),
    sa.Column("payload", sa.Text, nullable=False),
    sa.Column("previous", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
)
