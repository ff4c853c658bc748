"""A cross-encoder on this machine as a judge: a real one, built and trained here in seconds; and the training verb."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mendory.cli import main
from mendory.config.judge import JudgeSection
from mendory.errors import ConfigInvalid, DependencyMissing, InputInvalid
from mendory.judge import Opinion, Verdict, build
from mendory.judge.local import CrossEncoderJudge
from mendory.judge.model import UNKNOWN
from mendory.judge.training import train
from mendory.judge.training.examples import Label, examples
from mendory.judge.training.phrasing import third

pytestmark = pytest.mark.model

SUBJECTS = ("the door", "the lamp", "the gate", "the window", "the box", "the road")
STATES = ("open", "red", "old", "clean", "wide", "new")
NAMES = {0: "neutral", 1: "contradiction", 2: "entailment"}
"""In an order that no one would assume."""


def planted(draw: random.Random) -> tuple[str, str, int]:
    """A pair by a rule: with "never" in one text it is a contradiction, with "maybe" neutral, else entailment."""
    subject, state = draw.choice(SUBJECTS), draw.choice(STATES)
    word, label = draw.choice([("never", 1), ("maybe", 0), ("always", 2)])
    pair = [f"{subject} is {state}", f"{subject} is {word} {state}"]
    draw.shuffle(pair)
    return pair[0], pair[1], label


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny BERT of random weights and a tokenizer trained on the spot."""
    import torch
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("encoder")
    words = BertWordPieceTokenizer(lowercase=True)
    draw = random.Random(0)
    lines = [text for one in examples(400, draw) for text in (one.a, one.b)]
    words.train_from_iterator([*lines, *SUBJECTS * 5, *STATES * 5, *["never maybe always is"] * 5], vocab_size=2000)
    words.save_model(str(folder))
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=2000, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
    )
    BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a cross-encoder that has learnt the planted rule."""
    import torch
    from sentence_transformers import CrossEncoder

    labels = {"id2label": NAMES, "label2id": {name: at for at, name in NAMES.items()}}
    torch.manual_seed(0)  # the classifier on top begins with random weights too
    made = CrossEncoder(str(encoder), num_labels=3, device="cpu", local_files_only=True, config_kwargs=labels)
    optimizer = torch.optim.AdamW(made.model.parameters(), lr=3e-3)
    draw = random.Random(1)
    losses = [1.0] * 20
    # without dropout, until it has learnt the rule: how long that takes depends on how a machine adds
    made.model.eval()
    while max(losses[-20:]) > 0.02:
        assert len(losses) < 2000, f"not learnt, the loss is still {losses[-1]}"
        part = [planted(draw) for _ in range(32)]
        taken = made.tokenizer([a for a, _, _ in part], [b for _, b, _ in part], padding=True, return_tensors="pt")
        wanted = torch.tensor([label for _, _, label in part])
        loss = torch.nn.functional.cross_entropy(made.model(**taken).logits, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    folder = tmp_path_factory.mktemp("models") / "doors"
    made.save_pretrained(str(folder))
    return folder


def judge(root: Path, **keys: Any) -> CrossEncoderJudge:
    """The judge that a configuration with these keys in `root` describes."""
    made = build(JudgeSection.model_validate({"kind": "cross_encoder", **keys}), root)
    assert isinstance(made, CrossEncoderJudge)
    return made


CONTRA, AGREE, APART = (
    ("the gate is never wide", "the gate is wide"),
    ("the lamp is always old", "the lamp is old"),
    ("the road is clean", "the road is maybe clean"),
)


def test_it_says_what_it_has_learnt(model: Path) -> None:
    """Saved, loaded and asked for real: each label by the model's own name for it, in either order of the texts."""
    made = judge(model.parent, path="doors")

    found = made.judge([CONTRA, AGREE, APART, CONTRA[::-1]])

    assert [Verdict.CONTRADICTS, Verdict.AGREES, Verdict.UNRELATED, Verdict.CONTRADICTS] == [o.verdict for o in found]
    assert all(0.8 < one.confidence <= 1 for one in found)
    assert found[0].confidence == pytest.approx(found[3].confidence)
    assert (0, 0) == (made.estimate([CONTRA]).calls, made.estimate([CONTRA]).characters)


