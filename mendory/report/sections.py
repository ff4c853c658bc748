"""The page's tables as values: what is ours to say as words, what comes from table, ledger or people as data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mendory.causes import UNKNOWN
from mendory.report.conflicts import claims, decided_by
from mendory.report.happened import happened
from mendory.report.reasons import chinese
from mendory.report.words import known, label, prevention_of, strategy, when, word
from mendory.text import shown

Record = Mapping[str, Any]

MOST_ROWS: Final = 50
"""Rows of a table on the page; how many more there are is said below it."""
MOST_NAMES: Final = 8
"""Names of rows in one cell."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a cell: `kind` is words (ours), code (a stable name), data (from elsewhere, never markup)."""

    text: str
    kind: str = "words"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its pieces, and whether it is a number."""

    parts: tuple[Part, ...]
    number: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A table with its heading; `more` rows are not shown."""

    name: str
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    more: int
    note: str = ""


def sections(r: Record, lang: str) -> tuple[Section, ...]:
    """Every table that has a row, in the order a reader asks."""
    made = []
    for name, heads, rows in _TABLES:
        found, note = list(rows(r, lang)), _note(name, r, lang)
        if found or note:
            titles = tuple(word(h, lang) for h in heads)
            more = max(0, len(found) - MOST_ROWS)
            made.append(Section(name, word(name, lang), titles, tuple(found[:MOST_ROWS]), more, note))
    return tuple(made)


def _note(name: str, r: Record, lang: str) -> str:
    if name == "done" and r["outcomes"].get("rolled_back"):
        return word("before_undo", lang)
    if name == "problems" and r["left"] is None and r["rolled_back"]:
        return word("left_uncounted", lang)
    nameless = [label(c["code"], lang) for c in r["causes"] if c["cause"] == UNKNOWN]
    if name == "causes" and nameless:
        return word("no_cause", lang, names=word("list", lang).join(nameless))
    return ""


def _kept(r: Record, _: str) -> Iterator[tuple[Cell, ...]]:
    if r["kept"]:
        yield (_data(r["kept"]),)


def _problems(r: Record, lang: str) -> Iterator[tuple[Cell, ...]]:
    for p in r["problems"]:
        treated = p["step"] or ("person" if p["otherwise"] != "report only" else p["otherwise"])
        how = [Part(strategy(treated, lang))] + ([Part(p["step"], "code")] if p["step"] else [])
        level = f"level_{p['level']}" if p["level"] else ""
        rule = [Part(p["rule"], "code")] if p["rule"] else []
        yield (
            _name(p["code"], lang),
            _words(label(p["severity"], lang)),
            _words(label(p["ring"], lang)),
            _number(p["before"]),
            _number(p["after"]),
            Cell(tuple(how)),
            Cell((Part(label(level, lang)), *rule)) if level else _NONE,
        )


def _groups(r: Record, lang: str) -> Iterator[tuple[Cell, ...]]:
    for g in r["groups"]:
        outcomes = ", ".join(f"{label(o, lang)} {n:,}" for o, n in g["outcomes"].items())
        yield (
            _code(g["name"]),
            _name(g["kind"], lang),
            _words(label(f"level_{g['level']}", lang)),
            _code(g["rule"]),
            _number(g["steps"]),
            _number(g["rows"]),
            _number(g["hides"]),
            _words(outcomes),
        )


def _merges(r: Record, lang: str) -> Iterator[tuple[Cell, ...]]:
    for m in r["merges"]:
        yield (
            _code(m["group"]),
            _name(m["kind"], lang),
            _data([m["kept"]]),
            _data(m["archived"]),
            _number(m["notes"]),
            _words(label(m["outcome"], lang)),
        )


def _conflicts(r: Record, lang: str) -> Iterator[tuple[Cell, ...]]:
    for c in r.get("conflicts", ()):
        yield (
            _code(c["group"]),
            _name(c["kind"], lang),
            _data(c["rows"]),
            _data([c["keep"]]) if c["keep"] else _words(word("both_kept", lang)),
            _words("; ".join(claims(c["claims"], lang))),
            _words(shown(decided_by(c["rule"], c["difference"], c["why"], lang), 300)),
            _words(label(c["outcome"], lang)),
        )


