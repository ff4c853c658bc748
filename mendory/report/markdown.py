"""The case record as Markdown. Everything from the table is escaped: it is data, never markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from mendory.report.conflicts import claims, decided_by
from mendory.report.happened import happened
from mendory.report.sections import MOST_ROWS, looked_at, proof_of
from mendory.report.words import prevention, reason, term, word
from mendory.text import shown


def markdown(record: dict[str, Any], lang: str = "en") -> str:
    """The record in `lang` (en or zh)."""
    return "\n".join(_lines(record, lang)) + "\n"


def cell(value: Any) -> str:
    """A value for a table cell or line: no markup, no link, no line break survives."""
    text = re.sub(r"([\\`*{}\[\]<>#|~&]|(?<![^\W_])_|_(?![^\W_]))", r"\\\1", shown(str(value), 120))
    return re.sub(r"(?i)://|www\.|@", lambda m: m.group()[0] + "\u200b" + m.group()[1:], text)


def _lines(r: dict[str, Any], lang: str) -> Iterator[str]:
    yield f"# {word('title', lang)} {r['code']}"
    yield ""
    yield f"- {word('state', lang)}: {term(r['state'], lang)}"
    yield f"- {word('table', lang)}: {cell(r['table'])}, v{r['base_version']}"
    yield f"- {word('rows_read', lang)}: {r['read']}"
    if r["kept"]:
        yield f"- {word('kept_rows', lang)}: {cell(', '.join(r['kept']))}"
    ratio = " : ".join(str(r["authority"][k]) for k in ("automatic", "rule", "person"))
    yield f"- {word('authority', lang)}: {ratio}"
    yield f"- {word('undo', lang)}: " + (f"`{r['undo']}`" if r["undo"] else word("no_undo", lang))
    left = r["left"] or {}
    rows = [
        [term(c, lang), r["found"].get(c, 0), left.get(c, 0) if r["left"] is not None else "-"]
        for c in sorted({*r["found"], *left})
    ]
    yield from _section("found", ["problem", "before", "after"], rows, lang)
    rows = [
        [g["name"], term(g["kind"], lang), g["level"], g["rows"], g["hides"], _counts(g["outcomes"], lang)]
        for g in r["groups"]
    ]
    yield from _section("done", ["group", "step", "level", "rows", "hidden", "outcome"], rows, lang)
    rows = [
        [
            term(c["code"], lang),
            term(c["cause"], lang),
            f"{term(c['attribute'], lang)} = {c['value']}" if c["attribute"] else "-",
            c["risk_ratio"] or "-",
            f"{c['explains']}/{c['explains'] + c['unexplained']}",
            happened(c["event"], lang) if c.get("event") else "-",
            prevention(c["cause"], lang),
        ]
        for c in r["causes"]
    ]
    yield from _section(
        "causes", ["problem", "why", "shared", "ratio", "explains", "changed_before", "prevention"], rows, lang
    )
    rows = [
        [
            m["group"],
            m["kept"],
            ", ".join(m["archived"]),
            "-" if m["notes"] is None else m["notes"],
            term(m["outcome"], lang),
        ]
        for m in r["merges"][:MOST_ROWS]
    ]
    yield from _section("merges", ["group", "kept", "archived_rows", "notes_added", "outcome"], rows, lang)
    rows = [
        [
            c["group"],
            term(c["kind"], lang),
            ", ".join(c["rows"]),
            c["keep"] or word("both_kept", lang),
            "; ".join(claims(c["claims"], lang)),
            decided_by(c["rule"], c["difference"], c["why"], lang),
            term(c["outcome"], lang),
        ]
        for c in r.get("conflicts", ())[:MOST_ROWS]
    ]
    heads = ["group", "step", "both_sides", "kept", "claims", "decided_by", "outcome"]
    yield from _section("conflicts", heads, rows, lang)
    rows = [[w["group"], w["steps"], reason(w["why"], lang)] for w in r["waiting"] if w["why"]]
    yield from _section("waiting", ["group", "steps", "why"], rows, lang)
    rows = [
        [g["name"], x["step"], ", ".join(x["rows"]), reason(x["why"] or "", lang)]
        for g in r["groups"]
        for x in g["refused"]
    ]
    yield from _section("refused", ["group", "step", "rows", "why"], rows, lang)
    rows = [[term(u["code"], lang), u["findings"], reason(u["why"], lang)] for u in r["unplanned"]]
    yield from _section("left", ["problem", "findings", "why"], rows, lang)
    rows = [
        [d["at"][:19], d["by"], term(d["verdict"], lang), ", ".join(d["groups"]), d["note"]] for d in r["decisions"]
    ]
    yield from _section(
        "decisions",
        ["why", "who", "outcome", "group", "why"],
        rows,
        lang,
        heads=["UTC", "who", "outcome", "group", "why"],
    )
    rows = [
        [
            term(c["name"], lang),
            c["checked"],
            word("failed" if c["failed"] else "passed", lang),
            ", ".join(c["failed"][:5]),
        ]
        for v in r["verdicts"]
        for c in v["checks"]
    ]
    yield from _section("verdict", ["problem", "rows", "outcome", "why"], rows, lang)
    rows = [
        [
            one["id"],
            term(one["kind"], lang),
            one["before"][:8],
            one["after"][:8],
            word(proof_of(one), lang),
            looked_at(one, lang),
        ]
        for one in r.get("sample", ())
    ]
    if rows:
        yield from _section("sample", ["which_rows", "step", "original", "result", "proof", "said"], rows, lang)
        yield ""
        yield word("look_command", lang, command=f"`mendory verify {r['code']}`")
    rows = [[b["at"][:19], b["by"], b["restored"], len(b["skipped"])] for b in r["rolled_back"]]
    yield from _section("taken_back", [], rows, lang, heads=["UTC", "who", "rows", "refused"])
    rows = [[s["what"], reason(s["reason"], lang)] for s in r["stands_down"]]
    yield from _section("stands_down", ["problem", "why"], rows, lang)


def _counts(outcomes: dict[str, int], lang: str) -> str:
    return ", ".join(f"{term(k, lang)} {n}" for k, n in outcomes.items())


def _section(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], lang: str, heads: Sequence[str] | None = None
) -> Iterator[str]:
    if not rows:
        return
    names = [h if h == "UTC" else word(h, lang) for h in (heads or columns)]
    yield ""
    yield f"## {word(title, lang)}"
    yield ""
    yield f"| {' | '.join(names)} |"
    yield f"|{'---|' * len(names)}"
    for row in rows:
        yield f"| {' | '.join(cell(v) for v in row)} |"
