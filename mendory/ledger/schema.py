"""The ledger's tables. Times are ISO 8601 in UTC as text, so that they sort and read alike everywhere."""

from __future__ import annotations

import sqlalchemy as sa

from mendory.ledger.texts import Text

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
    sa.Column("key", Text, primary_key=True),
    sa.Column("value", Text, nullable=False),
)

plan = sa.Table(
    "plan",
    metadata,
    sa.Column("id", Text, primary_key=True),
    sa.Column("state", Text, nullable=False),
    sa.Column("base_version", sa.Integer, nullable=False),
    sa.Column("made_at", Text, nullable=False),
    sa.Column("expires_at", Text, nullable=False),
    sa.Column("body", Text),
    sa.Column("context", Text),
)

plan_step = sa.Table(
    "plan_step",
    metadata,
    sa.Column("plan_id", Text, sa.ForeignKey("plan.id"), primary_key=True),
    sa.Column("step_id", Text, primary_key=True),
    sa.Column("finding_id", Text, nullable=False, index=True),
    # the step's, kept when the plan's body is past its retention
    sa.Column("kind", Text),
    sa.Column("rule", Text),
    sa.Column("outcome", Text),
    sa.Column("authority", Text),
    sa.Column("reason", Text),
    sa.Column("rid", Text),
)

decision = sa.Table(
    "decision",
    metadata,
    sa.Column("id", Text, primary_key=True),
    sa.Column("plan_id", Text, sa.ForeignKey("plan.id"), nullable=False, index=True),
    sa.Column("verdict", Text, nullable=False),
    sa.Column("groups", Text, nullable=False),
    sa.Column("steps", Text, nullable=False),
    sa.Column("by", Text, nullable=False),
    sa.Column("note", Text, nullable=False),
    sa.Column("at", Text, nullable=False),
    sa.Column("expires_at", Text, nullable=False),
)

decision_use = sa.Table(
    "decision_use",
    metadata,
    sa.Column("decision_id", Text, sa.ForeignKey("decision.id"), primary_key=True),
    sa.Column("step_id", Text, primary_key=True),
    sa.Column("rid", Text, nullable=False),
)

