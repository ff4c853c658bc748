"""What rules read in a Chinese text."""

from __future__ import annotations

import doctest
from decimal import Decimal
from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mendory.language import Quantity, Reading, fold, language_of
from mendory.language.zh import Chinese
from mendory.language.zh.lexicon import OPPOSITES
from mendory.language.zh.numerals import number
from mendory.language.zh.units import UNITS

ZH = Chinese()
WORDS = [
    *"我不别三3十百半点%第每一年月日周号:-.到至是·张小王的时了吗，。#A从",
    *("没有", "喜欢", "讨厌", "公里", "kg", "个百分点", "版本", "v2", "约翰", "经理", "妈妈", "时候", "怎么", "什么"),
    *("1,000", "2024", "以前", "换成"),
]


def read(text: str) -> Reading:
    """The reading of a text."""
    return ZH.read(text)


def said(text: str) -> set[tuple[str, bool]]:
    """The words of content, and whether each is negated."""
    return {(word.fold, word.negated) for word in read(text).words if word.content}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        *(
            ("三百二十", 320),
            ("两千", 2000),
            ("一万五", 15000),
            ("三千二", 3200),
            ("二〇二四", 2024),
            ("一百零五", 105),
        ),
        *(("十", 10), ("十五", 15), ("廿三", 23), ("一亿二千万", 120_000_000), ("两百五", 250), ("壹仟", 1000)),
        *(("三点五", "3.5"), ("零点二五", "0.25"), ("半", "0.5"), ("1,200", 1200), ("3万", 30000), ("1.5万", 15000)),
        *(("10w", 100_000), ("一万零五", 10005), ("三十万", 300_000), ("十二", 12)),
    ],
)
def test_a_numeral_is_read(written: str, expected: object) -> None:
    """Chinese and Arabic numerals, those that leave out a place, and digits read off one by one."""
    assert Decimal(str(expected)) == number(written)


@pytest.mark.parametrize("written", ["", "万", "百", "三公", "点五", "三点", "你好", "十三点x"])
def test_what_is_no_numeral_is_no_number(written: str) -> None:
    """A place without a digit, half a decimal, or another word is no number."""
    assert None is number(written)


@settings(deadline=None)  # the first text loads the dictionaries
@given(st.integers(1, 99_999_999))
def test_every_number_written_out_is_read_back(value: int) -> None:
    """A number in Chinese numerals is that number."""
    assert value == number(written(value))


def written(value: int) -> str:
    """The number in Chinese numerals, every place named."""
    if value >= 10_000:
        rest = value % 10_000
        zero = "零" if rest and rest < 1000 else ""
        return written(value // 10_000) + "万" + (zero + written(rest) if rest else "")
    digits, places = "零一二三四五六七八九", ("", "十", "百", "千")
    figures = str(value)
    out = "".join(
        digits[int(ch)] + (places[len(figures) - at - 1] if ch != "0" else "") for at, ch in enumerate(figures)
    )
    while "零零" in out:
        out = out.replace("零零", "零")
    return out.rstrip("零")


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        *(("跑了三公里", 3000, "m"), ("跑了 3 km", 3000, "m"), ("跑了３千米", 3000, "m"), ("体重一百二十斤", 60, "kg")),
        *(
            ("睡了半小时", 1800, "s"),
            ("等了四十五分钟", 2700, "s"),
            ("花了两千块", 2000, "CNY"),
            ("价格¥1,200", 1200, "CNY"),
        ),
        *(
            ("涨了百分之三十", 30, "%"),
            ("涨了30%", 30, "%"),
            ("三岁", 3, "岁"),
            ("两杯咖啡", 2, "杯"),
            ("三只猫", 3, ""),
        ),
        *(("第三名", 3, "第"), ("每天跑步", 86400, "per"), ("身高一米七五", "1.75", "m"), ("二十多岁", 20, "岁")),
    ],
)
def test_a_quantity_has_one_form(text: str, value: object, unit: str) -> None:
    """However a number and its unit are written, the quantity is the same."""
    assert (Quantity(Decimal(str(value)), unit),) == read(text).quantities


