"""Import of JSON Lines: nothing of a line is lost or changed, and what can't be imported says why."""

from __future__ import annotations

import gzip
import json
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

from mendory import cli, importer
from mendory.errors import InputInvalid
from mendory.importer import Judge, Kept, Quarantined, Raw, Shaping
from mendory.importer.against import against
from mendory.importer.placing import State, placed
from mendory.lance import Reader, to_table
from mendory.mapping import Mapping
from mendory.record import FIELD_NAMES, arrow_schema
from tests.conftest import NOON, make_table, memory

Run = Callable[..., Result]
PLAIN = {"id": "m1", "content": "喜欢喝茶", "scope": "u1", "created_at": "2025-03-01T10:00:00Z"}


def judged(row: dict[str, Any] | str, keys: dict[str, str] | None = None, **constants: str) -> Kept | Quarantined:
    """The row, an object or raw text, judged for a table of four dimensions."""
    text = row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)
    return Judge(Shaping(keys or {}, constants), 4, NOON).judge(Raw(1, text.encode()))


def kept(*args: Any, **kwargs: Any) -> dict[str, Any]:
    """The record that judging gives."""
    found = judged(*args, **kwargs)
    assert isinstance(found, Kept), found
    return found.record


def refused(*args: Any, **kwargs: Any) -> Quarantined:
    """The record that judging refuses."""
    found = judged(*args, **kwargs)
    assert isinstance(found, Quarantined)
    return found


def raw(**more: str) -> str:
    """The plain line with these members as raw JSON text."""
    return json.dumps(PLAIN, ensure_ascii=False)[:-1] + "".join(f', "{k}": {v}' for k, v in more.items()) + "}"


# --- nothing is lost --------------------------------------------------------------------------------


@pytest.mark.parametrize("own", ["正文", "the original"])
def test_what_was_not_taken_is_kept_even_under_a_fields_name(own: str) -> None:
    """With --map and --set the line's own content, source and status are in the metadata."""
    row = {**PLAIN, "content": own, "text": "喝茶", "source": "wechat", "status": "旧"}
    record = kept(row, keys={"content": "text"}, source="user_stated", status="active")

    assert (record["content"], record["source"], record["status"]) == ("喝茶", "user_stated", "active")
    assert json.loads(record["metadata"]) == {"extra": {"content": own, "source": "wechat", "status": "旧"}}


def test_the_keys_of_a_template_are_kept() -> None:
    """A template joins texts; what it joined stays, for 7 and "7" look the same afterwards."""
    record = kept({**PLAIN, "user": 7, "agent": "小美"}, keys={"scope": "{user}/{agent}"})

    assert record["scope"] == "7/小美"
    assert json.loads(record["metadata"])["extra"] == {"user": 7, "agent": "小美", "scope": "u1"}


def test_a_field_the_table_has_no_column_for_is_kept_in_the_metadata() -> None:
    """An owner's table without `kind` keeps it under extra; one without metadata quarantines the line."""
    line = Raw(1, json.dumps({**PLAIN, "kind": "fact"}).encode())
    fields = [f for f in FIELD_NAMES if f != "kind"]
    one = Judge(Shaping(), 4, NOON, fields).judge(line)
    bare = Judge(Shaping(), 4, NOON, [f for f in fields if f != "metadata"]).judge(line)

    assert isinstance(one, Kept)
    assert json.loads(one.record["metadata"]) == {"extra": {"kind": "fact"}}
    assert isinstance(bare, Quarantined)
    assert bare.reason == "no_place_for_keys"


# --- the owner's bytes --------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ['{"价格": 1.50,  "n":1e3}', r'{ "price" : 1.50, "t": "\u8336" }', "{}", "{ }"])
def test_metadata_keeps_its_bytes(text: str) -> None:
    """An object's text is not written anew; 1.50 stays 1.50. The same for a claim."""
    record = kept(raw(metadata=text, claim=text))

    assert (record["metadata"], record["claim"]) == (text, text)


