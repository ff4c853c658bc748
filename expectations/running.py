"""The suites over a table: code → ids of the rows that fail, without a value of theirs."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from collections.abc import Mapping as MappingType
from dataclasses import dataclass, field
from typing import Any, Final

os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")

import great_expectations as gx
import great_expectations.expectations as gxe
import numpy as np
import pandas as pd
import pyarrow as pa
from great_expectations.data_context.types.base import ProgressBarsConfig

from expectations import metadata, suites
from expectations.frames import NUMBER, Family, Frame, families, whole_frame
from mendory.allocator import give_back
from mendory.detect import Fetch, Settings
from mendory.errors import CheckBroken
from mendory.facts import Gathered, chunks, gather, whole
from mendory.finding import Code
from mendory.mapping import Mapping
from mendory.side import Notes

_NO_NOTES: Final[Notes] = {}
# numbers of rows only: no memory text may enter a GX result
_RESULT: Final = {
    "result_format": "COMPLETE",
    "exclude_unexpected_values": True,
    "unexpected_index_column_names": [NUMBER],
}
logging.getLogger("great_expectations").setLevel(logging.WARNING)


@dataclass
class Judged:
    """What the suites say: code → ids of failing rows, how many rows have no id, and the codes that were judged."""

    failing: dict[str, set[str]] = field(default_factory=dict)
    nameless: int = 0
    codes: frozenset[str] = frozenset()


def judged(
    mapping: Mapping,
    batches: Iterable[pa.RecordBatch],
    fetch: Fetch,
    settings: Settings,
    notes: Notes = _NO_NOTES,
) -> Judged:
    """What the suites of memories, references and embeddings say of a table read once, in chunks.

    Large blocks of memory go back to the system from now on (`mendory.allocator`), for the rest of the process.
    Raises CheckBroken naming the expectation when one could not be evaluated: an error of the check, never a finding.
    """
    give_back()
    held, judge = Gathered(beside=mapping.beside_metadata), Judge()
    groups: dict[str, Family] = {}
    rules = suites.memories(mapping, settings, None)
    for chunk in gather(chunks(mapping, batches, settings, notes), settings, held):
        for name, table in families(chunk).items():
            frame = groups.setdefault(name, Family(apart=name != "status")).add(table, chunk.start)
            if frame is not None:
                judge.judge(rules, frame)
    if not held.rows:
        return Judged()
    told = whole.of(held, fetch, settings)
    rules = suites.memories(mapping, settings, told)
    about_ids = suites.references(told)
    about_vectors = suites.embeddings(mapping.column("embedding") or "embedding", settings, told)
    frames = [(rules, family.frame()) for family in groups.values()]
    frames += [(about_ids, whole_frame(told.ids)), (about_vectors, whole_frame(told.vectors.facts))]
    others = {column: suites.further(column, known) for column, known in told.further.items()}
    for column, known in told.further.items():
        facts = {f"{column}:{name}": values for name, values in known.facts.items()}
        frames.append((others[column], whole_frame(facts)))
    for suite, frame in frames:
        if frame is not None:
            judge.judge(suite, frame)
    return judge.told([rules, about_ids, about_vectors, *others.values()], held)


class Judge:
    """Frames judged by suites, and the rows that failed."""

    def __init__(self) -> None:
        # GX tells where it keeps a temporary folder, once per context
        logging.getLogger("great_expectations.data_context.types.base").setLevel(logging.WARNING)
        context = gx.get_context(mode="ephemeral")
        context.variables.progress_bars = ProgressBarsConfig(globally=False)
        asset = context.data_sources.add_pandas("table").add_dataframe_asset("rows")
        self._whole = asset.add_batch_definition_whole_dataframe("frame")
        self._failing: dict[str, list[Any]] = {}

    def judge(self, suite: gx.ExpectationSuite, frame: Frame) -> None:
        """The expectations about the frame's columns are evaluated; failing rows are kept by expectation."""
        there = set(frame.values.column_names)
        mine = [rule for rule in suite.expectations if suites.columns_of(rule) <= there]
        for rule, failing in zip(mine, self.failing(suite.name, mine, frame.pandas()), strict=True):
            self._failing.setdefault(suites.name_of(rule), []).append(frame.rows(failing))

    def failing(self, name: str, rules: Sequence[gxe.Expectation], frame: pd.DataFrame) -> list[list[int]]:
        """For each expectation the numbers of the frame's rows that fail it."""
        batch = self._whole.get_batch({"dataframe": frame})
        try:
            told = batch.validate(gx.ExpectationSuite(name=name, expectations=list(rules)), result_format=_RESULT)
        finally:
            metadata.forget()
        by_name = {}
        for result in told.results:
            about = result.expectation_config
            if _raised(result.exception_info):
                column = about.kwargs.get("column") or about.kwargs.get("column_A")
                raise CheckBroken(
                    f"The expectation {about.type} on {column} of suite {name} could not be evaluated. "
                    "Its rule is unchecked; nothing was written. Check the table's column types."
                )
            rows = result.result.get("unexpected_index_list") or []
            # with values excluded GX gathers all numbers in one entry; without, one entry a row
            numbers = [n for r in rows for n in (r[NUMBER] if isinstance(r[NUMBER], list) else [r[NUMBER]])]
            by_name[suites.name_of(about)] = [int(n) for n in numbers]
        return [by_name[suites.name_of(rule)] for rule in rules]

    def told(self, judged_by: Iterable[gx.ExpectationSuite], held: Gathered) -> Judged:
        """The rows that failed, by code and id; raises CheckBroken for an expectation that no frame was judged by."""
        ids = pa.chunked_array(held.ids, pa.string())
        found = Judged(codes=frozenset(suites.codes_of(judged_by)))
        for suite in judged_by:
            for rule in suite.expectations:
                if suites.name_of(rule) not in self._failing:
                    raise CheckBroken(
                        f"The expectation {suites.name_of(rule)} of suite {suite.name} was judged on no column. "
                        "Its rule is unchecked; nothing was written. Report this with the table's schema."
                    )
                rows = np.concatenate(self._failing[suites.name_of(rule)])
                if rule.meta["code"] == Code.MISSING_ID:
                    found.nameless += len(rows)
                elif len(rows):
                    named = ids.take(pa.array(rows)).to_pylist()
                    found.failing.setdefault(rule.meta["code"], set()).update(i for i in named if i)
        return found


def _raised(info: MappingType[str, Any]) -> bool:
    """GX nests exceptions by metric for some failures and not for others."""
    if "raised_exception" in info:
        return bool(info["raised_exception"])
    return any(_raised(nested) for nested in info.values() if isinstance(nested, dict))
