"""Searching an owner's table by a vector, among the rows of some scopes that its reader returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import lancedb
import pyarrow as pa

from mendory.lance.border import ours, table_folder
from mendory.lance.faults import newest_is_there
from mendory.lance.quoting import any_of, name, quote
from mendory.mapping import Composite, Place
from mendory.mapping import Mapping as FieldMapping
from mendory.mapping.places import is_text, leaf_type
from mendory.mapping.status import NOW
from mendory.record import RECALLABLE, Status
from mendory.text import text_of

DISTANCE: Final = "_distance"
_COSINE: Final = "cosine"
_LEAST: Final = -(2**63)
_MOST: Final = 2**63 - 1
_NEVER: Final = "1 = 0"


class Searching:
    """One table, opened for searching; nothing here can write. Every call acts on the newest version."""

    def __init__(self, uri: str, table: str) -> None:
        self._folder = table_folder(uri, table)
        with ours(f"Opening table '{table}'", self._folder):
            self._table: Any = lancedb.connect(uri).open_table(table)
        self.version = -1
        """The version searched."""
        self._schema: pa.Schema | None = None
        self._metrics: tuple[int, str, str] | None = None

    def newest(self) -> pa.Schema:
        """The newest version is searched from now on; its schema. Raises ManifestMissing where that is lost."""
        if self._folder is not None:
            newest_is_there(self._folder)
        with ours("Opening the newest version", self._folder):
            self._table.checkout_latest()
            version = int(self._table.version)
            if self._schema is None or version != self.version:
                self.version, self._schema = version, self._table.schema
            return self._schema

    def nearest(
        self, vector: Any, column: str, columns: Sequence[str], where: str | None, limit: int, *, wholly: bool = False
    ) -> pa.Table:
        """At most so many rows nearest to the vector, of those for which `where` holds, in these columns.

        The filter comes before the search. An index looks at the partitions nearest to the vector, where a scope may
        have few rows or none; with `wholly` it goes on until there are enough or no more, so that fewer than `limit`
        are all there are. Rows without a vector are never among them.
        """
        selection = {one: name(one) for one in columns} | {DISTANCE: DISTANCE}
        with ours("Searching", self._folder):
            query = self._table.search(vector, vector_column_name=column, query_type="vector")
            query = query.distance_type(self._metric(column)).select(selection).limit(limit)
            if wholly:
                query = query.maximum_nprobes(0)
            if where is not None:
                query = query.where(where, prefilter=True)
            return query.to_arrow()

    def rows(self, where: str, columns: Sequence[str]) -> pa.Table:
        """The rows for which `where` holds, in these columns."""
        with ours("Reading rows", self._folder):
            query = self._table.search().where(where).select({one: name(one) for one in columns})
            return query.limit(2**31 - 1).to_arrow()

    def count(self, where: str | None) -> int:
        """How many rows there are for which `where` holds."""
        with ours("Counting rows", self._folder):
            return int(self._table.count_rows(where))

    def _metric(self, column: str) -> str:
        """The metric of the column's index, which no other one uses; cosine where there is no index."""
        if self._metrics is None or self._metrics[:2] != (self.version, column):
            found = _COSINE
            for index in self._table.list_indices():
                if index.columns == [column]:
                    stats = self._table.index_stats(index.name)
                    found = (stats.distance_type if stats is not None else None) or found
            self._metrics = self.version, column, str(found)
        return self._metrics[2]


def visible(mapping: FieldMapping, schema: pa.Schema, scopes: Sequence[str]) -> str | None:
    """A filter that passes every row of these scopes that the owner's reader returns, and few others.

    Whoever asks looks at what came: what lies inside JSON, or is written in a form that SQL can't compare, passes here.
    """
    parts = [" OR ".join(f"({one})" for scope in scopes if (one := _of_scope(mapping, schema, scope)))]
    if scopes and any(_of_scope(mapping, schema, scope) is None for scope in scopes):
        parts = []  # of one of them SQL can tell nothing
    parts += _not_hidden(mapping, schema)
    if mapping.skip_ids:
        own = str(mapping.column("id"))
        parts.append(f"{name(own)} IS NULL OR NOT ({any_of(own, mapping.skip_ids)})")
    return " AND ".join(f"({part})" for part in parts if part) or None


