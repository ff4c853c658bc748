"""The page that asks: Markdown for a narrow form, the worst case first. All data is escaped; no link in it lives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final
from urllib.parse import quote

from mendory.asking.asked import Asked
from mendory.asking.fields import DECISIONS, choices, fields
from mendory.asking.words import known, word
from mendory.report.conflicts import lines
from mendory.report.markdown import cell
from mendory.report.words import count, label, prevention_of, reason, when
from mendory.text import shown

MOST_SCOPES: Final = 5
MOST_CAUSES: Final = 3


def page(asked: Asked, lang: str) -> str:
    """What a person reads before they answer, in `lang` (en or zh): GitHub's Markdown, tables of four short columns."""
    return "\n".join(_lines(asked, lang)) + "\n"


def summary(asked: Asked, lang: str) -> str:
    """The plan in one plain line: its code, table, what waits, what would change, how grave it is."""
    return word(
        "summary",
        lang,
        code=asked.code,
        table=asked.table,
        groups=count(len(asked.groups), "group", lang),
        rows=count(asked.rows, "row", lang),
        hides=f"{asked.hides:,}" if lang == "en" else count(asked.hides, "row", lang),
        severity=label(asked.severity, lang),
    )


def expiry(asked: Asked, lang: str) -> str:
    """When the plan expires, in the configured zone and in UTC."""
    moment = asked.expires_at.isoformat()
    world = when(moment, lang)
    if asked.zone == "UTC":
        return world
    return word("both_times", lang, local=when(moment, lang, asked.zone), world=world)


def _lines(asked: Asked, lang: str) -> Iterator[str]:
    yield from _refused(asked, lang)
    for name, said in _first(asked, lang):
        yield f"- {word('choice', lang, name=f'**{word(name, lang)}**', how=said)}"
    yield ""
    yield f"### {word('changes', lang)}"
    yield ""
    yield from _changed(asked, lang)
    yield f"### {word('groups', lang)}"
    yield ""
    yield from _groups(asked, lang)
    yield f"### {word('evidence', lang)}"
    yield ""
    yield from _evidence(asked, lang)
    yield f"### {word('who', lang)}"
    yield ""
    yield from (f"- {line}" for line in _who(asked, lang))
    yield ""
    yield f"### {word('how', lang)}"
    yield ""
    for field in fields(asked, lang):
        if field.options == DECISIONS:
            yield f"- **{field.title}**"
            yield from (f"  - {word('choice', lang, name=f'`{name}`', how=how)}" for name, how in choices(lang))
        else:
            yield f"- {word('choice', lang, name=f'**{field.title}**', how=field.description)}"


def _refused(asked: Asked, lang: str) -> Iterator[str]:
    refused = asked.refused
    if refused is None:
        return
    why = refused.why if known(f"why_{refused.why}") else "other"
    said = word(
        "refused",
        lang,
        why=word(f"why_{why}", lang, name=cell(refused.why)),
        next=word(f"next_{why}", lang, code=asked.code),
    )
    time = when(refused.at.isoformat(), lang, asked.zone)
    yield f"> {said} {word('refused_by', lang, by=cell(refused.by), time=time)}"
    yield ""


def _first(asked: Asked, lang: str) -> Iterator[tuple[str, str]]:
    """What must be read if nothing else is: the older form shows some six lines before one scrolls."""
    worst = word(
        "worst",
        lang,
        table=asked.table,
        rows=f"{asked.rows:,}" if lang == "en" else count(asked.rows, "row", lang),
        total=count(asked.table_rows, "row", lang),
        hides=f"{asked.hides:,}" if lang == "en" else count(asked.hides, "row", lang),
        rescoped=_rescoped(asked, lang),
    )
    time = f"**{expiry(asked, lang)}**" + (" " if lang == "zh" else "")
    yield "wrong", worst
    yield "undo", word("undo_short", lang, command=f"`{asked.undo}`", days=asked.undo_days)
    yield "silence", word("expires", lang, time=time)


def _rescoped(asked: Asked, lang: str) -> str:
    if not asked.rescoped:
        return ""
    return word(
        "worst_rescoped", lang, rows=f"{asked.rescoped:,}" if lang == "en" else count(asked.rescoped, "row", lang)
    )


def _changed(asked: Asked, lang: str) -> Iterator[str]:
    if asked.hides:
        yield f"- {word('hidden', lang)}"
    if asked.rescoped:
        yield f"- {word('rescoped', lang, rows=count(asked.rescoped, 'row', lang))}"
    yield f"- {word('scopes', lang, names=word('list', lang).join(_scopes(asked, lang)))}"
    if asked.limits is None:
        yield f"- {word('no_limits', lang)}"
    else:
        yield f"- {word('limits', lang, run=f'{asked.limits[0]:,}', day=f'{asked.limits[1]:,}')}"
    for why, steps in asked.held:
        yield f"- {word('held', lang, steps=count(steps, 'step', lang), why=cell(reason(why, lang)))}"
    yield f"- {word('undo_how', lang)}"
    yield ""


