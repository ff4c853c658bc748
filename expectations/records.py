"""The ledger's applied steps as rows for the suite `ledger`: are both images of every row there, and a receipt?"""

from __future__ import annotations

import pandas as pd
import sqlalchemy as sa

from expectations import suites
from expectations.frames import NUMBER
from expectations.running import Judge
from mendory.ledger import Ledger
from mendory.ledger import schema as t

_COLUMNS = ("step", "items", "lacking_images", "closed_at")


def applied(ledger: Ledger) -> pd.DataFrame:
    """One row per applied step: how many rows it changed, how many of them lack an image, when its receipt was written.

    Images past their retention are gone with the values of the change; those are not lacking.
    """
    gone = t.item.c.columns.is_(None)
    lacking = sa.and_(sa.not_(gone), sa.or_(t.item.c.before_image.is_(None), t.item.c.after_image.is_(None)))
    query = (
        sa.select(
            t.plan_step.c.step_id,
            sa.func.count(t.item.c.seq),
            sa.func.coalesce(sa.func.sum(sa.case((lacking, 1), else_=0)), 0),
            sa.func.max(t.intent.c.closed_at),
        )
        .select_from(t.plan_step)
        .outerjoin(t.intent, t.intent.c.rid == t.plan_step.c.rid)
        .outerjoin(t.item, sa.and_(t.item.c.rid == t.plan_step.c.rid, t.item.c.step_id == t.plan_step.c.step_id))
        .where(t.plan_step.c.outcome == "applied")
        .group_by(t.plan_step.c.plan_id, t.plan_step.c.step_id)
        .order_by(t.plan_step.c.step_id)
    )
    with ledger.reading() as conn:
        rows = [tuple(row) for row in conn.execute(query)]
    frame = pd.DataFrame(rows, columns=list(_COLUMNS))
    return frame.assign(**{NUMBER: range(len(frame))})


def incomplete(ledger: Ledger) -> list[str]:
    """The applied steps that could not be taken back: an image or the receipt is not there."""
    frame = applied(ledger)
    if frame.empty:
        return []
    suite = suites.ledger()
    failing = Judge().failing(suite.name, suite.expectations, frame)
    return sorted({str(frame["step"][number]) for numbers in failing for number in numbers})