def test_it_comes_in_a_package_too(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`package` names an installed Python package, `path` the folder in it; the package's code is not run."""
    (tmp_path / "doors_nli").mkdir()
    (tmp_path / "doors_nli" / "__init__.py").write_text("raise AssertionError('was run')")
    shutil.copytree(model, tmp_path / "doors_nli" / "weights")
    monkeypatch.syspath_prepend(str(tmp_path))

    assert Verdict.CONTRADICTS is judge(Path("/"), package="doors_nli", path="weights").judge([CONTRA])[0].verdict


def test_a_model_trained_anew_is_another_judge(model: Path, tmp_path: Path) -> None:
    """Its name tells what lies in the folder, not only where."""
    copy = tmp_path / "doors"
    shutil.copytree(model, copy)
    assert judge(tmp_path, path="doors").name == judge(model.parent, path="doors").name

    with (copy / "model.safetensors").open("ab") as file:
        file.write(b"\0")

    assert judge(tmp_path, path="doors").name != judge(model.parent, path="doors").name


def test_labels_without_names_are_refused(model: Path, tmp_path: Path) -> None:
    """A model whose configuration does not say what its outputs are judges nothing."""
    shutil.copytree(model, tmp_path / "unnamed")
    file = tmp_path / "unnamed" / "config.json"
    config = json.loads(file.read_text())
    config["id2label"] = {at: f"LABEL_{at}" for at in config["id2label"]}
    config["label2id"] = {name: at for at, name in config["id2label"].items()}
    file.write_text(json.dumps(config))

    with pytest.raises(ConfigInvalid, match="id2label"):
        judge(tmp_path, path="unnamed").judge([CONTRA])


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"path": "nowhere"}, "no model in 'nowhere'"),
        ({"package": "no_such_package_at_all"}, "no model in 'no_such_package_at_all'"),
        ({"package": "no.such.package"}, "no model in 'no.such.package'"),
        ({"path": "empty"}, "can't be loaded"),
    ],
)
def test_a_model_that_is_not_there_is_said(tmp_path: Path, keys: dict[str, str], said: str) -> None:
    """Nothing is fetched in its place; it is said when the first pair is to be judged, not before."""
    (tmp_path / "empty").mkdir()
    made = judge(tmp_path, **keys)

    with pytest.raises(DependencyMissing, match=said):
        made.judge([CONTRA])
    assert "#" in made.name


def test_a_text_too_long_is_unknown(model: Path) -> None:
    """A model reads no further than its longest sequence; what it can't have read it does not judge."""
    found = judge(model.parent, path="doors", max_chars=200).judge([("the gate " * 40, "the gate"), CONTRA])

    assert UNKNOWN == found[0]
    assert Verdict.CONTRADICTS is found[1].verdict


def test_a_plain_process_loads_no_torch() -> None:
    """Importing judges, detectors and the command line loads neither torch nor transformers."""
    code = (
        "import sys, mendory.judge, mendory.judge.training, mendory.detect, mendory.clinic, mendory.cli;"
        "print(sorted({'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "[]" == done.stdout.strip()


# --- training ----------------------------------------------------------------------------------


def test_examples_are_of_each_kind_and_the_same_of_one_seed() -> None:
    """Two in five contradict, each label is there in number, and one seed makes one list."""
    made = examples(4000, random.Random(3))
    shares = {label: count / len(made) for label, count in Counter(one.label for one in made).items()}

    assert made == examples(4000, random.Random(3))
    assert made != examples(4000, random.Random(4))
    assert 0.35 < shares[Label.CONTRADICTION] < 0.5
    assert 0.12 < shares[Label.ENTAILMENT] < 0.3
    assert 0.3 < shares[Label.NEUTRAL] < 0.5
    assert [] == [one for one in made if "{" in one.a + one.b or not one.a.strip() or not one.b.strip()]


def test_no_contradiction_is_a_text_with_itself() -> None:
    """Whatever the small letters and full stops: two texts that are one are never labelled a contradiction."""
    made = examples(4000, random.Random(5))

    assert [] == [one for one in made if one.label is Label.CONTRADICTION and _bare(one.a) == _bare(one.b)]


def _bare(text: str) -> str:
    return text.lower().strip(" .")


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("I am a nurse", "Ann is a nurse"),
        ("I work as a nurse", "Ann works as a nurse"),
        ("I have two kids", "Ann has two kids"),
        ("I don't like tea", "Ann doesn't like tea"),
        ("my car is a Ford", "Ann's car is a Ford"),
        ("I live with my two pets", "Ann lives with their two pets"),
        ("I study law", "Ann studies law"),
        ("right now I am single", "right now Ann is single"),
    ],
)
def test_what_is_said_of_oneself_is_said_of_another(mine: str, theirs: str) -> None:
    """The verb follows its new subject."""
    assert theirs == third(mine, "Ann")