def test_unknown_keys_keep_their_bytes_and_do_not_overwrite_an_owners_extra() -> None:
    """They stand under extra, or extra_2, extra_3, … when the owner has those."""
    own = '{"extra": {"k": 2.50}, "extra_2": null}'

    assert kept(raw(metadata=own, 价="1.50"))["metadata"] == own[:-1] + ', "extra_3": {"价": 1.50}}'
    assert kept(raw(metadata='{"extra": 1}', x="1e3"))["metadata"] == '{"extra": 1, "extra_2": {"x": 1e3}}'
    assert kept(raw(metadata="{ }", x='"null"'))["metadata"] == '{"extra": {"x": "null"} }'
    assert kept(raw(x="[1.0, null]"))["metadata"] == '{"extra": {"x": [1.0, null]}}'


def test_half_a_character_anywhere_and_an_object_too_deep_for_metadata_are_quarantined() -> None:
    """No metadata is written that can't be read back."""
    deep = "[" * 198 + "]" * 198

    assert refused(raw(metadata=r'{"a": "\ud83c"}')).reason == "lone_surrogate"
    assert refused(raw(mood=r'"\uD83C"')).reason == "lone_surrogate"
    assert kept(raw(mood=r'"\ud83c\udf75"'))["metadata"] == r'{"extra": {"mood": "\ud83c\udf75"}}'
    assert kept(raw(mood=deep))["metadata"]
    assert refused(raw(mood="[" + deep + "]")).reason == "too_deep"


# --- templates ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("user", [None, "", " \u3000", True, ["a"], {"a": 1}, ...])
def test_a_part_without_a_value_makes_the_field_missing(user: Any) -> None:
    """Null, blank, absent, or neither text nor number: quarantined, never 'None/a'."""
    row = {**PLAIN, "agent": "助手"} | ({} if user is ... else {"user": user})
    one = refused(row, keys={"scope": "{user}/{agent}"})

    assert one.reason == "missing_scope"
    assert "user" in one.hint


def test_joined_parts_do_not_collide() -> None:
    """The separators are escaped where they stand in a value; a lone placeholder changes nothing."""
    scope = {"scope": "组:{u}/{a}"}
    pairs = [("u/a", "b"), ("u", "a/b"), ("u%2Fa", "b"), ("用户/甲", "乙"), ("用户", "甲/乙"), ("组:x", "y")]
    scopes = [kept({**PLAIN, "u": u, "a": a}, keys=scope)["scope"] for u, a in pairs]

    assert scopes == [
        "组:u%2Fa/b",
        "组:u/a%2Fb",
        "组:u%252Fa/b",
        "组:用户%2F甲/乙",
        "组:用户/甲%2F乙",
        "组:组:x/y",
    ]
    assert kept({**PLAIN, "u": "a/b%"}, keys={"scope": "user:{u}"})["scope"] == "user:a/b%"
    assert kept(raw(n="1.50", a='"甲"'), keys={"id": "{n}-{a}-{line}"})["id"] == "1.50-甲-1"


@pytest.mark.parametrize(
    "template",
    ["{a.b}", "{a[0]}", "{a:>9}", "{a!r}", "{a", "a}", "{}", "{0}", "{{a}}", "{用户.__class__}", "{a}{b}", "{a}x{b}"],
)
def test_a_template_that_is_not_plain_is_refused_before_anything_is_read(run: Run, template: str) -> None:
    """Attributes, indexes, forms, conversions, loose braces: exit 1, though the file does not even exist."""
    run("init", "./db#memories")
    result = run("import", "nowhere.jsonl", "--map", f"scope={template}")

    assert result.exit_code == 1
    assert "is no template" in result.stderr
    with pytest.raises(InputInvalid):
        Shaping({"scope": template})


# --- the same record ----------------------------------------------------------------------------------