def _of_scope(mapping: FieldMapping, schema: pa.Schema, scope: str) -> str | None:
    """The filter of one scope's rows; None where SQL can't tell them."""
    place = mapping.place("scope")
    if isinstance(place, Place):
        return _is(schema, place, scope)
    if isinstance(place, Composite):
        parts = place.template.split(scope)
        if parts is None:
            return _NEVER
        told = [_is(schema, Place.of(key), part) for key, part in parts.items()]
        return " AND ".join(f"({one})" for one in told if one) or None
    return None


def _not_hidden(mapping: FieldMapping, schema: pa.Schema) -> Iterator[str]:
    said, place = mapping.vocabulary, mapping.place("status")
    for at, value in said.hide or ():
        told = _unmarked(schema, at, value)
        if told is not None:
            yield told
    if isinstance(place, Place):
        words = [word for word, meant in said.words.items() if meant not in RECALLABLE] or [Status.ARCHIVED.value]
        if (kind := _kind(schema, place)) is not None and is_text(kind):
            held = _reference(place)
            yield f"{held} IS NULL OR {held} NOT IN ({', '.join(map(quote, words))})"


def _unmarked(schema: pa.Schema, place: Place, value: Any) -> str | None:
    """The filter of rows that do not carry a hiding mark; None where SQL can't tell."""
    kind, at = _kind(schema, place), _reference(place)
    if kind is None:
        return None
    if isinstance(value, str) and value.startswith(NOW):
        if pa.types.is_timestamp(kind):
            return f"{at} IS NULL OR CAST({at} AS BIGINT) = 0"
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            return f"{at} IS NULL OR {at} = 0"
        return f"{at} IS NULL OR NOT regexp_like({at}, '[0-9]')" if is_text(kind) else None
    if isinstance(value, str) and not is_text(kind):
        return None  # a word and a number are alike to the mapping only where they are written alike
    marked = _is(schema, place, text_of(value) or "")
    return None if marked is None else f"{at} IS NULL OR NOT ({marked})"


def _is(schema: pa.Schema, place: Place, word: str) -> str | None:
    """The filter that a place holds what reads as this word; None where SQL can't tell."""
    kind, at = _kind(schema, place), _reference(place)
    if kind is None:
        return _inside(place, word)
    if is_text(kind):
        return f"{at} = {quote(word)}"
    if pa.types.is_boolean(kind):
        return {"true": at, "1": at, "false": f"NOT {at}", "0": f"NOT {at}"}.get(word, _NEVER)
    if pa.types.is_integer(kind):
        number = {"true": "1", "false": "0"}.get(word, word)
        plain = number.removeprefix("-").isdecimal() and str(int(number)) == number
        return f"{at} = {number}" if plain and _LEAST < int(number) <= _MOST else _NEVER
    return None


def _inside(place: Place, word: str) -> str | None:
    """The filter that a column of JSON may hold the word: its longest run of plain letters and digits, or escapes."""
    if len(place.path) != 1 or not place.path:
        return None
    runs = "".join(ch if ch.isascii() and ch.isalnum() else " " for ch in word).split()
    if not runs:
        return None
    at = name(place.column)
    return f"contains({at}, {quote(max(runs, key=len))}) OR contains({at}, {quote(chr(92) + 'u00')})"


def _kind(schema: pa.Schema, place: Place) -> pa.DataType | None:
    """The type at a column or the leaf of a struct; None for a key of JSON."""
    kind = leaf_type(schema, place)
    return kind.value_type if kind is not None and pa.types.is_dictionary(kind) else kind


def _reference(place: Place) -> str:
    return ".".join(name(part) for part in (place.column, *place.path))
