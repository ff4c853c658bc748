"""Review what waits for a person: ask about one finding after another, record each answer, plan what it says.

Trigger: by hand, from the deployment's page. While it waits no process runs. What changes rows is a plan that `treat`
asks about; the next `heal` starts it.
"""

from prefect import flow

from tasks.review import answer_by, ask_about, waits_longest


@flow(persist_result=False, validate_parameters=True)
def review(config: str) -> dict:
    """What was answered, in ids; the answers are in the ledger."""
    answers, refused = [], ""
    while finding := waits_longest(config):
        answers.append(answer_by(config, finding, ask_about(config, finding, refused)))
        refused = answers[-1]["why"]

    return {"answers": answers}