FULL = {**PLAIN, "status": "active", "metadata": {"价": 1.5}, "related_ids": ["x"], "embedding": [1, 0.1, 0, 0]}


@pytest.fixture
def held() -> pa.Table:
    """A table with the record FULL."""
    return to_table([kept(FULL)], arrow_schema(4))


@pytest.mark.parametrize(
    "change",
    [
        {"content": "不喝茶"},
        {"scope": "用户2"},
        {"status": "archived"},
        {"metadata": {"价": 2}},
        {"metadata": {}},
        {"created_at": "2025-03-02T10:00:00Z"},
        {"source": "user_stated"},
        {"related_ids": ["y"]},
        {"claim": {"entity": "u"}},
        {"embedding": [1, 0.2, 0, 0]},
        {"mood": "平静"},
    ],
    ids=str,
)
def test_any_difference_is_id_exists(held: pa.Table, change: dict[str, Any]) -> None:
    """Not content alone: every mapped column counts."""
    assert [State.EXISTS] == states(held, {**FULL, **change})


def states(held: pa.Table, *rows: dict[str, Any] | str) -> list[State]:
    """What becomes of the rows beside what the table holds."""
    batch = pa.RecordBatch.from_pylist([kept(row) for row in rows], schema=arrow_schema(4))
    identity = Mapping.identity()
    return against(pa.Table.from_batches([placed(batch, identity, held.schema).rows]), held, identity)


def test_the_same_record_is_there_already(held: pa.Table) -> None:
    """1.50 is 1.5, another zone is the same time, no vector asks for none, a recall in between changes nothing."""
    text = json.dumps({k: v for k, v in FULL.items() if k != "embedding"}, ensure_ascii=False)
    other = text.replace("1.5", "1.50").replace("10:00:00Z", "18:00:00+08:00")
    recalled = json.dumps({**FULL, "last_accessed_at": "2025-04-01T00:00:00Z"})

    assert [State.PRESENT] * 3 == states(held, json.dumps(FULL), other, recalled)
    assert [State.EXISTS] == states(held, raw(metadata='{"价": true}'))
    assert [State.FRESH] == states(held, {**FULL, "id": "新"})


def test_every_equal_line_of_a_refused_record_is_refused_with_its_text(tmp_path: Path, run: Run) -> None:
    """Read = ok + quarantined holds for doubled lines too, and a line of another spacing is equal."""
    file = tmp_path / "in.jsonl"
    run("init", "./db#memories", "--dimension", "4")
    one, other = (json.dumps({**FULL, "status": s}, ensure_ascii=False) for s in ("active", "归档"))
    file.write_text(one + "\n" + one.replace(", ", ",") + "\n", encoding="utf-8")
    first = json.loads(run("import", file, "--json").output)
    file.write_text("\n".join([other, "no json", other.replace(", ", ",")]) + "\n", encoding="utf-8")
    second = json.loads(run("import", file, "--json").output)
    entries = [json.loads(line) for line in Path(f"{file}.quarantine.jsonl").read_text("utf-8").splitlines()]

    assert (2, 1, 1, 0) == tuple(first[k] for k in ("ok", "imported", "duplicate_exact", "quarantined"))
    assert {"bad_json": 1, "id_exists": 2} == second["reasons"]
    assert (3, 0, 0, 0) == tuple(second[k] for k in ("read", "ok", "imported", "duplicate_exact"))
    assert [(1, other), (2, "no json"), (3, other.replace(", ", ","))] == [(e["line"], e["text"]) for e in entries]


# --- the quarantine file ------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run('import', file)` runs the command line in the test's own folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *args: CliRunner().invoke(cli.main, [str(a) for a in args])


def one_bad(folder: Path) -> Path:
    """A file with a good and a bad line."""
    file = folder / "in.jsonl"
    file.write_text(raw() + "\n" + '{"id": "坏"}\n', encoding="utf-8")
    return file


