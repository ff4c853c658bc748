"""The user's schemas for metadata: JSON Schema, compiled once; what is told of a fault holds no value."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from mendory.errors import ConfigInvalid, DependencyMissing


@dataclass(frozen=True, slots=True)
class MetadataShape:
    """A schema: the keys it requires of the whole, and all the rest of it as a compiled function."""

    required: tuple[str, ...]
    _fault: Callable[[dict[str, Any]], str | None]

    def missing(self, metadata: Mapping[str, Any]) -> tuple[str, ...]:
        """The required keys that are not there."""
        return tuple(key for key in self.required if key not in metadata)

    def fault(self, metadata: Mapping[str, Any]) -> str | None:
        """Where the metadata breaks the schema, None when it does not; missing keys of the whole are told apart."""
        return self._fault(dict(metadata))


def shape_of(schema: Mapping[str, Any]) -> MetadataShape:
    """The compiled schema; equal ones are compiled once.

    Raises ConfigInvalid for what is no JSON Schema, DependencyMissing where fastjsonschema is not installed.
    """
    return _compiled(json.dumps(schema, sort_keys=True))


def shape_for(kind: str | None, schemas: Mapping[str, Mapping[str, Any]]) -> MetadataShape | None:
    """The user's schema for memories of a kind, else the one for all; None when there is neither."""
    if not schemas:
        return None
    schema = schemas.get(kind) if kind is not None and kind != "*" else None
    schema = schemas.get("*") if schema is None else schema
    return None if schema is None else shape_of(schema)


@cache
def _compiled(text: str) -> MetadataShape:
    schema = json.loads(text)
    try:
        import fastjsonschema
    except ImportError:
        raise DependencyMissing(
            "Metadata schemas need fastjsonschema, which is not installed. Nothing was checked. "
            "Run: pip install 'mendory[structure]'."
        ) from None
    try:
        judge = fastjsonschema.compile(
            {k: v for k, v in schema.items() if k != "required"},
            handlers=dict.fromkeys(("http", "https", "ftp", "file", ""), _elsewhere),
            use_default=False,
        )
    except (fastjsonschema.JsonSchemaDefinitionException, re.error, ValueError, TypeError, AttributeError) as error:
        raise ConfigInvalid(
            f"A metadata schema is no JSON Schema: {type(error).__name__}. Nothing was checked. "
            "Correct the file that metadata.schemas names; references to other files are not followed."
        ) from None

    def fault(metadata: dict[str, Any]) -> str | None:
        try:
            judge(metadata)
        except fastjsonschema.JsonSchemaValueException as error:
            return re.sub(r"^data\.?", "", error.name or "") or "the whole"
        return None

    return MetadataShape(tuple(schema.get("required", ())), fault)


def _elsewhere(uri: str) -> Any:
    raise ValueError(uri)
