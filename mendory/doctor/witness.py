"""What the doctor sees of the embedder: sixteen stored vectors beside the ones it makes of their texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from mendory.clinic import Clinic
from mendory.doctor.line import Line, fail, ok, warn
from mendory.errors import MendoryError
from mendory.lance import Reader

if TYPE_CHECKING:
    from mendory.spaces.witness import Agreement

_MEND: Final = "set [embedder] to the model, prefix and normalisation the table was embedded with"


def lines(clinic: Clinic, reader: Reader, wanted: bool) -> Iterator[Line]:
    """How many of sixteen sampled rows embed again to the vector they hold; a model that fails says nothing of it."""
    section = clinic.config.embedder
    if section is None:
        yield ok("witness", "not examined: no embedder is configured")
        return
    if not wanted:
        yield ok("witness", "not examined: not asked for")
        return
    from mendory.embedding import build
    from mendory.spaces import draw, witness

    try:
        embedder = build(section, clinic.config.root)
        found = witness(embedder, draw(reader, seed=reader.version, max_chars=section.max_chars))
        model = embedder.identity.model
    except MendoryError as error:
        todo = "mend [embedder], or leave it out: mendory doctor --no-witness"
        yield warn("witness", "{error}: {problem}", todo, error=error.name, problem=str(error))
        return
    yield _told(found, model)
    if found.rows and found.whole and not _known(clinic):
        todo = "let the table's space be known: mendory spaces --adopt --as NAME"
        yield warn("space", "no space of this table is known, so another model would not be refused", todo)
    if found.left_out:
        yield ok("witness", "rows that could not be compared: {count}", count=sum(found.left_out.values()))


def _known(clinic: Clinic) -> bool:
    ledger = clinic.known_ledger()
    return ledger is not None and bool(ledger.spaces.live())


def _told(found: Agreement, model: str) -> Line:
    from mendory.spaces import enough

    values = {"model": model, "agreed": found.agreed, "rows": found.rows}
    if found.dimensions:
        stored, made = found.dimensions
        said = "the table holds vectors of {stored} dimensions, {model} makes {made}"
        return fail("witness", said, _MEND, stored=stored, made=made, **values)
    if not found.rows:
        todo = "add rows with texts and vectors"
        return warn("witness", "space {model}: no row could be embedded again and compared", todo, **values)
    if found.whole:
        return ok("witness", "space {model}: {agreed} of {rows} rows embed again to what they hold", **values)
    return (warn if enough(found) else fail)(
        "witness",
        "space {model}: only {agreed} of {rows} rows embed again as they are; median cosine {median}, lowest {low}",
        _MEND,
        median=f"{found.median:.3f}",
        low=f"{found.lowest:.3f}",
        differing=list(found.differing),
        **values,
    )