@pytest.mark.parametrize("alias", ["in.jsonl", "./x/../in.jsonl", "soft.jsonl", "hard.jsonl"])
def test_the_input_is_never_the_quarantine_file(tmp_path: Path, run: Run, alias: str) -> None:
    """By any of its names it is refused, and nothing is imported or lost."""
    file = one_bad(tmp_path)
    (tmp_path / "x").mkdir()
    (tmp_path / "soft.jsonl").symlink_to(file)
    (tmp_path / "hard.jsonl").hardlink_to(file)
    before = file.read_bytes()
    run("init", "./db#memories", "--dimension", "4")
    result = run("import", file, "--quarantine", alias)

    assert result.exit_code == 1
    assert "is the input file" in result.stderr
    assert (file.read_bytes(), (tmp_path / "db").exists()) == (before, False)


def test_a_link_at_the_target_is_refused_and_not_followed(tmp_path: Path, run: Run) -> None:
    """It is none of our files, nor is what it points to; the file that is written is its owner's alone."""
    file, victim, target = one_bad(tmp_path), tmp_path / "受害者.txt", tmp_path / "q.jsonl"
    victim.write_text("mine")
    target.symlink_to(victim)
    run("init", "./db#memories", "--dimension", "4")
    assert run("import", file, "--quarantine", target).exit_code == 1

    assert victim.read_text() == "mine"
    assert target.is_symlink()
    assert not (tmp_path / "db").exists()
    target.unlink()
    assert run("import", file, "--quarantine", target).exit_code == 4
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    target.chmod(0o644)
    run("import", file, "--quarantine", target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [json.loads(line)["text"] for line in target.read_text().splitlines()] == ['{"id": "坏"}']
    assert not list(tmp_path.glob(".q.jsonl*"))


@pytest.mark.parametrize("target", ["no/folder.jsonl", "."])
def test_a_target_that_cannot_be_is_refused_before_anything_is_written(tmp_path: Path, run: Run, target: str) -> None:
    """No record is imported while the refused lines have nowhere to go."""
    file = one_bad(tmp_path)
    run("init", "./db#memories", "--dimension", "4")

    assert run("import", file, "--quarantine", target).exit_code == 1
    assert not (tmp_path / "db").exists()


# --- numbers and files that are traps -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        ("1" + "0" * 400, "number_out_of_range"),
        ("-" + "9" * 60, "number_out_of_range"),
        ("9007199254740993", "number_out_of_range"),
        ("1e39", "embedding_non_finite"),
        ("-3.5e38", "embedding_non_finite"),
    ],
)
def test_a_component_that_a_float32_can_not_hold_is_quarantined(number: str, reason: str) -> None:
    """Too large for it, or a whole number of more bits than any float has."""
    assert refused(raw(embedding=f"[{number}, 0, 0, 0]")).reason == reason


def test_a_damaged_gz_is_one_clear_error(tmp_path: Path) -> None:
    """Wherever the damage is: the header, the stream, the end."""
    whole = gzip.compress((raw() + "\n").encode() * 50)
    file = tmp_path / "in.JSONL.GZ"
    file.write_bytes(whole)
    assert len(list(importer.lines(file))) == 50
    for damaged in (whole[:-9], whole[:12] + b"\xff" * 20 + whole[32:], b"no gz" + whole, whole[:-8] + b"\0" * 8):
        file.write_bytes(damaged)
        with pytest.raises(InputInvalid, match="can't be read whole"):
            list(importer.lines(file))


