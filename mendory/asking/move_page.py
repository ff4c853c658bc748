"""The page that asks about a move to another model, and its form: the worst case first. No link in it lives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from mendory.asking.fields import CODE, NAME, NOTE, Field
from mendory.asking.move_asked import AskedMove, asked_move
from mendory.asking.page import fenced, rows_of
from mendory.asking.words import known, word
from mendory.migration.canary import SHARES
from mendory.migration.gate import Part
from mendory.migration.words import LEFT_OUT, OUTCOMES, PARTS, REASONS, VOIDS, numbers, side_by_side
from mendory.report.markdown import cell
from mendory.report.words import LANGUAGES, count, reason, when
from mendory.text import shown

__all__ = ["AskedMove", "asked_move", "fields", "page", "summary"]

DECISIONS: Final = ("approve", "reject", "later")
MOST_SLICES: Final = 12
"""Languages and scopes that are shown, the worst first; whatever vetoes would be among them, and nothing may."""


def page(asked: AskedMove, lang: str) -> str:
    """What a person reads before they answer, in `lang` (en or zh): GitHub's Markdown, one table of four columns.

    No text of a memory or of a query is in it but where `asked` holds their beginnings.
    """
    return "\n".join(_lines(asked, lang)) + "\n"


def summary(asked: AskedMove, lang: str) -> str:
    """The move in one plain line: the gate's code, both models, rows, table."""
    return word(
        "move_summary",
        lang,
        code=asked.code,
        old=shown(asked.models[0], 60),
        new=shown(asked.models[1], 60),
        rows=count(asked.rows, "row", lang),
        table=asked.table,
    )


def fields(asked: AskedMove, lang: str) -> tuple[Field, ...]:
    """The fields in the order they are filled in; the code is asked for only where somebody is enrolled."""
    people = tuple(dict.fromkeys((*asked.named, *asked.enrolled)))
    brief = [word("choice", lang, name=name, how=word(f"move_decision_{name}", lang)) for name in DECISIONS]
    made = [
        Field("decision", word("decision", lang), word("choices", lang).join(brief), options=DECISIONS),
        Field("approver", word("approver", lang), word("approver_how", lang), people, pattern="" if people else NAME),
        Field(
            "plan_code",
            word("move_code", lang),
            word("plan_code_how", lang, code=asked.code),
            pattern=rf"^\s*{re.escape(asked.code)}\s*$",
        ),
    ]
    if asked.enrolled:
        said = word("one_time_code", lang), word("move_one_time_code_how", lang)
        made.append(Field("one_time_code", *said, pattern=CODE, required=False))
    made.append(Field("note", word("note", lang), word("note_how", lang), pattern=NOTE, required=False))
    return tuple(made)


def _lines(asked: AskedMove, lang: str) -> Iterator[str]:
    yield from _before(asked, lang)
    shares, old = _shares(lang), _model(asked.models[0])
    for name, said in (
        ("move_wrong", word("move_worst", lang, table=asked.table, shares=shares)),
        ("move_undo", word("move_undo_how", lang)),
        ("move_silence", word("move_nobody", lang, old=old, share=f"{asked.void_share:.1%}")),
    ):
        yield f"- {word('choice', lang, name=f'**{word(name, lang)}**', how=said)}"
    for head, part in (
        ("move_what", _what),
        ("move_gate", _gate),
        ("move_slices", _slices),
        ("move_worst_queries", _worst),
        ("who", _who),
        ("how", _how),
    ):
        yield from ("", f"### {word(head, lang)}", "")
        yield from part(asked, lang)


def _before(asked: AskedMove, lang: str) -> Iterator[str]:
    """What came before this page: an answer that did not count, a canary that ended."""
    refused = asked.refused
    if refused is not None:
        why = refused.why if known(f"why_{refused.why}") else "other"
        said = word(
            "refused",
            lang,
            why=_of_move(f"why_{why}", lang, name=cell(refused.why)),
            next=_of_move(f"next_{why}", lang, code=asked.code),
        )
        time = when(refused.at.isoformat(), lang, asked.zone)
        yield f"> {said} {word('refused_by', lang, by=cell(refused.by), time=time)}"
        yield ""
    if asked.aborted:
        yield f"> {word('move_aborted', lang, why=cell(reason(asked.aborted, lang)))}"
        yield ""
    if asked.void is not None:
        yield f"> {word('move_void', lang, why=VOIDS[asked.void][LANGUAGES.index(lang)])}"
        yield ""


def _of_move(key: str, lang: str, **values: object) -> str:
    """The words of a move, where it has its own."""
    return word(f"move_{key}" if known(f"move_{key}") else key, lang, **values)


def _shares(lang: str) -> str:
    return word("list", lang).join(f"{share:.0%}" for share in SHARES)


def _model(name: str) -> str:
    return cell(shown(name, 60))


