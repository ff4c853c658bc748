"""Whether two texts say the same: symmetric, monotone in the cosine, never against a veto, in both languages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mendory.claims import claims_in
from mendory.language import language_of
from mendory.sameness import judge, score
from mendory.sameness.features import NAMES, Side, features
from mendory.sameness.model import COSINE_TERMS, TEXT_TERMS, shipped, terms
from mendory.sameness.wishes import apart
from mendory.thresholds import Threshold, Thresholds
from mendory.veto import Veto, vetoes

USE = "universal-sentence-encoder-multilingual"
MINILM = "all-MiniLM-L6-v2"
EN = (
    "tea",
    "coffee",
    "she",
    "never",
    "drinks",
    "in",
    "the",
    "morning",
    "before",
    "9",
    "Kim",
    "a",
    "lot",
    "of",
    "green",
)
ZH = ("她", "早上", "不", "喝", "绿茶", "咖啡", "三", "杯", "在", "北京", "喜欢", "妈妈", "怎么", "泡", "的")


def of(language: str) -> Threshold:
    """The shipped threshold of the language."""
    return Thresholds().of(MINILM if language == "en" else USE, language)


def texts(language: str) -> st.SearchStrategy[str]:
    """Sentences of a few words, in any order."""
    glue, words = (" ", EN) if language == "en" else ("", ZH)
    return st.lists(st.sampled_from(words), min_size=1, max_size=12).map(glue.join)


pairs = st.sampled_from(["en", "zh"]).flatmap(lambda code: st.tuples(st.just(code), texts(code), texts(code)))
cosines = st.none() | st.floats(-1, 1)


@settings(deadline=None)
@given(pairs, cosines)
def test_a_judgement_does_not_depend_on_which_text_comes_first(
    pair: tuple[str, str, str], cosine: float | None
) -> None:
    """judge(a, b) and judge(b, a) are one judgement, to the last digit of the score."""
    code, a, b = pair

    assert judge(a, b, cosine, of(code)) == judge(b, a, cosine, of(code))


@settings(deadline=None)
@given(pairs, st.floats(-1, 1), st.floats(-1, 1))
def test_a_higher_cosine_never_lowers_the_score(pair: tuple[str, str, str], one: float, two: float) -> None:
    """Whatever the texts have in common."""
    code, a, b = pair
    low, high = sorted((one, two))

    assert judge(a, b, low, of(code)).score <= judge(a, b, high, of(code)).score + 1e-12


@settings(deadline=None)
@given(pairs, cosines)
def test_what_a_veto_speaks_against_is_never_the_same(pair: tuple[str, str, str], cosine: float | None) -> None:
    """With a threshold that accepts everything, too; the vetoes are those of the raw texts, else of what they like."""
    code, a, b = pair
    found = judge(a, b, cosine, replace(of(code), value=0.0, text_value=0.0))
    of_two_things = (Veto.NAME,) if apart(claims_in(a), claims_in(b)) else ()

    assert (vetoes(a, b) or of_two_things) == found.vetoes
    assert found.same is (not found.vetoes)


@settings(deadline=None)
@given(pairs, cosines)
def test_equal_texts_score_highest(pair: tuple[str, str, str], cosine: float | None) -> None:
    """A text and itself score 1, and no other pair more, whatever the vectors say."""
    code, a, b = pair

    assert 1.0 == judge(a, a, cosine, of(code)).score or language_of(a) is None
    assert 0.0 <= judge(a, b, cosine, of(code)).score <= 1.0


@settings(deadline=None)
@given(pairs)
def test_every_feature_is_symmetric_and_a_share(pair: tuple[str, str, str]) -> None:
    """In 0..1, one for each name, the same both ways."""
    _, a, b = pair
    language = language_of(a)
    if language is None:
        return
    one, other = Side.of(language.read(a)), Side.of(language.read(b))
    found = features(one, other)

    assert len(NAMES) == len(found)
    assert found == features(other, one)
    assert [] == [n for n, x in zip(NAMES, found, strict=True) if not 0 <= x <= 1]


def test_every_language_has_a_coefficient_for_each_term() -> None:
    """English, Chinese and the rest; none of a term with a cosine is negative, so that the score can't fall."""
    text = len(terms([0.0] * len(NAMES), None))
    whole = len(terms([0.0] * len(NAMES), 0.5))

    assert {"en", "zh", ""} == shipped().keys()
    assert (TEXT_TERMS, TEXT_TERMS + COSINE_TERMS) == (text, whole)
    for held in shipped().values():
        assert [whole, whole, text, text] == [len(c) for c in (held.short, held.long, held.short_text, held.long_text)]
        assert min(*held.short[TEXT_TERMS:], *held.long[TEXT_TERMS:]) >= 0


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("My sister lives in Hamburg", "我妹妹住在汉堡"),
        ("12345", "12345"),
        ("Der Hund schläft heute auf dem Sofa", "Der Hund schläft heute auf dem Sofa"),
    ],
)
def test_what_no_language_reads_is_never_the_same(a: str, b: str) -> None:
    """Two languages, no words, or a language without a pack: no veto can be read, so nothing merges."""
    found = judge(a, b, 1.0, of("en"))

    assert (False, (Veto.LANGUAGE,)) == (found.same, found.vetoes)