def _scopes(asked: Asked, lang: str) -> Iterator[str]:
    for name, rows in asked.scopes[:MOST_SCOPES]:
        known_as = word("no_scope", lang) if name is None else cell(shown(name, 40))
        yield word("scope", lang, name=known_as, rows=f"{rows:,}")
    more = asked.scopes[MOST_SCOPES:]
    if more:
        rest = count(sum(n for _, n in more), "row", lang)
        yield word("more_scopes", lang, n=f"{len(more):,}", rows=rest)


def _groups(asked: Asked, lang: str) -> Iterator[str]:
    heads = [word(name, lang) for name in ("group", "what", "rows", "level")]
    rows: list[list[Any]] = [[g.name, label(g.kind, lang), _changes(g.rows, g.hides), g.level] for g in asked.shown]
    rest = [g for g in asked.groups if g not in asked.shown]
    if rest:
        levels = sorted({g.level for g in rest})
        changes = _changes(sum(g.rows for g in rest), sum(g.hides for g in rest))
        rows.append(
            [word("others", lang, n=len(rest)), "", changes, "–".join(map(str, dict.fromkeys((levels[0], levels[-1]))))]
        )
    yield from rows_of(heads, rows)
    whys: dict[str, list[str]] = {}
    for group in asked.groups:
        for why, _ in group.whys:
            whys.setdefault(why, []).append(group.name)
    for why, names in whys.items():
        yield f"- {word('why_waits', lang, why=cell(reason(why, lang)), groups=_names(names, lang))}"
    running = [g for g in asked.groups if g.runs]
    if running:
        steps = count(sum(g.runs for g in running), "step", lang)
        yield f"- {word('why_runs', lang, steps=steps, groups=_names([g.name for g in running], lang))}"
    yield ""
    if rest:
        yield word("not_shown", lang, n=len(rest), code=asked.code)
        yield ""


def _changes(rows: int, hides: int) -> str:
    return f"{rows:,} ({hides:,})" if hides else f"{rows:,}"


def _names(names: Sequence[str], lang: str, most: int = 12) -> str:
    listed = names[:most]
    more = [word("others", lang, n=len(names) - most)] if len(names) > most else []
    return word("list", lang).join([*listed, *more])


def _evidence(asked: Asked, lang: str) -> Iterator[str]:
    heads = [word(name, lang) for name in ("problem", "findings", "rows_only", "severity")]
    yield from rows_of(
        heads,
        [[label(e.code, lang), f"{e.findings:,}", f"{e.rows:,}", label(e.severity, lang)] for e in asked.evidence],
    )
    for one in asked.evidence:
        if one.reason:
            why = cell(reason(one.reason, lang))
            yield f"- {word('example', lang, problem=label(one.code, lang), reason=why)}"
        for pair in one.pairs:
            yield f"  - {cell(word('choices', lang).join(shown(line, 200) for line in lines(pair, lang)))}"
    for cause in asked.causes[:MOST_CAUSES]:
        yield f"- {_cause(cause, lang)}"
    if not asked.causes:
        yield f"- {word('no_cause', lang)}"
    yield ""
    if asked.excerpts:
        yield word("excerpts", lang)
        yield ""
        yield from fenced([f"{shown(name, 40)}: {shown(text)}" for name, text in asked.excerpts])
        yield ""
    if asked.report_url:
        yield f"[{word('report', lang)}]({quote(asked.report_url, safe=_URL)})"
        yield ""


_URL: Final = ":/?#[]@!$&'*+,;=%-._~"
"""What an address may hold as it is; parentheses would end a link."""


def _cause(cause: Any, lang: str) -> str:
    if cause["attribute"] is None:
        return word(
            "cause_shown",
            lang,
            problem=label(cause["code"], lang),
            cause=label(cause["cause"], lang),
            explains=f"{cause['explains']:,}",
            all=f"{cause['explains'] + cause['unexplained']:,}",
            prevention=prevention_of(cause["cause"], lang)[0],
        )
    return word(
        "cause",
        lang,
        problem=label(cause["code"], lang),
        cause=label(cause["cause"], lang),
        explains=f"{cause['explains']:,}",
        all=f"{cause['explains'] + cause['unexplained']:,}",
        attribute=label(cause["attribute"], lang),
        value=cell(shown(cause["value"], 40)),
        ratio=f"{cause['risk_ratio']:,.3g}",
        prevention=prevention_of(cause["cause"], lang)[0],
    )


def _who(asked: Asked, lang: str) -> Iterator[str]:
    people = list(dict.fromkeys((*asked.named, *asked.enrolled)))
    three, comma = asked.only_people, word("list", lang)
    if not people:
        yield word("nobody", lang, code=asked.code)
    elif len(three) < len(asked.groups):
        yield word("who_two", lang, names=comma.join(map(cell, people)))
    if not three:
        return
    names = _names(three, lang)
    if asked.enrolled:
        yield word("who_three", lang, groups=names, names=comma.join(map(cell, asked.enrolled)))
    else:
        yield word("three_by_command", lang, groups=names, code=asked.code, command=",".join(three[:MOST_NAMED]))


MOST_NAMED: Final = 12
"""Groups of level 3 that a command on the page names."""


def rows_of(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """The rows as a table and a blank line after it; no value becomes markup."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(cell(v) for v in row)} |"
    yield ""


def fenced(lines: Sequence[str]) -> Iterator[str]:
    """The lines as code, in a fence longer than any run of backticks in them."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}text"
    yield from lines
    yield fence
