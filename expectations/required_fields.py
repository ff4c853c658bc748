"""Structural suite: required fields hold a value. The same rules as `mendory.detect.required`, said in GX."""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Iterable, Iterator
from typing import Any

os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")

import great_expectations as gx
import great_expectations.expectations as gxe
import pandas as pd
import pyarrow as pa
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.datasource.fluent.interfaces import Batch

from mendory.errors import CheckBroken
from mendory.finding import Code
from mendory.mapping import VECTORLESS, Mapping
from mendory.record import FIELDS, Shape
from mendory.text import BLANK

CHUNK_ROWS = 100_000
logging.getLogger("great_expectations").setLevel(logging.WARNING)
_CODES = {
    "content": Code.CONTENT_EMPTY,
    "embedding": Code.EMBEDDING_MISSING,
    "created_at": Code.MISSING_CREATED_AT,
    "updated_at": Code.MISSING_UPDATED_AT,
    "source": Code.MISSING_SOURCE,
    "scope": Code.MISSING_SCOPE,
}
# ids only: no memory text may enter a GX result
_RESULT = {"result_format": "COMPLETE", "exclude_unexpected_values": True}


def suite(mapping: Mapping, lacking: Collection[str] = ()) -> gx.ExpectationSuite:
    """The suite for rows in record terms (`frames`); fields in `lacking`, absent or without one value, are left out."""
    rules: list[gxe.Expectation] = []
    for field in FIELDS:
        column, code = field.name, _CODES.get(field.name)
        if code is None or not mapping.has(field.name) or field.name in lacking:
            continue
        meta = {"code": code.value}
        if field.shape is Shape.VECTOR:
            # a fact computed in Arrow beforehand, so that no vector passes through pandas
            rules.append(gxe.ExpectColumnValuesToBeInSet(column=VECTORLESS, value_set=[False], meta=meta))
            continue
        rules.append(gxe.ExpectColumnValuesToNotBeNull(column=column, meta=meta))
        if field.shape is Shape.TEXT:
            rules.append(gxe.ExpectColumnValuesToNotMatchRegex(column=column, regex=rf"^(?:{BLANK})\Z", meta=meta))
    return gx.ExpectationSuite(name="required_fields", expectations=rules)


def frames(mapping: Mapping, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows in record terms: the fields of the suite and the id, by the names of the fields."""
    fields = [f for f in ("id", *_CODES) if f != "embedding" and mapping.has(f)]
    return (mapping.frame(batch, fields) for batch in batches)


def run(rules: gx.ExpectationSuite, batches: Iterable[pa.RecordBatch]) -> dict[str, set[str]]:
    """Code → ids of the rows that fail, over all batches in chunks of 100,000 rows.

    Raises CheckBroken naming the expectation when one of them could not be evaluated: that is an
    error of the check, never a finding.
    """
    # GX tells where it keeps a temporary folder, once per context
    logging.getLogger("great_expectations.data_context.types.base").setLevel(logging.WARNING)
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    asset = context.data_sources.add_pandas("table").add_dataframe_asset("memories")
    whole = asset.add_batch_definition_whole_dataframe("chunk")
    failing: dict[str, set[str]] = {}
    for frame in _frames(batches):
        batch: Batch = whole.get_batch({"dataframe": frame})
        wanted = {**_RESULT, "unexpected_index_column_names": ["id"]}
        for result in batch.validate(rules, result_format=wanted).results:
            about = result.expectation_config
            if _raised(result.exception_info):
                raise CheckBroken(
                    f"The expectation {about.type} on {about.kwargs.get('column')} could not be evaluated. "
                    "Its rule is unchecked; nothing was written. Check the table's column types."
                )
            rows = result.result.get("unexpected_index_list") or []
            # with values excluded GX gathers all ids in one entry; without, one entry a row
            ids = [i for r in rows for i in (r["id"] if isinstance(r["id"], list) else [r["id"]])]
            failing.setdefault(about.meta["code"], set()).update(i for i in ids if isinstance(i, str) and i)
    return failing


def _frames(batches: Iterable[pa.RecordBatch]) -> Iterator[pd.DataFrame]:
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= CHUNK_ROWS:
            yield pa.Table.from_batches(held).to_pandas()
            held, rows = [], 0
    if held:
        yield pa.Table.from_batches(held).to_pandas()


def _raised(info: dict[str, Any]) -> bool:
    """GX nests exceptions by metric for some failures and not for others."""
    if "raised_exception" in info:
        return bool(info["raised_exception"])
    return any(_raised(nested) for nested in info.values() if isinstance(nested, dict))
