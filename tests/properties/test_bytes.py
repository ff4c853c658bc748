"""Digests tell every bit apart and nothing else; an edit of a JSON text touches one key's bytes."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import assume, given
from hypothesis import strategies as st

from mendory.digest import row_digests
from mendory.jsontext import NotAnObject, parse_object, with_key
from tests.properties.stores import SCHEMA, as_table, memories, quick, row_bits

KEYS = st.sampled_from(("topic", "scene", "文", 'a"b', "a\\b", "", "\u0000", "é"))
SPACE = st.text(alphabet=" \t\n\r", max_size=2)
NUMBER = st.sampled_from(("1.50", "1e3", "-0", "-0.0", "1E+2", "12345678901234567890", "0.1", "7"))


@st.composite
def values_as_written(draw: st.DrawFn, depth: int = 2) -> str:
    """A JSON value as an owner may have written it: odd numbers, escapes, spaces."""
    plain = NUMBER | st.sampled_from(
        ("null", "true", "false", '"茶"', '"\\u8336"', '"a\\"b"', '"}{"', '"\\\\"', '"/\\/"')
    )
    if depth == 0 or draw(st.booleans()):
        return draw(plain)
    inner = draw(st.lists(values_as_written(depth - 1), max_size=2))
    if draw(st.booleans()):
        return "[" + ",".join(draw(SPACE) + v + draw(SPACE) for v in inner) + "]"
    return "{" + ",".join(f'{draw(SPACE)}"k{at}"{draw(SPACE)}:{v}' for at, v in enumerate(inner)) + draw(SPACE) + "}"


@st.composite
def objects_as_written(draw: st.DrawFn) -> tuple[str, dict[str, tuple[int, int]]]:
    """(text of an object, key → where its value's bytes begin and end)."""
    text, spans = draw(SPACE) + "{", {}
    for at, key in enumerate(draw(st.lists(KEYS, unique=True, max_size=4))):
        written = json.dumps(key, ensure_ascii=draw(st.booleans()))
        text += ("," if at else "") + draw(SPACE) + written + draw(SPACE) + ":" + draw(SPACE)
        value = draw(values_as_written())
        spans[key] = len(text), len(text) + len(value)
        text += value + draw(SPACE)
    return text + draw(SPACE) + "}" + draw(SPACE), spans


NEW = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(objects_as_written(), KEYS, NEW)
@quick(500)
def test_an_edit_changes_one_keys_bytes(written: tuple[str, dict[str, tuple[int, int]]], key: str, new: Any) -> None:
    """Every byte outside the edited value stays, and the parsed result is the dict with that key set."""
    text, spans = written
    result = with_key(text, key, new)
    assert json.loads(result) == {**json.loads(text), key: new}
    if key in spans:
        start, end = spans[key]
        assert (result[:start], result[len(result) - (len(text) - end) :]) == (text[:start], text[end:])
    else:
        at = next(i for i in range(len(text)) if text[i] != result[i]) if not result.startswith(text) else len(text)
        added = len(result) - len(text)
        places = [i for i in range(at + 1) if result[:i] + result[i + added :] == text]
        assert places != []


@given(
    st.text(max_size=20) | st.sampled_from(('{"a":1,"a":2}', '{"a":NaN}', '{"a":1e999}', "[1]", "{", "1", "null")), KEYS
)
@quick(200)
def test_what_is_no_object_is_refused(text: str, key: str) -> None:
    """A text that is no clean object is refused, never mended."""
    assume(text.strip())
    try:
        parse_object(text)
    except NotAnObject:
        refused = True
    else:
        refused = False
    try:
        with_key(text, key, 1)
    except NotAnObject:
        assert refused
    else:
        assert not refused


@given(memories(), st.permutations(SCHEMA.names), st.integers(0, 8), st.integers(1, 4))
@quick(100)
def test_digests_ignore_column_order_chunks_and_offsets(rows: Any, names: list[str], cut: int, pad: int) -> None:
    """The same rows have the same digests however their columns are ordered, chunked or sliced."""
    table = as_table(rows)
    plain = row_digests(table)
    assert row_digests(table.select(names)) == plain
    cut = min(cut, len(rows))
    assert row_digests(pa.concat_tables([table.slice(0, cut), table.slice(cut)])) == plain
    padded = pa.concat_tables([table.slice(0, 1)] * pad + [table]).combine_chunks()
    assert row_digests(padded.slice(pad)) == plain
    assert [row_digests(table.slice(at, 1))[0] for at in range(len(rows))] == plain


@given(memories(), memories())
@quick(150)
def test_digests_are_equal_exactly_when_the_bits_are(one: Any, other: Any) -> None:
    """Of any two rows the digests are equal when every bit is, and only then."""
    table = pa.concat_tables([as_table(one), as_table(other)]).combine_chunks()
    digests = row_digests(table)
    bits = [next(iter(row_bits(table.slice(at, 1)))) for at in range(table.num_rows)]
    for a in range(table.num_rows):
        for b in range(a):
            assert (digests[a] == digests[b]) == (bits[a] == bits[b])


@given(st.lists(st.integers(0, 2**32 - 1), min_size=4, max_size=4), st.integers(0, 127))
@quick(300)
def test_every_bit_of_a_vector_counts(words: list[int], bit: int) -> None:
    """Any one flipped bit of a vector, NaN payloads and the sign of zero included, gives another digest."""
    flipped = list(words)
    flipped[bit // 32] ^= 1 << (bit % 32)
    digests = {row_digests(_vector(w))[0] for w in (words, flipped)}
    assert len(digests) == 2
    masked = {row_digests(_vector(words, at))[0] for at in range(4)}
    assert len(masked | digests) == 6


def _vector(words: list[int], null_at: int | None = None) -> pa.Table:
    raw = np.frombuffer(struct.pack("<4I", *words), dtype="<f4")
    mask = np.array([at == null_at for at in range(4)])
    values = pa.Array.from_buffers(pa.float32(), 4, [pa.array(~mask).buffers()[1], pa.py_buffer(raw.tobytes())])
    return pa.table({"v": pa.FixedSizeListArray.from_arrays(values, 4)})


def test_null_empty_and_nested_nulls_differ() -> None:
    """Null, empty, and containers of null each have a digest of their own, in every type we meet."""
    for kind, cells in (
        (pa.string(), [None, "", "\0"]),
        (pa.binary(), [None, b"", b"\0"]),
        (pa.list_(pa.string()), [None, [], [None], [""], [None, None], ["", ""]]),
        (pa.list_(pa.float32(), 2), [None, [None, None], [0.0, None], [None, 0.0], [0.0, 0.0], [-0.0, 0.0]]),
        (pa.list_(pa.list_(pa.string())), [None, [], [[]], [None], [["a"], ["b"]], [["a", "b"]], [["a"], [], ["b"]]]),
        (pa.struct([("a", pa.string()), ("b", pa.int64())]), [None, {"a": None, "b": None}, {"a": "", "b": 0}]),
        (pa.float64(), [None, 0.0, -0.0, float("nan")]),
        (pa.timestamp("us", tz="UTC"), [None, 0, 1]),
    ):
        table = pa.table({"c": pa.array(cells, type=kind)})
        assert len(set(row_digests(table))) == len(cells), kind