def test_words_of_numerals_are_no_quantities() -> None:
    """Idioms, names and the article 一个 count nothing."""
    texts = [
        "一个苹果",
        "十分喜欢",
        "三明治",
        "万一下雨",
        "一起去四川",
        "千万别忘",
        "百度",
        "张三的猫",
        "四川菜",
        "一边听歌",
    ]

    assert [()] * len(texts) == [read(text).quantities for text in texts]


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("10月15日截止", {"month:10", "day:15"}),
        ("十月十五号截止", {"month:10", "day:15"}),
        ("发布于 2024-10-15", {"year:2024", "month:10", "day:15"}),
        ("二〇二四年", {"year:2024"}),
        ("农历八月十五", {"calendar:lunar", "month:8", "day:15"}),
        ("星期二", {"weekday:2"}),
        ("下周三", {"week:1", "weekday:3"}),
        ("礼拜天", {"weekday:7"}),
        ("明天上午九点", {"relative:1 day", "time:9:00", "half:am"}),
        ("15:30", {"time:3:30", "half:pm"}),
        ("去年", {"relative:-1 year"}),
        ("上个月", {"relative:-1 month"}),
        ("80年代", {"decade:80"}),
        ("一点也不", set()),
        ("两点五公里", set()),
        ("一周三次", set()),
        ("每周一次", set()),
        ("五月天的歌", {"month:5"}),
    ],
)
def test_a_date_is_read_in_facets(text: str, dates: set[str]) -> None:
    """Each kind of date is a facet of its own, however it is written; what only looks like one is none."""
    assert dates == read(text).dates


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("不喜欢香菜", {("喜欢", True), ("香菜", True)}),
        ("讨厌香菜", {("喜欢", True), ("香菜", True)}),
        ("不是不喜欢香菜", {("喜欢", False), ("香菜", False)}),
        ("喜欢茶，不喜欢咖啡", {("喜欢", False), ("茶", False), ("喜欢", True), ("咖啡", True)}),
        ("没有绑定银行卡能登录吗", {("绑定", True), ("银行卡", True), ("登录", False)}),
        ("文件打不开", {("文件", False), ("打开", True)}),
        ("喜不喜欢爬山", {("喜欢", False), ("爬山", False)}),
        ("不错", {("好", False)}),
    ],
)
def test_a_negation_reaches_what_it_denies(text: str, expected: set[tuple[str, bool]]) -> None:
    """The predicate and its object, not the next predicate, not the next clause; two cancel; a question denies none."""
    assert expected == said(text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("喜欢茶", 0),
        ("不喜欢茶", 1),
        ("不是不喜欢茶", 0),
        ("不抽烟，不喝酒", 2),
        ("有没有茶", 0),
        ("别着急", 0),
        ("用不了", 1),
    ],
)
def test_negations_that_hold_are_counted(text: str, count: int) -> None:
    """Two that cancel, a question and politeness are none."""
    assert count == read(text).negations


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        *(("怎么改密码", {"how"}), ("如何改密码", {"how"}), ("为什么改密码", {"why"}), ("密码怎么改不了", {"why"})),
        *(("什么时候发货", {"when"}), ("啥时候发货", {"when"}), ("多久发货", {"how long"}), ("在哪里发货", {"where"})),
        *(
            ("谁发货", {"who"}),
            ("谁知道运费", set()),
            ("运费多少", {"how many"}),
            ("哪个快递好", {"what"}),
            ("发货吗", {"whether"}),
        ),
        *(("有没有货", {"whether"}), ("今天发货", set())),
    ],
)
def test_a_question_asks_for_something(text: str, asked: set[str]) -> None:
    """Question words of one meaning ask for one thing, others for another."""
    assert asked == read(text).asks


