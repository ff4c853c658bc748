"""Any service that speaks OpenAI's embeddings request: `POST {base_url}/embeddings`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

from mendory.embedding.http import Client
from mendory.embedding.local import normalisation
from mendory.embedding.port import Identity
from mendory.errors import BudgetExceeded, ConfigInvalid, EmbeddingInvalid

DAY: Final = 86_400.0
_KEY: Final = re.compile(r"[\x21-\x7e]+")


class Budget:
    """At most so many requests within 24 hours of one process, tries that failed included.

    A monotonic clock tells the hours, so setting the clock back buys nothing.
    """

    def __init__(self, most: int, monotonic: Callable[[], float]) -> None:
        self._most, self._monotonic = most, monotonic
        self._used, self._since = 0, monotonic()
        self._lock = Lock()

    @property
    def left(self) -> int:
        """How many requests may still be made."""
        with self._lock:
            self._begin_again_when_due()
            return max(self._most - self._used, 0)

    def allow(self, calls: int) -> None:
        """Return when so many requests are left; else raise BudgetExceeded. Nothing is spent by asking."""
        left = self.left
        if calls > left:
            raise BudgetExceeded(
                f"This takes {calls} requests and {left} of {self._most} within 24 hours are left "
                "(embedder.max_calls). Nothing was embedded. Ask for less, raise embedder.batch or embedder.max_calls."
            )

    def spend(self) -> None:
        """One request is counted; raises BudgetExceeded, with none counted, when none is left."""
        with self._lock:
            self._begin_again_when_due()
            if self._used >= self._most:
                raise BudgetExceeded(
                    f"All {self._most} requests within 24 hours are used up (embedder.max_calls), tries that failed "
                    "among them. Nothing of this batch was embedded. Wait, or raise embedder.max_calls."
                )
            self._used += 1

    def _begin_again_when_due(self) -> None:
        if self._monotonic() - self._since >= DAY:
            self._used, self._since = 0, self._monotonic()


@dataclass(frozen=True)
class Endpoint:
    """A service's model. The key is read from the environment at each request and kept nowhere.

    `dimension`, where given, is asked of the service and proven on every reply.
    """

    model: str
    client: Client = field(repr=False)
    budget: Budget = field(repr=False)
    environ: Mapping[str, str] = field(repr=False)
    key_env: str | None = None
    revision: str = ""
    dimension: int | None = None
    query_prefix: str = ""
    document_prefix: str = ""
    normalise: bool = False

    @property
    def identity(self) -> Identity:
        """What fixes the vectors, as far as it can be named; where the service lies does not."""
        return Identity(
            "openai",
            self.model,
            self.revision,
            self.query_prefix,
            self.document_prefix,
            normalisation(self.normalise),
            "the service's own",
        )

    def allow(self, calls: int) -> None:
        """Return when the budget holds so many more requests; else raise BudgetExceeded."""
        self.budget.allow(calls)

    def encode(self, texts: list[str], prefix: str) -> list[Any]:
        """One vector a text, put in order by the reply's own numbering."""
        body: dict[str, Any] = {"model": self.model, "input": [prefix + text for text in texts]}
        if self.dimension is not None:
            body["dimensions"] = self.dimension
        return _in_order(self.client.post(body, self._key(), self.budget.spend), len(texts), self.model)

    def _key(self) -> str | None:
        if self.key_env is None:
            return None
        key = self.environ.get(self.key_env, "").strip()
        if not _KEY.fullmatch(key):
            what = "holds something that is no key" if key else "is not set"
            raise ConfigInvalid(
                f"The environment variable {self.key_env}, named in embedder.key_env, {what}. Nothing was sent. "
                "Set it in the environment, never in the file."
            )
        return key


def _in_order(reply: Any, count: int, model: str) -> list[Any]:
    """The reply's vectors in the order of the texts; raises EmbeddingInvalid unless each has exactly one."""
    data = reply.get("data") if isinstance(reply, dict) else None
    found: dict[int, Any] = {}
    for item in data if isinstance(data, list) else ():
        index = item.get("index") if isinstance(item, dict) else None
        if isinstance(index, int) and not isinstance(index, bool):
            found[index] = item.get("embedding")
    whole = isinstance(data, list) and len(data) == count and sorted(found) == list(range(count))
    if not whole:
        got = f"{len(data)} vectors, {len(found)} of them numbered" if isinstance(data, list) else "no list of vectors"
        raise EmbeddingInvalid(
            f"Embedder '{model}' replied with {got}, for {count} texts numbered 0 to {count - 1}. "
            "Nothing of that reply was kept. Check [embedder] and the service."
        )
    if not all(isinstance(vector, list) for vector in found.values()):
        raise EmbeddingInvalid(
            f"Embedder '{model}' replied with vectors that are no lists of numbers. "
            "Nothing of that reply was kept. Check [embedder] and the service."
        )
    return [found[at] for at in range(count)]
