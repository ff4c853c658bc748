"""What must not be repaired once more: what was tried too often, and what somebody undoes or writes anew."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from mendory import digest
from mendory.config.sections import AttemptsSection
from mendory.finding import Finding
from mendory.lance import Reader
from mendory.ledger import Ledger
from mendory.ledger.findings import is_text, problem_key, text_key
from mendory.record import Memory


def too_often(ledger: Ledger, reader: Reader, section: AttemptsSection) -> Callable[[Finding], str | None]:
    """Says of a finding why it is not repaired again, None where it may be.

    A row whose bytes are again what they were before a repair is a loop at once: so long as images are kept, nobody but
    whoever undid the repair made them so. Else a problem, by code and rows, is repaired `section.most` times within the
    sliding window (design §7).
    """
    tried = ledger.findings.attempts(section.window)
    undone = _undone(ledger, reader)

    def why(finding: Finding) -> str | None:
        times = tried.get(problem_key(finding.code.value, finding.ids), 0)
        if times >= section.most:
            return f"repaired {times} times within {section.window.days} days and back again: a person's"
        if undone & set(finding.ids):
            return "a row is again as it was before a repair: something undoes the repair, so a person's"
        return None

    return why


def _undone(ledger: Ledger, reader: Reader) -> set[str]:
    """Rows whose bytes are again what they were before a repair that nobody rolled back."""
    before = ledger.findings.repaired_from()
    if not before:
        return set()
    rows = reader.rows(sorted(before))
    ids = rows.column(reader.id_column).to_pylist()
    now = digest.row_digests(rows, reader.volatile)
    return {i for i, d in zip(ids, now, strict=True) if d in before[i]}


def written_anew(ledger: Ledger, scan: Callable[[], Iterator[Memory]], section: AttemptsSection) -> dict[str, str]:
    """Row → why it is not archived once more: as often as may be, its text left recall in its scope and came again.

    Whoever writes it anew gives it a new id, so only the text tells. The rows are read only where a text is worn out.
    """
    tried = ledger.findings.attempts(section.window)
    worn = {key: times for key, times in tried.items() if is_text(key) and times >= section.most}
    if not worn:
        return {}
    since = f"within {section.window.days} days and written anew: a person's"
    return {
        memory.id: f"its text was archived {worn[key]} times {since}"
        for memory in scan()
        if memory.id and memory.recallable and (key := text_key(memory.scope, memory.content)) in worn
    }


def archived_texts(memories: Collection[Memory]) -> tuple[str, ...]:
    """What attempts are counted under, besides their problem, where these memories leave recall."""
    return tuple(sorted({key for m in memories if (key := text_key(m.scope, m.content))}))