@pytest.mark.parametrize(
    ("text", "owners", "of_user"),
    [
        *(("我对花生过敏", set(), True), ("用户对花生过敏", set(), True), ("不吃香菜", set(), True)),
        *(("我妈妈对花生过敏", {"妈妈"}, False), ("母亲对花生过敏", {"妈妈"}, False), ("小王的电话", set(), False)),
        *(("小王的电话打不通", {"小王"}, False), ("给妈妈买了花", set(), False), ("我和男朋友分手了", set(), True)),
        *(("张经理不吃辣", {"张经理"}, False), ("他在学琴", {"他"}, False), ("北京很大", set(), False)),
    ],
)
def test_a_statement_is_of_somebody(text: str, owners: set[str], of_user: bool) -> None:
    """A person owns what stands behind as subject or 的; to whom or with whom something is done owns nothing."""
    got = read(text)
    assert (owners, of_user) == (set(got.owners), got.of_user)


@pytest.mark.parametrize(
    ("text", "scenes"),
    [
        *(
            ("出差时喜欢靠窗", {"出差"}),
            ("商务宴请的时候可以喝酒", {"商务 宴请"}),
            ("在公司喝茶", {"公司"}),
            ("住在公司", set()),
        ),
        *(("什么时候开会", set()), ("有时候喝茶", set()), ("小时候住在海边", set()), ("下雨天不跑步", {"雨天"})),
    ],
)
def test_a_scene_is_read(text: str, scenes: set[str]) -> None:
    """When or where a statement holds; a question after the time and a childhood are none."""
    assert scenes == read(text).scenes


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        *(
            ("不再喝咖啡", True),
            ("不喝咖啡了", True),
            ("以前住在成都", True),
            ("已经不在银行上班", True),
            ("戒了酒", True),
        ),
        *(("从 Vim 换成 Helix", True), ("曾是会计", True), ("来成都以前住在乡下", False), ("怎么取消订阅", False)),
        *(("端口改为 9090", False), ("喝咖啡", False), ("去过冰岛", False), ("用不了", False), ("曾去过冰岛", False)),
    ],
)
def test_what_is_over_is_said_to_be(text: str, ended: bool) -> None:
    """No longer, formerly, given up, from one to another; an order and a new value end nothing."""
    assert ended is read(text).ended


@pytest.mark.parametrize(
    ("text", "names", "versions"),
    [
        *(
            ("型号 A100 库存 3", {"a100"}, set()),
            ("PR #260 已合并", {"pr", "#260"}, set()),
            ("用 Python 3.11", {"python"}, {"3.11"}),
        ),
        *(
            ("升级到 v2.3.1", set(), {"2.3.1"}),
            ("版本是3.2", set(), {"3.2"}),
            ("配置在 app.users", {"app.users"}, set()),
        ),
        *(("住在北京市", {"北京"}, set()), ("同事叫王小明", {"王小明"}, set()), ("在百度实习", {"百度"}, set())),
        *(("很高兴", set(), set()), ("对海鲜过敏", set(), set())),
    ],
)
def test_names_and_versions_are_read(text: str, names: set[str], versions: set[str]) -> None:
    """Names of people, places, products and things in either script; versions are no numbers."""
    got = read(text)
    assert (names, versions) == (set(got.names), set(got.versions))


