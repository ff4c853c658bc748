"""The suites: what must hold of memories, of their embeddings, of references and of the ledger, said in expectations.

Columns are those of `mendory.facts`: fields of the record by their names, and facts named `<field>:<fact>`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")

import great_expectations as gx
import great_expectations.expectations as gxe
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

from expectations.metadata import ExpectColumnValuesMetadataHold, ExpectColumnValuesMetadataSound
from mendory.detect import Settings
from mendory.detect.characters import MOST_CHARACTERS
from mendory.detect.times import EARLIEST, LATEST, SLACK
from mendory.detect.vectors import OFF_UNIT, SAME, ZERO
from mendory.facts.links import KINDS
from mendory.facts.moments import AFTER
from mendory.facts.texts import BARRED_PATTERN, BLANK_PATTERN
from mendory.facts.whole import Vectors, Whole
from mendory.finding import KNOWN, Code
from mendory.mapping import Mapping
from mendory.record import FIELDS, Shape
from mendory.text import HIDDEN_PATTERN

MISSING: Final = {
    "content": Code.CONTENT_EMPTY,
    "created_at": Code.MISSING_CREATED_AT,
    "updated_at": Code.MISSING_UPDATED_AT,
    "source": Code.MISSING_SOURCE,
    "scope": Code.MISSING_SCOPE,
}
_REFERENCE: Final = {
    "dangling": Code.REFERENCE_DANGLING,
    "self": Code.REFERENCE_SELF,
    "cycle": Code.REFERENCE_CYCLE,
    "chain": Code.REFERENCE_CHAIN,
    "crossing": Code.REFERENCE_CROSS_SCOPE,
}
MOST_SCOPE_BYTES: Final = 512
Expectations = Iterator[gxe.Expectation]


def memories(mapping: Mapping, settings: Settings, whole: Whole | None) -> gx.ExpectationSuite:
    """What a row of the table must keep by itself; of fields the owner lacks, or no row has, nothing is asked.

    With `whole` None, while the table is still being read, everything is asked.
    """
    lacking = whole.lacking if whole else frozenset()
    there = [f for f in FIELDS if f.name not in settings.absent and (mapping.has(f.name) or f.name == "status")]
    names = {f.name for f in there}
    rules: list[gxe.Expectation] = [
        gxe.ExpectColumnValuesToNotBeNull(column="id", meta=_says(Code.MISSING_ID)),
        gxe.ExpectColumnValueLengthsToBeBetween(column="id", min_value=1, meta=_says(Code.MISSING_ID)),
        gxe.ExpectColumnValuesToBeInSet(column="unreadable", value_set=[False], meta=_says(Code.WRONG_TYPE)),
        *_texts(names),
    ]
    for field in there:
        if field.name in MISSING and field.name not in settings.optional | lacking:
            rules += _required(field.name, field.shape, _says(MISSING[field.name]))
        if field.shape is Shape.TIME:
            rules += _time(field.name, names, settings)
    if "status" in names:
        says = _says(Code.ILLEGAL_STATUS)
        rules.append(gxe.ExpectColumnValuesToNotBeNull(column="status", meta=says))
        rules.append(
            gxe.ExpectColumnValuesToBeInSet(column="status", value_set=list(whole.statuses if whole else ()), meta=says)
        )
    if "metadata" in names:
        rules += _metadata(settings, sorted(mapping.beside_metadata), lacking)
    return gx.ExpectationSuite(name="memories", expectations=rules)


def _says(code: Code) -> dict[str, Any]:
    return {"code": code.value, "severity": KNOWN[code][1].value}


def _required(name: str, shape: Shape, says: dict[str, Any]) -> Expectations:
    yield gxe.ExpectColumnValuesToNotBeNull(column=name, meta=says)
    if shape is Shape.TEXT:
        yield gxe.ExpectColumnValuesToNotMatchRegex(column=name, regex=BLANK_PATTERN, meta=says)


def _texts(names: set[str]) -> Expectations:
    says = _says(Code.HIDDEN_CHARACTERS)
    yield gxe.ExpectColumnValuesToNotMatchRegex(column="content:said", regex=HIDDEN_PATTERN, meta=says)
    says = _says(Code.CONTENT_TOO_LONG)
    yield gxe.ExpectColumnValueLengthsToBeBetween(column="content", max_value=MOST_CHARACTERS, meta=says)
    if "scope" in names:
        says = _says(Code.SCOPE_NOT_ALLOWED)
        yield gxe.ExpectColumnValuesToNotMatchRegex(column="scope:said", regex=BARRED_PATTERN, meta=says)
        yield gxe.ExpectColumnValuesToBeBetween(column="scope:bytes", max_value=MOST_SCOPE_BYTES, meta=says)


def _time(name: str, names: set[str], settings: Settings) -> Expectations:
    yield gxe.ExpectColumnValuesToBeInSet(column=f"{name}:unit", value_set=[False], meta=_says(Code.TIMESTAMP_UNIT))
    yield gxe.ExpectColumnValuesToBeBetween(
        column=f"{name}:year", min_value=EARLIEST, max_value=LATEST, meta=_says(Code.TIMESTAMP_SUSPICIOUS)
    )
    if settings.now:
        latest = settings.now + SLACK
        says = _says(Code.TIMESTAMP_FUTURE)
        yield gxe.ExpectColumnValuesToBeBetween(column=f"{name}:plausible", max_value=latest, meta=says)
    if name in AFTER and "created_at" in names:
        yield gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A=f"{name}:ordered",
            column_B="created_at:plausible",
            or_equal=True,
            ignore_row_if="either_value_is_missing",
            meta=_says(Code.TIMESTAMP_ORDER),
        )


def _metadata(settings: Settings, without: list[str], lacking: Collection[str]) -> Expectations:
    invalid, missing = _says(Code.METADATA_INVALID), _says(Code.METADATA_MISSING_FIELD)
    if "*" not in settings.schemas:
        yield ExpectColumnValuesMetadataSound(column="metadata", without=without, meta=invalid)
        for key in settings.required_metadata:
            if f"metadata.{key}" not in lacking:
                yield ExpectColumnValuesMetadataHold(column="metadata", wanted=key, without=without, meta=missing)
    for kind, schema in sorted(settings.schemas.items()):
        about = {"column": f"metadata:{kind}", "meta_schema": json.dumps(schema, sort_keys=True), "without": without}
        yield ExpectColumnValuesMetadataSound(**about, meta=invalid)
        yield ExpectColumnValuesMetadataHold(**about, meta=missing)


def references(whole: Whole) -> gx.ExpectationSuite:
    """What must hold of ids and references over the whole table."""
    rules: list[gxe.Expectation] = [
        gxe.ExpectColumnValuesToBeBetween(column="id:rows", max_value=1, meta=_says(Code.DUPLICATE_ID)),
        gxe.ExpectColumnValuesToBeBetween(column="id:alike", max_value=1, meta=_says(Code.ID_NEAR_COLLISION)),
    ]
    for kind in KINDS:
        column = f"reference:{kind}"
        if column in whole.ids:
            says = _says(_REFERENCE[kind])
            rules.append(gxe.ExpectColumnValuesToBeInSet(column=column, value_set=[0], meta=says))
    return gx.ExpectationSuite(name="references", expectations=rules)


def embeddings(column: str, settings: Settings, whole: Whole) -> gx.ExpectationSuite:
    """What must hold of the embeddings in `column`, by what is known of them; no vector passes through pandas."""
    rules: list[gxe.Expectation] = []
    if "embedding" not in settings.absent | settings.optional | whole.lacking and "missing" in whole.vectors.facts:
        rules.append(_false("missing", Code.EMBEDDING_MISSING))
    if "texts" in whole.vectors.facts:
        says = _says(Code.EMBEDDING_SUSPICIOUS)
        rules.append(gxe.ExpectColumnValuesToBeBetween(column="texts", max_value=SAME - 1, meta=says))
        rules.append(_false("stale", Code.EMBEDDING_STALE_TEXT))
    rules += _vectors(whole.vectors, "")
    return gx.ExpectationSuite(name=f"embeddings:{column}", expectations=rules)


def further(column: str, known: Vectors) -> gx.ExpectationSuite:
    """What must hold of the further vectors in `column`, where there are any; its facts are `<column>:<fact>`."""
    return gx.ExpectationSuite(name=f"embeddings:{column}", expectations=list(_vectors(known, f"{column}:")))


def _vectors(known: Vectors, prefix: str) -> Expectations:
    if "finite" in known.facts:
        says = _says(Code.EMBEDDING_NON_FINITE)
        yield gxe.ExpectColumnValuesToBeInSet(column=f"{prefix}finite", value_set=[True], meta=says)
        says = _says(Code.EMBEDDING_ZERO)
        yield gxe.ExpectColumnValuesToBeBetween(column=f"{prefix}norm", min_value=ZERO, meta=says)
    if known.dimension is not None:
        says = _says(Code.EMBEDDING_DIM_MISMATCH)
        usual = [-1, known.dimension]  # -1: nothing is known of it
        yield gxe.ExpectColumnValuesToBeInSet(column=f"{prefix}dimension", value_set=usual, meta=says)
    if known.unit:
        says = _says(Code.EMBEDDING_NORM)
        yield gxe.ExpectColumnValuesToBeBetween(column=f"{prefix}from_unit", max_value=OFF_UNIT, meta=says)


def _false(column: str, code: Code) -> gxe.Expectation:
    return gxe.ExpectColumnValuesToBeInSet(column=column, value_set=[False], meta=_says(code))


def ledger() -> gx.ExpectationSuite:
    """What must hold of the ledger's applied steps (`expectations.records.applied`): both images, and a receipt."""
    says = {"code": "ledger_incomplete", "severity": "high"}
    rules: list[gxe.Expectation] = [
        gxe.ExpectColumnValuesToBeBetween(column="items", min_value=1, meta=says),
        gxe.ExpectColumnValuesToBeInSet(column="lacking_images", value_set=[0], meta=says),
        gxe.ExpectColumnValuesToNotBeNull(column="closed_at", meta=says),
    ]
    return gx.ExpectationSuite(name="ledger", expectations=rules)


def columns_of(rule: gxe.Expectation) -> set[str]:
    """The columns an expectation reads."""
    names = ("column", "column_A", "column_B")
    return {str(value) for name in names if (value := getattr(rule, name, None)) is not None}


def name_of(rule: gxe.Expectation | ExpectationConfiguration) -> str:
    """The expectation's type and what it reads, by which it is known in every frame."""
    kwargs = rule.kwargs if isinstance(rule, ExpectationConfiguration) else rule.configuration.kwargs
    kind = rule.type if isinstance(rule, ExpectationConfiguration) else rule.expectation_type
    read = [str(kwargs[k]) for k in ("column", "column_A", "column_B", "wanted") if kwargs.get(k)]
    return f"{kind} on {', '.join(read)}"


def codes_of(suites: Iterable[gx.ExpectationSuite]) -> set[str]:
    """The codes the suites tell of."""
    return {rule.meta["code"] for suite in suites for rule in suite.expectations}
