"""Hostile texts in filters, against a real LanceDB table."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest

from mendory.lance import Writer, any_of, create_table, name, quote
from mendory.mapping import Mapping
from mendory.record import arrow_schema

PARTS = (
    *("'", "''", '"', "\\", "\\'", "`", "') OR (1=1) --", "' OR '1'='1", "; DROP TABLE memories; --", "/* c */", "--"),
    *("%", "_", "\0", "\n", "\r\n", "\t", "\u202e", "\u200b", "\u2028", "\ufeff", "\x7f", "😀", "👩\u200d👩\u200d👧"),
    *("记忆", "é", "e\u0301", "ﬁ", "İ", "ß", "NULL", "null", "TRUE", "1 = 0", "SELECT", "IN (", ")", ",", "$1", "?"),
    *(":x", "{}", "\\u0027", "x'41'", "E'\\n'", "''''", "", " ", "a"),
)


def hostile(many: int) -> list[str]:
    """That many different strings, made of what breaks quoting."""
    rng = random.Random(20260101)
    made = dict.fromkeys(p for p in PARTS if p)
    while len(made) < many:
        made["".join(rng.choices(PARTS, k=rng.randint(1, 5)))] = None
    made.pop("", None)
    return list(made)


@pytest.mark.lance
def test_a_thousand_hostile_texts_match_only_themselves(tmp_path: Path) -> None:
    """Filters on ids and scopes made of hostile texts find exactly the rows a comparison in Python finds."""
    texts = hostile(1100)
    there, absent = texts[:1000], texts[1000:]
    rng = random.Random(7)
    scopes = [rng.choice(texts) for _ in there]
    create_table(str(tmp_path), "t", 4)
    table = Writer(str(tmp_path), "t", Mapping.identity())
    table.append(
        pa.Table.from_pylist(
            [{"id": i, "scope": s} for i, s in zip(there, scopes, strict=True)], schema=arrow_schema(4)
        )
    )
    table.refresh()
    for at in range(0, 1000, 100):
        wanted = there[at : at + 100] + absent[at // 10 : at // 10 + 10]
        expected = sorted(i for i in there if i in set(wanted))
        assert sorted(table.rows(wanted).column("id").to_pylist()) == expected
        assert sorted(table.read_rows(wanted).table.column("id").to_pylist()) == expected
        assert sorted(table.fetch(wanted)) == expected
    for _ in range(20):
        wanted = rng.sample(texts, 20)
        expected = sorted(i for i, s in zip(there, scopes, strict=True) if s in set(wanted))
        found = [i for batch in table.batches(["id"], any_of("scope", wanted)) for i in batch.column("id").to_pylist()]
        assert sorted(found) == expected
    # one by one, so that no text hides behind its neighbours
    for one, scope in zip(there[:150], scopes[:150], strict=True):
        where = f"{name('id')} = {quote(one)} AND {name('scope')} = {quote(scope)}"
        assert [i for batch in table.batches(["id"], where) for i in batch.column("id").to_pylist()] == [one]
    for one in absent[:50]:
        assert [b for b in table.batches(["id"], f"{name('id')} = {quote(one)}") if b.num_rows] == []
    assert any_of("id", []) == "1 = 0"
