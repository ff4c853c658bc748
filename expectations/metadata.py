"""Two expectations for metadata, which Great Expectations has none for that a malformed row would not stop.

Metadata is read as strictly as everywhere (doubled keys and numbers that are none are refused), each different text
once, and judged by a schema that was compiled once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import pandas as pd
from great_expectations.execution_engine import PandasExecutionEngine
from great_expectations.expectations.expectation import ColumnMapExpectation
from great_expectations.expectations.metrics import ColumnMapMetricProvider, column_condition_partial

from mendory.detect.shapes import shape_of
from mendory.jsontext import NotAnObject, parse_object
from mendory.text import valueless

_read: dict[str, dict[str, Any] | None] = {}
"""What was read while one frame is judged: text → the object in it, None for what is none."""


def forget() -> None:
    """No memory's metadata is held any longer."""
    _read.clear()


def _object(text: str) -> dict[str, Any] | None:
    if text not in _read:
        try:
            _read[text] = parse_object(text) if text.strip() else {}
        except NotAnObject:
            _read[text] = None
    return _read[text]


def _of_each(column: pd.Series, good: Callable[[dict[str, Any] | None], bool], without: Sequence[str]) -> pd.Series:
    known: dict[str, bool] = {}
    for text in column.unique():
        held = _object(text)
        known[text] = good({k: v for k, v in held.items() if k not in without} if held and without else held)
    return column.map(known).astype(bool)


class ColumnValuesMetadataSound(ColumnMapMetricProvider):
    """True for texts that are a JSON object and keep the schema, but for keys it requires."""

    condition_metric_name = "column_values.metadata_sound"
    condition_value_keys = ("meta_schema", "without")

    @column_condition_partial(engine=PandasExecutionEngine)
    def _pandas(cls, column: pd.Series, meta_schema: str, without: Sequence[str], **_: Any) -> pd.Series:  # noqa: N805
        shape = shape_of(json.loads(meta_schema)) if meta_schema else None
        return _of_each(column, lambda held: held is not None and not (shape and shape.fault(held)), without)


class ExpectColumnValuesMetadataSound(ColumnMapExpectation):
    """Expect metadata to be JSON objects that keep a schema; a key it requires is another expectation's.

    `meta_schema` is the schema's text, empty for none.
    """

    meta_schema: str = ""
    without: list[str] = []  # noqa: RUF012 - pydantic copies it
    map_metric: ClassVar[str] = "column_values.metadata_sound"
    success_keys: ClassVar[tuple[str, ...]] = ("meta_schema", "without", "mostly")


class ColumnValuesMetadataHold(ColumnMapMetricProvider):
    """True for texts that are no JSON object, which is told elsewhere, or hold what is asked for."""

    condition_metric_name = "column_values.metadata_hold"
    condition_value_keys = ("wanted", "meta_schema", "without")

    @column_condition_partial(engine=PandasExecutionEngine)
    def _pandas(cls, column: pd.Series, wanted: str, meta_schema: str, without: Sequence[str], **_: Any) -> pd.Series:  # noqa: N805
        shape = shape_of(json.loads(meta_schema)) if meta_schema else None

        def good(held: Mapping[str, Any] | None) -> bool:
            if held is None:
                return True
            return not shape.missing(held) if shape else not valueless(held.get(wanted))

        return _of_each(column, good, without)


class ExpectColumnValuesMetadataHold(ColumnMapExpectation):
    """Expect metadata that can be read to have a value under key `wanted`, or all keys that a schema requires."""

    wanted: str = ""
    meta_schema: str = ""
    without: list[str] = []  # noqa: RUF012 - pydantic copies it
    map_metric: ClassVar[str] = "column_values.metadata_hold"
    success_keys: ClassVar[tuple[str, ...]] = ("wanted", "meta_schema", "without", "mostly")
