"""The process that is killed: it recovers, then repairs and rolls back with the shipped functions, without end.

It holds no sleep, failpoint or test switch. What it plans it keeps in a folder of jobs, as plans are kept in a
ledger, and after a restart it executes the last one again, as `mendory apply` would. What `execute` told it goes
to a file of acknowledgements after the call has returned.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from mendory import digest
from mendory.errors import EmptyTargetSet
from mendory.executor.execute import Context, Job, Result, execute
from mendory.executor.owner import executing
from mendory.executor.recover import recover
from mendory.executor.rollback import rollback
from mendory.lance import Writer
from mendory.ledger import Ledger
from mendory.ledger.records import IntentKind, IntentState
from mendory.mapping import Mapping
from mendory.plan.model import ColumnChange, Edit
from mendory.rows import by_id, with_values
from mendory.work import Outcome, Unit
from tests.crash import mutants, table
from tests.crash.places import ledger_url
from tests.crash.processes import Say

ROWS_PER_READING = 60
ROWS_PER_JOB = (2, 5, 12, 25)


class Caller:
    """Plans edits of random rows, hands them to the executor, and notes what it was told."""

    def __init__(self, folder: Path, seed: int, hot: int, writer: Writer, ledger: Ledger, context: Context) -> None:
        self._rng = random.Random(seed)
        self._token = f"{seed}-{os.getpid()}"
        self._made = 0
        self._jobs = folder / "jobs"
        self._jobs.mkdir(exist_ok=True)
        self._acks = os.open(folder / "acks.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._hot, self._writer, self._ledger, self._context = hot, writer, ledger, context

    def work(self, say: Say) -> None:
        """The last job of whoever was here before is executed again; then new jobs, without end."""
        last = max(self._jobs.glob("*.json"), default=None)
        if last is not None:
            self._execute(_job(json.loads(last.read_text())))
        while True:
            for body in self._plan():
                say("job")
                self._execute(self._keep(body))
                if self._rng.random() < 0.15:
                    self._roll_back()

    def _execute(self, job: Job) -> None:
        self._note(execute(job, self._writer, self._ledger, self._context))

    def _note(self, results: Sequence[Result]) -> None:
        told = [[r.unit.key, r.outcome.value, r.rid, r.version] for r in results if r.outcome is Outcome.APPLIED]
        if told:
            os.write(self._acks, (json.dumps(told) + "\n").encode())

    def _keep(self, body: dict[str, Any]) -> Job:
        last = max((int(p.stem) for p in self._jobs.glob("*.json")), default=0)
        part = self._jobs / "part"
        part.write_text(json.dumps(body))
        part.rename(self._jobs / f"{last + 1:06d}.json")
        return _job(body)

    def _roll_back(self) -> None:
        applied = [i for i in self._ledger.intents.in_state(IntentState.APPLIED) if i.kind is IntentKind.APPLY]
        if not applied:
            return
        plan = self._rng.choice(applied[-8:]).plan_id
        assert plan is not None
        row = self._rng.choice([None, None, table.row_name(self._rng.randrange(self._hot))])
        try:
            self._note(rollback(plan, None, row, self._writer, self._ledger, self._context).results)
        except EmptyTargetSet:
            return  # nothing of that plan is left, or it has no such row

    def _plan(self) -> list[dict[str, Any]]:
        """Several jobs on rows read once, each unit an edit as the planner would make it."""
        self._writer.refresh()
        wanted = min(self._hot, ROWS_PER_READING)
        chosen = [table.row_name(n) for n in self._rng.sample(range(self._hot), wanted)]
        rows, _ = by_id(self._writer.rows(chosen), self._writer.id_column)
        names = sorted(rows)
        self._rng.shuffle(names)
        bodies = []
        while names:
            size = self._rng.choice(ROWS_PER_JOB)
            bodies.append(self._body(rows, names[:size]))
            names = names[size:]
        return bodies

    def _body(self, rows: dict[str, pa.Table], names: Sequence[str]) -> dict[str, Any]:
        self._made += 1
        plan = f"plan-{self._token}-{self._made}"
        units = []
        left = list(names)
        while left:
            edits = [self._edit(rows, left.pop()) for _ in range(min(len(left), self._rng.choice((1, 1, 1, 2, 3))))]
            units.append(_unit(edits, ()))
            if self._rng.random() < 0.2:
                # a later step planned on what the earlier one leaves of the same row
                units.append(_unit([self._edit(rows, edits[0][0])], (units[-1]["key"],)))
        return {"plan": plan, "units": units}

    def _edit(self, rows: dict[str, pa.Table], name: str) -> list[Any]:
        """[id, digest it must have, digest it will have, changes]; `rows` holds the row as it will be."""
        self._made += 1
        token = f"{self._token}-{self._made}"
        changes = {
            "status": self._rng.choice(("active", "archived", "pending_review")),
            "related_ids": [f"r{token}"],
            "metadata": json.dumps({"note": token}),
            "duplicate_of": token,
        }
        picked = self._rng.sample(sorted(changes), self._rng.choice((1, 2, 3)))
        picked = picked if picked != ["status"] else ["status", "duplicate_of"]
        before = rows[name]
        old = {c: before.column(c).to_pylist()[0] for c in picked}
        rows[name] = with_values(before, {c: changes[c] for c in picked})
        volatile = self._writer.volatile
        expects, becomes = (digest.row_digests(r, volatile)[0] for r in (before, rows[name]))
        return [name, expects, becomes, [[c, old[c], changes[c]] for c in picked]]


def _unit(edits: Sequence[list[Any]], requires: tuple[str, ...]) -> dict[str, Any]:
    return {"key": digest.of([list(edits), list(requires)]), "requires": list(requires), "edits": list(edits)}


def _job(body: dict[str, Any]) -> Job:
    units = tuple(
        Unit(
            u["key"],
            u["key"],
            tuple(Edit(i, a, b, tuple(ColumnChange(*c) for c in columns)) for i, a, b, columns in u["edits"]),
            tuple(u["requires"]),
        )
        for u in body["units"]
    )
    return Job(IntentKind.APPLY, body["plan"], "G1", units)


def work(say: Say, folder: Path, seed: int, hot: int, mutant: str | None, recover_only: bool) -> None:
    """Recovers, then works until killed; with `recover_only` ends after recovering."""
    say("imported")
    writer = Writer(str(folder), table.NAME, Mapping.identity())
    ledger = Ledger.open(ledger_url(folder))
    if mutant:
        mutants.install(mutant, ledger)
    say("ready")
    with executing() as context:
        recover(writer, ledger, context)
        if not recover_only:
            Caller(folder, seed, hot, writer, ledger, context).work(say)
