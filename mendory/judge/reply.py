"""A chat model's reply, taken as an opinion or as none: nothing is guessed from what was not asked for."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mendory.jsontext import NotAnObject, parse_object
from mendory.judge.model import UNKNOWN, Opinion, Verdict

_KEYS = ["reason", "verdict", "confidence"]


class _Said(BaseModel):
    """What `prompt.SCHEMA` asks for, and the bounds that not every service can be told."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    reason: Annotated[str, Field(max_length=4000)]
    verdict: Literal["contradicts", "agrees", "unrelated", "unknown"]
    confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


def opinion(reply: Any, mark: str) -> Opinion:
    """The opinion in a chat completion; unknown where it is not exactly one, is cut short, or repeats the mark."""
    text = _content(reply)
    if text is None or mark in text:
        return UNKNOWN
    try:
        held = parse_object(text)
        said = _Said.model_validate(held)
    except (NotAnObject, ValidationError):
        return UNKNOWN
    if list(held) != _KEYS or said.verdict == "unknown":
        return UNKNOWN
    return Opinion(Verdict(said.verdict), float(said.confidence))


def _content(reply: Any) -> str | None:
    """What the one choice says, when it ended by itself and is neither a refusal nor a call of a tool."""
    choices = reply.get("choices") if isinstance(reply, dict) else None
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        return None
    said = choices[0].get("message")
    if choices[0].get("finish_reason") != "stop" or not isinstance(said, dict):
        return None
    if said.get("refusal") or said.get("tool_calls") or not isinstance(said.get("content"), str):
        return None
    return str(said["content"])
