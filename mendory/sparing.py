"""What people let be: findings that are dismissed and rows that are kept as they are, each until it is taken back."""

from __future__ import annotations

from mendory.clinic import Clinic
from mendory.deciding import check_name
from mendory.digest import row_digests
from mendory.errors import MemoryNotFound
from mendory.ledger import Ledger
from mendory.text import shown


def dismiss(clinic: Clinic, name: str, because: str, by: str) -> str:
    """The finding whose id starts with `name` is not planned again until one of its rows changes; returns its id.

    It waits for nobody any more. Raises InputInvalid when no finding or several are meant, or it is dismissed already.
    """
    check_name(by)
    finding = clinic.ledger.findings.find(name)
    rows = clinic.reader.rows(list(clinic.ledger.findings.known([finding])[finding].ids))
    ids = rows.column(clinic.reader.id_column).to_pylist()
    digests = dict(zip(ids, row_digests(rows, clinic.mapping.volatile), strict=True))

    def work(ledger: Ledger) -> str:
        ledger.choices.undecided(finding)
        ledger.words.dismiss(finding, because, by, digests)
        ledger.choices.end([finding], by, "dismissed")
        ledger.findings.settle(finding)
        return finding

    return clinic.ledger.once(work)


def take_up(clinic: Clinic, name: str, because: str, by: str) -> str:
    """The finding may be planned again, whether it was dismissed, rejected or rolled back; returns its id.

    Raises InputInvalid when no finding or several are meant, or it is not dismissed.
    """
    check_name(by)
    finding = clinic.ledger.findings.find(name)

    def work(ledger: Ledger) -> str:
        ledger.words.take_up(finding, because, by)
        ledger.choices.end([finding], by, "taken up again")
        return finding

    return clinic.ledger.once(work)


def keep(clinic: Clinic, row: str, because: str, by: str) -> None:
    """No step changes the row until that is taken back, whoever approves it; plans that would wait for that.

    Raises MemoryNotFound when no row has the id, InputInvalid when it is kept already.
    """
    check_name(by)
    clinic.check_binding()
    if not clinic.reader.rows([row]).num_rows:
        raise MemoryNotFound(f"No memory has the id '{shown(row)}'. Nothing was recorded. Check the id.")
    clinic.ledger.once(lambda ledger: ledger.words.keep(row, because, by))


def release(clinic: Clinic, row: str, because: str, by: str) -> None:
    """Steps may change the row again; raises InputInvalid when nobody keeps it."""
    check_name(by)
    clinic.ledger.once(lambda ledger: ledger.words.release(row, because, by))
