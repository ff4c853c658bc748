"""The configuration: every key typed and bounded, every wrong one named, nothing from elsewhere."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from mendory.config import Config
from mendory.errors import ConfigInvalid

TABLE = {"table": {"uri": "db", "name": "memories"}}


def refused(root: Path, **sections: Any) -> str:
    """What is said when these sections are refused."""
    with pytest.raises(ConfigInvalid) as caught:
        Config.build(TABLE | sections, root)
    text = str(caught.value)
    assert "Nothing was done" in text
    return text


def test_table_alone_is_enough(tmp_path: Path) -> None:
    """A table's place is all that must be said; without limits nothing is automatic."""
    config = Config.build(TABLE, tmp_path)

    assert config.limits is None
    assert () == config.rules.confirmed
    assert timedelta(hours=24) == config.approval.window
    assert timedelta(hours=1) == config.duplicate.window
    assert timedelta(days=30) == config.retention.images
    assert ("topic", "entities", "scene") == config.metadata.required
    assert str(tmp_path / "db") == config.table_uri
    assert f"sqlite:///{tmp_path}/.mendory/ledger.db" == config.ledger_url
    assert ZoneInfo("UTC") == config.day_zone()


@pytest.mark.parametrize(
    ("sections", "key"),
    [
        ({"tabel": {}}, "tabel"),
        ({"limits": {"rows_per_run": 1, "repairs_per_day": 1, "rows_per_runs": 2}}, "limits.rows_per_runs"),
        ({"mapping": {"column": {}}}, "mapping.column"),
        ({"metadata": {"requires": []}}, "metadata.requires"),
        ({"duplicate": {"windows": 5}}, "duplicate.windows"),
        ({"rules": {"confirm": []}}, "rules.confirm"),
        ({"approval": {"windw": 5}}, "approval.windw"),
        ({"attempts": {"max": 5}}, "attempts.max"),
        ({"retention": {"image": 5}}, "retention.image"),
        ({"ledger": {"path": "x"}}, "ledger.path"),
    ],
)
def test_unknown_key_is_named(tmp_path: Path, sections: dict[str, Any], key: str) -> None:
    """An unknown key anywhere is refused by its whole name."""
    assert f"unknown key '{key}'" in refused(tmp_path, **sections)


def test_all_wrong_keys_are_named_at_once(tmp_path: Path) -> None:
    """Several wrong keys are named in one message."""
    text = refused(tmp_path, rules={"confirm": []}, limits={"rows_per_run": 0, "zone": "Mars/Base"})

    for key in ("rules.confirm", "limits.rows_per_run", "limits.repairs_per_day", "limits.zone"):
        assert key in text


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("limits", "rows_per_run", 0),
        ("limits", "rows_per_run", -1),
        ("limits", "rows_per_run", 1.5),
        ("limits", "repairs_per_day", 0),
        ("limits", "scope_share", 0),
        ("limits", "scope_share", 1.01),
        ("limits", "sick_share_scope", -0.1),
        ("limits", "sick_share_table", 2),
        ("limits", "min_rows", -1),
        ("limits", "zone", "Asia/Peking"),
        ("limits", "zone", "+08:00"),
        ("mapping", "zone", "CST6"),
        ("mapping", "columns", {"contents": "text"}),
        ("mapping", "absent", ["stats"]),
        ("metadata", "min_siblings", 1),
        ("duplicate", "window", 0),
        ("duplicate", "window", "-PT1H"),
        ("approval", "window", 0),
        ("attempts", "most", 0),
        ("attempts", "window", 0),
        ("retention", "images", "P29D"),
        ("retention", "images", "P29DT23H59M"),
        ("table", "name", "../escape"),
        ("table", "name", "a b"),
        ("table", "name", ""),
    ],
)
def test_value_out_of_bounds_is_refused(tmp_path: Path, section: str, key: str, value: Any) -> None:
    """A value outside its bounds is refused with its key."""
    whole = {"limits": {"rows_per_run": 1, "repairs_per_day": 1}, "table": TABLE["table"]}.get(section, {})

    assert f"{section}.{key}" in refused(tmp_path, **{section: whole | {key: value}})


def test_unknown_field_is_named_with_those_that_exist(tmp_path: Path) -> None:
    """A mapping of an unknown field says which fields there are."""
    text = refused(tmp_path, mapping={"columns": {"text": "content"}})

    assert "no such field: text" in text
    assert "content" in text


