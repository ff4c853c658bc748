"""Any service that speaks OpenAI's embeddings request: `POST {base_url}/embeddings`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mendory.embedding.local import normalisation
from mendory.embedding.port import Identity
from mendory.errors import EmbeddingInvalid
from mendory.service import Budget, Client, Purpose, key_of

MOST_BYTES: Final = 256 * 1024 * 1024
EMBEDDING: Final = Purpose(
    "embedder",
    "embed",
    "Nothing of that batch was embedded.",
    "Check embedder.base_url, embedder.model, the key and embedder.max_chars.",
    "Lower embedder.batch, or check the service.",
)


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
        return _in_order(
            self.client.post(body, key_of(self.environ, self.key_env, "embedder"), self.budget.spend),
            len(texts),
            self.model,
        )


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