def _waiting(r: Record, lang: str) -> Iterator[tuple[Cell, ...]]:
    for w in r["waiting"]:
        why = _reason(w["why"], lang) if w["why"] else _words(word("not_tried", lang))
        yield _code(w["group"]), _number(w["steps"]), why


def _refused(r: Record, lang: str) -> Iterator[tuple[Cell, ...]]:
    for g in r["groups"]:
        for x in g["refused"]:
            yield (
                _code(g["name"]),
                _code(x["step"]),
                _name(x["outcome"], lang),
                _data(x["rows"]),
                # why a person rejected is their word, whatever it looks like
                _data([x["why"]]) if x["outcome"] == "rejected" else _reason(x["why"], lang),
            )


def _left(waits: bool) -> Callable[[Record, str], Iterator[tuple[Cell, ...]]]:
    def rows(r: Record, lang: str) -> Iterator[tuple[Cell, ...]]:
        for u in r["unplanned"]:
            if u["waits"] is waits:
                yield _name(u["code"], lang), _number(u["findings"]), _reason(u["why"], lang)

    return rows


def _causes(r: Record, lang: str) -> Iterator[tuple[Cell, ...]]:
    for c in (c for c in r["causes"] if c["cause"] != UNKNOWN):
        how, check = prevention_of(c["cause"], lang)
        yield (
            _name(c["code"], lang),
            _name(c["cause"], lang),
            Cell((Part(label(c["attribute"], lang)), Part(shown(c["value"], 60), "data"))) if c["attribute"] else _NONE,
            _words(f"{c['risk_ratio']:,.4g}") if c["attribute"] else _NONE,
            _words(f"{c['explains']:,} / {c['explains'] + c['unexplained']:,}"),
            Cell((Part(happened(c["event"], lang), "data"),)) if c.get("event") else _NONE,
            _words(how),
            _words(check),
        )


def _decisions(r: Record, lang: str) -> Iterator[tuple[Cell, ...]]:
    for d in r["decisions"]:
        until = when(d["expires_at"], lang) if d["verdict"] == "approve" else "-"
        yield (
            _words(when(d["at"], lang)),
            _data([d["by"]]),
            _name(d["verdict"], lang),
            Cell((Part(", ".join(d["groups"]), "code"),)),
            _data([d["note"]], most=300),
            _words(until),
        )


def _checks(r: Record, lang: str) -> Iterator[tuple[Cell, ...]]:
    for v in r["verdicts"]:
        for c in v["checks"]:
            failed = [f for f in c["failed"] if chinese(f) is None]
            said = [_reason(f, lang) for f in c["failed"] if chinese(f) is not None]
            yield (
                _words(when(v["at"], lang)),
                _name(c["name"], lang),
                _number(c["checked"]),
                _words(word("failed" if c["failed"] else "passed", lang)),
                said[0] if said else _data(failed),
            )


def proof_of(one: Mapping[str, Any]) -> str:
    """The word for what was proven of a sampled repair."""
    if one["changed_since"]:
        return "proof_since"
    return "proof_whole" if one["whole"] else "proof_not"


def looked_at(one: Mapping[str, Any], lang: str) -> str:
    """What a person said of a sampled repair; that it was taken back, where it was."""
    if not one["stands"]:
        return word("look_rolled_back", lang)
    said = one["word"]
    return word("tick_good" if said["good"] else "tick_wrong", lang, by=said["by"]) if said else word("tick_none", lang)


def _sample(r: Record, lang: str) -> Iterator[tuple[Cell, ...]]:
    for one in r.get("sample", ()):
        yield (
            _data([one["id"]]),
            _name(one["kind"], lang),
            _code(one["before"][:8]),
            _code(one["after"][:8]),
            _words(word(proof_of(one), lang)),
            Cell((Part(shown(looked_at(one, lang), 80), "data" if one["word"] else "words"),)),
        )