@pytest.mark.parametrize(
    ("traditional", "simplified"),
    [
        ("我媽媽對花生過敏", "我妈妈对花生过敏"),
        ("不喜歡臺灣的烏龍茶", "不喜欢台湾的乌龙茶"),
        ("會議改到週三下午三點", "会议改到周三下午三点"),
    ],
)
def test_traditional_characters_read_as_simplified_ones(traditional: str, simplified: str) -> None:
    """The same text in either writing has the same reading, and folds to one text; the folded text is proposed only."""
    assert (read(simplified), fold(simplified)) == (read(traditional), fold(traditional))


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        *(("ＡＰＩ，端口８０８０！", "api 端口8080", True), ("项目 甲", "項目甲", True), ("版本1.5", "版本15", False)),
        *(
            ("3:00 开会", "300 开会", False),
            ("app.users", "app users", False),
            ("PR #26", "PR 26", False),
            ("5%", "5", False),
        ),
        *(
            ("张三项目组", "李四项目组", False),
            ("１，０００", "1,000", True),
            ("c++", "c", False),
            ("你好。", "你好", True),
        ),
    ],
)
def test_folding_keeps_what_is_part_of_a_value(a: str, b: str, same: bool) -> None:
    """Width, letter case, characters, punctuation and spaces between Chinese fold; signs inside a value stay."""
    assert same is (fold(a) == fold(b))


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("ａＢ1２,.:#%- 　，。喜歡发髮后後臺é²①ﬁ"), max_size=20))
def test_folding_twice_is_folding_once(text: str) -> None:
    """What is folded folds to itself."""
    assert fold(text) == fold(fold(text))


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    """No text raises, and a text has one reading."""
    assert (read(text), ZH.sentences(text)) == (read(text), ZH.sentences(text))


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(WORDS),
        max_size=14,
    ).map("".join)
)
def test_any_order_of_its_words_can_be_read(text: str) -> None:
    """However the words rules look for are put together, they are read, and every quantity has a known unit."""
    known = {base for base, _ in UNITS.values()} | {"", "per", "第", "%", "USD", "EUR", "GBP"}

    assert {quantity.unit for quantity in read(text).quantities} <= known


def test_chinese_is_chosen_for_chinese() -> None:
    """A text in Chinese characters is read as Chinese, one with kana is not."""
    assert "zh" == getattr(language_of("我喜欢喝 Earl Grey 红茶"), "code", None)
    assert [True, True, False] == [ZH.speaks(text) for text in ("喜欢喝茶", "喜歡喝茶", "お茶が好きです")]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("住在成都。养了猫！会弹琴", ("住在成都。", "养了猫！", "会弹琴")),
        ("住在成都，养了猫；会弹琴", ("住在成都", "养了猫", "会弹琴")),
        ("住在成都\n养了猫", ("住在成都", "养了猫")),
        ("只有一句", ("只有一句",)),
        ("", ()),
    ],
)
def test_a_text_is_parted_into_what_it_says(text: str, sentences: tuple[str, ...]) -> None:
    """Sentences, or where there is one alone the parts between commas."""
    assert tuple(s.rstrip("。！") for s in sentences) == tuple(s.rstrip("。！") for s in ZH.sentences(text))


@pytest.mark.parametrize("module", ["writing", "folding", "zh.numerals", "zh.segment", "zh.sounds"])
def test_the_examples_in_the_docs_hold(module: str) -> None:
    """What a docstring shows is what happens."""
    failed, tried = doctest.testmod(import_module(f"mendory.language.{module}"))

    assert (0, True) == (failed, tried > 0)


def test_opposites_go_both_ways() -> None:
    """What is the opposite of a word has that word for its opposite, and nothing is its own."""
    words = [*OPPOSITES, "左膝", "右膝", "前端", "女儿"]

    assert [] == [(a, b) for a in words for b in ZH.opposites(a) if a not in ZH.opposites(b) or a == b]
    assert "右膝" in ZH.opposites("左膝")


@pytest.mark.parametrize("unit", ["不", "一", "3-", "v1.", "@", "怎么", "没有不", "约翰·", "喜欢吃香菜不喜欢"])
def test_a_long_text_is_read_to_its_end(unit: str) -> None:
    """A text of one thing over and over, without a stop, is read like any other."""
    assert (read(unit * 2000 + "，住在上海").names, "上海" in fold(unit * 2000 + "，住在上海")) == (
        read(unit * 2000).names | {"上海"},
        True,
    )
