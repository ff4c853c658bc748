"""Both languages of the command line: nothing missing, nothing of the other language left, columns aligned."""

from __future__ import annotations

import ast
import json
import re
import string
from pathlib import Path

import pytest

from mendory import errors
from mendory.cli import words
from mendory.cli.chinese import FAILURES, NOUNS, SENTENCES
from mendory.cli.words import many, padded, reason, say, speak, width, wrapped
from mendory.doctor.machine import EXTRAS
from mendory.finding import Code, Severity
from mendory.record import FIELD_NAMES
from mendory.text import script
from tests.cli.conftest import LIMITS, Run, configure, plan_code
from tests.conftest import make_table, memory

MENDORY = Path(__file__).resolve().parents[2] / "mendory"
SPEAKING = {"say": 1, "many": 2, "ok": 2, "warn": 3, "fail": 3}
"""Functions that take sentences, and how many of their first arguments may hold one."""


def spoken() -> set[tuple[str, str]]:
    """(function, text) of every sentence and noun the command line and the doctor may say."""
    found = set()
    for path in sorted([*(MENDORY / "cli").glob("*.py"), *(MENDORY / "doctor").glob("*.py")]):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names: dict[str, list[ast.expr]] = {}
        for node in ast.walk(tree):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(targets[0], ast.Name) and node.value:
                names.setdefault(targets[0].id, []).append(node.value)
        for call in (n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)):
            for argument in call.args[: SPEAKING.get(call.func.id, 0)]:
                found |= {(call.func.id, text) for text in _texts(argument, names, ())}
    return found


def _texts(node: ast.AST, names: dict[str, list[ast.expr]], seen: tuple[str, ...]) -> set[str]:
    """Texts an expression may be: literals, what a name was given, the values of a table, not its keys."""
    match node:
        case ast.Constant(value=str(text)):
            return {text}
        case ast.Name(id=name) if name not in seen:
            return set().union(*(_texts(value, names, (*seen, name)) for value in names.get(name, ())))
        case ast.Subscript(value=table):
            return _texts(table, names, seen)
        case ast.Dict(values=values):
            return set().union(*(_texts(value, names, seen) for value in values))
        case ast.IfExp(body=one, orelse=other):
            return _texts(one, names, seen) | _texts(other, names, seen)
    return set()


def placeholders(text: str) -> set[str]:
    """The values a sentence takes."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_sentence_has_its_chinese() -> None:
    """What the code may say is in the table; a sentence of the doctor and an error's column are said too."""
    sentences = {text for function, text in spoken() if function != "many"}
    nouns = {text for function, text in spoken() if function == "many"}

    assert set() == sentences - set(SENTENCES)
    assert set() == nouns - set(NOUNS)
    assert 100 < len(sentences)
    assert {s.value.upper() for s in Severity} <= set(SENTENCES)


def test_no_chinese_is_kept_that_nothing_says() -> None:
    """Every entry of the table is a text somewhere in the code, a severity or a state in capitals aside."""
    said = {
        node.value
        for path in MENDORY.rglob("*.py")
        if path.name != "chinese.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }

    assert set() == set(SENTENCES) - said - {s.value.upper() for s in Severity}


@pytest.mark.parametrize("english", sorted(SENTENCES))
def test_a_sentence_keeps_its_values(english: str) -> None:
    """The Chinese sentence takes exactly the values of the English one."""
    assert placeholders(english) == placeholders(SENTENCES[english])


def test_every_error_has_its_meaning_in_chinese() -> None:
    """Each error's stable name is explained."""
    family = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, errors.MendoryError)][1:]

    assert [] == [e.name for e in family if e.name not in FAILURES]
    assert set() == set(FAILURES) - {e.name for e in family}