def test_limits_need_their_two_numbers(tmp_path: Path) -> None:
    """A limits section without its two numbers is refused: a default there would be a decision."""
    text = refused(tmp_path, limits={})

    assert "limits.rows_per_run" in text
    assert "limits.repairs_per_day" in text


def test_unknown_rule_is_named(tmp_path: Path) -> None:
    """A confirmed rule that does not exist is a misspelling, not a wish for nothing."""
    assert "merge.exakt" in refused(tmp_path, rules={"confirmed": ["merge.exakt"]})


@pytest.mark.parametrize("value", ["", "  ", "\u200b", [], None])
def test_default_without_a_value_is_refused(tmp_path: Path, value: Any) -> None:
    """A default that fills nothing is a mistake; every fill with it would leave the finding open."""
    assert "metadata.defaults" in refused(tmp_path, metadata={"defaults": {"scene": value}})


@pytest.mark.parametrize("toml", ["2025-03-01", "nan", "[inf]"])
def test_default_that_is_no_json_is_refused(tmp_path: Path, toml: str) -> None:
    """A default must be something a JSON text can hold."""
    (tmp_path / "mendory.toml").write_text(
        f'[table]\nuri = "db"\nname = "m"\n[metadata.defaults]\nscene = {toml}\n', encoding="utf-8"
    )

    with pytest.raises(ConfigInvalid, match="defaults"):
        Config.load(tmp_path / "mendory.toml")


def test_file_is_read_and_paths_count_from_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative paths count from the configuration file, wherever the program is started."""
    folder = tmp_path / "项目"
    folder.mkdir()
    text = '[table]\nuri = "data/lancedb"\nname = "memories"\n[limits]\nrows_per_run = 5\nrepairs_per_day = 9\n'
    (folder / "mendory.toml").write_text(text + 'zone = "Asia/Shanghai"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    config = Config.load(Path("项目") / "mendory.toml")

    assert str(folder / "data/lancedb") == config.table_uri
    assert config.ledger_url.endswith("项目/.mendory/ledger.db")
    assert ZoneInfo("Asia/Shanghai") == config.day_zone()


def test_absolute_and_remote_places_stay(tmp_path: Path) -> None:
    """An absolute folder, a remote URI and another database are taken as they are."""
    for uri in ("/srv/lancedb", "s3://bucket/db"):
        assert uri == Config.build({"table": {"uri": uri, "name": "m"}}, tmp_path).table_uri
    for url in ("sqlite:////srv/ledger.db", "postgresql://host/db"):
        assert url == Config.build(TABLE | {"ledger": {"url": url}}, tmp_path).ledger_url


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"[table\n", "no TOML"),
        (b"\xff\xfe\x00", "not readable"),
        (b"", "table"),
        (b'[table]\nuri = 5\nname = "m"\n', "table.uri"),
        (b'root = "/"\n[table]\nuri = "d"\nname = "m"\n', "root"),
    ],
)
def test_unreadable_file_is_a_named_error(tmp_path: Path, content: bytes, says: str) -> None:
    """A file that is no configuration is refused with its path and the reason."""
    path = tmp_path / "mendory.toml"
    path.write_bytes(content)

    with pytest.raises(ConfigInvalid) as caught:
        Config.load(path)

    assert says in str(caught.value)
    assert "mendory.toml" in str(caught.value)


def test_missing_file_names_the_next_step(tmp_path: Path) -> None:
    """A missing file, and a folder in its place, are named errors; the first says how to make one."""
    with pytest.raises(ConfigInvalid, match=re.escape("mendory init")):
        Config.load(tmp_path / "mendory.toml")
    with pytest.raises(ConfigInvalid):
        Config.load(tmp_path)


def test_environment_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stray environment variable or .env file never changes a repair."""
    for name in ("LIMITS", "RULES", "TABLE", "limits", "MENDORY_LIMITS"):
        monkeypatch.setenv(name, '{"rows_per_run": 9, "repairs_per_day": 9, "confirmed": ["merge.exact"]}')
    (tmp_path / ".env").write_text('LIMITS={"rows_per_run": 9, "repairs_per_day": 9}\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    config = Config.build(TABLE, tmp_path)

    assert config.limits is None
    assert () == config.rules.confirmed


def test_configuration_is_frozen(tmp_path: Path) -> None:
    """Nothing changes a configuration once it is read."""
    config = Config.build(TABLE, tmp_path)

    with pytest.raises((ValueError, TypeError)):
        config.limits = None  # type: ignore[misc]
    with pytest.raises((ValueError, TypeError)):
        config.attempts.most = 99  # type: ignore[misc]
