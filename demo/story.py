"""The incident as `make heal` tells it: what was found, why, what became of it by whose word, what people are asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from demo.aftermath import Aftermath
from mendory.report.words import label

_NOTHING = "nothing"


def story(planting: Mapping[str, Any], judged: Aftermath) -> list[str]:
    """Some twelve lines, each text in its own words; what did not come out as it must is said at the end."""
    faults = [f for f in planting["faults"] if f["detail"].get("incident")]
    texts = {i: planting["before"][i]["content"].strip() for f in faults for i in f["ids"]}

    def said(row: str) -> str:
        return f"“{texts[row]}”"

    def of(outcome: str) -> list[Mapping[str, Any]]:
        return sorted((f for f in faults if f["outcome"] == outcome), key=lambda f: [texts[i] for i in f["ids"]])

    where, merged, conflicts, scenes = planting["incident"], judged.merged, judged.conflicts, judged.scenes
    groups, pairs, pending = of("merged"), of("superseded"), of("disputed")
    lost = [f for f in faults if f["outcome"] in ("filled", "person")]
    opposed = _rows([*pairs, *pending])
    lines = [
        f"The incident: the import {where['batch']} of {where['scope']}",
        f"Found      {judged.flagged} of its {judged.rows} sick rows: {_rows(lost)} without a scene, {_rows(groups)} "
        f"that say {len(groups)} facts, {opposed} in {opposed // 2} pairs that oppose each other",
        f"Causes     {'; '.join(map(_cause, judged.causes)) or _NOTHING}",
        f"Merged     {merged['rows']} → {merged['primaries']} by the confirmed rule merge.exact: "
        f"{said(groups[0]['ids'][0])} was there {len(groups[0]['ids'])} times",
        f"Decided    {conflicts['rows_decided'] // 2} pairs by {_names(pairs)}, as confirmed:",
        *(f"           {said(f['detail']['keep'])} stays, {said(f['detail']['lose'])} is archived" for f in pairs),
        f"Pending    {conflicts['rows_pending'] // 2} pair for people, both recalled as disputed:",
        *(f"           {' against '.join(map(said, f['ids']))}" for f in pending),
        f"Filled     {scenes['filled']} scenes, each from {_origins(of('filled'))}: "
        + ", ".join(v for f in of("filled") for v in f["detail"]["values"].values()),
        f"Asked      {scenes['asked']} scenes of people: nothing tells that of "
        + " and ".join(said(i) for f in of("person") for i in f["ids"]),
    ]
    return [*lines, *(f"WRONG      {why}" for why in judged.wrong)]


def _rows(faults: Sequence[Mapping[str, Any]]) -> int:
    return sum(len(f["ids"]) for f in faults)


def _names(faults: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(sorted({f["detail"]["rule"] for f in faults}))


def _origins(faults: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(sorted({o for f in faults for o in f["detail"]["origins"].values()}))


def _cause(cause: Mapping[str, Any]) -> str:
    name = label(cause["cause"], "en")
    return f"{name[0].lower()}{name[1:]} ({cause['explains']} rows, {cause['code']})"
