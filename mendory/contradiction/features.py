"""How far two texts that clash speak of one thing, as numbers in 0..1 and the same for both orders of the texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mendory.contradiction.differences import Differences, met, named_alike, rest
from mendory.contradiction.texts import Read
from mendory.sameness.features import NAMES as ALIKE
from mendory.sameness.features import features as alike

_KEPT: Final = (
    "words",
    "longer_covered",
    "shorter_covered",
    "exact",
    "bigrams",
    "sequence",
    "order",
    "swapped",
    "left",
    "lengths",
    "long",
    "kinds_clash",
    "asks_clash",
    "asks_more",
    "numbers_more",
    "names_more",
    "same_bag",
    "persons_clash",
    "persons_more",
    "nothing_left",
    "replaced",
    "replaced_only",
)
_PLACES: Final = {name: ALIKE.index(name) for name in _KEPT}
_ALONE: Final = (
    "denied",
    "opposite",
    "ended",
    "stronger",
    "bounded",
    "number",
    "unit",
    "date",
    "version",
    "name",
    "kind",
    "slot",
    "exchanged",
    "one_word",
    "owner",
    "scene",
    "who",
    "parity",
    "open",
)


def features(a: Read, b: Read, clash: Differences) -> Mapping[str, float]:
    """The features of a pair by name, `clash` among them.

    `rest_less`, `rest_more`: words of content without partner, on the side with fewer and with more of them;
    `denier_rest`, `other_rest`: the same of the side that denies and of the one that does not. `denier_met`: of the
    words denied, the share that the other has. `all_denied`: see `Read.denies_all`. `about_one`: both are about the
    user, name one thing, or begin with one word.
    """
    ours, theirs = rest(a, b), rest(b, a)
    words = alike(a.side, b.side)
    few, most = sorted((len(ours), len(theirs)))
    said = max(len(a.content) + len(b.content), 1)
    denier, other, mine, yours = (b, a, theirs, ours) if b.denies and not a.denies else (a, b, ours, theirs)
    if not clash.parity:
        mine, yours = sorted((ours, theirs), key=len)
    return {
        **{name: float(getattr(clash, name)) for name in _ALONE},
        **{name: words[at] for name, at in _PLACES.items()},
        "rest_less": min(few, 4) / 4,
        "rest_more": min(most, 6) / 6,
        "rest_share": (few + most) / said,
        "none_rest": float(not most),
        "one_rest": float(not few),
        "denier_rest": min(len(mine), 4) / 4,
        "other_rest": min(len(yours), 6) / 6,
        "denier_whole": float(not mine),
        "denier_met": met(denier, other) if clash.parity else 0.0,
        "all_denied": float(clash.parity and denier.denies_all),
        "names_shared": float(named_alike(a, b)),
        "about_one": float(_about_one(a, b)),
    }


def _about_one(a: Read, b: Read) -> bool:
    if (a.reading.of_user and b.reading.of_user) or named_alike(a, b):
        return True
    return bool(a.content) and a.content[:1] == b.content[:1]