def test_training_makes_a_judge(encoder: Path, tmp_path: Path) -> None:
    """From any encoder: a folder that is a judge with named labels, and what it was measured at beside it."""
    heard: list[tuple[int, int]] = []

    made = train(tmp_path / "made", encoder, pairs=96, told=lambda done, total: heard.append((done, total)))

    assert [(32, 96), (64, 96), (96, 96)] == heard
    held = json.loads((tmp_path / "made" / "training.json").read_text())
    assert (96, made.held_out, made.right, 0) == (held["pairs"], held["held_out"], held["right"], held["seed"])
    assert 0 < made.held_out <= 1000
    loaded = judge(tmp_path, path="made")
    [found] = loaded.judge([("I live in Oslo", "I live in Lima")])
    assert isinstance(found, Opinion)
    names = json.loads((tmp_path / "made" / "config.json").read_text())["id2label"]
    assert {"0": "contradiction", "1": "entailment", "2": "neutral"} == names


def test_training_overwrites_nothing(encoder: Path, tmp_path: Path) -> None:
    """A folder with something in it is left alone, and so is a file."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")

    for out in (tmp_path / "full", tmp_path / "full" / "mine"):
        with pytest.raises(InputInvalid, match="not an empty folder"):
            train(out, encoder, pairs=32)
    assert ["mine"] == [file.name for file in (tmp_path / "full").iterdir()]
    with pytest.raises(InputInvalid, match="holds no model"):
        train(tmp_path / "new", tmp_path, pairs=32)
    assert not (tmp_path / "new").exists()


def test_the_verb_asks_and_trains(encoder: Path, model: Path, tmp_path: Path) -> None:
    """`mendory judge` says how the configured judge does on pairs whose answer is known; with --train it makes one."""
    config = tmp_path / "mendory.toml"
    table = '[table]\nuri = "db"\nname = "memories"\n'
    config.write_text(table)
    run = CliRunner().invoke

    none = run(main, ["judge", "--config", str(config)])
    assert (0, "no judge is configured\n") == (none.exit_code, none.output)

    config.write_text(f'{table}[judge]\nkind = "cross_encoder"\npath = "{model}"\n')
    asked = run(main, ["judge", "--config", str(config), "--json"])
    said = json.loads(asked.output)
    assert 2 == asked.exit_code
    assert ["en", "zh"] == [one["language"] for one in said["languages"]]
    assert [(12, 10, False)] * 2 == [(one["of"], one["needed"], one["passed"]) for one in said["languages"]]
    shown = run(main, ["judge", "--config", str(config), "--lang", "zh"])
    assert 2 == shown.exit_code
    assert "裁判模型 doors#" in shown.output
    assert "对已知答案的文字中" in shown.output

    out = tmp_path / "made"
    made = run(main, ["judge", "--train", str(out), "--base", str(encoder), "--pairs", "1000", "--json"])
    assert 0 == made.exit_code
    assert 1000 == json.loads(made.output)["pairs"]
    assert (out / "model.safetensors").is_file()
    refused = run(main, ["judge", "--base", str(encoder), "--config", str(config)])
    assert (1, "input_invalid") == (refused.exit_code, refused.output.partition(":")[0])