def test_what_unpacks_to_too_much_and_a_line_without_end_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only past both limits is a .gz a bomb; a line past its limit is refused in any file."""
    monkeypatch.setattr(importer.files, "MOST_UNPACKED", 100_000)
    bomb, dense = tmp_path / "bomb.gz", tmp_path / "dense.gz"
    bomb.write_bytes(gzip.compress(("茶" * 30 + "\n").encode() * 10_000))
    with pytest.raises(InputInvalid, match="input too large"):
        list(importer.lines(bomb))
    dense.write_bytes(gzip.compress(("茶" * 30 + "\n").encode() * 10_000, compresslevel=0))
    assert len(list(importer.lines(dense))) == 10_000
    monkeypatch.setattr(importer.files, "MOST_LINE", 90)
    with pytest.raises(InputInvalid, match="input too large: line 1"):
        list(importer.lines(dense))


# --- ids, scopes, encodings, times --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["m\x1b1", "m\x7f", "m\x85", "记\u202e忆", "m\u2028", "茶" * 171, "a\tb"])
def test_an_id_that_moves_a_cursor_or_turns_its_direction_or_is_too_long_is_bad(name: str) -> None:
    """C0, C1 and direction characters, line separators, more than 512 bytes."""
    assert refused({**PLAIN, "id": name}).reason == "bad_id"
    assert kept({**PLAIN, "id": "茶" * 170 + "ab"})


@pytest.mark.parametrize(
    "scope",
    [
        "*",
        "u*",
        "a' OR '1'='1",
        "'x",
        'o"x',
        "a`b",
        "a\\b",
        "a;b",
        " u",
        "u\u3000",
        "u\n1",
        "用\u200b户",
        "u\x9b",
        "u\u202e",
    ],
)
def test_a_scope_that_could_be_read_as_something_else_is_not_allowed(scope: str) -> None:
    """Control and format characters, quotes, a backslash, * ; and blanks at the ends."""
    assert refused({**PLAIN, "scope": scope}).reason == "scope_not_allowed"


@pytest.mark.parametrize("scope", ["用户:张三/助手", "O'Brien", "user_1.b@c-d", "équipe bleue", "u%2Fa/b", "团队 一"])
def test_a_scope_may_be_of_any_language(scope: str) -> None:
    """Letters of any script, digits, blanks inside and the usual signs."""
    assert kept({**PLAIN, "scope": scope})["scope"] == scope


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("content", ["喜欢喝茶", "likes tea"])
def test_a_file_of_another_encoding_is_named_as_such(tmp_path: Path, encoding: str, content: str) -> None:
    """By its byte order mark or the NUL bytes of its first line; a UTF-8 mark is fine."""
    file = tmp_path / "in.jsonl"
    text = json.dumps({**PLAIN, "content": content}, ensure_ascii=False) + "\n"
    file.write_bytes(text.encode(encoding))
    with pytest.raises(InputInvalid, match=encoding[:6].upper()):
        list(importer.lines(file))
    file.write_bytes(text.encode("utf-8-sig"))
    assert list(importer.lines(file)) == [(1, text.strip().encode(), True)]


def test_nul_bytes_and_a_broken_line_are_quarantined_alone(tmp_path: Path) -> None:
    """GBK is seen line by line."""
    file = tmp_path / "in.jsonl"
    gbk = '{"id": "茶"}'.encode("gbk")
    file.write_bytes(b'{"id": "a\0b"}\n' + raw().encode() + b"\n" + gbk + b"\n")
    found = [Judge(Shaping(), 4, NOON).judge(one) for one in importer.lines(file)]

    assert ["bad_json", None, "bad_encoding"] == [getattr(one, "reason", None) for one in found]


@pytest.mark.parametrize("epoch", ["1709287200", "1709287200.5"])
def test_an_epoch_number_is_the_wrong_type(epoch: str) -> None:
    """The hint names the option that says how times read."""
    one = refused(raw(last_verified_at=epoch))

    assert one.reason == "wrong_type"
    assert "--time-format" in one.hint


# --- two imports at once ------------------------------------------------------------------------------


@pytest.mark.parametrize("seen", [True, False], ids=["another is listed", "another wins while creating"])
def test_a_table_another_created_meanwhile_is_a_clear_error(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, seen: bool
) -> None:
    """table_exists, not table_corrupt; nothing is imported twice; the next import goes through."""
    file = tmp_path / "in.jsonl"
    file.write_text(raw() + "\n", encoding="utf-8")
    run("init", "./db#memories", "--dimension", "4")
    create = cli.importing.create_table

    def late(uri: str, table: str, dimension: int) -> None:
        make_table(tmp_path / "db", [memory("他人的")])
        if not seen:
            with monkeypatch.context() as blind:
                blind.setattr(sys.modules["mendory.lance.tables"], "table_names", lambda db: set())
                create(uri, table, dimension)
        create(uri, table, dimension)

    with monkeypatch.context() as patched:
        patched.setattr(cli.importing, "create_table", late)
        result = run("import", file)
    again = run("import", file)

    assert result.exit_code == 1
    assert result.stderr.startswith("table_exists: ")
    assert again.exit_code == 0, again.output
    assert set(Reader(str(tmp_path / "db"), "memories", Mapping.identity()).fetch(["m1", "他人的"])) == {"m1", "他人的"}


def test_lines_go_where_an_owners_table_keeps_them(tmp_path: Path) -> None:
    """Imported into an owner's own shape, each field lies where it lies there; a second import changes nothing."""
    from tests.test_side import MAPPING, SCHEMA
    from tests.test_side import row as owned

    table = lancedb.connect(str(tmp_path / "db")).create_table(
        "memories", pa.Table.from_pylist([owned("a", "不要香菜")], schema=SCHEMA)
    )
    config = {"table": {"uri": str(tmp_path / "db"), "name": "memories"}, "mapping": MAPPING}
    (tmp_path / "mendory.toml").write_text(toml(config), encoding="utf-8")
    line = {"id": "n1", "content": "Prefers tea", "scope": "u2", "created_at": "2025-03-01T20:00:00+08:00"}
    lines = [line | {"status": "active"}, line | {"id": "n2", "content": "喜欢喝茶", "status": "archived"}]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines), encoding="utf-8")
    command = ["import", str(tmp_path / "in.jsonl"), "--config", str(tmp_path / "mendory.toml"), "--json"]

    first, second = (json.loads(CliRunner().invoke(cli.main, command).output) for _ in range(2))

    assert [(2, 0), (0, 2)] == [(r["imported"], r["already_there"]) for r in (first, second)]
    table.checkout_latest()
    rows = {r["mem_id"]: r for r in table.to_arrow().to_pylist()}
    assert [(0, "u2", 1_740_830_400_000), (1, "u2", 1_740_830_400_000)] == [
        (rows[i]["is_deleted"], rows[i]["tenant"], rows[i]["ts"]) for i in ("n1", "n2")
    ]


