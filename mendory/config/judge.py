"""The `[judge]` table of the configuration: which model is asked about a conflict, and within what bounds."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from mendory.address import complaint

_EVERY: Final = frozenset({"kind", "max_pairs", "max_chars"})
_ALSO: Final = {
    "cross_encoder": frozenset({"path", "package"}),
    "openai": frozenset(
        {"model", "base_url", "key_env", "max_calls", "max_tokens", "timeout", "price_per_million_chars"}
    ),
}
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PACKAGE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")


class JudgeSection(BaseModel):
    """The model that may confirm or lower a conflict. Keys that mean nothing for a kind are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["cross_encoder", "openai"]
    path: Annotated[str, Field(min_length=1)] | None = None
    package: Annotated[str, Field(min_length=1)] | None = None
    model: Annotated[str, Field(min_length=1)] | None = None
    base_url: str | None = None
    key_env: str | None = None
    max_calls: Annotated[int, Field(ge=26)] | None = None  # 24 prove it in a language, 2 judge a pair
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_pairs: Annotated[int, Field(ge=1)] = 500
    max_chars: Annotated[int, Field(ge=200, le=20_000)] = 2000  # every canary must fit
    timeout: timedelta = Field(default=timedelta(seconds=60), gt=timedelta(0))
    price_per_million_chars: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None

    @model_validator(mode="after")
    def _fits_its_kind(self) -> JudgeSection:
        stray = sorted(self.model_fields_set - _EVERY - _ALSO[self.kind])
        if stray:
            raise ValueError(f"{', '.join(stray)}: no meaning for kind '{self.kind}'")
        if self.kind == "cross_encoder" and self.path is None and self.package is None:
            raise ValueError("kind 'cross_encoder' needs the model's folder as path, or the package it comes in")
        if self.package is not None and not _PACKAGE.fullmatch(self.package):
            raise ValueError("package is a name as in 'import name'")
        if self.kind == "openai":
            self._check_service()
        return self

    def _check_service(self) -> None:
        missing = [key for key in ("model", "base_url", "max_calls", "max_tokens") if getattr(self, key) is None]
        if missing:
            raise ValueError(f"kind 'openai' needs {', '.join(missing)}; a service is asked only within a budget")
        if self.key_env is not None and not _NAME.fullmatch(self.key_env):
            raise ValueError("key_env is the name of an environment variable, never the key itself")
        wrong = complaint(str(self.base_url), self.key_env is not None)
        if wrong:
            raise ValueError(f"base_url: {wrong}")
