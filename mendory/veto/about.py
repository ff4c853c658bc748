"""Whether two texts are about different people, or hold in different scenes."""

from __future__ import annotations

from collections.abc import Iterable

from mendory.language import Reading
from mendory.veto.compare import SHORT
from mendory.veto.names import one_name


def owners(a: Reading, b: Reading) -> bool:
    """Whether the texts are about different people; of whom a text is not known to be is no difference."""
    if a.owners and b.owners:
        return not any(_one_owner(one, two) for one in a.owners for two in b.owners)
    return bool((a.owners and b.of_user) or (b.owners and a.of_user))


def _one_owner(a: str, b: str) -> bool:
    return one_name(a, b) or len(set(a.split()) & set(b.split())) > 1


def scenes(a: Reading, b: Reading) -> bool:
    """Whether one holds in a scene of which the other says nothing; in long texts, whether each does."""
    ours, theirs = _unmet(a, b), _unmet(b, a)
    long = max(len(a.words), len(b.words)) > 2 * SHORT
    return (ours and theirs) if long else (ours or theirs)


def _unmet(a: Reading, b: Reading) -> bool:
    said = {word.fold for word in b.words}
    return any(not _met(set(scene.split()), b.scenes, said) for scene in a.scenes)


def _met(scene: set[str], scenes: Iterable[str], said: set[str]) -> bool:
    return scene <= said or any(2 * len(scene & set(other.split())) >= len(scene) for other in scenes)
