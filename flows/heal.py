"""Heal a table: find what is wrong, plan, do what may be done without a person, verify, record.

Trigger: its schedule, or by hand. What needs a person is stored in the ledger and ends the run.
"""

from prefect import flow
from prefect.runtime import flow_run

from tasks.audit import audit
from tasks.detect import detect, diagnose
from tasks.execute import execute, verify
from tasks.plan import decide, plan


@flow(
    flow_run_name=lambda: "heal-dry-run" if flow_run.parameters["dry_run"] else "heal",
    persist_result=False,
    validate_parameters=True,
)
def heal(config: str = "mendory.toml", dry_run: bool = True) -> dict:
    """What was found, planned, done and left, in counts; the case records are in the ledger and beside it."""
    found = detect(config)
    causes = diagnose(config, found)

    plans = plan(config)
    decisions = [decide(config, plan_id) for plan_id in plans]

    runs = [] if dry_run else [verify(config, execute(config, plan_id)) for plan_id in plans]
    records = [audit(config, plan_id) for plan_id in plans]

    return {
        "found": found["found"],
        "causes": causes,
        "plans": plans,
        "decisions": decisions,
        "runs": runs,
        "records": records,
    }


if __name__ == "__main__":
    import sys

    heal(*sys.argv[1:2], dry_run="--apply" not in sys.argv)