UNSHOWN: list[tuple[str, pa.DataType, Any, Any]] = [
    ("gone", pa.bool_(), False, True),
    ("已删除", pa.string(), "否", "是"),
    ("s.gone", pa.struct([("gone", pa.int8())]), {"gone": 0}, 1),
    ("j.gone", pa.string(), '{"gone": "live"}', "gone"),
]


@pytest.mark.parametrize("case", UNSHOWN, ids=[case[0] for case in UNSHOWN])
def test_a_record_that_the_owners_reader_would_not_return_is_quarantined(tmp_path: Path, case: Any) -> None:
    """Live rows hold something at a mark: what would hold nothing there is refused, until the mapping says what."""
    place, kind, live, mark = case
    own = place.partition(".")[0]
    schema = pa.schema([*((n, pa.string()) for n in ("id", "text", "user", "at")), (own, kind)])
    held = [{"id": "a", "text": "喝茶", "user": "u1", "at": "2025-03-01T20:00:00+08:00", own: live}]
    table = lancedb.connect(str(tmp_path / "db")).create_table("mem", pa.Table.from_pylist(held, schema=schema))
    columns = {"content": "text", "scope": "user", "created_at": "at"}
    absent = [name for name in FIELD_NAMES if name not in ("id", *columns)]
    mapping = {"columns": columns, "absent": absent, "hide": {place: mark}, "times": {"created_at": {"forms": ["iso"]}}}
    line = {"content": "Prefers tea", "scope": "u2", "created_at": "2025-03-01T20:00:00+08:00"}
    lines = [line | {"id": "n1"}, line | {"id": "n2", "content": "不吃香菜"}, line | {"id": "n1"}]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines), encoding="utf-8")

    def imported(**more: Any) -> dict[str, Any]:
        config = {"table": {"uri": str(tmp_path / "db"), "name": "mem"}, "mapping": mapping | more}
        (tmp_path / "mendory.toml").write_text(toml(config), encoding="utf-8")
        command = ["import", str(tmp_path / "in.jsonl"), "--config", str(tmp_path / "mendory.toml"), "--json"]
        return json.loads(CliRunner().invoke(cli.main, command).output)  # type: ignore[no-any-return]

    told = imported()
    assert ({"not_shown": 3}, 0) == (told["reasons"], told["imported"])
    entries = [json.loads(e) for e in (tmp_path / "in.jsonl.quarantine.jsonl").read_text("utf-8").splitlines()]
    assert [1, 2, 3] == [e["line"] for e in entries]
    assert all("[mapping.show]" in e["hint"] for e in entries)
    assert 1 == table.count_rows()
    shown = live["gone"] if isinstance(live, dict) else "live" if own == "j" else live
    told = imported(show={place: shown})
    assert ({}, 2) == (told["reasons"], told["imported"])
    table.checkout_latest()
    assert {repr(live)} == {repr(r[own]) for r in table.to_arrow().to_pylist()}


