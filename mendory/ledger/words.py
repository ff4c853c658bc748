"""What people have said of findings, rows and rules, and taken back. Nothing of it ever goes."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

import sqlalchemy as sa

from mendory import digest
from mendory.automation import Change
from mendory.errors import InputInvalid
from mendory.ledger import chain
from mendory.ledger import schema as t
from mendory.ledger.plans import Transaction

_NONE: Final[Mapping[str, str]] = MappingProxyType({})


class Said(StrEnum):
    """What somebody said; a word that is taken back ends the one before it."""

    DISMISS = "dismiss"
    TAKE_UP = "take_up"
    KEEP = "keep"
    RELEASE = "release"
    WIDEN = "widen"
    NARROW = "narrow"
    AS_CONFIGURED = "as_configured"
    GOOD = "good"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a person, about the finding, row, plan or rule of that name.

    `rows` are the digests of a finding's rows; for a word on a plan's repairs, the repair that each row is of.
    """

    said: Said
    about: str
    because: str
    by: str
    at: datetime
    rows: Mapping[str, str]

    def as_json(self) -> dict[str, Any]:
        """The word as reports and JSON hold it."""
        return {"id": self.about, "because": self.because, "by": self.by, "at": self.at.isoformat()}


class Words:
    """The table of words. Each is a link of the chain."""

    def __init__(self, transaction: Transaction, reading: Transaction, clock: Callable[[], datetime]) -> None:
        self._transaction, self._reading, self._clock = transaction, reading, clock

    def dismiss(self, finding_id: str, because: str, by: str, rows: Mapping[str, str]) -> None:
        """The finding is not planned again until its rows change; raises InputInvalid, naming who dismissed it before.

        `rows` are the digests of its rows as they were.
        """
        with self._transaction() as conn:
            held = conn.execute(sa.select(t.dismissal).where(t.dismissal.c.finding_id == finding_id)).first()
            if held is not None:
                raise InputInvalid(
                    f"Finding {finding_id[:8]} was dismissed by {held.by} at {held.at[:16]}. Nothing was recorded. "
                    f"To take that back: mendory dismiss {finding_id[:8]} --undo --as NAME."
                )
            values = {"finding_id": finding_id, "because": because, "by": by, "at": self._clock().isoformat()}
            conn.execute(t.dismissal.insert().values(**values))
            self._say(conn, Said.DISMISS, finding_id, because, by, rows)

    def take_up(self, finding_id: str, because: str, by: str) -> None:
        """The finding may be planned again, whoever dismissed it; raises InputInvalid when nobody did."""
        with self._transaction() as conn:
            gone = conn.execute(t.dismissal.delete().where(t.dismissal.c.finding_id == finding_id)).rowcount
            if not gone:
                raise InputInvalid(
                    f"Finding {finding_id[:8]} is not dismissed. Nothing was recorded. See what is: mendory review."
                )
            self._say(conn, Said.TAKE_UP, finding_id, because, by)

    def keep(self, row_id: str, because: str, by: str) -> None:
        """No step changes the row until that is taken back; raises InputInvalid, naming who keeps it already."""
        with self._transaction() as conn:
            held = self._newest(conn, (Said.KEEP,), Said.RELEASE).get(row_id)
            if held is not None:
                raise InputInvalid(
                    f"'{row_id}' is kept already: {held.by} said so at {held.at.isoformat()[:16]}. Nothing was "
                    "recorded. To take that back: mendory keep ID --undo --as NAME."
                )
            self._say(conn, Said.KEEP, row_id, because, by)

    def release(self, row_id: str, because: str, by: str) -> None:
        """Steps may change the row again; raises InputInvalid when nobody keeps it."""
        with self._transaction() as conn:
            if row_id not in self._newest(conn, (Said.KEEP,), Said.RELEASE):
                raise InputInvalid(f"Nobody keeps '{row_id}'. Nothing was recorded. See what is kept: mendory review.")
            self._say(conn, Said.RELEASE, row_id, because, by)

    def let_run(self, subject: str, widens: bool, because: str, by: str) -> None:
        """The rule, or kind of step, runs by itself from now on, or does not; whatever was said of it before."""
        with self._transaction() as conn:
            self._say(conn, Said.WIDEN if widens else Said.NARROW, subject, because, by)

    def as_configured(self, subject: str, because: str, by: str) -> None:
        """The configuration alone says again whether it runs by itself; raises InputInvalid when it does already."""
        with self._transaction() as conn:
            if subject not in self._newest(conn, (Said.WIDEN, Said.NARROW), Said.AS_CONFIGURED):
                raise InputInvalid(
                    f"Nobody has said anything of '{subject}' that stands. Nothing was recorded. "
                    "See what was said: mendory policy."
                )
            self._say(conn, Said.AS_CONFIGURED, subject, because, by)

    def changes(self) -> dict[str, Change]:
        """Rule or kind of step → the word that stands on whether it runs by itself, with its place in the chain."""
        with self._reading() as conn:
            held = self._newest(conn, (Said.WIDEN, Said.NARROW), Said.AS_CONFIGURED)
            query = sa.select(t.word.c.about, sa.func.max(t.chain.c.seq).label("at"))
            links = query.join(t.chain, sa.and_(t.chain.c.kind == "word", t.chain.c.ref == t.word.c.id))
            at = {r.about: r.at for r in conn.execute(links.group_by(t.word.c.about))} if held else {}
        return {a: Change(w.said is Said.WIDEN, w.by, w.at, w.because, at[a]) for a, w in held.items()}

    def kept(self) -> dict[str, Word]:
        """Row id → the word that it is kept, for rows that are."""
        with self._reading() as conn:
            return self._newest(conn, (Said.KEEP,), Said.RELEASE)

    def dismissed(self) -> dict[str, Word]:
        """Finding id → the word that dismissed it, for those that a person dismissed by itself and nobody took up."""
        with self._reading() as conn:
            return self._newest(conn, (Said.DISMISS,), Said.TAKE_UP)

    def tick(self, plan_id: str, rows: Mapping[str, str], good: bool, because: str, by: str) -> None:
        """Somebody looked at these rows of the plan and found them good, or wrong; the newest word on a row counts.

        `rows` say of which repair each is.
        """
        with self._transaction() as conn:
            self._say(conn, Said.GOOD if good else Said.WRONG, plan_id, because, by, rows)

    def ticks(self, plan_id: str) -> dict[str, Word]:
        """Row id → the newest word on the plan's repair of it."""
        said = t.word.c.said.in_([Said.GOOD.value, Said.WRONG.value])
        query = sa.select(t.word).where(said, t.word.c.about == plan_id).order_by(t.word.c.seq)
        with self._reading() as conn:
            words = [_word(row) for row in conn.execute(query)]
        return {row: word for word in words for row in word.rows}

    def digest(self, conn: sa.Connection, ref: str) -> str | None:
        """Digest of the word as it stands, None when it is gone."""
        row = conn.execute(sa.select(t.word).where(t.word.c.id == ref)).first()
        return None if row is None else digest.of(list(row))

    def _say(
        self, conn: sa.Connection, said: Said, about: str, because: str, by: str, rows: Mapping[str, str] = _NONE
    ) -> None:
        ref = secrets.token_hex(16)
        conn.execute(
            t.word.insert().values(
                id=ref,
                seq=chain.next_seq(conn, t.word),
                said=said.value,
                about=about,
                because=because,
                by=by,
                at=self._clock().isoformat(),
                rows=json.dumps(dict(rows), sort_keys=True),
            )
        )
        payload = self.digest(conn, ref)
        assert payload is not None
        chain.append(conn, "word", ref, payload)

    @staticmethod
    def _newest(conn: sa.Connection, said: Sequence[Said], ended: Said) -> dict[str, Word]:
        """About → the newest word, where that is one of `said` and not `ended`."""
        query = sa.select(t.word).where(t.word.c.said.in_([s.value for s in (*said, ended)])).order_by(t.word.c.seq)
        newest = {row.about: row for row in conn.execute(query)}
        return {about: _word(row) for about, row in newest.items() if row.said != ended.value}


def _word(row: Any) -> Word:
    return Word(Said(row.said), row.about, row.because, row.by, datetime.fromisoformat(row.at), json.loads(row.rows))