def _changed_since(r: Record, lang: str) -> Iterator[tuple[Cell, ...]]:
    for v in r["verdicts"]:
        if v["changed_since"]:
            yield _words(when(v["at"], lang)), _number(len(v["changed_since"])), _data(v["changed_since"])


def _rolled_back(r: Record, lang: str) -> Iterator[tuple[Cell, ...]]:
    for b in r["rolled_back"]:
        whys = dict.fromkeys(why for _, why in b["skipped"])
        why = _reason(next(iter(whys)), lang) if len(whys) == 1 else _words(word("several_reasons", lang))
        yield (
            _words(when(b["at"], lang)),
            _words(word("command_line", lang)) if b["by"] == "command line" else _data([b["by"]]),
            _number(b["restored"]),
            _number(len(b["skipped"])),
            _data([row for row, _ in b["skipped"]]),
            why if whys else _NONE,
        )


def _stands_down(r: Record, lang: str) -> Iterator[tuple[Cell, ...]]:
    for s in r["stands_down"]:
        what = s["what"]
        yield (_name(what, lang) if known(what) else _code(what)), _reason(s["reason"], lang)


Rows = Callable[[Record, str], Iterable[tuple[Cell, ...]]]
_TABLES: Final[tuple[tuple[str, Sequence[str], Rows], ...]] = (
    ("left", ("problem", "findings", "why"), _left(waits=True)),
    ("kept_rows", ("which_rows",), _kept),
    (
        "causes",
        ("problem", "cause", "shared", "ratio", "explains", "changed_before", "prevention", "checklist"),
        _causes,
    ),
    ("problems", ("problem", "severity", "ring", "before", "after", "strategy", "level"), _problems),
    ("done", ("group", "step", "level", "rule", "steps", "rows", "hidden", "outcome"), _groups),
    ("merges", ("group", "step", "kept", "archived_rows", "notes_added", "outcome"), _merges),
    ("conflicts", ("group", "step", "both_sides", "kept", "claims", "decided_by", "outcome"), _conflicts),
    ("waiting", ("group", "steps", "why"), _waiting),
    ("refused", ("group", "step", "outcome", "which_rows", "why"), _refused),
    ("verdict", ("when", "check", "checked", "outcome", "which_failed"), _checks),
    ("sample", ("which_rows", "step", "original", "result", "proof", "said"), _sample),
    ("changed_since", ("when", "rows", "which_rows"), _changed_since),
    ("taken_back", ("when", "who", "restored", "skipped", "which_rows", "why"), _rolled_back),
    ("decisions", ("when", "who", "decision", "group", "note", "valid_until"), _decisions),
    ("reported", ("problem", "findings", "why"), _left(waits=False)),
    ("stands_down", ("what", "why"), _stands_down),
)

_NONE: Final = Cell((Part("-"),))


def _words(text: str) -> Cell:
    return Cell((Part(text),))


def _code(text: str | None) -> Cell:
    return Cell((Part(shown(text, 60), "code"),)) if text else _NONE


def _name(name: str, lang: str) -> Cell:
    """What people of the language call it, the stable name beside it."""
    return Cell((Part(label(name, lang)), Part(name, "code")))


def _number(number: int | None) -> Cell:
    return Cell((Part("-" if number is None else f"{number:,}"),), number=True)


def _data(values: Sequence[str | None], most: int = 80) -> Cell:
    """Values from elsewhere, made harmless; of many the first, and how many more."""
    held = [v for v in values if v]
    if not held:
        return _NONE
    parts = [Part(shown(v, most), "data") for v in held[:MOST_NAMES]]
    if len(held) > MOST_NAMES:
        parts.append(Part(f"+{len(held) - MOST_NAMES:,}"))
    return Cell(tuple(parts))


def _reason(text: str | None, lang: str) -> Cell:
    """A reason in the language; one we have no words for is data."""
    if not text:
        return _NONE
    said = text if lang == "en" else chinese(text)
    return Cell((Part(shown(text, 300), "data"),)) if said is None else _words(shown(said, 300))