def _what(asked: AskedMove, lang: str) -> Iterator[str]:
    old, new = map(_model, asked.models)
    sizes = {"old_size": asked.sizes[0], "new_size": asked.sizes[1]}
    yield f"- {word('move_models', lang, old=old, new=new, rows=count(asked.rows, 'row', lang), **sizes)}"
    yield f"- {word('move_canary', lang, shares=_shares(lang), recalls=f'{asked.canary_recalls:,}')}"
    yield f"- {word('move_soak', lang, days=asked.soak_days)}"
    yield f"- {word('move_purge', lang)}"
    moved = asked.moved
    if moved.known:
        values = {
            "rows": count(moved.rows, "row", lang),
            "share": f"{moved.share:.1%}",
            "most": f"{asked.void_share:.1%}",
        }
        yield f"- {word('move_since', lang, changed=f'{moved.rows_changed:,}', **values)}"
    before, after = asked.megabytes
    yield f"- {word('move_disk', lang, new=f'{after:,.1f}', old=f'{before:,.1f}')}"
    spent = _part(asked, Part.COST)
    costs = {
        name: _cost(spent.get(key), lang) for name, key in (("filling", "filling"), ("queries", "thousand_queries"))
    }
    yield f"- {word('move_cost', lang, **costs)}"


def _part(asked: AskedMove, which: Part) -> Mapping[str, Any]:
    return next(part.numbers for part in asked.gate.parts if part.part is which)


def _cost(told: Mapping[str, Any] | None, lang: str) -> str:
    cost = None if told is None else told["cost"]
    return word("move_free", lang) if cost is None else f"{cost:,.2f}"


def _gate(asked: AskedMove, lang: str) -> Iterator[str]:
    at = LANGUAGES.index(lang)
    for part in asked.gate.parts:  # no table: the numbers of a part are as wide as a form
        named = word("list", lang).join((f"**{PARTS[part.part.value][at]}**", OUTCOMES[part.outcome.value][at]))
        yield f"- {word('choice', lang, name=named, how=cell(numbers(part, at)))}"
        yield from (f"  - {REASONS[name][at]}" for name in part.reasons)
    for why, left in _part(asked, Part.QUALITY)["left_out"].items():
        yield f"- {word('move_left_out', lang, n=f'{left:,}', why=LEFT_OUT[why][at] if why in LEFT_OUT else cell(why))}"


def _slices(asked: AskedMove, lang: str) -> Iterator[str]:
    heads = [word(name, lang) for name in ("move_slice", "move_found", "move_change", "move_queries")]
    held = asked.gate.slices
    yield from rows_of(
        heads,
        [
            [
                shown(one.value or "-", 40),
                f"{one.change.old:.3f} → {one.change.new:.3f}",
                f"{one.change.delta:+.3f} ({one.change.upper:+.3f})"
                + (f" {word('move_vetoes', lang)}" if one.vetoes else ""),
                f"{one.change.queries:,}",
            ]
            for one in held[:MOST_SLICES]
        ],
    )
    if held[MOST_SLICES:]:
        yield f"- {word('move_more_slices', lang, n=len(held) - MOST_SLICES)}"


def _worst(asked: AskedMove, lang: str) -> Iterator[str]:
    if not asked.gate.worst:
        yield word("move_none_lost", lang)
        return
    for one in asked.gate.worst:  # no table: a form is too narrow for four ids beside each other
        yield f"- **{cell(shown(one.query, 60))}** nDCG@10 {one.old_ndcg:.2f} → {one.new_ndcg:.2f}"
        for name, ids in (("move_right", one.relevant), ("move_old_first", one.old), ("move_new_first", one.new)):
            yield f"  - {word('choice', lang, name=word(name, lang), how=cell(shown(ids[0], 60)) if ids else '-')}"
    yield ""
    if not asked.excerpts:
        yield word("move_only_ids", lang)
        return
    yield from (word("move_side_by_side", lang), "")
    yield from fenced(side_by_side(asked.gate, asked.queries, asked.texts, lang, 1))


def _who(asked: AskedMove, lang: str) -> Iterator[str]:
    people, comma = tuple(dict.fromkeys((*asked.named, *asked.enrolled))), word("list", lang)
    if asked.enrolled:
        names, everybody = (comma.join(map(cell, some)) for some in (asked.enrolled, people))
        yield f"- {word('move_who', lang, names=names, all=everybody)}"
    else:
        yield f"- {word('move_by_command', lang, code=asked.code)}"


def _how(asked: AskedMove, lang: str) -> Iterator[str]:
    for field in fields(asked, lang):
        if field.options == DECISIONS:
            yield f"- **{field.title}**"
            for name in DECISIONS:
                yield f"  - {word('choice', lang, name=f'`{name}`', how=word(f'move_decision_{name}', lang))}"
        else:
            yield f"- {word('choice', lang, name=f'**{field.title}**', how=field.description)}"
