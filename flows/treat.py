"""Treat by one plan: ask a person, do what was approved, verify, ask about the rest, record.

Trigger: `heal` starts one run for each plan that waits. While it waits no process runs; whatever happened meanwhile,
everything is read anew from the ledger.
"""

from prefect import flow

from tasks.approve import ask, decide_by, may_run, needs_word, progressed, waits
from tasks.audit import audit
from tasks.execute import execute, verify
from tasks.turn import table_turn


@flow(persist_result=False, validate_parameters=True)
def treat(config: str, plan_id: str, turn: str = "") -> dict:
    """What was decided and done, in counts; the case record is in the ledger and beside it."""
    answers, runs, put_off = [], [], False
    while waits(config, plan_id):
        if may_run(config, plan_id) and not put_off:
            with table_turn(turn) as ours:
                due = [plan_id] if ours and may_run(config, plan_id) else []  # a heal may have been faster
                done = [verify(config, execute(config, one)) for one in due]
            runs += done
            put_off = not ours or not all(progressed(one) for one in done)  # the next heal tries again
        elif needs_word(config, plan_id):
            answers.append(decide_by(config, plan_id, ask(config, plan_id)))
            put_off = False
        else:
            break

    return {"plan": plan_id, "answers": answers, "runs": runs, "record": audit(config, plan_id)}