intent = sa.Table(
    "intent",
    metadata,
    sa.Column("rid", Text, primary_key=True),
    # the order of repairs; a clock may be set back
    sa.Column("seq", sa.Integer, nullable=False, unique=True),
    sa.Column("kind", Text, nullable=False),
    sa.Column("plan_id", Text, index=True),
    sa.Column("group_name", Text),
    sa.Column("state", Text, nullable=False, index=True),
    sa.Column("base_version", sa.Integer, nullable=False),
    sa.Column("version", sa.Integer),
    sa.Column("by", Text),
    sa.Column("owner", Text, nullable=False),
    sa.Column("epoch", sa.Integer, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("opened_at", Text, nullable=False),
    sa.Column("touched_at", Text, nullable=False),
    sa.Column("closed_at", Text),
    sa.Column("note", Text),
    sa.Column("resolution", Text),
)

intent_unit = sa.Table(
    "intent_unit",
    metadata,
    sa.Column("rid", Text, sa.ForeignKey("intent.rid"), primary_key=True),
    sa.Column("key", Text, primary_key=True),
    sa.Column("step_id", Text, nullable=False, index=True),
    sa.Column("requires", Text, nullable=False),
    sa.Column("authority", Text),
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
    sa.Column("rid", Text, sa.ForeignKey("intent.rid"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("key", Text, nullable=False),
    sa.Column("step_id", Text, nullable=False, index=True),
    sa.Column("row_id", Text, nullable=False, index=True),
    sa.Column("before_digest", Text, nullable=False),
    sa.Column("after_digest", Text, nullable=False),
    sa.Column("columns", Text),
    sa.Column("before_image", sa.LargeBinary),
    sa.Column("after_image", sa.LargeBinary),
    sa.Column("schema_digest", Text, nullable=False),
    sa.Column("undone_by", Text),
    # what changes of the row is kept aside for its owner; null when nothing does
    sa.Column("aside", Text),
    sa.Column("aside_digest", Text),
)

aside = sa.Table(
    "aside",
    metadata,
    sa.Column("row_id", Text, primary_key=True),
    sa.Column("field", Text, primary_key=True),
    # digest of the text it was written for
    sa.Column("about", Text, nullable=False),
    sa.Column("value", Text, nullable=False),
    sa.Column("rid", Text),
)

row_schema = sa.Table(
    "row_schema",
    metadata,
    sa.Column("digest", Text, primary_key=True),
    sa.Column("body", sa.LargeBinary, nullable=False),
)

budget = sa.Table(
    "budget",
    metadata,
    sa.Column("day", Text, primary_key=True),
    sa.Column("used", sa.Integer, nullable=False),
)

attempt = sa.Table(
    "attempt",
    metadata,
    sa.Column("key", Text, primary_key=True),
    sa.Column("rid", Text, primary_key=True),
    sa.Column("at", Text, nullable=False),
)

finding = sa.Table(
    "finding",
    metadata,
    sa.Column("id", Text, primary_key=True),
    sa.Column("code", Text, nullable=False),
    sa.Column("body", Text, nullable=False),
    sa.Column("first_seen", Text, nullable=False),
    sa.Column("last_seen", Text, nullable=False),
)

dismissal = sa.Table(
    "dismissal",
    metadata,
    sa.Column("finding_id", Text, primary_key=True),
    sa.Column("because", Text, nullable=False),
    sa.Column("by", Text, nullable=False),
    sa.Column("at", Text, nullable=False),
)

word = sa.Table(
    "word",
    metadata,
    sa.Column("id", Text, primary_key=True),
    # the order in which it was said; a clock may be set back
    sa.Column("seq", sa.Integer, nullable=False, unique=True),
    sa.Column("said", Text, nullable=False),
    # a finding's id, a row's, a plan's, or the name of a rule or kind of step
    sa.Column("about", Text, nullable=False),
    sa.Column("because", Text, nullable=False),
    sa.Column("by", Text, nullable=False),
    sa.Column("at", Text, nullable=False),
    # row id → digest, of the rows of a finding; → repair, of those of a plan
    sa.Column("rows", Text, nullable=False),
)

event = sa.Table(
    "event",
    metadata,
    sa.Column("id", Text, primary_key=True),
    sa.Column("seq", sa.Integer, nullable=False, unique=True),
    sa.Column("kind", Text, nullable=False),
    # when it began, as a person says; when it was recorded stands in noted_at
    sa.Column("at", Text, nullable=False),
    sa.Column("by", Text, nullable=False),
    # ids, counts and names; of kind "other" a person's own words
    sa.Column("about", Text, nullable=False),
    sa.Column("noted_at", Text, nullable=False),
)

choice = sa.Table(
    "choice",
    metadata,
    sa.Column("id", Text, primary_key=True),
    sa.Column("seq", sa.Integer, nullable=False, unique=True),
    sa.Column("finding_id", Text, nullable=False),
    sa.Column("choice", Text, nullable=False),
    sa.Column("keep", Text),
    sa.Column("until", Text),
    sa.Column("by", Text, nullable=False),
    sa.Column("because", Text, nullable=False),
    sa.Column("at", Text, nullable=False),
    sa.Column("ended_at", Text),
    sa.Column("ended_by", Text),
    sa.Column("ended_because", Text),
    # one stands for each finding, whoever else answers at the same time
    sa.Index(
        "uq_choice_standing",
        "finding_id",
        unique=True,
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    ),
)
CHOICE_ENDS = ("ended_at", "ended_by", "ended_because")
"""The last columns of an answer: what ended it, recorded apart."""

queue = sa.Table(
    "queue",
    metadata,
    sa.Column("finding_id", Text, primary_key=True),
    sa.Column("reason", Text, nullable=False),
    sa.Column("at", Text, nullable=False),
)

alarm = sa.Table(
    "alarm",
    metadata,
    # a finding of which people were told that it has waited long, or a move of whose alarm; one anew is told again
    sa.Column("finding_id", Text, primary_key=True),
    sa.Column("since", Text, primary_key=True),
    sa.Column("at", Text, nullable=False),
)

run = sa.Table(
    "run",
    metadata,
    sa.Column("id", Text, primary_key=True),
    sa.Column("kind", Text, nullable=False),
    sa.Column("plan_id", Text, index=True),
    sa.Column("at", Text, nullable=False),
    sa.Column("body", Text, nullable=False),
)

space = sa.Table(
    "space",
    metadata,
    sa.Column("id", Text, primary_key=True),
    sa.Column("seq", sa.Integer, nullable=False, unique=True),
    sa.Column("state", Text, nullable=False),
    sa.Column("identity", Text, nullable=False),
    sa.Column("dimension", sa.Integer, nullable=False),
    # the vectors of the canary texts, float32, little-endian
    sa.Column("canaries", sa.LargeBinary, nullable=False),
    sa.Column("by", Text, nullable=False),
    sa.Column("since", Text, nullable=False),
    # where its vectors are and who makes them; null where the configuration says it
    sa.Column("column", Text),
    sa.Column("embedder", Text),
    # one active and one filling, whoever else writes meanwhile
    sa.Index(
        "uq_space_live",
        "state",
        unique=True,
        sqlite_where=sa.text("state <> 'retired'"),
        postgresql_where=sa.text("state <> 'retired'"),
    ),
)

move = sa.Table(
    "move",
    metadata,
    sa.Column("id", Text, primary_key=True),
    sa.Column("seq", sa.Integer, nullable=False, unique=True),
    sa.Column("old_space", Text, nullable=False),
    sa.Column("new_space", Text, nullable=False),
    # where the new space's vectors are
    sa.Column("column", Text, nullable=False),
    sa.Column("open", sa.Boolean, nullable=False),
)
sa.Index(
    "uq_move_open",
    move.c.open,
    unique=True,
    sqlite_where=move.c.open,
    postgresql_where=move.c.open,
)

move_stage = sa.Table(
    "move_stage",
    metadata,
    sa.Column("id", Text, primary_key=True),
    sa.Column("seq", sa.Integer, nullable=False, unique=True),
    sa.Column("move_id", Text, sa.ForeignKey("move.id"), nullable=False, index=True),
    sa.Column("stage", Text, nullable=False),
    sa.Column("by", Text, nullable=False),
    sa.Column("at", Text, nullable=False),
    sa.Column("told", Text, nullable=False),
)

threshold = sa.Table(
    "threshold",
    metadata,
    # a model's name as thresholds are filed, and a language's code
    sa.Column("space", Text, primary_key=True),
    sa.Column("language", Text, primary_key=True),
    sa.Column("body", Text, nullable=False),
    sa.Column("by", Text, nullable=False),
    sa.Column("at", Text, nullable=False),
)

checkpoint = sa.Table(
    "checkpoint",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    # digest of the table, its mapping and whatever else decides what is found
    sa.Column("about", Text, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("kind", Text, nullable=False),
    sa.Column("at", Text, nullable=False),
    sa.Column("facts", Text, nullable=False),
    # ids of all findings, dismissed ones too
    sa.Column("findings", Text, nullable=False),
)

approver = sa.Table(
    "approver",
    metadata,
    sa.Column("id", Text, primary_key=True),
    sa.Column("name", Text, nullable=False, index=True),
    # what their one-time codes are made of; whoever reads it can make them
    sa.Column("secret", Text, nullable=False),
    sa.Column("by", Text, nullable=False),
    sa.Column("at", Text, nullable=False),
    sa.Column("revoked_at", Text),
    sa.Column("revoked_by", Text),
)

answer = sa.Table(
    "answer",
    metadata,
    # one round of asking is answered once, however often the answer is read
    sa.Column("round", Text, primary_key=True),
    sa.Column("plan_id", Text, sa.ForeignKey("plan.id"), nullable=False, index=True),
    sa.Column("verdict", Text, nullable=False),
    sa.Column("groups", Text, nullable=False),
    sa.Column("by", Text, nullable=False),
    sa.Column("outcome", Text, nullable=False),
    sa.Column("decision_id", Text, sa.ForeignKey("decision.id")),
    sa.Column("given_at", Text, nullable=False),
    sa.Column("at", Text, nullable=False),
    # of answers that stand; those that were refused leave none
    sa.Column("note", Text),
)

move_answer = sa.Table(
    "move_answer",
    metadata,
    # as for plans: one round is answered once, and the codes it takes are in code_use
    sa.Column("round", Text, primary_key=True),
    sa.Column("move_id", Text, sa.ForeignKey("move.id"), nullable=False, index=True),
    # digest of the gate that stood
    sa.Column("gate", Text),
    sa.Column("verdict", Text, nullable=False),
    sa.Column("by", Text, nullable=False),
    sa.Column("outcome", Text, nullable=False),
    sa.Column("given_at", Text, nullable=False),
    sa.Column("at", Text, nullable=False),
    # of answers that stand
    sa.Column("note", Text),
)

code_use = sa.Table(
    "code_use",
    metadata,
    sa.Column("approver_id", Text, sa.ForeignKey("approver.id"), primary_key=True),
    # the half minute the code was of: no code counts twice
    sa.Column("step", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("round", Text, nullable=False),
)

notice = sa.Table(
    "notice",
    metadata,
    sa.Column("plan_id", Text, sa.ForeignKey("plan.id"), primary_key=True),
    # a plan made again after it ended is told again
    sa.Column("made_at", Text, primary_key=True),
    sa.Column("at", Text, nullable=False),
)

chain = sa.Table(
    "chain",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", Text, nullable=False),
    sa.Column("ref", Text, nullable=False),
    sa.Column("payload", Text, nullable=False),
    sa.Column("previous", Text, nullable=False),
    sa.Column("digest", Text, nullable=False),
)
