"""Recall through the door on real tables: whose memories, which are left out, in which order, and why."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
import pytest

import mendory
from mendory.config import Config
from mendory.door import Door
from mendory.errors import InputInvalid, QueryRefused
from mendory.ledger import Ledger
from mendory.record import Memory
from mendory.side import Note, text_digest
from tests.conftest import NOON, FakeClock, make_config, make_table, memory
from tests.door_kit import Hashing, home_row, home_table

pytestmark = pytest.mark.lance
EAST, NORTH = [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]


def near(cosine: float) -> list[float]:
    """A vector with this cosine to EAST."""
    return [cosine, (1 - cosine**2) ** 0.5, 0.0, 0.0]


class East:
    """An embedder for which every query is EAST; it counts what it was asked."""

    def __init__(self) -> None:
        self.queries: list[str] = []

    def embed(self, texts: list[str]) -> np.ndarray:
        """One vector a text."""
        self.queries += texts
        return np.asarray([EAST] * len(texts), np.float32)


@pytest.fixture
def door(tmp_path: Path, clock: FakeClock) -> Callable[..., Door]:
    """`door(rows)` makes a table of our own holding the rows and opens its door; every query lies EAST."""

    def make(rows: Any = (), embedder: Any = None, **sections: Any) -> Door:
        make_table(tmp_path, rows)
        return mendory.open(make_config(tmp_path, **sections), embedder=embedder or East(), clock=clock)

    return make


def ids(found: Any) -> list[str]:
    """The ids recalled, best first."""
    return [one.id for one in found]


def keep(door: Door, kept: Mapping[str, tuple[str, Mapping[str, Any]]]) -> None:
    """The ledger keeps these beside rows: id → (the row's content, what is kept)."""
    ledger = Ledger.open(door.config.ledger_url, lambda: NOON)
    ledger.asides.take({i: Note(text_digest(Memory(i, text)), fields) for i, (text, fields) in kept.items()})


def test_the_scope_is_compared_as_a_whole_and_before_the_search(door: Callable[..., Door]) -> None:
    """Fifteen nearer rows of another scope, one of a like name, take no place; a scope with quotes is a scope."""
    crowd = [memory(f"b{n}", scope="/apple", embedding=near(0.99)) for n in range(15)]
    own = [memory(f"a{n}", scope="/app", embedding=near(0.1 + n / 100)) for n in range(5)]
    odd = memory("q", scope="a' OR '1'='1", embedding=near(0.5))
    opened = door([*crowd, *own, odd])

    assert ["a4", "a3", "a2", "a1", "a0"] == ids(opened.recall("tea", "/app", 5))
    assert [("q",), ()] == [tuple(ids(opened.recall("tea", s, 5))) for s in ("a' OR '1'='1", "/ap")]


def test_an_index_does_not_hide_a_scope_that_lies_far_from_the_query(door: Callable[..., Door]) -> None:
    """With an index that looks at few partitions the scoped rows are found all the same."""
    rng = np.random.default_rng(1)
    crowd = [memory(f"b{n}", scope="u2", embedding=[1.0, *(0.1 * rng.standard_normal(3)).tolist()]) for n in range(400)]
    own = [memory(f"a{n}", scope="u1", embedding=[-1.0, *(0.1 * rng.standard_normal(3)).tolist()]) for n in range(5)]
    opened = door([*crowd, *own])
    table = lancedb.connect(opened.config.table_uri).open_table("memories")
    table.create_index(metric="cosine", num_partitions=16, num_sub_vectors=2, vector_column_name="embedding")

    assert {f"a{n}" for n in range(5)} == set(ids(opened.recall("tea", "u1", 5)))


@pytest.mark.parametrize("metric", ["cosine", "l2", "dot"])
def test_similarity_is_the_cosine_whatever_the_index_measures(door: Callable[..., Door], metric: str) -> None:
    """Scores of tables with other indexes can be compared."""
    rows = [memory(f"m{n}", embedding=[v * 3 for v in near(n / 300)]) for n in range(300)]
    opened = door(rows)
    table = lancedb.connect(opened.config.table_uri).open_table("memories")
    table.create_index(metric=metric, num_partitions=2, num_sub_vectors=2, vector_column_name="embedding")
    found = opened.recall("tea", "u1", 3)

    assert all(abs(int(one.id[1:]) / 300 - one.similarity) < 1e-6 for one in found)
    assert 3 == len(found)


def test_ancestors_count_siblings_never(door: Callable[..., Door]) -> None:
    """What a scope lies in is recalled with it, and says so; what lies beside it or in it is not."""
    scopes = ("falcon", "eagle", "alice", "acme", "bob")
    rows = [memory(s, scope=s, embedding=near(0.9 - n / 10)) for n, s in enumerate(scopes)]
    opened = door(rows, scopes={"parents": {"falcon": "alice", "eagle": "alice", "alice": "acme", "bob": "acme"}})
    found = opened.recall("tea", "falcon", 9)

    assert ["falcon", "alice", "acme"] == ids(found) == list(found.scopes)
    assert [False, True, True] == ["inherited" in one.why for one in found]
    assert ["alice", "acme"] == ids(opened.recall("tea", "alice", 9))


def test_archived_merged_and_superseded_rows_are_left_out_disputed_ones_are_marked(door: Callable[..., Door]) -> None:
    """A row that names a successor is out where that is there; a disputed one names the other side."""
    rows = [
        memory("gone", status="archived"),
        memory("old", content="port is 8080", superseded_by="new", embedding=near(0.99)),
        memory("twin", duplicate_of="new", embedding=near(0.98)),
        memory("new", content="port is 9090", embedding=near(0.5)),
        memory("lost", superseded_by="nowhere", embedding=near(0.4)),
        memory("odd", status="retired", embedding=near(0.97)),
        memory("p", content="likes tea", status="pending_review", embedding=near(0.3)),
        memory("q", content="hates tea", embedding=near(0.2)),
    ]
    opened = door(rows)
    keep(opened, {"p": ("likes tea", {"disputed_with": ["q"]}), "q": ("hates tea", {"disputed_with": ["p"]})})
    found = opened.recall("tea", "u1", 9)

    assert ["new", "lost", "p", "q"] == ids(found)
    assert [None, "nowhere", None, None] == [one.superseded_by for one in found]
    assert [(), (), ("q",), ("p",)] == [one.disputed_with for one in found]
    assert [False, False, True, True] == [one.disputed for one in found]
    assert ("scope_holds:4", "status_unknown:1", "superseded:2") == found.fewer


def test_weights_order_what_is_alike_and_say_why(door: Callable[..., Door]) -> None:
    """An old memory stands behind a new one as near, one that lasts beside it; a kept factor weighs it down."""
    old = NOON - timedelta(days=180)
    rows = [
        memory("new", content="Drinks tea at noon", embedding=near(0.8)),
        memory("old", content="Drinks tea at nine", embedding=near(0.81), created_at=old),
        memory("lasts", content="对青霉素过敏", embedding=near(0.82), created_at=NOON - timedelta(days=400)),
        memory("done", content="Drinks tea at six", embedding=near(0.83)),
        memory("undated", content="Drinks tea at ten", embedding=near(0.4), created_at=None, updated_at=None),
    ]
    opened = door(rows)
    keep(opened, {"done": ("Drinks tea at six", {"factor": 0.3})})
    found = {one.id: one for one in opened.recall("tea", "u1", 9)}

    assert ["new", "lasts", "old", "undated", "done"] == list(found)
    assert 0.7 + 0.3 * 0.5 == pytest.approx(found["old"].weight)
    assert 0.81 * found["old"].weight == pytest.approx(found["old"].score)
    assert {"age_days": 180.0, "fresh": 0.5, "factor": 1.0} == found["old"].numbers
    assert 0.95 < found["lasts"].weight < 0.97
    assert ("kind:fact", "lasting") == found["lasts"].why
    assert (0.3, ("kind:fact", "factor")) == (pytest.approx(found["done"].weight), found["done"].why)
    assert (1.0, ("kind:fact", "age_unknown")) == (found["undated"].weight, found["undated"].why)


def test_a_kept_factor_is_that_of_the_text_it_was_kept_for(door: Callable[..., Door]) -> None:
    """Once the owner wrote another text into the row it weighs in full."""
    opened = door([memory("m", content="Fixing the search today", embedding=near(0.5))])
    keep(opened, {"m": ("Fixing the login today", {"factor": 0.3})})

    assert [pytest.approx(1.0)] == [one.weight for one in opened.recall("bugs", "u1", 1)]


@pytest.mark.parametrize(
    ("general", "special", "query", "other"),
    [
        ("从不吃香菜", "商务宴请时可以吃一点香菜", "商务宴请点什么菜", "晚上在家做什么菜"),
        ("No coriander, ever", "A little coriander at business dinners is fine",
            "What to order at the business dinner?",
         "What to cook at home?"),
    ],
)  # fmt: skip
def test_an_exception_goes_first_where_its_scene_is(
    door: Callable[..., Door], general: str, special: str, query: str, other: str
) -> None:
    """Nearer or not: in its scene the exception stands before the general memory, elsewhere behind it."""
    opened = door(
        [
            memory("g", content=general, embedding=near(0.9)),
            memory("e", content=special, embedding=near(0.5)),
            memory("x", content="茶 tea", embedding=near(0.7)),
        ]
    )
    keep(opened, {"e": (special, {"exception_of": ["g"]})})

    inside, outside = opened.recall(query, "u1", 3), opened.recall(other, "u1", 3)

    assert (["e", "g", "x"], ["g", "x", "e"]) == (ids(inside), ids(outside))
    assert (("g",), "scene") == (inside[0].exception_of, inside[0].why[-1])


INNER = [
    ("默认分支是 main", "默认分支是 trunk", "分支叫什么", {}),
    ("The default branch is main", "The default branch is trunk", "Which branch?", {}),
    ("用英文回复", "用德文回复", "用哪种语言", {"metadata": {"scene": "日常"}}),
    ("Answer in English", "Answer in German", "Which language?", {"metadata": {"scene": "daily"}}),
]


@pytest.mark.parametrize(("general", "special", "query", "fields"), INNER)
def test_an_exception_of_an_inner_scope_goes_first_there(
    door: Callable[..., Door], general: str, special: str, query: str, fields: dict[str, Any]
) -> None:
    """A project's own rule stands before that of the space around it, near or far, reached by the search or not."""
    rows = [memory("g", content=general, scope="acme", embedding=near(0.9)), memory("x", content="茶", scope="eagle")]
    rows += [memory("e", content=special, scope="falcon", embedding=near(0.5), **fields)]
    rows += [memory(f"c{n}", content=f"茶 {n}", scope="falcon", embedding=near(0.6 + n / 1000)) for n in range(40)]
    opened = door(rows, scopes={"parents": {"falcon": "acme", "eagle": "acme"}})
    keep(opened, {"e": (special, {"exception_of": ["g"]})})

    inside = opened.recall(query, "falcon", 2)

    assert ["e", "g"] == ids(inside)
    assert (("g",), "inner") == (inside[0].exception_of, inside[0].why[-1])
    assert ["g", "x"] == ids(opened.recall(query, "eagle", 2))


@pytest.mark.parametrize(
    ("general", "special", "fields"),
    [
        ("从不吃香菜", "商务宴请时可以吃一点香菜", {}),
        ("No coriander, ever", "A little coriander at business dinners is fine", {}),
        ("从不吃香菜", "可以吃一点香菜", {"metadata": {"scene": "商务宴请"}}),
        ("No coriander, ever", "Coriander is fine", {"claim": {"object": "coriander", "stance": 1, "scene": "a gala"}}),
    ],
)  # fmt: skip
def test_an_exception_of_an_inner_scope_for_a_scene_goes_first_only_in_the_scene(
    door: Callable[..., Door], general: str, special: str, fields: dict[str, Any]
) -> None:
    """A scene that the text, the metadata or the writer's claim names bounds it in an inner scope too."""
    rows = [memory("g", content=general, scope="acme", embedding=near(0.5))]
    opened = door(
        [*rows, memory("e", content=special, scope="ann", embedding=near(0.9), **fields)],
        scopes={"parents": {"ann": "acme"}},
    )
    keep(opened, {"e": (special, {"exception_of": ["g"]})})

    found = opened.recall("晚上在家做什么菜 What to cook at home?", "ann", 2)

    assert (["g", "e"], "general") == (ids(found), found[1].why[-1])


def test_an_exception_is_found_though_the_search_did_not_reach_it(door: Callable[..., Door]) -> None:
    """It lies far from the query; one of a hidden row or another scope stays away."""
    said = "A little coriander at business dinners is fine"
    crowd = [memory(f"c{n}", content=f"Tea {n}", embedding=near(0.6 + n / 1000)) for n in range(40)]
    others = [
        memory("g", content="No coriander, ever", embedding=near(0.9)),
        memory("e", content=said, embedding=near(0.1)),
        memory("hidden", content=said, embedding=near(0.1), status="archived"),
        memory("theirs", content=said, embedding=near(0.1), scope="u2"),
    ]
    opened = door([*crowd, *others])
    keep(opened, {name: (said, {"exception_of": ["g"]}) for name in ("e", "hidden", "theirs")})

    assert ["e", "g"] == ids(opened.recall("What to order at the business dinner?", "u1", 2))


def test_why_there_are_fewer(door: Callable[..., Door]) -> None:
    """The number that the scope holds, and how many of its rows no search can find."""
    rows = [memory("a", embedding=EAST), memory("b", embedding=None), memory("c", embedding=None, status="archived")]
    opened = door([*rows, memory("d", embedding=None, scope="u2")])

    assert (["a"], ("scope_holds:1", "without_vector:1")) == (ids(f := opened.recall("tea", "u1", 5)), f.fewer)
    assert () == opened.recall("tea", "u1", 1).fewer
    assert ([], ("scope_holds:0",)) == (ids(f := opened.recall("tea", "nobody", 5)), f.fewer)


def test_every_recall_is_of_the_newest_version(door: Callable[..., Door]) -> None:
    """What another program added, changed or archived since the last one counts."""
    opened = door([memory("a", embedding=near(0.9)), memory("b", embedding=near(0.8))])
    assert ["a", "b"] == ids(opened.recall("tea", "u1", 5))
    table = lancedb.connect(opened.config.table_uri).open_table("memories")
    table.update(where="id = 'a'", values={"status": "archived"})
    table.update(where="id = 'b'", values={"content": "Drinks coffee"})

    found = opened.recall("tea", "u1", 5)

    assert [("b", "Drinks coffee")] == [(one.id, one.content) for one in found]
    assert int(table.version) == found.version


def test_rows_without_a_usable_vector_take_no_place(door: Callable[..., Door]) -> None:
    """A vector of zeros or with an infinity is nobody's neighbour, whatever the index says."""
    rows = [memory("a", embedding=EAST), memory("zero", embedding=[0.0] * 4), memory("inf", embedding=[1e300, 0, 0, 0])]

    assert ["a"] == ids(door(rows).recall("tea", "u1", 5))


@pytest.mark.parametrize(
    ("query", "scope", "k"), [("", "u1", 5), (" \u200b", "u1", 5), ("tea", None, 5), ("tea", "", 5), ("tea", "u1", 0)]
)
def test_what_can_t_be_asked(door: Callable[..., Door], query: str, scope: str | None, k: int) -> None:
    """A blank query, no scope, no number: nothing is searched or embedded."""
    east = East()
    opened = door([memory("a")], east)

    with pytest.raises(InputInvalid, match="Nothing was searched"):
        opened.recall(query, scope, k)
    assert [] == east.queries


def test_a_vector_of_another_length_is_refused_with_both(door: Callable[..., Door]) -> None:
    """The error names the components there are and those there should be."""
    with pytest.raises(QueryRefused, match="2 components, the table's have 4"):
        door([memory("a")]).recall("tea", "u1", 5, embedding=[1.0, 0.0])


def test_nobody_to_embed_the_query(tmp_path: Path) -> None:
    """Without an embedder a query needs its vector."""
    make_table(tmp_path, [memory("a", embedding=EAST)])
    with mendory.open(make_config(tmp_path), clock=lambda: NOON) as opened:
        with pytest.raises(QueryRefused, match="embedding_missing"):
            opened.recall("tea", "u1", 5)
        assert ["a"] == ids(opened.recall("tea", "u1", 5, embedding=EAST))


def test_an_embedder_that_tells_queries_from_memories_is_asked_for_a_query(door: Callable[..., Door]) -> None:
    """`embed_query` where there is one."""

    class Both(Hashing):
        def embed_query(self, texts: list[str]) -> np.ndarray:
            return np.asarray([NORTH] * len(texts), np.float32)

    rows = [memory("east", embedding=EAST), memory("north", embedding=NORTH)]

    assert "north" == door(rows, Both()).recall("tea", "u1", 1)[0].id


def test_a_table_of_an_owner_s_own_shape(tmp_path: Path) -> None:
    """A scope of two columns, a status in numbers, hidden rows by the owner's mark; a neighbour's scope stays away."""
    far, close = [0.0, 1.0, 0.0, 0.0], [1.0, 0.1, 0.0, 0.0]
    config = home_table(
        tmp_path,
        [
            home_row("a", "早上喝绿茶", vec=far),
            home_row("b", "已删除", vec=close, is_deleted=1),
            home_row("c", "别人的", vec=close, uid=70),
            home_row("d", "别家的", vec=close, tenant="甲乙"),
            home_row("e", "下午喝咖啡", vec=close),
        ],
    )
    with mendory.open(config, embedder=East(), clock=lambda: NOON) as opened:
        found = opened.recall("喝什么", "甲/7", 5)

        assert ["e", "a"] == ids(found)
        assert ["active", "active"] == [one.memory.status for one in found]
        assert [] == ids(opened.recall("喝什么", "甲", 5))


JSON_TABLE = {
    "table": {"uri": ".", "name": "t"},
    "mapping": {
        "absent": [
            *("status", "claim", "batch_id", "last_accessed_at", "last_verified_at", "duplicate_of", "superseded_by"),
            *("related_ids", "related_notes", "updated_at", "source", "kind"),
        ],
        "columns": {
            "content": "text",
            "embedding": "vec",
            "metadata": "meta",
            "scope": "meta.user",
            "created_at": "ts",
        },
        "hide": {"meta.deleted": True},
    },
}


def json_table(folder: Path, metas: list[str | None], hide: Any = None) -> Config:
    """A table whose scope and hiding mark lie in JSON; the rows lie ever farther from EAST."""
    rows = [
        {"id": f"m{n}", "text": f"Memory {n}", "vec": near(0.99 - n / 100), "meta": meta, "ts": NOON}
        for n, meta in enumerate(metas)
    ]
    kinds = {"id": pa.string(), "text": pa.string(), "vec": pa.list_(pa.float32(), 4), "meta": pa.string()}
    schema = pa.schema([*kinds.items(), ("ts", pa.timestamp("us", "UTC"))])
    lancedb.connect(str(folder)).create_table("t", pa.Table.from_pylist(rows, schema=schema))
    data = json.loads(json.dumps(JSON_TABLE))
    if hide is not None:
        data["mapping"]["hide"] = hide
    return Config.build(data, folder)


def test_scope_and_hiding_mark_inside_json(tmp_path: Path) -> None:
    """However JSON writes a name it is that name; what only holds it elsewhere is not of the scope."""
    metas = [
        *('{"user": "alice", "deleted": true}', '{"user": "bob", "by": "alice"}', '{"user":"\\u0061lice"}'),
        *('{"user": "alice b"}', '{"user": "甲"}', '{"user": "\\u7532", "deleted": false}', None, '{"user": 7}'),
    ]
    config = json_table(tmp_path, [*metas, *(['{"user": "bob", "by": "alice 甲"}'] * 90), '{"user": "alice"}'])
    with mendory.open(config, embedder=East(), clock=lambda: NOON) as opened:
        found = {scope: ids(opened.recall("tea", scope, 3)) for scope in ("alice", "甲", "7")}

    assert {"alice": ["m2", "m98"], "甲": ["m4", "m5"], "7": ["m7"]} == found


def test_a_reader_that_hides_nothing_is_told(tmp_path: Path) -> None:
    """With hide = "none" and no status every row is recalled, and the answer says so."""
    config = json_table(tmp_path, ['{"user": "alice", "deleted": true}'], "none")
    with mendory.open(config, embedder=East(), clock=lambda: NOON) as opened:
        found = opened.recall("tea", "alice", 3)

    assert (["m0"], ("nothing_hides",)) == (ids(found), found.remarks)


def test_the_function_of_the_package(door: Callable[..., Door], tmp_path: Path) -> None:
    """`mendory.recall` takes an open door, or opens the configuration it is given."""
    opened = door([memory("a", embedding=EAST)])

    assert ["a"] == ids(mendory.recall("tea", "u1", table=opened))
    with pytest.raises(QueryRefused):
        mendory.recall("tea", "u1", table=opened.config)


def test_nothing_is_written_by_a_recall(door: Callable[..., Door]) -> None:
    """Neither the table nor a ledger; the telemetry file alone has a note of it (tests/test_recalls.py)."""
    opened = door([memory("a", embedding=EAST)])
    table = lancedb.connect(opened.config.table_uri).open_table("memories")
    uri = Path(opened.config.table_uri)

    def written() -> tuple[int, set[str]]:
        found = [*uri.iterdir(), *(uri / ".mendory").glob("*")]
        return int(table.version), {p.name for p in found if not p.name.startswith("telemetry.db")} - {".mendory"}

    before = written()

    opened.recall("tea", "u1", 5)

    table.checkout_latest()
    assert before == written()
