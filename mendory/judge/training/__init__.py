"""Making a small English judge from generated pairs: `train`. Importing this loads no torch."""

from mendory.judge.training.fitting import PAIRS, Trained, train

__all__ = ["PAIRS", "Trained", "train"]