def test_numbers_have_their_noun_in_both_languages() -> None:
    """One and several in English, a measure word in Chinese, thousands set apart."""
    speak("en")  # whatever a test before this one ended with
    assert ["1 row", "2 rows", "41,000 findings"] == [many(1, "row"), many(2, "row"), many(41_000, "finding")]
    speak("zh")
    try:
        assert ["1 行", "41,000 个问题"] == [many(1, "row"), many(41_000, "finding")]
        assert "等待 (waits)：3 级：只有人可以批准执行" == reason("waits: level 3: only a person may let it run")
        assert "一句没有译文的话" == reason("一句没有译文的话")
    finally:
        speak("en")
    assert "next: x" == say("next: {commands}", commands="x")


@pytest.mark.parametrize(
    ("text", "columns"), [("重复 dup", 8), ("ｆｕｌｌ", 8), ("e\u0301", 1), ("→·×…", 4), ("👍", 2), ("", 0)]
)
def test_width_counts_terminal_columns(text: str, columns: int) -> None:
    """Chinese, full-width forms and emoji take two columns, combining marks none."""
    assert columns == width(text)
    assert columns + 3 == width(padded(text, columns + 3))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("用户喜欢喝茶", "zh"),
        ("用 Python 写的服务，部署在 AWS 上", "zh"),
        ("東京に住んでいます", "ja"),
        ("서울에 살아요", "ko"),
        ("Prefers window seats", "latin"),
        ("Präferiert Fensterplätze", "latin"),
        ("Met 李伟 in Oslo", "latin"),
        ("любит чай", "other"),
        ("12:30 👍", "other"),
        ("", "other"),
        ("𠮷野家", "zh"),
        ("张三・李四", "zh"),
    ],
)
def test_the_script_of_a_text(text: str, found: str) -> None:
    """Chinese, Japanese, Korean and Latin texts are told apart; a name or a product decides nothing."""
    assert found == script(text)


@pytest.mark.lance
def test_the_first_line_tells_the_share_of_each_script(tmp_path: Path, run: Run) -> None:
    """The largest first, traces as under one per cent; nothing for an empty table; JSON has the counts."""
    rows = [memory(f"z{n}", content=f"喜欢喝第 {n} 种茶") for n in range(150)]
    rows += [memory(f"e{n}", content=f"Likes tea no. {n}") for n in range(149)] + [memory("j", content="お茶が好き")]
    make_table(tmp_path / "db", rows)
    configure(tmp_path)
    english, chinese = (run("check", "--lang", lang).output.splitlines()[0] for lang in ("en", "zh"))
    make_table(tmp_path / "empty")
    configure(tmp_path)
    (tmp_path / "mendory.toml").write_text('[table]\nuri = "./empty"\nname = "memories"\n')

    assert "memories v2 · 300 rows · zh 50 % latin 50 % ja < 1 % · read-only" == english
    assert "memories v2 · 300 行 · 中文 50 % 拉丁字母 50 % 日文 < 1 % · 只读" == chinese
    assert "memories v1 · 0 rows · read-only" == run("check").output.splitlines()[0]
    assert {} == json.loads(run("check", "--json").output)["scripts"]


def test_wrapping_keeps_every_word() -> None:
    """Lines are no wider than asked, unless a single word is, and nothing is lost."""
    text = "id 100, content 100, 创建时间 98, a_very_long_word_indeed, scope 1"
    lines = wrapped(text, 20)

    assert text == " ".join(lines)
    assert all(width(line) <= 20 or " " not in line for line in lines)


# --- whole sessions ---------------------------------------------------------------------------

KEPT = re.compile(
    r"\S+\.jsonl|mendory( [a-z]+)?( [0-9a-f]{8})?|--[a-z-]+|NAME|CODE|\b[0-9a-f]{8}\b|\([a-z_]+\)|\b[LG]\d\b|UTC|JSON"
    r"|\bv\d+\b|memories|mendory\.toml|\[[a-z.]+\]|limits\.[a-z_]+|merge\.exact|rule\.[a-z_]+"
    r"|\S+: .+ → .*|pylance|LanceDB|lancedb|pyarrow|Python|table\.optimize\(\)|\b(k|M|G)?B\b|li\.wei|pip install \S+"
)
"""What stays as it is in any language: commands, options, ids, stable names, files, products, units."""
IDS = re.compile(r"[a-hu]\d+")
FIELDS = frozenset(
    (
        *FIELD_NAMES,
        *(c.value for c in Code),
        *(extra for extra, _ in EXTRAS),
        *("active", "pending_review", "archived", "topic", "entities", "scene"),
    )
)


