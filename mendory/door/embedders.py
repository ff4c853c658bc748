"""Who makes the vectors of a table's spaces: the caller's embedder, the configured one, or what the ledger knows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from mendory.config import Config
from mendory.door.ledger import LedgerView
from mendory.embedder_section import EmbedderSection
from mendory.embedding import Identity, build
from mendory.errors import InputInvalid, SpaceUnknown
from mendory.spaces.pointer import Pointer

if TYPE_CHECKING:
    from mendory.spaces import Fingerprint, Space


class Embeds(Protocol):
    """Whatever turns texts into vectors of the table's space."""

    def embed(self, texts: list[str], /) -> Any:
        """One vector a text, in order."""


class Embedders:
    """The embedder of each live space. Threads may share it.

    Before its first vector an embedder is compared with the spaces that the ledger knows, and watched from then on.
    """

    def __init__(self, config: Config, given: Embeds | Sequence[Embeds] | None, ledger: LedgerView) -> None:
        """`given` is the caller's embedder, or several: one a space while a table has two."""
        held = tuple(given) if isinstance(given, Sequence) else () if given is None else (given,)
        for one in held:
            if not callable(getattr(one, "embed", None)):
                raise InputInvalid(
                    f"A {type(one).__name__} was given as embedder, and it has no 'embed'. The door was not opened. "
                    "Give an object with embed(list of texts)."
                )
        self._config, self._given, self._ledger = config, held, ledger
        self._lock = Lock()
        self._mine: tuple[tuple[Any, Fingerprint], ...] = ()
        self._admitted: dict[str | None, Embeds] = {}

    def anyone(self, ident: str | None) -> bool:
        """True when somebody may make the vectors of that space; None stands for no known one."""
        return self._own or (ident is not None and self._ledger.made_by(ident) is not None)

    @property
    def _own(self) -> bool:
        return bool(self._given) or self._config.embedder is not None

    @property
    def most(self) -> int | None:
        """The most characters that the configured embedder takes; None where another one is given."""
        section = self._config.embedder
        return section.max_chars if section is not None and not self._given else None

    def of(self, ident: str | None, pointer: Pointer) -> Embeds:
        """The embedder of that space, one of the pointer's; of no known space, the one that is given or configured.

        Raises SpaceUnknown where what is given or configured is of no live space, or nobody makes that space's vectors.
        """
        with self._lock:
            if ident not in self._admitted:
                self._admitted[ident] = self._named() if ident is None else self._admit(ident, pointer)
            return self._admitted[ident]

    def ready(self, ident: str | None) -> bool:
        """True when the embedder of that space was admitted, so that asking for it takes no time."""
        return ident in self._admitted

    def forget(self, ident: str | None) -> None:
        """The next call compares the embedder of that space with it as a whole."""
        with self._lock:
            self._admitted.pop(ident, None)
            self._mine = ()

    def _named(self) -> Any:
        self._ledger.pointer()  # raises where nobody can tell of which space the table is
        if self._given:
            return self._given[0]
        assert self._config.embedder is not None, "faults() refuses this"
        return build(self._config.embedder, self._config.root)

    def _admit(self, ident: str, pointer: Pointer) -> Embeds:
        from mendory.spaces import CanaryWatch, Fingerprint, recognise

        ids = [one.id for one in (pointer.searched, pointer.beside) if one is not None]
        live = [_space(held) for one in ids if (held := self._ledger.space(one)) is not None]
        space = next(one for one in live if one.id == ident)
        if self._own:
            self._mine = self._mine or self._told(live)
            for mine, fingerprint in self._mine:
                if recognise(live, fingerprint).space is space:
                    return CanaryWatch(mine, space.fingerprint)
        made_by = self._ledger.made_by(ident)
        if made_by is None:
            raise SpaceUnknown(
                f"Nobody here makes vectors of the space '{space.name}'. Nothing was embedded, written or searched. "
                "Give its embedder, or configure it under [embedder]."
            )
        other = self._built(EmbedderSection.model_validate_json(made_by))
        recognise((space,), Fingerprint.of(other))
        return CanaryWatch(other, space.fingerprint)

    def _told(self, live: Sequence[Space]) -> tuple[tuple[Any, Fingerprint], ...]:
        """What is given or configured, each with its fingerprint."""
        from mendory.spaces import Fingerprint

        made: list[Any] = [one if hasattr(one, "identity") else _Unnamed(one, live[0]) for one in self._given]
        if not made:
            assert self._config.embedder is not None
            made = [self._built(self._config.embedder)]
        return tuple((one, Fingerprint.of(one)) for one in made)

    def _built(self, section: EmbedderSection) -> Any:
        from mendory.spaces import CANARIES

        built = build(section, self._config.root)
        # the request for the text itself is asked for as well
        built.allow(built.estimate(map(len, CANARIES)).calls + 1)
        return built


class _Unnamed:
    """An embedder that says nothing of itself: it is known by its vectors alone."""

    def __init__(self, embedder: Embeds, space: Space) -> None:
        self._embedder = embedder
        # what stands before queries shows in no memory's vector and is not this embedder's to say
        prefix = space.fingerprint.identity.query_prefix
        self.identity = Identity("given", type(embedder).__name__, query_prefix=prefix)

    def embed(self, texts: Sequence[str]) -> Any:
        """One vector a text, in order."""
        return self._embedder.embed(list(texts))

    def embed_query(self, texts: Sequence[str]) -> Any:
        """One vector a query, in order."""
        return getattr(self._embedder, "embed_query", self._embedder.embed)(list(texts))


def _space(row: Sequence[Any]) -> Space:
    from mendory.spaces import Fingerprint, Space, SpaceState

    ident, state, identity, dimension, canaries, by, since = row
    vectors = np.frombuffer(canaries, dtype="<f4").reshape(-1, dimension)
    return Space(ident, SpaceState(state), Fingerprint(Identity(**json.loads(identity)), vectors), by, since)
