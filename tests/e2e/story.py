"""The story: served, scheduled, healed, asked, told, answered in a browser, healed, verified, judged from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyotp

from demo import judge
from deployments import hardening, processes
from deployments.serve import PREFIX
from mendory.asking.codes import new_secret
from mendory.asking.words import word
from mendory.clinic import Clinic
from mendory.config import Config
from tests.e2e import table
from tests.e2e.post import Post
from tests.leaks import leaks
from tests.postgres import Server as Postgres
from tests.served.browser import LOOKS, Look, Person, browser
from tests.served.kit import ROOT, Served, until

ROWS = 400
ROUNDS = 3
PATIENCE = 420.0
"""Seconds until a stage fails: a worker starts a process a round, and the machine may be busy."""
HOOK = "MENDORY_WEBHOOK_URL"


@dataclass
class Story:
    """One table's way from sick to healed; `folder` holds everything, Prefect's home too."""

    folder: Path
    pictures: Path
    lang: str = "en"
    rows: int = ROWS
    postgres: Postgres | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)
    """What a person read: name of a picture → the text in sight."""
    taken: list[Path] = field(default_factory=list)

    def tell(self) -> dict[str, Any]:
        """The figures of the whole story."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            office = stack.enter_context(Post(self.folder / ".mendory" / "reports"))
            with self._stage("seed"):
                ledger = self.postgres.fresh() if self.postgres else ""
                planting = table.build(self.folder, self.rows, self.lang, f"{office.url}/cases", ledger)
                before = judge.digests(self._uri, "memories")
                secret = new_secret()
                self.clinic.ledger.approvers.enrol(table.ENROLLED, secret, "e2e")
            with self._stage("serve"):
                served = stack.enter_context(self._served(office))
            scheduled = self._scheduled(served)
            with self._stage("heal"):
                self._start_heal(served)
                notice = until("a notice", lambda: office.notices[0] if office.notices else None, within=PATIENCE)
            with self._stage("ask"):
                run_id = notice["link"].rpartition("/")[2]
                served.state(run_id, "Suspended", within=PATIENCE)
            asked_with = self._texts_in_prefect(served)
            rounds = self._answer(served, notice, secret)
            with self._stage("judge"):
                clinic = self.clinic
                outcomes = self._outcomes(clinic, notice["plan_id"])
                after, healed = judge.digests(self._uri, "memories"), judge.rows(self._uri, "memories")
                record = served.get(f"/flow_runs/{run_id}")
                artifacts = served.post("/artifacts/filter", {"flow_runs": {"id": {"any_": [run_id]}}})
                left = served.post(f"/flow_runs/{run_id}/input/filter", {"prefix": "", "limit": 200})
                answers = clinic.ledger.answers.of_plan(notice["plan_id"])
                figures = {
                    "rows": len(before),
                    "schedules": len(scheduled),
                    "steps": outcomes,
                    "rounds": rounds,
                    "refused": [one.outcome for one in answers if not one.stands],
                    "notices": len(office.notices),
                    "artifacts": sorted(a["key"] for a in artifacts),
                    "reports": sorted(p.name.partition(".")[2] for p in self._reports.glob("*")),
                    "plan_state": clinic.ledger.plans.state(notice["plan_id"]).value,
                    "ended": record["state"]["name"],
                    "pages_left": len(left),
                    "faults_left": len(table.unmet(planting, healed)),
                    "chain_links": clinic.ledger.verify(),
                    "healthy_rows_changed": len(judge.healthy_changed(before, after, planting)),
                }
                clinic.ledger.close()
        figures["memory_text_in_prefect"] = len(set(asked_with) | set(self._texts_in_prefect(served)))
        figures["memory_text_found_in_the_table"] = bool(leaks(table.PHRASES, [self.folder / "db"]))
        figures["screenshots"] = len(self.taken)
        figures["seconds"] = self.seconds
        return figures

    @property
    def clinic(self) -> Clinic:
        """The table's clinic, opened anew."""
        return Clinic(Config.load(self.folder / "mendory.toml"))

    @property
    def _uri(self) -> str:
        return str(self.folder / "db")

    @property
    def _reports(self) -> Path:
        return self.folder / ".mendory" / "reports"

    @property
    def _home(self) -> Path:
        return self.folder / "prefect"

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        started = time.monotonic()
        yield
        self.seconds[name] = round(self.seconds.get(name, 0.0) + time.monotonic() - started, 1)

    @contextmanager
    def _served(self, office: Post) -> Iterator[Served]:
        """`make serve` for the table with repairs on, until the block ends."""
        port = processes.free_port()
        environ = hardening.outside(os.environ) | {"PYTHONPATH": str(ROOT), HOOK: f"{office.url}/hook?token=secret"}
        environ.pop("PREFECT_API_DATABASE_CONNECTION_URL", None)
        if self.postgres:
            environ["PREFECT_API_DATABASE_CONNECTION_URL"] = _database(self.postgres)
        command = [sys.executable, "-m", "deployments", "serve", "--apply", "--port", str(port)]
        command += ["--config", str(self.folder / "mendory.toml"), "--home", str(self._home)]
        said = self.folder / "said"
        with said.open("w") as out:
            process = subprocess.Popen(command, cwd=self.folder, env=environ, stdout=out, stderr=out)
        try:
            until("the greeting", lambda: process.poll() is not None or "Ctrl-C" in said.read_text(), within=PATIENCE)
            assert process.poll() is None, said.read_text()
            yield Served(self._home, port, hardening.secret(self._home), {})
        finally:
            process.send_signal(signal.SIGINT)
            processes.stop(process, within=120)
        assert 0 == process.returncode, said.read_text()

    def _scheduled(self, served: Served) -> list[dict[str, Any]]:
        """The schedules that are on, each with runs of it to come."""
        found = []
        for deployment in served.post("/deployments/filter", {}):
            for schedule in deployment["schedules"]:
                if not schedule["active"]:
                    continue
                body = {"deployments": {"id": {"any_": [deployment["id"]]}}, "limit": 1}
                until("a run to come", lambda body=body: served.post("/flow_runs/filter", body), within=90)
                found.append(schedule)
        return found

    def _start_heal(self, served: Served) -> None:
        """What the schedule would start within the hour is started now."""
        deployment = served.get(f"/deployments/name/heal/{PREFIX}heal")
        started = served.post(f"/deployments/{deployment['id']}/create_flow_run", {"state": {"type": "SCHEDULED"}})
        assert started["parameters"]["dry_run"] is False

    def _answer(self, served: Served, notice: dict[str, Any], secret: str) -> int:
        """Three rounds in two looks: a wrong code, the groups of level 2 in part, the rest with the right code."""
        # a notice leads to the newer pages, which ask who follows its link to sign in
        looks: tuple[Look, ...] = ("v2", "v1", "v2") if self.lang == "en" else ("v2", "v1", "v1")
        link, plan_id = notice["link"], notice["plan_id"]
        run_id = link.rpartition("/")[2]
        say = {name: word(name, self.lang) for name in ("decision", "approver", "plan_code", "note", "one_time_code")}
        say["groups"] = word("groups_field", self.lang)
        notes = ("3 am", "seen, the double writes are real", "scope is right") if self.lang == "en" else _ZH
        with browser() as opened:
            people = {look: Person(opened, served.url, served.auth, look, self.pictures) for look in LOOKS}
            try:
                for number, look in enumerate(looks, start=1):
                    person = people[look]
                    with self._stage(f"page_{number}"):
                        if number == 1:
                            person.follow(link)  # as a person at night does: not signed in
                        else:
                            person.open_run(run_id)
                        self._look(person, f"{number}-run")
                        form = person.open_form()
                        self._look(person, f"{number}-form")
                        self.seen[f"{number}-page"] = form.inner_text()
                        values: dict[str, Any] = {say["decision"]: "approve", say["approver"]: table.ENROLLED}
                        if number == 2:
                            values = {say["decision"]: "part", say["approver"]: table.NAMED}
                            values[say["groups"]] = [self._group(plan_id, 2)]
                        values |= {say["plan_code"]: plan_id[:8], say["note"]: notes[number - 1]}
                        telephone = pyotp.TOTP(secret).now if number == ROUNDS else lambda: _wrong(secret)
                        code = (say["one_time_code"], telephone) if number != 2 else None
                        person.fill(form, values | ({code[0]: code[1]()} if code else {}))
                        self._look(person, f"{number}-filled")
                        person.submit(form, code)
                    with self._stage(f"round_{number}"):
                        self._rested(served, run_id, plan_id, number)
                with self._stage("results"):
                    for look in LOOKS:
                        self._results(people[look], served, run_id)
            finally:
                for person in people.values():
                    self.taken += person.taken
                    person.close()
        return ROUNDS

    def _group(self, plan_id: str, level: int) -> str:
        """The name of the plan's group of that level."""
        clinic = self.clinic
        groups = clinic.ledger.plans.load(plan_id).groups
        clinic.ledger.close()
        return next(g.name for g in groups if int(g.level) == level)

    def _became(self, plan_id: str) -> list[str]:
        """What became of each answer, in their order."""
        clinic = self.clinic
        answers = clinic.ledger.answers.of_plan(plan_id)
        clinic.ledger.close()
        return [one.outcome for one in answers]

    def _rested(self, served: Served, run_id: str, plan_id: str, number: int) -> None:
        """The round's answer was read, and the run has come to rest again: the next round waits, or all is done."""

        def rested() -> bool:
            state = served.run_of(run_id)["state"]
            assert state["type"] not in ("FAILED", "CRASHED", "CANCELLED"), state
            key = state["state_details"]["pause_key"] or ""
            asked = state["name"] == "Suspended" and key.split("-")[-2:-1] == [str(number + 1)]
            if number == ROUNDS:
                assert not asked, f"the last answer was asked for again; of the answers became {self._became(plan_id)}"
                return bool(state["name"] == "Completed")
            return asked

        try:
            until(f"what round {number} comes to", rested, within=PATIENCE)
        except AssertionError as error:
            log = (self._home / "worker.log").read_text(errors="replace")[-3000:]
            raise AssertionError(f"{error}; the run is {served.run_of(run_id)['state']}; the worker:\n{log}") from None

    def _results(self, person: Person, served: Served, run_id: str) -> None:
        """The run as it ended, its artifacts one by one, and the case record where the owner serves it."""
        person.open_run(run_id, "Completed")
        self._look(person, "end-run")
        person.open_artifacts()
        self._look(person, "end-artifacts")
        found = served.post("/artifacts/filter", {"flow_runs": {"id": {"any_": [run_id]}}})
        first = {artifact["key"].split("-")[0]: artifact for artifact in found}  # one of each kind
        for kind, sign in _SIGNS.items():
            person.open_artifact(first[kind]["id"], sign)
            self._look(person, f"end-{kind}", sign)
        person.page.goto(first["report"]["data"].partition("](")[2].partition(")")[0])
        self._look(person, "end-report")

    def _look(self, person: Person, name: str, sign: str = "body") -> None:
        path = person.picture(f"{self.lang}-{name}")
        person.page.locator(sign).first.wait_for()  # meanwhile the page may have asked the server again
        self.seen[f"{name}-{person.look}"] = person.page.locator("body").inner_text()
        assert path.stat().st_size

    def _outcomes(self, clinic: Clinic, plan_id: str) -> dict[str, dict[str, int]]:
        outcomes = clinic.ledger.plans.outcomes(plan_id)
        made: dict[str, Counter[str]] = {}
        for step in clinic.ledger.plans.load(plan_id).steps():
            level = made.setdefault(f"level_{int(step.level)}", Counter())
            level[outcomes[step.id]["outcome"] or "waits"] += 1
        return {level: dict(counts) for level, counts in sorted(made.items())}

    def _texts_in_prefect(self, served: Served) -> list[str]:
        """Where in Prefect's home and database a memory's text lies."""
        found = leaks(table.PHRASES, [self._home])
        if self.postgres:
            dump = self.folder / "prefect.dump"
            dump.write_bytes(self.postgres.dumped("prefect"))
            found += leaks(table.PHRASES, [dump])
        return found


_SIGNS = {"case": "text=G4", "plot": "img[src^='data:']", "progress": "text=100", "asked": "text=G4"}
"""Kind of artifact → what is seen once its page is there."""
_ZH = ("凌晨三点", "看过了，确实是重复写入", "范围无误")


def _wrong(secret: str) -> str:
    """A code that is never the right one of this half minute or of a neighbour."""
    return f"{(int(pyotp.TOTP(secret).now()) + 500_000) % 1_000_000:06}"


def _database(server: Postgres) -> str:
    """A database of its own for Prefect's server."""
    name = "prefect"
    server.do(f"DROP DATABASE IF EXISTS {name}")
    server.do(f"CREATE DATABASE {name} OWNER mendory TEMPLATE template0")
    return f"postgresql+asyncpg://mendory:{server.password}@127.0.0.1:{server.port}/{name}"
