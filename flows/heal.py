"""Heal a table: find what is wrong, plan, do what may be done without a person, verify, record.

Trigger: its schedules, an event, or by hand. What needs a person is stored in the ledger, asked for by a run of
`treat`, and ends the run.
"""

from prefect import flow
from prefect.states import Completed

from tasks.approve import may_run, open_plans
from tasks.audit import audit, told_of
from tasks.detect import detect, diagnose
from tasks.execute import execute, verify
from tasks.people import gather, tell
from tasks.plan import decide, plan
from tasks.shared import heal_name
from tasks.turn import table_turn


@flow(flow_run_name=heal_name, persist_result=False, validate_parameters=True)
def heal(config: str = "mendory.toml", full: bool = True, dry_run: bool = True, treat: str = "", turn: str = ""):
    """What was found, planned, done and left, in counts; the case records are in the ledger and beside it."""
    with table_turn(turn, patient=full) as ours:
        if not ours:
            return Completed(name="Skipped", message="Another run is at work on this table; the next one looks again.")

        checked = detect(config, full)
        causes = [] if checked.value.unchanged else diagnose(config, checked)
        plans = [] if checked.value.unchanged else plan(config, checked)
        decisions = [decide(config, plan_id) for plan_id in plans]

        due = [] if dry_run else [plan_id for plan_id in open_plans(config) if may_run(config, plan_id)]
        runs = [verify(config, execute(config, plan_id)) for plan_id in due]

    people = gather(config, treat, turn, ask=not dry_run)
    told = {} if dry_run else tell(config, people["asking"])
    records = [audit(config, plan_id) for plan_id in dict.fromkeys([*plans, *due, *people["ended"]])]

    return told_of(checked, causes, plans, decisions, runs, records, people, told)


if __name__ == "__main__":
    import sys

    heal(*sys.argv[1:2], dry_run="--apply" not in sys.argv)
