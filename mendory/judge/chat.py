"""A chat model as a judge: any service that answers `POST {base_url}/chat/completions`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from mendory.errors import ReplyInvalid
from mendory.judge.model import UNKNOWN, Estimate, Opinion, Pair
from mendory.judge.prompt import INSTRUCTION, REPLY_TOKENS, SCHEMA, message
from mendory.judge.reply import opinion
from mendory.service import Budget, Client, Purpose, key_of

MOST_BYTES: Final = 1024 * 1024
JUDGING: Final = Purpose(
    "judge",
    "judge",
    "Nothing of that pair was judged.",
    "Check judge.base_url, judge.model and the key; the model must take temperature 0 and a JSON schema for its reply.",
    "Check the service.",
)
_ORDERS: Final = 2


@dataclass
class Chat:
    """A service's model, asked about each pair in both orders; two answers that differ are none.

    The texts go as data between lines with a mark drawn anew by `mark` for each request, the instruction never holds
    one. `first` draws which order is asked first. The key is read from the environment at each request and kept
    nowhere. A reply that is not exactly what was asked for is unknown.
    """

    name: str
    model: str
    client: Client = field(repr=False)
    calls: Budget = field(repr=False)
    tokens: Budget = field(repr=False)
    environ: Mapping[str, str] = field(repr=False)
    mark: Callable[[], str] = field(repr=False)
    first: Callable[[], bool] = field(repr=False)
    max_chars: int = 2000
    key_env: str | None = None
    price: float | None = None
    served: str = ""

    at_once: ClassVar[int] = 1  # what was answered is kept before more is asked

    def estimate(self, pairs: Iterable[Pair]) -> Estimate:
        """Two requests a pair that is short enough, and the characters of both."""
        sizes = [len(INSTRUCTION) + len(message(pair, "0" * 16)) for pair in pairs if self._fits(pair)]
        characters = _ORDERS * sum(sizes)
        cost = None if self.price is None else characters * self.price / 1_000_000
        return Estimate(_ORDERS * len(sizes), characters, cost)

    def judge(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """One opinion a pair, the same whichever text comes first; none where the budget lacks a request."""
        self.calls.allow(self.estimate(pairs).calls)
        return [self._both(pair) if self._fits(pair) else UNKNOWN for pair in pairs]

    def _fits(self, pair: Pair) -> bool:
        return all(len(text) <= self.max_chars for text in pair)

    def _both(self, pair: Pair) -> Opinion:
        orders = (pair, pair[::-1]) if self.first() else (pair[::-1], pair)
        one = self._asked(orders[0])
        return one if one is UNKNOWN else agreed(one, self._asked(orders[1]))

    def _asked(self, pair: Pair) -> Opinion:
        mark = self.mark()
        while any(mark in text for text in pair):
            mark = self.mark()
        asked = message(pair, mark)
        body = {
            "model": self.model,
            "messages": [{"role": "system", "content": INSTRUCTION}, {"role": "user", "content": asked}],
            "response_format": {"type": "json_schema", "json_schema": SCHEMA},
            "temperature": 0,
            "max_tokens": REPLY_TOKENS,
        }
        most = len(INSTRUCTION) + len(asked) + REPLY_TOKENS  # a token has at least one character
        self.tokens.allow(most)
        try:
            reply = self.client.post(body, key_of(self.environ, self.key_env, "judge"), self.calls.spend)
        except ReplyInvalid:
            self.tokens.spend(most)
            return UNKNOWN
        self.tokens.spend(_tokens(reply, most))
        self.served = _served(reply) or self.served
        return opinion(reply, mark)


def agreed(one: Opinion, other: Opinion) -> Opinion:
    """What was answered in both orders, as sure as the less sure answer; else unknown."""
    if one.verdict is not other.verdict:
        return UNKNOWN
    return Opinion(one.verdict, min(one.confidence, other.confidence))


def _tokens(reply: Any, most: int) -> int:
    """What the service says that the request took; `most` where it says nothing that can be."""
    usage = reply.get("usage") if isinstance(reply, dict) else None
    said = usage.get("total_tokens") if isinstance(usage, dict) else None
    return said if isinstance(said, int) and not isinstance(said, bool) and said > 0 else most


def _served(reply: Any) -> str:
    said = reply.get("model") if isinstance(reply, dict) else None
    return said if isinstance(said, str) and len(said) <= 200 else ""
