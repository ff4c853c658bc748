"""What Chinese claims stand on: places and what they lie in, one writing, and what talk alone gives away."""

from __future__ import annotations

import opencc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mendory.claims import claims_in
from mendory.contradiction import DECIDES
from mendory.language.writing import simplified
from mendory.language.zh.claims.places import ABROAD, places
from mendory.language.zh.claims.values import given_away


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我住在成都", [("成都", ("四川", "中国"))]),
        ("四川 成都", [("成都", ("四川", "中国"))]),
        ("江苏省南京市鼓楼区", [("鼓楼区", ("南京", "江苏", "中国"))]),
        ("沈阳市", [("沈阳", ("辽宁", "东北", "中国"))]),
        ("魔都", [("上海", ("中国",))]),
        ("襄樊", [("襄阳", ("湖北", "中国"))]),
        ("澳洲", [("澳大利亚", ("海外",))]),
        ("美国旧金山", [("旧金山", ("加州", "美国", "海外"))]),
        ("吉林市", [("吉林市", ("吉林", "东北", "中国"))]),
        ("广东 和平", [("和平县", ("河源", "广东", "中国"))]),
    ],
)
def test_a_place_is_known_with_what_it_lies_in(text: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    """A place by any of its names is one value, and places side by side, each in the other, are the narrowest."""
    assert expected == [(found.value.text, found.value.within) for found in places(text)]


@pytest.mark.parametrize("text", ["鼓楼区", "三明治", "大理石", "和平", "长寿", "哈密瓜", "阿里", "南方"])
def test_what_only_looks_like_a_place_is_none(text: str) -> None:
    """Longer words, ordinary words and names of several places are no place."""
    assert [] == places(text)


def test_two_places_side_by_side_are_two() -> None:
    """Places of which neither lies in the other stay two."""
    assert ["重庆", "四川"] == [found.value.text for found in places("重庆四川联谊")]
    assert ABROAD == places("伦敦")[0].value.within[-1]


_PARTS = (
    *("用户", "我", "小王", "我妈", "住在", "上海", "四川成都", "喜欢", "不喜欢", "从不", "喝咖啡", "吃香菜"),
    *("对", "青霉素", "过敏", "不再", "改喝", "绿茶", "搬到", "端口改为", "9090", "是", "护士", "狮子座", "今年25岁"),
    *("养了一只猫", "出差时", "，", "。", "身高175cm", "没有宠物", "单身", "以前", "如果", "辣"),
)  # fmt: skip
_TRADITIONAL = opencc.OpenCC("s2t")


@settings(deadline=None)  # the first text loads dictionaries
@given(st.lists(st.sampled_from(_PARTS), min_size=1, max_size=8).map("".join))
def test_one_text_in_any_writing_claims_the_same(text: str) -> None:
    """Traditional characters and full-width letters and digits change no claim."""
    traditional = _TRADITIONAL.convert(text)
    wide = "".join(chr(ord(ch) + 0xFEE0) if ch.isascii() and ch.isalnum() else ch for ch in text)

    assert claims_in(text) == claims_in(wide)
    if simplified(traditional) == text:
        assert claims_in(text) == claims_in(traditional)


@pytest.mark.parametrize(
    "text", ["欢迎来哈尔滨玩呀", "我们武汉人", "作为处女座", "我男朋友送花了", "用户在上海工作", "我在杭州"]
)
def test_what_is_given_away_decides_nothing(text: str) -> None:
    """What nobody stated is a claim, and never sure enough for a rule to decide by it."""
    told = [claim for claim in claims_in(text) if claim.about in ("lives_in", "zodiac", "gender")]

    assert 1 == len(told)
    assert told[0].confidence < DECIDES["zh"]
    assert given_away(0.8) < DECIDES["zh"]
