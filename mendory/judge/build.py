"""From the configuration to a judge."""

from __future__ import annotations

import hashlib
import os
import random
import secrets
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path

from mendory.config.judge import JudgeSection
from mendory.judge.chat import JUDGING, MOST_BYTES, Chat
from mendory.judge.local import CrossEncoderJudge
from mendory.judge.prompt import VERSION
from mendory.service import Budget, Client

_MARK_BYTES = 8


def build(
    section: JudgeSection,
    root: Path | None = None,
    environ: Mapping[str, str] = os.environ,
    sleep: Callable[[float], None] = time.sleep,
    monotonic: Callable[[], float] = time.monotonic,
    mark: Callable[[], str] = lambda: secrets.token_hex(_MARK_BYTES),
    first: Callable[[], bool] = lambda: bool(random.getrandbits(1)),
) -> CrossEncoderJudge | Chat:
    """The judge the section describes; nothing is loaded and nothing asked until the first pair.

    A relative `path` counts from `root`, the configuration's folder, or from the package's where one is named.
    """
    if section.kind == "cross_encoder":
        return CrossEncoderJudge(_folder(section, root or Path()), section.max_chars)
    assert section.model is not None
    assert section.base_url is not None
    assert section.max_calls is not None
    assert section.max_tokens is not None
    url = f"{section.base_url.rstrip('/')}/chat/completions"
    nothing = "Nothing of that pair was judged."
    about = hashlib.sha256(f"{url} {VERSION}".encode()).hexdigest()[:8]
    return Chat(
        f"{section.model}#{about}",
        section.model,
        Client(url, section.timeout.total_seconds(), JUDGING, MOST_BYTES, sleep, monotonic),
        Budget(section.max_calls, monotonic, "judge.max_calls", nothing),
        Budget(section.max_tokens, monotonic, "judge.max_tokens", nothing, "tokens"),
        environ,
        mark,
        first,
        section.max_chars,
        section.key_env,
        section.price_per_million_chars,
    )


def _folder(section: JudgeSection, root: Path) -> Path:
    if section.package is None:
        return root / Path(section.path or "").expanduser()
    try:
        spec = find_spec(section.package)
    except ModuleNotFoundError:
        spec = None
    places = spec.submodule_search_locations if spec else None
    # a package that is not there is said when the model is loaded
    return Path(next(iter(places)) if places else section.package) / (section.path or "")
