"""What the page says first: what was found and done, by whose word, what waits, how to undo it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mendory.report.words import count, when, word

Record = Mapping[str, Any]

_NOT_DONE: Final = ("stale", "blocked", "busy", "deferred", "suspended", "failed", "taken_back")


@dataclass(frozen=True, slots=True)
class Figure:
    """A key figure: what it is of, the figure, how to read it."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can do now, as words and, where there is one, a command."""

    label: str
    text: str = ""
    command: str = ""


def sentences(r: Record, lang: str) -> tuple[str, ...]:
    """The answer in plain sentences."""
    return tuple(_sentences(r, lang))


def _sentences(r: Record, lang: str) -> Iterator[str]:
    rows, found = count(r["read"], "memory", lang), sum(r["found"].values())
    if found:
        yield word("say_found", lang, found=count(found, "finding", lang), rows=rows)
    else:
        yield word("say_nothing_found", lang, rows=rows)
    yield from _what_became(r, lang)
    if r["verdicts"] and r["outcomes"].get("applied"):
        failed = sum(bool(c["failed"]) for c in r["verdicts"][-1]["checks"])
        checks = count(failed, "check", lang)
        yield word("say_not_verified", lang, checks=checks) if failed else word("say_verified", lang)
    waiting = to_people(r)
    if waiting:
        yield word("say_left", lang, found=count(waiting, "finding is", lang))


def _what_became(r: Record, lang: str) -> Iterator[str]:
    became, total = r["outcomes"], sum(r["outcomes"].values())
    stands, undone = became.get("applied", 0), became.get("rolled_back", 0)
    restored, skipped = _rolled_back(r)
    if stands:
        repairs = count(total, "repair", lang)
        one = stands == 1
        yield word("say_one_in_place" if one else "say_in_place", lang, n=f"{stands:,}", repairs=repairs)
    elif undone:
        yield word("say_rolled_back", lang, rows=count(restored, "row was", lang))
    elif r["state"] in ("rejected", "expired"):
        yield word(f"say_{r['state']}", lang)
    elif r["state"] == "open" and not r["verdicts"]:
        yield word("say_proposed", lang, repairs=count(total, "repair is", lang))
    else:
        yield word("say_unchanged", lang)
    some = {
        "say_some_rolled_back": undone if stands else 0,
        "say_some_rejected": became.get("rejected", 0) if r["state"] != "rejected" else 0,
        "say_rest_expired": became.get("expired", 0) if stands or undone else 0,
        "say_not_done": sum(became.get(o, 0) for o in _NOT_DONE),
    }
    for key, number in some.items():
        if number:
            yield word(key, lang, repairs=count(number, "repair was", lang))
    if skipped:
        yield word("say_skipped", lang, rows=count(skipped, "row was", lang))
    for key, outcome in (("say_unknown", "unknown"), ("say_waits", "waits")):
        if became.get(outcome) and not (outcome == "waits" and not r["verdicts"]):
            yield word(key, lang, repairs=count(became[outcome], "repair is", lang))


def _rolled_back(r: Record) -> tuple[int, int]:
    """(rows restored, rows skipped since others changed them), over all rollbacks."""
    back = r["rolled_back"]
    skipped = {row for b in back for row, why in b["skipped"] if why != "rolled back before"}
    return sum(b["restored"] for b in back), len(skipped)


def to_people(r: Record) -> int:
    """How many findings are left to people."""
    return sum(u["findings"] for u in r["unplanned"] if u["waits"])


def proportion(r: Record) -> tuple[int, int, int]:
    """(automatic, by rule, by a person): repairs that stand; where all were taken back, those that ran."""
    by = r["authority"] if any(r["authority"].values()) else r["ran_by"]
    return by["automatic"], by["rule"], by["person"]


def figures(r: Record, lang: str) -> tuple[Figure, ...]:
    """The key figures, in the order a reader asks for them."""
    before, after = sum(r["found"].values()), [p["after"] for p in r["problems"] if p["after"] is not None]
    change = f"{before:,} → {sum(after):,}" if after else f"{before:,}"
    arrow = f"{word('before', lang)} → {word('after', lang)}" if after else ""
    stands, total = r["outcomes"].get("applied", 0), sum(r["outcomes"].values())
    undone = any(r["ran_by"].values()) and not any(r["authority"].values())
    by = "proportion_undone" if undone else "proportion"
    made = [
        Figure(word("findings_figure", lang), change, arrow),
        Figure(word("repairs_in_place", lang), word("in_place_of", lang, n=f"{stands:,}", total=f"{total:,}")),
        Figure(word("by_word", lang), " : ".join(f"{n:,}" for n in proportion(r)), word(by, lang)),
        Figure(word("left", lang), f"{to_people(r):,}", word("findings_note", lang)),
    ]
    if r["rows_changed"] is not None:
        rows = f"{r['rows_changed']:,} · {r['rows_hidden']:,} · 0"
        made.append(Figure(word("rows", lang), rows, word("row_figures", lang)))
    return tuple(made)


def actions(r: Record, lang: str) -> tuple[Action, ...]:
    """What a person can do now: undo, approve, or nothing."""
    made = []
    if r["undo"]:
        made.append(Action(word("undo", lang), command=r["undo"]))
    else:
        made.append(Action(word("undo", lang), word("no_undo", lang)))
    # past its retention nothing can be shown
    if r["groups"] and any(one["stands"] and not one["word"] for one in r.get("sample", ())):
        made.append(Action(word("to_look", lang), command=f"mendory verify {r['code']}"))
    if r["state"] == "open" and r["outcomes"].get("waits"):
        approve = f"mendory approve {r['code']} --as NAME && mendory apply {r['code']}"
        made.append(Action(word("to_approve", lang), command=approve))
        made.append(Action(word("if_silent", lang), word("expires", lang, time=when(r["expires_at"], lang))))
    return tuple(made)
