"""A cross-encoder on this machine as a judge, loaded through sentence-transformers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from mendory.errors import ConfigInvalid, DependencyMissing
from mendory.judge.model import UNKNOWN, Estimate, Opinion, Pair, Verdict
from mendory.quiet import quiet

if TYPE_CHECKING:
    import numpy as np

BATCH: Final = 32
HALF: Final = 0.5
LITTLE: Final = 0.1
"""Rules are right about nineteen conflicts in twenty (docs/quality.md): who takes back their word must be sure."""
_FIX: Final = ("config.json", "model.safetensors", "tokenizer.json")


@dataclass
class CrossEncoderJudge:
    """A model for natural language inference in a folder, loaded when first asked.

    Which of its outputs means what is read from its configuration's `id2label`, never assumed. Both directions of a
    pair are asked; they are one opinion where both say that the texts contradict, or both surely that they don't.
    """

    folder: Path
    max_chars: int = 2000

    at_once: ClassVar[int] = 2 * BATCH

    @cached_property
    def name(self) -> str:
        """The folder's name and a digest of what lies in it: a model trained anew is another judge."""
        seen = hashlib.sha256()
        for name in _FIX:
            path = self.folder / name
            if path.is_file():
                with path.open("rb") as file:
                    seen.update(hashlib.file_digest(file, "sha256").digest())
        return f"{self.folder.name}#{seen.hexdigest()[:8]}"

    @property
    def served(self) -> str:
        """A folder's model is the one it was."""
        return self.name

    @cached_property
    def _model(self) -> Any:
        try:
            from sentence_transformers import CrossEncoder
        except ImportError:
            raise DependencyMissing(
                "judge.kind is 'cross_encoder', and sentence-transformers is not installed. Nothing was judged. "
                "Run: pip install 'mendory[embed]'"
            ) from None
        if not self.folder.is_dir():
            raise DependencyMissing(
                f"There is no model in '{self.folder.name}', named in [judge]. Nothing was judged. "
                "Install judge.package, name a folder in judge.path, or make one: mendory judge --train FOLDER."
            )
        try:
            with quiet():
                return CrossEncoder(str(self.folder), local_files_only=True, trust_remote_code=False, device="cpu")
        except (OSError, ValueError) as error:
            raise DependencyMissing(
                f"The model in '{self.folder.name}' can't be loaded ({type(error).__name__}). Nothing was judged. "
                "Name the folder of a cross-encoder in judge.path."
            ) from error

    @cached_property
    def _labels(self) -> tuple[Verdict, ...]:
        return verdicts(self._model.model.config.id2label)

    def estimate(self, pairs: Iterable[Pair]) -> Estimate:  # noqa: ARG002 - asked alike of every judge
        """No request, and nothing leaves this machine."""
        return Estimate(0, 0)

    def judge(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """One opinion a pair, the same whichever text comes first."""
        fitting = [pair for pair in pairs if all(len(text) <= self.max_chars for text in pair)]
        if not fitting:
            return [UNKNOWN] * len(pairs)
        shares = self._shares([*fitting, *(pair[::-1] for pair in fitting)])
        given = {
            pair: opinion(self._labels, shares[at].tolist(), shares[at + len(fitting)].tolist())
            for at, pair in enumerate(fitting)
        }
        return [given.get(pair, UNKNOWN) for pair in pairs]

    def _shares(self, pairs: Sequence[Pair]) -> np.ndarray[Any, Any]:
        """The probability of each label, a row a pair."""
        from torch import nn

        labels = self._labels  # refused before anything is judged
        scores = self._model.predict(
            list(pairs), batch_size=BATCH, show_progress_bar=False, activation_fn=nn.Softmax(dim=-1)
        )
        assert scores.shape == (len(pairs), len(labels))
        found: np.ndarray[Any, Any] = scores
        return found


def verdicts(id2label: Mapping[int, str]) -> tuple[Verdict, ...]:
    """What each output of a model means, from the names that its configuration gives them.

    Raises ConfigInvalid where a name is none of natural language inference, or none of them is a contradiction.
    """
    found = [_verdict(str(id2label[at])) for at in sorted(id2label)]
    if None in found or found.count(Verdict.CONTRADICTS) != 1 or len(found) < 2:
        raise ConfigInvalid(
            f"The model in [judge] names its {len(found)} labels otherwise than contradiction, entailment and neutral. "
            "Nothing was judged. Name them in id2label of its config.json, in the order it was trained with."
        )
    return tuple(verdict for verdict in found if verdict is not None)


def _verdict(label: str) -> Verdict | None:
    word = "".join(c for c in label.lower() if c.isalpha())
    if word in ("contradiction", "contradicts", "contradictory"):
        return Verdict.CONTRADICTS
    if word in ("entailment", "entails", "agrees"):
        return Verdict.AGREES
    if word in ("neutral", "unrelated", "notcontradiction", "nocontradiction", "noncontradiction"):
        return Verdict.UNRELATED
    return None


def opinion(labels: Sequence[Verdict], one: Sequence[float], other: Sequence[float]) -> Opinion:
    """The opinion of two directions, each with a share a label that sum to 1; as sure as the less sure direction.

    Texts contradict each other where both directions give that more than half, and don't where both give it at most a
    tenth; between the two nobody knows. Texts of which one direction entails agree: one says more than the other.
    """
    at = labels.index(Verdict.CONTRADICTS)
    clash = one[at], other[at]
    if min(clash) > HALF:
        return Opinion(Verdict.CONTRADICTS, min(clash))
    if max(clash) > LITTLE:
        return UNKNOWN
    tops = {labels[max(range(len(labels)), key=shares.__getitem__)] for shares in (one, other)}
    return Opinion(Verdict.AGREES if Verdict.AGREES in tops else Verdict.UNRELATED, 1.0 - max(clash))
