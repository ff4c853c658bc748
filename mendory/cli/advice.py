"""What a person does about what no step repairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mendory.choices import COMPARED
from mendory.cli.shared import command
from mendory.cli.words import say
from mendory.standing import FOUND_WRONG, NOT_VERIFIED


def next_step(code: str, why: str) -> str:
    """What to do about one sort of what waits, and the command after it."""
    for doubt in (NOT_VERIFIED, FOUND_WRONG):
        if why.startswith(doubt):
            return say("next: {commands}", commands=why.removeprefix(doubt))
    advice = NEXT[code]
    if why.startswith(("repaired ", "its text was archived ")) or "something undoes the repair" in why:
        advice = "find the program that writes these rows back and stop it"
    elif why.startswith("its id is held by several rows"):
        advice = NEXT["duplicate_id"]
    elif why.startswith("the owner's reader cannot hide"):
        advice = "name in [mapping.hide] what makes your reader stop returning a row"
    then = command("review", "--as", "NAME") if code in COMPARED and advice == NEXT[code] else command("plan")
    return say("next: {advice}, then {command}", advice=say(advice), command=then)


NEXT: Final[Mapping[str, str]] = {
    "missing_id": "give these rows an id",
    "duplicate_id": "give all but one of these rows an id of its own",
    "wrong_type": "write what can be read into these cells, or mend [mapping]",
    "content_empty": "write the content of these rows, or archive them",
    "embedding_missing": "embed these rows again",
    "missing_created_at": "write into these rows when they were stored",
    "missing_updated_at": "write into these rows when they were last changed",
    "missing_source": "write into these rows who said it",
    "missing_scope": "write into these rows whose memory they are",
    "metadata_invalid": "write the metadata of these rows as a JSON object",
    "metadata_missing_field": "write the missing keys, or set [metadata.defaults]",
    "illegal_status": "write a known status into these rows, or say in [mapping.status] what theirs means",
    "reference_dangling": "clear these references, or restore what they name",
    "duplicate_exact": "archive all but one of these rows where they are written",
    "duplicate_restated": "decide which of these rows says it right",
    "duplicate_near": "look whether these rows say one thing, and archive what the others cover",
    "conflict_candidate": "decide which of these two says it right, or whether both do",
    "stale_memories": "confirm what still holds of these rows, and archive the rest",
    "stale_context": "look whether these memories still matter, and confirm those that do",
    "task_residue": "archive what is long done, or write what came of it",
    "conflict": "decide which of these two holds, archive the other, or mend what one of them says",
    "conflict_buried": "write the new value into this row, or archive it",
    "conflict_exception": "link the exception to the general memory, or archive what no longer holds",
    "dispute_over": "let the next plan take the mark away",
    "plugged_in": "see what the detector says of these rows",
    "recall_echo": "archive what was recalled and stored again, and stop its writer",
    "fragments": "write what these rows say together into one of them, and archive the others",
    "repetition": "write in these rows once what they say several times",
    "envelope_content": "keep in these rows what the message says, without its envelope",
    "compound_parts": "decide whether the compound row or those of its parts are wanted",
    "no_fact": "archive these rows, and let their writer skip such messages",
    "embedding_dim_mismatch": "embed these rows again with the model of the others",
    "embedding_non_finite": "embed these rows again",
    "embedding_zero": "embed these rows again",
    "embedding_norm": "embed these rows again, or normalise their vectors",
    "embedding_suspicious": "embed these rows again, one text at a time",
    "embedding_stale_text": "embed the texts of these rows as they are now",
    "scope_not_allowed": "write the scope of these rows as your reader asks for it",
    "scope_owner": "decide whose these rows are, and write their scope or their owner anew",
    "scope_subject": "look whether these rows are another scope's, and move or archive them",
    "scope_collapsed": "give each person's rows a scope of their own, and let their writer name it",
    "scope_split": "decide which of these scopes is the owner's, and let their writer use it alone",
    "scope_spelling": "write these scopes in one way, or declare in [scopes.parents] what lies in what",
    "scope_collision": "let the writer join the parts of a scope so that they can be told apart",
    "reference_self": "clear these references to the row itself",
    "reference_cycle": "decide which of these rows is valid, and clear its reference",
    "reference_chain": "let these rows name what replaces them now",
    "reference_cross_scope": "clear these references, or mend the scope of one of the rows",
    "id_near_collision": "look whether these ids mean one memory, and write it in one way",
    "timestamp_order": "mend the times of these rows, or the clock of their writer",
    "timestamp_future": "mend the times of these rows, or the clock of their writer",
    "timestamp_unit": "write these times in the unit of the column, or name the unit in [mapping.times]",
    "timestamp_suspicious": "write into these rows the times that are meant",
    "hidden_characters": "take the hidden characters out, or archive the rows if somebody hid them there",
    "content_too_long": "split these contents into memories of their own",
}
"""Code → what a person does about it where no step is certain."""
