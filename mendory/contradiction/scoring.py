"""How sure it is that two texts that clash can't both hold: a logistic model over features, one a language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from math import exp
from typing import Any, Final

from mendory.contradiction.differences import Differences

_WITH: Final = (
    "longer_covered",
    "shorter_covered",
    "rest_less",
    "rest_more",
    "rest_share",
    "none_rest",
    "one_rest",
    "words",
    "sequence",
    "about_one",
    "owner",
    "scene",
    "who",
    "denier_rest",
    "other_rest",
    "denier_whole",
    "denier_met",
    "all_denied",
)
"""Features that tell something else by what clashes: what a polarity, a figure or another word is about."""
_DENIED: Final = ("denier_rest", "other_rest", "denier_whole", "denier_met")


@dataclass(frozen=True, slots=True)
class Weights:
    """Coefficients by term, with a cosine and without one, and the probability from which a pair may be decided."""

    with_cosine: Mapping[str, float]
    alone: Mapping[str, float]
    decides: float
    decides_alone: float


def terms(features: Mapping[str, float], clash: Differences, cosine: float | None) -> dict[str, float]:
    """What is weighed, by name: 1, the features, and what they are where polarity, a figure or a word clashes."""
    groups = {
        "polarity": float(clash.polarity),
        "figure": float(clash.figure),
        "instead": float(clash.instead or bool(features["replaced_only"])),
        "parity": float(clash.parity),
        "named": features["names_shared"],
    }
    found = {"one": 1.0, **features, "polarity": groups["polarity"], "figure": groups["figure"]}
    found["instead"] = groups["instead"]
    for group, there in groups.items():
        found.update({f"{group} × {name}": there * features[name] for name in _WITH})
    found.update({f"all_denied × {name}": features["all_denied"] * features[name] for name in _DENIED})
    if cosine is not None:
        found.update({"cosine": cosine, "cosine²": cosine * cosine})
        found.update({f"cosine × {group}": cosine * there for group, there in groups.items()})
        found["cosine × rest_share"] = cosine * features["rest_share"]
        found["cosine × all_denied"] = cosine * features["all_denied"]
        found["cosine × denier_rest"] = cosine * features["denier_rest"]
        found["cosine × parity × denier_rest"] = cosine * groups["parity"] * features["denier_rest"]
        found["cosine × parity × denier_met"] = cosine * groups["parity"] * features["denier_met"]
    return found


def probability(found: Mapping[str, float], coefficients: Mapping[str, float]) -> float:
    """How sure it is, in 0..1."""
    total = sum(coefficients.get(name, 0.0) * value for name, value in found.items())
    return 1 / (1 + exp(-min(max(total, -30.0), 30.0)))


def scaled(probable: float, decides: float) -> float:
    """The probability as a score: .5 at the probability from which a pair may be decided, linear on both sides."""
    if probable < decides:
        return 0.5 * probable / decides
    return 0.5 + 0.5 * (probable - decides) / (1 - decides) if decides < 1 else 0.5


@lru_cache(maxsize=1)
def shipped() -> Mapping[str, Weights]:
    """The coefficients that come with Mendory, by language; a language that is not among them has no score.

    Made by `python -m bench.quality.fit_contradictions`; weights.json says from which pairs.
    """
    file = resources.files("mendory.contradiction").joinpath("weights.json")
    data: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return {code: Weights(**held) for code, held in data["languages"].items()}
