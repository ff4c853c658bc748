"""Move a table to another embedding model: look at the model, fill, examine, ask a person, canary, switch, soak.

Trigger: its schedules, the event embedding-model.changed, or by hand. Each run goes on from the stage in the ledger and
does what can be done now, so it may be killed anywhere. A gate that passed is asked about by a run of its own.
"""

from prefect import flow

from tasks.gate import answer_by, ask_about, asks, gather
from tasks.migrate import begin, examine, fill, go_on, look_at, move_name, step_back, told_of, waits_to_go_on
from tasks.turn import table_turn


@flow(flow_run_name=move_name, persist_result=False, validate_parameters=True)
def migrate(
    config: str = "mendory.toml",
    dry_run: bool = True,
    probe: bool = False,
    event: str = "",
    model: str = "",
    ask: str = "",
    gate: str = "",
    turn: str = "",
):
    """How far the move is, in counts, ids and digests; every stage of it is in the ledger."""
    step_back(config)
    answers = []
    while asks(config, gate):
        answers.append(answer_by(config, ask_about(config, gate)))

    looked = look_at(config, event, model, probe)
    if dry_run:
        return told_of(config, looked, answers)

    begun = begin(config, looked)
    filled = fill(config)
    examined = examine(config, filled)
    asking = gather(config, ask, turn)
    # no repair is under way while the space that it reads changes
    with table_turn(turn if waits_to_go_on(config) else "", patient=False) as ours:
        went = go_on(config) if ours else {"waits": "turn"}

    return told_of(config, looked, answers, asking, begun=begun, filled=filled, examined=examined, went=went)


if __name__ == "__main__":
    import sys

    migrate(*sys.argv[1:2], dry_run="--apply" not in sys.argv, probe=True)
