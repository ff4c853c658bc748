"""Memories that hold the envelope of a message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mendory.content import envelope
from mendory.detect.alone import Alone
from mendory.finding import Code
from mendory.record import Memory


class Envelope(Alone):
    """What a channel or an agent program puts around a message, stored as if it were said.

    Flags: a text that begins with a dated chat header of a role, a channel's bracket, a message id, a mention by id, a
    tag or template of an agent program, a message or tool result as JSON or XML; that has lines of metadata marked as
    untrusted; e-mail headers; several dated turns, turns of user and assistant, or the trace of an agent. The evidence
    names the form.
    Does not flag: texts that speak about any of these; a date, a clock time or a bracket before a text ("[2024-05-01]
    moved to Oslo"); one line "User: …"; JSON of other things. Cost: one look at the first character, for some rows one
    expression, for those of several lines five more; nothing is kept of a row.
    """

    code = Code.ENVELOPE_CONTENT

    def judge(self, memory: Memory, text: str) -> tuple[str, Mapping[str, Any]] | None:
        """The form of the envelope."""
        form = envelope(text)
        if form is None:
            return None
        reason = f"the content holds the envelope of a message: {form}"
        return reason, {"form": form}
