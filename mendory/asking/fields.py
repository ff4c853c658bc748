"""The fields of the form as data, from which whoever serves it builds its model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mendory.asking.asked import Asked, Waiting
from mendory.asking.words import word
from mendory.report.words import count, label

DECISIONS: Final = ("approve", "part", "reject", "later")
NAME: Final = r"^[^\x00-\x1f\x7f{}<>]{1,64}$"
NOTE: Final = r"^[^\x00\x7f]{0,500}$"
# digits of a Chinese keyboard are digits too
CODE: Final = r"^\s*(?:(?:[0-9０-９]\s*){6})?$"


@dataclass(frozen=True, slots=True)
class Field:
    """One field: `options` to choose from, several where `many`; else text that matches `pattern`.

    A field that is not required may be left empty: an empty list where `many`, else an empty text. Patterns are
    understood alike by Python, Rust and JavaScript.
    """

    name: str
    title: str
    description: str
    options: tuple[str, ...] = ()
    many: bool = False
    pattern: str = ""
    required: bool = True


def fields(asked: Asked, lang: str) -> tuple[Field, ...]:
    """The fields in the order they are filled in, titles and descriptions in `lang`.

    The groups offered are those the page shows. The one-time code is asked for only where level 3 waits and somebody
    is enrolled. The approver is chosen among those who may answer; while there is nobody, any name can be typed, and
    is judged when it is read.
    """
    people = tuple(dict.fromkeys((*asked.named, *asked.enrolled)))
    made = [
        Field("decision", word("decision", lang), _choices(lang), options=DECISIONS),
        Field(
            "groups",
            word("groups_field", lang),
            word("groups_how", lang),
            tuple(group_label(g, lang) for g in asked.shown),
            many=True,
            required=False,
        ),
        Field("approver", *_said("approver", lang), options=people, pattern="" if people else NAME),
        Field(
            "plan_code",
            word("plan_code", lang),
            word("plan_code_how", lang, code=asked.code),
            pattern=rf"^\s*{re.escape(asked.code)}\s*$",
        ),
    ]
    if asked.only_people and asked.enrolled:
        how = word("one_time_code_how", lang, groups=word("list", lang).join(asked.only_people[:12]))
        made.append(Field("one_time_code", word("one_time_code", lang), how, pattern=CODE, required=False))
    made.append(Field("note", *_said("note", lang), pattern=NOTE, required=False))
    return tuple(made)


def group_label(group: Waiting, lang: str) -> str:
    """How the form names a group: its name stands before the first space."""
    return f"{group.name} · {label(group.kind, lang)} · {count(group.rows, 'row', lang)} · L{group.level}"


def choices(lang: str) -> tuple[tuple[str, str], ...]:
    """Each decision, and what it does."""
    return tuple((name, word(f"decision_{name}", lang)) for name in DECISIONS)


def _choices(lang: str) -> str:
    brief = [word("choice", lang, name=name, how=word(f"brief_{name}", lang)) for name in DECISIONS]
    return word("choices", lang).join(brief)


def _said(name: str, lang: str) -> tuple[str, str]:
    return word(name, lang), word(f"{name}_how", lang)
