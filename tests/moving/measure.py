"""The filling beside the model alone, on a table of its own that nobody else touches."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from mendory.clinic import Clinic
from mendory.config import Config
from mendory.embedding import Embedder
from mendory.migrating import fill, start
from tests.moving.setting import CONFIG, Setting, turn_to

_BATCH = 512


def throughput(setting: Setting) -> dict[str, float]:
    """Rows a second of the filling, of the model alone just before and after it, and the ratio.

    `beside_s` are the seconds before the first batch and after the last: the vectors and texts of
    all rows are read, and the model is loaded.
    """
    folder, pair = setting.folder, setting.pair
    turn_to(setting)
    start(Clinic(Config.load(folder / CONFIG)), "ann", same_width=True)
    texts, model = list(setting.texts.values()), pair.models()[1]
    model.embed(texts[:_BATCH])
    before = _seconds(lambda: _alone(model, texts))
    began = time.monotonic()
    done = fill(Clinic(Config.load(folder / CONFIG)))
    whole = time.monotonic() - began
    after = _seconds(lambda: _alone(model, texts))
    alone = len(texts) / ((before + after) / 2)
    filled = done.rows / done.seconds
    return {
        "rows": done.rows,
        "model_rows_per_s": round(alone, 1),
        "fill_rows_per_s": round(filled, 1),
        "beside_s": round(whole - done.seconds, 1),
        "ratio": round(filled / alone, 3),
    }


def _alone(model: Embedder, texts: Sequence[str]) -> None:
    for at in range(0, len(texts), _BATCH):
        model.embed(texts[at : at + _BATCH])


def _seconds(work: Callable[[], None]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began