def test_a_mark_that_is_empty_in_live_rows_refuses_no_record(tmp_path: Path) -> None:
    """Where live rows hold nothing at the mark, hidden ones alone do: imported rows are as live rows are."""
    schema = pa.schema([*((n, pa.string()) for n in ("id", "text", "user", "at")), ("gone", pa.bool_())])
    plain = {"text": "喝茶", "user": "u1", "at": "2025-03-01T20:00:00+08:00"}
    held = [plain | {"id": "a", "gone": None}, plain | {"id": "b", "gone": True}]
    lancedb.connect(str(tmp_path / "db")).create_table("mem", pa.Table.from_pylist(held, schema=schema))
    columns = {"content": "text", "scope": "user", "created_at": "at"}
    absent = [name for name in FIELD_NAMES if name not in ("id", *columns)]
    mapping = {
        "columns": columns,
        "absent": absent,
        "hide": {"gone": True},
        "times": {"created_at": {"forms": ["iso"]}},
    }
    config = {"table": {"uri": str(tmp_path / "db"), "name": "mem"}, "mapping": mapping}
    (tmp_path / "mendory.toml").write_text(toml(config), encoding="utf-8")
    line = {"id": "n1", "content": "Prefers tea", "scope": "u2", "created_at": "2025-03-01T20:00:00+08:00"}
    (tmp_path / "in.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    command = ["import", str(tmp_path / "in.jsonl"), "--config", str(tmp_path / "mendory.toml"), "--json"]
    told = json.loads(CliRunner().invoke(cli.main, command).output)

    assert ({}, 1) == (told["reasons"], told["imported"])


def toml(value: dict[str, Any], head: str = "") -> str:
    """Nested tables as TOML."""
    plain = {k: v for k, v in value.items() if not isinstance(v, dict)}
    text = "".join(
        f"{json.dumps(k, ensure_ascii=False)} = {json.dumps(v, ensure_ascii=False)}\n" for k, v in plain.items()
    )
    for key, inner in value.items():
        if isinstance(inner, dict):
            name = f"{head}.{json.dumps(key, ensure_ascii=False)}".lstrip(".")
            text += f"[{name}]\n" + toml(inner, name)
    return text