def english_left(output: str) -> list[str]:
    """Words of English in a Chinese output, stable names left out."""
    plain = KEPT.sub(" ", output)
    return [w for w in re.findall(r"[A-Za-z][A-Za-z0-9_.]+", plain) if w not in FIELDS and not IDS.fullmatch(w)]


@pytest.fixture
def many_faults(tmp_path: Path, run: Run) -> Path:
    """A table with several kinds of faults, a cause to be found, and limits."""
    rows = [memory(f"d{n}", content=f"喜欢喝第 {n // 2} 种茶", batch_id="b9", source="system_log") for n in range(12)]
    rows += [memory(f"h{n}", batch_id="b1") for n in range(12)]
    rows += [memory("c1", scope=None), memory("c2", status="gone?"), memory("c3", metadata='{"topic": "a"}')]
    rows += [memory("c4", content=""), memory("c5", duplicate_of="nowhere"), memory("c6", status="Active ")]
    make_table(tmp_path / "db", rows)
    configure(tmp_path, LIMITS)
    return tmp_path


@pytest.mark.lance
def test_a_chinese_session_has_no_english_left(many_faults: Path, run: Run) -> None:
    """Every verb with --lang zh prints Chinese lines; only stable names, ids and commands stay."""
    code = plan_code(run)
    lines = many_faults / "in.jsonl"
    lines.write_text('{"id": "n1", "content": ""}\n', encoding="utf-8")
    session = [
        ("check",),
        ("check", "--only", "content_empty"),
        ("plan",),
        ("show",),
        ("show", code),
        ("review",),
        ("doctor",),
        ("apply", code, "--dry-run"),
        ("approve", code, "--groups", "G1", "--as", "li.wei"),
        ("apply", code),
        ("rollback", code),
        ("reject", code, "--as", "li.wei"),
        ("recover",),
        ("show",),
        ("import", lines.name),
        ("import", lines.name, "--dry-run"),
    ]
    left = {}
    for verb in session:
        result = run(*verb, "--lang", "zh")
        assert result.exit_code in (0, 2, 3, 4), (verb, result.output, result.stderr)
        if words_left := english_left(result.output):
            left[verb] = words_left

    assert {} == left


@pytest.mark.lance
def test_columns_are_aligned_in_chinese(many_faults: Path, run: Run) -> None:
    """In the table of findings each column begins at one place of the terminal, whatever the characters before it."""
    lines = run("check", "--lang", "zh").output.splitlines()
    table = [line for line in lines if re.match(r"  [高中低]  ", line)]
    starts = {width(line[: re.search(r"\d+ 个问题", line).start()]) for line in table}  # type: ignore[union-attr]

    assert 5 <= len(table)
    assert 1 == len(starts)


@pytest.mark.lance
def test_the_language_may_come_from_the_environment(sick: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """MENDORY_LANG is the default of --lang, an option beats it, a language there is not is an error."""
    monkeypatch.setenv(words.VARIABLE, "zh")
    chinese, english = run("check"), run("check", "--lang", "en")
    monkeypatch.setenv(words.VARIABLE, "fr")
    other = run("check")

    assert "下一步：mendory plan" in chinese.output
    assert "next: mendory plan" in english.output
    assert other.exit_code == 1
    assert "fr" in other.stderr


@pytest.mark.lance
def test_json_is_the_same_in_any_language(sick: Path, run: Run) -> None:
    """--lang changes what people read, never what programs read."""
    assert json.loads(run("check", "--json", "--lang", "zh").output) == json.loads(run("check", "--json").output)


def test_an_error_keeps_its_stable_name_in_chinese(run: Run) -> None:
    """The name comes first, its meaning in Chinese behind it, then the message."""
    assert run("check", "--lang", "zh").stderr.startswith("config_invalid（配置无效）: ")
    assert run("check").stderr.startswith("config_invalid: ")