def test_without_a_pack_nothing_is_known_of_a_reading_but_its_words() -> None:
    """A language of an entry point has no coefficients of its own and is scored by those of all languages."""
    language = language_of("She plays the violin every evening")
    assert language is not None
    a, b = (replace(language.read(t), language="xx") for t in ("She plays the violin", "She plays violin"))

    assert 0.0 < score(a, b, 0.5) < score(a, b, 0.99) < 1.0


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("The night train goes from Oslo to Bergen", "The night train goes from Bergen to Oslo", False),
        ("Kim lent Anna 40 euros", "Anna lent Kim 40 euros", False),
        ("Won 3 of 5 games", "Won 5 of 3 games", False),
        ("We met Kim and Anna at the lake", "We met Anna and Kim at the lake", True),
        ("The hotel in Oslo was booked by Kim", "Kim booked the hotel in Oslo", True),
        ("夜里有从上海到北京的火车", "夜里有从北京到上海的火车", False),
        ("你要等我", "我要等你", False),
        ("他们去了上海和北京", "他们去了北京和上海", True),
    ],
)
def test_who_changed_places_is_told_from_what_was_listed_otherwise(a: str, b: str, same: bool) -> None:
    """Vectors hardly see an order: names, numbers, persons in each other's place say something else, lists do not."""
    language = language_of(a)
    assert language is not None
    found = judge(a, b, 0.99, of(language.code))

    assert same is found.same, found


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Prefers window seats on long flights", "On long flights prefers a window seat"),
        ("Works as a nurse at the city hospital", "Works at the city hospital as a nurse"),
        ("Likes long walks in the forest after work.", "Enjoys long walks in the forest after work"),
        ("用户从不吃香菜", "用户不吃香菜"),
        ("妈妈每天晚上都散步", "妈妈每天晚上都去散步"),
    ],
)
def test_one_thing_in_other_words_is_the_same(a: str, b: str) -> None:
    """Another order, an article, a synonym, with the cosine such pairs have."""
    language = language_of(a)
    assert language is not None

    assert judge(a, b, 0.95, of(language.code)).same


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The API key is stored in the vault", "The API key is stored in the environment"),
        ("Decision: Redis for sessions", "Decision: Redis for rate limits"),
        ("Prefers tea in the morning", "Prefers coffee in the morning"),
        ("Was in the meeting about the budget", "Wrote the minutes of the meeting about the budget"),
        ("项目的密钥放在保险库里", "项目的密钥放在环境变量里"),
        ("部署用Redis存会话", "部署用Redis做限流"),
        ("早上喜欢喝茶", "早上喜欢喝咖啡"),
    ],
)
def test_one_thing_in_anothers_place_is_not_the_same(a: str, b: str) -> None:
    """A word that was put for another, in an otherwise equal sentence, with the cosine such pairs have."""
    language = language_of(a)
    assert language is not None

    assert not judge(a, b, 0.87, of(language.code)).same


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I like jazz.", "I like classical jazz."),
        ("The user likes strategy games", "The user likes complex strategy games"),
        ("I dislike fast food.", "I dislike traditional fast food."),
        ("I like avocado toast.", "I like avocado toast with seeds."),
        ("我喜欢策略游戏", "我喜欢复杂的策略游戏"),
        ("我喜欢爵士乐", "我喜欢古典爵士乐"),
        ("我爱吃牛油果吐司", "我爱吃撒了坚果的牛油果吐司"),
    ],
)
def test_who_likes_a_thing_does_not_say_that_he_likes_one_of_its_kind(a: str, b: str) -> None:
    """A thing liked or disliked, and one that is told apart from others of its kind: two wishes, whichever is first."""
    language = language_of(a)
    assert language is not None

    found = [judge(one, other, 0.97, of(language.code)) for one, other in ((a, b), (b, a))]

    assert [(judged.same, judged.vetoes) for judged in found] == [(False, (Veto.NAME,))] * 2


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I like jazz.", "I really like jazz."),
        ("I like jazz.", "I like jazz very much."),
        ("I like to drink green tea.", "I like drinking green tea."),
        ("I love pizza.", "I love a good pizza."),
        ("I love hiking.", "I love to hike."),
        ("The user prefers short replies", "The user prefers replies that are short"),
        ("我喜欢爵士乐", "我很喜欢爵士乐"),
        ("用户喜欢简短的回复", "用户喜欢简短回复"),
        ("我喜欢喝绿茶", "我爱喝绿茶"),
    ],
)
def test_one_wish_in_other_words_is_the_same(a: str, b: str) -> None:
    """How much a thing is liked, or in which form of the verb, makes no other thing of it."""
    language = language_of(a)
    assert language is not None

    assert judge(a, b, 0.97, of(language.code)).same
